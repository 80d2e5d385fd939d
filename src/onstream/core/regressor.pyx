"""What a learner of numbers adds."""

from .example cimport Example
from .batch cimport BatchModel
from .coerce cimport coerce_target as coerce_number
from .coerce import coerce_targets


cdef class RegressorModel(BatchModel):
    """A model with a number as target; its score is the prediction."""

    cdef object coerce_target(self, object y):
        return coerce_number(self.who, y)

    cdef bint encode_target(self, object y, bint may_add, Example* e) except -1:
        e.y = y
        e.label = -1
        return False

    cdef tuple encode_targets(self, object y, Py_ssize_t rows, object weights):
        return coerce_targets(self.who, y, rows), ()
