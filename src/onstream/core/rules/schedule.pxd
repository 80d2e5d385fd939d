# Learning rates as functions of n = 1, 2, ...

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
    double power  # exponent of POWER
    double l2     # decay of INVERSE


cdef inline double rate_at(const Schedule* s, int64_t n) noexcept nogil:
    if s.decay == CONSTANT:
        return s.eta
    if s.decay == POWER:
        return s.eta * pow(n, -s.power)
    if s.decay == INVERSE:
        return s.eta / (1.0 + s.eta * s.l2 * n)
    return s.eta / sqrt(n)


cdef inline Schedule make_schedule(str name, double eta, double exponent, double l2):
    cdef Schedule s
    # AdaGrad divides a constant rate by what it has seen of each feature.
    s.decay = {"power": POWER, "inverse": INVERSE, "sqrt": SQRT}.get(name, CONSTANT)
    s.eta, s.power, s.l2 = eta, exponent, l2
    return s
