"""The face of the second-order learners: what AROW, CW and SCW have in common."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ...base.checks import choice, positive
from ...base.union import Exported, union_of_features
from ..base import LinearClassifier
from ..mixing import Matrix, mix_classifiers, shares
from ._diagonal import DiagonalState
from ._full import FullState


class SecondOrderClassifier(LinearClassifier, ABC):
    """A linear classifier that knows how sure it is of each weight."""

    covariance: str
    a: float

    def _check_covariance(self, covariance: str, a: float) -> None:
        self.covariance = choice(self, "covariance", covariance, ("diagonal", "full"))
        self.a = positive(self, "a", a, "It is the variance of a weight at the start; 1 is usual.")
        if covariance == "full":
            self._most_hash_bits = 13

    @abstractmethod
    def _rule(self) -> tuple[str, float, float]:
        """Name of the rule, its r or phi, its C."""

    def _new_state(self) -> Any:
        kind = DiagonalState if self.covariance == "diagonal" else FullState
        state = kind(self.intercept)
        state.set_rule(*self._rule(), self.a)
        return state

    @property
    def variances(self) -> dict[Any, Any]:
        """Feature to variance of its weight; with more than two labels, label to that."""
        fields = self._model.snapshot()
        if self.covariance == "diagonal":
            columns = fields["variances"].T
        else:
            columns = np.diagonal(fields["Sigma"], axis1=1, axis2=2)[:, int(self.intercept) :]
        if len(columns) == 1:
            return self._named(fields, columns[0])
        return {y: self._named(fields, columns[r]) for r, y in enumerate(fields["labels"])}

    @property
    def Sigma(self) -> Any:
        """The covariance as a matrix; with more than two labels, label to that.

        Its rows are in the order of `weights`, the intercept first.
        """
        fields = self._model.snapshot()
        matrices = list(fields["Sigma"] if "Sigma" in fields else map(np.diag, spread(fields)))
        if "Sigma" not in fields and not self.intercept:
            matrices = [matrix[1:, 1:] for matrix in matrices]
        if len(matrices) == 1:
            return matrices[0]
        return dict(zip(fields["labels"], matrices, strict=True))

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        merged = mix_classifiers(type(self).__name__, mine, theirs)
        hashed = self.hash_bits is not None
        if self.covariance == "full":
            start = int(self.intercept)
            Sigma = mix_spread(mine, theirs, merged, self.a, hashed, start, "Sigma")
            return {**merged, "Sigma": Sigma}
        mixed = mix_spread(mine, theirs, merged, self.a, hashed, 1, "variances")
        variances = np.ascontiguousarray(mixed[:, 1:].T)
        return {**merged, "variances": variances, "bias_variances": mixed[:, 0].copy()}


def spread(fields: Exported) -> Matrix:
    """Variances of a diagonal state, a row per label, the intercept first."""
    return np.column_stack([fields["bias_variances"], fields["variances"].T])


def mix_spread(
    mine: Exported,
    theirs: Exported,
    merged: Exported,
    a: float,
    hashed: bool,
    start: int,
    name: str,
) -> Matrix:
    """Variances or covariances of both, averaged like the weights; the unknown has variance a."""
    labels = merged["labels"]
    size = start + len(merged["weights"])
    _, places = union_of_features(mine, theirs)
    total: Matrix = np.zeros(1)
    for fields, share in zip((mine, theirs), shares(mine, theirs), strict=True):
        rows = np.arange(len(fields["weights"])) if hashed or fields is mine else places
        at = np.concatenate([np.arange(start), start + rows])
        own = fields["Sigma"] if name == "Sigma" else spread(fields)
        total = total + share * placed_spread(own, at, fields["labels"], labels, size, a)
    return total


def placed_spread(
    own: Matrix, at: Matrix, known: list[Any], labels: list[Any], size: int, a: float
) -> Matrix:
    """The spread of one model among the features and labels of both."""
    k = len(labels) if len(labels) > 2 else 1
    fresh = a if k == 1 else 0.5 * a
    full = own.ndim == 3
    unknown = fresh * (np.eye(size) if full else np.ones(size))
    out = np.repeat(unknown[np.newaxis], k, axis=0)
    for r in range(k):
        if k > 1 and labels[r] not in known:
            continue
        column = own[0] if len(own) == 1 else own[known.index(labels[r])]
        part = 0.5 if k > 1 and len(own) == 1 else 1.0
        if full:
            out[r][np.ix_(at, at)] = part * column
        else:
            out[r][at] = part * column
    return out
