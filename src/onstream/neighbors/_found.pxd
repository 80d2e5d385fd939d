# The nearest examples so far: a sorted list, which grows where many are as far as the k-th.

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport INFINITY
from libc.string cimport memcpy

cdef enum:
    FEW = 32  # neighbours that need no memory of their own


cdef struct Found:
    Py_ssize_t k         # neighbours wanted
    Py_ssize_t n         # neighbours found
    Py_ssize_t room      # neighbours that fit
    bint all_ties        # all that are as far as the k-th count; else the oldest of them
    Py_ssize_t* slots    # where they stand in the window, the nearest first, then the oldest
    double* distances    # from the query to each
    Py_ssize_t few_slots[FEW]
    double few_distances[FEW]


cdef inline void found_start(Found* f, Py_ssize_t k, bint all_ties) noexcept nogil:
    f.k, f.n, f.room, f.all_ties = k, 0, FEW, all_ties
    f.slots, f.distances = f.few_slots, f.few_distances


cdef inline void found_free(Found* f) noexcept nogil:
    if f.slots != f.few_slots:
        PyMem_RawFree(f.slots)
        PyMem_RawFree(f.distances)
    f.slots, f.distances = f.few_slots, f.few_distances


cdef inline int found_grow(Found* f) noexcept nogil:
    """Twice the room: 0, or -1 if there is no memory."""
    cdef Py_ssize_t* slots = <Py_ssize_t*> PyMem_RawMalloc(2 * f.room * sizeof(Py_ssize_t))
    cdef double* distances = <double*> PyMem_RawMalloc(2 * f.room * sizeof(double))
    if slots == NULL or distances == NULL:
        PyMem_RawFree(slots)
        PyMem_RawFree(distances)
        return -1
    memcpy(slots, f.slots, f.n * sizeof(Py_ssize_t))
    memcpy(distances, f.distances, f.n * sizeof(double))
    found_free(f)
    f.slots, f.distances = slots, distances
    f.room *= 2
    return 0


cdef inline double farthest(const Found* f) noexcept nogil:
    """The distance that a further neighbour must not exceed."""
    return f.distances[f.k - 1] if f.n >= f.k else INFINITY


cdef inline bint may_enter(const Found* f, double distance) noexcept nogil:
    """Does an example at this distance, younger than those found, count?"""
    if f.n < f.k or distance < f.distances[f.k - 1]:
        return True
    return f.all_ties and distance == f.distances[f.k - 1]


cdef inline int enter(Found* f, Py_ssize_t slot, double distance, bint by_age) noexcept nogil:
    """Put an example into its place: 0, or -1 if there is no memory.

    It comes behind those at equal distance; `by_age`, where slots are ages, it comes before those
    of them that are younger.
    """
    cdef Py_ssize_t i
    if f.n >= f.k and not f.all_ties:
        f.n = f.k - 1  # the last one leaves
    elif f.n == f.room and found_grow(f) != 0:
        return -1
    i = f.n
    while i > 0 and (
        f.distances[i - 1] > distance
        or (by_age and f.distances[i - 1] == distance and f.slots[i - 1] > slot)
    ):
        f.distances[i], f.slots[i] = f.distances[i - 1], f.slots[i - 1]
        i -= 1
    f.distances[i], f.slots[i] = distance, slot
    f.n += 1
    while f.n > f.k and f.distances[f.n - 1] > f.distances[f.k - 1]:
        f.n -= 1  # farther than the k-th is now
    return 0
