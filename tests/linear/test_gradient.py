"""SGD, AdaGrad, FOBOS, truncated gradient, RDA, FTRL: against eager references, step by step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from onstream.linear import (
    FOBOS,
    RDA,
    FTRLProximal,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    SGDClassifier,
    SGDRegressor,
    TruncatedGradient,
)
from onstream.persist import dumps, loads

from ..oracles import gradient as oracle
from ..oracles import losses
from ..oracles.side_by_side import KINDS, form, labelled, measured, quick, rows, scores

LABEL_LOSSES = ("hinge", "squared_hinge", "logistic", "perceptron", "squared")
NUMBER_LOSSES = ("squared", "absolute", "huber", "epsilon_insensitive", "quantile")


def follow(model, reference, stream, kind, rel=1e-9):
    """Scores before and weights after every example are those of the reference."""
    for t, (x, y, weight) in enumerate(stream):
        expected = reference.scores(x)
        size = max(1.0, np.abs(expected).max())
        assert np.abs(scores(model, x, kind) - expected).max() <= rel * size, f"step {t}"
        model.learn_one(form(x, kind), y, weight)
        reference.learn(x, y, weight)
        wanted = reference.predicting() if hasattr(reference, "predicting") else reference.W
        found = rows(model, len(x), kind)
        assert found.shape == wanted.shape
        size = max(1.0, np.abs(wanted).max())
        assert np.abs(found - wanted).max() <= rel * size, f"step {t}"


# -- losses ---------------------------------------------------------------------------------------


def learned_slope(model, y, p, eta):
    """dV/dp from one step, starting at a prediction of p."""
    before = model.weights["a"]
    model.learn_one({"a": 1.0}, y)
    return -(model.weights["a"] - before) / eta


def at(model, p):
    """The model made to predict p for {"a": 1}."""
    fields = model._model.export()
    fields |= {"features": ["a"], "weights": np.array([[p]]), "seen": 1}
    if "labels" in fields:
        fields["labels"] = [-1, 1]
    return type(model)(**model.params, init=fields)


@pytest.mark.parametrize("loss", NUMBER_LOSSES)
@quick
@given(p=st.floats(-5, 5), y=st.floats(-5, 5))
def test_slopes_of_regression_losses_by_finite_differences(loss, p, y):
    parameters = {"kappa": 0.7, "epsilon": 0.3, "theta": 0.2}
    model = at(SGDRegressor(loss=loss, eta=0.5, intercept=False, **parameters), p)
    found = learned_slope(model, y, p, 0.5)
    assert found == pytest.approx(losses.slope(loss, y, p, **parameters), abs=1e-12)
    if min(abs(abs(y - p) - kink) for kink in (0.0, 0.3, 0.7)) > 1e-4:
        assert found == pytest.approx(losses.difference(loss, y, p, **parameters), abs=1e-6)


@pytest.mark.parametrize("loss", LABEL_LOSSES)
@quick
@given(p=st.floats(-5, 5), y=st.sampled_from([-1, 1]))
def test_slopes_of_classification_losses_by_finite_differences(loss, p, y):
    model = at(SGDClassifier(loss=loss, eta=0.5, intercept=False), p)
    found = learned_slope(model, y, p, 0.5)
    assert found == pytest.approx(losses.slope(loss, y, p), abs=1e-12)
    if min(abs(y * p - kink) for kink in (0.0, 1.0)) > 1e-4:
        assert found == pytest.approx(losses.difference(loss, y, p), abs=1e-6)


def test_at_the_kinks():
    """The subgradients that the table names."""
    for loss, y, p, slope in (
        ("absolute", 1.0, 1.0, 0.0),
        ("quantile", 1.0, 1.0, 0.8),
        ("epsilon_insensitive", 1.0, 1.5, 0.0),
    ):
        model = at(SGDRegressor(loss=loss, eta=1.0, epsilon=0.5, theta=0.2, intercept=False), p)
        assert learned_slope(model, y, p, 1.0) == slope
    for loss, y, p, slope in (("hinge", 1, 1.0, 0.0), ("perceptron", 1, 0.0, -1.0)):
        model = at(SGDClassifier(loss=loss, eta=1.0, intercept=False), p)
        assert learned_slope(model, y, p, 1.0) == slope


def test_no_overflow_far_out():
    model = at(SGDClassifier(loss="logistic", eta=1.0, intercept=False), 1e4)
    assert learned_slope(model, -1, 1e4, 1.0) == 1.0
    assert model.predict_proba_one({"a": 1.0}) == {-1: 0.0, 1: 1.0}


# -- against the references -----------------------------------------------------------------------

SGD = [
    {},
    {"schedule": "power", "power": 0.7, "l2": 0.02},
    {"schedule": "inverse", "l2": 0.3, "eta": 0.5},
    {"schedule": "sqrt", "l1": 0.01},
    {"l1": 0.01, "l2": 0.1, "eta": 0.5},
    {"l2": 3.0, "eta": 0.5},  # 1 - rate * l2 is negative
    {"average": True},
    {"average": True, "average_from": 7, "l2": 0.5, "eta": 0.3},
    {"average": True, "l1": 0.02, "l2": 0.02},
    {"batch_size": 4},
    {"batch_size": 3, "l1": 0.02, "l2": 0.1},
    {"batch_size": 3, "average": True, "schedule": "sqrt", "l2": 0.1},
    {"radius": 0.5},
    {"radius": 0.4, "average": True, "batch_size": 2, "l1": 0.01, "l2": 0.1},
]
ADAGRAD = [
    {},
    {"eps": 1.0, "eta": 0.5},
    {"eps": 0.0},
    {"l1": 0.05},
    {"l2": 0.3},
    {"l1": 0.05, "l2": 0.3},
    {"l1": 0.02, "average": True},
    {"l2": 0.2, "batch_size": 3},
    {"radius": 0.3, "l1": 0.01, "batch_size": 2, "average": True},
]


every_descent = pytest.mark.parametrize(
    "params", [*SGD, *({"schedule": "adagrad", **p} for p in ADAGRAD)], ids=str
)


def reference_of(params, d, loss, cls=None, **more):
    named = {"batch_size": "batch", "theta": "ceiling"}
    renamed = {named.get(name, name): value for name, value in params.items()}
    adagrad = renamed.get("schedule") == "adagrad"
    cls = cls or (oracle.AdaGrad if adagrad else oracle.Descent)
    return cls(d, loss, **{**renamed, **more})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [[-1, 1], ["a", "b", "c"]])
@every_descent
def test_sgd_classifier(kind, labels, params):
    for seed, loss in enumerate(LABEL_LOSSES):
        if loss == "squared_hinge" and params.get("l2") == 3.0:
            continue  # diverges
        intercept = seed % 2 == 0
        model = SGDClassifier(loss=loss, intercept=intercept, **params)
        reference = reference_of(params, 4, loss, intercept=intercept)
        rng = np.random.default_rng(seed)
        follow(model, reference, labelled(rng, 40, 4, labels, weighted=True), kind)


@every_descent
def test_sgd_regressor(params):
    for seed, loss in enumerate(NUMBER_LOSSES):
        if params.get("l2") == 3.0:
            continue
        model = SGDRegressor(loss=loss, theta=0.3, kappa=0.5, **{"eta": 0.1, **params})
        reference = NumberOracle(reference_of({"eta": 0.1, **params}, 4, loss))
        follow(
            model, reference, measured(np.random.default_rng(seed), 40, 4, weighted=True), "dict"
        )


class NumberOracle:
    """The reference with numbers for targets."""

    def __init__(self, inner):
        self.inner = inner
        inner.parameters = {"theta": 0.3, "kappa": 0.5}
        self.scores, self.predicting = inner.scores, inner.predicting

    def learn(self, x, y, weight):
        if weight > 0.0:
            self.inner.seen += 1
            self.inner.binary(self.inner.extended(x), y, weight)


OTHERS = [
    (FOBOS, {"l1": 0.02}, {"proximal": True}, oracle.Descent),
    (FOBOS, {"l1": 0.02, "l2": 0.5, "eta": 0.5}, {"proximal": True}, oracle.Descent),
    (FOBOS, {"l1": 0.0, "l2": 0.5, "schedule": "sqrt"}, {"proximal": True}, oracle.Descent),
    (TruncatedGradient, {"l1": 0.02, "period": 3, "theta": 0.2}, {}, oracle.Descent),
    (TruncatedGradient, {"l1": 0.05, "period": 1, "schedule": "sqrt"}, {}, oracle.Descent),
    (RDA, {"l1": 0.0}, {}, oracle.RDA),
    (RDA, {"l1": 0.05, "gamma": 3.0}, {}, oracle.RDA),
    (FTRLProximal, {}, {}, oracle.FTRL),
    (FTRLProximal, {"alpha": 0.5, "beta": 0.3, "l1": 0.7, "l2": 0.4}, {}, oracle.FTRL),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [[-1, 1], ["a", "b", "c", "d"]])
@pytest.mark.parametrize(("cls", "params", "more", "reference"), OTHERS, ids=lambda v: str(v)[:40])
def test_the_others(kind, labels, cls, params, more, reference):
    """Lazy on sparse examples, eager in the reference: the same to the last digits."""
    for seed, loss in enumerate(LABEL_LOSSES):
        intercept = seed % 2 == 1
        model = cls(loss=loss, intercept=intercept, **params)
        eager = reference_of(params, 6, loss, reference, intercept=intercept, **more)
        rng = np.random.default_rng(seed)
        follow(model, eager, labelled(rng, 40, 6, labels, weighted=True), kind)


# -- relations ------------------------------------------------------------------------------------


def stream(n=80, d=5, labels=(-1, 1), seed=0):
    return labelled(np.random.default_rng(seed), n, d, list(labels), noise=0.5, weighted=True)


def trained(model, examples):
    for x, y, w in examples:
        model.learn_one(x, y, w)
    return model


def assert_same(one, other, rel=1e-11, d=5):
    np.testing.assert_allclose(rows(one, d), rows(other, d), rtol=rel, atol=rel)


@pytest.mark.parametrize("labels", [(-1, 1), (1, 0)])
def test_perceptron_loss_is_the_perceptron(labels):
    examples = stream(labels=labels)
    sgd = trained(SGDClassifier(loss="perceptron", eta=1.0), examples)
    assert sgd.weights == trained(Perceptron(), examples).weights


def test_logistic_loss_is_logistic_regression():
    examples = stream()
    for params in (
        {"eta": 0.1},
        {"schedule": "sqrt", "eta": 1.0},
        {"schedule": "inverse", "l2": 0.1},
    ):
        sgd = trained(SGDClassifier(loss="logistic", **{"eta": 0.1, **params}), examples)
        assert_same(sgd, trained(LogisticRegression(**params), examples), rel=1e-13)
        x = examples[3][0]
        assert sgd.predict_proba_one(x)[1] == pytest.approx(
            trained(LogisticRegression(**params), examples).predict_proba_one(x)[1]
        )


def test_squared_loss_is_linear_regression():
    examples = measured(np.random.default_rng(1), 60, 5, weighted=True)
    sgd = trained(SGDRegressor(l2=0.1), examples)
    assert_same(sgd, trained(LinearRegression(l2=0.1), examples), rel=1e-13)


@pytest.mark.parametrize("labels", [(-1, 1), ("a", "b", "c")])
def test_without_penalty_all_are_sgd(labels):
    examples = stream(labels=labels)
    sgd = trained(SGDClassifier(loss="logistic", schedule="sqrt", eta=0.5), examples)
    for model in (
        FOBOS(l1=0.0, schedule="sqrt", eta=0.5),
        TruncatedGradient(l1=0.0, schedule="sqrt", eta=0.5),
        SGDClassifier(loss="logistic", schedule="sqrt", eta=0.5, radius=1e9),
    ):
        assert_same(trained(model, examples), sgd)


def test_truncation_in_every_step_is_fobos():
    examples = stream()
    for schedule in ("constant", "sqrt"):
        one = TruncatedGradient(l1=0.03, period=1, schedule=schedule)
        other = FOBOS(l1=0.03, schedule=schedule)
        assert_same(trained(one, examples), trained(other, examples))


def test_ftrl_without_penalty_is_a_falling_rate_per_weight():
    """w -= alpha / (beta + sqrt(sum g^2)) g, which is AdaGrad with eps = beta."""
    examples = stream()
    ftrl = trained(FTRLProximal(alpha=0.3, beta=1.0), examples)
    ada = trained(SGDClassifier(loss="logistic", schedule="adagrad", eta=0.3, eps=1.0), examples)
    assert_same(ftrl, ada)


def test_a_batch_of_one_is_sgd_and_identical_rows_are_one():
    examples = stream()
    plain = trained(SGDClassifier(l2=0.1), examples)
    # a batch of 2, each example twice, steps like the examples themselves
    twice = SGDClassifier(l2=0.1, batch_size=2)
    for x, y, w in examples:
        twice.learn_one(x, y, w)
        twice.learn_one(x, y, w)
    assert_same(plain, twice)


def test_a_batch_of_everything_is_the_batch_gradient():
    """b = N: one step along the mean gradient at the old weights."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    model = SGDRegressor(eta=0.2, batch_size=50, intercept=False)
    w = np.zeros(3)
    for _ in range(100):
        model.learn_many(X, y)
        w = w - 0.2 * X.T @ (X @ w - y) / 50
    np.testing.assert_allclose(rows(model, 3)[0], w, rtol=1e-10)
    closed = np.linalg.lstsq(X, y, rcond=None)[0]
    np.testing.assert_allclose(w, closed, rtol=1e-4)


