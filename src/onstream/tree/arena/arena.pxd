# A tree as flat arrays: entry i of each belongs to node i. No Python object per node, no GIL.
#
# What a node knows of its examples: `counts`, the weight of each label, and, while it is active,
# one table per label that came (a `ClassTable`). Functions that can run out of memory return
# NO_MEMORY (or NULL) and leave the tree as it was.

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memset


cdef enum Kind:
    UNKNOWN   # no value came yet
    NUMERIC
    NOMINAL


cdef enum:
    NONE = -1        # no node, no feature
    LOCAL = 64       # values of a row that need no memory of their own
    ROWS = 5         # numbers of a feature in a table: weight, mean, squares, low, high
    NODE_BYTES = 7 * 4 + 9 * 8 + 6 * 8  # entries of one node in all arrays


cdef struct ClassTable:  # of one label at one node; then ROWS rows of d doubles, and `cells` more
    int32_t d            # features with room
    int32_t cells        # nominal values of the node with room: the weight of each
    int32_t even         # the first `even` columns are of numbers, never missing; 0: check each
    int32_t gaussians    # naive Bayes of such rows, precomputed: features that vary (NONE: not yet),
    double logs          # and what all examples share of the logarithm of the likelihood
    double log_product


cdef struct Layout:      # where a node that has dropped features keeps the others
    int32_t width        # features it knows; those that came later follow in order
    int32_t d            # columns of its tables


cdef struct Value:
    int32_t feature
    int32_t code


cdef struct ValueIndex:  # the nominal values that came to a node: by cell, and a hash table of cells
    int32_t n            # how many
    int32_t room         # cells; as many Values follow,
    int32_t buckets      # then so many cells + 1 (0: empty), a power of two


cdef struct View:        # one example by feature; NaN is missing, a nominal value is its code
    const double* x
    Py_ssize_t n         # features beyond are missing
    double* owned        # memory to be freed, or NULL
    double local[LOCAL]


cdef struct Arena:
    # -- nodes
    Py_ssize_t room       # nodes that fit
    Py_ssize_t used       # entries ever used; some may be on the free list
    Py_ssize_t live       # nodes there are
    int32_t vacant        # first entry of the free list, linked by `parent`
    int32_t root          # NONE before the first example
    int32_t* feature      # of an inner node's split; NONE: a leaf
    double* threshold     # left if x <= threshold; of nominal values, if x is this code
    int32_t* left         # children, unless there is a branch for each value
    int32_t* right
    int32_t** branches    # one per value: number of codes, then the child of each or NONE; or NULL
    int32_t* parent
    int32_t* depth        # of the root: 0
    int32_t* code         # nominal branch that leads to this node, or NONE
    double* gain          # of the split of an inner node, when it was made
    double* mass          # weight routed here; begins with what the split foresaw
    double* weight        # sum of counts
    double* last          # value of `fresh` at the last attempt to split
    double* fresh         # weight of examples learned here (without what a split passed on)
    double* idle          # weight that came while there were no tables
    double* hits_mc       # weight of examples that the majority predicted correctly
    double* hits_nb       # ... that naive Bayes predicted correctly
    int32_t* labels       # labels with room in `counts` and `tables`
    double** counts       # weight of each label
    ClassTable*** tables  # table of each label or NULL; NULL: inactive, or an inner node
    Layout** layout       # NULL: every feature has a column in the tables, in order
    ValueIndex** values   # cells of nominal values in the tables; NULL: none came
    void** extra          # what a kind of tree keeps for each node
    bint closing          # the whole arena is being freed, node by node
    void (*drop_extra)(Arena* a, void* extra) noexcept nogil
    int32_t (*alternate)(Arena* a, int32_t node, int32_t at) noexcept nogil  # root of that number, or NONE

    # -- features
    Py_ssize_t width      # features with room
    Py_ssize_t known      # features there are: tables are made for them and a few more
    uint8_t* kind
    int32_t** cells       # nominal: number of each code among the values of all features
    int32_t* codes        # nominal: how many codes are known
    int32_t n_cells       # nominal values of all features

    # -- all
    Py_ssize_t bytes      # held in C
    Py_ssize_t n_tables   # tables of all nodes
    Py_ssize_t n_active   # nodes that keep tables
    Py_ssize_t n_layouts  # nodes that have dropped features
    Py_ssize_t saved      # bytes that tables would need for what was dropped
    Py_ssize_t n_values   # values in the indices of all nodes
    Py_ssize_t n_weights  # ... times the tables of the node
    Py_ssize_t n_slots    # of regression trees: slots with room in all observers, as reckoned
    double total          # weight of all examples
    bint binary           # nominal features split one value from the others, not each from each
    double variance_floor  # share of a feature's variance that naive Bayes adds; 0: none


