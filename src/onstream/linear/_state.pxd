from ..core.classifier cimport ClassifierState
from ..core.example cimport Example
from ..core.scaling cimport Scaling
from ..core.state cimport State
from ..core.weights cimport Weights, add, add_pair
from .targets cimport Targets


cdef class LinearClassifierState(ClassifierState):
    cdef Weights w       # one column up to two labels, one per label beyond
    cdef Weights before  # the single column, until the third label is committed; otherwise None
    cdef Scaling scaling  # the one step before this state, if that is so
    cdef double sqnorm   # of the example being learned, if that is known; otherwise below 0
    cdef double* f       # scores of the example being learned
    cdef double* steps   # room for a step per label
    cdef Py_ssize_t room_labels  # labels that fit in f and steps

    cdef int reserve_labels(self, Py_ssize_t n) except -1
    cdef int update(self, const Example* e, const double* f) noexcept nogil
    cdef int update_one(self, const Example* e, double f) noexcept nogil
    cdef bint learn_scaled(self, const Example* e, double* f) noexcept nogil


cdef class LinearRegressorState(State):
    cdef Weights w
    cdef bint relative    # predictions stay in reach of the targets seen, which are counted
    cdef Targets targets

    cdef int update(self, const Example* e, double prediction) noexcept nogil


cdef inline int raise_margin(
    Weights w, const Example* e, int q, double step, double factor
) noexcept nogil:
    """w = factor w + step y x; with more labels half of the step for the true one, half against q."""
    if w.k == 1:
        return add(w, e, e.y * step, factor)
    return add_pair(w, e, e.label, q, 0.5 * step, factor)


cdef dict export_targets(const Targets* t)
cdef Targets restored_targets(fields)
cdef Weights restored_weights(Weights w, fields, Py_ssize_t width, Py_ssize_t k)
