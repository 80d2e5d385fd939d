"""The value-difference metric: nominal values are near if the same labels come with them.

Of two values x and y of a column, over the labels c of the examples in the window that have them,

    d(x, y) = sum_c |P(c | x) - P(c | y)|^q / 2

(Stanfill & Waltz, CACM 29, 1986; normalised as in Wilson & Martinez, JAIR 6, 1997), with q = 2 for
squares and 1 for sizes: 0 if they mean the same, 1 if no label comes with both.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport fabs
from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memset

from ._tiles cimport ABSENT, Tiles, code_at


cdef struct Values:
    int32_t* table    # hash table: 1 + number of a value; 0: empty
    uint32_t mask     # its size - 1
    int32_t* codes    # of each value of the column
    int32_t* value    # of each example, the number of its value; -1: it has none
    Py_ssize_t n      # values
    double* counts    # of each value by label
    double* totals    # of each value; then its distance from the query's


cdef int value_differences(
    const Tiles* tiles, const int32_t* query, const int32_t* labels, const double* weights,
    Py_ssize_t first, Py_ssize_t n, Py_ssize_t room, bint squared, double* out,
) noexcept nogil:
    """For each of the n examples from slot `first` on, its distance from the query's values, added
    up over the columns, into `out` by slot: 0, or -1 without memory."""
    cdef Values v
    cdef Py_ssize_t size = 16, i, j, n_labels = 0
    cdef int32_t own
    cdef int status = -1
    for i in range(n):
        out[slot(first, i, room)] = 0.0
        n_labels = max(n_labels, labels[slot(first, i, room)] + 1)
    while size < 2 * n:
        size *= 2
    v.mask = <uint32_t> (size - 1)
    v.counts = NULL
    v.table = <int32_t*> PyMem_RawMalloc((size + 2 * n) * sizeof(int32_t))
    v.totals = <double*> PyMem_RawMalloc(n * sizeof(double))
    if v.table != NULL and v.totals != NULL:
        v.codes, v.value = v.table + size, v.table + size + n
        status = 0
        for j in range(tiles.c):
            memset(v.table, 0, size * sizeof(int32_t))
            number_values(&v, tiles, j, first, n, room)
            v.counts = <double*> PyMem_RawCalloc(v.n * n_labels + 1, sizeof(double))
            if v.counts == NULL:
                status = -1
                break
            count_labels(&v, labels, weights, first, n, room, n_labels)
            own = find(&v, query[j])
            measure_values(&v, own, n_labels, squared)
            for i in range(n):
                if v.value[i] >= 0 and own >= 0:
                    out[slot(first, i, room)] += v.totals[v.value[i]]
                elif v.value[i] >= 0 or query[j] != ABSENT:  # left out, or a value that none has
                    out[slot(first, i, room)] += 1.0
            PyMem_RawFree(v.counts)
    PyMem_RawFree(v.table)
    PyMem_RawFree(v.totals)
    return status


cdef inline Py_ssize_t slot(Py_ssize_t first, Py_ssize_t age, Py_ssize_t room) noexcept nogil:
    return first + age - room if first + age >= room else first + age


cdef inline uint32_t place(const Values* v, int32_t code) noexcept nogil:
    """Where the code stands in the table, or the empty cell for it."""
    cdef uint32_t at = (<uint32_t> code * <uint32_t> 0x9E3779B9 >> 7) & v.mask
    while v.table[at] != 0 and v.codes[v.table[at] - 1] != code:
        at = (at + 1) & v.mask
    return at


cdef inline int32_t find(const Values* v, int32_t code) noexcept nogil:
    """Number of a value; -1: no example has it."""
    return v.table[place(v, code)] - 1 if code >= 0 else -1


cdef void number_values(
    Values* v, const Tiles* tiles, Py_ssize_t j, Py_ssize_t first, Py_ssize_t n, Py_ssize_t room,
) noexcept nogil:
    """Number the values of column j, from the oldest example on."""
    cdef Py_ssize_t i
    cdef int32_t code
    cdef uint32_t at
    v.n = 0
    for i in range(n):
        code = code_at(tiles, j, slot(first, i, room))[0]
        v.value[i] = -1
        if code != ABSENT:
            at = place(v, code)
            if v.table[at] == 0:
                v.codes[v.n] = code
                v.n += 1
                v.table[at] = <int32_t> v.n
            v.value[i] = v.table[at] - 1


cdef void count_labels(
    Values* v, const int32_t* labels, const double* weights, Py_ssize_t first, Py_ssize_t n,
    Py_ssize_t room, Py_ssize_t n_labels,
) noexcept nogil:
    """How much of each label comes with each value."""
    cdef Py_ssize_t i, at
    memset(v.totals, 0, v.n * sizeof(double))
    for i in range(n):
        if v.value[i] >= 0:
            at = slot(first, i, room)
            v.counts[v.value[i] * n_labels + labels[at]] += weights[at]
            v.totals[v.value[i]] += weights[at]


cdef void measure_values(
    Values* v, int32_t own, Py_ssize_t n_labels, bint squared,
) noexcept nogil:
    """The distance of each value from value number `own`, in the order of the labels, so that values
    with the same shares are equally far."""
    cdef Py_ssize_t i, c
    cdef double d, sum, total
    if own < 0:
        return
    total = v.totals[own]
    for i in range(v.n):
        sum = 0.0
        for c in range(n_labels):
            d = v.counts[i * n_labels + c] / v.totals[i] - v.counts[own * n_labels + c] / total
            sum += d * d if squared else fabs(d)
        v.totals[i] = 0.5 * sum
