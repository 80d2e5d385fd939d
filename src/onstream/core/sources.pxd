from libc.stdint cimport int32_t, int64_t

from .door cimport Door
from .example cimport Example


cdef class Source:
    cdef Door door          # where names become ids
    cdef bint learning      # new features are welcome
    cdef Py_ssize_t rows
    cdef Py_ssize_t array_columns  # columns of an array without names; -1: something else
    cdef Py_ssize_t bytes   # of X, if `check` has to look at them; else 0
    cdef Py_ssize_t chunk   # rows per block: what one reader may have to wait for

    cdef int check(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int load(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil
