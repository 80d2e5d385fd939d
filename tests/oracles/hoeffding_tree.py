"""VFDT as the specification says it, with a Python object per node and no speed at all."""

import math
from typing import Any

import numpy as np


class Gaussian:
    """Numbers of one feature and label."""

    def __init__(self) -> None:
        self.n, self.mean, self.m2 = 0.0, 0.0, 0.0
        self.low, self.high = math.inf, -math.inf

    def add(self, x: float, w: float) -> None:
        self.n += w
        before = x - self.mean
        self.mean += before * w / self.n
        self.m2 += w * before * (x - self.mean)
        self.low, self.high = min(self.low, x), max(self.high, x)

    def below(self, cut: float) -> float:
        if cut < self.low:
            return 0.0
        if cut >= self.high:
            return self.n
        z = (cut - self.mean) / math.sqrt(self.m2 / self.n)
        return self.n * 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))

    def log_density(self, x: float, floor: float | None) -> float:
        if floor == 0.0:
            return 0.0  # it has never varied here
        if floor is None and self.m2 <= 0.0:
            return 0.0 if x == self.mean else -math.inf
        v = self.m2 / self.n + (floor or 0.0)
        return -0.5 * math.log(2.0 * math.pi * v) - (x - self.mean) ** 2 / (2.0 * v)


class Node:
    """A leaf, until it asks a question."""

    def __init__(self, parent: "Node | None", mass: float) -> None:
        self.parent, self.mass = parent, mass
        self.counts: dict[Any, float] = {}
        self.fresh = self.last = self.mc = self.nb = 0.0
        self.numeric: dict[tuple[Any, Any], Gaussian] = {}
        self.nominal: dict[tuple[Any, Any], dict[str, float]] = {}
        self.feature: Any = None
        self.cut: float | None = None
        self.value: str | None = None  # nominal: left if it is this one
        self.children: dict[Any, Node] = {}


def entropy(counts: list[float]) -> float:
    n = sum(counts)
    return -sum(c / n * math.log2(c / n) for c in counts if c > 0) if n > 0 else 0.0


def gini(counts: list[float]) -> float:
    n = sum(counts)
    return 1.0 - sum((c / n) ** 2 for c in counts) if n > 0 else 0.0


