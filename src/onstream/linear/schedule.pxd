# Learning rates as functions of n = 1, 2, ...

from libc.math cimport pow, sqrt


cdef struct Schedule:
    double (*rate)(const Schedule* s, double n) noexcept nogil
    double eta    # the first rate
    double power  # exponent of "power"
    double l2     # decay of "inverse"


cdef inline double constant(const Schedule* s, double n) noexcept nogil:
    return s.eta


cdef inline double power(const Schedule* s, double n) noexcept nogil:
    return s.eta * pow(n, -s.power)


cdef inline double inverse(const Schedule* s, double n) noexcept nogil:
    return s.eta / (1.0 + s.eta * s.l2 * n)


cdef inline double inverse_sqrt(const Schedule* s, double n) noexcept nogil:
    return s.eta / sqrt(n)


cdef inline Schedule make_schedule(str name, double eta, double exponent, double l2):
    cdef Schedule s
    s.eta, s.power, s.l2 = eta, exponent, l2
    if name == "power":
        s.rate = power
    elif name == "inverse":
        s.rate = inverse
    elif name == "sqrt":
        s.rate = inverse_sqrt
    else:
        s.rate = constant
    return s
