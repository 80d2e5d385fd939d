from libc.stdint cimport int32_t

from ._nodes cimport Arena


cdef int check_nesting(list roots, list owners) except -1
cdef list preorder(Arena* a, int32_t root)
cdef dict export_trees(Arena* a, list roots, Py_ssize_t width)
cdef list restore_trees(Arena* a, object fields, Py_ssize_t width, Py_ssize_t n_labels)
cdef object outline(Arena* a, object roots)
