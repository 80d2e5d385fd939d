"""Where answers are written: a terminal as wide as it is, or a file or pipe without any edge."""

import os
import re
from typing import Any

from rich.console import Console

ENDLESS = 100_000  # columns


class Paper(Console):
    """Standard output; in a file or a pipe no line ends with spaces."""

    def print(self, *things: Any, **options: Any) -> None:
        """Write things; a pipe that nobody reads any more is a BrokenPipeError, as elsewhere."""
        if self.is_terminal:
            super().print(*things, **options)
            return
        with self.capture() as written:
            super().print(*things, **options)
        self.file.write(re.sub(r" +$", "", written.get(), flags=re.MULTILINE))
        self.file.flush()


def paper() -> Console:
    """Standard output; unless it is a terminal or COLUMNS is set, nothing is cut or wrapped."""
    console = Paper()
    if console.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return console
    return Paper(width=ENDLESS)
