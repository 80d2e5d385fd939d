"""Select: some columns only."""

from typing import Any

from ._structure import SelectState
from .transformer import NamesOnly


class Select(NamesOnly):
    """Keep only the features of these names; of a text column, all its `name=value` features.

    Parameters
    ----------
    *columns : str or int
        The names. `names=[...]` does the same.
    names : list of str or int, optional
        The names, as a list.

    Examples
    --------
    >>> select = Select("a", "b")
    >>> select.learn_one({"a": 1, "b": 2, "c": 3})
    >>> select.transform_one({"a": 1, "c": 3})
    {'a': 1.0}
    """

    def __init__(self, *columns: str | int, names: Any = None) -> None:
        if names is not None and not isinstance(names, (list, tuple)):
            raise TypeError(f"Select: names must be a list of features, got {names!r:.80}.")
        chosen = [*columns, *(names or ())]
        if not chosen or not all(type(name) in (str, int) for name in chosen):
            raise TypeError(f"Select: give names of features, strings or ints, got {chosen!r:.80}.")
        self.names = chosen
        super().__init__()

    def _new_state(self) -> Any:
        return SelectState(self.names)
