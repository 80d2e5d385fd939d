import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from onstream import PAClassifier

from ..oracles import passive_aggressive as oracle
from ..oracles.linear import best_wrong
from ..oracles.side_by_side import (
    KINDS,
    eighths,
    follow,
    labelled,
    multiclass_blocks,
    quick,
    rows,
    scores,
    separable_blocks,
    signed_blocks,
)

VARIANTS = ("PA", "PA-I", "PA-II")
variants = pytest.mark.parametrize("variant", VARIANTS)
Cs = st.sampled_from([0.01, 0.1, 0.3, 2.0, 10.0])  # never 1: a misprint would not show


def hinge(margins):
    return np.maximum(0.0, 1.0 - margins)


def losses_before(model, X, y):
    """Hinge loss of every row before it was learned, y in {-1, +1}."""
    return hinge(y * model.predict_learn_many(X, y, output="score"))


def trained(model, d, n=30, seed=0, labels=(-1, 1)):
    """The same model after some noisy examples: no special position in the space of weights."""
    for x, y, _ in labelled(np.random.default_rng(seed), n, d, list(labels), noise=1.0):
        model.learn_one(x, y)
    return model


# -- one step -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "tau"), [("PA", 0.2), ("PA-I", 0.1), ("PA-II", 0.1)])
@pytest.mark.parametrize("y", [-1, 1])
def test_vector(variant, tau, y):
    """w = 0, x = (1, 2), C = 0.1. The misprinted PA-II (+ C/2 below) would give 0.19802."""
    model = PAClassifier(variant=variant, C=0.1, intercept=False)
    model.learn_one({"a": 1.0, "b": 2.0}, y)
    assert model.weights["a"] == pytest.approx(y * tau, rel=1e-15, abs=0.0)
    assert model.weights["b"] == pytest.approx(y * 2.0 * tau, rel=1e-15, abs=0.0)


@pytest.mark.parametrize(("variant", "tau"), [("PA", 1 / 6), ("PA-I", 0.1), ("PA-II", 1 / 11)])
def test_the_intercept_counts_in_the_norm(variant, tau):
    model = PAClassifier(variant=variant, C=0.1)
    model.learn_one({"a": 1.0, "b": 2.0}, 1)
    found = [model.weights["a"], model.weights["b"], model.bias]
    np.testing.assert_allclose(found, [tau, 2.0 * tau, tau], rtol=1e-15)


@variants
def test_passive_beyond_the_margin(variant):
    model = PAClassifier(variant=variant, C=100.0, intercept=False)
    model.learn_one({"a": 0.5}, 1)
    weights = model.weights
    assert weights["a"] > 1.0
    for x in (1.0, 3.0):  # margin above 1
        model.learn_one({"a": x}, 1)
        assert model.weights == weights
    assert model.seen == 3


def test_passive_at_a_margin_of_exactly_one():
    model = PAClassifier(variant="PA", intercept=False)
    model.learn_one({"a": 0.5}, 1)
    assert model.weights == {"a": 2.0}
    model.learn_one({"a": 0.5}, 1)
    assert model.weights == {"a": 2.0}


@quick
@given(signed_blocks(), eighths(4), st.sampled_from([-1, 1]))
def test_pa_restores_a_margin_of_exactly_one(block, x, y):
    X, labels = block
    model = PAClassifier(variant="PA", intercept=False)
    model.learn_many(np.resize(X, (len(X), 4)), labels)
    before = y * model.score_one(x)
    assume(before < 1.0 and np.any(x))
    model.learn_one(x, y)
    size = np.sum(np.abs(rows(model, 4)[0] * x))
    assert abs(y * model.score_one(x) - 1.0) <= 1e-12 * max(1.0, size, abs(before))


