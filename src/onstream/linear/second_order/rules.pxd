# Rules of the second-order learners (beyond 1). All make the step w += alpha y g, Sigma -= beta g g'
# with g = Sigma x. A rule finds alpha and beta from the margin m and its variance v = x.g.
# With more than two labels each has its own w and Sigma; m is the margin over the best-scored wrong
# label, v the sum of both variances, and that label makes the step backwards.

from libc.math cimport sqrt


cdef struct Step:
    double alpha
    double beta

cdef struct Rule:
    # alpha and beta from margin and variance; False: nothing to learn
    bint (*find)(const Rule* rule, double m, double v, double weight, Step* step) noexcept nogil
    double r    # AROW
    double phi  # CW, SCW: standard deviations that the margin must keep from 0
    double C    # SCW


cdef inline bint arow(const Rule* rule, double m, double v, double weight, Step* step) noexcept nogil:
    if m >= 1.0:
        return False
    step.beta = 1.0 / (v + rule.r / weight)
    step.alpha = (1.0 - m) * step.beta
    return True


cdef inline double deviation_alpha(const Rule* rule, double m, double v) noexcept nogil:
    """alpha of the step after which m' = phi sqrt(v')."""
    cdef double p = rule.phi * rule.phi, psi = 1.0 + 0.5 * p, xi = 1.0 + p
    return max(0.0, (-m * psi + sqrt(0.25 * m * m * p * p + v * p * xi)) / (v * xi))


cdef inline double deviation_beta(const Rule* rule, double alpha, double v) noexcept nogil:
    """beta that belongs to it. The root sqrt(u) in this form cannot cancel to 0."""
    cdef double s = alpha * rule.phi * v
    cdef double root = 2.0 * v / (s + sqrt(s * s + 4.0 * v))
    return alpha * rule.phi / (root + s)


cdef inline bint cw(const Rule* rule, double m, double v, double weight, Step* step) noexcept nogil:
    if m >= rule.phi * sqrt(v):
        return False
    step.alpha = deviation_alpha(rule, m, v)
    step.beta = deviation_beta(rule, step.alpha, v)
    return True


cdef inline bint cw_variance(const Rule* rule, double m, double v, double weight, Step* step) noexcept nogil:
    cdef double phi = rule.phi, t = 1.0 + 2.0 * phi * m
    if m >= phi * v:
        return False
    step.alpha = (-t + sqrt(t * t - 8.0 * phi * (m - phi * v))) / (4.0 * phi * v)
    step.beta = 2.0 * step.alpha * phi / (1.0 + 2.0 * step.alpha * phi * v)
    return True


cdef inline bint scw1(const Rule* rule, double m, double v, double weight, Step* step) noexcept nogil:
    if m >= rule.phi * sqrt(v):
        return False
    step.alpha = min(rule.C * weight, deviation_alpha(rule, m, v))
    step.beta = deviation_beta(rule, step.alpha, v)
    return True


cdef inline bint scw2(const Rule* rule, double m, double v, double weight, Step* step) noexcept nogil:
    cdef double p = rule.phi * rule.phi, n = v + 1.0 / (2.0 * rule.C * weight)
    cdef double root
    if m >= rule.phi * sqrt(v):
        return False
    root = sqrt(p * p * m * m * v * v + 4.0 * n * v * p * (n + p * v))
    step.alpha = max(0.0, (-m * (2.0 * n + p * v) + root) / (2.0 * n * (n + p * v)))
    step.beta = deviation_beta(rule, step.alpha, v)
    return True


cdef inline Rule make_rule(str name, double parameter, double C):
    cdef Rule rule
    rule.r = rule.phi = parameter
    rule.C = C
    if name == "AROW":
        rule.find = arow
    elif name == "CW":
        rule.find = cw
    elif name == "CW variance":
        rule.find = cw_variance
    elif name == "SCW-I":
        rule.find = scw1
    else:
        rule.find = scw2
    return rule


cdef inline bint find_step(const Rule* rule, double m, double v, double weight, Step* step) noexcept nogil:
    """The rule's step, unless v is too small to be divided by."""
    return v >= 1e-14 and rule.find(rule, m, v, weight, step)
