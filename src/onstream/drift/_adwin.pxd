# ADWIN for compiled code: a plain struct that a tree node, say, can own. Nothing here needs the GIL.
#
#     cdef Adwin a
#     adwin_start(&a, 0.002)
#     if adwin_push(&a, error): ...   # a change
#     adwin_free(&a)

from libc.stdint cimport int64_t

from ._detector cimport DetectorState

cdef enum:
    M = 5             # most buckets in a row
    PLACES = 6        # room of a row: one bucket more until two are merged
    CLOCK = 32        # values between two checks
    MIN_WINDOW = 10   # shorter windows are not checked
    MIN_PART = 5      # nor shorter parts of them


cdef struct Bucket:
    double total  # sum of its items
    double m2     # sum of their squared distances from their mean


cdef struct Adwin:
    double delta      # confidence
    bint rigorous     # cut by Hoeffding's bound for values in [0, 1]
    int64_t clock     # values since the start
    int64_t width     # items in the window
    double total      # their sum
    double m2         # sum of their squared distances from their mean
    int rows          # row i has buckets of 2**i items
    int room          # rows that fit
    int most          # rows there may be: longer windows forget their oldest part; 0: no limit
    int* counts       # buckets in each row
    Bucket* buckets   # PLACES a row, the oldest first


cdef void adwin_start(Adwin* a, double delta) noexcept nogil
cdef void adwin_free(Adwin* a) noexcept nogil
cdef bint adwin_hold(Adwin* a) noexcept nogil
cdef bint adwin_push(Adwin* a, double v) noexcept nogil
cdef double adwin_mean(const Adwin* a) noexcept nogil
cdef double adwin_variance(const Adwin* a) noexcept nogil
cdef size_t adwin_bytes(const Adwin* a) noexcept nogil
cdef dict adwin_export(const Adwin* a)
cdef int adwin_restore(Adwin* a, fields) except -1


cdef class ADWINState(DetectorState):
    cdef Adwin a
