from .state cimport State


cdef class RegressorState(State):
    cdef object predict_one(self, object x)
