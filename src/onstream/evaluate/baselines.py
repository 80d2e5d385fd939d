"""Baselines: guesses that never look at the features, which a learner has to beat."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .answers import as_column

FEW = 32  # labels up to which whole blocks are counted at once


class _LabelGuess(ABC):
    """A guess of labels, from the labels that came before."""

    task = "labels"
    baseline = True

    def __init__(self) -> None:
        self.labels: list[Any] = []  # in order of appearance
        self.seen = 0

    @abstractmethod
    def predict_one(self, x: Any) -> Any:
        """The guess; None at first."""

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Take note of a label."""
        column = np.empty(1, dtype=object)
        column[0] = y
        self.predict_learn_many(None, column, [w])

    @abstractmethod
    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Probability of each label so far."""

    def predict_learn_many(
        self, X: Any, y: ArrayLike, w: ArrayLike | None = None, output: str = "label"
    ) -> NDArray[Any]:
        """Guess each row before looking at its label."""
        column = as_column(y)
        labels = column.tolist()
        if output != "label":
            return self._proba_many(labels, w)
        weights = None if w is None else np.asarray(w, dtype=np.float64)
        self.seen += len(labels)
        return self._guess_many(column, labels, weights)

    def _proba_many(self, labels: list[Any], w: Any) -> NDArray[np.float64]:
        """Probabilities of all labels that are known at the end, row by row."""
        weights = np.ones(len(labels)) if w is None else np.asarray(w, dtype=np.float64)
        told = []
        for label, weight in zip(labels, weights.tolist(), strict=True):
            told.append(self.predict_proba_one(None))
            self.learn_one(None, label, weight)
        table = [[row.get(label, 0.0) for label in self.labels] for row in told]
        return np.array(table, dtype=np.float64).reshape(len(labels), len(self.labels))

    def _guess_many(
        self, column: NDArray[Any], labels: list[Any], weights: NDArray[np.float64] | None
    ) -> NDArray[Any]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class MajorityClass(_LabelGuess):
    """Predict the commonest label so far, the earliest of them if several are; None at first.

    Its probabilities are the shares of the labels so far.

    >>> MajorityClass().predict_learn_many(None, ["a", "b", "b", "b", "a"]).tolist()
    [None, 'a', 'a', 'b', 'b']
    """

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[Any, float] = {}
        self.commonest: Any = None

    @property
    def memory_bytes(self) -> int:
        """One count of 8 bytes a label, and its name."""
        return 16 * len(self.counts)

    def predict_one(self, x: Any) -> Any:
        """The commonest label so far."""
        return self.commonest

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Shares of the labels so far."""
        total = sum(self.counts.values())
        return {label: count / total for label, count in self.counts.items()}

    def _guess_many(
        self, column: NDArray[Any], labels: list[Any], weights: NDArray[np.float64] | None
    ) -> NDArray[Any]:
        guesses = np.empty(len(labels), dtype=object)
        known = {label: i for i, label in enumerate(self.counts)}
        for label in new_labels(column if weights is None else column[weights > 0.0], known):
            known[label] = len(known)
        self.labels = list(known)
        if not known:
            return guesses
        if len(known) > FEW:
            return self._one_by_one(guesses, labels, weights)
        names = np.empty(len(known), dtype=object)
        names[:] = list(known)
        if is_plain(column) and all(map(is_of(column), known)):
            codes, kinds = column, names.astype(column.dtype)
            if any(self.counts.values()):  # otherwise some answers are None
                names, guesses = kinds, np.empty_like(column)
        else:
            codes = np.array([known.get(label, 0) for label in labels], dtype=np.intp)
            kinds = np.arange(len(known))
        counts = np.array([self.counts.get(label, 0.0) for label in known])
        best, most = np.zeros(len(labels), dtype=np.intp), np.full(len(labels), -np.inf)
        for i, kind in enumerate(kinds):
            own = np.empty(len(labels) + 1)  # what this label has before each row
            own[0], own[1:] = counts[i], codes == kind
            if weights is not None:
                own[1:] *= np.maximum(weights, 0.0)
            np.cumsum(own, out=own)
            np.copyto(best, i, where=own[:-1] > most)  # the first of equals is the earliest
            np.maximum(most, own[:-1], out=most)
            counts[i] = own[-1]
        guesses[:] = names[best]
        if names.dtype == object:
            guesses[most <= 0.0] = None
        self.counts = dict(zip(known, counts.tolist(), strict=True))
        self.commonest = list(known)[counts.argmax()] if counts.max() > 0.0 else None
        return guesses

    def _one_by_one(
        self, guesses: NDArray[Any], labels: list[Any], weights: NDArray[np.float64] | None
    ) -> NDArray[Any]:
        """The same where there are many labels."""
        counts, commonest = self.counts, self.commonest
        each = np.ones(len(labels)) if weights is None else weights
        for i, (label, weight) in enumerate(zip(labels, each.tolist(), strict=True)):
            guesses[i] = commonest
            if weight > 0.0:
                counts[label] = counts.get(label, 0.0) + weight
                if commonest is None or counts[label] >= counts[commonest]:
                    top = counts[label]  # a dict keeps the order of appearance
                    commonest = next(name for name, count in counts.items() if count == top)
        self.commonest = commonest
        return guesses


