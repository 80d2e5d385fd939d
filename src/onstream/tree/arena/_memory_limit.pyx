"""Memory goes where it promises most: leaves with many examples that the majority gets wrong.

Bytes are estimated from what the tree is, not from how its arrays happened to grow, so that a tree
that was saved and loaded decides alike. Tables can be freed, features and nodes cannot. Features
and nominal values may take half of the memory (the encoder enforces that), nodes the other half;
with columns of arrays, which have no names, an eighth and the rest. What a kind of tree keeps
besides (`aside`) is taken off the nodes' part.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t
from libc.stdlib cimport qsort

from ...core.feature_index cimport PER_COLUMN
from ._nodes cimport child_of, n_branches
from ._split cimport labels_at
from ._tables cimport activate, deactivate, saved_per_table
from .arena cimport NODE_BYTES, NONE, Arena, ClassTable, table_size, with_slack

cdef enum:
    PER_NODE = NODE_BYTES + 16  # with slack of the growing arrays
    PER_LABEL = 250             # its name, and a place in arrays for answers
    PER_LAYOUT = 20             # without the places of features
    PER_VALUE = 24              # in the index of a node: itself, buckets, slack
    BASE = 4000                 # a tree that has learned nothing

cdef double KEPT = 0.9   # of max_bytes: room for growth before the limit is enforced again

cdef Py_ssize_t most_named(Py_ssize_t max_bytes) noexcept nogil:
    """Bytes that features and nominal values may take."""
    return max(1, (max_bytes - BASE) // 2) if max_bytes else 0


cdef inline Py_ssize_t table_bytes(Arena* a, Py_ssize_t features) noexcept nogil:
    return table_size(with_slack(features), 0)


cdef inline Py_ssize_t layout_bytes(Arena* a, Py_ssize_t features) noexcept nogil:
    return PER_LAYOUT + with_slack(features) * sizeof(int32_t)


cdef inline Py_ssize_t values_bytes(Py_ssize_t values, Py_ssize_t weights) noexcept nogil:
    """Bytes of this number of nominal values in indices, and of their weights in tables."""
    return values * PER_VALUE + weights * sizeof(double) + weights


cdef Py_ssize_t nodes_bytes(Arena* a, const MemoryBudget* b, Py_ssize_t nodes) noexcept nogil:
    """Bytes of this number of nodes without tables, with the branches that lead there."""
    return (
        nodes * (PER_NODE + sizeof(int32_t) + b.per_node + b.labels * sizeof(double))
        + b.labels * PER_LABEL)


cdef Py_ssize_t fixed(Arena* a, const MemoryBudget* b) noexcept nogil:
    """Bytes that cannot be freed."""
    return BASE + nodes_bytes(a, b, a.live) + b.named + b.columns * PER_COLUMN + b.aside


cdef Py_ssize_t allowed(const MemoryBudget* b) noexcept nogil:
    """Bytes that are left in use when the limit has been enforced."""
    return <Py_ssize_t> (KEPT * b.max_bytes)


cdef Py_ssize_t estimated_bytes(Arena* a, const MemoryBudget* b) noexcept nogil:
    """Bytes of the tree, or a few per cent more."""
    return (
        fixed(a, b)
        + a.n_active * (b.labels * <Py_ssize_t> sizeof(ClassTable*) + b.per_active)
        + a.n_tables * table_bytes(a, b.features)
        - a.saved
        + values_bytes(a.n_values, a.n_weights)
        + a.n_layouts * layout_bytes(a, b.features)
    )


cdef bint room_for(Arena* a, const MemoryBudget* b, Py_ssize_t nodes) noexcept nogil:
    """Is there room for this number of additional nodes?"""
    cdef Py_ssize_t most = b.max_bytes - BASE - most_named(b.max_bytes)
    if b.columns:  # the encoder then keeps a quarter of that for names
        most = b.max_bytes - BASE - most_named(b.max_bytes) // 4 - b.columns * PER_COLUMN
    return b.max_bytes == 0 or nodes_bytes(a, b, a.live + nodes) + b.aside <= most


cdef bint room_for_labels(Arena* a, const MemoryBudget* b, Py_ssize_t labels) noexcept nogil:
    """Is there room for this number of labels, without any table if need be?"""
    cdef MemoryBudget then = b[0]
    then.labels = labels
    return b.max_bytes == 0 or fixed(a, &then) <= KEPT * b.max_bytes


cdef double promise(Arena* a, int32_t leaf) noexcept nogil:
    """p_l e_l, but for the weight of all examples: what a split of this leaf could correct."""
    cdef double most = 0.0
    cdef int32_t r
    for r in range(a.labels[leaf]):
        most = max(most, a.counts[leaf][r])
    return a.weight[leaf] - most


cdef int by_promise(const void* x, const void* y) noexcept nogil:
    cdef const LeafPromise* a = <const LeafPromise*> x
    cdef const LeafPromise* b = <const LeafPromise*> y
    if a.promise != b.promise:
        return -1 if a.promise > b.promise else 1
    return -1 if a.order < b.order else 1


cdef int32_t gather(
    Arena* a, bint inner, Promise promise, LeafPromise* found, int32_t* waiting
) noexcept nogil:
    """All leaves, of alternates too, or all nodes, in the order of the tree; returns how many. Both
    arrays have room for every node."""
    cdef int32_t n = 0, waits = 1, node, at
    waiting[0] = a.root
    while waits:  # in a loop, since a tree may be very deep
        waits -= 1
        node = waiting[waits]
        if inner or a.feature[node] == NONE:
            found[n].promise = promise(a, node)
            if a.feature[node] != NONE:
                found[n].promise = -1.0 / (1.0 + found[n].promise)
            found[n].node, found[n].order = node, n
            n += 1
        at = 0
        while a.alternate != NULL and a.alternate(a, node, at) != NONE:
            waiting[waits] = a.alternate(a, node, at)
            waits += 1
            at += 1
        for at in range(n_branches(a, node) - 1, -1, -1):
            if child_of(a, node, at) != NONE:
                waiting[waits] = child_of(a, node, at)
                waits += 1
    return n


cdef Py_ssize_t leaf_bytes(Arena* a, int32_t leaf, const MemoryBudget* b) noexcept nogil:
    """Bytes of the tables of a leaf, when each label that came there has one."""
    cdef Py_ssize_t tables = labels_at(a, leaf), bytes = b.labels * sizeof(ClassTable*) + b.per_active
    if a.layout[leaf] != NULL:
        bytes += layout_bytes(a, b.features)
    if a.values[leaf] != NULL:
        bytes += values_bytes(a.values[leaf].n, a.values[leaf].n * tables)
    return bytes + tables * (table_bytes(a, b.features) - saved_per_table(a, leaf))


cdef LeafPromise* ranked(Arena* a, bint inner, Promise promise, int32_t* n) noexcept nogil:
    """All leaves, or all nodes, the most promising first, in memory to be freed; NULL: there is none."""
    cdef LeafPromise* leaves = <LeafPromise*> PyMem_RawMalloc(max(1, a.live) * sizeof(LeafPromise))
    cdef int32_t* waiting = <int32_t*> PyMem_RawMalloc(max(1, a.live) * sizeof(int32_t))
    if leaves != NULL and waiting != NULL:
        n[0] = gather(a, inner, promise, leaves, waiting)
        qsort(leaves, n[0], sizeof(LeafPromise), by_promise)
        PyMem_RawFree(waiting)
        return leaves
    PyMem_RawFree(leaves)
    PyMem_RawFree(waiting)
    return NULL


cdef Py_ssize_t enforce(Arena* a, const MemoryBudget* b) noexcept nogil:
    """Let the most promising leaves that fit keep or get tables; the others, which are counted, lose
    theirs."""
    cdef int32_t n = 0, i, node
    cdef LeafPromise* leaves = ranked(a, b.inner, promise, &n)
    cdef Py_ssize_t used = fixed(a, b)
    cdef bint full = False
    if leaves == NULL:
        return 0
    for i in range(n):
        node = leaves[i].node
        if b.for_good and a.tables[node] == NULL:
            continue
        used += leaf_bytes(a, node, b)
        full |= used > KEPT * b.max_bytes
        if full:
            deactivate(a, node)
            if b.per_active and a.extra[node] != NULL:
                a.drop_extra(a, a.extra[node])
                a.extra[node] = NULL
        elif a.tables[node] == NULL and activate(a, node) == 0:
            a.idle[node] = a.weight[node]  # what came before is in no table
            a.hits_mc[node] = a.hits_nb[node] = 0.0
    PyMem_RawFree(leaves)
    return n - a.n_active
