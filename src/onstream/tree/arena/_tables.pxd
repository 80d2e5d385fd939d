from libc.stdint cimport int32_t, uint8_t

from ...core.example cimport Example
from .arena cimport Arena, ClassTable, View


cdef int widen(Arena* a, Py_ssize_t width) except -1
cdef void free_features(Arena* a) noexcept
cdef int32_t cell_of(Arena* a, int32_t feature, int32_t code) noexcept nogil
cdef int register_values(Arena* a, const Example* e) noexcept nogil

cdef int ensure_label(Arena* a, int32_t i, int32_t label) noexcept nogil
cdef ClassTable* ensure_table(Arena* a, int32_t i, int32_t label) noexcept nogil
cdef int add_value(Arena* a, int32_t i, int32_t f, int32_t code) noexcept nogil
cdef int add_values(Arena* a, int32_t i, const View* v) noexcept nogil
cdef int activate(Arena* a, int32_t i) noexcept nogil
cdef void deactivate(Arena* a, int32_t i) noexcept nogil

cdef int drop_features(Arena* a, int32_t i, const uint8_t* poor) noexcept nogil
cdef Py_ssize_t saved_per_table(Arena* a, int32_t i) noexcept nogil
