# A tree as flat arrays: entry i of each belongs to node i. No Python object per node, no GIL.
#
# What a node knows of its examples: `counts`, the weight of each label, and, while it is active,
# one table per label that came (a `ClassTable`): weight, mean, squares, minimum and maximum of
# every feature, then the weight of every nominal value.

from libc.stdint cimport int32_t, uint8_t

from ...core.example cimport NO_MEMORY, Example


cdef enum Kind:
    UNKNOWN   # no value came yet
    NUMERIC
    NOMINAL


cdef enum:
    NOBODY = -1      # no node, no feature
    LOCAL = 64       # values of a row that need no memory of their own


cdef struct ClassTable:  # numbers of one label at one node; five rows of d doubles and `cells` more
    int32_t d            # features with room: weight, mean, squares, low, high of each
    int32_t cells        # nominal values with room: the weight of each
    int32_t even         # so many first features are numbers that came with every example; 0: ask each
    int32_t gaussians    # naive Bayes, if `even` and what it needs is reckoned already: features that
    double logs          # vary (NOBODY: not reckoned), and what all examples share of the
    double log_product   # likelihood


cdef struct Layout:      # where a node that has dropped features keeps the others
    int32_t width        # features it tells of; those that came later follow in order
    int32_t values       # nominal values it tells of
    int32_t d            # columns of its tables
    int32_t cells        # nominal values of its tables
    int32_t dropped      # features without a column


cdef struct View:        # one example by feature; NaN is missing, a nominal value is its code
    const double* x
    Py_ssize_t n         # features beyond are missing
    double* owned        # memory to be given back, or NULL
    double local[LOCAL]


cdef inline double* numbers(ClassTable* t) noexcept nogil:
    return <double*> (t + 1)


cdef inline int32_t* places(Layout* l) noexcept nogil:
    """Column of each feature, then the cell of each nominal value; NOBODY: dropped."""
    return <int32_t*> (l + 1)


cdef inline int32_t column(Arena* a, int32_t i, int32_t feature) noexcept nogil:
    """Where the tables of node i keep a feature: maybe beyond their end. NOBODY: nowhere."""
    cdef Layout* l = a.layout[i]
    if l == NULL:
        return feature
    return places(l)[feature] if feature < l.width else l.d + feature - l.width


cdef inline int32_t cell(Arena* a, int32_t i, int32_t feature, int32_t code) noexcept nogil:
    """The same for a nominal value of a feature that is kept."""
    cdef Layout* l = a.layout[i]
    cdef int32_t place = a.cells[feature][code]
    if l == NULL:
        return place
    return places(l)[l.width + place] if place < l.values else l.cells + place - l.values


cdef inline Py_ssize_t with_slack(Py_ssize_t n) noexcept nogil:
    """Columns or cells that tables are made with, so that they need not grow with every new one."""
    return n + n // 16


cdef struct Arena:
    # -- nodes
    Py_ssize_t room       # nodes that fit
    Py_ssize_t used       # entries ever used; some may be on the free list
    Py_ssize_t live       # nodes there are
    int32_t vacant        # first entry of the free list, linked by `parent`
    int32_t root          # NOBODY before the first example
    int32_t* feature      # what an inner node asks; NOBODY: a leaf
    double* threshold     # numeric: left if x <= threshold
    int32_t* left         # numeric: children
    int32_t* right
    int32_t** fan         # nominal: how many codes, then the child of each or NOBODY; else NULL
    int32_t* parent
    int32_t* depth        # of the root: 0
    int32_t* code         # nominal branch this node stands in; -1: none
    double* gain               # what the split of an inner node promised
    double* mass          # weight routed here; begins with what the split foresaw
    double* weight        # sum of counts
    double* last          # grace: weight that came before the last attempt to split
    double* fresh         # weight of examples learned here (without what a split passed on)
    double* idle               # weight that came while there were no tables
    double* hits_mc       # weight of examples that the majority had right
    double* hits_nb       # ... that naive Bayes had right
    int32_t* labels       # labels with room in `counts` and `tables`
    double** counts       # weight of each label
    ClassTable*** tables  # table of each label or NULL; NULL: inactive, or an inner node
    Layout** layout       # NULL: every feature has a column in the tables, in order
    void** extra          # what a kind of tree keeps for each node
    bint closing              # everything goes, node by node
    void (*drop_extra)(Arena* a, void* extra) noexcept nogil

    # -- features
    Py_ssize_t width      # features with room
    Py_ssize_t known      # features there are: tables are made for them and a few more
    uint8_t* kind
    int32_t** cells       # nominal: place in the tables of each code
    int32_t* codes        # nominal: how many codes are known
    int32_t n_cells       # nominal values of all features
    int32_t* spared       # tables that leave out this feature

    # -- all
    Py_ssize_t bytes      # held in C
    Py_ssize_t n_tables        # tables of all nodes
    Py_ssize_t n_active        # nodes that keep tables
    Py_ssize_t n_layouts       # nodes that have dropped features
    Py_ssize_t saved           # bytes that tables would need for what was dropped
    double total          # weight of all examples


cdef void start(Arena* a) noexcept
cdef void finish(Arena* a) noexcept
cdef void* grab(Arena* a, size_t size) noexcept nogil
cdef void give_back(Arena* a, void* block, size_t size) noexcept nogil
cdef int widen(Arena* a, Py_ssize_t width) except -1
cdef int grow_nodes(Arena* a) noexcept nogil
cdef int32_t new_node(Arena* a, int32_t parent, double mass) noexcept nogil
cdef void free_node(Arena* a, int32_t i) noexcept nogil
cdef void free_tree(Arena* a, int32_t i) noexcept nogil
cdef void clear_children(Arena* a, int32_t i) noexcept nogil
cdef int ensure_label(Arena* a, int32_t i, int32_t label) noexcept nogil
cdef ClassTable* ensure_table(Arena* a, int32_t i, int32_t label) noexcept nogil
cdef int activate(Arena* a, int32_t i) noexcept nogil
cdef void deactivate(Arena* a, int32_t i) noexcept nogil
cdef int32_t cell_of(Arena* a, int32_t feature, int32_t code) noexcept nogil
cdef int set_branch(Arena* a, int32_t i, int32_t code, int32_t child) noexcept nogil
cdef int open_view(Arena* a, const Example* e, View* view) noexcept nogil
cdef int welcome(Arena* a, const Example* e) noexcept nogil
cdef void close_view(Arena* a, View* view) noexcept nogil
cdef bint fits_in(Arena* a, const Example* e) noexcept nogil
cdef int32_t next_node(Arena* a, int32_t i, const View* view) noexcept nogil
cdef int32_t heaviest(Arena* a, int32_t i) noexcept nogil
cdef int32_t child_of(Arena* a, int32_t i, int32_t at) noexcept nogil
cdef int drop_features(Arena* a, int32_t i, const uint8_t* poor) noexcept nogil
cdef Py_ssize_t saved_per_table(Arena* a, int32_t i) noexcept nogil
cdef Py_ssize_t table_size(Arena* a, ClassTable* t) noexcept nogil
