import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onstream import RLS, NotMergeable

from ..oracles import rls as oracle
from ..oracles.side_by_side import (
    KINDS,
    blocks,
    covariance,
    eighths,
    follow,
    form,
    measured,
    quick,
    rows,
)

josephs = pytest.mark.parametrize("joseph", [False, True], ids=["plain", "joseph"])


def noisy(rng, n, d):
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    return X, X @ rng.normal(size=d) + 0.7 + 0.3 * rng.normal(size=n)


def extended(X, intercept=True):
    return np.hstack([X, np.ones((len(X), 1))]) if intercept else X


def assert_close(found, expected, rel):
    """Relative to the largest number expected."""
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=rel * np.max(np.abs(expected)))


# -- one step -------------------------------------------------------------------------------------


def test_first_step_by_hand():
    """lam = 2: P = I/2, x = (1, 2), x'Px = 2.5, gain = (0.5, 1) / 3.5."""
    model = RLS(lam=2.0, intercept=False)
    model.learn_one({"a": 1.0, "b": 2.0}, 7.0)
    assert model.weights["a"] == pytest.approx(1.0, rel=1e-15, abs=0.0)
    assert model.weights["b"] == pytest.approx(2.0, rel=1e-15, abs=0.0)
    expected = np.eye(2) / 2.0 - np.outer([0.5, 1.0], [0.5, 1.0]) / 3.5
    np.testing.assert_allclose(model.P, expected, rtol=1e-15)


def test_starts_with_nothing():
    model = RLS(lam=4.0)
    assert model.predict_one({"a": 1.0}) == 0.0
    np.testing.assert_array_equal(model.P, [[0.25]])  # the intercept's


@quick
@given(
    blocks(),
    eighths(4),
    st.sampled_from([0.1, 1.0, 5.0]),
    st.sampled_from([0.9, 1.0]),
    st.booleans(),
)
def test_new_p_times_x_is_the_gain(X, x, lam, forgetting, joseph):
    model = RLS(lam=lam, forgetting=forgetting, joseph=joseph, intercept=False)
    model.learn_many(np.resize(X, (len(X), 4)), X[:, 0])
    P, w = model.P, rows(model, 4)[0]
    gain = P @ x / (forgetting + x @ P @ x)
    error = 3.0 - model.predict_one(x)
    model.learn_one(x, 3.0)
    size = np.max(np.abs(P)) * max(1.0, np.sum(np.abs(x)))
    np.testing.assert_allclose(model.P @ x, gain, rtol=0.0, atol=1e-12 * size)
    change = rows(model, 4)[0] - w
    np.testing.assert_allclose(
        change, gain * error, rtol=0.0, atol=1e-12 * max(size * abs(error), 1.0)
    )


# -- it is ridge regression -----------------------------------------------------------------------


@josephs
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("lam", [0.01, 1.0, 30.0])
def test_equals_ridge_after_every_step_in_any_order(lam, intercept, joseph):
    rng = np.random.default_rng(0)
    X, y = noisy(rng, 60, 5)
    for order in (np.arange(60), rng.permutation(60), np.arange(60)[::-1]):
        model = RLS(lam=lam, intercept=intercept, joseph=joseph)
        for n, i in enumerate(order, 1):
            model.learn_one(X[i], y[i])
            w, P = oracle.ridge(extended(X[order[:n]], intercept), y[order[:n]], lam)
            assert_close(rows(model, 5)[0], w, 1e-10)
            assert_close(covariance(model, 5), P, 1e-10)


@quick
@given(blocks(), st.data(), st.sampled_from([0.125, 1.0, 4.0]), st.booleans(), st.booleans())
def test_equals_ridge_on_any_data(X, data, lam, intercept, joseph):
    y = data.draw(eighths(len(X)))
    order = data.draw(st.permutations(range(len(X))))
    model = RLS(lam=lam, intercept=intercept, joseph=joseph)
    model.learn_many(X[order], y[order])
    w, P = oracle.ridge(extended(X, intercept), y, lam)
    d = X.shape[1]
    # Relative to where both started, |y| / lam and 1 / lam: what was added and taken away again.
    np.testing.assert_allclose(covariance(model, d), P, rtol=0.0, atol=1e-11 / lam)
    size = 4.0 * 4.0 * len(X) / lam
    np.testing.assert_allclose(rows(model, d)[0], w, rtol=0.0, atol=1e-11 * size)


