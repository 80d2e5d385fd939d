"""CVFDT: a tree of the last examples only; every count is taken back when its example leaves
(Hulten, Spencer and Domingos, KDD 2001)."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

import numpy as np

from ..core.arrays cimport doubles
from ..core.example cimport NO_MEMORY, Example
from .arena._leaf cimport forget, observe, prepare
from .arena._nodes cimport (
    child_of, free_node, free_tree, n_branches, nesting, replace_child, taken,
)
from .arena._records cimport NESTED, attach_alternate, enough, preorder
from .arena._split cimport Split, branches_of, has_gain, null_split
from .arena.arena cimport NOMINAL, NONE, Arena, View, arena_alloc, arena_free, with_slack
from .arena.window cimport (
    Window, free_window, push, reserve_row, row_bytes, shorten, widen_window, window_bytes,
)
from ._hoeffding cimport HoeffdingState
from ._state cimport Opinion, TreeState

from .arena.reading import check_nesting

MISSING = 1e200               # NaN in a file; no value is larger than 1e120
cdef double WORSE = 0.01      # an alternate that has lost this much accuracy is dropped

cdef struct Alternate:        # an alternate tree of a node
    int32_t root
    double errors             # in the present test
    double best_gap           # smallest lead of the main tree so far
    bint tested               # it has been there for the whole test


cdef struct CvfdtNode:        # what CVFDT keeps for each node
    int64_t id                # grows with the time of creation
    int64_t passed            # examples since the last test, while there are alternates
    double errors             # of the main subtree in the present test
    int32_t n_alternates
    int32_t room
    Alternate* alternates


cdef inline CvfdtNode* cvfdt_node(Arena* a, int32_t node) noexcept nogil:
    return <CvfdtNode*> a.extra[node]


cdef CvfdtNode* add_cvfdt_node(Arena* a, int32_t node, int64_t id) noexcept nogil:
    cdef CvfdtNode* c = <CvfdtNode*> arena_alloc(a, sizeof(CvfdtNode))
    if c != NULL:
        c.id = id
    a.extra[node] = c
    return c


cdef void drop_cvfdt_node(Arena* a, void* extra) noexcept nogil:
    cdef CvfdtNode* c = <CvfdtNode*> extra
    cdef int32_t j
    if not a.closing:
        for j in range(c.n_alternates):
            free_tree(a, c.alternates[j].root)
    arena_free(a, c.alternates, c.room * sizeof(Alternate))
    arena_free(a, c, sizeof(CvfdtNode))


cdef int32_t cvfdt_alternate(Arena* a, int32_t node, int32_t at) noexcept nogil:
    cdef CvfdtNode* c = cvfdt_node(a, node)
    return c.alternates[at].root if at < c.n_alternates else NONE


cdef Alternate* reserve_alternate(Arena* a, CvfdtNode* c) noexcept nogil:
    """Room for one more alternate behind the others; or NULL."""
    cdef Alternate* alternates
    if c.n_alternates == c.room:
        alternates = <Alternate*> arena_alloc(a, (c.room + 2) * sizeof(Alternate))
        if alternates == NULL:
            return NULL
        if c.n_alternates > 0:
            memcpy(alternates, c.alternates, c.n_alternates * sizeof(Alternate))
        arena_free(a, c.alternates, c.room * sizeof(Alternate))
        c.alternates = alternates
        c.room += 2
    return &c.alternates[c.n_alternates]


cdef void remove_alternate(CvfdtNode* c, int32_t which) noexcept nogil:
    """Take an alternate out of the list; its tree stays."""
    cdef int32_t j
    c.n_alternates -= 1
    for j in range(which, c.n_alternates):
        c.alternates[j] = c.alternates[j + 1]


cdef class CvfdtState(HoeffdingState):
    cdef Window window
    cdef Py_ssize_t length      # of the window
    cdef int64_t check_every    # examples between two checks of all splits
    cdef int64_t test_every     # examples through a node between two tests of its alternates
    cdef int64_t test_length    # examples of a test
    cdef int64_t next_id
    cdef int64_t learned        # examples learned
    cdef int64_t youngest       # by `prepare_nodes`: id of the youngest leaf that the example reaches
    cdef readonly int64_t started   # alternates ever started
    cdef readonly int64_t switched  # that took over
    cdef readonly int64_t pruned    # that were given up

    def __init__(
        self, *, Py_ssize_t window, int64_t check_every, int64_t test_every, int64_t test_length,
        **common,
    ):
        HoeffdingState.__init__(self, **common)
        self.keeps_tables = self.budget.inner = self.adapts = True
        self.budget.for_good = True  # examples that a new table has not counted would be forgotten there
        self.budget.per_node = sizeof(CvfdtNode) + sizeof(Alternate)
        self.arena.drop_extra, self.arena.alternate = drop_cvfdt_node, cvfdt_alternate
        self.length = window
        self.check_every, self.test_every, self.test_length = check_every, test_every, test_length

    def __dealloc__(self):
        free_window(&self.window)

    cdef int reserve(self, Py_ssize_t width) except -1:
        TreeState.reserve(self, width)
        if self.budget.max_bytes:  # with less to spare
            return widen_window(&self.window, min(self.arena.width, with_slack(width)))
        return widen_window(&self.window, self.arena.width)

    cdef int32_t new_leaf(self, int32_t parent, double mass) noexcept nogil:
        cdef int32_t leaf = TreeState.new_leaf(self, parent, mass)
        if leaf == NO_MEMORY:
            return NO_MEMORY
        if add_cvfdt_node(&self.arena, leaf, self.next_id + 1) == NULL:
            free_node(&self.arena, leaf)
            return NO_MEMORY
        self.next_id += 1
        return leaf

    # -- the limit of memory ------------------------------------------------------------------

    cdef Py_ssize_t longest(self) noexcept nogil:
        """Examples that the window may hold: with max_bytes, those that fit in a third of it."""
        cdef Py_ssize_t row = row_bytes(with_slack(self.budget.features))
        if self.budget.max_bytes == 0:
            return self.length
        return max(1, min(self.length, self.budget.max_bytes // 3 // row - 1))

    cdef void take_stock(self, Py_ssize_t features, Py_ssize_t named) noexcept nogil:
        HoeffdingState.take_stock(self, features, named)
        self.budget.aside = (self.longest() + 1) * row_bytes(with_slack(features))

    cdef void attempt(self, int32_t leaf) noexcept nogil:
        TreeState.attempt(self, leaf)  # no feature is dropped: it could not be forgotten any more

    def drops_features(self):
        return False

    # -- learning and forgetting --------------------------------------------------------------

    cdef int prepare_nodes(self, int32_t leaf, const View* v, int32_t label) noexcept nogil:
        if reserve_row(&self.window, max(self.window.held, self.longest()) + 1) != 0:
            return NO_MEMORY
        self.youngest = self.prepare_tree(self.arena.root, v, label)
        return NO_MEMORY if self.youngest == NO_MEMORY else 0

    cdef int64_t prepare_alternate(self, int32_t root, const View* v, int32_t label) noexcept nogil:
        cdef bint before = self.beside
        cdef int64_t youngest
        self.beside = True
        youngest = self.prepare_tree(root, v, label)
        self.beside = before
        return youngest

    cdef int64_t prepare_tree(self, int32_t root, const View* v, int32_t label) noexcept nogil:
        """Allocate all that learning will need, in the tree and in all alternates met on the way;
        returns the id of the youngest leaf that the example reaches, or NO_MEMORY."""
        cdef Arena* a = &self.arena
        cdef int32_t leaf = self.leaf_to_learn(root, v), node = root, j
        cdef int64_t youngest, other
        if leaf == NO_MEMORY:
            return NO_MEMORY
        youngest = cvfdt_node(a, leaf).id
        while True:
            if prepare(a, node, v, label) != 0:
                return NO_MEMORY
            for j in range(cvfdt_node(a, node).n_alternates):
                other = self.prepare_alternate(cvfdt_node(a, node).alternates[j].root, v, label)
                if other == NO_MEMORY:
                    return NO_MEMORY
                youngest = max(youngest, other)
            if node == leaf:
                return youngest
            node = taken(a, node, v)

    cdef void update(self, int32_t leaf, Opinion opinion, const View* v, const Example* e) noexcept nogil:
        # Remember the example, and forget the oldest beyond the window.
        self.take_stock(e.width, e.named)
        push(&self.window, v, e.label, e.weight, self.youngest)
        while self.window.held > self.longest():
            self.forget_oldest()
        if self.window.room > self.longest() + 1:  # features have come, and rows are longer
            shorten(&self.window, self.longest() + 1)
        # Count it in the tree and all alternates; now and then ask whether splits are still best.
        self.update_tree(self.arena.root, v, e.label, e.weight, &opinion)
        self.learned += 1
        if self.learned % self.check_every == 0:
            self.check_splits()
        if self.budget.max_bytes:
            self.enforce_limit()

    cdef void forget_oldest(self) noexcept nogil:
        cdef Window* w = &self.window
        cdef Py_ssize_t at = w.first
        cdef View v
        v.x, v.n, v.owned = w.xs + at * w.stride, w.stride, NULL
        self.forget_tree(self.arena.root, &v, w.labels[at], w.weights[at], w.ids[at])
        w.first = (w.first + 1) % w.room
        w.held -= 1

    cdef void forget_tree(
        self, int32_t node, const View* v, int32_t label, double w, int64_t id
    ) noexcept nogil:
        """Subtract an example from the nodes on its way that are not younger than it."""
        cdef Arena* a = &self.arena
        cdef int32_t j
        while node != NONE and cvfdt_node(a, node).id <= id:
            forget(a, node, v, label, w)
            for j in range(cvfdt_node(a, node).n_alternates):
                self.forget_tree(cvfdt_node(a, node).alternates[j].root, v, label, w, id)
            node = taken(a, node, v) if a.feature[node] != NONE else NONE

    cdef bint update_tree(
        self, int32_t root, const View* v, int32_t label, double w, const Opinion* known
    ) noexcept nogil:
        """Count the example at every node on its way and in all alternates; `known` is what the
        leaf predicted, if it is not NULL. Returns whether that was wrong."""
        cdef Arena* a = &self.arena
        cdef int32_t leaf = root, node = root, j
        cdef Opinion opinion
        cdef bint missed, alternate_missed
        cdef CvfdtNode* c
        while a.feature[leaf] != NONE:  # `prepare_tree` has made a branch, unless there was no room
            leaf = taken(a, leaf, v)
        opinion = known[0] if known != NULL else self.consult(leaf, v, NULL)
        missed = self.wrong(leaf, opinion, v, label)
        self.count_hits(leaf, opinion, label, w)
        while True:
            observe(a, node, v, label, w)
            for j in range(cvfdt_node(a, node).n_alternates):
                alternate_missed = self.update_tree(
                    cvfdt_node(a, node).alternates[j].root, v, label, w, NULL)
                c = cvfdt_node(a, node)
                if c.passed >= self.test_every:
                    c.alternates[j].errors += alternate_missed
            if cvfdt_node(a, node).n_alternates > 0 and self.test_alternates(node, missed):
                return missed  # an alternate, which has learned the example, took over
            if a.feature[node] == NONE:
                if self.due(node):
                    self.attempt(node)
                return missed
            node = taken(a, node, v)

    # -- alternates ---------------------------------------------------------------------------

    cdef void check_splits(self) noexcept nogil:
        """Is the split of every inner node still the best? First those of its alternates, then
        those below it, then its own."""
        cdef Arena* a = &self.arena
        cdef Py_ssize_t n = a.live, waits = 1, first = n
        cdef int32_t* nodes = <int32_t*> PyMem_RawMalloc(2 * n * sizeof(int32_t))
        cdef int32_t* waiting = nodes + n
        cdef int32_t node, j, at
        if nodes == NULL:
            return
        waiting[0] = a.root
        while waits:  # in a loop, since a tree may be very deep; `nodes` is filled from its end
            waits -= 1
            node = waiting[waits]
            if a.feature[node] == NONE:
                continue
            first -= 1
            nodes[first] = node
            for j in range(cvfdt_node(a, node).n_alternates):
                waiting[waits] = cvfdt_node(a, node).alternates[j].root
                waits += 1
            for at in range(n_branches(a, node)):
                if child_of(a, node, at) != NONE:
                    waiting[waits] = child_of(a, node, at)
                    waits += 1
        for at in range(<int32_t> first, <int32_t> n):
            self.check_split(nodes[at])
        PyMem_RawFree(nodes)

    cdef void check_split(self, int32_t node) noexcept nogil:
        """Start an alternate where a split on another feature has become better than all others."""
        cdef Arena* a = &self.arena
        cdef Split s, other = null_split()
        cdef double rest = 0.0, gap, epsilon
        cdef int32_t f, j
        if a.weight[node] <= 0.0 or a.tables[node] == NULL:
            return
        for f in range(<int32_t> a.width):
            s = self.best_on(node, f)
            if f != a.feature[node] and s.gain > other.gain and has_gain(&s):
                rest = max(rest, other.gain)
                other = s
            else:
                rest = max(rest, s.gain)
        gap = other.gain - rest
        epsilon = self.bound(node)
        if other.feature == NONE or gap < 0.0:
            return
        if not (gap > epsilon or (epsilon < self.tau and gap >= self.tau / 2.0)):
            return
        for j in range(cvfdt_node(a, node).n_alternates):
            if a.feature[cvfdt_node(a, node).alternates[j].root] == other.feature:
                return
        self.start_alternate(node, &other)

    cdef void start_alternate(self, int32_t node, const Split* s) noexcept nogil:
        """Start an alternate tree with another split at its root."""
        cdef Arena* a = &self.arena
        if nesting(a, node) == NESTED:
            return
        self.beside = True
        self.grow_alternate(node, s)
        self.beside = False

    cdef void grow_alternate(self, int32_t node, const Split* s) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef Alternate* alternate
        cdef int32_t root
        if not self.may_add(1 + branches_of(a, s)):
            return
        alternate = reserve_alternate(a, cvfdt_node(a, node))
        if alternate == NULL:
            return
        root = self.new_leaf(node, 0.0)
        if root == NO_MEMORY:
            return
        a.depth[root] = a.depth[node]
        if self.split(root, node, s) != 0:
            free_node(a, root)
            return
        alternate.root, alternate.errors, alternate.best_gap = root, 0.0, 1.0
        alternate.tested = False
        cvfdt_node(a, node).n_alternates += 1
        self.started += 1

    cdef bint test_alternates(self, int32_t node, bint missed) noexcept nogil:
        """Count a miss in a test; at its end decide. True: an alternate has taken over."""
        cdef Arena* a = &self.arena
        cdef CvfdtNode* c = cvfdt_node(a, node)
        cdef Alternate* other
        cdef int32_t j, best = NONE
        cdef double gap
        if c.passed >= self.test_every:
            c.errors += missed
        c.passed += 1
        if c.passed == self.test_every:  # the test begins with the next example
            c.errors = 0.0
            for j in range(c.n_alternates):
                c.alternates[j].errors = 0.0
                c.alternates[j].tested = True
        if c.passed < self.test_every + self.test_length:
            return False
        # The best alternate that errs less than the node takes over.
        c.passed = 0
        for j in range(c.n_alternates):
            other = &c.alternates[j]
            if other.tested and other.errors < c.errors and (
                best == NONE or other.errors < c.alternates[best].errors
            ):
                best = j
        if best != NONE:
            self.take_over(node, best)
            return True
        # Those that have fallen behind are dropped.
        for j in range(c.n_alternates - 1, -1, -1):
            other = &c.alternates[j]
            if not other.tested:
                continue
            gap = (other.errors - c.errors) / self.test_length
            if gap >= other.best_gap + WORSE:
                free_tree(a, other.root)
                remove_alternate(c, j)
                self.pruned += 1
            else:
                other.best_gap = min(other.best_gap, gap)
        return False

    cdef void take_over(self, int32_t node, int32_t which) noexcept nogil:
        """Let an alternate stand where the node stood; the other alternates go with the node."""
        cdef Arena* a = &self.arena
        cdef int32_t root = cvfdt_node(a, node).alternates[which].root, j
        cdef CvfdtNode* parent
        remove_alternate(cvfdt_node(a, node), which)
        a.mass[root] = a.mass[node]  # so that missing values keep taking the same way
        if not replace_child(a, node, root):  # the node was itself the root of an alternate
            parent = cvfdt_node(a, a.parent[node])
            for j in range(parent.n_alternates):
                if parent.alternates[j].root == node:
                    parent.alternates[j].root = root
        free_tree(a, node)
        self.switched += 1

    # -- to and from arrays -------------------------------------------------------------------

    cdef list roots(self):
        """The main tree, then every alternate, the owners first."""
        cdef list found = TreeState.roots(self)
        cdef int32_t node, j
        for root in found:  # it grows on the way
            for node in preorder(&self.arena, root):
                for j in range(cvfdt_node(&self.arena, node).n_alternates):
                    found.append(cvfdt_node(&self.arena, node).alternates[j].root)
        return found

    def export_own(self):
        cdef Arena* a = &self.arena
        cdef CvfdtNode* c
        cdef int32_t j
        nodes = [i for root in self.roots() for i in preorder(a, root)]
        rivals, gaps, standings, errors = [], [], [], []
        for at, i in enumerate(nodes):
            c = cvfdt_node(a, i)
            standings.append((c.id, c.passed))
            errors.append(c.errors)
            for j in range(c.n_alternates):
                rivals.append((at, c.alternates[j].tested))
                gaps.append((c.alternates[j].errors, c.alternates[j].best_gap))
        counters = [self.next_id, self.learned, self.started, self.switched, self.pruned]
        return {
            **HoeffdingState.export_own(self),
            "rivals": np.array(rivals, dtype=np.int64).reshape(-1, 2),
            "rival_numbers": np.array(gaps, dtype=float).reshape(-1, 2),
            "standings": np.array(standings, dtype=np.int64).reshape(-1, 2),
            "standing_errors": np.array(errors, dtype=float),
            **self.export_window(),
            "counters": np.array(counters, dtype=np.int64),
        }

    def export_window(self):
        """The window, the oldest example first."""
        cdef Window* w = &self.window
        cdef Py_ssize_t i, at, f, width = self.features.width
        X, y = np.full((w.held, width), np.nan), np.zeros(w.held, dtype=np.int64)
        weights, ids = np.zeros(w.held), np.zeros(w.held, dtype=np.int64)
        cdef double* x = doubles(X)
        for i in range(w.held):
            at = (w.first + i) % w.room
            for f in range(min(width, w.stride)):
                x[i * width + f] = w.xs[at * w.stride + f]
            y[i], weights[i], ids[i] = w.labels[at], w.weights[at], w.ids[at]
        X = np.where(np.isnan(X), MISSING, X)
        return {"window_x": X, "window_y": y, "window_w": weights, "window_ids": ids}

    def restore_own(self, fields):
        cdef Arena* a = &self.arena
        cdef int32_t i, owner, root
        cdef CvfdtNode* c
        cdef Alternate* alternate
        rivals = fields.integers("rivals", (-1, 2), 0, 2**31 - 1)
        roots = self.restore_arena(fields, len(rivals))
        check_nesting(roots, rivals[:, 0].tolist())
        gaps = fields.array("rival_numbers", (len(rivals), 2))
        standings = fields.integers("standings", (a.used, 2), 0)
        errors = fields.array("standing_errors", (a.used,))
        X = fields.array("window_x", (-1, self.features.width))
        y = fields.integers("window_y", (len(X),), 0, max(0, self.n_labels - 1))
        w = fields.array("window_w", (len(X),))
        ids = fields.integers("window_ids", (len(X),), 0)
        self.next_id, self.learned, self.started, self.switched, self.pruned = (
            fields.integers("counters", (5,), 0).tolist())
        if len(X) > self.length or (w <= 0.0).any():
            raise ValueError("the window holds more examples than it should, or one without weight")
        for f in range(self.features.width):
            known = X[:, f][X[:, f] != MISSING]
            if a.kind[f] == NOMINAL and len(known) and not (
                (known >= 0).all() and (known < a.codes[f]).all() and (known == np.floor(known)).all()
            ):
                raise ValueError("the window holds a nominal value that does not exist")
        for i in range(<int32_t> a.used):
            if a.tables[i] == NULL and not self.budget.max_bytes:
                raise ValueError("a node has no tables")
            c = add_cvfdt_node(a, i, standings[i, 0])
            if c == NULL:
                enough(NO_MEMORY)
            c.passed, c.errors = standings[i, 1], errors[i]
        for at in range(len(rivals)):
            owner, root = rivals[at, 0], roots[1 + at]
            c = cvfdt_node(a, owner)
            alternate = reserve_alternate(a, c)
            if alternate == NULL:
                enough(NO_MEMORY)
            alternate.root, alternate.tested = root, rivals[at, 1] > 0
            alternate.errors, alternate.best_gap = gaps[at]
            c.n_alternates += 1
            attach_alternate(a, root, owner)
        self.reserve(self.features.width)
        self.resume()
        self.restore_window(np.where(X == MISSING, np.nan, X), y, w, ids)

    def restore_window(self, X, y, w, ids):
        cdef Arena* a = &self.arena
        cdef int32_t label
        cdef View v
        for at in range(len(X)):
            label = y[at]
            if reserve_row(&self.window, max(self.window.held, self.longest()) + 1) != 0:
                raise MemoryError("onstream: no memory for the window")
            row = np.ascontiguousarray(X[at])
            v.x, v.n, v.owned = doubles(row), len(row), NULL
            push(&self.window, &v, label, w[at], ids[at])
            if a.root == NONE or a.tables[a.root] != NULL and ids[at] >= cvfdt_node(a, a.root).id and (
                label >= a.labels[a.root] or a.tables[a.root][label] == NULL
            ):
                raise ValueError("the window holds an example that the tree has not counted")

    def memory(self):
        return HoeffdingState.memory(self) + window_bytes(&self.window)
