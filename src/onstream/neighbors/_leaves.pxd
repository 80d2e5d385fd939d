from libc.stdint cimport int64_t


cdef enum:
    LEAF = 64   # points of a leaf


cdef struct Leaves:
    # An index of the window: its points in leaves of near ones, each leaf with its box. Numbers
    # count the examples of the stream.
    Py_ssize_t n        # leaves; 0: there is no index
    Py_ssize_t room     # leaves that fit
    Py_ssize_t stride   # of the boxes
    Py_ssize_t d        # features
    int64_t next        # number of the first example that is not in it
    int64_t* numbers    # of each point; -1: none
    double* points      # leaf by leaf, there feature by feature
    double* low         # boxes: feature j of leaf i at j * stride + i
    double* high


cdef void leaves_free(Leaves* t) noexcept nogil
cdef Py_ssize_t leaves_bytes(const Leaves* t) noexcept nogil
cdef void leaves_build(
    Leaves* t, const double* block, Py_ssize_t stride, Py_ssize_t d, const double* factor,
    Py_ssize_t first, Py_ssize_t n, Py_ssize_t ring, int64_t oldest) noexcept nogil
