# The vocabulary of linear learners: score, scores, add, add_pair, add_columns. Those that change
# weights check first, then commit: they return OVERFLOW, and have changed nothing, if a weight could
# exceed SAFE. Inline, since they are called for every example.

from libc.float cimport DBL_MAX
from libc.math cimport fabs, ldexp

from .example cimport (
    LEARNED,
    OVERFLOW,
    SAFE,
    Example,
    feature,
    onstream_axpy,
    onstream_dot,
    onstream_gather_dot,
    onstream_peak,
    onstream_rank_one,
    onstream_scatter,
    onstream_scores,
)


cdef enum:
    SAFE_SHIFT = 520  # x * 2**-520 and v * 2**-520: their product cannot overflow


cdef class Weights:
    cdef void* block        # memory of v; v begins at its first cache line
    cdef double* v          # feature-major: column r of feature i is scale * v[i * stride + r]
    cdef double* b          # intercepts, one per column, not scaled
    cdef Py_ssize_t rows    # features in use; the weights of later ones are zero
    cdef Py_ssize_t room    # features that fit
    cdef Py_ssize_t k       # columns in use: 1, or one per label
    cdef Py_ssize_t stride  # columns that fit: 1, 4, or a multiple of 8
    cdef Py_ssize_t expected  # columns that will be needed, as far as known
    cdef bint intercept     # is there an intercept?
    cdef bint appended      # the intercept counts as a feature: it shrinks like all weights
    cdef double scale       # common factor: the whole matrix shrinks in O(1)
    cdef double bound       # no |v| and no |b| is larger

    cdef int reserve(self, Py_ssize_t rows) except -1
    cdef int set_columns(self, Py_ssize_t k) except -1
    cdef Weights split(self, double part)
    cdef double measure(self) noexcept nogil


cdef double careful_score(Weights w, const Example* e, Py_ssize_t r) noexcept nogil
cdef bint fits_measured(Weights w, const Example* e, double step, double factor) noexcept nogil
cdef int shrink(Weights w, const Example* e, double step, double factor) noexcept nogil


cdef inline double small_product(double x, double v) noexcept nogil:
    """x * v * 2**-1040, which cannot overflow: a term of a score that did."""
    return ldexp(x, -SAFE_SHIFT) * ldexp(v, -SAFE_SHIFT)


cdef inline double finite_score(double total, double bias) noexcept nogil:
    """The score from the sum of such terms; no further than the largest double."""
    return min(max(ldexp(total, 2 * SAFE_SHIFT) + bias, -DBL_MAX), DBL_MAX)


cdef inline double score(Weights w, const Example* e) noexcept nogil:
    """Score of the example in a model with one column, cut off at the largest double."""
    cdef double f
    if e.ids == NULL:
        f = onstream_dot(w.v, e.values, e.n)
    else:
        f = onstream_gather_dot(w.v, e.ids, e.values, e.n)
    return finished_score(w, e, f)


cdef inline double finished_score(Weights w, const Example* e, double f) noexcept nogil:
    """The score from the sum f of products."""
    if w.scale != 1.0:
        f = w.scale * f + 0.0  # never -0.0
    if w.intercept:
        f += w.b[0]
    return f if fabs(f) <= DBL_MAX else careful_score(w, e, 0)


cdef inline void scores(Weights w, const Example* e, double* out) noexcept nogil:
    """Scores of the example for all columns."""
    cdef Py_ssize_t r
    if w.k == 1:
        out[0] = score(w, e)
        return
    onstream_scores(out, w.v, e.ids, e.values, e.n, w.k, w.stride)
    for r in range(w.k):
        out[r] = w.scale * out[r] + w.b[r]
        if not fabs(out[r]) <= DBL_MAX:
            out[r] = careful_score(w, e, r)


cdef inline bint fits(Weights w, const Example* e, double step, double factor) noexcept nogil:
    """Do all numbers of factor * v + step * x stay below SAFE? Usually answered in O(1)."""
    cdef double bound = fabs(factor) * w.bound + fabs(step) * max(e.peak, 1.0)
    if not bound < SAFE:  # also if it is NaN
        return fits_measured(w, e, step, factor)
    w.bound = bound
    return True


cdef inline int rescale(Weights w, const Example* e, double step, double factor) noexcept nogil:
    """Multiply the matrix by `factor`, if step * x can then be added without overflow."""
    if factor == 1.0 and w.scale == 1.0:  # the usual case, without a division
        return LEARNED if fits(w, e, step, 1.0) else OVERFLOW
    return shrink(w, e, step, factor)


cdef inline int add(Weights w, const Example* e, double step, double factor) noexcept nogil:
    """w = factor * w + step * x in a model with one column; step is added to the intercept."""
    cdef double inner
    if rescale(w, e, step, factor):
        return OVERFLOW
    inner = step if w.scale == 1.0 else step / w.scale
    if e.ids == NULL:
        onstream_axpy(w.v, e.values, inner, e.n)
    else:
        onstream_scatter(w.v, e.ids, e.values, inner, e.n)
    if w.intercept:
        w.b[0] += step
    return LEARNED


cdef inline int add_pair(
    Weights w, const Example* e, Py_ssize_t up, Py_ssize_t down, double step, double factor
) noexcept nogil:
    """Multiply by factor, then add step * x to column `up` and subtract it from column `down`."""
    cdef Py_ssize_t i, at
    cdef double inner, change
    if rescale(w, e, step, factor):
        return OVERFLOW
    inner = step / w.scale
    for i in range(e.n):
        at = feature(e, i) * w.stride
        change = inner * e.values[i]
        w.v[at + up] += change
        w.v[at + down] -= change
    if w.intercept:
        w.b[up] += step
        w.b[down] -= step
    return LEARNED


cdef inline int add_columns(Weights w, const Example* e, double* steps, double factor) noexcept nogil:
    """Multiply by factor, then add steps[r] * x to every column r. Overwrites `steps`."""
    cdef Py_ssize_t r
    if rescale(w, e, onstream_peak(steps, w.k), factor):
        return OVERFLOW
    if w.intercept:
        for r in range(w.k):
            w.b[r] += steps[r]
    if w.scale != 1.0:
        for r in range(w.k):
            steps[r] /= w.scale
    onstream_rank_one(w.v, e.ids, e.values, steps, e.n, w.k, w.stride)
    return LEARNED

cdef bint only_zeros(const double* v, Py_ssize_t n) noexcept nogil
