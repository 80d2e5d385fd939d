"""What a metric is, for those of this library and for your own."""

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from ..base.errors import NotMergeable
from ..base.parameters import SuggestsParameters
from .figures import figure


class Metric(SuggestsParameters, ABC):
    """How good predictions are: the base of every metric, also of your own.

    A metric of your own is a class with `update` and `value`; `prequential` takes it like any
    other. Of examples long ago it keeps what it likes: over a window, `prequential` asks a clone
    about the last rows alone. Its parameters are attributes of the same names.

    Attributes
    ----------
    needs : "label", "proba", "score" or "number", default "label"
        What a prediction is: a label (None if nothing was known), a dict from labels to
        probabilities or to scores, or a number.
    best : "high" or "low", default "high"
        Which values are good.
    unit : str, default ""
        Shown with the value; "%" shows 0.5 as 50.0 %.

    Examples
    --------
    >>> class Missed(Metric):
    ...     '''Weight of the examples of one label that were not found.'''
    ...
    ...     best = "low"
    ...
    ...     def __init__(self, label=True):
    ...         self.label, self.missed = label, 0.0
    ...
    ...     def update(self, y, prediction, w=1.0):
    ...         if y == self.label != prediction:
    ...             self.missed += w
    ...
    ...     @property
    ...     def value(self):
    ...         return self.missed
    >>> from onstream import Perceptron
    >>> from onstream.evaluate import prequential
    >>> report = prequential(Perceptron(), ([{"a": 1}, {"a": 2}], [True, True]), Missed())
    >>> report.value("Missed")
    1.0
    """

    needs: ClassVar[str] = "label"
    best: ClassVar[str] = "high"
    unit: ClassVar[str] = ""

    @abstractmethod
    def update(self, y: Any, prediction: Any, w: float = 1.0) -> None:
        """Add one example: what was true, what was predicted, and its importance."""

    @property
    @abstractmethod
    def value(self) -> float:
        """The metric so far."""

    def update_many(self, y: ArrayLike, predictions: Any, w: ArrayLike | None = None) -> None:
        """Add many examples, one by one."""
        weights: Any = [1.0] * len(predictions) if w is None else w
        for truth, prediction, weight in zip(y, predictions, weights, strict=True):  # type: ignore[arg-type]
            self.update(truth, prediction, weight)

    @property
    def name(self) -> str:
        """What it is called, by its parameters."""
        return type(self).__name__

    @property
    def title(self) -> str:
        """What it is called, now that it has seen some examples: which label it judges."""
        return self.name

    @property
    def params(self) -> dict[str, Any]:
        """The parameters, by name: attributes that are called as those of the constructor."""
        names = list(inspect.signature(type(self)).parameters)
        absent = [name for name in names if not hasattr(self, name)]
        if absent:
            raise TypeError(
                f"{self.name}: keep the parameter {absent[0]} in an attribute of this name "
                f"(self.{absent[0]} = {absent[0]}), or write `params`."
            )
        return {name: getattr(self, name) for name in names}

    def clone(self, **changes: Any) -> Self:
        """A metric with the same parameters, but for `changes`, that has seen nothing."""
        return type(self)(**{**self.params, **changes})

    def merge(self, other: Self) -> None:
        """Absorb a metric of the same kind, as if its examples had come after ours."""
        raise NotMergeable(f"{self.name}: it does not say how two of its kind are merged.")

    @property
    def code(self) -> str:
        """How it is made, with the parameters that are not the usual ones."""
        usual = {p.name: p.default for p in inspect.signature(type(self)).parameters.values()}
        set_ = (f"{name}={value!r}" for name, value in self.params.items() if value != usual[name])
        return f"{type(self).__name__}({', '.join(set_)})"

    def __repr__(self) -> str:
        n = getattr(self, "n", None)
        if n == 0:
            return self.code
        shown = f"{figure(self.value, self.unit)}{f' {self.unit}' if self.unit else ''}"
        about = self.title.removeprefix(type(self).__name__)
        examples = f" after {n:,} examples" if n is not None else ""
        return f"{self.code}{about}: {shown}{examples}"
