"""Objects that are parameters of learners: kernels, detectors and the like."""

from typing import Any, Self

from ..core.state_reader import StateReader
from .learner import revive
from .parameters import SuggestsParameters, parameters


class Part(SuggestsParameters):
    """An object with named parameters, kept as attributes; equal if class and parameters are."""

    @property
    def params(self) -> dict[str, Any]:
        """The parameters, by name."""
        return {name: getattr(self, name) for name in parameters(type(self))}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.params == other.params

    def __hash__(self) -> int:
        return hash((type(self).__name__, *map(repr, self.params.values())))

    def __repr__(self) -> str:
        defaults = parameters(type(self))
        given = (f"{n}={v!r}" for n, v in self.params.items() if v != defaults[n])
        return f"{type(self).__name__}({', '.join(given)})"


class StatefulPart(Part):
    """A part that learns from values, such as a detector. What it has learned is in `_state`.

    A subclass checks its parameters, then calls `super().__init__()`, which makes the state.
    """

    def __init__(self) -> None:
        self._state = self._named_state()

    def _new_state(self) -> Any:
        """A state with these parameters that has taken nothing."""
        raise TypeError(f"{type(self).__name__} is nothing by itself.")

    def _named_state(self) -> Any:
        """The same, with the name that its errors begin with."""
        state = self._new_state()
        state.who = type(self).__name__
        return state

    def clone(self, **changes: Any) -> Self:
        """A new one with the same parameters except `changes`, which has seen no value."""
        return type(self)(**{**self.params, **changes})

    def _restore(self, fields: dict[str, Any]) -> None:
        """Replace the state by an exported one; if that fails, keep the old one."""
        state = self._named_state()
        checked = StateReader(fields)
        state.restore(checked)
        checked.done()
        object.__setattr__(self, "_state", state)

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_state", None) is not None and name in parameters(type(self)):
            raise AttributeError(
                f"{type(self).__name__}: {name} is fixed from the start; "
                f"clone({name}={value!r}) gives another one with another value."
            )
        object.__setattr__(self, name, value)

    def __reduce__(self) -> Any:
        return revive, (type(self), self.params, self._snapshot())

    def _snapshot(self) -> dict[str, Any]:
        """Everything that was learned."""
        return self._state.export()
