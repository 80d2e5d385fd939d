"""Cost-sensitive passive-aggressive classification: some mistakes are worse than others."""

from libc.math cimport INFINITY, sqrt

from ..core.example cimport LEARNED, OVERFLOW, Example, sqnorm
from ..core.memory cimport release, resize, roomier
from ..core.weights cimport add, add_pair
from ..core.rules.pa cimport StepSize, step_size
from ._state cimport LinearClassifierState

from ..base.checks import choice
from .aggressiveness import check_pa
from .base import LinearClassifier
from .user_functions import check_function, cost_of


class CostSensitivePA(LinearClassifier):
    """Cost-sensitive passive-aggressive classifier (Crammer et al., JMLR 7, 2006, section 8).

    The margin over a wrong label r must be the root of cost(y, r): dear mistakes are kept further
    away. The costs of all that it predicts never add up to more than its squared losses.

    Parameters
    ----------
    cost : function of two labels or None, default None
        cost(y, r) >= 0: the price of saying r where y is true. None: 1 for every mistake. It is
        asked once for every pair of labels.
    mode : {"prediction", "max-loss"}, default "prediction"
        Which wrong label a lesson is about: the one that was predicted (nothing is learned where
        that is right), or the one with the largest loss.
    variant : {"PA-I", "PA", "PA-II"}, default "PA-I"
        How far one example may push: "PA" all the way, "PA-I" at most C, "PA-II" softened by C.
        "PA" suits clean data only.
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when labels are noisy.
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
        More labels than this are refused: most likely y is a number to be predicted. With a
        `cost`, memory grows with the square of their number.
    init : CostSensitivePA or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = CostSensitivePA(cost=lambda y, r: 4.0 if y == "ill" else 1.0, mode="max-loss",
    ...                         variant="PA", intercept=False, labels=["ill", "well"])
    >>> model.learn_one({"cough": 1}, "ill")
    >>> model.score_one({"cough": 1})  # a margin of 2, since missing it would cost 4
    -2.0
    """

    def __init__(
        self, *, cost=None, mode="prediction", variant="PA-I", C=1.0, intercept=True,
        hash_bits=None, hash_seed=0, labels=None, max_labels=10_000, init=None,
        reset_schedule=False,
    ):
        self.cost = None if cost is None else check_function(self, "cost", cost, 2)
        self.mode = choice(self, "mode", mode, ("prediction", "max-loss"))
        check_pa(self, variant, C)
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef CostState state = CostState(self.intercept)
        state.C, state.step = self.C, step_size(self.variant)
        state.cost, state.calls_user_code = self.cost, self.cost is not None
        state.worst = self.mode == "max-loss"
        return state


cdef class CostState(LinearClassifierState):
    cdef double C
    cdef StepSize step         # from loss and squared length to the step
    cdef bint worst        # a lesson is about the largest loss
    cdef object cost       # of the user; None: 1 for every mistake
    cdef double* roots     # sqrt(cost(y, r)) at y * room + r
    cdef Py_ssize_t known  # labels whose costs were asked for
    cdef Py_ssize_t room   # labels that fit

    def __cinit__(self, *args):
        self.roots = NULL
        self.known = self.room = 0

    def __dealloc__(self):
        release(self.roots)

    cdef int set_labels(self, Py_ssize_t n) except -1:
        if self.cost is not None:
            self.make_room(n)
            self.known = min(self.known, n)
            while self.known < n:
                self.ask(self.known)
                self.known += 1
        return LinearClassifierState.set_labels(self, n)

    cdef int make_room(self, Py_ssize_t n) except -1:
        cdef Py_ssize_t room, y, r
        cdef double* roots
        if n <= self.room:
            return 0
        room = roomier(self.room, n)
        roots = <double*> resize(NULL, 0, room * room * sizeof(double))
        for y in range(self.known):
            for r in range(self.known):
                roots[y * room + r] = self.roots[y * self.room + r]
        release(self.roots)
        self.roots, self.room = roots, room
        return 0

    cdef int ask(self, Py_ssize_t new) except -1:
        """The costs of a new label against those before."""
        cdef Py_ssize_t old
        names = self.labels.names
        for old in range(new):
            self.roots[new * self.room + old] = sqrt(
                cost_of(self.who, self.cost, names[new], names[old]))
            self.roots[old * self.room + new] = sqrt(
                cost_of(self.who, self.cost, names[old], names[new]))
        return 0

    def restore_own(self, fields):
        LinearClassifierState.restore_own(self, fields)
        self.known = min(self.known, self.n_labels)

    cdef double root(self, int y, int r) noexcept nogil:
        return 1.0 if self.roots == NULL else self.roots[y * self.room + r]

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double norm = sqnorm(e) + self.w.intercept
        cdef double C = self.C * e.weight, loss
        cdef int y = e.label, r
        if not norm < INFINITY:
            return OVERFLOW
        if self.n_labels < 2 or norm == 0.0:
            return LEARNED
        if self.w.k == 1:  # f is the difference of the two rows
            r = 1 - y
            if not self.worst and self.binary_choice(f[0]) == y:
                return LEARNED
            loss = self.root(y, r) - e.y * f[0]
            if loss <= 0.0:
                return LEARNED
            return add(self.w, e, 2.0 * e.y * self.step(loss, 2.0 * norm, C), 1.0)
        r = self.worst_label(f, y) if self.worst else self.decide_now(f)
        if r == y:
            return LEARNED
        loss = f[r] - f[y] + self.root(y, r)
        return add_pair(self.w, e, y, r, self.step(loss, 2.0 * norm, C), 1.0) if loss > 0.0 else LEARNED

    cdef int decide_now(self, const double* f) noexcept nogil:
        """The label that would be predicted, also before any example."""
        cdef int r, best = 0
        for r in range(1, <int> self.w.k):
            if f[r] > f[best]:
                best = r
        return best

    cdef int worst_label(self, const double* f, int y) noexcept nogil:
        """The label with the largest loss; y, whose loss is 0, if no other is larger."""
        cdef int r, best = y
        cdef double loss, most = 0.0
        for r in range(<int> self.w.k):
            loss = f[r] - f[y] + self.root(y, r)
            if r != y and loss > most:
                best, most = r, loss
        return best

    def memory(self):
        return LinearClassifierState.memory(self) + self.room * self.room * sizeof(double)
