"""What a node learns and predicts (naive Bayes in log space: Gama, Rocha and Medas, KDD 2003)."""

from libc.math cimport INFINITY, NAN, fabs, log
from libc.stdint cimport int32_t

from ...core.example cimport NO_MEMORY
from ...core.scores cimport softmax
from ._tables cimport add_values, ensure_label, ensure_table
from .arena cimport (
    NOMINAL, NONE, NUMERIC, UNKNOWN, Arena, ClassTable, Layout, View, cell, cell_weights, column, highs, lows,
    means, places, squares, weights,
)

cdef double HALF_LOG_2PI = 0.9189385332046727
cdef enum:
    AT_ONCE = 64  # features of a row that naive Bayes looks at together

cdef struct Values:              # some features of a row
    int32_t numbers
    double x[AT_ONCE]            # of each number: its value,
    int32_t columns[AT_ONCE]     # its column in the tables,
    double floors[AT_ONCE]       # and what is added to its variance; 0: it has never varied
    int32_t varying              # how many have varied
    int32_t names
    int32_t name_columns[AT_ONCE]  # of each nominal value: the column of its feature,
    int32_t cells[AT_ONCE]         # its cell, or NONE,
    int32_t codes[AT_ONCE]         # and how many values its feature has

cdef double NONE_LEFT = 1e-12  # of a weight: a smaller remainder of a subtraction is rounding


cdef int prepare(Arena* a, int32_t node, const View* v, int32_t label) noexcept nogil:
    """Allocate all that `observe` will need. NO_MEMORY: nothing may be learned."""
    if ensure_label(a, node, label) != 0:
        return NO_MEMORY
    if a.tables[node] != NULL:
        if add_values(a, node, v) != 0 or ensure_table(a, node, label) == NULL:
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
    t.gaussians = NONE
    if a.layout[node] != NULL:
        t.even = observe_some(a, node, v, t, w)
    elif t.even == 0 or t.even != v.n or not observe_all(t, v.x, v.n, w):
        t.even = observe_each(a, node, v, t, w)


cdef bint observe_all(ClassTable* t, const double* x, Py_ssize_t n, double w) noexcept nogil:
    """A row of numbers, where all rows before were such. False: there is a gap, nothing was done.
    No step depends on the feature before, so that the compiler takes several at a time."""
    cdef double* weight = weights(t)
    cdef double* mean = means(t)
    cdef double* square = squares(t)
    cdef double* low = lows(t)
    cdef double* high = highs(t)
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
        square[f] += more if more > 0.0 else 0.0  # below 0 only by rounding, under a huge weight
    for f in range(n):
        low[f] = x[f] if x[f] < low[f] else low[f]
        high[f] = x[f] if x[f] > high[f] else high[f]
    return True


cdef int32_t observe_each(
    Arena* a, int32_t node, const View* v, ClassTable* t, double w
) noexcept nogil:
    """Any row, at a node that has dropped nothing; returns the new `t.even`."""
    cdef double* weight = weights(t)
    cdef double share = 0.0, together = -1.0
    cdef Py_ssize_t f
    cdef bint even = v.n <= t.d
    for f in range(min(v.n, <Py_ssize_t> t.d)):
        if v.x[f] != v.x[f]:
            even = False
        elif a.kind[f] == NOMINAL:
            even = False
            weight[f] += w
            cell_weights(t)[cell(a, node, <int32_t> f, <int32_t> v.x[f])] += w
        else:
            if weight[f] + w != together:  # without missing values it is the same for all features
                even &= f == 0
                together = weight[f] + w
                share = w / together
            add_number(t, f, v.x[f], w, share)
    return <int32_t> v.n if even else 0


