from ..core.example cimport Example
from ._expansion cimport Expansion
from ._objects cimport ObjectClassifierState


cdef class Machine(Expansion):
    cdef tuple arguments      # what it was made with, but for the kernel
    cdef double* other        # room for another kernel row
    cdef bint acts            # `commit` has something to do

    cdef int plan(self, const Example* e, double y, double* f) noexcept nogil
    cdef int decide(self, const Example* e, double y, double f) noexcept nogil
    cdef void commit(self, const Example* e) noexcept nogil
    cdef void negate(self) noexcept nogil
    cdef Machine twin(self)


cdef class OneVsRestState(ObjectClassifierState):
    cdef object kind          # class of the machines
    cdef tuple arguments      # of the machines
    cdef list machines        # one up to two labels, one per label beyond
    cdef list before          # the single machine, until the third label is committed
    cdef void** each          # the machines again, for use without the GIL
    cdef Py_ssize_t k         # how many
    cdef Py_ssize_t room      # how many fit
    cdef double* f

    cdef Machine machine(self)
