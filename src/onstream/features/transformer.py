"""What all transformers share: examples in, examples out."""

from typing import Any, Self

from numpy.typing import ArrayLike

from ..base.errors import NotMergeable
from ..base.learner import Learner
from ..base.types import Rows
from ..base.union import Exported, union_of_features
from ._transformer import TransformerModel, TransformerVerbs
from .steps import members


class Transformer(TransformerVerbs, Learner):
    """What all transformers share."""

    _model_class = TransformerModel
    _of_model = ()

    def learn_many(self, X: Rows, w: ArrayLike | None = None) -> None:
        """Take note of every row: the same, bit for bit, as a loop of `learn_one`."""
        self._model.learn_many(X, None, w)

    def transform_many(self, X: Rows) -> Any:
        """Every row transformed: an array for an array without names, otherwise a list of dicts."""
        return self._model.transform_many(X)

    def fit(  # type: ignore[override]
        self, X: Rows, *, w: ArrayLike | None = None, epochs: int = 1
    ) -> Self:
        """Take note of all rows of a block, with importance `w`. Returns the transformer itself."""
        for _ in range(epochs):
            self.learn_many(X, w)
        return self

    def __or__(self, other: Any) -> Any:
        from .pipeline import Pipeline

        if not isinstance(other, Learner):
            if hasattr(other, "learn_one") and not hasattr(other, "__ror__"):
                raise TypeError(
                    f"{type(other).__name__} is no learner of onstream, and cannot stand in a "
                    f"pipeline. Give it rows that were transformed: learn the step, then "
                    f"transform_one(x)."
                )
            return NotImplemented
        return Pipeline(*members(self), *members(other))

    def __add__(self, other: Any) -> Any:
        from .union import Union

        if not isinstance(other, Transformer):
            return NotImplemented
        mine = self.parts if isinstance(self, Union) else [self]
        theirs = other.parts if isinstance(other, Union) else [other]
        return Union(*mine, *theirs)

    def _merged_step(self, mine: Exported, theirs: Exported, union: Exported, places: Any) -> Any:
        """The fields that two equal steps of pipelines amount to.

        `union` has the features of both; `places` says where theirs are among them.
        """
        raise NotMergeable(f"{type(self).__name__} cannot be merged as a step of a pipeline.")

    def _rebased_step(self, fields: Exported, base: Exported, places: Any, sign: int) -> Any:
        """The fields of a step without what `base` has counted (sign -1), or with it (sign 1)."""
        return {**fields, "seen": fields["seen"] + sign * base["seen"]}


class NamesOnly(Transformer):
    """A transformer that remembers the names of features, and nothing else."""

    merge_kind = "exact"

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        union, _ = union_of_features(mine, theirs)
        counts = {name: mine[name] + theirs[name] for name in ("seen", "start")}
        return {**mine, **union, **counts}

    def _merged_step(self, mine: Exported, theirs: Exported, union: Exported, places: Any) -> Any:
        return {"seen": mine["seen"] + theirs["seen"]}
