"""HAT: every node watches its own error, and trains an alternate tree when that rises
(Bifet and Gavaldà, IDA 2009)."""

from libc.math cimport log, sqrt
from libc.stdint cimport int32_t, int64_t

import numpy as np

from ..core.example cimport NO_MEMORY, Example
from ..core.state_reader import StateReader
from ..drift._adwin cimport (
    Adwin, adwin_bytes, adwin_export, adwin_free, adwin_mean, adwin_push, adwin_restore, adwin_start,
)
from .arena._leaf cimport observe, prepare
from .arena._memory_limit cimport room_for
from .arena._nodes cimport free_node, free_tree, nesting, replace_child, taken
from .arena._records cimport NESTED, attach_alternate, enough, preorder
from .arena.arena cimport NONE, Arena, View, arena_alloc, arena_free
from ._hoeffding cimport HoeffdingState
from ._state cimport Opinion, TreeState

from .arena.reading import check_nesting

cdef enum:
    MIN_WIDTH = 300  # errors that both sides need before they are compared
    ROWS = 8         # of a window under max_bytes, with room for 1275 errors
    PER_ROW = 100    # bytes of a row

cdef double ALPHA = 0.05  # confidence of that comparison

cdef struct HatNode:      # what HAT keeps for each node
    Adwin errors          # 0 or 1 for each example, of the subtree below the node
    int32_t alternate     # root of the alternate tree, or NONE


cdef inline HatNode* hat_node(Arena* a, int32_t node) noexcept nogil:
    return <HatNode*> a.extra[node]


cdef int32_t hat_alternate(Arena* a, int32_t node, int32_t at) noexcept nogil:
    return hat_node(a, node).alternate if at == 0 else NONE


cdef int add_hat_node(Arena* a, int32_t node, double drift_delta, bint limited) noexcept nogil:
    cdef HatNode* h = <HatNode*> arena_alloc(a, sizeof(HatNode))
    if h == NULL:
        return NO_MEMORY
    adwin_start(&h.errors, drift_delta)
    h.errors.most = ROWS if limited else 0
    h.alternate = NONE
    a.extra[node] = h
    return 0


cdef void drop_hat_node(Arena* a, void* extra) noexcept nogil:
    cdef HatNode* h = <HatNode*> extra
    if h.alternate != NONE and not a.closing:
        free_tree(a, h.alternate)
    a.bytes -= adwin_bytes(&h.errors)
    adwin_free(&h.errors)
    arena_free(a, h, sizeof(HatNode))


