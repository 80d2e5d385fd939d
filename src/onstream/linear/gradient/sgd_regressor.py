"""Regression by stochastic gradient descent."""

from typing import Any, Literal, Unpack

from ...base.checks import choice, number, positive
from ..base import LinearRegressor, LinearRegressorOptions, Scaled, ScaleOptions
from ._optimizer import GradientRegressorState
from .base import SGDOptions, StochasticGradient

LOSSES = ("squared", "absolute", "huber", "epsilon_insensitive", "quantile")


class SGDRegressorOptions(SGDOptions, ScaleOptions, LinearRegressorOptions, total=False):
    """Parameters of the bases, but for eta."""


class SGDRegressor(Scaled, StochasticGradient, LinearRegressor):
    """Linear regression by stochastic gradient descent (Robbins & Monro, 1951; Bottou, 2010).

    Each step goes against the gradient of the loss, w = (1 - rate * l2) * w - rate * gradient.
    An update costs O(non-zeros), with L1 and L2, too; with average or radius together with l1 (or
    with any penalty under AdaGrad) it costs O(features).
    The same in plain NumPy: tests/oracles/gradient.py.

    Parameters
    ----------
    loss : {"squared", "absolute", "huber", "epsilon_insensitive", "quantile"}, default "squared"
        What an error costs. "absolute" and "huber" stand outliers, "epsilon_insensitive" forgives
        small errors, "quantile" predicts a quantile instead of the mean.
    kappa : float > 0, default 1.0
        Huber: errors beyond it count linearly. Lower it against outliers.
    epsilon : float >= 0, default 0.1
        Errors up to it are forgiven by "epsilon_insensitive".
    theta : float in (0, 1), default 0.5
        The quantile that "quantile" predicts; 0.5 is the median.
    eta : float > 0 or None, default None
        First learning rate; None is 0.01, with AdaGrad 0.1. Raise it for speed, lower it if the
        error explodes.

    Examples
    --------
    >>> model = SGDRegressor(eta=0.5, schedule="power", average=True)
    >>> for _ in range(500):
    ...     for hours in (0.1, 0.5, 0.9):
    ...         model.learn_one({"hours": hours}, 5.0 + 2.0 * hours)
    >>> round(model.predict_one({"hours": 0.7}), 1)
    6.4
    """

    eta: float | None  # type: ignore[assignment]

    def __init__(
        self,
        *,
        loss: Literal[
            "squared", "absolute", "huber", "epsilon_insensitive", "quantile"
        ] = "squared",
        kappa: float = 1.0,
        epsilon: float = 0.1,
        theta: float = 0.5,
        eta: float | None = None,
        **common: Unpack[SGDRegressorOptions],
    ) -> None:
        self.loss = choice(self, "loss", loss, LOSSES)
        self.kappa = positive(self, "kappa", kappa, "Errors beyond it count linearly.")
        self.epsilon = number(self, "epsilon", epsilon, least=0.0)
        self.theta = number(self, "theta", theta, least=1e-9, most=1.0 - 1e-9)
        super().__init__(eta=eta, **common)

    def _checked_eta(self, eta: Any) -> Any:
        return None if eta is None else super()._checked_eta(eta)

    def _first_rate(self) -> float:
        usual = 0.1 if self.schedule == "adagrad" else 0.01
        return usual if self.eta is None else self.eta

    def _new_state(self) -> Any:
        named = {"huber": self.kappa, "epsilon_insensitive": self.epsilon, "quantile": self.theta}
        relative = self.scale is not None and self.schedule != "adagrad"
        return GradientRegressorState(
            self._optimizer(), self.loss, named.get(self.loss, 0.0), relative
        )
