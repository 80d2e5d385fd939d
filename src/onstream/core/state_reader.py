"""Reading a saved state with suspicion: every field checked before anything is built."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

SAFE = 1e300  # no learner lets a number of its state grow beyond: ONSTREAM_SAFE of simd.h
MOST = 2**61  # nor a count, `seen` among them


class StateReader:
    """The fields of an exported state, taken out one by one; `done` refuses left-overs."""

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
        """One of a few words."""
        value = self._take(name)
        if value not in choices:
            raise ValueError(f"{name} is {value!r:.40}, expected one of {', '.join(choices)}")
        return str(value)

    def array(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """A finite float64 array of this shape (-1: any length)."""
        value = self._take(name)
        right = isinstance(value, np.ndarray) and value.dtype == np.float64
        if not right or not fits(value.shape, shape):
            told = f"{value.dtype}{value.shape}" if isinstance(value, np.ndarray) else repr(value)
            raise ValueError(f"{name} is {told:.60}, expected float64{shape}")
        if not (np.abs(value) <= SAFE).all():
            raise ValueError(f"{name} holds a number that is not finite, or beyond {SAFE:g}")
        checked: NDArray[np.float64] = value
        return checked

    def integers(
        self, name: str, shape: tuple[int, ...], low: int = -MOST, high: int = MOST
    ) -> NDArray[np.int64]:
        """An int64 array of this shape (-1: any length) with values in low ... high."""
        value = self._take(name)
        right = isinstance(value, np.ndarray) and value.dtype == np.int64
        if not right or not fits(value.shape, shape):
            told = f"{value.dtype}{value.shape}" if isinstance(value, np.ndarray) else repr(value)
            raise ValueError(f"{name} is {told:.60}, expected int64{shape}")
        if value.size and not low <= value.min() <= value.max() <= high:
            raise ValueError(f"{name} holds a number outside {low} ... {high}")
        checked: NDArray[np.int64] = value
        return checked

    def child(self, name: str) -> "StateReader":
        """The fields of a state inside this one; call its `done`, too."""
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
        """Nothing may be left."""
        if self._left:
            raise ValueError(f"unexpected field {next(iter(self._left))!r:.60}")


def fits(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Say whether a shape is the wanted one, where -1 stands for any length."""
    return len(shape) == len(wanted) and all(
        w in (-1, n) for n, w in zip(shape, wanted, strict=True)
    )
