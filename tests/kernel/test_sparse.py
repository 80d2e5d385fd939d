"""Supports with few of very many features: the same answers, in little memory."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from onstream.kernel import (
    BOGD,
    NOGD,
    RBF,
    BudgetedPA,
    FixedBudgetPerceptron,
    Forgetron,
    KernelLMS,
    KernelMIRA,
    KernelPA,
    KernelPARegressor,
    KernelPerceptron,
    LeastRecentPerceptron,
    Linear,
    Normalized,
    Polynomial,
    Projectron,
    ProjectronPlusPlus,
    RandomizedPerceptron,
    Stoptron,
    Sum,
    TighterBudgetPerceptron,
)
from onstream.persist import dumps, loads

WIDTH, APART = 300, 240  # features in use, and how far apart they stand in the wide rows
LEARNERS: list[Any] = [
    KernelPerceptron(),
    KernelPA(),
    KernelMIRA(beta=0.5),
    Stoptron(budget=60),
    RandomizedPerceptron(budget=60),
    LeastRecentPerceptron(budget=60),
    FixedBudgetPerceptron(budget=60),
    TighterBudgetPerceptron(budget=60, memory=40),
    Forgetron(budget=60),
    Forgetron(budget=60, variant="basic"),
    Forgetron(budget=60, variant="simple"),
    Projectron(budget=60),
    ProjectronPlusPlus(budget=60),
    BudgetedPA(budget=60),
    BudgetedPA(budget=60, maintenance="nearest"),
    BudgetedPA(budget=60, maintenance="projection"),
    BOGD(budget=60),
    NOGD(budget=60, rank=60),
]
KERNELS = [
    Linear(),
    Polynomial(degree=2, gamma=0.5),
    RBF(gamma=0.05),
    Normalized(Sum(Linear(), RBF(gamma=0.1))),
]


def rows(n: int = 220, seed: int = 0) -> tuple[Any, Any, np.ndarray]:
    """The same rows in 300 features and, the rest empty, in 72,000; noisy labels."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n, WIDTH))
    for row in X:
        row[rng.choice(WIDTH, 25, replace=False)] = rng.normal(size=25)
    y = np.where(X @ rng.normal(size=WIDTH) + rng.normal(size=n) > 0.0, 1, 0)
    narrow = csr_matrix(X)
    wide = csr_matrix(
        (narrow.data, narrow.indices * APART, narrow.indptr), shape=(n, WIDTH * APART)
    )
    return narrow, wide, y


def stores(model: Any) -> list[Any]:
    """Its sets of supports."""
    return [store for f in model._model.state.expansions for store in f.stores()]


def is_sparse(model: Any) -> bool:
    return any(store.is_sparse for store in stores(model))


@pytest.mark.parametrize("model", LEARNERS, ids=repr)
def test_every_learner_does_the_same(model: Any) -> None:
    narrow, wide, y = rows()
    dense, sparse = (model.clone(kernel=RBF(gamma=0.05)) for _ in range(2))
    expected = dense.predict_learn_many(narrow, y, output="score")
    predicted = sparse.predict_learn_many(wide, y, output="score")
    assert not is_sparse(dense)
    assert is_sparse(sparse)
    np.testing.assert_allclose(predicted, expected, rtol=1e-7, atol=1e-7)
    assert sparse.memory_bytes < 3e6  # a block of 60 x 72,000 numbers: 35 MB


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_every_kernel_is_the_same(kernel: Any) -> None:
    """Bit for bit: with CSR rows, a dense block adds the same numbers in the same order."""
    narrow, wide, y = rows()
    dense, sparse = (LeastRecentPerceptron(kernel=kernel, budget=60, beta=0.5) for _ in range(2))
    expected = dense.predict_learn_many(narrow, y, output="score")
    np.testing.assert_array_equal(sparse.predict_learn_many(wide, y, output="score"), expected)
    assert is_sparse(sparse)
    names = [f"{j * APART}" for j in range(WIDTH)]
    asked = narrow[:20].toarray()
    mappings = [{names[j]: v for j, v in enumerate(row) if v} for row in asked]
    full = np.zeros((20, WIDTH * APART))
    full[:, ::APART] = asked
    expected = dense.score_many(asked)
    for X in (mappings, full, wide[:20]):
        np.testing.assert_allclose(sparse.score_many(X), expected, rtol=1e-9, atol=1e-9)


