"""A Hoeffding tree whose leaves watch only some of the features, drawn at random: a member of a forest."""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport int32_t, uint8_t, uint64_t

import numpy as np

from ..core.example cimport NO_MEMORY
from .arena._nodes cimport free_node
from .arena._records cimport enough, preorder
from .arena._split cimport labels_at
from .arena._tables cimport drop_features
from .arena.arena cimport NONE, Arena, View, arena_alloc, arena_free
from .arena.criteria cimport hoeffding
from ._hoeffding cimport HoeffdingState
from ._subspace cimport Birth, Draws, Subspace, watches


cdef inline Birth* birth_of(Arena* a, int32_t node) noexcept nogil:
    return <Birth*> a.extra[node]


cdef void drop_birth(Arena* a, void* extra) noexcept nogil:
    arena_free(a, extra, sizeof(Birth))


cdef class SubspaceTreeState(HoeffdingState):
    cdef Draws draws

    cdef bint watching(self, int32_t node) noexcept nogil

    def __init__(self, *, double share, bint one_subspace, uint64_t draws, **common):
        HoeffdingState.__init__(self, **common)
        self.arena.drop_extra = drop_birth
        self.budget.per_node = sizeof(Birth)
        self.draws = Draws(share, one_subspace, draws)

    cdef int reserve(self, Py_ssize_t width) except -1:
        HoeffdingState.reserve(self, width)
        return self.draws.reserve(self.features, width)

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.draws.n_names = min(self.draws.n_names, width)
        return HoeffdingState.shrink(self, width)

    cdef int32_t new_leaf(self, int32_t parent, double mass) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef int32_t leaf = HoeffdingState.new_leaf(self, parent, mass)
        cdef Birth* birth
        if leaf == NO_MEMORY:
            return NO_MEMORY
        birth = <Birth*> arena_alloc(a, sizeof(Birth))
        if birth == NULL:
            free_node(a, leaf)
            return NO_MEMORY
        self.draws.bear(a, birth)
        a.extra[leaf] = birth
        return leaf

    cdef int prepare_nodes(self, int32_t leaf, const View* v, int32_t label) noexcept nogil:
        cdef Arena* a = &self.arena
        if a.tables[leaf] != NULL and (a.layout[leaf] == NULL or birth_of(a, leaf).decided < a.known):
            if self.choose_features(leaf) != 0:
                return NO_MEMORY
        return HoeffdingState.prepare_nodes(self, leaf, v, label)

    cdef double bound(self, int32_t node) noexcept nogil:
        """Hoeffding's epsilon, with the weight that the split above has foreseen for the node: MOA's
        leaves begin with it, too."""
        cdef Arena* a = &self.arena
        return hoeffding(self.criterion.gain_range(labels_at(a, node)), self.delta, a.mass[node] - a.idle[node])

    cdef int choose_features(self, int32_t leaf) noexcept nogil:
        """Let a leaf drop all features but those that it watches."""
        cdef Arena* a = &self.arena
        cdef Subspace s
        cdef uint8_t* poor
        cdef int32_t f, status
        if not self.draws.find(birth_of(a, leaf), &s):
            return NO_MEMORY
        if s.whole:
            return 0
        poor = <uint8_t*> PyMem_RawCalloc(max(1, a.width), 1)
        if poor == NULL:
            return NO_MEMORY
        for f in range(<int32_t> a.known):
            poor[f] = not watches(&s, self.draws.names, f)
        status = drop_features(a, leaf, poor)
        birth_of(a, leaf).decided = <int32_t> a.known
        PyMem_RawFree(poor)
        return status

    def memory(self):
        return HoeffdingState.memory(self) + self.draws.bytes()

    def drops_features(self):
        return True

    # -- to and from arrays -------------------------------------------------------------------

    def export_own(self):
        cdef Arena* a = &self.arena
        cdef int32_t node
        cdef Subspace s
        nodes = [node for root in self.roots() for node in preorder(a, root)]
        births = [(birth_of(a, node).number, birth_of(a, node).known) for node in nodes]
        fields = HoeffdingState.export_own(self)
        hidden = []  # what is not watched is known by the birth; the rest was dropped for lack of memory
        for at, f in fields["hidden"].tolist():
            if not self.draws.find(birth_of(a, nodes[at]), &s):
                raise MemoryError("onstream: no memory for the tree")
            if watches(&s, self.draws.names, <int32_t> f):
                hidden.append((at, f))
        fields["hidden"] = np.array(hidden, dtype=np.int64).reshape(-1, 2)
        lagging = [  # leaves that have learned nothing since there are more features
            (at, birth_of(a, node).decided) for at, node in enumerate(nodes)
            if self.watching(node) and birth_of(a, node).decided < self.features.width
        ]
        fields["lagging"] = np.array(lagging, dtype=np.int64).reshape(-1, 2)
        return {**fields, **self.draws.export(births)}

    cdef bint watching(self, int32_t node) noexcept nogil:
        """Is it a leaf that has learned an example, and so chosen its features?"""
        cdef Arena* a = &self.arena
        return a.feature[node] == NONE and a.tables[node] != NULL and a.weight[node] > a.idle[node]

    def restore_own(self, fields):
        cdef Arena* a = &self.arena
        cdef int32_t node
        cdef Birth* birth
        births = self.draws.restore(fields, self.features.width)
        lagging = dict(fields.integers("lagging", (-1, 2), 0, 2**31 - 1).tolist())
        if any([decided > self.features.width for decided in lagging.values()]):
            raise ValueError("lagging tells of more features than there are")
        HoeffdingState.restore_own(self, fields)
        self.reserve(self.features.width)
        if len(births) != a.used:
            raise ValueError("births does not tell of every node when it was made")
        for node in range(<int32_t> a.used):
            birth = <Birth*> arena_alloc(a, sizeof(Birth))
            if birth == NULL:
                raise MemoryError("onstream: no memory for the tree")
            birth.number, birth.known, birth.decided = births[node, 0], births[node, 1], 0
            a.extra[node] = birth
            if self.watching(node):  # among the features that there were when it chose
                a.known = lagging.get(node, self.features.width)
                enough(self.choose_features(node))
        a.known = self.features.width
