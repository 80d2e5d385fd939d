from libc.stdint cimport int32_t, int64_t

from ..core.example cimport Example
from ._extremes cimport Range
from ._rows cimport Row
from ._tiles cimport Tiles


cdef double LARGEST  # larger values are refused


cdef enum Scale:
    UNSCALED
    MINMAX
    STANDARD


cdef class Examples:
    """The latest examples, and the scales of their numbers."""

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
    cdef Scale scale
    cdef double* weight               # of each slot
    cdef double* offset               # of each number: what scaling takes away
    cdef double* factor               # of each number: what differences are multiplied by
    cdef Range* ranges                # of each number ("minmax")
    cdef double* mean                 # of each number ("standard")
    cdef double* m2                   # sum of squared distances from it
    cdef int64_t since                # examples since these were last recounted
    cdef int64_t count                # examples that ever came in

    cdef int set_features(self, Py_ssize_t width, dict nominal) except -1
    cdef void shrink(self, Py_ssize_t width) noexcept
    cdef Py_ssize_t slot(self, Py_ssize_t age) noexcept nogil
    cdef Py_ssize_t remember(self, const Example* e) noexcept nogil
    cdef Py_ssize_t insert(self, const Example* e) noexcept nogil
    cdef void write(self, const Example* e, Py_ssize_t at) noexcept nogil
    cdef void drop_oldest(self) noexcept nogil
    cdef void leave(self, Row* gone) noexcept nogil
    cdef void discard(self, Row* gone) noexcept nogil
    cdef void rescale(self, Py_ssize_t j) noexcept nogil
    cdef void rescale_row(self, Py_ssize_t slot) noexcept nogil
    cdef void recount(self) noexcept nogil
    cdef bint is_thin(self, int64_t entries, Py_ssize_t n, Py_ssize_t width) noexcept nogil
    cdef void choose_layout(self, int64_t more) noexcept nogil
    cdef void to_rows(self) noexcept nogil
    cdef void to_tiles(self) noexcept nogil
    cdef int row_at(self, Py_ssize_t slot, Row* row) noexcept nogil
    cdef void put(self, const Row* row, Py_ssize_t slot) noexcept nogil
    cdef void forget_index(self) noexcept nogil
    cdef void renew_index(self) noexcept nogil
    cdef void trim_index(self) noexcept nogil
    cdef dict export(self, Py_ssize_t width, dict nominal)
    cdef Py_ssize_t restore(
        self, object fields, Py_ssize_t width, dict nominal, Py_ssize_t seen) except -1
    cdef Py_ssize_t bytes(self)
