"""CVFDT: a tree of the last examples only; every count goes back when its example leaves."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

import numpy as np

from ..core.arrays cimport doubles
from ..core.example cimport Example
from ..core.memory cimport release, resize
from .arena._nodes cimport (
    NOBODY, NO_MEMORY, Arena, View, child_of, free_node, free_tree, give_back, grab, next_node,
)
from ._hoeffding cimport HoeffdingState
from .arena._leaf cimport forget, observe, prepare
from .arena._records cimport check_nesting, preorder
from .arena._split cimport Split, best_split
from ._state cimport Opinion, TreeState


cdef double MISSING = 1e200   # NaN in a file; no value is larger than 1e120
cdef double WORSE = 0.01      # an alternate that has lost so much accuracy is dropped
cdef double NO_GAIN = 1e-10

cdef enum:
    NESTED = 100  # alternates of alternates of ...: each level learns by a call within a call

cdef struct Rival:     # an alternate tree
    int32_t root
    double errors      # in the present test
    double best_gap    # smallest lead of the main tree so far
    bint tested        # it has been there for the whole test


cdef struct Standing:  # what CVFDT keeps for each node
    int64_t id         # grows with the time of creation
    int64_t passed     # examples since the last test, while there are alternates
    double errors      # of the main subtree in the present test
    int32_t n_rivals
    int32_t room
    Rival* rivals


cdef inline Standing* standing(Arena* a, int32_t node) noexcept nogil:
    return <Standing*> a.extra[node]


cdef void drop_standing(Arena* a, void* extra) noexcept nogil:
    cdef Standing* s = <Standing*> extra
    cdef int32_t j
    if not a.closing:
        for j in range(s.n_rivals):
            free_tree(a, s.rivals[j].root)
    give_back(a, s.rivals, s.room * sizeof(Rival))
    give_back(a, s, sizeof(Standing))


cdef class ConceptAdaptingState(HoeffdingState):
    cdef Py_ssize_t window      # most examples remembered
    cdef int64_t check_every    # examples between two checks of all questions
    cdef int64_t test_every     # examples through a node between two tests of its alternates
    cdef int64_t test_length    # examples of a test
    cdef int64_t next_id
    cdef int64_t lessons        # examples learned
    cdef int64_t youngest       # by `make_ready`: id of the youngest leaf that the example reaches
    cdef readonly int64_t started
    cdef readonly int64_t switched
    cdef readonly int64_t pruned
    # the window, a ring
    cdef double* xs             # `stride` values of each example
    cdef int32_t* ys
    cdef double* ws
    cdef int64_t* ids
    cdef Py_ssize_t stride
    cdef Py_ssize_t room
    cdef Py_ssize_t first       # the oldest
    cdef Py_ssize_t held        # how many

    def __cinit__(self, dict params):
        self.arena.drop_extra = drop_standing
        self.window = params["window"]
        self.check_every = params["check_every"]
        self.test_every = params["test_every"]
        self.test_length = params["test_length"]

    def __dealloc__(self):
        release(self.xs)
        release(self.ys)
        release(self.ws)
        release(self.ids)

    cdef int32_t new_leaf(self, int32_t parent, double mass) noexcept nogil:
        cdef int32_t leaf = TreeState.new_leaf(self, parent, mass)
        cdef Standing* s
        if leaf == NO_MEMORY:
            return NO_MEMORY
        s = <Standing*> grab(&self.arena, sizeof(Standing))
        if s == NULL:
            free_node(&self.arena, leaf)
            return NO_MEMORY
        self.next_id += 1
        s.id = self.next_id
        self.arena.extra[leaf] = s
        return leaf

    # -- the window -------------------------------------------------------------------------------

    cdef int reserve(self, Py_ssize_t width) except -1:
        """More features: every remembered row gets longer."""
        cdef Py_ssize_t old = self.stride, i, f
        cdef double* xs
        HoeffdingState.reserve(self, width)
        if self.arena.width > old:
            xs = <double*> resize(NULL, 0, self.room * self.arena.width * sizeof(double))
            for i in range(self.room):
                memcpy(xs + i * self.arena.width, self.xs + i * old, old * sizeof(double))
                for f in range(old, self.arena.width):
                    xs[i * self.arena.width + f] = NAN
            release(self.xs)
            self.xs, self.stride = xs, self.arena.width
        return 0

    cdef int make_room(self) noexcept nogil:
        """Place for one more example."""
        cdef Py_ssize_t room = min(self.window + 1, self.room + self.room // 2 + 16)
        cdef void* xs
        cdef void* ys
        cdef void* ws
        cdef void* ids
        if self.held < self.room:
            return 0
        # Only a ring that is not full grows, so it begins at 0.
        xs = PyMem_RawRealloc(self.xs, max(1, room * self.stride) * sizeof(double))
        if xs != NULL:
            self.xs = <double*> xs
        ys = PyMem_RawRealloc(self.ys, room * sizeof(int32_t))
        if ys != NULL:
            self.ys = <int32_t*> ys
        ws = PyMem_RawRealloc(self.ws, room * sizeof(double))
        if ws != NULL:
            self.ws = <double*> ws
        ids = PyMem_RawRealloc(self.ids, room * sizeof(int64_t))
        if ids != NULL:
            self.ids = <int64_t*> ids
        if xs == NULL or ys == NULL or ws == NULL or ids == NULL:
            return NO_MEMORY
        self.room = room
        return 0

    cdef void remember(self, const View* v, int32_t label, double w, int64_t id) noexcept nogil:
        cdef Py_ssize_t at = (self.first + self.held) % self.room, f
        cdef double* x = self.xs + at * self.stride
        for f in range(self.stride):
            x[f] = v.x[f] if f < v.n else NAN
        self.ys[at], self.ws[at], self.ids[at] = label, w, id
        self.held += 1

    cdef void forget_oldest(self) noexcept nogil:
        cdef View v
        cdef Py_ssize_t at = self.first
        v.x, v.n, v.owned = self.xs + at * self.stride, self.stride, NULL
        self.forget_tree(self.arena.root, &v, self.ys[at], self.ws[at], self.ids[at])
        self.first = (self.first + 1) % self.room
        self.held -= 1

    cdef void forget_tree(
        self, int32_t node, const View* v, int32_t label, double w, int64_t id
    ) noexcept nogil:
        """Take an example back from the nodes of its way that are not younger than it."""
        cdef Arena* a = &self.arena
        cdef int32_t j
        while node != NOBODY and standing(a, node).id <= id:
            forget(a, node, v, label, w)
            for j in range(standing(a, node).n_rivals):
                self.forget_tree(standing(a, node).rivals[j].root, v, label, w, id)
            node = next_node(a, node, v) if a.feature[node] != NOBODY else NOBODY

    # -- learning ---------------------------------------------------------------------------------

    cdef int make_ready(self, int32_t leaf, const View* v, int32_t label) noexcept nogil:
        if self.make_room() != 0:
            return NO_MEMORY
        self.youngest = self.largest_id(self.arena.root, v, label)
        return NO_MEMORY if self.youngest == NO_MEMORY else 0

    cdef void teach(self, int32_t leaf, Opinion opinion, const View* v, const Example* e) noexcept nogil:
        self.remember(v, e.label, e.weight, self.youngest)
        if self.held > self.window:
            self.forget_oldest()
        self.teach_tree(self.arena.root, v, e.label, e.weight, True, &opinion)
        self.lessons += 1
        if self.lessons % self.check_every == 0:
            self.check()

    cdef int64_t largest_id(self, int32_t root, const View* v, int32_t label) noexcept nogil:
        """The youngest leaf that the example reaches, in the tree and in all alternates met on the
        way. All memory that learning will need is taken here; NO_MEMORY: there is none."""
        cdef Arena* a = &self.arena
        cdef int32_t leaf = self.leaf_to_learn(root, v), node = root, j
        cdef int64_t largest, other
        if leaf == NO_MEMORY:
            return NO_MEMORY
        largest = standing(a, leaf).id
        while True:
            if prepare(a, node, label) != 0:
                return NO_MEMORY
            for j in range(standing(a, node).n_rivals):
                other = self.largest_id(standing(a, node).rivals[j].root, v, label)
                if other == NO_MEMORY:
                    return NO_MEMORY
                largest = max(largest, other)
            if node == leaf:
                return largest
            node = next_node(a, node, v)

    cdef bint teach_tree(
        self, int32_t root, const View* v, int32_t label, double w, bint consulted, Opinion* known
    ) noexcept nogil:
        """Count the example at every node of its way and in all alternates. Was it missed?"""
        cdef Arena* a = &self.arena
        cdef int32_t leaf = self.leaf_of(root, v), node = root, j
        cdef Opinion opinion = known[0] if consulted else self.consult(leaf, v, NULL)
        cdef bint missed = self.wrong(leaf, opinion, v, label), rival_missed
        cdef Standing* s
        self.note_hits(leaf, opinion, label, w)
        while True:
            observe(a, node, v, label, w)
            for j in range(standing(a, node).n_rivals):
                rival_missed = self.teach_tree(standing(a, node).rivals[j].root, v, label, w, False, NULL)
                s = standing(a, node)
                if s.passed >= self.test_every:
                    s.rivals[j].errors += rival_missed
            if standing(a, node).n_rivals > 0 and self.judge(node, missed):
                return missed  # an alternate, which has learned the example, took over
            if a.feature[node] == NOBODY:
                if self.due(node):
                    self.attempt(node)
                return missed
            node = next_node(a, node, v)

    cdef void attempt(self, int32_t leaf) noexcept nogil:
        """As VFDT, but the tables stay."""
        cdef Split best, second
        cdef double epsilon = self.bound(leaf)
        self.two_best(leaf, &best, &second)
        if best.feature == NOBODY:
            return
        if best.gain - second.gain > epsilon or epsilon < self.tau:
            self.split(leaf, leaf, &best, True)

    # -- alternates ---------------------------------------------------------------------------------

    cdef void check(self) noexcept nogil:
        """Is the question of every inner node still the best? First those of its alternates, then
        those below it, then its own."""
        cdef Arena* a = &self.arena
        cdef Py_ssize_t n = a.live, waits = 1, first = n
        cdef int32_t* nodes = <int32_t*> PyMem_RawMalloc(2 * n * sizeof(int32_t))
        cdef int32_t* waiting = nodes + n
        cdef int32_t node, j, at, child
        if nodes == NULL:
            return
        waiting[0] = a.root
        while waits:  # in a loop, since a tree may be very deep; `nodes` is filled from its end
            waits -= 1
            node = waiting[waits]
            if a.feature[node] == NOBODY:
                continue
            first -= 1
            nodes[first] = node
            for j in range(standing(a, node).n_rivals):
                waiting[waits] = standing(a, node).rivals[j].root
                waits += 1
            at, child = 0, child_of(a, node, 0)
            while child != NO_MEMORY:
                if child != NOBODY:
                    waiting[waits] = child
                    waits += 1
                at += 1
                child = child_of(a, node, at)
        for at in range(<int32_t> first, <int32_t> n):
            self.check_node(nodes[at])
        PyMem_RawFree(nodes)

    cdef void check_node(self, int32_t node) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef Split s, other
        cdef double rest = 0.0, gap, epsilon
        cdef int32_t f, j, root
        other.feature, other.gain = NOBODY, 0.0
        if a.weight[node] <= 0.0:
            return
        for f in range(<int32_t> a.width):
            best_split(a, node, f, self.criterion, &self.scratch, &s)
            if f != a.feature[node] and s.gain > other.gain and s.gain > NO_GAIN:
                rest = max(rest, other.gain)
                other = s
            else:
                rest = max(rest, s.gain)
        gap = other.gain - rest
        epsilon = self.bound(node)
        if other.feature == NOBODY or gap < 0.0:
            return
        if not (gap > epsilon or (epsilon < self.tau and gap >= self.tau / 2.0)):
            return
        for j in range(standing(a, node).n_rivals):
            root = standing(a, node).rivals[j].root
            if a.feature[root] == other.feature:
                return
        self.challenge(node, &other)

    cdef void challenge(self, int32_t node, const Split* s) noexcept nogil:
        """Start an alternate that asks another question."""
        cdef Arena* a = &self.arena
        cdef Standing* here = standing(a, node)
        cdef Rival* rivals
        cdef int32_t root
        if self.nesting(node) == NESTED:
            return
        if here.n_rivals == here.room:
            rivals = <Rival*> grab(a, (here.room + 2) * sizeof(Rival))
            if rivals == NULL:
                return
            if here.n_rivals > 0:
                memcpy(rivals, here.rivals, here.n_rivals * sizeof(Rival))
            give_back(a, here.rivals, here.room * sizeof(Rival))
            here.rivals = rivals
            here.room += 2
        root = self.new_leaf(node, 0.0)
        if root == NO_MEMORY:
            return
        a.depth[root] = a.depth[node]
        if self.split(root, node, s, True) != 0:
            free_node(a, root)
            return
        here = standing(a, node)
        here.rivals[here.n_rivals].root = root
        here.rivals[here.n_rivals].errors = 0.0
        here.rivals[here.n_rivals].best_gap = 1.0
        here.rivals[here.n_rivals].tested = False
        here.n_rivals += 1
        self.started += 1

    cdef int32_t nesting(self, int32_t node) noexcept nogil:
        """In how many alternates, one within the other, does this node stand?"""
        cdef Arena* a = &self.arena
        cdef int32_t n = 0, j, parent = a.parent[node]
        while parent != NOBODY:
            for j in range(standing(a, parent).n_rivals):
                n += standing(a, parent).rivals[j].root == node
            node, parent = parent, a.parent[parent]
        return n

    cdef bint judge(self, int32_t node, bint missed) noexcept nogil:
        """Count a miss in a test; at its end decide. True: an alternate has taken over."""
        cdef Arena* a = &self.arena
        cdef Standing* s = standing(a, node)
        cdef int32_t j, best = NOBODY
        cdef double gap
        if s.passed >= self.test_every:
            s.errors += missed
        s.passed += 1
        if s.passed == self.test_every:  # the test begins with the next example
            s.errors = 0.0
            for j in range(s.n_rivals):
                s.rivals[j].errors = 0.0
                s.rivals[j].tested = True
        if s.passed < self.test_every + self.test_length:
            return False
        s.passed = 0
        for j in range(s.n_rivals):
            if s.rivals[j].tested and s.rivals[j].errors < s.errors and (
                best == NOBODY or s.rivals[j].errors < s.rivals[best].errors
            ):
                best = j
        if best != NOBODY:
            self.succeed(node, best)
            return True
        for j in range(s.n_rivals - 1, -1, -1):
            if not s.rivals[j].tested:
                continue
            gap = (s.rivals[j].errors - s.errors) / self.test_length
            if gap >= s.rivals[j].best_gap + WORSE:
                free_tree(a, s.rivals[j].root)
                s.n_rivals -= 1
                memcpy_down(s.rivals, j, s.n_rivals)
                self.pruned += 1
            else:
                s.rivals[j].best_gap = min(s.rivals[j].best_gap, gap)
        return False

    cdef void succeed(self, int32_t node, int32_t which) noexcept nogil:
        """Let an alternate stand where the node stood; the other alternates go with the node."""
        cdef Arena* a = &self.arena
        cdef Standing* s = standing(a, node)
        cdef int32_t rival = s.rivals[which].root, parent = a.parent[node], j
        s.n_rivals -= 1
        memcpy_down(s.rivals, which, s.n_rivals)
        a.parent[rival] = parent
        a.code[rival] = a.code[node]
        a.mass[rival] = a.mass[node]  # so that missing values go on taking the same way
        if a.root == node:
            a.root = rival
        elif a.left[parent] == node:
            a.left[parent] = rival
        elif a.right[parent] == node:
            a.right[parent] = rival
        elif a.fan[parent] != NULL and a.code[node] >= 0 and a.fan[parent][1 + a.code[node]] == node:
            a.fan[parent][1 + a.code[node]] = rival
        else:  # the node was itself the root of an alternate
            for j in range(standing(a, parent).n_rivals):
                if standing(a, parent).rivals[j].root == node:
                    standing(a, parent).rivals[j].root = rival
        free_tree(a, node)
        self.switched += 1

    # -- to and from arrays -------------------------------------------------------------------------

    cdef list roots(self):
        cdef list found = TreeState.roots(self)
        cdef int32_t node, j
        for root in found:  # it grows on the way
            for node in preorder(&self.arena, root):
                for j in range(standing(&self.arena, node).n_rivals):
                    found.append(standing(&self.arena, node).rivals[j].root)
        return found

    def remembered(self):
        """The window, the oldest example first: values (NaN where missing), labels, weights, ids."""
        cdef Py_ssize_t i, at, f, width = self.features.width
        X, y = np.full((self.held, width), np.nan), np.zeros(self.held, dtype=np.int64)
        w, ids = np.zeros(self.held), np.zeros(self.held, dtype=np.int64)
        cdef double* x = doubles(X)
        for i in range(self.held):
            at = (self.first + i) % self.room
            for f in range(min(width, self.stride)):
                x[i * width + f] = self.xs[at * self.stride + f]
            y[i], w[i], ids[i] = self.ys[at], self.ws[at], self.ids[at]
        return X, y, w, ids

    def export_own(self):
        cdef Arena* a = &self.arena
        cdef int32_t i, j
        roots = self.roots()
        nodes = [i for root in roots for i in preorder(a, root)]
        place = {i: at for at, i in enumerate(nodes)}
        rivals, gaps = [], []
        for i in nodes:
            for j in range(standing(a, i).n_rivals):
                rivals.append((place[i], standing(a, i).rivals[j].tested))
                gaps.append((standing(a, i).rivals[j].errors, standing(a, i).rivals[j].best_gap))
        X, y, w, ids = self.remembered()
        return {
            **TreeState.export_own(self),
            "rivals": np.array(rivals, dtype=np.int64).reshape(-1, 2),
            "rival_numbers": np.array(gaps, dtype=float).reshape(-1, 2),
            "standings": np.array(
                [[standing(a, i).id, standing(a, i).passed] for i in nodes], dtype=np.int64).reshape(-1, 2),
            "standing_errors": np.array([standing(a, i).errors for i in nodes], dtype=float),
            "window_x": np.where(np.isnan(X), MISSING, X),
            "window_y": y, "window_w": w, "window_ids": ids,
            "counters": np.array(
                [self.next_id, self.lessons, self.started, self.switched, self.pruned], dtype=np.int64),
        }

    def restore_own(self, fields):
        cdef Arena* a = &self.arena
        cdef int32_t i, owner, root
        cdef Py_ssize_t at, f
        cdef Standing* s
        cdef View v
        rivals = fields.integers("rivals", (-1, 2), 0, 2**31 - 1)
        self.expected = 1 + len(rivals)
        TreeState.restore_own(self, fields)
        check_nesting(self.planted, rivals[:, 0].tolist())
        gaps = fields.array("rival_numbers", (len(rivals), 2))
        told = fields.integers("standings", (a.used, 2), 0)
        errors = fields.array("standing_errors", (a.used,))
        X = fields.array("window_x", (-1, self.features.width))
        y = fields.integers("window_y", (len(X),), 0, max(0, self.n_labels - 1))
        w = fields.array("window_w", (len(X),))
        ids = fields.integers("window_ids", (len(X),), 0)
        self.next_id, self.lessons, self.started, self.switched, self.pruned = (
            fields.integers("counters", (5,), 0).tolist())
        if len(X) > self.window or (w <= 0.0).any():
            raise ValueError("the window holds more examples than it should, or one without weight")
        for f in range(self.features.width):
            known = X[:, f][X[:, f] != MISSING]
            if a.kind[f] == 2 and len(known) and not (
                (known >= 0).all() and (known < a.codes[f]).all() and (known == np.floor(known)).all()
            ):
                raise ValueError("the window holds a nominal value that does not exist")
        for i in range(<int32_t> a.used):
            if a.tables[i] == NULL:
                raise ValueError("a node has no tables")
            s = <Standing*> grab(a, sizeof(Standing))
            if s == NULL:
                raise MemoryError("onstream: no memory for the tree")
            s.id, s.passed, s.errors = told[i, 0], told[i, 1], errors[i]
            a.extra[i] = s
        for at in range(len(rivals)):
            owner, root = rivals[at, 0], self.planted[1 + at]
            if owner >= root:
                raise ValueError("rivals names a node that cannot have this alternate")
            s = standing(a, owner)
            s.rivals = grown_rivals(a, s)
            s.rivals[s.n_rivals].root = root
            s.rivals[s.n_rivals].tested = rivals[at, 1] > 0
            s.rivals[s.n_rivals].errors, s.rivals[s.n_rivals].best_gap = gaps[at]
            s.n_rivals += 1
            a.parent[root] = owner
            if self.nesting(root) > NESTED:
                raise ValueError(f"more than {NESTED} alternates are nested")
            for node in preorder(a, root):
                a.depth[<int32_t> node] += a.depth[owner]
        self.reserve(self.features.width)
        X = np.where(X == MISSING, np.nan, X)
        for at in range(len(X)):
            if self.make_room() != 0:
                raise MemoryError("onstream: no memory for the window")
            row = np.ascontiguousarray(X[at])
            v.x, v.n, v.owned = doubles(row), len(row), NULL
            self.remember(&v, y[at], w[at], ids[at])
            if a.root == NOBODY or not self.counted(a.root, &v, y[at]):
                raise ValueError("the window holds an example that the tree has not counted")

    cdef bint counted(self, int32_t node, const View* v, int32_t label) noexcept nogil:
        """Is there a table for this label at the root? What forgets would fail without."""
        cdef Arena* a = &self.arena
        return label < a.labels[node] and a.tables[node][label] != NULL

    def numbers(self):
        """Id of every node, in the order of `export`: for tests."""
        cdef Arena* a = &self.arena
        return [standing(a, i).id for root in self.roots() for i in preorder(a, root)]

    def meeting(self, row):
        """Places in `export` of the nodes that a remembered row meets: for tests."""
        cdef View v
        row = np.ascontiguousarray(row)
        v.x, v.n, v.owned = doubles(row), len(row), NULL
        place = {i: at for at, i in enumerate(
            [i for root in self.roots() for i in preorder(&self.arena, root)])}
        found = []
        self.meet_nodes(self.arena.root, &v, found)
        return sorted(place[i] for i in found)

    cdef meet_nodes(self, int32_t node, const View* v, list found):
        cdef int32_t j
        while node != NOBODY:
            found.append(node)
            for j in range(standing(&self.arena, node).n_rivals):
                self.meet_nodes(standing(&self.arena, node).rivals[j].root, v, found)
            node = next_node(&self.arena, node, v) if self.arena.feature[node] != NOBODY else NOBODY

    def memory(self):
        per_row = self.stride * sizeof(double) + sizeof(int32_t) + sizeof(double) + sizeof(int64_t)
        return TreeState.memory(self) + self.room * per_row


cdef void memcpy_down(Rival* rivals, int32_t gone, int32_t left) noexcept nogil:
    """Close the gap that entry `gone` leaves."""
    cdef int32_t j
    for j in range(gone, left):
        rivals[j] = rivals[j + 1]


cdef Rival* grown_rivals(Arena* a, Standing* s) except NULL:
    cdef Rival* rivals
    if s.n_rivals < s.room:
        return s.rivals
    rivals = <Rival*> grab(a, (s.room + 2) * sizeof(Rival))
    if rivals == NULL:
        raise MemoryError("onstream: no memory for the tree")
    if s.n_rivals:
        memcpy(rivals, s.rivals, s.n_rivals * sizeof(Rival))
    give_back(a, s.rivals, s.room * sizeof(Rival))
    s.room += 2
    return rivals