@josephs
def test_equals_ridge_after_a_hundred_thousand_steps(joseph):
    """And P stays symmetric, to the bit, and positive on the way."""
    rng = np.random.default_rng(1)
    d, n = 6, 100_000
    mixing = rng.normal(size=(d, d)) + 2.0 * np.eye(d)  # correlated features of unequal size
    X = rng.normal(size=(n, d)) @ mixing * np.logspace(0.0, 2.0, d)
    y = X @ rng.normal(size=d) + rng.normal(size=n)
    model = RLS(joseph=joseph)
    for start in range(0, n, 10_000):
        model.learn_many(X[start : start + 10_000], y[start : start + 10_000])
        P = model.P
        np.testing.assert_array_equal(P, P.T)
        assert np.min(np.linalg.eigvalsh(P)) > 0.0
    w, P = oracle.ridge(extended(X), y, 1.0)
    np.testing.assert_allclose(rows(model, d)[0], w, rtol=1e-8)
    assert_close(covariance(model, d), P, 1e-8)


@josephs
def test_p_stays_symmetric_and_positive_with_forgetting(joseph):
    rng = np.random.default_rng(2)
    X, y = noisy(rng, 100_000, 4)
    X[:, 3] *= rng.random(100_000) < 0.001  # hardly ever excited: P grows in this direction
    model = RLS(forgetting=0.99, joseph=joseph)
    for start in range(0, 100_000, 5_000):
        model.learn_many(X[start : start + 5_000], y[start : start + 5_000])
        P = model.P
        assert np.all(np.isfinite(P))
        np.testing.assert_array_equal(P, P.T)
        assert np.min(np.linalg.eigvalsh(P)) > 0.0


def test_the_identity_of_errors_and_the_ridge_objective():
    """Sum of e^2 / (1 + x'Px), e and P before each step, is the least value ridge can reach."""
    rng = np.random.default_rng(3)
    for lam in (0.05, 1.0, 20.0):
        X, y = noisy(rng, 200, 5)
        model, total = RLS(lam=lam), 0.0
        for x, target in zip(X, y, strict=True):
            error, P, z = target - model.predict_one(x), covariance(model, 5), np.append(x, 1.0)
            total += error**2 / (1.0 + z @ P @ z)
            model.learn_one(x, target)
        u, _ = oracle.ridge(extended(X), y, lam)
        assert total == pytest.approx(
            oracle.ridge_objective(u, extended(X), y, lam), rel=1e-11, abs=0.0
        )


@quick
@given(blocks(), st.data(), st.sampled_from([0.5, 2.0]))
def test_the_identity_bounds_the_regret(X, data, lam):
    """Hence sum e^2 / (1 + x'Px) <= lam |u|^2 + sum (y - u.x)^2, for any u."""
    y, u = data.draw(eighths(len(X))), data.draw(eighths(X.shape[1]))
    model, total = RLS(lam=lam, intercept=False), 0.0
    for x, target in zip(X, y, strict=True):
        P = covariance(model, len(x))
        total += (target - model.predict_one(x)) ** 2 / (1.0 + x @ P @ x)
        model.learn_one(x, target)
    assert total <= oracle.ridge_objective(u, X, y, lam) * (1.0 + 1e-12)
    best, _ = oracle.ridge(X, y, lam)
    least = oracle.ridge_objective(best, X, y, lam)
    assert abs(total - least) <= 1e-11 * max(1.0, y @ y)


# -- forgetting -----------------------------------------------------------------------------------


@josephs
@pytest.mark.parametrize("forgetting", [0.9, 0.99])
def test_forgetting_minimises_the_discounted_objective(forgetting, joseph):
    """sum mu^(n-i) (y_i - w.x_i)^2 + mu^n lam |w|^2."""
    X, y = noisy(np.random.default_rng(4), 150, 4)
    model = RLS(lam=0.5, forgetting=forgetting, joseph=joseph)
    for n, (x, target) in enumerate(zip(X, y, strict=True), 1):
        model.learn_one(x, target)
        discount = forgetting ** np.arange(n - 1, -1, -1)
        w, P = oracle.ridge(extended(X[:n]), y[:n], forgetting**n * 0.5, discount)
        assert_close(rows(model, 4)[0], w, 1e-9)
        assert_close(covariance(model, 4), P, 1e-9)


