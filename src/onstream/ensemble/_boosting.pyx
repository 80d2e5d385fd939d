"""Gradient boosting on a stream (Gunasekara et al., 2024): one chain of trees for each label, against
all others; of two labels one chain tells them apart. Of numbers there is one chain."""

from ..core.encoder cimport Encoder
from ..core.state_reader import StateReader
from ._chain cimport Chain
from ._chains cimport Chains
from ._ensemble cimport LabelEnsembleState, NumberEnsembleState


cdef class LabelBoostingState(LabelEnsembleState):
    cdef object make_chain   # called with the number of a label
    cdef Chains fewer        # the chains there were before the last label, until it is committed
    cdef Encoder encoder

    def __init__(self, make_chain, *, n_jobs):
        self.make_chain = make_chain
        self.committee = Chains([make_chain(0)], n_jobs=n_jobs)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        self.encoder = encoder
        return LabelEnsembleState.connect(self, features, encoder)

    cdef int set_labels(self, Py_ssize_t n) except -1:
        """A third label makes each label's chain one of its own."""
        cdef Py_ssize_t wanted = n if n > 2 else 1
        cdef Chains more
        if wanted < self.committee.n:
            self.committee, self.fewer = self.fewer, None
        elif wanted > self.committee.n:
            chains = list(self.committee.members)
            chains.extend([self.make_chain(i) for i in range(len(chains), wanted)])
            more = Chains(chains, n_jobs=self.committee.n_jobs)
            more.connect(self.features, self.encoder)
            if self.committee.n == 1 and self.seen:
                chains[1].restore(StateReader(mirrored(chains[0].export())))
            self.fewer, self.committee = <Chains> self.committee, more
        return LabelEnsembleState.set_labels(self, n)

    cdef int commit_label(self) except -1:
        self.fewer = None
        return 0


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
    def __init__(self, Chain chain, *, n_jobs):
        self.committee = Chains([chain], n_jobs=n_jobs)
