# Which leaves may keep tables when memory is short (spec 12.2).

from ._nodes cimport Arena


cdef struct Household:    # what bytes are reckoned by, besides the arena
    Py_ssize_t budget     # bytes that may be held; 0: no limit
    Py_ssize_t features   # known by now
    Py_ssize_t columns    # of them, those that are columns of arrays and have no name
    Py_ssize_t named      # bytes of the others, and of nominal values
    Py_ssize_t labels


cdef Py_ssize_t most_named(Py_ssize_t budget) noexcept nogil
cdef Py_ssize_t claim(Arena* a, const Household* h) noexcept nogil
cdef bint room_for(Arena* a, const Household* h, Py_ssize_t nodes) noexcept nogil
cdef bint room_for_labels(Arena* a, const Household* h, Py_ssize_t labels) noexcept nogil
cdef Py_ssize_t ration(Arena* a, const Household* h) noexcept nogil
