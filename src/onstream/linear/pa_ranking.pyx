"""What passive-aggressive learners of rankings keep: rows per label, or one weight vector."""

cimport numpy as cnp
from cpython.pythread cimport PyThread_get_thread_ident
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

import numpy as np

from ..core.classifier cimport ClassifierState
from ..core.door cimport Row
from ..core.example cimport LEARNED, OVERFLOW, Example, sqnorm
from ..core.labels cimport Labels
from ..core.memory cimport release, resize
from ..core.sources cimport Source
from ..core.state cimport NOTHING, SCORE, Output, Task
from ..core.weights cimport add, add_pair
from .pa_step cimport Step, step_of
from .state cimport LinearClassifierState, LinearRegressorState, restore_weights

from ..core.plain import in_row
from .label_sets import label_set, label_sets

cnp.import_array()


cdef class MarginState(LinearRegressorState):
    """Weights w that were asked for w.x >= y, y by y; with a passive-aggressive step each time."""

    cdef double C
    cdef Step step  # from loss and squared length to the step

    def set_parameters(self, str variant, double C):
        self.C, self.step = C, step_of(variant)

    cdef int update(self, const Example* e, double value) noexcept nogil:
        cdef double loss = e.y - value, norm
        if loss <= 0.0:
            return LEARNED
        norm = sqnorm(e)
        if not norm < INFINITY:
            return OVERFLOW
        if norm == 0.0:
            return LEARNED
        return add(self.w, e, self.step(loss, norm, self.C * e.weight), 1.0)

    def satisfy(self, x, margin, w):
        """Learn that w.x should be at least `margin`."""
        self.learn_one(x, margin, w)

    def value(self, x):
        """w.x"""
        return self.predict_one(x)


