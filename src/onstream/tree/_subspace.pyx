"""Which features a leaf of a tree of a forest watches.

Each leaf draws its own (adaptive random forests), or the whole tree draws once (random patches).
What is watched is a function of (seed, leaf, feature), so that nothing but the number of the leaf,
and how many features there were when it was made, has to be kept.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport round, sqrt
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport qsort

import numpy as np

from ..core.encoder cimport Encoder
from ..core.gaussian cimport uniform
from ..core.hashing cimport mix
from ..core.memory cimport release, resize, roomier
from .arena.arena cimport Arena


cdef int by_size(const void* x, const void* y) noexcept nogil:
    cdef double a = (<const double*> x)[0], b = (<const double*> y)[0]
    return -1 if a < b else a > b


cdef class Draws:
    """The random choices of one tree."""

    def __init__(self, double share, bint one_subspace, uint64_t key):
        self.share, self.one_subspace, self.key = share, one_subspace, key

    def __dealloc__(self):
        release(self.names)

    cdef int reserve(self, Encoder features, Py_ssize_t width) except -1:
        cdef Py_ssize_t room
        if width > self.room:
            room = roomier(self.room, width)
            self.names = <uint64_t*> resize(self.names, self.room * sizeof(uint64_t), room * sizeof(uint64_t))
            self.room = room
        while self.n_names < width:
            name = self.n_names if features.bits >= 0 else features.name_of(self.n_names)
            self.names[self.n_names] = features.hash_name(name, None)
            self.n_names += 1
        return 0

    cdef void bear(self, Arena* a, Birth* birth) noexcept nogil:
        """Note the birth of a leaf."""
        if self.made == 0:
            self.first = <int32_t> a.known
        birth.number = 0 if self.one_subspace else self.made
        birth.known = self.first if self.one_subspace else <int32_t> a.known
        birth.decided = 0
        self.made += 1

    cdef int32_t watched(self, int32_t known) noexcept nogil:
        """How many of this number of features a leaf watches."""
        cdef double n = round(sqrt(<double> known)) + 1.0
        if self.share > 0.0:
            n = max(2.0, round(self.share * known))
        return <int32_t> min(n, <double> known)

    cdef bint find(self, const Birth* birth, Subspace* s) noexcept nogil:
        """Which features a leaf watches: of those there were when it was made the ones with the
        least random numbers; a later one with the same chance. False: no memory."""
        cdef int32_t wanted = self.watched(birth.known), f
        cdef double* drawn
        s.key = mix(self.key + <uint64_t> birth.number)
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

    def export(self, births):
        """As fields of the tree; `births` are pairs (number, known), one for each node."""
        return {
            "births": np.array(births, dtype=np.int64).reshape(-1, 2),
            "made": self.made,
            "first": self.first,
        }

    def restore(self, fields, Py_ssize_t width):
        """The births of all nodes."""
        self.made = fields.integer("made", 0, 2**61)
        self.first = fields.integer("first", 0, width)
        births = fields.integers("births", (-1, 2), 0, 2**61)
        if (births[:, 1] > width).any():
            raise ValueError("births tells of more features than there are")
        return births

    def bytes(self):
        return 120 + self.room * sizeof(uint64_t)
