"""Softmax regression: a row of weights for every label, from two labels on."""

from collections.abc import Iterable
from typing import Any, Literal

from ..base.types import Label
from .logistic_regression import LogisticRegression


class SoftmaxRegression(LogisticRegression):
    """Softmax regression by stochastic gradient ascent of the log-likelihood (Cox, 1966).

    After each example the weights of every label r move by
    eta * (([r = y] - p_r) * x - l2 * W_r), where p_r is the probability it was given; intercepts
    are not regularised. With two labels the rows are each other's negative, so one of them is
    enough: `weights` shows their difference, which moves twice as far as the weights of
    `LogisticRegression` do.

    Parameters
    ----------
    eta : float > 0, default 0.1
        First learning rate. Raise it for speed, lower it if the error jumps about.
    schedule : {"constant", "power", "inverse", "sqrt"}, default "constant"
        How the rate falls with n: eta, eta * n**-power, eta / (1 + eta * l2 * n), eta / sqrt(n).
        A constant rate follows drift; a falling one settles down.
    power : float > 0, default 0.6
        Exponent of schedule="power"; between 0.5 and 1 it converges.
    l2 : float >= 0, default 0.0
        Pull towards zero weights, per example. Raise it against overfitting.
    intercept : bool, default True
        Learn a constant term, shown as `bias`.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : SoftmaxRegression or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        With `init`: count n from 1 again.

    Examples
    --------
    >>> model = SoftmaxRegression()
    >>> for _ in range(100):
    ...     model.learn_one({"fur": 1, "barks": 1}, "dog")
    ...     model.learn_one({"fur": 1, "purrs": 1}, "cat")
    ...     model.learn_one({"wings": 1}, "bird")
    >>> model.predict_one({"purrs": 1})
    'cat'
    >>> round(sum(model.predict_proba_one({"fur": 1}).values()), 9)
    1.0
    """

    _pace = 2.0

    def __init__(
        self,
        *,
        eta: float = 0.1,
        schedule: Literal["constant", "power", "inverse", "sqrt"] = "constant",
        power: float = 0.6,
        l2: float = 0.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: "SoftmaxRegression | dict[str, Any] | None" = None,
        reset_schedule: bool = False,
    ) -> None:
        super().__init__(
            eta=eta,
            schedule=schedule,
            power=power,
            l2=l2,
            intercept=intercept,
            hash_bits=hash_bits,
            hash_seed=hash_seed,
            labels=labels,
            max_labels=max_labels,
            init=init,
            reset_schedule=reset_schedule,
        )