# -- memory ---------------------------------------------------------------------------------------


cdef inline void* arena_alloc(Arena* a, size_t size) noexcept nogil:
    """Zeroed memory, or NULL."""
    cdef void* block = PyMem_RawCalloc(size, 1)
    if block != NULL:
        a.bytes += size
    return block


cdef inline void arena_free(Arena* a, void* block, size_t size) noexcept nogil:
    if block != NULL:
        PyMem_RawFree(block)
        a.bytes -= size


cdef inline bint regrow(void** block, Py_ssize_t old, Py_ssize_t room, size_t size) noexcept nogil:
    """Make room for `room` entries where there were `old`, the new ones zero. False: no memory."""
    cdef void* moved = PyMem_RawRealloc(block[0], room * size)
    if moved == NULL:
        return False
    memset(<char*> moved + old * size, 0, (room - old) * size)
    block[0] = moved
    return True


# -- the parts of a table -------------------------------------------------------------------------


cdef inline double* weights(ClassTable* t) noexcept nogil:
    """Weight of each column; all ROWS rows begin here."""
    return <double*> (t + 1)


cdef inline double* means(ClassTable* t) noexcept nogil:
    return weights(t) + t.d


cdef inline double* squares(ClassTable* t) noexcept nogil:
    """Sums of squared distances from the mean."""
    return weights(t) + 2 * <Py_ssize_t> t.d


cdef inline double* lows(ClassTable* t) noexcept nogil:
    return weights(t) + 3 * <Py_ssize_t> t.d


cdef inline double* highs(ClassTable* t) noexcept nogil:
    return weights(t) + 4 * <Py_ssize_t> t.d


cdef inline double* cell_weights(ClassTable* t) noexcept nogil:
    """Weight of each nominal value."""
    return weights(t) + ROWS * <Py_ssize_t> t.d


cdef inline Py_ssize_t table_size(Py_ssize_t d, Py_ssize_t cells) noexcept nogil:
    return sizeof(ClassTable) + (ROWS * d + cells) * sizeof(double)


cdef inline Py_ssize_t with_slack(Py_ssize_t n) noexcept nogil:
    """Columns or cells that tables are made with, so that not every new one makes them grow."""
    return n + n // 16


# -- where a node keeps things --------------------------------------------------------------------


cdef inline int32_t* places(Layout* l) noexcept nogil:
    """Column of each feature; NONE: dropped."""
    return <int32_t*> (l + 1)


cdef inline int32_t column(Arena* a, int32_t i, int32_t feature) noexcept nogil:
    """Column of a feature in the tables of node i, maybe beyond their end; NONE: dropped."""
    cdef Layout* l = a.layout[i]
    if l == NULL:
        return feature
    return places(l)[feature] if feature < l.width else l.d + feature - l.width


cdef inline Value* values_in(ValueIndex* x) noexcept nogil:
    return <Value*> (x + 1)


cdef inline int32_t* buckets_of(ValueIndex* x) noexcept nogil:
    return <int32_t*> (values_in(x) + x.room)


cdef inline int32_t bucket(ValueIndex* x, int32_t feature, int32_t code) noexcept nogil:
    """Where this value stands in the hash table, or the empty bucket where it would."""
    cdef uint32_t h = <uint32_t> feature * <uint32_t> 2654435761 + <uint32_t> code * <uint32_t> 2246822519
    cdef int32_t b = <int32_t> ((h ^ (h >> 15)) & <uint32_t> (x.buckets - 1)), c = buckets_of(x)[b]
    while c != 0:
        if values_in(x)[c - 1].code == code and values_in(x)[c - 1].feature == feature:
            break
        b = (b + 1) & (x.buckets - 1)
        c = buckets_of(x)[b]
    return b


cdef inline int32_t cell(Arena* a, int32_t i, int32_t feature, int32_t code) noexcept nogil:
    """Cell of a nominal value in the tables of node i, maybe beyond their end; NONE: it never came."""
    cdef ValueIndex* x = a.values[i]
    return buckets_of(x)[bucket(x, feature, code)] - 1 if x != NULL else NONE
