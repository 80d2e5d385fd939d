"""What a learner of numbers adds."""

from .example cimport Example
from .model cimport Model
from .plain cimport plain_target as plain_number
from .plain import plain_targets


cdef class RegressorModel(Model):
    """A model with a number as target; its score is the prediction."""

    cdef object plain_target(self, object y):
        return plain_number(self.who, y)

    cdef bint target(self, object y, bint welcome, Example* e) except -1:
        e.y = y
        e.label = -1
        return False

    cdef tuple targets(self, object y, Py_ssize_t rows, object weights):
        return plain_targets(self.who, y, rows), ()
