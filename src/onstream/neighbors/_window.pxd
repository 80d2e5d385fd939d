from libc.stdint cimport int32_t, int64_t

from ..core.example cimport Example
from ..core.sources cimport Source
from ._examples cimport Examples
from ._found cimport Found
from ._leaves cimport Leaves
from ._rows cimport Row
from ._sieve cimport Sieve


cdef enum:
    NARROW = 128     # columns of a query that need no memory of their own
    TOGETHER = 128   # queries that are compared with a tile while it is in the cache


cdef enum Metric:
    EUCLIDEAN
    MANHATTAN
    COSINE
    CALLABLE


cdef struct Query:
    double* x            # its numbers, one for each column
    int32_t* codes       # its nominal values
    double* apart        # how far they are from those in each slot; NULL: 0 or 1 each
    double length        # squared, of what it is (only for cosines)
    Row row              # itself, where examples are rows
    Found f              # the nearest to it
    double few[NARROW]


cdef class Window(Examples):
    """The latest examples, and how to find the nearest."""

    cdef Py_ssize_t k                 # neighbours that vote
    cdef bint by_distance             # near ones have more votes
    cdef bint all_ties                # all that are as far as the k-th vote
    cdef Metric metric
    cdef object function              # the user's metric
    cdef dict failures                # what it raised, by thread
    cdef Leaves leaves                # the index of a long window
    cdef int64_t renewal              # `count` at which it is built again
    cdef bint indexed                 # may there be one?
    cdef const int32_t* labels        # of each slot, to tell how far values are apart; NULL: 0 or 1

    cdef void compare_by(self, const int32_t* labels) noexcept

    cdef int search(self, const Example* e, Query* q) noexcept nogil
    cdef int search_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t n, Query* queries) noexcept nogil
    cdef int open(self, const Example* e, Query* q) noexcept nogil
    cdef int nearest(self, Query* q) noexcept nogil
    cdef int scan(self, Query* queries, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t piece(self, Py_ssize_t age) noexcept nogil
    cdef int scan_sieved(self, Query* queries, Py_ssize_t n) noexcept nogil
    cdef int scan_sieved_piece(
        self, Sieve* sieve, Query* queries, Py_ssize_t n, Py_ssize_t start, Py_ssize_t piece,
    ) noexcept nogil
    cdef int scan_rows(self, Query* q) noexcept nogil
    cdef int scan_piece(self, Query* q, Py_ssize_t start, Py_ssize_t n) noexcept nogil
    cdef void settle(self, Query* q) noexcept nogil
    cdef void measure(
        self, const Query* q, const double* points, const int32_t* codes, Py_ssize_t n,
        double* out) noexcept nogil
    cdef void build_index(self) noexcept nogil
    cdef int look_up(self, Query* q, Py_ssize_t* opened) noexcept nogil
    cdef int ask(self, Query* q) noexcept with gil


cdef void close(Query* q) noexcept nogil


cdef inline double vote(Window window, const Found* f, Py_ssize_t i) noexcept nogil:
    """What neighbour i counts: its weight, or weight / (distance + 1e-12)."""
    cdef double weight = window.weight[f.slots[i]]
    return weight / (f.distances[i] + 1e-12) if window.by_distance else weight
