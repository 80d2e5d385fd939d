# How far a passive-aggressive learner goes, given the loss, the curvature q and the cap C.

ctypedef double (*StepSize)(double loss, double q, double C) noexcept nogil


cdef inline double pa(double loss, double q, double C) noexcept nogil:
    """All the way."""
    return loss / q


cdef inline double pa1(double loss, double q, double C) noexcept nogil:
    """At most C."""
    return min(C, loss / q)


cdef inline double pa2(double loss, double q, double C) noexcept nogil:
    """Softened by C."""
    return loss / (q + 1.0 / (2.0 * C))


cdef inline StepSize step_size(str variant) noexcept:
    """The rule of a variant."""
    return pa2 if variant == "PA-II" else pa1 if variant == "PA-I" else pa
