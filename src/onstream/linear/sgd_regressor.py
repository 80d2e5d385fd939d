"""Regression by stochastic gradient descent."""

from typing import Any, Literal

from ..base.checks import choice, number, positive
from .optimizer import Optimizer
from .stochastic_gradient import NUMBER_LOSSES, GradientRegressor, check_descent, descent


class SGDRegressor(GradientRegressor):
    """Linear regression by stochastic gradient descent (Robbins & Monro, 1951; Bottou, 2010).

    Each step goes against the gradient of the loss, w = (1 - rate * l2) * w - rate * gradient.
    An update costs O(non-zeros), with L1 and L2, too; with average or radius together with l1 (or
    with any penalty under AdaGrad) it costs O(features).

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
    schedule : {"constant", "power", "inverse", "sqrt", "adagrad"}, default "constant"
        How the rate falls with the number n of steps: eta, eta * n**-power,
        eta / (1 + eta * l2 * n), eta / sqrt(n), or for each weight its own,
        eta / (eps + root of the sum of its squared gradients) (Duchi et al., JMLR 12, 2011).
        A constant rate follows drift; a falling one settles down.
    power : float > 0, default 0.6
        Exponent of schedule="power"; between 0.5 and 1 it converges.
    eps : float >= 0, default 1e-08
        Keeps AdaGrad's first rates finite. Raise it (to 1, say) for smaller first steps.
    l1 : float >= 0, default 0.0
        Takes rate * l1 off every weight, down to exact zeros. Raise it for fewer features.
    l2 : float >= 0, default 0.0
        Pull towards zero weights, per step. Raise it against overfitting. With l1: elastic net.
    average : bool, default False
        Predict with the mean of the weights after each step (Polyak & Juditsky, 1992). Turn it on
        with schedule="power" where the stream does not drift.
    average_from : int >= 0, default 0
        Leave the first steps out of the mean. Raise it if they are far off.
    batch_size : int >= 1, default 1
        Examples per step along their mean gradient. Those that wait for their step are part of
        the model. Raise it if single examples are noisy.
    radius : float > 0 or None, default None
        Project the weights on the ball |w| <= radius after each step. Lower it to keep them small.
    intercept : bool, default True
        Learn a constant term, shown as `bias`; it is never regularised.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    init : SGDRegressor or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        With `init`: count n from 1 again.

    Examples
    --------
    >>> model = SGDRegressor(eta=0.5, schedule="power", average=True)
    >>> for _ in range(500):
    ...     for hours in (0.1, 0.5, 0.9):
    ...         model.learn_one({"hours": hours}, 5.0 + 2.0 * hours)
    >>> round(model.predict_one({"hours": 0.7}), 1)
    6.4
    """

    eta: float | None
    schedule: str
    power: float
    eps: float
    l1: float
    l2: float
    average: bool
    average_from: int
    batch_size: int
    radius: float | None

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
        schedule: Literal["constant", "power", "inverse", "sqrt", "adagrad"] = "constant",
        power: float = 0.6,
        eps: float = 1e-8,
        l1: float = 0.0,
        l2: float = 0.0,
        average: bool = False,
        average_from: int = 0,
        batch_size: int = 1,
        radius: float | None = None,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        init: "SGDRegressor | dict[str, Any] | None" = None,
        reset_schedule: bool = False,
    ) -> None:
        self.loss = choice(self, "loss", loss, NUMBER_LOSSES)
        self.kappa = positive(self, "kappa", kappa, "Errors beyond it count linearly.")
        self.epsilon = number(self, "epsilon", epsilon, least=0.0)
        self.theta = number(self, "theta", theta, least=1e-9, most=1.0 - 1e-9)
        check_descent(
            self,
            eta=self._rate(eta, schedule),
            schedule=schedule,
            power=power,
            eps=eps,
            l1=l1,
            l2=l2,
            average=average,
            average_from=average_from,
            batch_size=batch_size,
            radius=radius,
        )
        self.eta = eta if eta is None else float(eta)
        self._check_common(intercept, hash_bits, hash_seed)
        self._begin(init, reset_schedule)

    @staticmethod
    def _rate(eta: float | None, schedule: str) -> float:
        usual = 0.1 if schedule == "adagrad" else 0.01
        return usual if eta is None else eta

    def _optimizer(self) -> Optimizer:
        return descent(self, self._rate(self.eta, self.schedule))

    def _parameter(self) -> float:
        named = {"huber": self.kappa, "epsilon_insensitive": self.epsilon, "quantile": self.theta}
        return named.get(self.loss, 0.0)
