"""Models of River and scikit-learn in `prequential` and `regret`."""

from typing import Any

import numpy as np
import pytest

from onstream import LogisticRegression, StandardScaler, prequential
from onstream.compat import from_river, from_sklearn, to_river
from onstream.evaluate import MAE, ROCAUC, Accuracy, LogLoss, Prequential, regret
from onstream.linear import PAClassifier

river = pytest.importorskip("river")
sklearn = pytest.importorskip("sklearn")

from river import linear_model as theirs  # noqa: E402
from river import preprocessing, tree  # noqa: E402
from sklearn import linear_model  # noqa: E402

X = np.random.default_rng(0).normal(size=(300, 3))
BINARY = X[:, 0] + 0.3 * X[:, 1] > 0
THREE = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
NUMBERS = 2.0 * X[:, 0] - X[:, 2]

PROBABLE = {
    "river": lambda: from_river(theirs.LogisticRegression()),
    "a pipeline of River": lambda: from_river(
        preprocessing.StandardScaler() | theirs.LogisticRegression()
    ),
    "our steps before River": lambda: StandardScaler() | from_river(theirs.LogisticRegression()),
    "scikit-learn": lambda: from_sklearn(
        linear_model.SGDClassifier(loss="log_loss", random_state=0), labels=[False, True]
    ),
    "our steps before scikit-learn": lambda: (
        StandardScaler()
        | from_sklearn(
            linear_model.SGDClassifier(loss="log_loss", random_state=0), labels=[True, False]
        )
    ),
}
WITH_SCORES = {
    "scikit-learn": lambda labels: from_sklearn(
        linear_model.SGDClassifier(random_state=0), labels=labels
    ),
    "our steps before it": lambda labels: (
        StandardScaler() | from_sklearn(linear_model.Perceptron(random_state=0), labels=labels)
    ),
}
NUMERIC = {
    "river": lambda: from_river(theirs.LinearRegression()),
    "a tree of River": lambda: from_river(tree.HoeffdingTreeRegressor()),
    "our steps before River": lambda: StandardScaler() | from_river(theirs.LinearRegression()),
    "scikit-learn": lambda: from_sklearn(linear_model.SGDRegressor(random_state=0)),
    "our steps before it": lambda: (
        StandardScaler() | from_sklearn(linear_model.SGDRegressor(random_state=0))
    ),
}


def asked_before(model: Any, verb: str, y: Any) -> list[Any]:
    """What a loop hears of each row before it is learned."""
    said = []
    for x, target in zip(X, y.tolist(), strict=True):
        said.append(getattr(model, verb)(x))
        model.learn_one(x, target)
    return said


@pytest.mark.parametrize("delay", [0, 5])
@pytest.mark.parametrize("name", PROBABLE)
def test_probabilities_are_judged(name: str, delay: int) -> None:
    model = PROBABLE[name]()
    metrics = [LogLoss(), ROCAUC(), Accuracy()]
    report = prequential(model, (X, BINARY), metrics=metrics, delay=delay)
    assert report.value("LogLoss") < 1.1
    assert report.value("ROCAUC") > 0.9
    assert report.value("Accuracy") > 0.8
    assert model.predict_proba_many(X[:5]).shape == (5, 2)


@pytest.mark.parametrize("name", PROBABLE)
def test_blocks_say_what_loops_say(name: str) -> None:
    block = PROBABLE[name]().predict_learn_many(X, BINARY, output="proba")
    model = PROBABLE[name]()
    rows = asked_before(model, "predict_proba_one", BINARY)
    assert rows[0] == {}
    expected = [[row.get(label, 0.0) for label in model.labels] for row in rows]
    np.testing.assert_array_equal(block, expected)


@pytest.mark.parametrize("delay", [0, 5])
@pytest.mark.parametrize("labels", [[False, True], [True, False], ["a", "b", "c"]])
@pytest.mark.parametrize("name", WITH_SCORES)
def test_scores_are_those_of_the_decision_function(
    name: str, labels: list[Any], delay: int
) -> None:
    y = THREE if len(labels) == 3 else BINARY
    model = WITH_SCORES[name](labels)
    assert not hasattr(model, "predict_proba_one")
    assert not hasattr(model, "predict_proba_many")
    report = prequential(model, (X, y), metrics=[ROCAUC()], delay=delay)
    assert report.value("ROCAUC") > 0.8
    scores = model.score_many(X)
    if len(labels) == 2:  # positive for True, which is coded +1
        assert ((scores > 0) == (model.predict_many(X) == True)).all()  # noqa: E712
    else:
        assert (np.array(labels)[scores.argmax(axis=1)] == model.predict_many(X)).all()
    before = WITH_SCORES[name](labels).predict_learn_many(X, y, output="score")
    assert np.isnan(before[0]).all()
    assert np.isfinite(before[1:]).all()


