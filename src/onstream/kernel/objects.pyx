"""Learners of vectors or, if the kernel is one of strings, trees or graphs, of objects.

Vectors take the common way through the door. An object has no features to be read there: its kernel
values with all supports are computed here, with the GIL, and *are* the example that is learned.
"""

cimport numpy as cnp

import numpy as np

from ..core.classifier cimport ClassifierState
from ..core.door cimport Row
from ..core.example cimport LEARNED, Example
from ..core.regressor cimport RegressorState
from ..core.state cimport NOTHING, Output, State, Task
from .supports cimport Supports

from ..core.plain import in_row, plain_weight
from .supports import prepared_object

cnp.import_array()


cdef class ObjectClassifierState(ClassifierState):
    """A subclass sets `program` and lists, as `stores()`, every set of supports it compares with."""

    cdef int learn_one(self, object x, object y, object w) except -1:
        if self.program.vectors:
            return ClassifierState.learn_one(self, x, y, w)
        return learn_object(self, x, y, w)

    cdef Row* scored(self, object x) except NULL:
        if self.program.vectors:
            return ClassifierState.scored(self, x)
        return score_object(self, x)

    def learn_many(self, X, y, w, Output output):
        if self.program.vectors:
            return ClassifierState.learn_many(self, X, y, w, output)
        return learn_objects(self, X, y, w, output)

    def predict_many(self, X, Output output):
        if self.program.vectors:
            return ClassifierState.predict_many(self, X, output)
        return predict_objects(self, X, output)

    def export(self):
        return {**ClassifierState.export(self), "gamma_width": self.program.width}

    def restore(self, fields):
        ClassifierState.restore(self, fields)
        self.program.restore(fields)


cdef class ObjectRegressorState(RegressorState):
    """The same for numbers: a compiled class has but one base, and this one's is another."""

    cdef int learn_one(self, object x, object y, object w) except -1:
        if self.program.vectors:
            return RegressorState.learn_one(self, x, y, w)
        return learn_object(self, x, y, w)

    cdef Row* scored(self, object x) except NULL:
        if self.program.vectors:
            return RegressorState.scored(self, x)
        return score_object(self, x)

    def learn_many(self, X, y, w, Output output):
        if self.program.vectors:
            return RegressorState.learn_many(self, X, y, w, output)
        return learn_objects(self, X, y, w, output)

    def predict_many(self, X, Output output):
        if self.program.vectors:
            return RegressorState.predict_many(self, X, output)
        return predict_objects(self, X, output)

    def export(self):
        return {**RegressorState.export(self), "gamma_width": self.program.width}

    def restore(self, fields):
        RegressorState.restore(self, fields)
        self.program.restore(fields)


# -- learning ----------------------------------------------------------------------------------------


