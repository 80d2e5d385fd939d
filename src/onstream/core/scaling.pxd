from libc.stdint cimport int32_t, int64_t

from .example cimport Example
from .transformer cimport TransformerState


cdef enum:  # rows of `kept`
    COUNT    # examples in which the feature was not 0
    MEAN     # of its values there
    SQUARE   # sum of their squared distances from that mean
    OFFSET   # subtracted from a value
    FACTOR   # the rest is multiplied by; 0: nothing is known, or the feature is constant
    DUE      # COUNT at which OFFSET and FACTOR are computed again, unless the feature is centred
    REACH    # a larger scaled value asks for new ones
    N_KEPT   # 7: the rows above are saved
    CLOSED = 7  # 1: no look at it is needed, unless the example is part of the sample
    N_ROWS


cdef struct Overwritten:   # by an example that may still be refused
    int32_t feature
    double offset
    double factor
    double due
    double reach


cdef class Scaling(TransformerState):
    cdef bint centres            # means are subtracted
    cdef double* kept[8]         # each a number for every feature
    cdef Py_ssize_t rows         # features in use
    cdef Py_ssize_t room         # features that fit
    cdef double counted          # examples that counted
    cdef double next_due         # `counted` at which the scales of centred features are computed again
    cdef int32_t* centred        # features with an offset, in order
    cdef int32_t* place          # of a centred feature among them, from 1 on; 0: not centred
    cdef double* zeros           # what a 0 of each becomes
    cdef Py_ssize_t n_centred
    cdef Py_ssize_t closed_to    # all features before this one are closed
    cdef bint open               # does the example have a feature that is not closed?
    cdef Overwritten* old
    cdef Py_ssize_t n_old
    cdef double old_next_due

    cdef bint keeps_scale(self, const Example* e, Example* scaled) noexcept nogil
    cdef bint keeps_score(
        self, const Example* e, Example* scaled, const double* v, double* products) noexcept nogil
    cdef int learn_scale(self, const Example* e, Example* scaled) noexcept nogil
    cdef int make_room(self, Py_ssize_t n) noexcept nogil
    cdef int64_t look_far(self, const Example* scaled) noexcept nogil
    cdef bint covers(self, const Example* e) noexcept nogil
    cdef bint is_due(self, const Example* e) noexcept nogil
    cdef bint is_due_alone(self, int32_t i) noexcept nogil
    cdef void renew_due(self, const Example* e) noexcept nogil
    cdef void renew_outliers(self, const Example* e, const Example* scaled) noexcept nogil
    cdef void renew(self, int32_t i, double x, double due) noexcept nogil
    cdef void move_offset(self, int32_t i, double offset) noexcept nogil
    cdef void close(self, int32_t i) noexcept nogil
    cdef int64_t rescale(self, const Example* e, Example* out, double* values, int32_t* ids) noexcept nogil
    cdef void count(self, const Example* e) noexcept nogil
