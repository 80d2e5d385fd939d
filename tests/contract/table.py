"""The contract table: one line per learner. The tests know none by name.

A line says which stream the learner must learn and how well, predicting each row before it is
learned: accuracy for labels, R² for numbers. Then come the parameters it is tested with. The
defaults, a hashed model (if there is `hash_bits`) and one without intercept are added by
themselves. Functions must be ones that pickle knows.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from onstream.base import Classifier, learners

from .streams import Stream, plane, two_labels


class Line(NamedTuple):
    """What is asked of one learner."""

    stream: Callable[[], Stream]
    score: float
    variants: tuple[dict[str, Any], ...] = ()


TABLE = {
    "LinearRegression": Line(
        plane,
        0.75,
        ({"normalized": True, "eta": 0.5}, {"schedule": "power", "eta": 0.1, "l2": 1e-3}),
    ),
    "LogisticRegression": Line(
        two_labels, 0.90, ({"schedule": "inverse", "l2": 1e-3}, {"schedule": "sqrt", "eta": 1.0})
    ),
    "PAClassifier": Line(two_labels, 0.85, ({"variant": "PA"}, {"variant": "PA-II", "C": 0.1})),
    "Perceptron": Line(
        two_labels, 0.80, ({"beta": 0.5, "gamma": 0.99, "alpha": 0.7}, {"alpha": math.sqrt})
    ),
    "RLS": Line(plane, 0.95, ({"forgetting": 0.99}, {"joseph": True, "lam": 0.1})),
}


class Case(NamedTuple):
    """One learner with one set of parameters."""

    name: str
    cls: type[Any]
    params: dict[str, Any]
    line: Line
    hashed: bool = False

    def __repr__(self) -> str:
        told = ",".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self.name}({told})"

    def make(self, **more: Any) -> Any:
        """A new learner."""
        return self.cls(**{**self.params, **more})

    @property
    def classifies(self) -> bool:
        """Does it learn labels?"""
        return issubclass(self.cls, Classifier)

    @property
    def functions(self) -> dict[str, Any]:
        """The parameters that no file can hold."""
        return {name: value for name, value in self.params.items() if callable(value)}

    def has(self, parameter: str) -> bool:
        """Does the constructor take this?"""
        return parameter in inspect.signature(self.cls).parameters


def cases() -> list[Case]:
    """Every learner of the table in every variant, the defaults first."""
    found = []
    for name, cls in learners().items():
        if name not in TABLE:
            continue  # told by test_table
        plain = Case(name, cls, {}, TABLE[name])
        found.append(plain)
        found += [plain._replace(params=params) for params in TABLE[name].variants]
        if plain.has("intercept"):
            found.append(plain._replace(params={"intercept": False}))
        if plain.has("hash_bits"):
            params = {"hash_bits": 4, "hash_seed": 7}
            found.append(plain._replace(params=params, hashed=True))
    return found
