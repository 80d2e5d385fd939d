from libc.stdint cimport int32_t, int64_t, uint64_t

from ..core.batch cimport BatchModel
from ..core.encoder cimport Encoder
from ..core.example cimport Example
from ..core.labels cimport Labels


cdef enum:
    SKIPPED = 5  # what `Member.learn` answers if it has not changed, and was not meant to


cdef inline Py_ssize_t most_scores(Py_ssize_t labels) noexcept nogil:
    """Numbers that the scores of any learner take: neighbours have one more than there are labels."""
    return max(1, labels) + 1


cdef inline Py_ssize_t vote_size(Py_ssize_t labels) noexcept nogil:
    """Numbers of a vote, and of the scratch memory behind it for scores."""
    return max(1, labels) + most_scores(labels)


cdef class Member:
    cdef object make              # called with a number, the generation: a new model
    cdef readonly int64_t generation  # models made so far, but for the first
    cdef BatchModel model         # what it has learned, behind the encoder of the ensemble
    cdef bint labelled            # it predicts labels, not numbers
    cdef readonly BatchModel background  # one that may take over; None: there is none
    cdef bint probabilistic       # it has probabilities; otherwise it votes for one label
    cdef uint64_t seed            # key of its random numbers
    cdef Encoder features         # the features as it gets them
    cdef Encoder encoder          # where examples come in
    cdef Labels labels            # of the ensemble
    cdef Py_ssize_t n_labels
    cdef int32_t new_label        # the label that the present example has brought; -1: none
    cdef double first_sign
    cdef Py_ssize_t width         # features that there is room for
    cdef int64_t refused          # examples it could not learn
    cdef readonly list marks      # numbers of the examples after which it began anew, the last ones

    # What a kind of ensemble implements: without the GIL, on one example.
    cdef int vote(self, const Example* e, double* out) noexcept nogil
    cdef int learn(self, const Example* e, uint64_t t, Py_ssize_t row, double* out) noexcept nogil
    cdef int make_room(self, Py_ssize_t width) except -1
    cdef int drop_room(self, Py_ssize_t width) except -1
    cdef int set_labels(self, Py_ssize_t n, double first_sign) except -1
    cdef int commit_label(self) except -1

    # What it is written with.
    cdef int mark(self, uint64_t t) except -1
    cdef BatchModel new_model(self)
    cdef BatchModel successor(self)
    cpdef int make_otherwise(self, object make, bint probabilistic) except -1
    cdef int score_as_votes(self, BatchModel model, const Example* e, double* out) noexcept nogil
    cdef void as_votes(self, BatchModel model, const double* scores, double* out) noexcept nogil
    cdef int learn_times(self, BatchModel model, const Example* e, double times, double* scores) noexcept nogil


cdef int labels_of(BatchModel model, Py_ssize_t n, double first_sign) except -1
