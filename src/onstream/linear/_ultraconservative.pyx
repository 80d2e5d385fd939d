"""Ultraconservative multiclass learners: only the true label and those that beat it may move
(Crammer & Singer, JMLR 3, 2003).

Row r of the weights moves by tau_r * x, and the tau_r sum to 0. Two labels need one row only, the
difference of the two: what it gains is twice what each of the two would.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport qsort

from ..core.example cimport LEARNED, OVERFLOW, Example, sqnorm
from ..core.memory cimport release, resize
from ..core.scores cimport best_wrong
from ..core.weights cimport add, add_columns, add_pair
from ._state cimport LinearClassifierState


# -- perceptrons -----------------------------------------------------------------------------------

# Share of a label in the blame, given its lead over the true label and the largest lead.
ctypedef double (*Blame)(double lead, double top) noexcept nogil


cdef double uniform(double lead, double top) noexcept nogil:
    return 1.0


cdef double proportional(double lead, double top) noexcept nogil:
    return lead / top if top > 0.0 else 1.0  # all leads are 0: equal shares


cdef class MulticlassPerceptronState(LinearClassifierState):
    cdef bint best_only  # only the best-scored wrong label pays
    cdef Blame blame

    def __init__(self, bint intercept, str update):
        self.best_only = update == "max"
        self.blame = proportional if update == "proportional" else uniform

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef int y = e.label, q
        if self.w.k == 1:
            return add(self.w, e, 2.0 * e.weight * e.y, 1.0) if e.y * f[0] <= 0.0 else LEARNED
        q = best_wrong(f, y, self.w.k)
        if f[q] < f[y]:
            return LEARNED
        # tau_y = 1; the labels that score no less share -1.
        if self.best_only:
            return add_pair(self.w, e, y, q, e.weight, 1.0)
        share_blame(f, y, q, self.w.k, self.blame, e.weight, self.steps)
        return add_columns(self.w, e, self.steps, 1.0)


cdef void share_blame(
    const double* f, int y, int q, Py_ssize_t k, Blame blame, double step, double* tau
) noexcept nogil:
    """tau: the step for y, and for labels that score no less their shares of it, below 0; q leads."""
    cdef double top = 0.5 * f[q] - 0.5 * f[y], total = 0.0  # halves: no difference can overflow
    cdef Py_ssize_t r
    for r in range(k):
        tau[r] = blame(0.5 * f[r] - 0.5 * f[y], top) if r != y and f[r] >= f[y] else 0.0
        total += tau[r]
    for r in range(k):
        tau[r] = tau[r] / -total * step
    tau[y] = step


# -- MIRA and the exact multiclass PA --------------------------------------------------------------

cdef class MIRAState(LinearClassifierState):
    cdef double beta     # margin wanted
    cdef double C        # most that the true label may gain
    cdef bint nonzero    # known to have a weight other than 0
    cdef double* losses  # room for a loss per label

    def __cinit__(self, *parameters):
        self.losses = <double*> resize(NULL, 0, sizeof(double))

    def __init__(self, bint intercept, double beta, double C):
        self.beta, self.C = beta, C

    def __dealloc__(self):
        release(self.losses)

    cdef int set_labels(self, Py_ssize_t n) except -1:
        if n > self.room_labels:
            self.losses = <double*> resize(self.losses, 0, n * sizeof(double))
        return LinearClassifierState.set_labels(self, n)

    def restore_own(self, fields):
        LinearClassifierState.restore_own(self, fields)
        self.nonzero = False

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double norm = sqnorm(e) + self.w.intercept
        cdef double C = self.C * e.weight, loss
        cdef int y = e.label, status
        if not norm < INFINITY:
            return OVERFLOW
        if norm == 0.0:
            return LEARNED
        if self.beta == 0.0 and self.all_zero(f):
            status = self.first_step(e, f, C)
        elif self.w.k == 1:
            loss = self.beta - e.y * f[0]
            if loss <= 0.0:
                return LEARNED
            status = add(self.w, e, 2.0 * e.y * min(C, 0.5 * loss / norm), 1.0)
        else:
            if not self.solve(f, y, norm, C):
                return LEARNED
            status = add_columns(self.w, e, self.steps, 1.0)
        self.nonzero = False
        return status

    cdef bint all_zero(self, const double* f) noexcept nogil:
        """Are all weights 0? They are searched only if all scores are 0."""
        cdef Py_ssize_t r
        for r in range(self.w.k):
            if f[r] != 0.0:
                return False
        if not self.nonzero:
            self.nonzero = self.w.measure() > 0.0
        return not self.nonzero

    cdef int first_step(self, const Example* e, const double* f, double C) noexcept nogil:
        """The step of the uniform perceptron."""
        if self.w.k == 1:
            return add(self.w, e, 2.0 * C * e.y, 1.0)
        share_blame(f, e.label, best_wrong(f, e.label, self.w.k), self.w.k, uniform, C, self.steps)
        return add_columns(self.w, e, self.steps, 1.0)

    cdef bint solve(self, const double* f, int y, double norm, double C) noexcept nogil:
        """Write the best tau to `steps`. False: nothing has to move."""
        cdef Py_ssize_t r, n = 0
        cdef double level, total = 0.0, loss
        # The losses above 0, in falling order.
        for r in range(self.w.k):
            loss = self.beta - (f[y] - f[r])
            if r != y and loss > 0.0:
                self.losses[n] = loss
                n += 1
        if n == 0:
            return False
        qsort(self.losses, n, sizeof(double), descending)
        # Each of them goes down to the level, and the true label gains what they lose.
        level = water_level(self.losses, n, C * norm)
        for r in range(self.w.k):
            loss = self.beta - (f[y] - f[r])
            self.steps[r] = -(loss - level) / norm if r != y and loss > level else 0.0
            total -= self.steps[r]
        self.steps[y] = total if level < INFINITY else INFINITY  # infinity will be refused
        return True

    def memory(self):
        return LinearClassifierState.memory(self) + 8 * max(1, self.n_labels)


cdef double water_level(const double* losses, Py_ssize_t n, double most) noexcept nogil:
    """The level down to which all losses are brought, given those above 0 in falling order.

    Moving the true row by tau |x|^2 = t lowers all losses by t, moving another row lowers its own.
    At the best point the true row moves as far as the others together: the level equals the sum
    of what stands out above it. If that is more than `most`, the sum is `most` and the level lies
    higher.
    """
    cdef double total = 0.0, level
    cdef Py_ssize_t z = 0
    while z < n and losses[z] * (z + 1) > total:  # above the level of those taken so far
        total += losses[z]
        z += 1
    level = total / (z + 1)
    if level <= most:
        return level
    total, z = losses[0], 1
    while z < n and losses[z] * z > total - most:
        total += losses[z]
        z += 1
    return (total - most) / z


cdef int descending(const void* a, const void* b) noexcept nogil:
    cdef double x = (<const double*> a)[0], y = (<const double*> b)[0]
    return (x < y) - (x > y)
