"""Stochastic gradient descent, w = (1 - rate l2) w - rate gradient (Bottou, 2010), with L1,
averaging (Polyak & Juditsky, 1992), projection and mini-batches.

Penalties change every weight, yet cost nothing for the features an example does not have: L2 is a
common scale of all weights, w = scale * v, and a feature pays its L1 when it comes again. Only
averaging or projection together with L1 (or with any penalty under AdaGrad's rates) needs all
weights in every step.
"""

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset

import numpy as np

from ...core.arrays cimport doubles
from ...core.example cimport LEARNED, OVERFLOW, SAFE, Example, feature, onstream_peak
from ...core.memory cimport release, resize, roomier
from ...core.rules.schedule cimport make_schedule, rate_at
from ...core.weights cimport Weights, add, add_columns, scores
from .._state cimport restored_weights
from ._optimizer cimport Optimizer


cdef extern from "steps.h" nogil:
    void onstream_pay(
        double* v, const double* paid, double due, double ceiling, Py_ssize_t m, Py_ssize_t k)
    void onstream_descend(
        double* v, const double* x, const double* slopes, double rate, double scale, Py_ssize_t m,
        Py_ssize_t k)
    void onstream_keep_sum(
        double* total, const double* v, const double* old, double mass, Py_ssize_t n)
    void onstream_mean(
        double* v, const double* total, double mass, double count, Py_ssize_t n)
    void onstream_sum_on(
        double* sums, const double* v, const double* x, Py_ssize_t m, Py_ssize_t k)


cdef enum:
    TILE = 512  # weights of a dense row that are handled at once; a multiple of 8


cdef double SAFE_SUM = 1e270  # the largest weight that can be summed 2**62 times
cdef double MOST_DUE = 1e290  # all debts are paid before `due` gets larger