def test_a_pending_batch_is_state():
    examples = [example for example in stream(50) if example[2] > 0.0]
    model = SGDClassifier(batch_size=7, l1=0.01)
    through = model.clone()
    for x, y, w in examples:
        before = model.weights
        model.learn_one(x, y, w)
        through = loads(dumps(through))
        through.learn_one(x, y, w)
        assert dumps(through) == dumps(model)
        if model.seen % 7:
            assert model.weights == {**dict.fromkeys(model.weights, 0.0), **before}
    assert len(examples) % 7


def test_averaged_weights_predict():
    """What predicts is the mean of the iterates; what learns is the last."""
    examples = [example for example in stream() if example[2] > 0.0]
    averaged, plain = SGDClassifier(average=True), SGDClassifier(scale=None)
    iterates = []
    for x, y, w in examples:
        averaged.learn_one(x, y, w)
        plain.learn_one(x, y, w)
        iterates.append(rows(plain, 5)[0])
    mean = np.mean(iterates, axis=0)
    np.testing.assert_allclose(rows(averaged, 5)[0], mean, rtol=1e-12)
    x = examples[0][0]
    assert averaged.score_one(x) == pytest.approx(mean @ np.append(x, 1.0))
    assert averaged.score_one(x) != pytest.approx(plain.score_one(x))
    late = trained(SGDClassifier(average=True, average_from=len(examples) - 2), examples)
    np.testing.assert_allclose(rows(late, 5)[0], np.mean(iterates[-2:], axis=0), rtol=1e-12)


