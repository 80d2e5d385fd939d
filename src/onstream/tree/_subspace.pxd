from libc.stdint cimport int32_t, int64_t, uint64_t

from ..core.encoder cimport Encoder
from ..core.gaussian cimport uniform
from .arena.arena cimport Arena


cdef struct Birth:   # of a leaf
    int64_t number   # leaves that the tree had made before
    int32_t known    # features there were
    int32_t decided  # features of which the leaf knows whether it watches them


cdef struct Subspace:  # the features that a leaf watches
    bint whole         # all, and all that will come
    uint64_t key       # of the numbers drawn for each feature
    int32_t known      # features there were, of which
    double most        # those with a number up to this one are watched;
    double chance      # later features, if their number is up to this one


cdef inline bint watches(const Subspace* s, const uint64_t* names, int32_t f) noexcept nogil:
    return s.whole or uniform(s.key, names[f]) <= (s.most if f < s.known else s.chance)


cdef class Draws:
    cdef uint64_t key        # of the random numbers of a tree
    cdef double share        # of the features that are watched; 0: round(sqrt(features)) + 1 of them
    cdef bint one_subspace   # drawn for the whole tree, not for each leaf
    cdef int64_t made        # leaves ever made
    cdef int32_t first       # features there were when the first leaf was made
    cdef uint64_t* names     # hash of the name of each feature, so that their order is irrelevant
    cdef Py_ssize_t n_names
    cdef Py_ssize_t room

    cdef int reserve(self, Encoder features, Py_ssize_t width) except -1
    cdef void bear(self, Arena* a, Birth* birth) noexcept nogil
    cdef int32_t watched(self, int32_t known) noexcept nogil
    cdef bint find(self, const Birth* birth, Subspace* s) noexcept nogil
