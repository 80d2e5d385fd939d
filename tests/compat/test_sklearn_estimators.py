"""Parameters within parameters, views of weights, and transformers of our estimators."""

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
    StandardScaler,
)
from onstream.bayes import BayesianLinearRegression, MultinomialNB
from onstream.compat import expected_failed_checks, from_river, to_onnx, to_river, to_sklearn, to_vw
from onstream.ensemble import AdaptiveRandomForestRegressor, OnlineBagging
from onstream.features import (
    BagOfWords,
    FeatureHasher,
    Imputer,
    MinMaxScaler,
    RandomFourierFeatures,
    Select,
)
from onstream.linear import PARegressor, SGDRegressor
from onstream.tree import HoeffdingTreeRegressor

sklearn = pytest.importorskip("sklearn")

from sklearn import pipeline  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.feature_selection import RFE, SelectFromModel  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

X = np.random.default_rng(0).normal(size=(300, 4))
Y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, "spam", "ham")
THREE = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
NUMBERS = 2.0 * X[:, 0] - X[:, 1]


class TestParameters:
    def test_those_of_a_learner_within(self) -> None:
        estimator = to_sklearn(OnlineBagging(HoeffdingTreeClassifier(), n_models=2))
        assert estimator.get_params()["learner__grace_period"] == 200
        assert "learner__grace_period" not in estimator.get_params(deep=False)
        search = GridSearchCV(estimator, {"learner__grace_period": [20, 50], "n_models": [1]})
        search.fit(X, Y)
        best = search.best_estimator_
        assert best.learner.grace_period == search.best_params_["learner__grace_period"]
        assert best.model_.params["learner"].grace_period == best.learner.grace_period
        assert estimator.learner.grace_period == 200  # the one that was given stays

    def test_those_of_steps(self) -> None:
        estimator = to_sklearn(StandardScaler() | LogisticRegression())
        assert estimator.set_params(logisticregression__eta=0.25, epochs=2) is estimator
        assert estimator.get_params()["logisticregression__eta"] == 0.25
        assert clone(estimator).fit(X, Y).model_.params["steps"][-1].eta == 0.25
        deeper = to_sklearn(OnlineBagging(StandardScaler() | PAClassifier(), n_models=2))
        deeper.set_params(learner__paclassifier__C=0.125)
        assert deeper.learner.params["steps"][-1].C == 0.125
        twins = to_sklearn(OnlineBagging([PAClassifier(), PAClassifier(C=2.0)], n_models=2))
        assert twins.get_params()["learner__paclassifier-2__C"] == 2.0
        twins.set_params(**{"learner__paclassifier-1__C": 0.5})
        assert [one.C for one in twins.learner] == [0.5, 2.0]

    @pytest.mark.parametrize("name", ["learner__grace", "grace_period", "other__x", "learner__"])
    def test_others_are_refused(self, name: str) -> None:
        estimator = to_sklearn(OnlineBagging(HoeffdingTreeClassifier()))
        with pytest.raises(ValueError, match=name):
            estimator.set_params(**{name: 3})

    def test_its_own_are_given_with_the_model(self) -> None:
        estimator = to_sklearn(PAClassifier(), epochs=3, shuffle=False, random_state=7)
        assert (estimator.epochs, estimator.shuffle, estimator.random_state) == (3, False, 7)
        assert estimator.fit(X, Y).model_.seen == 900
        with pytest.raises(
            TypeError, match=r"'C' is no parameter .* to_sklearn\(PAClassifier\(C=…"
        ):
            to_sklearn(PAClassifier(), C=2.0)
        with pytest.raises(TypeError, match="'epochs' is no parameter"):
            to_sklearn(StandardScaler(), epochs=2)

    @pytest.mark.parametrize(
        "wrong", [{"epochs": 0}, {"epochs": 1.5}, {"shuffle": "no"}, {"random_state": "x"}]
    )
    @pytest.mark.parametrize("made", [PAClassifier(), PARegressor()])
    def test_its_own_are_checked_by_fit(self, made: Any, wrong: dict[str, Any]) -> None:
        estimator = to_sklearn(made, **wrong)
        words = next(iter(wrong)).replace("random_state", "RandomState")
        with pytest.raises((TypeError, ValueError), match=words):
            estimator.fit(X, Y if isinstance(made, PAClassifier) else NUMBERS)
        assert not hasattr(estimator, "model_")

    def test_numbers_of_numpy_are_numbers(self) -> None:
        search = GridSearchCV(to_sklearn(PAClassifier()), {"epochs": np.arange(1, 3)}, cv=2)
        assert search.fit(X, Y).best_params_["epochs"] in (1, 2)


