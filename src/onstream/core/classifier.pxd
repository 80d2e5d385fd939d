from libc.stdint cimport int32_t

from .batch cimport BatchModel
from .labels cimport Labels
from .state cimport State


cdef class ClassifierState(State):
    cdef Labels labels           # those of the model
    cdef int32_t n_labels        # number of labels known
    cdef double first_sign       # code of the first label
    cdef double share            # of a binary score that each of two labels gets at promotion

    cdef int set_labels(self, Py_ssize_t n) except -1
    cdef int check_label(self, object y) except -1
    cdef int commit_label(self) except -1
    cdef int expect_labels(self, Py_ssize_t more) except -1
    cdef int32_t decide(self, const double* scores) noexcept nogil
    cdef int32_t binary_choice(self, double score) noexcept nogil
    cdef void link(self, const double* scores, double* out) noexcept nogil


cdef class ClassifierModel(BatchModel):
    cdef Labels labels
    cdef ClassifierState classes  # the state, by its own type

    cdef int add_label(self, object y) except -1
    cdef int forget_label(self) except -1
    cdef void probabilities(self, const double* scores, double* out) noexcept nogil
    cdef object predict_one(self, object x)
    cpdef object scores_one(self, object x)
    cdef object proba_one(self, object x)
