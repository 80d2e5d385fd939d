"""OnlineBagging, OnlineBaggingRegressor and LeveragingBagging against learners one by one."""

from typing import Any

import numpy as np
import pytest

from onstream.bayes import GaussianNB
from onstream.ensemble import LeveragingBagging, OnlineBagging, OnlineBaggingRegressor
from onstream.features import StandardScaler
from onstream.linear import LMS, LogisticRegression, PAClassifier, Perceptron
from onstream.neighbors import KNNClassifier
from onstream.tree import HoeffdingTreeClassifier, HoeffdingTreeRegressor

from ..oracles.ensembles import Bagging, draws

RNG = np.random.default_rng(1)
X = RNG.normal(size=(600, 4))
Y = np.where((X[:, 0] + X[:, 1] > 0) ^ (np.arange(600) > 300), "a", "b")  # all changes at 300


def test_draws_are_those_of_poisson() -> None:
    for lam in (1.0, 6.0):
        k = np.array(draws(3, 2, lam, 20_000))
        assert k.mean() == pytest.approx(lam, rel=0.03)
        assert k.var() == pytest.approx(lam, rel=0.05)
        assert (k == 0).mean() == pytest.approx(np.exp(-lam), abs=0.01)


@pytest.mark.parametrize("learner", [HoeffdingTreeClassifier(grace_period=50), GaussianNB()])
def test_bagging_is_its_members(learner: Any) -> None:
    model, oracle = OnlineBagging(learner, n_models=3), Bagging(learner, 3, 1.0, len(X))
    for x, y in zip(X, Y.tolist(), strict=True):
        votes = oracle.votes(x)
        if len(votes) == 2:
            total = sum(votes.values())
            expected = {label: votes[label] / total for label in model.labels}
            assert model.predict_proba_one(x) == pytest.approx(expected, abs=1e-12)
        model.learn_one(x, y)
        oracle.learn_one(x, y)


def test_who_has_no_probabilities_votes_for_one_label() -> None:
    model = OnlineBagging(Perceptron(), n_models=5)
    model.learn_many(X, Y)
    shares = {round(5 * p) / 5 for p in model.predict_proba_many(X)[:, 0].tolist()}
    assert shares <= {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}
    assert len(shares) > 2
    np.testing.assert_allclose(model.predict_proba_many(X).sum(axis=1), 1.0)


def test_leveraging_replaces_the_worst() -> None:
    """Also in a block, where the others have gone over all rows by then."""
    learner = HoeffdingTreeClassifier(grace_period=50)
    oracle = Bagging(learner, 4, 6.0, len(X), delta=0.002)
    for x, y in zip(X, Y.tolist(), strict=True):
        oracle.learn_one(x, y)
    assert sum(map(len, oracle.drifts)) >= 2, "nothing was replaced"
    for n_jobs in (1, 2):
        block = LeveragingBagging(learner, n_models=4, n_jobs=n_jobs)
        block.learn_many(X, Y)
        assert block.drifts == oracle.drifts
    loop = LeveragingBagging(learner, n_models=4)
    for x, y in zip(X, Y.tolist(), strict=True):
        loop.learn_one(x, y)
    assert loop.drifts == oracle.drifts
    np.testing.assert_array_equal(loop.score_many(X), block.score_many(X))


def test_members_of_different_kinds() -> None:
    model = OnlineBagging([LogisticRegression(), PAClassifier(), StandardScaler() | Perceptron()])
    assert model.n_models == 3
    model.learn_many(X[:300], Y[:300])
    assert (model.predict_many(X[:300]) == Y[:300]).mean() > 0.9
    mixed = OnlineBagging([HoeffdingTreeClassifier(), GaussianNB()], n_models=4)
    mixed.learn_many(X[:300], Y[:300])
    assert (mixed.predict_many(X[:300]) == Y[:300]).mean() > 0.9


def test_numbers_are_averaged() -> None:
    y = 3.0 * X[:, 0] + 1.0
    model = OnlineBagging(HoeffdingTreeRegressor(grace_period=50), n_models=3)
    assert type(model) is OnlineBaggingRegressor
    members = [HoeffdingTreeRegressor(grace_period=50) for _ in range(3)]
    times = [draws(0, i, 1.0, len(X)) for i in range(3)]
    for t, (x, target) in enumerate(zip(X, y.tolist(), strict=True)):
        known = [m.predict_one(x) for m in members if m.seen]
        expected = np.mean(known) if known else 0.0
        assert model.predict_one(x) == pytest.approx(expected, abs=1e-12)
        model.learn_one(x, target)
        for member, k in zip(members, times, strict=True):
            if k[t]:
                member.learn_one(x, target, k[t])


@pytest.mark.parametrize(
    ("learner", "word"),
    [
        (3, "must be a learner"),
        ([], "got []"),
        ([HoeffdingTreeClassifier(), LMS()], "must predict labels"),
        (PAClassifier(hash_bits=10), "FeatureHasher"),
        (PAClassifier(labels=["a", "b"]), "declare labels of the ensemble"),
        (KNNClassifier(metric=lambda a, b: 0.0), "functions of yours"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_cannot_be_a_member(learner: Any, word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=word.replace("[", r"\[")):
        OnlineBagging(learner)


def test_a_learner_that_has_learned_is_refused() -> None:
    learner = PAClassifier()
    learner.learn_one({"a": 1.0}, "x")
    with pytest.raises(ValueError, match="has learned already"):
        OnlineBagging(learner)


def test_an_example_that_no_member_can_learn_is_refused() -> None:
    model = OnlineBagging(LMS(eta=1.0, normalized=False), n_models=3)
    with pytest.raises(ValueError, match="overflow"):
        model.learn_many(np.full((5000, 1), 1e150), np.full(5000, 1e150))
    assert np.isfinite(model.predict_one({"a": 1.0}))


def test_every_learner_of_a_list_is_a_member() -> None:
    with pytest.raises(ValueError, match="each must be a member"):
        OnlineBagging([PAClassifier(), Perceptron()], n_models=1)


def test_many_threads_may_predict_at_once() -> None:
    """Each with threads of its own for the members."""
    from concurrent.futures import ThreadPoolExecutor

    model = OnlineBagging(HoeffdingTreeClassifier(grace_period=50), n_models=4, n_jobs=2)
    model.learn_many(X, Y)
    expected = model.predict_proba_many(X)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: model.predict_proba_many(X), range(40)):
            np.testing.assert_array_equal(found, expected)
