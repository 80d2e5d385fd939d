"""What a node learns and says (spec 12.2, naive Bayes as in spec 8, in log space)."""

from libc.math cimport INFINITY, NAN, fabs, log
from libc.stdint cimport int32_t

from ...core.scores cimport softmax
from ._nodes cimport (
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
    a.counts[node][label] += w
    a.weight[node] += w
    a.fresh[node] += w
    if a.tables[node] == NULL:
        return
    t = a.tables[node][label]
    t.gaussians = NOBODY
    if a.layout[node] != NULL:
        observe_some(a, node, v, t, w)
    elif t.even == 0 or t.even != v.n or not observe_all(t, v.x, v.n, w):
        t.even = observe_each(a, v, t, w)


cdef bint observe_all(ClassTable* t, const double* x, Py_ssize_t n, double w) noexcept nogil:
    """A row of numbers, where all rows before were such. False: there is a gap, nothing was done.
    Nothing here depends on the feature before: the compiler takes several at a time."""
    cdef double* weight = numbers(t)
    cdef double* mean = weight + t.d
    cdef double* squares = mean + t.d
    cdef double* low = squares + t.d
    cdef double* high = low + t.d
    cdef double share, before, after, more
    cdef Py_ssize_t f, gaps = 0
    for f in range(n):
        gaps += x[f] != x[f]
    if gaps:
        return False
    share = w / (weight[0] + w)
    for f in range(n):
        weight[f] += w
    for f in range(n):
        before = x[f] - mean[f]
        after = mean[f] + before * share
        mean[f] = after
        more = w * before * (x[f] - after)
        squares[f] += more if more > 0.0 else 0.0  # below 0 only by rounding, under a huge weight
    for f in range(n):
        low[f] = x[f] if x[f] < low[f] else low[f]
        high[f] = x[f] if x[f] > high[f] else high[f]
    return True


cdef int32_t observe_each(Arena* a, const View* v, ClassTable* t, double w) noexcept nogil:
    """Any row, at a node that has dropped nothing; what `t.even` is now."""
    cdef double* n = numbers(t)
    cdef double share = 0.0, weight = -1.0
    cdef Py_ssize_t f, d = t.d
    cdef bint even = v.n <= d
    for f in range(min(v.n, d)):
        if v.x[f] != v.x[f]:
            even = False
        elif a.kind[f] == NOMINAL:
            even = False
            n[f] += w
            n[5 * d + a.cells[f][<int32_t> v.x[f]]] += w
        else:
            if n[f] + w != weight:  # without missing values it is the same for all features
                even &= f == 0
                weight = n[f] + w
                share = w / weight
            add_number(n + f, d, v.x[f], w, share)
    return <int32_t> v.n if even else 0


cdef void observe_some(Arena* a, int32_t node, const View* v, ClassTable* t, double w) noexcept nogil:
    """Any row, at a node that has dropped features."""
    cdef double* n = numbers(t)
    cdef const int32_t* place = places(a.layout[node])
    cdef Py_ssize_t f, d = t.d
    for f in range(min(v.n, a.layout[node].width)):
        if v.x[f] != v.x[f] or place[f] == NOBODY:
            continue
        if a.kind[f] == NOMINAL:
            n[place[f]] += w
            n[5 * d + cell(a, node, <int32_t> f, <int32_t> v.x[f])] += w
        else:
            add_number(n + place[f], d, v.x[f], w, w / (n[place[f]] + w))


cdef inline void add_number(double* n, Py_ssize_t d, double x, double w, double share) noexcept nogil:
    """Weight, mean, squares, low and high stand d numbers apart; `share`: of w in the new weight."""
    cdef double before
    if n[0] <= 0.0:
        n[0] = w
        n[d] = n[3 * d] = n[4 * d] = x
        n[2 * d] = 0.0
        return
    n[0] += w
    before = x - n[d]
    n[d] += before * share
    n[2 * d] += max(0.0, w * before * (x - n[d]))
    n[3 * d] = min(n[3 * d], x)
    n[4 * d] = max(n[4 * d], x)


cdef void forget(Arena* a, int32_t node, const View* v, int32_t label, double w) noexcept nogil:
    """Take an example back, at a node that has dropped nothing. Minima and maxima stay: they are
    those ever seen at this node."""
    cdef ClassTable* t
    cdef double* n
    cdef double x, mean, left
    cdef Py_ssize_t f, d
    cdef int32_t place
    if label >= a.labels[node]:
        return
    a.counts[node][label] = less(a.counts[node][label], w)
    a.weight[node] = less(a.weight[node], w)
    t = a.tables[node][label] if a.tables[node] != NULL else NULL
    if t == NULL:
        return
    t.gaussians, t.even = NOBODY, 0
    d = t.d
    n = numbers(t)
    for f in range(min(v.n, d)):
        x = v.x[f]
        if x != x:
            continue
        left = less(n[f], w)
        n[f] = left
        if a.kind[f] == NOMINAL:
            place = a.cells[f][<int32_t> x]
            if place < t.cells:
                n[5 * d + place] = less(n[5 * d + place], w)
        elif left == 0.0:
            n[d + f] = n[2 * d + f] = 0.0
        else:
            mean = n[d + f]
            n[d + f] = mean - w * (x - mean) / left
            n[2 * d + f] = max(0.0, n[2 * d + f] - w * (x - mean) * (x - n[d + f]))


cdef inline double less(double n, double w) noexcept nogil:
    return n - w if n - w > NONE_LEFT * n else 0.0


cdef void majority(Arena* a, int32_t node, Py_ssize_t k, double* out) noexcept nogil:
    """Share of each label at the node; all the same if none is left."""
    cdef double total = a.weight[node], counted = 0.0
    cdef Py_ssize_t r
    for r in range(min(k, a.labels[node])):
        counted += a.counts[node][r]
    if not fabs(counted - total) <= 1e-9 * total:  # rounding that forgetting has left
        total = counted
    for r in range(k):
        out[r] = a.counts[node][r] / total if r < a.labels[node] else 0.0
        if not total > 0.0:
            out[r] = 1.0 / k


cdef bint naive_bayes(
    Arena* a, int32_t node, const View* v, Py_ssize_t k, bint learning, double* out
) noexcept nogil:
    """Logarithm of prior times likelihoods of each label; False if all are impossible.

    A likelihood of 0 vetoes its label: a number that differs from the only one seen so far, or a
    feature this label never had.
    """
    cdef bint possible = False
    cdef Py_ssize_t r
    for r in range(k):
        out[r] = -INFINITY
        if r < a.labels[node] and a.counts[node][r] > 0.0 and a.tables[node][r] != NULL:
            if learning:  # who only asks must not write: others may ask at the same time
                reckon(a.tables[node][r])
            out[r] = log(a.counts[node][r] / a.weight[node]) + log_likelihood(a, node, v, a.tables[node][r])
            if not out[r] < INFINITY:  # spreads that are no numbers tell nothing
                out[r] = -INFINITY
            possible |= out[r] > -INFINITY
    return possible


cdef double log_likelihood(Arena* a, int32_t node, const View* v, ClassTable* t) noexcept nogil:
    """Of the values of an example, under one label."""
    cdef double distance
    if t.even > 0 and t.even == v.n and t.gaussians != NOBODY and a.layout[node] == NULL:
        distance = distance_of_all(t, v.x, v.n)
        if distance == distance:  # no gap
            return t.logs + 0.5 * (t.log_product - distance) - t.gaussians * HALF_LOG_2PI
    return likelihood_of_each(a, node, v, t)


cdef void reckon(ClassTable* t) noexcept nogil:
    """The part of the likelihood that is the same for every row of numbers, if it has changed."""
    cdef const double* n = numbers(t)
    cdef double product = 1.0
    cdef Py_ssize_t f, d = t.d
    if t.even == 0 or t.gaussians != NOBODY:
        return
    t.logs, t.gaussians = 0.0, 0
    for f in range(t.even):
        if n[2 * d + f] > 0.0:
            t.gaussians += 1
            add_log(n[f] / n[2 * d + f], &product, &t.logs)
    t.log_product = log(product)


cdef inline void add_log(double precision, double* product, double* logs) noexcept nogil:
    """Half its logarithm more; one logarithm for all, as long as the product is an ordinary number."""
    if 1e-100 < precision < 1e100:
        product[0] *= precision
        if 1e-100 < product[0] < 1e100:
            return
        logs[0] += 0.5 * log(product[0])
        product[0] = 1.0
    else:
        logs[0] += 0.5 * log(precision)


cdef double distance_of_all(ClassTable* t, const double* x, Py_ssize_t n) noexcept nogil:
    """Squares of the distances from the means, in deviations: infinite if a number differs from the
    only one seen so far, NaN if there is a gap."""
    cdef const double* weight = numbers(t)
    cdef const double* mean = weight + t.d
    cdef const double* squares = mean + t.d
    cdef double distance = 0.0, off
    cdef Py_ssize_t f
    for f in range(n):
        off = x[f] - mean[f]
        if squares[f] > 0.0:
            distance += off * off * (weight[f] / squares[f])
        elif off != 0.0:
            return INFINITY if x[f] == x[f] else NAN
    return distance


cdef double likelihood_of_each(Arena* a, int32_t node, const View* v, ClassTable* t) noexcept nogil:
    """The same with gaps, nominal values and dropped features."""
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
        add_log(precision, &product, &logs)
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
    if ask and (rule == NB or a.hits_nb[node] > a.hits_mc[node]) and naive_bayes(a, node, v, k, False, out):
        softmax(out, out, k)
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
