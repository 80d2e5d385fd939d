"""Unions: transformers side by side."""

from typing import Any

from ._structure import UnionState
from .steps import checked_steps, members
from .transformer import Transformer


class Union(Transformer):
    """Transformers side by side: every one gets the example, all their features come out.

    `a + b` is the same as `Union(a, b)`. A feature that two parts keep gets the number of the part
    behind its name the second time.

    Parameters
    ----------
    *members : transformers
        The parts, which must not have learned anything yet. `parts=[...]` does the same.
    parts : list, optional
        The parts, as a list.

    Examples
    --------
    >>> from onstream.features import MinMaxScaler, Select, StandardScaler
    >>> both = (Select("a") | StandardScaler()) + (Select("b") | MinMaxScaler())
    >>> for a, b in ((1, 10), (3, 20)):
    ...     both.learn_one({"a": a, "b": b})
    >>> both.transform_one({"a": 3, "b": 15})
    {'a': 1.0, 'b': 0.5}
    """

    def __init__(self, *members: Any, parts: Any = None) -> None:
        self.parts = [part._template() for part in checked_steps("Union", members, parts)]
        for part in self.parts:
            if not isinstance(part, Transformer):
                raise TypeError(f"Union: a part must be a transformer, got {part!r:.80}.")
        super().__init__()

    def _new_state(self) -> Any:
        return UnionState([[step._named_state() for step in members(p)] for p in self.parts])

    @property
    def params(self) -> dict[str, Any]:
        """The parameters, by name."""
        return {"parts": [part.clone() for part in self.parts]}

    def __repr__(self) -> str:
        return f"Union({', '.join(map(repr, self.parts))})"
