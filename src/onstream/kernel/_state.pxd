from ..core.example cimport Example
from ._expansion cimport Expansion
from ._objects cimport ObjectClassifierState, ObjectRegressorState


cdef class KernelClassifierState(ObjectClassifierState):
    cdef Expansion expansion  # one set of supports, a coefficient for each label
    cdef double* f            # scores of the example being learned
    cdef double* steps        # its coefficients, once it is a support
    cdef Py_ssize_t room      # labels that fit there

    cdef int update(self, const Example* e, const double* f) noexcept nogil


cdef class KernelRegressorState(ObjectRegressorState):
    cdef Expansion expansion

    cdef int update(self, const Example* e, double f) noexcept nogil
