"""Models of objects: their kernel is one of strings, trees, graphs or pairs.

An object has no features to be encoded: its kernel values with all supports are computed here, with
the GIL, and *are* the example that is learned.
"""

import numpy as np

from ..core.arrays cimport doubles
from ..core.classifier cimport ClassifierModel
from ..core.encoder cimport RowBuffer
from ..core.example cimport LEARNED, NO_MEMORY, Example
from ..core.batch cimport BatchModel
from ..core.regressor cimport RegressorModel
from ..core.state cimport State
from ..core.task cimport NOTHING, Output, Task
from ._supports cimport Supports

from ..core.coerce import coerce_weight, in_row
from .kernels.forms import prepared_object


cdef class ObjectClassifierModel(ClassifierModel):
    cpdef int learn_one(self, object x, object y, object w) except -1:
        return learn_object(self, x, y, w)

    cdef RowBuffer* scored(self, object x) except NULL:
        return score_object(self, x)

    def learn_many(self, X, y, w, Output output=NOTHING):
        return learn_objects(self, X, y, w, output)

    def predict_many(self, X, Output output):
        return predict_objects(self, X, output)


cdef class ObjectRegressorModel(RegressorModel):
    """The same for numbers: written again, since an extension type has a single base class."""

    cpdef int learn_one(self, object x, object y, object w) except -1:
        return learn_object(self, x, y, w)

    cdef RowBuffer* scored(self, object x) except NULL:
        return score_object(self, x)

    def learn_many(self, X, y, w, Output output=NOTHING):
        return learn_objects(self, X, y, w, output)

    def predict_many(self, X, Output output):
        return predict_objects(self, X, output)


# -- learning ----------------------------------------------------------------------------------------


cdef list stores(State state):
    """Every set of supports that an example is compared with."""
    return [store for expansion in state.expansions for store in expansion.stores()]


cdef object object_values(State state, item):
    """[K(x, x), the row of the first store, of the second, ...] of a prepared object."""
    values = [state.compiled.kernel.self_value(item[1])]
    for store in stores(state):
        values += store.values(item, len(values))
    array = np.array(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{state.who}: the kernel of this example is not finite.")
    return array


cdef void fill(Example* e, object values) noexcept:
    e.ids = NULL
    e.values = doubles(values)
    e.n = len(values)
    e.peak = 0.0
    e.width = 0


cdef int learn_object(BatchModel model, object x, object y, object w) except -1:
    cdef double weight = coerce_weight(model.who, w)
    y = model.coerce_target(y)
    item = prepared_object(model.state.compiled.kernel, model.who, x)
    model.lock.acquire_learner()
    try:
        model.lock.acquire_write()
        try:
            return learn_prepared(model, item, y, weight, None)
        finally:
            model.lock.release_write()
    finally:
        model.lock.release_learner()


cdef int learn_prepared(BatchModel model, item, y, double weight, values) except -1:
    """Learn a prepared object; this thread may write. `values`: its kernel values, if known."""
    cdef Example e
    cdef bint new_label = False
    cdef list places = []
    cdef Supports store
    cdef State state = model.state
    cdef int status
    e.weight = weight
    new_label = model.encode_target(y, weight > 0.0, &e)
    if weight == 0.0:
        return 0
    try:
        if values is None or new_label:  # a new label may bring machines of its own
            values = object_values(state, item)
        fill(&e, values)
        places = stores(state)
        for store in places:
            store.reserve_object()
        status = state.learn(&e)
        if status == NO_MEMORY:
            raise MemoryError(f"{state.who}: no memory to learn this example; it was not learned.")
        if status != LEARNED:
            raise ValueError(
                f"{state.who}: learning this example would overflow the range of floats. "
                f"Normalise the kernel."
            )
    except:
        for store in places:
            store.store_object(None)  # nothing was placed
        if new_label:
            model.rollback_label()
        raise
    for store in places:
        store.store_object(item)
    state.seen += 1
    if new_label:
        model.commit_label()
    return 0


cdef object learn_objects(BatchModel model, X, y, w, Output output):
    """Test each row if an output is wanted, then train; the same as one by one."""
    cdef Task task
    cdef RowBuffer* row
    cdef Py_ssize_t i
    items = prepared_objects(model, X)
    weights = None
    if w is not None:
        weights = np.array([coerce_weight(model.who, v) for v in w])
        if len(weights) != len(items):
            raise ValueError(f"{model.who}: X has {len(items):,} rows, w has {len(weights):,}.")
    model.lock.acquire_learner()
    try:
        targets, new_labels = model.encode_targets(y, len(items), weights)
        names = None
        if targets.dtype == np.int32:
            names = [*model.label_names(), *new_labels]
        answers = model.allocate_outputs(output, len(items), len(new_labels), &task)
        for i in range(len(items)):
            weight = 1.0 if weights is None else weights[i]
            values = None
            model.lock.acquire_write()
            try:
                if output != NOTHING:
                    values = object_values(model.state, items[i])
                    row = score_values(model, values)
                    model.write_output(row.scores, &task, i)
                    model.encoder.release_row(row)
                if weight > 0.0:
                    try:
                        target = targets[i] if names is None else names[targets[i]]
                        learn_prepared(model, items[i], target, weight, values)
                    except ValueError as error:
                        raise in_row(error, model.who, i) from None
            finally:
                model.lock.release_write()
        return model.decode_outputs(output, answers)
    finally:
        model.lock.release_learner()


cdef list prepared_objects(BatchModel model, X):
    """Every object of a list."""
    kernel = model.state.compiled.kernel
    if hasattr(X, "columns") or isinstance(X, (str, bytes, dict)) or not (
        hasattr(X, "__iter__") and hasattr(X, "__len__")
    ):
        raise TypeError(
            f"{model.who}: X must be a list of examples for {kernel!r}, got {type(X).__name__}; "
            f"of a table pass one column."
        )
    items = []
    for i, x in enumerate(X):
        try:
            items.append(prepared_object(kernel, model.who, x))
        except (TypeError, ValueError) as error:
            raise in_row(error, model.who, i) from None
    return items


# -- prediction --------------------------------------------------------------------------------------


cdef RowBuffer* score_values(BatchModel model, values) except NULL:
    """The scores of an object with these kernel values. The row goes back to the encoder."""
    cdef Example e
    cdef RowBuffer* row = model.encoder.acquire_row(16, 2 * model.state.outputs() + 2)
    fill(&e, values)
    if model.state.score(&e, row.scores) != LEARNED:
        model.encoder.release_row(row)
        raise MemoryError(f"{model.who}: no memory to predict this example.")
    return row


cdef RowBuffer* score_object(BatchModel model, object x) except NULL:
    item = prepared_object(model.state.compiled.kernel, model.who, x)
    model.lock.acquire_read()
    try:
        return score_values(model, object_values(model.state, item))
    finally:
        model.lock.release_read()


cdef object predict_objects(BatchModel model, X, Output output):
    cdef Task task
    cdef RowBuffer* row
    cdef Py_ssize_t i
    items = prepared_objects(model, X)
    model.lock.acquire_read()
    try:
        answers = model.allocate_outputs(output, len(items), 0, &task)
        for i in range(len(items)):
            row = score_values(model, object_values(model.state, items[i]))
            model.write_output(row.scores, &task, i)
            model.encoder.release_row(row)
        return model.decode_outputs(output, answers)
    finally:
        model.lock.release_read()
