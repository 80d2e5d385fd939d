"""Recursive least squares: the exact ridge solution after every example."""

import numpy as np

from ..core.covariance cimport Covariance
from ..core.example cimport LEARNED, OVERFLOW, Example, feature, onstream_axpy
from ..core.memory cimport release, resize
from ._state cimport LinearRegressorState

from ..base.checks import flag, number
from ..base.errors import NotMergeable
from ..base.union import union_of_features
from .base import LinearRegressor

cdef double WIND_UP = 1e8  # how far forgetting may inflate P, as a multiple of its start


class RLS(LinearRegressor):
    """Recursive least squares (Plackett, Biometrika 37, 1950): ridge regression, kept up to date.

    After n examples its weights are those of batch ridge regression on all of them, in whatever
    order they came; no example is stored. Costs O(d^2) time and memory for d features. The
    intercept is one more feature, and regularised like the others.

    Parameters
    ----------
    lam : float > 0, default 1.0
        Ridge penalty; lower it to trust the data sooner.
    forgetting : float from 1e-6 to 1, default 1.0
        Weight of an example after each further one. Below 1 (0.99, say) it follows drift.
    joseph : bool, default False
        Update P in Joseph's form: three times the work, positive whatever the rounding.
    intercept : bool, default True
        Append a constant 1 to every example; its weight is `bias`.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, at most 2**13, since memory is their square.
    hash_seed : int, default 0
        Seed of that hash.
    init : RLS or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = RLS(lam=1e-6)
    >>> for hours in (1.0, 2.0, 3.0):
    ...     model.learn_one({"hours": hours}, 5.0 + 2.0 * hours)
    >>> round(model.predict_one({"hours": 4.0}), 3)
    13.0
    """

    merge_kind = "exact"
    _most_hash_bits = 13

    def __init__(
        self, *, lam=1.0, forgetting=1.0, joseph=False, intercept=True, hash_bits=None,
        hash_seed=0, init=None, reset_schedule=False,
    ):
        self.lam = number(self, "lam", lam, least=1e-100, most=1e100)
        self.forgetting = number(self, "forgetting", forgetting, least=1e-6, most=1.0)
        self.joseph = flag(self, "joseph", joseph)
        self._check_common(intercept, hash_bits, hash_seed)
        self._begin(init, reset_schedule)

    def _new_state(self):
        cdef RLSState state = RLSState(self.intercept)
        state.lam, state.mu, state.joseph = self.lam, self.forgetting, self.joseph
        return state

    @property
    def P(self):
        """The inverse of the regularised covariance sum (d x d, in the order of `weights`, the
        intercept first)."""
        return self._model.snapshot()["P"]

    def _merged(self, mine, theirs):
        if self.forgetting < 1.0:
            raise NotMergeable(
                f"RLS: with forgetting={self.forgetting} the order of the examples matters, so two "
                f"learners cannot become one. Use forgetting=1.0."
            )
        return merge_exactly(mine, theirs, self.lam, self.intercept, self.hash_bits is not None)