def test_forgetting_follows_a_drift():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2_000, 3))
    y = np.concatenate([X[:1_000] @ [1.0, 2.0, 3.0], X[1_000:] @ [-1.0, 0.0, 2.0]])
    forgetful, faithful = RLS(forgetting=0.95), RLS()
    forgetful.learn_many(X, y)
    faithful.learn_many(X, y)
    np.testing.assert_allclose(rows(forgetful, 3)[0], [-1.0, 0.0, 2.0, 0.0], atol=1e-6)
    assert np.max(np.abs(rows(faithful, 3)[0] - [-1.0, 0.0, 2.0, 0.0])) > 0.3


@josephs
@pytest.mark.parametrize("lam", [0.5, 10.0])
def test_wind_up_guard(lam, joseph):
    """Examples that say nothing of a direction: P stops growing at trace = 1e8 d / lam."""
    limit = 1e8 * 3 / lam
    model = RLS(lam=lam, forgetting=0.9, joseph=joseph)
    reference = oracle.RLS(2, lam=lam, forgetting=0.9, joseph=joseph)
    x = np.array([1.0, -0.5])
    traces = []
    for t in range(400):
        model.learn_one(x, 1.0)
        reference.learn(x, 1.0)
        traces.append(np.trace(model.P))
        assert traces[-1] <= limit
        assert traces[-1] == pytest.approx(np.trace(reference.P), rel=1e-9, abs=0.0), t
    assert traces[-1] > 0.9 * limit
    assert traces[-1] == pytest.approx(traces[-2], rel=1e-12, abs=0.0)  # stands still
    assert np.all(np.diff(traces[:150]) > 0.0)
    assert np.min(np.linalg.eigvalsh(model.P)) > 0.0


@josephs
def test_wind_up_guard_with_silence(joseph):
    """Empty examples and no intercept: P / mu^t until the guard, then exactly as it is."""
    model = RLS(forgetting=0.5, intercept=False, joseph=joseph)
    model.learn_one({"a": 1.0}, 1.0)  # P = 1 / (0.5 + 1) after forgetting
    assert model.P[0, 0] == pytest.approx(2.0 / 3.0, rel=1e-15, abs=0.0)
    for t in range(1, 60):
        model.learn_one({}, 5.0)
        steps = min(t, 27)  # 2/3 2^27 < 1e8 < 2/3 2^28
        assert model.P[0, 0] == pytest.approx(2.0 / 3.0 * 2.0**steps, rel=1e-12, abs=0.0)
    assert model.weights["a"] == pytest.approx(2.0 / 3.0, rel=1e-15, abs=0.0)


@josephs
@pytest.mark.parametrize("parameters", [{}, {"hash_bits": 4}], ids=["named", "hashed"])
def test_what_was_never_used_does_not_stop_forgetting(parameters, joseph):
    """A column of zeros, or a slot no feature falls into, grows to 1e8 / lam and counts no more."""
    rng = np.random.default_rng(14)
    X = rng.normal(size=(5_000, 2))
    y = np.concatenate([X[:2_500] @ [2.0, -1.0], X[2_500:] @ [-2.0, 1.0]])
    names = ["u", "v"] if parameters else ["u", "v", "never"]
    model = RLS(forgetting=0.99, joseph=joseph, **parameters)
    model.learn_many([dict(zip(names, [*x, 0.0], strict=False)) for x in X], y)
    found = model.predict_many([{"u": u, "v": v} for u, v in X[:50]])
    np.testing.assert_allclose(found, X[:50] @ [-2.0, 1.0], atol=1e-8)
    assert np.max(model.P) == 1e8
    assert np.min(np.linalg.eigvalsh(model.P)) > 0.0


@pytest.mark.parametrize("forgetting", [0.5, 0.9, 0.99, 0.995])
@pytest.mark.parametrize("intercept", [False, True])
@josephs
def test_zeros_left_out_are_zeros_spelled_out(joseph, intercept, forgetting):
    """For thousands of rows before the column is used, and after."""
    rng = np.random.default_rng(15)
    X, y = noisy(rng, 4_600, 4)
    X[:, 0] = rng.normal(size=len(X))
    X[:4_500, 2] = 0.0
    X[:, 3] = 0.0
    parameters = {"lam": 0.3, "forgetting": forgetting, "intercept": intercept, "joseph": joseph}
    left_out, spelled_out = RLS(**parameters), RLS(**parameters)
    for start, stop in ((0, 2_400), (2_400, 4_500), *((n, n + 1) for n in range(4_500, 4_600))):
        left_out.learn_many([form(x, "dict") for x in X[start:stop]], y[start:stop])
        spelled_out.learn_many(X[start:stop], y[start:stop])
        assert_close(rows(left_out, 4, "dict"), rows(spelled_out, 4), 1e-12)
        order = [int(name[1:]) + intercept for name in left_out.weights]
        order = [0, *order] if intercept else order
        expected = spelled_out.P[np.ix_(order, order)]
        scale = np.sqrt(np.diag(expected))
        assert_close(left_out.P / np.outer(scale, scale), expected / np.outer(scale, scale), 1e-11)


