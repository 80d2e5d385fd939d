"""A tree as flat arrays: nodes come from a free list, tables from the raw allocator, so that what
is dropped is really given back. Nothing here knows how a tree is grown.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.math cimport NAN
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy, memset

from ...core.example cimport NUMBER, Example, feature

cdef double LARGEST_VALUE = 1e120
cdef double MOST_WEIGHT = 1e50


cdef void start(Arena* a) noexcept:
    a.vacant = a.root = NOBODY
    a.drop_extra = NULL


cdef void finish(Arena* a) noexcept:
    cdef Py_ssize_t i
    a.closing = True
    for i in range(a.used):
        if a.parent[i] > NO_MEMORY:  # not on the free list
            free_node(a, <int32_t> i)
    for i in range(a.width):
        PyMem_RawFree(a.cells[i])
    PyMem_RawFree(a.feature)
    PyMem_RawFree(a.threshold)
    PyMem_RawFree(a.left)
    PyMem_RawFree(a.right)
    PyMem_RawFree(a.fan)
    PyMem_RawFree(a.parent)
    PyMem_RawFree(a.depth)
    PyMem_RawFree(a.code)
    PyMem_RawFree(a.gain)
    PyMem_RawFree(a.mass)
    PyMem_RawFree(a.weight)
    PyMem_RawFree(a.last)
    PyMem_RawFree(a.fresh)
    PyMem_RawFree(a.idle)
    PyMem_RawFree(a.hits_mc)
    PyMem_RawFree(a.hits_nb)
    PyMem_RawFree(a.labels)
    PyMem_RawFree(a.counts)
    PyMem_RawFree(a.tables)
    PyMem_RawFree(a.layout)
    PyMem_RawFree(a.extra)
    PyMem_RawFree(a.kind)
    PyMem_RawFree(a.cells)
    PyMem_RawFree(a.codes)
    PyMem_RawFree(a.spared)

# -- memory -------------------------------------------------------------------------------


cdef void* grab(Arena* a, size_t size) noexcept nogil:
    """Zeroed memory, or NULL."""
    cdef void* block = PyMem_RawCalloc(size, 1)
    if block != NULL:
        a.bytes += size
    return block


cdef void give_back(Arena* a, void* block, size_t size) noexcept nogil:
    if block != NULL:
        PyMem_RawFree(block)
        a.bytes -= size


cdef int widen(Arena* a, Py_ssize_t width) except -1:
    """Room for features 0 ... width-1."""
    cdef Py_ssize_t room
    if width <= a.width:
        return 0
    room = max(width, a.width + a.width // 2)
    if a.width == 0:
        room = width
    if not (
        regrow(<void**> &a.kind, a.width, room, 1)
        and regrow(<void**> &a.cells, a.width, room, sizeof(int32_t*))
        and regrow(<void**> &a.codes, a.width, room, sizeof(int32_t))
        and regrow(<void**> &a.spared, a.width, room, sizeof(int32_t))
    ):
        raise MemoryError(f"onstream: no memory for {room:,} features")
    a.bytes += (room - a.width) * (1 + sizeof(int32_t*) + 2 * sizeof(int32_t))
    a.width = room
    return 0


cdef int grow_nodes(Arena* a) noexcept nogil:
    """Room for more nodes."""
    cdef Py_ssize_t old = a.room, room = old + old // 8 + 4
    cdef bint fine = (
        regrow(<void**> &a.feature, old, room, sizeof(int32_t))
        and regrow(<void**> &a.threshold, old, room, sizeof(double))
        and regrow(<void**> &a.left, old, room, sizeof(int32_t))
        and regrow(<void**> &a.right, old, room, sizeof(int32_t))
        and regrow(<void**> &a.fan, old, room, sizeof(int32_t*))
        and regrow(<void**> &a.parent, old, room, sizeof(int32_t))
        and regrow(<void**> &a.depth, old, room, sizeof(int32_t))
        and regrow(<void**> &a.code, old, room, sizeof(int32_t))
        and regrow(<void**> &a.gain, old, room, sizeof(double))
        and regrow(<void**> &a.mass, old, room, sizeof(double))
        and regrow(<void**> &a.weight, old, room, sizeof(double))
        and regrow(<void**> &a.last, old, room, sizeof(double))
        and regrow(<void**> &a.fresh, old, room, sizeof(double))
        and regrow(<void**> &a.idle, old, room, sizeof(double))
        and regrow(<void**> &a.hits_mc, old, room, sizeof(double))
        and regrow(<void**> &a.hits_nb, old, room, sizeof(double))
        and regrow(<void**> &a.labels, old, room, sizeof(int32_t))
        and regrow(<void**> &a.counts, old, room, sizeof(double*))
        and regrow(<void**> &a.tables, old, room, sizeof(ClassTable**))
        and regrow(<void**> &a.layout, old, room, sizeof(Layout*))
        and regrow(<void**> &a.extra, old, room, sizeof(void*))
    )
    if not fine:  # what has grown has grown; the next attempt begins there
        return NO_MEMORY
    a.bytes += (room - old) * (7 * sizeof(int32_t) + 9 * sizeof(double) + 5 * sizeof(void*))
    a.room = room
    return 0

cdef bint regrow(void** block, Py_ssize_t old, Py_ssize_t room, size_t size) noexcept nogil:
    """Room for `room` entries where there were `old`, the new ones zero."""
    cdef void* moved = PyMem_RawRealloc(block[0], room * size)
    if moved == NULL:
        return False
    memset(<char*> moved + old * size, 0, (room - old) * size)
    block[0] = moved
    return True


# -- nodes --------------------------------------------------------------------------------


cdef int32_t new_node(Arena* a, int32_t parent, double mass) noexcept nogil:
    """An empty leaf, or NO_MEMORY."""
    cdef int32_t i = a.vacant
    if i == NOBODY:
        if a.used == a.room and grow_nodes(a) != 0:
            return NO_MEMORY
        i = <int32_t> a.used
        a.used += 1
    else:
        a.vacant = -3 - a.parent[i]
    a.live += 1
    a.feature[i] = a.left[i] = a.right[i] = a.code[i] = NOBODY
    a.fan[i] = NULL
    a.parent[i] = parent
    a.depth[i] = a.depth[parent] + 1 if parent >= 0 else 0
    a.mass[i] = mass
    a.idle[i] = a.gain[i] = a.threshold[i] = a.weight[i] = a.last[i] = a.fresh[i] = 0.0
    a.hits_mc[i] = a.hits_nb[i] = 0.0
    a.labels[i] = 0
    a.counts[i] = NULL
    a.tables[i] = NULL
    a.layout[i] = NULL
    a.extra[i] = NULL
    return i


cdef void free_node(Arena* a, int32_t i) noexcept nogil:
    """Give back a node and what it holds; its children are somebody else's matter."""
    deactivate(a, i)
    give_back(a, a.counts[i], a.labels[i] * sizeof(double))
    if a.fan[i] != NULL:
        give_back(a, a.fan[i], (1 + a.fan[i][0]) * sizeof(int32_t))
    if a.extra[i] != NULL:
        a.drop_extra(a, a.extra[i])
    a.parent[i] = -3 - a.vacant  # below every sign: on the free list
    a.vacant = i
    a.live -= 1


