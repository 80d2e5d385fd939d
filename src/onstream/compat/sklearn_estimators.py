"""What the estimators generated for scikit-learn share: its conventions over our verbs."""

import math
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse  # type: ignore[import-untyped]
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names_in,
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from ..base.checks import flag, meant, whole
from ..base.fit import fit_block
from ..base.parameters import parameters
from ..bayes import BernoulliNB, MultinomialNB
from .generated import as_given
from .nested import changed, nested
from .sklearn_views import Views, labels_of, positive_sign


class Adapter(BaseEstimator):  # type: ignore[misc]
    """An estimator around a learner, `model_`, made by `fit` or the first `partial_fit`."""

    _learner_class: Any
    _renames: bool  # do the columns that come out have other names?

    def _made(self, **changes: Any) -> Any:
        """A learner with these parameters, which has learned nothing."""
        given = {name: getattr(self, name) for name in parameters(self._learner_class)}
        return self._learner_class(**{**as_given(self._learner_class, given), **changes})

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with `deep`, those of learners among them, too."""
        own: dict[str, Any] = super().get_params(deep=False)
        return {**own, **nested(own)} if deep else own

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of a learner within are `learner__name`."""
        own = self.get_params(deep=False)
        within = {name: value for name, value in params.items() if "__" in name}
        super().set_params(**{n: value for n, value in params.items() if n not in within})
        for key, value in within.items():
            change = changed(self.get_params(deep=False), key, value)
            if change is None:
                known = [*own, *nested(own)]
                raise ValueError(
                    f"{type(self).__name__}: there is no parameter {key!r}.{meant(key, known)} "
                    f"The parameters are {', '.join(known)}."
                )
            setattr(self, *change)
        return self

    def __reduce__(self) -> Any:
        from .sklearn import revived

        return revived, (self._learner_class,), self.__getstate__()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = takes_nan(self)
        return tags

    def _columns(self, X: Any, y: Any = None, *, reset: bool) -> Any:
        """X (and y) checked as scikit-learn does it; a row is a row of numbers."""
        tags = self.__sklearn_tags__().input_tags
        checks: dict[str, Any] = {
            "accept_sparse": "csr",
            "dtype": np.float64,
            "ensure_all_finite": "allow-nan" if tags.allow_nan else True,
            "reset": reset,
        }
        if y is not None:
            checks |= {"y": y, "y_numeric": isinstance(self, RegressorMixin)}
        return validate_data(self, X, **checks)

    def _named(self, X: Any) -> Any:
        """Checked rows for the model: with the names of the columns, if they have names."""
        if hasattr(X, "tocsr") or not hasattr(self, "feature_names_in_"):
            return X
        columns = [pa.array(column) for column in np.asfortranarray(X).T]
        return pa.Table.from_arrays(columns, names=list(self.feature_names_in_))

    def _asked(self, X: Any) -> Any:
        """Rows to be predicted."""
        check_is_fitted(self)
        return self._named(self._columns(X, reset=False))

    def _weights(self, sample_weight: Any, X: Any) -> Any:
        if sample_weight is None:
            return None
        return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)

    def _check_own(self) -> None:
        """Refuse parameters of `fit` that mean nothing."""
        whole(self, "epochs", self.epochs, least=1)
        flag(self, "shuffle", self.shuffle)
        check_random_state(self.random_state)

    def _pass_over(self, X: Any, y: Any, w: Any) -> None:
        """Learn a block in epochs, as `fit` of a learner does."""
        order = None
        if self.shuffle:
            seed = check_random_state(self.random_state).randint(2**31 - 1)
            order = np.random.default_rng(seed)
        fit_block(self.model_, self._named(X), y, w, self.epochs, order)


