from libc.stdint cimport int64_t

from ...core.classifier cimport ClassifierState
from ...core.example cimport Example
from ...core.state cimport State
from .losses cimport Loss


cdef class Optimizer:
    cdef bint intercept
    cdef Py_ssize_t k       # columns: 1, or one per label
    cdef int64_t batch      # examples per step
    cdef bint averaging     # the weights that predict are not those that learn
    cdef public double factor  # of the learning rate: `fit` lowers it in later epochs

    # Construction
    cdef int reserve(self, Py_ssize_t width) except -1
    cdef int set_columns(self, Py_ssize_t k, Py_ssize_t expected) except -1
    cdef Optimizer promoted(self, double part)

    # Prediction
    cdef double weight(self, Py_ssize_t i, Py_ssize_t r) noexcept nogil
    cdef double bias(self, Py_ssize_t r) noexcept nogil
    cdef int score(self, const Example* e, double* out) noexcept nogil

    # Learning
    cdef void training_scores(self, const Example* e, double* out) noexcept nogil
    cdef int step(self, const Example* e, double* slopes, int64_t n) noexcept nogil
    cdef void rescore_overflowed(self, const Example* e, double* out) noexcept nogil


cdef class GradientClassifierState(ClassifierState):
    cdef readonly Optimizer optimizer
    cdef Optimizer before  # that of two labels, until the third is committed
    cdef Loss loss
    cdef double* f         # scores of the example being learned
    cdef double* slopes    # of the loss, for every column
    cdef Py_ssize_t room   # columns that fit there
    cdef Py_ssize_t expected  # columns that are known to come

    cdef int update(self, const Example* e, const double* f) noexcept nogil


cdef class GradientRegressorState(State):
    cdef readonly Optimizer optimizer
    cdef Loss loss

    cdef int update(self, const Example* e, double p) noexcept nogil
