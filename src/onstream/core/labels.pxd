from libc.stdint cimport int32_t


cdef class Labels:
    cdef str who             # class name of the learner, for error messages
    cdef list names          # label of each number, in order of appearance
    cdef dict numbers        # number of each label
    cdef Py_ssize_t limit    # most labels allowed
    cdef object cached       # what predict_many takes its answers from

    cdef int32_t find(self, object y) except -2
    cdef object coerce(self, object y)
    cdef int check(self, object y) except -1
    cdef int append(self, object y) except -1
    cdef int pop(self) except -1
    cdef int compact(self) except -1
    cdef double sign(self, int32_t number) noexcept
    cdef bint encode_integers(self, object column, Labels seen, int32_t* numbers) except -1
