"""Online gradient descent on the hinge loss with kernels: on a budget (BOGD), by Nyström features
(NOGD), by random Fourier features (FOGD). A loss adds eta y K(x, .) to f."""

from cpython.exc cimport PyErr_SetInterrupt
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.float cimport DBL_MAX
from libc.math cimport cos, fabs, sin, sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from ...core.arrays cimport doubles, fill, floats, matrix
from ...core.classifier cimport ClassifierState
from ...core.example cimport (
    LEARNED, NO_MEMORY, OVERFLOW, SAFE, Example, feature, onstream_axpy, onstream_dot, onstream_scores,
)
from ...core.gaussian cimport gaussian
from ...core.hashing cimport hash_bytes, seeded
from ...core.memory cimport release, resize
from .._expansion cimport kernel_sum
from .._supports cimport CompiledKernel, draw, grown
from ._one_vs_rest cimport BudgetMachine


cdef double SMALLEST = 1e-300  # coefficients that have decayed below are 0


cdef class BOGDMachine(BudgetMachine):
    """Every round all coefficients decay; a loss adds a support. Full: support r is drawn with probability
    p_r and goes, and the others are divided by 1 - p_i, so that f stays the same on average."""

    cdef double eta, decay
    cdef double cap        # largest |coefficient|
    cdef bint uniform      # all are drawn with the same probability
    cdef uint64_t seed
    cdef int64_t draws
    cdef Py_ssize_t slot   # planned: of the new support; its tau is 0 if there is only decay

    def __cinit__(self, CompiledKernel compiled, budget, double eta, double lam, str removal, cap, seed):
        self.eta, self.decay = eta, 1.0 - eta * lam
        self.cap = SAFE if cap is None else cap * eta
        self.uniform = removal == "uniform"
        self.seed = seed

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        cdef Py_ssize_t i
        self.pending = True
        self.tau = 0.0
        if 1.0 - y * f > 0.0:
            self.tau = min(self.eta * e.weight, self.cap) * y
            self.slot = self.s.n
            if not self.make_room(e):
                return NO_MEMORY
            if self.s.n == self.budget:
                self.keep_probabilities(self.other)
                self.slot = self.draw_support(self.other)
                for i in range(self.s.n):
                    if i != self.slot and not fabs(self.a[i] / self.other[i]) < SAFE:
                        return OVERFLOW
        return LEARNED

    cdef void keep_probabilities(self, double* keep) noexcept nogil:
        """1 - p_i: the same for all, or min(1, s c_i) with c_i = |a_i| sqrt(K_ii) and s such that
        their sum is budget - 1."""
        cdef Py_ssize_t i, n = self.s.n, free = n, still
        cdef double sum_, wanted = n - 1.0
        for i in range(n):
            keep[i] = 1.0 - 1.0 / n if self.uniform else -fabs(self.a[i]) * sqrt(max(0.0, self.s.self_k[i]))
        if self.uniform:
            return
        # A negative entry is -c_i, not decided yet. Fix at 1 those that s would raise above, and repeat.
        while free:
            sum_, still = 0.0, free
            for i in range(n):
                if keep[i] <= 0.0:
                    sum_ -= keep[i]
            for i in range(n):
                if keep[i] <= 0.0 and wanted * -keep[i] >= sum_ and sum_ > 0.0 and free > 1:
                    keep[i] = 1.0
                    still -= 1
            wanted -= free - still
            if still == free or still == 0:
                break
            free = still
        sum_ = 0.0
        for i in range(n):
            if keep[i] <= 0.0:
                sum_ -= keep[i]
        for i in range(n):
            if keep[i] <= 0.0:
                keep[i] = min(1.0, max(0.0, wanted * (-keep[i] / sum_ if sum_ > 0.0 else 1.0 / max(1, free))))

    cdef Py_ssize_t draw_support(self, const double* keep) noexcept nogil:
        """The support that goes, drawn with the probabilities 1 - keep."""
        cdef double at = (draw(self.seed, self.draws) >> 11) * (1.0 / 9007199254740992.0), sum_ = 0.0
        cdef Py_ssize_t i, last = 0
        for i in range(self.s.n):
            sum_ += 1.0 - keep[i]
        at *= sum_
        for i in range(self.s.n):
            if keep[i] < 1.0:
                last = i
                at -= 1.0 - keep[i]
                if at < 0.0:
                    break
        return last

    cdef void commit(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(self.s.n):
            self.a[i] = self.a[i] * self.decay if fabs(self.a[i]) > SMALLEST else 0.0
        if self.tau == 0.0:
            return
        if self.slot < self.s.n:
            self.draws += 1
            for i in range(self.s.n):
                if i != self.slot and self.other[i] > 0.0:
                    self.a[i] = max(-self.cap, min(self.cap, self.a[i] / self.other[i]))
        self.place(self.slot, e, self.tau)

    def export(self):
        return {**BudgetMachine.export(self), "draws": self.draws}

    def restore(self, fields, width, who):
        BudgetMachine.restore(self, fields, width, who)
        self.draws = fields.integer("draws", 0)


cdef class NOGDMachine(BudgetMachine):
    """Kernel gradient descent until the budget is full; from then on in the space of the supports'
    leading eigenvectors: z = P k(x) with P = L^-1/2 U', f = w.z = (P'w).k(x), so that the coefficients
    a = P'w hold w."""

    cdef double eta
    cdef Py_ssize_t rank
    cdef Py_ssize_t found  # rows of P
    cdef Py_ssize_t ready  # the same, planned: of the P that comes with the last support
    cdef double* P         # rank x room
    cdef double* z         # features of the example

    def __cinit__(self, CompiledKernel compiled, budget, Py_ssize_t rank, double eta):
        self.eta, self.rank = eta, min(rank, budget)

    def __dealloc__(self):
        release(self.P)
        release(self.z)

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        cdef Py_ssize_t j
        cdef int status
        if not 1.0 - y * f > 0.0:
            return LEARNED
        self.tau = self.eta * e.weight * y
        if not fabs(self.tau) < SAFE:
            return OVERFLOW
        if self.s.n < self.budget:
            if not self.make_room(e):
                return NO_MEMORY
            if self.s.n + 1 == self.budget:
                status = self.plan_features(e)
                if status != LEARNED:
                    return status
        elif self.found == 0:  # all kernel values are 0: there is no feature to learn with
            return LEARNED
        else:  # w += eta y z, that is a += eta y P'z
            for j in range(self.s.n):
                self.other[j] = self.a[j]
            for j in range(self.found):
                self.z[j] = onstream_dot(self.P + j * self.room, self.row, self.s.n)
                onstream_axpy(self.other, self.P + j * self.room, self.tau * self.z[j], self.s.n)
            for j in range(self.s.n):
                if not fabs(self.other[j]) < SAFE:
                    return OVERFLOW
        self.pending = True
        return LEARNED

    cdef void commit(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t j
        if self.s.n < self.budget:
            self.place(self.s.n, e, self.tau)
            if self.s.n < self.budget:
                return
            self.found = self.ready
            if self.s.compiled.n_medians:  # the features are those of this gamma
                self.s.compiled.first.close()
        for j in range(self.s.n):
            self.a[j] = self.other[j]

    cdef int plan_features(self, const Example* e) noexcept nogil:
        """Find the features with the example as the last support, for the time being. Not LEARNED: they
        cannot be found, and nothing is changed."""
        cdef Py_ssize_t used = self.s.used, width = self.s.compiled.width
        cdef int status = LEARNED
        self.place(self.s.n, e, self.tau)
        with gil:
            try:
                self.find_features()
            except BaseException as error:  # no memory, or no convergence: the example is refused
                status = NO_MEMORY if isinstance(error, (MemoryError, SystemError)) else OVERFLOW
                if isinstance(error, KeyboardInterrupt):
                    PyErr_SetInterrupt()  # raise it again, outside of nogil
        self.s.undo_put(used, width)
        return status if status != LEARNED or self.make_room(e) else NO_MEMORY

    def find_features(self):
        """P from the leading eigenvectors of the Gram matrix G = U L U', and the coefficients of f's
        projection on them in `other`."""
        cdef Py_ssize_t i, n = self.s.n
        gram = np.empty((n, n))
        for i in range(n):
            self.s.row_of(i, self.other)
            memcpy(doubles(gram) + i * n, self.other, n * sizeof(double))
        values, vectors = np.linalg.eigh((gram + gram.T) / 2.0)
        order = np.argsort(values)[::-1][: self.rank]
        order = order[values[order] > 1e-10 * values.max()]
        P = vectors[:, order].T / np.sqrt(values[order])[:, None]
        # w = L^1/2 U'a and a = P'w
        w = np.sqrt(values[order]) * (vectors[:, order].T @ floats(self.a, n))
        self.set_features(P)
        fill(self.other, (P.T @ w).reshape(1, n), n)

    def set_features(self, P):
        if not (
            grown(&self.P, 0, len(P) * self.room)
            and grown(&self.z, 0, len(P))
        ):
            raise MemoryError
        fill(self.P, P, self.room)
        self.ready = len(P)

    def export(self):
        return {**BudgetMachine.export(self), "features": matrix(self.P, self.found, self.s.n, self.room)}

    def restore(self, fields, width, who):
        BudgetMachine.restore(self, fields, width, who)
        P = fields.array("features", (-1, self.s.n))
        if len(P) > self.rank or (len(P) > 0 and self.s.n < self.budget):
            raise ValueError("the Nyström features do not fit")
        if len(P):
            self.set_features(P)
            self.found = self.ready

    def memory(self):
        return BudgetMachine.memory(self) + 8 * self.found * (self.room + 1)


cdef class FOGDState(ClassifierState):
    """w.z with z = (cos w_j.x, sin w_j.x) / sqrt(D); the random w_j of a feature depend on its name."""

    cdef double eta, gamma
    cdef uint64_t seed
    cdef Py_ssize_t D        # directions
    cdef Py_ssize_t stride   # the same, rounded up
    cdef double* omega       # feature-major: direction j of feature i is omega[i * stride + j]
    cdef Py_ssize_t rows     # features that have their directions
    cdef double* w           # 2 D weights for each column
    cdef Py_ssize_t k        # columns: 1, or one per label
    cdef Py_ssize_t room_labels  # columns that fit
    cdef double* before      # the single column, until the third label is committed
    cdef double* z           # features of the example being learned
    cdef double* f           # its scores
    cdef readonly CompiledKernel compiled  # with gamma="median": knows the first examples; otherwise None
    cdef double spread       # of the directions, if they are drawn for gamma = 1/2: sqrt(2 gamma)

    def __cinit__(self, Py_ssize_t n_components, gamma, double eta, seed, CompiledKernel compiled=None):
        self.D, self.eta, self.seed = n_components, eta, seed
        self.gamma = 0.5 if compiled is not None else gamma
        self.compiled = compiled
        self.spread = 1.0 if compiled is None else sqrt(2.0 * compiled.ops[0].gamma)
        self.stride = (n_components + 7) // 8 * 8
        self.share = 1.0
        self.k = self.room_labels = 1
        self.w = <double*> resize(NULL, 0, 2 * self.D * sizeof(double))
        self.z = <double*> resize(NULL, 0, (self.stride + self.D) * sizeof(double))
        self.f = <double*> resize(NULL, 0, sizeof(double))

    def __dealloc__(self):
        release(self.omega)
        release(self.w)
        release(self.before)
        release(self.z)
        release(self.f)

    cdef Py_ssize_t outputs(self) noexcept nogil:
        return self.k

    cdef int reserve(self, Py_ssize_t width) except -1:
        """Directions for all features."""
        cdef Py_ssize_t i, j
        cdef uint64_t key
        cdef double spread = sqrt(2.0 * self.gamma)
        if width > self.rows:
            self.omega = <double*> resize(
                self.omega, self.rows * self.stride * sizeof(double), width * self.stride * sizeof(double))
        for i in range(self.rows, width):
            name = i if i < self.features.implicit else self.features.names[i - self.features.implicit]
            name = str(name).encode()
            key = seeded(hash_bytes(<const unsigned char*> <const char*> name, len(name)), self.seed)
            for j in range(self.D):
                self.omega[i * self.stride + j] = spread * gaussian(key, j)
        self.rows = max(self.rows, width)  # last, since a name may raise an error
        return 0

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.rows = min(self.rows, width)
        return 0

    cdef int set_labels(self, Py_ssize_t n) except -1:
        """The third label makes -w and +w of w and starts at 0."""
        cdef Py_ssize_t k = n if n > 2 else 1, i, width = 2 * self.D
        if k > self.room_labels:
            self.f = <double*> resize(self.f, 0, k * sizeof(double))
            self.w = <double*> resize(self.w, self.k * width * sizeof(double), k * width * sizeof(double))
            self.room_labels = k
        if k > 1 and self.k == 1:
            self.before = <double*> resize(NULL, 0, width * sizeof(double))
            memcpy(self.before, self.w, width * sizeof(double))
            for i in range(width):
                self.w[width + i] = -self.first_sign * self.before[i] + 0.0
                self.w[i] = self.first_sign * self.before[i] + 0.0
        elif k == 1 and self.k > 1:
            memcpy(self.w, self.before, width * sizeof(double))
            self.commit_label()
        for i in range(k * width, self.k * width):
            self.w[i] = 0.0
        self.k = k
        return 0

    cdef int commit_label(self) except -1:
        release(self.before)
        self.before = NULL
        return 0

    cdef bint feature_map(self, const Example* e, double* z) noexcept nogil:
        """z = (cos w_j.x, sin w_j.x) / sqrt(D). False: an angle is not finite."""
        cdef Py_ssize_t j
        cdef double size = 1.0 / sqrt(<double> self.D), angle
        cdef double* angles = z + self.D
        if e.n == 0:
            for j in range(self.D):
                angles[j] = 0.0
        elif self.D == 1:  # the tiles of onstream_scores want more than one column
            angles[0] = 0.0
            for j in range(e.n):
                angles[0] += e.values[j] * self.omega[feature(e, j) * self.stride]
        else:
            onstream_scores(angles, self.omega, e.ids, e.values, e.n, self.D, self.stride)
        for j in range(self.D):
            angle = angles[j] * self.spread
            if not fabs(angle) <= DBL_MAX:
                return False
            z[j] = size * cos(angle)
            angles[j] = size * sin(angle)
        return True

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef double* z = <double*> PyMem_RawMalloc((self.stride + self.D) * sizeof(double))
        cdef Py_ssize_t r
        cdef bint fine
        if z == NULL:
            return NO_MEMORY
        fine = self.feature_map(e, z)
        for r in range(self.k):
            out[r] = kernel_sum(z, self.w + r * 2 * self.D, 2 * self.D) if fine else 0.0
        PyMem_RawFree(z)
        return LEARNED

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.score_learn(e, self.f)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t r, width = 2 * self.D
        cdef double y, step = self.eta * e.weight
        if self.compiled is not None and not self.compiled.hold(e):
            return NO_MEMORY
        if not self.feature_map(e, self.z):
            for r in range(self.k):
                out[r] = 0.0
            return OVERFLOW
        for r in range(self.k):
            out[r] = kernel_sum(self.z, self.w + r * width, width)
            if not fabs(out[r]) < DBL_MAX or not step < SAFE:
                return OVERFLOW
        for r in range(self.k * width if step > 1e200 else 0):  # no weight passes 1e300 by small steps
            if not fabs(self.w[r]) + step < SAFE:
                return OVERFLOW
        for r in range(self.k):  # a loss: w += eta y z
            y = e.y if self.k == 1 else 1.0 if e.label == r else -1.0
            if 1.0 - y * out[r] > 0.0:
                onstream_axpy(self.w + r * width, self.z, step * y, width)
        if self.compiled is not None:
            if self.compiled.watch(e):
                self.spread = sqrt(2.0 * self.compiled.ops[0].gamma)
        return LEARNED

    def minds_scales(self):
        return True

    def export_own(self):
        fields = {} if self.compiled is None else self.compiled.export()
        return {**fields, "weights": matrix(self.w, self.k, 2 * self.D, 2 * self.D)}

    def restore_own(self, fields):
        if self.compiled is not None:
            self.compiled.restore(fields)
            self.spread = sqrt(2.0 * self.compiled.ops[0].gamma)
        fill(self.w, fields.array("weights", (self.k, 2 * self.D)), 2 * self.D)

    def memory(self):
        numbers = self.rows * self.stride + self.k * 2 * self.D + self.stride + self.D + max(1, self.n_labels)
        held = 0 if self.compiled is None else self.compiled.memory()
        return ClassifierState.memory(self) + 8 * numbers + held
