"""Second-order learners with a variance for each weight."""

from libc.stdint cimport int32_t

from ...core.example cimport LEARNED, OVERFLOW, SAFE, Example, feature
from ...core.scores cimport margin
from ...core.weights cimport Weights, fits
from .rules cimport Rule, Step, find_step, make_rule
from .._state cimport LinearClassifierState

cdef double LEAST = 1e-16  # share of a variance that is left in any case, whatever the rounding


cdef class DiagonalState(LinearClassifierState):
    cdef Rule rule
    cdef double a              # variance of a weight at the start
    cdef Weights sigma         # variances, in the shape of the weights
    cdef Weights sigma_before  # until the third label is committed
    cdef Py_ssize_t filled     # rows of sigma that have their first variance

    def __cinit__(self, bint intercept, str rule, double parameter, double C, double a):
        self.rule = make_rule(rule, parameter, C)
        self.a = a
        self.sigma = Weights(1, intercept)
        self.sigma.b[0] = a

    cdef double fresh(self) noexcept nogil:
        """Variance of a weight that has not learned anything."""
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
        cdef Py_ssize_t known = self.sigma.k, i, r
        LinearClassifierState.set_labels(self, n)
        if n > 2 and known == 1:  # half of the variance each: that of the difference stays the same
            self.sigma_before = self.sigma
            self.sigma = self.sigma.split(0.5)
            for i in range(self.filled):
                self.sigma.v[i * self.sigma.stride + 1] *= -1.0
            self.sigma.b[1] *= -1.0
            known = 2
        elif n == 2 and self.sigma_before is not None:
            self.sigma, self.sigma_before = self.sigma_before, None
            self.filled = min(self.filled, self.sigma.rows)
        if n > 2:
            self.sigma.expected = self.w.expected
            self.sigma.set_columns(n)
            for r in range(known, n):
                for i in range(self.filled):
                    self.sigma.v[i * self.sigma.stride + r] = self.fresh()
                self.sigma.b[r] = self.fresh()
        return 0

    cdef int commit_label(self) except -1:
        self.sigma_before = None
        return LinearClassifierState.commit_label(self)

    cdef Py_ssize_t backup_bytes(self) noexcept:
        return 2 * LinearClassifierState.backup_bytes(self)

    cdef double variance(self, const Example* e, Py_ssize_t r) noexcept nogil:
        """x.Sigma x of label r."""
        cdef double v = spread(self.sigma.v + r, e.ids, e.values, e.n, self.sigma.stride)
        return v + self.sigma.b[r] if self.w.intercept else v

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef Step step
        cdef double m, v
        cdef int q = 0
        # Margin and its variance; with more labels over the best-scored wrong one.
        m = margin(e, f, self.w.k, &q)
        if self.w.k == 1:
            v = self.variance(e, 0)
        else:
            v = self.variance(e, e.label) + self.variance(e, q)
        if not v < SAFE:
            return OVERFLOW
        if not find_step(&self.rule, m, v, e.weight, &step):
            return LEARNED
        # No variance is larger than a, so no weight moves further than alpha a x.
        if not (step.alpha < SAFE and step.beta < SAFE and fits(self.w, e, step.alpha * self.a, 1.0)):
            return OVERFLOW
        if self.w.k == 1:
            self.move(e, 0, e.y * step.alpha, step.beta)
        else:
            self.move(e, e.label, step.alpha, step.beta)
            self.move(e, q, -step.alpha, step.beta)
        return LEARNED

    cdef void move(self, const Example* e, Py_ssize_t r, double alpha, double beta) noexcept nogil:
        """w += alpha g, sigma -= beta g^2 with g = sigma x, for label r."""
        cdef double* b = self.w.b + r
        cdef double* c = self.sigma.b + r
        if self.w.k == 1:
            move_single(self.w.v, self.sigma.v, e, alpha, beta)
        else:
            move_column(self.w, self.sigma, r, e, alpha, beta)
        if self.w.intercept:
            b[0] += alpha * c[0]
            c[0] = max(c[0] - beta * c[0] * c[0], LEAST * c[0])

    def export_own(self):
        variances = self.sigma.export(self.features.width)
        matrix = variances["weights"]
        matrix[min(self.filled, len(matrix)):] = self.fresh()
        return {
            **LinearClassifierState.export_own(self),
            "variances": matrix, "bias_variances": variances["bias"],
        }

    def restore_own(self, fields):
        LinearClassifierState.restore_own(self, fields)
        width, k = self.features.width, self.w.k
        variances = fields.array("variances", (width, k))
        bias = fields.array("bias_variances", (k,))
        if not ((variances > 0.0).all() and (bias > 0.0).all()):
            raise ValueError("a variance is not positive")
        if variances.max(initial=0.0) > self.a or bias.max() > self.a:
            raise ValueError("a variance is larger than at the start")
        self.sigma = Weights(1, self.w.intercept)
        self.sigma.restore(variances, bias, 1.0)
        self.filled = width

    def memory(self):
        return LinearClassifierState.memory(self) + self.sigma.memory()


cdef inline double term(
    const double* sigma, const int32_t* ids, const double* x, Py_ssize_t i, Py_ssize_t stride
) noexcept nogil:
    return sigma[(ids[i] if ids != NULL else i) * stride] * x[i] * x[i]


cdef double spread(
    const double* sigma, const int32_t* ids, const double* x, Py_ssize_t n, Py_ssize_t stride
) noexcept nogil:
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


cdef void move_single(double* w, double* sigma, const Example* e, double alpha, double beta) noexcept nogil:
    """The diagonal step of every feature of the example, for a single column."""
    cdef const double* x = e.values
    cdef Py_ssize_t i, id
    cdef double g
    if e.ids == NULL:
        for i in range(e.n):
            g = sigma[i] * x[i]
            w[i] += alpha * g
            sigma[i] = max(sigma[i] - beta * g * g, LEAST * sigma[i])
    else:
        for i in range(e.n):
            id = e.ids[i]
            g = sigma[id] * x[i]
            w[id] += alpha * g
            sigma[id] = max(sigma[id] - beta * g * g, LEAST * sigma[id])


cdef void move_column(
    Weights w, Weights sigma, Py_ssize_t r, const Example* e, double alpha, double beta
) noexcept nogil:
    """The same for column r of many."""
    cdef Py_ssize_t i, id
    cdef double g
    cdef double* s
    cdef double* v
    for i in range(e.n):
        id = feature(e, i)
        s = sigma.v + id * sigma.stride + r
        v = w.v + id * w.stride + r
        g = s[0] * e.values[i]
        v[0] += alpha * g
        s[0] = max(s[0] - beta * g * g, LEAST * s[0])
