"""Which split separates the labels of a node best?

A number is modelled per label as a Gaussian between its minimum and maximum (Pfahringer, Holmes and
Kirkby, PAKDD 2008); ten cuts are tried. Of a nominal feature one value is separated from all others,
or it has a branch for each value. A split counts only if at least two branches have more than 1 % of the node's weight.

Cuts are the dearest part of a tree with many labels, so they are first looked at roughly: with s the
share of a label's weight n that is below the cut, and h the entropy of two sides, a cut gains h of the
share of all weight, less the mean of h(s), weighted by n. Both s and h(s) are read from tables, by the
distance of the cut from the label's mean. Only cuts that may be the best are then reckoned exactly
(docs/decisions.md#rough-cuts).
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport INFINITY, erfc, log2, sqrt
from libc.stdint cimport int32_t
from libc.stdlib cimport qsort

from ...core.memory cimport release, resize
from .arena cimport (
    NOMINAL, NONE, NUMERIC, Arena, ClassTable, ValueIndex, cell, cell_weights, column, highs, lows,
    means, squares, values_in, weights,
)
from .criteria cimport Criterion

cdef enum:
    CUTS = 10
    STEPS = 64  # entries of the tables for each standard deviation,
    FAR = 5     # of which they reach so many to either side
    FEW = 8     # times the values at a node: a feature with fewer is gone through from end to end

cdef struct Codes:   # nominal values of a feature
    int32_t* listed  # NULL: all from 0
    int32_t n

cdef double LEAST_SHARE = 0.01
cdef double SQRT_HALF = 0.7071067811865476
cdef double ROUGH = 3e-4         # no rough gain is off by more
cdef double ROUGH_SHARE = 1e-4   # and no rough share of a weight
cdef double[2 * FAR * STEPS + 2] SHARE   # of a normal distribution below each distance from the mean,
cdef double[2 * FAR * STEPS + 2] UNSURE  # and the entropy of being there or not

cdef struct Cuts:          # of one feature
    double at[CUTS]
    bint hopeful[CUTS]     # may be the best


cdef int make_tables() except -1:
    cdef double low, high
    cdef int32_t i
    for i in range(2 * FAR * STEPS + 2):
        low = 0.5 * erfc(SQRT_HALF * (FAR - <double> i / STEPS))
        high = 0.5 * erfc(SQRT_HALF * (<double> i / STEPS - FAR))
        SHARE[i], UNSURE[i] = low, -low * log2(low) - high * log2(high)
    return 0


make_tables()


cdef int make_scratch(Scratch* s, Py_ssize_t labels) except -1:
    """Make room for the counts of this number of labels."""
    if labels > s.room:
        labels = max(labels, s.room + s.room // 2)
        s.parent = <double*> resize(s.parent, 0, labels * sizeof(double))
        s.left = <double*> resize(s.left, 0, labels * sizeof(double))
        s.right = <double*> resize(s.right, 0, labels * sizeof(double))
        s.present = <int32_t*> resize(s.present, 0, labels * sizeof(int32_t))
        s.room = labels
    return 0


cdef void free_scratch(Scratch* s) noexcept:
    release(s.parent)
    release(s.left)
    release(s.right)
    release(s.present)


cdef Py_ssize_t scratch_bytes(const Scratch* s) noexcept:
    return s.room * (3 * sizeof(double) + sizeof(int32_t))


cdef Py_ssize_t labels_at(Arena* a, int32_t node) noexcept nogil:
    """How many labels have weight there."""
    cdef Py_ssize_t k = 0
    cdef int32_t r
    for r in range(a.labels[node]):
        k += a.counts[node][r] > 0.0
    return k


cdef Split null_split() noexcept nogil:
    cdef Split split
    split.feature, split.gain, split.threshold = NONE, 0.0, 0.0
    split.nominal = split.by_value = False
    return split


cdef Split best_split(
    Arena* a, int32_t node, int32_t feature, const Criterion* criterion, double least, Scratch* s
) noexcept nogil:
    """The best split on this feature; gain 0 if there is none. One that gains no more than `least`
    may be overlooked."""
    cdef Split split = null_split()
    cdef int32_t c = column(a, node, feature)
    cdef Py_ssize_t k
    split.feature = feature
    if c == NONE:
        return split
    k = collect(a, node, c, s)
    if k > 0 and a.kind[feature] == NUMERIC:
        best_cut(a, node, c, criterion, least, s, k, &split)
    elif k > 0 and a.kind[feature] == NOMINAL:
        split.nominal, split.by_value = True, not a.binary
        if a.binary:
            best_value(a, node, feature, criterion, s, k, &split)
        else:
            split.gain = gain_by_value(a, node, feature, criterion, s, k)
    return split


cdef Py_ssize_t collect(Arena* a, int32_t node, int32_t c, Scratch* s) noexcept nogil:
    """The labels that have values in column c, and the weight of each."""
    cdef Py_ssize_t k = 0
    cdef int32_t r
    cdef ClassTable* t
    for r in range(a.labels[node]):
        t = a.tables[node][r]
        if t != NULL and c < t.d and weights(t)[c] > 0.0:
            s.present[k] = r
            s.parent[k] = weights(t)[c]
            k += 1
    return k


cdef inline double below(ClassTable* t, int32_t c, double cut) noexcept nogil:
    """Weight of the values in column c up to `cut`, by the Gaussian within its range."""
    cdef double n = weights(t)[c]
    if cut < lows(t)[c]:
        return 0.0
    if cut >= highs(t)[c]:
        return n
    return n * 0.5 * erfc((means(t)[c] - cut) / sqrt(squares(t)[c] / n) * SQRT_HALF)


cdef void best_cut(
    Arena* a, int32_t node, int32_t c, const Criterion* criterion, double least, Scratch* s, Py_ssize_t k,
    Split* out
) noexcept nogil:
    """Gain and threshold of the best of ten cuts between the smallest and the largest value."""
    cdef ClassTable** tables = a.tables[node]
    cdef ClassTable* t = tables[s.present[0]]
    cdef double low = lows(t)[c], high = highs(t)[c], n = 0.0
    cdef double n_left, n_right, before, after, light
    cdef Cuts cuts
    cdef Py_ssize_t i, j
    for i in range(k):
        t = tables[s.present[i]]
        low = min(low, lows(t)[c])
        high = max(high, highs(t)[c])
        n += s.parent[i]
    if not low < high:
        return
    light = LEAST_SHARE * (a.weight[node] - a.idle[node])
    for j in range(CUTS):
        cuts.at[j] = low + (high - low) * (<double> (j + 1) / (CUTS + 1))
        cuts.hopeful[j] = low <= cuts.at[j] < high  # but for rounding, which may leave nothing to the right
    if criterion.in_bits and not look_roughly(tables, c, s, k, n, light, least, &cuts):
        return
    before = criterion.impurity(s.parent, k)
    for j in range(CUTS):
        if not cuts.hopeful[j]:
            continue
        n_left = n_right = 0.0
        for i in range(k):
            s.left[i] = below(tables[s.present[i]], c, cuts.at[j])
            s.right[i] = s.parent[i] - s.left[i]
            n_left += s.left[i]
            n_right += s.right[i]
        if not (n_left > light and n_right > light):
            continue
        after = criterion.impurity(s.left, k) + criterion.impurity(s.right, k)
        if (before - after) / n > out.gain:
            out.gain = (before - after) / n
            out.threshold = cuts.at[j]


cdef bint look_roughly(
    ClassTable** tables, int32_t c, const Scratch* s, Py_ssize_t k, double n, double light, double least,
    Cuts* cuts
) noexcept nogil:
    """Leave only cuts that may be the best; False if none gains more than `least`."""
    cdef double[CUTS] left, gains, unsure
    cdef double best = -INFINITY, most = -INFINITY, share, mean, precision, low, high, at
    cdef ClassTable* t
    cdef Py_ssize_t i, j
    cdef int32_t step
    for j in range(CUTS):
        left[j] = unsure[j] = 0.0
    for i in range(k):
        t = tables[s.present[i]]
        mean, low, high = means(t)[c], lows(t)[c], highs(t)[c]
        precision = sqrt(s.parent[i] / squares(t)[c])
        if low < high and not precision < INFINITY:  # only by rounding
            return True
        for j in range(CUTS):
            at = cuts.at[j]
            if at < low:
                continue
            at = (at - mean) * precision + FAR if at < high else INFINITY
            if at >= 2 * FAR:
                left[j] += s.parent[i]
            elif at > 0.0:
                step = <int32_t> (at * STEPS)
                at = at * STEPS - step
                left[j] += s.parent[i] * (SHARE[step] + at * (SHARE[step + 1] - SHARE[step]))
                unsure[j] += s.parent[i] * (UNSURE[step] + at * (UNSURE[step + 1] - UNSURE[step]))
    for j in range(CUTS):
        share = min(max(left[j] / n, 0.0), 1.0)
        gains[j] = -(unsure[j] / n)
        if 0.0 < share < 1.0:
            gains[j] -= share * log2(share) + (1.0 - share) * log2(1.0 - share)
        if cuts.hopeful[j]:
            most = max(most, gains[j])
            if min(share, 1.0 - share) > light / n + ROUGH_SHARE:  # heavy enough, for sure
                best = max(best, gains[j])
    for j in range(CUTS):
        cuts.hopeful[j] &= gains[j] >= best - 2.0 * ROUGH
    return most + ROUGH > least


cdef inline double cell_weight(ClassTable* t, int32_t place) noexcept nogil:
    """Weight of a nominal value; 0 if it is newer than the table, or never came to the node."""
    return cell_weights(t)[place] if 0 <= place < t.cells else 0.0


cdef int by_code(const void* x, const void* y) noexcept nogil:
    return (<const int32_t*> x)[0] - (<const int32_t*> y)[0]


cdef Codes codes_at(Arena* a, int32_t node, int32_t f) noexcept nogil:
    """The values of a feature that may have come to a node, in order."""
    cdef ValueIndex* x = a.values[node]
    cdef Codes found
    cdef int32_t c
    found.n, found.listed = a.codes[f], NULL
    if x == NULL or a.codes[f] < FEW * x.n:  # it is as quick to ask for all there are
        return found
    found.listed = <int32_t*> PyMem_RawMalloc(x.n * sizeof(int32_t))
    if found.listed == NULL:
        return found
    found.n = 0
    for c in range(x.n):
        if values_in(x)[c].feature == f:
            found.listed[found.n] = values_in(x)[c].code
            found.n += 1
    qsort(found.listed, found.n, sizeof(int32_t), by_code)
    return found


cdef double gain_by_value(
    Arena* a, int32_t node, int32_t f, const Criterion* criterion, Scratch* s, Py_ssize_t k
) noexcept nogil:
    """Gain of one branch per value; 0 if fewer than two are heavy enough."""
    cdef double n = 0.0, n_value, after = 0.0
    cdef Py_ssize_t i, heavy = 0
    cdef Codes codes = codes_at(a, node, f)
    cdef int32_t j, place
    for j in range(codes.n):
        place = cell(a, node, f, codes.listed[j] if codes.listed != NULL else j)
        if place == NONE:
            continue
        n_value = 0.0
        for i in range(k):
            s.left[i] = cell_weight(a.tables[node][s.present[i]], place)
            n_value += s.left[i]
        heavy += n_value > LEAST_SHARE * (a.weight[node] - a.idle[node])
        n += n_value
        after += criterion.impurity(s.left, k)
    PyMem_RawFree(codes.listed)
    if heavy < 2:
        return 0.0
    return max(0.0, (criterion.impurity(s.parent, k) - after) / n)


cdef void best_value(
    Arena* a, int32_t node, int32_t f, const Criterion* criterion, Scratch* s, Py_ssize_t k, Split* out
) noexcept nogil:
    """Gain and code of the value that is best separated from all others."""
    cdef double n = 0.0, n_value, before = criterion.impurity(s.parent, k), after
    cdef double least = LEAST_SHARE * (a.weight[node] - a.idle[node])
    cdef Py_ssize_t i
    cdef Codes codes = codes_at(a, node, f)
    cdef int32_t code, j, place
    for i in range(k):
        n += s.parent[i]
    for j in range(codes.n):
        code = codes.listed[j] if codes.listed != NULL else j
        place = cell(a, node, f, code)
        if place == NONE:
            continue
        n_value = 0.0
        for i in range(k):
            s.left[i] = cell_weight(a.tables[node][s.present[i]], place)
            s.right[i] = s.parent[i] - s.left[i]
            n_value += s.left[i]
        if not (n_value > least and n - n_value > least):
            continue
        after = criterion.impurity(s.left, k) + criterion.impurity(s.right, k)
        if (before - after) / n > out.gain:
            out.gain, out.threshold = (before - after) / n, code
    PyMem_RawFree(codes.listed)


cdef void branch_counts(
    Arena* a, int32_t node, const Split* split, int32_t branch, Py_ssize_t k, double* out
) noexcept nogil:
    """The counts that a split gives to one branch: 0 left, 1 right, or a nominal value's code."""
    cdef int32_t r, c = column(a, node, split.feature)
    cdef ClassTable* t
    cdef double left
    for r in range(<int32_t> k):
        out[r] = 0.0
        t = a.tables[node][r] if r < a.labels[node] else NULL
        if t == NULL or c >= t.d or weights(t)[c] <= 0.0:
            continue
        if split.by_value:
            out[r] = cell_weight(t, cell(a, node, split.feature, branch))
            continue
        if split.nominal:
            left = cell_weight(t, cell(a, node, split.feature, <int32_t> split.threshold))
        else:
            left = below(t, c, split.threshold)
        out[r] = left if branch == 0 else weights(t)[c] - left
