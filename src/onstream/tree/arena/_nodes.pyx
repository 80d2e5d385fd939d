"""Nodes and the way of an example through them.

Nodes come from a free list and their contents from the raw allocator, so that memory is really
returned. Nothing here knows how a tree is grown.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport NAN
from libc.stdint cimport int32_t

from ...core.example cimport NO_MEMORY, Example, feature
from ._tables cimport deactivate, free_features
from .arena cimport LOCAL, NODE_BYTES, NOMINAL, NONE, Arena, View, arena_alloc, arena_free, regrow

cdef double LARGEST_VALUE = 1e120
cdef double MOST_WEIGHT = 1e50

cdef enum:
    INTS = 7       # arrays with an int32_t per node
    DOUBLES = 9    # ... with a double
    ARRAYS = INTS + DOUBLES + 6  # all; the last six hold pointers


cdef void node_arrays(Arena* a, void*** out) noexcept nogil:
    """All arrays with an entry per node: INTS first, then DOUBLES, then pointers."""
    out[0], out[1], out[2] = <void**> &a.feature, <void**> &a.left, <void**> &a.right
    out[3], out[4], out[5] = <void**> &a.parent, <void**> &a.depth, <void**> &a.code
    out[6] = <void**> &a.labels
    out[7], out[8], out[9] = <void**> &a.threshold, <void**> &a.gain, <void**> &a.mass
    out[10], out[11], out[12] = <void**> &a.weight, <void**> &a.last, <void**> &a.fresh
    out[13], out[14], out[15] = <void**> &a.idle, <void**> &a.hits_mc, <void**> &a.hits_nb
    out[16], out[17], out[18] = <void**> &a.branches, <void**> &a.counts, <void**> &a.tables
    out[19], out[20], out[21] = <void**> &a.layout, <void**> &a.extra, <void**> &a.values


cdef void arena_init(Arena* a) noexcept:
    a.vacant = a.root = NONE


cdef void arena_destroy(Arena* a) noexcept:
    cdef void** arrays[ARRAYS]
    cdef Py_ssize_t i
    a.closing = True
    for i in range(a.used):
        if a.parent[i] > NO_MEMORY:  # not on the free list
            free_node(a, <int32_t> i)
    node_arrays(a, arrays)
    for i in range(ARRAYS):
        PyMem_RawFree(arrays[i][0])
    free_features(a)


cdef int grow_nodes(Arena* a) noexcept nogil:
    """Make room for more nodes."""
    cdef Py_ssize_t old = a.room, room = old + old // 8 + 4, r
    cdef void** arrays[ARRAYS]
    node_arrays(a, arrays)
    for r in range(ARRAYS):
        if not regrow(arrays[r], old, room, sizeof(int32_t) if r < INTS else sizeof(double)):
            return NO_MEMORY  # those that have grown stay so; the next attempt starts from here
    a.bytes += (room - old) * NODE_BYTES
    a.room = room
    return 0


cdef int32_t new_node(Arena* a, int32_t parent, double mass) noexcept nogil:
    """An empty leaf, or NO_MEMORY."""
    cdef int32_t i = a.vacant
    if i == NONE:
        if a.used == a.room and grow_nodes(a) != 0:
            return NO_MEMORY
        i = <int32_t> a.used
        a.used += 1
    else:
        a.vacant = -3 - a.parent[i]
    a.live += 1
    a.feature[i] = a.left[i] = a.right[i] = a.code[i] = NONE
    a.branches[i] = NULL
    a.parent[i] = parent
    a.depth[i] = a.depth[parent] + 1 if parent >= 0 else 0
    a.mass[i] = mass
    a.idle[i] = a.gain[i] = a.threshold[i] = a.weight[i] = a.last[i] = a.fresh[i] = 0.0
    a.hits_mc[i] = a.hits_nb[i] = 0.0
    a.labels[i] = 0
    a.counts[i] = NULL
    a.tables[i] = NULL
    a.layout[i] = NULL
    a.values[i] = NULL
    a.extra[i] = NULL
    return i


cdef void free_node(Arena* a, int32_t i) noexcept nogil:
    """Free a node and what it holds, but not its children."""
    deactivate(a, i)
    arena_free(a, a.counts[i], a.labels[i] * sizeof(double))
    free_branches(a, i)
    if a.extra[i] != NULL:
        a.drop_extra(a, a.extra[i])
    a.parent[i] = -3 - a.vacant  # below NO_MEMORY: on the free list
    a.vacant = i
    a.live -= 1


cdef void free_branches(Arena* a, int32_t i) noexcept nogil:
    if a.branches[i] != NULL:
        arena_free(a, a.branches[i], (1 + a.branches[i][0]) * sizeof(int32_t))
        a.branches[i] = NULL


cdef void free_tree(Arena* a, int32_t i) noexcept nogil:
    """Free a node and everything below it: in a loop, since a tree may be very deep."""
    cdef int32_t next
    a.parent[i] = NONE
    while i != NONE:  # nodes still to be freed are linked by `parent`
        next = link_children(a, i, a.parent[i])
        free_node(a, i)
        i = next


cdef int32_t link_children(Arena* a, int32_t i, int32_t first) noexcept nogil:
    """Put the children of node i before node `first`, linked by `parent`; return the new first."""
    cdef int32_t at, child
    for at in range(n_branches(a, i)):
        child = child_of(a, i, at)
        if child != NONE:
            a.parent[child] = first
            first = child
    return first


cdef void clear_children(Arena* a, int32_t i) noexcept nogil:
    """Make node i a leaf, and free what was below."""
    cdef int32_t child = link_children(a, i, NONE), next
    if a.feature[i] == NONE:
        return
    while child != NONE:
        next = a.parent[child]
        free_tree(a, child)
        child = next
    free_branches(a, i)
    a.feature[i] = a.left[i] = a.right[i] = NONE
    a.threshold[i] = a.gain[i] = 0.0


cdef int32_t n_branches(Arena* a, int32_t i) noexcept nogil:
    """How many children a node may have: 2, or one for each nominal value; 0 for a leaf."""
    if a.feature[i] == NONE:
        return 0
    return 2 if a.branches[i] == NULL else a.branches[i][0]


cdef int32_t child_of(Arena* a, int32_t i, int32_t at) noexcept nogil:
    """Child number `at` of an inner node; NONE where a value has no branch."""
    if a.branches[i] == NULL:
        return a.left[i] if at == 0 else a.right[i]
    return a.branches[i][1 + at]


cdef int attach(Arena* a, int32_t i, bint by_value, int32_t branch, int32_t child) noexcept nogil:
    """Let a branch lead to a new child: 0 left, 1 right, or a nominal value's code. NO_MEMORY: the
    child is freed."""
    if by_value and set_branch(a, i, branch, child) != 0:
        free_node(a, child)
        return NO_MEMORY
    if not by_value and branch == 0:
        a.left[i] = child
    elif not by_value:
        a.right[i] = child
    return 0


cdef int set_branch(Arena* a, int32_t i, int32_t code, int32_t child) noexcept nogil:
    """Let the nominal value `code` lead to `child`."""
    cdef int32_t* branches = a.branches[i]
    cdef int32_t n = 0 if branches == NULL else branches[0], j
    if code >= n:
        branches = <int32_t*> arena_alloc(a, (2 + code) * sizeof(int32_t))
        if branches == NULL:
            return NO_MEMORY
        branches[0] = code + 1
        for j in range(code + 1):
            branches[1 + j] = a.branches[i][1 + j] if j < n else NONE
        free_branches(a, i)
        a.branches[i] = branches
    branches[1 + code] = child
    if child >= 0:
        a.code[child] = code
    return 0


cdef bint replace_child(Arena* a, int32_t i, int32_t by) noexcept nogil:
    """Let node `by` stand where node i stood. False: node i is no child, but an alternate's root."""
    cdef int32_t parent = a.parent[i], code = a.code[i]
    a.parent[by], a.code[by] = parent, code
    if a.root == i:
        a.root = by
    elif a.left[parent] == i:
        a.left[parent] = by
    elif a.right[parent] == i:
        a.right[parent] = by
    elif is_branch(a, parent, i):
        a.branches[parent][1 + code] = by
    else:
        return False
    return True


