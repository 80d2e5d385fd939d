"""EFDT: split as soon as a split is better than none, and reconsider it at every inner node."""

from libc.stdint cimport int32_t
from libc.string cimport memcpy

import numpy as np

from ..core.example cimport NO_MEMORY, Example
from .arena._leaf cimport observe, prepare
from .arena._nodes cimport clear_children, heaviest, next_node
from .arena._records cimport enough, preorder
from .arena._split cimport Split, has_gain, null_split
from .arena.arena cimport NONE, Arena, View, arena_alloc, arena_free, with_slack
from ._hoeffding cimport HoeffdingState
from ._state cimport Opinion


cdef struct GainSums:    # of a node over all attempts there; then one sum per feature
    double attempts
    Py_ssize_t features


cdef inline double* sums(GainSums* g) noexcept nogil:
    return <double*> (g + 1)


cdef void drop_sums(Arena* a, void* extra) noexcept nogil:
    arena_free(a, extra, sizeof(GainSums) + (<GainSums*> extra).features * sizeof(double))


cdef GainSums* gain_sums(Arena* a, int32_t node) noexcept nogil:
    """The sums of a node, with room for every feature; or NULL."""
    cdef GainSums* old = <GainSums*> a.extra[node]
    cdef GainSums* g = old
    cdef Py_ssize_t features = min(with_slack(a.known), a.width)
    if old == NULL or old.features < a.known:
        g = <GainSums*> arena_alloc(a, sizeof(GainSums) + features * sizeof(double))
        if g == NULL:
            return NULL
        if old != NULL:
            g.attempts = old.attempts
            memcpy(sums(g), sums(old), old.features * sizeof(double))
            drop_sums(a, old)
        g.features = features
        a.extra[node] = g
    return g


cdef class EfdtState(HoeffdingState):
    cdef double reevaluate   # weight between two evaluations of an inner node

    def __init__(self, *, double reevaluate, **common):
        HoeffdingState.__init__(self, **common)
        self.keeps_tables = self.budget.inner = True
        self.arena.drop_extra = drop_sums
        self.reevaluate = reevaluate

    cdef int prepare_nodes(self, int32_t leaf, const View* v, int32_t label) noexcept nogil:
        while leaf != NONE:
            if prepare(&self.arena, leaf, v, label) != 0:
                return NO_MEMORY
            leaf = self.arena.parent[leaf]
        return 0

    cdef void update(self, int32_t leaf, Opinion opinion, const View* v, const Example* e) noexcept nogil:
        """Every node on the way learns; inner nodes reconsider their split now and then."""
        cdef Arena* a = &self.arena
        cdef int32_t node = a.root
        self.take_stock(e.width, e.named)
        self.budget.per_active = sizeof(GainSums) + with_slack(e.width) * sizeof(double)
        self.count_hits(leaf, opinion, e.label, e.weight)
        while node != NONE:
            node = self.learn_at(node, v, e)
        if self.budget.max_bytes:
            self.enforce_limit()

    cdef int32_t learn_at(self, int32_t node, const View* v, const Example* e) noexcept nogil:
        """Let one node on the way learn; returns the next one, or NONE."""
        cdef Arena* a = &self.arena
        cdef int32_t child
        observe(a, node, v, e.label, e.weight)
        a.mass[node] += e.weight
        if a.feature[node] == NONE:
            if self.due(node):
                self.attempt(node)
            return NONE
        if a.tables[node] != NULL and a.fresh[node] - a.last[node] >= self.reevaluate:
            if self.reconsider(node):
                return NONE
        child = next_node(a, node, v)
        if child == NONE:  # a cut that moved may have led to a node without this branch,
            child = self.leaf_to_learn(node, v) if self.may_add(1) else heaviest(a, node)
        if child == NO_MEMORY or prepare(a, child, v, e.label) != 0:  # or to one without a table
            return NONE
        return child

    cdef bint evaluate(self, int32_t node, Split* best) noexcept nogil:
        """The best split by the present gains, which are added to the sums. False: no memory."""
        cdef GainSums* g = gain_sums(&self.arena, node)
        cdef Split s
        cdef int32_t f
        best[0] = null_split()
        if g == NULL:
            return False
        g.attempts += 1.0
        for f in range(<int32_t> g.features):
            s = self.best_on(node, f)
            sums(g)[f] += s.gain
            if s.gain > best.gain and has_gain(&s):
                best[0] = s
        return True

    cdef double mean_gain(self, int32_t node, int32_t feature) noexcept nogil:
        cdef GainSums* g = gain_sums(&self.arena, node)
        return sums(g)[feature] / g.attempts if feature != NONE else 0.0

    cdef void attempt(self, int32_t leaf) noexcept nogil:
        """Split if, over all attempts, the best feature beats the null split."""
        cdef Split best
        cdef double epsilon = self.bound(leaf)
        if self.evaluate(leaf, &best) and best.feature != NONE:
            if self.mean_gain(leaf, best.feature) > epsilon or epsilon < self.tau:
                self.split(leaf, leaf, &best)

    cdef bint reconsider(self, int32_t node) noexcept nogil:
        """Another feature, or none, may be better by now. True: what was below is gone."""
        cdef Arena* a = &self.arena
        cdef Split best
        cdef double epsilon = self.bound(node), lead
        a.last[node] = a.fresh[node]
        if not self.evaluate(node, &best):
            return False
        if best.feature == a.feature[node]:
            if not best.nominal:  # the cut moves, what is below stays (as in MOA)
                a.threshold[node] = best.threshold
            if not best.nominal or best.by_value or best.threshold == a.threshold[node]:
                a.gain[node] = best.gain
            return False
        lead = self.mean_gain(node, best.feature) - self.mean_gain(node, a.feature[node])
        if not (lead > epsilon or (epsilon < self.tau and lead > self.tau / 2.0)):
            return False
        clear_children(a, node)
        if best.feature != NONE:
            self.split(node, node, &best)
        return True

    def drops_features(self):
        return False

    # -- to and from arrays -------------------------------------------------------------------

    def export_own(self):
        cdef Arena* a = &self.arena
        cdef GainSums* g
        cdef Py_ssize_t f, width = self.features.width
        nodes = preorder(a, a.root)
        merits = np.zeros((len(nodes), 1 + width))
        for at, i in enumerate(nodes):
            g = <GainSums*> a.extra[<int32_t> i]
            if g != NULL:
                merits[at, 0] = g.attempts
                for f in range(min(width, g.features)):
                    merits[at, 1 + f] = sums(g)[f]
        return {**HoeffdingState.export_own(self), "merits": merits}

    def restore_own(self, fields):
        cdef Arena* a = &self.arena
        cdef GainSums* g
        cdef Py_ssize_t f
        cdef int32_t i
        HoeffdingState.restore_own(self, fields)
        merits = fields.array("merits", (a.used, 1 + self.features.width))
        if (merits < 0.0).any():
            raise ValueError("merits holds a negative gain")
        for i in range(<int32_t> a.used):
            if merits[i, 0] > 0.0:
                g = gain_sums(a, i)
                if g == NULL:
                    enough(NO_MEMORY)
                g.attempts = merits[i, 0]
                for f in range(self.features.width):
                    sums(g)[f] = merits[i, 1 + f]