@pytest.mark.parametrize("forgetting", [0.9, 0.99])
def test_a_saved_model_knows_what_was_never_used(forgetting):
    rng = np.random.default_rng(16)
    X, y = noisy(rng, 3_000, 4)
    X[:, 1] = 0.0
    X[:2_800, 2] = 0.0
    whole = RLS(lam=0.7, forgetting=forgetting)
    whole.learn_many(X, y)
    resumed = RLS(lam=0.7, forgetting=forgetting)
    for start in range(0, 3_000, 250):
        resumed.learn_many(X[start : start + 250], y[start : start + 250])
        resumed = RLS(lam=0.7, forgetting=forgetting, init=resumed)
    assert resumed.weights == whole.weights
    np.testing.assert_array_equal(resumed.P, whole.P)


# -- Joseph's form --------------------------------------------------------------------------------


@pytest.mark.parametrize("forgetting", [0.95, 1.0])
def test_joseph_equals_plain(forgetting):
    stream = measured(np.random.default_rng(6), 300, 5, weighted=True)
    plain, joseph = RLS(forgetting=forgetting), RLS(forgetting=forgetting, joseph=True)
    for x, y, weight in stream:
        plain.learn_one(x, y, weight)
        joseph.learn_one(x, y, weight)
        assert_close(rows(joseph, 5)[0], rows(plain, 5)[0], 1e-10)
        assert_close(joseph.P, plain.P, 1e-10)


def test_joseph_stays_positive_where_the_numbers_are_hard():
    """lam = 1e-12 and nearly collinear features."""
    rng = np.random.default_rng(7)
    base = rng.normal(size=(5_000, 1))
    X = base + 1e-5 * rng.normal(size=(5_000, 4))
    model = RLS(lam=1e-12, joseph=True)
    model.learn_many(X, base[:, 0])
    np.testing.assert_array_equal(model.P, model.P.T)
    assert np.min(np.linalg.eigvalsh(model.P)) > 0.0


def least_eigenvalue(P):
    """Of P scaled to a diagonal of 1, which `eigvalsh` can tell from 0 whatever the units."""
    scale = np.sqrt(np.diag(P))
    return np.min(np.linalg.eigvalsh(P / np.outer(scale, scale)))


def test_a_far_offset_is_learned():
    """The first example takes all but 1e-14 of the variance of t."""
    rng = np.random.default_rng(0)
    model = RLS(lam=1e-3)
    for _ in range(100):
        model.learn_one({"t": 1e7 + 100.0 * rng.normal(), "u": rng.normal()}, 1.0)
    assert model.seen == 100
    assert least_eigenvalue(model.P) > 0.0
    assert model.predict_one({"t": 1e7, "u": 0.0}) == pytest.approx(1.0, rel=1e-6)


