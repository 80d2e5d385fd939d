from .model cimport Model


cdef class RegressorModel(Model):
    pass
