"""Memory goes where it promises most: leaves with many examples that the majority gets wrong.

Bytes are reckoned from what the tree is, not from how its arrays happened to grow, so that a tree
that was saved and loaded decides alike. Tables can be given back, features and nodes cannot: half of
the memory is the most that features and nominal values may take (the features sees to that), half is
the most that nodes may take; with columns of arrays, which have no names, an eighth and the rest.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t
from libc.stdlib cimport qsort

from ...core.feature_index cimport PER_COLUMN
from ._nodes cimport (
    NOBODY, Arena, ClassTable, Layout, activate, child_of, deactivate, saved_per_table,
    with_slack,
)
from ._split cimport labels_at

cdef enum:
    PER_NODE = 7 * 4 + 9 * 8 + 5 * 8 + 16   # entries of the arrays, and slack of their growth
    PER_LABEL = 250                         # its name, and a place in arrays for answers
    BASE = 4000                             # a tree that has learned nothing

cdef double KEPT = 0.9   # of the budget: room for growth before the next rationing

cdef struct Claimant:
    double promise   # examples that the majority of the leaf gets wrong
    int32_t node
    int32_t order    # in the tree, for ties


cdef Py_ssize_t most_named(Py_ssize_t budget) noexcept nogil:
    """Bytes that features and nominal values may take."""
    return max(1, (budget - BASE) // 2) if budget else 0


cdef inline Py_ssize_t table_bytes(Arena* a, Py_ssize_t features) noexcept nogil:
    return sizeof(ClassTable) + (5 * with_slack(features) + with_slack(a.n_cells)) * sizeof(double)


cdef inline Py_ssize_t layout_bytes(Arena* a, Py_ssize_t features) noexcept nogil:
    return sizeof(Layout) + (with_slack(features) + a.n_cells) * sizeof(int32_t)


cdef Py_ssize_t nodes_bytes(Arena* a, const Household* h, Py_ssize_t nodes) noexcept nogil:
    """Bytes of so many nodes without tables, with the branches that lead there."""
    return nodes * (PER_NODE + sizeof(int32_t) + h.labels * sizeof(double)) + h.labels * PER_LABEL


cdef Py_ssize_t fixed(Arena* a, const Household* h) noexcept nogil:
    """Bytes that nothing can be done about."""
    return BASE + nodes_bytes(a, h, a.live) + h.named + h.columns * PER_COLUMN


cdef Py_ssize_t claim(Arena* a, const Household* h) noexcept nogil:
    """Bytes of the tree, or a few per cent more."""
    return (
        fixed(a, h)
        + a.n_active * h.labels * <Py_ssize_t> sizeof(ClassTable*)
        + a.n_tables * table_bytes(a, h.features)
        - a.saved
        + a.n_layouts * layout_bytes(a, h.features)
    )


cdef bint room_for(Arena* a, const Household* h, Py_ssize_t nodes) noexcept nogil:
    """May there be so many nodes more?"""
    cdef Py_ssize_t most = h.budget - BASE - most_named(h.budget)
    if h.columns:  # the features keeps a quarter of that for names, then
        most = h.budget - BASE - most_named(h.budget) // 4 - h.columns * PER_COLUMN
    return h.budget == 0 or nodes_bytes(a, h, a.live + nodes) <= most


cdef bint room_for_labels(Arena* a, const Household* h, Py_ssize_t labels) noexcept nogil:
    """May there be so many labels? Without any table, if need be."""
    cdef Household then = h[0]
    then.labels = labels
    return h.budget == 0 or fixed(a, &then) <= KEPT * h.budget


cdef double promise(Arena* a, int32_t leaf) noexcept nogil:
    """p_l e_l, but for the weight of all examples: what a split of this leaf could mend."""
    cdef double most = 0.0
    cdef int32_t r
    for r in range(a.labels[leaf]):
        most = max(most, a.counts[leaf][r])
    return a.weight[leaf] - most


cdef int by_promise(const void* x, const void* y) noexcept nogil:
    cdef const Claimant* a = <const Claimant*> x
    cdef const Claimant* b = <const Claimant*> y
    if a.promise != b.promise:
        return -1 if a.promise > b.promise else 1
    return -1 if a.order < b.order else 1


cdef int32_t gather(Arena* a, Claimant* found, int32_t* waiting) noexcept nogil:
    """All leaves in the order of the tree; how many. Both arrays have room for every node."""
    cdef int32_t n = 0, waits = 1, node, at
    waiting[0] = a.root
    while waits:  # in a loop, since a tree may be very deep
        waits -= 1
        node = waiting[waits]
        if a.feature[node] == NOBODY:
            found[n].promise = promise(a, node)
            found[n].node, found[n].order = node, n
            n += 1
            continue
        for at in range((a.fan[node][0] if a.fan[node] != NULL else 2) - 1, -1, -1):
            if child_of(a, node, at) != NOBODY:
                waiting[waits] = child_of(a, node, at)
                waits += 1
    return n


cdef Py_ssize_t upkeep(Arena* a, int32_t leaf, const Household* h) noexcept nogil:
    """Bytes of the tables of a leaf, when each label that came there has one."""
    cdef Py_ssize_t tables = labels_at(a, leaf), bytes = h.labels * sizeof(ClassTable*)
    if a.layout[leaf] != NULL:
        bytes += layout_bytes(a, h.features)
    return bytes + tables * (table_bytes(a, h.features) - saved_per_table(a, leaf))


cdef Py_ssize_t ration(Arena* a, const Household* h) noexcept nogil:
    """The most promising leaves that fit keep or get tables, the others lose theirs; how many that
    are."""
    cdef Claimant* leaves = <Claimant*> PyMem_RawMalloc(max(1, a.live) * sizeof(Claimant))
    cdef int32_t* waiting = <int32_t*> PyMem_RawMalloc(max(1, a.live) * sizeof(int32_t))
    cdef int32_t n = 0, i, node
    cdef Py_ssize_t used = fixed(a, h)
    cdef bint full = False
    if leaves == NULL or waiting == NULL:
        PyMem_RawFree(leaves)
        PyMem_RawFree(waiting)
        return 0
    n = gather(a, leaves, waiting)
    PyMem_RawFree(waiting)
    qsort(leaves, n, sizeof(Claimant), by_promise)
    for i in range(n):
        node = leaves[i].node
        used += upkeep(a, node, h)
        full |= used > KEPT * h.budget
        if full:
            deactivate(a, node)
        elif a.tables[node] == NULL and activate(a, node) == 0:
            a.idle[node] = a.weight[node]  # what came before is in no table
            a.hits_mc[node] = a.hits_nb[node] = 0.0
    PyMem_RawFree(leaves)
    return n - a.n_active
