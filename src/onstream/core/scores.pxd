# Probabilities from scores of labels, the best wrong label, and the margin over it.

from libc.math cimport exp

from .example cimport Example


cdef inline void sigmoids(double f, double first_sign, double* p) noexcept nogil:
    """Probabilities of two labels. A positive score f is for the first label if `first_sign` is
    positive, otherwise for the second."""
    cdef int positive = 0 if first_sign > 0.0 else 1
    p[positive] = 1.0 / (1.0 + exp(-f))
    p[1 - positive] = 1.0 / (1.0 + exp(f))


cdef inline void softmax(const double* f, double* p, Py_ssize_t k) noexcept nogil:
    """Probabilities of k labels; f and p may be the same array."""
    cdef double top = f[0], total = 0.0
    cdef Py_ssize_t r
    for r in range(1, k):
        top = max(top, f[r])
    for r in range(k):
        p[r] = exp(f[r] - top)
        total += p[r]
    for r in range(k):
        p[r] /= total


cdef inline int best_wrong(const double* f, int label, Py_ssize_t k) noexcept nogil:
    """The best-scored label other than `label`; the earliest on ties."""
    cdef int r, best = 1 if label == 0 else 0
    for r in range(k):
        if r != label and f[r] > f[best]:
            best = r
    return best


cdef inline double margin(const Example* e, const double* f, Py_ssize_t k, int* q) noexcept nogil:
    """y f of a single score (k = 1); of more, the lead of the true label over q, the best wrong one."""
    if k == 1:
        return e.y * f[0]
    q[0] = best_wrong(f, e.label, k)
    return f[e.label] - f[q[0]]
