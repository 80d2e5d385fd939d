# Supports of few values each, by feature: which of them have it.

from libc.stdint cimport int32_t

from ..core.example cimport Example


cdef struct Entry:
    double value
    int32_t slot           # of the support


cdef struct Posting:       # all that have one feature, in any order
    Py_ssize_t n
    Py_ssize_t room
    Entry* entries


cdef struct Line:          # one support
    Py_ssize_t n
    Py_ssize_t room
    int32_t* ids
    double* values


cdef class Postings:
    cdef Posting** of         # by feature; NULL: no support has it
    cdef Py_ssize_t features  # features that fit
    cdef Line* lines          # by slot
    cdef Py_ssize_t room      # slots that fit
    cdef Line spare           # where the next support will be written
    cdef size_t bytes         # held in all

    cdef bint fit(self, Py_ssize_t supports, const Example* e) noexcept nogil
    cdef bint longer(self, void** block, size_t old, size_t new, size_t size) noexcept nogil
    cdef void put(self, Py_ssize_t slot, const Example* e) noexcept nogil
    cdef void dots(self, const Example* e, double* out, Py_ssize_t n) noexcept nogil
    cdef void clear(self) noexcept nogil
