"""Blocks of rows: `learn_many` and `predict_many` over any state, row by row, without the GIL.

The result is that of a loop over single examples, bit for bit. X is checked before anything is
learned from it, so a bad block leaves no trace. A row that cannot be learned stops the block: the
rows before it are learned, and the error says which row it was.
"""

cimport numpy as cnp
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t

import numpy as np

from .arrays cimport doubles, int32s
from .example cimport FAILED, LEARNED, NO_MEMORY, NUMBER, Example, feature
from .memory cimport release, resize
from .model cimport Model
from .scaling cimport Scaling
from .sources cimport Source
from .task cimport NOTHING, Output, Task

from .coerce import coerce_weights, refused_row, row_error
from .doubts import doubt_gaps, doubt_ids, doubt_scales
from .rows import check_weights, make_source
from .state_reader import StateReader

cnp.import_array()


cdef enum:
    SCALES_AT = 100  # examples after which the sizes of features are compared, once
    SCALES_OF = 500  # rows that are looked at

cdef double LARGEST = 1e150  # a value whose square can still be summed


cdef class BatchModel(Model):
    """A model that learns and predicts blocks, too. Every learner's model is one."""

    # -- what a kind of learner adds --------------------------------------------------------------

    cdef tuple encode_targets(self, object y, Py_ssize_t rows, object weights):
        """The column of targets as an array, and the labels that are new in it."""
        return np.zeros(rows), ()

    cdef void set_target(self, const Task* task, Py_ssize_t i, Example* e) noexcept nogil:
        """Put the target of row i into the example."""
        e.y = task.targets[i]
        e.label = -1

    cdef Py_ssize_t next_new_label(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept:
        """The first row whose label is not known yet, or `stop`."""
        return stop

    cdef int learn_new_label(self, Source source, Py_ssize_t i, object label, Task* task) except -1:
        """Learn row i, the first with this label. The GIL is held: memory may have to grow."""
        return 0

    cdef object allocate_outputs(
        self, Output output, Py_ssize_t rows, Py_ssize_t new_labels, Task* task
    ):
        """An array for the outputs of all rows; `task` points into it."""
        task.output, task.numeric, task.picks, task.columns = output, NULL, NULL, 1
        if output == NOTHING:
            return None
        array = np.zeros(rows)
        task.numeric = doubles(array)
        return array

    cdef void write_output(self, const double* scores, const Task* task, Py_ssize_t i) noexcept nogil:
        """Write the output of row i, given its scores."""
        task.numeric[i] = scores[0]

    cdef object decode_outputs(self, Output output, object outputs):
        """The outputs as the user sees them."""
        return outputs

    cdef int end_block(self) except -1:
        """All rows were learned or refused: release what was kept for them."""
        return 0

    # -- learning ---------------------------------------------------------------------------------

    def learn_many(self, X, y, w, Output output=NOTHING):
        """Learn every row; return what was predicted before each, if an output is wanted."""
        cdef Task task
        cdef Source source
        cdef Py_ssize_t i = 0, stop, checked = 0
        cdef int64_t before
        self.lock.acquire_learner()
        before = self.state.seen
        try:
            if self.lock.unfinished:
                self.forget_unfinished()
            weights = None if w is None else coerce_weights(self.who, w)
            source = make_source(self.encoder, X, weights is None or (weights > 0.0).any(), weights)
            source.exposed = self.state.calls_user_code
            if weights is not None:
                check_weights(self.who, source.rows, weights)
            targets, new_labels = self.encode_targets(y, source.rows, weights)
            if hasattr(y, "name"):
                self.encoder.doubt_target(X, y.name)
            if self.encoder.suspect or (before == 0 and self.encoder.wanted is not None):
                self.encoder.doubt_learned(before + source.rows)
            outputs = self.allocate_outputs(output, source.rows, len(new_labels), &task)
            task.weights = doubles(weights)
            task.numbers, task.targets = NULL, NULL
            if cnp.PyArray_TYPE(<cnp.ndarray> targets) == cnp.NPY_INT32:
                task.numbers = int32s(targets)
            else:
                task.targets = doubles(targets)
            new_labels = list(reversed(new_labels)) if new_labels else []
            self.expect_labels(len(new_labels))
            saved = self.check_or_backup(source)
            while i < source.rows:
                PyErr_CheckSignals()
                stop = min(i + source.chunk, source.rows)
                if saved is not None:  # not checked as a whole: check each chunk before it is learned
                    if i >= checked:
                        checked = stop
                        self.check_or_restore(source, i, stop, saved)
                    stop = min(stop, checked)
                if new_labels:
                    stop = self.next_new_label(&task, i, stop)
                if stop > i:
                    self.learn_block(source, i, stop, &task)
                else:
                    stop = i + 1
                    self.learn_new_label(source, i, new_labels.pop(), &task)
                if self.state.doubtful:
                    self.warn()
                i = stop
            answers = self.decode_outputs(output, outputs)
            if before <= SCALES_AT < self.state.seen and (self.front is None or isinstance(self.front, Scaling)):
                try:
                    look_at_columns(self, source, hasattr(X, "__arrow_c_stream__"))
                    if self.front is None:
                        compare_scales(self, source)
                except MemoryError:
                    pass  # everything was learned; there is only no memory for a hint
            return answers
        except BaseException as error:
            self.rollback()
            self.expect_labels(0)
            short = isinstance(error, MemoryError) and not hasattr(error, "row")
            if short and self.state.seen > before and i < source.rows:
                message = "no memory to learn it. The rows before it were learned."
                raise row_error(MemoryError, self.who, i, message) from error
            raise
        finally:
            self.end_block()
            self.lock.release_learner()

    cdef object check_or_backup(self, Source source):
        """Check all of X before anything is learned from it. Where X has several chunks and is much
        larger than the model, save the model instead (returned), so that X can be checked chunk by
        chunk, in the cache."""
        cdef Py_ssize_t start, size = -1
        if source.bytes == 0:
            return None
        if source.rows > source.chunk:
            if self.front is None or isinstance(self.front, Scaling):
                size = self.state.backup_bytes()
            if self.front is not None and size >= 0:
                size += self.front.backup_bytes()
            if 0 <= 8 * size <= source.bytes:
                return self.backup()
        for start in range(0, source.rows, source.chunk):
            source.check(start, min(start + source.chunk, source.rows))
        return None

    cdef int check_or_restore(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, object saved
    ) except -1:
        """Check a chunk; if it is bad, nothing of X was ever learned."""
        try:
            return source.check(start, stop)
        except:
            self.lock.acquire_write()
            try:
                self.restore_backup(saved)
            finally:
                self.lock.release_write()
            raise

    cdef object backup(self):
        """Everything that learning may change."""
        steps = None if self.front is None else self.front.export_step()
        return self.state.seen, self.encoder.width, self.encoder.columns, steps, self.state.export_own()

    cdef int restore_backup(self, object saved) except -1:
        """Go back to what `backup` saved."""
        self.state.seen, self.encoder.width, self.encoder.columns, steps, own = saved
        self.encoder.keys.forget()
        if steps is not None:
            self.front.restore_step(StateReader(steps))
        self.state.restore_own(StateReader(own))
        return 0

    cdef int load(self, Source source, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Have these rows ready, which were checked before."""
        try:
            return source.load(start, stop)
        except ValueError as error:
            error.args = (
                f"{error} It was not when it was checked: X was changed meanwhile. From row "
                f"{start} on nothing was learned.",
            )
            raise

    cdef int learn_block(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, Task* task
    ) except -1:
        """Learn rows start ... stop-1, whose labels are all known."""
        cdef Py_ssize_t done, end = stop, ready
        cdef int status = LEARNED
        cdef Example e
        cdef double* scratch
        if self.state.calls_user_code:  # stop before the row that the user's functions refuse
            ready = self.state.prepare(count_weighted_rows(task, start, stop))
            if ready < count_weighted_rows(task, start, stop):
                end = start
                while ready > 0 or count_weighted_rows(task, end, end + 1) == 0:
                    ready -= count_weighted_rows(task, end, end + 1)
                    end += 1
        if end > start:
            self.load(source, start, end)
            self.lock.acquire_write()
            try:
                source.row(end - 1, &e)
                self.reserve(e.width)
                scratch = <double*> resize(
                    NULL, 0, max(1, self.state.together) * self.state.outputs() * sizeof(double))
                with nogil:
                    done = self.run(source, start, end, task, scratch, &status)
                release(scratch)
                if count_weighted_rows(task, start, done):
                    source.row(done - 1, &e)
                    self.encoder.commit(max(self.encoder.width, e.width), done - 1)
                    if source.array_columns >= 0:
                        self.encoder.columns = source.array_columns
            finally:
                self.lock.release_write()
            if done < end:
                raise refused_block_row(self, done, status)
        if end < stop:
            raise refused_row(self.state.refusal(), self.who, end)
        return 0

    cdef Py_ssize_t run(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task,
        double* scratch, int* status,
    ) noexcept nogil:
        """Learn rows and write their outputs. Returns `stop`, or the first row that failed, with
        its status."""
        cdef Example e
        cdef Py_ssize_t i = start, left, r
        cdef bint learning = task.numbers != NULL or task.targets != NULL
        cdef Py_ssize_t known = self.encoder.width
        cdef const double* weights = task.weights
        cdef bint silent = task.output == NOTHING
        cdef bint direct = self.front is None
        cdef bint runs = learning and self.state.runs and not self.state.behind_steps
        cdef bint many = learning and self.state.learns_rows and direct
        if direct and not learning and self.state.together:
            return self.score_together(source, start, stop, task, scratch, status)
        e.codes = NULL
        e.weight = 1.0
        while i < stop:
            if runs:  # the state has a loop of its own for the usual rows
                left = self.state.run(source, i, stop, task, known)
                if left == stop:
                    return stop
                runs = left >= 0
                i = left if runs else i
            if many:  # an ensemble: each member goes over many rows at a time
                left = self.state.learn_rows(
                    source, i, min(stop, i + self.state.together), task, known, NULL if silent else scratch)
                if not silent:
                    for r in range(left):
                        self.write_output(scratch + r * self.state.outputs(), task, i + r)
                i += left
                if left > 0:
                    continue
            source.row(i, &e)
            if weights != NULL:
                e.weight = weights[i]
            if not learning or e.weight == 0.0:
                if not silent:
                    if learning and e.width > known:
                        status[0] = self.score_known(&e, known, scratch)
                    else:
                        status[0] = self.score(&e, scratch)
                    if status[0] != LEARNED:
                        return i
                    self.write_output(scratch, task, i)
                i += 1
                continue
            self.set_target(task, i, &e)
            if silent:
                status[0] = self.state.learn(&e) if direct else self.learn(&e)
            elif e.width > known:
                status[0] = self.score_known(&e, known, scratch)
                if status[0] == LEARNED:
                    self.write_output(scratch, task, i)
                    status[0] = self.learn(&e)
            else:
                status[0] = (
                    self.state.score_learn(&e, scratch) if direct else self.score_learn(&e, scratch)
                )
                if status[0] == LEARNED:
                    self.write_output(scratch, task, i)
            known = max(known, e.width)
            if status[0] != LEARNED:
                return i
            self.state.seen += 1
            i += 1
        return stop

    cdef Py_ssize_t score_together(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task,
        double* scratch, int* status,
    ) noexcept nogil:
        """`run` for rows that are not learned, of which the state scores several at a time."""
        cdef Py_ssize_t i = start, n, r, outputs = self.state.outputs()
        while i < stop:
            n = min(self.state.together, stop - i)
            status[0] = self.state.score_rows(source, i, n, scratch)
            if status[0] != LEARNED:
                return i
            for r in range(n):
                self.write_output(scratch + r * outputs, task, i + r)
            i += n
        return stop

    cdef int score_known(self, const Example* e, Py_ssize_t known, double* out) noexcept nogil:
        """Score a row that brings new features without them, as `predict_one` would have."""
        cdef Example old = e[0]
        cdef Py_ssize_t i
        cdef int32_t* ids = NULL
        cdef int32_t* codes = NULL
        cdef double* values = NULL
        cdef int status = NO_MEMORY
        old.width = known
        if e.ids == NULL:
            old.n = min(e.n, known)
            return self.score(&old, out)
        ids = <int32_t*> PyMem_RawMalloc(max(1, e.n) * sizeof(int32_t))
        codes = <int32_t*> PyMem_RawMalloc(max(1, e.n) * sizeof(int32_t))
        values = <double*> PyMem_RawMalloc(max(1, e.n) * sizeof(double))
        if ids != NULL and codes != NULL and values != NULL:
            old.ids, old.values, old.n = ids, values, 0
            old.codes = codes if e.codes != NULL else NULL
            for i in range(e.n):
                if e.ids[i] < known:
                    ids[old.n] = e.ids[i]
                    values[old.n] = e.values[i]
                    codes[old.n] = e.codes[i] if e.codes != NULL else NUMBER
                    old.n += 1
            status = self.score(&old, out)
        PyMem_RawFree(ids)
        PyMem_RawFree(codes)
        PyMem_RawFree(values)
        return status

    # -- predicting -------------------------------------------------------------------------------

    def predict_many(self, X, Output output):
        """The outputs of all rows. Changes nothing."""
        cdef Task task
        cdef Source source
        cdef Py_ssize_t i = 0, stop, done
        cdef int status = LEARNED
        cdef double* scratch
        self.lock.acquire_read()
        try:
            self.reserve(self.encoder.width)
            source = make_source(self.encoder, X, False, None)
            if source.blank:
                self.encoder.doubt_rows(X, self.state.seen)
            else:
                self.encoder.misses = 0
            outputs = self.allocate_outputs(output, source.rows, 0, &task)
            task.numbers, task.targets, task.weights = NULL, NULL, NULL
            scratch = <double*> resize(
                NULL, 0, max(1, self.state.together) * self.state.outputs() * sizeof(double))
            try:
                while i < source.rows:
                    PyErr_CheckSignals()
                    stop = min(i + source.chunk, source.rows)
                    source.check(i, stop)
                    source.load(i, stop)
                    with nogil:
                        done = self.run(source, i, stop, &task, scratch, &status)
                    if status == FAILED:
                        raise self.state.refusal()
                    if done < stop:
                        raise row_error(MemoryError, self.who, done, "no memory to predict it.")
                    i = stop
            finally:
                release(scratch)
            return self.decode_outputs(output, outputs)
        finally:
            self.lock.release_read()


cdef int look_at_columns(BatchModel model, Source source, bint is_frame) except -1:
    """Look for columns that number the rows, in the first rows of a block that was learned, and in a
    frame for those with missing values, which count as 0."""
    cdef Py_ssize_t i, j, rows = min(source.rows, min(source.chunk, SCALES_AT))
    cdef Py_ssize_t width = model.encoder.width
    cdef Example e
    if rows < SCALES_AT // 2 or model.encoder.bits >= 0 or width > SCALES_OF:
        return 0  # nobody has hundreds of columns by hand
    seen = np.full((rows, width), np.nan)
    model.load(source, 0, rows)
    e.codes = NULL
    for i in range(rows):
        source.row(i, &e)
        for j in range(e.n):
            if feature(&e, j) < width and (e.codes == NULL or e.codes[j] == NUMBER):
                doubles(seen)[i * width + feature(&e, j)] = e.values[j]
    doubt_ids(model.encoder, seen)
    if is_frame and not model.encoder.nan_missing:
        doubt_gaps(model.encoder, seen)
    return 0


cdef int compare_scales(BatchModel model, Source source) except -1:
    """Compare the sizes of the features in the first rows of a block that was learned."""
    cdef Py_ssize_t i, j, rows = min(source.rows, min(source.chunk, SCALES_OF))
    cdef Py_ssize_t width = model.encoder.width
    cdef Example e
    if rows < SCALES_AT // 2 or model.encoder.bits >= 0 or not model.state.minds_scales():
        return 0
    counts, squares = np.zeros(width), np.zeros(width)
    model.load(source, 0, rows)
    for i in range(rows):
        source.row(i, &e)
        for j in range(e.n):
            if e.values[j] != 0.0 and feature(&e, j) < width:
                doubles(counts)[feature(&e, j)] += 1.0
                doubles(squares)[feature(&e, j)] += min(fabs(e.values[j]), LARGEST) ** 2
    doubt_scales(model.encoder, rows, counts, squares)
    return 0


cdef object refused_block_row(Model model, Py_ssize_t row, int status):
    """The error for a row of a block that could not be learned."""
    if status == FAILED:
        return refused_row(model.state.refusal(), model.who, row)
    if status == NO_MEMORY:
        return row_error(MemoryError, model.who, row, "no memory to learn it. The rows before it were learned.")
    return row_error(
        ValueError, model.who, row,
        "learning this example would overflow the range of floats. The rows before it were "
        "learned. Scale the features and the target, or learn in smaller steps."
    )


cdef Py_ssize_t count_weighted_rows(const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """The number of rows with a weight above 0."""
    cdef Py_ssize_t i, counted = 0
    if task.weights == NULL:
        return stop - start
    for i in range(start, stop):
        counted += task.weights[i] > 0.0
    return counted