def test_exact_zeros():
    """A weight that the step leaves within the threshold is 0, not small."""
    for model, step in (
        (FOBOS(l1=1.0, loss="hinge", eta=0.5, intercept=False), 0.5),
        (RDA(l1=1.0, loss="hinge", intercept=False), 1.0),
        (FTRLProximal(l1=1.0, loss="hinge", intercept=False), 1.0),
        (TruncatedGradient(l1=1.0, loss="hinge", eta=0.5, period=1, intercept=False), 0.5),
    ):
        model.learn_one({"a": 1.0, "b": 0.5}, 1)
        assert step > 0.0
        assert list(model.weights.values()) == [0.0, 0.0], repr(model)
        assert str(model.weights["a"]) == "0.0"


@pytest.mark.parametrize(("width", "labels"), [(1100, 2), (300, 3), (130, 9), (9, 600)])
@pytest.mark.parametrize(
    ("cls", "params"),
    [
        (SGDClassifier, {"average": True, "average_from": 3}),
        (SGDClassifier, {"average": True, "l1": 1e-3, "l2": 0.3}),
        (SGDClassifier, {"l1": 1e-3, "l2": 0.1, "schedule": "sqrt"}),
        (SGDClassifier, {"schedule": "adagrad", "average": True}),
        (SGDClassifier, {"schedule": "adagrad", "l1": 1e-3, "l2": 1e-3, "radius": 5.0}),
        (FOBOS, {"l1": 1e-3, "l2": 1e-3}),
        (TruncatedGradient, {"l1": 1e-2, "period": 4, "theta": 0.2}),
        (RDA, {"l1": 1e-3}),
        (FTRLProximal, {"l1": 0.01, "l2": 0.1}),
    ],
    ids=lambda v: str(v)[:60],
)
def test_dense_rows_are_sparse_rows(cls, params, width, labels):
    """Loops over tiles of weights and those feature by feature: the same bits."""
    rng = np.random.default_rng(width)
    X = rng.normal(size=(labels + 40, width))
    y = np.concatenate([np.arange(labels), rng.integers(labels, size=len(X) - labels)])
    dense, sparse = (cls(**params) for _ in range(2))
    for start in range(0, len(X), 16):  # labels keep coming
        rows = slice(start, start + 16)
        found = dense.predict_learn_many(X[rows], y[rows], output="score")
        wanted = sparse.predict_learn_many(csr_matrix(X[rows]), y[rows], output="score")
        assert np.array_equal(found, wanted, equal_nan=True)
    found, wanted = dense._model.export(), sparse._model.export()
    for name in wanted:
        assert name == "columns" or np.array_equal(found[name], wanted[name]), name