@quick
@given(signed_blocks(), eighths(4), st.sampled_from([-1, 1]), Cs, st.booleans())
def test_pa1_leaves_the_loss_that_c_cannot_mend(block, x, y, C, intercept):
    X, labels = block
    model = PAClassifier(variant="PA-I", C=C, intercept=intercept)
    model.learn_many(np.resize(X, (len(X), 4)), labels)
    loss, q = hinge(y * model.score_one(x)), x @ x + intercept
    model.learn_one(x, y)
    expected = max(0.0, loss - C * q)
    assert abs(hinge(y * model.score_one(x)) - expected) <= 1e-12 * max(1.0, loss, C * q)


@quick
@given(signed_blocks(), eighths(4), st.sampled_from([-1, 1]), Cs, st.booleans())
def test_pa2_leaves_a_loss_of_tau_over_two_c(block, x, y, C, intercept):
    X, labels = block
    model = PAClassifier(variant="PA-II", C=C, intercept=intercept)
    model.learn_many(np.resize(X, (len(X), 4)), labels)
    loss, q, before = hinge(y * model.score_one(x)), x @ x + intercept, rows(model, 4)[0]
    assume(loss > 0.0 and q > 0.0)
    model.learn_one(x, y)
    extended = np.append(x, 1.0) if intercept else x
    tau = y * ((rows(model, 4)[0] - before) @ extended) / q  # as measured
    left = hinge(y * model.score_one(x))
    size = max(1.0, loss, np.max(np.abs(before)) * np.sum(np.abs(extended)))
    assert abs(left - tau / (2.0 * C)) <= 1e-12 * size / min(1.0, 2.0 * C * q)
    assert abs(left - loss / (2.0 * C) / (q + 1.0 / (2.0 * C))) <= 1e-12 * size


@quick
@given(signed_blocks(), eighths(4), st.sampled_from([-1, 1]), st.sampled_from(VARIANTS), Cs)
def test_moves_along_the_example_only(block, x, y, variant, C):
    """Closest to the old weights: the change is a non-negative multiple of y x."""
    X, labels = block
    model = PAClassifier(variant=variant, C=C, intercept=False)
    model.learn_many(np.resize(X, (len(X), 4)), labels)
    before = rows(model, 4)[0]
    model.learn_one(x, y)
    change = rows(model, 4)[0] - before
    tau = y * (change @ x) / (x @ x) if np.any(x) else 0.0
    scale = max(1.0, np.max(np.abs(before)), np.max(np.abs(change)))
    assert tau >= -1e-15 * scale
    np.testing.assert_allclose(change, tau * y * x, rtol=0.0, atol=1e-13 * scale)


@variants
@pytest.mark.parametrize("x", [{}, {"a": 0.0}, np.zeros(3)], ids=["empty", "zero", "zeros"])
def test_an_example_of_no_length_is_skipped(variant, x):
    kind = "dense" if isinstance(x, np.ndarray) else "dict"
    model = PAClassifier(variant=variant, C=0.5, intercept=False)
    if kind == "dense":
        model = trained(model, 3)
    else:
        model.learn_one({"a": 1.0, "b": 2.0}, 1)
    before, seen = model.weights, model.seen
    for y in (1, -1):
        model.learn_one(x, y)
    assert model.weights == before
    assert model.seen == seen + 2


@variants
def test_an_example_of_no_length_is_skipped_with_more_labels(variant):
    model = trained(PAClassifier(variant=variant, C=0.5, intercept=False), 3, labels="abc")
    before = model.weights
    for y in "abc":
        model.learn_one(np.zeros(3), y)
    assert model.weights == before


@pytest.mark.parametrize(("variant", "tau"), [("PA", 1.0), ("PA-I", 0.1), ("PA-II", 1 / 6)])
def test_an_empty_example_teaches_the_intercept(variant, tau):
    model = PAClassifier(variant=variant, C=0.1)
    model.learn_one({}, 1)
    assert model.bias == pytest.approx(tau, rel=1e-15, abs=0.0)
    assert model.weights == {}


