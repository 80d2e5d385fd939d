"""`max_bytes` of boosting: kept whatever comes, alike for any number of threads and after files."""

from typing import Any

import numpy as np
import pytest

import onstream
from onstream.ensemble import (
    StreamingGradientBoostingClassifier,
    StreamingGradientBoostingRegressor,
)
from onstream.streams import Agrawal, Drift

from ..allocated import held_by
from .test_memory_limit import names

X, Y = Drift(Agrawal(1, seed=1), Agrawal(4, seed=2), at=1500).block(3000)
X = np.asarray(X)
LIMIT = 400_000
EAGER: dict[str, Any] = {"delta": 0.9, "grace_period": 20, "tau": 0.9}
BOOSTED: dict[str, tuple[Any, dict[str, Any]]] = {
    "two labels": (StreamingGradientBoostingClassifier, {"n_models": 8}),
    "four labels": (StreamingGradientBoostingClassifier, {"n_models": 4}),
    "numbers": (StreamingGradientBoostingRegressor, {"n_models": 2, "bag_size": 4}),
}


def targets(kind: str) -> np.ndarray:
    """Labels, of which new ones come late, or numbers; what is true of them changes."""
    if kind == "numbers":
        return np.where(Y[0] == Y, 1.0, 0.0) * (1 + np.arange(len(Y)) // 1000) ** 2
    if kind == "two labels":
        return (Y[0] == Y) ^ (np.arange(len(Y)) // 1000 == 1)
    return np.where(np.arange(len(Y)) < 300, 0, X[:, 2].astype(int) % 2) * 2 + (Y[0] == Y)


def boosted(kind: str, **options: Any) -> Any:
    learner, sizes = BOOSTED[kind]
    return learner(**{**sizes, **EAGER, "max_bytes": LIMIT, **options})


@pytest.mark.parametrize("kind", BOOSTED)
@pytest.mark.parametrize("stream", ["numbers", "names"])
def test_the_limit_is_kept(kind: str, stream: str) -> None:
    rows: Any = X if stream == "numbers" else names(1500)
    # names that have come cannot be taken back, even for another label
    known = {"labels": range(4)} if (kind, stream) == ("four labels", "names") else {}

    def make() -> Any:
        return boosted(kind, **known)

    held_by(make, rows[:300], targets(kind))  # caches of Python are not the model's
    freed, most = held_by(make, rows, targets(kind))
    assert max(freed, most) <= LIMIT
    assert freed > 0.2 * LIMIT


@pytest.mark.parametrize("kind", BOOSTED)
def test_threads_files_and_single_examples_change_nothing(kind: str, tmp_path: Any) -> None:
    y = targets(kind)
    models = [boosted(kind, n_jobs=n) for n in (1, 2, 1)]
    rivals = 0
    for start in range(0, len(X), 300):
        rows, told = X[start : start + 300], y[start : start + 300]
        models[0].learn_many(rows, told)
        models[1].learn_many(rows, told)
        for x, target in zip(rows, told.tolist(), strict=True):
            models[2].learn_one(x, target)
        chains = models[0]._snapshot()["members"].values()
        rivals += sum("rival" in tree for chain in chains for tree in chain["trees"].values())
        onstream.save(models[1], tmp_path / "m.onstream")
        models[1] = onstream.load(tmp_path / "m.onstream")
    assert rivals > 4, "rivals are too rare to show anything"
    said = [model.predict_many(X[-500:]) for model in models]
    np.testing.assert_array_equal(said[0], said[1])
    np.testing.assert_array_equal(said[0], said[2])
    assert models[0].drifts == models[1].drifts == models[2].drifts
    assert onstream.persist.dumps(models[0]) == onstream.persist.dumps(models[2])


def test_a_refused_label_leaves_no_trace() -> None:
    rows, y = X[:600], np.arange(600) % 3
    model, untouched = (boosted("two labels", max_bytes=8 * 3 * 20_000) for _ in range(2))
    for each in (model, untouched):
        each.learn_many(rows, y)
    before = onstream.persist.dumps(model)
    wrong = "there would be 4 labels, .* 15,000, and needs 20,000. Raise it to 640,000"
    with pytest.raises(ValueError, match=f"^StreamingGradientBoostingClassifier: {wrong}"):
        boosted("two labels", max_bytes=8 * 3 * 20_000, labels=["a", "b", "c", "new"])
    with pytest.raises(ValueError, match="label 3 would be number 4"):
        model.learn_one(rows[0], 3)
    with pytest.raises(ValueError, match="there would be 5 labels"):
        model.learn_many(rows[:10], [0, 1, 3, 4, 0, 1, 2, 0, 1, 2])
    assert onstream.persist.dumps(model) == before
    for each in (model, untouched):
        each.learn_many(X[600:900], y[:300])
    assert onstream.persist.dumps(model) == onstream.persist.dumps(untouched)


def test_a_label_whose_example_is_refused_gives_the_shares_back() -> None:
    """It has made shares smaller for a moment."""
    model, untouched = (boosted("two labels", max_bytes=8 * 3 * 20_000) for _ in range(2))
    noise = np.random.default_rng(1).integers(0, 2, len(X))  # it makes trees grow
    for each in (model, untouched):
        each.learn_many(X[:100], noise[:100])
    with pytest.raises(ValueError, match="would overflow"):
        model.learn_one(X[0], 2, w=1e308)
    for each in (model, untouched):
        each.learn_many(X[100:], noise[100:])
    assert onstream.persist.dumps(model) == onstream.persist.dumps(untouched)


@pytest.mark.parametrize(("rows", "grace"), [(X, 20), (names(1000), 1e9)], ids=["nodes", "names"])
def test_what_has_grown_refuses_a_label(rows: Any, grace: float) -> None:
    """Nodes and names cannot be taken back, so the shares cannot become smaller."""
    model = boosted("two labels", max_bytes=8 * 3 * 20_000, grace_period=grace)
    model.learn_many(rows, np.random.default_rng(1).integers(0, 2, len(rows)))
    with pytest.raises(ValueError, match=r"label 2 would be number 3, .* more by now: give label"):
        model.learn_one(rows[0], 2)


def test_a_limited_booster_still_learns() -> None:
    def right(**options: Any) -> float:
        model = StreamingGradientBoostingClassifier(n_models=20, learning_rate=0.05, **options)
        return float((model.predict_learn_many(X, Y) == Y).mean())

    assert right(max_bytes=1_200_000) > right() - 0.03


def test_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="max_bytes must be from 2,000,000"):
        StreamingGradientBoostingClassifier(max_bytes=1_999_999)
    with pytest.raises(ValueError, match="max_bytes must be from 2,000,000"):
        StreamingGradientBoostingRegressor(max_bytes=1_999_999)
    with pytest.raises(ValueError, match="n_models"):
        StreamingGradientBoostingClassifier(n_models=0, max_bytes=1_000_000)
