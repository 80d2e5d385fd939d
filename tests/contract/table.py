"""The contract table: one line per learner, in `tables/<family>.py`. The tests know none by name.

A line says which stream the learner must learn and how well, predicting each row before it is
learned: accuracy for labels, R² for numbers. Then come the parameters it is tested with. The
defaults, a hashed model (if there is `hash_bits`) and one without intercept are added by
themselves. Functions must be ones that pickle knows.

A learner that cannot be made without functions of the user (`given`) takes whatever these take as
an example; it takes the tests for `anything` only.
"""

import inspect
import math
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from onstream.base import Classifier, Part, Regressor, Unsupervised, learners
from onstream.base.classifier import Labelled

from . import tables
from .line import Line

TABLE: dict[str, Line] = {}
TRANSFORMERS: list[Any] = []  # transformers as they are tested
for module in iter_modules(tables.__path__):
    found = import_module(f"{tables.__name__}.{module.name}")
    TABLE |= found.TABLE
    TRANSFORMERS += getattr(found, "TRANSFORMERS", [])


def functions_of(params: dict[str, Any]) -> dict[str, Any]:
    """The parameters that no file can hold; parts, such as kernels, can be called and stored."""
    return {n: v for n, v in params.items() if callable(v) and not isinstance(v, Part)}


def written(value: Any) -> str:
    """A parameter in the name of a test: the same in every process."""
    return str(getattr(value, "__name__", None) or repr(value))


@dataclass(frozen=True, repr=False)
class Case:
    """One learner with one set of parameters."""

    name: str
    cls: type[Any]
    params: dict[str, Any]
    line: Line
    hashed: bool = False

    def __repr__(self) -> str:
        params = ",".join(f"{name}={written(value)}" for name, value in self.params.items())
        return f"{self.name}({params})"

    def make(self, **more: Any) -> Any:
        """A new learner."""
        return self.cls(**{**self.params, **more})

    def variant(self, params: dict[str, Any], hashed: bool = False) -> "Case":
        """The same learner with other parameters besides."""
        return replace(self, params={**self.params, **params}, hashed=hashed)

    @property
    def classifies(self) -> bool:
        """Does it learn one label for each example?"""
        return issubclass(self.cls, Classifier)

    @property
    def takes_labels(self) -> bool:
        """Does it learn labels, one for each example or sets of them? A label alone is a set."""
        return issubclass(self.cls, Labelled)

    @property
    def regresses(self) -> bool:
        """Does it learn numbers?"""
        return issubclass(self.cls, Regressor)

    @property
    def takes_targets(self) -> bool:
        """Does it look at y at all?"""
        return not issubclass(self.cls, Unsupervised)

    @property
    def mergeable(self) -> bool:
        """Can two models of it become one? Where forgetting is on, the order of the rows counts."""
        return self.make().merge_kind is not None and self.params.get("forgetting", 1.0) == 1.0

    @property
    def has_weights(self) -> bool:
        """Does it show a weight per feature, as linear learners do?"""
        return isinstance(getattr(self.make(), "weights", None), dict)

    @property
    def has_probabilities(self) -> bool:
        """Does it give the labels probabilities, with these parameters?"""
        return hasattr(self.make(), "predict_proba_one")

    @property
    def functions(self) -> dict[str, Any]:
        """The parameters that no file can hold."""
        return functions_of(self.params)

    @cached_property
    def skips_missing(self) -> bool:
        """Is what is absent (or NaN) missing, rather than 0?"""
        try:
            self.make().learn_one({"a": math.nan}, "a" if self.takes_labels else 1.0)
        except ValueError:
            return False
        return True

    @cached_property
    def takes_nominal(self) -> bool:
        """Is a text a value of its feature, rather than a feature of its own?"""
        model = self.make()
        model.learn_one({"a": "text"}, "a" if self.takes_labels else 1.0)
        return "a" in model._model.export()["features"]

    @property
    def usual(self) -> bool:
        """Are these the defaults, or what the line takes in their place?"""
        return self.params == dict(self.line.quick)

    def has(self, parameter: str) -> bool:
        """Does the constructor take this?"""
        return parameter in inspect.signature(self.cls).parameters


def cases() -> list[Case]:
    """Every learner of the table in every variant, the defaults first."""
    found = []
    for name, cls in learners().items():
        if name not in TABLE:
            continue  # test_table fails
        plain = Case(name, cls, {**TABLE[name].given, **TABLE[name].quick}, TABLE[name])
        found.append(plain)
        if plain.line.given:
            continue
        found += [plain.variant(params) for params in TABLE[name].variants]
        if plain.has("intercept"):
            found.append(plain.variant({"intercept": False}))
        if plain.has("hash_bits"):
            found.append(plain.variant({"hash_bits": 4, "hash_seed": 7}, hashed=True))
    return found
