"""What nodes know of their examples: features and their values, counts, tables by label.

A node keeps the weight of those nominal values that came to it, however many there are elsewhere: a
`ValueIndex` says which cell of its tables a value has. Short of memory, a node can drop features.
Its tables then have columns only for the others, and a `Layout` says which column a feature has.
"""

from cpython.mem cimport PyMem_RawFree
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy

from ...core.example cimport NO_MEMORY, NUMBER, Example, feature
from .arena cimport (
    NOMINAL, NONE, NUMERIC, ROWS, UNKNOWN, Arena, ClassTable, Layout, Value, ValueIndex, View,
    arena_alloc, arena_free, bucket, buckets_of, cell, cell_weights, column, places, regrow,
    table_size, values_in, weights, with_slack,
)

# -- features -------------------------------------------------------------------------------------


cdef int widen(Arena* a, Py_ssize_t width) except -1:
    """Make room for features 0 ... width-1."""
    cdef Py_ssize_t room
    if width <= a.width:
        return 0
    room = max(width, a.width + a.width // 2)
    if not (
        regrow(<void**> &a.kind, a.width, room, 1)
        and regrow(<void**> &a.cells, a.width, room, sizeof(int32_t*))
        and regrow(<void**> &a.codes, a.width, room, sizeof(int32_t))
    ):
        raise MemoryError(f"onstream: no memory for {room:,} features")
    a.bytes += (room - a.width) * (1 + sizeof(int32_t*) + sizeof(int32_t))
    a.width = room
    return 0


cdef void free_features(Arena* a) noexcept:
    cdef Py_ssize_t f
    for f in range(a.width):
        PyMem_RawFree(a.cells[f])
    PyMem_RawFree(a.kind)
    PyMem_RawFree(a.cells)
    PyMem_RawFree(a.codes)


cdef int32_t cell_of(Arena* a, int32_t f, int32_t code) noexcept nogil:
    """Number of this nominal value among those of all features, a new one if need be; or NO_MEMORY."""
    cdef int32_t known = a.codes[f], j
    if code < known:
        return a.cells[f][code]
    if not regrow(<void**> &a.cells[f], known, code + 1, sizeof(int32_t)):
        return NO_MEMORY
    a.bytes += (code + 1 - known) * sizeof(int32_t)
    for j in range(known, code + 1):  # codes come in order, so this is one
        a.cells[f][j] = a.n_cells
        a.n_cells += 1
    a.codes[f] = code + 1
    return a.cells[f][code]


cdef int register_values(Arena* a, const Example* e) noexcept nogil:
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


# -- counts and tables ----------------------------------------------------------------------------


cdef int ensure_label(Arena* a, int32_t i, int32_t label) noexcept nogil:
    """Make room for the weight of this label."""
    cdef int32_t old = a.labels[i], room
    cdef double* counts
    cdef ClassTable** tables
    if label < old:
        return 0
    room = label + 1 if old == 0 else max(label + 1, old + old // 4)
    counts = <double*> arena_alloc(a, room * sizeof(double))
    if counts == NULL:
        return NO_MEMORY
    if a.tables[i] != NULL:
        tables = <ClassTable**> arena_alloc(a, room * sizeof(ClassTable*))
        if tables == NULL:
            arena_free(a, counts, room * sizeof(double))
            return NO_MEMORY
        memcpy(tables, a.tables[i], old * sizeof(ClassTable*))
        arena_free(a, a.tables[i], old * sizeof(ClassTable*))
        a.tables[i] = tables
    if old > 0:
        memcpy(counts, a.counts[i], old * sizeof(double))
        arena_free(a, a.counts[i], old * sizeof(double))
    a.counts[i] = counts
    a.labels[i] = room
    return 0


cdef ClassTable* make_table(Arena* a, Py_ssize_t d, Py_ssize_t cells) noexcept nogil:
    cdef ClassTable* t = <ClassTable*> arena_alloc(a, table_size(d, cells))
    if t != NULL:
        t.d, t.cells = <int32_t> d, <int32_t> cells
    return t


cdef void free_table(Arena* a, ClassTable* t) noexcept nogil:
    if t != NULL:
        arena_free(a, t, table_size(t.d, t.cells))


cdef ClassTable* ensure_table(Arena* a, int32_t i, int32_t label) noexcept nogil:
    """The table of this label at an active node, with room for every feature it keeps; or NULL."""
    cdef ClassTable* old = a.tables[i][label]
    cdef ClassTable* t
    cdef ValueIndex* x = a.values[i]
    cdef Py_ssize_t d = a.known
    cdef int r
    if a.layout[i] != NULL:
        if extend_layout(a, i) != 0:
            return NULL
        d = a.layout[i].d
    if old != NULL and old.d >= d and (x == NULL or old.cells >= x.n):
        return old
    if a.layout[i] == NULL:
        d = with_slack(d)
    t = make_table(a, d, x.room if x != NULL else 0)
    if t == NULL:
        return NULL
    if old != NULL:
        for r in range(ROWS):
            memcpy(weights(t) + r * t.d, weights(old) + r * old.d, old.d * sizeof(double))
        memcpy(cell_weights(t), cell_weights(old), old.cells * sizeof(double))
        free_table(a, old)
    else:
        count_tables(a, i, 1)
    a.tables[i][label] = t
    return t


cdef void count_tables(Arena* a, int32_t i, int32_t tables) noexcept nogil:
    """Note that node i has this number of tables more, or fewer if it is negative."""
    a.n_tables += tables
    a.saved += tables * saved_per_table(a, i)
    if a.values[i] != NULL:
        a.n_weights += tables * a.values[i].n


# -- the nominal values that came to a node -------------------------------------------------------


cdef Py_ssize_t index_size(Py_ssize_t room, Py_ssize_t buckets) noexcept nogil:
    return sizeof(ValueIndex) + room * sizeof(Value) + buckets * sizeof(int32_t)


cdef void free_index(Arena* a, ValueIndex* x) noexcept nogil:
    if x != NULL:
        arena_free(a, x, index_size(x.room, x.buckets))


cdef ValueIndex* make_index(Arena* a, int32_t room) noexcept nogil:
    """An empty index; or NULL."""
    cdef int32_t buckets = 8
    cdef ValueIndex* x
    while buckets < room + room // 2:
        buckets *= 2
    x = <ValueIndex*> arena_alloc(a, index_size(room, buckets))
    if x != NULL:
        x.room, x.buckets = room, buckets
    return x


cdef void append(ValueIndex* x, int32_t f, int32_t code) noexcept nogil:
    """Give a new value the next cell."""
    values_in(x)[x.n].feature, values_in(x)[x.n].code = f, code
    x.n += 1
    buckets_of(x)[bucket(x, f, code)] = x.n


cdef int add_value(Arena* a, int32_t i, int32_t f, int32_t code) noexcept nogil:
    """Give a nominal value a cell in the tables of node i, unless it has one."""
    cdef ValueIndex* old = a.values[i]
    cdef ValueIndex* x = old
    cdef int32_t c, r
    if cell(a, i, f, code) != NONE:
        return 0
    if old == NULL or old.n == old.room:
        x = make_index(a, 4 if old == NULL else old.n + old.n // 4 + 4)
        if x == NULL:
            return NO_MEMORY
        if old != NULL:
            for c in range(old.n):
                append(x, values_in(old)[c].feature, values_in(old)[c].code)
            free_index(a, old)
        a.values[i] = x
    append(x, f, code)
    a.n_values += 1
    for r in range(a.labels[i]):
        a.n_weights += a.tables[i][r] != NULL
    return 0


cdef int add_values(Arena* a, int32_t i, const View* v) noexcept nogil:
    """Give the nominal values of an example cells in the tables of node i."""
    cdef Py_ssize_t f
    if a.n_cells == 0:
        return 0
    for f in range(min(v.n, <Py_ssize_t> a.width)):
        if a.kind[f] == NOMINAL and v.x[f] == v.x[f] and column(a, i, <int32_t> f) != NONE:
            if add_value(a, i, <int32_t> f, <int32_t> v.x[f]) != 0:
                return NO_MEMORY
    return 0


cdef int activate(Arena* a, int32_t i) noexcept nogil:
    """Let a node keep tables, none to begin with."""
    if a.tables[i] == NULL:
        if a.labels[i] == 0 and ensure_label(a, i, 0) != 0:
            return NO_MEMORY
        a.tables[i] = <ClassTable**> arena_alloc(a, a.labels[i] * sizeof(ClassTable*))
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
            free_table(a, a.tables[i][r])
            count_tables(a, i, -1)
    a.n_active -= 1
    arena_free(a, a.tables[i], a.labels[i] * sizeof(ClassTable*))
    a.tables[i] = NULL
    if a.values[i] != NULL:
        a.n_values -= a.values[i].n
        free_index(a, a.values[i])
        a.values[i] = NULL
    if a.layout[i] != NULL:
        free_layout(a, a.layout[i])
        a.layout[i] = NULL
        a.n_layouts -= 1


# -- features that a node has dropped -------------------------------------------------------------


cdef Py_ssize_t layout_size(Py_ssize_t width) noexcept nogil:
    return sizeof(Layout) + width * sizeof(int32_t)


cdef void free_layout(Arena* a, Layout* l) noexcept nogil:
    if l != NULL:
        arena_free(a, l, layout_size(l.width))


cdef Py_ssize_t saved_per_table(Arena* a, int32_t i) noexcept nogil:
    """Bytes that each table of node i saves by what was dropped there."""
    cdef Py_ssize_t saved = 0
    cdef int32_t f
    if a.layout[i] != NULL:
        for f in range(a.layout[i].width):
            if places(a.layout[i])[f] == NONE:
                saved += ROWS * sizeof(double)
    return saved


cdef Layout* make_layout(Arena* a, int32_t i, const uint8_t* poor) noexcept nogil:
    """A layout of node i without the features `poor`, the others closed up; or NULL.

    Without `poor`, one in which nothing moves, but with a place for what came since.
    """
    cdef int32_t width = <int32_t> min(with_slack(a.known), a.width), f
    cdef Layout* l
    if a.layout[i] != NULL:
        width = max(width, a.layout[i].width)
    l = <Layout*> arena_alloc(a, layout_size(width))
    if l == NULL:
        return NULL
    l.width = width
    for f in range(width):
        places(l)[f] = column(a, i, f)
        if poor != NULL and places(l)[f] != NONE:
            places(l)[f] = NONE if poor[f] else l.d
        l.d += places(l)[f] != NONE
    return l


cdef ValueIndex* kept_values(Arena* a, int32_t i, const uint8_t* poor) noexcept nogil:
    """The values of node i but for those of the features `poor`; or NULL."""
    cdef ValueIndex* old = a.values[i]
    cdef ValueIndex* x = make_index(a, old.room if old != NULL else 4)
    cdef int32_t c
    if x != NULL and old != NULL:
        for c in range(old.n):
            if not poor[values_in(old)[c].feature]:
                append(x, values_in(old)[c].feature, values_in(old)[c].code)
    return x


cdef int extend_layout(Arena* a, int32_t i) noexcept nogil:
    """Give features that came since a place behind the others."""
    cdef Layout* old = a.layout[i]
    cdef Layout* l
    if old.width >= a.known:
        return 0
    l = make_layout(a, i, NULL)
    if l == NULL:
        return NO_MEMORY
    free_layout(a, old)
    a.layout[i] = l
    return 0


cdef int drop_features(Arena* a, int32_t i, const uint8_t* poor) noexcept nogil:
    """Keep nothing more of these features at node i, and free what was kept of them."""
    cdef Layout* l = make_layout(a, i, poor)
    cdef ValueIndex* x = kept_values(a, i, poor)
    cdef ClassTable** tables = <ClassTable**> arena_alloc(a, a.labels[i] * sizeof(ClassTable*))
    cdef int32_t r, made = 0
    cdef bint fine = l != NULL and x != NULL and tables != NULL
    for r in range(a.labels[i]):
        if fine and a.tables[i][r] != NULL:
            tables[r] = make_table(a, l.d, x.room)
            fine = tables[r] != NULL
            made += fine
    if not fine:
        for r in range(a.labels[i]):
            if tables != NULL:
                free_table(a, tables[r])
        arena_free(a, tables, a.labels[i] * sizeof(ClassTable*))
        free_layout(a, l)
        free_index(a, x)
        return NO_MEMORY
    for r in range(a.labels[i]):
        if tables[r] != NULL:
            move_table(a, i, l, x, a.tables[i][r], tables[r])
            free_table(a, a.tables[i][r])
    count_tables(a, i, -made)
    arena_free(a, a.tables[i], a.labels[i] * sizeof(ClassTable*))
    a.tables[i] = tables
    a.n_layouts += a.layout[i] == NULL
    free_layout(a, a.layout[i])
    a.layout[i] = l
    a.n_values += x.n - (a.values[i].n if a.values[i] != NULL else 0)
    free_index(a, a.values[i])
    a.values[i] = x
    count_tables(a, i, made)
    return 0


cdef void move_table(
    Arena* a, int32_t i, Layout* l, ValueIndex* x, ClassTable* old, ClassTable* t
) noexcept nogil:
    """Copy a table of node i into one with another layout and index."""
    cdef int32_t f, c, k
    for f in range(l.width):
        if places(l)[f] == NONE:
            continue
        c = column(a, i, f)
        if c < old.d:
            for k in range(ROWS):
                weights(t)[k * t.d + places(l)[f]] = weights(old)[k * old.d + c]
    for k in range(x.n):
        c = cell(a, i, values_in(x)[k].feature, values_in(x)[k].code)
        if c < old.cells:
            cell_weights(t)[k] = cell_weights(old)[c]
