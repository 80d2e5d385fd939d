"""What all classification trees share: routing, predicting, and making a split.

A learner writes its `update`, from the leaf that an example has come to, and, if it is not VFDT's, its
`attempt` to split a leaf.
"""

from libc.math cimport INFINITY, nextafter
from libc.stdint cimport int32_t, uint64_t

from ..core.classifier cimport ClassifierState
from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, NO_MEMORY, OVERFLOW, Example
from ..core.memory cimport release, resize
from ..core.scores cimport softmax
from .arena._leaf cimport MC, NB, NBA, above, answer, choose, majority, naive_bayes, prepare
from .arena._nodes cimport (
    arena_destroy, arena_init, attach, clear_children, close_view, fits_in, free_node, heaviest,
    new_node, next_node, open_view,
)
from .arena._records cimport export_trees, outline, preorder, restore_trees
from .arena._split cimport (
    Split, best_split, branch_counts, branches_of, free_scratch, has_gain, labels_at, make_scratch, null_split,
    scratch_bytes,
)
from .arena._tables cimport activate, deactivate, ensure_label, register_values, widen
from .arena.arena cimport NONE, Arena, View
from .arena.criteria cimport hoeffding, make_criterion
from .arena.poisson cimport times

RULES = {"mc": MC, "nb": NB, "nba": NBA}
cdef double LEAST = 1e-300  # a score that says which of two equally likely labels is meant


