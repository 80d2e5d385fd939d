from ..core.classifier cimport ClassifierModel, ClassifierState
from ..core.regressor cimport RegressorModel
from ..core.state cimport State
from ._supports cimport Program


cdef class ObjectClassifierState(ClassifierState):
    cdef readonly Program program  # the kernel


cdef class ObjectRegressorState(State):
    cdef readonly Program program


cdef class ObjectClassifierModel(ClassifierModel):
    cdef bint vectors  # the kernel is one of vectors


cdef class ObjectRegressorModel(RegressorModel):
    cdef bint vectors
