"""scale="auto": features scaled by what was seen of them, steps that cannot overshoot."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import onstream
from onstream.base import DataWarning
from onstream.features import StandardScaler
from onstream.linear import (
    LinearRegression,
    LogisticRegression,
    PAClassifier,
    PARegressor,
    Perceptron,
    SGDClassifier,
    SGDRegressor,
    SoftmaxRegression,
)
from onstream.persist import dumps, loads

from ..oracles.scaling import Scales

CLASSIFIERS = [LogisticRegression, SoftmaxRegression, PAClassifier, SGDClassifier]
REGRESSORS = [LinearRegression, PARegressor, SGDRegressor]
Rows = list[dict[str, float]]


def rows(n: int, seed: int = 0, lack: float = 0.0) -> Rows:
    """Columns of very different sizes, one of them constant; some values are lacking."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * [1e-3, 1.0, 1e4, 1.0, 0.0] + [0.0, 3.0, 2e5, 0.0, 7.0]
    X[:, 3] = rng.exponential(size=n) ** 3  # with values far out
    kept = rng.random(X.shape) >= lack
    return [
        {f"c{i}": float(v) for i, v in enumerate(row) if keep[i]}
        for row, keep in zip(X, kept, strict=True)
    ]


def dense(x: Rows) -> np.ndarray:
    return np.array([list(row.values()) for row in x])


def label(x: dict[str, float]) -> bool:
    return 1e3 * x.get("c0", 0.0) + (x.get("c2", 2e5) - 2e5) / 1e4 > 0.0


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("lack", [0.0, 0.3, 0.8])
def test_a_learner_gets_the_scaled_example(lack: float, intercept: bool) -> None:
    """The same as scaling in plain Python, then the rule of the paper."""
    auto = PAClassifier(scale="auto", C=0.05, intercept=intercept)
    plain = PAClassifier(C=0.05, scale=None, intercept=intercept)
    scales = Scales(centres=intercept)
    for x in rows(700, lack=lack):
        scores = auto.score_one(x), plain.score_one(scales.scaled(x))
        assert scores[0] == pytest.approx(scores[1], rel=1e-9, abs=1e-9)
        auto.learn_one(x, label(x))
        plain.learn_one(scales.learn(x), label(x))


def test_the_order_of_features_does_not_matter() -> None:
    one, other = PAClassifier(scale="auto"), PAClassifier(scale="auto")
    for i, x in enumerate(rows(600)):
        one.learn_one(x, label(x))
        other.learn_one(dict(sorted(x.items(), key=lambda kv: hash((kv[0], i)))), label(x))
    for x in rows(50, seed=1):
        assert other.score_one(x) == pytest.approx(one.score_one(x), rel=1e-9)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_units_do_not_matter(cls: Any) -> None:
    """Metres or kilometres: the same labels, since all learning happens in deviations."""
    x = rows(400)
    X, y = dense(x), [label(row) for row in x]
    factors = 2.0 ** np.array([40, -30, 7, -12, 3])
    assert (
        cls(scale="auto").predict_learn_many(X, y).tolist()
        == cls(scale="auto").predict_learn_many(X * factors, y).tolist()
    )


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_raw_columns_are_learned(cls: Any) -> None:
    x = rows(3000)
    y = np.array([label(row) for row in x])
    answers = cls(scale="auto").predict_learn_many(dense(x), y)
    assert (answers == y)[1000:].mean() > 0.93
    with pytest.warns(DataWarning, match="times as large"):
        raw = cls(scale=None).predict_learn_many(dense(x), y)
    assert (raw == y)[1000:].mean() < 0.75  # so that this test says something


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_weights_are_those_of_the_features_as_they_came(cls: Any) -> None:
    model, x = cls(scale="auto"), rows(300)
    target = (lambda row: row["c1"] * 1e3) if cls in REGRESSORS else label
    model.learn_many(dense(x), [target(row) for row in x])
    for row in rows(20, seed=1):
        values = list(row.values())
        shown = model.bias + sum(model.weights[i] * v for i, v in enumerate(values))
        assert shown == pytest.approx(model.score_one(values), rel=1e-6, abs=1e-6)


