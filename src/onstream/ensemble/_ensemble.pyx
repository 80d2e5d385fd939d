"""Ensembles: the votes of all members, added in their order, or the mean or median of their numbers.

A member that cannot learn an example (an overflow, no memory) misses it; if none can, the example is
refused. In a block the others are ahead by then, so there it is only missed.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport qsort

import numpy as np

from ..core.classifier cimport ClassifierModel, ClassifierState
from ..core.arrays cimport data_of
from ..core.encoder cimport Encoder, RowBuffer
from ..core.example cimport LEARNED, NO_MEMORY, Example
from ..core.feature_index cimport KNOWN
from ..core.model cimport Model
from ..core.sources cimport Source
from ..core.state cimport State
from ..core.task cimport Task
from ._committee cimport TOGETHER, Committee, RowBlock
from ._member cimport Member, vote_size

cdef enum:
    ON_STACK = 256  # numbers of votes that need no memory of their own

MISSED = (
    "members could not learn {} examples that they were meant to: their numbers would have overflowed, or "
    "there was no memory. Scale the features, or use fewer members."
)


cdef double* votes_room(double* few, Py_ssize_t n) noexcept nogil:
    """Memory for n numbers: `few`, if that is enough; or NULL."""
    return few if n <= ON_STACK else <double*> PyMem_RawMalloc(n * sizeof(double))


cdef class LabelEnsembleState(ClassifierState):
    def __cinit__(self, *args, **kwargs):
        self.learns_rows, self.together = True, TOGETHER

    def __init__(self, list members, *, n_jobs):
        self.committee = Committee(members, n_jobs=n_jobs)

    cdef void settle(self, RowBlock* b) noexcept nogil:
        """What the fate of one member means for another, when all have gone over a block."""

    # -- features and labels ------------------------------------------------------------------

    def configure(self, Encoder encoder):
        self.committee.configure(encoder)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        self.committee.connect(features, encoder)
        return ClassifierState.connect(self, features, encoder)

    cdef int reserve(self, Py_ssize_t width) except -1:
        return self.committee.make_room(width)

    cdef int shrink(self, Py_ssize_t width) except -1:
        return self.committee.drop_room(width)

    cdef int set_labels(self, Py_ssize_t n) except -1:
        cdef Member member
        self.committee.width = n
        for member in self.committee.members:
            member.use_labels(self.labels)
            member.set_labels(n, self.first_sign)
        return 0

    cdef int check_label(self, object y) except -1:
        for member in self.committee.members:
            for model in member.models():
                if isinstance(model, ClassifierModel):  # boosting has members of numbers
                    (<ClassifierModel> model).classes.check_label(y)
        return 0

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        for member in self.committee.members:
            for model in member.models():
                if isinstance(model, ClassifierModel):
                    (<ClassifierModel> model).classes.expect_labels(more)
        return 0

    cdef int commit_label(self) except -1:
        cdef Member member
        for member in self.committee.members:
            member.commit_label()
        return 0

    # -- predicting ---------------------------------------------------------------------------

    cdef Py_ssize_t outputs(self) noexcept nogil:
        return self.n_labels if self.n_labels > 2 else 1

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef double few[ON_STACK]
        cdef Py_ssize_t m, r, k = self.n_labels
        cdef double* total = votes_room(few, k + vote_size(k))
        cdef int status = LEARNED
        if total == NULL:
            return NO_MEMORY
        for r in range(k):
            total[r] = 0.0
        for m in range(self.committee.n):
            status = self.committee.vote(m, e, total + k)
            if status != LEARNED:
                break
            for r in range(k):
                total[r] += total[k + r]
        self.committee.end_row()
        self.combine(total, out)
        if total != few:
            PyMem_RawFree(total)
        return status

    cdef void combine(self, const double* total, double* out) noexcept nogil:
        """All votes as scores: probabilities; of two labels how much likelier the one coded +1 is."""
        cdef Py_ssize_t r, k = self.n_labels
        cdef double all = 0.0
        for r in range(k):
            all += total[r]
        if k > 2:
            for r in range(k):
                out[r] = total[r] / all if all > 0.0 else 1.0 / k if self.seen else 0.0
        elif k == 2:
            out[0] = self.first_sign * (total[0] - total[1]) / all if all > 0.0 else 0.0
        else:
            out[0] = self.first_sign if self.seen else 0.0

    cdef int32_t plus(self) noexcept nogil:
        """The label coded +1."""
        return 0 if self.first_sign > 0.0 else 1

    cdef void link(self, const double* scores, double* out) noexcept nogil:
        cdef Py_ssize_t r
        if self.n_labels == 2:
            out[self.plus()] = 0.5 + 0.5 * scores[0]
            out[1 - self.plus()] = 0.5 - 0.5 * scores[0]
            return
        for r in range(self.n_labels):
            out[r] = scores[r] if self.seen else 1.0 / self.n_labels

    cdef int score_rows(self, Source source, Py_ssize_t start, Py_ssize_t n, double* out) noexcept nogil:
        cdef Py_ssize_t i = start, r
        cdef RowBlock b
        cdef Example e
        cdef int status
        while i < start + n:
            if not self.committee.open_block(&b, start + n - i, self.n_labels, True, False):
                return NO_MEMORY
            self.committee.fill(&b, source, i, start + n, NULL, 0, self.first_sign)
            self.committee.advance(&b)
            for r in range(b.n):
                self.add_votes(&b, r, out + (i - start + r) * self.outputs())
            i += b.n
            self.committee.close_block(&b)
            if b.status != LEARNED:
                return b.status
            if b.n == 0:  # a row too wide for a block
                e.codes, e.weight = NULL, 1.0
                source.row(i, &e)
                status = self.score(&e, out + (i - start) * self.outputs())
                if status != LEARNED:
                    return status
                i += 1
        return LEARNED

    cdef void add_votes(self, RowBlock* b, Py_ssize_t row, double* out) noexcept nogil:
        """The scores of a row of the block; its votes are gone then."""
        cdef double* total = self.committee.vote_of(b, 0, row)
        cdef double* more
        cdef Py_ssize_t m, r
        self.committee.answered(b, row)
        for m in range(1, self.committee.n):
            more = self.committee.vote_of(b, m, row)
            for r in range(self.n_labels):
                total[r] += more[r]
        self.combine(total, out)

    # -- learning -----------------------------------------------------------------------------

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.learn_one(e, NULL)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        return self.learn_one(e, out)

    cdef int learn_one(self, const Example* e, double* out) noexcept nogil:
        """A block of one row."""
        cdef double few[ON_STACK]
        cdef Py_ssize_t n = vote_size(self.n_labels) * self.committee.n
        cdef double* votes = NULL
        cdef Example own = e[0]
        cdef RowBlock b
        cdef int64_t refused
        if out != NULL:
            votes = votes_room(few, n)
            if votes == NULL:
                return NO_MEMORY
        self.committee.one_row(&b, &own, votes, self.n_labels)
        b.first = self.seen
        self.committee.advance(&b)
        if b.status == LEARNED:
            self.settle(&b)
            if out != NULL:
                self.add_votes(&b, 0, out)
        if votes != few:
            PyMem_RawFree(votes)
        refused = self.committee.refusals()
        if b.status == LEARNED and refused:
            self.missed += refused
            self.doubtful = True
        return b.status

    cdef Py_ssize_t learn_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, Py_ssize_t known, double* out
    ) noexcept nogil:
        cdef RowBlock b
        cdef Py_ssize_t r
        cdef int64_t refused
        if self.seen == 0 or not self.committee.open_block(&b, stop - start, self.n_labels, out != NULL, True):
            return 0
        b.first = self.seen
        if self.committee.fill(&b, source, start, stop, task, known, self.first_sign):
            self.committee.advance(&b)
            self.settle(&b)
            if out != NULL:
                for r in range(b.n):
                    self.add_votes(&b, r, out + r * self.outputs())
        self.committee.close_block(&b)
        self.seen += b.n
        refused = self.committee.refusals()
        if refused:
            self.missed += refused
            self.doubtful = True
        return b.n

    def doubt(self):
        self.doubtful = False
        return "members", MISSED.format(self.missed)

    # -- to and from arrays -------------------------------------------------------------------

    def export_own(self):
        return {"members": self.committee.export()}

    def restore_own(self, fields):
        self.committee.restore(fields.child("members"))

    def memory(self):
        return ClassifierState.memory(self) + self.committee.memory()


def votes_of(Model model, x):
    """What each member of an ensemble says of an example: votes for each label, or a number; NaN or
    nothing but 0 if it has learned nothing."""
    cdef Committee committee
    cdef Encoder encoder
    cdef RowBuffer* row
    cdef Example e
    cdef Py_ssize_t m, labels = 1, size
    x = model.encoder.coerce(x)  # user code may run here
    with model.reading():
        encoder, committee = model.encoder, model.state.committee
        if isinstance(model.state, LabelEnsembleState):
            labels = max(1, (<LabelEnsembleState> model.state).n_labels)
        size = vote_size(labels)
        found = np.zeros((committee.n, size))
        model.reserve(encoder.width)
        row = encoder.acquire_row(16, 0)
        try:
            encoder.read(x, KNOWN, row, &e)
            for m in range(committee.n):
                if committee.vote(m, &e, <double*> data_of(found) + size * m) != LEARNED:
                    raise MemoryError(f"{model.who}: no memory to predict this example.")
        finally:
            encoder.release_row(row)
    return found[:, :labels]


cdef int by_size(const void* x, const void* y) noexcept nogil:
    cdef double a = (<const double*> x)[0], b = (<const double*> y)[0]
    return -1 if a < b else a > b


cdef class NumberEnsembleState(State):
    def __cinit__(self, *args, **kwargs):
        self.learns_rows, self.together = True, TOGETHER

    def __init__(self, list members, *, n_jobs, bint median=False):
        self.committee = Committee(members, n_jobs=n_jobs)
        self.committee.width = 1
        self.median = median

    cdef void settle(self, RowBlock* b) noexcept nogil:
        """What the fate of one member means for another, when all have gone over a block."""

    def configure(self, Encoder encoder):
        self.committee.configure(encoder)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        self.committee.connect(features, encoder)
        return State.connect(self, features, encoder)

    cdef int reserve(self, Py_ssize_t width) except -1:
        return self.committee.make_room(width)

    cdef int shrink(self, Py_ssize_t width) except -1:
        return self.committee.drop_room(width)

    # -- predicting ---------------------------------------------------------------------------

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef double few[ON_STACK]
        cdef Py_ssize_t m, n = self.committee.n
        cdef double* votes = votes_room(few, n + 2)
        cdef int status = LEARNED
        if votes == NULL:
            return NO_MEMORY
        for m in range(n):
            status = self.committee.vote(m, e, votes + m)
            if status != LEARNED:
                break
        self.committee.end_row()
        out[0] = self.combine(votes, n)
        if votes != few:
            PyMem_RawFree(votes)
        return status

    cdef double combine(self, double* votes, Py_ssize_t n) noexcept nogil:
        """Mean or median of the predictions there are; their order is lost."""
        cdef Py_ssize_t m, k = 0
        cdef double total = 0.0
        for m in range(n):
            if votes[m] == votes[m]:  # NaN: none yet
                votes[k] = votes[m]
                total += votes[m]
                k += 1
        if k == 0:
            return 0.0
        if not self.median:
            return total / k
        qsort(votes, k, sizeof(double), by_size)
        return 0.5 * (votes[(k - 1) // 2] + votes[k // 2])

    cdef double gather(self, RowBlock* b, Py_ssize_t row, double* votes) noexcept nogil:
        """The prediction for a row of the block."""
        cdef Py_ssize_t m
        self.committee.answered(b, row)
        for m in range(self.committee.n):
            votes[m] = self.committee.vote_of(b, m, row)[0]
        return self.combine(votes, self.committee.n)

    cdef int write_rows(self, RowBlock* b, double* out) noexcept nogil:
        """The predictions for all rows of the block."""
        cdef double few[ON_STACK]
        cdef double* votes = votes_room(few, self.committee.n)
        cdef Py_ssize_t r
        if votes == NULL:
            return NO_MEMORY
        for r in range(b.n):
            out[r] = self.gather(b, r, votes)
        if votes != few:
            PyMem_RawFree(votes)
        return LEARNED

    cdef int score_rows(self, Source source, Py_ssize_t start, Py_ssize_t n, double* out) noexcept nogil:
        cdef Py_ssize_t i = start
        cdef RowBlock b
        cdef Example e
        cdef int status
        while i < start + n:
            if not self.committee.open_block(&b, start + n - i, 1, True, False):
                return NO_MEMORY
            self.committee.fill(&b, source, i, start + n, NULL, 0, 0.0)
            self.committee.advance(&b)
            status = b.status if b.status != LEARNED else self.write_rows(&b, out + i - start)
            i += b.n
            self.committee.close_block(&b)
            if status == LEARNED and b.n == 0:  # a row too wide for a block
                e.codes, e.weight = NULL, 1.0
                source.row(i, &e)
                status = self.score(&e, out + i - start)
                i += 1
            if status != LEARNED:
                return status
        return LEARNED

    # -- learning -----------------------------------------------------------------------------

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.learn_one(e, NULL)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        return self.learn_one(e, out)

    cdef int learn_one(self, const Example* e, double* out) noexcept nogil:
        """A block of one row."""
        cdef double few[ON_STACK]
        cdef double* votes = NULL
        cdef Example own = e[0]
        cdef RowBlock b
        cdef int64_t refused
        if out != NULL:
            votes = votes_room(few, vote_size(1) * self.committee.n)
            if votes == NULL:
                return NO_MEMORY
        self.committee.one_row(&b, &own, votes, 1)
        b.first = self.seen
        self.committee.advance(&b)
        if b.status == LEARNED:
            self.settle(&b)
            if out != NULL and self.write_rows(&b, out) != LEARNED:
                out[0] = 0.0
        if votes != few:
            PyMem_RawFree(votes)
        refused = self.committee.refusals()
        if b.status == LEARNED and refused:
            self.missed += refused
            self.doubtful = True
        return b.status

    cdef Py_ssize_t learn_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, Py_ssize_t known, double* out
    ) noexcept nogil:
        cdef RowBlock b
        cdef int64_t refused
        if not self.committee.open_block(&b, stop - start, 1, out != NULL, True):
            return 0
        b.first = self.seen
        if self.committee.fill(&b, source, start, stop, task, known, 0.0):
            self.committee.advance(&b)
            self.settle(&b)
            if out != NULL:
                self.write_rows(&b, out)
        self.committee.close_block(&b)
        self.seen += b.n
        refused = self.committee.refusals()
        if refused:
            self.missed += refused
            self.doubtful = True
        return b.n

    def doubt(self):
        self.doubtful = False
        return "members", MISSED.format(self.missed)

    # -- to and from arrays -------------------------------------------------------------------

    def export_own(self):
        return {"members": self.committee.export()}

    def restore_own(self, fields):
        self.committee.restore(fields.child("members"))

    def memory(self):
        return State.memory(self) + self.committee.memory()
