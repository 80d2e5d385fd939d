"""River's own checks for our learners, and its tools over them."""

import pickle
from typing import Any

import numpy as np
import pytest

from onstream import (
    LinearRegression,
    LogisticRegression,
    PAClassifier,
    StandardScaler,
    prequential,
)
from onstream.base import Classifier, Regressor, learners
from onstream.compat import from_river, to_river
from onstream.evaluate import Accuracy
from onstream.features import Select
from onstream.linear import PAMultilabel
from onstream.streams import SEA

river = pytest.importorskip("river")

from river import (  # noqa: E402
    base,
    checks,
    compose,
    ensemble,
    evaluate,
    linear_model,
    metrics,
    preprocessing,
)

SUPERVISED = {n: c for n, c in learners().items() if issubclass(c, (Classifier, Regressor))}
CLASSIFIERS = [n for n, c in SUPERVISED.items() if issubclass(c, Classifier)]
# The checks learn values up to 700,000 as they are: plain gradients need a scale or small steps.
FOR_UNSCALED: dict[str, dict[str, Any]] = {
    "DeltaRule": {"eta": 1e-7},
    "LMS": {"normalized": True},
    "LinearRegression": {"scale": "auto"},
    "SGDClassifier": {"scale": "auto"},
    "SGDRegressor": {"scale": "auto"},
}
if "NOGD" in SUPERVISED:
    from onstream.kernel import RBF

    FOR_UNSCALED["NOGD"] = {"kernel": RBF(gamma=1e-3)}
QUICK = ("PAClassifier", "LogisticRegression", "LMS", "HoeffdingTreeClassifier", "GaussianNB")


@pytest.mark.filterwarnings("ignore")  # of data that the checks mean to be odd
@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in SUPERVISED]
)
def test_rivers_own_checks_pass(name: str) -> None:
    checks.check_estimator(to_river(SUPERVISED[name](**FOR_UNSCALED.get(name, {}))))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_progressive_validation_gives_our_accuracy(name: str) -> None:
    made = SUPERVISED[name](**FOR_UNSCALED.get(name, {}))
    rows = list(SEA(seed=1).limit(400))
    theirs = evaluate.progressive_val_score(rows, to_river(made), metrics.Accuracy()).get()
    ours = prequential(made.clone(), rows, metrics=[Accuracy()]).value("Accuracy")
    # River does not judge the first answer, None; we count it as wrong.
    assert made.predict_one(rows[0][0]) is None
    assert theirs * 399 == pytest.approx(ours * 400)


def test_it_stands_in_rivers_pipelines_and_ensembles() -> None:
    rows = list(SEA(seed=1).limit(500))
    model = preprocessing.StandardScaler() | to_river(PAClassifier())
    assert isinstance(model, compose.Pipeline)
    assert evaluate.progressive_val_score(rows, model, metrics.Accuracy()).get() > 0.75
    many = ensemble.BaggingClassifier(to_river(LogisticRegression()), n_models=3, seed=1)
    assert evaluate.progressive_val_score(rows, many, metrics.Accuracy()).get() > 0.7
    ours = to_river(StandardScaler()) | linear_model.LogisticRegression()
    assert evaluate.progressive_val_score(rows, ours, metrics.Accuracy()).get() > 0.75


def test_a_trained_model_arrives_trained_and_comes_back() -> None:
    model = PAClassifier()
    model.learn_one({"a": 1.0}, "x")
    there = to_river(model)
    there.learn_one({"b": 1.0}, "y")
    back = from_river(pickle.loads(pickle.dumps(there)))
    assert (model.seen, back.seen, list(back.weights)) == (1, 2, ["a", "b"])
    assert there.clone({"C": 3.0}).C == 3.0
    assert from_river(there.clone()).seen == 0


def test_rivers_models_are_learners() -> None:
    rows = list(SEA(seed=1).limit(500))
    theirs = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    model = from_river(theirs)
    assert model.predict_one({"a": 1.0}) is None
    report = prequential(model, rows, metrics=[Accuracy()])
    alone = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    judged = evaluate.progressive_val_score(rows, alone, metrics.Accuracy())
    assert report.rows == 500
    assert model.seen == 500
    assert judged.get() > 0.7
    x = rows[0][0]
    assert model.predict_proba_one(x) == pytest.approx(alone.predict_proba_one(x))
    number = from_river(linear_model.LinearRegression())
    assert number.predict_one({"a": 1.0}) == 0.0
    number.learn_many(np.ones((5, 2)), np.ones(5))
    assert number.predict_many(np.ones((1, 2)))[0] > 0


def test_our_steps_stand_before_their_models() -> None:
    rows = list(SEA(seed=1).limit(500))
    theirs = from_river(linear_model.LogisticRegression())
    model = StandardScaler() | Select(0, 1) | theirs
    report = prequential(model, rows, metrics=[Accuracy()])
    assert report.value("Accuracy") > 0.7
    steps = StandardScaler() | Select(0, 1)
    alone = linear_model.LogisticRegression()
    for x, y in rows:
        steps.learn_one(x)
        alone.learn_one(steps.transform_one(x), y)
    likely = alone.predict_proba_one(steps.transform_one(rows[0][0]))
    assert model.predict_proba_one(rows[0][0]) == pytest.approx(likely)
    assert (model.seen, model.clone().seen, sorted(model.labels)) == (500, 0, [0, 1])
    number = StandardScaler() | from_river(linear_model.LinearRegression())
    assert not hasattr(number, "predict_proba_one")
    number.learn_many(np.arange(10.0).reshape(5, 2), np.arange(5.0))
    assert number.predict_one([8.0, 9.0]) > number.predict_one([0.0, 1.0])


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(TypeError, match="PAMultilabel has no place"):
        to_river(PAMultilabel())
    with pytest.raises(TypeError, match="not a learner"):
        to_river(linear_model.LinearRegression())
    with pytest.raises(TypeError, match="neither"):
        from_river(preprocessing.StandardScaler())
    with pytest.raises(NotImplementedError, match="PAClassifier"):
        to_river(PAClassifier()).predict_proba_one({"a": 1.0})
    assert isinstance(to_river(LinearRegression()), base.Regressor)
