"""VFDT: route, count, and split as soon as Hoeffding's bound shows which feature is best.

The limit of memory is here, too, and other trees of labels have it from here."""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport int32_t, uint8_t

from ..core.encoder cimport Encoder
from ..core.example cimport Example
from .arena._leaf cimport observe
from .arena._memory_limit cimport (
    enforce, estimated_bytes, most_named, room_for, room_for_labels,
)
from .arena._split cimport Split
from .arena._tables cimport drop_features
from .arena.arena cimport NONE, UNKNOWN, Arena, View, column
from ._state cimport Opinion, TreeState


cdef enum:
    PERIOD = 10_000  # examples after which leaves without tables may have become promising

DEAR = "each label takes some 250 bytes, and 8 in every node; raise it, or use a regressor for numbers"

cdef double SHORT = 0.8  # of max_bytes: beyond that leaves drop features that promise nothing


cdef class HoeffdingState(TreeState):
    def __init__(self, *, max_bytes=None, **common):
        TreeState.__init__(self, **common)
        self.budget.max_bytes = max_bytes or 0

    # -- learning -----------------------------------------------------------------------------

    cdef void update(self, int32_t leaf, Opinion opinion, const View* v, const Example* e) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef int32_t node = leaf
        self.take_stock(e.width, e.named)
        # Which leaf rule was right, and the weight routed through each node on the way.
        self.count_hits(leaf, opinion, e.label, e.weight)
        while node != NONE:
            a.mass[node] += e.weight
            node = a.parent[node]
        # Count the example, and try a split once per grace period.
        observe(a, leaf, v, e.label, e.weight)
        if self.due(leaf):
            self.attempt(leaf)
        if self.budget.max_bytes:
            self.enforce_limit()

    cdef void attempt(self, int32_t leaf) noexcept nogil:
        """Split if the best feature beats the second by epsilon, or if they are as good as equal."""
        cdef Split best, second
        cdef double epsilon = self.bound(leaf)
        self.two_best(leaf, &best, &second)
        if best.feature == NONE:
            return
        if best.gain - second.gain > epsilon or epsilon < self.tau:
            self.split(leaf, leaf, &best)
        elif self.short_of_memory():
            self.drop_poor(leaf, best.gain - epsilon)

    # -- the limit of memory ------------------------------------------------------------------

    def configure(self, Encoder encoder):
        TreeState.configure(self, encoder)
        encoder.most_named = most_named(self.budget.max_bytes)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        self.encoder = encoder
        return TreeState.connect(self, features, encoder)

    cdef void take_stock(self, Py_ssize_t features, Py_ssize_t named) noexcept nogil:
        """What bytes are reckoned from, besides the tree."""
        self.budget.features, self.budget.named = features, named
        self.budget.columns, self.budget.labels = self.features.implicit, self.n_labels

    cdef bint may_add(self, Py_ssize_t nodes) noexcept nogil:
        """The main tree leaves a quarter of the nodes' part to alternates, if there are such."""
        if self.adapts and not self.beside:
            nodes += self.arena.live // 3
        return room_for(&self.arena, &self.budget, nodes)

    cdef bint short_of_memory(self) noexcept nogil:
        return self.budget.max_bytes > 0 and (
            self.waiting > 0
            or estimated_bytes(&self.arena, &self.budget) > SHORT * self.budget.max_bytes)

    cdef void enforce_limit(self) noexcept nogil:
        """Deactivate the least promising leaves when memory is short. Leaves without tables get a
        new chance every PERIOD examples, and when a leaf has dropped features."""
        cdef Arena* a = &self.arena
        cdef bint again = self.waiting > 0 and (self.dropped or (self.seen + 1) % PERIOD == 0)
        self.dropped = False
        if again or estimated_bytes(a, &self.budget) > self.budget.max_bytes:
            self.waiting = enforce(a, &self.budget)

    def limit_memory(self, Py_ssize_t max_bytes):
        """Keep to another limit from now on."""
        self.budget.max_bytes = max_bytes
        if self.arena.root != NONE:
            self.enforce_limit()

    cdef void drop_poor(self, int32_t leaf, double least) noexcept nogil:
        """Drop features that gain less: they trail the best by more than epsilon, so they will
        hardly ever be the best here."""
        cdef Arena* a = &self.arena
        cdef uint8_t* poor = <uint8_t*> PyMem_RawCalloc(max(1, a.width), 1)
        cdef bint some = False
        cdef int32_t f
        if poor == NULL:
            return
        for f in range(<int32_t> a.width):
            if a.kind[f] != UNKNOWN and column(a, leaf, f) != NONE:
                poor[f] = self.best_on(leaf, f).gain < least
                some |= poor[f]
        if some and drop_features(a, leaf, poor) == 0:
            self.dropped = True
        PyMem_RawFree(poor)

    def drops_features(self):
        return self.budget.max_bytes > 0

    # -- labels, of which every node keeps a count --------------------------------------------

    cdef int check_label(self, object y) except -1:
        if not room_for_labels(&self.arena, &self.budget, self.n_labels + 1):
            raise ValueError(
                f"{self.who}: label {y!r:.80} would be number {self.n_labels + 1:,}, which "
                f"max_bytes={self.budget.max_bytes:,} has no room for: {DEAR}."
            )
        return 0

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        """Refuse a block with too many new labels as a whole, not in the middle."""
        if more:
            self.check_labels(self.n_labels + more)
        return 0

    def check_labels(self, Py_ssize_t labels):
        """Refuse this number of labels if the memory has no room for them."""
        if not room_for_labels(&self.arena, &self.budget, labels):
            raise ValueError(
                f"{self.who}: with {labels:,} labels the tree would not keep "
                f"max_bytes={self.budget.max_bytes:,}: {DEAR}."
            )

    def restore_own(self, fields):
        TreeState.restore_own(self, fields)
        self.resume()

    cdef void resume(self):
        """What the limit of memory goes by, after a tree was restored."""
        cdef int32_t i
        self.take_stock(self.features.width, self.encoder.named)
        for i in range(<int32_t> self.arena.used):
            if self.budget.inner or self.arena.feature[i] == NONE:
                self.waiting += self.arena.tables[i] == NULL
