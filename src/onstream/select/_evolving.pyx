"""A population that learns, votes and is renewed: members that differ in kind, behind one encoder.

Members go over a block of rows as those of any ensemble do. Then the rows are gone over once more, in
their order: the answers of all members become one, and each is judged by its own, given before it
learned the row. After every `interval` examples, at the end of a block that is cut there, the
search may replace members. So blocks, threads and single examples give the same bits.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport INFINITY, NAN, exp, fabs, isnan, log
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from ..core.batch cimport BatchModel
from ..core.classifier cimport ClassifierModel
from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, NO_MEMORY, Example
from ..core.gaussian cimport uniform
from ..core.rules.poisson cimport poisson
from ..core.sources cimport Source
from ..core.state_reader import StateReader
from ..core.task cimport Task
from ..ensemble._committee cimport Committee, RowBlock
from ..ensemble._ensemble cimport votes_room
from ..ensemble._member cimport SKIPPED, Member
from ..ensemble._reading cimport also_read, reading
from ..ensemble._member import export_model, restore_model
from .space import kinds, learner_of

cdef enum:
    MOST_TIMES = 100  # that an example counts
    ON_STACK = 256

cdef double RECENT = 0.95        # fading of what a vote weighs: the last 20 answers
cdef double RATE = 0.001         # of learning the weights of a mixture
cdef double LEAST_ODDS = 0.01    # smaller probabilities count as this one
cdef double SURE = 0.98          # no member is trusted more than that, or less than the rest
cdef double YOUNG = 10.0         # answers after which a member may be the best
cdef double FEW_ANSWERS = 4.5    # of numbers (about five), before a member's error is believed
cdef double TIE = 1e-9           # of a vote, by which the best member breaks ties
cdef double WIDEST = 18.0        # margin that still counts
cdef double LARGEST_ERROR = 1e50

RULES = {"majority": MAJORITY, "mean": MAJORITY, "weighted": WEIGHTED, "mixed": MIXED, "best": BEST}


cdef class EvolvingMember(Member):
    def __init__(self, space, dict genes, make, *, double lam, int64_t number, **common):
        Member.__init__(self, make, **common)
        self.space, self.genes, self.learner = space, genes, learner_of(space, genes)
        self.lam, self.number = lam, number
        self.forget_merits()

    def forget_merits(self):
        """Begin to judge it anew."""
        self.right = self.asked = self.use = 0.0
        self.lately, self.asked_lately = 0.0, 0.0
        if self.labelled is not None:
            self.lately, self.asked_lately = 0.5, 1.0

    @property
    def fitness(self):
        """The share of its answers that were right; of numbers, its mean squared error, negative."""
        if self.asked == 0.0:
            return float("-inf")
        return self.right / self.asked if self.labelled is not None else -self.right / self.asked

    @property
    def error(self):
        """The share of its answers that were wrong; of numbers, its mean squared error."""
        return -self.fitness if self.labelled is None or not self.asked else 1.0 - self.fitness

    @property
    def merit(self):
        """What the others would miss without it, in nats for each answer; or the fitness."""
        return self.use / self.asked if self.use != 0.0 else self.fitness

    @property
    def answers(self):
        """How many answers `error` stands for."""
        return self.asked

    def reward(self, least):
        """The fitness from 0 to 1; of numbers, the least error of all by its own."""
        if self.asked == 0.0:
            return 0.0
        return self.fitness if self.labelled is not None else (least + 1e-300) / (self.error + 1e-300)

    @property
    def width_known(self):
        """Features that there is room for."""
        return self.width

    @property
    def weights(self):
        """Of its answer and of its log probabilities, in a mixture."""
        return self.of_answer, self.of_odds

    # -- answers and lessons ------------------------------------------------------------------

    cdef int vote(self, const Example* e, double* out) noexcept nogil:
        cdef double* scores = out + max(1, self.n_labels)
        cdef int status = LEARNED
        if not self.asleep:
            status = self.model.score(e, scores)
        self.write_vote(self.asleep or self.model.state.seen == 0, scores, out)
        return status

    cdef int learn(self, const Example* e, uint64_t t, Py_ssize_t row, double* out) noexcept nogil:
        cdef int times = 1, status
        cdef bint fresh = self.model.state.seen == 0
        cdef double* scores = out + max(1, self.n_labels)
        if self.asleep:
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
        if self.labelled is None:
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
            out[best] = 1.0 / (1.0 + exp(-min(2.0 * fabs(scores[0]), WIDEST)))
            out[1 - best] = 1.0 - out[best]
        else:
            out[0] = 1.0
        if best >= 0:
            out[best] += TIE

    # -- lives --------------------------------------------------------------------------------

    def become(self, dict genes, int64_t number, int64_t t, EvolvingMember parent, bint keep):
        """Begin another life after example t: with what `parent` has learned, if that can be kept."""
        learner = learner_of(self.space, genes)
        fields = export_model(parent.model) if keep else None
        self.start(learner)
        if fields is not None:
            try:
                restore_model(self.model, StateReader(fields))
                self.model.reserve(max(self.width, self.features.width))
            except ValueError:  # they do not fit after all
                fields = None
                self.start(learner)
        self.genes, self.number, self.born, self.asleep = genes, number, t, False
        self.forget_merits()
        if fields is not None:  # it begins as it ended: the vote need not wait
            self.lately, self.asked_lately = parent.lately, parent.asked_lately
        return fields is not None

    def start(self, learner):
        """A model of this learner that has learned nothing."""
        self.make_otherwise(lambda generation: learner._new_model(), probabilistic(learner))
        self.learner = learner

    def sleep(self, bint forget):
        """Neither vote nor learn any more; and forget everything."""
        if forget and not self.asleep:
            self.start(self.learner)
        self.asleep = True

    def wake(self):
        """Vote and learn again."""
        self.asleep = False

    def weigh_as_one_of(self, Py_ssize_t n):
        """Begin in a mixture with an equal share."""
        self.of_answer = self.of_odds = 1.0 / n

    # -- to and from arrays -------------------------------------------------------------------

    def export(self):
        return {
            **Member.export(self),
            "paths": list(self.genes),
            "genes": np.array(list(self.genes.values()), dtype=np.float64),
            "life": np.array([self.number, self.born, self.asleep], dtype=np.int64),
            "merits": np.array([
                self.right, self.asked, self.lately, self.asked_lately, self.of_answer, self.of_odds,
                self.use,
            ]),
        }

    def restore(self, fields):
        paths = fields.names("paths", (str,))
        self.genes = dict(zip(paths, fields.array("genes", (len(paths),)).tolist(), strict=True))
        self.number, self.born, asleep = fields.integers("life", (3,), 0).tolist()
        self.asleep = bool(asleep)
        merits = fields.array("merits", (7,)).tolist()
        self.right, self.asked, self.lately, self.asked_lately, self.of_answer, self.of_odds = merits[:6]
        self.use = merits[6]
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


def probabilistic(learner):
    """Has it probabilities, so that its votes can be split?"""
    return hasattr(learner, "predict_proba_many")


cdef int32_t most_votes(const double* votes, Py_ssize_t k) noexcept nogil:
    """The label with most votes, the first of equals; -1: there is no vote."""
    cdef int32_t best = -1, r
    cdef double most = 0.0
    for r in range(<int32_t> k):
        if votes[r] > most:
            best, most = r, votes[r]
    return best


cdef void softmax(double* z, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t r
    cdef double top = -INFINITY, total = 0.0
    for r in range(k):
        top = max(top, z[r])
    for r in range(k):
        z[r] = exp(z[r] - top)
        total += z[r]
    for r in range(k):
        z[r] /= total


cdef class EvolvingLabelState(LabelEnsembleState):
    def __init__(self, search, members, *, n_jobs, rule, interval, fading):
        LabelEnsembleState.__init__(self, members, n_jobs=n_jobs)
        self.search, self.rule = search, RULES[rule]
        self.interval, self.fading = interval, fading

    def configure(self, encoder):
        configure(encoder, self.search.space)

    # -- one answer of many -------------------------------------------------------------------

    cdef Py_ssize_t best(self) noexcept nogil:
        """The member that was right most often; one that is young has to wait."""
        cdef Py_ssize_t m, best = 0
        cdef double most = -1.0, merit
        for m in range(self.committee.n):
            if not (<EvolvingMember> self.committee.at[m]).asleep:
                merit = (<EvolvingMember> self.committee.at[m]).right / (
                    (<EvolvingMember> self.committee.at[m]).asked + YOUNG)
                if merit > most:
                    best, most = m, merit
        return best

    cdef double trust(self, Py_ssize_t m) noexcept nogil:
        """Log odds that a member is right, by its latest answers; 0: no better than chance."""
        cdef double share = (<EvolvingMember> self.committee.at[m]).lately / (
            <EvolvingMember> self.committee.at[m]).asked_lately
        share = min(max(share, 1.0 - SURE), SURE)
        return max(0.0, log(share * max(1, self.n_labels - 1) / (1.0 - share)))

    cdef void weigh(self, double* votes, Py_ssize_t stride, double* z) noexcept nogil:
        """What all answers say for each label (`z`): of a mixture its probabilities. Behind the
        answer of a member its log odds are left for `judge`."""
        cdef Py_ssize_t m, r, k = self.n_labels, n = self.committee.n, best = 0
        cdef int32_t pick
        cdef double* p
        if n > 1:
            best = self.best()
        for r in range(k):
            z[r] = 0.0
        if n == 1 or self.rule == BEST:
            for r in range(k):
                z[r] = votes[best * stride + r]
            if n == 1 or most_votes(z, k) >= 0:
                return
        for m in range(n):
            p = votes + m * stride
            pick = most_votes(p, k)
            if pick < 0:
                continue
            z[pick] += TIE * (1.0 + (m == best))
            if self.rule == WEIGHTED:
                z[pick] += self.trust(m)
            elif self.rule == MIXED:
                z[pick] += (<EvolvingMember> self.committee.at[m]).of_answer * self.trust(m)
                log_odds(p, k, p + k)
                for r in range(k):
                    z[r] += (<EvolvingMember> self.committee.at[m]).of_odds * p[k + r]
            else:
                z[pick] += 1.0
        if self.rule == MIXED and k > 0:
            softmax(z, k)

    cdef void answer(self, const double* votes, Py_ssize_t stride, double* z, double* out) noexcept nogil:
        """The scores of all."""
        self.weigh(<double*> votes, stride, z)
        self.combine(z, out)

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef double few[ON_STACK]
        cdef Py_ssize_t m, k = self.n_labels, stride = 2 * max(1, k), n = self.committee.n
        cdef double* votes = votes_room(few, n * stride + k)
        cdef int status = LEARNED
        if votes == NULL:
            return NO_MEMORY
        for m in range(n):
            status = self.committee.vote(m, e, votes + m * stride)
            if status != LEARNED:
                break
        if status == LEARNED:
            self.answer(votes, stride, votes + n * stride, out)
        if votes != few:
            PyMem_RawFree(votes)
        return status

    cdef void add_votes(self, RowBlock* b, Py_ssize_t row, double* out) noexcept nogil:
        cdef double few[ON_STACK]
        cdef double* z = votes_room(few, self.n_labels)
        if z == NULL:
            LabelEnsembleState.add_votes(self, b, row, out)
            return
        self.answer(self.committee.vote_of(b, 0, row), b.n * b.size, z, out)
        if z != few:
            PyMem_RawFree(z)

    # -- learning -----------------------------------------------------------------------------

    cdef void judge(self, double* votes, Py_ssize_t stride, double* z, int32_t label, bint new_label) noexcept nogil:
        """Learn from a row what each member's answer was worth. `z`: what `weigh` has said."""
        cdef Py_ssize_t m, k = self.n_labels
        cdef int32_t pick
        cdef double* p
        cdef bint right
        cdef bint mixing = self.rule == MIXED and self.committee.n > 1 and not new_label and k > 1
        if mixing:
            self.miss(votes, stride, z, label)
        for m in range(self.committee.n):
            if (<EvolvingMember> self.committee.at[m]).asleep:
                continue
            p = votes + m * stride
            pick = most_votes(p, k)
            if mixing and pick >= 0:
                self.shift_weights(m, p, z, pick, label)
            right = not new_label and pick == label
            (<EvolvingMember> self.committee.at[m]).right = (
                self.fading * (<EvolvingMember> self.committee.at[m]).right + right)
            (<EvolvingMember> self.committee.at[m]).asked = (
                self.fading * (<EvolvingMember> self.committee.at[m]).asked + 1.0)
            (<EvolvingMember> self.committee.at[m]).lately = (
                RECENT * (<EvolvingMember> self.committee.at[m]).lately + right)
            (<EvolvingMember> self.committee.at[m]).asked_lately = (
                RECENT * (<EvolvingMember> self.committee.at[m]).asked_lately + 1.0)

    cdef void miss(self, const double* votes, Py_ssize_t stride, const double* z, int32_t label) noexcept nogil:
        """How much larger the log loss of the mixture would have been without each member."""
        cdef Py_ssize_t m, r, k = self.n_labels
        cdef int32_t pick
        cdef double all, own, at_label, without
        cdef const double* p
        for m in range(self.committee.n):
            if (<EvolvingMember> self.committee.at[m]).asleep:
                continue
            p = votes + m * stride
            pick = most_votes(p, k)
            without = 0.0
            if pick >= 0:
                all = at_label = 0.0
                for r in range(k):
                    own = (<EvolvingMember> self.committee.at[m]).of_odds * p[k + r]
                    if r == pick:
                        own += (<EvolvingMember> self.committee.at[m]).of_answer * self.trust(m)
                    own = z[r] * exp(-own)
                    all += own
                    if r == label:
                        at_label = own
                without = log(max(z[label], 1e-9)) - log(max(at_label / all, 1e-9))
            (<EvolvingMember> self.committee.at[m]).use = (
                self.fading * (<EvolvingMember> self.committee.at[m]).use + without)

    cdef void shift_weights(
        self, Py_ssize_t m, const double* p, const double* z, int32_t pick, int32_t label
    ) noexcept nogil:
        """A step down the gradient of the log loss of the mixture."""
        cdef Py_ssize_t r
        cdef double slope = self.trust(m) * ((pick == label) - z[pick])
        (<EvolvingMember> self.committee.at[m]).of_answer = max(
            0.0, (<EvolvingMember> self.committee.at[m]).of_answer + RATE * slope)
        slope = 0.0
        for r in range(self.n_labels):
            slope += ((r == label) - z[r]) * p[self.n_labels + r]
        (<EvolvingMember> self.committee.at[m]).of_odds = max(
            0.0, (<EvolvingMember> self.committee.at[m]).of_odds + RATE * slope)

    cdef int learn_one(self, const Example* e, double* out) noexcept nogil:
        cdef double few[ON_STACK]
        cdef Py_ssize_t k = self.n_labels, stride = 2 * max(1, k), n = self.committee.n
        cdef double* votes = votes_room(few, n * stride + k)
        cdef double* z = votes + n * stride
        cdef Example own = e[0]
        cdef RowBlock b
        cdef int64_t refused
        if votes == NULL:
            return NO_MEMORY
        self.committee.one_row(&b, &own, votes, k)
        b.first = self.seen
        self.committee.advance(&b)
        if b.status == LEARNED:
            self.weigh(votes, stride, z)
            if out != NULL:
                self.combine(z, out)
            self.judge(votes, stride, z, e.label, e.label == (<EvolvingMember> self.committee.at[0]).new_label)
        if votes != few:
            PyMem_RawFree(votes)
        refused = self.committee.refusals()
        if b.status == LEARNED:
            if refused:
                self.missed += refused
                self.doubtful = True
            if self.until_turn() == 1:
                self.end_turn(self.seen + 1)
        return b.status

    cdef Py_ssize_t learn_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, Py_ssize_t known, double* out
    ) noexcept nogil:
        cdef RowBlock b
        cdef double few[ON_STACK]
        cdef double* z
        cdef double* votes
        cdef Py_ssize_t r
        cdef int64_t refused
        stop = min(stop, start + self.until_turn())
        z = votes_room(few, self.n_labels)
        if self.seen == 0 or z == NULL:
            return 0
        if not self.committee.open_block(&b, stop - start, self.n_labels, True, True):
            if z != few:
                PyMem_RawFree(z)
            return 0
        b.first = self.seen
        if self.committee.fill(&b, source, start, stop, task, known, self.first_sign):
            self.committee.advance(&b)
            for r in range(b.n):
                votes = self.committee.vote_of(&b, 0, r)
                self.weigh(votes, b.n * b.size, z)
                if out != NULL:
                    self.combine(z, out + r * self.outputs())
                self.judge(votes, b.n * b.size, z, b.rows[r].label, False)
        self.committee.close_block(&b)
        if z != few:
            PyMem_RawFree(z)
        refused = self.committee.refusals()
        if refused:
            self.missed += refused
            self.doubtful = True
        if b.n and self.until_turn() == b.n:
            self.end_turn(self.seen + b.n)
        self.seen += b.n
        return b.n

    cdef int64_t until_turn(self) noexcept nogil:
        """Examples to come before the search may replace members."""
        return self.interval - self.seen % self.interval if self.interval else 2**62

    cdef void end_turn(self, int64_t t) noexcept nogil:
        with gil:
            turn(self.search, self.committee, t, self.n_labels)

    # -- to and from arrays -------------------------------------------------------------------

    def export_own(self):
        return {**LabelEnsembleState.export_own(self), "search": self.search.export()}

    def restore_own(self, fields):
        LabelEnsembleState.restore_own(self, fields)
        self.committee.look()
        own = fields.child("search")
        self.search.restore(own)
        own.done()

    def memory(self):
        return LabelEnsembleState.memory(self) + self.search.memory()


