"""Scales of features learned on the way, as core/scaling.pyx does, one mapping after another."""

import math
from collections.abc import Mapping

OUTLIER, MANY, EIGHTH, NOISE = 5.0, 256, 8, 1e-26
SPREAD = 0x9E3779B97F4A7C15


class Scales:
    """Count, mean and squares of every feature; offset and factor as computed last."""

    def __init__(self, centres: bool = True) -> None:
        self.centres = centres
        self.seen = 0
        self.counted = 0
        self.whole: set[str] | None = None  # the features, while every example had all of them
        self.stats: dict[str, list[float]] = {}  # count, mean, sum of squares
        self.scale: dict[str, tuple[float, float]] = {}  # offset, factor
        self.due: dict[str, float] = {}

    def scaled(self, x: Mapping[str, float]) -> dict[str, float]:
        """The known features of x as a learner gets them."""
        known = {k: v for k, v in x.items() if k in self.scale}
        return {k: (v - self.scale[k][0]) * self.scale[k][1] for k, v in known.items()}

    def learn(self, x: Mapping[str, float]) -> dict[str, float]:
        """Count x, and return it scaled."""
        for name, value in x.items():
            count = self.stats.get(name, [0.0])[0] + 1.0
            if count >= self.due.get(name, 0.0):
                self.renew(name, value)
                self.due[name] = count + 1.0 + math.floor(count / 5.0)
        for name, value in self.scaled(x).items():
            if abs(value) > OUTLIER:
                self.renew(name, x[name])
        scaled = self.scaled(x)
        self.count(x)
        return scaled

    def renew(self, name: str, value: float) -> None:
        """Offset and factor with one more value."""
        count, mean, squares = self.stats.get(name, [0.0, 0.0, 0.0])
        count += 1.0
        far = value - mean
        mean += far / count
        variance = (squares + far * (value - mean)) / count
        share = min(1.0, count / (self.counted + 1)) if self.centres and self.counted else 0.0
        if variance <= NOISE * mean**2:
            variance = 0.0
        variance += ((1.0 - share) * mean) ** 2
        self.scale[name] = share * mean, 1.0 / math.sqrt(variance) if variance > 0.0 else 0.0

    def count(self, x: Mapping[str, float]) -> None:
        """Add the values of x; of features that came often only every eighth, eightfold."""
        self.seen += 1
        self.whole = set(x) if self.seen == 1 else self.whole
        if self.whole != set(x):
            self.whole = None
        for name in x:
            self.stats.setdefault(name, [0.0, 0.0, 0.0])
        skipped = (self.seen * SPREAD % 2**64) >> 61 != 0
        if self.whole:
            self.counted += self.weight(self.counted, skipped)
        else:
            self.counted += 1
        for name, value in x.items():
            stats = self.stats[name]
            weight = self.weight(stats[0], skipped)
            if weight:
                stats[0] += weight
                far = value - stats[1]
                stats[1] += far * weight / stats[0]
                stats[2] += weight * far * (value - stats[1])

    @staticmethod
    def weight(count: float, skipped: bool) -> int:
        """How often the next value counts after `count` of them."""
        return 1 if count < MANY else 0 if skipped else EIGHTH