def test_a_logistic_step_is_damped() -> None:
    """rate / (1 + rate |u|^2 / 4), the proximal step of a parabola above the logistic loss."""
    model, scales = LogisticRegression(scale="auto", eta=0.3), Scales()
    w: dict[str, float] = {}
    b = 0.0
    for x in rows(400, lack=0.2):
        y = label(x)
        u = scales.learn(x)
        f = b + sum(w.get(k, 0.0) * v for k, v in u.items())
        rate = 0.3 / (1.0 + 0.3 * 0.25 * (1.0 + sum(v * v for v in u.values())))
        step = rate * ((1.0 if y else 0.0) - 1.0 / (1.0 + math.exp(-f)))
        b += step
        for k, v in u.items():
            w[k] = w.get(k, 0.0) + step * v
        model.learn_one(x, y)
        known = scales.scaled(x)
        expected = b + sum(w[k] * v for k, v in known.items())
        assert model.score_one(x) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_least_squares_step_is_damped_and_begins_at_the_first_target() -> None:
    model, scales = LinearRegression(scale="auto", eta=0.05), Scales()
    w: dict[str, float] = {}
    b, targets = 0.0, []
    for i, x in enumerate(rows(400, lack=0.2)):
        y = 1e5 + 10.0 * x.get("c1", 0.0) - x.get("c3", 0.0)
        u = scales.learn(x)
        if i == 0:
            b = y
        else:
            f = b + sum(w.get(k, 0.0) * v for k, v in u.items())
            step = 0.05 * (y - f) / (1.0 + 0.05 * (1.0 + sum(v * v for v in u.values())))
            b += step
            for k, v in u.items():
                w[k] = w.get(k, 0.0) + step * v
        targets.append(y)
        model.learn_one(x, y)
        expected = b + sum(w.get(k, 0.0) * v for k, v in scales.scaled(x).items())
        margin = 0.1 * (max(targets) - min(targets))
        expected = min(max(expected, min(targets) - margin), max(targets) + margin)
        assert model.predict_one(x) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
def test_epsilon_and_C_count_deviations_of_the_targets(variant: Any) -> None:
    """Targets in other units: predictions in other units, and no other difference."""
    x = rows(500)
    X = dense(x)
    y = X[:, 1] * 3.0 + X[:, 2] / 1e4
    small = PARegressor(scale="auto", variant=variant).predict_learn_many(X, y)
    large = PARegressor(scale="auto", variant=variant).predict_learn_many(X, y * 2.0**20)
    np.testing.assert_allclose(large, small * 2.0**20, rtol=1e-9)


@pytest.mark.parametrize(
    "loss", ["squared", "absolute", "huber", "epsilon_insensitive", "quantile"]
)
def test_errors_of_sgd_count_deviations_of_the_targets(loss: Any) -> None:
    x = rows(500)
    X = dense(x)
    y = X[:, 1] * 3.0 + X[:, 2] / 1e4
    small = SGDRegressor(scale="auto", loss=loss).predict_learn_many(X, y)
    large = SGDRegressor(scale="auto", loss=loss).predict_learn_many(X, y * 2.0**20)
    np.testing.assert_allclose(large, small * 2.0**20, rtol=1e-9)


@pytest.mark.parametrize("cls", REGRESSORS)
@pytest.mark.parametrize("behind", [False, True])
def test_regression_cannot_explode(cls: Any, behind: bool) -> None:
    """Heavy tails, jumps of the scale, targets of any size: never far from the targets seen."""
    rng = np.random.default_rng(5)
    X = rng.standard_t(2, size=(3000, 30)) * 10.0 ** rng.integers(-6, 7, size=30)
    X[1500:, 3] *= 1e4
    y = 1e6 + 1e5 * rng.standard_t(3, size=3000)
    model = StandardScaler() | cls(scale="auto") if behind else cls(scale="auto")
    answers = model.predict_learn_many(X, y)
    for i in range(1, 3000):
        low, high = y[:i].min(), y[:i].max()
        assert low - 0.11 * (high - low) - 1.0 <= answers[i] <= high + 0.11 * (high - low) + 1.0


