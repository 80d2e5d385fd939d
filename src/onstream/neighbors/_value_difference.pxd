from libc.stdint cimport int32_t

from ._tiles cimport Tiles


cdef int value_differences(
    const Tiles* tiles, const int32_t* query, const int32_t* labels, const double* weights,
    Py_ssize_t first, Py_ssize_t n, Py_ssize_t room, bint squared, double* out) noexcept nogil
