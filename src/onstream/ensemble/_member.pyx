"""A member of an ensemble: a model behind the encoder that all members share.

Members know nothing of each other, so that each can go over many rows while others do the same in
other threads. A vote is one number for each label, or the prediction of a number (NaN: none yet).
"""

from libc.math cimport NAN
from libc.stdint cimport int32_t, uint64_t

import numpy as np

from ..core.batch cimport BatchModel
from ..core.classifier cimport ClassifierModel, ClassifierState
from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, NO_MEMORY, Example
from ..core.work import undisturbed
from ._reading cimport ReadingState, adapt

cdef enum:
    MARKS = 1000  # most marks that are kept


cdef class Member:
    def __init__(self, make, *, bint probabilistic, uint64_t seed):
        self.make, self.probabilistic, self.seed = make, probabilistic, seed
        self.model = make(0)
        self.labelled = isinstance(self.model, ClassifierModel)
        self.first_sign, self.new_label = -1.0, -1
        self.marks = []

    # -- what a kind of ensemble implements ---------------------------------------------------

    cdef int vote(self, const Example* e, double* out) noexcept nogil:
        """Its vote, and behind that as much scratch memory. Changes nothing."""
        return self.score_as_votes(self.model, e, out)

    cdef int learn(self, const Example* e, uint64_t t, Py_ssize_t row, double* out) noexcept nogil:
        """Vote (to `out`, unless NULL), then learn the example: number t of all, `row` of the block.
        SKIPPED, or another status: it is as before."""
        return LEARNED

    cdef int mark(self, uint64_t t) except -1:
        """Note that it began anew after example t."""
        self.marks.append(int(t))
        del self.marks[:-MARKS]
        return 0

    # -- models -------------------------------------------------------------------------------

    cdef BatchModel new_model(self):
        """A model, as `make` makes them, that has learned nothing."""
        cdef BatchModel model = self.make(self.generation + 1)
        adapt(model, self.features, self.encoder)
        model.share(self.features, self.encoder)
        model.reserve(max(self.width, self.features.width))
        if self.labelled:
            (<ClassifierModel> model).classes.labels = self.labels
            labels_of(model, self.n_labels, self.first_sign)
        model.state.catch_up()
        self.generation += 1
        return model

    cdef BatchModel successor(self):
        """The same; None: there is no memory, though it was tried twice. No signal breaks it off."""
        try:
            return undisturbed(self.try_twice)
        except MemoryError:
            return None

    def try_twice(self):
        """A new model; what was short of memory once may have it then."""
        try:
            return self.new_model()
        except MemoryError:
            return self.new_model()

    cpdef int make_otherwise(self, object make, bint probabilistic) except -1:
        """Become another kind of learner, one that has learned nothing. Not within a block; the
        committee must `look` again. What it wants of the encoder must be there (`also_read`)."""
        before, self.make = self.make, make
        try:
            self.model, self.background = self.new_model(), None
        except:
            self.make = before
            raise
        self.probabilistic = probabilistic
        return 0

    def models(self):
        """All models that it holds, that in force first."""
        return [self.model] if self.background is None else [self.model, self.background]

    def voting(self):
        """The models that its vote comes from."""
        return [self.model]

    def connect(self, Encoder features, Encoder encoder):
        """Stand behind this encoder."""
        cdef BatchModel model
        self.features, self.encoder = features, encoder
        for model in self.models():
            adapt(model, features, encoder)
            model.share(features, encoder)

    def use_labels(self, labels):
        """Share the labels of the ensemble."""
        cdef BatchModel model
        self.labels = labels
        for model in self.models():
            (<ClassifierModel> model).classes.labels = labels

    cdef int make_room(self, Py_ssize_t width) except -1:
        cdef BatchModel model
        for model in self.models():
            model.reserve(width)
        self.width = max(self.width, width)
        return 0

    cdef int drop_room(self, Py_ssize_t width) except -1:
        """Features from `width` on were rolled back."""
        cdef BatchModel model
        self.width = min(self.width, width)
        for model in self.models():
            if model.front is not None:
                model.state.shrink(model.front.pass_shrink(width))
            else:
                model.state.shrink(width)
        return 0

    cdef int set_labels(self, Py_ssize_t n, double first_sign) except -1:
        cdef BatchModel model
        for model in self.models():
            (<ClassifierModel> model).classes.first_sign = first_sign
            (<ClassifierModel> model).classes.n_labels = <int32_t> n
            (<ClassifierModel> model).classes.set_labels(n)
        self.new_label = <int32_t> n - 1 if n > self.n_labels else -1
        self.n_labels, self.first_sign = n, first_sign
        return 0

    cdef int commit_label(self) except -1:
        """Nothing is allocated here: the example has been learned."""
        self.new_label = -1
        (<ClassifierModel> self.model).classes.commit_label()
        if self.background is not None:
            (<ClassifierModel> self.background).classes.commit_label()
        return 0

    # -- scores and votes ---------------------------------------------------------------------

    cdef int score_as_votes(self, BatchModel model, const Example* e, double* out) noexcept nogil:
        """The vote of a model; the second half of `out` is scratch memory."""
        cdef double* scores = out + self.n_labels
        cdef int status
        if not self.labelled:
            status = model.score(e, out)
            self.as_votes(model, out, out)
            return status
        status = model.score(e, scores)
        if status == LEARNED:
            self.as_votes(model, scores, out)
        return status

    cdef void as_votes(self, BatchModel model, const double* scores, double* out) noexcept nogil:
        """Scores as a vote: probabilities, or all for one label; nothing before it has learned."""
        cdef Py_ssize_t r
        cdef int32_t best
        if not self.labelled:
            out[0] = scores[0] if model.state.seen else NAN
            return
        for r in range(self.n_labels):
            out[r] = 0.0
        if model.state.seen == 0 or self.n_labels == 0:
            return
        if self.probabilistic:
            (<ClassifierModel> model).probabilities(scores, out)
            return
        best = (<ClassifierModel> model).classes.decide(scores)
        if best >= 0:
            out[best] = 1.0

    cdef int learn_times(
        self, BatchModel model, const Example* e, double times, double* scores
    ) noexcept nogil:
        """Learn the example with `times` its weight; its scores before go to `scores`, unless NULL.
        Without memory it is tried once more, since the others may have learned it already."""
        cdef Example counted = e[0]
        cdef int status = NO_MEMORY, tries = 2
        counted.weight *= times
        while status == NO_MEMORY and tries > 0:
            status = model.learn(&counted) if scores == NULL else model.score_learn(&counted, scores)
            tries -= 1
        if status == LEARNED:
            model.state.seen += 1
        else:
            self.refused += 1
        return status

    # -- to and from arrays -------------------------------------------------------------------

    def export(self):
        """Everything that it has learned."""
        return {"model": export_model(self.model), "generation": self.generation, "marks": np.array(self.marks, dtype=np.int64)}

    def restore(self, fields):
        """Restore what `export` exported (a `StateReader`); features and labels are known."""
        self.generation = fields.integer("generation", 0, 2**61)
        self.marks = fields.integers("marks", (-1,), 0, 2**61).tolist()[-MARKS:]
        if self.first_generation():
            self.model = self.made_again(self.first_generation())
        restore_model(self.model, fields.child("model"))

    def first_generation(self):
        """The generation of the model in force."""
        return self.generation

    def made_again(self, generation):
        """The model of a generation, as it was when it was new."""
        latest, self.generation = self.generation, generation - 1
        model = self.new_model()
        self.generation = latest
        return model

    def memory(self):
        """Bytes in use."""
        cdef BatchModel model
        held = 200
        for model in self.models():
            held += 600 + model.state.memory() + sum([400 + step.own_bytes() for step in model.steps()])
        return held


