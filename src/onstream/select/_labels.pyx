"""A population that learns, votes and is renewed: members that differ in kind, behind one encoder.

Members go over a block of rows as those of any ensemble do. Then the rows are gone over once more, in
their order: the answers of all members become one, and each is judged by its own, given before it
learned the row. After every `interval` examples, at the end of a block that is cut there, the
search may replace members. So blocks, threads and single examples give the same bits.
"""

from cpython.mem cimport PyMem_RawFree
from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from ..core.example cimport LEARNED, NO_MEMORY, Example
from ..core.memory cimport release, resize
from ..core.sources cimport Source
from ..core.task cimport Task
from ..ensemble._committee cimport RowBlock
from ..ensemble._ensemble cimport votes_room
from ..ensemble._member cimport vote_size
from ._evolving_member cimport Merits, configure, end_turn, look_again, merits_of
from ._votes cimport log_odds, most_votes, softmax

cdef enum:
    MAJORITY = 0  # how answers become one: all count the same,
    WEIGHTED = 1  # by what they were worth lately,
    MIXED = 2     # by weights that are learned,
    BEST = 3      # the best member alone
    ON_STACK = 256

cdef double RECENT = 0.95        # fading of what a vote weighs: about the last 20 answers
cdef double RATE = 0.001         # of learning the weights of a mixture
cdef double SURE = 0.98          # no member is trusted more than that, or less than the rest
cdef double YOUNG = 10.0         # wrong answers that every member is given, when the best is sought
cdef double TIE = 1e-13          # of a vote, by which the best member breaks ties

RULES = {"majority": MAJORITY, "weighted": WEIGHTED, "mixed": MIXED, "best": BEST}


