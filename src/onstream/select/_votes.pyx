"""Words for votes: one number for each label."""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, uint8_t

cdef double LEAST_ODDS = 0.01  # smaller probabilities count as this one


cdef int32_t most_votes(const double* votes, Py_ssize_t k) noexcept nogil:
    """The label with most votes, the first of equals; -1: there is no vote."""
    cdef int32_t best = -1, r
    cdef double most = 0.0
    for r in range(<int32_t> k):
        if votes[r] > most:
            best, most = r, votes[r]
    return best


cdef void softmax(double* z, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t r
    cdef double top = -INFINITY, total = 0.0
    for r in range(k):
        top = max(top, z[r])
    for r in range(k):
        z[r] = exp(z[r] - top)
        total += z[r]
    for r in range(k):
        z[r] /= total


cdef void log_odds(
    const double* p, Py_ssize_t k, const uint8_t* come, Py_ssize_t n_come, double* out
) noexcept nogil:
    """Logarithms of the probabilities of labels that have come, less their mean; 0 of others."""
    cdef Py_ssize_t r
    cdef double least = min(LEAST_ODDS, 0.5 / max(1, n_come)), mean = 0.0, all = 0.0
    for r in range(k):
        if come[r]:
            all += p[r]
    for r in range(k):
        out[r] = 0.0
        if come[r]:
            out[r] = log(max(p[r] / all, least)) if all > 0.0 else 0.0
            mean += out[r] / n_come
    for r in range(k):
        if come[r]:
            out[r] -= mean