class TestViews:
    @pytest.mark.parametrize("labels", [["ham", "spam"], [0, 1], [1, 2], [True, False], [3.0, 1.0]])
    def test_of_two_classes(self, labels: list[Any]) -> None:
        y = np.array(labels)[(X[:, 0] > 0).astype(int)]
        for kind in (LogisticRegression, PAClassifier):
            estimator = to_sklearn(kind()).fit(X, y)
            assert (estimator.coef_.shape, estimator.intercept_.shape) == ((1, 4), (1,))
            scores = X @ estimator.coef_[0] + estimator.intercept_[0]
            np.testing.assert_allclose(scores, estimator.decision_function(X), atol=1e-9)

    def test_of_more(self) -> None:
        estimator = to_sklearn(LogisticRegression()).fit(pd.DataFrame(X, columns=[*"dcba"]), THREE)
        assert (estimator.coef_.shape, estimator.intercept_.shape) == ((3, 4), (3,))
        scores = X @ estimator.coef_.T + estimator.intercept_
        frame = pd.DataFrame(X, columns=[*"dcba"])
        np.testing.assert_allclose(scores, estimator.decision_function(frame), atol=1e-9)

    @pytest.mark.parametrize(
        "made", [LinearRegression(), SGDRegressor(intercept=False), BayesianLinearRegression()]
    )
    def test_of_regressors(self, made: Any) -> None:
        estimator = to_sklearn(made).fit(sparse.csr_matrix(X), NUMBERS)
        assert estimator.coef_.shape == (4,)
        assert isinstance(estimator.intercept_, float)
        said = X @ estimator.coef_ + estimator.intercept_
        low, high = NUMBERS.min(), NUMBERS.max()
        inside = (said > low) & (said < high)  # beyond, predictions are cut
        np.testing.assert_allclose(said[inside], estimator.predict(X)[inside], atol=1e-9)

    def test_selection_of_features(self) -> None:
        chosen = SelectFromModel(to_sklearn(LogisticRegression()), max_features=2).fit(X, Y)
        assert chosen.get_support().tolist() == [True, True, False, False]
        chosen = RFE(to_sklearn(LinearRegression()), n_features_to_select=2).fit(X, NUMBERS)
        assert chosen.support_.tolist() == [True, True, False, False]

    @pytest.mark.parametrize(
        "made",
        [
            HoeffdingTreeClassifier(grace_period=20, tau=0.5),
            HoeffdingTreeRegressor(grace_period=20, tau=0.5),
            AdaptiveRandomForestRegressor(n_models=3, grace_period=20, tau=0.5),
        ],
        ids=repr,
    )
    def test_importances_of_trees(self, made: Any) -> None:
        y = Y if isinstance(made, HoeffdingTreeClassifier) else NUMBERS
        estimator = to_sklearn(made, epochs=3).fit(pd.DataFrame(X, columns=[*"dcba"]), y)
        assert estimator.feature_importances_.shape == (4,)
        assert estimator.feature_importances_.argmax() == 0
        assert not hasattr(estimator, "coef_")
        assert SelectFromModel(estimator, max_features=1).fit(X, y).get_support()[0]

    def test_others_have_none(self) -> None:
        for made in (GaussianNB(), StandardScaler() | PAClassifier(), PAClassifier(hash_bits=4)):
            estimator = to_sklearn(made)
            for _ in range(2):
                for view in ("coef_", "intercept_", "feature_importances_"):
                    assert not hasattr(estimator, view)
                estimator.fit(X, Y)
        assert not hasattr(to_sklearn(PAClassifier()), "coef_")


class TestTransformers:
    @pytest.mark.parametrize(
        "made",
        [
            StandardScaler(),
            MinMaxScaler(),
            Imputer(),
            RandomFourierFeatures(n_components=20),
            FeatureHasher(),
            FeatureHasher(hash_bits=4),
            Select(0, 1),
        ],
        ids=repr,
    )
    def test_scikit_learns_own_checks_pass(self, made: Any) -> None:
        expected = expected_failed_checks(made)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = check_estimator(to_sklearn(made), expected_failed_checks=expected, on_fail=None)
        failed = {d["check_name"]: repr(d["exception"]) for d in done if d["status"] == "failed"}
        assert not failed
        as_expected = {d["check_name"] for d in done if d["status"] == "xfail"}
        assert as_expected == set(expected)

    def test_many_slots_are_a_sparse_matrix(self) -> None:
        hashed = to_sklearn(FeatureHasher()).fit_transform(X)
        assert sparse.issparse(hashed)
        assert hashed.shape == (300, 2**18)
        rows = FeatureHasher().transform_many([dict(enumerate(row)) for row in X.tolist()])
        for found, row in zip(hashed[:5], rows, strict=False):
            assert dict(zip(found.indices.tolist(), found.data.tolist(), strict=True)) == row
        whole = pipeline.make_pipeline(to_sklearn(FeatureHasher()), to_sklearn(PAClassifier()))
        assert whole.fit(X, Y).score(X, Y) > 0.9

    def test_select(self) -> None:
        step = to_sklearn(Select(0, 3)).fit(X)
        np.testing.assert_array_equal(step.transform(X), X[:, [0, 3]])
        assert step.transform(sparse.csr_matrix(X)).shape == (300, 2)
        frame = pd.DataFrame(X, columns=[*"abcd"])
        step = to_sklearn(Select("d", "b")).set_output(transform="pandas").fit(frame)
        assert step.transform(frame).columns.tolist() == ["b", "d"]
        whole = pipeline.make_pipeline(to_sklearn(Select(0, 1)), to_sklearn(PAClassifier()))
        assert whole.fit(X, Y).score(X, Y) > 0.9
        inner = to_sklearn(Select(0, 1) | PAClassifier()).fit(X, Y)
        assert inner.score(X, Y) > 0.9
        with pytest.raises(ValueError, match="there is no column 7; X has 4 feature"):
            to_sklearn(Select(0, 7)).fit(X)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: to_sklearn(BagOfWords() | MultinomialNB()), "reads text .* CountVectorizer"),
        (lambda: to_sklearn(BagOfWords()), "reads text"),
        (lambda: to_sklearn(BagOfWords() | StandardScaler() | PAClassifier()), "reads text"),
        (lambda: to_sklearn(to_sklearn(PAClassifier())), r"its learner is `.model_`"),
        (lambda: to_river(to_sklearn(PAClassifier())), r"its learner is `.model_`"),
        (lambda: to_sklearn(to_river(PAClassifier())), r"from_river"),
        (lambda: to_onnx(to_sklearn(PAClassifier()).fit(X, Y)), r"its learner is `.model_`"),
        (lambda: to_vw(to_sklearn(PAClassifier()).fit(X, Y)), r"its learner is `.model_`"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        call()
    assert isinstance(from_river(to_river(PAClassifier())), PAClassifier)
