import contextlib

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from onstream import Perceptron

from ..oracles import perceptron as oracle
from ..oracles.side_by_side import (
    KINDS,
    eighths,
    follow,
    labelled,
    multiclass_blocks,
    quick,
    rows,
    separable_blocks,
    signed_blocks,
)

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1, 1, 1, -1])


def margins_before(model, X, y):
    """y (w.x) of every row before it was learned."""
    return y * model.predict_learn_many(X, y, output="score")


# -- one step -------------------------------------------------------------------------------------


def test_first_example_is_a_mistake():
    """With w = 0 the margin is 0, and 0 counts as a mistake: a strict < would never learn."""
    model = Perceptron(intercept=False)
    model.learn_one({"a": 1.0, "b": -2.0}, 1)
    assert model.weights == {"a": 1.0, "b": -2.0}
    assert model.updates == 1


def test_steps_by_hand():
    model = Perceptron()
    model.learn_one({"a": 2.0}, 1)  # w = 0: mistake
    assert (model.weights, model.bias) == ({"a": 2.0}, 1.0)
    model.learn_one({"a": 1.0}, 1)  # score 3: right
    assert (model.weights, model.bias) == ({"a": 2.0}, 1.0)
    model.learn_one({"a": 1.0, "b": 1.0}, 0)  # score 3: wrong
    assert (model.weights, model.bias) == ({"a": 1.0, "b": -1.0}, 0.0)
    model.learn_one({"a": 1.0, "b": 1.0}, 1)  # score 0 predicts 1, yet it learns
    assert (model.weights, model.bias) == ({"a": 2.0, "b": 0.0}, 1.0)
    assert model.updates == 3
    assert model.seen == 4


def test_learns_at_the_margin_beta_and_not_beyond():
    model = Perceptron(beta=1.0, intercept=False)
    expected = [1.0, 2.0, 2.0]  # margins 0, 1 (= beta), 2
    for weight in expected:
        model.learn_one({"a": 1.0}, 1)
        assert model.weights == {"a": weight}


def test_negative_beta_tolerates_mistakes():
    model = Perceptron(beta=-1.5, intercept=False)
    model.learn_one({"a": 1.0}, 1)
    assert model.updates == 0  # 0 > -1.5
    model = Perceptron(beta=lambda t: 0.0 if t == 1 else -1.5, intercept=False)
    for x in (1.0, 1.0, 1.75):
        model.learn_one({"a": x}, 1 if model.seen == 0 else 0)
    assert model.weights == {"a": -0.75}  # margins 0 (learned), -1 (let go), -1.75 (learned)


def test_gamma_shrinks_weights_and_intercept_at_a_mistake_only():
    model = Perceptron(gamma=0.5)
    model.learn_one({"a": 4.0}, 1)
    model.learn_one({"a": 1.0}, 1)  # right: nothing shrinks
    assert (model.weights, model.bias) == ({"a": 4.0}, 1.0)
    model.learn_one({"b": 1.0}, 0)  # score 1: wrong
    assert (model.weights, model.bias) == ({"a": 2.0, "b": -1.0}, -0.5)


def test_alpha_is_the_step():
    model = Perceptron(alpha=0.25)
    model.learn_one({"a": 3.0}, 0)
    assert (model.weights, model.bias) == ({"a": -0.75}, -0.25)


def test_gamma_zero_keeps_the_last_mistake_only():
    model = Perceptron(gamma=0.0, intercept=False)
    model.learn_one({"a": 1.0}, 1)
    model.learn_one({"a": 1.0, "b": 3.0}, 0)
    assert model.weights == {"a": -1.0, "b": -3.0}


def test_many_gammas_do_not_lose_precision():
    """The scale factor becomes tiny over and over; the weights do not notice."""
    rng = np.random.default_rng(0)
    stream = [(rng.normal(size=3), int(rng.integers(2)), 1.0) for _ in range(2_000)]
    follow(Perceptron(gamma=0.7), oracle.Perceptron(3, gamma=0.7), stream, "dense")


