"""A prequential race: every learner predicts each example, then learns it, in stream order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .baselines import LastValue, MajorityClass

Floats = NDArray[np.float64]


class Contender(Protocol):
    """What a learner needs to take part."""

    @property
    def memory_bytes(self) -> int:
        """Bytes of its state."""

    def predict_learn_many(self, X: Any, y: Any) -> NDArray[Any]:
        """Predict each row before learning it."""


@dataclass(frozen=True)
class Stream:
    """Examples in time order, and how to judge a prediction of them."""

    title: str
    X: Floats
    y: NDArray[Any]
    loss: Callable[[NDArray[Any], NDArray[Any]], Floats]
    measure: str  # what the mean loss is called
    unit: str  # "%" when that is a share
    step: str  # what one example is
    window: int  # examples that the recent figures look back on
    drift: int | None = None  # row at which the concept changes

    def first(self, n: int) -> "Stream":
        """Return the first `n` examples as a stream of their own."""
        drift = self.drift if self.drift is not None and self.drift < n else None
        return replace(self, X=self.X[:n], y=self.y[:n], drift=drift)


@dataclass(frozen=True)
class Result:
    """How one learner did on one stream."""

    name: str
    baseline: bool
    losses: Floats  # one per example
    seconds: float
    memory_bytes: int

    @property
    def mean(self) -> float:
        """Mean loss over the whole stream."""
        return float(self.losses.mean())

    @property
    def per_second(self) -> float:
        """Examples predicted and learned per second."""
        return len(self.losses) / self.seconds

    def recent(self, window: int) -> Floats:
        """Mean loss over the last `window` examples, after each example that has so many."""
        total = np.concatenate([[0.0], np.cumsum(self.losses)])
        return np.asarray((total[window:] - total[:-window]) / window)


def wrong(predicted: NDArray[Any], y: NDArray[Any]) -> Floats:
    """Return 1 where the label is wrong or none was known yet, else 0."""
    return np.asarray(predicted != y, dtype=np.float64)


def distance(predicted: NDArray[Any], y: NDArray[Any]) -> Floats:
    """Return how far off each number is."""
    return np.asarray(np.abs(predicted - y), dtype=np.float64)


def race(
    contenders: Mapping[str, Contender],
    stream: Stream,
    *,
    block: int = 500,
    progress: Callable[[int], object] = lambda predictions: None,
) -> list[Result]:
    """Run `contenders` side by side over `stream`.

    The blocks are for speed alone: within one, each row is predicted before it is learned. The
    learners take turns block by block, so that a busy moment of the machine is shared by all.

    Parameters
    ----------
    contenders : mapping of name to learner
        They go on from the state they are in.
    stream : Stream
        What they predict and learn.
    block : int > 0, default 500
        Rows handed over at once.
    progress : callable, optional
        Told after each turn how many predictions were made in it.

    Returns
    -------
    list of Result
        In the order of `contenders`.
    """
    losses: dict[str, list[Floats]] = {name: [] for name in contenders}
    seconds = dict.fromkeys(contenders, 0.0)
    for start in range(0, len(stream.y), block):
        X, y = stream.X[start : start + block], stream.y[start : start + block]
        for name, model in contenders.items():
            begin = perf_counter()
            predicted = model.predict_learn_many(X, y)
            seconds[name] += perf_counter() - begin
            losses[name].append(stream.loss(predicted, y))
            progress(len(y))
    return [
        Result(
            name=name,
            baseline=isinstance(model, (MajorityClass, LastValue)),
            losses=np.concatenate(losses[name]),
            seconds=seconds[name],
            memory_bytes=model.memory_bytes,
        )
        for name, model in contenders.items()
    ]