def test_lazy_examples_cost_nothing_for_absent_features():
    """FTRL, FOBOS and truncated gradient touch the example's features only: O(non-zeros)."""
    import time

    def seconds(model, features):
        wide = {f"f{i}": 1.0 for i in range(features)}
        model.learn_one(wide, 1)
        short = [{"f1": 1.0, "f2": -1.0}] * 3000
        labels = [1, 0] * 1500
        best = np.inf
        for _ in range(3):
            start = time.thread_time()
            model.learn_many(short, labels)
            best = min(best, time.thread_time() - start)
        return best

    for make in (
        lambda: FTRLProximal(l1=0.1, l2=0.1),
        lambda: FOBOS(l1=0.01, l2=1e-4),
        lambda: TruncatedGradient(l1=0.01),
        lambda: RDA(l1=0.01),
        lambda: SGDClassifier(schedule="adagrad", l1=0.01, l2=0.01),
        lambda: SGDClassifier(average=True, l2=1e-4),
    ):
        assert seconds(make(), 60_000) < 20 * seconds(make(), 10), repr(make())


# -- regret ---------------------------------------------------------------------------------------


def regret(model, X, y, loss, u):
    """Loss of every prediction before learning, less that of u; and the gradients' lengths."""
    total, squares = 0.0, []
    for x, target in zip(X, y, strict=True):
        p = model.score_one(x)
        total += losses.value(loss, target, p) - losses.value(loss, target, u @ x)
        g = losses.slope(loss, target, p) * x
        squares.append(g @ g)
        model.learn_one(x, target)
    return total, np.array(squares)