# -- variants among each other --------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["PA-I", "PA-II"])
@pytest.mark.parametrize("labels", [["n", "p"], ["a", "b", "c"]], ids=["binary", "multiclass"])
def test_an_endless_c_is_plain_pa(variant, labels):
    stream = labelled(np.random.default_rng(1), 300, 5, labels)
    model, plain = PAClassifier(variant=variant, C=1e15), PAClassifier(variant="PA")
    for x, y, _ in stream:
        model.learn_one(x, y)
        plain.learn_one(x, y)
        expected = rows(plain, 5)
        np.testing.assert_allclose(
            rows(model, 5), expected, rtol=0.0, atol=1e-12 * np.max(np.abs(expected))
        )


def test_a_vanishing_c_freezes_the_weights():
    stream = labelled(np.random.default_rng(2), 100, 5, [0, 1])
    for variant, limit in (("PA-I", 1e-12), ("PA-II", 2e-12)):
        model = PAClassifier(variant=variant, C=1e-12)
        for x, y, _ in stream:
            before = rows(model, 5)[0]
            loss = hinge((1 if y == 1 else -1) * model.score_one(x))
            model.learn_one(x, y)
            change = np.linalg.norm(rows(model, 5)[0] - before)
            assert change <= limit * max(1.0, loss) * np.linalg.norm(np.append(x, 1.0)) * 1.000001


def test_plain_pa_ignores_c():
    stream = labelled(np.random.default_rng(3), 100, 5, ["n", "p", "q"])
    one, other = PAClassifier(variant="PA", C=0.01), PAClassifier(variant="PA", C=7.0)
    for x, y, _ in stream:
        one.learn_one(x, y)
        other.learn_one(x, y)
    assert one.weights == other.weights


# -- bounds ---------------------------------------------------------------------------------------


@quick
@given(separable_blocks(most_rows=40))
def test_bound_a_separable(data):
    X, y, u = data
    losses = losses_before(PAClassifier(variant="PA", intercept=False), X, y)
    R2 = np.max(np.sum(X**2, axis=1))
    assert np.sum(losses**2) <= (u @ u) * R2 * (1.0 + 1e-9)


@quick
@given(signed_blocks(most_rows=40), st.data())
def test_bound_b_unit_length(block, data):
    X, y = block
    kept = np.any(X, axis=1)
    assume(np.any(kept))
    X, y = X[kept] / np.linalg.norm(X[kept], axis=1, keepdims=True), y[kept]
    u = data.draw(eighths(X.shape[1]))
    losses = losses_before(PAClassifier(variant="PA", intercept=False), X, y)
    best = np.sqrt(np.sum(hinge(y * (X @ u)) ** 2))
    assert np.sum(losses**2) <= (np.linalg.norm(u) + 2.0 * best) ** 2 * (1.0 + 1e-9)


@quick
@given(signed_blocks(most_rows=40), Cs, st.data())
def test_bound_c_mistakes_of_pa1(block, C, data):
    X, y = block
    u = data.draw(eighths(X.shape[1]))
    model = PAClassifier(variant="PA-I", C=C, intercept=False)
    mistakes = np.sum(y * model.predict_learn_many(X, y, output="score") <= 0.0)
    R2 = np.max(np.sum(X**2, axis=1))
    best = np.sum(hinge(y * (X @ u)))
    assert mistakes <= max(R2, 1.0 / C) * (u @ u + 2.0 * C * best) * (1.0 + 1e-9)


@quick
@given(signed_blocks(most_rows=40), Cs, st.data())
def test_bound_d_losses_of_pa2(block, C, data):
    X, y = block
    u = data.draw(eighths(X.shape[1]))
    model = PAClassifier(variant="PA-II", C=C, intercept=False)
    losses = losses_before(model, X, y)
    R2 = np.max(np.sum(X**2, axis=1))
    best = np.sum(hinge(y * (X @ u)) ** 2)
    bound = (R2 + 1.0 / (2.0 * C)) * (u @ u + 2.0 * C * best)
    assert np.sum(losses**2) <= bound * (1.0 + 1e-9)


