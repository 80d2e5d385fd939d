"""Gradient boosting and ADWINBoosting against the same in plain Python."""

from typing import Any

import numpy as np
import pytest

import onstream
from onstream.ensemble import (
    ADWINBoosting,
    StreamingGradientBoostingClassifier,
    StreamingGradientBoostingRegressor,
)
from onstream.streams import SEA, Agrawal, Drift, Friedman
from onstream.tree import HoeffdingTreeClassifier

from ..oracles.boosting import GradientChain, OzaBoosting

TREE = {"grace_period": 25, "delta": 0.05, "leaf_prediction": "mean"}
X, Y = Drift(Agrawal(1, seed=1), Agrawal(4, seed=2), at=1500).block(3000)
ROWS, LABELS = SEA(1, seed=4, noise=0.1).block(800)


def test_two_labels_are_one_chain_of_newton_steps() -> None:
    """The probability is the softmax of (F, 0): 1 / (1 + exp(-F))."""
    model = StreamingGradientBoostingClassifier(
        n_models=6, learning_rate=0.2, subspace=1.0, adapt=False
    )
    chain = GradientChain(6, 0.2, LABELS[0].item(), **TREE)
    for x, y in zip(ROWS, LABELS.tolist(), strict=True):
        if len(model.labels) == 2:
            softmax = np.exp([chain.score(x), 0.0])
            expected = dict(zip(model.labels, softmax / softmax.sum(), strict=True))
            assert model.predict_proba_one(x) == pytest.approx(expected, abs=1e-9)
        model.learn_one(x, y)
        chain.learn_one(x, y)
    assert max(tree.n_leaves for (tree,) in chain.trees) > 2


def test_more_labels_have_a_chain_each() -> None:
    """Shares of one against all others; a label's chain has learned since the label came. Before
    the third label, the chain of the second one is the first one's mirror."""
    labels = np.array(["a", "b", "c", "d"])[(LABELS + 2 * (ROWS[:, 2] > 5)) % 4]
    labels[:200] = np.where(labels[:200] >= "c", "a", labels[:200])
    labels[:20] = "a"
    model = StreamingGradientBoostingClassifier(
        n_models=4, learning_rate=0.2, subspace=1.0, adapt=False
    )
    chains: dict[str, GradientChain] = {}
    past: list[Any] = []
    for x, y in zip(ROWS[:600], labels[:600].tolist(), strict=True):
        if len(model.labels) > 2:
            p = np.array([1 / (1 + np.exp(-chains[label].score(x))) for label in model.labels])
            expected = dict(zip(model.labels, p / p.sum(), strict=True))
            assert model.predict_proba_one(x) == pytest.approx(expected, abs=1e-9)
        if y not in chains:
            chains[y] = GradientChain(4, 0.2, y, **TREE)
            if len(chains) == 2:  # as if it had been there from the start
                for earlier in past:
                    chains[y].learn_one(earlier, "a")
        model.learn_one(x, y)
        past.append(x)
        for chain in chains.values():
            chain.learn_one(x, y)
    assert len(chains) == 4


def test_many_chains_are_told_once() -> None:
    """A label that brings the thousandth tree."""
    model = StreamingGradientBoostingClassifier(n_models=300, seed=1)
    for label in range(3):
        model.learn_one({"x": 1.0}, label)
    with pytest.warns(UserWarning, match="4 labels have 1,200 trees by now"):
        model.learn_one({"x": 1.0}, 3)
    model.learn_many([{"x": 1.0}] * 2, [4, 5])
    with pytest.warns(UserWarning, match="4 labels have 1,200 trees by now"):
        model.clone().learn_many([{"x": 1.0}] * 5, range(5))


def test_numbers_are_chains_of_bags() -> None:
    rows, targets = Friedman(seed=3).block(700)
    model = StreamingGradientBoostingRegressor(
        n_models=3, bag_size=4, subspace=1.0, adapt=False, learning_rate=0.5
    )
    chain = GradientChain(3, 0.5, bag=4, grace_period=50, delta=0.01)
    for x, y in zip(rows, targets.tolist(), strict=True):
        if chain.t:
            assert model.predict_one(x) == pytest.approx(chain.score(x), rel=1e-9, abs=1e-9)
        model.learn_one(x, y)
        chain.learn_one(x, y)


