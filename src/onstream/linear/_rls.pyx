"""Recursive least squares (Plackett, Biometrika 37, 1950): the update."""

from ..core.covariance cimport Covariance
from ..core.example cimport LEARNED, OVERFLOW, Example, feature, onstream_axpy
from ..core.memory cimport release, resize
from ..core.widths import too_wide
from ._state cimport LinearRegressorState

cdef double WIND_UP = 1e8  # how far forgetting may inflate P, as a multiple of its start


cdef class RLSState(LinearRegressorState):
    cdef double lam
    cdef double mu          # forgetting
    cdef Py_ssize_t most    # features it takes; 0: any number
    cdef bint joseph        # always update P in Joseph's form
    cdef double inflation   # product of 1 / mu over the steps that forgot: a new feature has inflation / lam
    cdef Covariance P
    cdef char* used         # 1: the row of P is no longer that of a new feature. Kept only if mu < 1
    cdef Py_ssize_t room    # rows that fit in `used`

    def __cinit__(self, bint intercept, *parameters):
        self.P = Covariance(intercept)
        self.inflation = 1.0

    def __init__(self, bint intercept, double lam, double mu, bint joseph, Py_ssize_t most):
        self.lam, self.mu, self.joseph, self.most = lam, mu, joseph, most

    def __dealloc__(self):
        release(self.used)

    cdef Py_ssize_t backup_bytes(self) noexcept:
        return -1  # P is large: checking X first costs less than a copy of P

    cdef int reserve(self, Py_ssize_t width) except -1:
        if 0 < self.most < width:
            raise too_wide(self.who, width, self.most, self.features)
        LinearRegressorState.reserve(self, width)
        self.P.reserve(width)
        if self.P.room > self.room:
            self.used = <char*> resize(self.used, self.room, self.P.room)
            self.room = self.P.room
        return 0

    cdef void extend(self, Py_ssize_t d) noexcept nogil:
        """Use d rows of P; those of new features are as if these had always been 0. Or go back to fewer."""
        self.P.extend(d, self.inflation / self.lam)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t known = self.P.d
        self.extend(max(known, e.width + self.P.offset))
        if LinearRegressorState.score_learn(self, e, out) != LEARNED:
            self.extend(known)
            return OVERFLOW
        return LEARNED

    cdef int update(self, const Example* e, double prediction) noexcept nogil:
        cdef double* u = self.P.u
        cdef double* bias = self.w.b
        cdef Py_ssize_t offset = self.P.offset
        # u = P x; the gain is g = c u with c = w / (mu + w x'u) for an example of importance w.
        cdef double xu = self.P.multiply(e)
        cdef double c = self.P.gain(xu, self.mu, e.weight)
        cdef double step = c * (e.y - prediction)
        if not self.P.can_shrink(xu, c, step, self.w.measure()):
            return OVERFLOW
        # w += g (y - w.x)
        onstream_axpy(self.w.v, u + offset, step, self.P.d - offset)
        if offset:
            bias[0] += step * u[0]
        # P -= g u'
        if self.joseph or self.P.rounded:
            self.P.shrink_safely(e, c)
        else:
            self.P.shrink(c)
        # P /= mu
        if self.mu < 1.0:
            self.note_use(e)
            self.forget()
        return LEARNED

    cdef void note_use(self, const Example* e) noexcept nogil:
        """Note which rows of P the example has changed: by their numbers, as `restore_own` must, too."""
        cdef Py_ssize_t i, row
        cdef double fresh = self.inflation / self.lam
        if self.P.offset and not self.used[0]:
            self.used[0] = not self.P.is_new_row(0, fresh)
        for i in range(e.n):
            row = feature(e, i) + self.P.offset
            if not self.used[row] and e.values[i] != 0.0:
                self.used[row] = not self.P.is_new_row(row, fresh)

    cdef void forget(self) noexcept nogil:
        """Divide P by mu, unless the mean variance of the used rows would pass WIND_UP / lam (wind-up).

        Rows never used do not count there, and stay equal to those of a new feature.
        """
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
        self.extend(self.features.width + self.P.offset)  # before any example no row is in use
        own = {"P": self.P.export(), "inflation": self.inflation}
        return {**LinearRegressorState.export_own(self), **own}

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
