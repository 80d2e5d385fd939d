"""Multiclass perceptrons, MIRA and the exact multiclass PA."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from onstream.linear import (
    MIRA,
    ExactMulticlassPA,
    MulticlassPerceptron,
    PAClassifier,
    Perceptron,
)

from ..oracles import ultraconservative as oracle
from ..oracles.side_by_side import KINDS, eighths, follow, labelled, multiclass_blocks, quick, rows

UPDATES = ("max", "uniform", "proportional")


def with_rows(cls, M, **params):
    """A model without intercept whose weights are M, a row per label 0, 1, ... (more than two)."""
    k, d = M.shape
    model = cls(labels=list(range(k)), intercept=False, **params)
    model.learn_one(np.ones(d), 0)
    fields = model._model.snapshot()
    fields["weights"], fields["scale"] = np.ascontiguousarray(M.T, dtype=float), 1.0
    return cls(init=fields, intercept=False, **params)


def taus(model, x, y, w=1.0):
    """How far each row moves along x; it must move nowhere else."""
    before = rows(model, len(x))
    model.learn_one(x, y, w)
    change = rows(model, len(x)) - before
    found = change @ x / (x @ x)
    np.testing.assert_allclose(change, np.outer(found, x), atol=1e-12)
    return found


# -- side by side with the formulas ---------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [["a", "b"], [1, 0, 2], list("abcdef")])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("name", "params"),
    [
        *(("MulticlassPerceptron", {"update": update}) for update in UPDATES),
        ("MIRA", {}),
        ("MIRA", {"beta": 0.3}),
        ("ExactMulticlassPA", {"C": 0.07}),
        ("ExactMulticlassPA", {"C": math.inf}),
    ],
)
def test_follows_the_formulas(name, params, labels, weighted, kind):
    made = {
        "MulticlassPerceptron": MulticlassPerceptron,
        "MIRA": MIRA,
        "ExactMulticlassPA": ExactMulticlassPA,
    }[name]
    rng = np.random.default_rng(len(labels))
    for intercept in (True, False):
        stream = labelled(rng, 60, 5, labels, weighted=weighted)
        model = made(intercept=intercept, **params)
        reference = getattr(oracle, name)(5, intercept=intercept, **params)
        follow(model, reference, stream, kind, rel=1e-10)


# -- perceptrons ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ("max", [1.0, -1.0, 0.0, 0.0]),
        ("uniform", [1.0, -0.5, -0.5, 0.0]),
        ("proportional", [1.0, -0.75, -0.25, 0.0]),
    ],
)
def test_who_pays(update, expected):
    M = np.array([[1.0], [4.0], [2.0], [0.5]])
    model = with_rows(MulticlassPerceptron, M, update=update)
    np.testing.assert_allclose(taus(model, np.array([1.0]), 0), expected, rtol=1e-15)


def test_proportional_is_uniform_at_a_tie():
    model = MulticlassPerceptron(update="proportional", labels=[0, 1, 2], intercept=False)
    np.testing.assert_allclose(taus(model, np.array([2.0]), 1), [-0.5, 1.0, -0.5], rtol=1e-15)


@quick
@given(multiclass_blocks(), st.sampled_from(UPDATES))
def test_only_rivals_move(block, update):
    X, y = block
    model = MulticlassPerceptron(update=update, labels=[0, 1, 2, 3], intercept=False)
    for x, label in zip(X, y.tolist(), strict=True):
        scores = np.array(list(model.score_one(x).values()))
        if not x.any():
            continue
        moved = taus(model, x, label)
        rivals = (scores >= scores[label]) & (np.arange(4) != label)
        assert abs(moved.sum()) < 1e-12
        if not rivals.any():
            assert not moved.any()
        else:
            assert moved[label] == pytest.approx(1.0)
        assert not moved[~rivals & (np.arange(4) != label)].any()


@quick
@given(st.integers(0, 10_000), st.integers(2, 6), st.sampled_from(UPDATES))
def test_mistake_bound(seed, k, update):
    """A unit-norm M* with margin gamma on all rows: at most 2 R^2 / gamma^2 mistakes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))
    M = rng.normal(size=(k, 4))
    M /= np.linalg.norm(M)
    scores = np.sort(X @ M.T, axis=1)
    clear = scores[:, -1] - scores[:, -2] > 0.2
    X = X[clear]
    y = np.argmax(X @ M.T, axis=1)
    assume(len(set(y.tolist())) == k)
    gamma = np.min((scores[:, -1] - scores[:, -2])[clear])
    R = np.max(np.linalg.norm(X, axis=1))
    model = MulticlassPerceptron(update=update, labels=list(range(k)), intercept=False)
    mistakes = 0
    for x, label in zip(np.tile(X, (5, 1)), np.tile(y, 5).tolist(), strict=True):
        found = model.score_one(x)
        if isinstance(found, float):
            mistakes += found * (1 if label == 1 else -1) <= 0.0
        else:
            mistakes += max(s for r, s in found.items() if r != label) >= found[label]
        model.learn_one(x, label)
    assert mistakes <= 2.0 * R**2 / gamma**2