@pytest.mark.parametrize("n_labels", [2, 5])
def test_any_number_of_threads_gives_the_same_bits(n_labels: int) -> None:
    y = Y if n_labels == 2 else (np.asarray(X["age"]) + Y) % n_labels
    models = [
        StreamingGradientBoostingClassifier(n_models=12, learning_rate=0.1, n_jobs=n)
        for n in (1, 2, 4)
    ]
    answers = [m.predict_learn_many(X, y, output="proba") for m in models]
    for model, answer in zip(models, answers, strict=True):
        np.testing.assert_array_equal(answer, answers[0])
        assert model.drifts == models[0].drifts
        np.testing.assert_array_equal(model.score_many(X), models[0].score_many(X))
    assert sum(map(len, models[0].drifts)) > 0, "no tree was replaced"


def test_threads_blocks_and_single_rows_of_numbers_agree() -> None:
    rows, targets = Friedman(seed=1).block(600)
    alone = StreamingGradientBoostingRegressor(n_models=4, bag_size=3)
    told = []
    for x, y in zip(rows, targets.tolist(), strict=True):
        told.append(alone.predict_one(x))
        alone.learn_one(x, y)
    for n_jobs, size in ((1, 600), (2, 100), (4, 33), (3, 600)):
        model = StreamingGradientBoostingRegressor(n_models=4, bag_size=3, n_jobs=n_jobs)
        parts = [slice(i, i + size) for i in range(0, 600, size)]
        many = np.concatenate([model.predict_learn_many(rows[p], targets[p]) for p in parts])
        np.testing.assert_array_equal(many, told)


def test_it_recovers_from_a_drift_and_says_where() -> None:
    rows, labels = Agrawal(3, seed=1).block(6000)
    labels = np.where(np.arange(6000) < 3000, labels, 1 - labels)
    options: dict[str, Any] = {"n_models": 20, "learning_rate": 0.05}
    adapting = StreamingGradientBoostingClassifier(**options)
    fixed = StreamingGradientBoostingClassifier(**options, adapt=False)
    right = [
        float((model.predict_learn_many(rows, labels) == labels)[3000:3500].mean())
        for model in (adapting, fixed)
    ]
    assert right[0] > right[1] + 0.1
    (marks,) = adapting.drifts
    assert marks == sorted(marks)
    assert sum(t >= 3000 for t in marks) > 10
    assert fixed.drifts == [[]]


@pytest.mark.parametrize("cut", [1000, 1800])  # before the drift, and while rivals learn
def test_saving_in_the_middle_changes_nothing(cut: int, tmp_path: Any) -> None:
    model = StreamingGradientBoostingClassifier(n_models=8, learning_rate=0.1)
    model.learn_many(X[:cut], Y[:cut])
    onstream.save(model, tmp_path / "m")
    again = onstream.load(tmp_path / "m")
    for m in (model, again):
        m.learn_many(X[cut:], Y[cut:])
    np.testing.assert_array_equal(model.predict_proba_many(X), again.predict_proba_many(X))
    assert model.drifts == again.drifts


def test_a_stage_sees_its_share_of_the_features() -> None:
    """Of four features each stage of a chain sees three, the same ones for life."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(1500, 4))
    labels = rows[:, 0] > 0
    used = []
    for seed in range(6):
        model = StreamingGradientBoostingClassifier(n_models=1, learning_rate=1.0, seed=seed)
        right = (model.predict_learn_many(rows, labels) == labels)[500:].mean()
        used.append(bool(right > 0.9))
    assert any(used), "no stage saw the feature"
    assert not all(used), "every stage saw all features"


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_adwin_boosting_is_its_members(size: int) -> None:
    rows, labels = Drift(SEA(1, seed=3), SEA(3, seed=4), at=600).block(1000)
    labels = np.where(np.arange(1000) > 600, 1 - labels, labels)
    learner = HoeffdingTreeClassifier(grace_period=50)
    model = ADWINBoosting(learner, n_models=3, delta=0.05, n_jobs=2)
    oracle = OzaBoosting(learner, 3, 0.05)
    parts = [slice(i, i + size) for i in range(0, 1000, size)]
    told = np.concatenate([model.predict_learn_many(rows[p], labels[p]) for p in parts])
    for i, (x, y) in enumerate(zip(rows, labels.tolist(), strict=True)):
        votes = oracle.votes(x)
        if len(votes) == 2 and abs(votes[0] - votes[1]) > 1e-9:
            assert told[i] == max(votes, key=lambda label: votes[label])
        oracle.learn_one(x, y)
    assert model.drifts == oracle.drifts
    assert sum(map(len, model.drifts)) > 0
