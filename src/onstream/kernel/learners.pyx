"""The updates of kernel learners whose supports have a coefficient for each label, and of those
that learn numbers. Their faces are in the Python files of the same names."""

from libc.math cimport fabs, pow, sqrt
from libc.stdint cimport int64_t, uint64_t

from ..core.example cimport LEARNED, OVERFLOW, Example
from .state cimport KernelClassifierState, KernelRegressorState, kernel_sum
from .supports cimport draw

ctypedef double (*Step)(double loss, double q, double C) noexcept nogil
ctypedef void (*Blame)(double* steps, const double* f, int label, Py_ssize_t k, double beta) noexcept nogil
ctypedef double (*Rate)(double eta, double power, double l2, double n) noexcept nogil


cdef int rival(const double* f, int label, Py_ssize_t k) noexcept nogil:
    """The best-scored label other than `label`; the earliest on ties."""
    cdef int r, best = 1 if label == 0 else 0
    for r in range(k):
        if r != label and f[r] > f[best]:
            best = r
    return best


# -- perceptrons -----------------------------------------------------------------------------------


cdef void blame_top(double* steps, const double* f, int label, Py_ssize_t k, double beta) noexcept nogil:
    """The best-scored wrong label loses 1."""
    cdef Py_ssize_t r
    for r in range(k):
        steps[r] = 0.0
    steps[rival(f, label, k)] = -1.0


cdef void blame_all(double* steps, const double* f, int label, Py_ssize_t k, double beta) noexcept nogil:
    """All labels above the margin lose the same."""
    cdef Py_ssize_t r, wrong = 0
    for r in range(k):
        wrong += r != label and f[label] - f[r] <= beta
    for r in range(k):
        steps[r] = -1.0 / wrong if r != label and f[label] - f[r] <= beta else 0.0


cdef void blame_by_score(double* steps, const double* f, int label, Py_ssize_t k, double beta) noexcept nogil:
    """Every label loses in proportion to how far it is above the true one."""
    cdef Py_ssize_t r
    cdef double excess = 0.0
    for r in range(k):
        excess += max(0.0, f[r] - f[label])
    if excess == 0.0:
        blame_all(steps, f, label, k, beta)
        return
    for r in range(k):
        steps[r] = -max(0.0, f[r] - f[label]) / excess


cdef class PerceptronState(KernelClassifierState):
    """A mistake makes the example a support. Beyond two labels the steps are halved: with two
    they would do just what the binary perceptron does."""

    cdef double beta
    cdef Blame blame

    def __cinit__(self, str who, hash_bits, hash_seed, max_labels, kernel, budget, double beta, str update, *args):
        self.beta = beta
        self.blame = blame_top if update == "max" else blame_all if update == "uniform" else blame_by_score

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef Py_ssize_t r
        if self.k == 1:
            if e.y * f[0] > self.beta:
                return LEARNED
            self.steps[0] = e.y * e.weight
            return self.store(e)
        if f[e.label] - f[rival(f, e.label, self.k)] > self.beta:
            return LEARNED
        self.blame(self.steps, f, e.label, self.k, self.beta)
        self.steps[e.label] = 1.0
        for r in range(self.k):
            self.steps[r] *= 0.5 * e.weight
        return self.store(e)


cdef class StoptronState(PerceptronState):
    """Full: nothing is learned any more."""

    cdef Py_ssize_t slot(self) noexcept nogil:
        return self.s.n if self.s.n < self.budget else -1


cdef class RandomizedState(PerceptronState):
    """Full: a support drawn at random makes room."""

    cdef uint64_t seed
    cdef int64_t draws

    def __cinit__(self, str who, hash_bits, hash_seed, max_labels, kernel, budget, beta, update, seed):
        self.seed = seed

    cdef Py_ssize_t slot(self) noexcept nogil:
        if self.s.n < self.budget:
            return self.s.n
        return <Py_ssize_t> ((draw(self.seed, self.draws) >> 32) * <uint64_t> self.budget >> 32)

    cdef void placed(self, Py_ssize_t slot) noexcept nogil:
        self.draws += self.s.n == self.budget

    def export(self):
        return {**PerceptronState.export(self), "draws": self.draws}

    def restore(self, fields):
        PerceptronState.restore(self, fields)
        self.draws = fields.integer("draws", 0)


