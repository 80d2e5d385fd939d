"""The updates of kernel learners with one set of supports: KernelPerceptron, KernelPA, KernelPARegressor,
KernelMIRA, KernelLMS. `tau` is the coefficient of the example as a new support, for each label."""

from libc.math cimport fabs

from ..core.example cimport LEARNED, Example
from ..core.rules.pa cimport StepSize, step_size
from ..core.rules.schedule cimport Schedule, make_schedule, rate_at
from ..core.scores cimport best_wrong, margin
from ._expansion cimport Expansion
from ._state cimport ExpansionClassifierState, KernelRegressorState

# Sets the tau <= 0 of the wrong labels, which sum to -1.
ctypedef void (*Blame)(double* tau, const double* f, int label, Py_ssize_t k, double beta) noexcept nogil


# -- perceptrons -----------------------------------------------------------------------------------


cdef void blame_top(double* tau, const double* f, int label, Py_ssize_t k, double beta) noexcept nogil:
    """The best-scored wrong label loses 1."""
    cdef Py_ssize_t r
    for r in range(k):
        tau[r] = 0.0
    tau[best_wrong(f, label, k)] = -1.0


cdef void blame_all(double* tau, const double* f, int label, Py_ssize_t k, double beta) noexcept nogil:
    """All labels above the margin lose the same."""
    cdef Py_ssize_t r, wrong = 0
    for r in range(k):
        wrong += r != label and f[label] - f[r] <= beta
    for r in range(k):
        tau[r] = -1.0 / wrong if r != label and f[label] - f[r] <= beta else 0.0


cdef void blame_by_score(double* tau, const double* f, int label, Py_ssize_t k, double beta) noexcept nogil:
    """Every label loses in proportion to how far it is above the true one."""
    cdef Py_ssize_t r
    cdef double excess = 0.0
    for r in range(k):
        excess += max(0.0, f[r] - f[label])
    if excess == 0.0:
        blame_all(tau, f, label, k, beta)
        return
    for r in range(k):
        tau[r] = -max(0.0, f[r] - f[label]) / excess


cdef class PerceptronState(ExpansionClassifierState):
    """A mistake makes the example a support. With more labels (Crammer & Singer, JMLR 3, 2003) tau is
    halved: for two it then does just what the binary perceptron does."""

    cdef double beta
    cdef Blame blame

    def __init__(self, Expansion expansion, double beta, str update):
        self.beta = beta
        self.blame = blame_top if update == "max" else blame_all if update == "uniform" else blame_by_score

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef Py_ssize_t r, k = self.expansion.k
        cdef int q = 0
        if margin(e, f, k, &q) > self.beta:
            return LEARNED
        if k == 1:  # m <= beta: add (x, y)
            self.tau[0] = e.y * e.weight
            return self.expansion.store(e, self.tau)
        # The true label gains what the blamed ones lose.
        self.blame(self.tau, f, e.label, k, self.beta)
        self.tau[e.label] = 1.0
        for r in range(k):
            self.tau[r] *= 0.5 * e.weight
        return self.expansion.store(e, self.tau)


# -- passive-aggressive ------------------------------------------------------------------------------


cdef class PAState(ExpansionClassifierState):
    cdef double C
    cdef StepSize step  # from loss and K(x, x) to tau

    def __init__(self, Expansion expansion, str variant, double C):
        self.C, self.step = C, step_size(variant)

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double C = self.C * e.weight, self_k = self.expansion.self_k, loss, step
        cdef Py_ssize_t r, k = self.expansion.k
        cdef int q = 0
        # Hinge loss; with more labels over the best-scored wrong one (Crammer et al., JMLR 7, 2006,
        # sections 3 and 7). Then add (x, y tau).
        loss = 1.0 - margin(e, f, k, &q)
        if not (loss > 0.0 and self_k > 0.0):
            return LEARNED
        if k == 1:
            self.tau[0] = e.y * self.step(loss, self_k, C)
            return self.expansion.store(e, self.tau)
        step = self.step(loss, 2.0 * self_k, C)  # two rows move
        for r in range(k):
            self.tau[r] = step if r == e.label else -step if r == q else 0.0
        return self.expansion.store(e, self.tau)


