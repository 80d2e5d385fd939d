# Which leaves may keep tables when memory is short (Domingos and Hulten, KDD 2000).

from .arena cimport Arena


cdef struct MemoryBudget:  # what bytes are estimated from, besides the arena
    Py_ssize_t max_bytes  # that may be held; 0: no limit
    Py_ssize_t features   # known by now
    Py_ssize_t columns    # of them, those that are columns of arrays and have no name
    Py_ssize_t named      # bytes of the others, and of nominal values
    Py_ssize_t labels


cdef Py_ssize_t most_named(Py_ssize_t max_bytes) noexcept nogil
cdef Py_ssize_t estimated_bytes(Arena* a, const MemoryBudget* b) noexcept nogil
cdef bint room_for(Arena* a, const MemoryBudget* b, Py_ssize_t nodes) noexcept nogil
cdef bint room_for_labels(Arena* a, const MemoryBudget* b, Py_ssize_t labels) noexcept nogil
cdef Py_ssize_t enforce(Arena* a, const MemoryBudget* b) noexcept nogil
