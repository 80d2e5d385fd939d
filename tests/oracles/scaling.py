"""Scales of features learned on the way, as core/scaling.pyx does, one mapping after another."""

import math
from collections.abc import Mapping

RARE, USUAL, OUTLIER, MANY, EIGHTH, NOISE = 0.2, 0.8, 5.0, 256, 8, 1e-26
SPREAD = 0x9E3779B97F4A7C15


class Scales:
    """Count, mean and squares of values other than 0; offset and factor as computed last."""

    def __init__(self, centres: bool = True) -> None:
        self.centres = centres
        self.seen = 0
        self.counted = 0
        self.next_due = 1.0  # of features with an offset
        self.stats: dict[str, list[float]] = {}  # count, mean, sum of squares
        self.scale: dict[str, tuple[float, float]] = {}  # offset, factor
        self.reach: dict[str, float] = {}
        self.due: dict[str, float] = {}

    def scaled(self, x: Mapping[str, float]) -> dict[str, float]:
        """The features that x has, and all that have an offset, as a learner gets them."""
        return {
            k: (x.get(k, 0.0) - offset) * factor
            for k, (offset, factor) in self.scale.items()
            if x.get(k, 0.0) or offset
        }

    def learn(self, x: Mapping[str, float]) -> dict[str, float]:
        """Count x, and return it scaled."""
        x = {k: v for k, v in x.items() if v}
        if self.counted + 1 >= self.next_due:
            for name, (offset, _) in list(self.scale.items()):
                if offset:
                    self.renew(name, x.get(name, 0.0))
            self.next_due = due_after(self.counted + 1)
        for name, value in x.items():
            count = self.stats.get(name, [0.0])[0] + 1.0
            if count >= self.due.get(name, 0.0) and not self.scale.get(name, (0.0,))[0]:
                self.renew(name, value)
                self.due[name] = due_after(count)
        for name, value in self.scaled(x).items():
            if abs(value) > max(OUTLIER, self.reach[name]):
                self.renew(name, x.get(name, 0.0))
        scaled = self.scaled(x)
        self.count(x)
        return scaled

    def renew(self, name: str, value: float) -> None:
        """Offset and factor with one more example, in which the feature is `value`."""
        count, mean, squares = self.stats.get(name, [0.0, 0.0, 0.0])
        if value:
            count += 1.0
            far = value - mean
            mean += far / count
            squares += far * (value - mean)
        share = min(1.0, count / (self.counted + 1))
        weight = min(1.0, max(0.0, (share - RARE) / (USUAL - RARE)))
        if not self.centres or not self.counted:
            weight = 0.0
        offset = weight * share * mean
        variance = squares / count
        if variance <= NOISE * mean**2:
            variance = 0.0
        variance = share * (variance + (mean - offset) ** 2) + weight * (1.0 - share) * offset**2
        variance /= share + weight * (1.0 - share)
        unit = share ** (-0.25 * (1.0 - weight))
        self.scale[name] = offset, unit / math.sqrt(variance) if variance > 0.0 else 0.0
        self.reach[name] = unit * max(OUTLIER, math.sqrt(count) / 4.0)

    def count(self, x: Mapping[str, float]) -> None:
        """Add the values of x; of features that came often only every eighth, eightfold."""
        self.seen += 1
        skipped = (self.seen * SPREAD % 2**64) >> 61 != 0
        for name, value in x.items():
            stats = self.stats.setdefault(name, [0.0, 0.0, 0.0])
            weight = self.weight(stats[0], skipped)
            if weight:
                stats[0] += weight
                far = value - stats[1]
                stats[1] += far * weight / stats[0]
                stats[2] += weight * far * (value - stats[1])
        self.counted += self.weight(self.counted, skipped)

    @staticmethod
    def weight(count: float, skipped: bool) -> int:
        """How often the next value counts after `count` of them."""
        return 1 if count < MANY else 0 if skipped else EIGHTH


def due_after(count: float) -> float:
    """The count at which to compute again."""
    return count + 1.0 + math.floor(count / 5.0)
