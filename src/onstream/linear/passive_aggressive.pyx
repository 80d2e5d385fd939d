"""Passive-aggressive classification, in its three variants."""

from ..core.example cimport LEARNED, OVERFLOW, Example, sqnorm
from ..core.scores cimport best_wrong
from ..core.weights cimport add, add_pair
from ..core.rules.pa cimport StepSize, step_size
from .state cimport LinearClassifierState
from libc.math cimport INFINITY

from .aggressiveness import check_pa
from .state import LinearClassifier


class PAClassifier(LinearClassifier):
    """Passive-aggressive classifier (Crammer et al., JMLR 7, 2006).

    Passive while the margin is at least 1; otherwise it makes the smallest change of the weights
    that restores it. With more than two labels the margin is that of the true label over the
    best-scored wrong one.

    Parameters
    ----------
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
        More labels than this are refused: most likely y is a number to be predicted.
    init : PAClassifier or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = PAClassifier(C=0.5)
    >>> model.learn_one({"free": 1, "offer": 1}, True)
    >>> model.learn_one({"meeting": 1, "offer": 1}, False)
    >>> model.predict_one({"free": 1})
    True
    """

    def __init__(
        self, *, variant="PA-I", C=1.0, intercept=True, hash_bits=None, hash_seed=0, labels=None,
        max_labels=10_000, init=None, reset_schedule=False,
    ):
        check_pa(self, variant, C)
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef PAState state = PAState(self.intercept)
        state.C = self.C
        state.step = step_size(self.variant)
        return state


cdef class PAState(LinearClassifierState):
    cdef double C
    cdef StepSize step  # from loss and squared length to the step

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double C = self.C * e.weight, loss, norm
        cdef int q = 0
        if self.w.k == 1:
            loss = 1.0 - e.y * f[0]
        else:
            q = best_wrong(f, e.label, self.w.k)
            loss = 1.0 - (f[e.label] - f[q])
        if loss <= 0.0:
            return LEARNED
        norm = sqnorm(e) + self.w.intercept
        if not norm < INFINITY:
            return OVERFLOW
        if norm == 0.0:
            return LEARNED
        if self.w.k == 1:
            return add(self.w, e, e.y * self.step(loss, norm, C), 1.0)
        return add_pair(self.w, e, e.label, q, self.step(loss, 2.0 * norm, C), 1.0)