cdef int32_t observe_some(
    Arena* a, int32_t node, const View* v, ClassTable* t, double w
) noexcept nogil:
    """Any row, at a node that has dropped features; returns the new `t.even`: all its columns, or 0."""
    cdef const int32_t* place = places(a.layout[node])
    cdef double* weight = weights(t)
    cdef double together = -1.0
    cdef int32_t c, d = 0
    cdef Py_ssize_t f
    cdef bint even = True
    for f in range(min(v.n, <Py_ssize_t> a.layout[node].width)):
        c = place[f]
        if v.x[f] != v.x[f] or c == NONE:
            continue
        if a.kind[f] == NOMINAL:
            even = False
            weight[c] += w
            cell_weights(t)[cell(a, node, <int32_t> f, <int32_t> v.x[f])] += w
        else:
            even &= d == 0 or weight[c] + w == together
            together = weight[c] + w
            d += 1
            add_number(t, c, v.x[f], w, w / together)
    return d if even and d == a.layout[node].d else 0


cdef inline void add_number(
    ClassTable* t, Py_ssize_t c, double x, double w, double share
) noexcept nogil:
    """Welford's step in column c; `share` is w as a share of the new weight."""
    cdef double before
    if weights(t)[c] <= 0.0:
        weights(t)[c] = w
        means(t)[c] = lows(t)[c] = highs(t)[c] = x
        squares(t)[c] = 0.0
        return
    weights(t)[c] += w
    before = x - means(t)[c]
    means(t)[c] += before * share
    squares(t)[c] += max(0.0, w * before * (x - means(t)[c]))
    lows(t)[c] = min(lows(t)[c], x)
    highs(t)[c] = max(highs(t)[c], x)


cdef void forget(Arena* a, int32_t node, const View* v, int32_t label, double w) noexcept nogil:
    """Subtract an example at a node that has dropped nothing. Minima and maxima stay: they are
    those ever seen at this node."""
    cdef ClassTable* t
    cdef double* mean
    cdef double* square
    cdef double x, before, left
    cdef Py_ssize_t f
    cdef int32_t place
    if label >= a.labels[node]:
        return
    a.counts[node][label] = less(a.counts[node][label], w)
    a.weight[node] = less(a.weight[node], w)
    t = a.tables[node][label] if a.tables[node] != NULL else NULL
    if t == NULL:
        return
    t.gaussians, t.even = NONE, 0
    mean, square = means(t), squares(t)
    for f in range(min(v.n, <Py_ssize_t> t.d)):
        x = v.x[f]
        if x != x:
            continue
        left = less(weights(t)[f], w)
        weights(t)[f] = left
        if a.kind[f] == NOMINAL:
            place = cell(a, node, <int32_t> f, <int32_t> x)
            if 0 <= place < t.cells:
                cell_weights(t)[place] = less(cell_weights(t)[place], w)
        elif left == 0.0:
            mean[f] = square[f] = 0.0
        else:
            before = x - mean[f]
            mean[f] = mean[f] - w * before / left
            square[f] = max(0.0, square[f] - w * before * (x - mean[f]))


cdef inline double less(double n, double w) noexcept nogil:
    """n - w, and 0 where only rounding is left."""
    return n - w if n - w > NONE_LEFT * n else 0.0


cdef void majority(Arena* a, int32_t node, Py_ssize_t k, double* out) noexcept nogil:
    """Share of each label at the node; all the same if none is left."""
    cdef double total = a.weight[node], counted = 0.0
    cdef Py_ssize_t r
    for r in range(min(k, a.labels[node])):
        counted += a.counts[node][r]
    if not fabs(counted - total) <= 1e-9 * total:  # rounding left by subtractions
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
    cdef double kept[AT_ONCE]
    cdef const double* x = v.x
    cdef bint possible = False
    cdef Py_ssize_t r, n = v.n
    if a.variance_floor > 0.0:
        return naive_bayes_with_floor(a, node, v, k, out)
    if a.layout[node] != NULL:
        x, n = kept, numbers_kept(a, node, v, kept)
    for r in range(k):
        out[r] = -INFINITY
        if r < a.labels[node] and a.counts[node][r] > 0.0 and a.tables[node][r] != NULL:
            if learning:  # predictions must not write: they may run in several threads
                precompute(a.tables[node][r])
            out[r] = log(a.counts[node][r] / a.weight[node])
            out[r] += log_likelihood(a, node, v, x, n, a.tables[node][r])
            if not out[r] < INFINITY:  # NaN, or infinite variances
                out[r] = -INFINITY
            possible |= out[r] > -INFINITY
    return possible


