from ..core.classifier cimport ClassifierState
from ..core.example cimport Example

cdef double LOG_ZERO   # stands for ln 0: less than anything, yet sums of it stay finite
cdef double HEAVIEST   # more weight than this is refused
cdef double LARGEST    # larger values are refused


cdef class NaiveBayesState(ClassifierState):
    cdef double prior_alpha     # smoothing of the prior
    cdef double alpha           # smoothing of the counts
    cdef double total           # N: weight of all examples
    cdef double* counts         # N_k: of those with label k
    cdef double* log_counts     # ln(N_k + prior_alpha)
    cdef double log_total       # ln(N + prior_alpha * labels), of more than two labels
    cdef Py_ssize_t room        # features that fit
    cdef Py_ssize_t room_labels  # labels that fit

    cdef void joints(self, const Example* e, double* out) noexcept nogil
    cdef int add_example(self, const Example* e, double w) noexcept nogil
    cdef int remove_example(self, const Example* e, double w) noexcept nogil
    cdef bint lacks(self, const Example* e, double w) noexcept nogil
    cdef double weight_with(self, Py_ssize_t id, Py_ssize_t k) noexcept nogil
    cdef bint present(self, double x) noexcept nogil
    cdef int unlearn(self, const Example* e, object y) except -1
    cdef int more_labels(self, Py_ssize_t old, Py_ssize_t new) except -1
    cdef int more_features(self, Py_ssize_t old, Py_ssize_t new) except -1
    cdef double log_prior(self, Py_ssize_t k) noexcept nogil
    cdef void count(self, Py_ssize_t k, double w) noexcept nogil
    cdef void refresh_prior(self) noexcept nogil
    cdef void refresh_total(self) noexcept nogil


cdef double log_or_zero(double x) noexcept nogil
cdef bint contains(double sum, double w) noexcept nogil
cdef double subtract(double sum, double w) noexcept nogil
