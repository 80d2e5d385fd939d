# How impure are the labels of a set (Quinlan, Machine Learning 1, 1986), and how large can a gain be
# (Hoeffding's bound: Domingos and Hulten, KDD 2000)?
# Sums instead of fractions: n log n - sum c log c is n times the entropy.

from libc.math cimport log, log2, sqrt


cdef struct Criterion:
    double (*impurity)(const double* counts, Py_ssize_t k) noexcept nogil  # times the sum of counts
    double (*gain_range)(Py_ssize_t k) noexcept nogil  # largest possible gain with k labels
    bint in_bits  # it is the entropy


cdef inline double total(const double* counts, Py_ssize_t k) noexcept nogil:
    cdef double n = 0.0
    cdef Py_ssize_t r
    for r in range(k):
        n += counts[r]
    return n


cdef inline double clogc(double c) noexcept nogil:
    return c * log2(c) if c > 0.0 else 0.0


cdef inline double entropy(const double* counts, Py_ssize_t k) noexcept nogil:
    cdef double n = total(counts, k), s = 0.0
    cdef Py_ssize_t r
    if n <= 0.0:
        return 0.0
    for r in range(k):
        s += clogc(counts[r])
    return max(0.0, clogc(n) - s)


cdef inline double entropy_range(Py_ssize_t k) noexcept nogil:
    return log2(max(2.0, <double> k))


cdef inline double gini(const double* counts, Py_ssize_t k) noexcept nogil:
    cdef double n = total(counts, k), s = 0.0
    cdef Py_ssize_t r
    if n <= 0.0:
        return 0.0
    for r in range(k):
        s += counts[r] * (counts[r] / n)
    return max(0.0, n - s)


cdef inline double gini_range(Py_ssize_t k) noexcept nogil:
    return 1.0


cdef inline Criterion make_criterion(str name):
    cdef Criterion criterion
    criterion.in_bits = name != "gini"
    if name == "gini":
        criterion.impurity, criterion.gain_range = gini, gini_range
    else:
        criterion.impurity, criterion.gain_range = entropy, entropy_range
    return criterion


cdef inline double hoeffding(double span, double delta, double n) noexcept nogil:
    """One-sided: a mean of n values of this range is off by more with probability delta."""
    return span * sqrt(log(1.0 / delta) / (2.0 * n))
