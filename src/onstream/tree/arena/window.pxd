# The last examples, in a ring: what CVFDT forgets in time.

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from ...core.example cimport NO_MEMORY
from ...core.memory cimport release, resize
from .arena cimport View, regrow


cdef struct Window:
    double* xs            # `stride` values of each example; NaN is missing
    int32_t* labels
    double* weights
    int64_t* ids          # of the youngest leaf that each example reached
    Py_ssize_t stride
    Py_ssize_t room
    Py_ssize_t first      # the oldest
    Py_ssize_t held       # how many


cdef inline void free_window(Window* w) noexcept:
    release(w.xs)
    release(w.labels)
    release(w.weights)
    release(w.ids)


cdef inline Py_ssize_t window_bytes(const Window* w) noexcept:
    return w.room * (
        w.stride * sizeof(double) + sizeof(int32_t) + sizeof(double) + sizeof(int64_t))


cdef inline int widen_window(Window* w, Py_ssize_t width) except -1:
    """Make every row `width` values long."""
    cdef double* xs
    cdef Py_ssize_t i, f
    if width > w.stride:
        xs = <double*> resize(NULL, 0, w.room * width * sizeof(double))
        for i in range(w.room):
            memcpy(xs + i * width, w.xs + i * w.stride, w.stride * sizeof(double))
            for f in range(w.stride, width):
                xs[i * width + f] = NAN
        release(w.xs)
        w.xs, w.stride = xs, width
    return 0


cdef inline int reserve_row(Window* w, Py_ssize_t most) noexcept nogil:
    """Make room for one more example, and for at most `most` in all."""
    cdef Py_ssize_t old = w.room, room = min(most, w.room + w.room // 2 + 16)
    if w.held < w.room:
        return 0
    # Only a ring that is not full grows, so it begins at 0.
    if not (
        regrow(<void**> &w.xs, old * w.stride, room * w.stride, sizeof(double))
        and regrow(<void**> &w.labels, old, room, sizeof(int32_t))
        and regrow(<void**> &w.weights, old, room, sizeof(double))
        and regrow(<void**> &w.ids, old, room, sizeof(int64_t))
    ):
        return NO_MEMORY
    w.room = room
    return 0


cdef inline Py_ssize_t row_bytes(Py_ssize_t features) noexcept nogil:
    return features * sizeof(double) + sizeof(int32_t) + sizeof(double) + sizeof(int64_t)


cdef inline void shorten(Window* w, Py_ssize_t room) noexcept nogil:
    """Give back what is beyond `room` rows, which are more than it holds; without memory it stays."""
    cdef double* xs = <double*> PyMem_RawMalloc(room * w.stride * sizeof(double))
    cdef int32_t* labels = <int32_t*> PyMem_RawMalloc(room * sizeof(int32_t))
    cdef double* weights = <double*> PyMem_RawMalloc(room * sizeof(double))
    cdef int64_t* ids = <int64_t*> PyMem_RawMalloc(room * sizeof(int64_t))
    cdef Py_ssize_t i, at
    if xs == NULL or labels == NULL or weights == NULL or ids == NULL:
        PyMem_RawFree(xs)
        PyMem_RawFree(labels)
        PyMem_RawFree(weights)
        PyMem_RawFree(ids)
        return
    for i in range(w.held):
        at = (w.first + i) % w.room
        memcpy(xs + i * w.stride, w.xs + at * w.stride, w.stride * sizeof(double))
        labels[i], weights[i], ids[i] = w.labels[at], w.weights[at], w.ids[at]
    PyMem_RawFree(w.xs)
    PyMem_RawFree(w.labels)
    PyMem_RawFree(w.weights)
    PyMem_RawFree(w.ids)
    w.xs, w.labels, w.weights, w.ids = xs, labels, weights, ids
    w.first, w.room = 0, room


cdef inline void push(Window* w, const View* v, int32_t label, double weight, int64_t id) noexcept nogil:
    cdef Py_ssize_t at = (w.first + w.held) % w.room, f
    cdef double* x = w.xs + at * w.stride
    for f in range(w.stride):
        x[f] = v.x[f] if f < v.n else NAN
    w.labels[at], w.weights[at], w.ids[at] = label, weight, id
    w.held += 1
