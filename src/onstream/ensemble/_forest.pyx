"""A member of an adaptive random forest (Gomes et al., Machine Learning 2017), or of random patches.

Two windows watch its errors. When the first, more anxious one sees them rise, a tree in the
background begins to learn; when the second does, that tree takes over.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport NAN, fabs, sqrt
from libc.stdint cimport int64_t, uint64_t

import numpy as np

from ..core.batch cimport BatchModel
from ..core.classifier cimport ClassifierModel
from ..core.example cimport LEARNED, NO_MEMORY, Example
from ..core.gaussian cimport uniform
from ..core.rules.poisson cimport poisson
from ..drift._adwin cimport (
    Adwin, adwin_bytes, adwin_export, adwin_free, adwin_hold, adwin_mean, adwin_push, adwin_restore, adwin_start,
)
from ._member cimport Member, most_scores
from ._member import export_model, restore_model

cdef enum:
    MOST_TIMES = 100
    ON_STACK = 64  # scores that need no memory of their own


cdef bint push_error(Adwin* a, double error) noexcept nogil:
    """Have the errors risen?"""
    cdef double before = adwin_mean(a)
    return adwin_push(a, error) and adwin_mean(a) > before


cdef class ForestMember(Member):
    cdef double lam
    cdef double warning_delta     # 0: no trees in the background
    cdef double drift_delta       # 0: it never begins anew
    cdef bint hindsight           # its errors are those that it makes once it has learned the example
    cdef Adwin warning
    cdef Adwin drift
    cdef int64_t front_generation  # of the tree that votes
    cdef int64_t back_generation   # of the one in the background
    cdef double tested            # examples that it has answered since it began,
    cdef double right             # and how many of them correctly; of numbers, the squared errors
    cdef readonly int64_t warnings
    cdef Py_ssize_t max_bytes     # of its trees together; 0: no limit

    def __init__(
        self, make, *, double lam, double warning_delta, double drift_delta, bint hindsight=False,
        Py_ssize_t max_bytes=0, **common
    ):
        Member.__init__(self, make, **common)
        self.max_bytes, self.hindsight = max_bytes, hindsight
        self.lam, self.warning_delta, self.drift_delta = lam, warning_delta, drift_delta
        adwin_start(&self.warning, warning_delta or 1.0)
        adwin_start(&self.drift, drift_delta or 1.0)

    def __dealloc__(self):
        adwin_free(&self.warning)
        adwin_free(&self.drift)

    # -- voting -------------------------------------------------------------------------------

    cdef double weight(self) noexcept nogil:
        """Of its vote: how often it was right."""
        return self.right / self.tested if self.tested else 1.0

    cdef int vote(self, const Example* e, double* out) noexcept nogil:
        cdef int status = self.score_as_votes(self.model, e, out)
        cdef Py_ssize_t r
        if self.labelled:
            for r in range(self.n_labels):
                out[r] *= self.weight()
        return status

    # -- learning -----------------------------------------------------------------------------

    cdef int learn(self, const Example* e, uint64_t t, Py_ssize_t row, double* out) noexcept nogil:
        cdef double few[ON_STACK]
        cdef double* scores = few
        cdef int status = NO_MEMORY
        if most_scores(self.n_labels) > ON_STACK:
            scores = <double*> PyMem_RawMalloc(most_scores(self.n_labels) * sizeof(double))
        if scores != NULL and adwin_hold(&self.warning) and adwin_hold(&self.drift):
            status = self.learn_scored(e, t, scores, out)
        else:
            self.refused += 1
        if scores != few:
            PyMem_RawFree(scores)
        return status

    cdef int learn_scored(self, const Example* e, uint64_t t, double* scores, double* out) noexcept nogil:
        cdef int times = poisson(self.lam, uniform(self.seed, t), MOST_TIMES), status
        cdef bint fresh = self.model.state.seen == 0
        cdef double error = 0.0
        # Its answer, and the lesson, k times.
        if times:
            status = self.learn_times(self.model, e, times, scores)
        else:
            status = self.model.score(e, scores)
            self.refused += status != LEARNED
        if status != LEARNED:
            return status
        if out != NULL:
            self.write_vote(fresh, scores, out)
        if not fresh:
            error = self.count(e, scores)
        if times == 0:
            return LEARNED
        if self.hindsight and self.model.score(e, scores) == LEARNED:
            error = (<ClassifierModel> self.model).classes.decide(scores) != e.label
        if self.background is not None:
            self.learn_times(self.background, e, times, NULL)
        # The error goes into both windows; only a rise counts.
        if self.warning_delta and push_error(&self.warning, error):
            with gil:
                self.suspect()
        if self.drift_delta and push_error(&self.drift, error):
            with gil:
                self.replace(t)
        return LEARNED

    cdef void write_vote(self, bint fresh, const double* scores, double* out) noexcept nogil:
        """The vote that these scores from before the lesson amount to."""
        cdef Py_ssize_t r
        if fresh:
            for r in range(self.n_labels):
                out[r] = 0.0
            if not self.labelled:
                out[0] = NAN
            return
        self.as_votes(self.model, scores, out)
        if self.labelled:
            for r in range(self.n_labels):
                out[r] *= self.weight()

    cdef double count(self, const Example* e, const double* scores) noexcept nogil:
        """Count the answer; returns its error, from 0 to 1. That of a number is in units of three
        times the root of the mean squared error so far."""
        cdef double off
        self.tested += 1.0
        if self.labelled:
            off = e.label == self.new_label or (<ClassifierModel> self.model).classes.decide(scores) != e.label
            self.right += 1.0 - off
            return off
        off = fabs(scores[0] - e.y)
        if not off < 1e120:
            off = 1e120
        self.right += off * off
        return min(1.0, off / (3.0 * sqrt(self.right / self.tested))) if off > 0.0 else 0.0

    cdef int suspect(self) noexcept:
        """Begin a tree in the background, and watch for the next warning."""
        cdef BatchModel model = self.successor()
        if model is None:
            return 0  # the one there is goes on
        self.background = model
        self.back_generation = self.generation
        self.share_memory()
        self.warnings += 1
        adwin_free(&self.warning)
        adwin_start(&self.warning, self.warning_delta)
        return 0

    def share_memory(self):
        """Halves for the tree that votes and for the one in the background, or all for the one there is."""
        if self.max_bytes:
            for model in self.models():
                model.state.limit_memory(self.max_bytes // (1 + (self.background is not None)))

    cdef int replace(self, uint64_t t) noexcept:
        """Let the tree in the background, or a new one, take over."""
        cdef BatchModel model = self.background
        if model is None:
            model = self.successor()
        if model is None:
            return 0
        self.mark(t)
        self.front_generation = self.back_generation if self.background is not None else self.generation
        self.model, self.background = model, None
        self.share_memory()
        self.tested = self.right = 0.0
        adwin_free(&self.warning)
        adwin_free(&self.drift)
        adwin_start(&self.warning, self.warning_delta or 1.0)
        adwin_start(&self.drift, self.drift_delta)
        return 0

    # -- to and from arrays -------------------------------------------------------------------

    def export(self):
        fields = {
            **Member.export(self),
            "front_generation": self.front_generation,
            "numbers": [self.tested, self.right],
            "warnings": self.warnings,
            "warning": adwin_export(&self.warning),
            "drift": adwin_export(&self.drift),
        }
        fields["numbers"] = np.array(fields["numbers"])
        if self.background is not None:
            fields["background"] = export_model(self.background)
            fields["back_generation"] = self.back_generation
        return fields

    def first_generation(self):
        return self.front_generation

    def restore(self, fields):
        self.front_generation = fields.integer("front_generation", 0, 2**61)
        self.tested, self.right = fields.array("numbers", (2,)).tolist()
        self.warnings = fields.integer("warnings", 0, 2**61)
        Member.restore(self, fields)
        for name in ("warning", "drift"):
            own = fields.child(name)
            if name == "warning":
                adwin_restore(&self.warning, own)
            else:
                adwin_restore(&self.drift, own)
            own.done()
        if not fields.missing("background"):
            self.back_generation = fields.integer("back_generation", 1, self.generation)
            self.background = self.made_again(self.back_generation)
            restore_model(self.background, fields.child("background"))
            self.share_memory()

    def memory(self):
        return Member.memory(self) + adwin_bytes(&self.warning) + adwin_bytes(&self.drift)
