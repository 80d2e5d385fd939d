# Pointers to the data of a NumPy array. Modules that use it need not include NumPy's large headers.

from libc.stdint cimport int32_t, int64_t, uint64_t


cdef void* data_of(object array) noexcept
cdef double* doubles(object array) noexcept
cdef int32_t* int32s(object array) noexcept
cdef int64_t* int64s(object array) noexcept
cdef uint64_t* uint64s(object array) noexcept
