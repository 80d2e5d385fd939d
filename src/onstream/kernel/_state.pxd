from ..core.classifier cimport ClassifierState
from ..core.example cimport Example
from ..core.state cimport State
from ._expansion cimport Expansion
from ._supports cimport CompiledKernel


cdef class KernelClassifierState(ClassifierState):
    cdef readonly CompiledKernel compiled  # the kernel
    cdef readonly list expansions          # every f that is learned


cdef class ExpansionClassifierState(KernelClassifierState):
    cdef Expansion expansion  # one set of supports, a coefficient for each label
    cdef double* f            # scores of the example being learned
    cdef double* tau          # its coefficients, once it is a support
    cdef Py_ssize_t room      # labels that fit there

    cdef int update(self, const Example* e, const double* f) noexcept nogil


cdef class KernelRegressorState(State):
    cdef readonly CompiledKernel compiled
    cdef readonly list expansions
    cdef Expansion expansion

    cdef int update(self, const Example* e, double f) noexcept nogil
