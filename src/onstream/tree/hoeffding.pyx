"""VFDT: route, count, and split as soon as Hoeffding's bound says which feature is best."""

from libc.stdint cimport int32_t

from ..core.example cimport LEARNED, OVERFLOW, Example
from .arena cimport NOBODY, NO_MEMORY, Arena, View, close_view, fits_in, open_view, welcome
from .leaf cimport observe, prepare
from .promise cimport claim, ration
from .split cimport Split
from .state cimport Opinion, TreeState


cdef enum:
    PERIOD = 10_000  # examples between two looks at leaves whose promise may have risen


cdef class HoeffdingState(TreeState):
    def __cinit__(self, str who, hash_bits, hash_seed, max_labels, dict params):
        self.max_bytes = params.get("max_bytes") or 0

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.grow(e, NULL)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        return self.grow(e, out)

    cdef int grow(self, const Example* e, double* out) noexcept nogil:
        """Learn the example; what the tree said before goes to `out`, unless that is NULL."""
        cdef Arena* a = &self.arena
        cdef View v
        cdef int32_t leaf
        cdef Opinion opinion
        if not fits_in(a, e) or open_view(a, e, &v) != 0:
            if out != NULL:
                self.score(e, out)
            return OVERFLOW
        if a.root == NOBODY and self.plant() != 0:
            close_view(a, &v)
            return OVERFLOW
        leaf = self.leaf_to_learn(a.root, &v)
        if leaf != NO_MEMORY:
            opinion = self.consult(leaf, &v, out)
        if leaf == NO_MEMORY or welcome(a, e) != 0 or prepare(a, leaf, e.label) != 0:
            close_view(a, &v)
            return OVERFLOW
        a.total += e.weight
        self.note_hits(leaf, opinion, e.label, e.weight)
        self.route_weight(leaf, e.weight)
        self.learn_leaf(leaf, &v, e.label, e.weight)
        close_view(a, &v)
        if self.max_bytes:
            self.keep_limit(e.width)
        return LEARNED

    cdef void keep_limit(self, Py_ssize_t features) noexcept nogil:
        """Deactivate the least promising leaves when memory is short; look again now and then."""
        cdef Arena* a = &self.arena
        cdef bint again = a.n_active < (a.live + 1) // 2 and (self.seen + 1) % PERIOD == 0
        if again or claim(a, features, self.n_labels) > self.max_bytes:
            ration(a, features, self.n_labels, self.max_bytes)

    cdef void learn_leaf(self, int32_t leaf, const View* v, int32_t label, double w) noexcept nogil:
        observe(&self.arena, leaf, v, label, w)
        if self.due(leaf):
            self.attempt(leaf)

    cdef void attempt(self, int32_t leaf) noexcept nogil:
        """Split if the best feature beats the second by epsilon, or if they are as good as equal."""
        cdef Split best, second
        cdef double epsilon = self.bound(leaf)
        self.two_best(leaf, &best, &second)
        if best.feature == NOBODY:
            return
        if best.gain - second.gain > epsilon or epsilon < self.tau:
            self.split(leaf, leaf, &best, False)
