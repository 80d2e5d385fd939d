"""Ultraconservative multiclass learners: only the true label and those that beat it may move.

RowBuffer r of the weights moves by tau_r * x, and the tau_r sum to 0. Two labels need one row only, the
difference of the two: what it gains is twice what each of the two would.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport qsort

from ..core.example cimport LEARNED, OVERFLOW, Example, sqnorm
from ..core.memory cimport release, resize
from ..core.scores cimport best_wrong
from ..core.weights cimport add, add_columns, add_pair
from ._state cimport LinearClassifierState

from ..base.checks import choice, number, positive
from .base import LinearClassifier

ctypedef double (*Blame)(double lead, double top) noexcept nogil


class MulticlassPerceptron(LinearClassifier):
    """Multiclass perceptron (Crammer & Singer, JMLR 3, 2003): learns from its mistakes only.

    Whenever the true label does not win, its weights gain x, and the labels that scored at least
    as high share the loss of x as `update` says. If some weights of length 1 separate all
    examples by gamma, it makes at most 2 R^2 / gamma^2 mistakes, whatever the order.

    Parameters
    ----------
    update : {"max", "uniform", "proportional"}, default "max"
        Who pays: the best-scored label, all that beat the true one in equal shares, or in
        proportion to how far they beat it. "uniform" suits noisy data.
    intercept : bool, default True
        Append a constant 1 to every example; its weight is `bias`.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : MulticlassPerceptron or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = MulticlassPerceptron(labels=["dog", "cat", "bird"])
    >>> model.learn_one({"fur": 1, "purrs": 1}, "cat")
    >>> model.learn_one({"wings": 1}, "bird")
    >>> model.predict_one({"purrs": 1})
    'cat'
    """

    def __init__(
        self, *, update="max", intercept=True, hash_bits=None, hash_seed=0, labels=None,
        max_labels=10_000, init=None, reset_schedule=False,
    ):
        self.update = choice(self, "update", update, ("max", "uniform", "proportional"))
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef PerceptronState state = PerceptronState(self.intercept)
        state.worst_only = self.update == "max"
        state.blame = proportional if self.update == "proportional" else uniform
        return state


cdef double uniform(double lead, double top) noexcept nogil:
    return 1.0


cdef double proportional(double lead, double top) noexcept nogil:
    return lead / top if top > 0.0 else 1.0  # nobody leads: all are tied


cdef class PerceptronState(LinearClassifierState):
    cdef bint worst_only
    cdef Blame blame  # share of a label, given its lead over the true one and the largest lead

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef int y = e.label, q, r
        if self.w.k == 1:
            return add(self.w, e, 2.0 * e.weight * e.y, 1.0) if e.y * f[0] <= 0.0 else LEARNED
        q = best_wrong(f, y, self.w.k)
        if f[q] < f[y]:
            return LEARNED
        if self.worst_only:
            return add_pair(self.w, e, y, q, e.weight, 1.0)
        shared_blame(f, y, q, self.w.k, self.blame, self.steps)
        for r in range(self.w.k):
            self.steps[r] *= e.weight
        return add_columns(self.w, e, self.steps, 1.0)


cdef void shared_blame(const double* f, int y, int q, Py_ssize_t k, Blame blame, double* tau) noexcept nogil:
    """tau: 1 for y, and the shares of those that score no less, which sum to -1; q leads."""
    cdef double top = 0.5 * f[q] - 0.5 * f[y], total = 0.0  # halves: no difference can overflow
    cdef Py_ssize_t r
    for r in range(k):
        tau[r] = blame(0.5 * f[r] - 0.5 * f[y], top) if r != y and f[r] >= f[y] else 0.0
        total += tau[r]
    for r in range(k):
        tau[r] /= -total
    tau[y] = 1.0


class MIRA(LinearClassifier):
    """Margin infused relaxed algorithm (Crammer & Singer, JMLR 3, 2003).

    After each mistake it takes the weights that are smallest, among all that moving the rows by
    multiples of x can reach: the true label gains at most x, what it gains the others lose. With
    beta > 0 it learns whenever the margin is below beta, and then predicts just what
    `ExactMulticlassPA(C=1/beta)` does, with weights beta times as large.

    Zero weights are the smallest, so with beta = 0 it could never leave them; while all are zero
    it makes the uniform perceptron's step.

    Parameters
    ----------
    beta : float >= 0, default 0.0
        Margin below which it learns; 0 is the original algorithm. Lower values learn more slowly.
    intercept : bool, default True
        Append a constant 1 to every example; its weight is `bias`.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : MIRA or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = MIRA()
    >>> model.learn_one({"cloudy": 1, "wind": 4}, "rain")
    >>> model.learn_one({"sunny": 1, "wind": 2}, "dry")
    >>> model.predict_one({"cloudy": 1, "wind": 3})
    'rain'
    """

    def __init__(
        self, *, beta=0.0, intercept=True, hash_bits=None, hash_seed=0, labels=None,
        max_labels=10_000, init=None, reset_schedule=False,
    ):
        self.beta = number(self, "beta", beta, least=0.0)
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef MiraState state = MiraState(self.intercept)
        state.beta, state.C = self.beta, 1.0
        return state


class ExactMulticlassPA(LinearClassifier):
    """Multiclass passive-aggressive classifier, PA-I with every label's constraint.

    `PAClassifier` restores the margin over the best-scored wrong label only, and another one may
    then stand in the way. This one makes the smallest change that restores the margin of 1 over
    all of them (or pays C for what is missing), in O(k log k) for k labels (Crammer et al.,
    JMLR 7, 2006; solved as in Crammer & Singer, JMLR 3, 2003).

    Parameters
    ----------
    C : float > 0 or infinity, default 1.0
        Aggressiveness: no row moves by more than C x. Lower it when labels are noisy. Infinity:
        the margin is restored whatever it takes (kept as 1e300, which no step may reach).
    intercept : bool, default True
        Append a constant 1 to every example; its weight is `bias`.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : ExactMulticlassPA or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = ExactMulticlassPA(C=1e300, labels=["dog", "cat", "bird"], intercept=False)
    >>> model.learn_one({"fur": 1, "purrs": 1}, "cat")
    >>> {label: round(score, 9) for label, score in model.score_one({"fur": 1, "purrs": 1}).items()}
    {'dog': -0.333333333, 'cat': 0.666666667, 'bird': -0.333333333}
    """

    def __init__(
        self, *, C=1.0, intercept=True, hash_bits=None, hash_seed=0, labels=None,
        max_labels=10_000, init=None, reset_schedule=False,
    ):
        if isinstance(C, float) and C == INFINITY:
            C = 1e300
        self.C = positive(self, "C", C, "It caps the step per example; 1.0 is a good start.")
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef MiraState state = MiraState(self.intercept)
        state.beta, state.C = 1.0, self.C
        return state


cdef class MiraState(LinearClassifierState):
    cdef double beta    # wanted margin
    cdef double C       # most that the true label may gain
    cdef bint moving    # known not to be all zero
    cdef double* losses  # room for a loss per label

    def __cinit__(self, *args):
        self.moving = False
        self.losses = <double*> resize(NULL, 0, sizeof(double))

    def __dealloc__(self):
        release(self.losses)

    cdef int set_labels(self, Py_ssize_t n) except -1:
        if n > self.room_labels:
            self.losses = <double*> resize(self.losses, 0, n * sizeof(double))
        return LinearClassifierState.set_labels(self, n)

    def restore_own(self, fields):
        LinearClassifierState.restore_own(self, fields)
        self.moving = False

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double norm = sqnorm(e) + self.w.intercept
        cdef double C = self.C * e.weight, loss
        cdef int y = e.label, status
        if not norm < INFINITY:
            return OVERFLOW
        if norm == 0.0:
            return LEARNED
        if self.beta == 0.0 and self.stuck(f):
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
        self.moving = False
        return status

    cdef bint stuck(self, const double* f) noexcept nogil:
        """Are all weights zero? Worth a look only if all scores are."""
        cdef Py_ssize_t r
        for r in range(self.w.k):
            if f[r] != 0.0:
                return False
        if not self.moving:
            self.moving = self.w.measure() > 0.0
        return not self.moving

    cdef int first_step(self, const Example* e, const double* f, double C) noexcept nogil:
        """The uniform perceptron's."""
        cdef Py_ssize_t r
        if self.w.k == 1:
            return add(self.w, e, 2.0 * C * e.y, 1.0)
        shared_blame(f, e.label, best_wrong(f, e.label, self.w.k), self.w.k, uniform, self.steps)
        for r in range(self.w.k):
            self.steps[r] *= C
        return add_columns(self.w, e, self.steps, 1.0)

    cdef bint solve(self, const double* f, int y, double norm, double C) noexcept nogil:
        """The best tau, into `steps`. False: nothing has to move."""
        cdef Py_ssize_t r, n = 0
        cdef double level, total = 0.0, loss
        for r in range(self.w.k):
            loss = self.beta - (f[y] - f[r])
            if r != y and loss > 0.0:
                self.losses[n] = loss
                n += 1
        if n == 0:
            return False
        qsort(self.losses, n, sizeof(double), descending)
        level = water_level(self.losses, n, C * norm)
        for r in range(self.w.k):
            loss = self.beta - (f[y] - f[r])
            self.steps[r] = -(loss - level) / norm if r != y and loss > level else 0.0
            total -= self.steps[r]
        self.steps[y] = total if level < INFINITY else INFINITY  # the latter will be refused
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