@pytest.mark.parametrize("C", [0.1, 2.0])
def test_bounds_are_reached(C):
    """Orthogonal unit examples, u a multiple of (1, ..., 1): every bound is an equality."""
    d = 6
    X, y, u = np.eye(d), np.ones(d, dtype=int), np.ones(d)
    for variant in VARIANTS:
        model = PAClassifier(variant=variant, C=C, intercept=False)
        losses = losses_before(model, X, y)
        assert np.sum(losses**2) == d
        if variant == "PA":
            assert np.sum(losses**2) == u @ u
        elif variant == "PA-I":
            limit = max(1.0, 1.0 / C) * (u @ u)
            assert d == limit if C >= 1.0 else d < limit
        else:
            c = 2.0 * C / (1.0 + 2.0 * C)  # the best multiple; the weights found are just that
            bound = (1.0 + 1.0 / (2.0 * C)) * (c * c * d + 2.0 * C * d * (1.0 - c) ** 2)
            assert bound == pytest.approx(d, rel=1e-12, abs=0.0)
            np.testing.assert_allclose(rows(model, d)[0], c, rtol=1e-15)


# -- the master lemma -----------------------------------------------------------------------------


def lemma_terms(model, X, labels, weights, features):
    """tau, loss, q and the feature difference of every step, from the model's own scores.

    `features(x, y, scores)` gives the vector whose product with the weights is the margin.
    """
    terms = []
    for x, y, weight in zip(X, labels, weights, strict=True):
        vector, margin = features(x, y, scores(model, x))
        loss, q = max(0.0, 1.0 - margin), float(vector @ vector)
        terms.append((oracle.step(model.variant, loss, q, weight * model.C), loss, q, vector))
        model.learn_one(x, y, weight)
    return terms


def check_lemma(terms, start, end, u):
    """Sum of tau (2 loss - tau q - 2 loss*) <= |u - w1|^2, and the identity that proves it."""
    total = identity = 0.0
    size = 1.0
    for tau, loss, q, vector in terms:
        gap = 1.0 - u @ vector
        total += tau * (2.0 * loss - tau * q - 2.0 * max(0.0, gap))
        identity += tau * (2.0 * loss - tau * q - 2.0 * gap)
        size += tau * (2.0 * loss + tau * q + 2.0 * abs(gap))
    distance = np.sum((u - start) ** 2)
    size += distance + np.sum((u - end) ** 2)
    assert total <= distance + 1e-11 * size
    assert abs(identity - (distance - np.sum((u - end) ** 2))) <= 1e-11 * size


def binary_features(x, y, found):
    x = np.append(x, 1.0)
    return y * x, y * found[0]


@quick
@given(signed_blocks(most_rows=40), st.sampled_from(VARIANTS), Cs, st.data())
def test_master_lemma_binary(block, variant, C, data):
    X, y = block
    d = X.shape[1]
    importance = st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(X), max_size=len(X))
    model = PAClassifier(variant=variant, C=C)
    terms = lemma_terms(model, X, y, data.draw(importance), binary_features)
    check_lemma(terms, np.zeros(d + 1), rows(model, d)[0], data.draw(eighths(d + 1)))


def block_features(x, y, found):
    """Phi(x, y) - Phi(x, rival), one block of the extended example per label."""
    x = np.append(x, 1.0)
    rival = best_wrong(found, y)
    vector = np.zeros((len(found), len(x)))
    vector[y], vector[rival] = x, -x
    return vector.ravel(), found[y] - found[rival]


@quick
@given(multiclass_blocks(most_rows=40), st.sampled_from(VARIANTS), Cs, st.data())
def test_master_lemma_multiclass(block, variant, C, data):
    X, y = block
    d = X.shape[1]
    importance = st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(X), max_size=len(X))
    model = PAClassifier(variant=variant, C=C, labels=[0, 1, 2, 3])
    terms = lemma_terms(model, X, y, data.draw(importance), block_features)
    size = 4 * (d + 1)
    check_lemma(terms, np.zeros(size), rows(model, d).ravel(), data.draw(eighths(size)))