cdef int labels_of(BatchModel model, Py_ssize_t n, double first_sign) except -1:
    """Let a new model know this number of labels."""
    cdef ClassifierState classes = (<ClassifierModel> model).classes
    cdef int32_t k
    classes.first_sign = first_sign
    for k in range(1, <int32_t> n + 1):
        classes.n_labels = k
        classes.set_labels(k)
    return classes.commit_label()


def export_model(BatchModel model):
    """What a model has learned, without names."""
    fields = {"seen": model.state.seen, "start": model.state.start, **model.state.export_own()}
    steps = {str(i): step.export_step() for i, step in enumerate(own_steps(model))}
    if steps:
        fields["steps"] = steps
    if isinstance(model.front, ReadingState):
        fields["reading"] = model.front.export_step()
    return fields


def own_steps(BatchModel model):
    """Its steps, but for the one that an ensemble has put before it."""
    return [step for step in model.steps() if not isinstance(step, ReadingState)]


def restore_model(BatchModel model, fields):
    """Restore what `export_model` exported."""
    model.state.seen = fields.integer("seen", 0, 2**61)
    model.state.start = fields.integer("start", 0, model.state.seen)
    if isinstance(model.front, ReadingState):
        if fields.missing("reading"):  # it stood behind steps, and saw numbers only
            (<ReadingState> model.front).meet_all()
        else:
            own = fields.child("reading")
            model.front.restore_step(own)
            own.done()
    if own_steps(model):
        width = model.front.features.width
        steps = fields.child("steps")
        for i, step in enumerate(own_steps(model)):
            model.front.pass_room(width)  # what a step makes of features may depend on those before it
            own = steps.child(str(i))
            step.restore_step(own)
            own.done()
        model.front.pass_room(width)
        steps.done()
    model.state.restore_own(fields)
    fields.done()