@pytest.mark.parametrize("eta", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_regret_of_a_constant_rate(loss, eta):
    """Regret <= |u|^2 / (2 eta) + eta / 2 sum |g|^2 for any u."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 4)), rng.choice([-1, 1], 200)
        u = rng.normal(size=4)
        if loss == "squared_hinge" and eta == 1.0:
            continue
        found, squares = regret(SGDClassifier(loss=loss, eta=eta, intercept=False), X, y, loss, u)
        assert found <= u @ u / (2.0 * eta) + 0.5 * eta * squares.sum() + 1e-9


@pytest.mark.parametrize("loss", ["squared", "absolute", "huber", "quantile"])
def test_regret_of_regression(loss):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 4)), rng.normal(size=200)
        u = np.linalg.lstsq(X, y, rcond=None)[0]
        model = SGDRegressor(loss=loss, eta=0.05, intercept=False)
        found, squares = regret(model, X, y, loss, u)
        assert found <= u @ u / 0.1 + 0.025 * squares.sum() + 1e-9


def test_regret_with_projection():
    """On |w| <= D with rate D / (G sqrt(t)): regret <= 3 D G sqrt(T)."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(400, 5))
        X /= np.linalg.norm(X, axis=1)[:, np.newaxis]  # |g| <= 1
        y = rng.choice([-1, 1], 400)
        D = 2.0
        u = rng.normal(size=5)
        u *= D / np.linalg.norm(u)
        model = SGDClassifier(schedule="sqrt", eta=D, radius=D, intercept=False)
        found, squares = regret(model, X, y, "hinge", u)
        assert squares.max() <= 1.0 + 1e-12
        assert found <= 3.0 * D * np.sqrt(400)
        assert np.linalg.norm(rows(model, 5)[0]) <= D * (1.0 + 1e-12)


def test_regret_of_adagrad():
    """Regret <= sum_i (D_i^2 / (2 eta) + eta) sqrt(G_i), D_i = max_t |w_ti - u_i|, eps = 0."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 4)) * [10.0, 1.0, 0.1, 0.01]
        y = rng.choice([-1, 1], 300)
        u = rng.normal(size=4)
        model = SGDClassifier(schedule="adagrad", eta=0.5, eps=0.0, intercept=False)
        total, G, D = 0.0, np.zeros(4), np.abs(u)
        for x, target in zip(X, y, strict=True):
            p = model.score_one(x)
            total += losses.value("hinge", target, p) - losses.value("hinge", target, u @ x)
            G += (losses.slope("hinge", target, p) * x) ** 2
            model.learn_one(x, target)
            D = np.maximum(D, np.abs(rows(model, 4)[0] - u))
        assert total <= np.sum((D**2 / (2.0 * 0.5) + 0.5) * np.sqrt(G)) + 1e-9


# -- online least squares (6.2, 6.3) --------------------------------------------------------------


def test_a_rate_that_falls_too_fast_stalls():
    """Rates n^-2 sum to a finite number: the solution is not reached; n^-0.6 reaches it."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 3))
    truth = np.array([4.0, -3.0, 5.0])
    y = X @ truth
    far, near = (
        SGDRegressor(eta=0.1, schedule="power", power=power, intercept=False)
        for power in (2.0, 0.6)
    )
    for model in (far, near):
        model.learn_many(X, y)
    assert np.linalg.norm(rows(far, 3)[0] - truth) > 3.0
    assert np.linalg.norm(rows(near, 3)[0] - truth) < 1e-3


@pytest.mark.parametrize(
    ("power", "eta", "most"), [(0.51, 0.2, 3.0), (0.6, 0.2, 3.0), (0.51, 1.0, 3.0), (0.6, 1.0, 3.0)]
)
def test_polyak_ruppert_is_almost_as_good_as_rls(power, eta, most):
    """Mean of 20 runs, N(0, I) features, d = 5, unit noise, n = 10^4: ratio of squared errors."""
    truth = np.full(5, 1.0 / np.sqrt(5.0))
    averaged, last, exact = [], [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(10_000, 5))
        y = X @ truth + rng.normal(size=10_000)
        settings = {"eta": eta, "schedule": "power", "power": power, "intercept": False}
        for errors, model in (
            (averaged, SGDRegressor(average=True, **settings)),
            (last, SGDRegressor(**settings)),
        ):
            model.learn_many(X, y)
            errors.append(np.sum((rows(model, 5)[0] - truth) ** 2))
        w = np.linalg.solve(X.T @ X + np.eye(5), X.T @ y)
        exact.append(np.sum((w - truth) ** 2))
    assert np.mean(averaged) <= most * np.mean(exact)
    assert np.mean(averaged) < np.mean(last)


# -- epochs ---------------------------------------------------------------------------------------


def test_epochs_reach_the_batch_solution():
    """Falling rates over epochs: the ridge solution, for any seed of the shuffling."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 4))
    y = X @ [1.0, -2.0, 0.5, 0.0] + 0.3 * rng.normal(size=200)
    ridge = np.linalg.solve(X.T @ X / 200 + 0.1 * np.eye(4), X.T @ y / 200)
    for seed in (0, 1):
        model = SGDRegressor(eta=0.05, l2=0.1, intercept=False)
        model.fit(X, y, epochs=300, seed=seed, decay="inverse")
        np.testing.assert_allclose(rows(model, 4)[0], ridge, atol=2e-3)


@pytest.mark.parametrize(
    ("decay", "rates"), [("inverse", [1.0, 0.5, 1 / 3]), ("exponential", [1.0, 0.8, 0.64])]
)
def test_rates_of_the_epochs(decay, rates):
    """gamma_e = gamma_0 / (1 + kappa e), or gamma_0 rho^e; afterwards gamma_0 again."""
    model = SGDRegressor(loss="absolute", eta=0.1, intercept=False)
    X, y = [{"a": 1.0}], [1e9]  # every step is the rate
    model.fit(X, y, epochs=3, decay=decay, rho=0.8)
    assert model.weights["a"] == pytest.approx(0.1 * sum(rates), rel=1e-12)
    model.learn_one(X[0], 1e9)
    assert model.weights["a"] == pytest.approx(0.1 * (sum(rates) + 1.0), rel=1e-12)


@pytest.mark.parametrize("schedule", ["constant", "adagrad"])
def test_decay_of_what_is_owed(schedule):
    """Penalties of absent features follow the rate of their epoch, too."""
    X = [{"a": 1.0, "b": 1.0}, {"a": -1.0}, {"a": 0.5}]
    y = [1, 0, 1]
    lazy = SGDClassifier(schedule=schedule, l1=0.01, l2=0.02)
    eager = SGDClassifier(schedule=schedule, l1=0.01, l2=0.02)
    lazy.fit(X, y, epochs=4, decay="inverse", shuffle=False)
    for epoch in range(4):
        eager._model.state.tidy()
        eager._model.state.optimizer.factor = 1.0 / (1.0 + epoch)
        for x, label in zip(X, y, strict=True):
            eager.learn_one({"b": 0.0, **x}, label)
    assert lazy.weights == pytest.approx(eager.weights, rel=1e-12)


def test_epochs_end_when_nothing_moves():
    """At the tolerance, or at the cap."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
    model = SGDRegressor(eta=0.05)
    model.fit(X, y, epochs=1000, decay="inverse", tol=1e-3)
    assert 50 < model.seen < 50 * 1000
    capped = SGDRegressor(eta=0.05).fit(X, y, epochs=3, tol=1e-300)
    assert capped.seen == 150


def test_chunks_are_out_of_core_learning():
    """An epoch over chunks is an epoch over the block."""
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(60, 3)), rng.choice([0, 1], 60)
    whole, chunks = SGDClassifier(batch_size=7), SGDClassifier(batch_size=7)
    whole.fit(X, y, epochs=2, shuffle=False)
    for _ in range(2):
        for part in np.array_split(np.arange(60), 4):
            chunks.learn_many(X[part], y[part])
    assert dumps(whole) == dumps(chunks)


