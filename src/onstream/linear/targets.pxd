# What a regressor with scale="auto" knows of its targets: their range, mean and deviation.

from libc.math cimport INFINITY, sqrt


cdef struct Targets:
    double count
    double mean
    double square  # sum of squared distances from the mean
    double low
    double high


cdef inline Targets no_targets() noexcept nogil:
    cdef Targets t
    t.count = t.mean = t.square = 0.0
    t.low, t.high = INFINITY, -INFINITY
    return t


cdef inline void count_target(Targets* t, double y) noexcept nogil:
    cdef double far = y - t.mean
    t.count += 1.0
    t.mean += far / t.count
    t.square += far * (y - t.mean)
    t.low, t.high = min(t.low, y), max(t.high, y)


cdef inline double deviation_with(const Targets* t, double y) noexcept nogil:
    """Standard deviation of the targets and one more."""
    cdef Targets more = t[0]
    count_target(&more, y)
    return sqrt(more.square / more.count)


cdef inline double within_reach(const Targets* t, double p) noexcept nogil:
    """A prediction, not further than a tenth of their range beyond the targets seen."""
    cdef double margin = 0.1 * (t.high - t.low)
    if t.count == 0.0:
        return p
    return min(max(p, t.low - margin), t.high + margin)
