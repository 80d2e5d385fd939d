# Losses V(y, p) of a prediction p = w.x by their slope dV/dp; at a kink any subgradient would do.

from libc.math cimport exp, fabs


cdef struct Loss:
    double (*slope)(const Loss* loss, double y, double p) noexcept nogil
    double parameter  # kappa, epsilon or theta
    double curvature  # the largest second derivative; of a kinked loss the largest slope


cdef inline double sign(double e) noexcept nogil:
    return (e > 0.0) - (e < 0.0)


# -- for numbers -----------------------------------------------------------------------------------


cdef inline double squared(const Loss* loss, double y, double p) noexcept nogil:
    return p - y


cdef inline double absolute(const Loss* loss, double y, double p) noexcept nogil:
    return sign(p - y)


cdef inline double huber(const Loss* loss, double y, double p) noexcept nogil:
    return max(-loss.parameter, min(loss.parameter, p - y))


cdef inline double epsilon_insensitive(const Loss* loss, double y, double p) noexcept nogil:
    return sign(p - y) if fabs(p - y) > loss.parameter else 0.0


cdef inline double quantile(const Loss* loss, double y, double p) noexcept nogil:
    return -loss.parameter if y > p else 1.0 - loss.parameter


# -- for labels -1 and +1 ---------------------------------------------------------------------------


cdef inline double hinge(const Loss* loss, double y, double p) noexcept nogil:
    return -y if y * p < 1.0 else 0.0


cdef inline double squared_hinge(const Loss* loss, double y, double p) noexcept nogil:
    return -2.0 * y * max(0.0, 1.0 - y * p)


cdef inline double logistic(const Loss* loss, double y, double p) noexcept nogil:
    return -y / (1.0 + exp(y * p))


cdef inline double perceptron(const Loss* loss, double y, double p) noexcept nogil:
    return -y if y * p <= 0.0 else 0.0


cdef inline Loss make_loss(str name, double parameter):
    cdef Loss loss
    loss.parameter = parameter
    loss.curvature = {"logistic": 0.25, "squared_hinge": 2.0}.get(name, 1.0)
    if name == "squared":
        loss.slope = squared
    elif name == "absolute":
        loss.slope = absolute
    elif name == "huber":
        loss.slope = huber
    elif name == "epsilon_insensitive":
        loss.slope = epsilon_insensitive
    elif name == "quantile":
        loss.slope = quantile
    elif name == "hinge":
        loss.slope = hinge
    elif name == "squared_hinge":
        loss.slope = squared_hinge
    elif name == "logistic":
        loss.slope = logistic
    else:
        loss.slope = perceptron
    return loss
