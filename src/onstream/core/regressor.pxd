from .batch cimport BatchModel


cdef class RegressorModel(BatchModel):
    pass
