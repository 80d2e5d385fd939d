"""Reading a saved state with suspicion: every field checked before anything is built."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST = 1e300  # no learner lets a number of its state grow beyond


class Fields:
    """The fields of an exported state, taken out one by one; `done` refuses left-overs."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._left = dict(fields)

    def _take(self, name: str) -> Any:
        if name not in self._left:
            raise ValueError(f"{name} is missing")
        return self._left.pop(name)

    def integer(self, name: str, low: int, high: int = 2**62) -> int:
        """A whole number in low ... high."""
        value = self._take(name)
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"{name} is {value!r:.40}, expected a whole number of at least {low}")
        return value

    def number(self, name: str, low: float, high: float) -> float:
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

    def array(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """A finite float64 array of this shape."""
        value = self._take(name)
        if not isinstance(value, np.ndarray) or value.dtype != np.float64 or value.shape != shape:
            told = f"{value.dtype}{value.shape}" if isinstance(value, np.ndarray) else repr(value)
            raise ValueError(f"{name} is {told:.60}, expected float64{shape}")
        if not (np.abs(value) <= LARGEST).all():
            raise ValueError(f"{name} holds a number that is not finite, or beyond {LARGEST:g}")
        return value

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
