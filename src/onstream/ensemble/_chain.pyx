"""Chains of regression trees: each corrects what those before it say (gradient boosting).

Stage m of a chain learns where the sum F of the stages before it should go, a Newton step of the
loss: z = g / h. Of a label, with p = 1 / (1 + exp(-F)), that is 1 / p if the example has it and
-1 / (1 - p) if not; of a number y it is y - F. Then F grows by a share of what the stage now says.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport NAN, exp, round
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy

import numpy as np

from ..core.example cimport LEARNED, NO_MEMORY, Example
from ..core.gaussian cimport uniform
from ..core.memory cimport release, resize, roomier
from ..core.rules.poisson cimport poisson
from ..tree.arena._nodes cimport close_view, open_view
from ..tree.arena.arena cimport LOCAL, NONE, View
from ._booster cimport Booster
from ._committee cimport TOGETHER, RowBlock
from ._member cimport SKIPPED, Member

cdef enum:
    MOST_TIMES = 100  # that an example counts
    MARKS = 1000      # most marks that are kept

cdef double MOST_ODDS = 30.0         # |F| beyond which a label is as good as certain
cdef double LARGEST_TARGET = 1e120


cdef int by_size(const void* x, const void* y) noexcept nogil:
    cdef double a = (<const double*> x)[0], b = (<const double*> y)[0]
    return -1 if a < b else a > b


cdef class Chain(Member):
    def __cinit__(self, *args, **kwargs):
        self.sums = <double*> PyMem_RawCalloc(TOGETHER, sizeof(double))
        self.lost = <uint8_t*> PyMem_RawCalloc(TOGETHER, 1)
        if self.sums == NULL or self.lost == NULL:
            raise MemoryError("onstream: no memory for an ensemble")

    def __init__(
        self, make, *, Py_ssize_t stages, Py_ssize_t bag, double rate, double share, int32_t label,
        bint watched, uint64_t seed,
    ):
        cdef Py_ssize_t i, n = stages * bag
        self.make, self.seed, self.label = make, seed, label
        self.stages, self.bag, self.rate, self.share = stages, bag, rate, share
        self.first_sign, self.new_label, self.marks = -1.0, NONE, []
        self.boosters = [Booster(self, make(0), watched=watched) for _ in range(n)]
        self.at = <void**> PyMem_RawMalloc(n * sizeof(void*))
        if self.at == NULL:
            raise MemoryError("onstream: no memory for an ensemble")
        for i in range(n):
            self.at[i] = <void*> self.boosters[i]

    def __dealloc__(self):
        PyMem_RawFree(self.sums)
        PyMem_RawFree(self.lost)
        PyMem_RawFree(self.at)
        release(self.names)
        release(self.hidden)

    # -- features and labels ------------------------------------------------------------------

    def models(self):
        return [model for booster in self.boosters for model in booster.models()]

    def voting(self):
        return [booster.models()[0] for booster in self.boosters]

    def use_labels(self, labels):
        """It knows labels by their number only."""

    cdef int set_labels(self, Py_ssize_t n, double first_sign) except -1:
        self.n_labels, self.first_sign = n, first_sign
        return 0

    cdef int commit_label(self) except -1:
        return 0

    cdef void keep_to(self, Py_ssize_t max_bytes) noexcept:
        """Keep to this limit, of each tree with its rival, from the next example on; 0: none."""
        cdef Booster booster
        for booster in self.boosters:
            booster.max_bytes = max_bytes
            booster.share_memory()

    cdef bint fits(self, Py_ssize_t max_bytes) noexcept:
        """Could all of its trees keep to this limit?"""
        cdef Booster booster
        for booster in self.boosters:
            if not booster.fits(max_bytes):
                return False
        return True

    cdef int make_room(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t old = self.n_names, room
        Member.make_room(self, width)
        if width > self.room:
            room = roomier(self.room, width)
            self.names = <uint64_t*> resize(
                self.names, self.room * sizeof(uint64_t), room * sizeof(uint64_t))
            self.hidden = <uint8_t*> resize(self.hidden, self.room * self.stages, room * self.stages)
            self.room = room
        while self.n_names < width:
            name = self.n_names if self.features.bits >= 0 else self.features.name_of(self.n_names)
            self.names[self.n_names] = self.features.hash_name(name, None)
            self.n_names += 1
        return self.find_hidden(old) if self.seen and width > old else 0

    cdef int drop_room(self, Py_ssize_t width) except -1:
        self.n_names = min(self.n_names, width)
        return Member.drop_room(self, width)

    cdef void begin(self, const Example* e) noexcept:
        """The first example comes: let each stage choose features."""
        self.first = <int32_t> e.width
        try:
            self.find_hidden(0)
        except MemoryError:
            self.some_hidden = False

    cdef int find_hidden(self, Py_ssize_t start) except -1:
        """Which features, from `start` on, a stage does not see. Of those that came with the first
        example it sees the ones with the least random numbers, by name; a later one with the same
        chance."""
        cdef Py_ssize_t known = min(self.first, self.n_names), f, s
        cdef Py_ssize_t wanted = min(known, max(<Py_ssize_t> round(self.share * known), min(2, known)))
        cdef double chance = 1.0 if wanted == known else wanted / <double> known, most
        cdef double* drawn = <double*> PyMem_RawMalloc(max(1, known) * sizeof(double))
        if drawn == NULL:
            raise MemoryError("onstream: no memory for an ensemble")
        for s in range(self.stages):
            for f in range(known):
                drawn[f] = uniform(self.seed + <uint64_t> s, self.names[f])
            qsort(drawn, known, sizeof(double), by_size)
            most = 1.0 if wanted == known else drawn[wanted - 1]
            for f in range(start, self.n_names):
                self.hidden[f * self.stages + s] = (
                    uniform(self.seed + <uint64_t> s, self.names[f]) > (most if f < known else chance))
        PyMem_RawFree(drawn)
        self.some_hidden = chance < 1.0
        return 0

    cdef bint open(self, const Example* e, Py_ssize_t stage, View* v) noexcept nogil:
        """The example as a stage sees it: hidden features are missing. False: no memory."""
        cdef Py_ssize_t f
        cdef const uint8_t* hidden = self.hidden + stage
        cdef double* x
        if open_view(e, v) != 0:
            return False
        if not self.some_hidden:
            return True
        if v.owned == NULL and v.x != v.local:
            x = v.local
            if v.n > LOCAL:
                x = v.owned = <double*> PyMem_RawMalloc(v.n * sizeof(double))
                if x == NULL:
                    return False
            memcpy(x, v.x, v.n * sizeof(double))
            v.x = x
        x = v.owned if v.owned != NULL else v.local
        for f in range(min(v.n, self.n_names)):
            if hidden[f * self.stages]:
                x[f] = NAN
        return True

    # -- the formulas -------------------------------------------------------------------------

    cdef double target(self, const Example* e, double sum) noexcept nogil:
        """What the next stage is to learn: a Newton step from here."""
        if self.label == NONE:
            return min(max(e.y - sum, -LARGEST_TARGET), LARGEST_TARGET)
        sum = min(max(sum, -MOST_ODDS), MOST_ODDS)
        return 1.0 + exp(-sum) if e.label == self.label else -(1.0 + exp(sum))

    cdef void write_vote(self, double sum, double* out) noexcept nogil:
        """The number; or the probability of its label, and with two labels of the other."""
        cdef Py_ssize_t r
        cdef double p
        if self.label == NONE:
            out[0] = sum if self.seen else NAN
            return
        for r in range(self.n_labels):
            out[r] = 0.0
        if self.seen == 0 or self.label >= self.n_labels:
            return
        p = 1.0 / (1.0 + exp(-min(max(sum, -MOST_ODDS), MOST_ODDS)))
        out[self.label] = p
        if self.n_labels == 2:
            out[1 - self.label] = 1.0 - p

    # -- one example --------------------------------------------------------------------------

    cdef int add(self, const Example* e, Py_ssize_t stage, double* said) noexcept nogil:
        """Add what a stage says of an example."""
        cdef View v
        cdef double answers = 0.0
        cdef Py_ssize_t i
        if not self.open(e, stage, &v):
            return NO_MEMORY
        for i in range(stage * self.bag, (stage + 1) * self.bag):
            answers += (<Booster> self.at[i]).answer(&v)
        said[0] += self.rate * (answers / self.bag)
        close_view(&v)
        return LEARNED

    cdef int teach(self, const Example* e, uint64_t t, Py_ssize_t stage, Py_ssize_t row, double* said) noexcept nogil:
        """Let a stage learn row `row` of a block, and add what it says: to `said` before, to `sums` after.
        If the first tree of all cannot, the row is lost for the chain; a later one just misses it."""
        cdef View v
        cdef Example lesson = e[0]
        cdef double answers = 0.0, learned = 0.0, before = 0.0, after = 0.0
        cdef int status, times = 1
        cdef bint changed = stage > 0
        cdef Py_ssize_t i
        if self.lost[row]:
            return SKIPPED
        if not self.open(e, stage, &v):
            self.lost[row] = stage == 0
            return NO_MEMORY
        lesson.y = self.target(e, self.sums[row])
        for i in range(stage * self.bag, (stage + 1) * self.bag):
            if self.bag > 1:
                times = poisson(1.0, uniform(self.seed + <uint64_t> i, t), MOST_TIMES)
                lesson.weight = times * e.weight
            status = SKIPPED
            if times:
                status = (<Booster> self.at[i]).learn(&lesson, &v, t, &before, &after)
            if status == LEARNED:
                changed = True
            elif status != SKIPPED and not changed:
                self.lost[row] = True
                close_view(&v)
                return status
            else:
                self.refused += status != SKIPPED
                before = after = (<Booster> self.at[i]).answer(&v)
            answers += before
            learned += after
        said[0] += self.rate * (answers / self.bag)
        self.sums[row] += self.rate * (learned / self.bag)
        close_view(&v)
        return LEARNED

    cdef int vote(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t s
        cdef double sum = 0.0
        cdef int status
        for s in range(self.stages):
            status = self.add(e, s, &sum)
            if status != LEARNED:
                return status
        self.write_vote(sum, out)
        return LEARNED

    cdef int learn(self, const Example* e, uint64_t t, Py_ssize_t row, double* out) noexcept nogil:
        cdef double vote = 0.0
        cdef int status
        cdef Py_ssize_t s
        if self.seen == 0:
            with gil:
                self.begin(e)
        self.sums[0], self.lost[0] = 0.0, False
        for s in range(self.stages):
            status = self.teach(e, t, s, 0, &vote)
            if s == 0 and status != LEARNED:
                self.refused += 1
                return status
        if out != NULL:
            self.write_vote(vote, out)
        self.seen += 1
        return LEARNED

    # -- many rows ----------------------------------------------------------------------------

    cdef void pass_rows(
        self, RowBlock* b, double* votes, Py_ssize_t stage, Py_ssize_t stop, Py_ssize_t first, Py_ssize_t last
    ) noexcept nogil:
        """Let stages `stage` ... `stop` - 1 go over rows `first` ... `last` - 1. The vote of a row ends with
        scratch memory, where what was said of it is summed up."""
        cdef Py_ssize_t r, s
        cdef double nobody = 0.0
        cdef double* said = &nobody
        cdef int status
        for s in range(stage, stop):
            for r in range(first, last):
                if b.votes != NULL:
                    said = votes + r * b.size + b.size // 2
                if s == 0:
                    said[0] = self.sums[r] = 0.0
                    self.lost[r] = False
                if b.learning:
                    self.teach(&b.rows[r], b.first + r, s, r, said)
                else:
                    status = self.add(&b.rows[r], s, said)
                    if status != LEARNED:
                        b.status = status
        if stop < self.stages:
            return
        for r in range(first, last):
            if b.votes != NULL:
                self.write_vote(votes[r * b.size + b.size // 2], votes + r * b.size)
            if b.learning:
                self.seen += not self.lost[r]
                self.refused += self.lost[r]

    # -- to and from arrays -------------------------------------------------------------------

    cdef int mark(self, uint64_t t) except -1:
        """Unlike those of other members, marks come in any order, until the block ends."""
        self.marks.append(int(t))
        self.marked = True
        return 0

    def tidy(self):
        self.marked = False
        self.marks.sort()
        del self.marks[:-MARKS]

    def export(self):
        return {
            "seen": self.seen,
            "first": self.first if self.seen else 0,
            "generation": self.generation,
            "marks": np.array(self.marks, dtype=np.int64),
            "trees": {str(i): booster.export() for i, booster in enumerate(self.boosters)},
        }

    def restore(self, fields):
        self.seen = fields.integer("seen", 0, 2**61)
        self.first = fields.integer("first", 0, 2**31 - 1)
        generation = fields.integer("generation", 0, 2**61)
        self.marks = fields.integers("marks", (-1,), 0, 2**61).tolist()[-MARKS:]
        trees = fields.child("trees")
        self.make_room(self.features.width)
        for i, booster in enumerate(self.boosters):
            booster.restore(trees.child(str(i)))
        trees.done()
        self.generation = generation  # rivals that were made again do not count
        if self.seen:
            self.find_hidden(0)

    def memory(self):
        return (
            600 + 16 * len(self.boosters) + 9 * TOGETHER + self.room * (8 + self.stages)
            + sum([booster.memory() for booster in self.boosters]))
