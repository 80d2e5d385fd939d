cpdef double coerce_weight(str who, object w) except? -1.0
cpdef double coerce_target(str who, object y) except? -1.0