def test_regressors() -> None:
    narrow, wide, y = rows()
    for model in (KernelPARegressor(kernel=KERNELS[2]), KernelLMS(kernel=KERNELS[2], budget=80)):
        dense, sparse = model.clone(), model.clone()
        expected = dense.predict_learn_many(narrow, y.astype(float))
        predicted = sparse.predict_learn_many(wide, y.astype(float))
        assert is_sparse(sparse)
        np.testing.assert_allclose(predicted, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("model", LEARNERS[4:9], ids=repr)
def test_saved_before_and_after_the_change(model: Any) -> None:
    _, wide, y = rows()
    straight, saved = model.clone(), model.clone()
    for start in range(0, 220, 11):
        part = slice(start, start + 11)
        straight.learn_many(wide[part], y[part])
        saved = loads(dumps(saved))
        saved.learn_many(wide[part], y[part])
    assert is_sparse(saved)
    assert dumps(saved) == dumps(straight)
    assert saved.supports == straight.supports


def test_supports_are_mappings() -> None:
    _, wide, y = rows()
    model = KernelPerceptron(kernel=Linear())
    model.learn_many(wide, y)
    assert is_sparse(model)
    x, _ = model.supports[-1]
    learned = [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in wide]
    assert x in learned
    assert len(x) == 25
    again = loads(dumps(model))
    assert is_sparse(again)
    assert again.supports == model.supports


def test_new_features_forever() -> None:
    """Five names per example that nobody has seen before: only the index of names grows."""
    model = LeastRecentPerceptron(kernel=RBF(gamma=0.1), budget=100, beta=1e9)
    held = []
    for start in range(0, 20_000, 5_000):
        X = [{f"{i}.{j}": 1.0 for j in range(5)} for i in range(start, start + 5_000)]
        model.learn_many(X, [i % 2 == 0 for i in range(5_000)])
        held.append(sum(store.memory() for store in stores(model)))
    assert is_sparse(model)
    assert len(model.supports) == 100
    assert held[-1] == held[0] < 1e5
    assert model.supports[0][1] in (-1.0, 1.0)


def test_a_thousand_million_columns() -> None:
    """Memory does not depend on how many columns a matrix has."""
    narrow, _, y = rows()
    huge = csr_matrix(
        (narrow.data, narrow.indices * 3_000_000, narrow.indptr), shape=(220, WIDTH * 3_000_000)
    )
    dense, sparse = (BudgetedPA(kernel=RBF(gamma=0.05), budget=60) for _ in range(2))
    expected = dense.predict_learn_many(narrow, y, output="score")
    predicted = sparse.predict_learn_many(huge, y, output="score")
    np.testing.assert_allclose(predicted, expected, rtol=1e-9, atol=1e-9)
    assert sparse.memory_bytes < 3e5
    again = loads(dumps(sparse))
    assert again.supports == sparse.supports
    assert max(j for x, _ in again.supports for j in x) > 800_000_000


def test_memory_stays() -> None:
    model = LeastRecentPerceptron(kernel=RBF(gamma=0.1), budget=60, beta=1e9)
    _, wide, y = rows()
    model.learn_many(wide, y)
    full = model.memory_bytes
    for seed in range(1, 6):
        _, wide, y = rows(seed=seed)
        model.learn_many(wide, y)
        assert model.memory_bytes < 1.3 * full


def test_supports_without_any_feature():
    """All products with them are 0, whatever stood in the memory."""
    model = KernelPerceptron(kernel=Polynomial(degree=3, coef0=1.0, gamma=1.0))
    for i in range(20):
        model.learn_one({}, i % 2)
        assert model.score_one({}) in (-1.0, 0.0, 1.0)
        assert model.score_one({"a": 1.0}) == model.score_one({})


def test_a_loaded_model_has_the_layout_of_the_saved_one():
    rng = np.random.default_rng(0)
    model = KernelPA(kernel=RBF(gamma=0.1))
    asked = [dict.fromkeys(rng.choice(1000, 20, replace=False).tolist(), 1.0) for _ in range(5)]
    for i in range(140):
        x = {int(j): float(rng.normal()) for j in rng.choice(1000, 20, replace=False)}
        model.learn_one(x, i % 2)
        if i > 120:
            twin = loads(dumps(model))
            assert twin.score_many(asked).tolist() == model.score_many(asked).tolist()
