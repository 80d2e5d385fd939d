"""The columns that a trained model knows."""

from typing import Any


def column_names(model: Any) -> list[Any] | None:
    """The columns of the numbers learned, all str or 0, 1, 2, …; None: hashed, mixed or nominal."""
    fields = model._model.snapshot()
    if "features" not in fields or len(fields.get("nominal", ())):
        return None
    names = [*range(fields["implicit"]), *fields["features"]]
    if all(isinstance(name, str) for name in names):
        return names
    return names if sorted(map(str, names)) == sorted(map(str, range(len(names)))) else None
