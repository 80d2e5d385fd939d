"""Trees: an ensemble operator finds the leaf, tables answer for it.

Each tree is a `Leaves` of its own, so that a forest is a weighted sum of the votes of its trees.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.coding import first_sign
from ...core.state_reader import StateReader
from ...tree.arena.reading import read_values
from .columns import Columns, code_index
from .graph import INT64, ML, Graph, onnx

HALF_LOG_2PI = 0.5 * float(np.log(2.0 * np.pi))
NEVER = -1e300  # a label that the values of an example rule out
CUT, EACH_VALUE, ONE_VALUE = range(3)  # what a node asks
NOMINAL = 2  # kind of a feature


class Node(NamedTuple):
    """One node; `number` is its place in the exported arrays."""

    number: int
    parent: int  # -1: the root
    feature: int  # -1: a leaf
    question: int
    threshold: float
    mass: float
    children: list[int]
    codes: list[int]  # of the children, where each value has a branch


def main_tree(fields: dict[str, Any]) -> list[Node]:
    """The nodes of the first tree, each before its children; alternates come after it."""
    found: list[Node] = []
    waiting: list[int] = [-1]  # parents of the nodes to come
    for number, row in enumerate(fields["nodes"].tolist()):
        if not waiting:
            break
        feature, children, code, _, question = row
        parent = waiting.pop()
        if parent >= 0:
            found[parent].children.append(number)
            found[parent].codes.append(code)
        threshold, mass = fields["node_numbers"][number, :2].tolist()
        found.append(Node(number, parent, feature, question, threshold, mass, [], []))
        if feature >= 0:
            waiting.extend([number] * children)
    return found


# -- the way to a leaf -----------------------------------------------------------------------------


class Rows:
    """The nodes of one tree, as the operator wants them: in parallel lists."""

    def __init__(self) -> None:
        self.features: list[int] = []
        self.values: list[float] = []
        self.modes: list[str] = []
        self.gaps: list[int] = []  # 1: a missing value takes the true branch
        self.true: list[int] = []
        self.false: list[int] = []
        self.ends: dict[int, int] = {}  # leaf of the operator -> node of the tree

    def add(self, mode: str, feature: int = 0, value: float = 0.0, gap: bool = False) -> int:
        """One more row; its number."""
        self.features.append(feature)
        self.values.append(value)
        self.modes.append(mode)
        self.gaps.append(int(gap))
        self.true.append(0)
        self.false.append(0)
        return len(self.modes) - 1

    def end(self, node: int) -> int:
        """A leaf that answers as this node of the tree."""
        row = self.add("LEAF")
        self.ends[row] = node
        return row


def rows_of(nodes: list[Node]) -> Rows:
    """Every split as one row, or as one for each value; missing values go the heaviest way."""
    rows = Rows()
    waiting: list[tuple[int, list[int], int]] = [(0, [], -1)]  # node, column of its row, place
    while waiting:
        number, column, place = waiting.pop()
        node = nodes[number]
        first = len(rows.modes)
        if place >= 0:
            column[place] = first
        if node.feature < 0:
            rows.end(number)
            continue
        heaviest = max(node.children, key=lambda child: nodes[child].mass)
        if node.question == EACH_VALUE:
            for child, code in zip(node.children, node.codes, strict=True):
                row = rows.add("BRANCH_EQ", node.feature, float(code), child == heaviest)
                rows.false[row] = row + 1
                waiting.append((child, rows.true, row))
            rows.end(number)  # a value without a branch: answers as the node itself
            continue
        mode = "BRANCH_LEQ" if node.question == CUT else "BRANCH_EQ"
        left, right = node.children
        row = rows.add(mode, node.feature, node.threshold, heaviest == left)
        waiting += [(right, rows.false, row), (left, rows.true, row)]
    return rows


def leaf_numbers(graph: Graph, X: str, nodes: list[Node]) -> tuple[str, list[int]]:
    """For every row of X a number, shape (rows,), and the nodes of the tree that it counts."""
    rows = rows_of(nodes)
    ends = list(rows.ends.values())
    if len(ends) == 1:
        shape = graph.op("Shape", X, end=1)
        zero = onnx.numpy_helper.from_array(np.zeros(1, np.int64))
        return graph.op("ConstantOfShape", shape, value=zero), ends
    n = len(rows.modes)
    values = onnx.numpy_helper.from_array(np.array(rows.values), "values")
    weights = onnx.numpy_helper.from_array(np.arange(len(ends), dtype=np.float64), "weights")
    found = graph.op(
        "TreeEnsembleRegressor",
        X,
        domain=ML,
        n_targets=1,
        nodes_treeids=[0] * n,
        nodes_nodeids=list(range(n)),
        nodes_featureids=rows.features,
        nodes_modes=rows.modes,
        nodes_values_as_tensor=values,
        nodes_truenodeids=rows.true,
        nodes_falsenodeids=rows.false,
        nodes_missing_value_tracks_true=rows.gaps,
        target_treeids=[0] * len(ends),
        target_nodeids=list(rows.ends),
        target_ids=[0] * len(ends),
        target_weights_as_tensor=weights,
    )
    whole = graph.op("Cast", found, to=INT64)
    return graph.op("Squeeze", whole, graph.constant([1], np.int64)), ends


# -- labels ----------------------------------------------------------------------------------------


def votes(graph: Graph, X: str, tree: Any, fields: dict[str, Any], columns: Columns, k: int) -> str:
    """Probabilities of k labels by one classification tree, shape (rows, k)."""
    nodes = main_tree(fields)
    leaf, ends = leaf_numbers(graph, X, nodes)
    table = np.array([share(fields, nodes, end, k) for end in ends])
    if tree.ties == "parent":
        tie = 0 if first_sign(fields["labels"]) > 0.0 else 1
        for row, end in zip(table, ends, strict=True):
            break_tie(fields, nodes, end, row, tie)
    shares = graph.gather(table, leaf)
    asking = [asks_bayes(tree, fields, nodes[end]) for end in ends]
    if not any(asking):
        return shares
    places = np.cumsum(asking) - 1
    row = graph.gather(np.where(asking, places, 0), leaf, np.int64)
    leaves = [end for end, asks in zip(ends, asking, strict=True) if asks]
    joint = Leaves(tree, fields, columns, leaves, k).joints(graph, X, row)
    possible = graph.op("ReduceMax", joint, axes=[1], keepdims=1)
    possible = graph.op("Greater", possible, graph.constant(0.9 * NEVER, np.float64))
    bayes = graph.unsqueeze(graph.gather(np.array(asking), leaf), 1)
    wanted = graph.op("And", bayes, possible)
    return graph.op("Where", wanted, graph.op("Softmax", joint, axis=1), shares)


def share(fields: dict[str, Any], nodes: list[Node], number: int, k: int) -> NDArray[np.float64]:
    """Share of each label at a node; an empty one answers as the node above."""
    while number >= 0 and fields["node_numbers"][number, 2] <= 0.0:
        number = nodes[number].parent
    if number < 0:
        return np.full(k, 1.0 / k)
    counts = np.zeros(k)
    found = fields["node_counts"][number]
    counts[: len(found)] = found
    total = counts.sum()
    return counts / total if total > 0.0 else np.full(k, 1.0 / k)


def break_tie(fields: dict[str, Any], nodes: list[Node], number: int, row: Any, tie: int) -> None:
    """Give the label that the nodes above have counted more often the least bit more."""
    equal = np.flatnonzero(row == row.max()).tolist()
    best = first = tie if len(row) == 2 and len(equal) == 2 else equal[0]
    for label in equal:
        above = nodes[number].parent
        while label != best and above >= 0:
            counts = np.zeros(len(row))
            found = fields["node_counts"][above]
            counts[: len(found)] = found
            if counts[best] != counts[label]:
                best = best if counts[best] > counts[label] else label
                break
            above = nodes[above].parent
    if best != first:
        row[best] = np.nextafter(row[best], np.inf)


def asks_bayes(tree: Any, fields: dict[str, Any], node: Node) -> bool:
    """Say whether naive Bayes answers at this node."""
    weight, right, right_bayes = fields["node_numbers"][node.number, [2, 5, 6]]
    rule, active = tree.leaf_prediction, fields["nodes"][node.number, 3] == 1
    trusted = rule == "nb" or (rule == "nba" and right_bayes > right)
    return bool(node.feature < 0 and active and weight > 0.0 and trusted)


class Leaves:
    """Naive Bayes at leaves (tree/arena/_leaf.pyx): tables of leaves × labels × features."""

    def __init__(
        self, tree: Any, fields: dict[str, Any], columns: Columns, leaves: list[int], k: int
    ) -> None:
        width = len(columns.features)
        shape = len(leaves), k, width
        self.columns, self.k, self.rows = columns, k, {leaf: i for i, leaf in enumerate(leaves)}
        self.prior = np.full(shape[:2], NEVER)
        self.mean, self.precision, self.constant = (np.zeros(shape) for _ in range(3))
        self.strange, self.other = (np.zeros(shape, np.bool_) for _ in range(2))
        self.names = {f: np.zeros((len(leaves), len(v) + 1, k)) for f, v in columns.values.items()}
        self.kinds = fields["kinds"]
        self.hidden = np.zeros((len(leaves), width), np.bool_)
        for node, feature in fields["hidden"].tolist():
            if node in self.rows:
                self.hidden[self.rows[node], feature] = True
        self.counts = np.bincount(fields["values"][:, 0], minlength=width)
        tables = self._tables(fields)
        for leaf, row in self.rows.items():
            counts = fields["node_counts"][leaf]
            floors = self._floors(tree.variance_floor, [numbers for _, numbers, _ in tables[leaf]])
            for label, numbers, names in tables[leaf]:
                if label < len(counts) and counts[label] > 0.0:
                    weight = fields["node_numbers"][leaf, 2]
                    self.prior[row, label] = np.log(counts[label] / weight)
                    self._fill(row, label, numbers, names, floors)

    def _tables(self, fields: dict[str, Any]) -> dict[int, list[tuple[int, Any, Any]]]:
        """Of each leaf: label, numbers by feature, weights of nominal values."""
        weighed = read_values(StateReader(fields), len(fields["tables"]), len(fields["values"]))
        found: dict[int, list[tuple[int, Any, Any]]] = {leaf: [] for leaf in self.rows}
        for at, (node, label) in enumerate(fields["tables"].tolist()):
            if node in found:
                places, heavy = weighed[at]
                cells = map(tuple, fields["values"][places].tolist())
                names = dict(zip(cells, heavy.tolist(), strict=True))
                found[node].append((label, fields["table_numbers"][at], names))
        return found

    def _floors(self, share: float, tables: list[Any]) -> Any:
        """What is added to the variance of each number; None: nothing, and one value rules out."""
        if not share > 0.0:
            return None
        n = sum(table[0] for table in tables)
        safe = np.where(n > 0.0, n, 1.0)
        mean = sum(table[0] * table[1] for table in tables) / safe
        square = sum(table[2] + table[0] * (table[1] - mean) ** 2 for table in tables)
        return np.where(n > 0.0, share * square / safe, 0.0)

    def _fill(self, row: int, label: int, numbers: Any, names: Any, floors: Any) -> None:
        weight, mean, square = numbers[:3]
        number = (self.kinds == 1) & ~self.hidden[row]
        seen = number & (weight > 0.0)
        spread = square if floors is None else square + weight * floors
        varied = seen & ((square > 0.0) if floors is None else (floors > 0.0))
        precision = np.divide(weight, spread, out=np.ones_like(weight), where=varied & (spread > 0))
        self.mean[row, label] = np.where(seen, mean, 0.0)
        self.precision[row, label] = np.where(varied, precision, 0.0)
        self.constant[row, label] = np.where(varied, 0.5 * np.log(precision) - HALF_LOG_2PI, 0.0)
        self.strange[row, label] = number & ~seen  # the label never had this feature
        if floors is None:
            self.other[row, label] = seen & ~varied  # it had one value: another rules it out
        for feature, table in self.names.items():
            if not self.hidden[row, feature] and self.kinds[feature] == NOMINAL:
                known = int(self.counts[feature])
                for code in range(len(table[row])):
                    count = names.get((feature, code), 0.0)
                    table[row, code, label] = np.log((count + 1.0) / (weight[feature] + known))

    def joints(self, graph: Graph, X: str, row: str) -> str:
        """The ln P(label, x), by the leaf in `row`; NEVER where the label is ruled out."""
        found = graph.gather(self.prior, row)
        numbers = [f for f in range(self.mean.shape[2]) if f not in self.columns.values]
        if numbers:
            x = graph.op("Gather", X, graph.constant(numbers, np.int64), axis=1)
            x = graph.unsqueeze(x, 1)
            away = graph.op("Sub", x, graph.gather(self.mean[:, :, numbers], row))
            square = graph.op("Mul", away, away)
            scaled = graph.op(
                "Mul", square, graph.gather(-0.5 * self.precision[:, :, numbers], row)
            )
            term = graph.op("Add", scaled, graph.gather(self.constant[:, :, numbers], row))
            term = graph.no_gaps(term)
            if self.strange[:, :, numbers].any() or self.other[:, :, numbers].any():
                term = self._ruled_out(graph, term, away, numbers, row)
            found = graph.op("Add", found, graph.sum(term, 2))
        for feature, table in self.names.items():
            code, gap = code_index(graph, X, feature, table.shape[1] - 1)
            width = graph.constant(table.shape[1], np.int64)
            place = graph.op("Add", graph.op("Mul", row, width), code)
            rows = graph.gather(table.reshape(-1, self.k), place)
            zero = graph.constant(0.0, np.float64)
            found = graph.op("Add", found, graph.op("Where", graph.unsqueeze(gap, 1), zero, rows))
        return graph.op("Max", found, graph.constant(NEVER, np.float64))

    def _ruled_out(self, graph: Graph, term: str, away: str, numbers: list[int], row: str) -> str:
        """The terms, NEVER where a number that is there rules the label out."""
        there = graph.op("Not", graph.op("IsNaN", away))
        differs = graph.op("Not", graph.op("Equal", away, graph.constant(0.0, np.float64)))
        other = graph.op("And", differs, graph.gather(self.other[:, :, numbers], row))
        out = graph.op("Or", other, graph.gather(self.strange[:, :, numbers], row))
        never = graph.constant(NEVER, np.float64)
        return graph.op("Where", graph.op("And", there, out), never, term)


# -- numbers ---------------------------------------------------------------------------------------


def predictions(graph: Graph, X: str, tree: Any, fields: dict[str, Any], columns: Columns) -> str:
    """Predictions of a regression tree, shape (rows, 1)."""
    nodes = main_tree(fields)
    leaf, ends = leaf_numbers(graph, X, nodes)
    means = graph.gather(np.array([[mean(fields, nodes, end)] for end in ends]), leaf)
    linear = [is_linear(tree, fields, nodes[end]) for end in ends]
    if not any(linear):
        return means
    weight, centre, squares = fields["scale"].T  # of the target, then of every feature
    deviation = np.sqrt(np.divide(squares, weight, out=np.zeros_like(weight), where=weight > 0.0))
    unit = 3.0 * deviation
    factor = np.divide(1.0, unit, out=np.zeros_like(unit), where=unit > 0.0)
    factor[1:][fields["kinds"] == NOMINAL] = 0.0
    scaled = graph.op("Sub", X, graph.constant(centre[np.newaxis, 1:]))
    scaled = graph.no_gaps(graph.op("Mul", scaled, graph.constant(factor[np.newaxis, 1:])))
    models = fields["leaf_weights"][ends]
    product = graph.op("Mul", scaled, graph.gather(models[:, 1:], leaf))
    z = graph.op("Add", graph.sum(product, 1), graph.gather(models[:, 0], leaf))
    z = graph.op("Mul", z, graph.constant(unit[0], np.float64))
    z = graph.op("Add", z, graph.constant(centre[0], np.float64))
    asks = graph.unsqueeze(graph.gather(np.array(linear), leaf), 1)
    return graph.op("Where", asks, graph.unsqueeze(z, 1), means)


def mean(fields: dict[str, Any], nodes: list[Node], number: int) -> float:
    """Mean target of a node; of the one above if it is empty."""
    while fields["node_numbers"][number, 2] <= 0.0 and nodes[number].parent >= 0:
        number = nodes[number].parent
    return float(fields["leaves"][number, 0])


def is_linear(tree: Any, fields: dict[str, Any], node: Node) -> bool:
    """Say whether the linear model of a leaf answers."""
    _, _, fade_mean, fade_linear, observed = fields["leaves"][node.number].tolist()
    rule = tree.leaf_prediction
    better = rule == "linear" or (rule == "adaptive" and fade_linear < fade_mean)
    return bool(observed and better)
