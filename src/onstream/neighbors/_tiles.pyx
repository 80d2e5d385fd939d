"""Memory of the examples of a window. What was never written is 0, or ABSENT if it is nominal."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.string cimport memset

from ..core.memory cimport resize, roomier


cdef int tiles_widen(Tiles* t, Py_ssize_t d, Py_ssize_t c) except -1:
    """Room for d columns of numbers and c of nominal values; nothing changes if memory runs out."""
    cdef Py_ssize_t i, room
    if d > t.room_d:
        room = max(d, t.room_d + t.room_d // 8)
        for i in range(t.n):
            t.numbers[i] = <double*> resize(
                t.numbers[i], t.room_d * TILE * sizeof(double), room * TILE * sizeof(double))
        t.room_d = room
    if c > t.room_c:
        room = max(c, t.room_c + t.room_c // 8)
        for i in range(t.n):
            t.codes[i] = <int32_t*> resize(
                t.codes[i], t.room_c * TILE * sizeof(int32_t), room * TILE * sizeof(int32_t))
            memset(t.codes[i] + t.room_c * TILE, 0xFF, (room - t.room_c) * TILE * sizeof(int32_t))
        t.room_c = room
    t.d, t.c = d, c
    return 0


cdef int tiles_hold(Tiles* t, Py_ssize_t slot) noexcept nogil:
    """Have the tile of this slot, one behind the last at most: 0, or -1 if there is no memory."""
    cdef Py_ssize_t room
    cdef void* longer
    if slot // TILE < t.n:
        return 0
    if t.n == t.room:
        room = roomier(t.room, t.n + 1)
        longer = PyMem_RawRealloc(t.numbers, room * sizeof(double*))
        if longer == NULL:
            return -1
        t.numbers = <double**> longer
        longer = PyMem_RawRealloc(t.codes, room * sizeof(int32_t*))
        if longer == NULL:
            return -1
        t.codes = <int32_t**> longer
        t.room = room
    t.numbers[t.n] = <double*> PyMem_RawMalloc(max(1, t.room_d * TILE * sizeof(double)))
    t.codes[t.n] = <int32_t*> PyMem_RawMalloc(max(1, t.room_c * TILE * sizeof(int32_t)))
    if t.numbers[t.n] == NULL or t.codes[t.n] == NULL:
        PyMem_RawFree(t.numbers[t.n])
        PyMem_RawFree(t.codes[t.n])
        return -1
    memset(t.numbers[t.n], 0, t.room_d * TILE * sizeof(double))
    memset(t.codes[t.n], 0xFF, t.room_c * TILE * sizeof(int32_t))
    t.n += 1
    return 0


cdef void tiles_free(Tiles* t) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(t.n):
        PyMem_RawFree(t.numbers[i])
        PyMem_RawFree(t.codes[i])
    PyMem_RawFree(t.numbers)
    PyMem_RawFree(t.codes)
    t.numbers, t.codes = NULL, NULL
    t.n = t.room = 0


cdef Py_ssize_t tiles_bytes(const Tiles* t) noexcept nogil:
    cdef Py_ssize_t tile = TILE * (t.room_d * sizeof(double) + t.room_c * sizeof(int32_t))
    return t.n * tile + t.room * (sizeof(double*) + sizeof(int32_t*))