cdef class HatState(HoeffdingState):
    cdef double drift_delta
    cdef readonly int64_t started   # alternates ever started
    cdef readonly int64_t switched  # that took over
    cdef readonly int64_t pruned    # that were given up

    def __init__(self, *, double drift_delta, **common):
        HoeffdingState.__init__(self, **common)
        self.arena.drop_extra, self.arena.alternate = drop_hat_node, hat_alternate
        self.adapts = True
        self.budget.per_node = sizeof(HatNode) + ROWS * PER_ROW
        self.drift_delta = drift_delta

    cdef int32_t new_leaf(self, int32_t parent, double mass) noexcept nogil:
        cdef int32_t leaf = TreeState.new_leaf(self, parent, mass)
        if leaf != NO_MEMORY and self.add_extra(leaf) != 0:
            free_node(&self.arena, leaf)
            return NO_MEMORY
        return leaf

    cdef int add_extra(self, int32_t node) noexcept nogil:
        return add_hat_node(&self.arena, node, self.drift_delta, self.budget.max_bytes > 0)

    # -- learning -----------------------------------------------------------------------------

    cdef void update(self, int32_t leaf, Opinion opinion, const View* v, const Example* e) noexcept nogil:
        self.take_stock(e.width, e.named)
        self.update_tree(self.arena.root, leaf, opinion, v, e.label, e.weight)
        self.beside = False
        if self.budget.max_bytes:
            self.enforce_limit()

    cdef void update_tree(
        self, int32_t root, int32_t leaf, Opinion opinion, const View* v, int32_t label, double w
    ) noexcept nogil:
        """Let the tree at `root`, whose leaf for this example is known, learn it."""
        cdef Arena* a = &self.arena
        cdef int32_t node = root, alternate
        cdef bint missed = self.wrong(leaf, opinion, v, label), changed
        cdef double before
        cdef HatNode* here
        self.count_hits(leaf, opinion, label, w)
        while True:
            # The error of the subtree, in the window of the node.
            here = hat_node(a, node)
            before = adwin_mean(&here.errors)
            a.bytes -= adwin_bytes(&here.errors)
            changed = adwin_push(&here.errors, missed)
            a.bytes += adwin_bytes(&here.errors)
            # Start an alternate if it has risen, or compare with the one there is.
            if here.alternate == NONE:
                if changed and adwin_mean(&here.errors) > before:
                    self.start_alternate(node)
            else:
                alternate = self.test_alternate(node)
                if alternate != NONE:  # it has taken over; the rest of the way is gone
                    self.update_alternate(alternate, v, label, w)
                    return
            alternate = hat_node(a, node).alternate
            if alternate != NONE:
                self.update_alternate(alternate, v, label, w)
            # The node itself; at the leaf as VFDT.
            a.mass[node] += w
            if node == leaf:
                observe(a, leaf, v, label, w)
                if self.due(leaf):
                    self.attempt(leaf)
                return
            node = taken(a, node, v)

    cdef void update_alternate(self, int32_t root, const View* v, int32_t label, double w) noexcept nogil:
        cdef bint before = self.beside
        cdef int32_t leaf
        cdef Opinion opinion
        self.beside = True
        leaf = self.leaf_to_learn(root, v)
        if leaf != NO_MEMORY and prepare(&self.arena, leaf, v, label) == 0:
            opinion = self.consult(leaf, v, NULL)
            self.update_tree(root, leaf, opinion, v, label, w)
        self.beside = before

    # -- alternates ---------------------------------------------------------------------------

    cdef void start_alternate(self, int32_t node) noexcept nogil:
        """Start an alternate tree, an empty leaf, beside this node."""
        cdef int32_t alternate
        if nesting(&self.arena, node) == NESTED or not room_for(&self.arena, &self.budget, 1):
            return
        alternate = self.new_leaf(node, 0.0)
        if alternate != NO_MEMORY:
            self.arena.depth[alternate] = self.arena.depth[node]
            hat_node(&self.arena, node).alternate = alternate
            self.started += 1

    cdef int32_t test_alternate(self, int32_t node) noexcept nogil:
        """Compare a node with its alternate: returns the latter if it has taken over, or NONE."""
        cdef Arena* a = &self.arena
        cdef HatNode* mine = hat_node(a, node)
        cdef int32_t alternate = mine.alternate
        cdef HatNode* its = hat_node(a, alternate)
        cdef double e0, e1, bound
        if mine.errors.width <= MIN_WIDTH or its.errors.width <= MIN_WIDTH:
            return NONE
        e0, e1 = adwin_mean(&mine.errors), adwin_mean(&its.errors)
        bound = sqrt(
            2.0 * e0 * (1.0 - e0) * log(2.0 / ALPHA)
            * (1.0 / mine.errors.width + 1.0 / its.errors.width))
        if e0 - e1 > bound:
            self.take_over(node, alternate)
            return alternate
        if e1 - e0 > bound:
            mine.alternate = NONE
            free_tree(a, alternate)
            self.pruned += 1
        return NONE

    cdef void take_over(self, int32_t node, int32_t alternate) noexcept nogil:
        """Let the alternate stand where the node stood."""
        cdef Arena* a = &self.arena
        hat_node(a, node).alternate = NONE
        if not replace_child(a, node, alternate):  # the node was itself an alternate
            hat_node(a, a.parent[node]).alternate = alternate
        free_tree(a, node)
        self.switched += 1

    # -- to and from arrays -------------------------------------------------------------------

    cdef list roots(self):
        """The main tree, then every alternate, the owners first."""
        cdef list found = TreeState.roots(self)
        cdef int32_t node
        for root in found:  # it grows on the way
            for node in preorder(&self.arena, root):
                if hat_node(&self.arena, node).alternate != NONE:
                    found.append(hat_node(&self.arena, node).alternate)
        return found

    def export_own(self):
        cdef Arena* a = &self.arena
        roots = self.roots()
        nodes = [i for root in roots for i in preorder(a, root)]
        place = {i: at for at, i in enumerate(nodes)}
        owners = [place[a.parent[<int32_t> root]] for root in roots[1:]]
        windows = [adwin_export(&hat_node(a, i).errors) for i in nodes]
        return {
            **HoeffdingState.export_own(self),
            "alternate_of": np.array(owners, dtype=np.int64),
            "windows": np.array([[w["rows"], w["clock"]] for w in windows], dtype=np.int64).reshape(-1, 2),
            "window_sums": np.array([[w["total"], w["m2"]] for w in windows]).reshape(-1, 2),
            "window_counts": np.concatenate([np.zeros(0), *(w["counts"] for w in windows)]),
            "window_buckets": np.concatenate([np.zeros((0, 5, 2)), *(w["buckets"] for w in windows)]),
            "alternates": np.array([self.started, self.switched, self.pruned], dtype=np.int64),
        }

    def restore_own(self, fields):
        cdef Arena* a = &self.arena
        cdef int32_t i, owner, root
        owners = fields.integers("alternate_of", (-1,), 0, 2**31 - 1).tolist()
        self.started, self.switched, self.pruned = fields.integers("alternates", (3,), 0).tolist()
        roots = self.restore_arena(fields, len(owners))
        check_nesting(roots, owners)
        n = a.used
        windows = fields.integers("windows", (n, 2), 0)
        sums = fields.array("window_sums", (n, 2))
        counts = fields.array("window_counts", (-1,))
        buckets = fields.array("window_buckets", (len(counts), 5, 2))
        if windows[:, 0].sum() != len(counts):
            raise ValueError("window_counts does not fit the windows of the nodes")
        at = 0
        for i in range(n):
            enough(self.add_extra(i))
            rows = int(windows[i, 0])
            window = StateReader({
                "rows": rows, "clock": int(windows[i, 1]), "total": float(sums[i, 0]),
                "m2": float(sums[i, 1]), "counts": counts[at:at + rows], "buckets": buckets[at:at + rows],
            })
            adwin_restore(&hat_node(a, i).errors, window)
            a.bytes += adwin_bytes(&hat_node(a, i).errors)
            at += rows
        for root, owner in zip(roots[1:], owners):
            if hat_node(a, owner).alternate != NONE:
                raise ValueError("alternate_of names a node that cannot have this alternate")
            hat_node(a, owner).alternate = root
            attach_alternate(a, root, owner)
        self.resume()
