"""scikit-learn's own checks for every learner, and its tools over our estimators."""

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from onstream import (
    GaussianNB,
    HoeffdingTreeClassifier,
    LinearRegression,
    LogisticRegression,
    PAClassifier,
    SGDClassifier,
    StandardScaler,
)
from onstream.base import Classifier, Regressor, learners
from onstream.compat import expected_failed_checks, from_sklearn, to_sklearn
from onstream.ensemble import DriftRetraining, OnlineBagging
from onstream.features import Imputer, MinMaxScaler, RandomFourierFeatures, Union
from onstream.linear import PAMultilabel

sklearn = pytest.importorskip("sklearn")

from sklearn import linear_model, naive_bayes, pipeline, preprocessing  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.inspection import permutation_importance  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

SUPERVISED = {n: c for n, c in learners().items() if issubclass(c, (Classifier, Regressor))}
WEIGHT_CHECKS = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}
# One of each kind of adapter and of state; all others in `make test-all`.
QUICK = (
    "DriftRetrainingRegressor",
    "GaussianNB",
    "HoeffdingTreeClassifier",
    "KernelPARegressor",
    "KNNClassifier",
    "LinearRegression",
    "OnlineBagging",
    "PAClassifier",
)
IN_MAKE_TEST = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in SUPERVISED
]
GIVEN: dict[str, Any] = {"KernelMIRA": {"kernel": None}}  # 300 rows are few for a narrower kernel
X = np.random.default_rng(0).normal(size=(300, 4))
Y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, "spam", "ham")
THREE = np.digitize(X[:, 0], [-0.5, 0.5])


@pytest.mark.parametrize("name", IN_MAKE_TEST)
def test_scikit_learns_own_checks_pass(name: str) -> None:
    estimator = to_sklearn(SUPERVISED[name](**GIVEN.get(name, {})))
    expected = expected_failed_checks(SUPERVISED[name]())
    assert set(expected) <= WEIGHT_CHECKS
    assert all(expected.values())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of data that the checks mean to be odd
        done = check_estimator(estimator, expected_failed_checks=expected, on_fail=None)
    failed = {d["check_name"]: repr(d["exception"]) for d in done if d["status"] == "failed"}
    assert not failed
    assert sum(d["status"] == "passed" for d in done) > 50


@pytest.mark.filterwarnings("ignore")  # of data: of counts below 0, say
@pytest.mark.parametrize("name", IN_MAKE_TEST)
def test_every_learner_stands_in_scikit_learns_tools(name: str) -> None:
    classifies = issubclass(SUPERVISED[name], Classifier)
    frame = pd.DataFrame(X[:90], columns=list("abcd"))
    y = Y[:90] if classifies else X[:90, 0]
    estimator = to_sklearn(SUPERVISED[name]())
    scale = ColumnTransformer([("scaled", preprocessing.MinMaxScaler(), ["a", "b", "d"])])
    whole = pipeline.Pipeline([("scale", scale), ("learn", estimator)])
    assert np.isfinite(cross_val_score(whole, frame, y, cv=2, error_score="raise")).all()
    search = GridSearchCV(whole, {"learn__epochs": [1, 2]}, cv=2, error_score="raise")
    best = search.fit(frame, y).best_estimator_
    assert permutation_importance(best, frame, y, n_repeats=1).importances.shape == (4, 1)
    again = pickle.loads(pickle.dumps(best))
    assert (again.predict(frame) == best.predict(frame)).all()
    assert not hasattr(clone(best)["learn"], "model_")
    best.fit(frame, y, learn__sample_weight=np.linspace(0.0, 2.0, 90))
    assert best["learn"].n_features_in_ == 3
    if classifies:
        calibrated = CalibratedClassifierCV(estimator, cv=2).fit(frame, y)
        assert np.allclose(calibrated.predict_proba(frame).sum(axis=1), 1.0)


def test_weights_weigh() -> None:
    contrary = np.concatenate([Y, np.where(Y == "ham", "spam", "ham")])
    for kind in (LogisticRegression, GaussianNB):
        weights = np.concatenate([np.ones(300), np.zeros(300)])
        estimator = to_sklearn(kind()).fit(np.vstack([X, X]), contrary, sample_weight=weights)
        assert (estimator.predict(X) == Y).mean() > 0.9


def test_its_own_sgd_classifier_fails_the_expected_checks() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = check_estimator(linear_model.SGDClassifier(), on_fail=None)
    assert {d["check_name"] for d in done if d["status"] == "failed"} >= WEIGHT_CHECKS


