"""What a learner of numbers adds."""

cimport numpy as cnp

import numpy as np

from .door cimport Row
from .example cimport Example
from .plain cimport plain_target as plain_number
from .state cimport NOTHING, Output, State, Task
from .plain import plain_targets

cnp.import_array()


cdef class RegressorState(State):
    """A state with a number as target; its score is the prediction."""

    cdef object plain_target(self, object y):
        return plain_number(self.who, y)

    cdef bint target(self, object y, bint welcome, Example* e) except -1:
        e.y = y
        e.label = -1
        return False

    cdef void aim(self, const Task* task, Py_ssize_t i, Example* e) noexcept nogil:
        e.y = task.targets[i]
        e.label = -1

    cdef tuple targets(self, object y, Py_ssize_t rows, object weights):
        return plain_targets(self.who, y, rows), ()

    cdef object answers(self, Output output, Py_ssize_t rows, Py_ssize_t newcomers, Task* task):
        task.output, task.numeric, task.picks, task.columns = output, NULL, NULL, 1
        if output == NOTHING:
            return None
        array = np.zeros(rows)
        task.numeric = <double*> cnp.PyArray_DATA(<cnp.ndarray> array)
        return array

    cdef void answer(self, const double* scores, const Task* task, Py_ssize_t i) noexcept nogil:
        task.numeric[i] = scores[0]

    cdef object predict_one(self, object x):
        cdef Row* row = self.scored(x)
        cdef double prediction = row.scores[0]
        self.entrance.give(row)
        return prediction
