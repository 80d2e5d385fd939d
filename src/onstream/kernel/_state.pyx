"""States of kernel learners. With one set of supports for all labels, a subclass says by `update` what
it learns from an example and its scores: LEARNED, or another status and nothing is changed."""

from ..core.classifier cimport ClassifierState
from ..core.example cimport LEARNED, NO_MEMORY, OVERFLOW, Example
from ..core.memory cimport release, resize
from ..core.state cimport State
from ._expansion cimport Expansion


cdef class KernelClassifierState(ClassifierState):
    """A subclass sets `compiled` and `expansions`."""

    def export_own(self):
        return self.compiled.export()

    def restore_own(self, fields):
        self.compiled.restore(fields)

    def minds_scales(self):
        return self.compiled.vectors

    def memory(self):
        return ClassifierState.memory(self) + self.compiled.memory()


cdef class ExpansionClassifierState(KernelClassifierState):
    def __cinit__(self, Expansion expansion, *parameters):
        self.expansion, self.expansions, self.compiled = expansion, [expansion], expansion.s.compiled
        self.expansion.by_label = True
        self.f = <double*> resize(NULL, 0, sizeof(double))
        self.tau = <double*> resize(NULL, 0, sizeof(double))
        self.room = 1

    def __dealloc__(self):
        release(self.f)
        release(self.tau)

    cdef Py_ssize_t outputs(self) noexcept nogil:
        return self.expansion.k

    cdef int set_labels(self, Py_ssize_t n) except -1:
        """The third label splits f into -f/2 and +f/2 and starts at 0; any other starts at 0."""
        if n > self.room:
            self.f = <double*> resize(self.f, 0, n * sizeof(double))
            self.tau = <double*> resize(self.tau, 0, n * sizeof(double))
            self.room = n
        return self.expansion.set_rows(n if n > 2 else 1, self.first_sign * self.share)

    cdef int commit_label(self) except -1:
        return self.expansion.commit_label()

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        return self.expansion.score(e, out)

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.score_learn(e, self.f)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef int status
        if not self.compiled.hold(e):
            return NO_MEMORY
        status = self.update(e, out) if self.expansion.score_for_update(e, out) else OVERFLOW
        if status == LEARNED:
            self.compiled.watch(e)
        return status

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        return OVERFLOW

    def export_own(self):
        return {**KernelClassifierState.export_own(self), **self.expansion.export()}

    def restore_own(self, fields):
        KernelClassifierState.restore_own(self, fields)
        self.expansion.restore(fields, self.features.width, self.who)

    def memory(self):
        own = 8 * 2 * max(1, self.n_labels)
        return KernelClassifierState.memory(self) + self.expansion.memory() + own


cdef class KernelRegressorState(State):
    def __cinit__(self, Expansion expansion, *parameters):
        self.expansion, self.expansions, self.compiled = expansion, [expansion], expansion.s.compiled

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        return self.expansion.score(e, out)

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef double prediction
        return self.score_learn(e, &prediction)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef int status
        if not self.compiled.hold(e):
            return NO_MEMORY
        status = self.update(e, out[0]) if self.expansion.score_for_update(e, out) else OVERFLOW
        if status == LEARNED:
            self.compiled.watch(e)
        return status

    cdef int update(self, const Example* e, double f) noexcept nogil:
        return OVERFLOW

    def export_own(self):
        return {**self.compiled.export(), **self.expansion.export()}

    def restore_own(self, fields):
        self.compiled.restore(fields)
        self.expansion.restore(fields, self.features.width, self.who)

    def memory(self):
        return State.memory(self) + self.expansion.memory() + self.compiled.memory()

    def minds_scales(self):
        return self.compiled.vectors
