"""A learner's model: whatever the user passes is read, checked, learned or refused here.

It lives as long as the learner and holds, for one state or many behind it, what all of them share:
the lock, the encoder, the steps of a pipeline and, in classifier.pyx, the labels. What was learned is
in the `State`. A refused example leaves no trace in any of them.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t, int64_t

import numpy as np
from sys import getsizeof

from .arrays cimport doubles, int32s
from .encoder cimport Encoder, RowBuffer
from .example cimport LEARNED, NO_MEMORY, NUMBER, Example
from .rwlock cimport RWLock, Learning, Reading, Writing
from .feature_index cimport ALL, KNOWN
from .memory cimport release, resize
from .coerce cimport coerce_weight
from .sources cimport Source
from .state cimport State
from .task cimport NOTHING, Output, Task
from .transformer cimport TransformerState
from .state_reader import StateReader
from .coerce import coerce_weights, refused_row, row_error
from .rows import check_weights, make_source


cdef enum:
    SETTLED = 100  # examples one by one, before features that were to be selected are missed
    FEW = 16       # scores that need no memory of their own

LEARNER = 400  # bytes of the Python object around a model, with its parameters


cdef class Model:
    def __cinit__(self, str who, State state, *, steps=(), hash_bits=None, hash_seed=0, **options):
        cdef Encoder own = Encoder(who, hash_bits, hash_seed)
        self.who = who
        self.lock = RWLock(who)
        self.front = None
        self.state = state
        state.configure(own)
        learner, state.who = state.who, who
        self.connect(own, list(steps))
        if steps:
            self.refuse_nominal(learner, own)

    cdef int connect(self, Encoder own, list steps) except -1:
        """Each step sees the features that the one before it makes, the state those of the last.

        Nominal values come in (at `own`, the encoder as the state wants it) if all steps keep them.
        """
        cdef TransformerState step, last = None
        cdef bint transforms = isinstance(self.state, TransformerState)
        cdef Encoder features = None
        chain = [*steps, self.state] if transforms else steps
        if chain:
            features = (<TransformerState> chain[0]).own_encoder(self.who)
        if features is None:
            plain = not transforms and not all([step.keeps_nominal() for step in steps])
            features = Encoder(self.who, None, 0) if plain else own
        self.encoder = features
        if chain:
            self.encoder.select(chain[0].selects())
        for step in chain:
            step.connect(features, self.encoder)
            if step.wants_nan and features is self.encoder:
                features.nan_missing = True
            if step is self.state:
                break
            if step.output_features is not None:
                features = step.output_features
            if last is None:
                self.front = step
            else:
                last.next = step
            last = step
        if not transforms:
            self.state.connect(features, self.encoder)
        self.state.behind_steps = len(steps) > 0
        return 0

    def refuse_nominal(self, learner, Encoder own):
        """Numbers that a step makes are none of those that a learner takes as nominal values."""
        if own.categorical is None or self.encoder.nominal:
            return
        if own.categorical is True:
            self.encoder.pending = (
                f"{learner} takes numbers as nominal values, but a step before it makes numbers of its own: "
                f"these are modelled as by GaussianNB. Leave out that step, or end in a learner of numbers."
            )
            self.encoder.suspect = True
            return
        raise ValueError(
            f"{self.who}: {learner} takes numbers as nominal values, but a step before it makes numbers "
            f"of its own, which are none. Leave out that step, or end in a learner of numbers."
        )

    def steps(self):
        """The states of the steps."""
        cdef TransformerState step = self.front
        found = []
        while step is not None:
            found.append(step)
            step = step.next
        return found

    # -- through the steps to the state ------------------------------------------------------------

    @cython.final
    cdef int score(self, const Example* e, double* out) noexcept nogil:
        """Decision values of an example: LEARNED, or NO_MEMORY. Changes nothing."""
        if self.front is None:
            return self.state.score(e, out)
        return self.front.pass_score(e, self.state, out)

    @cython.final
    cdef int learn(self, const Example* e) noexcept nogil:
        """Learn an example: LEARNED; or OVERFLOW or NO_MEMORY, and nothing is changed."""
        cdef double few[FEW]
        cdef double* out = few
        cdef int status
        if self.front is None:
            return self.state.learn(e)
        if not self.state.tests_first:
            return self.front.pass_learn(e, self.state)
        if self.state.outputs() > FEW:
            out = <double*> PyMem_RawMalloc(self.state.outputs() * sizeof(double))
            if out == NULL:
                return NO_MEMORY
        status = self.tested_learn(e, out)
        if out != few:
            PyMem_RawFree(out)
        return status

    @cython.final
    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        """Test, then train."""
        if self.front is None:
            return self.state.score_learn(e, out)
        if self.state.tests_first:
            return self.tested_learn(e, out)
        if self.front.pass_score(e, self.state, out) != LEARNED:
            return NO_MEMORY
        return self.front.pass_learn(e, self.state)

    @cython.final
    cdef int tested_learn(self, const Example* e, double* out) noexcept nogil:
        """The same for a state that wants to know what it said before the steps learned."""
        cdef int status
        if self.front.pass_score(e, self.state, out) != LEARNED:
            return NO_MEMORY
        self.state.tested(out)
        status = self.front.pass_learn(e, self.state)
        self.state.tested(NULL)
        return status

    cdef int reserve(self, Py_ssize_t width) except -1:
        """Make room for features 0 ... width-1, in every step and in the state."""
        if self.front is not None:
            width = self.front.pass_room(width)
        return self.state.reserve(width)

    cdef int rollback(self) except -1:
        """Forget features and values uncommitted."""
        cdef Py_ssize_t width
        self.encoder.rollback()
        width = self.encoder.width
        if self.front is not None:
            width = self.front.pass_shrink(width)
        return self.state.shrink(width)

    # -- what a kind of learner adds --------------------------------------------------------------

    cdef object coerce_target(self, object y):
        """The target as Python's own object."""
        return y

    cdef bint encode_target(self, object y, bint may_add, Example* e) except -1:
        """Put the plain target into the example. True: this made a new label known."""
        e.y = 0.0
        e.label = -1
        return False

    cdef int rollback_label(self) except -1:
        """Forget the label that `target` has just made known."""
        return 0

    cdef int commit_label(self) except -1:
        """The new label stays: let go of what `rollback_label` would have needed."""
        return 0

    cdef tuple encode_targets(self, object y, Py_ssize_t rows, object weights):
        """The column of targets as an array, and the labels that are new in it."""
        return np.zeros(rows), ()

    cdef void set_target(self, const Task* task, Py_ssize_t i, Example* e) noexcept nogil:
        """The target of row i."""
        e.y = task.targets[i]
        e.label = -1

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        """So many new labels are about to come."""
        return 0

    cdef Py_ssize_t next_new_label(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept:
        """First row whose label is not known yet, or `stop`."""
        return stop

    cdef int learn_new_label(self, Source source, Py_ssize_t i, object label, Task* task) except -1:
        """RowBuffer i, the first with this label."""
        return 0

    cdef object allocate_outputs(self, Output output, Py_ssize_t rows, Py_ssize_t new_labels, Task* task):
        """An array for what is wanted of every row, known to `task`."""
        task.output, task.numeric, task.picks, task.columns = output, NULL, NULL, 1
        if output == NOTHING:
            return None
        array = np.zeros(rows)
        task.numeric = doubles(array)
        return array

    cdef void write_output(self, const double* scores, const Task* task, Py_ssize_t i) noexcept nogil:
        """Write down what is wanted of row i."""
        task.numeric[i] = scores[0]

    cdef object decode_outputs(self, Output output, object answers):
        """The answers as the user sees them."""
        return answers

    # -- one example --------------------------------------------------------------------------------

    cpdef int learn_one(self, object x, object y, object w) except -1:
        """Learn the example x with the target y and importance w."""
        cdef double weight = coerce_weight(self.who, w)
        y = self.coerce_target(y)
        if self.state.calls_user_code:
            x = self.encoder.coerce(x)
            self.lock.acquire_learner()
            try:
                if self.lock.unfinished:
                    self.forget_unfinished()
                if weight > 0.0 and self.state.prepare(1) < 1:
                    raise self.state.refusal()
                self.lock.acquire_write()
                try:
                    self.try_learn(x, y, weight)
                finally:
                    self.lock.release_write()
            finally:
                self.lock.release_learner()
            return 0
        while True:
            self.lock.acquire_one()
            try:
                if self.lock.unfinished:
                    self.forget_unfinished()
                if self.try_learn(x, y, weight) == 0:
                    break
            finally:
                self.lock.release_one()
            x = self.encoder.coerce(x)  # user code may run here, so ask for the lock again
        if self.state.doubtful:
            self.warn()
        if self.encoder.suspect or (self.state.seen == SETTLED and self.encoder.wanted is not None):
            self.encoder.doubt_learned(self.state.seen)  # user code again
        return 0

    cdef int try_learn(self, object x, object y, double weight) except -1:
        """Learn, without any user code in between. 1: x must be made plain first."""
        cdef Encoder encoder = self.encoder
        cdef RowBuffer* row = encoder.acquire_row(16, 0)
        cdef Example e
        cdef bint new_label = False
        cdef int status
        try:
            e.weight = weight
            if encoder.read(x, ALL if weight > 0.0 else KNOWN, row, &e):
                self.rollback()
                return 1
            new_label = self.encode_target(y, weight > 0.0, &e)
            if weight == 0.0:
                return 0
            self.reserve(e.width)
            status = self.learn(&e)
            if status == NO_MEMORY:
                raise MemoryError(f"{self.who}: no memory to learn this example; it was not learned.")
            if status != LEARNED:
                raise ValueError(
                    f"{self.who}: learning this example would overflow the range of floats "
                    f"(largest |value| {e.peak:.3g}, weight {weight:.3g}). Scale the features and "
                    f"the target, or learn in smaller steps."
                )
            self.state.seen += 1
            if new_label:
                self.commit_label()
            encoder.commit(e.width)
            if row.columns >= 0:
                encoder.columns = row.columns
            return 0
        except:
            if new_label:
                self.rollback_label()
            self.rollback()
            raise
        finally:
            encoder.release_row(row)

    cdef RowBuffer* scored(self, object x) except NULL:
        """A row whose `scores` are those of x, with as much room again; give it back at once."""
        cdef Encoder encoder
        cdef RowBuffer* row
        cdef Example e
        cdef bint doubted = False, blank
        while True:
            self.lock.wait_readable()
            encoder = self.encoder
            self.reserve(encoder.width)
            row = encoder.acquire_row(16, 2 * self.state.outputs() + 2)
            blank = False
            try:
                if encoder.read(x, KNOWN, row, &e) == 0:
                    if e.n or doubted:
                        if e.n:
                            encoder.misses = 0
                        if self.score(&e, row.scores) != LEARNED:
                            raise MemoryError(f"{self.who}: no memory to predict this example.")
                        return row
                    blank = True
            except:
                encoder.release_row(row)
                raise
            encoder.release_row(row)
            if blank:  # user code may run here, or below, so ask for the lock again
                encoder.doubt_example(x, self.state.seen)
                doubted = True
            else:
                x = encoder.coerce(x)

    cpdef double score_one(self, object x) except? -1.0:
        """The (first) decision value of x; a regressor's is the prediction."""
        cdef RowBuffer* row = self.scored(x)
        cdef double value = row.scores[0]
        self.encoder.release_row(row)
        return value

    cdef int forget_unfinished(self) except -1:
        """Forget what a thread that stayed behind in a fork had read, but not learned."""
        self.lock.unfinished = False
        self.rollback()
        return self.expect_labels(0)

    cdef int warn(self) except -1:
        """Pass on what the state doubts, once."""
        kind, told = self.state.doubt()
        if not self.encoder.has_warned(kind):
            self.encoder.warn_once(kind, told)
        return 0

    # -- many examples --------------------------------------------------------------------------------

    def learn_many(self, X, y, w, Output output=NOTHING):
        """Learn every row; the answers before each, if wanted."""
        cdef Task task
        cdef Source source
        cdef Py_ssize_t i = 0, stop, checked = 0
        cdef int64_t before
        self.lock.acquire_learner()
        before = self.state.seen
        try:
            if self.lock.unfinished:
                self.forget_unfinished()
            weights = coerce_weights(self.who, w)
            source = make_source(self.encoder, X, weights is None or (weights > 0.0).any(), weights)
            source.exposed = self.state.calls_user_code
            check_weights(self.who, source.rows, weights)
            targets, new_labels = self.encode_targets(y, source.rows, weights)
            if hasattr(y, "name"):
                self.encoder.doubt_target(X, y.name)
            if self.encoder.suspect or (before == 0 and self.encoder.wanted is not None):
                self.encoder.doubt_learned(before + source.rows)
            answers = self.allocate_outputs(output, source.rows, len(new_labels), &task)
            task.weights = NULL
            if weights is not None:
                task.weights = doubles(weights)
            task.numbers, task.targets = NULL, NULL
            if targets.dtype == np.int32:
                task.numbers = int32s(targets)
            else:
                task.targets = doubles(targets)
            new_labels = list(reversed(new_labels))
            self.expect_labels(len(new_labels))
            saved = self.checked_before(source)
            while i < source.rows:
                PyErr_CheckSignals()
                stop = min(i + source.chunk, source.rows)
                if saved is not None:
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
            return self.decode_outputs(output, answers)
        except BaseException as error:
            self.rollback()
            self.expect_labels(0)
            if isinstance(error, MemoryError) and not hasattr(error, "row") and self.state.seen > before:
                told = "no memory to learn it. The rows before it were learned."
                raise row_error(MemoryError, self.who, i, told) from error
            raise
        finally:
            self.end_block()
            self.lock.release_learner()

    cdef int end_block(self) except -1:
        """The rows were learned, or refused: let go of what was kept for them."""
        return 0

    cdef object checked_before(self, Source source):
        """Check all of X before anything is learned from it; or, where X is much larger than the
        model, save the model, so that X can be checked block by block, in the cache."""
        cdef Py_ssize_t start
        if source.bytes == 0 or (self.front is None and 0 <= 8 * self.state.backup_bytes() <= source.bytes):
            return self.backup() if source.bytes else None
        for start in range(0, source.rows, source.chunk):
            source.check(start, min(start + source.chunk, source.rows))
        return None

    cdef int check_or_restore(self, Source source, Py_ssize_t start, Py_ssize_t stop, object saved) except -1:
        """Check a block; if it is bad, the whole of X was never learned."""
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
        return self.state.seen, self.encoder.width, self.encoder.columns, self.state.export_own()

    cdef int restore_backup(self, object saved) except -1:
        """Back to what `backup` saved."""
        self.state.seen, self.encoder.width, self.encoder.columns, own = saved
        self.encoder.keys.forget()
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

    cdef int learn_block(self, Source source, Py_ssize_t start, Py_ssize_t stop, Task* task) except -1:
        """Rows start ... stop-1, whose labels are all known."""
        cdef Py_ssize_t done, end = stop, ready
        cdef int status = LEARNED
        cdef Example e
        cdef double* scratch
        if self.state.calls_user_code:  # up to the row that the user's functions refuse
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
                scratch = <double*> resize(NULL, 0, self.state.outputs() * sizeof(double))
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
                raise refused_block_row(self.who, done, status)
        if end < stop:
            raise refused_row(self.state.refusal(), self.who, end)
        return 0

    cdef Py_ssize_t run(self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, double* scratch, int* status) noexcept nogil:
        """Learn and answer; the first row that could not be learned or answered, whose status is
        then known, or `stop`."""
        cdef Example e
        cdef Py_ssize_t i = start, left
        cdef bint learning = task.numbers != NULL or task.targets != NULL
        cdef Py_ssize_t known = self.encoder.width
        cdef const double* weights = task.weights
        cdef bint silent = task.output == NOTHING
        cdef bint direct = self.front is None
        cdef bint runs = direct and learning and self.state.runs
        e.codes = NULL
        e.weight = 1.0
        while i < stop:
            if runs:
                left = self.state.run(source, i, stop, task, known)
                if left == stop:
                    return stop
                runs = left >= 0
                i = left if runs else i
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
                status[0] = self.state.score_learn(&e, scratch) if direct else self.score_learn(&e, scratch)
                self.write_output(scratch, task, i)
            known = max(known, e.width)
            if status[0] != LEARNED:
                return i
            self.state.seen += 1
            i += 1
        return stop

    cdef int score_known(self, const Example* e, Py_ssize_t known, double* out) noexcept nogil:
        """Score a row that brings new features as `predict_one` would have: without them."""
        cdef Example old = e[0]
        old.width = known
        cdef Py_ssize_t i
        cdef int32_t* ids = NULL
        cdef int32_t* codes = NULL
        cdef double* values = NULL
        cdef int status = NO_MEMORY
        if e.ids == NULL:
            old.n = min(e.n, known)
            status = self.score(&old, out)
        else:
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

    def predict_many(self, X, Output output):
        """What is wanted of every row; nothing changes."""
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
            answers = self.allocate_outputs(output, source.rows, 0, &task)
            task.numbers, task.targets, task.weights = NULL, NULL, NULL
            scratch = <double*> resize(NULL, 0, self.state.outputs() * sizeof(double))
            try:
                while i < source.rows:
                    PyErr_CheckSignals()
                    stop = min(i + source.chunk, source.rows)
                    source.check(i, stop)
                    source.load(i, stop)
                    with nogil:
                        done = self.run(source, i, stop, &task, scratch, &status)
                    if done < stop:
                        raise row_error(MemoryError, self.who, done, "no memory to predict it.")
                    i = stop
            finally:
                release(scratch)
            return self.decode_outputs(output, answers)
        finally:
            self.lock.release_read()

    # -- saved, merged, looked at ----------------------------------------------------------------------

    def export(self):
        """Everything that was learned, as arrays, lists of names and plain numbers."""
        return {**self.export_names(), **self.state.export_own()}

    def export_names(self):
        """Counts, features, what the steps have learned, and labels."""
        fields = {"seen": self.state.seen, "start": self.state.start, **self.encoder.export()}
        if self.front is not None:
            fields["steps"] = {str(i): step.export_step() for i, step in enumerate(self.steps())}
        return fields

    def restore(self, fields):
        """Take over an exported model (a `StateReader`); this one is new."""
        self.restore_names(fields)
        if isinstance(self.state, TransformerState):
            self.reserve(self.encoder.width)
        self.state.restore_own(fields)

    def restore_names(self, fields):
        """Take over what `export_names` gave."""
        self.state.seen = fields.integer("seen", 0, 2**61)
        self.state.start = fields.integer("start", 0, self.state.seen)
        features = fields.names("features", (str, int))
        implicit = fields.integer("implicit", 0, 2**31 - 1)
        self.encoder.restore(features, implicit, fields.integer("columns", -1, 2**31 - 1))
        self.encoder.restore_nominal(fields)
        if self.front is not None:
            self.front.pass_room(self.encoder.width)
            steps = fields.child("steps")
            for i, step in enumerate(self.steps()):
                told = steps.child(str(i))
                step.restore_step(told)
                told.done()
            steps.done()

    def become(self, Model other):
        """Be what another model of this kind is, which nobody uses any more; this thread is in
        `learning()`, so that nobody else learns meanwhile."""
        self.lock.acquire_write()
        try:
            self.adopt(other)
        finally:
            self.lock.release_write()

    cdef int adopt(self, Model other) except -1:
        self.encoder, self.front, self.state = other.encoder, other.front, other.state
        return 0

    def snapshot(self):
        """`export`, while nobody else is learning."""
        with self.reading():
            return self.export()

    def reading(self):
        """A context in which nobody changes this model."""
        return Reading(self.lock)

    def learning(self):
        """A context in which nobody else learns; others may still read."""
        return Learning(self.lock)

    def writing(self):
        """A context in which nobody else reads or changes this model."""
        return Writing(self.lock)

    @property
    def seen(self):
        """Examples learned."""
        return self.state.seen

    def readable_state(self):
        """The state, once no block is being written: to look at one number of it."""
        self.lock.wait_readable()
        return self.state

    def reset_schedule(self):
        """Rates begin anew with the next example."""
        self.state.reset_schedule()

    def step_features(self):
        """The features as each of the steps sees them."""
        return [(<TransformerState> step).features.export() for step in self.steps()]

    def inner_features(self):
        """The features as the state sees them, behind the steps."""
        return self.state.features.export()

    def memory(self):
        """Bytes held by the model: features, scratch rows, steps, and what was learned."""
        held = sum(map(getsizeof, (self, self.encoder, self.lock))) + self.encoder.memory()
        for step in self.steps():
            held += getsizeof(step) + step.own_bytes()
        if self.state.features is not self.encoder:
            held += self.state.features.memory()
        return LEARNER + held + self.state.memory()


cdef object refused_block_row(str who, Py_ssize_t row, int status):
    """The error for a row of a block that could not be learned."""
    if status == NO_MEMORY:
        return row_error(MemoryError, who, row, "no memory to learn it. The rows before it were learned.")
    return row_error(
        ValueError, who, row,
        "learning this example would overflow the range of floats. The rows before it were "
        "learned. Scale the features and the target, or learn in smaller steps."
    )


cdef Py_ssize_t count_weighted_rows(const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """How many of these rows have a weight above 0."""
    cdef Py_ssize_t i, heavy = 0
    if task.weights == NULL:
        return stop - start
    for i in range(start, stop):
        heavy += task.weights[i] > 0.0
    return heavy