cdef inline bint is_branch(Arena* a, int32_t parent, int32_t i) noexcept nogil:
    """Is node i the child of its parent for a nominal value?"""
    return a.branches[parent] != NULL and a.code[i] >= 0 and a.branches[parent][1 + a.code[i]] == i


cdef int32_t nesting(Arena* a, int32_t i) noexcept nogil:
    """How many alternates, one within another, contain node i. An alternate's root has a parent,
    but is not its child."""
    cdef int32_t n = 0, parent = a.parent[i]
    while parent != NONE:
        n += a.left[parent] != i and a.right[parent] != i and not is_branch(a, parent, i)
        i, parent = parent, a.parent[parent]
    return n


# -- examples -------------------------------------------------------------------------------------


cdef bint fits_in(Arena* a, const Example* e) noexcept nogil:
    """Can its squares be summed? Weights below 1e50 times squares of values below 1e120 can."""
    return a.total + e.weight < MOST_WEIGHT


cdef int open_view(const Example* e, View* view) noexcept nogil:
    """The example by feature. What is beyond 1e120 counts as 1e120: a tree compares numbers."""
    cdef Py_ssize_t i, f, n = 0
    cdef double* x
    view.owned = NULL
    if e.ids == NULL and e.peak <= LARGEST_VALUE:
        view.x, view.n = e.values, e.n
        return 0
    n = e.n if e.ids == NULL else 0
    if e.ids != NULL:
        for i in range(e.n):
            n = max(n, e.ids[i] + 1)
    x = view.local
    if n > LOCAL:
        x = view.owned = <double*> PyMem_RawMalloc(n * sizeof(double))
        if x == NULL:
            return NO_MEMORY
    for f in range(n):
        x[f] = NAN
    for i in range(e.n):
        f = feature(e, i)
        x[f] = e.values[i]
        if x[f] > LARGEST_VALUE:  # not true of NaN
            x[f] = LARGEST_VALUE
        elif x[f] < -LARGEST_VALUE:
            x[f] = -LARGEST_VALUE
    view.x, view.n = x, n
    return 0


