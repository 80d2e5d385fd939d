"""A learner's model: user input is read and checked, then learned or refused, here.

It lives as long as the learner and holds what its state, or many states, share: the lock, the
encoder, the steps of a pipeline and (classifier.pyx) the labels. What was learned is the `State`.
A refused example leaves no trace in any of them.
"""

cimport cython
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from contextlib import contextmanager
from sys import getsizeof

from .coerce cimport coerce_weight
from .encoder cimport Encoder, RowBuffer
from .example cimport FAILED, LEARNED, NO_MEMORY, Example
from .feature_index cimport ALL, KNOWN
from .rwlock cimport RWLock
from .state cimport State
from .transformer cimport TransformerState


cdef enum:
    SETTLED = 100  # single examples learned before missing selected features are reported
    FEW = 16       # scores that fit on the stack

LEARNER = 400  # bytes of the Python object around a model, with its parameters


cdef class Model:
    def __cinit__(self, str who, State state, *, steps=(), hash_bits=None, hash_seed=0, **options):
        cdef Encoder own = Encoder(who, hash_bits, hash_seed)
        self.who = who
        self.lock = RWLock(who)
        self.state = state
        state.configure(own)
        learner, state.who = state.who, who
        self.connect(own, list(steps))
        if steps:
            self.refuse_nominal(learner, own)

    cdef int connect(self, Encoder own, list steps) except -1:
        """Chain the steps: each sees the output features of the one before, the state those of the
        last. `own` is the encoder as the state wants it; it reads nominal values as such, so it is
        used only if all steps keep them."""
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

    cdef int share(self, Encoder features, Encoder encoder) except -1:
        """Stand behind another model's encoder, as a member of its ensemble does; `features` are
        those that this model's first step, or its state, gets."""
        cdef TransformerState step
        for step in self.steps():
            step.connect(features, encoder)
            if step.output_features is not None:
                features = step.output_features
        self.encoder = encoder
        return self.state.connect(features, encoder)

    def refuse_nominal(self, learner, Encoder own):
        """A learner that takes numbers as nominal values cannot use the numbers a step computes."""
        if own.categorical is None or self.encoder.nominal:
            return
        if own.categorical is True:
            self.encoder.pending["nominal"] = (
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

    # -- through the steps to the state -----------------------------------------------------------

    @cython.final
    cdef int score(self, const Example* e, double* out) noexcept nogil:
        """Decision values of an example: LEARNED, NO_MEMORY or FAILED. Changes nothing."""
        if self.front is None:
            return self.state.score(e, out)
        return self.front.pass_score(e, self.state, out)

    @cython.final
    cdef int learn(self, const Example* e) noexcept nogil:
        """Learn an example: LEARNED; or OVERFLOW, NO_MEMORY or FAILED, and nothing is changed."""
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
        return self.front.pass_score_learn(e, self.state, out)

    @cython.final
    cdef int tested_learn(self, const Example* e, double* out) noexcept nogil:
        """The same for a state that needs its own score of the example before the steps learn it."""
        cdef int status = self.front.pass_score(e, self.state, out)
        if status != LEARNED:
            return status
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
        """Forget uncommitted features and values."""
        cdef Py_ssize_t width
        self.encoder.rollback()
        width = self.encoder.width
        if self.front is not None:
            width = self.front.pass_shrink(width)
        return self.state.shrink(width)

    # -- what a kind of learner adds --------------------------------------------------------------

    cdef object coerce_target(self, object y):
        """The target as a plain Python object. User code may run here."""
        return y

    cdef bint encode_target(self, object y, bint may_add, Example* e) except -1:
        """Put the coerced target into the example. True: it is a new label, added just now."""
        e.y = 0.0
        e.label = -1
        return False

    cdef int rollback_label(self) except -1:
        """Forget the label that `encode_target` has just added."""
        return 0

    cdef int commit_label(self) except -1:
        """Keep the new label: release what `rollback_label` would have needed."""
        return 0

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        """`more` new labels are about to come; 0: no longer."""
        return 0

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
        """Learn, without any user code in between. 1: x must be coerced first."""
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
            if status == FAILED:
                raise self.state.refusal()
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
        """A row with the scores of x, and as much room again. The caller releases it at once."""
        cdef Encoder encoder
        cdef RowBuffer* row
        cdef Example e
        cdef bint doubted = False, blank
        cdef int status
        while True:
            self.lock.wait_readable()
            encoder = self.encoder
            self.reserve(encoder.width)
            row = encoder.acquire_row(16, 2 * self.state.outputs() + 2)
            blank = False
            try:
                if encoder.read(x, KNOWN, row, &e) == 0:
                    # A finaliser may have run in there, and let another thread merge or add labels.
                    if self.encoder is not encoder or 2 * self.state.outputs() + 2 > row.room_scores:
                        encoder.release_row(row)
                        continue
                    if e.n or doubted:
                        if e.n:
                            encoder.misses = 0
                        status = self.score(&e, row.scores)
                        if status == FAILED:
                            raise self.state.refusal()
                        if status != LEARNED:
                            raise MemoryError(f"{self.who}: no memory to predict this example.")
                        return row
                    blank = True
            except:
                encoder.release_row(row)
                raise
            encoder.release_row(row)
            if blank:  # no known feature. User code may run here or below: ask for the lock again
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
        """After a fork: forget what a thread that is not in this process had read, not learned."""
        self.lock.unfinished = False
        self.rollback()
        return self.expect_labels(0)

    cdef int warn(self) except -1:
        """Warn of what the state doubts, once."""
        kind, message = self.state.doubt()
        self.encoder.warn_once(kind, message)
        return 0

    # -- saving, merging, views -------------------------------------------------------------------

    def export(self):
        """Everything that was learned, as arrays, lists of names and plain numbers."""
        return {**self.export_names(), **self.state.export_own()}

    def export_names(self):
        """Counts, features, what the steps have learned, labels: all but the state's own."""
        fields = {"seen": self.state.seen, "start": self.state.start, **self.encoder.export()}
        if self.front is not None:
            fields["steps"] = {str(i): step.export_step() for i, step in enumerate(self.steps())}
        return fields

    def restore(self, fields):
        """Fill this new model from an exported one (a `StateReader`)."""
        self.restore_names(fields)
        if isinstance(self.state, TransformerState):
            self.reserve(self.encoder.width)
        self.state.restore_own(fields)

    def restore_names(self, fields):
        """Restore what `export_names` exported."""
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
                own = steps.child(str(i))
                step.restore_step(own)
                own.done()
            steps.done()

    def become(self, Model other):
        """Take over everything from another model of this kind, which is not used afterwards. The
        caller is in `learning()`, so no other thread learns meanwhile."""
        self.lock.acquire_write()
        try:
            self.adopt(other)
        finally:
            self.lock.release_write()

    cdef int adopt(self, Model other) except -1:
        self.encoder, self.front, self.state = other.encoder, other.front, other.state
        return 0

    def snapshot(self):
        """`export`, while no other thread learns."""
        with self.reading():
            return self.export()

    @contextmanager
    def reading(self):
        """A context in which no thread changes this model."""
        self.lock.acquire_read()
        try:
            yield
        finally:
            self.lock.release_read()

    @contextmanager
    def learning(self):
        """A context in which no other thread learns; others may still read."""
        self.lock.acquire_learner()
        try:
            yield
        finally:
            self.lock.release_learner()

    @contextmanager
    def writing(self):
        """A context in which no other thread reads or changes this model."""
        with self.learning():
            self.lock.acquire_write()
            try:
                yield
            finally:
                self.lock.release_write()

    @property
    def seen(self):
        """Examples learned."""
        return self.state.seen

    def readable_state(self):
        """The state, once no block is being written: for reading a single number."""
        self.lock.wait_readable()
        return self.state

    def reset_schedule(self):
        """Restart the schedule of rates with the next example."""
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
