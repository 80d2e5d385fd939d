"""Members that read examples in different ways, behind one encoder: each as if it were alone."""

import math
from typing import Any

import numpy as np
import pytest

from onstream import load, save
from onstream.bayes import CategoricalNB, GaussianNB, MultinomialNB
from onstream.ensemble import ADWINBoosting, DriftRetraining, LeveragingBagging, OnlineBagging
from onstream.ensemble.base import is_probabilistic, maker
from onstream.features import FeatureHasher, Imputer, Select, StandardScaler, Union
from onstream.kernel import FOGD
from onstream.linear import (
    AROW,
    LMS,
    LinearRegression,
    LogisticRegression,
    PAClassifier,
    PARegressor,
    SGDClassifier,
)
from onstream.neighbors import KNNClassifier, KNNRegressor
from onstream.tree import HoeffdingTreeClassifier, HoeffdingTreeRegressor

from ..oracles.ensembles import draws

Row = dict[str | int, Any]
GAP = math.nan


def rows(n: int, seed: int = 0, gap: Any = None) -> tuple[list[Row], list[str]]:
    """Numbers, text whose values keep coming, gaps, columns that come late."""
    rng = np.random.default_rng(seed)
    X: list[Row] = []
    y: list[str] = []
    for t in range(n):
        size, kind = rng.normal(), int(rng.integers(3 + t // 20))
        x: Row = {"size": size, "kind": f"k{kind}", "zone": str(rng.choice(["n", "s"]))}
        if t > 40:
            x["late"] = rng.normal()
        if rng.random() < 0.2:
            x[str(rng.choice(["size", "zone"]))] = gap
        if t % 7 == 0:
            x["word"] = "rare" + str(t % 5)
        X.append(x)
        y.append("yes" if size + (kind % 2) > 0.5 else "no")
    return X, y


def without_gaps(x: Row) -> Row:
    return {name: v for name, v in x.items() if v is not None and v == v}


def state_of(model: Any) -> str:
    """All that a model has learned."""
    with np.printoptions(threshold=10**9, floatmode="unique"):
        return repr(model._model.snapshot())


class Alone:
    """Bagging of learners that know nothing of each other."""

    def __init__(self, learners: list[Any], lam: float, n: int) -> None:
        self.learners = [learner.clone() for learner in learners]
        self.times = [draws(0, i, lam, n) for i in range(len(learners))]
        self.t = 0

    def learn_one(self, x: Row, y: Any) -> None:
        for learner, times in zip(self.learners, self.times, strict=True):
            if times[self.t]:
                learner.learn_one(without_gaps(x), y, times[self.t])
        self.t += 1

    def predict_proba_one(self, x: Row) -> dict[Any, float]:
        total: dict[Any, float] = {}
        for learner in self.learners:
            if learner.seen and hasattr(learner, "predict_proba_one"):
                votes = learner.predict_proba_one(without_gaps(x))
            else:
                votes = {learner.predict_one(without_gaps(x)): 1.0} if learner.seen else {}
            for label, vote in votes.items():
                total[label] = total.get(label, 0.0) + vote
        return {label: vote / sum(total.values()) for label, vote in total.items()}


# Its answer does not depend on what values others have met, as that of naive Bayes does.
TREE = HoeffdingTreeClassifier(grace_period=30, leaf_prediction="mc")

MEMBERS = {
    "issue": [TREE, PAClassifier(C=0.1), KNNClassifier(k=3, window=60)],
    "probabilities": [TREE, LogisticRegression(), AROW(), SGDClassifier(loss="logistic")],
    "pipelines": [
        TREE,
        StandardScaler() | LogisticRegression(scale="auto"),
        StandardScaler() | TREE,
        Imputer() | StandardScaler() | LogisticRegression(),
    ],
    "by name": [
        TREE,
        Select("kind", "late") | LogisticRegression(),
        Union(StandardScaler(), Select("zone")) | LogisticRegression(),
        FOGD(gamma=0.5, n_components=16),
    ],
    "imputer": [PAClassifier(), Imputer() | LogisticRegression()],
    "hashed": [TREE, FeatureHasher(hash_bits=12) | AROW()],  # without collisions
    "neighbours": [KNNClassifier(k=3, window=60), LogisticRegression(scale="auto")],
}


@pytest.mark.filterwarnings("ignore:.*is text, but was learned as a number")
@pytest.mark.parametrize("gap", [None, GAP], ids=["None", "NaN"])
@pytest.mark.parametrize("kinds", MEMBERS)
def test_each_member_learns_as_if_alone(kinds: str, gap: Any) -> None:
    if kinds == "neighbours":
        gap = None  # neither of these takes NaN
    X, y = rows(300, gap=gap)
    model, alone = OnlineBagging(MEMBERS[kinds]), Alone(MEMBERS[kinds], 1.0, len(X))
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
        alone.learn_one(x, label)
        if alone.t > 20:
            expected = alone.predict_proba_one(X[(7 * alone.t) % len(X)])
            found = model.predict_proba_one(X[(7 * alone.t) % len(X)])
            assert found == pytest.approx(expected, abs=1e-12)


def test_numbers_alone_are_the_same_bits() -> None:
    """Also when a member that wants nominal values sits beside."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 9))
    y = X @ rng.normal(size=9)
    learner = LinearRegression(eta=0.01)
    model = OnlineBagging([HoeffdingTreeRegressor(), learner, KNNRegressor(window=50)])
    tree, line, near = HoeffdingTreeRegressor(), learner.clone(), KNNRegressor(window=50)
    for i, member in enumerate((tree, line, near)):
        for x, target, k in zip(X, y.tolist(), draws(0, i, 1.0, len(X)), strict=True):
            if k:
                member.learn_one(x, target, k)
    model.learn_many(X, y)
    expected = (tree.predict_many(X) + line.predict_many(X)) + near.predict_many(X)
    np.testing.assert_array_equal(model.predict_many(X), expected / 3)


@pytest.mark.parametrize("kinds", MEMBERS)
def test_blocks_threads_and_files_change_nothing(kinds: str, tmp_path: Any) -> None:
    X, y = rows(260)
    loop = OnlineBagging(MEMBERS[kinds], seed=4)
    for x, label in zip(X, y, strict=True):
        loop.learn_one(x, label)
    for n_jobs in (1, 2):
        block = OnlineBagging(MEMBERS[kinds], seed=4, n_jobs=n_jobs)
        block.learn_many(X[:130], y[:130])
        save(block, tmp_path / "m.onstream")
        block = load(tmp_path / "m.onstream")
        block.learn_many(X[130:], y[130:])
        np.testing.assert_array_equal(block.score_many(X), loop.score_many(X))
        assert state_of(block) == state_of(loop)


def test_a_refused_example_leaves_no_trace() -> None:
    members = [HoeffdingTreeClassifier(), StandardScaler() | PAClassifier(), KNNClassifier()]
    X, y = rows(60)
    model, other = OnlineBagging(members, n_models=6), OnlineBagging(members, n_models=6)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        model.learn_one(x, label)
        other.learn_one(x, label)
        with pytest.raises(ValueError, match="size"):
            model.learn_one({**x, "kind": f"new{t}", f"more{t}": 1.0, "size": math.inf}, "third")
        with pytest.raises(ValueError, match="1"):
            model.learn_many([{"other": f"t{t}"}, {"size": math.inf}], ["no", "no"])
    assert model._model.snapshot()["features"] == other._model.snapshot()["features"]
    np.testing.assert_array_equal(model.score_many(X), other.score_many(X))


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
def test_a_member_that_cannot_learn_an_example_forgets_its_features() -> None:
    learner = LMS(eta=1.0, normalized=False)
    model = OnlineBagging([HoeffdingTreeRegressor(leaf_prediction="mean"), learner])
    tree, alone, refused = HoeffdingTreeRegressor(leaf_prediction="mean"), learner.clone(), 0
    times = draws(0, 0, 1.0, 60), draws(0, 1, 1.0, 60)
    for t, (k, m) in enumerate(zip(*times, strict=True)):
        x: Row = {"a": 0.1 * (t % 5), "kind": f"k{t // 4}"}
        if t > 30 and k and m:  # the tree learns it, to LMS it is too large
            x = {"a": 1e160, "b": 1e160, "kind": f"odd{t}", f"new{t}": 1.0}
        model.learn_one(x, 1.0)
        if k:
            tree.learn_one(x, 1.0, k)
        try:
            if m:
                alone.learn_one(x, 1.0, m)
        except ValueError:
            refused += 1
    assert refused > 3
    state = model._model.snapshot()["members"]["1"]["model"]
    assert len(state["weights"]) == len(alone._model.snapshot()["weights"])


@pytest.mark.filterwarnings("ignore:.*is text, but was learned as a number")
def test_numbers_that_another_member_calls_names_stay_numbers() -> None:
    tree = HoeffdingTreeClassifier(nominal=["code"], grace_period=20)
    model, alone = OnlineBagging([tree, LogisticRegression()]), LogisticRegression()
    rng = np.random.default_rng(3)
    times = draws(0, 1, 1.0, 200)
    first = tree.clone()
    for t, k in enumerate(draws(0, 0, 1.0, 200)):
        x: Row = {"code": float(rng.integers(5)), "size": rng.normal()}
        if t % 9 == 0:
            x["code"] = "none"
        label = "a" if x["code"] == 2.0 else "b"
        model.learn_one(x, label)
        if k:
            first.learn_one(x, label, k)
        if times[t]:
            alone.learn_one(x, label, times[t])
    for x in ({"code": 2.0, "size": 0.1}, {"code": 3.0}, {"code": "none"}, {"size": -1.0}):
        one, other = first.predict_proba_one(x), alone.predict_proba_one(x)
        expected = {label: (one[label] + other[label]) / 2 for label in ("a", "b")}
        assert model.predict_proba_one(x) == pytest.approx(expected, abs=1e-12)


def test_a_column_called_like_a_value_of_another() -> None:
    model, alone = OnlineBagging([GaussianNB(), LogisticRegression()]), LogisticRegression()
    bayes = GaussianNB()
    for t, (k, m) in enumerate(zip(draws(0, 0, 1.0, 90), draws(0, 1, 1.0, 90), strict=True)):
        x: Row = {"a": "xyz"[t % 3], "a=x": float(t % 5)}
        label = str(t % 2)
        model.learn_one(x, label)
        if k:
            bayes.learn_one(x, label, k)
        if m:
            alone.learn_one(x, label, m)
    for x in ({"a": "x", "a=x": 3.0}, {"a": "y"}, {"a=x": 2.0}):
        one, other = bayes.predict_proba_one(x), alone.predict_proba_one(x)
        expected = {label: (one[label] + other[label]) / 2 for label in ("0", "1")}
        assert model.predict_proba_one(x) == pytest.approx(expected, abs=1e-12)


def test_counts_and_names_side_by_side() -> None:
    X, y = rows(120)
    counts = [{k: abs(v) if isinstance(v, float) else v for k, v in x.items()} for x in X]
    members = [MultinomialNB(), GaussianNB()]
    model, alone = OnlineBagging(members), Alone(members, 1.0, len(X))
    for x, label in zip(counts, y, strict=True):
        model.learn_one(x, label)
        alone.learn_one(x, label)
    for x in counts[:30]:
        expected = alone.predict_proba_one(x)
        assert model.predict_proba_one(x) == pytest.approx(expected, abs=1e-12)


def test_a_member_may_become_another_learner() -> None:
    X, y = rows(200)
    members = [TREE, PAClassifier(), StandardScaler() | TREE]
    model, alone = OnlineBagging(members), Alone(members, 1.0, len(X))
    for x, label in zip(X[:20], y[:20], strict=True):
        model.learn_one(x, label)
        alone.learn_one(x, label)
    for t, (x, label) in list(enumerate(zip(X, y, strict=True)))[20:]:
        if t == 80:
            for i, new in ((0, StandardScaler() | LogisticRegression()), (1, KNNClassifier())):
                committee = model._model.state.committee
                committee.members[i].make_otherwise(maker(new), is_probabilistic(new))
                committee.look()
                alone.learners[i] = new.clone()
        model.learn_one(x, label)
        alone.learn_one(x, label)
        if not 80 <= t < 100:  # alone they do not know both labels yet
            assert model.predict_proba_one(x) == pytest.approx(
                alone.predict_proba_one(x), abs=1e-12
            )


def test_members_must_agree_on_nominal_numbers() -> None:
    with pytest.raises(ValueError, match="must agree on the features whose numbers"):
        OnlineBagging([HoeffdingTreeClassifier(nominal=["a"]), HoeffdingTreeClassifier()])
    with pytest.raises(ValueError, match="must agree on the features whose numbers"):
        OnlineBagging([CategoricalNB(), HoeffdingTreeClassifier()])


def test_an_ensemble_among_the_members() -> None:
    inner = OnlineBagging([PAClassifier(), LogisticRegression()])
    X, y = rows(150)
    model = LeveragingBagging([inner, GaussianNB()], n_models=3)
    block = LeveragingBagging([inner, GaussianNB()], n_models=3, n_jobs=2)
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
    block.learn_many(X, y)
    np.testing.assert_array_equal(model.score_many(X), block.score_many(X))


def test_regressors_of_all_kinds() -> None:
    X, labels = rows(200)
    y = [float(len(label)) for label in labels]
    members = [HoeffdingTreeRegressor(), PARegressor(), KNNRegressor(window=40)]
    model = OnlineBagging(members)
    alone = [member.clone() for member in members]
    for t, (x, target) in enumerate(zip(X, y, strict=True)):
        model.learn_one(x, target)
        for i, member in enumerate(alone):
            if k := draws(0, i, 1.0, t + 1)[t]:
                member.learn_one(without_gaps(x), target, k)
    for x in X[:30]:
        expected = np.mean([member.predict_one(without_gaps(x)) for member in alone])
        assert model.predict_one(x) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda: OnlineBagging([KNNClassifier(k=3), GaussianNB()]),
        lambda: LeveragingBagging([KNNClassifier(k=3), GaussianNB()]),
        lambda: ADWINBoosting([KNNClassifier(k=3), GaussianNB()]),
        lambda: DriftRetraining(KNNClassifier(k=3)),
    ],
)
@pytest.mark.parametrize("n_labels", [63, 64, 65, 127, 128, 300])
def test_votes_have_room_for_the_scores_of_neighbours(make: Any, n_labels: int) -> None:
    """Neighbours write one number more than there are labels: the sanitizer sees a lack of room."""
    model = make()
    X = np.arange(2 * n_labels, dtype=float).reshape(-1, 1) % n_labels
    model.learn_many(X, X[:, 0].astype(int))
    for x in (0, n_labels - 1):
        assert model.predict_one({0: float(x)}) in range(n_labels)
    assert set(model.predict_learn_many(X[:3], [0, 1, 2])) <= set(range(n_labels))