cdef void free_tree(Arena* a, int32_t i) noexcept nogil:
    """Give back a node and everything below it: in a loop, since a tree may be very deep."""
    cdef int32_t next
    a.parent[i] = NOBODY
    while i != NOBODY:  # nodes that wait for it are linked by `parent`
        next = link_children(a, i, a.parent[i])
        free_node(a, i)
        i = next


cdef int32_t link_children(Arena* a, int32_t i, int32_t first) noexcept nogil:
    """Put the children of node i before node `first`, linked by `parent`; who is first now."""
    cdef int32_t at = 0, child = child_of(a, i, 0)
    while child != NO_MEMORY:
        if child != NOBODY:
            a.parent[child] = first
            first = child
        at += 1
        child = child_of(a, i, at)
    return first


cdef void clear_children(Arena* a, int32_t i) noexcept nogil:
    """Make node i a leaf; what was below is given back."""
    cdef int32_t child = link_children(a, i, NOBODY), next
    if a.feature[i] == NOBODY:
        return
    while child != NOBODY:
        next = a.parent[child]
        free_tree(a, child)
        child = next
    if a.fan[i] != NULL:
        give_back(a, a.fan[i], (1 + a.fan[i][0]) * sizeof(int32_t))
        a.fan[i] = NULL
    a.feature[i] = a.left[i] = a.right[i] = NOBODY
    a.threshold[i] = a.gain[i] = 0.0


cdef int32_t child_of(Arena* a, int32_t i, int32_t at) noexcept nogil:
    """Child number `at`; NOBODY where a value has no branch, NO_MEMORY after the last."""
    if a.feature[i] == NOBODY:
        return NO_MEMORY
    if a.fan[i] == NULL:
        return a.left[i] if at == 0 else a.right[i] if at == 1 else NO_MEMORY
    return a.fan[i][1 + at] if at < a.fan[i][0] else NO_MEMORY


