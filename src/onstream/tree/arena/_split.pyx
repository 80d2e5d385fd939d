"""Which question sorts the labels of a node best? (spec 12.1, 12.2)

A number is seen per label as a Gaussian between its minimum and maximum; ten cuts are tried. A
nominal feature has one branch per value. A split counts only if at least two branches have more
than 1 % of the node's weight.
"""

from libc.math cimport erfc, sqrt
from libc.stdint cimport int32_t

from ...core.memory cimport release, resize
from ._nodes cimport NOBODY, NOMINAL, NUMERIC, Arena, ClassTable, cell, column, numbers
from .criteria cimport INFO_GAIN, Criterion, mixed
from .criteria cimport hoeffding as hoeffding_bound

cdef enum:
    CUTS = 10

cdef double LEAST_SHARE = 0.01
cdef double SQRT_HALF = 0.7071067811865476


cdef int make_scratch(Scratch* s, Py_ssize_t labels) except -1:
    """Room for so many labels."""
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


cdef inline double below(const ClassTable* t, int32_t f, double cut) noexcept nogil:
    """Weight of the values in column f up to `cut`, by the Gaussian within its minimum and maximum."""
    cdef const double* v = numbers(<ClassTable*> t)
    cdef Py_ssize_t d = t.d
    cdef double n = v[f]
    if cut < v[3 * d + f]:
        return 0.0
    if cut >= v[4 * d + f]:
        return n
    return n * 0.5 * erfc((v[d + f] - cut) / sqrt(v[2 * d + f] / n) * SQRT_HALF)


cdef Py_ssize_t collect(Arena* a, int32_t node, int32_t f, Scratch* s) noexcept nogil:
    """The labels that have values in column f, and the weight of each."""
    cdef Py_ssize_t k = 0
    cdef int32_t r
    cdef ClassTable* t
    for r in range(a.labels[node]):
        t = a.tables[node][r]
        if t != NULL and f < t.d and numbers(t)[f] > 0.0:
            s.present[k] = r
            s.parent[k] = numbers(t)[f]
            k += 1
    return k


cdef void best_split(
    Arena* a, int32_t node, int32_t feature, Criterion criterion, Scratch* s, Split* out
) noexcept nogil:
    """The best split on this feature; gain 0 if there is none."""
    cdef Py_ssize_t k
    cdef int32_t place = column(a, node, feature)
    out.feature, out.gain, out.threshold, out.nominal = feature, 0.0, 0.0, False
    if place == NOBODY:
        return
    k = collect(a, node, place, s)
    if k == 0:
        return
    if a.kind[feature] == NUMERIC:
        best_cut(a, node, place, criterion, s, k, out)
    elif a.kind[feature] == NOMINAL:
        out.nominal = True
        by_value(a, node, feature, criterion, s, k, out)


cdef void best_cut(
    Arena* a, int32_t node, int32_t f, Criterion criterion, Scratch* s, Py_ssize_t k, Split* out
) noexcept nogil:
    cdef ClassTable** tables = a.tables[node]
    cdef double low, high, cut, n = 0.0, n_left, n_right, before, after, least
    cdef double sum_left, sum_right
    cdef Py_ssize_t i, j
    low = numbers(tables[s.present[0]])[3 * tables[s.present[0]].d + f]
    high = numbers(tables[s.present[0]])[4 * tables[s.present[0]].d + f]
    for i in range(k):
        low = min(low, numbers(tables[s.present[i]])[3 * tables[s.present[i]].d + f])
        high = max(high, numbers(tables[s.present[i]])[4 * tables[s.present[i]].d + f])
        n += s.parent[i]
    if not low < high:
        return
    before = mixed(criterion, s.parent, k)
    least = LEAST_SHARE * (a.weight[node] - a.idle[node])
    for j in range(1, CUTS + 1):
        cut = low + (high - low) * (<double> j / (CUTS + 1))
        if not low <= cut < high:  # rounding: nothing would go right
            continue
        n_left = n_right = sum_left = sum_right = 0.0
        for i in range(k):
            s.left[i] = below(tables[s.present[i]], f, cut)
            s.right[i] = s.parent[i] - s.left[i]
            n_left += s.left[i]
            n_right += s.right[i]
        if not (n_left > least and n_right > least):
            continue
        after = mixed(criterion, s.left, k) + mixed(criterion, s.right, k)
        if (before - after) / n > out.gain:
            out.gain = (before - after) / n
            out.threshold = cut


cdef void by_value(
    Arena* a, int32_t node, int32_t f, Criterion criterion, Scratch* s, Py_ssize_t k, Split* out
) noexcept nogil:
    cdef ClassTable* t
    cdef double n = 0.0, n_value, after = 0.0
    cdef Py_ssize_t i, heavy = 0
    cdef int32_t code, place
    for code in range(a.codes[f]):
        place = cell(a, node, f, code)
        n_value = 0.0
        for i in range(k):
            t = a.tables[node][s.present[i]]
            s.left[i] = numbers(t)[5 * t.d + place] if place < t.cells else 0.0
            n_value += s.left[i]
        heavy += n_value > LEAST_SHARE * (a.weight[node] - a.idle[node])
        n += n_value
        after += mixed(criterion, s.left, k)
    if heavy >= 2:
        out.gain = max(0.0, (mixed(criterion, s.parent, k) - after) / n)


cdef void branch_counts(
    Arena* a, int32_t node, const Split* split, int32_t branch, Py_ssize_t k, double* out
) noexcept nogil:
    """What a split gives to one branch: 0 left, 1 right, or a nominal value's code."""
    cdef int32_t r, f = column(a, node, split.feature), place
    cdef ClassTable* t
    cdef double left
    for r in range(<int32_t> k):
        out[r] = 0.0
        t = a.tables[node][r] if r < a.labels[node] else NULL
        if t == NULL or f >= t.d or numbers(t)[f] <= 0.0:
            continue
        if split.nominal:
            place = cell(a, node, split.feature, branch)
            out[r] = numbers(t)[5 * t.d + place] if place < t.cells else 0.0
        else:
            left = below(t, f, split.threshold)
            out[r] = left if branch == 0 else numbers(t)[f] - left


def impurity(str criterion, counts):
    """Entropy (criterion "info_gain") or Gini index of these counts of labels."""
    cdef double c[64]
    cdef Py_ssize_t i, k = min(64, len(counts))
    cdef double n = sum(counts)
    for i in range(k):
        c[i] = counts[i]
    return mixed(INFO_GAIN if criterion == "info_gain" else <Criterion> 1, c, k) / n


def bound(double span, double delta, double n):
    """Hoeffding's epsilon, one-sided."""
    return hoeffding_bound(span, delta, n)
