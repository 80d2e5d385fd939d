"""What a node learns and says (spec 12.2, naive Bayes as in spec 8, in log space)."""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t

from .arena cimport (
    NOBODY, NO_MEMORY, NOMINAL, Arena, ClassTable, View, cell, column, ensure_label, ensure_table,
    numbers, places,
)

cdef double HALF_LOG_2PI = 0.9189385332046727
cdef double NONE_LEFT = 1e-12  # of a weight: what remains after a subtraction is rounding


cdef int prepare(Arena* a, int32_t node, int32_t label) noexcept nogil:
    """All memory that `observe` will need. NO_MEMORY: nothing may be learned."""
    if ensure_label(a, node, label) != 0:
        return NO_MEMORY
    if a.tables[node] != NULL and ensure_table(a, node, label) == NULL:
        return NO_MEMORY
    return 0


cdef void observe(Arena* a, int32_t node, const View* v, int32_t label, double w) noexcept nogil:
    """Count an example at a node, and in its tables if it is active."""
    cdef ClassTable* t
    cdef double* n
    cdef double* mean
    cdef double* squares
    cdef double* low
    cdef double* high
    cdef double x, before, share = 0.0, weight = -1.0
    cdef Py_ssize_t f, c, d, stop
    cdef const int32_t* place = NULL
    a.counts[node][label] += w
    a.weight[node] += w
    a.fresh[node] += w
    if a.tables[node] == NULL:
        return
    t = a.tables[node][label]
    d = t.d
    n = numbers(t)
    mean, squares, low, high = n + d, n + 2 * d, n + 3 * d, n + 4 * d
    stop = min(v.n, d)
    if a.layout[node] != NULL:
        place = places(a.layout[node])
        stop = min(v.n, a.layout[node].width)
    for f in range(stop):
        x = v.x[f]
        c = f if place == NULL else place[f]
        if x != x or c == NOBODY:
            continue
        if a.kind[f] == NOMINAL:
            n[c] += w
            n[5 * d + cell(a, node, <int32_t> f, <int32_t> x)] += w
            continue
        if n[c] <= 0.0:
            n[c] = w
            mean[c] = low[c] = high[c] = x
            squares[c] = 0.0
            continue
        n[c] += w
        if n[c] != weight:  # without missing values it is the same for all features
            weight = n[c]
            share = w / weight
        before = x - mean[c]
        mean[c] += before * share
        squares[c] += w * before * (x - mean[c])
        low[c] = min(low[c], x)
        high[c] = max(high[c], x)


cdef void forget(Arena* a, int32_t node, const View* v, int32_t label, double w) noexcept nogil:
    """Take an example back, at a node that has dropped nothing. Minima and maxima stay: they are
    those ever seen at this node."""
    cdef ClassTable* t
    cdef double* n
    cdef double x, mean, left
    cdef Py_ssize_t f, d
    cdef int32_t cell
    if label >= a.labels[node]:
        return
    a.counts[node][label] = less(a.counts[node][label], w)
    a.weight[node] = less(a.weight[node], w)
    t = a.tables[node][label] if a.tables[node] != NULL else NULL
    if t == NULL:
        return
    d = t.d
    n = numbers(t)
    for f in range(min(v.n, d)):
        x = v.x[f]
        if x != x:
            continue
        left = less(n[f], w)
        n[f] = left
        if a.kind[f] == NOMINAL:
            cell = a.cells[f][<int32_t> x]
            if cell < t.cells:
                n[5 * d + cell] = less(n[5 * d + cell], w)
        elif left == 0.0:
            n[d + f] = n[2 * d + f] = 0.0
        else:
            mean = n[d + f]
            n[d + f] = mean - w * (x - mean) / left
            n[2 * d + f] = max(0.0, n[2 * d + f] - w * (x - mean) * (x - n[d + f]))


cdef inline double less(double n, double w) noexcept nogil:
    return n - w if n - w > NONE_LEFT * n else 0.0


cdef void majority(Arena* a, int32_t node, Py_ssize_t k, double* out) noexcept nogil:
    """Share of each label at the node."""
    cdef Py_ssize_t r
    for r in range(k):
        out[r] = a.counts[node][r] / a.weight[node] if r < a.labels[node] else 0.0


