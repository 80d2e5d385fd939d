from libc.stdint cimport int32_t, int64_t

from ..core.classifier cimport ClassifierState
from ..core.example cimport Example
from ..core.state cimport State
from ._committee cimport Committee, RowBlock


cdef class LabelEnsembleState(ClassifierState):
    cdef readonly Committee committee
    cdef int64_t missed      # lessons that single members could not learn

    cdef void settle(self, RowBlock* b) noexcept nogil
    cdef void combine(self, const double* total, double* out) noexcept nogil
    cdef void add_votes(self, RowBlock* b, Py_ssize_t row, double* out) noexcept nogil
    cdef int learn_one(self, const Example* e, double* out) noexcept nogil
    cdef int32_t plus(self) noexcept nogil


cdef class NumberEnsembleState(State):
    cdef readonly Committee committee
    cdef int64_t missed
    cdef bint median         # the answer is the median of all predictions, not their mean

    cdef void settle(self, RowBlock* b) noexcept nogil
    cdef double combine(self, double* votes, Py_ssize_t n) noexcept nogil
    cdef double gather(self, RowBlock* b, Py_ssize_t row, double* votes) noexcept nogil
    cdef int write_rows(self, RowBlock* b, double* out) noexcept nogil
    cdef int learn_one(self, const Example* e, double* out) noexcept nogil


cdef double* votes_room(double* few, Py_ssize_t n) noexcept nogil
