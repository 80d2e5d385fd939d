"""Hoeffding tree for numbers: FIMT-DD without its drift part (Ikonomovska et al., 2011)."""

from cpython.mem cimport PyMem_RawFree
from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, NO_MEMORY, OVERFLOW, Example
from ..core.state cimport State
from .arena._memory_limit cimport (
    LeafPromise, allowed, fixed, most_named, ranked, room_for,
)
from .arena._nodes cimport (
    arena_destroy, arena_init, attach, clear_children, close_view, fits_in, free_node, heaviest,
    new_node, next_node, open_view,
)
from .arena._observers cimport (
    UNWATCHED, Observer, Slot, add, best_cut, best_value, each_value, insert, make_room, roomy, side_of,
    spread_of, watch,
)
from .arena._records cimport enough, export_trees, outline, preorder, restore_trees
from .arena._split cimport Split, null_split
from .arena._tables cimport register_values, widen
from .arena.arena cimport NOMINAL, NONE, Arena, View, arena_alloc, arena_free, with_slack
from .arena.criteria cimport hoeffding
from .arena.poisson cimport times

from .arena.reading import read_observations

RULES = {"adaptive": ADAPTIVE, "mean": MEAN, "linear": LINEAR}
cdef double LARGEST_TARGET = 1e120
cdef double FADING = 0.95  # of errors, per example

cdef enum:
    PERIOD = 10_000  # examples after which leaves without observers may have become promising
    PER_BLOCK = 16   # bytes of the allocator for every observer with slots


cdef void free_observers(Arena* a, Leaf* leaf) noexcept nogil:
    cdef int32_t f
    if leaf.observers == NULL:
        return
    for f in range(leaf.d):
        a.n_slots -= roomy(leaf.observers[f].n)
        arena_free(a, leaf.observers[f].slots, leaf.observers[f].room * sizeof(Slot))
    arena_free(a, leaf.observers, max(1, leaf.d) * sizeof(Observer))
    arena_free(a, leaf.w, (1 + leaf.d) * sizeof(double))
    leaf.observers = NULL
    leaf.w = NULL


cdef void drop_leaf(Arena* a, void* extra) noexcept nogil:
    free_observers(a, <Leaf*> extra)
    arena_free(a, extra, sizeof(Leaf))


cdef inline double scaled_value(const double* scale, Py_ssize_t i, double x) noexcept nogil:
    """(x - mean) / (3 deviation) of feature i - 1, or of the target (i = 0)."""
    cdef const double* s = scale + 3 * i
    cdef double deviation = sqrt(s[2] / s[0]) if s[0] > 0.0 else 0.0
    return (x - s[1]) / (3.0 * deviation) if deviation > 0.0 else 0.0


cdef int ensure_slots(Arena* a, Leaf* leaf, const View* v) noexcept nogil:
    """Make room for the values of an example in the observers of all its features, if it has any."""
    cdef Py_ssize_t f
    if leaf.observers == NULL:
        return 0
    if ensure_room(a, leaf) != 0:
        return NO_MEMORY
    for f in range(min(v.n, <Py_ssize_t> leaf.d)):
        if v.x[f] == v.x[f] and leaf.observers[f].values != UNWATCHED and make_room(a, &leaf.observers[f]) != 0:
            return NO_MEMORY
    return 0


cdef int ensure_room(Arena* a, Leaf* leaf) noexcept nogil:
    """Make room for every feature in observers and weights."""
    cdef Observer* observers
    cdef double* w
    cdef int32_t d = <int32_t> min(with_slack(a.known), a.width)
    if leaf.observers != NULL and leaf.d >= a.known:
        return 0
    observers = <Observer*> arena_alloc(a, max(1, d) * sizeof(Observer))
    w = <double*> arena_alloc(a, (1 + d) * sizeof(double))
    if observers == NULL or w == NULL:
        arena_free(a, observers, max(1, d) * sizeof(Observer))
        arena_free(a, w, (1 + d) * sizeof(double))
        return NO_MEMORY
    if leaf.observers != NULL:
        memcpy(observers, leaf.observers, leaf.d * sizeof(Observer))
        memcpy(w, leaf.w, (1 + leaf.d) * sizeof(double))
        arena_free(a, leaf.observers, max(1, leaf.d) * sizeof(Observer))
        arena_free(a, leaf.w, (1 + leaf.d) * sizeof(double))
    leaf.observers, leaf.w, leaf.d = observers, w, d
    return 0


