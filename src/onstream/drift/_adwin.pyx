"""ADWIN: its window, an exponential histogram, and where to cut it."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.math cimport fabs, log
from libc.string cimport memmove

import numpy as np

from ..core.arrays cimport doubles
from ._detector cimport DetectorState

from ._detector import LARGEST

cdef double FAR = 1e12  # square of the mean over the variance


cdef class ADWINState(DetectorState):
    def __cinit__(self, double delta, bint rigorous):
        adwin_start(&self.a, delta)
        self.a.rigorous = rigorous
        if rigorous:
            self.low, self.high = 0.0, 1.0

    def __dealloc__(self):
        adwin_free(&self.a)

    cdef void push(self, double v) noexcept nogil:
        self.drift = adwin_push(&self.a, v)

    def export(self):
        return {**DetectorState.export(self), **adwin_export(&self.a)}

    def restore(self, fields):
        DetectorState.restore(self, fields)
        adwin_restore(&self.a, fields)
        if self.a.width > self.seen or self.a.clock != self.seen:
            raise ValueError(f"there are {self.a.width} items of {self.seen} values")

    def memory(self):
        return DetectorState.memory(self) + adwin_bytes(&self.a)

    @property
    def width(self):
        return self.a.width

    @property
    def mean(self):
        return adwin_mean(&self.a)

    @property
    def variance(self):
        return adwin_variance(&self.a)


# -- the algorithm -------------------------------------------------------------------------------


cdef void adwin_start(Adwin* a, double delta) noexcept nogil:
    """An empty window."""
    a.delta, a.rigorous, a.most = delta, False, 0
    clear(a)


cdef void clear(Adwin* a) noexcept nogil:
    a.clock = a.width = 0
    a.total = a.m2 = 0.0
    a.rows = a.room = 0
    a.counts, a.buckets = NULL, NULL


cdef void adwin_free(Adwin* a) noexcept nogil:
    """Empty again, and no memory held."""
    PyMem_RawFree(a.counts)
    PyMem_RawFree(a.buckets)
    clear(a)


cdef bint adwin_hold(Adwin* a) noexcept nogil:
    """Have memory for one value more, whatever it is: then `adwin_push` forgets nothing."""
    cdef int room = a.room + 4
    cdef void* moved
    if a.rows < a.room:
        return True
    moved = PyMem_RawRealloc(a.counts, room * sizeof(int))
    if moved == NULL:
        return False
    a.counts = <int*> moved
    moved = PyMem_RawRealloc(a.buckets, room * PLACES * sizeof(Bucket))
    if moved == NULL:
        return False
    a.buckets = <Bucket*> moved
    a.room = room
    return True


cdef bint adwin_push(Adwin* a, double v) noexcept nogil:
    """Add a value at the new end of the window, check it. True: the window was cut."""
    cdef double away = v - adwin_mean(a)
    a.width += 1
    a.total += v
    a.m2 += away * (v - a.total / a.width)
    add_bucket(a, v)
    a.clock += 1
    if a.clock % CLOCK or a.width < MIN_WINDOW:
        return False
    return cut(a)


cdef double adwin_mean(const Adwin* a) noexcept nogil:
    return a.total / a.width if a.width else 0.0


cdef double adwin_variance(const Adwin* a) noexcept nogil:
    return a.m2 / a.width if a.width else 0.0


cdef size_t adwin_bytes(const Adwin* a) noexcept nogil:
    return a.room * (sizeof(int) + PLACES * sizeof(Bucket))


cdef void add_bucket(Adwin* a, double v) noexcept nogil:
    """A new bucket of one item; where a row overflows, its two oldest become one above."""
    cdef int i = 0
    cdef Bucket* row
    cdef Bucket whole
    cdef double apart
    cdef int64_t n = 1
    whole.total, whole.m2 = v, 0.0
    while True:
        if i == a.rows and not add_row(a):
            recount(a)  # no room for another row: what would have gone there is forgotten
            return
        row = a.buckets + i * PLACES
        row[a.counts[i]] = whole
        a.counts[i] += 1
        if a.counts[i] <= M:
            return
        apart = (row[0].total - row[1].total) / n
        whole.total = row[0].total + row[1].total
        whole.m2 = row[0].m2 + row[1].m2 + 0.5 * n * apart * apart
        a.counts[i] -= 2
        memmove(row, row + 2, a.counts[i] * sizeof(Bucket))
        n *= 2
        i += 1


cdef bint add_row(Adwin* a) noexcept nogil:
    if a.rows == a.most != 0 or not adwin_hold(a):
        return False
    a.counts[a.rows] = 0
    a.rows += 1
    return True


cdef bint cut(Adwin* a) noexcept nogil:
    """Drop the oldest bucket as long as some older part differs from the rest."""
    cdef bint changed = False
    while a.width >= MIN_WINDOW and differs(a):
        drop_oldest(a)
        changed = True
    return changed


cdef bint differs(const Adwin* a) noexcept nogil:
    """Try every boundary between buckets, the oldest first."""
    cdef double n = a.width, n0 = 0.0, n1, total0 = 0.0, size, inverse, gap
    cdef double center = 0.0, mean = a.total / n, sure, wide, narrow
    cdef const Bucket* row
    cdef int i, j
    if mean * mean * n > FAR * a.m2:  # so far from 0 that rounding of the sums hides the difference
        center, mean = mean, 0.0
        for i in range(a.rows):
            size = <double> (<int64_t> 1 << i)
            for j in range(a.counts[i]):
                mean += (a.buckets[i * PLACES + j].total - size * center) / n
    # |mu0 - mu1| > sqrt(wide / m) + narrow / m, with 1/m = 1/n0 + 1/n1
    if a.rigorous:  # sqrt(ln(4 / delta') / 2m), delta' = delta / n
        sure = log(4.0 * n / a.delta)
        wide, narrow = 0.5 * sure, 0.0
    else:  # sqrt(2 variance ln(2 / delta') / m) + 2 ln(2 / delta') / 3m, delta' = delta / ln n
        sure = log(2.0 * log(n) / a.delta)
        wide, narrow = 2.0 * a.m2 / n * sure, 2.0 / 3.0 * sure
    for i in range(a.rows - 1, -1, -1):
        size = <double> (<int64_t> 1 << i)
        row = a.buckets + i * PLACES
        for j in range(a.counts[i]):
            n0 += size
            n1 = n - n0
            if n1 < MIN_PART:
                return False
            total0 += row[j].total - size * center  # a power of two: no rounding
            if n0 < MIN_PART:
                continue
            inverse = n / (n0 * n1)
            gap = fabs(total0 - n0 * mean) * inverse - narrow * inverse
            if gap > 0.0 and gap * gap > wide * inverse:  # squares: no root for each boundary
                return True
    return False


cdef void drop_oldest(Adwin* a) noexcept nogil:
    cdef int last = a.rows - 1
    cdef Bucket* row = a.buckets + last * PLACES
    a.counts[last] -= 1
    memmove(row, row + 1, a.counts[last] * sizeof(Bucket))
    while a.rows and a.counts[a.rows - 1] == 0:
        a.rows -= 1
    recount(a)


cdef void recount(Adwin* a) noexcept nogil:
    """Sums of the whole window out of the buckets: taking away what was dropped would leave the
    rounding of large items behind when small ones follow."""
    cdef int i, j
    cdef double n = 0.0, size, apart
    cdef const Bucket* b
    a.total = a.m2 = 0.0
    a.width = 0
    for i in range(a.rows - 1, -1, -1):
        size = <double> (<int64_t> 1 << i)
        for j in range(a.counts[i]):
            b = a.buckets + i * PLACES + j
            if n > 0.0:
                apart = b.total / size - a.total / n
                a.m2 += apart * apart * size * n / (size + n)
            a.m2 += b.m2
            a.total += b.total
            n += size
    a.width = <int64_t> n


# -- state ---------------------------------------------------------------------------------------


cdef dict adwin_export(const Adwin* a):
    """The window as plain numbers and arrays."""
    cdef int i, j
    counts = np.zeros(a.rows)
    buckets = np.zeros((a.rows, M, 2))
    cdef double* c = doubles(counts)
    cdef double* b = doubles(buckets)
    for i in range(a.rows):
        c[i] = a.counts[i]
        for j in range(a.counts[i]):
            b[(i * M + j) * 2] = a.buckets[i * PLACES + j].total
            b[(i * M + j) * 2 + 1] = a.buckets[i * PLACES + j].m2
    return {
        "clock": a.clock, "total": a.total, "m2": a.m2, "rows": a.rows, "counts": counts,
        "buckets": buckets,
    }


cdef int adwin_restore(Adwin* a, fields) except -1:
    """Take over what `adwin_export` gave; delta stays as it is."""
    cdef int i, j, rows = fields.integer("rows", 0, 60)
    counts = np.ascontiguousarray(fields.array("counts", (rows,)))
    buckets = np.ascontiguousarray(fields.array("buckets", (rows, M, 2)))
    cdef const double* c = doubles(counts)
    cdef const double* b = doubles(buckets)
    if not np.isin(counts, np.arange(M + 1)).all() or (rows and counts[-1] == 0.0):
        raise ValueError("counts of buckets that ADWIN cannot have")
    sizes = 2.0 ** np.arange(rows)
    if (buckets[:, :, 1] < 0.0).any() or (buckets[:, :, 1].max(axis=1) > 4.0 * LARGEST ** 2 * sizes).any():
        raise ValueError("a bucket has a variance that cannot be")
    if (np.abs(buckets[:, :, 0]).max(axis=1) > LARGEST * (1.0 + 1e-9) * sizes).any():
        raise ValueError("a bucket has a sum that cannot be")
    adwin_free(a)
    a.clock = fields.integer("clock", 0)
    total = fields.number("total")
    m2 = fields.number("m2")
    for i in range(rows):
        if not add_row(a):
            raise MemoryError("onstream: no memory for a window")
        a.counts[i] = <int> c[i]
        for j in range(a.counts[i]):
            a.buckets[i * PLACES + j].total = b[(i * M + j) * 2]
            a.buckets[i * PLACES + j].m2 = b[(i * M + j) * 2 + 1]
    recount(a)
    large = np.abs(buckets[:, :, 0]).sum() if rows else 0.0
    if not abs(total - a.total) <= 1e-6 * large or not (
        abs(m2 - a.m2) <= 1e-3 * a.m2 + 1e-6 * (np.abs(buckets[:, :, 0]) ** 2 / sizes[:, None]).sum()
    ):
        raise ValueError("the sums of the window are not those of its buckets")
    a.total, a.m2 = total, m2
    return 0
