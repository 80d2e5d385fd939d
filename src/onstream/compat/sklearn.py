"""scikit-learn: an estimator for every learner, and estimators with `partial_fit` as learners."""

import copy
from functools import cache
from typing import Any

import numpy as np

from ..base import Classifier, Learner, Regressor
from ..base.checks import meant
from ..base.parameters import parameters
from ..features import (
    BagOfWords,
    FeatureHasher,
    RandomFourierFeatures,
    Select,
    StandardScaler,
    Transformer,
)
from .extras import needed
from .features import column_names
from .generated import generate, learner_within

needed("sklearn", "compat", "onstream.compat: scikit-learn")

from .sklearn_estimators import (  # noqa: E402
    Adapter,
    ClassifierAdapter,
    ProbabilisticAdapter,
    RegressorAdapter,
    SelectAdapter,
    TransformerAdapter,
)
from .sklearn_learners import ScikitClassifier, ScikitRegressor  # noqa: E402

FIT = {"epochs": 1, "shuffle": True, "random_state": 0}
ORDER = (
    "an online learner: weight 2 is one step of twice the importance, not two steps, and rows "
    "left out change the order in which the others are shuffled"
)

BY_NAME = (
    "the check sets with_mean=False, a parameter of scikit-learn's own class of the same name; "
    "sparse rows are centred, and come out as an array"
)


def to_sklearn(model: Learner, **own: Any) -> Any:
    """An estimator with the model's parameters; fitted, if the model has learned something.

    The estimator learns in a copy, `model_`; the model that was given stays as it is. Beside the
    learner's parameters it has `epochs=1`, `shuffle=True` and `random_state=0`, of `fit`, which can
    be given here. Of a learner within a learner they are `learner__name`, of a step of a pipeline
    `logisticregression__eta`.

    >>> from onstream import PAClassifier
    >>> to_sklearn(PAClassifier(C=0.5)).fit([[0.0], [1.0]], ["ham", "spam"]).predict([[1.0]])
    array(['spam'], dtype='<U4')
    """
    if not isinstance(model, Learner):
        raise TypeError(
            f"to_sklearn: {type(model).__name__} is not a learner of onstream; give it an "
            f"object such as PAClassifier().{learner_within(model)}"
        )
    kind: Any = type(model)
    made = estimator_class(kind)
    if reads_text(model):
        raise TypeError(
            f"to_sklearn: {type(model).__name__} reads text (BagOfWords), and an estimator takes "
            f"rows of numbers. Put CountVectorizer() or HashingVectorizer() of scikit-learn before "
            f"the estimator of the learner alone."
        )
    allowed = {} if issubclass(made, TransformerAdapter) else FIT
    for name in own.keys() - allowed.keys():
        raise TypeError(
            f"to_sklearn: {name!r} is no parameter of the estimator itself"
            f"{meant(name, list(allowed))}; give those of the learner to it: "
            f"to_sklearn({kind.__name__}({name}=…))."
        )
    estimator = made(**model.params, **own)
    if model.seen:
        adopt(estimator, copy.deepcopy(model))
    return estimator


def from_sklearn(estimator: Any, *, labels: list[Any] | None = None) -> Any:
    """A learner: that of an estimator of ours (a copy), or one around scikit-learn's `partial_fit`.

    A classifier of scikit-learn must know its `labels` beforehand, unless it is fitted. Its columns
    are those of the frame that it was fitted to, or of the first example: what is absent later is
    0, what is new is refused when it is learned, and not looked at in a prediction.

    >>> from sklearn.linear_model import SGDClassifier
    >>> model = from_sklearn(SGDClassifier(random_state=0), labels=["ham", "spam"])
    >>> model.learn_one({"free": 1.0, "lunch": 0.0}, "spam")
    >>> model.predict_one({"free": 1.0})
    'spam'
    """
    if isinstance(estimator, Adapter):
        found: Any = getattr(estimator, "model_", None)
        return copy.deepcopy(found) if found is not None else estimator._made()
    if isinstance(estimator, type) or not hasattr(estimator, "partial_fit"):
        raise TypeError(
            f"from_sklearn: {estimator!r:.80} has no partial_fit, so it cannot learn one example "
            f"at a time; SGDClassifier(), SGDRegressor(), MLPClassifier() and GaussianNB() can."
        )
    from sklearn.base import is_classifier, is_regressor

    if is_classifier(estimator):
        return ScikitClassifier(copy.deepcopy(estimator), labels)
    if is_regressor(estimator):
        return ScikitRegressor(copy.deepcopy(estimator))
    raise TypeError(
        f"from_sklearn: {type(estimator).__name__} is neither a classifier nor a regressor."
    )


def expected_failed_checks(model: Any) -> dict[str, str]:
    """Checks of scikit-learn's `check_estimator` that the estimator of a learner fails: reasons.

    The sample-weight checks, which its own SGDClassifier fails, too; learners that keep counts pass
    them. And of `StandardScaler` those that give every class of that name its `with_mean=False`.
    """
    learner = model._made() if isinstance(model, Adapter) else model
    if isinstance(learner, StandardScaler):
        return {
            "check_estimator_sparse_array": BY_NAME,
            "check_estimator_sparse_matrix": BY_NAME,
        }
    if isinstance(learner, Transformer) or counts(learner):
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": ORDER,
        "check_sample_weight_equivalence_on_sparse_data": ORDER,
    }


def counts(learner: Any) -> bool:
    """Say whether it keeps sums over the examples alone: weight 2 is then the same as twice."""
    return bool(type(learner).merge_kind == "exact")


def reads_text(learner: Any) -> bool:
    """Say whether it, or a learner within, takes text apart."""
    within = [
        part for name in ("steps", "parts", "_learners") for part in getattr(learner, name, ())
    ]
    return isinstance(learner, BagOfWords) or any(map(reads_text, within))


@cache
def estimator_class(learner_class: Any) -> type[Any]:
    """The class of estimators that is generated for a class of learners."""
    if issubclass(learner_class, Classifier):
        probable = hasattr(learner_class, "predict_proba_one")
        base: type[Any] = ProbabilisticAdapter if probable else ClassifierAdapter
    elif issubclass(learner_class, Regressor):
        base = RegressorAdapter
    elif issubclass(learner_class, Transformer) and "parts" not in parameters(learner_class):
        base = SelectAdapter if issubclass(learner_class, Select) else TransformerAdapter
    else:
        raise TypeError(
            f"to_sklearn: {learner_class.__name__} has no place in scikit-learn: only "
            f"classifiers, regressors and transformers of numbers have one."
        )
    more = {} if issubclass(base, TransformerAdapter) else FIT
    made = generate(learner_class, (base,), more, "scikit-learn")
    made._renames = issubclass(learner_class, (FeatureHasher, RandomFourierFeatures))
    return made


def revived(learner_class: Any) -> Any:
    """Unpickle: an empty estimator, whose state comes next."""
    made: Any = estimator_class(learner_class)
    return object.__new__(made)


def adopt(estimator: Any, model: Any) -> None:
    """Make the estimator one that was fitted: with this model."""
    estimator.model_ = model
    if isinstance(model, Classifier):
        estimator.classes_ = np.unique(np.array(model.labels))
    names = column_names(model)
    if names is not None:
        estimator.n_features_in_ = len(names)
        if names and isinstance(names[0], str):
            estimator.feature_names_in_ = np.array(names, dtype=object)