cdef void log_odds(const double* p, Py_ssize_t k, double* out) noexcept nogil:
    """Logarithms of probabilities, less their mean."""
    cdef Py_ssize_t r
    cdef double least = min(LEAST_ODDS, 0.5 / k), mean = 0.0
    for r in range(k):
        out[r] = log(max(p[r], least))
        mean += out[r] / k
    for r in range(k):
        out[r] -= mean


cdef int turn(search, Committee committee, int64_t t, Py_ssize_t n_labels) noexcept:
    """Let the search replace members; without memory it waits for the next turn."""
    try:
        search.turn(committee.members, t, n_labels)
    except MemoryError:
        pass
    committee.look()
    return 0


cdef class EvolvingNumberState(NumberEnsembleState):
    def __init__(self, search, members, *, n_jobs, rule, interval, fading):
        NumberEnsembleState.__init__(self, members, n_jobs=n_jobs)
        self.search, self.rule = search, RULES[rule]
        self.interval, self.fading = interval, fading

    def configure(self, encoder):
        configure(encoder, self.search.space)

    # -- one answer of many -------------------------------------------------------------------

    cdef Py_ssize_t best(self) noexcept nogil:
        """The member with the smallest errors; one that is young has to wait."""
        cdef Py_ssize_t m, best = -1
        cdef double least = INFINITY, error
        for m in range(self.committee.n):
            if (<EvolvingMember> self.committee.at[m]).asleep:
                continue
            error = (<EvolvingMember> self.committee.at[m]).right / (
                (<EvolvingMember> self.committee.at[m]).asked + 1e-12)
            if (<EvolvingMember> self.committee.at[m]).asked < YOUNG:
                error = LARGEST_ERROR * LARGEST_ERROR
            if best < 0 or error < least:
                best, least = m, error
        return max(best, 0)

    cdef double lately(self, Py_ssize_t m) noexcept nogil:
        """The mean squared error of a member's latest answers; of too few: it is unknown."""
        if (<EvolvingMember> self.committee.at[m]).asked_lately < FEW_ANSWERS:
            return INFINITY
        return (<EvolvingMember> self.committee.at[m]).lately / (
            <EvolvingMember> self.committee.at[m]).asked_lately

    cdef double combine(self, double* votes, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t m, best = self.best() if n > 1 else 0
        cdef double total = 0.0, all = 0.0, least = INFINITY, weight
        if (n == 1 or self.rule == BEST) and not isnan(votes[best]):
            return votes[best]
        for m in range(n):
            if not isnan(votes[m]):
                least = min(least, self.lately(m))
        for m in range(n):
            if isnan(votes[m]):
                continue
            weight = 1.0
            if self.rule == WEIGHTED and least < INFINITY:
                weight = (least + 1e-300) / (self.lately(m) + 1e-300)
                weight *= weight
            total += weight * votes[m]
            all += weight
        return total / all if all > 0.0 else 0.0

    # -- learning -----------------------------------------------------------------------------

    cdef void judge(self, const double* votes, Py_ssize_t stride, double y) noexcept nogil:
        """Learn from a row what each member's answer was worth."""
        cdef Py_ssize_t m
        cdef double error
        for m in range(self.committee.n):
            error = votes[m * stride]
            if (<EvolvingMember> self.committee.at[m]).asleep or isnan(error):
                continue
            error = min(fabs(error - y), LARGEST_ERROR)
            error *= error
            (<EvolvingMember> self.committee.at[m]).right = (
                self.fading * (<EvolvingMember> self.committee.at[m]).right + error)
            (<EvolvingMember> self.committee.at[m]).asked = (
                self.fading * (<EvolvingMember> self.committee.at[m]).asked + 1.0)
            (<EvolvingMember> self.committee.at[m]).lately = (
                RECENT * (<EvolvingMember> self.committee.at[m]).lately + error)
            (<EvolvingMember> self.committee.at[m]).asked_lately = (
                RECENT * (<EvolvingMember> self.committee.at[m]).asked_lately + 1.0)

    cdef int learn_one(self, const Example* e, double* out) noexcept nogil:
        cdef double few[ON_STACK]
        cdef double* votes = votes_room(few, 3 * self.committee.n)
        cdef Example own = e[0]
        cdef RowBlock b
        cdef int64_t refused
        if votes == NULL:
            return NO_MEMORY
        self.committee.one_row(&b, &own, votes, 1)
        b.first = self.seen
        self.committee.advance(&b)
        if b.status == LEARNED:
            if out != NULL:
                out[0] = self.gather(&b, 0, votes + 2 * self.committee.n)
            self.judge(votes, b.size, e.y)
        if votes != few:
            PyMem_RawFree(votes)
        refused = self.committee.refusals()
        if b.status == LEARNED:
            if refused:
                self.missed += refused
                self.doubtful = True
            if self.until_turn() == 1:
                self.end_turn(self.seen + 1)
        return b.status

    cdef Py_ssize_t learn_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, Py_ssize_t known, double* out
    ) noexcept nogil:
        cdef RowBlock b
        cdef double few[ON_STACK]
        cdef double* votes
        cdef Py_ssize_t r
        cdef int64_t refused
        stop = min(stop, start + self.until_turn())
        votes = votes_room(few, self.committee.n)
        if votes == NULL:
            return 0
        if not self.committee.open_block(&b, stop - start, 1, True, True):
            if votes != few:
                PyMem_RawFree(votes)
            return 0
        b.first = self.seen
        if self.committee.fill(&b, source, start, stop, task, known, 0.0):
            self.committee.advance(&b)
            for r in range(b.n):
                if out != NULL:
                    out[r] = self.gather(&b, r, votes)
                self.judge(self.committee.vote_of(&b, 0, r), b.n * b.size, b.rows[r].y)
        self.committee.close_block(&b)
        if votes != few:
            PyMem_RawFree(votes)
        refused = self.committee.refusals()
        if refused:
            self.missed += refused
            self.doubtful = True
        if b.n and self.until_turn() == b.n:
            self.end_turn(self.seen + b.n)
        self.seen += b.n
        return b.n

    cdef int64_t until_turn(self) noexcept nogil:
        """Examples to come before the search may replace members."""
        return self.interval - self.seen % self.interval if self.interval else 2**62

    cdef void end_turn(self, int64_t t) noexcept nogil:
        with gil:
            turn(self.search, self.committee, t, 0)

    # -- to and from arrays -------------------------------------------------------------------

    def export_own(self):
        return {**NumberEnsembleState.export_own(self), "search": self.search.export()}

    def restore_own(self, fields):
        NumberEnsembleState.restore_own(self, fields)
        self.committee.look()
        own = fields.child("search")
        self.search.restore(own)
        own.done()

    def memory(self):
        return NumberEnsembleState.memory(self) + self.search.memory()
