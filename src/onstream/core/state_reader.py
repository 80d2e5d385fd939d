"""`StateReader`: the fields of a saved state, each checked before anything is built from it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coerce import SAFE as SAFE  # other modules import it from here

MOST = 2**61  # the largest count


class StateReader:
    """Fields of an exported state, taken out one by one; `done` refuses left-overs."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._left = dict(fields)

    def _take(self, name: str) -> Any:
        if name not in self._left:
            raise ValueError(f"{name} is missing")
        return self._left.pop(name)

    def integer(self, name: str, low: int, high: int = MOST) -> int:
        """A whole number in low ... high."""
        value = self._take(name)
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"{name} is {value!r:.40}, expected a whole number of at least {low}")
        return value

    def number(self, name: str, low: float = -SAFE, high: float = SAFE) -> float:
        """A float in low ... high."""
        value = self._take(name)
        if type(value) not in (int, float) or not low <= value <= high:
            raise ValueError(f"{name} is {value!r:.40}, expected a number from {low:g} to {high:g}")
        return float(value)

    def flag(self, name: str) -> bool | None:
        """True, False or None."""
        value = self._take(name)
        if value is not None and type(value) is not bool:
            raise ValueError(f"{name} is {value!r:.40}, expected true or false")
        return value

    def text(self, name: str, choices: tuple[str, ...]) -> str:
        """One of the words in `choices`."""
        value = self._take(name)
        if value not in choices:
            raise ValueError(f"{name} is {value!r:.40}, expected one of {', '.join(choices)}")
        return str(value)

    def array(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """A finite float64 array of this shape (-1: any length)."""
        value: NDArray[np.float64] = self._take_array(name, "float64", shape)
        if not (np.abs(value) <= SAFE).all():
            raise ValueError(f"{name} holds a number that is not finite, or beyond {SAFE:g}")
        return value

    def integers(
        self, name: str, shape: tuple[int, ...], low: int = -MOST, high: int = MOST
    ) -> NDArray[np.int64]:
        """An int64 array of this shape (-1: any length) with values in low ... high."""
        value: NDArray[np.int64] = self._take_array(name, "int64", shape)
        if value.size and not low <= value.min() <= value.max() <= high:
            raise ValueError(f"{name} holds a number outside {low} ... {high}")
        return value

    def _take_array(self, name: str, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        value = self._take(name)
        is_array = isinstance(value, np.ndarray)
        if not is_array or value.dtype != dtype or not fits(value.shape, shape):
            found = f"{value.dtype}{value.shape}" if is_array else repr(value)
            raise ValueError(f"{name} is {found:.60}, expected {dtype}{shape}")
        return value

    def child(self, name: str) -> "StateReader":
        """The fields of a nested state; call `done` of both."""
        value = self._take(name)
        if type(value) is not dict:
            raise ValueError(f"{name} is {value!r:.40}, expected a state")
        return StateReader(value)

    def missing(self, name: str) -> bool:
        """Say whether there is no such field."""
        return name not in self._left

    def names(self, name: str, kinds: tuple[type, ...]) -> list[Any]:
        """A list of plain names."""
        value = self._take(name)
        if type(value) is not list or not all(type(item) in kinds for item in value):
            raise ValueError(f"{name} is not a list of names")
        return value

    def done(self) -> None:
        """Refuse fields that were not taken out."""
        if self._left:
            raise ValueError(f"unexpected field {next(iter(self._left))!r:.60}")


def fits(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Say whether a shape is the wanted one; -1 there means any length."""
    return len(shape) == len(wanted) and all(
        w in (-1, n) for n, w in zip(shape, wanted, strict=True)
    )