def test_it_learns_what_the_learner_learns() -> None:
    estimator = to_sklearn(PAClassifier(C=0.1))
    estimator.partial_fit(X[:200], Y[:200], classes=["ham", "spam"])
    estimator.partial_fit(X[200:], Y[200:], sample_weight=np.full(100, 0.5))
    model = PAClassifier(C=0.1, labels=["ham", "spam"])
    model.learn_many(X[:200], Y[:200])
    model.learn_many(X[200:], Y[200:], np.full(100, 0.5))
    assert (estimator.predict(X) == model.predict_many(X)).all()
    assert (estimator.decision_function(X) == model.score_many(X)).all()


@pytest.mark.parametrize("labels", [[1, 2], [0, 1], [True, False], ["b", "a"], [2.0, 1.0], [3, 1]])
def test_a_positive_score_is_the_second_class(labels: list[Any]) -> None:
    y = np.array(labels)[(X[:, 0] > 0).astype(int)]
    estimator = to_sklearn(LogisticRegression()).fit(X, y)
    assert estimator.classes_.tolist() == sorted(labels)
    assert (estimator.predict(X) == y).mean() > 0.9
    assert ((estimator.decision_function(X) > 0) == (estimator.predict(X) == max(labels))).all()
    said = estimator.classes_[estimator.predict_proba(X).argmax(axis=1)]
    assert (said == estimator.predict(X)).all()


def test_columns_are_in_the_order_of_classes() -> None:
    estimator = to_sklearn(GaussianNB()).fit(X, np.array(["c", "a", "b"])[THREE])
    assert estimator.classes_.tolist() == ["a", "b", "c"]
    for answers in (estimator.predict_proba(X), estimator.decision_function(X)):
        assert (estimator.classes_[answers.argmax(axis=1)] == estimator.predict(X)).all()


def test_sparse_rows_and_frames_are_the_same_rows() -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    dense = to_sklearn(LogisticRegression()).fit(X, Y)
    named = to_sklearn(LogisticRegression()).fit(frame, Y)
    thin = to_sklearn(LogisticRegression()).fit(sparse.csr_matrix(X), Y)
    assert named.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert list(named.model_.weights) == ["a", "b", "c", "d"]
    np.testing.assert_allclose(named.decision_function(frame), dense.decision_function(X))
    np.testing.assert_allclose(thin.decision_function(X), dense.decision_function(X))
    with pytest.raises(ValueError, match="feature names"):
        named.predict(frame[["b", "a", "c", "d"]])
    with pytest.raises(ValueError, match="4 features"):
        dense.predict(X[:, :3])


def test_it_stands_in_pipelines_and_searches() -> None:
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.where(X[:, 2] > 0, "x", "y")})
    columns = ColumnTransformer(
        [
            ("numbers", to_sklearn(StandardScaler()), ["a", "b"]),
            ("texts", preprocessing.OneHotEncoder(), ["c"]),
        ]
    )
    whole = pipeline.make_pipeline(columns, to_sklearn(LogisticRegression()))
    assert cross_val_score(whole, frame, Y, cv=3).mean() > 0.9
    search = GridSearchCV(to_sklearn(PAClassifier()), {"C": [1e-9, 1.0], "epochs": [1, 3]}, cv=3)
    assert search.fit(X, Y).best_params_["C"] == 1.0
    calibrated = CalibratedClassifierCV(to_sklearn(PAClassifier()), cv=3).fit(X, Y)
    assert calibrated.predict_proba(X).shape == (300, 2)
    found = permutation_importance(search.best_estimator_, X, Y, n_repeats=2, random_state=0)
    assert found.importances_mean.argmax() == 0


def test_a_pipeline_of_ours_is_an_estimator_too() -> None:
    estimator = to_sklearn(StandardScaler() | LogisticRegression())
    assert cross_val_score(estimator, 1000 * X, Y, cv=3).mean() > 0.9
    assert clone(estimator).fit(X, Y).predict_proba(X).shape == (300, 2)


def test_copies_and_pickles() -> None:
    estimator = to_sklearn(PAClassifier(C=0.25)).fit(X, Y)
    again = pickle.loads(pickle.dumps(estimator))
    assert type(again) is type(estimator)
    assert again.get_params() == estimator.get_params()
    assert (again.decision_function(X) == estimator.decision_function(X)).all()
    with pytest.raises(NotFittedError):
        clone(estimator).predict(X)
    assert estimator.set_params(C=2.0).C == 2.0


