cpdef double plain_weight(str who, object w) except? -1.0
cpdef double plain_target(str who, object y) except? -1.0
