from libc.stdint cimport int32_t, uint8_t

cdef int32_t most_votes(const double* votes, Py_ssize_t k) noexcept nogil
cdef void softmax(double* z, Py_ssize_t k) noexcept nogil
cdef void log_odds(
    const double* p, Py_ssize_t k, const uint8_t* come, Py_ssize_t n_come, double* out
) noexcept nogil
