"""The face of every transformer: examples in, examples out."""

from ..base.learner cimport state_of
from ..core.state cimport NOTHING, State
from ..core.transformer cimport TransformerState

from ..base.learner import Learner
from ..base.union import union_of_features


class Transformer(Learner):
    """What all transformers share."""

    def learn_one(self, x, w=1.0):
        """Take note of the example `x`, with importance `w`."""
        (<State> state_of(self)).learn_one(x, None, w)

    def transform_one(self, x):
        """What becomes of `x`, as a dict; features never learned are left out. Changes nothing."""
        return (<TransformerState> state_of(self)).transform_one(x)

    def learn_many(self, X, w=None):
        """Take note of every row: the same, bit for bit, as a loop of `learn_one`."""
        self._state.learn_many(X, None, w, NOTHING)

    def transform_many(self, X):
        """What becomes of every row: an array for an array without names, else a list of dicts."""
        return self._state.transform_many(X)

    def fit(self, X, *, w=None, epochs=1):
        """Take note of all rows of a block, with importance `w`. Returns the transformer itself."""
        for _ in range(epochs):
            self.learn_many(X, w)
        return self

    def __or__(self, other):
        from .pipeline import Pipeline

        if not isinstance(other, Learner):
            return NotImplemented
        return Pipeline(*members(self), *members(other))

    def __add__(self, other):
        from .pipeline import Union

        if not isinstance(other, Transformer):
            return NotImplemented
        mine = self.parts if isinstance(self, Union) else [self]
        theirs = other.parts if isinstance(other, Union) else [other]
        return Union(*mine, *theirs)


class NamesOnly(Transformer):
    """A transformer that remembers the names of features, and nothing else."""

    merge_kind = "exact"

    def _merged(self, mine, theirs):
        union, _ = union_of_features(mine, theirs)
        counts = {name: mine[name] + theirs[name] for name in ("seen", "start")}
        return {**mine, **union, **counts}

    def _merged_step(self, mine, theirs, union, places):
        """The same where it is a step of a pipeline, which keeps the names."""
        return {"seen": mine["seen"] + theirs["seen"]}


def members(learner):
    """A pipeline's steps, or the learner alone."""
    from .pipeline import Pipeline

    return learner.steps if isinstance(learner, Pipeline) else [learner]
