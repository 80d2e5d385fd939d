"""The console script `onstream`: it loads the commands itself, so that Ctrl-C is quiet by then."""

from typing import Any

from .interrupt import leave_at_once


def main() -> None:
    """Run the command line."""
    leave_at_once()
    from .app import app

    app()


def __getattr__(name: str) -> Any:
    """The `app` of the commands, for those who call it from Python."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .app import app

    return app
