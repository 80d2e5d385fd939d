# Supports of few values each, by feature: which of them have it.

from libc.stdint cimport int32_t

from ..core.example cimport Example


cdef struct Entry:
    double value
    int32_t slot           # of the support


cdef struct Posting:       # all that have one feature, in any order
    int32_t feature
    int32_t n
    int32_t room           # 0: this place of the table is free
    Entry* entries


cdef struct Line:          # one support
    Py_ssize_t n
    Py_ssize_t room
    int32_t* ids
    double* values


cdef class Postings:
    cdef Posting* table       # by feature, open addressing: only features that supports have
    cdef Py_ssize_t size      # its places: a power of 2, at least half of them free
    cdef Py_ssize_t taken     # those in use
    cdef Line* lines          # by slot
    cdef Py_ssize_t room      # slots that fit
    cdef Line spare           # where the next support will be written
    cdef size_t bytes         # held in all

    cdef bint fit(self, Py_ssize_t supports, const Example* e) noexcept nogil
    cdef Posting* find(self, int32_t feature) noexcept nogil
    cdef bint widen(self, Py_ssize_t postings) noexcept nogil
    cdef void drop(self, Posting* posting) noexcept nogil
    cdef bint longer(self, void** block, size_t old, size_t new, size_t size) noexcept nogil
    cdef void put(self, Py_ssize_t slot, const Example* e) noexcept nogil
    cdef void dots(self, const Example* e, double* out, Py_ssize_t n) noexcept nogil
    cdef void clear(self) noexcept nogil
