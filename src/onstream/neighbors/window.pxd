from libc.stdint cimport int32_t, int64_t

from ..core.example cimport Example
from .leaves cimport Leaves


cdef enum Metric:
    EUCLIDEAN
    MANHATTAN
    COSINE
    CALLABLE


cdef enum Scale:
    PLAIN
    MINMAX
    STANDARD


cdef struct Queue:
    int32_t* slots    # where in the window; from the oldest, each more extreme than all after it
    int32_t first     # where the queue begins
    int32_t n         # how many


cdef class Window:
    """The latest examples, feature by feature in one block, and how to find the nearest."""

    cdef readonly Py_ssize_t room     # examples at most
    cdef Py_ssize_t stride            # room, and a little more
    cdef readonly Py_ssize_t n        # examples now
    cdef Py_ssize_t first             # slot of the oldest
    cdef readonly Py_ssize_t d        # features
    cdef Metric metric
    cdef Scale scale
    cdef object function              # the user's metric
    cdef object failure               # what it raised
    cdef double* block                # feature j of slot i at j * stride + i
    cdef double* offset               # of each feature: what scaling takes away
    cdef double* factor               # of each feature: what differences are multiplied by
    cdef Queue* low                   # of each feature: queue of minima
    cdef Queue* high                  # of each feature: queue of maxima
    cdef double* mean                 # of each feature ("standard")
    cdef double* m2                   # sum of squared distances from it
    cdef int64_t since                # examples since these were summed up anew
    cdef int64_t count                # examples that ever came in
    cdef Leaves leaves                # the index of a long window
    cdef int64_t renewal              # when `count` gets there, it is made anew
    cdef bint indexed                 # may there be one?

    cdef int set_features(self, Py_ssize_t d) except -1
    cdef Py_ssize_t insert(self, const Example* e) noexcept nogil
    cdef void drop_oldest(self) noexcept nogil
    cdef void rescale(self, Py_ssize_t j) noexcept nogil
    cdef void recount(self) noexcept nogil
    cdef Py_ssize_t slot(self, Py_ssize_t age) noexcept nogil
    cdef void measure(self, const double* x, const double* points, Py_ssize_t stride, Py_ssize_t n, double* out) noexcept nogil
    cdef Py_ssize_t by_leaves(self, const double* x, Py_ssize_t k, Py_ssize_t* slots, double* distances, Py_ssize_t* looked) noexcept nogil
    cdef void make_leaves(self) noexcept nogil
    cdef Py_ssize_t nearest(self, const Example* e, Py_ssize_t k, Py_ssize_t* slots, double* distances) noexcept nogil
    cdef Py_ssize_t by_function(self, const double* x, Py_ssize_t k, Py_ssize_t* slots, double* distances) noexcept with gil
    cdef Py_ssize_t bytes(self)