cdef class TreeState(ClassifierState):
    def __cinit__(self, *args, **kwargs):
        arena_init(&self.arena)

    def __init__(
        self, *, double delta, double grace_period, double tau, str criterion,
        str leaf_prediction, max_depth, nominal, str nominal_split, double variance_floor, str ties,
        bint seed_children=False, str weights="given", uint64_t seed=0,
    ):
        self.delta, self.grace, self.tau = delta, grace_period, tau
        self.criterion = make_criterion(criterion)
        self.rule = RULES[leaf_prediction]
        self.max_depth = max_depth or 2**31 - 2
        self.categorical = None if nominal is None else set(map(str, nominal))
        self.seed_children = seed_children
        self.poisson, self.seed = weights == "poisson", seed
        self.arena.variance_floor = variance_floor
        self.arena.binary = nominal_split == "binary"
        self.ties_to_parent = ties == "parent"

    def __dealloc__(self):
        arena_destroy(&self.arena)
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

    # -- predicting ---------------------------------------------------------------------------

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef View v
        if self.arena.root == NONE:
            self.write_scores(NONE, NULL, out)
            return LEARNED
        if open_view(e, &v) != 0:
            return NO_MEMORY
        self.write_scores(self.leaf_of(self.arena.root, &v), &v, out)
        close_view(&v)
        return LEARNED

    cdef void write_scores(self, int32_t node, const View* v, double* out) noexcept nogil:
        """The scores that this node gives the example."""
        cdef double two[2]
        cdef double* votes = out if self.n_labels > 2 else two
        cdef Py_ssize_t r
        if node != NONE:
            answer(&self.arena, node, v, self.rule, self.n_labels, votes)
        else:
            for r in range(self.n_labels):
                votes[r] = 0.0
        self.write_votes(node, votes, out)

    cdef void write_votes(self, int32_t node, double* votes, double* out) noexcept nogil:
        """Probabilities as scores: for two labels how much likelier the one coded +1 is. Where the
        parent decides between equals, the chosen one gets the least bit more."""
        cdef int32_t best
        cdef Py_ssize_t r
        if self.n_labels > 2:
            if votes != out:
                for r in range(self.n_labels):
                    out[r] = votes[r]
            if self.ties_to_parent and node != NONE:
                best = self.label_at(node, votes)
                for r in range(best):
                    if votes[r] == votes[best]:
                        out[best] = nextafter(votes[best], INFINITY)
                        break
        elif self.n_labels == 2:
            out[0] = self.first_sign * (votes[0] - votes[1])
            if out[0] == 0.0 and self.ties_to_parent and node != NONE:
                best = above(&self.arena, node, 0, 1)
                if best != NONE:
                    out[0] = LEAST if best == self.tie() else -LEAST
        else:
            out[0] = self.first_sign if self.seen else 0.0

    cdef int32_t label_at(self, int32_t node, const double* votes) noexcept nogil:
        """The label with most votes at this node."""
        cdef int32_t best = choose(votes, self.n_labels, self.tie()), r, other
        if self.ties_to_parent:
            for r in range(<int32_t> self.n_labels):
                if r != best and votes[r] == votes[best]:
                    other = above(&self.arena, node, best, r)
                    best = other if other != NONE else best
        return best

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

    cdef int32_t leaf_of(self, int32_t root, const View* v) noexcept nogil:
        """The leaf an example comes to; an inner node if its nominal value has no branch there, but
        may get one."""
        cdef Arena* a = &self.arena
        cdef int32_t node = root, child
        while a.feature[node] != NONE:
            child = next_node(a, node, v)
            if child == NONE:
                if self.may_add(1):
                    return node
                child = heaviest(a, node)
            node = child
        return node

    # -- learning -----------------------------------------------------------------------------

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.route(e, NULL)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        return self.route(e, out)

    cdef int route(self, const Example* e, double* out) noexcept nogil:
        """Learn the example; the scores before that go to `out`, unless it is NULL."""
        cdef View v
        cdef int status
        if not fits_in(&self.arena, e):
            return OVERFLOW if out == NULL or self.score(e, out) == LEARNED else NO_MEMORY
        if open_view(e, &v) != 0:
            return NO_MEMORY
        status = self.route_view(e, &v, out)
        close_view(&v)
        return status

    cdef int route_view(self, const Example* e, const View* v, double* out) noexcept nogil:
        """All allocations come first; `update` cannot fail any more."""
        cdef Arena* a = &self.arena
        cdef int32_t leaf
        cdef Opinion opinion
        cdef Example counted
        a.known = max(a.known, e.width)
        if a.root == NONE:
            leaf = self.new_leaf(NONE, 0.0)
            if leaf == NO_MEMORY:
                return NO_MEMORY
            a.root = leaf
        leaf = self.leaf_to_learn(a.root, v)
        if leaf == NO_MEMORY:
            return NO_MEMORY
        opinion = self.consult(leaf, v, out)
        if register_values(a, e) != 0 or self.prepare_nodes(leaf, v, e.label) != 0:
            return NO_MEMORY
        if self.poisson:
            counted = e[0]
            counted.weight *= times(self.seed, self.seen)
            e = &counted
        a.total += e.weight
        self.update(leaf, opinion, v, e)
        return LEARNED

    cdef int prepare_nodes(self, int32_t leaf, const View* v, int32_t label) noexcept nogil:
        """Allocate all that `update` will need. NO_MEMORY: nothing may be learned."""
        return prepare(&self.arena, leaf, v, label)

    cdef void update(self, int32_t leaf, Opinion opinion, const View* v, const Example* e) noexcept nogil:
        """Learn the example, which has come to this leaf; `opinion` is what the leaf predicted."""

    cdef void attempt(self, int32_t leaf) noexcept nogil:
        """Split the leaf as VFDT does: if its best feature is surely better than the second, or as
        good as equal (12.2)."""
        cdef Split best, second
        cdef double epsilon = self.bound(leaf)
        self.two_best(leaf, &best, &second)
        if best.feature != NONE and (best.gain - second.gain > epsilon or epsilon < self.tau):
            self.split(leaf, leaf, &best)

    cdef bint may_add(self, Py_ssize_t nodes) noexcept nogil:
        """Is there memory for this number of additional nodes?"""
        return True

    cdef int32_t leaf_to_learn(self, int32_t root, const View* v) noexcept nogil:
        """`leaf_of`, with a new branch for a nominal value that has none."""
        cdef Arena* a = &self.arena
        cdef int32_t node = self.leaf_of(root, v), leaf
        if a.feature[node] == NONE:
            return node
        leaf = self.new_leaf(node, 0.0)
        if leaf != NO_MEMORY and attach(a, node, True, <int32_t> v.x[a.feature[node]], leaf) != 0:
            return NO_MEMORY
        return leaf

    cdef int32_t new_leaf(self, int32_t parent, double mass) noexcept nogil:
        """An active leaf without examples."""
        cdef int32_t leaf = new_node(&self.arena, parent, mass)
        if leaf != NO_MEMORY and activate(&self.arena, leaf) != 0:
            free_node(&self.arena, leaf)
            return NO_MEMORY
        return leaf

    cdef Opinion consult(self, int32_t node, const View* v, double* out) noexcept nogil:
        """The scores of the leaf before it learns (to `out`, unless NULL), and the label by each
        rule."""
        cdef Arena* a = &self.arena
        cdef Py_ssize_t k = self.n_labels
        cdef Opinion opinion
        cdef bint trusted = a.hits_nb[node] > a.hits_mc[node]
        opinion.mc = opinion.nb = NONE
        if self.rule != NBA or a.weight[node] <= 0.0 or a.tables[node] == NULL:
            if out != NULL:
                self.write_scores(node, v, out)
            return opinion
        if naive_bayes(a, node, v, k, True, self.votes):
            opinion.nb = self.label_at(node, self.votes)
            if out != NULL and trusted:
                softmax(self.votes, self.votes, k)
                self.write_votes(node, self.votes, out)
        majority(a, node, k, self.votes)
        opinion.mc = self.label_at(node, self.votes)
        if opinion.nb == NONE:
            opinion.nb = opinion.mc
            trusted = False
        if out != NULL and not trusted:
            self.write_votes(node, self.votes, out)
        return opinion

    cdef void count_hits(self, int32_t node, Opinion opinion, int32_t label, double w) noexcept nogil:
        """Count which rule was right."""
        if opinion.mc != NONE:
            self.arena.hits_mc[node] += w * (opinion.mc == label)
            self.arena.hits_nb[node] += w * (opinion.nb == label)

    cdef bint wrong(self, int32_t leaf, Opinion opinion, const View* v, int32_t label) noexcept nogil:
        """Would this leaf have predicted another label?"""
        cdef Arena* a = &self.arena
        if opinion.mc != NONE:
            return (opinion.nb if a.hits_nb[leaf] > a.hits_mc[leaf] else opinion.mc) != label
        answer(a, leaf, v, self.rule, self.n_labels, self.votes)
        return self.label_at(leaf, self.votes) != label

    # -- splitting ----------------------------------------------------------------------------

    cdef bint due(self, int32_t node) noexcept nogil:
        """Is it time to try a split? Then the next grace period begins, pure leaf or not."""
        cdef Arena* a = &self.arena
        if a.tables[node] == NULL or a.fresh[node] - a.last[node] < self.grace:
            return False
        a.last[node] = a.fresh[node]
        return a.depth[node] < self.max_depth and labels_at(a, node) > 1

    cdef double bound(self, int32_t node) noexcept nogil:
        """Hoeffding's epsilon at this node (Domingos and Hulten, KDD 2000)."""
        cdef double span = self.criterion.gain_range(labels_at(&self.arena, node))
        return hoeffding(span, self.delta, self.arena.weight[node] - self.arena.idle[node])

    cdef Split best_on(self, int32_t node, int32_t feature) noexcept nogil:
        return best_split(&self.arena, node, feature, &self.criterion, 0.0, &self.scratch)

    cdef void two_best(self, int32_t node, Split* a, Split* b) noexcept nogil:
        """The two best splits on different features; the null split, gain 0, is one of them."""
        cdef Split s
        cdef int32_t f
        a[0] = b[0] = null_split()
        for f in range(<int32_t> self.arena.width):
            if self.arena.codes[f] > 2 and not self.arena.binary and not self.may_add(self.arena.codes[f]):
                continue  # no memory for its branches
            s = best_split(&self.arena, node, f, &self.criterion, b.gain, &self.scratch)
            if s.gain > a.gain and has_gain(&s):
                b[0] = a[0]
                a[0] = s
            elif s.gain > b.gain and has_gain(&s):
                b[0] = s

    cdef int split(self, int32_t node, int32_t source, const Split* s) noexcept nogil:
        """Turn a leaf into an inner node with empty leaves below. What each branch will get is
        foreseen by the tables of `source`."""
        cdef Arena* a = &self.arena
        if not self.may_add(branches_of(a, s)):
            return NO_MEMORY
        a.feature[node] = s.feature
        if self.add_children(node, source, s) != 0:
            clear_children(a, node)
            return NO_MEMORY
        a.threshold[node] = s.threshold
        a.gain[node] = s.gain
        if not self.keeps_tables:
            deactivate(a, node)
        return 0

    cdef int add_children(self, int32_t node, int32_t source, const Split* s) noexcept nogil:
        cdef Arena* a = &self.arena
        cdef int32_t branch, child, r
        cdef double mass
        for branch in range(branches_of(a, s)):
            branch_counts(a, source, s, branch, self.n_labels, self.votes)
            mass = 0.0
            for r in range(self.n_labels):
                mass += self.votes[r]
            if s.by_value and mass <= 0.0:
                continue
            child = self.new_leaf(node, mass)
            if child == NO_MEMORY or attach(a, node, s.by_value, branch, child) != 0:
                return NO_MEMORY
            if self.seed_children and ensure_label(a, child, self.n_labels - 1) == 0:
                for r in range(self.n_labels):
                    a.counts[child][r] = self.votes[r]
                a.weight[child] = mass
        return 0

    # -- to and from arrays -------------------------------------------------------------------

    cdef list roots(self):
        """The trees to be saved, the main one first."""
        return [] if self.arena.root == NONE else [self.arena.root]

    def export_own(self):
        return export_trees(&self.arena, self.roots(), self.features.width)

    def restore_own(self, fields):
        self.restore_arena(fields, 0)

    cdef list restore_arena(self, object fields, Py_ssize_t alternates):
        """Build the tree and this number of alternates; returns their roots."""
        roots = restore_trees(
            &self.arena, fields, self.features.width, self.n_labels, self.features.categories)
        if len(roots) != (1 + alternates if self.seen else 0):
            raise ValueError(f"there are {len(roots)} trees after {self.seen} examples")
        if self.arena.n_layouts and not self.drops_features():
            raise ValueError("hidden names features that a node has dropped, but this tree drops none")
        if roots:
            self.arena.root = roots[0]
        return roots

    def drops_features(self):
        """May its nodes drop features?"""
        return False

    def outline(self):
        """The main tree without its tables: what pictures are drawn from."""
        return outline(&self.arena, preorder(&self.arena, self.arena.root))

    def memory(self):
        return (
            ClassifierState.memory(self) + self.arena.bytes + scratch_bytes(&self.scratch)
            + self.room_votes * sizeof(double) + 600
        )
