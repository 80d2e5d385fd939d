from libc.stdint cimport int32_t

from ..core.encoder cimport Encoder
from .arena._memory_limit cimport MemoryBudget
from ._state cimport TreeState


cdef class HoeffdingState(TreeState):
    cdef Encoder encoder        # counts the bytes of names
    cdef MemoryBudget budget
    cdef Py_ssize_t waiting     # leaves without tables, for lack of memory
    cdef bint dropped           # a leaf has just dropped features
    cdef bint adapts            # it trains alternates, for which some of the nodes' part is kept
    cdef bint beside            # an alternate is learning

    cdef void take_stock(self, Py_ssize_t features, Py_ssize_t named) noexcept nogil
    cdef void resume(self)
    cdef bint short_of_memory(self) noexcept nogil
    cdef void enforce_limit(self) noexcept nogil
    cdef void drop_poor(self, int32_t leaf, double least) noexcept nogil
