"""What a learner of labels adds: labels that may come at any time, and outputs in their terms."""

cimport cython
cimport numpy as cnp
from libc.stdint cimport int32_t

import numpy as np

from .arrays cimport doubles, int32s
from .encoder cimport RowBuffer
from .example cimport LEARNED, OVERFLOW, Example
from .labels cimport Labels
from .memory cimport release, resize
from .batch cimport BatchModel, refused_block_row
from .model cimport Model
from .sources cimport Source
from .state cimport State
from .task cimport LABEL, NOTHING, PROBA, SCORE, Output, Task
from .coerce import refused_row, row_error

cnp.import_array()


cdef class ClassifierState(State):
    """A state with labels. Up to two labels its score is one number, beyond one per label."""

    def __cinit__(self, *args, **kwargs):
        self.first_sign = -1.0
        self.share = 0.5

    cdef int set_labels(self, Py_ssize_t n) except -1:
        """Make room for n labels. From 2 to 3 the learner is promoted, from 3 to 2 demoted.

        Demotion never allocates, and also works after a promotion that failed half-way.
        """
        return 0

    cdef int check_label(self, object y) except -1:
        """Refuse a new label, if there is no room for it."""
        return 0

    cdef int commit_label(self) except -1:
        """Keep the last label: release what demotion would have needed."""
        return 0

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        """`more` new labels are about to come; 0: no longer."""
        return 0

    cdef void link(self, const double* scores, double* out) noexcept nogil:
        """From scores to probabilities (only learners that have them)."""

    cdef int32_t decide(self, const double* scores) noexcept nogil:
        """Number of the label with the best score; -1 before any example."""
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