cdef class LeastRecentState(PerceptronState):
    """Full: the oldest support makes room. The slots are a ring."""

    cdef int64_t oldest
    cdef bint full

    cdef Py_ssize_t slot(self) noexcept nogil:
        return self.s.n if self.s.n < self.budget else self.oldest

    cdef void placed(self, Py_ssize_t slot) noexcept nogil:
        if self.full:
            self.oldest = (slot + 1) % self.budget
        self.full = self.s.n == self.budget

    def export(self):
        return {**PerceptronState.export(self), "oldest": self.oldest}

    def restore(self, fields):
        PerceptronState.restore(self, fields)
        self.oldest = fields.integer("oldest", 0, self.budget - 1)
        self.full = self.s.n == self.budget


# -- passive-aggressive ------------------------------------------------------------------------------


cdef double pa(double loss, double q, double C) noexcept nogil:
    return loss / q


cdef double pa1(double loss, double q, double C) noexcept nogil:
    return min(C, loss / q)


cdef double pa2(double loss, double q, double C) noexcept nogil:
    return loss / (q + 1.0 / (2.0 * C))


cdef Step step_of(str variant):
    return pa2 if variant == "PA-II" else pa1 if variant == "PA-I" else pa


cdef class PAState(KernelClassifierState):
    cdef double C
    cdef Step step

    def __cinit__(self, str who, hash_bits, hash_seed, max_labels, kernel, budget, str variant, double C):
        self.C, self.step = C, step_of(variant)

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double C = self.C * e.weight, loss, step
        cdef Py_ssize_t r
        cdef int q
        if self.k == 1:
            loss = 1.0 - e.y * f[0]
            if not (loss > 0.0 and self.self_k > 0.0):
                return LEARNED
            self.steps[0] = e.y * self.step(loss, self.self_k, C)
            return self.store(e)
        q = rival(f, e.label, self.k)
        loss = 1.0 - (f[e.label] - f[q])
        if not (loss > 0.0 and self.self_k > 0.0):
            return LEARNED
        step = self.step(loss, 2.0 * self.self_k, C)
        for r in range(self.k):
            self.steps[r] = step if r == e.label else -step if r == q else 0.0
        return self.store(e)


cdef class PARegressorState(KernelRegressorState):
    cdef double C, epsilon
    cdef Step step

    def __cinit__(self, str who, hash_bits, hash_seed, kernel, budget, str variant, double C, double epsilon):
        self.C, self.epsilon, self.step = C, epsilon, step_of(variant)

    cdef int update(self, const Example* e, double f) noexcept nogil:
        cdef double loss = fabs(e.y - f) - self.epsilon, step
        if not (loss > 0.0 and self.self_k > 0.0):
            return LEARNED
        step = self.step(loss, self.self_k, self.C * e.weight)
        return self.store(e, step if e.y > f else -step)


# -- MIRA ----------------------------------------------------------------------------------------------


cdef class MIRAState(KernelClassifierState):
    """Minimise A/2 sum t_r^2 + sum (B_r - beta [r = y]) t_r under t_r <= C [r = y], sum t = 0, where
    A = K(x, x) and B = f: t = C [r = y] minus the projection of a vector v on a simplex."""

    cdef double beta

    def __cinit__(self, str who, hash_bits, hash_seed, max_labels, kernel, budget, double beta):
        self.beta = beta

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double C = e.weight, step
        cdef Py_ssize_t r
        if not self.self_k > 0.0:
            return LEARNED
        if self.k == 1:  # f is the difference of two rows, each of which moves by the step
            step = (self.beta - e.y * f[0]) / (2.0 * self.self_k)
            step = C if self.beta == 0.0 and self.nothing(f) else min(step, C)
            if not step > 0.0:
                return LEARNED
            self.steps[0] = 2.0 * e.y * step
            return self.store(e)
        if self.beta == 0.0 and self.nothing(f):
            for r in range(self.k):
                self.steps[r] = C if r == e.label else -C / (self.k - 1)
            return self.store(e)
        for r in range(self.k):
            self.steps[r] = f[r] / self.self_k
        self.steps[e.label] += C - self.beta / self.self_k
        project(self.steps, self.k, C)
        if self.steps[e.label] >= C:
            return LEARNED
        for r in range(self.k):
            self.steps[r] = (C if r == e.label else 0.0) - self.steps[r]
        return self.store(e)


    cdef bint nothing(self, const double* f) noexcept nogil:
        """Is f zero everywhere? It would never leave zero by itself, so a perceptron's step is made.
        Two contrary lessons may have taken it back there; objects have no row to ask."""
        cdef Py_ssize_t i, r
        for r in range(self.k):
            if f[r] != 0.0:
                return False
        if self.s.n and not self.s.program.vectors:
            return False
        for i in range(self.s.n):
            self.s.row_of(i, self.row)
            for r in range(self.k):
                if kernel_sum(self.row, self.a + r * self.room, self.s.n) != 0.0:
                    return False
        return True


