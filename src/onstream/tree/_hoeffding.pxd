from libc.stdint cimport int32_t

from ..core.encoder cimport Encoder
from ..core.example cimport Example
from .arena._nodes cimport View
from .arena._memory_limit cimport Household
from ._state cimport Opinion, TreeState


cdef class HoeffdingState(TreeState):
    cdef Encoder encoder           # where names come in, which are reckoned, too
    cdef Household household    # the limit of memory, and what is reckoned against it
    cdef Py_ssize_t waiting     # leaves without tables, for lack of memory
    cdef bint dropped           # a leaf has just dropped features
    cdef void keep_limit(self) noexcept nogil
    cdef bint short_of_memory(self) noexcept nogil
    cdef void drop_poor(self, int32_t leaf, double least) noexcept nogil
    cdef int grow(self, const Example* e, double* out) noexcept nogil
    cdef int route_and_teach(self, const Example* e, const View* v, double* out) noexcept nogil
    cdef int make_ready(self, int32_t leaf, const View* v, int32_t label) noexcept nogil
    cdef void teach(self, int32_t leaf, Opinion opinion, const View* v, const Example* e) noexcept nogil
    cdef void learn_leaf(self, int32_t leaf, const View* v, int32_t label, double w) noexcept nogil
    cdef void attempt(self, int32_t leaf) noexcept nogil