cdef class Descent(Optimizer):
    def __cinit__(self, bint intercept, *args, **options):
        self.w = Weights(1, intercept)

    def __init__(self, intercept, schedule, eta, power, l1, l2, *, proximal=False, period=1,
                 ceiling=INFINITY, radius=INFINITY, average=False, average_from=0, batch=1):
        self.schedule = make_schedule(schedule, eta, power, l2)
        self.l1, self.l2, self.proximal = l1, l2, proximal
        self.period, self.ceiling, self.radius = period, ceiling, radius
        self.averaging, self.average_from, self.batch = average, average_from, batch
        self.eager = (average or radius < INFINITY) and self.changes_absent_features()
        if average:
            self.total = Weights(1, intercept)
        if batch > 1:
            self.pending = Weights(1, intercept)

    def __dealloc__(self):
        release(self.paid)
        release(self.touched)

    cdef bint changes_absent_features(self) noexcept nogil:
        """Does a step change weights of features absent from the example, beyond the common scale?"""
        return self.l1 > 0.0

    # -- shape ----------------------------------------------------------------------------------

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room
        self.w.reserve(width)
        if self.total is not None:
            self.total.reserve(width)
        if self.pending is not None:
            self.pending.reserve(width)
        if width > self.room:
            room = width if self.room == 0 else roomier(self.room, width)
            if self.changes_absent_features():
                self.paid = <double*> resize(self.paid, self.room * sizeof(double), room * sizeof(double))
            if self.pending is not None:
                self.touched = <int32_t*> resize(self.touched, self.room * sizeof(int32_t), room * sizeof(int32_t))
            self.room = room
        return 0

    cdef int set_columns(self, Py_ssize_t k, Py_ssize_t expected) except -1:
        for matrix in (self.w, self.total, self.pending):
            if matrix is not None:
                (<Weights> matrix).expected = expected
                (<Weights> matrix).set_columns(k)
        self.k = k
        return 0

    cdef Optimizer promoted(self, double part):
        cdef Descent other = type(self).__new__(type(self), self.intercept)
        other.copy_from(self)
        other.w = self.w.split(part)
        other.total = None if self.total is None else self.total.split(part)
        other.pending = None if self.pending is None else self.pending.split(part)
        other.k = other.w.k
        other.reserve(self.room)
        if self.paid != NULL:
            memcpy(other.paid, self.paid, self.room * sizeof(double))
        if self.touched != NULL:
            memcpy(other.touched, self.touched, self.room * sizeof(int32_t))
        return other

    cdef int copy_from(self, Descent other) except -1:
        """Copy the parameters and counts of another."""
        self.batch, self.averaging, self.factor = other.batch, other.averaging, other.factor
        self.schedule, self.l1, self.l2, self.proximal = other.schedule, other.l1, other.l2, other.proximal
        self.period, self.ceiling, self.radius = other.period, other.ceiling, other.radius
        self.average_from, self.eager = other.average_from, other.eager
        self.due, self.mass, self.averaged = other.due, other.mass, other.averaged
        self.waiting, self.n_touched = other.waiting, other.n_touched
        return 0

    cdef double rate(self, int64_t n) noexcept nogil:
        return self.factor * rate_at(&self.schedule, n)

    cdef int begin_at(self, double y) noexcept nogil:
        self.w.b[0] = y
        self.w.bound = max(self.w.bound, fabs(y))
        return LEARNED

    # -- prediction -----------------------------------------------------------------------------

    cdef double current(self, Py_ssize_t i, Py_ssize_t r) noexcept nogil:
        """v[i, r] after paying what it owes."""
        cdef double v = self.w.v[i * self.w.stride + r]
        if self.l1 > 0.0 and fabs(v) <= self.ceiling:
            return soft(v, self.due - self.paid[i])
        return v

    cdef double weight(self, Py_ssize_t i, Py_ssize_t r) noexcept nogil:
        if self.averaged > 0:
            return (self.mass * self.current(i, r) + self.total.v[i * self.total.stride + r]) / self.averaged
        return self.w.scale * self.current(i, r)

    cdef double bias(self, Py_ssize_t r) noexcept nogil:
        return self.total.b[r] / self.averaged if self.averaged > 0 else self.w.b[r]

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t i, r, id
        cdef bint good = True
        if self.averaged == 0:
            self.training_scores(e, out)
            return LEARNED
        if e.ids == NULL:
            self.row_sums(e, True, out)
        else:
            for r in range(self.k):
                out[r] = 0.0
            for i in range(e.n):
                id = feature(e, i)
                for r in range(self.k):
                    out[r] += e.values[i] * self.weight(id, r)
        for r in range(self.k):
            out[r] += self.bias(r)
            good &= fabs(out[r]) <= DBL_MAX
        if not good:
            self.rescore_overflowed(e, out)
        return LEARNED

    cdef void training_scores(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t i, r, id
        cdef bint good = True
        if not self.changes_absent_features():
            scores(self.w, e, out)
            return
        if e.ids == NULL:
            self.row_sums(e, False, out)
        else:
            for r in range(self.k):
                out[r] = 0.0
            for i in range(e.n):
                id = feature(e, i)
                for r in range(self.k):
                    out[r] += e.values[i] * self.current(id, r)
        for r in range(self.k):
            out[r] = self.w.scale * out[r] + self.w.b[r]
            good &= fabs(out[r]) <= DBL_MAX
            if not good and self.averaging:  # rescore_overflowed() knows only the weights that predict
                out[r] = DBL_MAX
        if not good and not self.averaging:
            self.rescore_overflowed(e, out)

    # -- dense rows, tile by tile -----------------------------------------------------------------

    cdef bint is_aligned(self) noexcept nogil:
        """Have all matrices the same layout? Not if memory ran out while they grew."""
        return self.total is None or self.total.stride == self.w.stride

    cdef Tile tile_at(self, Py_ssize_t first, Py_ssize_t column, Py_ssize_t n) noexcept nogil:
        """The tile of the first n features that begins there; at their end it has no columns."""
        cdef bint whole = self.w.stride <= TILE and self.is_aligned()
        cdef Py_ssize_t k = self.w.stride if whole else self.k
        cdef Tile t
        t.feature, t.column = first, column
        t.features = min(n - first, TILE // k) if whole else 1
        t.columns = min(<Py_ssize_t> TILE, k - column) if n > 0 else 0
        t.size = t.features * t.columns
        return t

    cdef Tile tile_after(self, const Tile* t, Py_ssize_t n) noexcept nogil:
        """The next one: of the next features, or of the first ones with the next columns."""
        if t.feature + t.features < n:
            return self.tile_at(t.feature + t.features, t.column, n)
        return self.tile_at(0, t.column + t.columns, n)

    cdef void row_sums(self, const Example* e, bint mean, double* out) noexcept nogil:
        """Sums of values times weights: the means of the weights, or those that learn."""
        cdef double[TILE] v, sums
        cdef Tile t = self.tile_at(0, 0, e.n)
        memset(out, 0, self.k * sizeof(double))
        while t.columns > 0:
            if t.feature == 0:
                memset(sums, 0, t.columns * sizeof(double))
            memcpy(v, tile_of(self.w, &t), t.size * sizeof(double))
            if self.changes_absent_features():
                self.pay(v, &t)
            if mean:
                onstream_mean(v, tile_of(self.total, &t), self.mass, self.averaged, t.size)
            onstream_sum_on(sums, v, e.values + t.feature, t.features, t.columns)
            if t.feature + t.features == e.n:
                memcpy(out + t.column, sums, min(t.columns, self.k - t.column) * sizeof(double))
            t = self.tile_after(&t, e.n)

    cdef void move_row(self, const Example* e, const double* slopes, double rate) noexcept nogil:
        """`move` all features."""
        cdef double[TILE] old, some
        cdef double* v
        cdef Py_ssize_t i
        cdef Tile t = self.tile_at(0, 0, e.n)
        while t.columns > 0:
            if t.feature == 0:  # slopes of columns that nobody uses are 0
                memset(some, 0, t.columns * sizeof(double))
                memcpy(some, slopes + t.column, min(t.columns, self.k - t.column) * sizeof(double))
            v = tile_of(self.w, &t)
            if self.averaging:
                memcpy(old, v, t.size * sizeof(double))
            if self.changes_absent_features():
                self.pay(v, &t)
            self.descend(v, &t, e.values + t.feature, some, rate)
            if self.averaging:
                onstream_keep_sum(tile_of(self.total, &t), v, old, self.mass, t.size)
            t = self.tile_after(&t, e.n)
        if self.changes_absent_features():
            for i in range(e.n):
                self.paid[i] = self.due

    cdef void pay(self, double* v, const Tile* t) noexcept nogil:
        """Let the weights v of a tile, or a copy of them, pay what they owe."""
        onstream_pay(v, self.paid + t.feature, self.due, self.ceiling, t.features, t.columns)

    cdef void descend(
        self, double* v, const Tile* t, const double* x, const double* slopes, double rate
    ) noexcept nogil:
        """The step of the weights v of a tile."""
        onstream_descend(v, x, slopes, rate, self.w.scale, t.features, t.columns)

    # -- learning -------------------------------------------------------------------------------

    cdef int step(self, const Example* e, double* slopes, int64_t n) noexcept nogil:
        cdef double rate = self.factor * rate_at(&self.schedule, n)
        cdef double size
        cdef Py_ssize_t i, r
        if self.is_one_axpy():  # w = (1 - rate l2) w - rate slope x
            for r in range(self.k):
                slopes[r] *= -rate
            if self.k == 1:
                return add(self.w, e, slopes[0], self.l2_factor(rate))
            return add_columns(self.w, e, slopes, self.l2_factor(rate))
        size = onstream_peak(slopes, self.k) * max(onstream_peak(e.values, e.n), 1.0)
        if self.batch > 1:
            return self.collect(e, slopes, size, rate, n)
        if not self.stays_in_range(size, rate):
            return OVERFLOW
        # The same in parts: L2, the gradient of the features that came, then the other penalties.
        self.begin_step(size, rate)
        if e.ids == NULL:
            self.move_row(e, slopes, rate)
        else:
            for i in range(e.n):
                self.move(feature(e, i), slopes, e.values[i], rate)
        self.move_biases(slopes, 1.0, rate)
        self.end_step(rate, n)
        return LEARNED

    cdef bint is_one_axpy(self) noexcept nogil:
        """Is a step no more than one axpy?"""
        return not (
            self.changes_absent_features() or self.proximal or self.averaging or self.radius < INFINITY
            or self.batch > 1
        )

    cdef double l2_factor(self, double rate) noexcept nogil:
        """What L2 multiplies the weights by before the step; FOBOS does so after it."""
        return 1.0 if self.proximal else 1.0 - rate * self.l2

    cdef double largest_weight(self) noexcept nogil:
        """No weight may become larger than this."""
        return SAFE_SUM if self.averaging else SAFE

    cdef bint stays_in_range(self, double size, double rate) noexcept nogil:
        """Will all weights stay in range if no entry of the gradient is larger than `size`?"""
        cdef double limit = self.largest_weight()
        cdef double scale = self.w.scale * self.l2_factor(rate)
        cdef double change = rate * size, growth = 1.0
        if not change < limit:
            return False
        if self.must_fold(scale):
            growth = max(1.0, fabs(scale))
        else:
            change /= fabs(scale)
        return growth * self.w.bound + change < limit or growth * self.w.measure() + change < limit

    cdef bint must_fold(self, double scale) noexcept nogil:
        """Is this scale too far from 1 to be kept? Averages lose digits much earlier."""
        return not (0.01 if self.averaging else 1e-9) < fabs(scale) <= 1.0

    cdef void shrink(self, double factor) noexcept nogil:
        """Multiply all weights."""
        if factor == 1.0:
            return
        if self.must_fold(self.w.scale * factor):
            self.fold(factor)
        else:
            self.w.scale *= factor

    cdef void begin_step(self, double size, double rate) noexcept nogil:
        """L2 before the step, and a bound for the weights after it."""
        self.shrink(self.l2_factor(rate))
        self.w.bound += rate * size / fabs(self.w.scale)

    cdef void move(self, Py_ssize_t i, const double* slopes, double x, double rate) noexcept nogil:
        """Feature i pays what it owes, then v -= rate * slope * x / scale."""
        cdef double* v = self.w.v + i * self.w.stride
        cdef double old, inner = -rate * x / self.w.scale
        cdef Py_ssize_t r
        for r in range(self.k):
            old = v[r]
            v[r] = self.current(i, r) + inner * slopes[r]
            if self.averaging:
                self.keep_sum(i, r, old)
        if self.l1 > 0.0:
            self.paid[i] = self.due

    cdef void move_biases(self, const double* slopes, double x, double rate) noexcept nogil:
        cdef double* b = self.w.b
        cdef Py_ssize_t r
        if self.intercept:
            for r in range(self.k):
                b[r] -= rate * x * slopes[r]

    cdef void end_step(self, double rate, int64_t n) noexcept nogil:
        """Penalties after the step, projection, average."""
        cdef Py_ssize_t r
        cdef double* b
        self.penalise(rate, n)
        if self.eager:
            self.pay_all()
        if self.radius < INFINITY:
            self.project()
        if self.averaging and n > self.average_from:  # one more term of the mean
            self.mass += self.w.scale
            self.averaged += 1
            b = self.total.b
            for r in range(self.k):
                b[r] += self.w.b[r]

    cdef void penalise(self, double rate, int64_t n) noexcept nogil:
        """Penalties after the step: L1 first, then FOBOS' L2."""
        if self.l1 > 0.0 and n % self.period == 0:
            self.due += min(self.period * rate * self.l1 / fabs(self.w.scale), MOST_DUE)
            if self.due > MOST_DUE:
                self.fold(1.0)
        if self.proximal:
            self.shrink(1.0 / (1.0 + rate * self.l2))

    cdef void pay_all(self) noexcept nogil:
        """All features pay what they owe."""
        cdef double[TILE] old
        cdef double* v
        cdef Tile t = self.tile_at(0, 0, self.w.rows)
        if not self.changes_absent_features():
            return
        while t.columns > 0:
            v = tile_of(self.w, &t)
            if self.averaging:
                memcpy(old, v, t.size * sizeof(double))
            self.pay(v, &t)
            if self.averaging:
                onstream_keep_sum(tile_of(self.total, &t), v, old, self.mass, t.size)
            t = self.tile_after(&t, self.w.rows)
        if self.w.rows:
            memset(self.paid, 0, self.w.rows * sizeof(double))
        self.due = 0.0

    cdef void fold(self, double factor) noexcept nogil:
        """Multiply all weights, pay all debts and make the scale 1."""
        cdef Py_ssize_t i, r
        cdef double* total
        cdef double* v = self.w.v
        self.pay_all()
        if self.averaging:
            total = self.total.v
            for i in range(self.w.rows):
                for r in range(self.k):
                    total[i * self.total.stride + r] += self.mass * v[i * self.w.stride + r]
            self.mass = 0.0
        factor *= self.w.scale
        for i in range(self.w.rows * self.w.stride):
            v[i] *= factor
        self.w.bound *= max(1.0, fabs(factor))
        self.w.scale = 1.0

    cdef void project(self) noexcept nogil:
        """Every column into the ball |w| <= radius."""
        cdef Py_ssize_t i, r
        cdef double peak, norm, old, f
        cdef double* v
        for r in range(self.k):
            peak = norm = 0.0
            for i in range(self.w.rows):
                peak = max(peak, fabs(self.w.v[i * self.w.stride + r]))
            if fabs(self.w.scale) * peak * sqrt(<double> self.w.rows) <= self.radius:
                continue
            for i in range(self.w.rows):  # divide by the peak: no square can overflow
                norm += (self.w.v[i * self.w.stride + r] / peak) ** 2
            f = self.radius / (fabs(self.w.scale) * peak * sqrt(norm))
            if f >= 1.0:
                continue
            for i in range(self.w.rows):
                v = self.w.v + i * self.w.stride + r
                old = v[0]
                v[0] *= f
                if self.averaging:
                    self.keep_sum(i, r, old)

    # -- mini-batches ---------------------------------------------------------------------------

    cdef int collect(
        self, const Example* e, const double* slopes, double size, double rate, int64_t n
    ) noexcept nogil:
        """Add the gradient to the mini-batch; when that is full, step along the mean."""
        cdef bint full = self.waiting + 1 >= self.batch
        cdef double bound = self.pending.bound + size
        cdef Py_ssize_t i
        if not bound < SAFE:
            bound = self.pending.measure() + size
            if not bound < SAFE:
                return OVERFLOW
        if not self.stays_in_range(bound / (self.waiting + 1), rate):
            return OVERFLOW  # now: refuse this example, not the one that fills the batch
        for i in range(e.n):
            self.add_gradient(feature(e, i), slopes, e.values[i])
        if self.intercept:
            for i in range(self.k):
                self.pending.b[i] = self.pending.b[i] + slopes[i]
        self.pending.bound = bound
        self.waiting += 1
        if full:
            self.step_along_mean(bound / self.waiting, rate, n)
        return LEARNED

    cdef void add_gradient(self, Py_ssize_t i, const double* slopes, double x) noexcept nogil:
        """Add a gradient of feature i to the mini-batch."""
        cdef double* g = self.pending.v + i * self.pending.stride
        cdef bint new = True
        cdef Py_ssize_t r
        for r in range(self.k):
            new &= g[r] == 0.0
            g[r] += slopes[r] * x
        if new and self.n_touched >= 0:
            if self.n_touched < self.room:
                self.touched[self.n_touched] = i
                self.n_touched += 1
            else:
                self.n_touched = -1

    cdef void step_along_mean(self, double size, double rate, int64_t n) noexcept nogil:
        """The step with the mean gradient of the full mini-batch."""
        cdef double share = 1.0 / self.waiting
        cdef Py_ssize_t i, many = self.pending.rows if self.n_touched < 0 else self.n_touched
        self.begin_step(size, rate)
        for i in range(many):
            self.move_along_mean(i if self.n_touched < 0 else self.touched[i], share, rate)
        self.move_biases(self.pending.b, share, rate)
        memset(self.pending.b, 0, self.k * sizeof(double))
        self.pending.bound = 0.0
        self.waiting = self.n_touched = 0
        self.end_step(rate, n)

    cdef void move_along_mean(self, Py_ssize_t i, double share, double rate) noexcept nogil:
        cdef double* g = self.pending.v + i * self.pending.stride
        cdef Py_ssize_t r
        for r in range(self.k):
            if g[r] != 0.0:  # otherwise it is as if no example had the feature
                self.move(i, g, share, rate)
                memset(g, 0, self.k * sizeof(double))
                return

    # -- files ----------------------------------------------------------------------------------

    def tidy(self):
        self.fold(1.0)

    def export(self, Py_ssize_t width):
        self.reserve(width)
        fields = self.w.export(width)
        if self.changes_absent_features():
            fields["paid"] = np.empty(width)
            if width:
                memcpy(doubles(fields["paid"]), self.paid, width * sizeof(double))
            fields["due"] = self.due
        if self.total is not None:
            sums = self.total.export(width)
            fields["total"], fields["bias_total"] = sums["weights"], sums["bias"]
            fields["mass"], fields["averaged"] = self.mass, self.averaged
        if self.pending is not None:
            sums = self.pending.export(width)
            fields["pending"], fields["bias_pending"] = sums["weights"], sums["bias"]
            fields["waiting"] = self.waiting
        return fields

    def restore(self, fields, Py_ssize_t width, Py_ssize_t k):
        cdef Py_ssize_t i
        self.set_columns(k, k)
        self.w = restored_weights(self.w, fields, width, k)
        self.reserve(width)
        extra = False
        if self.changes_absent_features():
            paid = np.ascontiguousarray(fields.array("paid", (width,)))
            self.due = fields.number("due", 0.0)
            if (paid < 0.0).any() or paid.max(initial=0.0) > self.due:
                raise ValueError("paid holds more than is due")
            if width:
                memcpy(self.paid, doubles(paid), width * sizeof(double))
        if self.total is not None:
            total, bias = fields.array("total", (width, k)), fields.array("bias_total", (k,))
            self.total.restore(total, bias, 1.0)
            self.mass = fields.number("mass")
            self.averaged = fields.integer("averaged", 0)
            extra = extra or bias.any()
        if self.pending is not None:
            pending, bias = fields.array("pending", (width, k)), fields.array("bias_pending", (k,))
            self.pending.restore(pending, bias, 1.0)
            self.waiting = fields.integer("waiting", 0)
            extra = extra or bias.any()
            some = np.flatnonzero(pending.any(axis=1)).astype(np.int32)
            for i in range(len(some)):
                self.touched[i] = some[i]
            self.n_touched = len(some)
        if extra and not self.intercept:
            raise ValueError("there is a bias without an intercept")

    def memory(self):
        held = self.w.memory() + (self.room * sizeof(double) if self.paid != NULL else 0)
        if self.total is not None:
            held += self.total.memory()
        if self.pending is not None:
            held += self.pending.memory() + self.room * sizeof(int32_t)
        return held
