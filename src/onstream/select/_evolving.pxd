from libc.stdint cimport int32_t, int64_t, uint64_t

from ..core.example cimport Example
from ..ensemble._ensemble cimport LabelEnsembleState, NumberEnsembleState
from ..ensemble._member cimport Member


cdef enum Vote:  # how members' answers become one
    MAJORITY = 0  # all count the same
    WEIGHTED = 1  # by what they were worth lately
    MIXED = 2     # by weights that are learned
    BEST = 3      # the best member alone


cdef class EvolvingMember(Member):
    cdef object space
    cdef readonly object learner  # a template of what it is now
    cdef readonly dict genes      # its place in the space
    cdef readonly bint asleep     # it neither votes nor learns
    cdef double lam               # how often it learns an example, on average; 0: once
    cdef readonly int64_t number  # of its kind, in order of birth
    cdef readonly int64_t born    # after so many examples
    cdef double right             # faded: how often it was right (of numbers: its errors),
    cdef double asked             # and how often it was asked
    cdef double lately            # the same of the most recent past
    cdef double asked_lately
    cdef readonly double use      # faded: how much the mixture would have lost without it
    cdef double of_answer         # weights of a mixture: of the label it names,
    cdef double of_odds           # and of its log probabilities

    cdef void write_vote(self, bint none, const double* scores, double* out) noexcept nogil


cdef class EvolvingLabelState(LabelEnsembleState):
    cdef readonly object search
    cdef Vote rule
    cdef int64_t interval         # 0: nothing is replaced
    cdef double fading

    cdef Py_ssize_t best(self) noexcept nogil
    cdef double trust(self, Py_ssize_t m) noexcept nogil
    cdef void weigh(self, double* votes, Py_ssize_t stride, double* z) noexcept nogil
    cdef void answer(self, const double* votes, Py_ssize_t stride, double* z, double* out) noexcept nogil
    cdef void judge(self, double* votes, Py_ssize_t stride, double* z, int32_t label, bint new_label) noexcept nogil
    cdef void miss(self, const double* votes, Py_ssize_t stride, const double* z, int32_t label) noexcept nogil
    cdef void shift_weights(
        self, Py_ssize_t m, const double* p, const double* z, int32_t pick, int32_t label
    ) noexcept nogil
    cdef int64_t until_turn(self) noexcept nogil
    cdef void end_turn(self, int64_t t) noexcept nogil


cdef class EvolvingNumberState(NumberEnsembleState):
    cdef readonly object search
    cdef Vote rule
    cdef int64_t interval
    cdef double fading

    cdef Py_ssize_t best(self) noexcept nogil
    cdef double lately(self, Py_ssize_t m) noexcept nogil
    cdef void judge(self, const double* votes, Py_ssize_t stride, double y) noexcept nogil
    cdef int64_t until_turn(self) noexcept nogil
    cdef void end_turn(self, int64_t t) noexcept nogil
