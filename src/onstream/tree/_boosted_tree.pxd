from ..core.example cimport Example
from ._regression cimport HoeffdingRegressorState
from .arena.arena cimport View


cdef class BoostedTreeState(HoeffdingRegressorState):
    cdef double answer(self, const View* v) noexcept nogil
    cdef bint has_split(self) noexcept nogil
    cdef double deviation(self) noexcept nogil
    cdef void keep_to(self, Py_ssize_t max_bytes) noexcept nogil
    cdef bint fits(self, Py_ssize_t max_bytes) noexcept nogil
    cdef int boost(
        self, const Example* e, const View* v, double* before, double* after
    ) noexcept nogil
