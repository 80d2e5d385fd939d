"""What gradient learners share: rates, penalties, losses, passes over a block, and merging."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Self, TypedDict, Unpack

import numpy as np

from ...base.checks import choice, flag, number, positive, whole
from ...base.classifier import ProbabilisticClassifier
from ...base.fit import stream_of
from ...base.parameters import suggest_parameters
from ...base.union import Exported, union_of_labels
from ...core.state_reader import StateReader
from ..base import Linear, LinearClassifier, LinearClassifierOptions
from ..mixing import Both
from ._adagrad import AdaGrad
from ._descent import Descent
from ._optimizer import GradientClassifierState, Optimizer
from .mixing import merge_descents, rebased_descent

SCHEDULES = ("constant", "power", "inverse", "sqrt")
LABEL_LOSSES = ("hinge", "squared_hinge", "logistic", "perceptron", "squared")
Schedule = Literal["constant", "power", "inverse", "sqrt"]
LabelLoss = Literal["logistic", "hinge", "squared_hinge", "perceptron", "squared"]


class EtaOptions(TypedDict, total=False):
    """The first rate; apart, since its default is not the same everywhere."""

    eta: float


class RegularisedOptions(TypedDict, total=False):
    """The other parameters of `Regularised`."""

    schedule: Schedule
    power: float
    l2: float


class GradientClassifierOptions(LinearClassifierOptions, total=False):
    """Parameters of every classifier with a choice of losses."""

    loss: LabelLoss


class SGDOptions(TypedDict, total=False):
    """Parameters of `StochasticGradient`, but for eta."""

    schedule: Literal["constant", "power", "inverse", "sqrt", "adagrad"]
    power: float
    eps: float
    l1: float
    l2: float
    average: bool
    average_from: int
    batch_size: int
    radius: float | None


class Gradient(Linear):
    """A learner that steps against the gradient of a loss.

    Its intercept is a number of its own beside the weights, not the weight of a constant feature:
    no penalty and no projection touches it.

    Parameters
    ----------
    intercept : bool, default True
        Learn a constant term, shown as `bias`; it is never regularised.
    """


class Scheduled(Gradient):
    """A gradient learner whose rate depends on the number of steps.

    Parameters
    ----------
    eta : float > 0, default 0.1
        First learning rate. Raise it for speed, lower it if the error jumps about.
    schedule : {"constant", "power", "inverse", "sqrt"}, default "constant"
        How the rate falls with the number n of steps: eta, eta * n**-power,
        eta / (1 + eta * l2 * n), eta / sqrt(n).
        A constant rate follows drift; a falling one settles down.
    power : float > 0, default 0.6
        Exponent of schedule="power"; between 0.5 and 1 it converges.
    """

    eta: float

    def __init__(
        self,
        *,
        eta: float = 0.1,
        schedule: Schedule = "constant",
        power: float = 0.6,
        **common: Any,
    ) -> None:
        self.eta = self._checked_eta(eta)
        self.schedule = self._checked_schedule(schedule)
        self.power = number(self, "power", power, above=0.0, most=2.0)
        if schedule == "inverse" and getattr(self, "l2", 0.0) == 0.0:
            raise ValueError(
                f"{type(self).__name__}: schedule='inverse' decays with l2, which is 0. "
                f"Give l2 > 0, or use 'sqrt' or 'power'."
            )
        super().__init__(**common)

    def _checked_eta(self, eta: Any) -> Any:
        return positive(self, "eta", eta, "It is the first learning rate; try 0.1 or 0.01.")

    def _checked_schedule(self, schedule: Any) -> str:
        return choice(self, "schedule", schedule, SCHEDULES)


class Regularised(Scheduled):
    """The same with an L2 penalty.

    Parameters
    ----------
    l2 : float >= 0, default 0.0
        Pull towards zero weights, per step. Raise it against overfitting.
    """

    def __init__(self, *, l2: float = 0.0, **common: Any) -> None:
        self.l2 = number(self, "l2", l2, least=0.0)
        super().__init__(**common)


class Optimized(Gradient, ABC):
    """A gradient learner whose weights are moved by an `Optimizer`."""

    _by_energy = False  # do weights count by the squares of their gradients when models are mixed?
    _no_rate: str | None = None  # what to lower instead, if there is no rate that `fit` could decay

    @abstractmethod
    def _optimizer(self) -> Optimizer:
        """What moves the weights, with this learner's parameters."""

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

        A block is shuffled again before each epoch unless `shuffle` is False; `w` holds the
        importance of each row. In epoch e = 0, 1, ... the learning rate is divided by
        1 + kappa * e with decay="inverse", multiplied by rho ** e with decay="exponential" (`RDA`
        and `FTRLProximal` have no such rate, and refuse). If `tol` is given, it stops after an
        epoch that changed no weight by as much. Returns the learner itself.
        """
        one_pass: Any = partial(super().fit, X, y, w=w, shuffle=shuffle)
        if decay is not None:
            choice(self, "decay", decay, ("inverse", "exponential"))
            if self._no_rate is not None:
                raise ValueError(
                    f"{type(self).__name__}: decay={decay!r} would lower a learning rate, which it "
                    f"does not have: its weights follow from sums of gradients. Leave decay out; "
                    f"for smaller steps {self._no_rate}."
                )
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

    def _tidied(self, fields: Exported) -> Exported:
        tidied: Exported = self._tidy_model(fields).export()
        return tidied

    def _tidy_model(self, fields: Exported) -> Any:
        model = self._model_like(fields)
        model.restore(StateReader(fields))
        model.state.tidy()
        return model

    def _both(self, mine: Exported, theirs: Exported) -> tuple[Both, np.ndarray]:
        """Two states ready to be merged, and the average of what they predict with."""
        tidied, views = [], []
        for fields in (mine, theirs):
            model = self._tidy_model(fields)
            tidied.append(model.export())
            views.append(view_of(model))
        labels = None
        if "labels" in mine:
            labels, _ = union_of_labels(type(self).__name__, mine, theirs)
        # Beyond two labels each learns against the rest: a model of two counts as -w and +w there.
        both = Both(tidied[0], tidied[1], len(views[0]["weights"]), labels, share=1.0)
        if self._by_energy:
            both.energy = next((name for name in ("squares", "n") if name in mine), None)
        mixed = both.mixed([v["weights"] for v in views], [v["bias"] for v in views])
        return both, mixed

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        return merge_descents(self._both(mine, theirs)[0])

    def _rebased(self, fields: Exported, base: Exported, sign: int) -> Exported:
        both, _ = self._both(fields, base)
        own = self._predicting(fields)
        counted = super()._rebased(both.states[0], both.states[1], sign)
        return {**counted, **self._rebased_sums(both, own, sign)}

    def _rebased_sums(self, both: Both, own: np.ndarray, sign: int) -> Exported:
        """The sums of the first state without those of the second, or with them.

        `own` are the weights that the first predicts with, the intercepts last: they stay.
        """
        return rebased_descent(both, sign)

    def _paced(self, fields: Exported, share: float) -> Exported:
        out = super()._paced(fields, share)
        for name in ("squares", "bias_squares"):
            if name in fields:
                out[name] = share * fields[name]
        return out

    def _predicting(self, fields: Exported) -> np.ndarray:
        """The weights that a state predicts with, the intercepts last."""
        view = view_of(self._tidy_model(fields))
        return np.vstack([view["weights"], view["bias"]])


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


class GradientClassifier(Optimized, LinearClassifier):
    """A linear classifier with a choice of losses; beyond two labels one-vs-rest.

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared_hinge", "perceptron", "squared"}, default "logistic"
        What a score costs. "logistic" gives probabilities; "hinge" and "squared_hinge" ask for a
        margin of 1; "perceptron" learns from mistakes only; "squared" from -1 and +1 as numbers.
    """

    def __init__(
        self, *, loss: LabelLoss = "logistic", **common: Unpack[LinearClassifierOptions]
    ) -> None:
        self.loss = choice(self, "loss", loss, LABEL_LOSSES)
        super().__init__(**common)

    def _new_state(self) -> Any:
        damps = getattr(self, "scale", None) is not None
        return GradientClassifierState(self._optimizer(), self.loss, damps)

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
        return self._probabilities("predict_proba_one")

    @property
    def predict_proba_many(self) -> Callable[[Any], np.ndarray]:
        """Probabilities of every row, in the order of `labels`. Only with loss="logistic"."""
        return self._probabilities("predict_proba_many")


class StochasticGradient(Regularised, Optimized):
    """What SGDClassifier and SGDRegressor share.

    Parameters
    ----------
    schedule : {"constant", "power", "inverse", "sqrt", "adagrad"}, default "constant"
        How the rate falls with the number n of steps: eta, eta * n**-power,
        eta / (1 + eta * l2 * n), eta / sqrt(n), or for each weight its own,
        eta / (eps + root of the sum of its squared gradients) (Duchi et al., JMLR 12, 2011).
        A constant rate follows drift; a falling one settles down.
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
    """

    def __init__(
        self,
        *,
        schedule: Literal["constant", "power", "inverse", "sqrt", "adagrad"] = "constant",
        eps: float = 1e-8,
        l1: float = 0.0,
        average: bool = False,
        average_from: int = 0,
        batch_size: int = 1,
        radius: float | None = None,
        **common: Any,
    ) -> None:
        self.eps = number(self, "eps", eps, least=0.0, most=1e100)
        self.l1 = number(self, "l1", l1, least=0.0, most=1e100)
        self.average = flag(self, "average", average)
        self.average_from = whole(self, "average_from", average_from, least=0, most=2**62)
        self.batch_size = whole(self, "batch_size", batch_size, least=1, most=2**31)
        self.radius = None if radius is None else positive(self, "radius", radius)
        super().__init__(schedule=schedule, **common)

    def _checked_schedule(self, schedule: Any) -> str:
        return "adagrad" if schedule == "adagrad" else super()._checked_schedule(schedule)

    def _first_rate(self) -> float:
        return self.eta

    def _optimizer(self) -> Optimizer:
        options: dict[str, Any] = {
            "radius": math.inf if self.radius is None else self.radius,
            "average": self.average,
            "average_from": self.average_from,
            "batch": self.batch_size,
        }
        eta, l1, l2 = self._first_rate(), self.l1, self.l2
        if self.schedule == "adagrad":
            return AdaGrad(self.intercept, eta, self.eps, l1, l2, **options)
        return Descent(self.intercept, self.schedule, eta, self.power, l1, l2, **options)
