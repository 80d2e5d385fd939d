"""Learners with one set of supports: of labels, with a coefficient for each, and of numbers.

What is learned from an example and its scores, a subclass says by its `update`.
"""

from ..core.example cimport OVERFLOW, Example
from ..core.memory cimport release, resize
from ._expansion cimport Expansion
from ._objects cimport ObjectClassifierState, ObjectRegressorState


cdef class KernelClassifierState(ObjectClassifierState):
    def __cinit__(self, Expansion expansion, *args):
        self.expansion, self.program = expansion, expansion.s.program
        self.expansion.by_label = True
        self.f = <double*> resize(NULL, 0, sizeof(double))
        self.steps = <double*> resize(NULL, 0, sizeof(double))
        self.room = 1

    def __dealloc__(self):
        release(self.f)
        release(self.steps)

    cdef Py_ssize_t outputs(self) noexcept nogil:
        return self.expansion.k

    cdef int set_labels(self, Py_ssize_t n) except -1:
        """The third label splits f into -f/2 and +f/2 and starts at 0; any other starts at 0."""
        if n > self.room:
            self.f = <double*> resize(self.f, 0, n * sizeof(double))
            self.steps = <double*> resize(self.steps, 0, n * sizeof(double))
            self.room = n
        return self.expansion.set_rows(n if n > 2 else 1, self.first_sign * self.share)

    cdef int commit_label(self) except -1:
        return self.expansion.commit_label()

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        return self.expansion.score(e, out)

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.score_learn(e, self.f)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        return self.update(e, out) if self.expansion.meet(e, out) else OVERFLOW

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        """Learn from the example and its scores: LEARNED, or OVERFLOW and nothing is changed."""
        return OVERFLOW

    def stores(self):
        return self.expansion.stores()

    def coefficients(self):
        return self.expansion.coefficients()

    def export_own(self):
        return {**ObjectClassifierState.export_own(self), **self.expansion.export()}

    def restore_own(self, fields):
        ObjectClassifierState.restore_own(self, fields)
        self.expansion.restore(fields, self.features.width, self.who)

    def memory(self):
        own = 8 * 2 * max(1, self.n_labels)
        return ObjectClassifierState.memory(self) + self.expansion.memory() + own


cdef class KernelRegressorState(ObjectRegressorState):
    def __cinit__(self, Expansion expansion, *args):
        self.expansion, self.program = expansion, expansion.s.program

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        return self.expansion.score(e, out)

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef double prediction
        return self.score_learn(e, &prediction)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        return self.update(e, out[0]) if self.expansion.meet(e, out) else OVERFLOW

    cdef int update(self, const Example* e, double f) noexcept nogil:
        """Learn from the example and its prediction: LEARNED, or OVERFLOW and nothing is changed."""
        return OVERFLOW

    def stores(self):
        return self.expansion.stores()

    def coefficients(self):
        return self.expansion.coefficients()

    def export_own(self):
        return {**ObjectRegressorState.export_own(self), **self.expansion.export()}

    def restore_own(self, fields):
        ObjectRegressorState.restore_own(self, fields)
        self.expansion.restore(fields, self.features.width, self.who)

    def memory(self):
        return ObjectRegressorState.memory(self) + self.expansion.memory()