def test_a_trained_model_arrives_trained_and_comes_back() -> None:
    model = LogisticRegression().fit(pd.DataFrame(X, columns=list("abcd")), Y)
    estimator = to_sklearn(model)
    frame = pd.DataFrame(X, columns=list("abcd"))
    assert estimator.n_features_in_ == 4
    assert (estimator.predict(frame) == model.predict_many(frame)).all()
    estimator.partial_fit(frame[:50], Y[:50])
    assert (model.seen, from_sklearn(estimator).seen) == (300, 350)
    assert from_sklearn(to_sklearn(PAClassifier(C=3.0))).C == 3.0


def test_probabilities_are_there_where_the_learner_has_them() -> None:
    assert not hasattr(to_sklearn(SGDClassifier(loss="hinge")), "predict_proba")
    assert hasattr(to_sklearn(SGDClassifier(loss="logistic")), "predict_proba")
    assert not hasattr(to_sklearn(PAClassifier()), "predict_proba")


def test_trees_take_missing_values() -> None:
    gaps = np.where(X > 1.5, np.nan, X)
    assert to_sklearn(HoeffdingTreeClassifier()).fit(gaps, Y).predict(gaps).shape == (300,)
    assert to_sklearn(OnlineBagging(n_models=2)).fit(gaps, Y).predict(gaps).shape == (300,)
    for refusing in (PAClassifier(), OnlineBagging(PAClassifier())):
        with pytest.raises(ValueError, match="NaN"):
            to_sklearn(refusing).fit(gaps, Y)