class NoChange(_LabelGuess):
    """Predict the label seen last; None at first. Where labels come in runs, hard to beat.

    Its probability is 1 for that label. It takes sets of labels and structures, too.

    >>> NoChange().predict_learn_many(None, ["a", "b", "b"]).tolist()
    [None, 'a', 'b']
    """

    memory_bytes = 8  # one label

    def __init__(self) -> None:
        super().__init__()
        self.last: Any = None

    def predict_one(self, x: Any) -> Any:
        """The label seen last."""
        return self.last

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Certainty of the label seen last."""
        return {} if self.last is None else {self.last: 1.0}

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Remember a label."""
        self.seen += 1
        if w > 0.0:
            self.last = y
            if isinstance(y, (str, int, float)) and y not in self.labels:
                self.labels.append(y)

    def _guess_many(
        self, column: NDArray[Any], labels: list[Any], weights: NDArray[np.float64] | None
    ) -> NDArray[Any]:
        guesses = np.empty(len(labels), dtype=object)
        last = self.last
        if weights is None and is_plain(column) and is_of(column)(last):
            guesses = np.concatenate([np.array([last], dtype=column.dtype), column[:-1]])
            last = labels[-1]
        elif weights is None or (weights > 0.0).all():
            if labels:
                guesses[0] = last
                for i, label in enumerate(labels[:-1], 1):
                    guesses[i] = label
                last = labels[-1]
        else:
            for i, (label, weight) in enumerate(zip(labels, weights.tolist(), strict=True)):
                guesses[i] = last
                last = label if weight > 0.0 else last
        self.last = last
        return guesses


def is_plain(column: NDArray[Any]) -> bool:
    """Say whether these labels are ints or bools, which NumPy compares without Python."""
    return bool(len(column)) and column.dtype in (np.int64, np.bool_)


def is_of(column: NDArray[Any]) -> Callable[[Any], bool]:
    """Tell of a label whether a plain column can hold it, and it is the same then: True is no 1."""
    kind = type(column.item(0))
    return lambda label: type(label) is kind and (kind is bool or -(2**63) <= label < 2**63)


def new_labels(column: NDArray[Any], known: dict[Any, int]) -> list[Any]:
    """The labels that are not known yet, in the order in which they come."""
    if not is_plain(column):
        return [label for label in dict.fromkeys(column.tolist()) if label not in known]
    new = [label for label in np.unique(column).tolist() if label not in known]
    return sorted(new, key=lambda label: int(np.argmax(column == label)))


class _NumberGuess:
    """A guess of numbers, from the numbers that came before."""

    task = "numbers"
    baseline = True
    seen = 0

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class LastValue(_NumberGuess):
    """Predict the number seen last; 0.0 before any.

    >>> LastValue().predict_learn_many(None, [3.0, 4.0]).tolist()
    [0.0, 3.0]
    """

    memory_bytes = 8  # one double

    def __init__(self) -> None:
        self.last = 0.0
        self.seen = 0

    def predict_learn_many(
        self, X: Any, y: ArrayLike, w: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Predict each row before looking at its target."""
        numbers = np.asarray(y, dtype=np.float64)
        if not len(numbers):
            return numbers
        predicted = np.concatenate([[self.last], numbers[:-1]])
        self.last = float(numbers[-1])
        self.seen += len(numbers)
        return predicted

    def predict_one(self, x: Any) -> float:
        """The number seen last."""
        return self.last

    def learn_one(self, x: Any, y: float, w: float = 1.0) -> None:
        """Remember a number."""
        self.last = float(y)
        self.seen += 1


class MeanValue(_NumberGuess):
    """Predict the mean of the numbers so far, weighted if there are weights; 0.0 before any.

    >>> MeanValue().predict_learn_many(None, [3.0, 4.0, 8.0]).tolist()
    [0.0, 3.0, 3.5]
    """

    memory_bytes = 16  # the mean and the weight

    def __init__(self) -> None:
        self.mean = self.weight = 0.0
        self.seen = 0

    def predict_learn_many(
        self, X: Any, y: ArrayLike, w: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Predict each row before looking at its target."""
        numbers = np.asarray(y, dtype=np.float64)
        if not len(numbers):
            return numbers
        each = np.ones(len(numbers)) if w is None else np.asarray(w, dtype=np.float64)
        weights = self.weight + np.concatenate([[0.0], np.cumsum(each)])
        # Differences from the mean so far: sums of large, nearly equal numbers would lose digits.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            off = np.concatenate([[0.0], np.cumsum(each * (numbers - self.mean))])
            means = self.mean + np.where(weights > 0.0, off / weights, 0.0)
        self.mean, self.weight = float(means[-1]), float(weights[-1])
        self.seen += len(numbers)
        return np.asarray(means[:-1])

    def predict_one(self, x: Any) -> float:
        """The mean so far."""
        return self.mean

    def learn_one(self, x: Any, y: float, w: float = 1.0) -> None:
        """Count a number."""
        self.predict_learn_many(None, [y], [w])


def baselines_for(answers: str, named: dict[str, Any]) -> dict[str, Any]:
    """Fresh guesses for learners of labels, numbers or structures, by name.

    One that is among the learners already is not added again.
    """
    kinds: dict[str, dict[str, Any]] = {
        "labels": {"no change": NoChange, "majority": MajorityClass},
        "numbers": {"no change": LastValue, "mean so far": MeanValue},
        "structured": {"no change": NoChange},
    }
    found = {}
    for name, cls in kinds[answers].items():
        if not any(type(model) is cls for model in named.values()):
            while name in named:
                name = f"{name} (baseline)"
            found[name] = cls()
    return found
