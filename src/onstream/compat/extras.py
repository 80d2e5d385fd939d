"""Packages that are not installed with onstream."""

from importlib import import_module
from typing import Any


def needed(package: str, extra: str, who: str) -> Any:
    """The package, or an ImportError that says how to install it."""
    try:
        return import_module(package)
    except ImportError as error:
        missing = (error.name or package).partition(".")[0]
        raise ImportError(
            f'{who} needs {missing}: pip install "onstream[{extra}]"', name=missing
        ) from None
