"""A Hoeffding tree for numbers whose leaves watch only some of the features: a member of a forest."""

from libc.stdint cimport int32_t, uint64_t

from ..core.example cimport NO_MEMORY
from .arena._observers cimport UNWATCHED
from .arena._records cimport enough, preorder
from .arena.arena cimport Arena
from ._regression cimport HoeffdingRegressorState, Leaf, drop_leaf, ensure_room
from ._subspace cimport Birth, Draws, Subspace, watches


cdef inline Birth* birth_of(Arena* a, int32_t node) noexcept nogil:
    """It lies behind the leaf."""
    return <Birth*> (<char*> a.extra[node] + sizeof(Leaf))


cdef void drop_watching_leaf(Arena* a, void* extra) noexcept nogil:
    drop_leaf(a, extra)
    a.bytes -= sizeof(Birth)


cdef class SubspaceRegressorState(HoeffdingRegressorState):
    cdef Draws draws

    def __init__(self, *, double share, uint64_t draws, **common):
        HoeffdingRegressorState.__init__(self, **common)
        self.leaf_size = self.budget.per_node = sizeof(Leaf) + sizeof(Birth)
        self.arena.drop_extra = drop_watching_leaf
        self.draws = Draws(share, False, draws)

    cdef int reserve(self, Py_ssize_t width) except -1:
        HoeffdingRegressorState.reserve(self, width)
        return self.draws.reserve(self.features, width)

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.draws.n_names = min(self.draws.n_names, width)
        return HoeffdingRegressorState.shrink(self, width)

    cdef int32_t new_leaf(self, int32_t parent, double mass, const Leaf* model) noexcept nogil:
        cdef int32_t leaf = HoeffdingRegressorState.new_leaf(self, parent, mass, model)
        if leaf != NO_MEMORY:
            self.draws.bear(&self.arena, birth_of(&self.arena, leaf))
        return leaf

    cdef int observe_again(self, int32_t leaf) noexcept nogil:
        birth_of(&self.arena, leaf).decided = 0
        return HoeffdingRegressorState.observe_again(self, leaf)

    cdef int prepare_leaf(self, int32_t leaf) noexcept nogil:
        """Let it watch those features that it draws; of an example's features all have names."""
        cdef Arena* a = &self.arena
        cdef Leaf* own = <Leaf*> a.extra[leaf]
        cdef Birth* birth = birth_of(a, leaf)
        cdef Subspace s
        cdef int32_t f
        if own.observers == NULL or birth.decided >= a.known:
            return 0
        if ensure_room(a, own) != 0 or not self.draws.find(birth, &s):
            return NO_MEMORY
        for f in range(birth.decided, <int32_t> a.known):
            if not watches(&s, self.draws.names, f):
                own.observers[f].values = UNWATCHED
        birth.decided = <int32_t> a.known
        return 0

    def memory(self):
        return HoeffdingRegressorState.memory(self) + self.draws.bytes()

    # -- to and from arrays -------------------------------------------------------------------

    def export_own(self):
        cdef Arena* a = &self.arena
        cdef int32_t node
        births = [(birth_of(a, node).number, birth_of(a, node).known) for node in preorder(a, a.root)]
        return {**HoeffdingRegressorState.export_own(self), **self.draws.export(births)}

    def restore_own(self, fields):
        cdef Arena* a = &self.arena
        cdef int32_t node
        cdef Birth* birth
        births = self.draws.restore(fields, self.features.width)
        HoeffdingRegressorState.restore_own(self, fields)
        if len(births) != a.used:
            raise ValueError("births does not tell of every node when it was made")
        for node in range(<int32_t> a.used):
            birth = birth_of(a, node)
            birth.number, birth.known = births[node, 0], births[node, 1]
            enough(self.prepare_leaf(node))
