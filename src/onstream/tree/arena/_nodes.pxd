from libc.stdint cimport int32_t

from ...core.example cimport Example
from .arena cimport Arena, View


cdef void arena_init(Arena* a) noexcept
cdef void arena_destroy(Arena* a) noexcept

cdef int32_t new_node(Arena* a, int32_t parent, double mass) noexcept nogil
cdef void free_node(Arena* a, int32_t i) noexcept nogil
cdef void free_tree(Arena* a, int32_t i) noexcept nogil
cdef void clear_children(Arena* a, int32_t i) noexcept nogil

cdef int32_t n_branches(Arena* a, int32_t i) noexcept nogil
cdef int32_t child_of(Arena* a, int32_t i, int32_t at) noexcept nogil
cdef int attach(Arena* a, int32_t i, bint by_value, int32_t branch, int32_t child) noexcept nogil
cdef int set_branch(Arena* a, int32_t i, int32_t code, int32_t child) noexcept nogil
cdef bint replace_child(Arena* a, int32_t i, int32_t by) noexcept nogil
cdef int32_t nesting(Arena* a, int32_t i) noexcept nogil

cdef bint fits_in(Arena* a, const Example* e) noexcept nogil
cdef int open_view(const Example* e, View* view) noexcept nogil
cdef void close_view(View* view) noexcept nogil
cdef int32_t next_node(Arena* a, int32_t i, const View* view) noexcept nogil
cdef int32_t taken(Arena* a, int32_t i, const View* view) noexcept nogil
cdef int32_t heaviest(Arena* a, int32_t i) noexcept nogil
