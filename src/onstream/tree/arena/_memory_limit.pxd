# Which leaves may keep tables when memory is short (Domingos and Hulten, KDD 2000).

from libc.stdint cimport int32_t

from .arena cimport Arena


cdef struct MemoryBudget:  # what bytes are estimated from, besides the arena
    Py_ssize_t max_bytes  # that may be held; 0: no limit
    Py_ssize_t features   # known by now
    Py_ssize_t columns    # of them, those that are columns of arrays and have no name
    Py_ssize_t named      # bytes of the others, and of nominal values
    Py_ssize_t labels
    Py_ssize_t aside      # for what is no part of the tree: a window of examples, scales
    Py_ssize_t per_node   # what this kind of tree keeps for every node,
    Py_ssize_t per_active  # and for every node with tables
    bint inner            # inner nodes have tables, too
    bint for_good         # a node that has lost its tables never gets them back


cdef struct LeafPromise:
    double promise   # examples that the majority of the leaf gets wrong
    int32_t node
    int32_t order    # in the tree, for ties


ctypedef double (*Promise)(Arena* a, int32_t node) noexcept nogil  # what a split could correct


cdef Py_ssize_t most_named(Py_ssize_t max_bytes) noexcept nogil
cdef Py_ssize_t fixed(Arena* a, const MemoryBudget* b) noexcept nogil
cdef Py_ssize_t allowed(const MemoryBudget* b) noexcept nogil
cdef Py_ssize_t estimated_bytes(Arena* a, const MemoryBudget* b) noexcept nogil
cdef bint room_for(Arena* a, const MemoryBudget* b, Py_ssize_t nodes) noexcept nogil
cdef bint room_for_labels(Arena* a, const MemoryBudget* b, Py_ssize_t labels) noexcept nogil
cdef LeafPromise* ranked(Arena* a, bint inner, Promise promise, int32_t* n) noexcept nogil
cdef Py_ssize_t enforce(Arena* a, const MemoryBudget* b) noexcept nogil
