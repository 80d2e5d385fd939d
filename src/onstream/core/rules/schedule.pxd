# Learning rates as functions of the step n = 1, 2, ...

from libc.math cimport pow, sqrt
from libc.stdint cimport int64_t


cdef enum Decay:
    CONSTANT
    POWER
    INVERSE
    SQRT


cdef struct Schedule:
    Decay decay
    double eta    # the first rate
    double power  # exponent, for POWER
    double l2     # L2 penalty, for INVERSE


cdef inline double rate_at(const Schedule* s, int64_t n) noexcept nogil:
    """The rate of step n."""
    if s.decay == CONSTANT:
        return s.eta
    if s.decay == POWER:
        return s.eta * pow(n, -s.power)
    if s.decay == INVERSE:
        return s.eta / (1.0 + s.eta * s.l2 * n)
    return s.eta / sqrt(n)


cdef inline Schedule make_schedule(str name, double eta, double exponent, double l2):
    """The schedule of a name. For "adagrad" the rate is constant: AdaGrad itself scales it by feature."""
    cdef Schedule s
    s.decay = {"power": POWER, "inverse": INVERSE, "sqrt": SQRT}.get(name, CONSTANT)
    s.eta, s.power, s.l2 = eta, exponent, l2
    return s
