"""Passive-aggressive learning of sets of labels: every relevant label above every other."""

from collections.abc import Callable, Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ...base.checks import number
from ...base.multilabel import MultilabelClassifier
from ...base.passive_aggressive import PassiveAggressive
from ...base.types import Example, Rows
from ...base.union import Exported, union_of_labels
from ...core.regressor import RegressorModel
from ...core.state_reader import StateReader
from ..base import Linear
from ..mixing import mix_classifiers, mix_regressors
from ..user_functions import check_function, difference
from ._pa_multilabel import MultilabelModel, MultilabelState
from .base import PAClassifierOptions
from .label_sets import label_sets
from .row_by_row import RowByRow, changing, rows_of

Features = Callable[[Any, Any], Mapping[Any, Any]]


class PAMultilabel(PassiveAggressive, Linear, MultilabelClassifier):
    """Passive-aggressive multilabel classifier (Crammer et al., JMLR 7, 2006, section 7).

    An example comes with the set of its labels. The worst-scored of them should be above the
    best-scored of all others by 1; if it is not, these two move, by the smallest step that makes
    it so. Predicted are the labels with a score above `threshold`; `rank_one` and `top_one` order
    them. A set that is empty, or holds all labels known, teaches nothing. The step in plain NumPy:
    tests/oracles/passive_aggressive.py.

    Parameters
    ----------
    features : function of x and a label or None, default None
        features(x, label) gives the features that say how well the label suits x; their weights
        are shared by all labels. None: every label has its own weights for the features of x.
    threshold : float, default 0.0
        Labels scored above are predicted. Raise it to predict fewer.
    intercept : bool, default True
        Append a constant 1 to every example; its weight is `bias`. Not with `features`.
    max_labels : int, default 10_000
        More labels than this are refused.

    Examples
    --------
    >>> model = PAMultilabel()
    >>> for _ in range(5):
    ...     model.learn_one({"goal": 1, "match": 1}, {"sport"})
    ...     model.learn_one({"election": 1}, {"politics"})
    ...     model.learn_one({"stadium": 1, "election": 1}, {"sport", "politics"})
    >>> model.predict_one({"goal": 1})
    {'sport'}
    >>> model.rank_one({"election": 1})
    ['politics', 'sport']
    """

    _model_class = MultilabelModel

    def __init__(
        self,
        *,
        features: Features | None = None,
        threshold: float = 0.0,
        **common: Unpack[PAClassifierOptions],
    ) -> None:
        self.features = features
        if features is not None:
            check_function(self, "features", features, 2)
        self.threshold = number(self, "threshold", threshold)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return MultilabelState(self.intercept, self.variant, self.C)

    def _new_model(self) -> Any:
        return self._table_model() if self.features is None else FeatureModel(self)

    def _table_model(self) -> Any:
        """A model with a column of weights for each label."""
        return super()._new_model()

    @property
    def weights(self) -> dict[Any, Any]:
        """Label to feature to weight; with `features`, feature to weight."""
        fields = self._view()
        matrix = fields["weights"]
        if self.features is not None:
            return self._named(fields, matrix[:, 0])
        return {y: self._named(fields, matrix[:, r]) for r, y in enumerate(fields["labels"])}

    @property
    def bias(self) -> dict[Any, float]:
        """Label to intercept; with `features` there is none."""
        fields = self._model.snapshot()
        bias = fields["bias"].tolist()
        return {} if self.features else {y: bias[r] for r, y in enumerate(fields["labels"])}

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        who = type(self).__name__
        if self.features is None:
            return mix_classifiers(who, mine, theirs, share=None)
        labels, _ = union_of_labels(who, mine, theirs)
        return {**mix_regressors(mine, theirs), "labels": labels}


class FeatureModel(RowByRow):
    """One weight vector over the user's features of an example and a label.

    Its parts are the weights, and a table of which only the labels are used.
    """

    learner: PAMultilabel
    parts: tuple[RegressorModel, MultilabelModel]

    def new(self) -> tuple[Any, ...]:
        """Parts that have learned nothing."""
        return *super().new(), self.learner._table_model()

    def learn_one(self, x: Example, y: Any, w: float) -> None:
        """Move the worst-scored relevant label above the best-scored other one."""
        with self.turn:
            table = self.parts[1]
            relevant = table.coerce_set(y)
            new_labels = table.new_labels(relevant)
            scores = self.score(x, table.label_names() + new_labels)
            others = [label for label in scores if label not in relevant]
            change, margin = {}, 0.0
            if relevant and others:
                up = min((label for label in scores if label in relevant), key=scores.__getitem__)
                down = max(others, key=scores.__getitem__)
                change = difference(self.who, self.asked(x, up), self.asked(x, down))
                margin = 1.0
            self.learn(change, margin, w, new_labels)

    def learn(
        self, change: dict[Any, float], margin: float, w: float, new_labels: list[Any]
    ) -> None:
        """Make a step and add the new labels: both, or neither."""
        with changing:
            weights, table = self.parts
            before = weights.seen
            try:
                weights.learn_one(change, margin, w)
            finally:
                if weights.seen > before:
                    table.declare(new_labels)

    def score(self, x: Example, labels: list[Any]) -> dict[Any, float]:
        """The scores of these labels."""
        weights, _ = self.parts
        return {label: weights.score_one(self.asked(x, label)) for label in labels}

    def scores_one(self, x: Example) -> dict[Any, float]:
        """The scores of all labels known."""
        return self.score(x, self.label_names())

    def learn_many(self, X: Rows, y: Any, w: Any, output: int = 0) -> NDArray[np.float64] | None:
        """Learn all rows or none; the scores before each, if an output is wanted."""
        rows = rows_of(self.who, "X", "example", X)
        ask = self.scores_one if output else None
        scores = self.learn_rows(rows, label_sets(self.who, y), w, ask)
        return self.matrix(scores) if output else None

    def predict_many(self, X: Rows, output: int) -> NDArray[np.float64]:
        """The scores of every row."""
        return self.matrix([self.scores_one(x) for x in rows_of(self.who, "X", "example", X)])

    def matrix(self, rows: list[dict[Any, float]]) -> NDArray[np.float64]:
        """Scores in the order of the labels, NaN where one was not known."""
        names = self.label_names()
        scores = [[row.get(name, np.nan) for name in names] for row in rows]
        return np.array(scores, dtype=float).reshape(len(rows), len(names))

    def label_names(self) -> list[Any]:
        """The labels known."""
        return self.parts[1].label_names()

    def coerce_labels(self, labels: Any) -> list[Any]:
        """Labels to be declared, as Python's own objects."""
        return self.parts[1].coerce_labels(labels)

    def declare(self, labels: list[Any]) -> None:
        """Labels known before any example."""
        self.parts[1].declare(labels)

    def snapshot(self) -> dict[str, Any]:
        """Everything that was learned, weights and labels of the same moment."""
        with changing:
            weights, table = self.parts
            return {**weights.snapshot(), "labels": table.label_names()}

    def fill(self, parts: tuple[Any, ...], fields: StateReader) -> None:
        """Put an exported state into new parts."""
        weights, table = parts
        weights.restore(fields)
        table.declare(fields.names("labels", (bool, int, str)))