def test_bad_arguments_of_fit():
    model = SGDClassifier()
    for bad in ({"decay": "x"}, {"kappa": -1.0}, {"rho": 0.0}, {"tol": 0.0}, {"epochs": 0}):
        with pytest.raises(ValueError, match=r"^SGDClassifier: "):
            model.fit([[1.0]], [1], **bad)
    with pytest.raises(TypeError, match="iterator"):
        model.fit(iter([([1.0], 1)]), epochs=2, decay="inverse")


@pytest.mark.parametrize(("cls", "rate"), [(FTRLProximal, "alpha"), (RDA, "gamma")])
def test_rates_that_are_none_cannot_decay(cls, rate):
    model = cls()
    before = dumps(model)
    for decay in ("inverse", "exponential"):
        with pytest.raises(ValueError, match=rf"^{cls.__name__}: decay='{decay}' .* {rate}\."):
            model.fit([[1.0]], [1], epochs=2, decay=decay)
    assert dumps(model) == before
    assert model.fit([[1.0], [-1.0]], [1, 0], epochs=2, tol=1e-3).seen == 4


def test_truncated_gradient_advises_what_it_has():
    with pytest.raises(ValueError, match=r"^TruncatedGradient: schedule .*got 'inverse'") as error:
        TruncatedGradient(schedule="inverse")
    assert "l2" not in str(error.value)


