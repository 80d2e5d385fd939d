"""Bagging on a stream (Oza, 2005) and leveraging bagging (Bifet, Holmes and Pfahringer, 2010)."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t, uint8_t, uint64_t

from ..core.batch cimport BatchModel
from ..core.example cimport LEARNED, NO_MEMORY, Example
from ..core.gaussian cimport uniform
from ..core.rules.poisson cimport poisson
from ..drift._adwin cimport (
    Adwin, adwin_bytes, adwin_export, adwin_free, adwin_hold, adwin_mean, adwin_push, adwin_restore, adwin_start,
)
from ._committee cimport TOGETHER, RowBlock
from ._ensemble cimport LabelEnsembleState
from ._member cimport SKIPPED, Member, vote_size

cdef enum:
    MOST_TIMES = 100  # that an example counts
    ON_STACK = 128    # numbers of a vote that need no memory of their own


cdef class BaggingMember(Member):
    """It learns each example k times, k from Poisson(lam), with one draw for each example."""
    cdef double lam

    def __init__(self, make, *, double lam, **common):
        Member.__init__(self, make, **common)
        self.lam = lam

    cdef int learn(self, const Example* e, uint64_t t, Py_ssize_t row, double* out) noexcept nogil:
        cdef int times = poisson(self.lam, uniform(self.seed, t), MOST_TIMES), status = LEARNED
        if out != NULL:
            status = self.vote(e, out)
        if status != LEARNED:
            self.refused += 1
            return status
        return self.learn_times(self.model, e, times, NULL) if times else SKIPPED


cdef class WatchedMember(Member):
    """The same, and it watches its own errors. A block keeps for each row whether they have risen
    by then, and how many there are."""
    cdef double lam
    cdef double delta
    cdef Adwin errors
    cdef uint8_t* risen
    cdef double* means

    def __cinit__(self, *args, **kwargs):
        self.risen = <uint8_t*> PyMem_RawMalloc(TOGETHER)
        self.means = <double*> PyMem_RawMalloc(TOGETHER * sizeof(double))
        if self.risen == NULL or self.means == NULL:
            raise MemoryError("onstream: no memory for an ensemble")

    def __init__(self, make, *, double lam, double delta, **common):
        Member.__init__(self, make, **common)
        self.lam, self.delta = lam, delta
        adwin_start(&self.errors, delta)

    def __dealloc__(self):
        adwin_free(&self.errors)
        PyMem_RawFree(self.risen)
        PyMem_RawFree(self.means)

    cdef int learn(self, const Example* e, uint64_t t, Py_ssize_t row, double* out) noexcept nogil:
        cdef int times = poisson(self.lam, uniform(self.seed, t), MOST_TIMES), status = LEARNED
        cdef double few[ON_STACK]
        cdef double* votes = out
        cdef double before
        cdef bint wrong
        self.risen[row], self.means[row] = False, adwin_mean(&self.errors)
        if out == NULL:
            votes = few
            if vote_size(self.n_labels) > ON_STACK:
                votes = <double*> PyMem_RawMalloc(vote_size(self.n_labels) * sizeof(double))
        if votes == NULL or not adwin_hold(&self.errors):
            status = NO_MEMORY
        # The error made before the example is learned, then the lesson.
        if status == LEARNED:
            status = self.vote(e, votes)
        if status == LEARNED:
            wrong = e.label == self.new_label or most_votes(votes, self.n_labels) != e.label
            if times:
                status = self.learn_times(self.model, e, times, NULL)
        if status == LEARNED:
            before = adwin_mean(&self.errors)
            self.risen[row] = adwin_push(&self.errors, wrong) and adwin_mean(&self.errors) > before
            self.means[row] = adwin_mean(&self.errors)
        else:
            self.refused += times == 0
        if out == NULL and votes != few:
            PyMem_RawFree(votes)
        return status

    cdef bint renew(self, uint64_t t) noexcept:
        """Begin anew after example t: True; or stay, if there is no memory."""
        cdef BatchModel model = self.successor()
        if model is None:
            return False
        self.model = model
        self.mark(t)
        adwin_free(&self.errors)
        adwin_start(&self.errors, self.delta)
        return True

    def export(self):
        return {**Member.export(self), "errors": adwin_export(&self.errors)}

    def restore(self, fields):
        Member.restore(self, fields)
        own = fields.child("errors")
        adwin_restore(&self.errors, own)
        own.done()

    def memory(self):
        return Member.memory(self) + 9 * TOGETHER + adwin_bytes(&self.errors)


cdef int32_t most_votes(const double* votes, Py_ssize_t k) noexcept nogil:
    """The label with most votes, the first of equals; -1: there is no vote."""
    cdef int32_t best = -1, r
    cdef double most = 0.0
    for r in range(<int32_t> k):
        if votes[r] > most:
            best, most = r, votes[r]
    return best


cdef class LeveragingState(LabelEnsembleState):
    """When the errors of a member have risen, the one with most errors begins anew."""

    cdef void settle(self, RowBlock* b) noexcept nogil:
        """Row by row, as if all members had seen one row at a time. One that begins anew goes over
        the rest of the block again; that changes nothing for the others."""
        cdef Py_ssize_t r, m, worst
        cdef bint risen, renewed
        for r in range(b.n):
            risen, worst = False, 0
            for m in range(self.committee.n):
                risen |= (<WatchedMember> self.committee.at[m]).risen[r]
                if (<WatchedMember> self.committee.at[m]).means[r] > (<WatchedMember> self.committee.at[worst]).means[r]:
                    worst = m
            if risen:
                with gil:
                    renewed = (<WatchedMember> self.committee.at[worst]).renew(b.first + r)
                if renewed:
                    self.committee.go_over(worst, b, r + 1)