cdef int set_branch(Arena* a, int32_t i, int32_t code, int32_t child) noexcept nogil:
    """Let the nominal value `code` lead to `child`."""
    cdef int32_t* fan = a.fan[i]
    cdef int32_t n = 0 if fan == NULL else fan[0], j
    if code >= n:
        fan = <int32_t*> grab(a, (2 + code) * sizeof(int32_t))
        if fan == NULL:
            return NO_MEMORY
        fan[0] = code + 1
        for j in range(code + 1):
            fan[1 + j] = a.fan[i][1 + j] if j < n else NOBODY
        if a.fan[i] != NULL:
            give_back(a, a.fan[i], (1 + n) * sizeof(int32_t))
        a.fan[i] = fan
    fan[1 + code] = child
    if child >= 0:
        a.code[child] = code
    return 0

# -- what a node knows -----------------------------------------------------------------------


cdef int ensure_label(Arena* a, int32_t i, int32_t label) noexcept nogil:
    """Room for the weight of this label."""
    cdef int32_t old = a.labels[i], room
    cdef double* counts
    cdef ClassTable** tables
    if label < old:
        return 0
    room = label + 1 if old == 0 else max(label + 1, old + old // 4)
    counts = <double*> grab(a, room * sizeof(double))
    if counts == NULL:
        return NO_MEMORY
    if a.tables[i] != NULL:
        tables = <ClassTable**> grab(a, room * sizeof(ClassTable*))
        if tables == NULL:
            give_back(a, counts, room * sizeof(double))
            return NO_MEMORY
        memcpy(tables, a.tables[i], old * sizeof(ClassTable*))
        give_back(a, a.tables[i], old * sizeof(ClassTable*))
        a.tables[i] = tables
    if old > 0:
        memcpy(counts, a.counts[i], old * sizeof(double))
        give_back(a, a.counts[i], old * sizeof(double))
    a.counts[i] = counts
    a.labels[i] = room
    return 0


cdef Py_ssize_t table_size(Arena* a, ClassTable* t) noexcept nogil:
    return sizeof(ClassTable) + (5 * <Py_ssize_t> t.d + t.cells) * sizeof(double)


cdef ClassTable* ensure_table(Arena* a, int32_t i, int32_t label) noexcept nogil:
    """The table of this label at an active node, with room for every feature it keeps; or NULL."""
    cdef ClassTable* old = a.tables[i][label]
    cdef ClassTable* t
    cdef Py_ssize_t d = a.known, cells = a.n_cells
    cdef int r
    if a.layout[i] != NULL:
        if extend_layout(a, i) != 0:
            return NULL
        d, cells = a.layout[i].d, a.layout[i].cells
    if old != NULL and old.d >= d and old.cells >= cells:
        return old
    if a.layout[i] == NULL:
        d, cells = with_slack(d), with_slack(cells)
    t = make_table(a, d, cells)
    if t == NULL:
        return NULL
    if old != NULL:
        for r in range(5):
            memcpy(numbers(t) + r * t.d, numbers(old) + r * old.d, old.d * sizeof(double))
        memcpy(numbers(t) + 5 * t.d, numbers(old) + 5 * old.d, old.cells * sizeof(double))
        give_back(a, old, table_size(a, old))
    else:
        a.n_tables += 1
        spare(a, i, 1)
    a.tables[i][label] = t
    return t


cdef ClassTable* make_table(Arena* a, Py_ssize_t d, Py_ssize_t cells) noexcept nogil:
    cdef ClassTable* t = <ClassTable*> grab(a, sizeof(ClassTable) + (5 * d + cells) * sizeof(double))
    if t != NULL:
        t.d, t.cells = <int32_t> d, <int32_t> cells
    return t


cdef int activate(Arena* a, int32_t i) noexcept nogil:
    """Let a node keep tables, empty ones to begin with."""
    if a.tables[i] == NULL:
        if a.labels[i] == 0 and ensure_label(a, i, 0) != 0:
            return NO_MEMORY
        a.tables[i] = <ClassTable**> grab(a, a.labels[i] * sizeof(ClassTable*))
        if a.tables[i] == NULL:
            return NO_MEMORY
        a.n_active += 1
    return 0


cdef void deactivate(Arena* a, int32_t i) noexcept nogil:
    """Drop the tables of a node; its counts stay."""
    cdef int32_t r
    if a.tables[i] == NULL:
        return
    for r in range(a.labels[i]):
        if a.tables[i][r] != NULL:
            give_back(a, a.tables[i][r], table_size(a, a.tables[i][r]))
            a.n_tables -= 1
            spare(a, i, -1)
    a.n_active -= 1
    give_back(a, a.tables[i], a.labels[i] * sizeof(ClassTable*))
    a.tables[i] = NULL
    if a.layout[i] != NULL:
        give_back(a, a.layout[i], layout_size(a.layout[i].width, a.layout[i].values))
        a.layout[i] = NULL
        a.n_layouts -= 1

# -- features that a node has dropped -------------------------------------------------------------


cdef Py_ssize_t layout_size(Py_ssize_t width, Py_ssize_t values) noexcept nogil:
    return sizeof(Layout) + (width + values) * sizeof(int32_t)


cdef Py_ssize_t saved_per_table(Arena* a, int32_t i) noexcept nogil:
    """Bytes that each table of node i saves by what was dropped there."""
    cdef Py_ssize_t saved = 0
    cdef int32_t f
    if a.layout[i] != NULL:
        for f in range(a.layout[i].width):
            if places(a.layout[i])[f] == NOBODY:
                saved += (5 + a.codes[f]) * sizeof(double)
    return saved


cdef void spare(Arena* a, int32_t i, int32_t tables) noexcept nogil:
    """So many tables more leave out what node i has dropped."""
    cdef int32_t f
    if a.layout[i] != NULL:
        for f in range(a.layout[i].width):
            if places(a.layout[i])[f] == NOBODY:
                a.spared[f] += tables
                a.saved += tables * (5 + a.codes[f]) * <Py_ssize_t> sizeof(double)


cdef Layout* make_layout(Arena* a, int32_t i, const uint8_t* poor) noexcept nogil:
    """Where node i is to keep things if it drops these features, too; NULL: no memory."""
    cdef Layout* old = a.layout[i]
    cdef Layout* l = <Layout*> grab(a, layout_size(min(with_slack(a.known), a.width), a.n_cells))
    cdef int32_t f, r
    if l == NULL:
        return NULL
    l.width, l.values = <int32_t> min(with_slack(a.known), a.width), a.n_cells
    for f in range(l.width):
        if (poor != NULL and poor[f]) or column(a, i, f) == NOBODY:
            places(l)[f] = NOBODY
            l.dropped += 1
        elif old != NULL and poor == NULL and f < old.width:  # only longer: nothing moves
            places(l)[f] = places(old)[f]
        else:
            places(l)[f] = (old.d + f - old.width) if old != NULL and poor == NULL else l.d
        l.d += places(l)[f] != NOBODY
    if old != NULL and poor == NULL:
        l.cells = old.cells
    for f in range(l.width):
        for r in range(a.codes[f]):
            if places(l)[f] == NOBODY:
                places(l)[l.width + a.cells[f][r]] = NOBODY
            elif old != NULL and poor == NULL and a.cells[f][r] < old.values:
                places(l)[l.width + a.cells[f][r]] = places(old)[old.width + a.cells[f][r]]
            else:
                places(l)[l.width + a.cells[f][r]] = l.cells
                l.cells += 1
    return l


cdef int extend_layout(Arena* a, int32_t i) noexcept nogil:
    """Features and values that came since get a place behind the others."""
    cdef Layout* old = a.layout[i]
    cdef Layout* l
    if old.width >= a.known and old.values >= a.n_cells:
        return 0
    l = make_layout(a, i, NULL)
    if l == NULL:
        return NO_MEMORY
    give_back(a, old, layout_size(old.width, old.values))
    a.layout[i] = l
    return 0


cdef int drop_features(Arena* a, int32_t i, const uint8_t* poor) noexcept nogil:
    """Keep nothing more of these features at node i; what was kept of them is given back."""
    cdef Layout* old = a.layout[i]
    cdef Layout* l = make_layout(a, i, poor)
    cdef ClassTable** tables = <ClassTable**> grab(a, a.labels[i] * sizeof(ClassTable*))
    cdef int32_t r
    cdef bint fine = l != NULL and tables != NULL
    for r in range(a.labels[i]):
        if fine and a.tables[i][r] != NULL:
            tables[r] = make_table(a, l.d, l.cells)
            fine = tables[r] != NULL
    if not fine:
        for r in range(a.labels[i]):
            if tables != NULL and tables[r] != NULL:
                give_back(a, tables[r], table_size(a, tables[r]))
        give_back(a, tables, a.labels[i] * sizeof(ClassTable*))
        if l != NULL:
            give_back(a, l, layout_size(l.width, l.values))
        return NO_MEMORY
    for r in range(a.labels[i]):
        if tables[r] != NULL:
            move_table(a, i, l, a.tables[i][r], tables[r])
            spare(a, i, -1)
            give_back(a, a.tables[i][r], table_size(a, a.tables[i][r]))
    give_back(a, a.tables[i], a.labels[i] * sizeof(ClassTable*))
    a.tables[i] = tables
    if old != NULL:
        give_back(a, old, layout_size(old.width, old.values))
    else:
        a.n_layouts += 1
    a.layout[i] = l
    for r in range(a.labels[i]):
        if tables[r] != NULL:
            spare(a, i, 1)
    return 0


cdef void move_table(Arena* a, int32_t i, Layout* l, ClassTable* old, ClassTable* t) noexcept nogil:
    """What a table of node i knows, into one with another layout."""
    cdef int32_t f, r, c, k
    for f in range(l.width):
        if places(l)[f] == NOBODY:
            continue
        c = column(a, i, f)
        if c < old.d:
            for k in range(5):
                numbers(t)[k * t.d + places(l)[f]] = numbers(old)[k * old.d + c]
        for r in range(a.codes[f]):
            c = cell(a, i, f, r)
            if c < old.cells:
                numbers(t)[5 * t.d + places(l)[l.width + a.cells[f][r]]] = numbers(old)[5 * old.d + c]

# -- examples ----------------------------------------------------------------------------------


cdef int32_t cell_of(Arena* a, int32_t f, int32_t code) noexcept nogil:
    """Where tables keep this nominal value; made if it is new. NO_MEMORY: it could not be."""
    cdef int32_t known = a.codes[f], j
    if code < known:
        return a.cells[f][code]
    if not regrow(<void**> &a.cells[f], known, code + 1, sizeof(int32_t)):
        return NO_MEMORY
    a.bytes += (code + 1 - known) * sizeof(int32_t)
    for j in range(known, code + 1):  # codes come in order, so this is one
        a.cells[f][j] = a.n_cells
        a.n_cells += 1
    a.saved += (code + 1 - known) * <Py_ssize_t> a.spared[f] * <Py_ssize_t> sizeof(double)
    a.codes[f] = code + 1
    return a.cells[f][code]


cdef bint fits_in(Arena* a, const Example* e) noexcept nogil:
    """Can its squares be summed? Weights below 1e50 times squares of values below 1e120 can."""
    return a.total + e.weight < MOST_WEIGHT


cdef int open_view(Arena* a, const Example* e, View* view) noexcept nogil:
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


cdef int welcome(Arena* a, const Example* e) noexcept nogil:
    """Make the kinds of its features and its nominal values known."""
    cdef Py_ssize_t i, f
    a.known = max(a.known, e.width)
    for i in range(e.n):
        f = feature(e, i)
        if e.codes != NULL and e.codes[i] != NUMBER:
            a.kind[f] = NOMINAL
            if cell_of(a, <int32_t> f, e.codes[i]) == NO_MEMORY:
                return NO_MEMORY
        elif a.kind[f] == UNKNOWN and e.values[i] == e.values[i]:
            a.kind[f] = NUMERIC
    return 0


cdef void close_view(Arena* a, View* view) noexcept nogil:
    PyMem_RawFree(view.owned)


cdef int32_t next_node(Arena* a, int32_t i, const View* view) noexcept nogil:
    """The child of inner node i for this example; NOBODY: a nominal value without a branch."""
    cdef int32_t f = a.feature[i], code
    cdef double x = view.x[f] if f < view.n else NAN
    if x != x:
        return heaviest(a, i)
    if a.fan[i] == NULL:
        return a.left[i] if x <= a.threshold[i] else a.right[i]
    code = <int32_t> x
    return a.fan[i][1 + code] if 0 <= code < a.fan[i][0] else NOBODY


cdef int32_t heaviest(Arena* a, int32_t i) noexcept nogil:
    """The child that most examples took; the first on ties."""
    cdef int32_t best = NOBODY, j = 0, child
    if a.fan[i] == NULL:
        return a.left[i] if a.mass[a.left[i]] >= a.mass[a.right[i]] else a.right[i]
    for j in range(a.fan[i][0]):
        child = a.fan[i][1 + j]
        if child != NOBODY and (best == NOBODY or a.mass[child] > a.mass[best]):
            best = child
    return best