@variants
def test_master_lemma_from_another_start(variant):
    """w1 need not be 0: the first label's past is the start (and promotion keeps it)."""
    rng = np.random.default_rng(4)
    model = trained(PAClassifier(variant=variant, C=0.3), 5)
    start = rows(model, 5)[0]
    X, y = rng.normal(size=(100, 5)), rng.choice([-1, 1], size=100)
    terms = lemma_terms(model, X, y, np.ones(100), binary_features)
    check_lemma(terms, start, rows(model, 5)[0], rng.normal(size=6))
    split = PAClassifier(variant=variant, C=0.3, init=model, labels=[7])
    order = {label: r for r, label in enumerate(split.labels)}
    start = rows(split, 5).ravel()
    y = rng.choice(split.labels, size=100)
    terms = lemma_terms(
        split, X, y, np.ones(100), lambda x, label, found: block_features(x, order[label], found)
    )
    check_lemma(terms, start, rows(split, 5).ravel(), rng.normal(size=18))


# -- more than two labels -------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "tau"), [("PA", 0.1), ("PA-I", 0.05), ("PA-II", 0.05)])
def test_multiclass_vector(variant, tau):
    """x = (1, 2): q = 2 |x|^2 = 10, loss 1, and 1/(2C) = 10 for PA-II at C = 0.05."""
    model = PAClassifier(variant=variant, C=0.05, labels=["a", "b", "c"], intercept=False)
    model.learn_one({"x": 1.0, "y": 2.0}, "c")
    expected = {"a": -1.0, "b": 0.0, "c": 1.0}  # the rival is the first of equals
    for label, sign in expected.items():
        assert model.weights[label]["x"] == pytest.approx(sign * tau, rel=1e-15, abs=0.0)
        assert model.weights[label]["y"] == pytest.approx(2.0 * sign * tau, rel=1e-15, abs=0.0)


def test_multiclass_ties_take_the_lowest_index():
    for label, rival in (("a", "b"), ("b", "a"), ("c", "a"), ("d", "a")):
        model = PAClassifier(variant="PA", labels=list("abcd"), intercept=False)
        model.learn_one({"x": 1.0}, label)
        moved = {y: w["x"] for y, w in model.weights.items() if w["x"]}
        assert moved == {label: 0.5, rival: -0.5}
    assert model.predict_one({"z": 1.0}) == "a"  # an unknown feature: all scores are 0


@quick
@given(multiclass_blocks(most_rows=30), st.booleans())
def test_pa_restores_the_margin_of_the_pair(block, intercept):
    X, y = block
    model = PAClassifier(variant="PA", labels=[0, 1, 2, 3], intercept=intercept)
    for x, label in zip(X, y, strict=True):
        before = scores(model, x)
        rival = best_wrong(before, label)
        model.learn_one(x, label)
        after = scores(model, x)
        if before[label] - before[rival] < 1.0 and (np.any(x) or intercept):
            size = np.max(np.abs(rows(model, len(x)))) * (1.0 + np.sum(np.abs(x)))
            assert abs(after[label] - after[rival] - 1.0) <= 1e-12 * max(1.0, size)


def test_some_loss_may_stay_after_a_multiclass_step():
    """Only one pair is mended; another may take over."""
    rng = np.random.default_rng(5)
    left = []
    for seed in range(50):
        model = trained(PAClassifier(variant="PA"), 5, labels="abcdefgh", seed=seed)
        x = rng.normal(size=5)
        right = model.labels[rng.integers(len(model.labels))]
        model.learn_one(x, right)
        found = model.score_one(x)
        left.append(1.0 - (found.pop(right) - max(found.values())))
    assert np.mean(np.array(left) > 1e-9) > 0.5
    assert np.mean(np.array(left) < 1e-9) > 0.05