class VFDT:
    """Examples are dicts; a string is nominal, an absent feature is missing."""

    def __init__(
        self,
        delta: float = 1e-7,
        grace: float = 200,
        tau: float = 0.05,
        criterion: str = "info_gain",
        variance_floor: float = 0.0,
        ties: str = "first",
        nominal_split: str = "branches",
    ) -> None:
        self.delta, self.grace, self.tau = delta, grace, tau
        self.variance_floor, self.ties = variance_floor, ties
        self.binary = nominal_split == "binary"
        self.impurity = entropy if criterion == "info_gain" else gini
        self.gini = criterion == "gini"
        self.root = Node(None, 0.0)
        self.labels: list[Any] = []
        self.values: dict[Any, list[str]] = {}
        self.features: list[Any] = []

    def route(self, x: dict[Any, Any]) -> Node:
        node = self.root
        while node.feature is not None:
            v = x.get(node.feature)
            if v is None:
                node = max(node.children.values(), key=lambda child: child.mass)
            elif node.cut is not None:
                node = node.children[v <= node.cut]
            elif node.value is not None:
                node = node.children[v == node.value]
            elif v in node.children:
                node = node.children[v]
            else:
                return node
        return node

    def floor(self, node: Node, f: Any) -> float | None:
        """What is added to every label's variance of this feature; None: the rule without it."""
        if self.variance_floor == 0.0:
            return None
        own = [g for (feature, _), g in node.numeric.items() if feature == f]
        n = sum(g.n for g in own)
        mean = sum(g.n * g.mean for g in own) / n
        return self.variance_floor * sum(g.m2 + g.n * (g.mean - mean) ** 2 for g in own) / n

    def best(self, node: Node, votes: list[float]) -> Any:
        """On ties what the nodes above say, then the earliest, of two the second (none is True)."""
        tied = [i for i, vote in enumerate(votes) if vote == max(votes)]
        above = node.parent
        while self.ties == "parent" and len(tied) > 1 and above is not None:
            counts = [above.counts.get(self.labels[i], 0.0) for i in tied]
            tied = [i for i, c in zip(tied, counts, strict=True) if c == max(counts)]
            above = above.parent
        if len(tied) == 1:
            return self.labels[tied[0]]
        if len(votes) == 2 and votes[0] == votes[1]:
            return self.labels[1]
        return self.labels[int(np.argmax(votes))]

    def rules(self, node: Node, x: dict[Any, Any]) -> tuple[Any, Any]:
        """What the majority and naive Bayes say."""
        n = sum(node.counts.values())
        mc = self.best(node, [node.counts.get(y, 0.0) / n for y in self.labels])
        logs = []
        for y in self.labels:
            if node.counts.get(y, 0.0) <= 0.0:
                logs.append(-math.inf)
                continue
            total = math.log(node.counts[y] / n)
            for f, v in x.items():
                if isinstance(v, str):
                    seen = node.nominal.get((f, y), {})
                    values = self.values.get(f, [])
                    if values:
                        total += math.log(
                            (seen.get(v, 0.0) + 1) / (sum(seen.values()) + len(values))
                        )
                elif f in self.features:
                    g = node.numeric.get((f, y))
                    total += -math.inf if g is None else g.log_density(v, self.floor(node, f))
            logs.append(total)
        return mc, (mc if max(logs) == -math.inf else self.best(node, logs))

    def predict(self, x: dict[Any, Any]) -> Any:
        node = self.route(x)
        if node.counts and node.feature is None:
            mc, nb = self.rules(node, x)
            return nb if node.nb > node.mc else mc
        while not node.counts and node.parent is not None:
            node = node.parent
        if not node.counts:
            return None
        n = sum(node.counts.values())
        return self.best(node, [node.counts.get(y, 0.0) / n for y in self.labels])

    def learn(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        node = self.route(x)
        if node.feature is not None:
            node.children[x[node.feature]] = node = Node(node, 0.0)
        hits = self.rules(node, x) if node.counts else None
        if hits:
            node.mc += w * (hits[0] == y)
            node.nb += w * (hits[1] == y)
        if y not in self.labels:
            self.labels.append(y)
        above: Node | None = node
        while above is not None:
            above.mass += w
            above = above.parent
        node.counts[y] = node.counts.get(y, 0.0) + w
        node.fresh += w
        for f, v in x.items():
            if f not in self.features:
                self.features.append(f)
            if isinstance(v, str):
                if v not in self.values.setdefault(f, []):
                    self.values[f].append(v)
                own = node.nominal.setdefault((f, y), {})
                own[v] = own.get(v, 0.0) + w
            else:
                node.numeric.setdefault((f, y), Gaussian()).add(v, w)
        if node.fresh - node.last >= self.grace:
            node.last = node.fresh
            if sum(c > 0 for c in node.counts.values()) > 1:
                self.attempt(node)

    def gain(self, parts: list[list[float]], weight: float) -> float:
        if sum(sum(part) > 0.01 * weight for part in parts) < 2:
            return 0.0
        whole = [sum(column) for column in zip(*parts, strict=True)]
        n = sum(whole)
        return self.impurity(whole) - sum(sum(p) / n * self.impurity(p) for p in parts)

    def candidates(self, node: Node) -> list[tuple[float, int, Any, Any, dict[Any, float]]]:
        weight = sum(node.counts.values())
        found = []
        for order, f in enumerate(self.features):
            if f in self.values:
                parts = {
                    v: [node.nominal.get((f, y), {}).get(v, 0.0) for y in self.labels]
                    for v in self.values[f]
                }
                masses: dict[Any, float]
                if self.binary:
                    found.append(self.best_value(order, f, parts, weight))
                    continue
                masses = {v: sum(part) for v, part in parts.items() if sum(part) > 0}
                found.append((self.gain(list(parts.values()), weight), order, f, None, masses))
                continue
            own = [node.numeric.get((f, y)) for y in self.labels]
            there = [g for g in own if g is not None]
            if not there:
                continue
            low, high = min(g.low for g in there), max(g.high for g in there)
            best: tuple[float, int, Any, Any, dict[Any, float]] = (0.0, order, f, low, {})
            for j in range(1, 11):
                cut = low + (high - low) * (j / 11)
                if not low < high:
                    break
                left = [0.0 if g is None else g.below(cut) for g in own]
                right = [0.0 if g is None else g.n - m for g, m in zip(own, left, strict=True)]
                gain = self.gain([left, right], weight)
                if gain > best[0] + 1e-13:
                    best = (gain, order, f, cut, {True: sum(left), False: sum(right)})
            found.append(best)
        return found

    def best_value(
        self, order: int, f: Any, parts: dict[str, list[float]], weight: float
    ) -> tuple[float, int, Any, Any, dict[Any, float]]:
        """The value that is best separated from all others."""
        whole = [sum(column) for column in zip(*parts.values(), strict=True)]
        best: tuple[float, int, Any, Any, dict[Any, float]] = (0.0, order, f, "", {})
        for value, left in parts.items():
            right = [a - b for a, b in zip(whole, left, strict=True)]
            gain = self.gain([left, right], weight)
            if gain > best[0] + 1e-13:
                best = (gain, order, f, value, {True: sum(left), False: sum(right)})
        return best

    def attempt(self, node: Node) -> None:
        weight = sum(node.counts.values())
        k = sum(c > 0 for c in node.counts.values())
        span = 1.0 if self.gini else math.log2(max(2, k))
        epsilon = math.sqrt(span**2 * math.log(1.0 / self.delta) / (2.0 * weight))
        ranked = sorted(self.candidates(node), key=lambda c: (-c[0], c[1]))
        if not ranked or ranked[0][0] <= 1e-10:
            return
        second = ranked[1][0] if len(ranked) > 1 else 0.0
        if ranked[0][0] - second > epsilon or epsilon < self.tau:
            _, _, node.feature, cut, masses = ranked[0]
            node.value, node.cut = (cut, None) if isinstance(cut, str) else (None, cut)
            node.children = {branch: Node(node, mass) for branch, mass in masses.items()}

    def outline(self) -> list[tuple[Any, Any, dict[Any, float]]]:
        """Every node before its children: feature, cut or value, counts."""

        def walk(node: Node) -> list[tuple[Any, Any, dict[Any, float]]]:
            below = [node.children[b] for b in sorted(node.children, key=self.branch_order(node))]
            told = [
                (
                    node.feature,
                    node.value or node.cut,
                    {y: c for y, c in node.counts.items() if c > 0},
                )
            ]
            return told + [line for child in below for line in walk(child)]

        return walk(self.root)

    def branch_order(self, node: Node) -> Any:
        if node.cut is not None or node.value is not None:
            return lambda branch: not branch
        return lambda branch: self.values[node.feature].index(branch)
