from libc.stdint cimport int32_t, int64_t

from ._tiles cimport Tiles

cdef enum:
    LEAF = 64   # points of a leaf
    MIXED = -3  # the points of a leaf have different codes


cdef struct Leaves:
    # An index of the window: its points in leaves of near ones, each leaf with its box. Numbers
    # count the examples of the stream.
    Py_ssize_t n        # leaves; 0: there is no index
    Py_ssize_t room     # leaves that fit
    Py_ssize_t stride   # of the boxes
    Py_ssize_t d        # columns of numbers
    Py_ssize_t c        # columns of nominal values
    int64_t next        # number of the first example that is not in it
    int64_t* numbers    # of each point; -1: none
    double* points      # leaf by leaf, there feature by feature
    int32_t* codes      # the same for nominal values
    double* low         # boxes: feature j of leaf i at j * stride + i
    double* high
    int32_t* only       # the same for nominal values: the code of all points of the leaf, or MIXED


cdef void leaves_free(Leaves* t) noexcept nogil
cdef Py_ssize_t leaves_bytes(const Leaves* t) noexcept nogil
cdef void leaves_build(
    Leaves* t, const Tiles* from_tiles, const double* factor, Py_ssize_t first, Py_ssize_t n,
    Py_ssize_t ring, int64_t oldest) noexcept nogil