cdef bint naive_bayes_with_floor(
    Arena* a, int32_t node, const View* v, Py_ssize_t k, double* out
) noexcept nogil:
    """The same where every label's variance of a number is raised by a share of the variance over
    all labels. What has never varied at this node says nothing."""
    cdef Py_ssize_t first = 0, n = min(v.n, <Py_ssize_t> a.width), r
    cdef bint possible = False
    cdef Values values
    for r in range(k):
        out[r] = -INFINITY
        if r < a.labels[node] and a.counts[node][r] > 0.0 and a.tables[node][r] != NULL:
            out[r] = log(a.counts[node][r] / a.weight[node])
    while first < n:
        first = gather(a, node, v, first, n, &values)
        set_floors(a, node, &values)
        for r in range(k):
            if out[r] > -INFINITY:
                out[r] += likelihood_of_values(a.tables[node][r], &values)
                if not out[r] < INFINITY:  # NaN, or infinite variances
                    out[r] = -INFINITY
    for r in range(k):
        possible |= out[r] > -INFINITY
    return possible


cdef Py_ssize_t gather(
    Arena* a, int32_t node, const View* v, Py_ssize_t first, Py_ssize_t n, Values* out
) noexcept nogil:
    """The next values that the node has columns for; returns the feature after them."""
    cdef Layout* layout = a.layout[node]
    cdef int32_t c, code
    cdef Py_ssize_t f
    out.numbers = out.names = 0
    for f in range(first, min(n, first + AT_ONCE)):
        c = <int32_t> f if layout == NULL else column(a, node, <int32_t> f)
        if v.x[f] != v.x[f] or a.kind[f] == UNKNOWN or c == NONE:
            continue
        if a.kind[f] == NOMINAL:
            code = <int32_t> v.x[f]
            out.name_columns[out.names], out.codes[out.names] = c, a.codes[f]
            out.cells[out.names] = cell(a, node, <int32_t> f, code)
            out.names += 1
        else:
            out.x[out.numbers], out.columns[out.numbers] = v.x[f], c
            out.numbers += 1
    return min(n, first + AT_ONCE)


cdef const double* row_of(
    ClassTable* t, int32_t row, const Values* v, double* room
) noexcept nogil:
    """One row of a table in the columns of these values: where it is, or copied to `room`."""
    cdef const double* all = weights(t) + row * <Py_ssize_t> t.d
    cdef int32_t j, last = v.numbers - 1
    if last >= 0 and v.columns[last] - v.columns[0] == last and v.columns[last] < t.d:
        return all + v.columns[0]
    for j in range(v.numbers):
        room[j] = all[v.columns[j]] if v.columns[j] < t.d else 0.0
    return room


cdef void set_floors(Arena* a, int32_t node, Values* v) noexcept nogil:
    """What is added to the variance of each number: a share of its variance over all labels."""
    cdef double[AT_ONCE] n, mean, square
    cdef double[3][AT_ONCE] room
    cdef const double* w
    cdef const double* m
    cdef const double* s
    cdef ClassTable* t
    cdef int32_t r, j
    cdef int32_t numbers = v.numbers
    for j in range(numbers):
        n[j] = mean[j] = square[j] = 0.0
    for r in range(a.labels[node]):
        t = a.tables[node][r]
        if t != NULL:
            w, m = row_of(t, 0, v, room[0]), row_of(t, 1, v, room[1])
            for j in range(numbers):
                n[j] += w[j]
                mean[j] += w[j] * m[j]
    for j in range(numbers):
        mean[j] = mean[j] / n[j] if n[j] > 0.0 else 0.0
    for r in range(a.labels[node]):
        t = a.tables[node][r]
        if t != NULL:
            w, m, s = row_of(t, 0, v, room[0]), row_of(t, 1, v, room[1]), row_of(t, 2, v, room[2])
            for j in range(numbers):
                square[j] += s[j] + w[j] * (m[j] - mean[j]) * (m[j] - mean[j])
    v.varying = 0
    for j in range(numbers):
        v.floors[j] = a.variance_floor * (square[j] / n[j]) if n[j] > 0.0 else 0.0
        v.varying += v.floors[j] > 0.0


