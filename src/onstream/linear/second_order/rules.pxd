# What AROW, CW and SCW share is the step, w += alpha y g and Sigma -= beta g g' with g = Sigma x;
# they differ in alpha and beta, which a rule finds from the margin m and its variance v = x.g.
# With more than two labels each has its own weights and Sigma, m is the margin over the best-scored
# wrong label and v the sum of both variances; that label makes the step backwards.

from libc.math cimport sqrt


cdef struct Rule:
    # alpha and beta from margin and variance; False: nothing to learn
    bint (*step)(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil
    double r    # AROW
    double phi  # CW, SCW: standard deviations that the margin must keep from 0
    double C    # SCW


cdef inline bint arow(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil:
    if m >= 1.0:
        return False
    beta[0] = 1.0 / (v + rule.r / weight)
    alpha[0] = (1.0 - m) * beta[0]
    return True


cdef inline double deviation_alpha(const Rule* rule, double m, double v) noexcept nogil:
    """The step after which m' = phi sqrt(v')."""
    cdef double p = rule.phi * rule.phi, psi = 1.0 + 0.5 * p, xi = 1.0 + p
    return max(0.0, (-m * psi + sqrt(0.25 * m * m * p * p + v * p * xi)) / (v * xi))


cdef inline double deviation_beta(const Rule* rule, double alpha, double v) noexcept nogil:
    """What the variance loses along with it. The root in this form cannot cancel to 0."""
    cdef double s = alpha * rule.phi * v
    cdef double root = 2.0 * v / (s + sqrt(s * s + 4.0 * v))
    return alpha * rule.phi / (root + s)


cdef inline bint cw(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil:
    if m >= rule.phi * sqrt(v):
        return False
    alpha[0] = deviation_alpha(rule, m, v)
    beta[0] = deviation_beta(rule, alpha[0], v)
    return True


cdef inline bint cw_variance(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil:
    cdef double phi = rule.phi, t = 1.0 + 2.0 * phi * m
    if m >= phi * v:
        return False
    alpha[0] = (-t + sqrt(t * t - 8.0 * phi * (m - phi * v))) / (4.0 * phi * v)
    beta[0] = 2.0 * alpha[0] * phi / (1.0 + 2.0 * alpha[0] * phi * v)
    return True


cdef inline bint scw1(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil:
    if m >= rule.phi * sqrt(v):
        return False
    alpha[0] = min(rule.C * weight, deviation_alpha(rule, m, v))
    beta[0] = deviation_beta(rule, alpha[0], v)
    return True


cdef inline bint scw2(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil:
    cdef double p = rule.phi * rule.phi, n = v + 1.0 / (2.0 * rule.C * weight)
    cdef double root
    if m >= rule.phi * sqrt(v):
        return False
    root = sqrt(p * p * m * m * v * v + 4.0 * n * v * p * (n + p * v))
    alpha[0] = max(0.0, (-m * (2.0 * n + p * v) + root) / (2.0 * n * (n + p * v)))
    beta[0] = deviation_beta(rule, alpha[0], v)
    return True


cdef inline Rule rule_named(str name, double parameter, double C):
    cdef Rule rule
    rule.r = rule.phi = parameter
    rule.C = C
    if name == "AROW":
        rule.step = arow
    elif name == "CW":
        rule.step = cw
    elif name == "CW variance":
        rule.step = cw_variance
    elif name == "SCW-I":
        rule.step = scw1
    else:
        rule.step = scw2
    return rule


cdef inline bint find_step(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil:
    """The rule's step, unless v is too small to be divided by."""
    return v >= 1e-14 and rule.step(rule, m, v, weight, alpha, beta)