class ClassifierAdapter(ClassifierMixin, Views, Adapter):  # type: ignore[misc]
    """A classifier: `classes_` are sorted, as scikit-learn has them."""

    model_: Any
    classes_: NDArray[Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rows from the beginning, `epochs` times."""
        self._check_own()
        X, y = self._columns(X, y=required(self, y), reset=True)
        check_classification_targets(y)
        self._begin(np.unique(y))
        self._pass_over(X, labels_of(y), self._weights(sample_weight, X))
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn the rows, one after the other, on top of what was learned.

        The first call must name all `classes`, unless the parameter `labels` does.
        """
        begun = hasattr(self, "model_")
        X, y = self._columns(X, y=required(self, y), reset=not begun)
        check_classification_targets(y)
        if not begun:
            if classes is None and getattr(self, "labels", None) is None:
                raise ValueError(
                    f"{type(self).__name__}: classes must be passed on the first call to "
                    f"partial_fit: partial_fit(X, y, classes=[…])."
                )
            self._begin(np.unique(y[:0] if classes is None else np.asarray(classes)))
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"{type(self).__name__}: classes {list(classes)!r:.80} are not the same as on the "
                f"last call to partial_fit: {self.classes_.tolist()!r:.80}."
            )
        unknown = np.setdiff1d(y, self.classes_)
        if unknown.size:
            raise ValueError(
                f"{type(self).__name__}: y has labels {unknown.tolist()!r:.80} that are not in "
                f"classes {self.classes_.tolist()!r:.80}."
            )
        self.model_.learn_many(self._named(X), labels_of(y), self._weights(sample_weight, X))
        return self

    def _begin(self, classes: NDArray[Any]) -> None:
        """A new model that knows all classes, in their order."""
        if getattr(self, "labels", None) is not None:
            known = np.asarray(self.labels)
            classes = np.union1d(known, classes) if classes.size else np.unique(known)
        self.model_ = self._made(**self._declaring(labels_of(classes).tolist()))
        self.classes_ = classes

    def _declaring(self, labels: list[Any]) -> dict[str, Any]:
        """The parameters that make labels known: of a pipeline, to its last step."""
        if not hasattr(self, "steps"):
            return {"labels": labels}
        *before, last = self.steps
        return {"steps": [*before, last.clone(labels=labels)]}

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row; of equal scores the first one, as scikit-learn has it."""
        scores = self.decision_function(X)
        best = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0.0).astype(int)
        return self.classes_[best if len(self.classes_) > 1 else np.zeros_like(best)]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores: shape (n,) for two classes, positive for the second; else (n, classes)."""
        rows = self._asked(X)
        scores = self.model_.score_many(rows)
        return scores[:, self._order()] if scores.ndim == 2 else positive_sign(self) * scores

    def _order(self) -> NDArray[np.intp]:
        """Where each class stands among the labels of the model."""
        return np.argsort(np.array(self.model_.labels))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = is_slow(self)
        return tags


def has_probabilities(estimator: Any) -> bool:
    """Say whether the learner has probabilities with these parameters."""
    try:
        return hasattr(getattr(estimator, "model_", None) or estimator._made(), "predict_proba_one")
    except (TypeError, ValueError):  # parameters that `fit` will refuse
        return False


