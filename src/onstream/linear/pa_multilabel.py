"""Passive-aggressive learning of sets of labels: every relevant label above every other."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..base.checks import number, whole
from ..base.multilabel import MultilabelClassifier
from ..base.types import Example, Label, Rows
from ..core.regressor import RegressorModel
from ..core.state_reader import StateReader
from .aggressiveness import check_pa
from .base import Linear
from .label_sets import label_sets
from .mixing import mix_rows
from .pa_ranking import MultilabelModel, MultilabelState, margin_model
from .row_by_row import RowByRow, changing, learn_rows, rows_of
from .user_functions import check_function, difference, features_of

Features = Callable[[Any, Any], Mapping[Any, Any]]


class PAMultilabel(Linear, MultilabelClassifier):
    """Passive-aggressive multilabel classifier (Crammer et al., JMLR 7, 2006, section 7).

    An example comes with the set of its labels. The worst-scored of them should be above the
    best-scored of all others by 1; if it is not, these two move, by the smallest step that makes
    it so. Predicted are the labels with a score above `threshold`; `rank_one` and `top_one` order
    them. A set that is empty, or holds all labels known, teaches nothing.

    Parameters
    ----------
    variant : {"PA-I", "PA", "PA-II"}, default "PA-I"
        How far one example may push: "PA" all the way, "PA-I" at most C, "PA-II" softened by C.
        "PA" suits clean data only.
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when labels are noisy.
    features : function of x and a label or None, default None
        features(x, label) gives the features that say how well the label suits x; their weights
        are shared by all labels. None: every label has its own weights for the features of x.
    threshold : float, default 0.0
        Labels scored above are predicted. Raise it to predict fewer.
    intercept : bool, default True
        Append a constant 1 to every example; its weight is `bias`. Not with `features`.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused.
    init : PAMultilabel or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

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

    variant: str
    C: float
    _model_class = MultilabelModel

    def __init__(
        self,
        *,
        variant: Literal["PA-I", "PA", "PA-II"] = "PA-I",
        C: float = 1.0,
        features: Features | None = None,
        threshold: float = 0.0,
        intercept: bool = True,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: "PAMultilabel | dict[str, Any] | None" = None,
        reset_schedule: bool = False,
    ) -> None:
        check_pa(self, variant, C)
        self.features = features
        if features is not None:
            check_function(self, "features", features, 2)
        self.threshold = number(self, "threshold", threshold)
        self._check_common(intercept, hash_bits, hash_seed)
        self.max_labels = whole(self, "max_labels", max_labels, least=2, most=2**31 - 1)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> MultilabelState:
        rows = MultilabelState(self.intercept)
        rows.set_parameters(self.variant, self.C)
        return rows

    def _new_model(self) -> Any:
        if self.features is None:
            return super()._new_model()
        return FeatureModel(self.features, self._parts)

    def _parts(self) -> tuple[RegressorModel, MultilabelModel]:
        return margin_model(self), super()._new_model()

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

    def _merged(self, mine: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
        return mix_rows(type(self).__name__, mine, theirs, shared=self.features is not None)


class FeatureModel(RowByRow):
    """One weight vector over the user's features of an example and a label.

    Its parts are the weights; and, for its labels only, a table of rows.
    """

    parts: tuple[RegressorModel, MultilabelModel]

    def __init__(
        self, features: Features, make: Callable[[], tuple[RegressorModel, MultilabelModel]]
    ) -> None:
        self.features, self.make = features, make
        super().__init__()
        self.who = self.parts[0].who

    def new(self) -> tuple[RegressorModel, MultilabelModel]:
        """Parts that have learned nothing."""
        return self.make()

    @property
    def seen(self) -> int:
        """Examples learned."""
        return self.parts[0].seen

    def learn_one(self, x: Example, y: Any, w: float) -> None:
        """Move the worst-scored relevant label above the best-scored other one."""
        with self.turn:
            table = self.parts[1]
            relevant = table.coerce_set(y)
            fresh = table.new_labels(relevant)
            scores = self.score(x, table.label_names() + fresh)
            others = [label for label in scores if label not in relevant]
            change, margin = {}, 0.0
            if relevant and others:
                up = min((label for label in scores if label in relevant), key=scores.__getitem__)
                down = max(others, key=scores.__getitem__)
                change = difference(self.who, self.asked(x, up), self.asked(x, down))
                margin = 1.0
            self.learn(change, margin, w, fresh)

    def learn(self, change: dict[Any, float], margin: float, w: float, fresh: list[Any]) -> None:
        """The weights make a step, and new labels are known: both, or nothing."""
        with changing:
            shared, table = self.parts
            before = shared.seen
            try:
                shared.learn_one(change, margin, w)
            finally:
                if shared.seen > before:
                    table.declare(fresh)

    def asked(self, x: Example, label: Any) -> Mapping[Any, Any]:
        """The features of an example and a label."""
        features: Mapping[Any, Any] = features_of(self.who, self.features, x, label)
        return features

    def score(self, x: Example, labels: list[Any]) -> dict[Any, float]:
        """The scores of these labels."""
        shared, _ = self.parts
        return {label: shared.score_one(self.asked(x, label)) for label in labels}

    def scores_one(self, x: Example) -> dict[Any, float]:
        """The scores of all labels known."""
        return self.score(x, self.label_names())

    def learn_many(self, X: Rows, y: Any, w: Any, output: int = 0) -> NDArray[np.float64] | None:
        """Learn all rows or none; the scores before each, if an output is wanted."""
        rows = rows_of(self.who, "X", "example", X)
        ask = self.scores_one if output else None
        told = learn_rows(self, rows, label_sets(self.who, y), w, ask)
        return self.matrix(told) if output else None

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

    def export(self) -> dict[str, Any]:
        """Everything that was learned."""
        shared, table = self.parts
        return {**shared.export(), "labels": table.label_names()}

    def reading(self) -> Any:
        """A context in which nobody changes this state."""
        return self.parts[0].reading()

    def snapshot(self) -> dict[str, Any]:
        """`export`, while nobody else is learning."""
        with changing:
            shared, table = self.parts
            return {**shared.snapshot(), "labels": table.label_names()}

    def fill(self, parts: tuple[RegressorModel, MultilabelModel], fields: StateReader) -> None:
        """Put an exported state into new parts."""
        shared, table = parts
        shared.restore(fields)
        table.declare(fields.names("labels", (bool, int, str)))

    def reset_schedule(self) -> None:
        """There is none."""
        self.parts[0].reset_schedule()

    def memory(self) -> int:
        """Bytes held."""
        return sum(part.memory() for part in self.parts)
