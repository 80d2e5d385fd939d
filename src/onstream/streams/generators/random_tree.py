"""A random tree."""

from dataclasses import dataclass, field

import numpy as np

from ...base.blocks import Block
from ...base.checks import whole
from .generator import Draw, Generator, whole_numbers


class RandomTree(Generator):
    """A random tree gives the labels (Domingos and Hulten, KDD 2000).

    Numeric features are uniform in [0, 1), nominal ones uniform over their values, called "v0",
    "v1", ... A node tests a random feature; a nominal one at most once on each path.

    Parameters
    ----------
    numeric, nominal : int >= 0, default 5
        How many features of each kind.
    values : int > 1, default 5
        Values of each nominal feature.
    labels : int > 0, default 2
        How many labels, 0, 1, ...
    depth : int >= 0, default 5
        Below this level there are only leaves; deeper is harder.
    first_leaf : int >= 0, default 3
        From this level on a node may be a leaf.
    leaf_fraction : float from 0 to 1, default 0.15
        With this probability it is.
    seed : int, default 0
        Another seed, another tree and stream.

    Examples
    --------
    >>> X, y = RandomTree(seed=1).block(1000)
    >>> X.column_names[4:6], X["c0"][0].as_py() in ("v0", "v1", "v2", "v3", "v4")
    (['n4', 'c0'], True)
    """

    def __init__(
        self,
        numeric: int = 5,
        *,
        nominal: int = 5,
        values: int = 5,
        labels: int = 2,
        depth: int = 5,
        first_leaf: int = 3,
        leaf_fraction: float = 0.15,
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        self.numeric = whole(self, "numeric", numeric, least=0)
        self.nominal = whole(self, "nominal", nominal, least=0)
        if self.numeric + self.nominal == 0:
            raise ValueError("RandomTree: numeric and nominal are both 0; one feature is needed.")
        self.values = whole(self, "values", values, least=2)
        self.labels = whole(self, "labels", labels, least=1)
        self.depth = whole(self, "depth", depth, least=0, most=20)
        self.first_leaf = whole(self, "first_leaf", first_leaf, least=0)
        self.leaf_fraction = self._share("leaf_fraction", leaf_fraction)

    def _grow(self) -> "Tree":
        chance = self._concept()
        tree = Tree()

        def grow(level: int, low: list[float], high: list[float], used: set[int]) -> int:
            node = tree.add()
            free = [
                j for j in range(self.numeric + self.nominal) if j < self.numeric or j not in used
            ]
            early = level >= self.first_leaf and chance.random() < self.leaf_fraction
            if level >= self.depth or early or not free:
                tree.label[node] = int(whole_numbers(chance.random(1), 0, self.labels - 1)[0])
                return node
            j = free[int(chance.random() * len(free))]
            tree.feature[node] = j
            if j < self.numeric:
                cut = tree.cut[node] = low[j] + chance.random() * (high[j] - low[j])
                below = grow(level + 1, low, [*high[:j], cut, *high[j + 1 :]], used)
                above = grow(level + 1, [*low[:j], cut, *low[j + 1 :]], high, used)
                tree.children[node] = [below, above]
            else:
                branches = range(self.values)
                tree.children[node] = [grow(level + 1, low, high, used | {j}) for _ in branches]
            return node

        grow(0, [0.0] * self.numeric, [1.0] * self.numeric, set())
        return tree

    def _start(self) -> Draw:
        import pyarrow as pa

        tree = self._grow()
        uniform, choices = self._instances(2)
        words = np.array([f"v{i}" for i in range(self.values)], dtype=object)
        names = [f"n{j}" for j in range(self.numeric)] + [f"c{j}" for j in range(self.nominal)]

        def draw(n: int) -> Block:
            numbers = uniform.random((n, self.numeric))
            codes = whole_numbers(choices.random((n, self.nominal)), 0, self.values - 1)
            y = tree.classify(numbers, codes)
            columns = [pa.array(numbers[:, j]) for j in range(self.numeric)]
            columns += [pa.array(words[codes[:, j]], pa.string()) for j in range(self.nominal)]
            return pa.table(columns, names=names), y

        return draw


@dataclass
class Tree:
    """Nodes side by side; node 0 is the root."""

    feature: list[int] = field(default_factory=list)  # tested there; -1: a leaf
    cut: list[float] = field(default_factory=list)  # numeric: below it left, otherwise right
    children: list[list[int]] = field(default_factory=list)
    label: list[int] = field(default_factory=list)

    def add(self) -> int:
        """A new node."""
        self.feature.append(-1)
        self.cut.append(0.0)
        self.children.append([])
        self.label.append(-1)
        return len(self.feature) - 1

    def classify(self, numbers: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The label of each row."""
        y = np.zeros(len(numbers), dtype=np.int64)
        waiting = [(0, np.arange(len(numbers)))]  # a node, and the rows that reach it
        while waiting:
            node, rows = waiting.pop()
            j = self.feature[node]
            if j < 0:
                y[rows] = self.label[node]
                continue
            if j < numbers.shape[1]:
                branch = (numbers[rows, j] >= self.cut[node]).astype(np.int64)
            else:
                branch = codes[rows, j - numbers.shape[1]]
            for b, child in enumerate(self.children[node]):
                here = rows[branch == b]
                if len(here):
                    waiting.append((child, here))
        return y
