"""Gradient boosting on a stream (Gunasekara et al., 2024): one chain of trees for each label, against
all others; of two labels one chain tells them apart. Of numbers there is one chain.

A limit of memory is shared out evenly among the trees of all chains. A label that brings a chain makes
the shares smaller, so it is refused if trees could not keep to them."""

from ..core.encoder cimport Encoder
from ..core.state_reader import StateReader
from ..tree.arena._memory_limit cimport most_named
from ._chain cimport Chain
from ._chains cimport Chains
from ._ensemble cimport LabelEnsembleState, NumberEnsembleState


LEAST_SHARE = 20_000  # bytes that a tree and its rival need
MANY_TREES = 1_000  # in all chains, before there is a warning


cdef inline Py_ssize_t chains_for(Py_ssize_t labels) noexcept nogil:
    return labels if labels > 2 else 1


cdef class LabelBoostingState(LabelEnsembleState):
    cdef object make_chain   # called with the number of a label
    cdef Chains fewer        # the chains there were before the last label, until it is committed
    cdef Encoder encoder
    cdef Py_ssize_t most_named  # bytes of names that the encoder could take before that label
    cdef Py_ssize_t max_bytes   # of all chains together; 0: no limit
    cdef Py_ssize_t trees       # of a chain
    cdef bint crowded           # there are many trees by now, which has not been told

    def __init__(self, make_chain, *, n_jobs, max_bytes, trees):
        self.make_chain, self.max_bytes, self.trees = make_chain, max_bytes or 0, trees
        self.committee = Chains([make_chain(0)], n_jobs=n_jobs)
        self.share_memory(self.committee.members)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        self.encoder = encoder
        return LabelEnsembleState.connect(self, features, encoder)

    cdef int set_labels(self, Py_ssize_t n) except -1:
        """A third label makes each label's chain one of its own."""
        cdef Py_ssize_t wanted = chains_for(n)
        cdef Chains more
        if wanted < self.committee.n:
            self.committee, self.fewer = self.fewer, None
            self.encoder.most_named = self.most_named
        elif wanted > self.committee.n:
            self.check_labels(n)
            chains = list(self.committee.members)
            chains.extend([self.make_chain(i) for i in range(len(chains), wanted)])
            more = Chains(chains, n_jobs=self.committee.n_jobs)
            more.connect(self.features, self.encoder)
            self.share_memory(chains)
            if self.committee.n == 1 and self.seen:
                chains[1].restore(StateReader(mirrored(chains[0].export())))
            self.fewer, self.committee = <Chains> self.committee, more
            self.most_named = self.encoder.most_named
            if self.encoder.most_named:
                self.committee.configure(self.encoder)
        self.share_memory(self.committee.members)
        return LabelEnsembleState.set_labels(self, n)

    cdef int commit_label(self) except -1:
        if self.fewer is not None and self.fewer.n * self.trees <= MANY_TREES < self.committee.n * self.trees:
            self.crowded = self.doubtful = True
        self.fewer = None
        return 0

    def doubt(self):
        if not self.crowded:
            return LabelEnsembleState.doubt(self)
        self.crowded, self.doubtful = False, self.missed > 0
        return "chains", (
            f"{self.n_labels:,} labels have {self.committee.n * self.trees:,} trees by now, a chain of "
            f"{self.trees:,} for each: slow, and large unless max_bytes is given. Lower n_models, or use a "
            f"forest such as AdaptiveRandomForestClassifier, which has one set of trees for all labels."
        )

    # -- the limit of memory ------------------------------------------------------------------

    cdef Py_ssize_t share_among(self, Py_ssize_t chains) noexcept:
        """Bytes for a tree and its rival."""
        return self.max_bytes // (chains * self.trees)

    cdef void share_memory(self, list chains) noexcept:
        """The same for each tree of these chains."""
        cdef Chain chain
        for chain in chains:
            chain.keep_to(self.share_among(len(chains)))

    cdef int check_label(self, object y) except -1:
        self.check_labels(self.n_labels + 1, f"label {y!r:.80} would be number {self.n_labels + 1:,}")
        return 0

    cdef int expect_labels(self, Py_ssize_t more) except -1:
        """Refuse a block with too many new labels as a whole, not in the middle."""
        if more:
            self.check_labels(self.n_labels + more)
        return 0

    def check_labels(self, Py_ssize_t labels, str what=None):
        """Refuse this number of labels if the trees could not keep to their shares."""
        cdef Py_ssize_t wanted = chains_for(labels), trees = wanted * self.trees, share = self.share_among(wanted)
        cdef Chain chain
        if self.max_bytes == 0 or wanted <= self.committee.n:
            return
        small = share < LEAST_SHARE
        if not small and self.encoder.named <= most_named(share // 2):
            for chain in self.committee.members:
                small |= not chain.fits(share)
            if not small:
                return
        need = f"{LEAST_SHARE:,}" if share < LEAST_SHARE else "more by now: give labels= at the start"
        raise ValueError(
            f"{self.who}: {what or f'there would be {labels:,} labels'}, each with a chain of {self.trees:,} "
            f"trees. Of max_bytes={self.max_bytes:,} a tree would have {share:,}, and needs {need}. Raise it to "
            f"{trees * max(LEAST_SHARE, self.share_among(self.committee.n)):,}, lower n_models, or use a forest."
        )


def mirrored(fields):
    """A chain as it would be had it learned the opposite: bit for bit, since every number that it
    keeps of targets is turned around, and the others are of squares."""
    own = {**fields}
    for name, value in fields.items():
        if isinstance(value, dict):
            own[name] = mirrored(value)
        elif name in ("leaves", "slots", "scale"):
            own[name] = value.copy()
    if "leaves" in own:
        own["leaves"][:, 0] *= -1.0
        own["slots"][:, 3] *= -1.0
        own["scale"][0, 1] *= -1.0
        own["leaf_weights"] = -own["leaf_weights"]
    return own


cdef class NumberBoostingState(NumberEnsembleState):
    def __init__(self, Chain chain, *, n_jobs, max_bytes, Py_ssize_t trees):
        self.committee = Chains([chain], n_jobs=n_jobs)
        chain.keep_to((max_bytes or 0) // trees)
