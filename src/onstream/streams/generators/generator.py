"""What the generators share: seeds, and blocks that do not depend on their size."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...base.blocks import Block, length
from ...base.checks import number, whole
from ..stream import Progress, Stream

Floats: TypeAlias = NDArray[np.float64]
Draw: TypeAlias = Callable[[int], Block]  # the next n rows


class Generator(Stream):
    """An endless stream made by chance; iterating again starts it again.

    The concept (what is to be learned) and the instances draw from two children of the seed, and
    each kind of number of an instance has a generator of its own. So neither the size of the
    blocks nor the noise changes the other draws.
    """

    seed: int
    endless = True
    _progress = Progress()

    def __init__(self, seed: int) -> None:
        self.seed = whole(self, "seed", seed, least=0)

    @abstractmethod
    def _start(self) -> Draw:
        """The first row comes next."""

    def _batches(self, n: int) -> Iterator[Block]:
        draw, rows = self._start(), 0
        while True:
            block = draw(n)
            rows += length(block)
            self._progress = Progress(rows)
            yield block

    def _concept(self) -> np.random.Generator:
        """The source of chance for what is to be learned."""
        return np.random.default_rng(np.random.SeedSequence(self.seed).spawn(2)[0])

    def _instances(self, kinds: int) -> list[np.random.Generator]:
        """One source of chance for each kind of number of an instance."""
        instances = np.random.SeedSequence(self.seed).spawn(2)[1]
        return [np.random.default_rng(child) for child in instances.spawn(kinds)]

    def _share(self, name: str, value: Any) -> float:
        """A parameter from 0 to 1."""
        return number(self, name, value, least=0.0, most=1.0)

    def __repr__(self) -> str:
        shown = {k: v for k, v in vars(self).items() if not k.startswith("_")}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in shown.items())})"


def whole_numbers(uniform: Floats, low: int, high: int) -> NDArray[np.int64]:
    """Numbers of [0, 1) as whole numbers low ... high, all equally likely."""
    return (low + np.floor(uniform * (high - low + 1))).astype(np.int64)


def flipped(labels: Any, rng: np.random.Generator, noise: float) -> NDArray[np.int64]:
    """Labels 0 and 1, each the wrong one with probability `noise`."""
    truth = np.asarray(labels)
    return np.asarray(truth ^ (rng.random(len(truth)) < noise), dtype=np.int64)