# -- functions of t -------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["one", "many", "both"])
def test_functions_are_asked_for_t_from_one_on(way):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.choice([0, 1], size=40)
    parameters = {
        "beta": lambda t: 0.5 / t,
        "gamma": lambda t: 1.0 - 0.5 / t,
        "alpha": lambda t: 1.0 + t % 3,
    }
    model, reference = Perceptron(**parameters), oracle.Perceptron(3, **parameters)
    for i in range(40) if way != "many" else ():
        if way == "one" or i < 20:
            model.learn_one(X[i], y[i])
    if way != "one":
        model.learn_many(X[model.seen :], y[model.seen :])
    for x, label in zip(X, y, strict=True):
        reference.learn(x, label)
    assert model.updates == reference.updates
    np.testing.assert_allclose(rows(model, 3), reference.W, rtol=1e-12)


@pytest.mark.parametrize("name", ["beta", "gamma", "alpha"])
def test_a_constant_function_equals_the_number(name):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(100, 4)), rng.choice([0, 1], size=100)
    number, function = Perceptron(**{name: 0.75}), Perceptron(**{name: lambda t: 0.75})
    number.learn_many(X, y)
    function.learn_many(X, y)
    assert number.weights == function.weights
    assert number.bias == function.bias
    assert number.updates == function.updates


def test_t_counts_examples_not_mistakes():
    model = Perceptron(alpha=lambda t: float(t), intercept=False)
    model.learn_one({"a": 1.0}, 1)  # t = 1, mistake
    model.learn_one({"a": 1.0}, 1)  # t = 2, right
    model.learn_one({"b": 1.0}, 1)  # t = 3, mistake
    assert model.weights == {"a": 1.0, "b": 3.0}


def test_an_example_of_weight_zero_is_no_t():
    model = Perceptron(alpha=lambda t: float(t), intercept=False)
    model.learn_one({"a": 1.0}, 1, 0.0)
    model.learn_one({"a": 1.0}, 1)
    assert model.weights == {"a": 1.0}


def test_t_goes_on_after_init_or_begins_anew():
    model = Perceptron(alpha=lambda t: float(t), intercept=False)
    model.learn_one({"a": 1.0}, 1)
    model.learn_one({"a": 1.0}, 1)
    going_on = Perceptron(alpha=model.alpha, intercept=False, init=model)
    anew = Perceptron(alpha=model.alpha, intercept=False, init=model)
    anew.reset_schedule()
    going_on.learn_one({"b": 1.0}, 1)
    anew.learn_one({"b": 1.0}, 1)
    assert going_on.weights == {"a": 1.0, "b": 3.0}
    assert anew.weights == {"a": 1.0, "b": 1.0}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.0, -1.0])
def test_a_bad_alpha_of_t_is_refused(value):
    model = Perceptron(alpha=lambda t: 1.0 if t < 3 else value)
    model.learn_one({"a": 1.0}, 1)
    model.learn_one({"a": 1.0}, 0)
    before = model.weights
    with pytest.raises(ValueError, match=r"alpha\(t=3\)"):
        model.learn_one({"a": 1.0}, 1)
    assert model.weights == before
    assert model.seen == 2


@pytest.mark.parametrize("name", ["beta", "gamma", "alpha"])
@pytest.mark.parametrize(
    "bad", [np.nan, np.inf, None, "1", 10**400, np.array([1.0]), 1j], ids=lambda bad: f"{bad!r:.9}"
)
def test_a_block_says_which_row_a_function_refuses(name, bad):
    """The rows before it were learned, as a loop would have done; weight 0 is no t."""
    X = np.random.default_rng(3).normal(size=(40, 3))
    y, w = np.where(X[:, 0] > 0.0, "a", "b"), np.ones(40)
    w[[0, 7, 20]] = 0.0
    model, loop = (Perceptron(**{name: lambda t: 1.0 if t < 20 else bad}) for _ in "ml")
    told = rf"^Perceptron: row 22: {name}\(t=20\) .* The rows before it were learned\.$"
    with pytest.raises((TypeError, ValueError), match=told) as caught:
        model.learn_many(X, y, w)
    assert caught.value.row == 22
    for i in range(22):
        loop.learn_one(X[i], y[i], w[i])
    assert model.weights == loop.weights
    assert model.seen == loop.seen == 19
    assert model.updates == loop.updates