@pytest.mark.parametrize(
    ("cls", "params"),
    [
        (PAClassifier, {}),
        (LogisticRegression, {}),
        (LinearRegression, {}),
        (SGDClassifier, {}),
        (SGDClassifier, {"average": True}),
        (SGDClassifier, {"l1": 0.01, "l2": 0.001}),
    ],
)
def test_merged_models_score_between_both(cls: Any, params: dict[str, Any]) -> None:
    """Each with scales of its own: the average is of what they score, not of their weights."""
    one, other = cls(scale="auto", **params), cls(scale="auto", **params)
    first, second = rows(400), rows(600, seed=9)
    for x in second:
        x["c2"] *= 100.0
    numbers = cls is LinearRegression
    one.learn_many(dense(first), [x["c1"] if numbers else label(x) for x in first])
    other.learn_many(dense(second), [x["c1"] if numbers else label(x) for x in second])
    asked = dense(rows(30, seed=3))
    expected = 0.4 * one.score_many(asked) + 0.6 * other.score_many(asked)
    one.merge(other)
    np.testing.assert_allclose(one.score_many(asked), expected, rtol=1e-6, atol=1e-6)
    one.learn_many(dense(first), [x["c1"] if numbers else label(x) for x in first])


@pytest.mark.parametrize("whole", range(264, 273))
def test_models_merged_in_any_phase_can_be_saved(whole: int) -> None:
    def made(seed: int) -> PAClassifier:
        model = PAClassifier(scale="auto")
        x = rows(whole + 3, seed)
        for i, row in enumerate(x):
            model.learn_one(row if i < whole else {"c0": row["c0"]}, label(row))
        return model

    one = made(0)
    one.merge(made(1))
    for row in rows(12, seed=2):
        one.learn_one(row, label(row))
        assert dumps(loads(dumps(one))) == dumps(one)


@pytest.mark.parametrize("cls", [PAClassifier, LinearRegression])
def test_a_block_names_the_row_that_is_too_large(cls: Any) -> None:
    x = dense(rows(20))
    x[5, 0] = 1e200
    y = x[:, 1] > 3.0 if cls is PAClassifier else x[:, 1]
    one, many = cls(scale="auto"), cls(scale="auto")
    for i in range(5):
        one.learn_one(x[i], y[i])
    with pytest.raises(ValueError, match="row 5"):
        many.learn_many(x, y)
    assert dumps(one) == dumps(many)


def test_behind_a_scaler_nothing_is_scaled_again() -> None:
    x = rows(500)
    X, y = dense(x), [label(row) for row in x]
    piped = StandardScaler() | PAClassifier(scale="auto", C=0.05)
    plain = StandardScaler() | PAClassifier(C=0.05, scale=None)
    assert (
        piped.predict_learn_many(X, y, output="score").tolist()
        == plain.predict_learn_many(X, y, output="score").tolist()
    )
    scaler, learner = piped.members
    assert learner.params["scale"] is None
    assert learner.score_one(scaler.transform_one(X[0])) == pytest.approx(piped.score_one(X[0]))


def test_behind_a_scaler_they_merge_too() -> None:
    x = rows(300)
    one, other = (StandardScaler() | SGDClassifier(scale="auto", average=True) for _ in range(2))
    one.learn_many(dense(x), [label(row) for row in x])
    other.learn_many(dense(x), [label(row) for row in x])
    expected = one.score_many(dense(x[:20]))
    one.merge(other)
    np.testing.assert_allclose(one.score_many(dense(x[:20])), expected, rtol=1e-6, atol=1e-6)


