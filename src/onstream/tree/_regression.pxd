from libc.stdint cimport int32_t, uint64_t

from ..core.encoder cimport Encoder
from ..core.example cimport Example
from ..core.state cimport State
from .arena._memory_limit cimport MemoryBudget
from .arena._observers cimport Observer, Spread
from .arena._split cimport Split
from .arena.arena cimport Arena, View


cdef enum LeafRule:
    ADAPTIVE
    MEAN
    LINEAR


cdef struct Leaf:
    double mean          # of the targets
    double m2            # sum of their squared distances from it
    double fade_mean     # faded squared errors of the mean and of the linear model
    double fade_linear
    int32_t d            # features with room
    Observer* observers  # NULL: an inner node, or a leaf that memory is too short for
    double* w            # linear model: intercept, then one weight per feature


cdef inline Leaf* leaf_at(Arena* a, int32_t node) noexcept nogil:
    return <Leaf*> a.extra[node]


cdef void drop_leaf(Arena* a, void* extra) noexcept nogil
cdef int ensure_room(Arena* a, Leaf* leaf) noexcept nogil


cdef class HoeffdingRegressorState(State):
    cdef Arena arena
    cdef double grace
    cdef double delta
    cdef double tau
    cdef int32_t max_depth
    cdef Spread spread      # what a split should reduce
    cdef bint exact         # observers keep every distinct value
    cdef bint seed_children  # children begin with the targets that the split gives them
    cdef bint poisson       # examples count as often as drawn at random
    cdef uint64_t seed
    cdef LeafRule rule
    cdef object categorical  # features whose numbers are nominal: a set of names, or None
    cdef double* scale      # weight, mean, sum of squares of the target, then of every feature
    cdef Py_ssize_t scaled  # features it has room for
    cdef Encoder encoder    # counts the bytes of names
    cdef MemoryBudget budget
    cdef Py_ssize_t active  # leaves with observers
    cdef Py_ssize_t waiting  # leaves without, for lack of memory
    cdef Py_ssize_t leaf_size  # bytes of what a node keeps

    # What a member of a forest does otherwise.
    cdef int32_t new_leaf(self, int32_t parent, double mass, const Leaf* model) noexcept nogil
    cdef int prepare_leaf(self, int32_t leaf) noexcept nogil
    cdef int observe_again(self, int32_t leaf) noexcept nogil

    # Its own.
    cdef int32_t leaf_of(self, const View* v) noexcept nogil
    cdef double mean_of(self, int32_t node) noexcept nogil
    cdef double linear(self, Leaf* leaf, const View* v) noexcept nogil
    cdef double predict_at(self, int32_t node, const View* v) noexcept nogil
    cdef int32_t leaf_to_learn(self, const Example* e, const View* v) noexcept nogil
    cdef int route_view(self, const Example* e, const View* v) noexcept nogil
    cdef void learn_at(self, int32_t leaf, const View* v, double y, double w) noexcept nogil
    cdef void update(self, int32_t node, const View* v, double y, double w) noexcept nogil
    cdef void delta_rule(self, int32_t node, const View* v, double y, double w) noexcept nogil
    cdef void attempt(self, int32_t node) noexcept nogil
    cdef Split best_on(self, Leaf* leaf, int32_t f) noexcept nogil
    cdef void split(self, int32_t node, const Split* s) noexcept nogil
    cdef int add_children(self, int32_t node, const Split* s) noexcept nogil
    cdef void take_stock(self, Py_ssize_t features, Py_ssize_t named) noexcept nogil
    cdef Py_ssize_t empty_leaf(self) noexcept nogil
    cdef Py_ssize_t leaf_bytes(self, Leaf* leaf) noexcept nogil
    cdef Py_ssize_t estimated(self) noexcept nogil
    cdef void enforce_limit(self) noexcept nogil
    cdef void enforce(self) noexcept nogil
    cdef void recount(self) noexcept nogil