cdef bint naive_bayes(Arena* a, int32_t node, const View* v, Py_ssize_t k, double* out) noexcept nogil:
    """Logarithm of prior times likelihoods of each label; False if all are impossible.

    A likelihood of 0 vetoes its label: a number that differs from the only one seen so far, or a
    feature this label never had.
    """
    cdef bint possible = False
    cdef Py_ssize_t r
    for r in range(k):
        out[r] = -INFINITY
        if r < a.labels[node] and a.counts[node][r] > 0.0 and a.tables[node][r] != NULL:
            out[r] = log(a.counts[node][r] / a.weight[node]) + log_likelihood(a, node, v, a.tables[node][r])
            possible |= out[r] > -INFINITY
    return possible


cdef double log_likelihood(Arena* a, int32_t node, const View* v, ClassTable* t) noexcept nogil:
    cdef const double* n = numbers(t)
    cdef Py_ssize_t d = t.d, f, c, gaussians = 0
    cdef double logs = 0.0, product = 1.0, distance = 0.0, precision, x, off, count
    cdef int32_t code, at
    cdef bint whole = a.layout[node] == NULL
    for f in range(min(v.n, <Py_ssize_t> a.width)):
        x = v.x[f]
        c = f if whole else column(a, node, <int32_t> f)
        if x != x or a.kind[f] == 0 or c == NOBODY:
            continue
        if a.kind[f] == NOMINAL:
            code = <int32_t> x
            at = cell(a, node, <int32_t> f, code) if 0 <= code < a.codes[f] else t.cells
            count = n[5 * d + at] if at < t.cells else 0.0
            logs += log((count + 1.0) / ((n[c] if c < d else 0.0) + a.codes[f]))
            continue
        if c >= d or n[c] <= 0.0:
            return -INFINITY
        off = x - n[d + c]
        if n[2 * d + c] <= 0.0:
            if off != 0.0:
                return -INFINITY
            continue
        precision = n[c] / n[2 * d + c]
        distance += off * off * precision
        gaussians += 1
        # One logarithm for all: their product, as long as it is an ordinary number.
        if 1e-100 < precision < 1e100:
            product *= precision
            if 1e-100 < product < 1e100:
                continue
            logs += 0.5 * log(product)
            product = 1.0
        else:
            logs += 0.5 * log(precision)
    return logs + 0.5 * (log(product) - distance) - gaussians * HALF_LOG_2PI


cdef void answer(
    Arena* a, int32_t node, const View* v, LeafRule rule, Py_ssize_t k, double* out
) noexcept nogil:
    """Probability of each label, where the example has come to this node."""
    cdef Py_ssize_t r
    cdef bint ask = a.feature[node] == NOBODY and a.tables[node] != NULL and rule != MC
    if a.weight[node] <= 0.0:  # an empty leaf says what its parent says
        while node != NOBODY and a.weight[node] <= 0.0:
            node = a.parent[node]
        if node != NOBODY:
            majority(a, node, k, out)
            return
        for r in range(k):
            out[r] = 1.0 / k
        return
    if ask and (rule == NB or a.hits_nb[node] > a.hits_mc[node]) and naive_bayes(a, node, v, k, out):
        softmax(out, k)
    else:
        majority(a, node, k, out)


cdef int32_t choose(const double* votes, Py_ssize_t k, int32_t tie) noexcept nogil:
    """Label with most votes; the earliest on ties, of two labels `tie`."""
    cdef Py_ssize_t r, best = 0
    if k == 2 and votes[0] == votes[1]:
        return tie
    for r in range(1, k):
        if votes[r] > votes[best]:
            best = r
    return <int32_t> best


cdef void softmax(double* scores, Py_ssize_t k) noexcept nogil:
    """From logarithms to probabilities, in place."""
    cdef double top = scores[0], total = 0.0
    cdef Py_ssize_t r
    for r in range(1, k):
        top = max(top, scores[r])
    for r in range(k):
        scores[r] = exp(scores[r] - top)
        total += scores[r]
    for r in range(k):
        scores[r] /= total
