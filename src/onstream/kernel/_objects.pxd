from ..core.classifier cimport ClassifierModel
from ..core.regressor cimport RegressorModel


cdef class KernelClassifierModel(ClassifierModel):
    cdef bint vectors  # the kernel is one of vectors


cdef class KernelRegressorModel(RegressorModel):
    cdef bint vectors
