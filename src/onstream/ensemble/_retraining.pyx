"""A learner that begins anew when a detector sees its errors change (Gama et al., SBIA 2004)."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport fabs
from libc.stdint cimport int64_t, uint64_t

from ..core.classifier cimport ClassifierModel
from ..core.example cimport LEARNED, NO_MEMORY, Example
from ..drift._detector cimport DetectorState
from ._member cimport Member, most_scores
from ._member import export_model, restore_model

cdef enum:
    ON_STACK = 64  # scores that need no memory of their own


cdef class RetrainingMember(Member):
    cdef DetectorState detector
    cdef readonly int64_t warnings       # phases of warning so far

    def __init__(self, make, *, detector, **common):
        Member.__init__(self, make, **common)
        self.detector = detector

    cdef int learn(self, const Example* e, uint64_t t, Py_ssize_t row, double* out) noexcept nogil:
        cdef double few[ON_STACK]
        cdef double* scores = few
        cdef bint fresh = self.model.state.seen == 0
        cdef int status = NO_MEMORY
        if most_scores(self.n_labels) > ON_STACK:
            scores = <double*> PyMem_RawMalloc(most_scores(self.n_labels) * sizeof(double))
        if out != NULL:
            self.vote(e, out)
        if scores != NULL:
            status = self.learn_times(self.model, e, 1.0, scores)
        if status == LEARNED and not fresh:
            self.watch(e, self.error_of(e, scores), t)
        if scores != few:
            PyMem_RawFree(scores)
        return status

    cdef double error_of(self, const Example* e, const double* scores) noexcept nogil:
        """What the detector is given: 0 or 1, or how far off the number is."""
        cdef double off
        if self.labelled:
            return e.label == self.new_label or (<ClassifierModel> self.model).classes.decide(scores) != e.label
        off = fabs(scores[0] - e.y)
        return off if self.detector.fits(off) else self.detector.high

    cdef void watch(self, const Example* e, double error, uint64_t t) noexcept nogil:
        """Tell the detector. On an alarm the model in the background, or a new one, takes over; in
        a phase of warning one learns there. Each has learned this example by then."""
        self.detector.push(error)
        self.detector.seen += 1
        if self.detector.drift:
            with gil:
                self.find_successor(t)
            if self.background is not None:
                self.learn_times(self.background, e, 1.0, NULL)
                with gil:
                    self.model, self.background = self.background, None
        elif self.detector.warning:
            if self.background is None:
                with gil:
                    self.suspect()
            if self.background is not None:
                self.learn_times(self.background, e, 1.0, NULL)
        elif self.background is not None:
            with gil:
                self.background = None

    cdef int suspect(self) noexcept:
        self.background = self.successor()
        self.warnings += self.background is not None  # otherwise the next example tries again
        return 0

    cdef int find_successor(self, uint64_t t) noexcept:
        if self.background is None:
            self.background = self.successor()
        if self.background is not None:  # otherwise the old model goes on
            self.mark(t)
        return 0

    # -- to and from arrays -------------------------------------------------------------------

    def export(self):
        fields = {
            **Member.export(self),
            "detector": self.detector.export(),
            "warnings": self.warnings,
        }
        if self.background is not None:
            fields["background"] = export_model(self.background)
        return fields

    def restore(self, fields):
        self.warnings = fields.integer("warnings", 0, 2**61)
        Member.restore(self, fields)
        own = fields.child("detector")
        self.detector.restore(own)
        own.done()
        if not fields.missing("background"):
            self.background = self.made_again(max(1, self.generation))
            restore_model(self.background, fields.child("background"))

    def memory(self):
        return Member.memory(self) + self.detector.memory()
