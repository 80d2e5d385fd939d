"""Recursive least squares: the exact ridge solution after every example."""

from libc.math cimport fabs, sqrt
from libc.string cimport memcpy

import numpy as np

from ..core.example cimport (
    LEARNED,
    OVERFLOW,
    Example,
    onstream_axpy,
    onstream_dot,
    onstream_gather_dot,
    onstream_peak,
)
from ..core.memory cimport release, resize, roomier
from .state cimport LinearRegressorState

from ..base.checks import flag, number
from ..base.errors import NotMergeable
from ..base.union import union_of_features
from .state import LinearRegressor

cdef double SAFE = 1e300   # no number of the state passes it
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
    forgetting : float in (0, 1], default 1.0
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
        self.forgetting = number(self, "forgetting", forgetting, above=0.0, most=1.0)
        self.joseph = flag(self, "joseph", joseph)
        self._check_common(intercept, hash_bits, hash_seed)
        self._begin(init, reset_schedule)

    def _new_state(self):
        cdef RLSState state = RLSState(*self._state_arguments())
        state.lam, state.mu, state.joseph = self.lam, self.forgetting, self.joseph
        return state

    @property
    def P(self):
        """The inverse of the regularised covariance sum (d x d, in the order of `weights`, the
        intercept first)."""
        return self._state.snapshot()["P"]

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
    cdef Py_ssize_t offset  # 1 if there is an intercept: it stands first in P
    cdef Py_ssize_t d       # rows of P in use
    cdef Py_ssize_t room    # rows that fit
    cdef double* P          # room x room, symmetric
    cdef double* u          # P x
    cdef double* g          # gain, or a scaled copy of u

    def __cinit__(self, str who, hash_bits, hash_seed, bint intercept):
        self.offset = intercept
        self.inflation = 1.0
        self.d = self.room = 0
        self.P = self.u = self.g = NULL

    def __dealloc__(self):
        release(self.P)
        release(self.u)
        release(self.g)

    cdef Py_ssize_t burden(self) noexcept:
        return -1  # P is large, and its update dwarfs another look at X

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room, needed = width + self.offset, i
        cdef double* P
        LinearRegressorState.reserve(self, width)
        if needed <= self.room:
            return 0
        room = needed if self.room == 0 else roomier(self.room, needed)
        self.u = <double*> resize(self.u, self.room * sizeof(double), room * sizeof(double))
        self.g = <double*> resize(self.g, self.room * sizeof(double), room * sizeof(double))
        P = <double*> resize(NULL, 0, room * room * sizeof(double))
        for i in range(self.d):
            memcpy(P + i * room, self.P + i * self.room, self.d * sizeof(double))
        release(self.P)
        self.P, self.room = P, room
        return 0

    cdef void extend(self, Py_ssize_t d) noexcept nogil:
        """d rows in use; new ones as if they had been 0 from the start. Or back to fewer."""
        while self.d < d:
            self.P[self.d * self.room + self.d] = self.inflation / self.lam
            self.d += 1
        while self.d > d:
            self.d -= 1
            self.P[self.d * self.room + self.d] = 0.0

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t known = self.d
        self.extend(max(known, e.width + self.offset))
        if LinearRegressorState.score_learn(self, e, out) != LEARNED:
            self.extend(known)
            return OVERFLOW
        return LEARNED

    cdef int update(self, const Example* e, double prediction) noexcept nogil:
        cdef Py_ssize_t i, id, d = self.d
        cdef double xu, c, step, biggest, lost
        cdef double* bias = self.w.b
        cdef bint rounded
        # u = P x, row by row of the symmetric P
        for i in range(d):
            self.u[i] = self.P[i] if self.offset else 0.0
        for i in range(e.n):
            id = (e.ids[i] if e.ids != NULL else i) + self.offset
            onstream_axpy(self.u, self.P + id * self.room, e.values[i], d)
        if e.ids == NULL:
            xu = onstream_dot(self.u + self.offset, e.values, e.n)
        else:
            xu = onstream_gather_dot(self.u + self.offset, e.ids, e.values, e.n)
        xu += self.u[0] if self.offset else 0.0
        rounded = xu < 0.0  # it cannot be, but for rounding
        xu = max(xu, 0.0)
        # gain g = w P x / (mu + w x'P x), with importance w
        c = e.weight / (self.mu + e.weight * xu)
        step = c * (e.y - prediction)
        biggest = onstream_peak(self.u, d)
        if not (xu < SAFE and biggest < SAFE and c * biggest < SAFE
                and self.w.measure() + fabs(step) * biggest < SAFE):
            return OVERFLOW
        for i in range(d):  # P loses c u u': more than there is of it only by rounding
            lost = c * self.u[i] * self.u[i]
            if not lost <= 2.0 * self.P[i * self.room + i]:
                return OVERFLOW
            rounded |= self.P[i * self.room + i] <= lost
        onstream_axpy(self.w.v, self.u + self.offset, step, d - self.offset)
        if self.offset:
            bias[0] += step * self.u[0]
        if self.joseph or rounded:  # Joseph's form stays positive whatever the rounding
            self.update_joseph(e, c, self.mu / (self.mu + e.weight * xu))
        else:
            self.update_plain(c)
        return LEARNED

    cdef void update_plain(self, double c) noexcept nogil:
        """P = (P - c u u') / mu. With g = sqrt(c) u both triangles get the same bits."""
        cdef Py_ssize_t i
        cdef double root = sqrt(c)
        for i in range(self.d):
            self.g[i] = root * self.u[i]
        for i in range(self.d):
            onstream_axpy(self.P + i * self.room, self.g, -self.g[i], self.d)
        self.forget()

    cdef void update_joseph(self, const Example* e, double c, double kept) noexcept nogil:
        """P = ((I - g x') P (I - g x')' + (mu / w) g g') / mu, then symmetrised.

        (mu / w) g is kept * u, which no weight can overflow.
        """
        cdef Py_ssize_t i, j
        cdef double v
        cdef double* row
        for i in range(self.d):
            self.g[i] = c * self.u[i]
        for i in range(self.d):
            row = self.P + i * self.room
            onstream_axpy(row, self.u, -self.g[i], self.d)  # (I - g x') P
            if e.ids == NULL:
                v = onstream_dot(row + self.offset, e.values, e.n)
            else:
                v = onstream_gather_dot(row + self.offset, e.ids, e.values, e.n)
            v += row[0] if self.offset else 0.0
            onstream_axpy(row, self.g, kept * self.u[i] - v, self.d)
        for i in range(self.d):
            for j in range(i):
                v = 0.5 * (self.P[i * self.room + j] + self.P[j * self.room + i])
                self.P[i * self.room + j] = self.P[j * self.room + i] = v
        self.forget()

    cdef void forget(self) noexcept nogil:
        """P /= mu, unless that would wind P up: then the step goes without."""
        cdef Py_ssize_t i, j
        cdef double trace = 0.0
        if self.mu == 1.0:
            return
        for i in range(self.d):
            trace += self.P[i * self.room + i]
        if trace / self.mu > WIND_UP * self.d / self.lam:
            return
        self.inflation = min(self.inflation / self.mu, WIND_UP)
        for i in range(self.d):
            for j in range(self.d):
                self.P[i * self.room + j] /= self.mu

    def export(self):
        cdef Py_ssize_t i, j, d = self.door.width + self.offset
        P = np.empty((d, d))
        cdef double[:, ::1] out = P
        self.reserve(self.door.width)
        self.extend(d)  # a learner without any example has none in use
        for i in range(d):
            for j in range(d):
                out[i, j] = self.P[i * self.room + j]
        return {**LinearRegressorState.export(self), "P": P, "inflation": self.inflation}

    def restore(self, fields):
        cdef Py_ssize_t i, j
        LinearRegressorState.restore(self, fields)
        d = self.door.width + self.offset
        cdef const double[:, ::1] P = np.ascontiguousarray(fields.array("P", (d, d)))
        if not np.array_equal(P, np.asarray(P).T):
            raise ValueError("P is not symmetric")
        self.inflation = fields.number("inflation", 1.0, WIND_UP)
        self.reserve(self.door.width)
        self.extend(d)
        for i in range(d):
            for j in range(d):
                self.P[i * self.room + j] = P[i, j]

    def memory(self):
        held = (self.room + 2) * self.room * sizeof(double)
        return LinearRegressorState.memory(self) + held


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
