"""A member of a population: it can become any learner of a space, and its answers are judged."""

from functools import partial

from libc.math cimport NAN, exp, fabs
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from ..core.classifier cimport ClassifierModel
from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, Example
from ..core.gaussian cimport uniform
from ..core.rules.poisson cimport poisson
from ..core.state_reader import StateReader
from ..core.work import undisturbed
from ..ensemble._committee cimport Committee
from ..ensemble._member cimport SKIPPED, Member
from ..ensemble._reading cimport also_read, reading
from ..ensemble._member import export_model, restore_model
from ._votes cimport softmax
from .space import kinds, learner_of

cdef enum:
    MOST_TIMES = 100  # that an example counts

cdef double WIDEST = 18.0  # margin that still counts
cdef double TIE = 1e-13    # by which the label that it names is ahead


cdef class EvolvingMember(Member):
    def __init__(self, space, dict genes, learner, *, double lam, int64_t number, **common):
        Member.__init__(self, maker(learner), probabilistic=probabilistic(learner), **common)
        self.space, self.genes, self.learner = space, genes, learner
        self.lam, self.number = lam, number
        self.forget_merits()

    def forget_merits(self):
        """Begin to judge it anew."""
        self.merits.right = self.merits.asked = self.merits.use = 0.0
        self.merits.lately, self.merits.asked_lately = 0.0, 0.0
        if self.labelled:
            self.merits.lately, self.merits.asked_lately = 0.5, 1.0

    @property
    def asleep(self):
        """It neither votes nor learns."""
        return bool(self.merits.asleep)

    @property
    def fitness(self):
        """The share of its answers that were right; of numbers, its mean squared error, negative."""
        if self.merits.asked == 0.0:
            return float("-inf")
        share = self.merits.right / self.merits.asked
        return share if self.labelled else -share

    @property
    def error(self):
        """The share of its answers that were wrong; of numbers, its mean squared error."""
        return -self.fitness if not self.labelled or not self.merits.asked else 1.0 - self.fitness

    @property
    def merit(self):
        """What the others would miss without it, in nats for each answer; or the fitness."""
        return self.merits.use / self.merits.asked if self.merits.use != 0.0 else self.fitness

    @property
    def answers(self):
        """How many answers `error` stands for."""
        return self.merits.asked

    def reward(self, least):
        """The fitness from 0 to 1; of numbers, the least error of all by its own."""
        if self.merits.asked == 0.0:
            return 0.0
        return self.fitness if self.labelled else (least + 1e-300) / (self.error + 1e-300)

    @property
    def width_known(self):
        """Features that there is room for."""
        return self.width

    @property
    def weights(self):
        """Of its answer and of its log probabilities, in a mixture."""
        return self.merits.of_answer, self.merits.of_odds

    # -- answers and lessons ------------------------------------------------------------------

    cdef int vote(self, const Example* e, double* out) noexcept nogil:
        cdef double* scores = out + max(1, self.n_labels)
        cdef int status = LEARNED
        if not self.merits.asleep:
            status = self.model.score(e, scores)
        self.write_vote(self.merits.asleep or self.model.state.seen == 0, scores, out)
        return status

    cdef int learn(self, const Example* e, uint64_t t, Py_ssize_t row, double* out) noexcept nogil:
        cdef int times = 1, status
        cdef bint fresh = self.model.state.seen == 0
        cdef double* scores = out + max(1, self.n_labels)
        if self.merits.asleep:
            self.write_vote(True, NULL, out)
            return SKIPPED
        if self.lam > 0.0:
            times = poisson(self.lam, uniform(self.seed, t), MOST_TIMES)
        if times == 0:
            status = self.vote(e, out)
            self.refused += status != LEARNED
            return SKIPPED if status == LEARNED else status
        status = self.learn_times(self.model, e, times, scores)
        self.write_vote(fresh or status != LEARNED, scores, out)
        return status

    cdef void write_vote(self, bint none, const double* scores, double* out) noexcept nogil:
        """The vote that these scores from before the lesson amount to, or none. Margins count as
        log odds. The label that it names itself has the largest share, also among equals."""
        cdef Py_ssize_t r
        cdef int32_t best
        if not self.labelled:
            out[0] = NAN if none else scores[0]
            return
        if none or self.n_labels == 0:
            for r in range(self.n_labels):
                out[r] = 0.0
            return
        best = (<ClassifierModel> self.model).classes.decide(scores)
        if self.probabilistic:
            (<ClassifierModel> self.model).probabilities(scores, out)
        elif self.n_labels > 2:
            for r in range(self.n_labels):
                out[r] = max(scores[r] - scores[best], -WIDEST)
            softmax(out, self.n_labels)
        elif self.n_labels == 2:
            out[best] = 1.0 / (1.0 + exp(-min(fabs(scores[0]), WIDEST)))
            out[1 - best] = 1.0 - out[best]
        else:
            out[0] = 1.0
        if best >= 0:
            out[best] += TIE

    # -- lives --------------------------------------------------------------------------------

    def become(self, dict genes, learner, int64_t number, int64_t t, EvolvingMember parent, bint keep):
        """Begin another life after example t: with what `parent` has learned, if that can be kept."""
        kept = self.begin(genes, learner, number, t, export_model(parent.model) if keep else None)
        if kept:  # it begins as it ended: the vote need not wait
            self.merits.lately, self.merits.asked_lately = parent.merits.lately, parent.merits.asked_lately
        if self.orders is not None:
            self.orders.append((self, "begin", (genes, number, t), parent if kept else None))
        return kept

    def begin(self, dict genes, learner, int64_t number, int64_t t, fields):
        """The same with what `export_model` has exported; None: with nothing. Could it be kept?"""
        before = self.make, self.model, self.probabilistic, self.learner
        try:
            self.start(learner)
            if fields is not None:
                try:
                    restore_model(self.model, StateReader(fields))
                    self.model.reserve(max(self.width, self.features.width))
                except ValueError:  # they do not fit after all
                    fields = None
                    self.start(learner)
        except:
            self.make, self.model, self.probabilistic, self.learner = before
            raise
        self.genes, self.number, self.born, self.merits.asleep = genes, number, t, False
        self.forget_merits()
        return fields is not None

    def learned(self):
        """What `begin` takes."""
        return export_model(self.model)

    def start(self, learner):
        """A model of this learner that has learned nothing."""
        self.make_otherwise(maker(learner), probabilistic(learner))
        self.learner = learner

    def sleep(self, bint forget):
        """Neither vote nor learn any more; and forget everything."""
        if forget and not self.merits.asleep:
            self.start(self.learner)
        self.merits.asleep = True
        if self.orders is not None:
            self.orders.append((self, "sleep", (forget,), None))

    def wake(self):
        """Vote and learn again."""
        self.merits.asleep = False
        if self.orders is not None:
            self.orders.append((self, "wake", (), None))

    def reset_schedule(self):
        """Restart rates that fall with the number of examples."""
        self.model.state.reset_schedule()

    def weigh_as_one_of(self, Py_ssize_t n):
        """Begin in a mixture with an equal share."""
        self.merits.of_answer = self.merits.of_odds = 1.0 / n

    def lose_vote(self):
        """Begin in a mixture without a vote: it has to be earned."""
        self.merits.of_answer = self.merits.of_odds = 0.0

    # -- to and from arrays -------------------------------------------------------------------

    def export(self):
        return {
            **Member.export(self),
            "paths": list(self.genes),
            "genes": np.array(list(self.genes.values()), dtype=np.float64),
            "life": np.array([self.number, self.born, self.merits.asleep], dtype=np.int64),
            "merits": np.array([
                self.merits.right, self.merits.asked, self.merits.lately, self.merits.asked_lately, self.merits.of_answer, self.merits.of_odds,
                self.merits.use,
            ]),
        }

    def restore(self, fields):
        paths = fields.names("paths", (str,))
        self.genes = dict(zip(paths, fields.array("genes", (len(paths),)).tolist(), strict=True))
        self.number, self.born, asleep = fields.integers("life", (3,), 0).tolist()
        self.merits.asleep = bool(asleep)
        merits = fields.array("merits", (7,)).tolist()
        self.merits.right, self.merits.asked, self.merits.lately, self.merits.asked_lately, self.merits.of_answer, self.merits.of_odds = merits[:6]
        self.merits.use = merits[6]
        self.start(learner_of(self.space, self.genes))
        Member.restore(self, fields)

    def first_generation(self):
        return 0  # `restore` has made the model

    def memory(self):
        return Member.memory(self) + 200 * len(self.genes)


