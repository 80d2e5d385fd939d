"""What scalers and the imputer share: a few numbers per feature, which can be merged."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.errors import NotMergeable
from ..base.union import Exported, union_of_features
from ..core.state_reader import SAFE
from ._scalers import KEPT, SAVED, saved
from .transformer import Transformer


class PerFeature(Transformer, ABC):
    """A transformer whose states are merged feature by feature."""

    merge_kind = "exact"

    def __init__(self) -> None:
        super().__init__()

    @abstractmethod
    def _together(self, ours: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        """The numbers of each feature (see `_scalers.pyx`) that two sets of them amount to."""

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        union, places = union_of_features(mine, theirs)
        kept = {name: value for name, value in mine.items() if name != "low"}  # may be gone
        return {**kept, **union, **self._merged_step(mine, theirs, union, places)}

    def _merged_step(self, mine: Exported, theirs: Exported, union: Exported, places: Any) -> Any:
        rows = union["implicit"] + len(union["features"])
        if not rows:  # hashed: slot by slot
            rows = max(len(mine["stats"]), len(theirs["stats"]))
            places = np.arange(len(theirs["stats"]))
        ours, other = np.zeros((rows, KEPT)), np.zeros((rows, KEPT))
        ours[: len(mine["stats"]), :SAVED] = mine["stats"]
        ours[: len(mine["stats"]), SAVED] = mine.get("low", 0.0)
        other[places, :SAVED] = theirs["stats"]
        other[places, SAVED] = theirs.get("low", 0.0)
        with np.errstate(all="ignore"):
            stats = self._together(ours, other)
        if not (np.abs(stats) < SAFE).all():
            raise NotMergeable(
                f"{type(self).__name__}: the values seen here and there are so large that together "
                f"they leave the range of floats."
            )
        merged = {"seen": mine["seen"] + theirs["seen"], **saved(stats)}
        if "start" in mine:
            merged["start"] = mine["start"] + theirs["start"]
        return merged

    def _rebased_step(self, fields: Exported, base: Exported, places: Any, sign: int) -> Any:
        if sign > 0:
            names = {"implicit": len(fields["stats"]), "features": []}
            return self._merged_step(fields, base, names, places)
        begun = np.zeros((len(fields["stats"]), SAVED))
        begun[places if len(places) else np.arange(len(base["stats"]))] = base["stats"]
        stats = np.zeros((len(begun), KEPT))
        stats[:, :SAVED] = self._since(fields["stats"], begun)
        return {"seen": fields["seen"] - base["seen"], **saved(stats)}

    def _since(self, stats: NDArray[Any], base: NDArray[Any]) -> NDArray[Any]:
        """The numbers of each feature over what came after those of `base`."""
        count = np.maximum(stats[:, 0] - base[:, 0], 0.0)
        some = count > 0.0
        sums = stats[:, 0] * stats[:, 1] - base[:, 0] * base[:, 1]
        mean = np.divide(sums, count, out=np.zeros(len(count)), where=some)
        return np.column_stack([count, mean, stats[:, 2:]])


def both_means(ours: NDArray[Any], other: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Total weights, means, what rounding took from the means, and the squares between the two."""
    total = ours[:, 0] + other[:, 0]
    share = np.divide(other[:, 0], total, out=np.zeros(len(total)), where=total > 0.0)
    delta = (other[:, 1] - ours[:, 1]) + (other[:, 4] - ours[:, 4])
    mean = ours[:, 1] + delta * share
    moved = mean - ours[:, 1]
    low = ours[:, 4] + ((ours[:, 1] - (mean - moved)) + (delta * share - moved))
    return total, mean, low, delta * delta * ours[:, 0] * share
