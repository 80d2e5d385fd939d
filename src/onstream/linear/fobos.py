"""Forward-backward splitting."""

from collections.abc import Iterable
from typing import Any, Literal

from ..base.checks import number
from ..base.types import Label
from .descent import Descent
from .gradient import check_gradient
from .optimizer import Optimizer
from .stochastic_gradient import GradientClassifier


class FOBOS(GradientClassifier):
    """Forward-backward splitting (Duchi & Singer, JMLR 10, 2009): SGD with exact zeros.

    A gradient step, then the penalty in closed form: w = S(v, rate * l1) / (1 + rate * l2), where
    v is what the step gave and S takes rate * l1 off every number, stopping at 0. Features that
    do not come pay when they come again, so an update costs O(non-zeros).

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared_hinge", "perceptron", "squared"}, default "logistic"
        What a score costs. "logistic" gives probabilities; "hinge" and "squared_hinge" ask for a
        margin of 1; "perceptron" learns from mistakes only; "squared" from -1 and +1 as numbers.
    eta : float > 0, default 0.1
        First learning rate. Raise it for speed, lower it if the error jumps about.
    schedule : {"constant", "power", "inverse", "sqrt"}, default "constant"
        How the rate falls with the number n of steps: eta, eta * n**-power,
        eta / (1 + eta * l2 * n), eta / sqrt(n).
        A constant rate follows drift; a falling one settles down.
    power : float > 0, default 0.6
        Exponent of schedule="power"; between 0.5 and 1 it converges.
    l1 : float >= 0, default 0.001
        What every weight loses per unit of rate. Raise it for fewer features.
    l2 : float >= 0, default 0.0
        Pull towards zero weights. Together with l1: elastic net.
    intercept : bool, default True
        Learn a constant term, shown as `bias`; it is never regularised.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : FOBOS or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        With `init`: count n from 1 again.

    Examples
    --------
    >>> model = FOBOS(l1=0.2)
    >>> for _ in range(100):
    ...     model.learn_one({"free": 1, "offer": 1}, "spam")
    ...     model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    """

    eta: float
    schedule: str
    power: float
    l2: float

    def __init__(
        self,
        *,
        loss: Literal["logistic", "hinge", "squared_hinge", "perceptron", "squared"] = "logistic",
        eta: float = 0.1,
        schedule: Literal["constant", "power", "inverse", "sqrt"] = "constant",
        power: float = 0.6,
        l1: float = 0.001,
        l2: float = 0.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: "FOBOS | dict[str, Any] | None" = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_loss(loss)
        check_gradient(self, eta, schedule, power, l2)
        self.l1 = number(self, "l1", l1, least=0.0, most=1e100)
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _optimizer(self) -> Optimizer:
        return Descent(
            self.intercept, self.schedule, self.eta, self.power, self.l1, self.l2, proximal=True
        )
