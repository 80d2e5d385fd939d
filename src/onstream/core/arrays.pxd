# NumPy arrays and C memory. Modules that use it need not include NumPy's large headers.

from libc.stdint cimport int32_t, int64_t, uint64_t


cdef void* data_of(object array) noexcept
cdef double* doubles(object array) noexcept
cdef int32_t* int32s(object array) noexcept
cdef int64_t* int64s(object array) noexcept
cdef uint64_t* uint64s(object array) noexcept

cdef object floats(const double* values, Py_ssize_t n)
cdef object matrix(const double* values, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t stride)
cdef int fill(double* values, object array, Py_ssize_t stride=*) except -1
