from libc.stdint cimport int32_t, int64_t

from ...core.example cimport Example
from ...core.rules.schedule cimport Schedule
from ...core.weights cimport Weights
from ._optimizer cimport Optimizer


cdef inline double soft(double v, double t) noexcept nogil:
    """S_t(v) = sign(v) max(|v| - t, 0)."""
    return v - t if v > t else v + t if v < -t else 0.0


cdef struct Tile:          # weights that lie side by side
    Py_ssize_t feature   # the first
    Py_ssize_t features  # how many
    Py_ssize_t column    # the first
    Py_ssize_t columns   # all, or some of one feature, if all are too many
    Py_ssize_t size      # features * columns


cdef inline double* tile_of(Weights matrix, const Tile* t) noexcept nogil:
    return matrix.v + t.feature * matrix.stride + t.column


cdef class Descent(Optimizer):
    cdef Schedule schedule
    cdef double l1
    cdef double l2
    cdef bint proximal       # FOBOS: L2 after the step, w / (1 + rate l2)
    cdef int64_t period      # steps from one L1 penalty to the next
    cdef double ceiling      # L1 spares weights larger than this
    cdef double radius       # of the ball that weights are projected on
    cdef int64_t average_from
    cdef bint eager          # all weights are brought up to date after every step
    cdef Weights w           # the weights that learn, scale * v
    # Lazy L1, with the totals u and q of Tsuruoka, Tsujii & Ananiadou (ACL 2009): feature i owes
    # due - paid[i], and pays when it comes again. In units of v; AdaGrad counts steps instead.
    cdef double due          # what every weight has had to lose so far
    cdef double* paid        # `due` when the feature came last
    cdef Py_ssize_t room     # features that fit into paid and touched
    # Averaging: the sum of the weights after each step is mass * v + total.
    cdef Weights total
    cdef double mass
    cdef int64_t averaged    # how many steps are in the sum
    # The mini-batch
    cdef Weights pending     # sum of its gradients so far
    cdef int64_t waiting     # how many they are
    cdef int32_t* touched    # features that they have
    cdef Py_ssize_t n_touched  # how many; -1: unknown, since `touched` was full

    # Construction
    cdef bint changes_absent_features(self) noexcept nogil
    cdef int copy_from(self, Descent other) except -1

    # Prediction
    cdef double current(self, Py_ssize_t i, Py_ssize_t r) noexcept nogil

    # Dense rows
    cdef bint is_aligned(self) noexcept nogil
    cdef Tile tile_at(self, Py_ssize_t first, Py_ssize_t column, Py_ssize_t n) noexcept nogil
    cdef Tile tile_after(self, const Tile* t, Py_ssize_t n) noexcept nogil
    cdef void row_sums(self, const Example* e, bint mean, double* out) noexcept nogil
    cdef void move_row(self, const Example* e, const double* slopes, double rate) noexcept nogil
    cdef void pay(self, double* v, const Tile* t) noexcept nogil
    cdef void descend(
        self, double* v, const Tile* t, const double* x, const double* slopes, double rate
    ) noexcept nogil

    # Learning
    cdef bint is_one_axpy(self) noexcept nogil
    cdef double l2_factor(self, double rate) noexcept nogil
    cdef double largest_weight(self) noexcept nogil
    cdef bint stays_in_range(self, double size, double rate) noexcept nogil
    cdef bint must_fold(self, double scale) noexcept nogil
    cdef void shrink(self, double factor) noexcept nogil
    cdef void begin_step(self, double size, double rate) noexcept nogil
    cdef void move(self, Py_ssize_t i, const double* slopes, double x, double rate) noexcept nogil
    cdef void move_biases(self, const double* slopes, double x, double rate) noexcept nogil
    cdef void end_step(self, double rate, int64_t n) noexcept nogil
    cdef void penalise(self, double rate, int64_t n) noexcept nogil
    cdef void pay_all(self) noexcept nogil
    cdef void fold(self, double factor) noexcept nogil
    cdef void project(self) noexcept nogil

    # Mini-batches
    cdef int collect(
        self, const Example* e, const double* slopes, double size, double rate, int64_t n
    ) noexcept nogil
    cdef void add_gradient(self, Py_ssize_t i, const double* slopes, double x) noexcept nogil
    cdef void step_along_mean(self, double size, double rate, int64_t n) noexcept nogil
    cdef void move_along_mean(self, Py_ssize_t i, double share, double rate) noexcept nogil

    cdef inline void keep_sum(self, Py_ssize_t i, Py_ssize_t r, double old) noexcept nogil:
        """v has changed from `old`: adapt total so that mass * v + total is what it was."""
        cdef double* total = self.total.v + i * self.total.stride + r
        total[0] -= self.mass * (self.w.v[i * self.w.stride + r] - old)
