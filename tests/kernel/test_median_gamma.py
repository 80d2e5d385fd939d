"""gamma="median": found from the first examples, frozen, saved; a number stays what it was."""

from typing import Any

import numpy as np
import pytest

from onstream.kernel import (
    FOGD,
    NOGD,
    RBF,
    BudgetedPA,
    KernelPA,
    KernelPARegressor,
    KernelPerceptron,
    Linear,
    Projectron,
    Sum,
)
from onstream.persist import dumps, loads

RNG = np.random.default_rng(5)
X = RNG.normal(size=(300, 4)) * [1.0, 3.0, 50.0, 0.1]
X[::7, 1] = 0.0
Y = (X[:, 0] * X[:, 1] > 0).astype(int)
LEARNERS: list[Any] = [
    KernelPerceptron,
    KernelPA,
    BudgetedPA,
    Projectron,
    FOGD,
    lambda: NOGD(budget=150),
    lambda: KernelPA(kernel=Sum(Linear(), RBF(gamma="median"))),
]
pytestmark = pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")


def found(rows: np.ndarray) -> float:
    """2 / median of the squared distances that are not 0; of an even number the upper one."""
    gaps = [((a - b) ** 2).sum() for i, a in enumerate(rows) for b in rows[:i]]
    gaps = sorted(g for g in gaps if g > 0)
    return 2.0 / float(gaps[len(gaps) // 2])


@pytest.mark.parametrize("make", LEARNERS)
def test_it_is_two_by_the_median(make: Any) -> None:
    model = make()
    assert model.median_gamma is None
    for i, (x, y) in enumerate(zip(X, Y, strict=True), 1):
        model.learn_one(x, y)
        if i in (2, 4, 16, 64, 65, 300):
            assert model.median_gamma == pytest.approx(found(X[: min(i, 64)]), rel=1e-12)
    again = make()
    again.learn_many(X, Y)
    assert dumps(again) == dumps(model)


@pytest.mark.parametrize("make", LEARNERS)
@pytest.mark.parametrize("cut", [1, 5, 40, 64, 70])
def test_files_go_on(make: Any, cut: int) -> None:
    whole, part = make(), make()
    whole.learn_many(X, Y)
    part.learn_many(X[:cut], Y[:cut])
    part = loads(dumps(part))
    part.learn_many(X[cut:], Y[cut:])
    assert dumps(part) == dumps(whole)


@pytest.mark.parametrize("make", LEARNERS)
def test_kinds_of_input_agree(make: Any) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    models = [make() for _ in range(3)]
    models[0].learn_many(X, Y)
    models[1].learn_many([{j: v for j, v in enumerate(x) if v} for x in X.tolist()], Y)
    models[2].learn_many(sparse.csr_matrix(X), Y)
    gammas = [m.median_gamma for m in models]
    assert gammas == pytest.approx([gammas[0]] * 3, rel=1e-12)


def test_it_is_the_kernel_in_use() -> None:
    """f is the sum over the supports with this gamma, from the 64th example on."""
    model = KernelPA()
    model.learn_many(X, Y)
    gamma = model.median_gamma
    f = sum(a * np.exp(-gamma * ((np.asarray(s) - X[3]) ** 2).sum()) for s, a in model.supports)
    assert model.score_one(X[3]) == pytest.approx(f, rel=1e-9)


def test_projectron_inverts_the_gram_matrix_of_this_gamma() -> None:
    model = Projectron(eta=0.01, budget=20)
    model.learn_many(X[:64], Y[:64])
    rows = np.array([x for x, _ in model.supports])
    gaps = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    gram = np.exp(-model.median_gamma * gaps)
    inverse = model._model.export()["machine 0"]["inverse"]
    assert np.abs(inverse @ gram - np.eye(len(rows))).max() < 1e-6


def test_a_number_and_none_are_as_before() -> None:
    for other in (RBF(gamma=0.1), None):
        model = KernelPerceptron(kernel=other)
        model.learn_many(X, Y)
        assert model.median_gamma is None
        a, b = X[0], X[1]
        f = sum(c * np.exp(-0.1 * ((np.asarray(s) - a) ** 2).sum()) for s, c in model.supports)
        assert model.score_one(a) == pytest.approx(f, rel=1e-9)
        assert not [k for k in model._model.export() if k.startswith("gamma_") and "width" not in k]
        assert b is not a
    model = FOGD(gamma=0.1)
    model.learn_many(X, Y)
    assert sorted(set(model._model.export()) - set(FOGD()._model.export_names())) == ["weights"]


def test_a_refused_example_is_not_counted() -> None:
    model = KernelPA()
    model.learn_many(X[:3], Y[:3])
    before = dumps(model)
    with pytest.raises(ValueError, match="finite"):
        model.learn_one([1.0, 2.0, np.nan, 0.0], 1)
    with pytest.raises(ValueError, match="overflow"):
        model.learn_one([1e200, 2.0, 1.0, 0.0], 1)
    assert dumps(model) == before


def test_equal_examples_tell_nothing() -> None:
    model = KernelPA()
    model.learn_many(np.ones((70, 2)), [0, 1] * 35)
    assert model.median_gamma is None
    assert np.isfinite(model.score_one([1.0, 2.0]))


def test_raw_columns_can_be_learned() -> None:
    wide = X * 1e4
    y = X[:, 2] > 0.0  # the large column decides
    new, old = KernelPA(), KernelPA(kernel=None)
    right = [(m.predict_learn_many(wide, y) == y)[100:].mean() for m in (new, old)]
    assert right[0] > 0.85 > 0.7 > right[1]


def test_regression() -> None:
    model = KernelPARegressor()
    model.learn_many(X, X[:, 2])
    assert model.median_gamma == pytest.approx(found(X[:64]))


def test_what_it_is_not() -> None:
    with pytest.raises(ValueError, match="gamma"):
        RBF(gamma="mean")
    with pytest.raises(ValueError, match="found by a learner"):
        RBF(gamma="median")([1.0], [2.0])
    with pytest.raises(TypeError, match="kernel must be a kernel"):
        KernelPA(kernel="rbf")


def test_damaged_files_are_refused() -> None:
    model = KernelPA()
    model.learn_many(X[:5], Y[:5])
    for name, value in (
        ("gamma_median", -1.0),
        ("gamma_starts", np.array([0, 4, 2, 12, 16, 20])),
        ("gamma_features", np.zeros(len(model._model.export()["gamma_features"]), dtype=np.int64)),
    ):
        told = {**model._model.snapshot(), name: value}
        with pytest.raises(ValueError, match="gamma"):
            KernelPA()._restore(told)
