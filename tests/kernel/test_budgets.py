"""Budgets: invariants, closed forms and bounds of each policy."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from onstream.kernel import (
    BOGD,
    NOGD,
    RBF,
    BudgetedPA,
    FixedBudgetPerceptron,
    Forgetron,
    KernelPA,
    KernelPerceptron,
    LeastRecentPerceptron,
    Linear,
    Projectron,
    ProjectronPlusPlus,
    RandomizedPerceptron,
    Stoptron,
    TighterBudgetPerceptron,
)

from ..oracles import kernel_learners as oracle

KERNEL = RBF(gamma=0.5)


def stream(n: int = 250, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A circle with noisy labels: many mistakes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where((X**2).sum(axis=1) > 1.4, 1, -1)
    return X, np.where(rng.random(n) < 0.1, -y, y)


def rbf(a: Any, b: Any) -> float:
    return math.exp(-0.5 * float(np.sum((np.asarray(a) - np.asarray(b)) ** 2)))


BUDGETED: list[Any] = [
    Stoptron(kernel=KERNEL, budget=15),
    RandomizedPerceptron(kernel=KERNEL, budget=15),
    FixedBudgetPerceptron(kernel=KERNEL, budget=15),
    TighterBudgetPerceptron(kernel=KERNEL, budget=15, memory=7),
    LeastRecentPerceptron(kernel=KERNEL, budget=15),
    Forgetron(kernel=KERNEL, budget=15),
    Projectron(kernel=KERNEL, eta=0.0, budget=15),
    BudgetedPA(kernel=KERNEL, budget=15),
    BudgetedPA(kernel=KERNEL, budget=15, maintenance="nearest"),
    BudgetedPA(kernel=KERNEL, budget=15, maintenance="projection"),
]
SHRINKING: list[Any] = [
    Forgetron(kernel=KERNEL, budget=15, variant="basic"),
    Forgetron(kernel=KERNEL, budget=15, variant="simple"),
]


@pytest.mark.parametrize("model", BUDGETED + SHRINKING, ids=repr)
def test_never_more_than_the_budget(model: Any) -> None:
    X, y = stream()
    model = model.clone()
    sizes = []
    for x, target in zip(X, y.tolist(), strict=True):
        model.learn_one(x, target)
        sizes.append(len(model.supports))
    assert max(sizes) == 15
    full = model.memory_bytes
    model.learn_many(*stream(200, seed=5))
    assert len(model.supports) == 15
    assert model.memory_bytes <= full * 1.02


@pytest.mark.parametrize("model", [m for m in BUDGETED if m.params.get("eta") is None], ids=repr)
def test_a_budget_that_is_never_full_changes_nothing(model: Any) -> None:
    X, y = stream()
    model = model.clone(budget=1000)
    free = (KernelPA if isinstance(model, BudgetedPA) else KernelPerceptron)(kernel=KERNEL)
    predicted = model.predict_learn_many(X, y, output="score")
    np.testing.assert_allclose(
        predicted, free.predict_learn_many(X, y, output="score"), rtol=1e-8, atol=1e-8
    )
    assert len(model.supports) == len(free.supports)


def alternating_clusters() -> tuple[np.ndarray, np.ndarray]:
    """Six clusters on a circle, three labels in turn: the commonest label has 36.5 %."""
    rng = np.random.default_rng(0)
    k = rng.integers(0, 6, 400)
    centres = 2.0 * np.column_stack([np.cos(k * np.pi / 3), np.sin(k * np.pi / 3)])
    return centres + rng.normal(scale=0.5, size=(400, 2)), np.array(["in", "out", "far"])[k % 3]


# How many of the last 200 rows each must get right: 5 points below what was measured.
LEARNED: list[tuple[Any, float]] = [
    (Stoptron(kernel=KERNEL, budget=15), 0.86),
    (RandomizedPerceptron(kernel=KERNEL, budget=15), 0.745),
    (FixedBudgetPerceptron(kernel=KERNEL, budget=15), 0.73),
    (TighterBudgetPerceptron(kernel=KERNEL, budget=15, memory=7), 0.86),
    (LeastRecentPerceptron(kernel=KERNEL, budget=15), 0.815),
    (Forgetron(kernel=KERNEL, budget=15), 0.805),
    (Forgetron(kernel=KERNEL, budget=15, variant="basic"), 0.675),
    (Forgetron(kernel=KERNEL, budget=15, variant="simple"), 0.82),
    (Projectron(kernel=KERNEL, eta=0.0, budget=15), 0.89),
    (ProjectronPlusPlus(kernel=KERNEL, budget=15), 0.89),
    (BudgetedPA(kernel=KERNEL, budget=15), 0.89),
    (BudgetedPA(kernel=KERNEL, budget=15, maintenance="nearest"), 0.91),
    (BudgetedPA(kernel=KERNEL, budget=15, maintenance="projection"), 0.905),
    (BOGD(kernel=KERNEL, budget=15), 0.83),
    (NOGD(kernel=KERNEL, budget=15), 0.89),
]


@pytest.mark.parametrize(("model", "bar"), LEARNED, ids=repr)
def test_more_labels(model: Any, bar: float) -> None:
    """Stoptron, random and least recent share supports; the others have a machine per label."""
    X, y = alternating_clusters()
    several = model.clone()
    predicted = several.predict_learn_many(X, y)
    assert np.mean(predicted[200:] == y[200:]) > bar
    counts = dict.fromkeys(several.labels, 0)
    for _, coefficients in several.supports:
        for label in coefficients:
            counts[label] += 1
    assert set(counts.values()) == {15}  # all are full


# -- whole supports ---------------------------------------------------------------------------


def test_stoptron_learns_until_it_is_full() -> None:
    X, y = stream()
    model, free = Stoptron(kernel=KERNEL, budget=12), KernelPerceptron(kernel=KERNEL)
    for x, target in zip(X, y.tolist(), strict=True):
        frozen = len(model.supports) == 12
        before = model.score_many(X[:20])
        model.learn_one(x, target)
        if frozen:
            np.testing.assert_array_equal(model.score_many(X[:20]), before)
        else:
            free.learn_one(x, target)
            np.testing.assert_array_equal(model.score_many(X[:20]), free.score_many(X[:20]))
    assert frozen


def test_the_average_eviction_shrinks() -> None:
    """Over the B possible evictions, the new f is on average (1 - 1/B) f + y K(x, .)."""
    X, y = stream()
    base = RandomizedPerceptron(kernel=KERNEL, budget=10)
    for x, target in zip(X, y.tolist(), strict=True):
        if len(base.supports) == 10 and target * base.score_one(x) <= 0.0:
            break
        base.learn_one(x, target)
    asked = X[:20]
    before = base.score_many(asked)
    after: dict[int, np.ndarray] = {}
    for seed in range(400):
        model = base.clone(seed=seed, init=base)
        model.learn_one(x, target)
        (gone,) = (
            i
            for i, (z, _) in enumerate(base.supports)
            if not any(np.array_equal(z, other) for other, _ in model.supports)
        )
        after[gone] = model.score_many(asked)
    assert len(after) == 10
    expected = 0.9 * before + target * np.array([rbf(x, z) for z in asked])
    np.testing.assert_allclose(np.mean(list(after.values()), axis=0), expected, atol=1e-12)


def compare(model: Any, machine: oracle.Machine, n: int = 250) -> None:
    X, y = stream(n)
    for x, target in zip(X, y.tolist(), strict=True):
        assert model.score_one(x) == pytest.approx(machine.f(x), rel=1e-7, abs=1e-7)
        model.learn_one(x, target)
        machine.learn(x, float(target))
    ours = {tuple(x): a for x, a in model.supports}
    assert set(ours) == {tuple(x) for x in machine.S}
    for x, a in zip(machine.S, machine.a, strict=True):
        assert ours[tuple(x)] == pytest.approx(a, rel=1e-6, abs=1e-6)


def test_least_recent() -> None:
    compare(LeastRecentPerceptron(kernel=KERNEL, budget=12), oracle.Machine(rbf, 12))
    X, y = stream()
    oldest = LeastRecentPerceptron(kernel=KERNEL, budget=12)
    simple = Forgetron(kernel=KERNEL, budget=12, variant="simple", phi=1.0)
    predicted = [m.predict_learn_many(X, y, output="score") for m in (oldest, simple)]
    np.testing.assert_array_equal(predicted[0], predicted[1])


def test_fixed_budget() -> None:
    compare(FixedBudgetPerceptron(kernel=KERNEL, budget=12), oracle.FixedBudget(rbf, 12))
    beta = FixedBudgetPerceptron(kernel=KERNEL, budget=12, beta=0.3)
    compare(beta, oracle.FixedBudget(rbf, 12, 0.3))


def test_tighter_budget() -> None:
    for memory in (0, 5, 30):
        model = TighterBudgetPerceptron(kernel=KERNEL, budget=8, memory=memory)
        compare(model, oracle.Tighter(rbf, 8, memory), 90)


# -- Forgetron --------------------------------------------------------------------------------


def test_forgetron() -> None:
    compare(Forgetron(kernel=KERNEL, budget=12), oracle.Forgetron(rbf, 12))
    basic = Forgetron(kernel=KERNEL, budget=12, variant="basic")
    compare(basic, oracle.BasicForgetron(rbf, 12))


def test_the_vector_of_the_forgetron() -> None:
    """s = 1, mu = 0.5, Q = 0, M = 3: phi = 0.703125, Q = 1.40625."""
    model = Forgetron(kernel=Linear(), budget=2)
    # Two supports: f(x) <= 0 for the third, mu = 0.5 for the first.
    model.learn_one({"a": 1.0}, True)
    model.learn_one({"a": -0.25, "b": 1.0}, True)
    assert model._model.snapshot()["machine 0"]["mistakes"] == 2
    model.learn_one({"a": -0.25, "b": -1.0}, True)
    machine = model._model.snapshot()["machine 0"]
    assert machine["mistakes"] == 3
    assert machine["damage"] == pytest.approx(1.40625, rel=1e-14)
    assert [a for _, a in model.supports] == pytest.approx([0.703125] * 2, rel=1e-14)


def test_the_invariant_of_the_forgetron() -> None:
    """Q <= 15/32 M after every round; coefficients only shrink."""
    X, y = stream(600)
    model = Forgetron(kernel=KERNEL, budget=20)
    largest = 1.0
    for x, target in zip(X, y.tolist(), strict=True):
        model.learn_one(x, target)
        machine = model._model.snapshot()["machine 0"]
        assert machine["damage"] <= 15.0 / 32.0 * machine["mistakes"] * (1 + 1e-14)
        largest = max(abs(a) for _, a in model.supports)
        assert 0.0 < largest <= 1.0
    assert machine["mistakes"] > 60


def test_the_forgetron_shrinks_no_more_than_it_must() -> None:
    """phi is the largest in (0, 1] with Psi(s phi, phi mu) + Q <= 15/32 M."""
    X, y = stream(600)
    model = Forgetron(kernel=KERNEL, budget=20, labels=[1, -1])
    shrunk = kept = 0
    for x, target in zip(X, y.tolist(), strict=True):
        mistake = target * model.score_one(x) <= 0.0
        old, before = model.supports, model._model.snapshot()["machine 0"]
        model.learn_one(x, target)
        if not mistake or len(old) < 20:
            continue
        phi = max(abs(a) for z, a in model.supports if np.array_equal(z, x))
        z, a = old[before["oldest"]]
        f = sum(c * rbf(u, z) for u, c in old) + target * rbf(x, z)
        sigma, mu = abs(a), math.copysign(1.0, a) * f

        def cost(
            phi: float, sigma: float = sigma, mu: float = mu, before: dict[str, Any] = before
        ) -> float:
            step = sigma * phi
            psi = step * step + 2.0 * step - 2.0 * step * phi * mu
            return float(psi + before["damage"] - 15.0 / 32.0 * (before["mistakes"] + 1))

        assert 0.0 < phi <= 1.0
        assert cost(phi) <= 1e-9
        assert cost(0.0) < 0.0
        grid = phi + (1.0 - phi) * np.linspace(1e-3, 1.0, 50)
        assert phi == 1.0 or all(cost(p) > 0.0 for p in grid)
        shrunk += phi < 1.0
        kept += phi == 1.0
    assert shrunk > 20
    assert kept > 5


@pytest.mark.parametrize("variant", ["self-tuned", "basic"])
def test_the_bound_of_the_forgetron(variant: str) -> None:
    """M <= 2 |g|² + 4 sum of losses of g, for |g| <= U."""
    B = 84
    U = 0.25 * math.sqrt((B + 1) / math.log(B + 1))
    X, y = stream(1500, seed=2)
    model = Forgetron(kernel=KERNEL, budget=B, variant=variant)
    predicted = model.predict_learn_many(X, y, output="score")
    mistakes = int(np.sum(y * predicted <= 0.0))
    Z = X[:40]
    gram = np.exp(-0.5 * ((Z[:, None] - Z[None]) ** 2).sum(axis=2))
    rows = np.exp(-0.5 * ((X[:, None] - Z[None]) ** 2).sum(axis=2))
    c = np.linalg.lstsq(rows, y.astype(float), rcond=1e-3)[0]
    c *= min(1.0, U / math.sqrt(c @ gram @ c))
    losses = np.maximum(0.0, 1.0 - y * (rows @ c)).sum()
    assert mistakes <= 2.0 * (c @ gram @ c) + 4.0 * losses


def test_the_basic_forgetron_stays_small() -> None:
    """|f| <= U after the shrinking, and what is dropped is at most 1 / sqrt(B + 1)."""
    B = 12
    U = 0.25 * math.sqrt((B + 1) / math.log(B + 1))
    X, y = stream(400)
    model = Forgetron(kernel=KERNEL, budget=B, variant="basic")
    held: dict[tuple[float, ...], float] = {}
    for x, target in zip(X, y.tolist(), strict=True):
        model.learn_one(x, target)
        now = {tuple(z): a for z, a in model.supports}
        gone = [abs(a) for z, a in held.items() if z not in now]
        assert max(gone, default=0.0) <= 1.0 / math.sqrt(B + 1) + 1e-12
        S, a = np.array([z for z, _ in model.supports]), np.array(list(now.values()))
        gram = np.exp(-0.5 * ((S[:, None] - S[None]) ** 2).sum(axis=2))
        square = a @ gram @ a
        kept = model._model.snapshot()["machine 0"]["square"]
        assert kept == pytest.approx(square, rel=1e-8, abs=1e-10)
        left = [(z, c) for z, c in held.items() if z not in now]
        if left:  # |f| before the oldest was dropped, when it had shrunk like the others
            (z, c), phi = left[0], abs(now[tuple(x)])
            k = np.array([rbf(z, other) for other in S])
            square += 2.0 * phi * c * float(a @ k) + (phi * c) ** 2
        if now != held:  # dropping may lift |f| above U, until the next mistake
            assert math.sqrt(square) <= U * (1 + 1e-12)
        held = now


def test_the_simple_forgetron_fades() -> None:
    """The i-th newest coefficient is phi ** (i - 1)."""
    X, y = stream()
    for phi in (None, 0.9):
        model = Forgetron(kernel=KERNEL, budget=10, variant="simple", phi=phi)
        model.learn_many(X, y)
        factor = 11 ** (-1 / 22) if phi is None else phi
        sizes = sorted((abs(a) for _, a in model.supports), reverse=True)
        np.testing.assert_allclose(sizes, factor ** np.arange(10.0), rtol=1e-12)


# -- Projectron -------------------------------------------------------------------------------


@pytest.mark.parametrize("eta", [0.1, 0.3, 0.6])
def test_projectron(eta: float) -> None:
    compare(Projectron(kernel=KERNEL, eta=eta), oracle.Projectron(rbf, eta, False))
    compare(ProjectronPlusPlus(kernel=KERNEL, eta=eta), oracle.Projectron(rbf, eta, True))


def test_the_inverse_of_the_projectron() -> None:
    X, y = stream(400)
    for model in (
        Projectron(kernel=KERNEL, eta=0.05),
        ProjectronPlusPlus(kernel=KERNEL, eta=0.05),
        Projectron(kernel=KERNEL, eta=0.05, budget=20),
    ):
        for start in range(0, 400, 40):
            model.learn_many(X[start : start + 40], y[start : start + 40])
            S = np.array([z for z, _ in model.supports])
            gram = np.exp(-0.5 * ((S[:, None] - S[None]) ** 2).sum(axis=2))
            inverse = model._model.snapshot()["machine 0"]["inverse"]
            np.testing.assert_allclose(inverse @ gram, np.eye(len(S)), atol=1e-6)
            np.testing.assert_allclose(inverse, np.linalg.inv(gram), rtol=1e-5, atol=1e-4)
        if model.budget:
            assert len(S) == 20


def test_eta_zero_is_the_perceptron() -> None:
    X, y = stream()
    kernel = RBF(gamma=20.0)  # few points are nearly in the span of others
    predicted = [
        m.predict_learn_many(X, y, output="score")
        for m in (Projectron(kernel=kernel, eta=0.0), KernelPerceptron(kernel=kernel))
    ]
    np.testing.assert_allclose(predicted[0], predicted[1], atol=1e-9)


def test_a_point_in_the_span_is_projected() -> None:
    model = Projectron(kernel=Linear(), eta=0.0)
    for x, y in (([1.0, 0.0], True), ([0.0, 1.0], True), ([1.0, 1.0], False), ([2.0, 1.0], False)):
        model.learn_one(x, y)
    assert len(model.supports) == 2


@pytest.mark.parametrize("plus", [False, True])
def test_the_bound_of_the_projectron(plus: bool) -> None:
    """M <= (|g|² + 2 sum l* + 2 sum t l* - sum of progress) / (1 - 2 eta |g|)."""
    X, y = stream(500, seed=3)
    eta = 0.05
    model = (ProjectronPlusPlus if plus else Projectron)(kernel=KERNEL, eta=eta, labels=[1, -1])
    Z = X[:30]
    rows = np.exp(-0.5 * ((X[:, None] - Z[None]) ** 2).sum(axis=2))
    c = np.linalg.lstsq(rows, y.astype(float), rcond=1e-2)[0]
    square = c @ rows[:30] @ c
    c *= 5.0 / math.sqrt(square)
    g = rows @ c
    mistakes, comparator, progress = 0, 25.0, 0.0
    for x, target, best in zip(X, y.tolist(), np.maximum(0.0, 1.0 - y * g), strict=True):
        m = target * model.score_one(x)
        S = [z for z, _ in model.supports]
        if m <= 0.0:
            mistakes += 1
            comparator += 2.0 * best
        elif plus and m < 1.0 and S:
            k = np.array([rbf(z, x) for z in S])
            gram = np.array([[rbf(a, b) for b in S] for a in S])
            p = float(k @ np.linalg.solve(gram, k))
            gap, loss = math.sqrt(max(0.0, 1.0 - p)), 1.0 - m
            if loss > gap / eta:
                t = min(loss / p, 2.0 * (loss - gap / eta) / p, 1.0)
                gain = t * (2.0 * loss - t * p - 2.0 * gap / eta)
                assert gain >= -1e-9
                comparator += 2.0 * t * best
                progress += gain
        model.learn_one(x, target)
    assert mistakes <= (comparator - progress) / (1.0 - 2.0 * eta * 5.0)


# -- budgeted PA ------------------------------------------------------------------------------


@pytest.mark.parametrize("maintenance", ["simple", "nearest", "projection"])
def test_budgeted_pa(maintenance: str) -> None:
    model = BudgetedPA(kernel=KERNEL, budget=8, C=0.5, maintenance=maintenance)
    compare(model, oracle.BudgetedPA(rbf, 8, 0.5, maintenance), 120)


def test_the_vector_of_budgeted_pa() -> None:
    """S = {(1, 0): .5, (0, 1): -1}, x = (1, 1), y = 1: step .75, (1, 0) goes, coefficient 1."""
    model = BudgetedPA(kernel=Linear(), budget=2, C=1.0, labels=[1, 0])
    model.learn_one([1.0, 0.0], 1, 0.5)  # the weight caps the step
    model.learn_one([0.0, 1.0], 0)
    assert [(x.tolist(), a) for x, a in model.supports] == [([1.0, 0.0], 0.5), ([0.0, 1.0], -1.0)]
    model.learn_one([1.0, 1.0], 1)
    assert sorted((x.tolist(), a) for x, a in model.supports) == [
        ([0.0, 1.0], -1.0),
        ([1.0, 1.0], 1.0),
    ]


def best_objective(
    G: np.ndarray, a: np.ndarray, y: float, C: float, maintenance: str
) -> tuple[float, float]:
    """By a general solver: minimise over r and beta 1/2 |f' - f|² + C xi. The last row is x."""
    n = len(a)
    f = float(a @ G[:n, n])
    values = []
    for r in range(n):
        others = [i for i in range(n) if i != r]
        distance = G[others, others] - 2.0 * G[others, r] + G[r, r]
        V = {
            "simple": [n],
            "nearest": [n, others[int(np.argmin(distance))]],
            "projection": [n, *others],
        }[maintenance]

        def change(beta: np.ndarray, r: int = r, V: list[int] = V) -> np.ndarray:
            delta = np.zeros(n + 1)
            delta[r] -= a[r]
            delta[V] += beta
            return delta

        def goal(z: np.ndarray, change: Any = change) -> float:
            delta = change(z[:-1])
            return float(0.5 * delta @ G @ delta + C * z[-1])

        def slack(z: np.ndarray, change: Any = change) -> float:
            return float(y * (f + change(z[:-1]) @ G[:, n]) - 1.0 + z[-1])

        start = np.zeros(len(V) + 1)
        start[-1] = 10.0
        found = minimize(
            goal,
            start,
            method="SLSQP",
            constraints=[{"type": "ineq", "fun": slack}],
            bounds=[(None, None)] * len(V) + [(0.0, None)],
            options={"maxiter": 500, "ftol": 1e-13},
        )
        values.append(found.fun)
    return min(values), f


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.1, 2.0))
def test_budgeted_pa_against_a_solver(seed: int, C: float) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    y = rng.choice([-1, 1], 40)
    reached = {}
    for maintenance in ("simple", "nearest", "projection"):
        model = BudgetedPA(kernel=KERNEL, budget=4, C=C, maintenance=maintenance, labels=[1, -1])
        for i in range(39):
            if len(model.supports) < 4:
                model.learn_one(X[i], int(y[i]))
        start = model
        x, target = X[39], int(y[39])
        if target * start.score_one(x) >= 0.999 or len(start.supports) < 4:
            return
        S = [z for z, _ in start.supports]
        a = np.array([c for _, c in start.supports])
        points = np.array([*S, x])
        G = np.exp(-0.5 * ((points[:, None] - points[None]) ** 2).sum(axis=2))
        expected, f = best_objective(G, a, target, C, maintenance)
        model.learn_one(x, target)
        now = {tuple(z): c for z, c in model.supports}
        delta = np.array([now.get(tuple(z), 0.0) for z in points]) - np.array([*a, 0.0])
        after = f + delta @ G[:, 4]
        objective = 0.5 * delta @ G @ delta + C * max(0.0, 1.0 - target * after)
        assert objective == pytest.approx(expected, rel=1e-4, abs=1e-6)
        reached[maintenance] = objective
        if (1.0 - target * f) < C:
            assert target * after == pytest.approx(1.0, abs=1e-6)
    assert reached["projection"] <= reached["nearest"] + 1e-9
    assert reached["nearest"] <= reached["simple"] + 1e-9