@quick
@given(
    st.floats(3.0, 9.3),
    st.floats(-5.0, -1.0),
    st.floats(-6.0, 1.0),
    st.sampled_from([0.9, 0.99, 1.0]),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_p_stays_positive_at_any_offset(power, spread, penalty, forgetting, seed, joseph):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    X[:, 0] = 10.0**power * (1.0 + 10.0**spread * X[:, 0])
    model = RLS(lam=10.0**penalty, forgetting=forgetting, joseph=joseph)
    for x in X:
        model.learn_one(x, x[1])  # none is refused
        np.testing.assert_array_equal(model.P, model.P.T)
        assert np.min(np.diag(model.P)) > 0.0
        assert least_eigenvalue(model.P) > 0.0


# -- features that come late ----------------------------------------------------------------------


@josephs
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("forgetting", [0.95, 1.0])
def test_a_late_feature_is_as_if_always_there_at_zero(forgetting, intercept, joseph):
    rng = np.random.default_rng(8)
    X, y = noisy(rng, 80, 6)
    for j, first in enumerate([0, 0, 10, 11, 40, 79]):
        X[:first, j] = 0.0
    X[79, 5] = 1.5
    parameters = {"forgetting": forgetting, "intercept": intercept, "joseph": joseph}
    late, always = RLS(lam=0.3, **parameters), RLS(lam=0.3, **parameters)
    for x, target in zip(X, y, strict=True):
        late.learn_one(form(x, "dict"), target)
        always.learn_one(x, target)
        assert_close(rows(late, 6, "dict"), rows(always, 6), 1e-12)
        known = [int(name[1:]) for name in late.weights] + [6] * intercept
        P = covariance(late, 6, "dict")[np.ix_(known, known)]
        assert_close(P, covariance(always, 6)[np.ix_(known, known)], 1e-12)
    assert list(late.weights)[-1] == "x5"


# -- importance -----------------------------------------------------------------------------------


@josephs
def test_weight_two_is_two_copies(joseph):
    rng = np.random.default_rng(9)
    X, y = noisy(rng, 60, 4)
    weighted, copies = RLS(lam=0.5, joseph=joseph), RLS(lam=0.5, joseph=joseph)
    for x, target in zip(X, y, strict=True):
        times = int(rng.integers(1, 5))
        weighted.learn_one(x, target, times)
        for _ in range(times):
            copies.learn_one(x, target)
        assert_close(rows(weighted, 4), rows(copies, 4), 1e-12)
        assert_close(weighted.P, copies.P, 1e-12)


@josephs
def test_weights_are_those_of_weighted_ridge(joseph):
    rng = np.random.default_rng(10)
    X, y = noisy(rng, 100, 4)
    importance = rng.uniform(0.01, 5.0, size=100)
    model = RLS(joseph=joseph)
    model.learn_many(X, y, importance)
    w, P = oracle.ridge(extended(X), y, 1.0, importance)
    assert_close(rows(model, 4)[0], w, 1e-11)
    assert_close(covariance(model, 4), P, 1e-11)


@josephs
@pytest.mark.parametrize("forgetting", [0.9, 1.0])
@pytest.mark.parametrize("weight", [1e290, 1e306, 1e307, 1.7e308])
def test_a_huge_weight_settles_the_matter(weight, forgetting, joseph):
    model = RLS(forgetting=forgetting, joseph=joseph)
    model.learn_one({"a": 10.0}, 5.0, weight)
    assert model.predict_one({"a": 10.0}) == pytest.approx(5.0, rel=1e-14, abs=0.0)
    assert np.all(np.isfinite(model.P))
    model.learn_one({"a": -10.0}, 3.0)  # and goes on
    assert model.predict_one({"a": 10.0}) == pytest.approx(5.0, rel=1e-9, abs=0.0)


@quick
@given(
    st.floats(-3.0, 308.2).map(lambda power: 10.0**power),
    st.floats(0.125, 1e3),
    st.floats(-1e3, 1e3),
    st.sampled_from([1e-3, 1.0, 1e3]),
)
def test_any_weight_is_that_of_weighted_ridge(weight, a, y, lam):
    """One feature: w a y / (lam + w a^2), and P = 1 / (lam + w a^2)."""
    model = RLS(lam=lam, intercept=False)
    model.learn_one({"a": a}, y, weight)
    expected = a * y / (lam / weight + a * a)
    assert model.weights["a"] == pytest.approx(expected, rel=1e-12, abs=1e-300)  # subnormal
    expected = 1.0 / weight / (lam / weight + a * a)
    assert model.P[0, 0] == pytest.approx(expected, rel=0.0, abs=1e-14 / lam)


def test_a_weight_is_not_two_copies_with_forgetting():
    """Two copies forget twice."""
    once, twice = RLS(forgetting=0.5), RLS(forgetting=0.5)
    for model, weights in ((once, [2.0]), (twice, [1.0, 1.0])):
        model.learn_one({"a": 1.0}, 1.0)
        for weight in weights:
            model.learn_one({"b": 1.0}, 2.0, weight)
    assert once.weights["a"] != pytest.approx(twice.weights["a"], rel=1e-3, abs=0.0)


# -- merging --------------------------------------------------------------------------------------


@josephs
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_merged_is_as_trained_on_everything(kind, intercept, joseph):
    rng = np.random.default_rng(11)
    X, y = noisy(rng, 90, 5)
    parameters = {"lam": 0.7, "intercept": intercept, "joseph": joseph}
    parts = [RLS(**parameters) for _ in range(3)]
    for i, (x, target) in enumerate(zip(X, y, strict=True)):
        parts[i % 3].learn_one(form(x, kind), target)
    merged = parts[0]
    assert merged.merge(parts[1]) is None
    merged.merge(parts[2])
    w, P = oracle.ridge(extended(X, intercept), y, 0.7)
    assert merged.seen == 90
    assert_close(rows(merged, 5, kind)[0], w, 1e-12)
    assert_close(covariance(merged, 5, kind), P, 1e-12)
    x = np.arange(1.0, 6.0)  # and goes on like one that has seen everything
    merged.learn_one(form(x, kind), 3.0)
    w, P = oracle.ridge(extended(np.vstack([X, x]), intercept), np.append(y, 3.0), 0.7)
    assert_close(rows(merged, 5, kind)[0], w, 1e-12)
    assert_close(covariance(merged, 5, kind), P, 1e-12)


def test_merge_matches_features_by_name():
    whole, left, right = RLS(), RLS(), RLS()
    examples = [
        ({"a": 1.0, "b": 2.0}, 1.0),
        ({"b": 1.0}, 3.0),
        ({"c": 2.0, "b": -1.0}, 0.5),
        ({"a": 1.0}, 2.0),
    ]
    for i, (x, y) in enumerate(examples):
        whole.learn_one(x, y)
        (left if i < 2 else right).learn_one(x, y)
    left.merge(right)
    assert set(left.weights) == {"a", "b", "c"}
    for name, weight in whole.weights.items():
        assert left.weights[name] == pytest.approx(weight, rel=1e-12, abs=0.0)
    assert left.bias == pytest.approx(whole.bias, rel=1e-12, abs=0.0)


def test_merge_leaves_the_other_as_it_was():
    one, other = RLS(), RLS()
    one.learn_one({"a": 1.0}, 1.0)
    other.learn_one({"b": 1.0}, 2.0)
    before = other.weights
    one.merge(other)
    one.learn_one({"b": 3.0}, 1.0)
    assert other.weights == before
    assert other.seen == 1


def test_merge_with_an_unlearned_model_changes_nothing():
    one, other = RLS(lam=0.5), RLS(lam=0.5)
    one.learn_one({"a": 1.0}, 1.0)
    before = rows(one, 1)
    one.merge(other)
    np.testing.assert_allclose(rows(one, 1), before, rtol=1e-14)
    other.merge(one)
    assert other.weights["a"] == pytest.approx(one.weights["a"], rel=1e-13, abs=0.0)
    assert RLS.merge_kind == "exact"


def test_hashed_models_merge_exactly():
    whole, left, right = (RLS(hash_bits=4, hash_seed=3) for _ in range(3))
    rng = np.random.default_rng(12)
    for i in range(40):
        x = {f"word{rng.integers(30)}": float(rng.normal()) for _ in range(4)}
        y = float(rng.normal())
        whole.learn_one(x, y)
        (left if i % 2 else right).learn_one(x, y)
    left.merge(right)
    assert set(left.weights) == set(whole.weights)
    for slot, weight in whole.weights.items():
        assert left.weights[slot] == pytest.approx(weight, rel=1e-10, abs=1e-12)


def test_no_merge_with_forgetting():
    one, other = RLS(forgetting=0.99), RLS(forgetting=0.99)
    one.learn_one({"a": 1.0}, 1.0)
    other.learn_one({"a": 1.0}, 2.0)
    before = one.weights
    with pytest.raises(NotMergeable, match="forgetting"):
        one.merge(other)
    assert one.weights == before
    assert one.seen == 1


def test_no_merge_of_different_penalties():
    with pytest.raises(NotMergeable, match="lam"):
        RLS(lam=1.0).merge(RLS(lam=2.0))


# -- side by side ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("forgetting", [0.98, 1.0])
@josephs
def test_equals_the_reference(joseph, forgetting, intercept, kind):
    parameters = {"forgetting": forgetting, "joseph": joseph, "intercept": intercept}
    stream = measured(np.random.default_rng(13), 300, 5, weighted=True)
    model, reference = RLS(**parameters), oracle.RLS(5, **parameters)
    follow(model, reference, stream, kind)
    assert_close(covariance(model, 5, kind), reference.P, 1e-12)


@quick
@given(blocks(), st.data(), st.sampled_from([0.9, 1.0]), st.booleans(), st.booleans())
def test_equals_the_reference_on_any_stream(X, data, forgetting, intercept, joseph):
    y = data.draw(eighths(len(X)))
    parameters = {"forgetting": forgetting, "joseph": joseph, "intercept": intercept}
    stream = [(x, float(target), 1.0) for x, target in zip(X, y, strict=True)]
    reference = oracle.RLS(X.shape[1], **parameters)
    follow(RLS(**parameters), reference, stream, "dense")
