"""What an experiment is given: its size, its seed, a progress bar, and a folder of data sets."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from .folder import Loaded, load

T = TypeVar("T")
Size = Literal["tiny", "default", "full"]


def silent(done: int, total: int, what: str) -> None:
    """Show no progress."""


@dataclass
class Lab:
    """The surroundings of one experiment."""

    size: Size = "default"
    seed: int = 0
    data: Path | None = None
    progress: Callable[[int, int, str], object] = silent
    missing: list[str] = field(default_factory=list)  # data sets that the folder lacks

    def pick(self, default: T, full: T, tiny: T) -> T:
        """What suits the size: the paper's, one for a desk, or one for a test."""
        return {"default": default, "full": full, "tiny": tiny}[self.size]

    def rng(self, *more: int) -> np.random.Generator:
        """A generator of random numbers for one part of the experiment."""
        return np.random.default_rng([self.seed, *more])

    def each(self, things: Iterable[T], what: Callable[[T], str] = str) -> Iterator[T]:
        """The same things one by one, with progress."""
        listed: Sequence[T] = list(things)
        for done, thing in enumerate(listed):
            self.progress(done, len(listed), what(thing))
            yield thing
        self.progress(len(listed), len(listed), "")

    def sets(self, names: Sequence[str]) -> Iterator[Loaded]:
        """Those of these data sets that are in the folder of `--data`; none without one."""
        if self.data is None:
            return
        found = 0
        for name in names:
            try:
                loaded = load(self.data, name)
            except FileNotFoundError:
                self.missing.append(name)
                continue
            found += 1
            yield loaded
        if not found:
            raise ValueError(
                f"onstream: --data {self.data}: none of {', '.join(names)} is there; the folder "
                f"should hold NAME.parquet, NAME.npz or NAME.svm.bz2."
            )

    def gaps(self) -> list[str]:
        """A remark about data sets that were not there."""
        if not self.missing:
            return []
        return [f"Not in the folder of data sets, and so left out: {', '.join(self.missing)}."]


def columns_of(**settings: Any) -> dict[str, Any]:
    """Parameters by name, underscores as spaces."""
    return {name.replace("_", " "): value for name, value in settings.items()}
