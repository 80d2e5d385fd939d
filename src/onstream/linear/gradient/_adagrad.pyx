"""AdaGrad: every weight has its own rate, eta / (eps + sqrt(sum of its squared gradients)) (beyond 1).

`due` and `paid` count steps here: while a feature does not come, its rate stays the same, so m
steps of w -> S(w) / (1 + rate l2) have a closed form.
"""

from libc.math cimport exp, expm1, log1p, sqrt
from libc.stdint cimport int64_t

from ...core.example cimport SAFE
from ...core.weights cimport Weights
from ._descent cimport Descent, Tile, soft, tile_of


cdef extern from "steps.h" nogil:
    void onstream_adapt(
        double* v, double* s, const double* x, const double* slopes, double eta, double eps,
        Py_ssize_t m, Py_ssize_t k)


cdef class AdaGrad(Descent):
    cdef Weights squares  # sums of squared gradients
    cdef double eps

    def __cinit__(self, bint intercept, *args, **options):
        self.squares = Weights(1, intercept)

    def __init__(self, intercept, eta, double eps, l1, l2, **options):
        Descent.__init__(self, intercept, "constant", eta, 1.0, l1, l2, **options)
        self.eps = eps

    cdef bint changes_absent_features(self) noexcept nogil:
        return self.l1 > 0.0 or self.l2 > 0.0

    cdef int reserve(self, Py_ssize_t width) except -1:
        self.squares.reserve(width)
        return Descent.reserve(self, width)

    cdef int set_columns(self, Py_ssize_t k, Py_ssize_t expected) except -1:
        self.squares.expected = expected
        self.squares.set_columns(k)
        return Descent.set_columns(self, k, expected)

    cdef int copy_from(self, Descent other) except -1:
        cdef Weights old = (<AdaGrad> other).squares, new = old.split(1.0)
        cdef double* v = new.v
        cdef Py_ssize_t i
        for i in range(new.rows):  # split() gave the second column the opposite sign
            v[i * new.stride + 1] = v[i * new.stride]
        new.b[1] = new.b[0]
        self.squares = new
        self.eps = (<AdaGrad> other).eps
        return Descent.copy_from(self, other)

    cdef double rate(self, int64_t n) noexcept nogil:
        return 0.0

    cdef double rate_of(self, double squares) noexcept nogil:
        return self.factor * self.schedule.eta / (self.eps + sqrt(squares)) if squares > 0.0 else 0.0

    cdef double current(self, Py_ssize_t i, Py_ssize_t r) noexcept nogil:
        """The same: m steps of S(v, rate l1) / (1 + rate l2), at the rate of this weight."""
        cdef double v = self.w.v[i * self.w.stride + r], rate, steps, kept, lost
        if not self.changes_absent_features() or v == 0.0 or self.due == self.paid[i]:
            return v
        steps = self.due - self.paid[i]
        rate = self.rate_of(self.squares.v[i * self.squares.stride + r])
        if self.l2 == 0.0:
            return soft(v, steps * rate * self.l1)
        kept = exp(-steps * log1p(rate * self.l2))
        lost = -expm1(-steps * log1p(rate * self.l2)) / (rate * self.l2) * rate * self.l1
        return soft(kept * v, lost)

    cdef bint is_one_axpy(self) noexcept nogil:
        return False

    cdef double l2_factor(self, double rate) noexcept nogil:
        return 1.0

    cdef bint stays_in_range(self, double size, double rate) noexcept nogil:
        """The same: no step is longer than eta, and the sums of squares must stay in range, too."""
        cdef double eta = self.factor * self.schedule.eta
        cdef double limit = self.largest_weight()
        if not size * size < SAFE:
            return False
        if not self.squares.bound + size * size < SAFE and not self.squares.measure() + size * size < SAFE:
            return False
        return self.w.bound + eta < limit or self.w.measure() + eta < limit

    cdef void begin_step(self, double size, double rate) noexcept nogil:
        self.squares.bound += size * size
        self.w.bound += self.factor * self.schedule.eta

    cdef void move(self, Py_ssize_t i, const double* slopes, double x, double rate) noexcept nogil:
        """Feature i pays what it owes, then s += g^2, v -= eta g / (eps + sqrt(s))."""
        cdef double* v = self.w.v + i * self.w.stride
        cdef double* s = self.squares.v + i * self.squares.stride
        cdef double old, g
        cdef Py_ssize_t r
        for r in range(self.k):
            g = slopes[r] * x
            old = v[r]
            v[r] = self.current(i, r)
            s[r] += g * g
            v[r] -= self.rate_of(s[r]) * g
            if self.averaging:
                self.keep_sum(i, r, old)
        if self.paid != NULL:
            self.paid[i] = self.due

    cdef bint is_aligned(self) noexcept nogil:
        return self.squares.stride == self.w.stride and Descent.is_aligned(self)

    cdef void pay(self, double* v, const Tile* t) noexcept nogil:
        cdef Py_ssize_t i, r
        for i in range(t.features):
            for r in range(min(t.columns, self.k - t.column)):
                v[i * t.columns + r] = self.current(t.feature + i, t.column + r)

    cdef void descend(
        self, double* v, const Tile* t, const double* x, const double* slopes, double rate
    ) noexcept nogil:
        cdef double eta = self.factor * self.schedule.eta
        onstream_adapt(
            v, tile_of(self.squares, t), x, slopes, eta, self.eps, t.features, t.columns)

    cdef void move_biases(self, const double* slopes, double x, double rate) noexcept nogil:
        cdef double* b = self.w.b
        cdef double* s = self.squares.b
        cdef double g
        cdef Py_ssize_t r
        if self.intercept:
            for r in range(self.k):
                g = slopes[r] * x
                s[r] += g * g
                b[r] -= self.rate_of(s[r]) * g

    cdef void penalise(self, double rate, int64_t n) noexcept nogil:
        if self.changes_absent_features():
            self.due += 1.0

    def export(self, Py_ssize_t width):
        sums = self.squares.export(width)
        return {**Descent.export(self, width), "squares": sums["weights"], "bias_squares": sums["bias"]}

    def restore(self, fields, Py_ssize_t width, Py_ssize_t k):
        Descent.restore(self, fields, width, k)
        squares, bias = fields.array("squares", (width, k)), fields.array("bias_squares", (k,))
        if (squares < 0.0).any() or (bias < 0.0).any():
            raise ValueError("squares holds a negative sum")
        self.squares.restore(squares, bias, 1.0)

    def memory(self):
        return Descent.memory(self) + self.squares.memory()
