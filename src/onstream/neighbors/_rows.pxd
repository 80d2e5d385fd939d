# Examples with few of very many features: only what is not 0, and not left out, by feature.

from libc.stdint cimport int32_t

from ..core.example cimport Example


cdef struct Entry:
    int32_t id       # the feature
    int32_t code     # of a nominal value; NUMBER: it is none
    double value


cdef struct Row:
    Entry* entries   # in the order of the features
    Py_ssize_t n


cdef Py_ssize_t entries_of(const Example* e) noexcept nogil
cdef int row_make(Row* row, const Example* e, Py_ssize_t width) noexcept nogil
cdef double row_squares(
    const Row* a, const Row* b, const int32_t* column, const double* factor) noexcept nogil
cdef double row_sizes(
    const Row* a, const Row* b, const int32_t* column, const double* factor) noexcept nogil
