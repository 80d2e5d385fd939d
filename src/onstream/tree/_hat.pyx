"""HAT: every node watches its own error, and trains a successor when that rises."""

from libc.math cimport log, sqrt
from libc.stdint cimport int32_t, int64_t

import numpy as np

from ..core.example cimport Example
from ..core.state_reader import StateReader
from ..drift._adwin cimport (
    Adwin, adwin_bytes, adwin_export, adwin_free, adwin_mean, adwin_push, adwin_restore, adwin_start,
)
from .arena._nodes cimport (
    NOBODY, NO_MEMORY, Arena, View, free_node, free_tree, give_back, grab, next_node,
)
from ._hoeffding cimport HoeffdingState
from .arena._leaf cimport prepare
from .arena._records cimport check_nesting, preorder
from ._state cimport Opinion, TreeState

cdef enum:
    MIN_WIDTH = 300  # errors that both sides need before they are compared
    NESTED = 100     # alternates of alternates of ...: each level learns by a call within a call

cdef double ALPHA = 0.05  # confidence of that comparison

cdef struct Watch:   # what HAT keeps for each node
    Adwin errors     # of the subtree below the node
    int32_t rival    # root of the alternate tree, or NOBODY


cdef inline Watch* watch(Arena* a, int32_t node) noexcept nogil:
    return <Watch*> a.extra[node]


cdef void drop_watch(Arena* a, void* extra) noexcept nogil:
    cdef Watch* w = <Watch*> extra
    if w.rival != NOBODY and not a.closing:
        free_tree(a, w.rival)
    a.bytes -= adwin_bytes(&w.errors)
    adwin_free(&w.errors)
    give_back(a, w, sizeof(Watch))


