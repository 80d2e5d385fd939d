# How mixed are the labels of a set, and how much does a split sort them? (spec 12.1)
# Sums instead of fractions: n log n - sum c log c is n times the entropy.

from libc.math cimport log, log2, sqrt


cdef enum Criterion:
    INFO_GAIN
    GINI


cdef inline double clogc(double c) noexcept nogil:
    return c * log2(c) if c > 0.0 else 0.0


cdef inline double mixed(Criterion criterion, const double* counts, Py_ssize_t k) noexcept nogil:
    """n times the impurity of these counts, n being their sum."""
    cdef double n = 0.0, s = 0.0
    cdef Py_ssize_t r
    for r in range(k):
        n += counts[r]
    if n <= 0.0:
        return 0.0
    if criterion == INFO_GAIN:
        for r in range(k):
            s += clogc(counts[r])
        return max(0.0, clogc(n) - s)
    for r in range(k):
        s += counts[r] * (counts[r] / n)
    return max(0.0, n - s)


cdef inline double hoeffding(double span, double delta, double n) noexcept nogil:
    """One-sided: a mean of n values of this range is off by more with probability delta."""
    return span * sqrt(log(1.0 / delta) / (2.0 * n))


cdef inline double gain_range(Criterion criterion, Py_ssize_t k) noexcept nogil:
    """Largest possible gain with k labels."""
    return log2(max(2.0, <double> k)) if criterion == INFO_GAIN else 1.0
