from libc.stdint cimport int32_t, int64_t

from ...core.example cimport Example
from ...core.weights cimport Weights
from ._optimizer cimport Optimizer
from ...core.rules.schedule cimport Schedule


cdef inline double soft(double v, double t) noexcept nogil:
    """S_t(v) = sign(v) max(|v| - t, 0)."""
    return v - t if v > t else v + t if v < -t else 0.0


cdef class Descent(Optimizer):
    cdef Schedule schedule
    cdef double l1
    cdef double l2
    cdef bint proximal       # FOBOS: L2 after the step, w / (1 + rate l2)
    cdef int64_t period      # truncate every so many steps
    cdef double ceiling      # no weight larger than this is truncated
    cdef double radius       # of the ball that weights are projected on
    cdef int64_t average_from
    cdef bint eager          # all weights are brought up to date after every step
    cdef Weights w
    # L1: what all have to lose, less what each has lost already
    cdef double due
    cdef double* paid        # one per feature
    cdef Py_ssize_t room     # of paid and touched
    # the sum of the iterates is mass * v + total
    cdef Weights total
    cdef double mass
    cdef int64_t averaged    # how many iterates
    # the mini-batch
    cdef Weights pending     # sum of gradients
    cdef int64_t waiting     # how many
    cdef int32_t* touched    # features that they have
    cdef Py_ssize_t n_touched  # -1: too many to tell

    # How it is built
    cdef bint untouched(self) noexcept nogil
    cdef int take_after(self, Descent other) except -1

    # What it says
    cdef double now(self, Py_ssize_t i, Py_ssize_t r) noexcept nogil

    # How it learns
    cdef bint plain(self) noexcept nogil
    cdef double kept(self, double rate) noexcept nogil
    cdef double limit(self) noexcept nogil
    cdef bint allowed(self, double size, double rate) noexcept nogil
    cdef bint foldable(self, double scale) noexcept nogil
    cdef void shrink(self, double kept) noexcept nogil
    cdef void begin(self, double size, double rate) noexcept nogil
    cdef void move(self, Py_ssize_t i, const double* slopes, double x, double rate) noexcept nogil
    cdef void move_biases(self, const double* slopes, double x, double rate) noexcept nogil
    cdef void end(self, double rate, int64_t n) noexcept nogil
    cdef void penalise(self, double rate, int64_t n) noexcept nogil
    cdef void settle(self) noexcept nogil
    cdef void fold(self, double kept) noexcept nogil
    cdef void project(self) noexcept nogil

    # Mini-batches
    cdef int collect(self, const Example* e, const double* slopes, double size, double rate, int64_t n) noexcept nogil
    cdef void note(self, Py_ssize_t i, const double* slopes, double x) noexcept nogil
    cdef void step_along_mean(self, double size, double rate, int64_t n) noexcept nogil
    cdef void move_along_mean(self, Py_ssize_t i, double share, double rate) noexcept nogil

    cdef inline void account(self, Py_ssize_t i, Py_ssize_t r, double old) noexcept nogil:
        """v was `old`: keep mass * v + total what it was."""
        cdef double* total = self.total.v + i * self.total.stride + r
        total[0] -= self.mass * (self.w.v[i * self.w.stride + r] - old)
