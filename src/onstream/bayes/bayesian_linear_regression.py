"""Bayesian linear regression: the posterior of the weights is the prior of the next example."""

import math
from typing import Any, ClassVar, Literal, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from ..base.checks import flag, number, width_limit
from ..base.errors import NotMergeable
from ..base.learner import LearnerOptions
from ..base.regressor import Regressor
from ..base.types import Example
from ..base.union import Exported, all_names
from ..core.widths import MOST
from ._regression import PosteriorModel, PosteriorState
from .merging import merge_posteriors


class Normal(NamedTuple):
    """A normal distribution."""

    mean: float
    variance: float

    @property
    def std(self) -> float:
        """Standard deviation."""
        return math.sqrt(self.variance)

    def log_density(self, y: float) -> float:
        """Logarithm of the density at y."""
        return -0.5 * (
            (y - self.mean) ** 2 / self.variance + math.log(2.0 * math.pi * self.variance)
        )


class BayesianLinearRegression(Regressor):
    """Linear regression that knows how sure it is (Bishop, Pattern Recognition, 2006, 3.3).

    The weights have a normal prior of variance noise / lam, the targets normal noise. After each
    example the posterior of the weights is exact: its mean is that of ridge regression, and
    `predict_dist_one` gives the whole distribution of a target. Work and memory grow with the
    square of the number of features.

    Parameters
    ----------
    lam : float > 0, default 1.0
        Ridge penalty: noise over the prior variance of a weight. Lower it to trust the data sooner.
    noise : float > 0, default 1.0
        Variance of the noise of the targets. It scales all variances, and no prediction.
    intercept : bool, default True
        Append a constant 1 to every example; its weight is `bias`.
    max_features : int >= 1 or None, default 2048
        More features are refused, since the covariance has their square: 32 MB. A text column
        brings one per value. None takes any number.

    Examples
    --------
    >>> model = BayesianLinearRegression(lam=1e-6, noise=0.01)
    >>> for hours in (1.0, 2.0, 3.0):
    ...     model.learn_one({"hours": hours}, 5.0 + 2.0 * hours)
    >>> near, far = (model.predict_dist_one({"hours": hours}) for hours in (2.0, 20.0))
    >>> round(near.mean, 2), round(far.mean, 2)
    (9.0, 45.0)
    >>> far.std > 5 * near.std
    True
    """

    merge_kind: ClassVar[Literal["exact", "mixing"] | None] = "exact"
    _model_class = PosteriorModel
    _added_parameters: ClassVar[dict[str, Any]] = {"max_features": None}

    def __init__(
        self,
        *,
        lam: float = 1.0,
        noise: float = 1.0,
        intercept: bool = True,
        max_features: int | None = MOST,
        **common: Unpack[LearnerOptions],
    ) -> None:
        self.lam = number(self, "lam", lam, least=1e-100, most=1e100)
        self.noise = number(self, "noise", noise, least=1e-100, most=1e100)
        self.intercept = flag(self, "intercept", intercept)
        self.max_features = width_limit(self, max_features)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return PosteriorState(self.intercept, self.lam, self.noise, self.max_features or 0)

    def predict_dist_one(self, x: Example) -> Normal:
        """The distribution of the target of `x`: a `Normal` with `mean`, `variance` and `std`."""
        return Normal(*self._model.distribution(x))

    @property
    def weights(self) -> dict[Any, float]:
        """Feature to the mean of its weight."""
        fields = self._model.snapshot()
        means = fields["m"][int(self.intercept) :].tolist()
        return dict(zip(all_names(fields), means, strict=True))

    @property
    def bias(self) -> float:
        """Mean of the intercept."""
        return float(self._model.snapshot()["m"][0]) if self.intercept else 0.0

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Covariance of the weights (d x d, in the order of `weights`, the intercept first)."""
        return self.noise * self._model.snapshot()["P"]

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        try:
            return merge_posteriors(mine, theirs, self.lam, self.intercept)
        except np.linalg.LinAlgError:
            raise NotMergeable(
                "BayesianLinearRegression: the covariance is singular, since features differ too "
                "much in size; scale them."
            ) from None
