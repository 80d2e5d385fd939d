# The first examples of a stream, kept until a default gamma has been found from their distances.

from libc.stdint cimport int32_t

from ..core.example cimport Example


cdef struct Entry:          # a value of an example that is not 0
    int32_t feature
    double value


cdef class FirstExamples:
    cdef readonly double median  # of the squared distances between those seen; 0: not known yet
    cdef readonly bint open      # more examples are awaited
    cdef Py_ssize_t n            # how many are kept
    cdef Py_ssize_t* starts      # where each begins in `entries`; n + 1 of them
    cdef Entry* entries          # of each example by rising feature
    cdef Py_ssize_t room         # entries that fit
    cdef double* gaps            # scratch memory for all distances

    cdef bint hold(self, const Example* e) noexcept nogil
    cdef bint watch(self, const Example* e) noexcept nogil
    cdef void close(self) noexcept nogil
    cdef void measure(self) noexcept nogil
