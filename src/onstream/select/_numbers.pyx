"""The same of numbers: predictions are averaged, and judged by their squared errors."""

from cpython.mem cimport PyMem_RawFree
from libc.math cimport INFINITY, fabs, isnan
from libc.stdint cimport int64_t

from ..core.example cimport LEARNED, NO_MEMORY, Example
from ..core.sources cimport Source
from ..core.task cimport Task
from ..ensemble._committee cimport RowBlock
from ..ensemble._ensemble cimport votes_room
from ..ensemble._member cimport vote_size
from ._evolving_member cimport Merits, configure, end_turn, look_again, merits_of

cdef enum:
    MEAN = 0      # how predictions become one: all count the same,
    WEIGHTED = 1  # by what they were worth lately,
    BEST = 3      # the best member alone
    ON_STACK = 256

cdef double RECENT = 0.95          # fading of what a prediction weighs: about the last 20 errors
cdef double YOUNG = 10.0           # predictions after which a member may be the best
cdef double FEW_ANSWERS = 4.5      # predictions, about five, before a member's error is believed
cdef double LARGEST_ERROR = 1e50

RULES = {"mean": MEAN, "weighted": WEIGHTED, "best": BEST}


cdef class EvolvingNumberState(NumberEnsembleState):
    def __init__(self, search, members, *, n_jobs, rule, interval, fading):
        NumberEnsembleState.__init__(self, members, n_jobs=n_jobs)
        self.search, self.rule = search, RULES[rule]
        self.interval, self.fading = interval, fading

    def configure(self, encoder):
        configure(encoder, self.search.space)

    def only_vote(self):
        """Hold a group of the members: others judge them, and say what becomes of them."""
        self.votes_only = True

    # -- one answer of many -------------------------------------------------------------------

    cdef Py_ssize_t best(self) noexcept nogil:
        """The member with the smallest errors; one that is young has to wait."""
        cdef Merits* own
        cdef Py_ssize_t m, best = -1
        cdef double least = INFINITY, error
        for m in range(self.committee.n):
            own = merits_of(self.committee.at[m])
            if own.asleep:
                continue
            error = own.right / (own.asked + 1e-12)
            if own.asked < YOUNG:
                error = LARGEST_ERROR * LARGEST_ERROR
            if best < 0 or error < least:
                best, least = m, error
        return max(best, 0)

    cdef double lately(self, Py_ssize_t m) noexcept nogil:
        """The mean squared error of a member's latest answers; of too few: it is unknown."""
        cdef Merits* own = merits_of(self.committee.at[m])
        if own.asked_lately < FEW_ANSWERS:
            return INFINITY
        return own.lately / own.asked_lately

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
        cdef Merits* own
        if self.votes_only:
            return
        for m in range(self.committee.n):
            own = merits_of(self.committee.at[m])
            error = votes[m * stride]
            if own.asleep or isnan(error):
                continue
            error = min(fabs(error - y), LARGEST_ERROR)
            error *= error
            own.right = self.fading * own.right + error
            own.asked = self.fading * own.asked + 1.0
            own.lately = RECENT * own.lately + error
            own.asked_lately = RECENT * own.asked_lately + 1.0

    cdef int learn_one(self, const Example* e, double* out) noexcept nogil:
        cdef double few[ON_STACK]
        cdef Py_ssize_t size = vote_size(1)
        cdef double* votes = votes_room(few, (size + 1) * self.committee.n)
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
                out[0] = self.gather(&b, 0, votes + size * self.committee.n)
            else:
                self.committee.answered(&b, 0)
            self.judge(votes, b.size, e.y)
        if votes != few:
            PyMem_RawFree(votes)
        refused = self.committee.refusals()
        if b.status == LEARNED:
            if refused >= self.committee.n:
                self.missed += refused
                self.doubtful = True
            if self.until_turn() == 1:
                end_turn(self.search, self.committee, self.features, e.width, self.seen + 1, 1)
        return b.status

    cdef Py_ssize_t learn_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, Py_ssize_t known, double* out
    ) noexcept nogil:
        cdef RowBlock b
        cdef double few[ON_STACK]
        cdef double* votes
        cdef Py_ssize_t r, width = 0
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
                else:
                    self.committee.answered(&b, r)
                self.judge(self.committee.vote_of(&b, 0, r), b.n * b.size, b.rows[r].y)
        if b.n:
            width = b.rows[b.n - 1].width
        self.committee.close_block(&b)
        if votes != few:
            PyMem_RawFree(votes)
        refused = self.committee.refusals()
        if refused >= self.committee.n:
            self.missed += refused
            self.doubtful = True
        if b.n and self.until_turn() == b.n:
            end_turn(self.search, self.committee, self.features, width, self.seen + b.n, 1)
        self.seen += b.n
        return b.n

    cdef int64_t until_turn(self) noexcept nogil:
        """Examples to come before the search may replace members."""
        if self.interval == 0 or self.votes_only:
            return 2**62
        return self.interval - self.seen % self.interval

    def reset_schedule(self):
        NumberEnsembleState.reset_schedule(self)
        for member in self.committee.members:
            member.reset_schedule()

    # -- to and from arrays -------------------------------------------------------------------

    def export_own(self):
        return {**NumberEnsembleState.export_own(self), "search": self.search.export()}

    def restore_own(self, fields):
        NumberEnsembleState.restore_own(self, fields)
        look_again(self.committee)
        own = fields.child("search")
        self.search.restore(own)
        own.done()

    def memory(self):
        return NumberEnsembleState.memory(self) + self.search.memory()
