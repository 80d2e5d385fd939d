from libc.stdint cimport int32_t

from .example cimport Example
from .transformer cimport TransformerState


cdef enum:  # rows of `kept`
    COUNT    # examples that had the feature
    MEAN     # of its values
    SQUARE   # sum of their squared distances from the mean
    OFFSET   # subtracted from a value
    FACTOR   # the rest is multiplied by; 0: nothing is known, or the feature is constant
    DUE      # COUNT at which OFFSET and FACTOR are computed again
    N_KEPT   # 6


cdef struct Overwritten:   # by an example that may still be refused
    int32_t feature
    double offset
    double factor
    double due


cdef class Scaling(TransformerState):
    cdef bint centres            # means are subtracted
    cdef double* kept[6]           # each a number for every feature
    cdef Py_ssize_t rows         # features in use
    cdef Py_ssize_t room         # features that fit
    cdef double counted          # examples that counted
    cdef Py_ssize_t complete     # the features, while every example had all of them; 0: no longer.
    cdef double next_due         # Then COUNT of all is `counted` and DUE is this, not what is in `kept`
    cdef Overwritten* old
    cdef Py_ssize_t n_old
    cdef double old_next_due
    cdef Py_ssize_t old_complete

    cdef bint keeps_scale(self, const Example* e, Example* scaled) noexcept nogil
    cdef int make_room(self, Py_ssize_t n) noexcept nogil
    cdef bint has_all(self, const Example* e) noexcept nogil
    cdef void spell_out(self) noexcept nogil
    cdef bint is_due(self, const Example* e) noexcept nogil
    cdef void renew_due(self, const Example* e) noexcept nogil
    cdef void renew_outliers(self, const Example* e, const Example* scaled) noexcept nogil
    cdef void renew(self, int32_t i, double x, double due) noexcept nogil
    cdef void rescale(self, const Example* e, Example* out, double* values) noexcept nogil
    cdef void count(self, const Example* e) noexcept nogil