cdef void close_view(View* view) noexcept nogil:
    PyMem_RawFree(view.owned)


cdef int32_t next_node(Arena* a, int32_t i, const View* view) noexcept nogil:
    """The child of inner node i for this example; NONE: a nominal value without a branch."""
    cdef int32_t f = a.feature[i], code
    cdef double x = view.x[f] if f < view.n else NAN
    if x != x:
        return heaviest(a, i)
    if a.branches[i] == NULL:
        if a.kind[f] == NOMINAL:
            return a.left[i] if x == a.threshold[i] else a.right[i]
        return a.left[i] if x <= a.threshold[i] else a.right[i]
    code = <int32_t> x
    return a.branches[i][1 + code] if 0 <= code < a.branches[i][0] else NONE


cdef int32_t taken(Arena* a, int32_t i, const View* view) noexcept nogil:
    """`next_node`; the heaviest child where a value has no branch, and there was no room for one."""
    cdef int32_t child = next_node(a, i, view)
    return child if child != NONE else heaviest(a, i)


cdef int32_t heaviest(Arena* a, int32_t i) noexcept nogil:
    """The child that most examples took; the first on ties."""
    cdef int32_t best = NONE, j = 0, child
    if a.branches[i] == NULL:
        return a.left[i] if a.mass[a.left[i]] >= a.mass[a.right[i]] else a.right[i]
    for j in range(a.branches[i][0]):
        child = a.branches[i][1 + j]
        if child != NONE and (best == NONE or a.mass[child] > a.mass[best]):
            best = child
    return best
