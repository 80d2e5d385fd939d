"""What a learner of labels adds: it meets them, answers with them, and may be promoted."""

cimport cython
cimport numpy as cnp
from libc.stdint cimport int32_t

import numpy as np

from .door cimport Row
from .example cimport LEARNED, Example
from .labels cimport Labels
from .memory cimport release, resize
from .sources cimport Source
from .state cimport LABEL, NOTHING, PROBA, SCORE, Output, State, Task
from .plain import row_error

cnp.import_array()


cdef class ClassifierState(State):
    """A state with labels. With two of them a learner's score is one number, else one per label."""

    def __cinit__(self, str who, hash_bits=None, hash_seed=0, max_labels=10_000, *args, **kwargs):
        self.labels = Labels(who, max_labels)
        self.first_sign = -1.0
        self.share = 0.5

    cdef int set_labels(self, Py_ssize_t n) except -1:
        """There are n labels now: make room. From 2 to 3 the learner is promoted, and back.

        The way back takes no memory, and there is one from a way forth that ended halfway.
        """
        return 0

    cdef void link(self, const double* scores, double* out) noexcept nogil:
        """From scores to probabilities (only learners that have them)."""

    cdef int32_t decide(self, const double* scores) noexcept nogil:
        """Number of the label that the scores speak for; -1 before any example."""
        cdef int32_t k = self.n_labels, r, best = 0
        if self.seen == 0:
            return -1
        if k <= 2:
            return self.binary_choice(scores[0])
        for r in range(1, k):
            if scores[r] > scores[best]:
                best = r
        return best

    @cython.final
    cdef int32_t binary_choice(self, double score) noexcept nogil:
        if self.n_labels < 2:
            return 0
        return 0 if (score >= 0.0) == (self.first_sign > 0.0) else 1

    cdef object plain_target(self, object y):
        return self.labels.plain(y)

    cdef bint target(self, object y, bint welcome, Example* e) except -1:
        cdef int32_t number = self.labels.find(y)
        cdef bint newcomer = number < 0 and welcome
        if newcomer:
            number = self.n_labels
            self.add_label(y)
        e.label = number
        e.y = self.first_sign if number == 0 else -self.first_sign
        return newcomer

    cdef int add_label(self, object y) except -1:
        self.labels.append(y)
        self.n_labels += 1
        self.first_sign = self.labels.sign(0)
        try:
            self.set_labels(self.n_labels)
        except:
            self.forget_label()
            self.set_labels(self.n_labels)  # back from halfway, which needs no memory
            raise
        return 0

    cdef int forget_label(self) except -1:
        self.labels.pop()
        self.n_labels -= 1
        self.first_sign = self.labels.sign(0)
        return 0

    cdef int retract(self) except -1:
        self.set_labels(self.n_labels - 1)
        return self.forget_label()

    cdef object backup(self):
        return State.backup(self), self.n_labels

    cdef int reinstate(self, object saved) except -1:
        State.reinstate(self, saved[0])
        if self.n_labels > saved[1]:
            while self.n_labels > saved[1]:
                self.forget_label()
            self.labels.compact()
        return 0

    cdef void aim(self, const Task* task, Py_ssize_t i, Example* e) noexcept nogil:
        e.label = task.numbers[i]
        e.y = self.first_sign if e.label == 0 else -self.first_sign

    cdef tuple targets(self, object y, Py_ssize_t rows, object weights):
        return self.labels.encode(y, rows, weights)

    cdef Py_ssize_t next_newcomer(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept:
        cdef Py_ssize_t i
        for i in range(start, stop):
            if task.numbers[i] >= self.n_labels:
                return i
        return stop

    cdef int meet(self, Source source, Py_ssize_t i, object label, Task* task) except -1:
        """Row i, the first with this label: answer, make the label known, learn."""
        cdef Example e
        cdef double* scratch
        if self.scripted:
            self.prepare(1)
        self.load(source, i, i + 1)
        self.gate.begin_write()
        try:
            e.codes = NULL
            source.row(i, &e)
            e.weight = task.weights[i] if task.weights != NULL else 1.0
            if task.output != NOTHING:
                self.outer_reserve(self.entrance.width)
                scratch = <double*> resize(NULL, 0, self.outputs() * sizeof(double))
                self.score_known(&e, self.entrance.width, scratch)
                self.answer(scratch, task, i)
                release(scratch)
            try:
                self.add_label(label)
            except ValueError as error:
                told = str(error).removeprefix(f"{self.who}: ")
                raise row_error(ValueError, self.who, i, f"{told} The rows before it were learned.") from None
            try:
                self.outer_reserve(e.width)
                self.aim(task, i, &e)
                if self.outer_learn(&e) != LEARNED:
                    raise row_error(
                        ValueError, self.who, i,
                        "learning this example would overflow the range of floats. The rows before "
                        "it were learned. Scale the features, or learn in smaller steps."
                    )
            except:
                self.retract()
                raise
            self.seen += 1
            self.settle()
            self.entrance.commit(max(self.entrance.width, e.width), i)
            if source.array_columns >= 0:
                self.entrance.columns = source.array_columns
        finally:
            self.gate.end_write()
        return 0

    cdef object answers(self, Output output, Py_ssize_t rows, Py_ssize_t newcomers, Task* task):
        cdef Py_ssize_t k = self.n_labels + newcomers
        task.output, task.numeric, task.picks, task.columns = output, NULL, NULL, 0
        if output == NOTHING:
            return None
        if output == LABEL:
            array = np.full(rows, -1, dtype=np.int32)
            task.picks = <int32_t*> cnp.PyArray_DATA(<cnp.ndarray> array)
            return array
        task.columns = k if output == PROBA or k > 2 else 1
        array = np.full((rows, task.columns), 0.0 if output == PROBA else np.nan)
        if output == SCORE and k <= 2:
            array = array[:, 0]
        task.numeric = <double*> cnp.PyArray_DATA(<cnp.ndarray> array)
        return array

    cdef void answer(self, const double* scores, const Task* task, Py_ssize_t i) noexcept nogil:
        cdef double* out = task.numeric + i * task.columns
        cdef Py_ssize_t k = self.n_labels if self.n_labels > 2 else 1, r
        if task.output == LABEL:
            task.picks[i] = self.decide(scores)
        elif task.output == PROBA:
            self.probabilities(scores, out)
        elif k == 1 and task.columns > 1:  # more labels were to come: show it as promotion would
            if self.n_labels > 0:
                out[0] = self.share * self.first_sign * scores[0]
            if self.n_labels > 1:
                out[1] = -self.share * self.first_sign * scores[0]
        else:
            for r in range(k):
                out[r] = scores[r]

    cdef void probabilities(self, const double* scores, double* out) noexcept nogil:
        """One probability per known label."""
        if self.n_labels == 1:
            out[0] = 1.0
        elif self.n_labels > 1:
            self.link(scores, out)

    # -- for the face ------------------------------------------------------------------------------------

    def plain_labels(self, labels):
        """Labels to be declared, as Python's own objects."""
        if isinstance(labels, (str, bytes)) or not hasattr(labels, "__iter__"):
            raise TypeError(f"{self.who}: labels must be a list of labels, got {labels!r:.80}.")
        return [self.labels.plain(label) for label in labels]

    def declare(self, labels):
        """Labels known before any example."""
        self.labels.declare(labels)
        self.first_sign = self.labels.sign(0)
        while self.n_labels < len(self.labels):
            self.n_labels += 1
            self.set_labels(self.n_labels)
        self.settle()

    def label_names(self):
        return list(self.labels.names)

    def decode(self, numbers):
        return self.labels.decode(numbers)

    cdef object predict_one(self, object x):
        cdef Row* row = self.scored(x)
        cdef int32_t choice = self.decide(row.scores)
        self.entrance.give(row)
        return None if choice < 0 or choice >= self.n_labels else self.labels.names[choice]

    cdef object scores_one(self, object x):
        cdef Row* row = self.scored(x)
        try:
            if self.outputs() == 1:
                return row.scores[0]
            return {name: row.scores[r] for r, name in enumerate(self.labels.names)}
        finally:
            self.entrance.give(row)

    cdef object proba_one(self, object x):
        cdef Row* row = self.scored(x)
        cdef double* out = row.scores + self.outputs()
        try:
            self.probabilities(row.scores, out)
            return {name: out[r] for r, name in enumerate(self.labels.names)}
        finally:
            self.entrance.give(row)

    def export(self):
        return {**State.export(self), "labels": list(self.labels.names)}

    def restore(self, fields):
        State.restore(self, fields)
        self.declare(fields.names("labels", (bool, int, str)))

    def memory(self):
        return State.memory(self) + self.labels.memory()