cdef class AdaptiveState(HoeffdingState):
    cdef double drift_delta
    cdef readonly int64_t started   # alternates ever started
    cdef readonly int64_t switched  # that took over
    cdef readonly int64_t pruned    # that were given up

    def __cinit__(self, dict params):
        self.arena.drop_extra = drop_watch
        self.drift_delta = params["drift_delta"]

    cdef int32_t new_leaf(self, int32_t parent, double mass) noexcept nogil:
        cdef int32_t leaf = TreeState.new_leaf(self, parent, mass)
        cdef Watch* w
        if leaf == NO_MEMORY:
            return NO_MEMORY
        w = <Watch*> grab(&self.arena, sizeof(Watch))
        if w == NULL:
            free_node(&self.arena, leaf)
            return NO_MEMORY
        adwin_start(&w.errors, self.drift_delta)
        w.rival = NOBODY
        self.arena.extra[leaf] = w
        return leaf

    cdef void teach(self, int32_t leaf, Opinion opinion, const View* v, const Example* e) noexcept nogil:
        self.teach_tree(self.arena.root, leaf, opinion, v, e.label, e.weight)

    cdef void teach_tree(
        self, int32_t root, int32_t leaf, Opinion opinion, const View* v, int32_t label, double w
    ) noexcept nogil:
        """Let the tree at `root`, whose leaf for this example is known, learn it."""
        cdef Arena* a = &self.arena
        cdef int32_t node = root, rival
        cdef bint missed = self.wrong(leaf, opinion, v, label), changed
        cdef double before
        cdef Watch* here
        self.note_hits(leaf, opinion, label, w)
        while True:
            here = watch(a, node)
            before = adwin_mean(&here.errors)
            a.bytes -= adwin_bytes(&here.errors)
            changed = adwin_push(&here.errors, missed)
            a.bytes += adwin_bytes(&here.errors)
            if here.rival == NOBODY:
                if changed and adwin_mean(&here.errors) > before:
                    self.challenge(node)
            else:
                rival = self.compare(node)
                if rival != NOBODY:  # it has taken over; the rest of the way is gone
                    self.teach_rival(rival, v, label, w)
                    return
            rival = watch(a, node).rival
            if rival != NOBODY:
                self.teach_rival(rival, v, label, w)
            a.mass[node] += w
            if node == leaf:
                self.learn_leaf(leaf, v, label, w)
                return
            node = next_node(a, node, v)

    cdef void teach_rival(self, int32_t root, const View* v, int32_t label, double w) noexcept nogil:
        cdef int32_t leaf = self.leaf_to_learn(root, v)
        cdef Opinion opinion
        if leaf != NO_MEMORY and prepare(&self.arena, leaf, label) == 0:
            opinion = self.consult(leaf, v, NULL)
            self.teach_tree(root, leaf, opinion, v, label, w)

    cdef void challenge(self, int32_t node) noexcept nogil:
        """Start an alternate tree, an empty leaf, beside this node."""
        cdef int32_t rival
        if self.nesting(node) == NESTED:
            return
        rival = self.new_leaf(node, 0.0)
        if rival != NO_MEMORY:
            self.arena.depth[rival] = self.arena.depth[node]
            watch(&self.arena, node).rival = rival
            self.started += 1

    cdef int32_t nesting(self, int32_t node) noexcept nogil:
        """In how many alternates, one within the other, does this node stand?"""
        cdef int32_t n = 0, parent = self.arena.parent[node]
        while parent != NOBODY:
            n += watch(&self.arena, parent).rival == node
            node, parent = parent, self.arena.parent[parent]
        return n

    cdef int32_t compare(self, int32_t node) noexcept nogil:
        """Node against its alternate: the alternate's root if that has taken over, else NOBODY."""
        cdef Arena* a = &self.arena
        cdef Watch* mine = watch(a, node)
        cdef int32_t rival = mine.rival
        cdef Watch* its = watch(a, rival)
        cdef double e0, e1, bound
        if mine.errors.width <= MIN_WIDTH or its.errors.width <= MIN_WIDTH:
            return NOBODY
        e0, e1 = adwin_mean(&mine.errors), adwin_mean(&its.errors)
        bound = sqrt(
            2.0 * e0 * (1.0 - e0) * log(2.0 / ALPHA)
            * (1.0 / mine.errors.width + 1.0 / its.errors.width))
        if e0 - e1 > bound:
            self.succeed(node, rival)
            return rival
        if e1 - e0 > bound:
            mine.rival = NOBODY
            free_tree(a, rival)
            self.pruned += 1
        return NOBODY

    cdef void succeed(self, int32_t node, int32_t rival) noexcept nogil:
        """Let the alternate stand where the node stood."""
        cdef Arena* a = &self.arena
        cdef int32_t parent = a.parent[node]
        watch(a, node).rival = NOBODY
        a.parent[rival] = parent
        a.code[rival] = a.code[node]
        if a.root == node:
            a.root = rival
        elif watch(a, parent).rival == node:  # the node was itself the root of an alternate
            watch(a, parent).rival = rival
        elif a.fan[parent] != NULL:
            a.fan[parent][1 + a.code[node]] = rival
        elif a.left[parent] == node:
            a.left[parent] = rival
        else:
            a.right[parent] = rival
        free_tree(a, node)
        self.switched += 1

    # -- to and from arrays -------------------------------------------------------------------------

    cdef list roots(self):
        """The main tree, then every alternate, the owners first."""
        cdef list found = TreeState.roots(self)
        cdef int32_t node
        for root in found:  # it grows on the way
            for node in preorder(&self.arena, root):
                if watch(&self.arena, node).rival != NOBODY:
                    found.append(watch(&self.arena, node).rival)
        return found

    def export_own(self):
        cdef Arena* a = &self.arena
        nodes = [i for root in self.roots() for i in preorder(a, root)]
        place = {i: at for at, i in enumerate(nodes)}
        owners = [place[a.parent[<int32_t> root]] for root in self.roots()[1:]]
        windows = [adwin_export(&watch(a, i).errors) for i in nodes]
        return {
            **TreeState.export_own(self),
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
        cdef Watch* w
        owners = fields.integers("alternate_of", (-1,), 0, 2**31 - 1)
        self.started, self.switched, self.pruned = fields.integers("alternates", (3,), 0).tolist()
        self.expected = 1 + len(owners)
        TreeState.restore_own(self, fields)
        check_nesting(self.planted, owners.tolist())
        n = a.used
        windows = fields.integers("windows", (n, 2), 0)
        sums = fields.array("window_sums", (n, 2))
        counts = fields.array("window_counts", (-1,))
        buckets = fields.array("window_buckets", (len(counts), 5, 2))
        if windows[:, 0].sum() != len(counts):
            raise ValueError("window_counts does not fit the windows of the nodes")
        at = 0
        for i in range(n):
            w = <Watch*> grab(a, sizeof(Watch))
            if w == NULL:
                raise MemoryError("onstream: no memory for the tree")
            adwin_start(&w.errors, self.drift_delta)
            w.rival = NOBODY
            a.extra[i] = w
            rows = int(windows[i, 0])
            window = StateReader({
                "rows": rows, "clock": int(windows[i, 1]), "total": float(sums[i, 0]),
                "m2": float(sums[i, 1]), "counts": counts[at:at + rows], "buckets": buckets[at:at + rows],
            })
            adwin_restore(&w.errors, window)
            a.bytes += adwin_bytes(&w.errors)
            at += rows
        for root, owner in zip(self.planted[1:], owners.tolist()):
            if owner >= root or watch(a, owner).rival != NOBODY:
                raise ValueError("alternate_of names a node that cannot have this alternate")
            watch(a, owner).rival = root
            a.parent[root] = owner
            if self.nesting(root) > NESTED:
                raise ValueError(f"more than {NESTED} alternates are nested")
            lower(a, root, a.depth[owner])


cdef void lower(Arena* a, int32_t root, int32_t by):
    """Depths of an alternate tree are those of its place in the main one."""
    for node in preorder(a, root):
        a.depth[<int32_t> node] += by
