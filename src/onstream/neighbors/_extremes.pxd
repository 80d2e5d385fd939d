# The range of a feature in the window: queues of minima and maxima (Lemire, 2006), in memory that
# grows with them. Zeros are not in the queues: most features of wide examples are left out.

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t


cdef struct Extreme:
    double value
    int32_t slot      # where in the window


cdef struct Extremes:
    Extreme* items    # from the oldest, each more extreme than all after it
    int32_t room      # how many fit
    int32_t first     # where the oldest stands
    int32_t n         # how many


cdef struct Range:
    Extremes low
    Extremes high
    int32_t count     # examples whose value is not 0


cdef inline int extremes_hold(Extremes* q) noexcept nogil:
    """Room for one more: 0, or -1 if there is no memory."""
    cdef Extreme* items
    cdef int32_t i, room
    if q.n < q.room:
        return 0
    room = 2 * q.room if q.room else 4
    items = <Extreme*> PyMem_RawMalloc(room * sizeof(Extreme))
    if items == NULL:
        return -1
    for i in range(q.n):
        items[i] = q.items[(q.first + i) % q.room]
    PyMem_RawFree(q.items)
    q.items, q.room, q.first = items, room, 0
    return 0


cdef inline void push(Extremes* q, double value, int32_t slot, double sign) noexcept nogil:
    """A new value, for which there is room: the less extreme ones leave. `sign` is 1 for minima."""
    cdef int32_t last
    while q.n:
        last = q.first + q.n - 1
        if sign * q.items[last - q.room if last >= q.room else last].value < sign * value:
            break
        q.n -= 1
    last = q.first + q.n
    last = last - q.room if last >= q.room else last
    q.items[last].value, q.items[last].slot = value, slot
    q.n += 1


cdef inline void pop(Extremes* q, int32_t slot) noexcept nogil:
    """The oldest example leaves the window."""
    if q.n and q.items[q.first].slot == slot:
        q.first = q.first + 1 if q.first + 1 < q.room else 0
        q.n -= 1


cdef inline void range_free(Range* r) noexcept nogil:
    PyMem_RawFree(r.low.items)
    PyMem_RawFree(r.high.items)
    r.low.items, r.low.room, r.low.first, r.low.n = NULL, 0, 0, 0
    r.high.items, r.high.room, r.high.first, r.high.n = NULL, 0, 0, 0


cdef inline int range_hold(Range* r) noexcept nogil:
    """Room for one more value: 0, or -1 if there is no memory."""
    return -1 if extremes_hold(&r.low) != 0 or extremes_hold(&r.high) != 0 else 0


cdef inline void range_add(Range* r, double value, int32_t slot) noexcept nogil:
    push(&r.low, value, slot, 1.0)
    push(&r.high, value, slot, -1.0)
    r.count += 1


cdef inline void range_drop(Range* r, int32_t slot) noexcept nogil:
    pop(&r.low, slot)
    pop(&r.high, slot)
    r.count -= 1


cdef inline double lowest(const Range* r, Py_ssize_t n) noexcept nogil:
    """The least value of n examples."""
    cdef double least = r.low.items[r.low.first].value if r.count else 0.0
    return min(least, 0.0) if r.count < n else least


cdef inline double highest(const Range* r, Py_ssize_t n) noexcept nogil:
    """The largest value of n examples."""
    cdef double most = r.high.items[r.high.first].value if r.count else 0.0
    return max(most, 0.0) if r.count < n else most
