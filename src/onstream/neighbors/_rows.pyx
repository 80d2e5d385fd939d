"""Distances between examples with few of very many features.

They are summed up in the order of the features, as those of tiles are; what is 0 in both examples
adds nothing, so both ways give the same bits.
"""

from cpython.mem cimport PyMem_RawMalloc
from libc.math cimport fabs
from libc.stdlib cimport qsort

from ..core.example cimport NUMBER, feature


cdef Py_ssize_t entries_of(const Example* e) noexcept nogil:
    """How many values are nominal, or not 0."""
    cdef Py_ssize_t i, n = 0
    for i in range(e.n):
        n += e.values[i] != 0.0 or (e.codes != NULL and e.codes[i] != NUMBER)
    return n


cdef int by_feature(const void* a, const void* b) noexcept nogil:
    cdef int32_t first = (<const Entry*> a).id, second = (<const Entry*> b).id
    return (first > second) - (first < second)


cdef int row_make(Row* row, const Example* e, Py_ssize_t width) noexcept nogil:
    """An example as a row, without features from `width` on: 0, or -1 if there is no memory."""
    cdef Py_ssize_t i, id
    cdef int32_t code
    cdef bint sorted = True
    cdef Entry* here
    row.n = 0
    row.entries = <Entry*> PyMem_RawMalloc(max(1, entries_of(e)) * sizeof(Entry))
    if row.entries == NULL:
        return -1
    for i in range(e.n):
        id = feature(e, i)
        code = e.codes[i] if e.codes != NULL else NUMBER
        if id < width and (code != NUMBER or e.values[i] != 0.0):
            here = row.entries + row.n
            here.id, here.code, here.value = <int32_t> id, code, e.values[i]
            sorted &= row.n == 0 or (here - 1).id < here.id
            row.n += 1
    if not sorted:
        qsort(row.entries, row.n, sizeof(Entry), by_feature)
    return 0


cdef inline double gap(
    const Row* a, const Row* b, Py_ssize_t* i, Py_ssize_t* j, const int32_t* column,
    const double* factor, Py_ssize_t* differ,
) noexcept nogil:
    """The scaled difference in the next number that one of the rows has; nominal values are counted."""
    cdef const Entry* p = a.entries + i[0] if i[0] < a.n else NULL
    cdef const Entry* q = b.entries + j[0] if j[0] < b.n else NULL
    cdef const Entry* one
    if p != NULL and q != NULL and p.id != q.id:
        if p.id < q.id:
            q = NULL
        else:
            p = NULL
    i[0] += p != NULL
    j[0] += q != NULL
    one = p if p != NULL else q
    if one.code != NUMBER:
        differ[0] += p == NULL or q == NULL or p.code != q.code
        return 0.0
    return (
        (p.value if p != NULL else 0.0) - (q.value if q != NULL else 0.0)
    ) * factor[column[one.id]]


cdef double row_squares(
    const Row* a, const Row* b, const int32_t* column, const double* factor,
) noexcept nogil:
    """The squared Euclidean distance."""
    cdef Py_ssize_t i = 0, j = 0, differ = 0
    cdef double sum = 0.0, v
    while i < a.n or j < b.n:
        v = gap(a, b, &i, &j, column, factor, &differ)
        sum += v * v
    return sum + differ


cdef double row_sizes(
    const Row* a, const Row* b, const int32_t* column, const double* factor,
) noexcept nogil:
    """The Manhattan distance."""
    cdef Py_ssize_t i = 0, j = 0, differ = 0
    cdef double sum = 0.0
    while i < a.n or j < b.n:
        sum += fabs(gap(a, b, &i, &j, column, factor, &differ))
    return sum + differ
