"""Online boosting (Oza and Russell, 2001) with an ADWIN for each member.

An example passes through the members in order, with a weight `lam` that begins at 1. A member learns it
Poisson(lam) times. If it is right then, the others see less of it: lam N / (2 right); otherwise more: lam N
/ (2 wrong), where `right` and `wrong` sum up the lam of the examples of either kind, and N is how many the
ensemble has seen: a member that began anew passes on more weight than came to it, until it has caught up.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport log
from libc.stdint cimport uint64_t

import numpy as np

from ..core.batch cimport BatchModel
from ..core.classifier cimport ClassifierModel
from ..core.example cimport LEARNED, NO_MEMORY, Example
from ..core.gaussian cimport uniform
from ..core.rules.poisson cimport poisson
from ..drift._adwin cimport (
    Adwin, adwin_bytes, adwin_export, adwin_free, adwin_hold, adwin_mean, adwin_push, adwin_restore, adwin_start,
)
from ._committee cimport RowBlock
from ._ensemble cimport LabelEnsembleState
from ._member cimport SKIPPED, Member, most_scores

cdef enum:
    MOST_TIMES = 100  # that an example counts
    ON_STACK = 64     # scores that need no memory of their own

cdef double LARGEST_LAM = 1e3  # of an example that nearly all members got wrong


cdef class BoostedMember(Member):
    cdef BoostedMember before  # the member that an example comes from; None: this is the first
    cdef double delta
    cdef double lam            # of the present example when it leaves
    cdef double right
    cdef double wrong
    cdef bint risen            # its errors, with the present example
    cdef Adwin errors

    def __init__(self, make, *, before, double delta, **common):
        Member.__init__(self, make, **common)
        self.before, self.delta = before, delta
        adwin_start(&self.errors, delta)

    def __dealloc__(self):
        adwin_free(&self.errors)

    cdef int vote(self, const Example* e, double* out) noexcept nogil:
        """Its label, or its probabilities, with the weight log((1 - error) / error) of AdaBoost."""
        cdef int status = self.score_as_votes(self.model, e, out)
        cdef Py_ssize_t r
        for r in range(self.n_labels):
            out[r] *= self.weight()
        return status

    cdef double weight(self) noexcept nogil:
        cdef double error
        if self.right + self.wrong == 0.0:
            return 1.0
        error = min(max(self.wrong / (self.right + self.wrong), 1e-6), 1.0)
        return max(0.0, log((1.0 - error) / error)) if error < 1.0 else 0.0

    cdef int learn(self, const Example* e, uint64_t t, Py_ssize_t row, double* out) noexcept nogil:
        cdef double lam = self.before.lam if self.before is not None else 1.0
        cdef int times = poisson(lam, uniform(self.seed, t), MOST_TIMES), status = LEARNED
        cdef double few[ON_STACK]
        cdef double* scores = few
        self.lam, self.risen = lam, False  # unless it gets as far as to answer
        if most_scores(self.n_labels) > ON_STACK:
            scores = <double*> PyMem_RawMalloc(most_scores(self.n_labels) * sizeof(double))
        if scores == NULL or not adwin_hold(&self.errors):
            status = NO_MEMORY
        if status == LEARNED and out != NULL:
            status = self.vote(e, out)
        if status != LEARNED:
            self.refused += 1
        elif times:
            status = self.learn_times(self.model, e, times, NULL)
        if status == LEARNED:
            status = LEARNED if times else SKIPPED
            if self.model.state.seen and self.model.score(e, scores) == LEARNED:
                self.answer((<ClassifierModel> self.model).classes.decide(scores) == e.label, t + 1.0)
                status = LEARNED  # it has counted its answer
        if scores != few:
            PyMem_RawFree(scores)
        return status

    cdef void answer(self, bint correct, double n) noexcept nogil:
        """Count what it says of the example once learned, the n-th of all, and pass the example on."""
        cdef double before = adwin_mean(&self.errors)
        if correct:
            self.right += self.lam
            self.lam *= n / (2.0 * self.right)
        else:
            self.wrong += self.lam
            self.lam *= n / (2.0 * self.wrong)
        self.lam = min(self.lam, LARGEST_LAM)
        self.risen = adwin_push(&self.errors, not correct) and adwin_mean(&self.errors) > before

    cdef double error(self) noexcept nogil:
        return adwin_mean(&self.errors)

    cdef int renew(self, uint64_t t) noexcept:
        """Begin anew after example t; or stay, if there is no memory."""
        cdef BatchModel model = self.successor()
        if model is None:
            return 0
        self.model = model
        self.mark(t)
        self.right = self.wrong = 0.0
        adwin_free(&self.errors)
        adwin_start(&self.errors, self.delta)
        return 0

    def export(self):
        return {
            **Member.export(self),
            "errors": adwin_export(&self.errors),
            "counts": np.array([self.right, self.wrong]),
        }

    def restore(self, fields):
        Member.restore(self, fields)
        self.right, self.wrong = fields.array("counts", (2,)).tolist()
        own = fields.child("errors")
        adwin_restore(&self.errors, own)
        own.done()

    def memory(self):
        return Member.memory(self) + adwin_bytes(&self.errors)


cdef class AdwinBoostingState(LabelEnsembleState):
    """When the errors of a member have risen, the one with most errors begins anew. Members depend on
    each other in every example, so blocks are learned row by row."""

    def __init__(self, list members, *, n_jobs):
        LabelEnsembleState.__init__(self, members, n_jobs=n_jobs)
        self.learns_rows = False

    cdef void settle(self, RowBlock* b) noexcept nogil:
        cdef Py_ssize_t m, worst = 0
        cdef bint risen = False
        for m in range(self.committee.n):
            risen |= (<BoostedMember> self.committee.at[m]).risen
            if (<BoostedMember> self.committee.at[m]).error() > (<BoostedMember> self.committee.at[worst]).error():
                worst = m
        if risen:
            with gil:
                (<BoostedMember> self.committee.at[worst]).renew(b.first)
