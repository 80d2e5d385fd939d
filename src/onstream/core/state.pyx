"""What every learner does around its arithmetic: take an example, answer, learn, or refuse.

A learner's state implements `score` and `learn` (and `score_learn` where one pass can do both)
on an `Example`, without the GIL. Everything else stands here: the checks, features on probation,
blocks of rows, threads; what labels need stands in classifier.pyx.
"""

cimport numpy as cnp
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t, int64_t

import numpy as np

from .door cimport Door, Row
from .example cimport LEARNED, NUMBER, Example
from .gate cimport Gate, Reading, Writing
from .index cimport ALL, KNOWN
from .memory cimport release, resize
from .plain cimport plain_weight
from .sources cimport Source
from .plain import plain_weights, row_error
from .rows import check_weights, open_source

cnp.import_array()

cdef enum:
    SETTLED = 100  # examples one by one, before features that were to be selected are missed


cdef class State:
    def __cinit__(self, str who, hash_bits=None, hash_seed=0, *args, **kwargs):
        self.who = who
        self.door = self.entrance = Door(who, hash_bits, hash_seed)
        self.front = None
        self.gate = Gate(who)
        self.seen = self.start = 0
        self.scripted = False

    # -- the interface of the compiled world ----------------------------------------------------

    cdef Py_ssize_t outputs(self) noexcept nogil:
        """How many numbers `score` writes."""
        return 1

    cdef void score(self, const Example* e, double* out) noexcept nogil:
        """Decision values of the example. Changes nothing."""

    cdef int learn(self, const Example* e) noexcept nogil:
        """Learn the example: LEARNED, or OVERFLOW and nothing is changed."""
        return LEARNED

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        """Test, then train."""
        self.score(e, out)
        return self.learn(e)

    # -- the same through the steps before the learner: what others call ------------------------------

    cdef void outer_score(self, const Example* e, double* out) noexcept nogil:
        """Decision values of an example from outside. Changes nothing."""
        if self.front is None:
            self.score(e, out)
        else:
            self.front.pass_score(e, self, out)

    cdef int outer_learn(self, const Example* e) noexcept nogil:
        """Learn an example from outside: LEARNED, or OVERFLOW and nothing is changed."""
        if self.front is None:
            return self.learn(e)
        return self.front.pass_learn(e, self)

    cdef int outer_score_learn(self, const Example* e, double* out) noexcept nogil:
        """Test, then train."""
        if self.front is None:
            return self.score_learn(e, out)
        self.front.pass_score(e, self, out)
        return self.front.pass_learn(e, self)

    cdef int outer_reserve(self, Py_ssize_t width) except -1:
        """Make room for features 0 ... width-1 from outside."""
        if self.front is not None:
            width = self.front.pass_room(width)
        return self.reserve(width)

    cdef int outer_rollback(self) except -1:
        """Forget features and values on probation."""
        self.entrance.truncate()
        if self.front is not None:
            self.front.pass_shrink(self.entrance.width)
        return 0

    def attach(self, str who, list steps):
        """Put steps before this learner, which is new; from now on it is called `who`."""
        cdef Step step, last = None
        cdef Door door, entrance
        learner, self.who = self.who, who
        self.door.who = who
        self.gate = Gate(who)
        if not steps:
            return
        entrance = door = self.entrance_before(steps)
        if self.door.categorical is True and not door.nominal:
            entrance.pending = (
                f"{learner} takes numbers as nominal values, but a step before it makes numbers of its own: "
                f"these are modelled as by GaussianNB. Leave out that step, or end in a learner of numbers."
            )
            entrance.suspect = True
        elif self.door.categorical is not None and not door.nominal:
            raise ValueError(
                f"{who}: {learner} takes numbers as nominal values, but a step before it makes numbers "
                f"of its own, which are none. Leave out that step, or end in a learner of numbers."
            )
        door.select((<Step> steps[0]).selects())
        for step in steps:
            step.wire(door)
            if step.made is not None:
                door = step.made
            if last is None:
                self.front = step
            else:
                last.next = step
            last = step
        if isinstance(self, Step):
            (<Step> self).wire(door)
        self.door, self.entrance = door, entrance

    def entrance_before(self, list steps):
        """The door at which examples come in where steps stand before this learner."""
        cdef Door door = (<Step> steps[0]).own_entrance(self.who)
        cdef Step step
        if door is None:  # a learner may take nominal values, if the steps leave them as they are
            plain = isinstance(self, Step) or not all(step.keeps_nominal() for step in steps)
            door = Door(self.who, None, 0) if plain else self.door
        for step in [*steps, self] if isinstance(self, Step) else steps:
            if step.wants_nan:
                door.nan_missing = True
            if step.wants_nan or step.made is not None:
                break
        return door

    def chain(self):
        """The steps before the learner."""
        cdef Step step = self.front
        found = []
        while step is not None:
            found.append(step)
            step = step.next
        return found

    # -- what a kind of learner adds --------------------------------------------------------------

    cdef int reserve(self, Py_ssize_t width) except -1:
        """Make room for features 0 ... width-1."""
        return 0

    cdef int prepare(self, Py_ssize_t rows) except -1:
        """Call the user's functions for the next rows (only if `scripted`)."""
        return 0

    cdef object plain_target(self, object y):
        return y

    cdef bint target(self, object y, bint welcome, Example* e) except -1:
        """Put the plain target into the example. True: this made a new label known."""
        return False

    cdef int retract(self) except -1:
        """Forget the label that `target` has just made known."""
        return 0

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        """So many new labels are about to come."""
        return 0

    cdef Py_ssize_t burden(self) noexcept:
        """Bytes that `backup` copies; -1: there is no backup."""
        return -1

    cdef object backup(self):
        """Everything that learning may change."""
        return self.seen, self.entrance.width, self.entrance.columns

    cdef int reinstate(self, object saved) except -1:
        """Back to what `backup` saved."""
        self.seen, self.entrance.width, self.entrance.columns = saved
        self.entrance.keys.forget()
        return 0

    cdef int settle(self) except -1:
        """The new label stays: let go of what `retract` would have needed."""
        return 0

    cdef void aim(self, const Task* task, Py_ssize_t i, Example* e) noexcept nogil:
        """The target of row i."""

    cdef void answer(self, const double* scores, const Task* task, Py_ssize_t i) noexcept nogil:
        """Write down what is wanted of row i."""

    # -- one example --------------------------------------------------------------------------------

    cdef int learn_one(self, object x, object y, object w) except -1:
        cdef double weight = plain_weight(self.who, w)
        y = self.plain_target(y)
        if self.scripted:
            x = self.entrance.plain(x)
            self.gate.begin_learning()
            try:
                if self.heir is not None:
                    return self.heir.learn_one(x, y, w)
                if self.gate.unfinished:
                    self.forget_unfinished()
                if weight > 0.0:
                    self.prepare(1)
                self.gate.begin_write()
                try:
                    self.try_learn(x, y, weight)
                finally:
                    self.gate.end_write()
            finally:
                self.gate.end_learning()
            return 0
        while True:
            self.gate.begin_one()
            try:
                if self.heir is None:
                    if self.gate.unfinished:
                        self.forget_unfinished()
                    if self.try_learn(x, y, weight) == 0:
                        break
            finally:
                self.gate.end_one()
            if self.heir is not None:  # outside of this gate: a fork waits for whoever is inside
                return self.heir.learn_one(x, y, w)
            x = self.entrance.plain(x)  # user code may run here, so ask again at the gate
        if self.entrance.suspect or (self.seen == SETTLED and self.entrance.wanted is not None):
            self.entrance.doubt_learned(self.seen)  # user code again
        return 0

    cdef int try_learn(self, object x, object y, double weight) except -1:
        """Learn, without any user code in between. 1: x must be made plain first."""
        cdef Door door = self.entrance
        cdef Row* row = door.take(16, 0)
        cdef Example e
        cdef bint newcomer = False
        try:
            e.weight = weight
            if door.read(x, ALL if weight > 0.0 else KNOWN, row, &e):
                self.outer_rollback()
                return 1
            newcomer = self.target(y, weight > 0.0, &e)
            if weight == 0.0:
                return 0
            self.outer_reserve(e.width)
            if self.outer_learn(&e) != LEARNED:
                raise ValueError(
                    f"{self.who}: learning this example would overflow the range of floats "
                    f"(largest |value| {e.peak:.3g}, weight {weight:.3g}). Scale the features and "
                    f"the target, or learn in smaller steps."
                )
            self.seen += 1
            if newcomer:
                self.settle()
            door.commit(e.width)
            if row.columns >= 0:
                door.columns = row.columns
            return 0
        except:
            if newcomer:
                self.retract()
            self.outer_rollback()
            raise
        finally:
            door.give(row)

    cdef Row* scored(self, object x) except NULL:
        """A row whose `scores` are those of x, with as much room again; give it back at once."""
        cdef Door door = self.entrance
        cdef Row* row
        cdef Example e
        cdef bint doubted = False, blank
        while True:
            self.gate.to_read()
            self.outer_reserve(door.width)
            row = door.take(16, 2 * self.outputs() + 2)
            blank = False
            try:
                if door.read(x, KNOWN, row, &e) == 0:
                    if e.n or doubted:
                        if e.n:
                            door.misses = 0
                        self.outer_score(&e, row.scores)
                        return row
                    blank = True
            except:
                door.give(row)
                raise
            door.give(row)
            if blank:  # user code may run here, or below, so ask again at the gate
                door.doubt_example(x, self.seen)
                doubted = True
            else:
                x = door.plain(x)

    # -- many examples --------------------------------------------------------------------------------

    def learn_many(self, X, y, w, Output output):
        """Learn every row; the answers before each, if wanted."""
        cdef Task task
        cdef Source source
        cdef Py_ssize_t i = 0, stop, checked = 0
        cdef int64_t before
        self.gate.begin_learning()
        before = self.seen
        try:
            if self.heir is not None:
                return self.heir.learn_many(X, y, w, output)
            if self.gate.unfinished:
                self.forget_unfinished()
            weights = plain_weights(self.who, w)
            source = open_source(self.entrance, X, weights is None or (weights > 0.0).any(), weights)
            source.exposed = self.scripted
            check_weights(self.who, source.rows, weights)
            targets, newcomers = self.targets(y, source.rows, weights)
            if hasattr(y, "name"):
                self.entrance.doubt_target(X, y.name)
            if self.entrance.suspect or (before == 0 and self.entrance.wanted is not None):
                self.entrance.doubt_learned(before + source.rows)
            answers = self.answers(output, source.rows, len(newcomers), &task)
            task.weights = NULL
            if weights is not None:
                task.weights = <const double*> cnp.PyArray_DATA(<cnp.ndarray> weights)
            task.numbers, task.targets = NULL, NULL
            if targets.dtype == np.int32:
                task.numbers = <const int32_t*> cnp.PyArray_DATA(<cnp.ndarray> targets)
            else:
                task.targets = <const double*> cnp.PyArray_DATA(<cnp.ndarray> targets)
            newcomers = list(reversed(newcomers))
            self.expect_labels(len(newcomers))
            saved = self.checked_before(source)
            while i < source.rows:
                PyErr_CheckSignals()
                stop = min(i + source.chunk, source.rows)
                if saved is not None:
                    if i >= checked:
                        checked = stop
                        self.check_or_reinstate(source, i, stop, saved)
                    stop = min(stop, checked)
                if newcomers:
                    stop = self.next_newcomer(&task, i, stop)
                if stop > i:
                    self.learn_block(source, i, stop, &task)
                else:
                    stop = i + 1
                    self.meet(source, i, newcomers.pop(), &task)
                i = stop
            return answers
        except BaseException as error:
            self.outer_rollback()
            self.expect_labels(0)
            if isinstance(error, MemoryError) and self.seen > before:
                told = "no memory to learn it. The rows before it were learned."
                raise row_error(MemoryError, self.who, i, told) from error
            raise
        finally:
            self.gate.end_learning()

    cdef object checked_before(self, Source source):
        """Check all of X before anything is learned from it; or, where X is much larger than the
        model, save the model, so that X can be checked block by block, in the cache."""
        cdef Py_ssize_t start
        if source.bytes == 0 or (self.front is None and 0 <= 8 * self.burden() <= source.bytes):
            return self.backup() if source.bytes else None
        for start in range(0, source.rows, source.chunk):
            source.check(start, min(start + source.chunk, source.rows))
        return None

    cdef int check_or_reinstate(self, Source source, Py_ssize_t start, Py_ssize_t stop, object saved) except -1:
        """Check a block; if it is bad, the whole of X was never learned."""
        try:
            return source.check(start, stop)
        except:
            self.gate.begin_write()
            try:
                self.reinstate(saved)
            finally:
                self.gate.end_write()
            raise

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

    cdef int forget_unfinished(self) except -1:
        """Forget what a thread that stayed behind in a fork had read, but not learned."""
        self.gate.unfinished = False
        self.outer_rollback()
        return self.expect_labels(0)

    cdef int learn_block(self, Source source, Py_ssize_t start, Py_ssize_t stop, Task* task) except -1:
        """Rows start ... stop-1, whose labels are all known."""
        cdef Py_ssize_t done
        cdef Example e
        cdef double* scratch
        if self.scripted:
            self.prepare(self.heavy_rows(task, start, stop))
        self.load(source, start, stop)
        self.gate.begin_write()
        try:
            source.row(stop - 1, &e)
            self.outer_reserve(e.width)
            scratch = <double*> resize(NULL, 0, self.outputs() * sizeof(double))
            with nogil:
                done = self.run(source, start, stop, task, scratch)
            release(scratch)
            if self.heavy_rows(task, start, done):
                source.row(done - 1, &e)
                self.entrance.commit(max(self.entrance.width, e.width), done - 1)
                if source.array_columns >= 0:
                    self.entrance.columns = source.array_columns
        finally:
            self.gate.end_write()
        if done < stop:
            raise row_error(
                ValueError, self.who, done,
                "learning this example would overflow the range of floats. The rows before it were "
                "learned. Scale the features and the target, or learn in smaller steps."
            )
        return 0

    cdef Py_ssize_t run(self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, double* scratch) noexcept nogil:
        """Learn and answer; the first row that could not be learned, or `stop`."""
        cdef Example e
        cdef Py_ssize_t i
        cdef int status = LEARNED
        cdef bint learning = task.numbers != NULL or task.targets != NULL
        cdef Py_ssize_t known = self.entrance.width
        cdef const double* weights = task.weights
        cdef bint silent = task.output == NOTHING
        cdef bint direct = self.front is None
        e.codes = NULL
        e.weight = 1.0
        for i in range(start, stop):
            source.row(i, &e)
            if weights != NULL:
                e.weight = weights[i]
            if not learning or e.weight == 0.0:
                if not silent:
                    if learning and e.width > known:
                        self.score_known(&e, known, scratch)
                    else:
                        self.outer_score(&e, scratch)
                    self.answer(scratch, task, i)
                continue
            self.aim(task, i, &e)
            if silent:
                status = self.learn(&e) if direct else self.outer_learn(&e)
            elif e.width > known:
                self.score_known(&e, known, scratch)
                self.answer(scratch, task, i)
                status = self.outer_learn(&e)
            else:
                status = self.score_learn(&e, scratch) if direct else self.outer_score_learn(&e, scratch)
                self.answer(scratch, task, i)
            known = max(known, e.width)
            if status != LEARNED:
                return i
            self.seen += 1
        return stop

    cdef void score_known(self, const Example* e, Py_ssize_t known, double* out) noexcept nogil:
        """Score a row that brings new features as `predict_one` would have: without them."""
        cdef Example old = e[0]
        old.width = known
        cdef Py_ssize_t i
        cdef int32_t* ids = NULL
        cdef int32_t* codes = NULL
        cdef double* values = NULL
        if e.ids == NULL:
            old.n = min(e.n, known)
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
        self.outer_score(&old, out)
        PyMem_RawFree(ids)
        PyMem_RawFree(codes)
        PyMem_RawFree(values)

    cdef Py_ssize_t heavy_rows(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
        """How many of these rows have a weight above 0."""
        cdef Py_ssize_t i, heavy = 0
        if task.weights == NULL:
            return stop - start
        for i in range(start, stop):
            heavy += task.weights[i] > 0.0
        return heavy

    cdef Py_ssize_t next_newcomer(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept:
        """First row whose label is not known yet, or `stop`."""
        return stop

    cdef int meet(self, Source source, Py_ssize_t i, object label, Task* task) except -1:
        """Row i, the first with this label."""
        return 0

    cdef tuple targets(self, object y, Py_ssize_t rows, object weights):
        """The column of targets as an array, and the labels that are new in it."""
        raise TypeError(f"{self.who}: there is nothing to learn from y.")

    cdef object answers(self, Output output, Py_ssize_t rows, Py_ssize_t newcomers, Task* task):
        """An array for what is wanted of every row, known to `task`."""
        return None

    def predict_many(self, X, Output output):
        """What is wanted of every row; nothing changes."""
        cdef Task task
        cdef Source source
        cdef Py_ssize_t i = 0, stop
        cdef double* scratch
        self.gate.begin_read()
        try:
            self.outer_reserve(self.entrance.width)
            source = open_source(self.entrance, X, False, None)
            if source.blank:
                self.entrance.doubt_rows(X, self.seen)
            else:
                self.entrance.misses = 0
            answers = self.answers(output, source.rows, 0, &task)
            task.numbers, task.targets, task.weights = NULL, NULL, NULL
            scratch = <double*> resize(NULL, 0, self.outputs() * sizeof(double))
            try:
                while i < source.rows:
                    PyErr_CheckSignals()
                    stop = min(i + source.chunk, source.rows)
                    source.check(i, stop)
                    source.load(i, stop)
                    with nogil:
                        self.run(source, i, stop, &task, scratch)
                    i = stop
            finally:
                release(scratch)
            return answers
        finally:
            self.gate.end_read()

    # -- state ----------------------------------------------------------------------------------------

    def export(self):
        """Everything that was learned, as arrays, lists of names and plain numbers."""
        fields = {"seen": self.seen, "start": self.start, **self.entrance.export()}
        if self.front is not None:
            fields["steps"] = {str(i): step.told() for i, step in enumerate(self.chain())}
        return fields

    def restore(self, fields):
        """Take over an exported state (a `Fields`); this state is new."""
        self.seen = fields.integer("seen", 0, 2**61)
        self.start = fields.integer("start", 0, self.seen)
        features = fields.names("features", (str, int))
        implicit = fields.integer("implicit", 0, 2**31 - 1)
        self.entrance.restore(features, implicit, fields.integer("columns", -1, 2**31 - 1))
        self.entrance.restore_nominal(fields)
        if self.front is not None:
            self.front.pass_room(self.entrance.width)
            steps = fields.child("steps")
            for i, step in enumerate(self.chain()):
                told = steps.child(str(i))
                step.hear(told)
                told.done()
            steps.done()

    def snapshot(self):
        """`export`, while nobody else is learning."""
        with self.reading():
            return self.export()

    def reading(self):
        """A context in which nobody changes this state."""
        return Reading(self.gate)

    def writing(self):
        """A context in which nobody else reads or changes this state."""
        return Writing(self.gate)

    def settled(self):
        """This state, once no block is being written: to look at one number of it."""
        self.gate.to_read()
        return self

    def step_features(self):
        """The features as each of the steps sees them."""
        return [(<Step> step).door.export() for step in self.chain()]

    def inner_features(self):
        """The features as the learner sees them, behind the steps."""
        return self.door.export()

    def known_width(self):
        """Of the features that the learner sees, those that are not on probation."""
        cdef Py_ssize_t width = self.entrance.width
        for step in self.chain() if self.front is not None else ():
            width = step.widened(width)
        return width

    def nominal_counts(self):
        """Of each nominal feature that the learner sees: how many values are known."""
        fresh = {}  # a feature that goes through a union keeps its own table of values
        for feature, _, _ in self.entrance.new_values:
            table = id(self.entrance.categories[feature])
            fresh[table] = fresh.get(table, 0) + 1
        return {
            feature: len(values) - fresh.get(id(values), 0)
            for feature, values in sorted(self.door.categories.items()) if feature < self.door.width
        }

    def reset_schedule(self):
        """Rates begin anew with the next example."""
        self.start = self.seen

    def memory(self):
        """Bytes held by features, labels and scratch rows; learners add their own."""
        from sys import getsizeof

        face = 400  # the Python object around this one, with its parameters
        held = sum(map(getsizeof, (self, self.door, self.gate))) + self.entrance.memory()
        if self.front is not None:
            held += sum(getsizeof(step) + step.held() for step in self.chain())
        if self.door is not self.entrance:
            held += self.door.memory()
        return face + held


cdef class Step(State):
    """A transformer, as the learner behind it knows it; the rest stands in transformer.pyx."""

    cdef Door own_entrance(self, str who):
        """The door this step needs if it is the first; None: any will do."""
        return None

    def selects(self):
        """The features this step takes, if it is the first; None: all."""
        return None

    cdef int wire(self, Door door) except -1:
        """The features of this step are those of `door`."""
        self.door = self.entrance = door
        return 0

    cdef void pass_score(self, const Example* e, State last, double* out) noexcept nogil:
        """The scores that `last` gives to what becomes of the example."""

    cdef int pass_learn(self, const Example* e, State last) noexcept nogil:
        """Learn, transform, hand on. All steps and `last` learn the example, or nobody does."""
        return LEARNED

    cdef Py_ssize_t pass_room(self, Py_ssize_t width) except -1:
        """Make room in every step; how many features come out of the last."""
        return width

    cdef int pass_shrink(self, Py_ssize_t width) except -1:
        """Features from `width` on never came."""
        return 0