# -- more than two labels -------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [FOBOS, FTRLProximal, RDA, SGDClassifier, TruncatedGradient])
def test_promotion_equals_one_vs_rest_from_the_start(cls):
    """For the first two labels; the third has simply not seen the past."""
    examples = [example for example in stream(60, labels=("a", "b", "c")) if example[2] > 0.0]
    examples.sort(key=lambda example: example[1] == "c")
    model = trained(cls(), examples)
    for label in ("a", "b"):
        alone = cls(labels=["rest", "this"])
        for x, y, w in examples:
            alone.learn_one(x, "this" if y == label else "rest", w)
        found = rows(model, 5)[model.labels.index(label)]
        np.testing.assert_allclose(found, rows(alone, 5)[0], rtol=1e-10, atol=1e-12)


def test_probabilities_of_many_labels():
    model = trained(FTRLProximal(), stream(60, labels=("a", "b", "c")))
    for x in (np.ones(5), 1e3 * np.ones(5), -1e3 * np.ones(5), np.zeros(5)):
        told = model.predict_proba_one(x)
        assert sum(told.values()) == pytest.approx(1.0)
        assert told[model.predict_one(x)] == max(told.values())
    hinge = SGDClassifier()
    assert not hasattr(hinge, "predict_proba_one")
    with pytest.raises(AttributeError, match="logistic"):
        hinge.predict_proba_many([[1.0]])