def test_pipelines_with_scales_merge_and_show_their_members() -> None:
    x = rows(400)
    names = [f"c{i}" for i in range(5)]
    one, other = (onstream.features.Select(*names) | PAClassifier(scale="auto") for _ in range(2))
    for row in x[:200]:
        one.learn_one(row, label(row))
    for row in x[200:]:
        other.learn_one(row, label(row))
    _, learner = one.members
    assert learner.score_one(x[0]) == pytest.approx(one.score_one(x[0]))
    asked = rows(20, seed=3)
    expected = [(one.score_one(row) + other.score_one(row)) / 2.0 for row in asked]
    one.merge(other)
    assert [one.score_one(row) for row in asked] == pytest.approx(expected, rel=1e-6)
    assert loads(dumps(one)).score_one(x[0]) == one.score_one(x[0])


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abcde"),
            st.floats(allow_nan=False, allow_infinity=False),
            max_size=5,
        ),
        max_size=40,
    )
)
def test_any_numbers(stream: Rows) -> None:
    """Learned or refused as a whole; afterwards every score is a finite number."""
    model: Any = LogisticRegression(scale="auto")
    for i, x in enumerate(stream):
        before = dumps(model)
        try:
            model.learn_one(x, i % 2 == 0)
        except ValueError:  # it would overflow
            assert dumps(model) == before
        for row in stream:
            assert math.isfinite(model.score_one(row))


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
@pytest.mark.parametrize("lack", [0.0, 0.3])
def test_many_is_the_loop_of_one(cls: Any, lack: float) -> None:
    """Bit for bit, with the answers from before each row; a weight of 0 leaves no trace."""
    x = rows(700, lack=lack)
    y = [row.get("c1", 0.0) * 1e3 if cls in REGRESSORS else label(row) for row in x]
    w = np.random.default_rng(0).integers(0, 3, size=len(x)).astype(float)
    one, many, few = cls(scale="auto"), cls(scale="auto"), cls(scale="auto")
    said = []
    for row, target, weight in zip(x, y, w, strict=True):
        said.append(one.predict_one(row))
        one.learn_one(row, target, weight)
    block: Any = x if lack else dense(x)
    if not lack:
        one = cls(scale="auto")
        for values, target, weight in zip(block, y, w, strict=True):
            one.learn_one(values, target, weight)
    answers = many.predict_learn_many(block, y, w)
    if lack and cls in REGRESSORS:
        assert answers.tolist() == said
    few.learn_many(block, y, w)
    assert dumps(many) == dumps(one) == dumps(few)


def test_a_block_with_a_bad_row_leaves_no_trace() -> None:
    x = dense(rows(9000))
    y = x[:, 0] > 0.0
    model = PAClassifier(scale="auto")
    model.learn_many(x[:300], y[:300])
    before = dumps(model)
    x[8999, 2] = np.nan
    with pytest.raises(ValueError, match="row 8999"):
        model.learn_many(x, y)
    assert dumps(model) == before


def test_saved_in_the_middle_it_goes_on_to_the_same_bits() -> None:
    def halves() -> Iterator[tuple[Rows, Any]]:
        x = rows(1000, lack=0.1)
        for part in (x[:437], x[437:]):
            yield part, [label(row) for row in part]

    whole, stopped = PAClassifier(scale="auto"), PAClassifier(scale="auto")
    for x, y in halves():
        whole.learn_many(x, y)
        stopped = loads(dumps(stopped))
        stopped.learn_many(x, y)
    assert dumps(whole) == dumps(stopped)


def test_scale_is_checked() -> None:
    with pytest.raises(ValueError, match="PAClassifier: scale must be 'auto' or None, got 'yes'"):
        PAClassifier(scale="yes")  # type: ignore[arg-type]


# -- the hint ----------------------------------------------------------------------------------

KINDS: dict[str, Any] = {
    "array": lambda X: X,
    "CSR": sp.csr_array,
    "frame": lambda X: pd.DataFrame(X, columns=list("abc")),
    "mappings": lambda X: [dict(zip("abc", map(float, row), strict=True)) for row in X],
}


