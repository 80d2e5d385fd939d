from cpython.pythread cimport PyThread_type_lock


cdef class Work:
    cdef object call              # what is to be done
    cdef object found             # what it has returned
    cdef object error             # or raised
    cdef PyThread_type_lock busy  # held until it is done

    cdef int start(self) except -1
    cdef object wait(self)