@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b", "c", "d"]])
def test_max_holds_twice_the_rows_of_the_perceptron(labels):
    stream = labelled(np.random.default_rng(3), 200, 6, labels, noise=1.0)
    twice, plain = MulticlassPerceptron(), Perceptron()
    for x, y, _ in stream:
        assert twice.predict_one(x) == plain.predict_one(x)
        twice.learn_one(x, y)
        plain.learn_one(x, y)
    np.testing.assert_allclose(rows(twice, 6), 2.0 * rows(plain, 6), rtol=1e-12, atol=1e-12)


# -- MIRA: vectors, KKT, a solver ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("cls", "params", "expected"),
    [
        (MIRA, {}, [-2 / 15, 1 / 6, -1 / 30]),
        (MIRA, {"beta": 1.0}, [-7 / 15, 5 / 6, -11 / 30]),
        (ExactMulticlassPA, {}, [-7 / 15, 5 / 6, -11 / 30]),
        (ExactMulticlassPA, {"C": math.inf}, [-7 / 15, 5 / 6, -11 / 30]),
    ],
)
def test_vector(cls, params, expected):
    """A = 1, B = (.5, .2, .4), the second label is the true one."""
    model = with_rows(cls, np.array([[0.5], [0.2], [0.4]]), **params)
    np.testing.assert_allclose(taus(model, np.array([1.0]), 1), expected, rtol=1e-12)


def assert_optimal(tau, A, B, y, beta, C):
    """KKT of the problem; tolerances relative to the numbers that were subtracted."""
    delta = np.arange(len(B)) == y
    size = max(1.0, np.max(np.abs(B)), beta) * max(1.0, 1.0 / A)
    tiny = 1e-11 * size
    assert abs(tau.sum()) <= tiny
    assert (tau <= C * delta + tiny).all()
    gradient = A * tau + B - beta * delta
    free = tau < C * delta - 1e3 * tiny
    if free.any():
        level = gradient[free].mean()
        np.testing.assert_allclose(gradient[free], level, rtol=0.0, atol=10 * tiny * max(1.0, A))
        assert (gradient[~free] <= level + 1e4 * tiny * max(1.0, A)).all()


def weight_rows(k=4, d=3):
    return eighths((k, d))


@quick
@given(
    weight_rows(),
    eighths(3),
    st.integers(0, 3),
    st.sampled_from([0.0, 0.3, 1.0, 4.0]),
    st.sampled_from([0.02, 0.5, 1.0, 5.0]),
)
def test_mira_is_optimal(M, x, y, beta, C):
    """The weight of the example is the cap."""
    assume(x.any() and M.any())
    model = with_rows(MIRA, M, beta=beta)
    found = taus(model, x, y, w=C)
    assert_optimal(found, x @ x, M @ x, y, beta, C)
    expected = oracle.mira_taus(x @ x, M @ x, y, beta, C)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-11 * max(1.0, np.abs(M).max()))
    if beta == 0.0 and (M @ x)[y] >= (M @ x).max():
        assert not found.any()


