"""Hoeffding tree for numbers: FIMT-DD without its drift part (Ikonomovska et al., 2011)."""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t
from libc.string cimport memcpy

import numpy as np

from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, OVERFLOW, Example
from ..core.state cimport State
from .arena._nodes cimport (
    NOBODY, NO_MEMORY, NOMINAL, NUMERIC, Arena, View, clear_children, close_view, finish, fits_in,
    free_node, give_back, grab, new_node, next_node, open_view, set_branch, start, welcome, widen,
)
from .arena.criteria cimport hoeffding
from .arena._observers cimport Cut, Observer, Slot, add, best_cut, insert, make_room, watch
from .arena._records cimport export_trees, outline, preorder, restore_trees

from .arena._records import HEAVIEST, LARGEST

cdef enum Output:
    ADAPTIVE
    MEAN
    LINEAR

OUTPUTS = {"adaptive": ADAPTIVE, "mean": MEAN, "linear": LINEAR}
cdef double LARGEST_TARGET = 1e120
cdef double FADING = 0.95


cdef struct Leaf:
    double mean        # of the targets
    double m2
    double fade_mean   # faded squared errors of the mean and of the linear model
    double fade_linear
    int32_t d          # features with room
    Observer* observers  # NULL: an inner node
    double* w          # linear model: intercept, then one weight per feature


cdef inline Leaf* leaf_at(Arena* a, int32_t node) noexcept nogil:
    return <Leaf*> a.extra[node]


cdef void free_observers(Arena* a, Leaf* leaf) noexcept nogil:
    cdef int32_t f
    if leaf.observers == NULL:
        return
    for f in range(leaf.d):
        give_back(a, leaf.observers[f].slots, leaf.observers[f].room * sizeof(Slot))
    give_back(a, leaf.observers, max(1, leaf.d) * sizeof(Observer))
    give_back(a, leaf.w, (1 + leaf.d) * sizeof(double))
    leaf.observers = NULL
    leaf.w = NULL


cdef void drop_leaf(Arena* a, void* extra) noexcept nogil:
    free_observers(a, <Leaf*> extra)
    give_back(a, extra, sizeof(Leaf))


cdef int ensure_slots(Arena* a, Leaf* leaf, const View* v) noexcept nogil:
    """Place for the values of an example in the observers of all its features."""
    cdef Py_ssize_t f
    if ensure_room(a, leaf) != 0:
        return NO_MEMORY
    for f in range(min(v.n, <Py_ssize_t> leaf.d)):
        if v.x[f] == v.x[f] and make_room(a, &leaf.observers[f]) != 0:
            return NO_MEMORY
    return 0


cdef int ensure_room(Arena* a, Leaf* leaf) noexcept nogil:
    """Observers and weights for every feature."""
    cdef Observer* observers
    cdef double* w
    cdef int32_t d = <int32_t> a.width
    if leaf.observers != NULL and leaf.d >= d:
        return 0
    observers = <Observer*> grab(a, max(1, d) * sizeof(Observer))
    w = <double*> grab(a, (1 + d) * sizeof(double))
    if observers == NULL or w == NULL:
        give_back(a, observers, max(1, d) * sizeof(Observer))
        give_back(a, w, (1 + d) * sizeof(double))
        return NO_MEMORY
    if leaf.observers != NULL:
        memcpy(observers, leaf.observers, leaf.d * sizeof(Observer))
        memcpy(w, leaf.w, (1 + leaf.d) * sizeof(double))
        give_back(a, leaf.observers, max(1, leaf.d) * sizeof(Observer))
        give_back(a, leaf.w, (1 + leaf.d) * sizeof(double))
    leaf.observers, leaf.w, leaf.d = observers, w, d
    return 0


