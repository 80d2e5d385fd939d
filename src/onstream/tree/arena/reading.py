"""Arrays of a saved tree, checked before anything is built from them."""

from bisect import bisect_right
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.state_reader import StateReader

LARGEST = 1.01e120  # of values; they are learned up to 1e120
HEAVIEST = 1e80  # of sums of weights; all examples together have at most 1e50
WEIGHTS = [1, 2, 3, 4, 5, 6, 8]  # columns of node_numbers that hold such sums
SMALL = 10_000  # numbers of a matrix that is written though most of them are 0
DEEPEST = 1000  # levels of alternate trees in alternate trees; a few are many

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class TreeArrays(NamedTuple):
    """What `export_trees` wrote, array by array."""

    nodes: Integers  # feature, children, branch, active, nominal
    node_numbers: Floats
    node_counts: Floats
    tables: Integers  # node and label
    table_numbers: Floats
    weighed: list[tuple[Integers, Floats]]  # of each table: nominal values and their weights
    kinds: Integers  # of each feature
    values: Integers  # feature and code of each nominal value
    hidden: Integers  # node and feature that it has dropped
    total: float


def read_trees(fields: StateReader, width: int, n_labels: int) -> TreeArrays:
    """The fields of a tree with `width` features."""
    nodes = fields.integers("nodes", (-1, 5), -1, 2**31 - 1)
    n = len(nodes)
    numbers = fields.array("node_numbers", (n, 9))
    counts = fields.array("node_counts", (n, -1))
    tables = fields.integers("tables", (-1, 2), 0, max(n, n_labels))
    table_numbers = fields.array("table_numbers", (len(tables), 5, width))
    kinds = fields.integers("kinds", (width,), 0, 2)
    values = fields.integers("values", (-1, 2), 0, 2**31 - 1)
    weighed = read_values(fields, len(tables), len(values))
    cells = np.concatenate([np.zeros(0), *(heavy for _, heavy in weighed)])
    hidden = fields.integers("hidden", (-1, 2), 0, max(n, width))
    total = fields.number("total", 0.0)
    weights = table_numbers[:, 0]
    if counts.shape[1] > n_labels:
        raise ValueError(f"node_counts knows {counts.shape[1]} labels, there are {n_labels}")
    if counts.size and not counts[:, -1].any():
        raise ValueError("node_counts ends in a label that no node knows")
    if (counts < 0.0).any() or (numbers[:, 1:] < 0.0).any() or (cells < 0.0).any():
        raise ValueError("a weight of the tree is negative")
    if (weights < 0.0).any() or (table_numbers[:, 2] < 0.0).any():
        raise ValueError("table_numbers holds a negative weight or sum of squares")
    if (counts > HEAVIEST).any() or (cells > HEAVIEST).any() or (weights > HEAVIEST).any():
        raise ValueError(f"a weight of the tree is beyond {HEAVIEST:g}")
    values_beyond = np.abs(table_numbers[:, [1, 3, 4]]) > LARGEST
    if values_beyond.any() or (numbers[:, WEIGHTS] > HEAVIEST).any():
        raise ValueError("table_numbers or node_numbers holds a value or a weight that cannot be")
    return TreeArrays(
        nodes, numbers, counts, tables, table_numbers, weighed, kinds, values, hidden, total
    )


def pack_values(weighed: list[tuple[Integers, Floats]], n: int) -> dict[str, Any]:
    """Weights of nominal values by table: a matrix, or if most of it would be 0, only the others.

    n is how many values there are in all.
    """
    entries = sum(len(heavy) for _, heavy in weighed)
    if len(weighed) * n <= SMALL + 3 * entries:
        matrix = np.zeros((len(weighed), n))
        for row, (numbers, heavy) in zip(matrix, weighed, strict=True):
            row[numbers] = heavy
        return {"table_values": matrix}
    return {
        "table_sizes": np.array([len(heavy) for _, heavy in weighed], dtype=np.int64),
        "value_numbers": np.concatenate([numbers for numbers, _ in weighed]),
        "value_weights": np.concatenate([heavy for _, heavy in weighed]),
    }


def read_values(fields: StateReader, tables: int, n: int) -> list[tuple[Integers, Floats]]:
    """What `pack_values` wrote."""
    if not fields.missing("table_values"):
        matrix = fields.array("table_values", (tables, n))
        if (matrix < 0.0).any():
            raise ValueError("a weight of the tree is negative")
        return [(np.flatnonzero(row), row[row > 0.0]) for row in matrix]
    sizes = fields.integers("table_sizes", (tables,), 0, n)
    ends = np.cumsum(sizes)
    entries = int(ends[-1]) if tables else 0
    numbers = fields.integers("value_numbers", (entries,), 0, n - 1)
    heavy = fields.array("value_weights", (entries,))
    found = [
        (numbers[end - size : end], heavy[end - size : end])
        for size, end in zip(sizes.tolist(), ends.tolist(), strict=True)
    ]
    if any((np.diff(part) <= 0).any() for part, _ in found):
        raise ValueError("value_numbers does not name values in order")
    return found


def check_nesting(roots: list[int], owners: list[int]) -> None:
    """Refuse alternates of alternates of ... beyond DEEPEST: learning goes down with each."""
    levels = [0]
    for root, owner in zip(roots[1:], owners, strict=False):
        if owner >= root:
            raise ValueError("an alternate tree belongs to a node that comes later")
        levels.append(levels[bisect_right(roots, owner) - 1] + 1)
        if levels[-1] > DEEPEST:
            raise ValueError(
                f"alternate trees stand more than {DEEPEST} levels deep in one another"
            )


class Observations(NamedTuple):
    """What a regression tree adds, array by array."""

    leaves: Floats  # mean, m2, the two faded errors, whether there are observers
    weights: Floats  # of the linear models
    scale: Floats
    observers: Integers  # leaf, feature, values seen, slots
    radii: Floats
    slots: Floats  # key, x, weight, mean, m2


def read_observations(fields: StateReader, nodes: int, width: int) -> Observations:
    """The fields of the leaves of a regression tree."""
    leaves = fields.array("leaves", (nodes, 5))
    weights = fields.array("leaf_weights", (nodes, 1 + width))
    scale = fields.array("scale", (1 + width, 3))
    observers = fields.integers("observers", (-1, 4), 0)
    radii = fields.array("radii", (len(observers),))
    slots = fields.array("slots", (-1, 5))
    if (leaves[:, 1:] < 0.0).any() or (scale[:, 0] < 0.0).any() or (scale[:, 2] < 0.0).any():
        raise ValueError("a weight or a sum of squares is negative")
    means = max(map(largest, (slots[:, [1, 3]], leaves[:, 0], scale[:, 1])))
    if means > LARGEST or max(largest(slots[:, 2]), largest(scale[:, 0])) > HEAVIEST:
        raise ValueError("the tree holds a mean or a weight that cannot be")
    if (slots[:, 2] <= 0.0).any() or (slots[:, 4] < 0.0).any() or (radii < 0.0).any():
        raise ValueError("slots holds a negative number")
    if observers[:, 3].sum() != len(slots):
        raise ValueError("slots does not fit the observers")
    return Observations(leaves, weights, scale, observers, radii, slots)


def largest(numbers: Floats) -> float:
    """The size of the largest of them; 0 if there are none."""
    return float(np.abs(numbers).max(initial=0.0))
