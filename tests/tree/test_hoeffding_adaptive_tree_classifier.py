"""HAT: VFDT without drift, quick recovery with it."""

from typing import Any

import numpy as np
import pytest

from onstream.tree import HAT, VFDT, HoeffdingAdaptiveTreeClassifier


def swap(seed: int, n: int = 12_000) -> tuple[np.ndarray, np.ndarray]:
    """x0 and x1 before row 6000, x2 and x3 after it; 5 % of the labels are wrong (spec 12.4)."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, 6)).astype(float)
    before = np.arange(n) < 6000
    y = np.where(before, X[:, 0] * X[:, 1], X[:, 2] * X[:, 3]) > 0
    return X, y ^ (rng.random(n) < 0.05)


def errors(model: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    told = model.predict_learn_many(X, y)
    return np.array([t != target for t, target in zip(told, y, strict=True)])


def test_alias() -> None:
    assert HAT is HoeffdingAdaptiveTreeClassifier


@pytest.mark.parametrize("leaf", ["mc", "nba"])
def test_mini_run(leaf: str) -> None:
    """Equal to VFDT before the swap, at least one switch in every seed, late error below 12 %.

    Error before, just after and late, in per cent: 5.0, 11.5, 5.4 ("nba"), 5.0, 30.8, 7.1 ("mc");
    VFDT 5.0, 36.3, 10.7 and 5.0, 38.7, 24.9.
    """
    late, plain_late = [], []
    for seed in range(6):
        X, y = swap(seed)
        hat, vfdt = HAT(leaf_prediction=leaf), VFDT(leaf_prediction=leaf)
        wrong, plain = errors(hat, X, y), errors(vfdt, X, y)
        np.testing.assert_array_equal(wrong[:6000], plain[:6000])
        assert hat.n_switches >= 1
        assert wrong[6000:8000].mean() < plain[6000:8000].mean()
        late.append(wrong[-2000:].mean())
        plain_late.append(plain[-2000:].mean())
    assert np.mean(late) < 0.08
    assert np.mean(late) < np.mean(plain_late) - 0.04


def test_without_drift_it_is_vfdt() -> None:
    X, y = swap(11)
    hat, vfdt = HAT(), VFDT()
    assert errors(hat, X[:6000], y[:6000]).tolist() == errors(vfdt, X[:6000], y[:6000]).tolist()
    assert hat.to_text() == vfdt.to_text()
    assert hat.n_switches == 0


def test_state_with_alternates_goes_to_disk_and_back() -> None:
    from onstream.persist import dumps, loads

    X, y = swap(3)
    model = HAT()
    at = 6000
    model.learn_many(X[:at], y[:at])
    while len(model._model.export()["alternate_of"]) == 0:
        model.learn_many(X[at : at + 20], y[at : at + 20])
        at += 20
        assert at < 9000
    model.learn_many(X[at : at + 100], y[at : at + 100])
    twin = loads(dumps(model))
    assert dumps(twin) == dumps(model)
    for other in (model, twin):
        other.learn_many(X[at + 100 :], y[at + 100 :])
    assert dumps(twin) == dumps(model)
    assert model.n_switches > 0


def test_rivals_are_given_up() -> None:
    """A window that suspects easily starts many alternates; most are no better."""
    X, y = swap(4)
    model = HAT(drift_delta=0.9)
    model.learn_many(X[:6000], y[:6000])
    assert model.n_alternates > model.n_switches
