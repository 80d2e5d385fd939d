# What a leaf of a regression tree keeps of one feature: targets by value, and the best cut of them.

from libc.stdint cimport int32_t, int64_t

from ._split cimport Split
from .arena cimport Arena


cdef struct Slot:      # values of one feature that are close together
    double key         # x itself, floor(x / radius), or the code of a nominal value
    double x           # their mean
    double n           # weight; then mean and sum of squares of the targets
    double mean
    double m2


cdef enum:
    UNWATCHED = -1  # number of values: the leaf does not look at this feature


cdef struct Observer:  # slots of one feature at one leaf, by rising key
    Slot* slots
    int32_t n
    int32_t room
    int64_t values     # seen so far
    double radius      # 0: every value is its own slot


ctypedef double (*Spread)(double m2, double n) noexcept nogil  # of n targets: what a split reduces


cdef inline void add(double* n, double* mean, double* m2, double y, double w) noexcept nogil:
    """Welford's step. An increment below 0 is rounding, under a huge weight."""
    cdef double before = y - mean[0]
    n[0] += w
    mean[0] += before * (w / n[0])
    m2[0] += max(0.0, w * before * (y - mean[0]))


cdef inline Py_ssize_t roomy(int32_t n) noexcept nogil:
    """Slots that n of them, and one more, are reckoned to take: `make_room` makes no more."""
    cdef Py_ssize_t room = 0
    while n > 0 and room <= n:
        room += room // 2 + 8
    return room


cdef Spread spread_of(str criterion)
cdef int make_room(Arena* a, Observer* o) noexcept nogil
cdef int insert(Arena* a, Observer* o, const Slot* s) noexcept nogil
cdef void watch(Arena* a, Observer* o, double x, double y, double w, bint exact) noexcept nogil
cdef Slot side_of(const Observer* o, const Split* s, int32_t branch) noexcept nogil
cdef Split best_cut(const Observer* o, int32_t feature, Spread spread) noexcept nogil
cdef Split best_value(const Observer* o, int32_t feature, Spread spread) noexcept nogil
cdef Split each_value(const Observer* o, int32_t feature, Spread spread) noexcept nogil
