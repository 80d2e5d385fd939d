"""An exact index for long windows: near points stand together, in leaves with a box.

Scales change with the window, so boxes are kept in the units of the features: the smallest distance
to a box follows from the scales of the moment. Rounding is monotone, so the bound of a box, summed up
like a distance, is at most the distance to any point in it, bit for bit; a leaf is left out only if
its bound is larger than the k-th distance so far. Nominal values differ from those of a box where all
its points have one and the same other value.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t, int64_t

from ._tiles cimport Tiles, code_at, number_at

cdef enum:
    SAMPLE = 32


cdef struct Item:
    double key      # its value, or code, of the feature that a part is cut by
    int64_t age     # place in the window, the oldest being 0


cdef struct Points:
    double* rows            # of the window, from the oldest, point by point
    int32_t* codes          # their nominal values
    const double* factor    # scale of each feature
    int64_t oldest          # number of the first


cdef void leaves_free(Leaves* t) noexcept nogil:
    PyMem_RawFree(t.numbers)
    PyMem_RawFree(t.points)
    PyMem_RawFree(t.codes)
    PyMem_RawFree(t.low)
    PyMem_RawFree(t.high)
    PyMem_RawFree(t.only)
    t.numbers, t.points, t.codes, t.low, t.high, t.only = NULL, NULL, NULL, NULL, NULL, NULL
    t.n = t.room = 0


cdef Py_ssize_t leaves_bytes(const Leaves* t) noexcept nogil:
    cdef Py_ssize_t point = sizeof(int64_t) + t.d * sizeof(double) + t.c * sizeof(int32_t)
    cdef Py_ssize_t box = 2 * t.d * sizeof(double) + t.c * sizeof(int32_t)
    return t.room * LEAF * point + t.stride * box if t.room else 0


cdef bint make_room(Leaves* t, Py_ssize_t leaves, Py_ssize_t d, Py_ssize_t c) noexcept nogil:
    """Room for this many leaves; False, and there is no index, if there is no memory."""
    cdef Py_ssize_t i
    if leaves <= t.room and d == t.d and c == t.c:
        return True
    leaves_free(t)
    t.d, t.c, t.stride = d, c, leaves + 8
    t.numbers = <int64_t*> PyMem_RawMalloc(leaves * LEAF * sizeof(int64_t))
    t.points = <double*> PyMem_RawMalloc(leaves * LEAF * d * sizeof(double))
    t.codes = <int32_t*> PyMem_RawMalloc(leaves * LEAF * c * sizeof(int32_t))
    t.low = <double*> PyMem_RawMalloc(d * t.stride * sizeof(double))
    t.high = <double*> PyMem_RawMalloc(d * t.stride * sizeof(double))
    t.only = <int32_t*> PyMem_RawMalloc(c * t.stride * sizeof(int32_t))
    if (
        t.numbers == NULL or t.points == NULL or t.codes == NULL or t.low == NULL
        or t.high == NULL or t.only == NULL
    ):
        leaves_free(t)
        return False
    t.room = leaves
    for i in range(d * t.stride):
        t.low[i] = t.high[i] = 0.0
    return True


cdef void leaves_build(
    Leaves* t, const Tiles* from_tiles, const double* factor, Py_ssize_t first, Py_ssize_t n,
    Py_ssize_t ring, int64_t oldest,
) noexcept nogil:
    """The n points of the window, from the oldest; where memory runs out there is no index."""
    cdef Py_ssize_t i, j, slot, d = from_tiles.d, c = from_tiles.c
    cdef Item* items
    cdef Points p
    if not make_room(t, (n + LEAF - 1) // LEAF, d, c):
        return
    items = <Item*> PyMem_RawMalloc(n * sizeof(Item))
    p.rows = <double*> PyMem_RawMalloc(n * d * sizeof(double))
    p.codes = <int32_t*> PyMem_RawMalloc(n * c * sizeof(int32_t))
    p.factor, p.oldest = factor, oldest
    t.n = 0
    if items != NULL and p.rows != NULL and p.codes != NULL:
        for i in range(n):
            items[i].age = i
            slot = first + i - ring if first + i >= ring else first + i
            for j in range(d):
                p.rows[i * d + j] = number_at(from_tiles, j, slot)[0]
            for j in range(c):
                p.codes[i * c + j] = code_at(from_tiles, j, slot)[0]
        divide(t, &p, items, n)
        t.next = oldest + n
    PyMem_RawFree(items)
    PyMem_RawFree(p.rows)
    PyMem_RawFree(p.codes)


cdef void divide(Leaves* t, const Points* p, Item* items, Py_ssize_t n) noexcept nogil:
    """Cut in halves, by the feature with the largest variance, down to leaves."""
    cdef Py_ssize_t i, half, feature
    while n > LEAF:
        feature = widest(t, p, items, n)
        for i in range(n):
            if feature < t.d:
                items[i].key = p.rows[items[i].age * t.d + feature]
            else:
                items[i].key = p.codes[items[i].age * t.c + feature - t.d]
        half = (n + 2 * LEAF - 1) // (2 * LEAF) * LEAF
        select(items, n, half)
        divide(t, p, items + half, n - half)
        n = half
    put_leaf(t, p, items, n)


cdef Py_ssize_t widest(
    const Leaves* t, const Points* p, const Item* items, Py_ssize_t n,
) noexcept nogil:
    """The feature with the largest variance, by a sample; from d on they are nominal."""
    cdef Py_ssize_t i, j, best = 0
    cdef double v, sum, squares, most = -1.0
    cdef int64_t ages[SAMPLE]
    for i in range(SAMPLE):
        ages[i] = items[i * n // SAMPLE].age
    for j in range(t.d + t.c):
        sum = squares = 0.0
        for i in range(1, SAMPLE):
            if j < t.d:
                v = (p.rows[ages[i] * t.d + j] - p.rows[ages[0] * t.d + j]) * p.factor[j]
            else:
                v = p.codes[ages[i] * t.c + j - t.d] != p.codes[ages[0] * t.c + j - t.d]
            sum += v
            squares += v * v
        v = squares - sum * sum / SAMPLE
        if v > most:
            best, most = j, v
    return best


cdef void select(Item* items, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    """Hoare's selection: the k smallest keys come first."""
    cdef Py_ssize_t low = 0, high = n - 1, i, j
    cdef double pivot
    while low < high:
        pivot = items[low + (high - low) // 2].key
        i, j = low, high
        while i <= j:
            while items[i].key < pivot:
                i += 1
            while items[j].key > pivot:
                j -= 1
            if i <= j:
                items[i], items[j] = items[j], items[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            return


cdef void put_leaf(Leaves* t, const Points* p, const Item* items, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j, leaf = t.n
    cdef double* column
    cdef int32_t* codes
    cdef int32_t only
    cdef double low, high
    for i in range(LEAF):
        t.numbers[leaf * LEAF + i] = p.oldest + items[i].age if i < n else -1
    for j in range(t.d):
        column = t.points + (leaf * t.d + j) * LEAF
        for i in range(LEAF):
            column[i] = p.rows[items[min(i, n - 1)].age * t.d + j]
        low = high = column[0]
        for i in range(1, n):
            low, high = min(low, column[i]), max(high, column[i])
        t.low[j * t.stride + leaf], t.high[j * t.stride + leaf] = low, high
    for j in range(t.c):
        codes = t.codes + (leaf * t.c + j) * LEAF
        for i in range(LEAF):
            codes[i] = p.codes[items[min(i, n - 1)].age * t.c + j]
        only = codes[0]
        for i in range(1, n):
            if codes[i] != only:
                only = MIXED
        t.only[j * t.stride + leaf] = only
    t.n += 1