class ProbabilisticAdapter(ClassifierAdapter):
    """A classifier with probabilities."""

    @available_if(has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, shape (n, classes), in the order of `classes_`."""
        rows = self._asked(X)
        return self.model_.predict_proba_many(rows)[:, self._order()]


class RegressorAdapter(RegressorMixin, Views, Adapter):  # type: ignore[misc]
    """A regressor."""

    model_: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rows from the beginning, `epochs` times."""
        self._check_own()
        X, y = self._columns(X, y=required(self, y), reset=True)
        self.model_ = self._made()
        self._pass_over(X, y.astype(np.float64), self._weights(sample_weight, X))
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rows, one after the other, on top of what was learned."""
        begun = hasattr(self, "model_")
        X, y = self._columns(X, y=required(self, y), reset=not begun)
        if not begun:
            self.model_ = self._made()
        w = self._weights(sample_weight, X)
        self.model_.learn_many(self._named(X), y.astype(np.float64), w)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The prediction for every row."""
        rows = self._asked(X)
        return self.model_.predict_many(rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = is_slow(self)
        return tags


class TransformerAdapter(TransformerMixin, Adapter):  # type: ignore[misc]
    """A transformer of numbers."""

    model_: Any

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take note of the rows from the beginning."""
        if hasattr(self, "model_"):
            del self.model_
        return self.partial_fit(X, sample_weight=sample_weight)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take note of the rows, on top of what was seen."""
        begun = hasattr(self, "model_")
        X = self._columns(X, reset=not begun)
        if not begun:
            self.model_ = self._made()
        self.model_.learn_many(X, self._weights(sample_weight, X))
        return self

    def transform(self, X: Any) -> Any:
        """Every row transformed: an array, or a CSR matrix where it would be too wide for one."""
        check_is_fitted(self)
        X = self._columns(X, reset=False)
        made = self.model_.transform_many(X.toarray() if hasattr(X, "toarray") else X)
        if isinstance(made, list):
            return in_slots(made, 2**self.hash_bits)
        return np.asarray(made, dtype=np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the columns of `transform`."""
        check_is_fitted(self)
        if not self._renames:
            return _check_feature_names_in(self, input_features)
        width = self.transform(np.zeros((1, self.n_features_in_))).shape[1]
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{i}" for i in range(width)], dtype=object)


class SelectAdapter(TransformerAdapter):
    """Some columns only: by their names in a frame, by their numbers in an array."""

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take note of the columns."""
        begun = hasattr(self, "model_")
        X = self._columns(X, reset=not begun)
        made = self.model_ if begun else self._made()
        columns = list(map(str, self._all_names()))
        absent = [name for name in made.names if str(name) not in columns]
        if absent:
            raise ValueError(
                f"Select: there is no column {absent[0]!r:.60}; X has {len(columns)} feature(s): "
                f"{', '.join(columns)!s:.120}."
            )
        self.model_ = made
        self.model_.learn_many(self._named(X), self._weights(sample_weight, X))
        return self

    def transform(self, X: Any) -> Any:
        """The chosen columns, in the order of X."""
        check_is_fitted(self)
        return self._columns(X, reset=False)[:, self._chosen()]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the chosen columns."""
        check_is_fitted(self)
        return _check_feature_names_in(self, input_features)[self._chosen()]

    def _all_names(self) -> list[Any]:
        return list(getattr(self, "feature_names_in_", range(self.n_features_in_)))

    def _chosen(self) -> NDArray[np.intp]:
        names = set(map(str, self.model_.names))
        return np.flatnonzero([str(name) in names for name in self._all_names()])


def in_slots(rows: list[dict[int, float]], width: int) -> sparse.csr_matrix:
    """Rows from slot to value as a sparse matrix."""
    ends = np.cumsum([0, *map(len, rows)])
    slots = np.array([slot for row in rows for slot in row], dtype=np.int64)
    values = np.array([value for row in rows for value in row.values()], dtype=np.float64)
    return sparse.csr_matrix((values, slots, ends), shape=(len(rows), width))


def is_slow(estimator: Any) -> bool:
    """Say whether its answers on a few hundred numeric rows, seen once, are poor by design."""
    try:
        return waits(estimator._made())
    except (TypeError, ValueError):  # parameters that `fit` will refuse
        return False


def waits(learner: Any) -> bool:
    """Say whether it, or a learner in it, needs more rows, or rows of another kind.

    A Hoeffding tree splits after its grace period at the earliest; the others learn from words.
    """
    late = hasattr(learner, "grace_period") or isinstance(learner, (BernoulliNB, MultinomialNB))
    return late or any(map(waits, inner_learners(learner)))


def inner_learners(learner: Any) -> list[Any]:
    """The members of an ensemble, or the last step of a pipeline, as they were given."""
    return [*getattr(learner, "_learners", ()), *list(getattr(learner, "steps", ()))[-1:]]


def takes_nan(estimator: Any) -> bool:
    """Say whether NaN is a missing value for the learner of an estimator."""
    try:
        learner = estimator._made()
    except (TypeError, ValueError):  # parameters that `fit` will refuse
        return False
    if hasattr(learner, "steps"):
        return False
    return any(map(one_takes_nan, inner_learners(learner) or [learner]))


def one_takes_nan(learner: Any) -> bool:
    """The same for one learner, by asking; all of its class answer alike."""
    kind = type(learner)
    if "steps" in parameters(kind):
        return False
    if kind not in TAKES_NAN:
        model = learner.clone()
        target: tuple[Any, ...] = () if hasattr(model, "transform_one") else (1,)
        try:
            model.learn_one({0: math.nan}, *target)
        except ValueError:
            TAKES_NAN[kind] = False
        else:
            TAKES_NAN[kind] = True
    return TAKES_NAN[kind]


TAKES_NAN: dict[type[Any], bool] = {}  # what was found out


def required(estimator: Any, y: Any) -> Any:
    """The target, refused in scikit-learn's words if there is none."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    return y
