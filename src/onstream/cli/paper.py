"""Where answers are written: a terminal as wide as it is, or a file or pipe without any edge."""

import os

from rich.console import Console

ENDLESS = 100_000  # columns


def paper() -> Console:
    """Standard output; unless it is a terminal or COLUMNS is set, nothing is cut or wrapped."""
    console = Console()
    if console.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return console
    return Console(width=ENDLESS)