cdef double error_at(Arena* a, int32_t node) noexcept nogil:
    """Sum of squared errors of the mean: what a split of this leaf could correct."""
    return leaf_at(a, node).m2


cdef class HoeffdingRegressorState(State):
    def __cinit__(self, *args, **kwargs):
        arena_init(&self.arena)
        self.arena.drop_extra = drop_leaf
        self.scale = <double*> arena_alloc(&self.arena, 3 * sizeof(double))
        if self.scale == NULL:
            raise MemoryError("onstream: no memory for the tree")

    def __init__(
        self, *, double delta, double grace_period, double tau, str criterion,
        str leaf_prediction, max_depth, nominal, str nominal_split, str observer,
        bint seed_children, str weights, uint64_t seed, max_bytes=None,
    ):
        self.delta, self.grace, self.tau = delta, grace_period, tau
        self.spread = spread_of(criterion)
        self.rule = RULES[leaf_prediction]
        self.max_depth = max_depth or 2**31 - 2
        self.categorical = None if nominal is None else set(map(str, nominal))
        self.exact = observer == "ebst"
        self.seed_children, self.poisson, self.seed = seed_children, weights == "poisson", seed
        self.arena.binary = nominal_split == "binary"
        self.budget.max_bytes = max_bytes or 0
        self.leaf_size = self.budget.per_node = sizeof(Leaf)

    def __dealloc__(self):
        arena_free(&self.arena, self.scale, 3 * (1 + self.scaled) * sizeof(double))
        arena_destroy(&self.arena)

    def configure(self, Encoder encoder):
        encoder.nominal = encoder.nan_missing = encoder.fill_sparse = True
        encoder.categorical = self.categorical
        encoder.most_named = most_named(self.budget.max_bytes)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        self.encoder = encoder
        return State.connect(self, features, encoder)

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Arena* a = &self.arena
        cdef double* scale
        widen(a, width)
        if a.width > self.scaled:
            scale = <double*> arena_alloc(a, 3 * (1 + a.width) * sizeof(double))
            if scale == NULL:
                raise MemoryError("onstream: no memory for more features")
            memcpy(scale, self.scale, 3 * (1 + self.scaled) * sizeof(double))
            arena_free(a, self.scale, 3 * (1 + self.scaled) * sizeof(double))
            self.scale, self.scaled = scale, a.width
        return 0

    # -- predicting ---------------------------------------------------------------------------

    cdef int32_t leaf_of(self, const View* v) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef int32_t node = a.root, child
        while a.feature[node] != NONE:
            child = next_node(a, node, v)
            if child == NONE:
                if room_for(a, &self.budget, 1):
                    return node
                child = heaviest(a, node)
            node = child
        return node

    cdef double mean_of(self, int32_t node) noexcept nogil:
        """Mean target of the node; of its parent if it is empty."""
        while self.arena.weight[node] <= 0.0 and self.arena.parent[node] != NONE:
            node = self.arena.parent[node]
        return leaf_at(&self.arena, node).mean

    cdef double linear(self, Leaf* leaf, const View* v) noexcept nogil:
        """Prediction of the linear model, in units of the target."""
        cdef double z = leaf.w[0], deviation
        cdef Py_ssize_t f
        for f in range(min(v.n, <Py_ssize_t> leaf.d)):
            if leaf.w[1 + f] != 0.0 and v.x[f] == v.x[f] and self.arena.kind[f] != NOMINAL:
                z += leaf.w[1 + f] * scaled_value(self.scale, 1 + f, v.x[f])
        deviation = sqrt(self.scale[2] / self.scale[0]) if self.scale[0] > 0.0 else 0.0
        return min(max(z * 3.0 * deviation + self.scale[1], -1e150), 1e150)

    cdef double predict_at(self, int32_t node, const View* v) noexcept nogil:
        cdef Leaf* leaf = leaf_at(&self.arena, node)
        if leaf.observers != NULL and self.rule != MEAN:
            if self.rule == LINEAR or leaf.fade_linear < leaf.fade_mean:
                return self.linear(leaf, v)
        return self.mean_of(node)

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef View v
        out[0] = 0.0
        if self.arena.root == NONE:
            return LEARNED
        if open_view(e, &v) != 0:
            return NO_MEMORY
        out[0] = self.predict_at(self.leaf_of(&v), &v)
        close_view(&v)
        return LEARNED

    # -- learning -----------------------------------------------------------------------------

    cdef int32_t new_leaf(self, int32_t parent, double mass, const Leaf* model) noexcept nogil:
        """An empty leaf with a copy of the linear model."""
        cdef Arena* a = &self.arena
        cdef int32_t node = new_node(a, parent, mass)
        cdef Leaf* leaf
        if node == NO_MEMORY:
            return NO_MEMORY
        leaf = <Leaf*> arena_alloc(a, self.leaf_size)
        if leaf == NULL:
            free_node(a, node)
            return NO_MEMORY
        a.extra[node] = leaf
        if ensure_room(a, leaf) != 0:
            free_node(a, node)
            return NO_MEMORY
        self.active += 1
        if model != NULL and model.w != NULL:
            memcpy(leaf.w, model.w, (1 + min(leaf.d, model.d)) * sizeof(double))
            leaf.fade_mean, leaf.fade_linear = model.fade_mean, model.fade_linear
        return node

    cdef int prepare_leaf(self, int32_t leaf) noexcept nogil:
        """Called before a leaf learns an example."""
        return 0

    cdef int observe_again(self, int32_t leaf) noexcept nogil:
        """Give a leaf that has lost its observers new ones."""
        return ensure_room(&self.arena, leaf_at(&self.arena, leaf))

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef double prediction
        return self.score_learn(e, &prediction)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef View v
        cdef int status
        if self.score(e, out) != LEARNED:
            return NO_MEMORY
        if not fits_in(&self.arena, e) or fabs(e.y) > LARGEST_TARGET:
            return OVERFLOW
        if open_view(e, &v) != 0:
            return NO_MEMORY
        status = self.route_view(e, &v)
        close_view(&v)
        return status

    cdef int route_view(self, const Example* e, const View* v) noexcept nogil:
        cdef int32_t leaf = self.leaf_to_learn(e, v)
        if leaf == NO_MEMORY:
            return NO_MEMORY
        self.learn_at(leaf, v, e.y, e.weight * times(self.seed, self.seen) if self.poisson else e.weight)
        if self.budget.max_bytes:
            self.take_stock(e.width, e.named)
            self.enforce_limit()
        return LEARNED

    cdef int32_t leaf_to_learn(self, const Example* e, const View* v) noexcept nogil:
        """The leaf of the example, with room for it; or NO_MEMORY. All allocations are here; what
        follows cannot fail any more."""
        cdef Arena* a = &self.arena
        cdef int32_t node, leaf
        a.known = max(a.known, e.width)
        if a.root == NONE:
            leaf = self.new_leaf(NONE, 0.0, NULL)
            if leaf == NO_MEMORY:
                return NO_MEMORY
            a.root = leaf
        leaf = node = self.leaf_of(v)
        if a.feature[node] != NONE:  # a nominal value without a branch
            leaf = self.new_leaf(node, 0.0, NULL)
            if leaf == NO_MEMORY or attach(a, node, True, <int32_t> v.x[a.feature[node]], leaf) != 0:
                return NO_MEMORY
        if self.prepare_leaf(leaf) != 0 or register_values(a, e) != 0 or ensure_slots(a, leaf_at(a, leaf), v) != 0:
            return NO_MEMORY
        return leaf

    cdef void learn_at(self, int32_t leaf, const View* v, double y, double w) noexcept nogil:
        """Learn the target with weight w at this leaf, and split it if it is time."""
        cdef Arena* a = &self.arena
        cdef int32_t node = leaf
        a.total += w
        self.update(leaf, v, y, w)
        while node != NONE:
            a.mass[node] += w
            node = a.parent[node]
        if a.fresh[leaf] - a.last[leaf] >= self.grace:
            a.last[leaf] = a.fresh[leaf]
            if a.depth[leaf] < self.max_depth and leaf_at(a, leaf).observers != NULL:
                self.attempt(leaf)

    cdef void update(self, int32_t node, const View* v, double y, double w) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef Leaf* leaf = leaf_at(a, node)
        cdef double* s
        cdef Py_ssize_t f
        cdef double miss
        # How well each rule would have predicted, of late.
        if self.rule != MEAN and self.scale[0] > 0.0 and leaf.observers != NULL:
            miss = min(fabs(self.mean_of(node) - y), 1e140)
            leaf.fade_mean = FADING * leaf.fade_mean + miss * miss
            miss = min(fabs(self.linear(leaf, v) - y), 1e140)
            leaf.fade_linear = FADING * leaf.fade_linear + miss * miss
        # Scales of target and features, observers, mean.
        add(&self.scale[0], &self.scale[1], &self.scale[2], y, w)
        for f in range(min(v.n, <Py_ssize_t> a.width)):
            if v.x[f] != v.x[f]:
                continue
            if a.kind[f] != NOMINAL:
                s = self.scale + 3 * (1 + f)
                add(&s[0], &s[1], &s[2], v.x[f], w)
            if leaf.observers != NULL and leaf.observers[f].values != UNWATCHED:
                watch(a, &leaf.observers[f], v.x[f], y, w, self.exact or a.kind[f] == NOMINAL)
        add(&a.weight[node], &leaf.mean, &leaf.m2, y, w)
        a.fresh[node] += w
        if self.rule != MEAN and leaf.observers != NULL:
            self.delta_rule(node, v, y, w)

    cdef void delta_rule(self, int32_t node, const View* v, double y, double w) noexcept nogil:
        """A step of the linear model, on scaled values."""
        cdef Leaf* leaf = leaf_at(&self.arena, node)
        cdef Py_ssize_t f, n = min(v.n, <Py_ssize_t> leaf.d)
        cdef double rate = w * 0.02 / (1.0 + 0.001 * self.arena.fresh[node])
        cdef double score = leaf.w[0], norm = 1.0, z, step
        for f in range(n):
            if v.x[f] == v.x[f] and self.arena.kind[f] != NOMINAL:
                z = scaled_value(self.scale, 1 + f, v.x[f])
                score += leaf.w[1 + f] * z
                norm += z * z
        rate = min(rate, 1.0 / norm)  # a step may not overshoot: outliers would make it diverge
        step = rate * (scaled_value(self.scale, 0, y) - score)
        if not fabs(step) < 1e100:
            return
        leaf.w[0] += step
        for f in range(n):
            if v.x[f] == v.x[f] and self.arena.kind[f] != NOMINAL:
                leaf.w[1 + f] += step * scaled_value(self.scale, 1 + f, v.x[f])

    # -- splitting ----------------------------------------------------------------------------

    cdef void attempt(self, int32_t node) noexcept nogil:
        """Split if the best feature is surely better than the second, or as good as equal."""
        cdef Arena* a = &self.arena
        cdef Leaf* leaf = leaf_at(a, node)
        cdef Split best = null_split(), s
        cdef double second = 0.0, epsilon = hoeffding(1.0, self.delta, a.weight[node] - a.idle[node])
        cdef int32_t f
        for f in range(leaf.d):
            if a.kind[f] == NOMINAL and not a.binary and not room_for(a, &self.budget, leaf.observers[f].n):
                continue  # no memory for its branches
            s = self.best_on(leaf, f)
            if s.gain > best.gain:
                second = best.gain
                best = s
            elif s.gain > second:
                second = s.gain
        if best.feature != NONE and (second < best.gain * (1.0 - epsilon) or epsilon < self.tau):
            self.split(node, &best)

    cdef Split best_on(self, Leaf* leaf, int32_t f) noexcept nogil:
        cdef Arena* a = &self.arena
        if a.kind[f] != NOMINAL:
            return best_cut(&leaf.observers[f], f, self.spread)
        if a.binary:
            return best_value(&leaf.observers[f], f, self.spread)
        return each_value(&leaf.observers[f], f, self.spread)

    cdef void split(self, int32_t node, const Split* s) noexcept nogil:
        """Turn a leaf into an inner node with empty leaves below; it stays one without memory."""
        cdef Arena* a = &self.arena
        if not room_for(a, &self.budget, leaf_at(a, node).observers[s.feature].n if s.by_value else 2):
            return
        a.feature[node] = s.feature
        if self.add_children(node, s) != 0:
            clear_children(a, node)
            self.recount()
            return
        a.threshold[node], a.gain[node] = s.threshold, s.gain
        free_observers(a, leaf_at(a, node))
        self.active -= 1

    cdef int add_children(self, int32_t node, const Split* s) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef Leaf* leaf = leaf_at(a, node)
        cdef Observer* o = &leaf.observers[s.feature]
        cdef Slot side
        cdef int32_t i, branch, child
        for i in range(o.n if s.by_value else 2):
            side = o.slots[i] if s.by_value else side_of(o, s, i)
            child = self.new_leaf(node, side.n, leaf)
            branch = <int32_t> o.slots[i].key if s.by_value else i
            if child == NO_MEMORY or attach(a, node, s.by_value, branch, child) != 0:
                return NO_MEMORY
            if self.seed_children:
                a.weight[child], leaf_at(a, child).mean, leaf_at(a, child).m2 = side.n, side.mean, side.m2
        return 0

    # -- the limit of memory ------------------------------------------------------------------

    cdef void take_stock(self, Py_ssize_t features, Py_ssize_t named) noexcept nogil:
        """What bytes are reckoned from, besides the tree."""
        self.budget.features, self.budget.named = features, named
        self.budget.columns = self.features.implicit
        self.budget.aside = 3 * (1 + features + features // 2) * sizeof(double)

    cdef Py_ssize_t empty_leaf(self) noexcept nogil:
        """Bytes of observers without slots, and of a linear model."""
        return with_slack(self.budget.features) * (sizeof(Observer) + sizeof(double) + PER_BLOCK)

    cdef Py_ssize_t leaf_bytes(self, Leaf* leaf) noexcept nogil:
        cdef Py_ssize_t bytes = self.empty_leaf()
        cdef int32_t f
        if leaf.observers != NULL:
            for f in range(leaf.d):
                bytes += roomy(leaf.observers[f].n) * sizeof(Slot)
        return bytes

    cdef Py_ssize_t estimated(self) noexcept nogil:
        return (
            fixed(&self.arena, &self.budget) + self.active * self.empty_leaf()
            + self.arena.n_slots * sizeof(Slot))

    cdef void enforce_limit(self) noexcept nogil:
        """Free the observers of the leaves that err least when memory is short. They get new ones,
        if there is room, every PERIOD examples."""
        cdef bint again = self.waiting > 0 and (self.seen + 1) % PERIOD == 0
        if again or self.estimated() > self.budget.max_bytes:
            self.enforce()

    def limit_memory(self, Py_ssize_t max_bytes):
        """Keep to another limit from now on."""
        self.budget.max_bytes = max_bytes
        if self.arena.root != NONE:
            self.enforce_limit()

    cdef void enforce(self) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef int32_t n = 0, i, node
        cdef LeafPromise* leaves = ranked(a, False, error_at, &n)
        cdef Py_ssize_t used = fixed(a, &self.budget)
        cdef Leaf* leaf
        if leaves == NULL:
            return
        self.active = 0
        for i in range(n):
            node = leaves[i].node
            leaf = leaf_at(a, node)
            used += self.leaf_bytes(leaf)
            if used > allowed(&self.budget):
                used = self.budget.max_bytes  # so do all that promise less
                free_observers(a, leaf)
            elif leaf.observers == NULL and self.observe_again(node) == 0:
                a.idle[node] = a.weight[node]  # what came before is in no observer
                leaf.fade_mean = leaf.fade_linear = 0.0
            self.active += leaf.observers != NULL
        self.waiting = n - self.active
        PyMem_RawFree(leaves)

    cdef void recount(self) noexcept nogil:
        """Count the leaves with observers and those without."""
        cdef Arena* a = &self.arena
        cdef int32_t i
        self.active = self.waiting = 0
        for i in range(<int32_t> a.used):
            if a.parent[i] > NO_MEMORY and a.feature[i] == NONE:  # in use, and a leaf
                self.active += leaf_at(a, i).observers != NULL
                self.waiting += leaf_at(a, i).observers == NULL

    # -- to and from arrays -------------------------------------------------------------------

    def outline(self):
        """The tree without its observers: what pictures are drawn from."""
        cdef Arena* a = &self.arena
        cdef int32_t i
        nodes = preorder(a, a.root)
        counts = np.zeros((len(nodes), 2))
        for at, i in enumerate(nodes):
            counts[at] = leaf_at(a, i).mean, (
                sqrt(leaf_at(a, i).m2 / a.weight[i]) if a.weight[i] > 0.0 else 0.0)
        return {**outline(a, nodes), "node_counts": counts}

    def export_own(self):
        cdef Arena* a = &self.arena
        cdef Py_ssize_t width = self.features.width, f, j
        cdef int32_t i
        cdef Leaf* leaf
        cdef Observer* o
        cdef Slot* s
        nodes = preorder(a, a.root)
        leaves, weights = np.zeros((len(nodes), 5)), np.zeros((len(nodes), 1 + width))
        scale = np.zeros((1 + width, 3))
        observers, radii, slots = [], [], []
        for at, i in enumerate(nodes):
            leaf = leaf_at(a, i)
            leaves[at] = leaf.mean, leaf.m2, leaf.fade_mean, leaf.fade_linear, leaf.observers != NULL
            if leaf.observers == NULL:
                continue
            for f in range(1 + min(width, leaf.d)):
                weights[at, f] = leaf.w[f]
            for f in range(min(width, leaf.d)):
                o = &leaf.observers[f]
                if o.n:
                    observers.append((at, f, o.values, o.n))
                    radii.append(o.radius)
                    for j in range(o.n):
                        s = &o.slots[j]
                        slots.append((s.key, s.x, s.n, s.mean, s.m2))
        for f in range(1 + min(width, self.scaled)):
            scale[f] = self.scale[3 * f], self.scale[3 * f + 1], self.scale[3 * f + 2]
        return {
            **export_trees(a, [] if a.root == NONE else [a.root], width),
            "leaves": leaves, "leaf_weights": weights, "scale": scale,
            "observers": np.array(observers, dtype=np.int64).reshape(-1, 4),
            "radii": np.array(radii, dtype=float), "slots": np.array(slots, dtype=float).reshape(-1, 5),
        }

    def restore_own(self, fields):
        cdef Arena* a = &self.arena
        cdef Py_ssize_t width = self.features.width, f, j
        cdef int32_t i
        cdef Leaf* leaf
        roots = restore_trees(a, fields, width, 0, self.features.categories)
        if len(roots) != (self.seen > 0):
            raise ValueError(f"there are {len(roots)} trees after {self.seen} examples")
        if roots:
            a.root = roots[0]
        self.reserve(width)
        saved = read_observations(fields, a.used, width)
        for f in range(1 + width):
            for j in range(3):
                self.scale[3 * f + j] = saved.scale[f, j]
        for i in range(<int32_t> a.used):
            leaf = <Leaf*> arena_alloc(a, self.leaf_size)
            if leaf == NULL:
                enough(NO_MEMORY)
            a.extra[i] = leaf
            leaf.mean, leaf.m2, leaf.fade_mean, leaf.fade_linear, observed = saved.leaves[i].tolist()
            if (observed != 0.0) != (a.feature[i] == NONE) and (observed or not self.budget.max_bytes):
                raise ValueError("an inner node has observers, or a leaf has none")
            if observed != 0.0:
                enough(ensure_room(a, leaf))
                for f in range(1 + width):
                    leaf.w[f] = saved.weights[i, f]
        self.restore_observers(saved.observers, saved.radii, saved.slots)
        self.take_stock(width, self.encoder.named)
        self.recount()

    def restore_observers(self, observers, radii, slots):
        cdef Arena* a = &self.arena
        cdef Py_ssize_t f, j, at, first = 0
        cdef int32_t i
        cdef Observer* o
        cdef Slot s
        for at in range(len(observers)):
            i, f, values, n = observers[at].tolist()
            if i >= a.used or f >= self.features.width or leaf_at(a, i).observers == NULL:
                raise ValueError("observers names a leaf or a feature that does not exist")
            o = &leaf_at(a, i).observers[f]
            if o.n or not n:
                raise ValueError("two observers watch the same feature")
            o.values, o.radius = values, radii[at]
            for j in range(first, first + n):
                s.key, s.x, s.n, s.mean, s.m2 = slots[j].tolist()
                if a.kind[f] == NOMINAL and not 0 <= s.key < a.codes[f]:
                    raise ValueError("slots holds a nominal value that does not exist")
                if o.n and not o.slots[o.n - 1].key < s.key:
                    raise ValueError("slots are not in order")
                enough(insert(a, o, &s))
            first += n

    def memory(self):
        return State.memory(self) + self.arena.bytes + 300
