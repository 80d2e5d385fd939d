from libc.stdint cimport int32_t

from ..core.example cimport Example
from .arena cimport View
from .state cimport TreeState


cdef class HoeffdingState(TreeState):
    cdef Py_ssize_t max_bytes   # 0: no limit
    cdef void keep_limit(self, Py_ssize_t features) noexcept nogil
    cdef int grow(self, const Example* e, double* out) noexcept nogil
    cdef void learn_leaf(self, int32_t leaf, const View* v, int32_t label, double w) noexcept nogil
    cdef void attempt(self, int32_t leaf) noexcept nogil
