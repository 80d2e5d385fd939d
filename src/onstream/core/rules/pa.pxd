# Step sizes tau of passive-aggressive learners, given the loss, the squared norm q of the direction
# of the step, and C (Crammer et al., JMLR 7, 2006).

ctypedef double (*StepSize)(double loss, double q, double C) noexcept nogil


cdef inline double pa(double loss, double q, double C) noexcept nogil:
    """PA: to zero loss."""
    return loss / q


cdef inline double pa1(double loss, double q, double C) noexcept nogil:
    """PA-I: at most C."""
    return min(C, loss / q)


cdef inline double pa2(double loss, double q, double C) noexcept nogil:
    """PA-II: damped by 1 / (2 C)."""
    return loss / (q + 1.0 / (2.0 * C))


cdef inline StepSize step_size(str variant) noexcept:
    """The step size of a variant: "PA", "PA-I" or "PA-II"."""
    return pa2 if variant == "PA-II" else pa1 if variant == "PA-I" else pa
