"""Second-order learners: every weight has a variance, or all of them a covariance.

What AROW, CW and SCW share is the step, w += alpha y g and Sigma -= beta g g' with g = Sigma x;
they differ in alpha and beta, which a rule finds from the margin m and its variance v = x.g.
With more than two labels each has its own weights and Sigma, m is the margin over the best-scored
wrong label and v the sum of both variances; that label makes the step backwards.
"""

cimport numpy as cnp
from libc.math cimport sqrt
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

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
from ..core.weights cimport Weights, fits
from .state cimport LinearClassifierState, rival

cnp.import_array()

cdef double LEAST_VARIANCE = 1e-14  # a smaller v cannot be divided by
cdef double KEPT = 1e-16            # of a variance at least, whatever the rounding
cdef double SAFE = 1e300


cdef struct Rule:
    # alpha and beta from margin and variance; False: nothing to learn
    bint (*step)(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil
    double r    # AROW
    double phi  # CW, SCW: standard deviations that the margin must keep from 0
    double C    # SCW


cdef bint arow(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil:
    if m >= 1.0:
        return False
    beta[0] = 1.0 / (v + rule.r / weight)
    alpha[0] = (1.0 - m) * beta[0]
    return True


cdef double deviation_alpha(const Rule* rule, double m, double v) noexcept nogil:
    """The step after which m' = phi sqrt(v')."""
    cdef double p = rule.phi * rule.phi, psi = 1.0 + 0.5 * p, xi = 1.0 + p
    return max(0.0, (-m * psi + sqrt(0.25 * m * m * p * p + v * p * xi)) / (v * xi))


cdef double deviation_beta(const Rule* rule, double alpha, double v) noexcept nogil:
    """What the variance loses along with it. The root in this form cannot cancel to 0."""
    cdef double s = alpha * rule.phi * v
    cdef double root = 2.0 * v / (s + sqrt(s * s + 4.0 * v))
    return alpha * rule.phi / (root + s)


cdef bint cw(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil:
    if m >= rule.phi * sqrt(v):
        return False
    alpha[0] = deviation_alpha(rule, m, v)
    beta[0] = deviation_beta(rule, alpha[0], v)
    return True


cdef bint cw_variance(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil:
    cdef double phi = rule.phi, t = 1.0 + 2.0 * phi * m
    if m >= phi * v:
        return False
    alpha[0] = (-t + sqrt(t * t - 8.0 * phi * (m - phi * v))) / (4.0 * phi * v)
    beta[0] = 2.0 * alpha[0] * phi / (1.0 + 2.0 * alpha[0] * phi * v)
    return True


cdef bint scw1(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil:
    if m >= rule.phi * sqrt(v):
        return False
    alpha[0] = min(rule.C * weight, deviation_alpha(rule, m, v))
    beta[0] = deviation_beta(rule, alpha[0], v)
    return True


cdef bint scw2(const Rule* rule, double m, double v, double weight, double* alpha, double* beta) noexcept nogil:
    cdef double p = rule.phi * rule.phi, n = v + 1.0 / (2.0 * rule.C * weight)
    cdef double root
    if m >= rule.phi * sqrt(v):
        return False
    root = sqrt(p * p * m * m * v * v + 4.0 * n * v * p * (n + p * v))
    alpha[0] = max(0.0, (-m * (2.0 * n + p * v) + root) / (2.0 * n * (n + p * v)))
    beta[0] = deviation_beta(rule, alpha[0], v)
    return True


cdef Rule rule_named(str name, double parameter, double C):
    cdef Rule rule
    rule.r = rule.phi = parameter
    rule.C = C
    if name == "AROW":
        rule.step = arow
    elif name == "CW":
        rule.step = cw
    elif name == "CW variance":
        rule.step = cw_variance
    elif name == "SCW-I":
        rule.step = scw1
    else:
        rule.step = scw2
    return rule


# -- a variance for each weight -----------------------------------------------------------------


cdef class DiagonalState(LinearClassifierState):
    cdef Rule rule
    cdef double a              # variance of a weight that has not learned anything
    cdef Weights sigma         # variances, in the shape of the weights
    cdef Weights sigma_before  # until the third label is settled
    cdef Py_ssize_t filled     # rows of sigma that have their first variance

    def set_rule(self, str name, double parameter, double C, double a):
        self.rule = rule_named(name, parameter, C)
        self.a = a
        self.sigma = Weights(1, self.w.intercept)
        self.sigma_before = None
        self.filled = 0
        self.sigma.b[0] = a

    cdef double fresh(self) noexcept nogil:
        return self.a if self.w.k == 1 else 0.5 * self.a

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t i, r
        LinearClassifierState.reserve(self, width)
        self.sigma.reserve(width)
        for i in range(self.filled, self.sigma.rows):
            for r in range(self.sigma.k):
                self.sigma.v[i * self.sigma.stride + r] = self.fresh()
        self.filled = self.sigma.rows
        return 0

    cdef int set_labels(self, Py_ssize_t n) except -1:
        cdef Py_ssize_t k = self.w.k, known = self.sigma.k, i, r
        LinearClassifierState.set_labels(self, n)
        if n > 2 and k == 1:  # both get half of the variance, so that of the difference stays
            self.sigma_before = self.sigma
            self.sigma = self.sigma.split(0.5)
            for i in range(self.filled):
                self.sigma.v[i * self.sigma.stride + 1] *= -1.0
            self.sigma.b[1] *= -1.0
            known = 2
        elif n == 2 and k > 1:
            self.sigma = self.sigma_before
            self.sigma_before = None
            self.filled = min(self.filled, self.sigma.rows)
        if n > 2:
            self.sigma.expected = self.w.expected
            self.sigma.set_columns(n)
            for r in range(known, n):
                for i in range(self.filled):
                    self.sigma.v[i * self.sigma.stride + r] = self.fresh()
                self.sigma.b[r] = self.fresh()
        return 0

    cdef int settle(self) except -1:
        self.sigma_before = None
        return LinearClassifierState.settle(self)

    cdef Py_ssize_t burden(self) noexcept:
        return 2 * LinearClassifierState.burden(self)

    cdef object backup(self):
        return LinearClassifierState.backup(self), self.sigma.copy(), self.filled

    cdef int reinstate(self, object saved) except -1:
        LinearClassifierState.reinstate(self, saved[0])
        self.sigma = saved[1]
        self.filled = saved[2]
        return 0

    cdef double variance(self, const Example* e, Py_ssize_t r) noexcept nogil:
        """x.Sigma x of label r."""
        cdef double v = spread(self.sigma.v + r, e.ids, e.values, e.n, self.sigma.stride)
        return v + self.sigma.b[r] if self.w.intercept else v

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double m, v, alpha, beta
        cdef int q = 0
        if self.w.k == 1:
            m = e.y * f[0]
            v = self.variance(e, 0)
        else:
            q = rival(f, e.label, self.w.k)
            m = f[e.label] - f[q]
            v = self.variance(e, e.label) + self.variance(e, q)
        if not v < SAFE:
            return OVERFLOW
        if v < LEAST_VARIANCE or not self.rule.step(&self.rule, m, v, e.weight, &alpha, &beta):
            return LEARNED
        if not (alpha < SAFE and beta < SAFE and fits(self.w, e, alpha * self.a, 1.0)):
            return OVERFLOW  # no variance is larger than a
        if self.w.k == 1:
            self.move(e, 0, e.y * alpha, beta)
        else:
            self.move(e, e.label, alpha, beta)
            self.move(e, q, -alpha, beta)
        return LEARNED

    cdef void move(self, const Example* e, Py_ssize_t r, double alpha, double beta) noexcept nogil:
        """w += alpha g, sigma -= beta g^2 with g = sigma x, for label r."""
        cdef double* b = self.w.b + r
        cdef double* c = self.sigma.b + r
        if self.w.k == 1:
            step(self.w.v, self.sigma.v, e, alpha, beta)
        else:
            step_column(self.w, self.sigma, r, e, alpha, beta)
        if self.w.intercept:
            b[0] += alpha * c[0]
            c[0] = max(c[0] - beta * c[0] * c[0], KEPT * c[0])

    def export(self):
        variances = self.sigma.export(self.door.width)
        matrix = variances["weights"]
        matrix[min(self.filled, len(matrix)):] = self.fresh()
        return {
            **LinearClassifierState.export(self),
            "variances": matrix, "bias_variances": variances["bias"],
        }

    def restore(self, fields):
        LinearClassifierState.restore(self, fields)
        width, k = self.door.width, self.w.k
        variances = fields.array("variances", (width, k))
        bias = fields.array("bias_variances", (k,))
        if not ((variances > 0.0).all() and (bias > 0.0).all()):
            raise ValueError("a variance is not positive")
        if variances.max(initial=0.0) > self.a or bias.max() > self.a:
            raise ValueError("a variance is larger than at the start")
        self.sigma.restore(variances, bias, 1.0)
        self.filled = width

    def memory(self):
        return LinearClassifierState.memory(self) + self.sigma.memory()


cdef inline double term(const double* sigma, const int32_t* ids, const double* x, Py_ssize_t i, Py_ssize_t stride) noexcept nogil:
    return sigma[(ids[i] if ids != NULL else i) * stride] * x[i] * x[i]


cdef double spread(const double* sigma, const int32_t* ids, const double* x, Py_ssize_t n, Py_ssize_t stride) noexcept nogil:
    """Sum of sigma x^2: four partial sums, in the same order for every kind of example."""
    cdef double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0
    cdef Py_ssize_t i = 0
    if ids == NULL and stride == 1:  # the compiler takes two at a time
        while i + 4 <= n:
            s0 += sigma[i] * x[i] * x[i]
            s1 += sigma[i + 1] * x[i + 1] * x[i + 1]
            s2 += sigma[i + 2] * x[i + 2] * x[i + 2]
            s3 += sigma[i + 3] * x[i + 3] * x[i + 3]
            i += 4
    while i + 4 <= n:
        s0 += term(sigma, ids, x, i, stride)
        s1 += term(sigma, ids, x, i + 1, stride)
        s2 += term(sigma, ids, x, i + 2, stride)
        s3 += term(sigma, ids, x, i + 3, stride)
        i += 4
    while i < n:
        s0 += term(sigma, ids, x, i, stride)
        i += 1
    return (s0 + s1) + (s2 + s3)


cdef void step(double* w, double* sigma, const Example* e, double alpha, double beta) noexcept nogil:
    """The diagonal step of every feature of the example, for a single column."""
    cdef const double* x = e.values
    cdef Py_ssize_t i, id
    cdef double g
    if e.ids == NULL:
        for i in range(e.n):
            g = sigma[i] * x[i]
            w[i] += alpha * g
            sigma[i] = max(sigma[i] - beta * g * g, KEPT * sigma[i])
    else:
        for i in range(e.n):
            id = e.ids[i]
            g = sigma[id] * x[i]
            w[id] += alpha * g
            sigma[id] = max(sigma[id] - beta * g * g, KEPT * sigma[id])


cdef void step_column(Weights w, Weights sigma, Py_ssize_t r, const Example* e, double alpha, double beta) noexcept nogil:
    """The same for column r of many."""
    cdef Py_ssize_t i, id
    cdef double g
    cdef double* s
    cdef double* v
    for i in range(e.n):
        id = e.ids[i] if e.ids != NULL else i
        s = sigma.v + id * sigma.stride + r
        v = w.v + id * w.stride + r
        g = s[0] * e.values[i]
        v[0] += alpha * g
        s[0] = max(s[0] - beta * g * g, KEPT * s[0])


# -- a covariance of all weights ------------------------------------------------------------------


cdef class FullState(LinearClassifierState):
    cdef Rule rule
    cdef double a
    cdef Py_ssize_t offset       # 1 if there is an intercept: it stands first in Sigma
    cdef Py_ssize_t d            # rows of Sigma in use
    cdef Py_ssize_t room         # rows that fit
    cdef Py_ssize_t blocks       # labels that fit
    cdef double* S               # Sigma of each label, room x room, symmetric
    cdef double* S_before        # of two labels, until the third is settled
    cdef Py_ssize_t room_before
    cdef Py_ssize_t d_before
    cdef double* g               # Sigma x of the label, then of its rival
    cdef double* h               # g scaled

    def __cinit__(self, str who, hash_bits, hash_seed, max_labels, bint intercept):
        self.offset = intercept
        self.d = self.room = self.room_before = self.d_before = 0
        self.blocks = 1
        self.S = self.S_before = self.g = self.h = NULL

    def __dealloc__(self):
        release(self.S)
        release(self.S_before)
        release(self.g)
        release(self.h)

    def set_rule(self, str name, double parameter, double C, double a):
        self.rule = rule_named(name, parameter, C)
        self.a = a

    cdef double fresh(self) noexcept nogil:
        return self.a if self.w.k == 1 else 0.5 * self.a

    cdef double* block(self, Py_ssize_t r) noexcept nogil:
        return self.S + r * self.room * self.room

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t needed = width + self.offset, room, r, i
        cdef double* S
        LinearClassifierState.reserve(self, width)
        if needed > self.room:
            room = needed if self.room == 0 else roomier(self.room, needed)
            self.g = <double*> resize(self.g, 0, 2 * room * sizeof(double))
            self.h = <double*> resize(self.h, 0, room * sizeof(double))
            S = <double*> resize(NULL, 0, self.blocks * room * room * sizeof(double))
            for r in range(self.w.k):
                for i in range(self.d):
                    memcpy(S + (r * room + i) * room, self.block(r) + i * self.room, self.d * sizeof(double))
            release(self.S)
            self.S, self.room = S, room
        for r in range(self.w.k):
            for i in range(self.d, needed):
                self.block(r)[i * self.room + i] = self.fresh()
        self.d = max(self.d, needed)
        return 0

    cdef int set_labels(self, Py_ssize_t n) except -1:
        cdef Py_ssize_t k = self.w.k, size = self.room * self.room, r, i, blocks
        cdef double* S
        LinearClassifierState.set_labels(self, n)
        if n > 2 and k == 1:
            S = <double*> resize(NULL, 0, 3 * size * sizeof(double))
            for i in range(size):
                S[i] = S[size + i] = 0.5 * self.S[i]
            self.S_before, self.room_before, self.d_before = self.S, self.room, self.d
            self.S, self.blocks, k = S, 3, 2
        elif n == 2 and k > 1:
            release(self.S)
            self.S, self.room, self.d, self.blocks = self.S_before, self.room_before, self.d_before, 1
            self.S_before = NULL
        if n > self.blocks and n > 2:
            blocks = n + n // 4
            self.S = <double*> resize(self.S, self.blocks * size * sizeof(double), blocks * size * sizeof(double))
            self.blocks = blocks
        for r in range(k if n > 2 else n, n):
            memset(self.block(r), 0, size * sizeof(double))
            for i in range(self.d):
                self.block(r)[i * self.room + i] = self.fresh()
        return 0

    cdef int settle(self) except -1:
        release(self.S_before)
        self.S_before = NULL
        return LinearClassifierState.settle(self)

    cdef Py_ssize_t burden(self) noexcept:
        return -1  # Sigma is large, and its update dwarfs another look at X

    cdef double look(self, const Example* e, Py_ssize_t r, double* g) noexcept nogil:
        """g = Sigma x of label r; answers x.g."""
        cdef double* S = self.block(r)
        cdef Py_ssize_t i
        cdef double v
        memset(g, 0, self.d * sizeof(double))
        if self.offset:
            memcpy(g, S, self.d * sizeof(double))
        for i in range(e.n):
            if e.values[i] != 0.0:
                onstream_axpy(g, S + ((e.ids[i] if e.ids != NULL else i) + self.offset) * self.room, e.values[i], self.d)
        if e.ids == NULL:
            v = onstream_dot(g + self.offset, e.values, e.n)
        else:
            v = onstream_gather_dot(g + self.offset, e.ids, e.values, e.n)
        return v + g[0] if self.offset else v

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double m, v, alpha, beta, peak
        cdef double* rival_g = self.g + self.room
        cdef int q = 0
        if self.w.k == 1:
            m = e.y * f[0]
            v = self.look(e, 0, self.g)
            peak = onstream_peak(self.g, self.d)
        else:
            q = rival(f, e.label, self.w.k)
            m = f[e.label] - f[q]
            v = self.look(e, e.label, self.g) + self.look(e, q, rival_g)
            peak = max(onstream_peak(self.g, self.d), onstream_peak(rival_g, self.d))
        if not (v < SAFE and peak < SAFE):
            return OVERFLOW
        if v < LEAST_VARIANCE or not self.rule.step(&self.rule, m, v, e.weight, &alpha, &beta):
            return LEARNED
        if not (alpha < SAFE and beta < SAFE and alpha * peak < SAFE
                and self.w.measure() + alpha * peak < SAFE):
            return OVERFLOW
        if self.w.k == 1:
            self.move(0, self.g, e.y * alpha, beta)
        else:
            self.move(e.label, self.g, alpha, beta)
            self.move(q, rival_g, -alpha, beta)
        return LEARNED

    cdef void move(self, Py_ssize_t r, const double* g, double alpha, double beta) noexcept nogil:
        """w += alpha g, Sigma -= beta g g', for label r."""
        cdef double* S = self.block(r)
        cdef double* w = self.w.v + r
        cdef double* b = self.w.b + r
        cdef double root = sqrt(beta)
        cdef bint positive = True
        cdef Py_ssize_t i
        for i in range(self.d - self.offset):
            w[i * self.w.stride] += alpha * g[i + self.offset]
        if self.offset:
            b[0] += alpha * g[0]
        for i in range(self.d):  # with h = sqrt(beta) g both triangles get the same bits
            self.h[i] = root * g[i]
            positive &= S[i * self.room + i] - self.h[i] * self.h[i] > 0.0
        if positive:  # else only rounding is left of a variance: Sigma stays as it is
            for i in range(self.d):
                onstream_axpy(S + i * self.room, self.h, -self.h[i], self.d)

    def export(self):
        cdef Py_ssize_t d = self.door.width + self.offset, r, i, k = self.w.k
        self.reserve(self.door.width)
        matrix = np.empty((k, d, d))
        cdef double* out = <double*> cnp.PyArray_DATA(<cnp.ndarray> matrix)
        for r in range(k):
            for i in range(d):
                memcpy(out + (r * d + i) * d, self.block(r) + i * self.room, d * sizeof(double))
        return {**LinearClassifierState.export(self), "Sigma": matrix}

    def restore(self, fields):
        cdef Py_ssize_t d, k, r, i
        cdef const double* given
        LinearClassifierState.restore(self, fields)
        d, k = self.door.width + self.offset, self.w.k
        matrix = np.ascontiguousarray(fields.array("Sigma", (k, d, d)))
        if not np.array_equal(matrix, matrix.transpose(0, 2, 1)):
            raise ValueError("Sigma is not symmetric")
        if not (np.diagonal(matrix, axis1=1, axis2=2) > 0.0).all():
            raise ValueError("Sigma has a variance that is not positive")
        self.reserve(self.door.width)
        given = <const double*> cnp.PyArray_DATA(<cnp.ndarray> matrix)
        for r in range(k):
            for i in range(d):
                memcpy(self.block(r) + i * self.room, given + (r * d + i) * d, d * sizeof(double))

    def memory(self):
        held = (self.blocks * self.room + 3) * self.room * sizeof(double)
        return LinearClassifierState.memory(self) + held
