"""Passive-aggressive learning of sets of labels (Crammer et al., JMLR 7, 2006, section 7): a column
of weights for each label."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

import numpy as np

from ...core.arrays cimport doubles, int32s, int64s
from ...core.classifier cimport ClassifierModel
from ...core.encoder cimport RowBuffer
from ...core.example cimport LEARNED, OVERFLOW, Example, sqnorm
from ...core.labels cimport Labels
from ...core.memory cimport release, resize
from ...core.model cimport Model
from ...core.rules.pa cimport StepSize, step_size
from ...core.task cimport NOTHING, Output, Task
from ...core.weights cimport add_pair
from .._state cimport LinearClassifierState, restored_weights

from ...core.coerce import in_row
from .label_sets import label_set, label_sets


cdef class MultilabelState(LinearClassifierState):
    """One column of weights per label, from the first label on."""

    cdef double C
    cdef StepSize step
    cdef int32_t* members      # the relevant labels of the example being learned
    cdef Py_ssize_t n_members
    cdef Py_ssize_t room       # members that fit
    cdef char* relevant        # a flag per label, all 0 between examples

    def __cinit__(self, *parameters):
        self.members = <int32_t*> resize(NULL, 0, sizeof(int32_t))
        self.relevant = <char*> resize(NULL, 0, 1)
        self.room = 1
        self.runs = False  # that loop is for one label per example

    def __init__(self, bint intercept, str variant, double C):
        self.C = C
        self.step = step_size(variant)

    def __dealloc__(self):
        release(self.members)
        release(self.relevant)

    cdef int hold(self, Py_ssize_t n) except -1:
        """Make room for n members."""
        if n > self.room:
            self.members = <int32_t*> resize(self.members, 0, n * sizeof(int32_t))
            self.room = n
        return 0

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double norm = sqnorm(e) + self.w.intercept, loss
        cdef Py_ssize_t i
        cdef int32_t r = -1, q = -1, label
        if not norm < INFINITY:
            return OVERFLOW
        # The worst-scored relevant label r and the best-scored other one q.
        for i in range(self.n_members):
            self.relevant[self.members[i]] = 1
        for label in range(self.n_labels):
            if self.relevant[label]:
                r = label if r < 0 or f[label] < f[r] else r
            else:
                q = label if q < 0 or f[label] > f[q] else q
        for i in range(self.n_members):
            self.relevant[self.members[i]] = 0
        if r < 0 or q < 0 or norm == 0.0:
            return LEARNED
        # r should be above q by 1; both move, so the squared length counts twice.
        loss = 1.0 - (f[r] - f[q])
        if loss <= 0.0:
            return LEARNED
        return add_pair(self.w, e, r, q, self.step(loss, 2.0 * norm, self.C * e.weight), 1.0)

    cdef int set_labels(self, Py_ssize_t n) except -1:
        if n > self.room_labels:
            self.relevant = <char*> resize(self.relevant, 0, n)
        self.reserve_labels(n)
        return self.w.set_columns(max(1, n))

    def restore_own(self, fields):
        self.w = restored_weights(self.w, fields, self.features.width, max(1, self.n_labels))

    def memory(self):
        return LinearClassifierState.memory(self) + 4 * self.room + max(1, self.n_labels)


cdef class MultilabelModel(ClassifierModel):
    """A model whose targets are sets of labels."""

    cdef MultilabelState sets    # the state, as what it is
    cdef Py_ssize_t added        # new labels of the present example
    # Of the present block:
    cdef object arrays           # the two arrays that the next fields point into
    cdef const int64_t* offsets  # where the labels of row i begin in `numbers`
    cdef const int32_t* numbers  # numbers of all labels
    cdef Py_ssize_t coming       # how many labels it adds

    def __cinit__(self, str who, MultilabelState state, **options):
        self.sets = state

    cdef int adopt(self, Model other) except -1:
        self.sets = (<MultilabelModel?> other).sets
        return ClassifierModel.adopt(self, other)

    # -- one set ------------------------------------------------------------------------------------

    cdef object coerce_target(self, object y):
        """A list of plain labels without repeats; a set is sorted."""
        y = label_set(self.who, y)
        plain = list(dict.fromkeys([self.labels.coerce(label) for label in y]))
        kinds = sorted({type(label).__name__ for label in plain})
        if len(kinds) > 1:
            raise TypeError(f"{self.who}: y mixes labels of the types {' and '.join(kinds)}.")
        return sorted(plain) if isinstance(y, (set, frozenset)) else plain

    def coerce_set(self, y):
        """The same, for Python."""
        return self.coerce_target(y)

    def new_labels(self, labels):
        """Those of the plain labels that are not known; an error if one may not be added."""
        cdef Labels known = self.copied_labels()
        fresh = []
        for label in labels:
            if known.find(label) < 0:
                known.append(label)
                fresh.append(label)
        return fresh

    cdef Labels copied_labels(self):
        """A copy, to which labels can be added on trial."""
        cdef Labels known = Labels(self.who, self.labels.limit)
        known.names, known.numbers = list(self.labels.names), dict(self.labels.numbers)
        return known

    cdef bint encode_target(self, object y, bint may_add, Example* e) except -1:
        cdef int32_t number
        self.added = self.sets.n_members = 0
        self.sets.hold(len(y))
        e.label, e.y = -1, 0.0
        try:
            for label in y:
                number = self.labels.find(label)
                if number < 0 and may_add:
                    number = self.sets.n_labels
                    ClassifierModel.add_label(self, label)
                    self.added += 1
                if number >= 0:
                    self.sets.members[self.sets.n_members] = number
                    self.sets.n_members += 1
        except:
            self.rollback_label()
            raise
        return self.added > 0

    cdef int add_label(self, object y) except -1:
        """Add all new labels of a row of a block."""
        self.added = 0
        try:
            for label in y:
                ClassifierModel.add_label(self, label)
                self.added += 1
        except:
            self.rollback_label()
            raise
        return 0

    cdef int rollback_label(self) except -1:
        while self.added > 0:
            self.sets.set_labels(self.sets.n_labels - 1)
            self.forget_label()
            self.added -= 1
        return 0

    # -- many sets ----------------------------------------------------------------------------------

    cdef tuple encode_targets(self, object y, Py_ssize_t rows, object weights):
        """Row numbers, and the new labels of each row that has some; the sets go into `numbers`."""
        cdef Labels known = self.copied_labels()
        cdef int32_t number
        sets = label_sets(self.who, y)
        if len(sets) != rows:
            raise ValueError(f"{self.who}: X has {rows:,} rows, y has {len(sets):,}.")
        offsets, numbers, new_labels = [0], [], []
        for i, members in enumerate(sets):
            added = []
            try:
                for label in self.coerce_target(members):
                    number = known.find(label)
                    if number < 0 and (weights is None or weights[i] > 0.0):
                        number = <int32_t> len(known.names)
                        known.append(label)
                        added.append(label)
                    numbers.append(number)
            except (TypeError, ValueError) as error:
                raise in_row(error, self.who, i) from None
            if added:
                new_labels.append(added)
            self.sets.hold(len(numbers) - offsets[-1])
            offsets.append(len(numbers))
        self.coming = len(known.names) - self.sets.n_labels
        self.arrays = np.array(offsets, dtype=np.int64), np.array(numbers, dtype=np.int32)
        self.offsets, self.numbers = int64s(self.arrays[0]), int32s(self.arrays[1])
        return np.arange(rows, dtype=np.int32), new_labels

    cdef void set_target(self, const Task* task, Py_ssize_t i, Example* e) noexcept nogil:
        cdef int64_t at
        self.sets.n_members = 0
        e.label, e.y = -1, 0.0
        for at in range(self.offsets[i], self.offsets[i + 1]):
            self.sets.members[self.sets.n_members] = self.numbers[at]
            self.sets.n_members += 1

    cdef Py_ssize_t next_new_label(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept:
        cdef Py_ssize_t i
        cdef int64_t at
        for i in range(start, stop):
            for at in range(self.offsets[i], self.offsets[i + 1]):
                if self.numbers[at] >= self.sets.n_labels:
                    return i
        return stop

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        return self.sets.expect_labels(self.coming if more else 0)

    cdef object allocate_outputs(self, Output output, Py_ssize_t rows, Py_ssize_t new_labels, Task* task):
        task.output, task.numeric, task.picks = output, NULL, NULL
        task.columns = self.sets.n_labels + (self.coming if new_labels else 0)
        if output == NOTHING:
            return None
        array = np.full((rows, task.columns), np.nan)
        task.numeric = doubles(array)
        return array

    cdef void write_output(self, const double* scores, const Task* task, Py_ssize_t i) noexcept nogil:
        cdef int32_t r
        for r in range(self.sets.n_labels):
            task.numeric[i * task.columns + r] = scores[r]

    cdef object decode_outputs(self, Output output, object scores):
        return scores

    cdef int end_block(self) except -1:
        self.arrays, self.offsets, self.numbers = None, NULL, NULL
        return 0

    cpdef object scores_one(self, object x):
        """The score of every label."""
        cdef RowBuffer* row = self.scored(x)
        try:
            return {name: row.scores[r] for r, name in enumerate(self.labels.names)}
        finally:
            self.encoder.release_row(row)
