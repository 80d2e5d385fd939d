"""The shifting perceptron: old mistakes fade, so that it follows a moving target."""

from libc.stdint cimport int64_t

from ..core.example cimport LEARNED, Example
from ..core.scores cimport best_wrong
from ..core.weights cimport add, add_pair
from ._state cimport LinearClassifierState

from ..base.checks import positive
from .base import LinearClassifier


class ShiftingPerceptron(LinearClassifier):
    """Shifting perceptron (Cavallanti, Cesa-Bianchi & Gentile, Machine Learning 69, 2007).

    At its k-th mistake (k = 0, 1, ...) the weights become (1 - s) w + s y x with
    s = lam / (lam + k): an average of the mistakes in which the old ones fade. With more than two
    labels the true label gains s x / 2 and the best-scored wrong one loses it.

    Parameters
    ----------
    lam : float > 0, default 10.0
        How fast it forgets: raise it for fast drift. 1 is the plain perceptron.
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
    init : ShiftingPerceptron or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        With `init`: count k from 0 again, so that the next mistake replaces all before.

    Examples
    --------
    >>> model = ShiftingPerceptron(lam=2.0, intercept=False)
    >>> for x in ({"a": 1}, {"b": 1}, {"c": 1}):
    ...     model.learn_one(x, True)
    >>> {name: round(weight, 6) for name, weight in model.weights.items()}
    {'a': 0.166667, 'b': 0.333333, 'c': 0.5}
    >>> model.updates
    3
    """

    def __init__(
        self, *, lam=10.0, intercept=True, hash_bits=None, hash_seed=0, labels=None,
        max_labels=10_000, init=None, reset_schedule=False,
    ):
        self.lam = positive(self, "lam", lam, "It is how fast old mistakes fade; try 10.")
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef ShiftingState state = ShiftingState(self.intercept)
        state.w.appended = True  # the intercept fades like every weight
        state.lam = self.lam
        return state

    @property
    def updates(self):
        """How many examples changed the weights: k."""
        return (<ShiftingState> self._model.readable_state()).updates

    def _merged(self, mine, theirs):
        return {**super()._merged(mine, theirs), "updates": mine["updates"] + theirs["updates"]}


cdef class ShiftingState(LinearClassifierState):
    cdef double lam
    cdef readonly int64_t updates

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double share = self.lam / (self.lam + self.updates)
        cdef int q, status
        if self.w.k == 1:
            if e.y * f[0] > 0.0:
                return LEARNED
            status = add(self.w, e, share * e.weight * e.y, 1.0 - share)
        else:
            q = best_wrong(f, e.label, self.w.k)
            if f[e.label] > f[q]:
                return LEARNED
            status = add_pair(self.w, e, e.label, q, 0.5 * share * e.weight, 1.0 - share)
        if status == LEARNED:
            self.updates += 1
        return status

    def reset_schedule(self):
        LinearClassifierState.reset_schedule(self)
        self.updates = 0

    def export_own(self):
        return {**LinearClassifierState.export_own(self), "updates": self.updates}

    def restore_own(self, fields):
        LinearClassifierState.restore_own(self, fields)
        self.updates = fields.integer("updates", 0, self.seen)