@quick
@given(signed_blocks(most_rows=30), st.sampled_from(VARIANTS), Cs, st.booleans())
def test_two_blocks_are_binary_with_c_doubled(block, variant, C, intercept):
    X, y = block
    model = PAClassifier(variant=variant, C=2.0 * C, intercept=intercept)
    W = np.zeros((2, X.shape[1] + intercept))
    largest = 0.0
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
        extended = np.append(x, 1.0) if intercept else x
        W = oracle.max_margin_step(W, extended, int(label > 0), variant, C)
        largest = max(largest, np.max(np.abs(W)))
        difference = np.max(np.abs(rows(model, len(x))[0] - (W[1] - W[0])))
        assert difference <= 1e-12 * max(1.0, largest)


@variants
def test_third_label_splits_the_weights(variant):
    model = trained(PAClassifier(variant=variant, C=0.3), 4, labels=["n", "p"])
    w = rows(model, 4)[0]
    n, p = model.labels
    split = PAClassifier(variant=variant, C=0.3, init=model, labels=["third"])
    assert split.labels == [n, p, "third"]
    np.testing.assert_array_equal(rows(split, 4), [-w / 2.0, w / 2.0, 0.0 * w])
    for x in np.random.default_rng(6).normal(size=(200, 4)):
        assert split.predict_one(x) == model.predict_one(x)
        found = split.score_one(x)
        assert found[p] - found[n] == pytest.approx(model.score_one(x), rel=1e-12, abs=0.0)


@variants
def test_after_promotion_the_same_c_acts_twice_as_much_on_the_difference(variant):
    """One step on the difference of the old two rows equals the binary step with 2C."""
    model = trained(PAClassifier(variant=variant, C=0.05), 4, labels=["n", "p"])
    n, p = model.labels
    x = np.array([0.5, -1.0, 0.25, 2.0])
    right = n if model.predict_one(x) == p else p
    doubled = PAClassifier(variant=variant, C=0.1, init=model)
    split = PAClassifier(variant=variant, C=0.05, init=model, labels=["third"])
    doubled.learn_one(x, right)
    split.learn_one(x, right)
    found = rows(split, 4)
    np.testing.assert_allclose(found[1] - found[0], rows(doubled, 4)[0], rtol=1e-12)
    np.testing.assert_array_equal(found[2], 0.0)


def test_two_labels_never_promote():
    model = trained(PAClassifier(), 4, n=200, labels=["n", "p"])
    assert isinstance(model.bias, float)
    assert all(isinstance(value, float) for value in model.weights.values())


@variants
def test_far_on_the_right_side_is_no_overflow(variant):
    """No loss, no step: the squared length of the example, 1e400, does not matter."""
    model = PAClassifier(variant=variant, intercept=False)
    model.learn_one({"a": 1.0}, True)
    before = model.weights
    model.learn_one({"a": 1e200}, True)
    assert (model.weights, model.seen) == (before, 2)
    with pytest.raises(ValueError, match="overflow"):
        model.learn_one({"a": 1e200}, False)


# -- side by side ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("labels", [[True, False], list("abcde")], ids=["binary", "multiclass"])
@pytest.mark.parametrize("C", [0.02, 0.5])
@variants
def test_equals_the_reference(variant, C, labels, intercept, kind):
    parameters = {"variant": variant, "C": C, "intercept": intercept}
    stream = labelled(np.random.default_rng(7), 300, 6, labels, noise=0.5, weighted=True)
    follow(PAClassifier(**parameters), oracle.PAClassifier(6, **parameters), stream, kind)


@quick
@given(signed_blocks(), st.sampled_from(VARIANTS), Cs, st.booleans(), st.sampled_from(KINDS))
def test_equals_the_reference_on_any_stream(block, variant, C, intercept, kind):
    X, y = block
    parameters = {"variant": variant, "C": C, "intercept": intercept}
    stream = [(x, int(label), 1.0) for x, label in zip(X, y, strict=True)]
    follow(PAClassifier(**parameters), oracle.PAClassifier(X.shape[1], **parameters), stream, kind)
