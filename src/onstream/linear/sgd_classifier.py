"""Classification by stochastic gradient descent."""

from collections.abc import Iterable
from typing import Any, Literal

from ..base.types import Label
from .optimizer import Optimizer
from .stochastic_gradient import GradientClassifier, check_descent, descent


class SGDClassifier(GradientClassifier):
    """Linear classifier by stochastic gradient descent (Robbins & Monro, 1951; Bottou, 2010).

    Each step goes against the gradient of the loss, w = (1 - rate * l2) * w - rate * gradient.
    Beyond two labels each label learns against the rest; the two old ones take over -w and +w.
    An update costs O(non-zeros), with L1 and L2, too; with average or radius together with l1 (or
    with any penalty under AdaGrad) it costs O(features).

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared_hinge", "perceptron", "squared"}, default "hinge"
        What a score costs. "logistic" gives probabilities; "hinge" and "squared_hinge" ask for a
        margin of 1; "perceptron" learns from mistakes only; "squared" from -1 and +1 as numbers.
    eta : float > 0, default 0.1
        First learning rate. Raise it for speed, lower it if the error jumps about.
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
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : SGDClassifier or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        With `init`: count n from 1 again.

    Examples
    --------
    >>> model = SGDClassifier(loss="logistic", l1=0.001)
    >>> for _ in range(50):
    ...     model.learn_one({"free": 1, "offer": 1}, "spam")
    ...     model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    >>> model.predict_proba_one({"free": 1})["spam"] > 0.7
    True
    """

    eta: float
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
        loss: Literal["logistic", "hinge", "squared_hinge", "perceptron", "squared"] = "hinge",
        eta: float = 0.1,
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
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: "SGDClassifier | dict[str, Any] | None" = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_loss(loss)
        check_descent(
            self,
            eta=eta,
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
        self._check_common(intercept, hash_bits, hash_seed, max_labels)
        self._begin(labels, init, reset_schedule)

    def _optimizer(self) -> Optimizer:
        return descent(self, self.eta)