# -- merging --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: FTRLProximal(l1=0.3, l2=0.1),
        lambda: RDA(l1=0.02),
        lambda: FOBOS(l1=0.02, l2=0.1),
        lambda: SGDClassifier(average=True, l2=0.1, average_from=5),
        lambda: SGDClassifier(schedule="adagrad", l1=0.01, batch_size=3),
    ],
)
@pytest.mark.parametrize("labels", ["ab", "abc"])
def test_merging_mixes_what_predicts(make, labels):
    one, other = (
        trained(make(), stream(40, 5, labels)),
        trained(make(), stream(90, 5, labels, seed=1)),
    )
    known = sorted(labels)
    n, m = one.seen, other.seen
    a, b = (dict(zip(model.labels, _columns(model), strict=False)) for model in (one, other))
    one.merge(other)
    found = dict(zip(one.labels, _columns(one), strict=False))
    for label in known:
        np.testing.assert_allclose(
            found[label], (n * a[label] + m * b[label]) / (n + m), rtol=1e-9, atol=1e-12
        )
    assert one.seen == n + m
    again = loads(dumps(one))
    examples = stream(20, 5, labels, seed=2)
    assert dumps(trained(one, examples)) == dumps(trained(again, examples))


def _columns(model):
    W = rows(model, 5)
    return W if len(W) > 1 else np.array([-W[0], W[0]])


def test_bad_parameters():
    for make in (
        lambda: SGDClassifier(loss="huber"),
        lambda: SGDClassifier(schedule="none"),
        lambda: SGDClassifier(schedule="inverse"),
        lambda: SGDClassifier(batch_size=0),
        lambda: SGDClassifier(radius=0.0),
        lambda: SGDRegressor(loss="hinge"),
        lambda: SGDRegressor(theta=1.0),
        lambda: SGDRegressor(eta=0.0),
        lambda: FOBOS(l1=-1.0),
        lambda: TruncatedGradient(period=0),
        lambda: RDA(gamma=0.0),
        lambda: FTRLProximal(alpha=0.0),
    ):
        with pytest.raises(ValueError, match=r"^[A-Za-z]+: "):
            make()
