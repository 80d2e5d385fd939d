"""Pointers to the data of a NumPy array. The caller knows its dtype, and keeps it alive."""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint64_t

cnp.import_array()


cdef void* data_of(object array) noexcept:
    return NULL if array is None else cnp.PyArray_DATA(<cnp.ndarray> array)


cdef double* doubles(object array) noexcept:
    return <double*> data_of(array)


cdef int32_t* int32s(object array) noexcept:
    return <int32_t*> data_of(array)


cdef int64_t* int64s(object array) noexcept:
    return <int64_t*> data_of(array)


cdef uint64_t* uint64s(object array) noexcept:
    return <uint64_t*> data_of(array)