cdef void project(double* v, Py_ssize_t k, double total) noexcept nogil:
    """The nearest point to v with entries >= 0 that sum to `total` (Michelot's way, no sorting):
    shift those above the shift so far until none falls below it."""
    cdef double theta = 0.0, sum_, top = v[0]
    cdef Py_ssize_t r, kept, before = k + 1
    for r in range(1, k):
        top = max(top, v[r])
    theta = top - total  # no larger than the solution
    while True:
        sum_, kept = 0.0, 0
        for r in range(k):
            if v[r] > theta or (before > k and v[r] >= theta):
                sum_ += v[r] - top
                kept += 1
        if kept >= before or kept == 0:
            break
        before = kept
        theta = top + (sum_ - total) / kept
    for r in range(k):
        v[r] = max(v[r] - theta, 0.0)


# -- least mean squares ----------------------------------------------------------------------------------


cdef double constant(double eta, double power, double l2, double n) noexcept nogil:
    return eta


cdef double by_power(double eta, double power, double l2, double n) noexcept nogil:
    return eta * pow(n, -power)


cdef double inverse(double eta, double power, double l2, double n) noexcept nogil:
    return eta / (1.0 + eta * l2 * n)


cdef double inverse_sqrt(double eta, double power, double l2, double n) noexcept nogil:
    return eta / sqrt(n)


cdef class LMSState(KernelRegressorState):
    """Every example becomes a support, with the rate times its error."""

    cdef double eta, power, l2
    cdef bint normalized
    cdef Rate rate

    def __cinit__(self, str who, hash_bits, hash_seed, kernel, budget, str schedule, double eta, double power, double l2, bint normalized, *args):
        self.eta, self.power, self.l2, self.normalized = eta, power, l2, normalized
        self.rate = by_power if schedule == "power" else inverse if schedule == "inverse" else inverse_sqrt if schedule == "sqrt" else constant

    cdef int update(self, const Example* e, double f) noexcept nogil:
        cdef double rate = self.rate(self.eta, self.power, self.l2, self.seen - self.start + 1)
        if self.normalized:
            rate /= 1.0 + self.self_k
        if e.y == f:
            return LEARNED
        return self.store(e, rate * e.weight * (e.y - f))


cdef class StopLMSState(LMSState):
    cdef Py_ssize_t slot(self) noexcept nogil:
        return self.s.n if self.s.n < self.budget else -1


cdef class RandomLMSState(LMSState):
    cdef uint64_t seed
    cdef int64_t draws

    def __cinit__(self, str who, hash_bits, hash_seed, kernel, budget, schedule, eta, power, l2, normalized, seed):
        self.seed = seed

    cdef Py_ssize_t slot(self) noexcept nogil:
        if self.s.n < self.budget:
            return self.s.n
        return <Py_ssize_t> ((draw(self.seed, self.draws) >> 32) * <uint64_t> self.budget >> 32)

    cdef void placed(self, Py_ssize_t slot) noexcept nogil:
        self.draws += self.s.n == self.budget

    def export(self):
        return {**LMSState.export(self), "draws": self.draws}

    def restore(self, fields):
        LMSState.restore(self, fields)
        self.draws = fields.integer("draws", 0)


cdef class OldestLMSState(LMSState):
    cdef int64_t oldest
    cdef bint full

    cdef Py_ssize_t slot(self) noexcept nogil:
        return self.s.n if self.s.n < self.budget else self.oldest

    cdef void placed(self, Py_ssize_t slot) noexcept nogil:
        if self.full:
            self.oldest = (slot + 1) % self.budget
        self.full = self.s.n == self.budget

    def export(self):
        return {**LMSState.export(self), "oldest": self.oldest}

    def restore(self, fields):
        LMSState.restore(self, fields)
        self.oldest = fields.integer("oldest", 0, self.budget - 1)
        self.full = self.s.n == self.budget