def far_apart(ratio: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    X = rng.choice([-1.0, 1.0], size=(150, 3)) * [1.0, 2.0, ratio]
    return X, X[:, 0] > 0.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", [*CLASSIFIERS, PARegressor])
def test_columns_that_are_far_apart_are_told_once(cls: Any, kind: str) -> None:
    X, y = far_apart(100.0)
    model = cls(scale=None)
    with pytest.warns(DataWarning, match="about 100 times as large as .*scale='auto'"):
        model.learn_many(KINDS[kind](X), y.astype(float) if cls in REGRESSORS else y)
    assert model.seen == 150
    model.learn_many(KINDS[kind](X), y.astype(float) if cls in REGRESSORS else y)  # not again


@pytest.mark.parametrize(
    "make",
    [
        lambda: LogisticRegression(scale="auto"),
        lambda: StandardScaler() | LogisticRegression(),
        lambda: LogisticRegression(hash_bits=8),
        Perceptron,
    ],
)
def test_who_does_not_mind_is_not_told(make: Any) -> None:
    make().learn_many(*far_apart(1e4))


def test_columns_of_like_size_and_rare_ones_are_not_doubted() -> None:
    X, y = far_apart(99.0)
    LogisticRegression().learn_many(X, y)
    X[15:, 2] = 0.0  # a tenth of the rows has it
    LogisticRegression().learn_many(X * [1.0, 1.0, 50.0], y)


# -- the default -------------------------------------------------------------------------------

RULES: list[tuple[Any, dict[str, Any]]] = [
    (LogisticRegression, {"eta": 0.1}),
    (LogisticRegression, {"schedule": "constant"}),
    (SoftmaxRegression, {"l2": 0.0}),
    (LinearRegression, {"eta": 0.01}),
    (LinearRegression, {"normalized": False}),
    (PARegressor, {"C": 1.0}),
    (PARegressor, {"epsilon": 0.1}),
    (PARegressor, {"variant": "PA-I"}),
    (SGDClassifier, {"loss": "hinge"}),
    (SGDRegressor, {"eta": None}),
]
DEFAULTS = [LogisticRegression, SoftmaxRegression, LinearRegression, PARegressor, SGDClassifier]


@pytest.mark.parametrize(("cls", "given"), RULES)
def test_who_gives_a_parameter_of_the_rule_gets_that_of_the_paper(cls: Any, given: Any) -> None:
    """Bit for bit, though it is the value that it has anyway."""
    x = rows(200)
    y = [row["c1"] if cls in REGRESSORS else label(row) for row in x]
    model, plain = cls(**given), cls(**given, scale=None)
    assert model.params == plain.params
    assert model.scale is None
    for row, target in zip(x, y, strict=True):
        small = {"c1": row["c1"], "c4": 1.0}
        model.learn_one(small, target)
        plain.learn_one(small, target)
    assert dumps(model) == dumps(plain)


@pytest.mark.parametrize("cls", DEFAULTS)
def test_who_gives_none_gets_scales(cls: Any) -> None:
    model = cls(intercept=False, init=None)
    assert model.scale == "auto"
    assert cls(hash_bits=8).scale is None  # slots are not scaled
    for twin in (model.clone(), loads(dumps(model)), eval(repr(model), {cls.__name__: cls})):
        assert twin.params == model.params
    assert repr(cls()) == f"{cls.__name__}()"


@pytest.mark.parametrize("given", [{}, {"eta": 0.5}, {"eta": 0.1}, {"l2": 0.1, "scale": "auto"}])
def test_a_repr_says_which_rule_holds(given: Any) -> None:
    model = LogisticRegression(**given)
    again = eval(repr(model))
    assert again.params == model.params
    assert model.clone().params == model.params
    assert model.clone(eta=0.7).scale == model.scale


def test_passive_aggressive_classifiers_keep_the_rule_of_the_paper() -> None:
    assert PAClassifier().scale is None
    assert "scale" not in Perceptron().params


def test_C_of_regression_counts_tenths_of_a_deviation() -> None:
    model = PARegressor(scale="auto", variant="PA-I", C=0.5, intercept=False, epsilon=0.0)
    model.learn_one({"a": 1.0}, 8.0)  # the first target has no deviation
    model.learn_one({"a": 1.0}, -8.0)
    assert model.weights["a"] == pytest.approx(-0.1 * 0.5 * 8.0)


def test_a_start_hands_on_its_scale() -> None:
    old = LogisticRegression(scale=None)
    assert LogisticRegression(init=old).scale is None
    assert LogisticRegression(eta=0.5, init=LogisticRegression()).scale == "auto"


def test_a_class_of_the_users_that_sets_the_rate_has_given_it() -> None:
    class Slow(LogisticRegression):
        def __init__(self, *, patience: int = 3, **common: Any) -> None:
            self.patience = patience
            super().__init__(eta=0.1 / patience, **common)

    class Named(LogisticRegression):
        def __init__(self, *, name: str = "", **common: Any) -> None:
            self.name = name
            super().__init__(**common)

    assert Slow().scale is None
    assert Named(name="a").scale == "auto"


# -- what is absent ----------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_absent_and_zero_are_the_same(cls: Any) -> None:
    """Written or left out, in rows, mappings and sparse matrices."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(900, 8)) * 10.0 ** rng.integers(-3, 4, 8) + rng.normal(size=8) * 100.0
    X *= rng.random(X.shape) < [1.0, 0.99, 0.85, 0.6, 0.4, 0.21, 0.1, 0.01]
    X[450:, 2] = 0.0  # was usual, is gone
    y: Any = X @ rng.normal(size=8)
    y = y if cls in REGRESSORS else y > np.median(y)
    kinds: list[Any] = [X, sp.csr_array(X)]
    kinds.append([{i: float(v) for i, v in enumerate(row) if v} for row in X])
    kinds.append([{i: float(v) for i, v in enumerate(row)} for row in X])
    scores = []
    for block in kinds:
        model = cls(scale="auto")
        model.learn_many(block, y)
        scores.append(model.score_many(X[:100]))
    for other in scores[1:]:
        np.testing.assert_allclose(other, scores[0], rtol=1e-12, atol=1e-12 * np.abs(y).max())


def test_weights_say_what_is_scored_of_any_row() -> None:
    model = LogisticRegression(scale="auto")
    for x in rows(500, lack=0.4):
        model.learn_one(x, label(x))
    for x in ({}, {"c2": 2e5}, {"c0": 1e-3, "c3": 0.0}):
        shown = model.bias + sum(model.weights[k] * v for k, v in x.items())
        assert shown == pytest.approx(model.score_one(x), rel=1e-9)


def test_the_cost_of_a_sparse_row_does_not_grow_with_the_features() -> None:
    """Only features that are usually there are spelled out."""
    rng = np.random.default_rng(0)
    model = LogisticRegression(scale="auto")
    for i in range(3000):
        x = {f"w{j}": 1.0 for j in rng.integers(0, 1000, 10)} | {"always": 5.0 + rng.random()}
        model.learn_one(x, i % 2 == 0)
    scales = model._model.snapshot()["steps"]["0"]["scales"]
    assert (scales[3] != 0.0).sum() <= 5  # OFFSET


# -- care --------------------------------------------------------------------------------------


def test_noise_teaches_less_and_less() -> None:
    """Where nothing can be learned, answers come near the majority label, and stay open to more."""
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(4000, 10)), rng.random(4000) < 0.6
    model = LogisticRegression()
    answers = model.predict_learn_many(X, y)
    assert (answers == y)[2000:].mean() > 0.58
    assert (LogisticRegression(scale="auto").predict_learn_many(X[:50], y[:50]) == y[:50]).any()
    y = X[:, 0] > 0.0
    assert (model.predict_learn_many(X, y) == y)[2000:].mean() > 0.95


@pytest.mark.parametrize("n", [2, 5])
def test_care_follows_brier_scores(n: int) -> None:
    """The rate falls by 1/200 an example while the recent loss is above 0.95 of that of the shares,
    and rises by 1/50 otherwise; weights fade by 1/400 while the loss is the larger one."""
    rng = np.random.default_rng(1)
    model, scales = LogisticRegression(labels=list(range(n))), Scales()
    k = 1 if n == 2 else n
    W, b, shares = np.zeros((3, k)), np.zeros(k), np.zeros(n)
    own = base = 0.0
    care, least = 1.0, 1.0
    for i in range(2400):
        x = dict(zip("abc", rng.normal(size=3).tolist(), strict=True))
        y = int(rng.integers(0, n)) if i < 700 else int(x["a"] > 0.0)
        scaled = scales.learn(x)
        u = np.array([scaled[name] for name in "abc"])
        f = u @ W + b
        if n == 2:
            p = np.array([1.0, 0.0]) + np.array([-1.0, 1.0]) / (1.0 + math.exp(-f[0]))
        else:
            p = np.exp(f - f.max())
            p /= p.sum()
        truth = np.eye(n)[y]
        rate = 0.1 * care
        rate /= 1.0 + rate * 0.25 * (1.0 + u @ u)
        if i > 20 and base > 0.1 and own > base:
            W *= 1.0 - 0.5 / 200.0
        step = rate * ((truth - p)[1:] if n == 2 else truth - p)
        W, b = W + np.outer(u, step), b + step
        part, slow = max(1.0 / 200.0, 1.0 / (i + 1)), max(0.002, 1.0 / (i + 1))
        own += part * (((truth - p) ** 2).sum() - own)
        base += part * (((truth - shares) ** 2).sum() - base)
        if i == 0 and n == 2:  # no share is known: each counts as it stands
            base = 2.0
        shares += slow * (truth - shares)
        if i >= 20:
            bad = base > 0.1 and own > 0.95 * base
            care = max(0.03, care * 0.995) if bad else min(1.0, care * 1.02)
        least = min(care, least)
        model.learn_one(x, y)
    expected = np.array([care, 2400.0, own, base, *shares])
    np.testing.assert_allclose(model._model.snapshot()["watch"], expected, rtol=1e-6)
    assert least < 0.1 < care


@pytest.mark.parametrize("width", [5, 8, 37])
def test_blocks_of_settled_scales_are_a_loop(width):
    """Long after the beginning, too, where blocks are scaled and scored in one pass: with features
    that are rare, come late, never vary or jump far out."""
    rng = np.random.default_rng(width)
    X = rng.normal(size=(3000, width)) * 10.0 ** rng.integers(-3, 4, size=width)
    X[:, 1] *= rng.random(3000) < 0.1
    X[:1500, 2] = 0.0
    X[:, 3] = 7.0
    X[2000, 4], X[2500:, 0] = 1e6, X[2500:, 0] + 1e5
    y = np.where(X @ rng.normal(size=width) + X[:, 0] > 0.0, "a", "b")
    blocks, loop = LogisticRegression(), LogisticRegression()
    for start in range(0, 3000, 700):
        some = slice(start, start + 700)
        picks = blocks.predict_learn_many(X[some], y[some])
        for x, target, pick in zip(X[some], y[some], picks, strict=True):
            assert loop.predict_one(x) == pick
            loop.learn_one(x, target)
        assert dumps(blocks) == dumps(loop)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("largest", [1e150, 1e308])
def test_rows_before_one_that_is_too_large_are_a_loop(largest, form):
    """However large another row of their block is."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(900, 9)) + 5.0
    X[:, [2, 6]] *= rng.random((900, 2)) < 0.1
    y = X[:, 0] > 5.0
    X[800, 4] = largest
    block, loop = LogisticRegression(), LogisticRegression()
    block.learn_many(form(X[:600]), y[:600])
    loop.learn_many(form(X[:600]), y[:600])
    with pytest.raises(ValueError, match="row 200"):
        block.learn_many(form(X[600:]), y[600:])
    for i in range(600, 800):
        loop.learn_many(form(X[i : i + 1]), y[i : i + 1])
    assert dumps(block) == dumps(loop)
