"""`max_bytes` of forests: kept whatever comes, alike for any number of threads and after files."""

from typing import Any

import numpy as np
import pytest

import onstream
from onstream.ensemble import (
    AdaptiveRandomForestClassifier,
    AdaptiveRandomForestRegressor,
    StreamingRandomPatchesClassifier,
)
from onstream.streams import Agrawal, Drift

from ..allocated import held_by

FORESTS = [
    AdaptiveRandomForestClassifier,
    StreamingRandomPatchesClassifier,
    AdaptiveRandomForestRegressor,
]
LIMIT = 110_000
EAGER: dict[str, Any] = {"n_models": 4, "warning_delta": 0.3, "drift_delta": 0.01, "seed": 1}
X, Y = Drift(Agrawal(1, seed=1), Agrawal(4, seed=2), at=4000).block(8000)
X = np.asarray(X)


def targets(forest: Any) -> np.ndarray:
    """Labels, or numbers that grow, so that errors rise."""
    if "Regressor" in forest.__name__:
        return np.where(Y[0] == Y, 1.0, 0.0) * (1 + np.arange(len(Y)) // 2000) ** 2
    return Y


def names(n: int) -> list[dict[str, Any]]:
    """Ever new features and nominal values."""
    rng = np.random.default_rng(1)
    return [
        {"x": float(rng.normal()), "name": f"value {i // 3}", f"feature {i // 5}": 1.0}
        for i in range(n)
    ]


@pytest.mark.parametrize("forest", FORESTS)
@pytest.mark.parametrize("stream", ["numbers", "names"])
def test_the_limit_is_kept(forest: Any, stream: str) -> None:
    rows = X if stream == "numbers" else names(2000)
    options: Any = {**EAGER, "delta": 0.5, "grace_period": 20}

    def make() -> Any:
        return forest(max_bytes=LIMIT, **options)

    held_by(make, rows, targets(forest))  # caches of Python are not the model's
    freed, most = held_by(make, rows, targets(forest))
    assert max(freed, most) <= LIMIT
    assert freed > 0.2 * LIMIT


@pytest.mark.parametrize("forest", FORESTS)
def test_threads_and_files_change_nothing(forest: Any, tmp_path: Any) -> None:
    y = targets(forest)
    slow: Any = {
        **EAGER,
        "drift_delta": 1e-300,
        "warning_delta": 0.9,
    }  # trees in the background stay there
    models = [forest(max_bytes=LIMIT, n_jobs=n, **slow) for n in (1, 2)]
    shared = 0
    for start in range(0, len(X), 400):
        for i, model in enumerate(models):
            model.learn_many(X[start : start + 400], y[start : start + 400])
            shared += any("background" in m for m in model._snapshot()["members"].values())
            if i:
                onstream.save(model, tmp_path / "m.onstream")
                models[i] = onstream.load(tmp_path / "m.onstream")
    assert shared > 4, "trees in the background are too rare to show anything"
    np.testing.assert_array_equal(models[0].predict_many(X), models[1].predict_many(X))
    assert models[0].drifts == models[1].drifts


def test_a_limited_forest_still_learns() -> None:
    def right(**options: Any) -> float:
        model = AdaptiveRandomForestClassifier(seed=1, n_models=4, **options)
        return float((model.predict_learn_many(X, Y) == Y).mean())

    assert right(max_bytes=LIMIT) > right() - 0.05


def test_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="max_bytes must be from 250,000"):
        AdaptiveRandomForestClassifier(max_bytes=100_000)
    with pytest.raises(ValueError, match="would not keep"):
        AdaptiveRandomForestClassifier(max_bytes=250_000, labels=list(range(9_000)))
    model = AdaptiveRandomForestClassifier(max_bytes=100_000, n_models=4)
    with pytest.raises(ValueError, match="would not keep"):
        model.learn_many([{"a": 1.0}] * 5000, list(range(5000)))
    assert model.memory_bytes < 110_000
