"""What all classification trees share: routing, the answer of a leaf, the making of a split."""

from libc.stdint cimport int32_t

from ..core.classifier cimport ClassifierState
from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, Example
from ..core.memory cimport release, resize
from ..core.scores cimport softmax
from .arena._nodes cimport (
    NOBODY, NOMINAL, NO_MEMORY, NUMERIC, Arena, View, activate, clear_children, close_view,
    deactivate, ensure_label, finish, free_node, heaviest, new_node, next_node, open_view,
    set_branch, start, widen,
)
from .arena.criteria cimport GINI, INFO_GAIN, gain_range, hoeffding
from .arena._leaf cimport MC, NB, NBA, answer, choose, majority, naive_bayes
from .arena._records cimport export_trees, outline, restore_trees
from .arena._split cimport (
    Split, best_split, branch_counts, free_scratch, labels_at, make_scratch, scratch_bytes,
)

CRITERIA = {"info_gain": INFO_GAIN, "gini": GINI}
RULES = {"mc": MC, "nb": NB, "nba": NBA}

cdef double NO_GAIN = 1e-10  # a gain that may be rounding


cdef class TreeState(ClassifierState):
    def __cinit__(self, dict params):
        start(&self.arena)
        self.expected = 1
        nominal = params.get("nominal")
        self.categorical = None if nominal is None else set(map(str, nominal))
        self.votes = NULL
        self.room_votes = 0
        self.grace = params["grace_period"]
        self.delta = params["delta"]
        self.tau = params["tau"]
        self.max_depth = params.get("max_depth") or 2**31 - 2
        self.criterion = CRITERIA[params["criterion"]]
        self.rule = RULES[params["leaf_prediction"]]
        self.seed_children = params.get("seed_children", False)

    def __dealloc__(self):
        finish(&self.arena)
        free_scratch(&self.scratch)
        release(self.votes)

    def configure(self, Encoder encoder):
        encoder.nominal = encoder.nan_missing = encoder.fill_sparse = True
        encoder.categorical = self.categorical

    cdef Py_ssize_t outputs(self) noexcept nogil:
        return self.n_labels if self.n_labels > 2 else 1

    cdef int reserve(self, Py_ssize_t width) except -1:
        return widen(&self.arena, width)

    cdef int set_labels(self, Py_ssize_t n) except -1:
        if n > self.room_votes:
            n = max(n, self.room_votes + self.room_votes // 2)
            self.votes = <double*> resize(self.votes, 0, n * sizeof(double))
            self.room_votes = n
        return make_scratch(&self.scratch, n)

    # -- answers ------------------------------------------------------------------------------

    cdef void present(self, double* votes, double* out) noexcept nogil:
        """Probabilities as scores: for two labels how much likelier the one coded +1 is."""
        cdef Py_ssize_t r
        if self.n_labels > 2:
            if votes != out:
                for r in range(self.n_labels):
                    out[r] = votes[r]
        elif self.n_labels == 2:
            out[0] = self.first_sign * (votes[0] - votes[1])
        else:
            out[0] = self.first_sign if self.seen else 0.0

    cdef int32_t tie(self) noexcept nogil:
        """Of two labels equally likely, the one coded +1."""
        return 0 if self.first_sign > 0.0 else 1

    cdef void link(self, const double* scores, double* out) noexcept nogil:
        cdef Py_ssize_t r
        cdef int32_t plus = self.tie()
        if self.n_labels == 2:
            out[plus] = 0.5 + 0.5 * scores[0]
            out[1 - plus] = 0.5 - 0.5 * scores[0]
        else:
            for r in range(self.n_labels):
                out[r] = scores[r] if self.seen else 1.0 / self.n_labels

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef View v
        if self.arena.root == NOBODY:
            self.tell(NOBODY, NULL, out)
            return LEARNED
        if open_view(&self.arena, e, &v) != 0:
            return NO_MEMORY
        self.tell(self.leaf_of(self.arena.root, &v), &v, out)
        close_view(&self.arena, &v)
        return LEARNED

    cdef void tell(self, int32_t node, const View* v, double* out) noexcept nogil:
        """What this node says of the example."""
        cdef double two[2]
        cdef double* votes = out if self.n_labels > 2 else two
        cdef Py_ssize_t r
        if node != NOBODY:
            answer(&self.arena, node, v, self.rule, self.n_labels, votes)
        else:
            for r in range(self.n_labels):
                votes[r] = 0.0
        self.present(votes, out)

    cdef bint may_add(self, Py_ssize_t nodes) noexcept nogil:
        """Is there memory for so many nodes more?"""
        return True

    cdef int32_t leaf_of(self, int32_t root, const View* v) noexcept nogil:
        """The leaf an example comes to; an inner node if its nominal value has no branch there, but
        may get one."""
        cdef Arena* a = &self.arena
        cdef int32_t node = root, child
        while a.feature[node] != NOBODY:
            child = next_node(a, node, v)
            if child == NOBODY:
                if self.may_add(1):
                    return node
                child = heaviest(a, node)
            node = child
        return node

    # -- learning -----------------------------------------------------------------------------

    cdef int32_t leaf_to_learn(self, int32_t root, const View* v) noexcept nogil:
        """The same, with a new branch for a nominal value that has none."""
        cdef Arena* a = &self.arena
        cdef int32_t node = self.leaf_of(root, v), leaf
        if a.feature[node] == NOBODY:
            return node
        leaf = self.new_leaf(node, 0.0)
        if leaf != NO_MEMORY and set_branch(a, node, <int32_t> v.x[a.feature[node]], leaf) != 0:
            free_node(a, leaf)
            return NO_MEMORY
        return leaf

    cdef int plant(self) noexcept nogil:
        """The root, before the first example."""
        cdef int32_t root = self.new_leaf(NOBODY, 0.0)
        if root == NO_MEMORY:
            return NO_MEMORY
        self.arena.root = root
        return 0

    cdef int32_t new_leaf(self, int32_t parent, double mass) noexcept nogil:
        """An active leaf without examples."""
        cdef int32_t leaf = new_node(&self.arena, parent, mass)
        if leaf != NO_MEMORY and activate(&self.arena, leaf) != 0:
            free_node(&self.arena, leaf)
            return NO_MEMORY
        return leaf

    cdef Opinion consult(self, int32_t node, const View* v, double* out) noexcept nogil:
        """What the leaf says before it learns (to `out`, if wanted), and what each rule says."""
        cdef Arena* a = &self.arena
        cdef Py_ssize_t k = self.n_labels
        cdef Opinion opinion
        cdef bint trusted = a.hits_nb[node] > a.hits_mc[node]
        opinion.mc = opinion.nb = NOBODY
        if self.rule != NBA or a.weight[node] <= 0.0 or a.tables[node] == NULL:
            if out != NULL:
                self.tell(node, v, out)
            return opinion
        if naive_bayes(a, node, v, k, True, self.votes):
            opinion.nb = choose(self.votes, k, self.tie())
            if out != NULL and trusted:
                softmax(self.votes, self.votes, k)
                self.present(self.votes, out)
        majority(a, node, k, self.votes)
        opinion.mc = choose(self.votes, k, self.tie())
        if opinion.nb == NOBODY:
            opinion.nb = opinion.mc
            trusted = False
        if out != NULL and not trusted:
            self.present(self.votes, out)
        return opinion

    cdef void note_hits(self, int32_t node, Opinion opinion, int32_t label, double w) noexcept nogil:
        """Which rule was right?"""
        if opinion.mc != NOBODY:
            self.arena.hits_mc[node] += w * (opinion.mc == label)
            self.arena.hits_nb[node] += w * (opinion.nb == label)

    cdef bint wrong(self, int32_t leaf, Opinion opinion, const View* v, int32_t label) noexcept nogil:
        """Would this leaf have missed the label?"""
        cdef Arena* a = &self.arena
        if opinion.mc != NOBODY:
            return (opinion.nb if a.hits_nb[leaf] > a.hits_mc[leaf] else opinion.mc) != label
        answer(a, leaf, v, self.rule, self.n_labels, self.votes)
        return choose(self.votes, self.n_labels, self.tie()) != label

    cdef void route_weight(self, int32_t leaf, double w) noexcept nogil:
        """Every node on the way to this leaf has been passed by so much more."""
        while leaf != NOBODY:
            self.arena.mass[leaf] += w
            leaf = self.arena.parent[leaf]

    cdef bint due(self, int32_t node) noexcept nogil:
        """Is it time to try a split? Then the next grace period begins, whatever comes of it."""
        cdef Arena* a = &self.arena
        if a.tables[node] == NULL or a.fresh[node] - a.last[node] < self.grace:
            return False
        a.last[node] = a.fresh[node]
        return a.depth[node] < self.max_depth and labels_at(a, node) > 1

    cdef double bound(self, int32_t node) noexcept nogil:
        """Hoeffding's epsilon at this node."""
        cdef double span = gain_range(self.criterion, labels_at(&self.arena, node))
        return hoeffding(span, self.delta, self.arena.weight[node] - self.arena.idle[node])

    cdef void two_best(self, int32_t node, Split* a, Split* b) noexcept nogil:
        """The two best splits on different features; the null split, gain 0, is one of them."""
        cdef Split s
        cdef int32_t f
        a.feature = b.feature = NOBODY
        a.gain = b.gain = a.threshold = b.threshold = 0.0
        a.nominal = b.nominal = False
        for f in range(<int32_t> self.arena.width):
            if self.arena.codes[f] > 2 and not self.may_add(self.arena.codes[f]):
                continue  # no memory for its branches
            best_split(&self.arena, node, f, self.criterion, &self.scratch, &s)
            if s.gain > a.gain and s.gain > NO_GAIN:
                b[0] = a[0]
                a[0] = s
            elif s.gain > b.gain and s.gain > NO_GAIN:
                b[0] = s

    cdef int split(self, int32_t node, int32_t source, const Split* s, bint keep) noexcept nogil:
        """Turn a leaf into a question with empty leaves below; `keep` its tables, or drop them.
        What each branch will get is foreseen by the tables of `source`."""
        cdef Arena* a = &self.arena
        cdef int32_t branch, child, n = a.codes[s.feature] if s.nominal else 2, r
        cdef double mass
        cdef bint made = False
        if not self.may_add(n):
            return NO_MEMORY
        for branch in range(n):
            branch_counts(a, source, s, branch, self.n_labels, self.votes)
            mass = 0.0
            for r in range(self.n_labels):
                mass += self.votes[r]
            if s.nominal and mass <= 0.0:
                continue
            child = self.new_leaf(node, mass)
            if child == NO_MEMORY or (s.nominal and set_branch(a, node, branch, child) != 0):
                a.feature[node] = s.feature  # so that what was made is given back
                if child != NO_MEMORY:
                    free_node(a, child)
                if not s.nominal and a.left[node] != NOBODY:
                    free_node(a, a.left[node])
                    a.left[node] = NOBODY
                    a.feature[node] = NOBODY
                elif s.nominal and made:
                    clear_children(a, node)
                a.feature[node] = NOBODY
                return NO_MEMORY
            made = True
            if not s.nominal:
                if branch == 0:
                    a.left[node] = child
                else:
                    a.right[node] = child
            if self.seed_children and ensure_label(a, child, self.n_labels - 1) == 0:
                for r in range(self.n_labels):
                    a.counts[child][r] = self.votes[r]
                a.weight[child] = mass
        a.feature[node] = s.feature
        a.threshold[node] = s.threshold
        a.gain[node] = s.gain
        if not keep:
            deactivate(a, node)
        return 0

    # -- to and from arrays ---------------------------------------------------------------------

    cdef list roots(self):
        """The trees to be saved, the main one first."""
        return [] if self.arena.root == NOBODY else [self.arena.root]

    def export_own(self):
        return export_trees(&self.arena, self.roots(), self.features.width)

    def restore_own(self, fields):
        roots = self.planted = restore_trees(&self.arena, fields, self.features.width, self.n_labels)
        for f in range(self.features.width):
            values = self.features.categories.get(f, ())
            if self.arena.kind[f] == (NUMERIC if values else NOMINAL) or self.arena.codes[f] > len(values):
                raise ValueError(f"feature {f} is of another kind, or has other values, in the tree")
        if len(roots) != (self.expected if self.seen else 0):
            raise ValueError(f"there are {len(roots)} trees after {self.seen} examples")
        if self.arena.n_layouts and not self.drops_features():
            raise ValueError("hidden names features that a node has dropped, but this tree drops none")
        if roots:
            self.arena.root = roots[0]

    def drops_features(self):
        """May its nodes stop watching a feature?"""
        return False

    def outline(self):
        """The main tree without its tables: what pictures are drawn from."""
        return outline(&self.arena, [self.arena.root] if self.arena.root != NOBODY else [])

    def memory(self):
        return (
            ClassifierState.memory(self) + self.arena.bytes + scratch_bytes(&self.scratch)
            + self.room_votes * sizeof(double) + 600
        )