cdef class RLSState(LinearRegressorState):
    cdef double lam
    cdef double mu          # forgetting
    cdef bint joseph
    cdef double inflation   # 1 / mu for every step that forgot: what a feature unseen so far knows
    cdef Covariance P
    cdef char* used         # 1: no longer as a feature unseen so far. Told only if mu < 1
    cdef Py_ssize_t room    # of them fit

    def __cinit__(self, bint intercept):
        self.P = Covariance(intercept)
        self.inflation = 1.0
        self.used = NULL
        self.room = 0

    def __dealloc__(self):
        release(self.used)

    cdef Py_ssize_t backup_bytes(self) noexcept:
        return -1  # P is large, and its update dwarfs another look at X

    cdef int reserve(self, Py_ssize_t width) except -1:
        LinearRegressorState.reserve(self, width)
        self.P.reserve(width)
        if self.P.room > self.room:
            self.used = <char*> resize(self.used, self.room, self.P.room)
            self.room = self.P.room
        return 0

    cdef void extend(self, Py_ssize_t d) noexcept nogil:
        """d rows in use; new ones as if they had been 0 from the start. Or back to fewer."""
        self.P.extend(d, self.inflation / self.lam)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t known = self.P.d
        self.extend(max(known, e.width + self.P.offset))
        if LinearRegressorState.score_learn(self, e, out) != LEARNED:
            self.extend(known)
            return OVERFLOW
        return LEARNED

    cdef int update(self, const Example* e, double prediction) noexcept nogil:
        """Gain g = w P x / (mu + w x'P x), with importance w."""
        cdef double* u = self.P.u
        cdef double* bias = self.w.b
        cdef Py_ssize_t offset = self.P.offset
        cdef double xu = self.P.multiply(e)
        cdef double c = self.P.gain(xu, self.mu, e.weight)
        cdef double step = c * (e.y - prediction)
        if not self.P.can_shrink(xu, c, step, self.w.measure()):
            return OVERFLOW
        onstream_axpy(self.w.v, u + offset, step, self.P.d - offset)
        if offset:
            bias[0] += step * u[0]
        if self.joseph or self.P.rounded:
            self.P.shrink_safely(e, c)
        else:
            self.P.shrink(c)
        if self.mu < 1.0:
            self.note_use(e)
            self.forget()
        return LEARNED

    cdef void note_use(self, const Example* e) noexcept nogil:
        """Rows that the example has changed. Asks P, not the values, so that `restore` can, too."""
        cdef Py_ssize_t i, row
        cdef double fresh = self.inflation / self.lam
        if self.P.offset and not self.used[0]:
            self.used[0] = not self.P.is_new_row(0, fresh)
        for i in range(e.n):
            row = feature(e, i) + self.P.offset
            if not self.used[row] and e.values[i] != 0.0:
                self.used[row] = not self.P.is_new_row(row, fresh)

    cdef void forget(self) noexcept nogil:
        """P /= mu, unless that would wind P up: then the step goes without. Rows never used have no
        say in that, and stay what a new feature's would be, which ends at WIND_UP."""
        cdef Py_ssize_t i, j, d = self.P.d, room = self.P.room, live = 0
        cdef double* P = self.P.P
        cdef double trace = 0.0
        for i in range(d):
            if self.used[i]:
                trace += P[i * room + i]
                live += 1
        if trace / self.mu > WIND_UP * live / self.lam:
            return
        self.inflation = min(self.inflation / self.mu, WIND_UP)
        for i in range(d):
            for j in range(d):
                P[i * room + j] /= self.mu
        if live < d:
            for i in range(d):
                if not self.used[i]:
                    P[i * room + i] = self.inflation / self.lam

    def export_own(self):
        self.reserve(self.features.width)
        self.extend(self.features.width + self.P.offset)  # without any example none is in use
        told = {"P": self.P.export(), "inflation": self.inflation}
        return {**LinearRegressorState.export_own(self), **told}

    def restore_own(self, fields):
        LinearRegressorState.restore_own(self, fields)
        d = self.features.width + self.P.offset
        self.inflation = fields.number("inflation", 1.0, WIND_UP)
        self.reserve(self.features.width)
        self.P.restore(fields.array("P", (d, d)))
        for i in range(d):
            self.used[i] = not self.P.is_new_row(i, self.inflation / self.lam)

    def memory(self):
        return LinearRegressorState.memory(self) + self.P.memory() + self.room


def inverted(P):
    """The inverse of a positive definite matrix."""
    try:
        np.linalg.cholesky(P)
        return np.linalg.inv(P)
    except np.linalg.LinAlgError:
        raise NotMergeable(
            "RLS: P is no longer positive definite, since features differ too much in size; "
            "scale them, or use joseph=True."
        ) from None


def merge_exactly(mine, theirs, lam, intercept, hashed):
    """Add up the sufficient statistics: A = A1 + A2 - lam I, b = A1 w1 + A2 w2."""
    union, places = union_of_features(mine, theirs)
    width = len(mine["weights"]) if hashed else union["implicit"] + len(union["features"])
    A = -lam * np.eye(width + intercept)
    b = np.zeros(width + intercept)
    for fields, at in ((mine, np.arange(len(mine["weights"]))), (theirs, places)):
        at = np.arange(width) if hashed else at
        at = np.concatenate([[0], at + 1]) if intercept else at
        w = np.concatenate([fields["bias"], fields["weights"][:, 0]]) if intercept else fields["weights"][:, 0]
        inverse = inverted(fields["P"])
        whole = lam * np.eye(width + intercept)
        whole[np.ix_(at, at)] = inverse
        A += whole
        b[at] += inverse @ w
    P = inverted(0.5 * (A + A.T))
    P = 0.5 * (P + P.T)
    w = P @ b
    counts = {name: mine[name] + theirs[name] for name in ("seen", "start")}
    bias = w[:1] if intercept else np.zeros(1)
    return {
        **mine, **union, **counts, "P": P, "bias": bias,
        "weights": w[int(intercept):].reshape(-1, 1), "scale": 1.0,
    }
