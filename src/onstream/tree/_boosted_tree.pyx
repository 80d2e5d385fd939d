"""A regression tree in a chain of boosted ones: it learns a target that the chain computes, and
answers with what it says of the example before and after."""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t

from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, NO_MEMORY, OVERFLOW, Example
from ._regression cimport MEAN, HoeffdingRegressorState, leaf_at
from .arena._memory_limit cimport MemoryBudget, most_named, room_for
from .arena._nodes cimport fits_in
from .arena._observers cimport add, watch
from .arena.arena cimport NOMINAL, NONE, Arena, View

cdef double LARGEST_TARGET = 1e120


cdef class BoostedTreeState(HoeffdingRegressorState):
    def configure(self, Encoder encoder):
        HoeffdingRegressorState.configure(self, encoder)
        encoder.most_named = most_named(self.budget.max_bytes // 2)  # the other half may be a rival's

    cdef double answer(self, const View* v) noexcept nogil:
        """What it says; 0 before the first example."""
        return self.predict_at(self.leaf_of(v), v) if self.arena.root != NONE else 0.0

    cdef bint has_split(self) noexcept nogil:
        return self.arena.root != NONE and self.arena.feature[self.arena.root] != NONE

    cdef double deviation(self) noexcept nogil:
        """Standard deviation of its targets."""
        return sqrt(self.scale[2] / self.scale[0]) if self.scale[0] > 0.0 else 0.0

    cdef void keep_to(self, Py_ssize_t max_bytes) noexcept nogil:
        """Keep to this limit from the next example on; 0: none."""
        self.budget.max_bytes = max_bytes

    cdef bint fits(self, Py_ssize_t max_bytes) noexcept nogil:
        """Could it keep to this limit? Nodes cannot be taken back."""
        cdef MemoryBudget then = self.budget
        then.max_bytes = max_bytes
        return room_for(&self.arena, &then, 0)

    cdef int boost(
        self, const Example* e, const View* v, double* before, double* after
    ) noexcept nogil:
        """Learn the example, as it looks in `v`. Not LEARNED: nothing has changed."""
        cdef int32_t leaf
        if self.budget.max_bytes:
            self.take_stock(e.width, e.named)
        if not fits_in(&self.arena, e) or not fabs(e.y) <= LARGEST_TARGET:
            return OVERFLOW
        before[0] = self.answer(v)
        leaf = self.leaf_to_learn(e, v)
        if leaf == NO_MEMORY:
            return NO_MEMORY
        self.learn_at(leaf, v, e.y, e.weight)
        if self.budget.max_bytes:
            self.enforce_limit()
        self.seen += 1
        if self.arena.feature[leaf] == NONE:
            after[0] = self.predict_at(leaf, v)
        else:
            after[0] = self.answer(v)
        return LEARNED

    cdef void update(self, int32_t node, const View* v, double y, double w) noexcept nogil:
        """A tree of means has no use for the scales of features."""
        cdef Arena* a = &self.arena
        cdef Py_ssize_t f
        if self.rule != MEAN:
            HoeffdingRegressorState.update(self, node, v, y, w)
            return
        add(&self.scale[0], &self.scale[1], &self.scale[2], y, w)
        for f in range(min(v.n, <Py_ssize_t> a.width)):
            if v.x[f] == v.x[f] and leaf_at(a, node).observers != NULL:
                watch(a, &leaf_at(a, node).observers[f], v.x[f], y, w, self.exact or a.kind[f] == NOMINAL)
        add(&a.weight[node], &leaf_at(a, node).mean, &leaf_at(a, node).m2, y, w)
        a.fresh[node] += w