@pytest.mark.parametrize("name", NUMERIC)
def test_regressors_are_judged_by_numbers(name: str) -> None:
    report = prequential(NUMERIC[name](), (X, NUMBERS))
    assert {metric["name"] for metric in report.metrics} == {"MAE", "RMSE", "R2"}
    model = NUMERIC[name]()
    said = asked_before(model, "predict_one", NUMBERS)
    assert report.value("MAE") == pytest.approx(np.abs(np.array(said) - NUMBERS).mean())
    piece = Prequential(NUMERIC[name]())
    piece.add(X, NUMBERS)
    assert piece.report().value("MAE") == pytest.approx(report.value("MAE"))


class Silent:
    """A regressor of nobody's library."""

    def learn_one(self, x: Any, y: float) -> None:
        """Learn nothing."""

    def predict_one(self, x: Any) -> float:
        return 0.5


@pytest.mark.parametrize("delay", [0, 5])
def test_a_regressor_that_does_not_say_so_is_told_how(delay: int) -> None:
    with pytest.raises(TypeError, match=r"predicts numbers, say so: metrics=\[MAE\(\)\]"):
        prequential(Silent(), (X, NUMBERS), delay=delay)


@pytest.mark.parametrize("name", NUMERIC)
def test_their_regret(name: str) -> None:
    outcome = regret(NUMERIC[name](), X, NUMBERS)
    said = NUMERIC[name]().predict_learn_many(X, NUMBERS)
    np.testing.assert_allclose(outcome.losses, 0.5 * (NUMBERS - said) ** 2)


def test_the_regret_of_their_classifiers() -> None:
    model = WITH_SCORES["scikit-learn"]([False, True])
    outcome = regret(model, X, BINARY, loss="hinge")
    assert outcome.losses[0] == 1.0  # nothing was known
    assert 0.0 < outcome.total < 300.0
    with pytest.raises(TypeError, match="scores"):
        regret(from_river(theirs.LogisticRegression()), X, BINARY, loss="logistic")
    with pytest.raises(TypeError, match="is for a regressor"):
        regret(WITH_SCORES["scikit-learn"]([False, True]), X, NUMBERS)
    with pytest.raises(TypeError, match="is for a classifier"):
        regret(NUMERIC["river"](), X, BINARY, loss="hinge")


def test_models_without_probabilities_say_so() -> None:
    alone = from_river(preprocessing.StandardScaler() | to_river(PAClassifier()))
    assert not hasattr(alone, "predict_proba_one")
    assert hasattr(
        from_river(preprocessing.StandardScaler() | to_river(LogisticRegression())),
        "predict_proba_one",
    )
    with pytest.raises(ValueError, match="needs probabilities, which RiverClassifier does not"):
        prequential(alone, (X, BINARY), metrics=[LogLoss()])
    with pytest.raises(ValueError, match="has no predict_proba_one"):
        alone.predict_learn_many(X, BINARY, output="proba")
    with pytest.raises(ValueError, match="output must be"):
        alone.predict_learn_many(X, BINARY, output="what")  # type: ignore[arg-type]


def test_parameters_and_memory_are_in_the_report() -> None:
    report = prequential(
        [from_river(theirs.LinearRegression(l2=0.5)), NUMERIC["scikit-learn"]()],
        (X, NUMBERS),
        metrics=[MAE()],
    )
    ours, other = report.runs[:2]
    assert (ours.params["l2"], other.params["random_state"]) == (0.5, 0)
    assert ours.memory_bytes > 0
    assert NUMERIC["our steps before River"]().memory_bytes > 0


@pytest.mark.parametrize(
    "model",
    [
        theirs.LinearRegression(),
        tree.HoeffdingTreeRegressor(),
        preprocessing.StandardScaler() | theirs.LinearRegression(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_regressors_of_river_as_they_are(model: Any) -> None:
    """They are judged by metrics of numbers without being asked."""
    rows = [(dict(zip("abc", x, strict=True)), y) for x, y in zip(X.tolist(), NUMBERS, strict=True)]
    report = prequential(model, rows)
    assert report.value("R2") > 0.5


def test_a_model_behind_our_steps_is_named_with_them() -> None:
    model = StandardScaler() | from_sklearn(linear_model.SGDClassifier(), labels=[False, True])
    with pytest.raises(ValueError, match=r"which StandardScaler \| ScikitClassifier does not have"):
        prequential(model, (X, BINARY), metrics=[LogLoss()])
