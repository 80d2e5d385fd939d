"""A tree for people: its splits, branches and leaves as plain Python objects."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_LEVELS = 100  # that texts and pictures show, unless the user says how many


@dataclass
class Node:
    """One node of a tree, as it was when it was looked at."""

    number: int
    depth: int
    weight: float  # examples counted here
    mass: float  # examples that passed
    gain: float
    counts: dict[Any, float] = field(default_factory=dict)  # classifier: weight of each label
    mean: float = 0.0  # regressor
    deviation: float = 0.0
    feature: Any = None  # None: a leaf
    threshold: float | None = None  # None: nominal
    value: str | None = None  # the one that is separated from all others; None: one branch each
    children: list[tuple[Any, "Node"]] = field(default_factory=list)  # branch and child
    below: int = 0  # nodes below that are left out

    def test(self, branch: Any) -> str:
        """The condition that leads into a branch."""
        if self.threshold is not None:
            text = f"{self.feature} {branch} {self.threshold:.6g}"
        elif self.value is not None:
            text = f"{self.feature} {branch} {self.value}"
        else:
            text = f"{self.feature} = {branch}"
        return text.replace("\n", "\\n")  # names may hold line breaks

    def step(self, x: Mapping[str, Any]) -> tuple[Any, "Node"] | None:
        """The branch that an example takes; None: a nominal value without one."""
        value = x.get(str(self.feature))
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return max(self.children, key=lambda pair: pair[1].mass)
        if self.threshold is not None:
            return self.children[0 if value <= self.threshold else 1]
        text = value if isinstance(value, str) else f"{float(value):.17g}"
        if self.value is not None:
            return self.children[0 if same(self.value, text) else 1]
        return next((pair for pair in self.children if same(pair[0], text)), None)

    def trim(self, max_depth: int | None) -> "Node":
        """Leave out what is deeper than this; returns the node itself."""
        for node in list(self.walk()):
            if node.depth == max_depth and node.children:
                node.below = sum(1 for _ in node.walk()) - 1
                node.children = []
        return self

    def narrow(self, leaves: int) -> "Node":
        """Of splits by many values, leave the branches that most examples took; returns the node.

        Splits by values get room for about so many leaves together, each for two at least; splits
        in two stay as they are.
        """
        waiting = [(self, leaves)]
        sums = 0
        while waiting:
            node, room = waiting.pop()
            most = max(2, min(room, leaves // 2))
            if len(node.children) > most + 1:  # a single one is not worth a sum
                sums += 1
                node.sum_up(most, -sums)
            if len(node.children) > 2:
                room //= len(node.children)
            waiting.extend((child, room) for _, child in node.children)
        return self

    def sum_up(self, most: int, number: int) -> None:
        """Leave so many branches; all others become one leaf, of this number."""
        by_mass = sorted(self.children, key=lambda pair: (-pair[1].mass, -pair[1].weight))
        kept = {id(child) for _, child in by_mass[:most]}
        others = [child for _, child in self.children if id(child) not in kept]
        self.children = [pair for pair in self.children if id(pair[1]) in kept]
        self.children.append((f"… {len(others):,} more", summed(others, number)))

    def walk(self) -> Iterator["Node"]:
        """Go over the node and all below, each before its children."""
        waiting = [self]
        while waiting:  # not by recursion: a tree may be deeper than Python's stack
            node = waiting.pop()
            yield node
            waiting.extend(child for _, child in reversed(node.children))


def summed(nodes: list[Node], number: int) -> Node:
    """A leaf with what some nodes of one depth have counted together."""
    weight = sum(node.weight for node in nodes)
    found = Node(number, nodes[0].depth, weight, sum(node.mass for node in nodes), 0.0)
    for node in nodes:
        for label, count in node.counts.items():
            found.counts[label] = found.counts.get(label, 0.0) + count
        found.below += node.below + sum(1 for _ in node.walk()) - 1
    if weight > 0.0:
        found.mean = sum(node.weight * node.mean for node in nodes) / weight
        squares = sum(
            node.weight * (node.deviation**2 + (node.mean - found.mean) ** 2) for node in nodes
        )
        found.deviation = math.sqrt(squares / weight)
    return found


def same(a: str, b: str) -> bool:
    """Say whether two nominal values are equal, as text or as numbers."""
    try:
        return a == b or float(a) == float(b)
    except ValueError:
        return False


def build(outline: dict[str, Any]) -> Node:
    """The root of a tree, from the arrays of a state's `outline` and the names."""
    names = [*range(outline["implicit"]), *outline["features"]]
    values: dict[int, list[str]] = {}
    start = 0
    for feature, n in zip(
        outline["nominal"].tolist(), outline["nominal_counts"].tolist(), strict=True
    ):
        values[feature] = outline["nominal_values"][start : start + n]
        start += n
    labels = outline.get("labels")
    rows = zip(
        outline["nodes"].tolist(),
        outline["node_numbers"].tolist(),
        outline["node_counts"].tolist(),
        strict=True,
    )
    root: Node | None = None
    waiting: list[tuple[Node, int, list[str] | None]] = []
    for number, ((feature, children, code, _, nominal), numbers, counts) in enumerate(rows):
        threshold, mass, weight, gain = numbers[0], numbers[1], numbers[2], numbers[7]
        depth = waiting[-1][0].depth + 1 if waiting else 0
        node = Node(number, depth, weight, mass, gain)
        if labels is not None:
            node.counts = {y: counts[r] for r, y in enumerate(labels[: len(counts)])}
        else:
            node.mean, node.deviation = counts[0], counts[1]
        if feature >= 0:
            node.feature = names[feature]
            node.threshold = None if nominal else threshold
            node.value = values[feature][int(threshold)] if nominal == 2 else None
        if waiting:
            parent, left, texts = waiting.pop()
            first = not parent.children
            if texts is not None:
                branch = texts[code]
            elif parent.threshold is None:
                branch = "=" if first else "≠"
            else:
                branch = "<=" if first else ">"
            parent.children.append((branch, node))
            if left > 1:
                waiting.append((parent, left - 1, texts))
        else:
            root = node
        if feature >= 0:
            waiting.append((node, children, values[feature] if nominal == 1 else None))
    return root or Node(0, 0, 0.0, 0.0, 0.0)


def depths(nodes: NDArray[np.int64]) -> list[int]:
    """Depth of every node, from their features and numbers of children."""
    found, waiting = [], [0]
    for feature, children in nodes[:, :2].tolist():
        depth = waiting.pop()
        found.append(depth)
        if feature >= 0:
            waiting.extend([depth + 1] * children)
    return found