cdef double likelihood_of_values(ClassTable* t, const Values* v) noexcept nogil:
    """Logarithm of the likelihood of these values under one label."""
    cdef double[AT_ONCE] precision, off
    cdef double[3][AT_ONCE] room
    cdef const double* w = row_of(t, 0, v, room[0])
    cdef const double* m = row_of(t, 1, v, room[1])
    cdef const double* s = row_of(t, 2, v, room[2])
    cdef double logs = 0.0, product = 1.0, distance = 0.0, count
    cdef int32_t j, c, absent = 0
    for j in range(v.numbers):
        absent += not w[j] > 0.0
    if absent:  # the label never had one of these features
        return -INFINITY
    for j in range(v.numbers):
        precision[j] = w[j] / (s[j] + w[j] * v.floors[j])
        off[j] = (v.x[j] - m[j]) * (v.x[j] - m[j])
    for j in range(v.numbers):
        if v.floors[j] > 0.0:
            distance += off[j] * precision[j]
            add_log(precision[j], &product, &logs)
    for j in range(v.names):
        c = v.cells[j]
        count = cell_weights(t)[c] if 0 <= c < t.cells else 0.0
        c = v.name_columns[j]
        logs += log((count + 1.0) / ((weights(t)[c] if c < t.d else 0.0) + v.codes[j]))
    return logs + 0.5 * (log(product) - distance) - v.varying * HALF_LOG_2PI


cdef Py_ssize_t numbers_kept(Arena* a, int32_t node, const View* v, double* out) noexcept nogil:
    """The values of the features that a node has not dropped, and how many they are; 0 if there is
    a gap, a nominal value or a later feature among them."""
    cdef Layout* l = a.layout[node]
    cdef int32_t c, d = 0
    cdef Py_ssize_t f
    if v.n > l.width or l.d > AT_ONCE:
        return 0
    for f in range(v.n):
        c = places(l)[f]
        if c == NONE:
            continue
        if a.kind[f] != NUMERIC or v.x[f] != v.x[f]:
            return 0
        out[c] = v.x[f]
        d += 1
    return d if d == l.d else 0


cdef double log_likelihood(
    Arena* a, int32_t node, const View* v, const double* x, Py_ssize_t n, ClassTable* t
) noexcept nogil:
    """Of the values of an example, under one label; `x` has them by column."""
    cdef double distance
    if t.even > 0 and t.even == n and t.gaussians != NONE:
        distance = distance_of_all(t, x, n)
        if distance == distance:  # no gap
            return t.logs + 0.5 * (t.log_product - distance) - t.gaussians * HALF_LOG_2PI
    return likelihood_of_each(a, node, v, t)


cdef void precompute(ClassTable* t) noexcept nogil:
    """The part of the likelihood that is the same for every row of numbers, if it has changed."""
    cdef const double* square = squares(t)
    cdef double product = 1.0
    cdef Py_ssize_t f
    if t.even == 0 or t.gaussians != NONE:
        return
    t.logs, t.gaussians = 0.0, 0
    for f in range(t.even):
        if square[f] > 0.0:
            t.gaussians += 1
            add_log(weights(t)[f] / square[f], &product, &t.logs)
    t.log_product = log(product)


cdef inline void add_log(double precision, double* product, double* logs) noexcept nogil:
    """Add half its logarithm to `logs`, or multiply `product` by it while that stays an ordinary
    number: one logarithm for all."""
    if 1e-100 < precision < 1e100:
        product[0] *= precision
        if 1e-100 < product[0] < 1e100:
            return
        logs[0] += 0.5 * log(product[0])
        product[0] = 1.0
    else:
        logs[0] += 0.5 * log(precision)


