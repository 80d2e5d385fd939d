"""What second-order learners share: the covariance, its views and its merging."""

from abc import ABC, abstractmethod
from statistics import NormalDist
from typing import Any, ClassVar, Literal, Unpack

import numpy as np

from ...base.checks import choice, number, positive, width_limit
from ...base.union import Exported
from ...core.widths import MOST
from ..base import LinearClassifier, LinearClassifierOptions
from ..mixing import Both, Matrix, mix_classifiers, shares
from ._diagonal import DiagonalState
from ._full import FullState


class SecondOrderOptions(LinearClassifierOptions, total=False):
    """Parameters of every second-order classifier."""

    covariance: Literal["diagonal", "full"]
    a: float
    max_features: int | None


class SecondOrderClassifier(LinearClassifier, ABC):
    """A linear classifier that knows how sure it is of each weight.

    Parameters
    ----------
    covariance : {"diagonal", "full"}, default "diagonal"
        A variance for each weight, or the covariance of all: better on correlated features, at a
        price of d^2 numbers and steps per update.
    a : float > 0, default 1.0
        Variance of a weight at the start. Raise it for faster first steps.
    max_features : int >= 1 or None, default 2048
        With covariance="full" more features are refused, since each label has a matrix of their
        square: 32 MB. A text column brings one per value. None takes any number, as do hashed
        features.
    """

    _added_parameters: ClassVar[dict[str, Any]] = {"max_features": None}

    def __init__(
        self,
        *,
        covariance: Literal["diagonal", "full"] = "diagonal",
        a: float = 1.0,
        max_features: int | None = MOST,
        **common: Unpack[LinearClassifierOptions],
    ) -> None:
        self.covariance = choice(self, "covariance", covariance, ("diagonal", "full"))
        self.a = positive(self, "a", a, "It is the variance of a weight at the start; 1 is usual.")
        self.max_features = width_limit(self, max_features)
        if covariance == "full":
            self._most_hash_bits = 13
        super().__init__(**common)

    @abstractmethod
    def _rule(self) -> tuple[str, float, float]:
        """Name of the rule, its r or phi, its C."""

    def _new_state(self) -> Any:
        if self.covariance == "diagonal":
            return DiagonalState(self.intercept, *self._rule(), self.a)
        most = 0 if self.hash_bits is not None else self.max_features or 0
        return FullState(self.intercept, *self._rule(), self.a, most)

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
        matrices = list(covariances(fields))
        if self.covariance == "diagonal":
            matrices = [np.diag(row if self.intercept else row[1:]) for row in matrices]
        if len(matrices) == 1:
            return matrices[0]
        return dict(zip(fields["labels"], matrices, strict=True))

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        merged = mix_classifiers(type(self).__name__, mine, theirs)
        mixed = mix_covariances(mine, theirs, merged["labels"], self.a)
        if self.covariance == "full":
            return {**merged, "Sigma": mixed}
        variances = np.ascontiguousarray(mixed[:, 1:].T)
        return {**merged, "variances": variances, "bias_variances": mixed[:, 0].copy()}


def probability(model: object, eta: float) -> float:
    """The wanted probability of being right: more than a coin's, less than certainty."""
    hint = "It is a probability of being right; 0.7 to 0.95 are usual."
    return number(model, "eta", eta, above=0.5, most=1.0 - 1e-9, hint=hint)


def quantile(eta: float) -> float:
    """Phi, with P(Z <= phi) = eta for a standard normal Z."""
    return NormalDist().inv_cdf(eta)


def covariances(fields: Exported) -> Matrix:
    """A matrix per label, or, of a diagonal state, a row of variances; the intercept first."""
    if "Sigma" in fields:
        return np.asarray(fields["Sigma"])
    return np.column_stack([fields["bias_variances"], fields["variances"].T])


def mix_covariances(mine: Exported, theirs: Exported, labels: list[Any], a: float) -> Matrix:
    """Those of both models, averaged like the weights; an unknown weight has variance a."""
    both = Both(mine, theirs, len(mine["weights"]))
    total: Matrix = np.zeros(1)
    for fields, places, share in zip(both.states, both.places, shares(mine, theirs), strict=True):
        own, width = covariances(fields), len(fields["weights"])
        start = own.shape[1] - width  # 1 if there is an intercept
        at = np.concatenate([np.arange(start), start + places[:width]])
        total = total + share * placed(own, at, fields["labels"], labels, start + both.rows, a)
    return total


def placed(
    own: Matrix, at: Matrix, known: list[Any], labels: list[Any], size: int, a: float
) -> Matrix:
    """The covariances of one model among the features and labels of both."""
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
