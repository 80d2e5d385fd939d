from libc.stdint cimport int32_t

from .arena cimport Arena


cdef enum:
    NESTED = 100  # alternates of alternates of ...: each level learns by a call within a call

cdef list preorder(Arena* a, int32_t root)
cdef dict outline(Arena* a, list nodes)
cdef dict export_trees(Arena* a, list roots, Py_ssize_t width)
cdef list restore_trees(
    Arena* a, object fields, Py_ssize_t width, Py_ssize_t n_labels, dict categories)
cdef int attach_alternate(Arena* a, int32_t root, int32_t owner) except -1
cdef int enough(int32_t status) except -1