cdef double distance_of_all(ClassTable* t, const double* x, Py_ssize_t n) noexcept nogil:
    """Squared distances from the means in standard deviations, summed: infinite if a number differs
    from the only one seen so far, NaN if there is a gap."""
    cdef const double* weight = weights(t)
    cdef const double* mean = means(t)
    cdef const double* square = squares(t)
    cdef double distance = 0.0, off
    cdef double terms[AT_ONCE]
    cdef Py_ssize_t f
    if t.gaussians == n and n <= AT_ONCE:  # the compiler takes several divisions at a time
        for f in range(n):
            terms[f] = (x[f] - mean[f]) * (x[f] - mean[f]) * (weight[f] / square[f])
        for f in range(n):
            distance += terms[f]
        return distance
    for f in range(n):
        off = x[f] - mean[f]
        if square[f] > 0.0:
            distance += off * off * (weight[f] / square[f])
        elif off != 0.0:
            return INFINITY if x[f] == x[f] else NAN
    return distance


cdef double likelihood_of_each(Arena* a, int32_t node, const View* v, ClassTable* t) noexcept nogil:
    """The same with gaps, nominal values and dropped features."""
    cdef const double* weight = weights(t)
    cdef const double* mean = means(t)
    cdef const double* square = squares(t)
    cdef Py_ssize_t f, c, gaussians = 0
    cdef double logs = 0.0, product = 1.0, distance = 0.0, precision, x, off, count
    cdef int32_t code, at
    cdef bint whole = a.layout[node] == NULL
    for f in range(min(v.n, <Py_ssize_t> a.width)):
        x = v.x[f]
        c = f if whole else column(a, node, <int32_t> f)
        if x != x or a.kind[f] == UNKNOWN or c == NONE:
            continue
        if a.kind[f] == NOMINAL:
            code = <int32_t> x
            at = cell(a, node, <int32_t> f, code)
            count = cell_weights(t)[at] if 0 <= at < t.cells else 0.0
            logs += log((count + 1.0) / ((weight[c] if c < t.d else 0.0) + a.codes[f]))
            continue
        if c >= t.d or weight[c] <= 0.0:
            return -INFINITY
        off = x - mean[c]
        if square[c] <= 0.0:
            if off != 0.0:
                return -INFINITY
            continue
        precision = weight[c] / square[c]
        distance += off * off * precision
        gaussians += 1
        add_log(precision, &product, &logs)
    return logs + 0.5 * (log(product) - distance) - gaussians * HALF_LOG_2PI


cdef void answer(
    Arena* a, int32_t node, const View* v, LeafRule rule, Py_ssize_t k, double* out
) noexcept nogil:
    """Probability of each label for an example that has come to this node."""
    cdef Py_ssize_t r
    cdef bint bayes = a.feature[node] == NONE and a.tables[node] != NULL and (
        rule == NB or rule == NBA and a.hits_nb[node] > a.hits_mc[node])
    if a.weight[node] <= 0.0:  # an empty leaf answers like its parent
        while node != NONE and a.weight[node] <= 0.0:
            node = a.parent[node]
        if node != NONE:
            majority(a, node, k, out)
            return
        for r in range(k):
            out[r] = 1.0 / k
        return
    if bayes and naive_bayes(a, node, v, k, False, out):
        softmax(out, out, k)
    else:
        majority(a, node, k, out)


cdef int32_t above(Arena* a, int32_t node, int32_t r, int32_t s) noexcept nogil:
    """Which of two labels the nearest node above has counted more often; NONE: none of them."""
    cdef double more
    node = a.parent[node]
    while node != NONE:
        more = a.counts[node][r] if r < a.labels[node] else 0.0
        more -= a.counts[node][s] if s < a.labels[node] else 0.0
        if more != 0.0:
            return r if more > 0.0 else s
        node = a.parent[node]
    return NONE


cdef int32_t choose(const double* votes, Py_ssize_t k, int32_t tie) noexcept nogil:
    """Label with most votes; the earliest on ties, of two labels `tie`."""
    cdef Py_ssize_t r, best = 0
    if k == 2 and votes[0] == votes[1]:
        return tie
    for r in range(1, k):
        if votes[r] > votes[best]:
            best = r
    return <int32_t> best