def test_a_block_says_in_which_row_a_function_fails():
    model = Perceptron(alpha=lambda t: 1.0 / (3 - t))
    with pytest.raises(ZeroDivisionError) as caught:
        model.learn_many(np.eye(4), [0, 1, 0, 1])
    assert caught.value.__notes__ == [
        "Perceptron: row 2: a function that it was given has failed. "
        "The rows before it were learned."
    ]
    assert model.seen == 2
    new = Perceptron(alpha=lambda t: 1.0 if t < 3 else None)
    with pytest.raises(TypeError, match=r"^Perceptron: row 2: alpha\(t=3\) must be a number"):
        new.learn_many(np.eye(3), [0, 1, 2])


def test_functions_are_asked_once_for_each_t():
    asked = []
    model = Perceptron(alpha=lambda t: asked.append(t) or 1.0)
    model.learn_many(np.eye(6), [0, 0, 1, 1, 2, 0])
    model.learn_one({0: 1.0}, 1)
    assert asked == [1, 2, 3, 4, 5, 6, 7]


def test_functions_take_t_alone():
    for name in ("beta", "gamma", "alpha"):
        for wrong in (lambda: 1.0, lambda t, u: 1.0):
            with pytest.raises(TypeError, match=f"^Perceptron: {name} must be a function of 1 arg"):
                Perceptron(**{name: wrong})


# -- bounds ---------------------------------------------------------------------------------------


@quick
@given(separable_blocks(most_rows=40))
def test_mistake_bound_on_separable_data(data):
    X, y, u = data
    model = Perceptron(intercept=False)
    mistakes = int(np.sum(margins_before(model, X, y) <= 0.0))
    R2 = np.max(np.sum(X**2, axis=1))
    assert mistakes <= R2 * (u @ u) * (1.0 + 1e-12)
    assert model.updates == mistakes


def test_mistake_bound_is_reached():
    """Orthogonal examples: u = (1, ..., 1), R = 1, and every example is a mistake."""
    X, y = np.eye(7), np.ones(7, dtype=int)
    assert np.sum(margins_before(Perceptron(intercept=False), X, y) <= 0.0) == 7


@quick
@given(signed_blocks(most_rows=40), st.data())
def test_mistake_bound_against_any_u(block, data):
    X, y = block
    u = data.draw(eighths(X.shape[1]))
    model = Perceptron(intercept=False)
    mistakes = margins_before(model, X, y) <= 0.0
    hinge = np.maximum(0.0, 1.0 - y * (X @ u))
    R = np.sqrt(np.max(np.sum(X**2, axis=1)))
    bound = (R * np.linalg.norm(u) + np.sqrt(np.sum(hinge[mistakes] ** 2))) ** 2
    assert np.sum(mistakes) <= bound * (1.0 + 1e-12)
    assert model.updates == np.sum(mistakes)


@quick
@given(signed_blocks(most_rows=40))
def test_weights_are_the_sum_of_mistakes(block):
    """What both bounds rest on: |w|^2 <= M R^2 and w = sum of y x over mistakes."""
    X, y = block
    model = Perceptron(intercept=False)
    mistakes = margins_before(model, X, y) <= 0.0
    w = rows(model, X.shape[1])[0]
    np.testing.assert_array_equal(w, np.sum((y[:, np.newaxis] * X)[mistakes], axis=0))
    assert w @ w <= np.sum(mistakes) * np.max(np.sum(X**2, axis=1))


# -- equivalences ---------------------------------------------------------------------------------


@quick
@given(signed_blocks(most_rows=30), st.integers(1, 64), st.booleans())
def test_alpha_changes_no_prediction(block, alpha, intercept):
    X, y = block
    plain = Perceptron(intercept=intercept)
    scaled = Perceptron(alpha=alpha / 8.0, intercept=intercept)
    expected = plain.predict_learn_many(X, y, output="score")
    np.testing.assert_array_equal(
        scaled.predict_learn_many(X, y, output="score"), alpha / 8.0 * expected
    )
    np.testing.assert_array_equal(scaled.predict_many(X), plain.predict_many(X))


