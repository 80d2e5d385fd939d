"""BOGD, NOGD and FOGD: identities of the specification and plain NumPy."""

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from onstream.kernel import BOGD, FOGD, NOGD, RBF, Linear
from onstream.persist import dumps, loads


def stream(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where((X**2).sum(axis=1) > 1.4, 1, -1)


def gram(A: np.ndarray, B: np.ndarray, gamma: float = 0.5) -> np.ndarray:
    return np.exp(-gamma * ((A[:, None] - B[None]) ** 2).sum(axis=2))


KERNEL = RBF(gamma=0.5)


# -- BOGD -------------------------------------------------------------------------------------


def probabilities(model: BOGD) -> np.ndarray:
    """p_i as seen from outside: when one support makes room, the others are divided by 1 - p_i."""
    x = np.array([9.0, 9.0])  # far away: a loss for any f
    decayed = (1.0 - model.eta * model.lam) * np.array([a for _, a in model.supports])
    p = np.full(len(decayed), np.nan)
    for seed in range(1000):  # until two of them have made room
        probe = model.clone(seed=seed, init=model)
        probe.learn_one(x, 1)
        kept = np.array([not np.array_equal(z, x) for z, _ in probe.supports])
        after = np.array([a for _, a in probe.supports])
        assert np.count_nonzero(~kept) == 1
        p[kept] = 1.0 - decayed[kept] / after[kept]
        if not np.isnan(p).any():
            return p
    raise AssertionError("always the same support makes room")


def waterfill(c: np.ndarray) -> np.ndarray:
    """1 - p_i = min(1, s c_i) with sum n - 1, by bisection on s."""
    low, high = 0.0, 1e12
    for _ in range(500):
        s = (low + high) / 2.0
        low, high = (s, high) if np.minimum(1.0, s * c).sum() < len(c) - 1 else (low, s)
    return 1.0 - np.minimum(1.0, low * c)


def test_who_is_drawn() -> None:
    X, y = stream()
    for removal in ("uniform", "nonuniform"):
        model = BOGD(kernel=KERNEL, budget=12, removal=removal)
        for x, target in zip(X, y.tolist(), strict=True):
            model.learn_one(x, target)
            if len(model.supports) == 12:
                p = probabilities(model)
                assert p.sum() == pytest.approx(1.0, abs=1e-9)
                a = np.array([c for _, c in model.supports])
                expected = waterfill(np.abs(a)) if removal == "nonuniform" else np.full(12, 1 / 12)
                np.testing.assert_allclose(p, expected, atol=1e-9)


def test_removal_changes_nothing_on_average() -> None:
    X, y = stream()
    base = BOGD(kernel=KERNEL, budget=10, labels=[1, -1])
    base.learn_many(X[:100], y[:100])
    x, target = next(
        (x, t)
        for x, t in zip(X[100:], y[100:].tolist(), strict=True)
        if t * base.score_one(x) < 1.0
    )
    p = probabilities(base)
    before = base.score_many(X[:20])
    after: dict[int, np.ndarray] = {}
    for seed in range(3000):
        model = base.clone(seed=seed, init=base)
        model.learn_one(x, target)
        kept = {tuple(z) for z, _ in model.supports}
        (gone,) = (i for i, (z, _) in enumerate(base.supports) if tuple(z) not in kept)
        after[gone] = model.score_many(X[:20])
        if len(after) == np.count_nonzero(p > 1e-12):
            break
    mean = sum(p[i] * f for i, f in after.items())
    decayed = (1.0 - 0.5 * 0.01) * before
    expected = decayed + 0.5 * target * gram(x[None], X[:20])[0]
    np.testing.assert_allclose(mean, expected, atol=1e-9)


def test_bogd_without_a_full_budget() -> None:
    """Decay every round, a support for every loss."""
    X, y = stream(120)
    model = BOGD(kernel=KERNEL, budget=200, eta=0.3, lam=0.1, labels=[1, -1])
    predicted = model.predict_learn_many(X, y, output="score")
    a = np.zeros(120)
    K = gram(X, X)
    for i in range(120):
        f = a @ K[i]
        assert predicted[i] == pytest.approx(f, abs=1e-10)
        a *= 1.0 - 0.3 * 0.1
        if 1.0 - y[i] * f > 0.0:
            a[i] = 0.3 * y[i]


def test_coefficients_are_capped() -> None:
    X, y = stream()
    model = BOGD(kernel=KERNEL, budget=5, cap=1.5)
    for x, target in zip(X, y.tolist(), strict=True):
        model.learn_one(x, target)
        assert max(abs(a) for _, a in model.supports) <= 1.5 * 0.5 + 1e-12


def test_bogd_refuses_a_decay_beyond_zero() -> None:
    with pytest.raises(ValueError, match=r"^BOGD: lam must be below 1 / eta"):
        BOGD(eta=2.0, lam=0.5)


# -- NOGD -------------------------------------------------------------------------------------


def test_the_switch_with_all_eigenvectors_keeps_f() -> None:
    X, y = stream()
    kernel = RBF(gamma=5.0)
    model = NOGD(kernel=kernel, budget=30, rank=30, eta=0.3, labels=[1, -1])
    free = NOGD(kernel=kernel, budget=10_000, eta=0.3, labels=[1, -1])
    for x, target in zip(X, y.tolist(), strict=True):
        model.learn_one(x, target)
        free.learn_one(x, target)
        np.testing.assert_allclose(model.score_many(X[:10]), free.score_many(X[:10]), atol=1e-7)
        if len(model.supports) == 30:
            break
    else:
        raise AssertionError("the budget was never full")


def test_nogd_against_numpy() -> None:
    X, y = stream()
    B, rank, eta = 20, 8, 0.4
    model = NOGD(kernel=KERNEL, budget=B, rank=rank, eta=eta, labels=[1, -1])
    predicted = model.predict_learn_many(X, y, output="score")
    S: list[np.ndarray] = []
    a: list[float] = []
    w: Any = None
    P = np.zeros((rank, B))
    for x, target, f in zip(X, y, predicted, strict=True):
        k = gram(np.array(S), x[None])[:, 0] if S else np.zeros(0)
        expected = float(np.dot(a, k)) if w is None else float(w @ (P @ k))
        assert f == pytest.approx(expected, abs=1e-8)
        if 1.0 - target * expected <= 0.0:
            continue
        if w is not None:
            w = w + eta * target * (P @ k)
            continue
        S.append(x)
        a.append(eta * target)
        if len(S) == B:
            G = gram(np.array(S), np.array(S))
            values, vectors = np.linalg.eigh(G)
            top = np.argsort(values)[::-1][:rank]
            P = vectors[:, top].T / np.sqrt(values[top])[:, None]
            w = np.sqrt(values[top]) * (vectors[:, top].T @ a)
            Z = P @ G
            np.testing.assert_allclose(
                Z.T @ Z, vectors[:, top] * values[top] @ vectors[:, top].T, atol=1e-10
            )
    assert len(model.supports) == B
    assert w is not None


ZEROS = """
from onstream.kernel import NOGD, Linear
model = NOGD(kernel=Linear(), budget=8)
for i in range(2000):
    model.learn_one({}, i % 2)
assert len(model.supports) == 8
"""


def test_a_full_budget_of_zeros_stays_full() -> None:
    """No kernel value is above 0, so there are no features. In a process of its own: memory was
    overrun."""
    done = subprocess.run([sys.executable, "-c", ZEROS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("rows", [19, 20])
def test_zeros_are_saved_and_loaded(rows: int) -> None:
    model = NOGD(kernel=Linear(), budget=20, labels=[0, 1])
    for i in range(rows):
        model.learn_one({}, i % 2)
    again = loads(dumps(model))
    assert isinstance(again, NOGD)
    for one in (model, again):
        one.learn_one({"a": 1.0}, 1)
    assert again.supports == model.supports
    assert len(again.supports) == 20


# -- FOGD -------------------------------------------------------------------------------------


def features(model: FOGD, x: Any) -> np.ndarray:
    """z(x), found through the weights that one example of weight 1 / eta leaves."""
    probe = FOGD(**{**model.params, "labels": None})
    probe.learn_one(x, True)
    return probe._model.snapshot()["weights"][0] / model.eta


def test_inner_products_are_the_kernel() -> None:
    """E z.z' = K with variance (1 - K²)² / (2 D), and |z| = 1."""
    rng = np.random.default_rng(0)
    D = 2000
    model = FOGD(n_components=D, gamma=0.3, seed=4)
    for _ in range(20):
        a, b = rng.normal(size=(2, 3))
        z, other = features(model, a), features(model, b)
        assert z @ z == pytest.approx(1.0, abs=1e-12)
        K = math.exp(-0.3 * float(((a - b) ** 2).sum()))
        assert abs(z @ other - K) <= 5.0 * (1.0 - K * K) / math.sqrt(2 * D)


def test_variance_over_seeds() -> None:
    a, b = np.array([0.3, -0.5]), np.array([-0.4, 0.8])
    D, gamma = 20, 0.4
    K = math.exp(-gamma * float(((a - b) ** 2).sum()))
    found = []
    for seed in range(600):
        model = FOGD(n_components=D, gamma=gamma, seed=seed)
        found.append(features(model, a) @ features(model, b))
    assert np.mean(found) == pytest.approx(K, abs=4 * (1 - K * K) / math.sqrt(2 * D * 600))
    assert np.var(found) == pytest.approx((1 - K * K) ** 2 / (2 * D), rel=0.25)


def test_fogd_against_numpy() -> None:
    X, y = stream()
    model = FOGD(n_components=30, gamma=0.5, eta=0.2, labels=[1, -1])
    predicted = model.predict_learn_many(X, y, output="score")
    w = np.zeros(60)
    for x, target, f in zip(X, y, predicted, strict=True):
        z = features(model, x)
        assert f == pytest.approx(w @ z, abs=1e-10)
        if 1.0 - target * f > 0.0:
            w = w + 0.2 * target * z


def test_directions_belong_to_names() -> None:
    """The order in which features appear does not matter, nor those that were refused."""
    X, y = stream(50)
    rows = [{"a": u, "b": v} for u, v in X.tolist()]
    model, other = FOGD(), FOGD()
    other.learn_one({"b": 0.5}, 1)
    model.learn_one({"b": 0.5}, 1)
    with pytest.raises(ValueError, match="finite"):
        other.learn_one({"c": 1.0, "d": float("nan")}, 1)
    for x, target in zip(rows, y.tolist(), strict=True):
        model.learn_one(x, target)
        other.learn_one(dict(reversed(x.items())), target)
    np.testing.assert_allclose(model.score_many(rows), other.score_many(rows), rtol=1e-10)
    assert model.supports == []


def test_the_kernel_of_fogd() -> None:
    X, y = stream(50)
    a, b = FOGD(kernel=RBF(gamma=0.7)), FOGD(gamma=0.7)
    for model in (a, b):
        model.learn_many(X, y)
    np.testing.assert_array_equal(a.score_many(X), b.score_many(X))
    with pytest.raises(TypeError, match=r"^FOGD: kernel must be an RBF"):
        FOGD(kernel=RBF())
