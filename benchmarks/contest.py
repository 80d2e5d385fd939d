"""What a row of a benchmark is made of: contestants, the sides they stand on, and targets.

Imported in every peer's environment, so only the standard library and numpy may appear here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

Data = dict[str, np.ndarray]
OURS = "onstream"  # the peer name of our own side: the interpreter that runs the harness


class Contestant(ABC):
    """One side at work: built once from the data, then ``setup`` and ``run`` per repetition."""

    n: int  # examples per run
    model: Any = None
    spent: float | None = None  # seconds of the run by a clock of its own, if that is to count

    def setup(self) -> None:  # noqa: B027 - some need none
        """Untimed, before every run: an unlearned model, rows never touched before."""

    @abstractmethod
    def run(self) -> None:
        """Do the timed part, as tight as its users would write it."""

    def scores(self) -> dict[str, float]:
        """Untimed, once after a run: how good, by name. The page shows what both sides share."""
        return {}


@dataclass(frozen=True)
class Side:
    """A contestant, the environment it runs in and its name on the page."""

    peer: str
    name: str
    build: Callable[[Data], Contestant]


@dataclass(frozen=True)
class Rival:
    """A side to beat: ours must be ``target`` times as fast (0.2: at most 5 times slower)."""

    side: Side
    target: float | None = None


@dataclass(frozen=True)
class Row:
    """Sides measured together on one data set of ``data.DATASETS``."""

    name: str
    data: str
    ours: Side
    rivals: tuple[Rival, ...]

    @property
    def sides(self) -> tuple[Side, ...]:
        return (self.ours, *(rival.side for rival in self.rivals))


@dataclass(frozen=True)
class Import:
    """A statement whose time in a fresh interpreter is measured; ``limit`` in seconds."""

    peer: str
    statement: str
    limit: float | None = None


def maker(path: str, **params: Any) -> Callable[[], Any]:
    """Construct ``"module:Class"``, importing it only when called, in its environment."""

    def make() -> Any:
        module, name = path.split(":")
        return getattr(import_module(module), name)(**params)

    return make