def test_alpha_does_matter_with_a_margin():
    """The counterpart: with beta > 0 the step size shows."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 5))
    y = np.where(X @ rng.normal(size=5) + 0.5 * rng.normal(size=200) > 0.0, 1, 0)
    small, large = Perceptron(beta=1.0, alpha=0.01), Perceptron(beta=1.0, alpha=1.0)
    assert np.any(small.predict_learn_many(X, y) != large.predict_learn_many(X, y))


def test_the_form_with_signs_is_alpha_two_rho():
    """w += rho (y - sign(w.x)) x moves by 2 rho on a mistake."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 4))
    y = np.where(X @ rng.normal(size=4) + 0.5 * rng.normal(size=300) > 0.0, 1, -1)
    y[0] = -1  # at w = 0 the signs' form learns a negative example only
    model, reference = Perceptron(alpha=0.5, intercept=False), oracle.SignPerceptron(4, rho=0.25)
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
        reference.learn(x, label)
        np.testing.assert_allclose(rows(model, 4)[0], reference.w, rtol=1e-12, atol=1e-14)
    assert 20 < model.updates < 280


# -- side by side ---------------------------------------------------------------------------------

SETTINGS = [
    {},
    {"intercept": False},
    {"beta": 0.5, "gamma": 0.9, "alpha": 0.3},
    {"beta": 1.0, "gamma": 1.01, "alpha": 2.0},
    {"gamma": -0.5},
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b", "c", "d"]], ids=["binary", "multiclass"])
@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
def test_equals_the_reference(parameters, labels, kind):
    stream = labelled(np.random.default_rng(5), 300, 6, labels, weighted=True)
    follow(Perceptron(**parameters), oracle.Perceptron(6, **parameters), stream, kind)


@quick
@given(
    signed_blocks(),
    st.sampled_from([-1.0, 0.0, 0.5, 3.0]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([0.125, 1.0, 3.0]),
    st.booleans(),
)
def test_equals_the_reference_exactly(block, beta, gamma, alpha, intercept):
    """All numbers are short binary fractions, so there is no rounding at all."""
    X, y = block
    parameters = {"beta": beta, "gamma": gamma, "alpha": alpha, "intercept": intercept}
    reference = oracle.Perceptron(X.shape[1], **parameters)
    model = Perceptron(**parameters)
    for x, label in zip(X, y, strict=True):
        assert model.score_one(x) == reference.scores(x)[0]
        model.learn_one(x, label)
        reference.learn(x, label)
        np.testing.assert_array_equal(rows(model, len(x)), reference.W)
    assert model.updates == reference.updates


# -- the batch perceptron -------------------------------------------------------------------------


@quick
@given(separable_blocks(most_rows=12))
def test_batch_converges_on_separable_data(data):
    X, y, u = data
    bound = np.max(np.sum(X**2, axis=1)) * (u @ u)
    assume(bound < 2_000.0)
    model = Perceptron(intercept=False)
    assert model.fit(X, y, max_epochs=int(bound) + 2) is model
    assert model.converged is True
    assert model.updates <= bound * (1.0 + 1e-12)
    assert np.all(y * model.score_many(X) > 0.0)


def test_batch_bound_is_reached():
    model = Perceptron(intercept=False)
    model.fit(np.eye(5), np.array([1, -1, 1, -1, 1]))
    assert model.converged is True
    assert model.updates == 5
    assert model.seen == 10  # one pass of mistakes, one without


@pytest.mark.parametrize("intercept", [False, True])
def test_xor_stops_at_the_cap(intercept):
    model = Perceptron(intercept=intercept)
    model.fit(*XOR)
    assert model.converged is False
    assert model.seen == 4 * 1000
    model = Perceptron(intercept=intercept)
    model.fit(*XOR, max_epochs=7)
    assert model.converged is False
    assert model.seen == 4 * 7


def test_batch_carries_the_weights_from_pass_to_pass():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(500, 3))
    y = np.where(X @ rng.normal(size=3) > 0.0, 1, 0)
    batch, online = Perceptron(), Perceptron()
    batch.fit(X, y)
    for _ in range(1000):
        before = online.updates
        online.learn_many(X, y)
        if online.updates == before:
            break
    passes = online.seen // 500
    assert 2 < passes < 1000
    assert batch.converged is True
    assert batch.seen == passes * 500
    assert (batch.weights, batch.bias) == (online.weights, online.bias)


def test_converged_tells_of_the_last_fit():
    model = Perceptron()
    assert model.converged is None
    model.fit(*XOR, max_epochs=3)
    assert model.converged is False
    model = Perceptron()
    model.fit(np.eye(2), [1, -1])
    assert model.converged is True
    model.fit(*XOR, max_epochs=3)
    assert model.converged is False


def test_batch_takes_mappings_and_a_margin():
    X = [{"a": 1.0}, {"b": 1.0}]
    model = Perceptron(beta=2.0, intercept=False)
    model.fit(X, ["n", "p"])
    assert model.converged is True
    assert model.weights == {"a": -3.0, "b": 3.0}  # until the margin is above 2


def test_batch_takes_a_stream_that_can_be_read_again():
    stream = [({"a": 1.0}, 0), ({"b": 1.0}, 1), ({"a": 1.0, "b": 2.0}, 1)]
    model, block = Perceptron(), Perceptron()
    model.fit(stream)
    block.fit([x for x, _ in stream], [y for _, y in stream])
    assert model.converged is True
    assert (model.weights, model.bias, model.seen) == (block.weights, block.bias, block.seen)


def test_batch_is_not_fooled_by_an_exhausted_stream():
    """A pass over nothing makes no update; that is not convergence. A refusal will do."""
    X, y = XOR
    model = Perceptron()
    with contextlib.suppress(TypeError, ValueError):
        model.fit(zip(X, y, strict=True))
    assert model.converged is not True


# -- more than two labels -------------------------------------------------------------------------


def test_third_label_splits_the_weights():
    model = Perceptron()
    model.learn_one({"a": 2.0}, "n")
    model.learn_one({"a": 1.0, "b": 1.0}, "p")
    weights, bias = model.weights, model.bias
    split = Perceptron(init=model, labels=["third"])
    halves = {"n": -0.5, "p": 0.5, "third": 0.0}
    assert split.weights == {y: {f: h * v for f, v in weights.items()} for y, h in halves.items()}
    assert split.bias == {y: h * bias for y, h in halves.items()}


def test_multiclass_step_by_hand():
    model = Perceptron(labels=["a", "b", "c"], intercept=False)
    model.learn_one({"x": 2.0}, "b")  # all scores 0: the rival is the first other label
    assert model.weights == {"a": {"x": -1.0}, "b": {"x": 1.0}, "c": {"x": 0.0}}
    model.learn_one({"x": 1.0}, "a")  # the rival is b
    assert model.weights == {"a": {"x": -0.5}, "b": {"x": 0.5}, "c": {"x": 0.0}}
    model.learn_one({"x": 1.0}, "b")  # right
    assert model.updates == 2


def test_multiclass_ties_are_mistakes_against_the_lowest_index():
    model = Perceptron(labels=["a", "b", "c"], intercept=False)
    model.learn_one({"x": 1.0}, "a")
    assert model.weights == {"a": {"x": 0.5}, "b": {"x": -0.5}, "c": {"x": 0.0}}
    model.learn_one({"y": 1.0}, "c")
    assert model.weights["a"] == {"x": 0.5, "y": -0.5}
    assert model.weights["c"] == {"x": 0.0, "y": 0.5}


@quick
@given(multiclass_blocks(most_rows=30))
def test_half_steps_predict_like_whole_steps(block):
    X, y = block
    model = Perceptron(labels=[0, 1, 2, 3], intercept=False)
    whole = oracle.MulticlassPerceptron(X.shape[1], 4)
    for x, label in zip(X, y, strict=True):
        if model.seen:
            assert model.predict_one(x) == whole.predict(x)
        model.learn_one(x, label)
        whole.learn(x, label)
        np.testing.assert_array_equal(2.0 * rows(model, len(x)), whole.W)


@quick
@given(multiclass_blocks(most_rows=30), st.booleans())
def test_promotion_equals_the_reference_exactly(block, intercept):
    """Labels are revealed by the stream, so the third one promotes somewhere on the way."""
    X, y = block
    model = Perceptron(intercept=intercept)
    reference = oracle.Perceptron(X.shape[1], intercept=intercept)
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
        reference.learn(x, label)
        np.testing.assert_array_equal(rows(model, len(x)), reference.W)
        assert model.predict_one(x) == reference.predict(x)
    assert model.updates == reference.updates
    assert model.labels == reference.labels