cdef object object_values(State state, item):
    """[K(x, x), the row of the first store, of the second, ...] of a prepared object."""
    values = [state.program.kernel.self_value(item[1])]
    for store in state.stores():
        values += store.values(item, len(values))
    array = np.array(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{state.who}: the kernel of this example is not finite.")
    return array


cdef void fill(Example* e, object values) noexcept:
    e.ids = NULL
    e.values = <const double*> cnp.PyArray_DATA(<cnp.ndarray> values)
    e.n = cnp.PyArray_SIZE(<cnp.ndarray> values)
    e.peak = 0.0
    e.width = 0


cdef int learn_object(State state, object x, object y, object w) except -1:
    cdef double weight = plain_weight(state.who, w)
    y = state.plain_target(y)
    item = prepared_object(state.program.kernel, state.who, x)
    state.gate.begin_learning()
    try:
        state.gate.begin_write()
        try:
            return learn_prepared(state, item, y, weight, None)
        finally:
            state.gate.end_write()
    finally:
        state.gate.end_learning()


cdef int learn_prepared(State state, item, y, double weight, values) except -1:
    """Learn a prepared object; this thread may write. `values`: its kernel values, if known."""
    cdef Example e
    cdef bint newcomer = False
    cdef list stores = []
    cdef Supports store
    e.weight = weight
    newcomer = state.target(y, weight > 0.0, &e)
    if weight == 0.0:
        return 0
    try:
        if values is None or newcomer:  # a new label may bring machines of its own
            values = object_values(state, item)
        fill(&e, values)
        stores = state.stores()
        for store in stores:
            store.expect()
        if state.learn(&e) != LEARNED:
            raise ValueError(
                f"{state.who}: learning this example would overflow the range of floats. "
                f"Normalise the kernel."
            )
    except:
        for store in stores:
            store.settle(None)  # nothing was placed
        if newcomer:
            state.retract()
        raise
    for store in stores:
        store.settle(item)
    state.seen += 1
    if newcomer:
        state.settle()
    return 0


cdef object learn_objects(State state, X, y, w, Output output):
    """Test each row if an output is wanted, then train; the same as one by one."""
    cdef Task task
    cdef Row* row
    cdef Py_ssize_t i
    items = prepared_objects(state, X)
    weights = None
    if w is not None:
        weights = np.array([plain_weight(state.who, v) for v in w])
        if len(weights) != len(items):
            raise ValueError(f"{state.who}: X has {len(items):,} rows, w has {len(weights):,}.")
    state.gate.begin_learning()
    try:
        targets, newcomers = state.targets(y, len(items), weights)
        names = None
        if targets.dtype == np.int32:
            names = [*state.label_names(), *newcomers]
        answers = state.answers(output, len(items), len(newcomers), &task)
        for i in range(len(items)):
            weight = 1.0 if weights is None else weights[i]
            values = None
            state.gate.begin_write()
            try:
                if output != NOTHING:
                    values = object_values(state, items[i])
                    row = score_values(state, values)
                    state.answer(row.scores, &task, i)
                    state.door.give(row)
                if weight > 0.0:
                    try:
                        target = targets[i] if names is None else names[targets[i]]
                        learn_prepared(state, items[i], target, weight, values)
                    except ValueError as error:
                        raise in_row(error, state.who, i) from None
            finally:
                state.gate.end_write()
        return answers
    finally:
        state.gate.end_learning()


cdef list prepared_objects(State state, X):
    """Every object of a list."""
    kernel = state.program.kernel
    if hasattr(X, "columns") or isinstance(X, (str, bytes, dict)) or not (
        hasattr(X, "__iter__") and hasattr(X, "__len__")
    ):
        raise TypeError(
            f"{state.who}: X must be a list of examples for {kernel!r}, got {type(X).__name__}; "
            f"of a table pass one column."
        )
    items = []
    for i, x in enumerate(X):
        try:
            items.append(prepared_object(kernel, state.who, x))
        except (TypeError, ValueError) as error:
            raise in_row(error, state.who, i) from None
    return items


# -- prediction --------------------------------------------------------------------------------------


cdef Row* score_values(State state, values) except NULL:
    """The scores of an object with these kernel values. The row goes back to the door."""
    cdef Example e
    cdef Row* row = state.door.take(16, 2 * state.outputs() + 2)
    fill(&e, values)
    state.score(&e, row.scores)
    return row


cdef Row* score_object(State state, object x) except NULL:
    item = prepared_object(state.program.kernel, state.who, x)
    state.gate.begin_read()
    try:
        return score_values(state, object_values(state, item))
    finally:
        state.gate.end_read()


cdef object predict_objects(State state, X, Output output):
    cdef Task task
    cdef Row* row
    cdef Py_ssize_t i
    items = prepared_objects(state, X)
    state.gate.begin_read()
    try:
        answers = state.answers(output, len(items), 0, &task)
        for i in range(len(items)):
            row = score_values(state, object_values(state, items[i]))
            state.answer(row.scores, &task, i)
            state.door.give(row)
        return answers
    finally:
        state.gate.end_read()
