"""Memory goes where it promises most: leaves with many examples that the majority gets wrong.

Bytes are reckoned from what the tree is, not from how its arrays happened to grow, so that a tree
that was saved and loaded decides alike.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t
from libc.stdlib cimport qsort

from .arena cimport (
    NO_MEMORY, NOBODY, Arena, ClassTable, Layout, activate, child_of, deactivate, saved_per_table,
)
from .split cimport labels_at

cdef enum:
    PER_NODE = 7 * 4 + 9 * 8 + 5 * 8 + 16   # entries of the arrays, and slack of their growth
    PER_FEATURE = 150                       # its name, in a list and a dict
    PER_LABEL = 150

cdef double KEPT = 0.9  # of the budget: room for growth before the next rationing

cdef struct Claimant:
    double promise   # examples that the majority of the leaf gets wrong
    int32_t node
    int32_t order    # in the tree, for ties


cdef inline Py_ssize_t table_bytes(Arena* a, Py_ssize_t features) noexcept nogil:
    return sizeof(ClassTable) + (5 * features + a.n_cells) * sizeof(double)


cdef inline Py_ssize_t layout_bytes(Arena* a, Py_ssize_t features) noexcept nogil:
    return sizeof(Layout) + (features + a.n_cells) * sizeof(int32_t)


cdef Py_ssize_t fixed(Arena* a, Py_ssize_t features, Py_ssize_t labels) noexcept nogil:
    """Bytes that nothing can be done about."""
    cdef Py_ssize_t all = 3000 + a.live * (PER_NODE + labels * sizeof(double))
    return all + features * PER_FEATURE + labels * PER_LABEL


cdef Py_ssize_t claim(Arena* a, Py_ssize_t features, Py_ssize_t labels) noexcept nogil:
    """Bytes of the tree, within a few per cent."""
    return (
        fixed(a, features, labels)
        + a.n_active * labels * <Py_ssize_t> sizeof(ClassTable*)
        + a.n_tables * table_bytes(a, features)
        - a.saved
        + a.n_layouts * layout_bytes(a, features)
    )


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


cdef void gather(Arena* a, int32_t node, Claimant* found, int32_t* n) noexcept nogil:
    cdef int32_t at = 0, child
    if a.feature[node] == NOBODY:
        found[n[0]].promise = promise(a, node)
        found[n[0]].node, found[n[0]].order = node, n[0]
        n[0] += 1
        return
    while True:
        child = child_of(a, node, at)
        if child == NO_MEMORY:
            return
        if child != NOBODY:
            gather(a, child, found, n)
        at += 1


cdef Py_ssize_t upkeep(Arena* a, int32_t leaf, Py_ssize_t features, Py_ssize_t labels) noexcept nogil:
    """Bytes of the tables of a leaf, when each label that came there has one."""
    cdef Py_ssize_t tables = labels_at(a, leaf), bytes = labels * sizeof(ClassTable*)
    if a.layout[leaf] != NULL:
        bytes += layout_bytes(a, features)
    return bytes + tables * (table_bytes(a, features) - saved_per_table(a, leaf))


cdef Py_ssize_t ration(
    Arena* a, Py_ssize_t features, Py_ssize_t labels, Py_ssize_t budget
) noexcept nogil:
    """The most promising leaves that fit keep or get tables, the others lose theirs; how many that
    are."""
    cdef Claimant* leaves = <Claimant*> PyMem_RawMalloc(max(1, a.live) * sizeof(Claimant))
    cdef int32_t n = 0, i, node
    cdef Py_ssize_t used = fixed(a, features, labels)
    cdef bint full = False
    if leaves == NULL:
        return 0
    gather(a, a.root, leaves, &n)
    qsort(leaves, n, sizeof(Claimant), by_promise)
    for i in range(n):
        node = leaves[i].node
        used += upkeep(a, node, features, labels)
        full |= used > KEPT * budget
        if full:
            deactivate(a, node)
        elif a.tables[node] == NULL and activate(a, node) == 0:
            a.idle[node] = a.weight[node]  # what came before is in no table
            a.hits_mc[node] = a.hits_nb[node] = 0.0
    PyMem_RawFree(leaves)
    return n - a.n_active
