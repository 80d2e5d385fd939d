"""The batch tree of the lectures: greedy, from a static block."""

import math
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..base.checks import whole
from ..base.fit import columns_of, refuse_weights
from ..base.types import Label
from ..core.classifier import ClassifierModel
from ._cvfdt import MISSING, CvfdtState
from ._hoeffding import HoeffdingState
from .base import LEAF_RULES_OF_BEFORE, LabelCriterion, LabelPrediction, Ties, TreeClassifier

NUMERIC, NOMINAL = 1, 2
Matrix = NDArray[np.float64]
Numbers = NDArray[np.int64]


class BatchTree(TreeClassifier):
    """Greedy decision tree of a static block (Quinlan's ID3 with cuts for numbers).

    `fit` splits on the best gain, recursively, until a node is pure, nothing gains, or it is too
    deep or too small. It is the reference for the trees that grow with the stream, and a start for
    them: `HoeffdingTreeClassifier(init=tree)` and `HoeffdingAdaptiveTreeClassifier(init=tree)` go
    on from its leaves. What it learns by `learn_one` is only counted at its leaves.

    Parameters
    ----------
    criterion : {"info_gain", "gini"}, default "info_gain"
        What a split should reduce: entropy or the Gini index.
    max_depth : int >= 1 or None, default None
        Deepest leaf. Lower it against overfitting.
    min_size : int >= 2, default 2
        Smallest node that is split. Raise it against overfitting.
    leaf_prediction : {"mc", "nb", "nba"}, default "mc"
        What a leaf answers: its majority, naive Bayes, or whichever was right more often.
    variance_floor : float >= 0, default 0.0
        Share of a feature's variance at the leaf that naive Bayes adds to that of each label.
    ties : {"parent", "first"}, default "first"
        Which of equally likely labels a leaf answers: the one its parent has more of, or the first.
    nominal : list or None, default None
        Features whose numbers are names of categories. Text always is.
    labels : list or None, default None
        Labels known beforehand.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.

    Examples
    --------
    >>> tree = BatchTree().fit([{"a": 0, "b": 1}, {"a": 1, "b": 1}, {"a": 1, "b": 0}], [0, 1, 0])
    >>> tree.predict_one({"a": 1, "b": 1})
    1
    >>> print(tree.to_text())
    root
    ├─ a <= 0.5: 0 (100% of 1)
    └─ a > 0.5
       ├─ b <= 0.5: 0 (100% of 1)
       └─ b > 0.5: 1 (100% of 1)
    """

    _added_parameters = LEAF_RULES_OF_BEFORE

    def __init__(
        self,
        *,
        criterion: LabelCriterion = "info_gain",
        max_depth: int | None = None,
        min_size: int = 2,
        leaf_prediction: LabelPrediction = "mc",
        variance_floor: float = 0.0,
        ties: Ties = "first",
        nominal: list[str | int] | None = None,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
    ) -> None:
        self.min_size = whole(self, "min_size", min_size, least=2)
        super().__init__(
            criterion=criterion, max_depth=max_depth, leaf_prediction=leaf_prediction,
            variance_floor=variance_floor, ties=ties, nominal=nominal, labels=labels,
            max_labels=max_labels,
        )  # fmt: skip

    def _common(self) -> dict[str, Any]:
        never = {"delta": 1.0, "grace_period": 1e300, "tau": 0.0, "max_depth": None}  # splits
        return {**super()._common(), **never, "nominal_split": "branches"}

    def _new_state(self) -> Any:
        return HoeffdingState(**self._common())

    def fit(self, X: Any, y: Any = None, w: Any = None, **options: Any) -> Self:
        """Build the tree from a static block, or a stream; what it was before is lost.

        `w` holds the importance of each row of a block.
        """
        remembers = CvfdtState(  # all rows, encoded, in its window
            **self._common(), window=2**40, check_every=2**62, test_every=2**62, test_length=1
        )
        block = ClassifierModel(type(self).__name__, remembers, max_labels=self.max_labels)
        if self._declared is not None:
            block.declare(self._declared)
        if y is None:
            refuse_weights(self, w)
            X, y, w = columns_of(self, X)
        block.learn_many(X, y, w)
        fields = block.export()
        grown = GreedyTree(fields, self)
        self._restore({**{k: v for k, v in fields.items() if k in KEPT}, **grown.fields()})
        return self


KEPT = (
    "seen", "start", "features", "implicit", "columns", "nominal", "nominal_values",
    "nominal_counts", "labels", "kinds", "values", "total", "hidden",
)  # fmt: skip


def impurity(counts: Matrix, criterion: str) -> Matrix:
    """Sum of counts times entropy or Gini index, of every row."""
    n = counts.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        if criterion == "gini":
            worth = n - np.where(n > 0, (counts**2).sum(axis=-1) / n, 0.0)
        else:
            logs = np.where(counts > 0, counts * np.log2(counts), 0.0).sum(axis=-1)
            worth = np.where(n > 0, n * np.log2(n), 0.0) - logs
    return np.asarray(np.maximum(worth, 0.0))


