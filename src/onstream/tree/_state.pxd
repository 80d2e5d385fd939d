from libc.stdint cimport int32_t, uint64_t

from ..core.classifier cimport ClassifierState
from ..core.example cimport Example
from .arena._leaf cimport LeafRule
from .arena._split cimport Scratch, Split
from .arena.arena cimport Arena, View
from .arena.criteria cimport Criterion


cdef struct Opinion:  # what a leaf predicts for an example before it learns it
    int32_t mc        # label by majority; NONE: not computed
    int32_t nb        # label by naive Bayes


cdef class TreeState(ClassifierState):
    cdef Arena arena
    cdef Scratch scratch        # for the search of splits
    cdef double* votes          # one per label, for learning
    cdef Py_ssize_t room_votes
    cdef double delta           # chance of a wrong split
    cdef double grace           # weight between two attempts
    cdef double tau             # ties are broken below this
    cdef int32_t max_depth
    cdef Criterion criterion
    cdef LeafRule rule
    cdef bint seed_children     # children begin with the counts that the split gives them
    cdef bint poisson           # examples count as often as drawn at random
    cdef uint64_t seed
    cdef bint keeps_tables      # inner nodes keep their tables
    cdef bint ties_to_parent    # of equally likely labels the one that the parent has more of
    cdef object categorical     # features whose numbers are nominal: a set of names, or None

    # What a learner implements.
    cdef int prepare_nodes(self, int32_t leaf, const View* v, int32_t label) noexcept nogil
    cdef void update(self, int32_t leaf, Opinion opinion, const View* v, const Example* e) noexcept nogil
    cdef void attempt(self, int32_t leaf) noexcept nogil
    cdef bint may_add(self, Py_ssize_t nodes) noexcept nogil
    cdef int32_t new_leaf(self, int32_t parent, double mass) noexcept nogil

    # What it is written with.
    cdef int32_t leaf_of(self, int32_t root, const View* v) noexcept nogil
    cdef int32_t leaf_to_learn(self, int32_t root, const View* v) noexcept nogil
    cdef Opinion consult(self, int32_t node, const View* v, double* out) noexcept nogil
    cdef bint wrong(self, int32_t leaf, Opinion opinion, const View* v, int32_t label) noexcept nogil
    cdef void count_hits(self, int32_t node, Opinion opinion, int32_t label, double w) noexcept nogil
    cdef bint due(self, int32_t node) noexcept nogil
    cdef double bound(self, int32_t node) noexcept nogil
    cdef Split best_on(self, int32_t node, int32_t feature) noexcept nogil
    cdef void two_best(self, int32_t node, Split* a, Split* b) noexcept nogil
    cdef int split(self, int32_t node, int32_t source, const Split* s) noexcept nogil
    cdef list roots(self)
    cdef list restore_arena(self, object fields, Py_ssize_t alternates)

    # Its own.
    cdef int route(self, const Example* e, double* out) noexcept nogil
    cdef int route_view(self, const Example* e, const View* v, double* out) noexcept nogil
    cdef void write_scores(self, int32_t node, const View* v, double* out) noexcept nogil
    cdef void write_votes(self, int32_t node, double* votes, double* out) noexcept nogil
    cdef int32_t label_at(self, int32_t node, const double* votes) noexcept nogil
    cdef int32_t tie(self) noexcept nogil
    cdef int add_children(self, int32_t node, int32_t source, const Split* s) noexcept nogil
