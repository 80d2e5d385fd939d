from libc.stdint cimport int32_t, int64_t

from ..core.example cimport Example
from ._leaves cimport Leaves


cdef double LARGEST  # larger values are refused

cdef enum:
    FEW = 32  # neighbours that need no memory of their own


cdef enum Metric:
    EUCLIDEAN
    MANHATTAN
    COSINE
    CALLABLE


cdef enum Scale:
    UNSCALED
    MINMAX
    STANDARD


cdef struct Queue:
    int32_t* slots    # where in the window; from the oldest, each more extreme than all after it
    int32_t first     # where the queue begins
    int32_t n         # how many


cdef struct Found:
    Py_ssize_t k         # neighbours wanted
    Py_ssize_t n         # neighbours found
    Py_ssize_t* slots    # where they stand in the window, the nearest first
    double* distances    # from the query to each
    Py_ssize_t few_slots[FEW]
    double few_distances[FEW]


cdef class Window:
    """The latest examples, feature by feature in one block, and how to find the nearest."""

    cdef readonly Py_ssize_t room     # examples at most
    cdef Py_ssize_t stride            # room, and a little more
    cdef readonly Py_ssize_t n        # examples now
    cdef Py_ssize_t first             # slot of the oldest
    cdef readonly Py_ssize_t d        # features
    cdef Py_ssize_t k                 # neighbours that vote
    cdef bint by_distance             # near ones have more votes
    cdef Metric metric
    cdef Scale scale
    cdef object function              # the user's metric
    cdef dict failures                # what it raised, by thread
    cdef double* block                # feature j of slot i at j * stride + i
    cdef double* weight               # of each slot
    cdef double* offset               # of each feature: what scaling takes away
    cdef double* factor               # of each feature: what differences are multiplied by
    cdef Queue* low                   # of each feature: queue of minima
    cdef Queue* high                  # of each feature: queue of maxima
    cdef double* mean                 # of each feature ("standard")
    cdef double* m2                   # sum of squared distances from it
    cdef int64_t since                # examples since these were last recounted
    cdef int64_t count                # examples that ever came in
    cdef Leaves leaves                # the index of a long window
    cdef int64_t renewal              # `count` at which it is built again
    cdef bint indexed                 # may there be one?

    cdef int set_features(self, Py_ssize_t d) except -1
    cdef Py_ssize_t slot(self, Py_ssize_t age) noexcept nogil
    cdef Py_ssize_t remember(self, const Example* e) noexcept nogil
    cdef Py_ssize_t insert(self, const Example* e) noexcept nogil
    cdef void drop_oldest(self) noexcept nogil
    cdef void rescale(self, Py_ssize_t j) noexcept nogil
    cdef void recount(self) noexcept nogil
    cdef int search(self, const Example* e, Found* f) noexcept nogil
    cdef int nearest(self, const Example* e, Found* f) noexcept nogil
    cdef void scan(self, double* x, Found* f) noexcept nogil
    cdef int look_up(self, const double* x, Found* f, Py_ssize_t* opened) noexcept nogil
    cdef int ask(self, const double* x, Found* f) noexcept with gil
    cdef void measure_to(
        self, const double* x, const double* points, Py_ssize_t stride, Py_ssize_t n, double* out,
    ) noexcept nogil
    cdef void build_index(self) noexcept nogil
    cdef dict export(self, Py_ssize_t width)
    cdef Py_ssize_t restore(self, object fields, Py_ssize_t width, Py_ssize_t seen) except -1
    cdef Py_ssize_t bytes(self)


cdef void finish(Found* f) noexcept nogil


cdef inline double vote(Window window, const Found* f, Py_ssize_t i) noexcept nogil:
    """What neighbour i counts: its weight, or weight / (distance + 1e-12)."""
    cdef double weight = window.weight[f.slots[i]]
    return weight / (f.distances[i] + 1e-12) if window.by_distance else weight