@quick
@given(weight_rows(6), eighths(3), st.integers(0, 5), st.sampled_from([0.02, 0.3, 2.0, math.inf]))
def test_exact_multiclass_pa_is_optimal(M, x, y, C):
    assume(x.any())
    model = with_rows(ExactMulticlassPA, M, C=C)
    found = taus(model, x, y)
    assert_optimal(found, x @ x, M @ x, y, 1.0, min(C, 1e30))
    losses = 1.0 - ((M @ x)[y] - M @ x)
    losses[y] = 0.0
    after = 1.0 - ((M @ x)[y] + found[y] * (x @ x) - (M @ x + found * (x @ x)))
    after[y] = 0.0
    loss, left = max(0.0, losses.max()), max(0.0, after.max())
    tiny = 1e-10 * max(1.0, np.abs(M @ x).max())
    if math.inf == C:
        assert left <= tiny  # every constraint holds
    else:  # no duality gap: |change|^2 / 2 + C * left = the dual
        primal = 0.5 * (x @ x) * (found @ found) + C * left
        dual = -0.5 * (x @ x) * (found @ found) - found @ (M @ x) + found[y]
        assert primal == pytest.approx(dual, abs=100 * tiny * max(1.0, loss, C))
    assert found[y] <= C * (1 + 1e-12)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0])
