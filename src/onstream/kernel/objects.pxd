from ..core.classifier cimport ClassifierState
from ..core.regressor cimport RegressorState
from .supports cimport Program


cdef class ObjectClassifierState(ClassifierState):
    cdef readonly Program program  # the kernel


cdef class ObjectRegressorState(RegressorState):
    cdef readonly Program program
