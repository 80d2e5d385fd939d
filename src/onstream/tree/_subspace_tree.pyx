"""A Hoeffding tree that watches only some of the features, drawn at random: a member of a forest.

Each leaf draws its own (adaptive random forests), or the whole tree draws once (random patches).
Which features are watched is a function of (seed, leaf, feature), so that nothing but the number of
the leaf, and how many features there were when it was made, has to be kept.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport round, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport qsort

import numpy as np

from ..core.example cimport NO_MEMORY
from ..core.gaussian cimport uniform
from ..core.hashing cimport mix
from ..core.memory cimport release, resize, roomier
from .arena._nodes cimport free_node
from .arena._records cimport enough, preorder
from .arena._tables cimport drop_features
from .arena.arena cimport NONE, Arena, View, arena_alloc, arena_free
from ._hoeffding cimport HoeffdingState


cdef struct Birth:   # of a leaf
    int64_t number   # leaves that the tree had made before
    int32_t known    # features there were
    int32_t decided  # features of which the leaf knows whether it watches them


cdef inline Birth* birth_of(Arena* a, int32_t node) noexcept nogil:
    return <Birth*> a.extra[node]


cdef void drop_birth(Arena* a, void* extra) noexcept nogil:
    arena_free(a, extra, sizeof(Birth))


cdef struct Subspace:  # the features that a leaf watches
    bint whole         # all, and all that will come
    uint64_t key       # of the numbers drawn for each feature
    int32_t known      # features there were, of which
    double most        # those with a number up to this one are watched;
    double chance      # later features, if their number is up to this one


cdef inline bint watches(const Subspace* s, const uint64_t* names, int32_t f) noexcept nogil:
    return s.whole or uniform(s.key, names[f]) <= (s.most if f < s.known else s.chance)


cdef int by_size(const void* x, const void* y) noexcept nogil:
    cdef double a = (<const double*> x)[0], b = (<const double*> y)[0]
    return -1 if a < b else a > b


cdef class SubspaceTreeState(HoeffdingState):
    cdef uint64_t draws      # key of its random numbers
    cdef double share        # of the features that are watched; 0: round(sqrt(features)) + 1 of them
    cdef bint one_subspace   # drawn for the whole tree, not for each leaf
    cdef int64_t made        # leaves ever made
    cdef int32_t first       # features there were when the first leaf was made
    cdef uint64_t* names     # hash of the name of each feature, so that their order is irrelevant
    cdef Py_ssize_t n_names
    cdef Py_ssize_t room_names

    def __init__(self, *, double share, bint one_subspace, uint64_t draws, **common):
        HoeffdingState.__init__(self, **common)
        self.arena.drop_extra = drop_birth
        self.share, self.one_subspace, self.draws = share, one_subspace, draws

    def __dealloc__(self):
        release(self.names)

    cdef int reserve(self, Py_ssize_t width) except -1:
        HoeffdingState.reserve(self, width)
        if width > self.room_names:
            self.names = <uint64_t*> resize(
                self.names, self.room_names * sizeof(uint64_t), roomier(self.room_names, width) * sizeof(uint64_t))
            self.room_names = roomier(self.room_names, width)
        while self.n_names < width:
            name = self.n_names if self.features.bits >= 0 else self.features.name_of(self.n_names)
            self.names[self.n_names] = self.features.hash_name(name, None)
            self.n_names += 1
        return 0

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.n_names = min(self.n_names, width)
        return HoeffdingState.shrink(self, width)

    cdef int32_t watched(self, int32_t known) noexcept nogil:
        """How many of this number of features a leaf watches."""
        cdef double n = round(sqrt(<double> known)) + 1.0
        if self.share > 0.0:
            n = max(2.0, round(self.share * known))
        return <int32_t> min(n, <double> known)

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
        if self.made == 0:
            self.first = <int32_t> a.known
        birth.number = 0 if self.one_subspace else self.made
        birth.known = self.first if self.one_subspace else <int32_t> a.known
        birth.decided = 0
        a.extra[leaf] = birth
        self.made += 1
        return leaf

    cdef int prepare_nodes(self, int32_t leaf, const View* v, int32_t label) noexcept nogil:
        cdef Arena* a = &self.arena
        if a.tables[leaf] != NULL and (a.layout[leaf] == NULL or birth_of(a, leaf).decided < a.known):
            if self.choose_features(leaf) != 0:
                return NO_MEMORY
        return HoeffdingState.prepare_nodes(self, leaf, v, label)

    cdef int choose_features(self, int32_t leaf) noexcept nogil:
        """Let a leaf drop all features but those that it watches."""
        cdef Arena* a = &self.arena
        cdef Subspace s
        cdef uint8_t* poor
        cdef int32_t f, status
        if not self.find_subspace(birth_of(a, leaf), &s):
            return NO_MEMORY
        if s.whole:
            return 0
        poor = <uint8_t*> PyMem_RawCalloc(max(1, a.width), 1)
        if poor == NULL:
            return NO_MEMORY
        for f in range(<int32_t> a.known):
            poor[f] = not watches(&s, self.names, f)
        status = drop_features(a, leaf, poor)
        birth_of(a, leaf).decided = <int32_t> a.known
        PyMem_RawFree(poor)
        return status

    cdef bint find_subspace(self, const Birth* birth, Subspace* s) noexcept nogil:
        """Which features a leaf watches: of those there were when it was made the ones with the
        least random numbers; a later one with the same chance. False: no memory."""
        cdef int32_t wanted = self.watched(birth.known), f
        cdef double* drawn
        s.key = mix(self.draws + <uint64_t> birth.number)
        s.known, s.whole = birth.known, wanted >= birth.known
        if s.whole:
            return True
        s.chance = wanted / <double> s.known
        drawn = <double*> PyMem_RawMalloc(s.known * sizeof(double))
        if drawn == NULL:
            return False
        for f in range(s.known):
            drawn[f] = uniform(s.key, self.names[f])
        qsort(drawn, s.known, sizeof(double), by_size)
        s.most = drawn[wanted - 1]
        PyMem_RawFree(drawn)
        return True

    def memory(self):
        return HoeffdingState.memory(self) + self.room_names * sizeof(uint64_t)

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
            if not self.find_subspace(birth_of(a, nodes[at]), &s):
                raise MemoryError("onstream: no memory for the tree")
            if watches(&s, self.names, <int32_t> f):
                hidden.append((at, f))
        return {
            **fields,
            "hidden": np.array(hidden, dtype=np.int64).reshape(-1, 2),
            "births": np.array(births, dtype=np.int64).reshape(-1, 2),
            "made": self.made,
            "first": self.first,
        }

    def restore_own(self, fields):
        cdef Arena* a = &self.arena
        cdef int32_t node
        cdef Birth* birth
        self.made = fields.integer("made", 0, 2**61)
        self.first = fields.integer("first", 0, self.features.width)
        births = fields.integers("births", (-1, 2), 0, 2**61)
        HoeffdingState.restore_own(self, fields)
        self.reserve(self.features.width)
        if len(births) != a.used or (births[:, 1] > self.features.width).any():
            raise ValueError("births does not tell of every node when it was made")
        for node in range(<int32_t> a.used):
            birth = <Birth*> arena_alloc(a, sizeof(Birth))
            if birth == NULL:
                raise MemoryError("onstream: no memory for the tree")
            birth.number, birth.known, birth.decided = births[node, 0], births[node, 1], 0
            a.extra[node] = birth
            if a.feature[node] == NONE and a.tables[node] != NULL:
                enough(self.choose_features(node))