cdef class ClassifierModel(BatchModel):
    """A model with labels."""

    def __cinit__(self, str who, ClassifierState state, *, max_labels=10_000, **options):
        self.labels = state.labels = Labels(who, max_labels)
        self.classes = state

    # -- one label ----------------------------------------------------------------------------------

    cdef object coerce_target(self, object y):
        return self.labels.coerce(y)

    cdef bint encode_target(self, object y, bint may_add, Example* e) except -1:
        cdef int32_t number = self.labels.find(y)
        cdef bint new_label = number < 0 and may_add
        if new_label:
            number = self.classes.n_labels
            self.add_label(y)
        e.label = number
        e.y = self.classes.first_sign if number == 0 else -self.classes.first_sign
        return new_label

    cdef int add_label(self, object y) except -1:
        self.classes.check_label(y)
        self.labels.append(y)
        self.classes.n_labels += 1
        self.classes.first_sign = self.labels.sign(0)
        try:
            self.classes.set_labels(self.classes.n_labels)
        except:
            self.forget_label()
            self.classes.set_labels(self.classes.n_labels)  # back from halfway, which needs no memory
            raise
        return 0

    cdef int forget_label(self) except -1:
        self.labels.pop()
        self.classes.n_labels -= 1
        self.classes.first_sign = self.labels.sign(0)
        return 0

    cdef int rollback_label(self) except -1:
        self.classes.set_labels(self.classes.n_labels - 1)
        return self.forget_label()

    cdef int commit_label(self) except -1:
        return self.classes.commit_label()

    # -- a column of labels ---------------------------------------------------------------------------

    cdef tuple encode_targets(self, object y, Py_ssize_t rows, object weights):
        return self.labels.encode(y, rows, weights)

    cdef void set_target(self, const Task* task, Py_ssize_t i, Example* e) noexcept nogil:
        e.label = task.numbers[i]
        e.y = self.classes.first_sign if e.label == 0 else -self.classes.first_sign

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        return self.classes.expect_labels(more)

    cdef Py_ssize_t next_new_label(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept:
        cdef Py_ssize_t i
        for i in range(start, stop):
            if task.numbers[i] >= self.classes.n_labels:
                return i
        return stop

    cdef int learn_new_label(self, Source source, Py_ssize_t i, object label, Task* task) except -1:
        """Learn row i, the first with this label: write its output, add the label, learn."""
        cdef Example e
        cdef double* scratch
        cdef int status
        if self.state.calls_user_code and self.state.prepare(1) < 1:
            raise refused_row(self.state.refusal(), self.who, i)
        self.load(source, i, i + 1)
        self.lock.acquire_write()
        try:
            e.codes = NULL
            source.row(i, &e)
            e.weight = task.weights[i] if task.weights != NULL else 1.0
            if task.output != NOTHING:
                self.reserve(self.encoder.width)
                scratch = <double*> resize(NULL, 0, self.state.outputs() * sizeof(double))
                status = self.score_known(&e, self.encoder.width, scratch)
                if status == LEARNED:
                    self.write_output(scratch, task, i)
                release(scratch)
                if status != LEARNED:
                    raise refused_block_row(self, i, status)
            try:
                self.add_label(label)
            except ValueError as error:
                reason = str(error).removeprefix(f"{self.who}: ")
                message = f"{reason} The rows before it were learned."
                raise row_error(ValueError, self.who, i, message) from None
            except MemoryError:
                raise
            except Exception as error:  # of a function of the user
                refused = refused_row(error, self.who, i)
                if refused is error:
                    raise
                raise refused from None
            try:
                self.reserve(e.width)
                self.set_target(task, i, &e)
                status = self.learn(&e)
                if status == OVERFLOW:
                    raise row_error(
                        ValueError, self.who, i,
                        "learning this example would overflow the range of floats. The rows before "
                        "it were learned. Scale the features, or learn in smaller steps."
                    )
                if status != LEARNED:
                    raise refused_block_row(self, i, status)
            except:
                self.rollback_label()
                raise
            self.state.seen += 1
            self.commit_label()
            self.encoder.commit(max(self.encoder.width, e.width), i)
            if source.array_columns >= 0:
                self.encoder.columns = source.array_columns
        finally:
            self.lock.release_write()
        return 0

    cdef object backup(self):
        return self.classes.n_labels, BatchModel.backup(self)

    cdef int restore_backup(self, object saved) except -1:
        if self.classes.n_labels > saved[0]:
            while self.classes.n_labels > saved[0]:
                self.forget_label()
            self.labels.compact()
        return BatchModel.restore_backup(self, saved[1])

    # -- outputs ------------------------------------------------------------------------------------

    cdef object allocate_outputs(
        self, Output output, Py_ssize_t rows, Py_ssize_t new_labels, Task* task
    ):
        cdef Py_ssize_t k = self.classes.n_labels + new_labels, i
        cdef cnp.npy_intp length = rows
        task.output, task.numeric, task.picks, task.columns = output, NULL, NULL, 0
        if output == NOTHING:
            return None
        if output == LABEL:
            array = cnp.PyArray_SimpleNew(1, &length, cnp.NPY_INT32)
            task.picks = int32s(array)
            for i in range(rows):
                task.picks[i] = -1
            return array
        task.columns = k if output == PROBA or k > 2 else 1
        array = np.full((rows, task.columns), 0.0 if output == PROBA else np.nan)
        if output == SCORE and k <= 2:
            array = array[:, 0]
        task.numeric = doubles(array)
        return array

    cdef void write_output(self, const double* scores, const Task* task, Py_ssize_t i) noexcept nogil:
        cdef double* out = task.numeric + i * task.columns
        cdef Py_ssize_t n = self.classes.n_labels, r
        cdef double first
        if task.output == LABEL:
            task.picks[i] = self.classes.decide(scores)
        elif task.output == PROBA:
            self.probabilities(scores, out)
        elif n <= 2 and task.columns > 1:  # more labels come in this block: as after promotion
            first = self.classes.share * self.classes.first_sign * scores[0]
            if n > 0:
                out[0] = first
            if n > 1:
                out[1] = -first
        else:
            for r in range(n if n > 2 else 1):
                out[r] = scores[r]

    cdef object decode_outputs(self, Output output, object outputs):
        return self.labels.decode(outputs) if output == LABEL else outputs

    cdef void probabilities(self, const double* scores, double* out) noexcept nogil:
        """One probability per known label."""
        if self.classes.n_labels == 1:
            out[0] = 1.0
        elif self.classes.n_labels > 1:
            self.classes.link(scores, out)

    cdef object predict_one(self, object x):
        cdef RowBuffer* row = self.scored(x)
        cdef int32_t choice = self.classes.decide(row.scores)
        self.encoder.release_row(row)
        return None if choice < 0 or choice >= self.classes.n_labels else self.labels.names[choice]

    cpdef object scores_one(self, object x):
        """The decision value of x, or one for each label."""
        cdef RowBuffer* row = self.scored(x)
        try:
            if self.classes.n_labels <= 2:
                return row.scores[0]
            return {name: row.scores[r] for r, name in enumerate(self.labels.names)}
        finally:
            self.encoder.release_row(row)

    cdef object proba_one(self, object x):
        cdef RowBuffer* row = self.scored(x)
        cdef double* out = row.scores + self.state.outputs()
        try:
            self.probabilities(row.scores, out)
            return {name: out[r] for r, name in enumerate(self.labels.names)}
        finally:
            self.encoder.release_row(row)

    # -- for the learner, and files ---------------------------------------------------------------

    def coerce_labels(self, labels):
        """Labels to be declared, as plain Python objects."""
        if isinstance(labels, (str, bytes)) or not hasattr(labels, "__iter__"):
            raise TypeError(f"{self.who}: labels must be a list of labels, got {labels!r:.80}.")
        return [self.labels.coerce(label) for label in labels]

    def declare(self, labels):
        """Add labels before any example."""
        self.labels.declare(labels)
        self.classes.first_sign = self.labels.sign(0)
        while self.classes.n_labels < len(self.labels):
            self.classes.n_labels += 1
            self.classes.set_labels(self.classes.n_labels)
        self.classes.commit_label()

    def label_names(self):
        """The labels, once no block is being written."""
        self.lock.wait_readable()
        return list(self.labels.names)

    def export_names(self):
        return {**Model.export_names(self), "labels": list(self.labels.names)}

    def restore_names(self, fields):
        Model.restore_names(self, fields)
        self.declare(fields.names("labels", (bool, int, str)))

    cdef int adopt(self, Model other) except -1:
        cdef ClassifierModel same = <ClassifierModel?> other
        self.labels, self.classes = same.labels, same.classes
        return Model.adopt(self, other)

    def memory(self):
        return Model.memory(self) + self.labels.memory()
