"""River: an estimator for every learner, and River's models as learners."""

import copy
from functools import cache
from inspect import signature
from typing import Any, Self

from ..base import Classifier, Learner, Regressor
from ..base.parameters import parameters
from ..features import Transformer
from .extras import needed
from .foreign import Foreign, example_of, lent_if, plain
from .generated import as_given, generate, learner_within

needed("river", "compat", "onstream.compat: River")

from river import base  # noqa: E402


def to_river(model: Learner) -> Any:
    """An estimator of River with the model's parameters, which goes on from a copy of the model.

    >>> from onstream import PAClassifier
    >>> from river import preprocessing
    >>> model = preprocessing.StandardScaler() | to_river(PAClassifier(C=0.5))
    >>> model.learn_one({"free": 1.0}, "spam")
    >>> model.predict_one({"free": 1.0})
    'spam'
    """
    if not isinstance(model, Learner):
        raise TypeError(
            f"to_river: {type(model).__name__} is not a learner of onstream; give it an object "
            f"such as PAClassifier().{learner_within(model)}"
        )
    kind: Any = type(model)
    estimator = estimator_class(kind)(**model.params)
    if model.seen:
        estimator._learner = copy.deepcopy(model)
    return estimator


def from_river(model: Any) -> Any:
    """A learner: that of an estimator of ours (a copy), or one around a model of River.

    >>> from river import linear_model
    >>> model = from_river(linear_model.LogisticRegression())
    >>> model.learn_one({"free": 1.0}, True)
    >>> model.predict_one({"free": 1.0})
    True
    """
    if isinstance(model, Adapter):
        return copy.deepcopy(model._model())
    for kind, learner in ((base.Classifier, RiverClassifier), (base.Regressor, RiverRegressor)):
        if isinstance(last_step(model), kind):
            return learner(copy.deepcopy(model))
    raise TypeError(f"from_river: {model!r:.80} is neither a classifier nor a regressor of River.")


def last_step(model: Any) -> Any:
    """The last step of a pipeline of River; of anything else, itself."""
    while isinstance(model, base.Estimator) and hasattr(model, "steps"):
        model = list(model.steps.values())[-1]
    return model


def has_probabilities(owner: Any) -> bool:
    """Say whether the model inside has probabilities: those of River that have none raise."""
    last = last_step(owner.wrapped)
    if isinstance(last, Adapter):
        return hasattr(last._model(), "predict_proba_one")
    return type(last).predict_proba_one is not base.Classifier.predict_proba_one


class Adapter:
    """An estimator of River around a learner, which is made when it is first needed."""

    _learner_class: Any
    _learner: Any = None

    def _model(self) -> Any:
        if self._learner is None:
            given = {name: getattr(self, name) for name in parameters(self._learner_class)}
            self._learner = self._learner_class(**as_given(self._learner_class, given))
        return self._learner

    def __reduce__(self) -> Any:
        return revived, (self._learner_class,), vars(self).copy()

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes held, C buffers included."""
        return int(self._model().memory_bytes)


class ClassifierAdapter(Adapter, base.Classifier):  # type: ignore[misc]
    """A classifier."""

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn one example."""
        self._model().learn_one(x, y, w)

    def predict_one(self, x: Any, **kwargs: Any) -> Any:
        """The label; None before any data."""
        return self._model().predict_one(x)

    def predict_proba_one(self, x: Any, **kwargs: Any) -> Any:
        """Label to probability, where the learner has probabilities."""
        model = self._model()
        if not hasattr(model, "predict_proba_one"):
            raise NotImplementedError(f"{type(self).__name__} has no probabilities.")
        return model.predict_proba_one(x)


class RegressorAdapter(Adapter, base.Regressor):  # type: ignore[misc]
    """A regressor."""

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn one example."""
        self._model().learn_one(x, y, w)

    def predict_one(self, x: Any, **kwargs: Any) -> float:
        """The prediction; 0.0 before any data."""
        return float(self._model().predict_one(x))


class TransformerAdapter(Adapter, base.Transformer):  # type: ignore[misc]
    """A transformer."""

    def learn_one(self, x: Any) -> None:
        """Take note of one example."""
        self._model().learn_one(x)

    def transform_one(self, x: Any) -> Any:
        """The example transformed."""
        return self._model().transform_one(x)


@cache
def estimator_class(learner_class: Any) -> type[Any]:
    """The class of estimators that is generated for a class of learners."""
    kinds = {
        Classifier: ClassifierAdapter,
        Regressor: RegressorAdapter,
        Transformer: TransformerAdapter,
    }
    for kind, adapter in kinds.items():
        if issubclass(learner_class, kind):
            return generate(learner_class, (adapter,), {}, "River")
    raise TypeError(
        f"to_river: {learner_class.__name__} has no place in River: only classifiers, regressors "
        f"and transformers have one."
    )


def revived(learner_class: Any) -> Any:
    """Unpickle: an empty estimator, whose state comes next."""
    made: Any = estimator_class(learner_class)
    return object.__new__(made)


class River(Foreign):
    """A model of River as a learner."""

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the model, by name."""
        return dict(self.wrapped._get_params())

    @property
    def memory_bytes(self) -> int:
        """Bytes held, as River counts them."""
        return int(self.wrapped._raw_memory_usage)

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn one example."""
        if "w" in signature(self.wrapped.learn_one).parameters:
            self.wrapped.learn_one(example_of(x), plain(y), w=w)
        elif w == 1.0:
            self.wrapped.learn_one(example_of(x), plain(y))
        elif w != 0.0:
            raise TypeError(
                f"{type(self).__name__}: {type(self.wrapped).__name__} takes no weights, got {w!r}."
            )
        self.seen += w != 0.0

    def clone(self) -> Self:
        """The same model without what it has learned."""
        return type(self)(self.wrapped.clone())


class RiverClassifier(River):
    """A classifier of River."""

    task = "labels"

    def __init__(self, wrapped: Any) -> None:
        super().__init__(wrapped)
        self.labels: list[Any] = []

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn one example."""
        super().learn_one(x, y, w)
        if w and plain(y) not in self.labels:
            self.labels.append(plain(y))

    def predict_one(self, x: Any) -> Any:
        """The label; None before any data."""
        return plain(self.wrapped.predict_one(example_of(x))) if self.seen else None

    @lent_if(has_probabilities)
    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Label to probability."""
        return dict(self.wrapped.predict_proba_one(example_of(x))) if self.seen else {}


class RiverRegressor(River):
    """A regressor of River."""

    task = "numbers"

    def predict_one(self, x: Any) -> float:
        """The prediction; 0.0 before any data."""
        return float(self.wrapped.predict_one(example_of(x))) if self.seen else 0.0
