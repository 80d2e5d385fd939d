"""VFDT: route, count, and split as soon as Hoeffding's bound says which feature is best."""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport int32_t, uint8_t

from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, OVERFLOW, Example
from .arena._nodes cimport (
    NOBODY, NO_MEMORY, UNKNOWN, Arena, View, close_view, column, drop_features, fits_in, open_view,
    welcome,
)
from .arena._leaf cimport observe, prepare
from .arena._memory_limit cimport claim, most_named, ration, room_for, room_for_labels
from .arena._split cimport Split, best_split
from ._state cimport Opinion, TreeState


cdef enum:
    PERIOD = 10_000  # examples between two looks at leaves whose promise may have risen

DEAR = "each label takes some 250 bytes, and 8 in every node; raise it, or use a regressor for numbers"

cdef double SHORT = 0.8  # of the memory: beyond that leaves drop features that promise nothing


cdef class HoeffdingState(TreeState):
    def __cinit__(self, dict params):
        self.household.budget = params.get("max_bytes") or 0

    def configure(self, Encoder encoder):
        TreeState.configure(self, encoder)
        encoder.most_named = most_named(self.household.budget)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        self.encoder = encoder
        return TreeState.connect(self, features, encoder)

    # -- labels, of which every node keeps a count ---------------------------------------------

    cdef int check_label(self, object y) except -1:
        if not room_for_labels(&self.arena, &self.household, self.n_labels + 1):
            raise ValueError(
                f"{self.who}: label {y!r:.80} would be number {self.n_labels + 1:,}, which "
                f"max_bytes={self.household.budget:,} has no room for: {DEAR}."
            )
        return 0

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        """Before a block with new labels: better refused as a whole than in the middle."""
        if more:
            self.check_labels(self.n_labels + more)
        return 0

    def check_labels(self, Py_ssize_t labels):
        """Refuse so many labels if the memory has no room for them."""
        if not room_for_labels(&self.arena, &self.household, labels):
            raise ValueError(
                f"{self.who}: with {labels:,} labels the tree would not keep "
                f"max_bytes={self.household.budget:,}: {DEAR}."
            )

    # -- learning --------------------------------------------------------------------------------

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.grow(e, NULL)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        return self.grow(e, out)

    cdef int grow(self, const Example* e, double* out) noexcept nogil:
        """Learn the example; what the tree said before goes to `out`, unless that is NULL."""
        cdef View v
        cdef int status
        if not fits_in(&self.arena, e):
            return OVERFLOW if out == NULL or self.score(e, out) == LEARNED else NO_MEMORY
        if open_view(&self.arena, e, &v) != 0:
            return NO_MEMORY
        status = self.route_and_teach(e, &v, out)
        close_view(&self.arena, &v)
        return status

    cdef int route_and_teach(self, const Example* e, const View* v, double* out) noexcept nogil:
        """First what the example cannot be learned without; from `teach` on nothing is refused."""
        cdef Arena* a = &self.arena
        cdef int32_t leaf
        cdef Opinion opinion
        if a.root == NOBODY and self.plant() != 0:
            return NO_MEMORY
        leaf = self.leaf_to_learn(a.root, v)
        if leaf == NO_MEMORY:
            return NO_MEMORY
        opinion = self.consult(leaf, v, out)
        if welcome(a, e) != 0 or self.make_ready(leaf, v, e.label) != 0:
            return NO_MEMORY
        a.total += e.weight
        self.teach(leaf, opinion, v, e)
        return LEARNED

    cdef int make_ready(self, int32_t leaf, const View* v, int32_t label) noexcept nogil:
        """All memory that `teach` will need. NO_MEMORY: nothing may be learned."""
        return prepare(&self.arena, leaf, label)

    cdef void teach(self, int32_t leaf, Opinion opinion, const View* v, const Example* e) noexcept nogil:
        """Learn the example, which has come to this leaf; `opinion` is what the leaf said."""
        self.household.features, self.household.named = e.width, e.named
        self.household.columns, self.household.labels = self.features.implicit, self.n_labels
        self.note_hits(leaf, opinion, e.label, e.weight)
        self.route_weight(leaf, e.weight)
        self.learn_leaf(leaf, v, e.label, e.weight)
        if self.household.budget:
            self.keep_limit()

    cdef void keep_limit(self) noexcept nogil:
        """Deactivate the least promising leaves when memory is short. Those that wait for tables
        are looked at again now and then, and when a leaf has dropped features."""
        cdef Arena* a = &self.arena
        cdef bint again = self.waiting > 0 and (self.dropped or (self.seen + 1) % PERIOD == 0)
        self.dropped = False
        if again or claim(a, &self.household) > self.household.budget:
            self.waiting = ration(a, &self.household)

    cdef bint short_of_memory(self) noexcept nogil:
        return self.household.budget > 0 and (
            self.waiting > 0
            or claim(&self.arena, &self.household) > SHORT * self.household.budget)

    cdef bint may_add(self, Py_ssize_t nodes) noexcept nogil:
        return room_for(&self.arena, &self.household, nodes)

    cdef void learn_leaf(self, int32_t leaf, const View* v, int32_t label, double w) noexcept nogil:
        observe(&self.arena, leaf, v, label, w)
        if self.due(leaf):
            self.attempt(leaf)

    cdef void attempt(self, int32_t leaf) noexcept nogil:
        """Split if the best feature beats the second by epsilon, or if they are as good as equal."""
        cdef Split best, second
        cdef double epsilon = self.bound(leaf)
        self.two_best(leaf, &best, &second)
        if best.feature == NOBODY:
            return
        if best.gain - second.gain > epsilon or epsilon < self.tau:
            self.split(leaf, leaf, &best, False)
        elif self.short_of_memory():
            self.drop_poor(leaf, best.gain - epsilon)

    cdef void drop_poor(self, int32_t leaf, double least) noexcept nogil:
        """Keep nothing more of features that gain less: they trail the best by more than epsilon,
        so they will hardly ever be the best here."""
        cdef Arena* a = &self.arena
        cdef uint8_t* poor = <uint8_t*> PyMem_RawCalloc(max(1, a.width), 1)
        cdef bint some = False
        cdef Split s
        cdef int32_t f
        if poor == NULL:
            return
        for f in range(<int32_t> a.width):
            if a.kind[f] == UNKNOWN or column(a, leaf, f) == NOBODY:
                continue
            best_split(a, leaf, f, self.criterion, &self.scratch, &s)
            poor[f] = s.gain < least
            some |= poor[f]
        if some and drop_features(a, leaf, poor) == 0:
            self.dropped = True
        PyMem_RawFree(poor)

    def drops_features(self):
        return self.household.budget > 0

    def restore_own(self, fields):
        cdef int32_t i
        TreeState.restore_own(self, fields)
        self.household.features, self.household.named = self.features.width, self.encoder.named
        self.household.columns, self.household.labels = self.features.implicit, self.n_labels
        for i in range(<int32_t> self.arena.used):
            self.waiting += self.arena.feature[i] == NOBODY and self.arena.tables[i] == NULL
