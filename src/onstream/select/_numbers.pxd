from libc.stdint cimport int64_t

from ..ensemble._ensemble cimport NumberEnsembleState


cdef class EvolvingNumberState(NumberEnsembleState):
    cdef readonly object search
    cdef int rule
    cdef int64_t interval
    cdef double fading
    cdef bint votes_only          # members are judged elsewhere

    cdef Py_ssize_t best(self) noexcept nogil
    cdef double lately(self, Py_ssize_t m) noexcept nogil
    cdef void judge(self, const double* votes, Py_ssize_t stride, double y) noexcept nogil
    cdef int64_t until_turn(self) noexcept nogil