cdef class MultilabelState(LinearClassifierState):
    """One row of weights per label, from the first label on."""

    cdef double C
    cdef Step step             # from loss and squared length to the step
    cdef int32_t* members      # the relevant labels of the example being learned
    cdef Py_ssize_t n_members
    cdef Py_ssize_t room       # members that fit
    cdef char* relevant        # a flag per label, all 0 between examples
    cdef Py_ssize_t added      # labels that the example has brought
    cdef object offsets        # of a block: where the labels of row i begin in `numbers`
    cdef object numbers        # of a block: numbers of all its labels
    cdef Py_ssize_t coming     # labels that the block will bring
    cdef long teacher          # the thread whose block it is

    def __cinit__(self, *args):
        self.members = <int32_t*> resize(NULL, 0, sizeof(int32_t))
        self.relevant = <char*> resize(NULL, 0, 1)
        self.n_members = self.added = self.coming = self.teacher = 0
        self.room = 1

    def __dealloc__(self):
        release(self.members)
        release(self.relevant)

    def set_parameters(self, str variant, double C):
        self.C, self.step = C, step_of(variant)

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double norm = sqnorm(e) + self.w.intercept, loss
        cdef Py_ssize_t i
        cdef int32_t r = -1, q = -1, label
        if not norm < INFINITY:
            return OVERFLOW
        for i in range(self.n_members):
            self.relevant[self.members[i]] = 1
        for label in range(self.n_labels):  # the worst of the relevant labels, the best of others
            if self.relevant[label]:
                r = label if r < 0 or f[label] < f[r] else r
            else:
                q = label if q < 0 or f[label] > f[q] else q
        for i in range(self.n_members):
            self.relevant[self.members[i]] = 0
        if r < 0 or q < 0 or norm == 0.0:
            return LEARNED
        loss = 1.0 - (f[r] - f[q])
        if loss <= 0.0:
            return LEARNED
        return add_pair(self.w, e, r, q, self.step(loss, 2.0 * norm, self.C * e.weight), 1.0)

    cdef int set_labels(self, Py_ssize_t n) except -1:
        if n > self.room_labels:
            self.f = <double*> resize(self.f, 0, n * sizeof(double))
            self.steps = <double*> resize(self.steps, 0, n * sizeof(double))
            self.relevant = <char*> resize(self.relevant, 0, n)
            self.room_labels = n
        return self.w.set_columns(max(1, n))

    # -- one set ------------------------------------------------------------------------------------

    cdef object plain_target(self, object y):
        """A list of plain labels without repeats; those of a set in their own order."""
        y = label_set(self.who, y)
        plain = list(dict.fromkeys([self.labels.plain(label) for label in y]))
        kinds = sorted({type(label).__name__ for label in plain})
        if len(kinds) > 1:
            raise TypeError(f"{self.who}: y mixes labels of the types {' and '.join(kinds)}.")
        return sorted(plain) if isinstance(y, (set, frozenset)) else plain

    def plain_set(self, y):
        return self.plain_target(y)

    def new_labels(self, labels):
        """Those of the plain labels that are not known; an error if one may not become so."""
        cdef Labels known = self.later_labels()
        fresh = []
        for label in labels:
            if known.find(label) < 0:
                known.append(label)
                fresh.append(label)
        return fresh

    cdef Labels later_labels(self):
        """A copy of the labels, to try out what will be known."""
        cdef Labels known = Labels(self.who, self.labels.limit)
        known.names, known.numbers = list(self.labels.names), dict(self.labels.numbers)
        return known

    cdef int hold(self, Py_ssize_t n) except -1:
        """Room for n members."""
        if n > self.room:
            self.members = <int32_t*> resize(self.members, 0, n * sizeof(int32_t))
            self.room = n
        return 0

    cdef bint target(self, object y, bint welcome, Example* e) except -1:
        cdef int32_t number
        self.added = self.n_members = 0
        self.hold(len(y))
        e.label, e.y = -1, 0.0
        try:
            for label in y:
                number = self.labels.find(label)
                if number < 0 and welcome:
                    number = self.n_labels
                    ClassifierState.add_label(self, label)
                    self.added += 1
                if number >= 0:
                    self.members[self.n_members] = number
                    self.n_members += 1
        except:
            self.retract()
            raise
        return self.added > 0

    cdef int add_label(self, object y) except -1:
        """All the labels that a row of a block has brought."""
        self.added = 0
        try:
            for label in y:
                ClassifierState.add_label(self, label)
                self.added += 1
        except:
            self.retract()
            raise
        return 0

    cdef int retract(self) except -1:
        while self.added > 0:
            self.set_labels(self.n_labels - 1)
            self.forget_label()
            self.added -= 1
        return 0

    # -- many sets ----------------------------------------------------------------------------------

    cdef tuple targets(self, object y, Py_ssize_t rows, object weights):
        """The rows' own numbers, and each row's new labels; the sets go into `numbers`."""
        cdef Labels known = self.later_labels()
        cdef int32_t number
        sets = label_sets(self.who, y)
        if len(sets) != rows:
            raise ValueError(f"{self.who}: X has {rows:,} rows, y has {len(sets):,}.")
        offsets, numbers, newcomers = [0], [], []
        for i, members in enumerate(sets):
            fresh = []
            try:
                for label in self.plain_target(members):
                    number = known.find(label)
                    if number < 0 and (weights is None or weights[i] > 0.0):
                        number = <int32_t> len(known.names)
                        known.append(label)
                        fresh.append(label)
                    numbers.append(number)
            except (TypeError, ValueError) as error:
                raise in_row(error, self.who, i) from None
            if fresh:
                newcomers.append(fresh)
            self.hold(len(numbers) - offsets[-1])
            offsets.append(len(numbers))
        self.coming = len(known.names) - self.n_labels
        self.teacher = PyThread_get_thread_ident()
        self.offsets = np.array(offsets, dtype=np.int64)
        self.numbers = np.array(numbers, dtype=np.int32)
        return np.arange(rows, dtype=np.int32), newcomers

    cdef Py_ssize_t run(self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, double* scratch) noexcept nogil:
        return ClassifierState.run(self, source, start, stop, task, scratch)  # even with one label

    cdef void aim(self, const Task* task, Py_ssize_t i, Example* e) noexcept nogil:
        cdef const int64_t* offsets = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> self.offsets)
        cdef const int32_t* numbers = <const int32_t*> cnp.PyArray_DATA(<cnp.ndarray> self.numbers)
        cdef int64_t at
        self.n_members = 0
        e.label, e.y = -1, 0.0
        for at in range(offsets[i], offsets[i + 1]):
            self.members[self.n_members] = numbers[at]
            self.n_members += 1

    cdef Py_ssize_t next_newcomer(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept:
        cdef const int64_t* offsets = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> self.offsets)
        cdef const int32_t* numbers = <const int32_t*> cnp.PyArray_DATA(<cnp.ndarray> self.numbers)
        cdef Py_ssize_t i
        cdef int64_t at
        for i in range(start, stop):
            for at in range(offsets[i], offsets[i + 1]):
                if numbers[at] >= self.n_labels:
                    return i
        return stop

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        return LinearClassifierState.expect_labels(self, self.coming if more else 0)

    cdef object answers(self, Output output, Py_ssize_t rows, Py_ssize_t newcomers, Task* task):
        task.output, task.numeric, task.picks = output, NULL, NULL
        task.columns = self.n_labels + (self.coming if newcomers else 0)
        if output == NOTHING:
            return None
        array = np.full((rows, task.columns), np.nan)
        task.numeric = <double*> cnp.PyArray_DATA(<cnp.ndarray> array)
        return array

    cdef void answer(self, const double* scores, const Task* task, Py_ssize_t i) noexcept nogil:
        cdef int32_t r
        for r in range(self.n_labels):
            task.numeric[i * task.columns + r] = scores[r]

    # -- for the face ---------------------------------------------------------------------------------

    def teach(self, x, y, w):
        self.learn_one(x, y, w)

    def tell(self, x):
        cdef Row* row = self.scored(x)
        try:
            return {name: row.scores[r] for r, name in enumerate(self.labels.names)}
        finally:
            self.door.give(row)

    def teach_many(self, X, y, w, bint asked):
        try:
            return self.learn_many(X, y, w, SCORE if asked else NOTHING)
        finally:
            if self.teacher == PyThread_get_thread_ident():  # else another thread's block is learned now
                self.offsets = self.numbers = None

    def tell_many(self, X):
        return self.predict_many(X, SCORE)

    def restore(self, fields):
        ClassifierState.restore(self, fields)
        restore_weights(self.w, fields, self.door.width, max(1, self.n_labels))

    def memory(self):
        return LinearClassifierState.memory(self) + 4 * self.room + max(1, self.n_labels)
