"""ADWIN over a plain list of items: every bucket knows which items it stands for."""

import math


def epsilon_cut(n0: float, n1: float, variance: float, delta: float, n: float) -> float:
    inverse = 1.0 / n0 + 1.0 / n1
    sure = math.log(2.0 * math.log(n) / delta)
    return math.sqrt(2.0 * inverse * variance * sure) + 2.0 / 3.0 * inverse * sure


class ADWIN:
    """The items themselves, and the lengths of the buckets, the oldest first."""

    def __init__(self, delta: float = 0.002) -> None:
        self.delta = delta
        self.items: list[float] = []
        self.sizes: list[int] = []
        self.clock = 0

    def update(self, v: float) -> bool:
        self.items.append(v)
        self.sizes.append(1)
        size = 1
        while self.sizes.count(size) > 5:
            oldest = self.sizes.index(size)
            self.sizes[oldest : oldest + 2] = [2 * size]
            size *= 2
        self.clock += 1
        changed = False
        if self.clock % 32 == 0:
            while len(self.items) >= 10 and self.differs():
                del self.items[: self.sizes.pop(0)]
                changed = True
        return changed

    @property
    def mean(self) -> float:
        return math.fsum(self.items) / len(self.items)

    @property
    def variance(self) -> float:
        return math.fsum((v - self.mean) ** 2 for v in self.items) / len(self.items)

    def differs(self) -> bool:
        n, n0, variance = len(self.items), 0, self.variance
        for size in self.sizes:
            n0 += size
            n1 = n - n0
            if n0 >= 5 and n1 >= 5:
                apart = abs(math.fsum(self.items[:n0]) / n0 - math.fsum(self.items[n0:]) / n1)
                if apart > epsilon_cut(n0, n1, variance, self.delta, n):
                    return True
        return False