class GreedyTree:
    """A greedy tree in the arrays of a Hoeffding tree, from the exported state with the block."""

    def __init__(self, block: dict[str, Any], learner: BatchTree) -> None:
        self.kinds, self.values, self.k = block["kinds"], block["values"], len(block["labels"])
        self.X = np.where(block["window_x"] == MISSING, np.nan, block["window_x"])
        self.y, self.w, self.learner = block["window_y"], block["window_w"], learner
        self.nodes: list[list[int]] = []
        self.numbers: list[list[float]] = []
        self.counts: list[Matrix] = []
        self.tables: list[tuple[int, int]] = []
        self.table_numbers: list[Matrix] = []
        self.table_values: list[Matrix] = []
        waiting = [(np.arange(len(self.y)), 0, -1)] if len(self.y) else []
        while waiting:  # a stack: nodes come in preorder
            waiting.extend(reversed(self.grow(*waiting.pop())))

    def grow(self, rows: Numbers, depth: int, code: int) -> list[tuple[Numbers, int, int]]:
        """Make one node; returns its children, which are still to be made."""
        counts = np.bincount(self.y[rows], self.w[rows], self.k).astype(float)
        deepest = self.learner.max_depth or math.inf
        best: tuple[float, int, float, list[tuple[Numbers, int]]] | None = None
        if (counts > 0).sum() > 1 and len(rows) >= self.learner.min_size and depth < deepest:
            best = self.best_split(rows)
        n = float(self.w[rows].sum())
        gain, feature, cut, parts = best or (0.0, -1, 0.0, [])
        nominal = int(best is not None and self.kinds[feature] == NOMINAL)
        self.nodes.append([feature, len(parts), code, int(best is None), nominal])
        self.numbers.append([cut, n, n, n, n, 0.0, 0.0, gain, 0.0])
        self.counts.append(counts)
        if best is None:
            self.fill_tables(rows, counts)
        return [(part, depth + 1, value) for part, value in parts]

    def best_split(
        self, rows: Numbers
    ) -> tuple[float, int, float, list[tuple[Numbers, int]]] | None:
        """Gain, feature, cut and branches; missing values go with most of the others."""
        most, found = 1e-10, None
        for f in range(self.X.shape[1]):
            x = self.X[rows, f]
            known = rows[~np.isnan(x)]
            if len(known) == 0:
                continue
            split = self.by_value if self.kinds[f] == NOMINAL else self.by_cut
            gain, cut = split(self.X[known, f], self.y[known], self.w[known])
            if gain > most:
                most, found = gain, (f, cut)
        if found is None:
            return None
        f, cut = found
        x = self.X[rows, f]
        if self.kinds[f] == NOMINAL:
            codes = np.unique(x[~np.isnan(x)])
            parts = [(rows[x == code], int(code)) for code in codes]
        else:
            parts = [(rows[x <= cut], -1), (rows[x > cut], -1)]
        heaviest = max(range(len(parts)), key=lambda i: float(self.w[parts[i][0]].sum()))
        missing = np.concatenate([parts[heaviest][0], rows[np.isnan(x)]])
        parts[heaviest] = (np.sort(missing), parts[heaviest][1])
        return most, f, cut, parts

    def by_cut(self, x: Matrix, y: Numbers, w: Matrix) -> tuple[float, float]:
        """Best of all cuts between neighbouring values."""
        order = np.argsort(x, kind="stable")
        x, left = x[order], np.cumsum(np.eye(self.k)[y[order]] * w[order, None], axis=0)
        ends = np.flatnonzero(x[:-1] < x[1:])
        if len(ends) == 0:
            return 0.0, 0.0
        whole = left[-1]
        after = impurity(left[ends], self.learner.criterion)
        after = after + impurity(whole - left[ends], self.learner.criterion)
        gains = (impurity(whole, self.learner.criterion) - after) / whole.sum()
        best = int(np.argmax(gains))
        return float(gains[best]), float((x[ends[best]] + x[ends[best] + 1]) / 2)

    def by_value(self, x: Matrix, y: Numbers, w: Matrix) -> tuple[float, float]:
        """One branch per value."""
        codes, which = np.unique(x, return_inverse=True)
        if len(codes) < 2:
            return 0.0, 0.0
        counts = np.zeros((len(codes), self.k))
        np.add.at(counts, (which, y), w)
        before = impurity(counts.sum(axis=0), self.learner.criterion)
        gain = (before - impurity(counts, self.learner.criterion).sum()) / counts.sum()
        return float(gain), 0.0

    def fill_tables(self, rows: Numbers, counts: Matrix) -> None:
        """The tables of a leaf, as if it had learned its examples one by one."""
        for label in np.flatnonzero(counts):
            mine = rows[self.y[rows] == label]
            x, w = self.X[mine], self.w[mine]
            there = ~np.isnan(x)
            n = w @ there
            numeric = (n > 0) & (self.kinds == NUMERIC)
            table = np.zeros((5, x.shape[1]))
            table[0] = n
            for f in np.flatnonzero(numeric):
                own, heavy = x[there[:, f], f], w[there[:, f]]
                mean = np.average(own, weights=heavy)
                table[1:, f] = mean, (heavy * (own - mean) ** 2).sum(), own.min(), own.max()
            self.tables.append((len(self.nodes) - 1, int(label)))
            self.table_numbers.append(table)
            cells = [float(w[x[:, f] == code].sum()) for f, code in self.values.tolist()]
            self.table_values.append(np.array(cells))

    def fields(self) -> dict[str, Any]:
        """What a Hoeffding tree's state restores."""
        width, n = self.X.shape[1], len(self.nodes)
        return {
            "nodes": np.array(self.nodes, dtype=np.int64).reshape(n, 5),
            "node_numbers": np.array(self.numbers).reshape(n, 9),
            "node_counts": np.array(self.counts).reshape(n, self.k),
            "tables": np.array(self.tables, dtype=np.int64).reshape(-1, 2),
            "table_numbers": np.array(self.table_numbers).reshape(len(self.tables), 5, width),
            "table_values": np.array(self.table_values).reshape(len(self.tables), -1)
            if len(self.values)
            else np.zeros((len(self.tables), 0)),
            "hidden": np.zeros((0, 2), dtype=np.int64),
        }
