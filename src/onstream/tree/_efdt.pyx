"""EFDT: split as soon as a split is better than none, and think again at every inner node."""

from libc.stdint cimport int32_t
from libc.string cimport memcpy

import numpy as np

from ..core.example cimport Example
from .arena._nodes cimport (
    NOBODY, NO_MEMORY, Arena, View, clear_children, give_back, grab, next_node,
)
from ._hoeffding cimport HoeffdingState
from .arena._leaf cimport observe, prepare
from .arena._records cimport preorder
from .arena._split cimport Split, best_split
from ._state cimport Opinion, TreeState

cdef double NO_GAIN = 1e-10

cdef struct Merits:      # gains of a node summed over all attempts there; then one sum per feature
    double attempts
    Py_ssize_t features


cdef inline double* sums(Merits* m) noexcept nogil:
    return <double*> (m + 1)


cdef void drop_merits(Arena* a, void* extra) noexcept nogil:
    give_back(a, extra, sizeof(Merits) + (<Merits*> extra).features * sizeof(double))


cdef Merits* merits(Arena* a, int32_t node) noexcept nogil:
    """The sums of a node, with room for every feature; or NULL."""
    cdef Merits* old = <Merits*> a.extra[node]
    cdef Merits* m = old
    if old == NULL or old.features < a.width:
        m = <Merits*> grab(a, sizeof(Merits) + a.width * sizeof(double))
        if m == NULL:
            return NULL
        if old != NULL:
            m.attempts = old.attempts
            memcpy(sums(m), sums(old), old.features * sizeof(double))
            drop_merits(a, old)
        m.features = a.width
        a.extra[node] = m
    return m


cdef class ExtremelyFastState(HoeffdingState):
    cdef double reevaluate   # weight between two thoughts at an inner node

    def __cinit__(self, dict params):
        self.arena.drop_extra = drop_merits
        self.reevaluate = params["reevaluate"]

    cdef int make_ready(self, int32_t leaf, const View* v, int32_t label) noexcept nogil:
        while leaf != NOBODY:
            if prepare(&self.arena, leaf, label) != 0:
                return NO_MEMORY
            leaf = self.arena.parent[leaf]
        return 0

    cdef void teach(self, int32_t leaf, Opinion opinion, const View* v, const Example* e) noexcept nogil:
        """Every node of the way learns, and inner nodes think their question over."""
        cdef Arena* a = &self.arena
        cdef int32_t node = a.root, child
        self.note_hits(leaf, opinion, e.label, e.weight)
        while True:
            observe(a, node, v, e.label, e.weight)
            a.mass[node] += e.weight
            if a.feature[node] == NOBODY:
                if self.due(node):
                    self.attempt(node)
                return
            if a.fresh[node] - a.last[node] >= self.reevaluate and self.reconsider(node):
                return
            child = next_node(a, node, v)
            if child == NOBODY:  # a cut that moved may have led to a node without this branch,
                child = self.leaf_to_learn(node, v)
            if child == NO_MEMORY or prepare(a, child, e.label) != 0:  # or to one without a table
                return
            node = child

    cdef bint weigh(self, int32_t node, Split* best) noexcept nogil:
        """Best split by today's gains; every feature's gain is added to its sum."""
        cdef Merits* m = merits(&self.arena, node)
        cdef Split s
        cdef int32_t f
        best.feature, best.gain, best.threshold, best.nominal = NOBODY, 0.0, 0.0, False
        if m == NULL:
            return False
        m.attempts += 1.0
        for f in range(<int32_t> self.arena.width):
            best_split(&self.arena, node, f, self.criterion, &self.scratch, &s)
            sums(m)[f] += s.gain
            if s.gain > best.gain and s.gain > NO_GAIN:
                best[0] = s
        return True

    cdef double mean_gain(self, int32_t node, int32_t feature) noexcept nogil:
        cdef Merits* m = merits(&self.arena, node)
        return sums(m)[feature] / m.attempts if feature != NOBODY else 0.0

    cdef void attempt(self, int32_t leaf) noexcept nogil:
        """A leaf splits if, over all attempts, its best feature beats the null split."""
        cdef Split best
        cdef double epsilon = self.bound(leaf)
        if self.weigh(leaf, &best) and best.feature != NOBODY:
            if self.mean_gain(leaf, best.feature) > epsilon or epsilon < self.tau:
                self.split(leaf, leaf, &best, True)

    cdef bint reconsider(self, int32_t node) noexcept nogil:
        """Another feature, or none, may be better by now. True: what was below is gone."""
        cdef Arena* a = &self.arena
        cdef Split best
        cdef double epsilon = self.bound(node), lead
        a.last[node] = a.fresh[node]
        if not self.weigh(node, &best):
            return False
        if best.feature == a.feature[node]:  # the cut moves, what is below stays (as in MOA)
            a.threshold[node] = best.threshold
            a.gain[node] = best.gain
            return False
        lead = self.mean_gain(node, best.feature) - self.mean_gain(node, a.feature[node])
        if not (lead > epsilon or (epsilon < self.tau and lead > self.tau / 2.0)):
            return False
        clear_children(a, node)
        if best.feature != NOBODY:
            self.split(node, node, &best, True)
        return True

    def export_own(self):
        cdef Arena* a = &self.arena
        cdef Merits* m
        cdef Py_ssize_t f, width = self.features.width
        nodes = preorder(a, a.root)
        told = np.zeros((len(nodes), 1 + width))
        for at, i in enumerate(nodes):
            m = <Merits*> a.extra[<int32_t> i]
            if m != NULL:
                told[at, 0] = m.attempts
                for f in range(min(width, m.features)):
                    told[at, 1 + f] = sums(m)[f]
        return {**TreeState.export_own(self), "merits": told}

    def restore_own(self, fields):
        cdef Arena* a = &self.arena
        cdef Merits* m
        cdef Py_ssize_t f
        cdef int32_t i
        TreeState.restore_own(self, fields)
        told = fields.array("merits", (a.used, 1 + self.features.width))
        if (told < 0.0).any():
            raise ValueError("merits holds a negative gain")
        for i in range(<int32_t> a.used):
            if told[i, 0] > 0.0:
                m = merits(a, i)
                if m == NULL:
                    raise MemoryError("onstream: no memory for the tree")
                m.attempts = told[i, 0]
                for f in range(self.features.width):
                    sums(m)[f] = told[i, 1 + f]
