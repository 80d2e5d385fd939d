from libc.stdint cimport int32_t

from ..core.classifier cimport ClassifierState
from .arena._nodes cimport Arena, View
from .arena.criteria cimport Criterion
from .arena._leaf cimport LeafRule
from .arena._split cimport Scratch, Split


cdef struct Opinion:  # what a leaf says of an example before it learns it
    int32_t mc  # label by majority; NOBODY: not asked
    int32_t nb  # label by naive Bayes


cdef class TreeState(ClassifierState):
    cdef Arena arena
    cdef Scratch scratch        # for the search of splits
    cdef double* votes          # one per label, for learning
    cdef Py_ssize_t room_votes
    cdef double delta           # how sure a split must be
    cdef double grace           # weight between two attempts
    cdef double tau             # ties are broken below this
    cdef int32_t max_depth
    cdef Criterion criterion
    cdef LeafRule rule
    cdef Py_ssize_t expected    # trees to be restored
    cdef list planted           # their roots
    cdef object categorical     # features whose numbers are nominal, too: a set of names, or None
    cdef bint seed_children     # children begin with the counts that the split gives them

    cdef void present(self, double* votes, double* out) noexcept nogil
    cdef int32_t tie(self) noexcept nogil
    cdef bint may_add(self, Py_ssize_t nodes) noexcept nogil
    cdef int32_t leaf_of(self, int32_t root, const View* v) noexcept nogil
    cdef int32_t leaf_to_learn(self, int32_t root, const View* v) noexcept nogil
    cdef void tell(self, int32_t node, const View* v, double* out) noexcept nogil
    cdef Opinion consult(self, int32_t node, const View* v, double* out) noexcept nogil
    cdef bint wrong(self, int32_t leaf, Opinion opinion, const View* v, int32_t label) noexcept nogil
    cdef void note_hits(self, int32_t node, Opinion opinion, int32_t label, double w) noexcept nogil
    cdef void route_weight(self, int32_t leaf, double w) noexcept nogil
    cdef bint due(self, int32_t node) noexcept nogil
    cdef void two_best(self, int32_t node, Split* a, Split* b) noexcept nogil
    cdef double bound(self, int32_t node) noexcept nogil
    cdef int split(self, int32_t node, int32_t source, const Split* s, bint keep) noexcept nogil
    cdef int32_t new_leaf(self, int32_t parent, double mass) noexcept nogil
    cdef int plant(self) noexcept nogil
    cdef list roots(self)