@pytest.mark.slow
@pytest.mark.parametrize(
    "made",
    [
        OnlineBagging(PAClassifier()),
        OnlineBagging([LogisticRegression(), StandardScaler() | PAClassifier()]),
        OnlineBagging(LinearRegression(), n_models=3),
        DriftRetraining(GaussianNB()),
        StandardScaler() | LogisticRegression(),
    ],
    ids=repr,
)
def test_scikit_learns_own_checks_pass_with_other_learners_inside(made: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = expected_failed_checks(made)
        done = check_estimator(to_sklearn(made), expected_failed_checks=expected, on_fail=None)
    failed = {d["check_name"]: repr(d["exception"]) for d in done if d["status"] == "failed"}
    assert not failed


@pytest.mark.parametrize("made", [StandardScaler(), MinMaxScaler(), Imputer()])
def test_transformers_keep_names_and_set_output(made: Any) -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    step = to_sklearn(made).set_output(transform="pandas")
    out = step.fit_transform(frame)
    assert list(out.columns) == ["a", "b", "c", "d"]
    ours = made.clone()
    ours.learn_many(X)
    np.testing.assert_array_equal(out.to_numpy(), ours.transform_many(X))


def test_random_features_have_names_of_their_own() -> None:
    step = to_sklearn(RandomFourierFeatures(n_components=3)).fit(X)
    assert len(step.get_feature_names_out()) == step.transform(X).shape[1]


def test_scikit_learns_estimators_are_learners() -> None:
    model = from_sklearn(naive_bayes.GaussianNB(), labels=["ham", "spam"])
    assert model.predict_one({"a": 1.0}) is None
    assert model.predict_proba_one({"a": 1.0}) == {}
    rows = [dict(zip("abcd", row, strict=True)) for row in X[:60].tolist()]
    for x, y in zip(rows, Y[:60], strict=True):
        model.learn_one(x, y)
    theirs = naive_bayes.GaussianNB()
    for x, y in zip(X[:60], Y[:60], strict=True):
        theirs.partial_fit([x], [y], classes=["ham", "spam"])
    assert (model.predict_many(rows) == theirs.predict(X[:60])).all()
    assert model.clone().seen == 0
    from onstream import prequential
    from onstream.evaluate import Accuracy

    model = from_sklearn(linear_model.SGDClassifier(random_state=0), labels=["ham", "spam"])
    report = prequential(model, (rows, Y[:60]), metrics=[Accuracy()])
    assert report.rows == 60
    number = from_sklearn(linear_model.SGDRegressor(random_state=0)).fit(X, X[:, 0])
    assert number.seen == 300
    assert np.corrcoef(number.predict_many(X), X[:, 0])[0, 1] > 0.9


def test_columns_are_those_that_an_estimator_was_fitted_to() -> None:
    """Whatever the order of the first example."""
    frame = pd.DataFrame(X, columns=list("abcd"))
    theirs = linear_model.SGDClassifier(random_state=0).fit(frame, Y)
    model = from_sklearn(theirs)
    rows = [dict(reversed(row.items())) for row in frame.to_dict("records")]
    assert (model.predict_many(rows) == theirs.predict(frame)).all()
    for x, y in zip(rows[:20], Y[:20], strict=True):
        model.learn_one(x, y)
        theirs.partial_fit(frame.loc[[model.seen - 1]], [y])
    assert (model.wrapped.coef_ == theirs.coef_).all()


def test_rows_without_names_are_those_of_the_frame_by_place() -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    theirs = linear_model.SGDClassifier(random_state=0).fit(frame, Y)
    model = from_sklearn(theirs)
    for block in (X, X.tolist(), sparse.csr_matrix(X)):
        assert (model.predict_many(block) == theirs.predict(frame)).all()
    assert model.predict_one(X[0]) == theirs.predict(frame)[0]
    model.learn_many(X[:20], Y[:20])
    for row, y in zip(frame[:20].iterrows(), Y[:20], strict=True):
        theirs.partial_fit(frame.loc[[row[0]]], [y])
    assert (model.wrapped.coef_ == theirs.coef_).all()
    for asked in (X[:, :3], [{"e": 1.0}], [{0: 1.0}]):
        with pytest.raises(ValueError, match=r"'a', 'b', 'c', 'd'"):
            model.predict_many(asked)
        with pytest.raises(ValueError, match=r"'a', 'b', 'c', 'd'"):
            model.learn_many(asked, Y[: len(asked)])


def test_an_estimator_fitted_to_an_array_answers_at_once() -> None:
    theirs = linear_model.SGDRegressor(random_state=0).fit(X, X[:, 0])
    model = from_sklearn(theirs)
    np.testing.assert_allclose(model.predict_many(X), theirs.predict(X))
    assert model.predict_one(dict(enumerate(X[0].tolist()))) == theirs.predict(X[:1])[0]
    with pytest.raises(ValueError, match="no feature of the example is known"):
        model.predict_one({"a": 1.0})
    with pytest.raises(ValueError, match="no feature of the example is known"):
        model.learn_one(dict(zip("abcd", X[0].tolist(), strict=True)), 1.0)  # in which order?


def test_a_first_example_that_is_refused_leaves_no_columns() -> None:
    model = from_sklearn(linear_model.SGDClassifier(random_state=0), labels=["ham", "spam"])
    with pytest.raises(ValueError, match="infinity"):
        model.learn_one({"wrong": np.inf}, "ham")
    model.learn_one({"a": 1.0}, "spam")
    assert list(model.columns) == ["a"]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: to_sklearn(PAMultilabel()), TypeError, "PAMultilabel has no place"),
        (lambda: to_sklearn(Union(StandardScaler())), TypeError, "Union has no place"),
        (lambda: to_sklearn("PAClassifier"), TypeError, "not a learner"),
        (lambda: from_sklearn(linear_model.Ridge()), TypeError, "partial_fit"),
        (lambda: from_sklearn(linear_model.SGDClassifier()), ValueError, "labels="),
        (lambda: to_sklearn(PAClassifier()).partial_fit(X, Y), ValueError, "classes"),
        (
            lambda: to_sklearn(PAClassifier()).partial_fit(X, Y, classes=["ham", "egg"]),
            ValueError,
            "spam",
        ),
        (
            lambda: to_sklearn(LinearRegression()).fit(X, X[:, 0], sample_weight=-np.ones(300)),
            ValueError,
            "[Nn]egative",
        ),
        (lambda: type(to_sklearn(PAClassifier()))(c=1.0), TypeError, "'C'"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_an_estimator_fitted_to_an_array_takes_frames_of_numbered_columns_only() -> None:
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = X[:, 0] > 0
    fitted = linear_model.SGDClassifier(random_state=0).fit(X, y)
    expected = fitted.predict(X).tolist()
    for columns in ([0, 1, 2], ["0", "1", "2"]):
        frame = pd.DataFrame(X, columns=columns)
        model = from_sklearn(fitted)
        assert model.predict_many(frame).tolist() == expected
        model.learn_many(frame[:1], y[:1])
    named = pd.DataFrame(X, columns=["a", "b", "c"])
    for verb in ("predict_many", "learn_many"):
        with pytest.raises(ValueError, match="no feature of the example is known"):
            getattr(from_sklearn(fitted), verb)(*((named, y) if verb == "learn_many" else (named,)))
