"""The face of the gradient learners: losses, epochs, probabilities, views and merging."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np

from ..base.checks import choice, flag, number, positive, whole
from ..base.classifier import ProbabilisticClassifier
from ..base.fit import stream_of
from ..base.parameters import suggest_parameters
from ..base.union import Exported
from ..core.state_reader import StateReader
from .adagrad import AdaGrad
from .base import LinearClassifier, LinearRegressor
from .descent import Descent
from .gradient import check_gradient
from .gradient_mixing import Both, merge_descents
from .optimizer import GradientClassifierState, GradientRegressorState, Optimizer

LABEL_LOSSES = ("hinge", "squared_hinge", "logistic", "perceptron", "squared")
NUMBER_LOSSES = ("squared", "absolute", "huber", "epsilon_insensitive", "quantile")


class Gradient(ABC):
    """What classifiers and regressors by gradients have in common."""

    hash_bits: int | None
    intercept: bool
    _model: Any

    @abstractmethod
    def _optimizer(self) -> Optimizer:
        """What moves the weights."""

    @suggest_parameters
    def fit(
        self,
        X: Any,
        y: Any = None,
        w: Any = None,
        *,
        epochs: int = 1,
        shuffle: bool = True,
        seed: int = 0,
        decay: str | None = None,
        kappa: float = 1.0,
        rho: float = 0.9,
        tol: float | None = None,
    ) -> Self:
        """Go over a static block `(X, y)`, or a stream, `epochs` times, from the present state on.

        A block is shuffled anew in each epoch unless `shuffle` is False; `w` holds the importance
        of each row. In epoch e = 0, 1, ... the learning rate is divided by 1 + kappa * e with
        decay="inverse", multiplied by rho ** e with decay="exponential". If `tol` is given, it
        stops after an epoch that changed no weight by as much. Returns the learner itself.
        """
        one_pass = partial(super().fit, X, y, w=w, shuffle=shuffle)  # type: ignore[misc]
        if decay is not None:
            choice(self, "decay", decay, ("inverse", "exponential"))
        number(self, "kappa", kappa, least=0.0)
        number(self, "rho", rho, above=0.0, most=1.0)
        if tol is not None:
            positive(self, "tol", tol)
        if decay is None and tol is None:
            one_pass(epochs=epochs, seed=seed)
            return self
        whole(self, "epochs", epochs, least=1)
        if y is None and epochs > 1 and iter(stream_of(self, X)) is X:
            one_pass(epochs=epochs)  # says what is wrong
        generator = np.random.default_rng(seed)
        try:
            for epoch in range(epochs):
                if decay is not None and epoch > 0:
                    self._slow_down(
                        1.0 / (1.0 + kappa * epoch) if decay == "inverse" else rho**epoch
                    )
                before = self._flat()
                one_pass(epochs=1, seed=generator)
                if tol is not None and largest_change(before, self._flat()) < tol:
                    break
        finally:
            self._slow_down(1.0)
        return self

    def _slow_down(self, factor: float) -> None:
        """Multiply the rates of the next examples by `factor`."""
        model = self._model
        with model.writing():
            model.state.tidy()  # what is owed was owed at the old rate
            model.state.optimizer.factor = factor

    def _view(self) -> Exported:
        return view_of(self._model)

    def _flat(self) -> np.ndarray:
        """All weights and intercepts that predict."""
        fields = self._view()
        return np.vstack([fields["bias"], fields["weights"]])

    def _both(self, mine: Exported, theirs: Exported) -> tuple[Both, np.ndarray]:
        """Two states ready to be merged, and the average of what they predict with."""
        tidied, views = [], []
        for fields in (mine, theirs):
            model = self._new_model()  # type: ignore[attr-defined]
            model.restore(StateReader(fields))
            model.state.tidy()
            tidied.append(model.export())
            views.append(view_of(model))
        width = len(views[0]["weights"])
        both = Both(type(self).__name__, tidied[0], tidied[1], self.hash_bits is not None, width)
        mixed = both.mixed([v["weights"] for v in views], [v["bias"] for v in views])
        return both, mixed

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        return merge_descents(self._both(mine, theirs)[0])


def view_of(model: Any) -> Exported:
    """The names of features and labels, and the weights that predict."""
    with model.reading():
        weights, bias = model.state.predicting()
        return {**model.export_names(), "weights": weights, "bias": bias}


def largest_change(before: np.ndarray, after: np.ndarray) -> float:
    """Of any weight; new ones were 0."""
    if before.shape[1] != after.shape[1]:
        return math.inf
    old = np.zeros_like(after)
    old[: len(before)] = before
    return float(np.max(np.abs(after - old)))


class GradientClassifier(Gradient, LinearClassifier):
    """A linear classifier by gradients: one-vs-rest beyond two labels."""

    loss: str

    def _new_state(self) -> Any:
        state = GradientClassifierState()
        state.set_up(self._optimizer(), self.loss, 0.0)
        return state

    def _check_loss(self, loss: str) -> None:
        self.loss = choice(self, "loss", loss, LABEL_LOSSES)

    def _probabilities(self, verb: str) -> Any:
        if self.loss != "logistic":
            raise AttributeError(
                f"{type(self).__name__}: probabilities need loss='logistic', this learner has "
                f"loss={self.loss!r}; use score_one."
            )
        return partial(getattr(ProbabilisticClassifier, verb), self)

    @property
    def predict_proba_one(self) -> Callable[[Any], dict[Any, float]]:
        """Probability of each label, as a dict; {} before any. Only with loss="logistic"."""
        return self._probabilities("predict_proba_one")  # type: ignore[no-any-return]

    @property
    def predict_proba_many(self) -> Callable[[Any], np.ndarray]:
        """Probabilities of every row, in the order of `labels`. Only with loss="logistic"."""
        return self._probabilities("predict_proba_many")  # type: ignore[no-any-return]


class GradientRegressor(Gradient, LinearRegressor):
    """A linear regressor by gradients."""

    loss: str

    def _new_state(self) -> Any:
        state = GradientRegressorState()
        state.set_up(self._optimizer(), self.loss, self._parameter())
        return state

    def _parameter(self) -> float:
        """What the loss depends on."""
        return 0.0


def check_descent(
    model: Any,
    *,
    eta: float,
    schedule: str,
    power: float,
    eps: float,
    l1: float,
    l2: float,
    average: bool,
    average_from: int,
    batch_size: int,
    radius: float | None,
) -> None:
    """Check and set what SGDClassifier and SGDRegressor have in common."""
    check_gradient(model, eta, "constant" if schedule == "adagrad" else schedule, power, l2)
    model.schedule = schedule
    model.eps = number(model, "eps", eps, least=0.0, most=1e100)
    model.l1 = number(model, "l1", l1, least=0.0, most=1e100)
    model.average = flag(model, "average", average)
    model.average_from = whole(model, "average_from", average_from, least=0, most=2**62)
    model.batch_size = whole(model, "batch_size", batch_size, least=1, most=2**31)
    model.radius = None if radius is None else positive(model, "radius", radius)


def descent(model: Any, eta: float) -> Optimizer:
    """The optimizer of SGDClassifier and SGDRegressor."""
    kind = AdaGrad if model.schedule == "adagrad" else Descent
    optimizer = kind(
        model.intercept,
        model.schedule,
        eta,
        model.power,
        model.l1,
        model.l2,
        radius=math.inf if model.radius is None else model.radius,
        average=model.average,
        average_from=model.average_from,
        batch=model.batch_size,
    )
    if isinstance(optimizer, AdaGrad):
        optimizer.set_squares(model.eps)
    return optimizer