cdef class PARegressorState(KernelRegressorState):
    cdef double C, epsilon
    cdef StepSize step

    def __init__(self, Expansion expansion, str variant, double C, double epsilon):
        self.C, self.epsilon, self.step = C, epsilon, step_size(variant)

    cdef int update(self, const Example* e, double f) noexcept nogil:
        # Loss beyond epsilon (Crammer et al., 2006, section 5): add (x, sign(y - f) tau).
        cdef double loss = fabs(e.y - f) - self.epsilon, self_k = self.expansion.self_k, tau
        if not (loss > 0.0 and self_k > 0.0):
            return LEARNED
        tau = self.step(loss, self_k, self.C * e.weight)
        if e.y < f:
            tau = -tau
        return self.expansion.store(e, &tau)


# -- MIRA ----------------------------------------------------------------------------------------------


cdef class MIRAState(ExpansionClassifierState):
    """Minimise A/2 sum tau_r^2 + sum (B_r - beta [r = y]) tau_r under tau_r <= C [r = y], sum tau = 0,
    where A = K(x, x) and B = f: tau = C [r = y] minus the projection of a vector v on a simplex
    (Crammer & Singer, JMLR 3, 2003)."""

    cdef double beta

    def __init__(self, Expansion expansion, double beta):
        self.beta = beta

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double C = e.weight, self_k = self.expansion.self_k, step
        cdef Py_ssize_t r, k = self.expansion.k
        if not self_k > 0.0:
            return LEARNED
        if k == 1:  # f is the difference of two rows, each of which moves by the step
            step = (self.beta - e.y * f[0]) / (2.0 * self_k)
            step = C if self.beta == 0.0 and self.is_zero(f) else min(step, C)
            if not step > 0.0:
                return LEARNED
            self.tau[0] = 2.0 * e.y * step
            return self.expansion.store(e, self.tau)
        if self.beta == 0.0 and self.is_zero(f):  # a uniform perceptron's step
            for r in range(k):
                self.tau[r] = C if r == e.label else -C / (k - 1)
            return self.expansion.store(e, self.tau)
        for r in range(k):  # v = B / A + (C - beta / A) [r = y]
            self.tau[r] = f[r] / self_k
        self.tau[e.label] += C - self.beta / self_k
        project(self.tau, k, C)
        if self.tau[e.label] >= C:
            return LEARNED
        for r in range(k):
            self.tau[r] = (C if r == e.label else 0.0) - self.tau[r]
        return self.expansion.store(e, self.tau)

    cdef bint is_zero(self, const double* f) noexcept nogil:
        """Is f zero everywhere? It would never leave zero by itself. It may also have come back there,
        by two examples that contradict each other."""
        cdef Py_ssize_t r
        for r in range(self.expansion.k):
            if f[r] != 0.0:
                return False
        return self.expansion.vanishes()


cdef void project(double* v, Py_ssize_t k, double total) noexcept nogil:
    """The nearest point to v with entries >= 0 that sum to `total` (Michelot, without sorting): raise
    the threshold theta until no entry above it falls below."""
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


cdef class LMSState(KernelRegressorState):
    """Every example becomes a support, with the rate times its error (Kivinen et al., 2004)."""

    cdef Schedule schedule
    cdef bint normalized

    def __init__(
        self, Expansion expansion, str schedule, double eta,
        double power, double l2, bint normalized,
    ):
        self.schedule, self.normalized = make_schedule(schedule, eta, power, l2), normalized

    cdef int update(self, const Example* e, double f) noexcept nogil:
        cdef double rate = rate_at(&self.schedule, self.seen - self.start + 1), tau
        if self.normalized:
            rate /= 1.0 + self.expansion.self_k
        if e.y == f:
            return LEARNED
        tau = rate * e.weight * (e.y - f)
        return self.expansion.store(e, &tau)