def test_the_projection_stays_exact() -> None:
    """After hundreds of replacements the inverse is still the inverse."""
    X, y = stream(800)
    model = BudgetedPA(kernel=RBF(gamma=2.0), budget=30, maintenance="projection")
    model.learn_many(X, y)
    S = np.array([z for z, _ in model.supports])
    gram = np.exp(-2.0 * ((S[:, None] - S[None]) ** 2).sum(axis=2))
    inverse = model._model.snapshot()["machine 0"]["inverse"]
    np.testing.assert_allclose(inverse @ gram, np.eye(30), atol=1e-4)


def test_the_projection_of_points_in_a_heap() -> None:
    """Supports so close that their Gram matrix is singular to the last bit."""
    X, y = stream(1500)
    model = BudgetedPA(kernel=RBF(gamma=0.05), budget=60, maintenance="projection")
    free = KernelPA(kernel=RBF(gamma=0.05))
    predicted, expected = (m.predict_learn_many(X, y) for m in (model, free))
    assert np.mean(predicted == y) > np.mean(expected == y) - 0.03
    assert max(abs(a) for _, a in model.supports) < 1e6


def test_a_step_may_be_left_out() -> None:
    X, y = stream()
    plain, skipping = (
        BudgetedPA(kernel=KERNEL, budget=5, C=0.01, allow_skip=skip) for skip in (False, True)
    )
    big = BudgetedPA(kernel=KERNEL, budget=5, C=0.01)
    for model in (plain, skipping, big):
        model.learn_many(X[:50], y[:50], np.full(50, 100.0))
        model.learn_many(X[50:], y[50:])
    assert dict.fromkeys(tuple(x) for x, _ in plain.supports) != dict.fromkeys(
        tuple(x) for x, _ in skipping.supports
    )


@pytest.mark.parametrize("cls", [Projectron, ProjectronPlusPlus])
def test_kinds_of_rows_nearly_agree_in_spite_of_the_inverse(cls: Any) -> None:
    """docs/contract.md: not to 1e-12, since the inverse multiplies the last bit."""
    rng = np.random.default_rng(1)
    X = np.abs(np.round(rng.normal(size=(400, 6)), 2)) * (rng.random((400, 6)) < 0.6)
    y = np.where(X[:, 1] > X[:, 2], "p", np.where(X[:, 0] > 1.0, "q", "r"))
    w = 3.0 * rng.random(400)
    dense, csr, mappings = cls(), cls(), cls()
    dense.learn_many(X, y, w)
    csr.learn_many(sparse.csr_array(X), y, w)
    mappings.learn_many([dict(enumerate(row)) for row in X.tolist()], y, w)
    predicted = dense.score_many(X[:100])
    for other in (csr, mappings):
        gap = np.abs(other.score_many(X[:100]) - predicted).max() / np.abs(predicted).max()
        assert gap < 1e-6
