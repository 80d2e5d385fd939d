# The examples of a window in tiles of 64, each in one piece of memory, there feature by feature: a
# tile stays in the cache while many queries are compared with it.

from libc.stdint cimport int32_t

cdef enum:
    TILE = 64    # examples of a tile
    ABSENT = -1  # the code of a nominal value that is left out


cdef struct Tiles:
    Py_ssize_t d         # columns of numbers
    Py_ssize_t c         # columns of nominal values
    Py_ssize_t room_d    # columns of numbers that fit
    Py_ssize_t room_c    # columns of nominal values that fit
    Py_ssize_t n         # tiles in memory
    Py_ssize_t room      # tiles that the lists can name
    double** numbers     # number j of slot i at numbers[i // 64][j * 64 + i % 64]
    int32_t** codes      # the same for nominal values


cdef int tiles_widen(Tiles* t, Py_ssize_t d, Py_ssize_t c) except -1
cdef int tiles_hold(Tiles* t, Py_ssize_t slot) noexcept nogil
cdef void tiles_free(Tiles* t) noexcept nogil
cdef Py_ssize_t tiles_bytes(const Tiles* t) noexcept nogil


cdef inline double* number_at(const Tiles* t, Py_ssize_t j, Py_ssize_t slot) noexcept nogil:
    return t.numbers[slot // TILE] + j * TILE + slot % TILE


cdef inline int32_t* code_at(const Tiles* t, Py_ssize_t j, Py_ssize_t slot) noexcept nogil:
    return t.codes[slot // TILE] + j * TILE + slot % TILE