cdef int configure(Encoder encoder, space) except -1:
    """Let the encoder keep what any learner of the space wants to see."""
    for learner in kinds(space):
        also_read(encoder, reading(learner._new_model()))
    return 0


def maker(learner):
    """What makes its models."""
    return lambda generation: learner._new_model()


def probabilistic(learner):
    """Has it probabilities, so that its votes can be split?"""
    return hasattr(learner, "predict_proba_many")


cdef void end_turn(
    search, Committee committee, Encoder features, Py_ssize_t width, int64_t t, Py_ssize_t n_labels
) noexcept nogil:
    """After example t, at the end of an interval; there were `width` features by then."""
    with gil:
        turn(search, committee, features, width, t, n_labels)


cdef int turn(
    search, Committee committee, Encoder features, Py_ssize_t width, int64_t t, Py_ssize_t n_labels
) noexcept:
    """Let the search replace members; without memory it waits for the next turn. Features of the
    examples just learned count as known meanwhile: a child gets what its parent learned of them."""
    cdef Py_ssize_t before = features.width
    features.width = max(before, width)
    try:
        undisturbed(partial(search.turn, committee.members, t, n_labels))
    except MemoryError:
        pass
    finally:
        features.width = before
    look_again(committee)
    if committee.relay is not None:
        committee.relay()
    return 0


cdef int look_again(Committee committee) except -1:
    """Members may have become others."""
    return committee.look()
