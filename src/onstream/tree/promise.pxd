# Which leaves may keep tables when memory is short (spec 12.2).

from .arena cimport Arena


cdef Py_ssize_t claim(Arena* a, Py_ssize_t features, Py_ssize_t labels) noexcept nogil
cdef Py_ssize_t ration(
    Arena* a, Py_ssize_t features, Py_ssize_t labels, Py_ssize_t budget) noexcept nogil
