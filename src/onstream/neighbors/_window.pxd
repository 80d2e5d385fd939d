from libc.stdint cimport int32_t, int64_t

from ..core.example cimport Example
from ..core.sources cimport Source
from ._extremes cimport Range
from ._found cimport Found
from ._leaves cimport Leaves
from ._rows cimport Row
from ._tiles cimport Tiles


cdef double LARGEST  # larger values are refused

cdef enum:
    NARROW = 128     # columns of a query that need no memory of their own
    TOGETHER = 16    # queries that are compared with a tile while it is in the cache


cdef enum Metric:
    EUCLIDEAN
    MANHATTAN
    COSINE
    CALLABLE


cdef enum Scale:
    UNSCALED
    MINMAX
    STANDARD


cdef struct Query:
    double* x            # its numbers, one for each column
    int32_t* codes       # its nominal values
    double length        # squared, of what it is (only for cosines)
    Row row              # itself, where examples are rows
    Found f              # the nearest to it
    double few[NARROW]


cdef class Window:
    """The latest examples, and how to find the nearest."""

    cdef readonly Py_ssize_t room     # examples at most
    cdef readonly Py_ssize_t n        # examples now
    cdef Py_ssize_t first             # slot of the oldest
    cdef Py_ssize_t width             # features
    cdef Py_ssize_t room_width        # features that fit
    cdef int32_t* column              # of each feature: its column j of numbers, or ~j if it is nominal
    cdef Tiles tiles                  # the examples,
    cdef Row* rows                    # or, of each slot, if each has few of very many features
    cdef bint tiles_only              # there are no rows
    cdef int64_t entries              # their values that are not 0 and not left out
    cdef Py_ssize_t k                 # neighbours that vote
    cdef bint by_distance             # near ones have more votes
    cdef bint all_ties                # all that are as far as the k-th vote
    cdef Metric metric
    cdef Scale scale
    cdef object function              # the user's metric
    cdef dict failures                # what it raised, by thread
    cdef double* weight               # of each slot
    cdef double* offset               # of each number: what scaling takes away
    cdef double* factor               # of each number: what differences are multiplied by
    cdef Range* ranges                # of each number ("minmax")
    cdef double* mean                 # of each number ("standard")
    cdef double* m2                   # sum of squared distances from it
    cdef int64_t since                # examples since these were last recounted
    cdef int64_t count                # examples that ever came in
    cdef Leaves leaves                # the index of a long window
    cdef int64_t renewal              # `count` at which it is built again
    cdef bint indexed                 # may there be one?

    cdef int set_features(self, Py_ssize_t width, dict nominal) except -1
    cdef void shrink(self, Py_ssize_t width) noexcept
    cdef bint is_thin(self, int64_t entries, Py_ssize_t n) noexcept nogil
    cdef void choose_layout(self, int64_t more) noexcept nogil
    cdef void to_rows(self) noexcept nogil
    cdef void to_tiles(self) noexcept nogil
    cdef int row_at(self, Py_ssize_t slot, Row* row) noexcept nogil
    cdef void put(self, const Row* row, Py_ssize_t slot) noexcept nogil
    cdef void rescale_row(self, Py_ssize_t slot) noexcept nogil
    cdef Py_ssize_t slot(self, Py_ssize_t age) noexcept nogil
    cdef Py_ssize_t remember(self, const Example* e) noexcept nogil
    cdef Py_ssize_t insert(self, const Example* e) noexcept nogil
    cdef void write(self, const Example* e, Py_ssize_t at) noexcept nogil
    cdef void drop_oldest(self) noexcept nogil
    cdef void leave(self, Row* gone) noexcept nogil
    cdef void discard(self, Row* gone) noexcept nogil
    cdef void rescale(self, Py_ssize_t j) noexcept nogil
    cdef void recount(self) noexcept nogil
    cdef int search(self, const Example* e, Query* q) noexcept nogil
    cdef int search_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t n, Query* queries) noexcept nogil
    cdef int open(self, const Example* e, Query* q) noexcept nogil
    cdef int nearest(self, Query* q) noexcept nogil
    cdef int scan(self, Query* queries, Py_ssize_t n) noexcept nogil
    cdef int scan_rows(self, Query* q) noexcept nogil
    cdef int scan_piece(self, Query* q, Py_ssize_t start, Py_ssize_t n) noexcept nogil
    cdef void settle(self, Query* q) noexcept nogil
    cdef int look_up(self, Query* q, Py_ssize_t* opened) noexcept nogil
    cdef int ask(self, Query* q) noexcept with gil
    cdef void measure(
        self, const Query* q, const double* points, const int32_t* codes, Py_ssize_t n,
        double* out) noexcept nogil
    cdef void build_index(self) noexcept nogil
    cdef dict export(self, Py_ssize_t width, dict nominal)
    cdef Py_ssize_t restore(
        self, object fields, Py_ssize_t width, dict nominal, Py_ssize_t seen) except -1
    cdef Py_ssize_t bytes(self)


cdef void close(Query* q) noexcept nogil


cdef inline double vote(Window window, const Found* f, Py_ssize_t i) noexcept nogil:
    """What neighbour i counts: its weight, or weight / (distance + 1e-12)."""
    cdef double weight = window.weight[f.slots[i]]
    return weight / (f.distances[i] + 1e-12) if window.by_distance else weight