cdef class EvolvingLabelState(LabelEnsembleState):
    def __dealloc__(self):
        release(self.come)

    cdef int set_labels(self, Py_ssize_t n) except -1:
        if n > self.room:
            self.come = <uint8_t*> resize(self.come, self.room, 2 * n)
            self.room = 2 * n
        return LabelEnsembleState.set_labels(self, n)

    def __init__(self, search, members, *, n_jobs, rule, interval, fading):
        LabelEnsembleState.__init__(self, members, n_jobs=n_jobs)
        self.search, self.rule = search, RULES[rule]
        self.interval, self.fading = interval, fading

    def configure(self, encoder):
        configure(encoder, self.search.space)

    def only_vote(self):
        """Hold a group of the members: others judge them, and say what becomes of them."""
        self.votes_only = True

    # -- one answer of many -------------------------------------------------------------------

    cdef Py_ssize_t best(self) noexcept nogil:
        """The member that was right most often; one that is young has to wait."""
        cdef Merits* own
        cdef Py_ssize_t m, best = 0
        cdef double most = -1.0, merit
        for m in range(self.committee.n):
            own = merits_of(self.committee.at[m])
            if not own.asleep:
                merit = own.right / (own.asked + YOUNG)
                if merit > most:
                    best, most = m, merit
        return best

    cdef double trust(self, Py_ssize_t m) noexcept nogil:
        """Log odds that a member is right, by its latest answers; 0: no better than chance."""
        cdef Merits* own = merits_of(self.committee.at[m])
        cdef double share = own.lately / own.asked_lately
        share = min(max(share, 1.0 - SURE), SURE)
        return max(0.0, log(share * max(1, self.n_come - 1) / (1.0 - share)))

    cdef void weigh(self, double* votes, Py_ssize_t stride, double* z) noexcept nogil:
        """What all answers say for each label (`z`): of a mixture its probabilities. Behind the
        answer of a member its log odds are left for `judge`."""
        cdef Py_ssize_t m, r, k = self.n_labels, n = self.committee.n, best = 0
        cdef int32_t pick
        cdef double* p
        cdef Merits* own
        cdef bint none = True
        if n > 1:
            best = self.best()
        for r in range(k):
            z[r] = 0.0
        if self.votes_only:
            return
        if n == 1 or self.rule == BEST:
            for r in range(k):
                z[r] = votes[best * stride + r]
            if n == 1 or most_votes(z, k) >= 0:
                return
        for m in range(n):
            own = merits_of(self.committee.at[m])
            p = votes + m * stride
            pick = most_votes(p, k)
            if pick < 0:
                continue
            none = False
            z[pick] += TIE * (1.0 + (m == best))
            if self.rule == WEIGHTED:
                z[pick] += self.trust(m)
            elif self.rule == MIXED:
                z[pick] += own.of_answer * self.trust(m)
                log_odds(p, k, self.come, self.n_come, p + k)
                for r in range(k):
                    z[r] += own.of_odds * p[k + r]
            else:
                z[pick] += 1.0
        if self.rule == MIXED and not none:
            for r in range(k):  # labels that were only declared have no share
                if not self.come[r]:
                    z[r] = -INFINITY
            softmax(z, k)

    cdef void answer(self, const double* votes, Py_ssize_t stride, double* z, double* out) noexcept nogil:
        """The scores of all."""
        self.weigh(<double*> votes, stride, z)
        self.combine(z, out)

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef double few[ON_STACK]
        cdef Py_ssize_t m, k = self.n_labels, stride = vote_size(k), n = self.committee.n
        cdef double* votes = votes_room(few, n * stride + k)
        cdef int status = LEARNED
        if votes == NULL:
            return NO_MEMORY
        for m in range(n):
            status = self.committee.vote(m, e, votes + m * stride)
            if status != LEARNED:
                break
        self.committee.end_row()
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
        self.committee.answered(b, row)
        self.answer(self.committee.vote_of(b, 0, row), b.n * b.size, z, out)
        if z != few:
            PyMem_RawFree(z)

    # -- learning -----------------------------------------------------------------------------

    cdef void judge(self, double* votes, Py_ssize_t stride, double* z, int32_t label) noexcept nogil:
        """Learn from a row what each member's answer was worth. `z`: what `weigh` has said. Before a
        second label has come every answer is right, and none is judged."""
        cdef Py_ssize_t m, k = self.n_labels
        cdef int32_t pick
        cdef double* p
        cdef bint right
        cdef Merits* own
        cdef bint mixing = self.rule == MIXED and self.committee.n > 1
        if not self.come[label]:
            self.come[label] = True
            self.n_come += 1
        if self.n_come < 2 or self.votes_only:
            return
        if mixing:
            self.miss(votes, stride, z, label)
        for m in range(self.committee.n):
            own = merits_of(self.committee.at[m])
            if own.asleep:
                continue
            p = votes + m * stride
            pick = most_votes(p, k)
            if mixing and pick >= 0:
                self.shift_weights(m, p, z, pick, label)
            right = pick == label
            own.right = self.fading * own.right + right
            own.asked = self.fading * own.asked + 1.0
            own.lately = RECENT * own.lately + right
            own.asked_lately = RECENT * own.asked_lately + 1.0

    cdef void miss(self, const double* votes, Py_ssize_t stride, const double* z, int32_t label) noexcept nogil:
        """How much larger the log loss of the mixture would have been without each member."""
        cdef Py_ssize_t m, r, k = self.n_labels
        cdef int32_t pick
        cdef double all, share, at_label, without
        cdef Merits* own
        cdef const double* p
        for m in range(self.committee.n):
            own = merits_of(self.committee.at[m])
            if own.asleep:
                continue
            p = votes + m * stride
            pick = most_votes(p, k)
            without = 0.0
            if pick >= 0:
                all = at_label = 0.0
                for r in range(k):
                    share = own.of_odds * p[k + r]
                    if r == pick:
                        share += own.of_answer * self.trust(m)
                    share = z[r] * exp(-share)
                    all += share
                    if r == label:
                        at_label = share
                without = log(max(z[label], 1e-9)) - log(max(at_label / all, 1e-9))
            own.use = self.fading * own.use + without

    cdef void shift_weights(
        self, Py_ssize_t m, const double* p, const double* z, int32_t pick, int32_t label
    ) noexcept nogil:
        """A step down the gradient of the log loss of the mixture."""
        cdef Py_ssize_t r
        cdef Merits* own = merits_of(self.committee.at[m])
        cdef double slope = self.trust(m) * ((pick == label) - z[pick])
        own.of_answer += RATE * slope
        slope = 0.0
        for r in range(self.n_labels):
            slope += ((r == label) - z[r]) * p[self.n_labels + r]
        own.of_odds += RATE * slope

    cdef int learn_one(self, const Example* e, double* out) noexcept nogil:
        cdef double few[ON_STACK]
        cdef Py_ssize_t k = self.n_labels, stride = vote_size(k), n = self.committee.n
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
            self.committee.answered(&b, 0)
            self.weigh(votes, stride, z)
            if out != NULL:
                self.combine(z, out)
            self.judge(votes, stride, z, e.label)
        if votes != few:
            PyMem_RawFree(votes)
        refused = self.committee.refusals()
        if b.status == LEARNED:
            if refused >= self.committee.n:  # one member alone loses by it, and that is enough
                self.missed += refused
                self.doubtful = True
            if self.until_turn() == 1:
                end_turn(self.search, self.committee, self.features, e.width, self.seen + 1, self.n_labels)
        return b.status

    cdef Py_ssize_t learn_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, Py_ssize_t known, double* out
    ) noexcept nogil:
        cdef RowBlock b
        cdef double few[ON_STACK]
        cdef double* z
        cdef double* votes
        cdef Py_ssize_t r, width = 0
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
                self.committee.answered(&b, r)
                votes = self.committee.vote_of(&b, 0, r)
                self.weigh(votes, b.n * b.size, z)
                if out != NULL:
                    self.combine(z, out + r * self.outputs())
                self.judge(votes, b.n * b.size, z, b.rows[r].label)
        if b.n:
            width = b.rows[b.n - 1].width
        self.committee.close_block(&b)
        if z != few:
            PyMem_RawFree(z)
        refused = self.committee.refusals()
        if refused >= self.committee.n:  # one member alone loses by it, and that is enough
            self.missed += refused
            self.doubtful = True
        if b.n and self.until_turn() == b.n:
            end_turn(self.search, self.committee, self.features, width, self.seen + b.n, self.n_labels)
        self.seen += b.n
        return b.n

    cdef int64_t until_turn(self) noexcept nogil:
        """Examples to come before the search may replace members."""
        if self.interval == 0 or self.votes_only:
            return 2**62
        return self.interval - self.seen % self.interval

    def reset_schedule(self):
        LabelEnsembleState.reset_schedule(self)
        for member in self.committee.members:
            member.reset_schedule()

    # -- to and from arrays -------------------------------------------------------------------

    def export_own(self):
        return {
            **LabelEnsembleState.export_own(self),
            "come": np.array([r for r in range(self.n_labels) if self.come[r]], dtype=np.int64),
            "search": self.search.export(),
        }

    def restore_own(self, fields):
        LabelEnsembleState.restore_own(self, fields)
        look_again(self.committee)
        self.n_come = 0
        for r in fields.integers("come", (-1,), 0, max(0, self.n_labels - 1)).tolist():
            self.n_come += not self.come[<Py_ssize_t> r]
            self.come[<Py_ssize_t> r] = True
        own = fields.child("search")
        self.search.restore(own)
        own.done()

    def memory(self):
        return LabelEnsembleState.memory(self) + self.search.memory()