cdef class HoeffdingRegressorState(State):
    cdef Arena arena
    cdef double grace
    cdef double delta
    cdef double tau
    cdef int32_t max_depth
    cdef bint sdr
    cdef bint exact
    cdef Output rule
    cdef object categorical  # features whose numbers are nominal, too: a set of names, or None
    cdef double* scale     # weight, mean, sum of squares of the target, then of every feature
    cdef Py_ssize_t scaled  # features it has room for

    def __cinit__(self, dict params):
        start(&self.arena)
        self.arena.drop_extra = drop_leaf
        nominal = params["nominal"]
        self.categorical = None if nominal is None else set(map(str, nominal))
        self.grace, self.delta, self.tau = params["grace_period"], params["delta"], params["tau"]
        self.max_depth = params["max_depth"] or 2**31 - 2
        self.sdr = params["criterion"] == "sdr"
        self.exact = params["observer"] == "ebst"
        self.rule = OUTPUTS[params["leaf_prediction"]]
        self.scale = <double*> grab(&self.arena, 3 * sizeof(double))

    def __dealloc__(self):
        give_back(&self.arena, self.scale, 3 * (1 + self.scaled) * sizeof(double))
        finish(&self.arena)

    def configure(self, Encoder encoder):
        encoder.nominal = encoder.nan_missing = encoder.fill_sparse = True
        encoder.categorical = self.categorical

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Arena* a = &self.arena
        cdef double* scale
        widen(a, width)
        if a.width > self.scaled:
            scale = <double*> grab(a, 3 * (1 + a.width) * sizeof(double))
            if scale == NULL:
                raise MemoryError("onstream: no memory for more features")
            memcpy(scale, self.scale, 3 * (1 + self.scaled) * sizeof(double))
            give_back(a, self.scale, 3 * (1 + self.scaled) * sizeof(double))
            self.scale, self.scaled = scale, a.width
        return 0

    # -- answers ------------------------------------------------------------------------------------

    cdef int32_t leaf_of(self, const View* v) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef int32_t node = a.root, child
        while a.feature[node] != NOBODY:
            child = next_node(a, node, v)
            if child == NOBODY:
                return node
            node = child
        return node

    cdef double mean_of(self, int32_t node) noexcept nogil:
        """Mean target of the node; of its parent if it is empty."""
        while self.arena.weight[node] <= 0.0 and self.arena.parent[node] != NOBODY:
            node = self.arena.parent[node]
        return leaf_at(&self.arena, node).mean

    cdef inline double scaled_value(self, Py_ssize_t i, double x) noexcept nogil:
        """(x - mean) / (3 deviation) of feature i - 1, or of the target (i = 0)."""
        cdef double* s = self.scale + 3 * i
        cdef double deviation = sqrt(s[2] / s[0]) if s[0] > 0.0 else 0.0
        return (x - s[1]) / (3.0 * deviation) if deviation > 0.0 else 0.0

    cdef double linear(self, Leaf* leaf, const View* v) noexcept nogil:
        """Prediction of the linear model, in units of the target."""
        cdef double z = leaf.w[0], deviation
        cdef Py_ssize_t f
        for f in range(min(v.n, <Py_ssize_t> leaf.d)):
            if leaf.w[1 + f] != 0.0 and v.x[f] == v.x[f] and self.arena.kind[f] != NOMINAL:
                z += leaf.w[1 + f] * self.scaled_value(1 + f, v.x[f])
        deviation = sqrt(self.scale[2] / self.scale[0]) if self.scale[0] > 0.0 else 0.0
        return min(max(z * 3.0 * deviation + self.scale[1], -1e150), 1e150)

    cdef double tell(self, int32_t node, const View* v) noexcept nogil:
        cdef Leaf* leaf = leaf_at(&self.arena, node)
        if leaf.observers != NULL and self.rule != MEAN:
            if self.rule == LINEAR or leaf.fade_linear < leaf.fade_mean:
                return self.linear(leaf, v)
        return self.mean_of(node)

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef View v
        out[0] = 0.0
        if self.arena.root == NOBODY:
            return LEARNED
        if open_view(&self.arena, e, &v) != 0:
            return NO_MEMORY
        out[0] = self.tell(self.leaf_of(&v), &v)
        close_view(&self.arena, &v)
        return LEARNED

    # -- learning ------------------------------------------------------------------------------------

    cdef int32_t new_leaf(self, int32_t parent, double mass, const Leaf* model) noexcept nogil:
        """An empty leaf with a copy of the linear model."""
        cdef Arena* a = &self.arena
        cdef int32_t node = new_node(a, parent, mass)
        cdef Leaf* leaf
        if node == NO_MEMORY:
            return NO_MEMORY
        leaf = <Leaf*> grab(a, sizeof(Leaf))
        if leaf == NULL:
            free_node(a, node)
            return NO_MEMORY
        a.extra[node] = leaf
        if ensure_room(a, leaf) != 0:
            free_node(a, node)
            return NO_MEMORY
        if model != NULL and model.w != NULL:
            memcpy(leaf.w, model.w, (1 + min(leaf.d, model.d)) * sizeof(double))
            leaf.fade_mean, leaf.fade_linear = model.fade_mean, model.fade_linear
        return node

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef double prediction
        return self.score_learn(e, &prediction)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef View v
        cdef int32_t node, leaf
        if self.score(e, out) != LEARNED:
            return NO_MEMORY
        if not fits_in(a, e) or fabs(e.y) > LARGEST_TARGET:
            return OVERFLOW
        if open_view(a, e, &v) != 0:
            return NO_MEMORY
        if a.root == NOBODY:
            node = self.new_leaf(NOBODY, 0.0, NULL)
            if node == NO_MEMORY:
                close_view(a, &v)
                return NO_MEMORY
            a.root = node
        leaf = self.leaf_of(&v)
        if a.feature[leaf] != NOBODY:  # a nominal value without a branch
            node = leaf
            leaf = self.new_leaf(node, 0.0, NULL)
            if leaf != NO_MEMORY and set_branch(a, node, <int32_t> v.x[a.feature[node]], leaf) != 0:
                free_node(a, leaf)
                leaf = NO_MEMORY
        if leaf == NO_MEMORY or welcome(a, e) != 0 or ensure_slots(a, leaf_at(a, leaf), &v) != 0:
            close_view(a, &v)
            return NO_MEMORY
        a.total += e.weight
        self.update(leaf, &v, e.y, e.weight)
        node = leaf
        while node != NOBODY:
            a.mass[node] += e.weight
            node = a.parent[node]
        if a.fresh[leaf] - a.last[leaf] >= self.grace:
            a.last[leaf] = a.fresh[leaf]
            if a.depth[leaf] < self.max_depth:
                self.attempt(leaf)
        close_view(a, &v)
        return LEARNED

    cdef void update(self, int32_t node, const View* v, double y, double w) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef Leaf* leaf = leaf_at(a, node)
        cdef Py_ssize_t f
        cdef double miss
        if self.rule != MEAN and self.scale[0] > 0.0:
            miss = min(fabs(self.mean_of(node) - y), 1e140)
            leaf.fade_mean = FADING * leaf.fade_mean + miss * miss
            miss = min(fabs(self.linear(leaf, v) - y), 1e140)
            leaf.fade_linear = FADING * leaf.fade_linear + miss * miss
        add(&self.scale[0], &self.scale[1], &self.scale[2], y, w)
        for f in range(min(v.n, <Py_ssize_t> a.width)):
            if v.x[f] != v.x[f]:
                continue
            if a.kind[f] != NOMINAL:
                add(&self.scale[3 * (1 + f)], &self.scale[3 * (1 + f) + 1], &self.scale[3 * (1 + f) + 2],
                    v.x[f], w)
            watch(a, &leaf.observers[f], v.x[f], y, w, self.exact or a.kind[f] == NOMINAL)
        add(&a.weight[node], &leaf.mean, &leaf.m2, y, w)
        a.fresh[node] += w
        if self.rule != MEAN:
            self.delta_rule(node, v, y, w)

    cdef void delta_rule(self, int32_t node, const View* v, double y, double w) noexcept nogil:
        cdef Leaf* leaf = leaf_at(&self.arena, node)
        cdef Py_ssize_t f, n = min(v.n, <Py_ssize_t> leaf.d)
        cdef double rate = w * 0.02 / (1.0 + 0.001 * self.arena.fresh[node])
        cdef double told = leaf.w[0], norm = 1.0, z, step
        for f in range(n):
            if v.x[f] == v.x[f] and self.arena.kind[f] != NOMINAL:
                z = self.scaled_value(1 + f, v.x[f])
                told += leaf.w[1 + f] * z
                norm += z * z
        rate = min(rate, 1.0 / norm)  # a step may not overshoot: outliers would make it diverge
        step = rate * (self.scaled_value(0, y) - told)
        if not fabs(step) < 1e100:
            return
        leaf.w[0] += step
        for f in range(n):
            if v.x[f] == v.x[f] and self.arena.kind[f] != NOMINAL:
                leaf.w[1 + f] += step * self.scaled_value(1 + f, v.x[f])

    cdef void attempt(self, int32_t node) noexcept nogil:
        """Split if the best feature is surely better than the second, or as good as equal."""
        cdef Arena* a = &self.arena
        cdef Leaf* leaf = leaf_at(a, node)
        cdef Cut best, cut
        cdef double second = 0.0, epsilon = hoeffding(1.0, self.delta, a.weight[node])
        cdef int32_t f
        best.feature, best.gain, best.threshold, best.nominal = NOBODY, 0.0, 0.0, False
        for f in range(leaf.d):
            best_cut(&leaf.observers[f], f, a.kind[f] == NOMINAL, self.sdr, &cut)
            if cut.gain > best.gain:
                second = best.gain
                best = cut
            elif cut.gain > second:
                second = cut.gain
        if best.feature != NOBODY and (second < best.gain * (1.0 - epsilon) or epsilon < self.tau):
            self.split(node, &best)

    cdef int split(self, int32_t node, const Cut* cut) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef Leaf* leaf = leaf_at(a, node)
        cdef Observer* o = &leaf.observers[cut.feature]
        cdef double mass[2]
        cdef int32_t i, child, other
        if cut.nominal:
            for i in range(o.n):
                child = self.new_leaf(node, o.slots[i].n, leaf)
                if child == NO_MEMORY or set_branch(a, node, <int32_t> o.slots[i].key, child) != 0:
                    if child != NO_MEMORY:
                        free_node(a, child)
                    a.feature[node] = cut.feature
                    if a.fan[node] != NULL:
                        clear_children(a, node)
                    a.feature[node] = NOBODY
                    return NO_MEMORY
        else:
            mass[0] = mass[1] = 0.0
            for i in range(o.n):
                mass[o.slots[i].x > cut.threshold] += o.slots[i].n
            child = self.new_leaf(node, mass[0], leaf)
            other = self.new_leaf(node, mass[1], leaf)
            if child == NO_MEMORY or other == NO_MEMORY:
                if child != NO_MEMORY:
                    free_node(a, child)
                return NO_MEMORY
            a.left[node], a.right[node] = child, other
        a.feature[node], a.threshold[node], a.gain[node] = cut.feature, cut.threshold, cut.gain
        free_observers(a, leaf_at(a, node))
        return 0

    # -- to and from arrays -----------------------------------------------------------------------------

    def outline(self):
        """The tree without its observers: what pictures are drawn from."""
        cdef Arena* a = &self.arena
        cdef int32_t i
        told = outline(a, [] if a.root == NOBODY else [a.root])
        nodes = preorder(a, a.root)
        counts = np.zeros((len(nodes), 2))
        for at, i in enumerate(nodes):
            counts[at] = leaf_at(a, i).mean, (
                sqrt(leaf_at(a, i).m2 / a.weight[i]) if a.weight[i] > 0.0 else 0.0)
        return {**told, "node_counts": counts}

    def export_own(self):
        cdef Arena* a = &self.arena
        cdef Py_ssize_t width = self.features.width, f, j
        cdef int32_t i
        cdef Leaf* leaf
        cdef Observer* o
        nodes = preorder(a, a.root)
        told, weights = np.zeros((len(nodes), 5)), np.zeros((len(nodes), 1 + width))
        observers, radii, slots = [], [], []
        for at, i in enumerate(nodes):
            leaf = leaf_at(a, i)
            told[at] = leaf.mean, leaf.m2, leaf.fade_mean, leaf.fade_linear, leaf.observers != NULL
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
                        slots.append((o.slots[j].key, o.slots[j].x, o.slots[j].n, o.slots[j].mean, o.slots[j].m2))
        scale = np.array([self.scale[j] for j in range(3 * (1 + min(width, self.scaled)))])
        scale = np.concatenate([scale, np.zeros(3 * (1 + width) - len(scale))]).reshape(-1, 3)
        return {
            **export_trees(a, [] if a.root == NOBODY else [a.root], width),
            "leaves": told, "leaf_weights": weights, "scale": scale,
            "observers": np.array(observers, dtype=np.int64).reshape(-1, 4),
            "radii": np.array(radii, dtype=float), "slots": np.array(slots, dtype=float).reshape(-1, 5),
        }

    def restore_own(self, fields):
        cdef Arena* a = &self.arena
        cdef Py_ssize_t width, f, j, at, first = 0
        cdef int32_t i
        cdef Leaf* leaf
        cdef Observer* o
        cdef Slot s
        width = self.features.width
        roots = restore_trees(a, fields, width, 0)
        if len(roots) != (self.seen > 0):
            raise ValueError(f"there are {len(roots)} trees after {self.seen} examples")
        if roots:
            a.root = roots[0]
        self.reserve(width)
        told = fields.array("leaves", (a.used, 5))
        weights = fields.array("leaf_weights", (a.used, 1 + width))
        scale = fields.array("scale", (1 + width, 3))
        observers = fields.integers("observers", (-1, 4), 0)
        radii = fields.array("radii", (len(observers),))
        slots = fields.array("slots", (-1, 5))
        if (told[:, 1:] < 0.0).any() or (scale[:, 0] < 0.0).any() or (scale[:, 2] < 0.0).any():
            raise ValueError("a weight or a sum of squares is negative")
        if max(map(largest, (slots[:, [1, 3]], told[:, 0], scale[:, 1]))) > LARGEST or max(
            map(largest, (slots[:, 2], scale[:, 0]))
        ) > HEAVIEST:
            raise ValueError("the tree holds a mean or a weight that cannot be")
        for f in range(width):
            values = self.features.categories.get(f, ())
            if a.kind[f] == (NUMERIC if values else NOMINAL) or a.codes[f] > len(values):
                raise ValueError(f"feature {f} is of another kind, or has other values, in the tree")
        if (slots[:, 2] <= 0.0).any() or (slots[:, 4] < 0.0).any() or (radii < 0.0).any():
            raise ValueError("slots holds a negative number")
        if observers[:, 3].sum() != len(slots):
            raise ValueError("slots does not fit the observers")
        for f in range(1 + width):
            for j in range(3):
                self.scale[3 * f + j] = scale[f, j]
        for i in range(<int32_t> a.used):
            leaf = <Leaf*> grab(a, sizeof(Leaf))
            if leaf == NULL:
                raise MemoryError("onstream: no memory for the tree")
            a.extra[i] = leaf
            leaf.mean, leaf.m2, leaf.fade_mean, leaf.fade_linear = told[i, :4].tolist()
            if (told[i, 4] != 0.0) != (a.feature[i] == NOBODY):
                raise ValueError("an inner node has observers, or a leaf has none")
            if told[i, 4] != 0.0:
                if ensure_room(a, leaf) != 0:
                    raise MemoryError("onstream: no memory for the tree")
                for f in range(1 + width):
                    leaf.w[f] = weights[i, f]
        for at in range(len(observers)):
            i, f, values, n = observers[at].tolist()
            if i >= a.used or f >= width or leaf_at(a, i).observers == NULL:
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
                if insert(a, o, &s) != 0:
                    raise MemoryError("onstream: no memory for the tree")
            first += n

    def memory(self):
        return State.memory(self) + self.arena.bytes + 300


def largest(numbers):
    """The size of the largest of them; 0 if there are none."""
    return float(np.abs(numbers).max(initial=0.0))
