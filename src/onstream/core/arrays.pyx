"""NumPy arrays and C memory: pointers to the data of an array, and copies one way and the other.

A pointer is NULL for None. The caller knows the dtype, and keeps the array alive.
"""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

import numpy as np

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


cdef object floats(const double* values, Py_ssize_t n):
    """C numbers as an array of its own."""
    return matrix(values, 1, n, n)[0]


cdef object matrix(const double* values, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t stride):
    """The upper left corner of a C matrix as an array."""
    cdef Py_ssize_t i
    array = np.empty((rows, columns))
    for i in range(rows if columns else 0):
        memcpy(doubles(array) + i * columns, values + i * stride, columns * sizeof(double))
    return array


cdef int fill(double* values, object array, Py_ssize_t stride=0) except -1:
    """Write an array into a C matrix; one of one dimension into its first row."""
    array = np.atleast_2d(np.ascontiguousarray(array, dtype=np.float64))
    cdef Py_ssize_t i, columns = array.shape[1]
    for i in range(array.shape[0] if columns else 0):
        memcpy(values + i * stride, doubles(array) + i * columns, columns * sizeof(double))
    return 0
