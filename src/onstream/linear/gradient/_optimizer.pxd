from libc.stdint cimport int64_t

from ...core.example cimport Example


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
    cdef double rate(self, int64_t n) noexcept nogil
    cdef void training_scores(self, const Example* e, double* out) noexcept nogil
    cdef int step(self, const Example* e, double* slopes, int64_t n) noexcept nogil
    cdef int begin_at(self, double y) noexcept nogil
    cdef void rescore_overflowed(self, const Example* e, double* out) noexcept nogil