def test_against_a_solver(beta):
    """SLSQP on the quadratic programme itself."""
    rng = np.random.default_rng(int(10 * beta))
    for _ in range(25):
        k = int(rng.integers(3, 7))
        M, x = rng.normal(size=(k, 4)), rng.normal(size=4)
        y, C = int(rng.integers(k)), float(rng.choice([0.1, 0.5, 1.0, 3.0]))
        A, B, delta = x @ x, M @ x, np.arange(k) == y
        solved = minimize(
            lambda t, A=A, B=B, d=delta: 0.5 * A * t @ t + (B - beta * d) @ t,
            np.zeros(k),
            jac=lambda t, A=A, B=B, d=delta: A * t + B - beta * d,
            bounds=[(None, C * d) for d in delta],
            constraints={"type": "eq", "fun": np.sum, "jac": np.ones_like},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert solved.success
        found = taus(with_rows(MIRA, M, beta=beta), x, y, w=C)
        np.testing.assert_allclose(found, solved.x, atol=1e-6)
        if beta == 1.0:
            exact = taus(with_rows(ExactMulticlassPA, M, C=C), x, y)
            np.testing.assert_allclose(exact, solved.x, atol=1e-6)


# -- MIRA: properties ----------------------------------------------------------------------------


def test_the_norm_never_grows():
    rng = np.random.default_rng(5)
    model = MIRA(intercept=False)
    size = None
    for x, y, _ in labelled(rng, 300, 5, list("abcd"), noise=1.0):
        model.learn_one(x, y)
        M = rows(model, 5)
        if len(M) == 4:
            now = np.linalg.norm(M)
            assert size is None or now <= size * (1 + 1e-12)
            size = now


def test_zero_weights_make_a_uniform_step():
    model = MIRA(labels=list("abc"), intercept=False)
    np.testing.assert_allclose(taus(model, np.array([1.0, 2.0]), "b"), [-0.5, 1.0, -0.5])
    model = MIRA(labels=list("ab"), intercept=False)
    model.learn_one({"x": 1.0}, "b")
    assert model.weights == {"x": 2.0}  # +1 for b, -1 for a


def test_back_at_zero_it_moves_again():
    """Two labels and one feature: the second lesson takes the first back exactly."""
    for again in (False, True):
        model = MIRA(labels=list("ab"), intercept=False)
        model.learn_one({"x": 1.0}, "b")
        model.learn_one({"x": 1.0}, "a")
        assert model.weights == {"x": 0.0}
        if again:  # the same after a file
            model = MIRA(init=model, intercept=False)
        model.learn_one({"x": 1.0}, "a")
        assert model.weights == {"x": -2.0}


def test_scores_of_zero_are_not_zero_weights():
    model = MIRA(labels=list("abc"), intercept=False)
    model.learn_one({"x": 1.0}, "b")
    model.learn_one({"new": 1.0}, "a")  # a fixed point of the original algorithm
    assert all(row["new"] == 0.0 for row in model.weights.values())


def test_two_labels():
    """tau_y = clip(-(B_y - B_o) / 2A, 0, 1); w is the difference of two rows."""
    rng = np.random.default_rng(8)
    for _ in range(50):
        model = MIRA(labels=[-1, 1], intercept=False)
        model.learn_one(rng.normal(size=3), 1)
        x, y = rng.normal(size=3), int(rng.choice([-1, 1]))
        lead, before = y * model.score_one(x), rows(model, 3)[0]
        model.learn_one(x, y)
        tau = np.clip(-lead / (2.0 * (x @ x)), 0.0, 1.0)
        np.testing.assert_allclose(rows(model, 3)[0], before + 2.0 * tau * y * x, atol=1e-14)


@pytest.mark.parametrize("beta", [0.25, 1.0, 2.0])
@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b", "c", "d"]])
def test_a_margin_beta_is_exact_pa_with_c_one_over_beta(beta, labels):
    stream = labelled(np.random.default_rng(4), 200, 5, labels, noise=1.0)
    mira, exact = MIRA(beta=beta), ExactMulticlassPA(C=1.0 / beta)
    for x, y, _ in stream:
        assert mira.predict_one(x) == exact.predict_one(x)
        mira.learn_one(x, y)
        exact.learn_one(x, y)
    np.testing.assert_allclose(rows(mira, 5), beta * rows(exact, 5), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("C", [0.05, 0.3])
def test_two_labels_are_binary_pa_with_c_doubled(C):
    stream = labelled(np.random.default_rng(6), 200, 5, [-1, 1], noise=1.0)
    exact, plain = ExactMulticlassPA(C=C), PAClassifier(C=2.0 * C)
    for x, y, _ in stream:
        exact.learn_one(x, y)
        plain.learn_one(x, y)
    np.testing.assert_allclose(rows(exact, 5), rows(plain, 5), rtol=1e-12)


def test_infinity_is_what_no_step_reaches():
    assert ExactMulticlassPA(C=math.inf).params == ExactMulticlassPA(C=1e300).params
    with pytest.raises(ValueError, match="ExactMulticlassPA: C must be greater than 0"):
        ExactMulticlassPA(C=0.0)


def test_examples_without_features_teach_nothing():
    for cls in (MIRA, ExactMulticlassPA):
        model = cls(labels=list("abc"), intercept=False)
        model.learn_one({"x": 1.0}, "a")
        before = model.weights
        model.learn_one({}, "b")
        model.learn_one({"x": 0.0}, "c")
        assert model.weights == before


def test_ten_classes_of_the_specification():
    """The stand-in of experiment 3, nu = 1.1: online errors of 3,000 rows (figures of the spec:
    perceptrons .049 to .051, MIRA .071, exact PA-I .020 to .026), means over two data sets."""
    models = {
        "max": (lambda: MulticlassPerceptron(intercept=False), 0.051),
        "uniform": (lambda: MulticlassPerceptron(update="uniform", intercept=False), 0.049),
        "MIRA": (lambda: MIRA(intercept=False), 0.071),
        "exact": (lambda: ExactMulticlassPA(C=0.1, intercept=False), 0.023),
    }
    for make, expected in models.values():
        errors = []
        for seed in range(2):
            rng = np.random.default_rng(seed)
            means = rng.normal(size=(10, 30))
            y = rng.integers(0, 10, 3000)
            X = means[y] + 1.1 * rng.normal(size=(3000, 30))
            X /= np.linalg.norm(X, axis=1, keepdims=True)
            errors.append(np.mean(make().predict_learn_many(X, y) != y))
        assert abs(np.mean(errors) - expected) < 0.025
