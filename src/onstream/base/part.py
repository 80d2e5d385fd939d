"""What learners are given as parameters: kernels, detectors and the like."""

from typing import Any

from .learner import parameters


class Part:
    """A value with named parameters, kept as attributes. Equal if class and parameters are."""

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
        told = (f"{n}={v!r}" for n, v in self.params.items() if v != defaults[n])
        return f"{type(self).__name__}({', '.join(told)})"
