"""Nearest neighbours against brute force on the rescaled window."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from onstream.features import MinMaxScaler, StandardScaler
from onstream.neighbors import KNNADWINClassifier, KNNClassifier, KNNRegressor
from onstream.persist import dumps, loads

from ..oracles import knn as oracle
from ..oracles import moa
from ..oracles.adwin import ADWIN as PlainADWIN

SHARED = Path(__file__).parents[3] / "shared" / "data"
SCALES = ["minmax", "standard", None]
METRICS = ["euclidean", "manhattan", "cosine"]


def largest(a, b):
    """Chebyshev's distance."""
    return float(np.abs(a - b).max(initial=0.0))


def stream(seed, n=150, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1.0, 100.0, 0.01][:d] + [0.0, 50.0, 5.0][:d]
    X[:, -1] += np.arange(n) * 0.001  # the range moves
    return X, rng.choice(["a", "b", "c"], n), rng.choice([0.5, 1.0, 2.0], n)


@pytest.mark.parametrize("metric", [*METRICS, largest], ids=[*METRICS, "function"])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("by", ["uniform", "distance"])
def test_it_is_brute_force_on_the_last_rows(metric, scale, by):
    n = 60 if callable(metric) else 150
    X, y, w = stream(1, n)
    window, k = 40, 4
    model = KNNClassifier(k=k, window=window, scale=scale, weights=by, metric=metric)
    number = KNNRegressor(k=k, window=window, scale=scale, weights=by, metric=metric)
    for i in range(n):
        if i:
            start = max(0, i - window)
            order, d = oracle.neighbours(X[start:i], X[i], k, scale, metric)
            found = oracle.votes(y[start:i], w[start:i], order, d, by)
            total = sum(found.values())
            shares = model.predict_proba_one(X[i])
            for label, share in shares.items():
                assert share == pytest.approx(found.get(label, 0.0) / total, rel=1e-9, abs=1e-12)
            votes = w[start:i][order] / (d + 1e-12 if by == "distance" else 1.0)
            mean = (votes * X[start:i, 0][order]).sum() / votes.sum()
            assert number.predict_one(X[i]) == pytest.approx(mean, rel=1e-9, abs=1e-9)
            best = max(found.values())
            tied = [v for v in found if found[v] > best * (1 - 1e-9)]
            nearest = next(y[start:i][j] for j in order if y[start:i][j] in tied)
            assert model.predict_one(X[i]) == nearest
        model.learn_one(X[i], y[i], w[i])
        number.learn_one(X[i], X[i, 0], w[i])


@given(
    hnp.arrays(np.float64, st.tuples(st.integers(1, 30), st.just(2)), elements=st.integers(-3, 3)),
    st.integers(1, 6),
    st.integers(1, 12),
    st.sampled_from(SCALES),
    st.sampled_from(["euclidean", "manhattan"]),
)
def test_ties_go_to_the_nearest_then_the_oldest_label(X, k, window, scale, metric):
    """Small whole numbers: many equal distances and many equal votes (spec 11)."""
    y = np.arange(len(X)) % 3
    model = KNNClassifier(k=k, window=window, scale=scale, metric=metric, ties="first")
    for i in range(len(X)):
        if i:
            start = max(0, i - window)
            rows, query = oracle.scaled(X[start:i], X[i], scale)
            d = oracle.distances(rows, query, metric)
            order = np.argsort(np.round(d, 9), kind="stable")[:k]
            if scale != "standard":  # there, what is equal differs by rounding
                found = oracle.votes(y[start:i], np.ones(i), order, d[order], "uniform")
                best = max(found.values())
                tied = [j for j in order if found[y[start:i][j]] == best]
                winner = min((round(d[j], 9), y[start:i][j]) for j in tied)[1]
                assert model.predict_one(X[i]) == winner
        model.learn_one(X[i], int(y[i]))


def test_at_equal_votes_and_distance_the_label_that_came_first_wins():
    model = KNNClassifier(k=2, scale=None, window=3)
    model.learn_many([[9.0], [1.0], [-1.0], [5.0]], ["a", "b", "a", "a"])
    assert model.predict_one([0.0]) == "a"  # though the example of "b" is older
    declared = KNNClassifier(k=2, scale=None, labels=["b", "a"], init=None)
    declared.learn_many([[1.0], [-1.0]], ["a", "b"])
    assert declared.predict_one([0.0]) == "b"


@pytest.mark.parametrize("ties", ["all", "first"])
@pytest.mark.parametrize("scale", ["minmax", None])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", largest])
def test_all_that_are_as_far_as_the_kth_vote(ties, scale, metric):
    """Two values in three columns: four distances. Some ties need memory of their own."""
    rng = np.random.default_rng(9)
    X = rng.integers(0, 2, (200, 3)).astype(float) * 0.5
    y = rng.choice(["a", "b", "c"], 200)
    options = {"k": 22, "window": 150, "scale": scale, "metric": metric, "ties": ties}
    model, number = KNNClassifier(**options), KNNRegressor(**options)
    several = 0
    for i in range(200 if not callable(metric) else 80):
        if i > 20:
            start = max(0, i - 150)
            rows, query = oracle.scaled(X[start:i], X[i], scale)
            d = np.round(oracle.distances(rows, query, metric), 9)
            order = oracle.within(d, 22, ties)
            several = max(several, len(order))
            found = oracle.votes(y[start:i], np.ones(i), order, d[order], "uniform")
            shares = model.predict_proba_one(X[i])
            if metric != "cosine":  # there, what is equal differs by rounding
                for label in shares:
                    assert shares[label] == pytest.approx(found.get(label, 0.0) / len(order))
                mean = np.arange(start, i)[order].mean()
                assert number.predict_one(X[i]) == pytest.approx(mean)
        model.learn_one(X[i], y[i])
        number.learn_one(X[i], float(i))
    assert several > 32 or ties == "first" or callable(metric)


def test_adwin_counts_all_ties_too():
    for ties, wanted in (("all", "b"), ("first", "a")):
        model = KNNADWINClassifier(k=4, scale=None, ties=ties)
        model.learn_many([[0.0], [0.0], [1.0], [1.0], [1.0]], ["a", "a", "b", "b", "b"])
        assert model.predict_one([0.0]) == wanted


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("whole", [True, False])
def test_many_questions_are_answered_as_each_alone(metric, scale, whole):
    """In blocks against each tile, and given up where an example is too far away: bit for bit."""
    rng = np.random.default_rng(12)
    X = rng.integers(0, 2, (330, 70)).astype(float) if whole else rng.normal(size=(330, 70))
    y = np.arange(330.0) ** 2
    model = KNNRegressor(k=3, window=230, scale=scale, metric=metric, weights="distance")
    model.learn_many(X[:300], y[:300])
    told = model.predict_many(X[280:])
    assert told.tolist() == [model.predict_one(x) for x in X[280:]]
    assert model.predict_many(X[280:283]).tolist() == told[:3].tolist()
    for i in range(280, 330):
        window, x = oracle.scaled(X[70:300], X[i], scale)
        d = oracle.distances(window, x, metric)
        order = oracle.within(np.round(d, 9), 3, "all")
        votes = 1.0 / (d[order] + 1e-12)
        if d.min() > 1e-6:  # an exact match decides, whatever else there is
            mean = (votes * y[70:300][order]).sum() / votes.sum()
            assert told[i - 280] == pytest.approx(mean, rel=1e-6)


def in_bulk(kind, n, d):
    """Rows whose products in single precision tell much, little, nothing or too much."""
    rng = np.random.default_rng(15)
    X = rng.normal(size=(n, d))
    if kind == "whole":  # many equal distances
        return rng.integers(0, 2, (n, d)).astype(float)
    if kind == "far":  # all of them from 0
        return X + 1e7
    if kind == "first far":  # the first of all questions from all others
        X[200::10] += 1e6
    if kind == "clusters":  # near ones are much nearer than any length
        return rng.normal(size=(9, d))[rng.integers(0, 9, n)] * 1e3 + X * 1e-4
    if kind == "opposed":  # a single product, below 0, is too large
        X[:, 0] = np.where(np.arange(n) < 200, -20.0, 20.0)
        X[200, 0] = 0.0
        return X * 1e18
    if kind == "sizes":
        return X * 10.0 ** rng.integers(-3, 4, (n, 1))
    return X * {"huge": 1e25, "largest": 1e110, "tiny": 1e-25, "least": 1e-160}.get(kind, 1.0)


BULK = ["even", "whole", "far", "first far", "clusters", "opposed", "sizes"]
BULK += ["huge", "largest", "tiny", "least"]


@pytest.mark.parametrize("kind", BULK)
@pytest.mark.parametrize("scale", SCALES)
def test_what_a_block_leaves_out_could_not_have_been_let_in(kind, scale):
    """For numbers, questions and examples that do not fill tiles and registers: bit for bit."""
    for d, n in ((15, 9), (16, 4), (17, 130), (40, 7), (101, 18)):
        X = in_bulk(kind, 200 + n, d)
        for ties in ("all", "first"):
            model = KNNRegressor(k=3, window=150, scale=scale, weights="distance", ties=ties)
            model.learn_many(X[:200], np.arange(200.0) ** 2)
            alone = [model.predict_one(x) for x in X[200:]]
            assert model.predict_many(X[200:]).tolist() == alone
            model = model.clone()
            model.learn_many(X[:70], np.arange(70.0) ** 2)  # the ring is not full
            assert model.predict_many(X[200:]).tolist() == [model.predict_one(x) for x in X[200:]]


@pytest.mark.parametrize("distance", ["overlap", "value-difference"])
def test_a_block_of_texts_and_numbers_with_gaps_is_answered_as_each_alone(distance):
    rng = np.random.default_rng(16)
    rows = []
    for numbers, t in zip(rng.normal(size=(270, 20)).tolist(), range(270), strict=True):
        row = {f"n{j}": v for j, v in enumerate(numbers) if abs(v) < 2.0}
        rows.append(row | {"t": f"t{t * t % 9}", "u": f"u{t * t % 5}"})
    for row in rows[::7]:
        del row["t"]
    rows[-1] = {"new": 1.0, "t": "new"}
    model = KNNClassifier(window=150, weights="distance", nominal_distance=distance)
    model.learn_many(rows[:200], rng.integers(0, 4, 200))
    told = model.predict_proba_many(rows[200:])
    labels = model.labels
    for x, shares in zip(rows[200:], told.tolist(), strict=True):
        alone = model.predict_proba_one(x)
        assert shares == [alone[label] for label in labels]


# -- nominal values -------------------------------------------------------------------------------


def mixed_stream(n, seed=10):
    """Two numbers and two texts, which may be left out; as mappings, and as arrays of codes."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 2)) * [1.0, 50.0]
    codes = np.c_[rng.integers(-1, 3, n), rng.integers(-1, 40, n)]  # -1: left out
    rows = []
    for (a, b), (p, q) in zip(numbers.tolist(), codes.tolist(), strict=True):
        x = {"colour": f"c{p}", "a": a, "town": f"t{q}", "b": b}
        rows.append({key: v for key, v in x.items() if v not in ("c-1", "t-1")})
    y = np.where(numbers[:, 0] + (codes[:, 0] == 1) > 0.5, "yes", "no")
    return rows, numbers, codes, y


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("by", ["uniform", "distance"])
def test_texts_differ_by_one(metric, scale, by):
    """HEOM: numbers by their range, texts by 0 or 1; a text that is left out differs from any."""
    rows, numbers, codes, y = mixed_stream(150)
    options = {"k": 4, "window": 40, "scale": scale, "metric": metric, "weights": by}
    model, number = KNNClassifier(**options), KNNRegressor(**options)
    for i in range(150):
        if i:
            start = max(0, i - 40)
            window, x = oracle.scaled(numbers[start:i], numbers[i], scale)
            d = oracle.mixed(window, codes[start:i], x, codes[i], metric)
            order = oracle.within(np.round(d, 12), 4, "all")
            found = oracle.votes(y[start:i], np.ones(i), order, d[order], by)
            total = sum(found.values())
            for label, share in model.predict_proba_one(rows[i]).items():
                assert share == pytest.approx(found.get(label, 0.0) / total, rel=1e-9, abs=1e-12)
            v = 1.0 / (d[order] + 1e-12) if by == "distance" else np.ones(len(order))
            mean = (v * numbers[start:i, 0][order]).sum() / v.sum()
            assert number.predict_one(rows[i]) == pytest.approx(mean, rel=1e-9)
        model.learn_one(rows[i], y[i])
        number.learn_one(rows[i], numbers[i, 0])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("n_labels", [2, 5])
def test_values_differ_as_their_labels_do(metric, scale, n_labels):
    """The value-difference metric over the window; values that are left out, or not in it."""
    rows, numbers, codes, _ = mixed_stream(150)
    rng = np.random.default_rng(3)
    y = np.array(list("abcde"))[(codes[:, 0] + rng.integers(0, 2, 150)) % n_labels]
    w = rng.choice([0.5, 1.0, 3.0], 150)
    model = KNNClassifier(
        k=4, window=40, scale=scale, metric=metric, nominal_distance="value-difference"
    )
    asked = 0
    for i in range(150):
        if i:
            part = slice(max(0, i - 40), i)
            window, x = oracle.scaled(numbers[part], numbers[i], scale)
            q = 2 if metric == "euclidean" else 1
            d = (np.abs(window - x) ** q).sum(axis=1)
            d = d + oracle.value_difference(codes[part], y[part], w[part], codes[i], q)
            d = d ** (1 / q)
            order = oracle.within(np.round(d, 12), 4, "all")
            found = oracle.votes(y[part], w[part], order, d[order], "uniform")
            total = sum(found.values())
            for label, share in model.predict_proba_one(rows[i]).items():
                assert share == pytest.approx(found.get(label, 0.0) / total, rel=1e-9, abs=1e-12)
            asked += codes[i, 1] >= 0 and codes[i, 1] not in codes[part, 1]
        model.learn_one(rows[i], y[i], w[i])
    assert asked > 20  # values that no example had
    told = model.predict_proba_many(rows)
    again = loads(dumps(model))
    for i, x in enumerate(rows):
        shares = model.predict_proba_one(x)
        assert dict(zip(model.labels, told[i].tolist(), strict=True)) == shares
        assert again.predict_proba_one(x) == shares
    assert dumps(again) == dumps(model)


def test_value_differences_by_hand():
    """p comes with yes twice of three times, q always, r never."""
    model = KNNClassifier(k=1, scale=None, nominal_distance="value-difference")
    texts = ["p", "p", "p", "q", "r"]
    model.learn_many([{"t": t} for t in texts], ["yes", "yes", "no", "yes", "no"])
    assert model.predict_proba_one({"t": "q"})["yes"] == 1.0  # itself
    model.learn_many([{"t": "s"}] * 3, ["yes", "no", "yes"])
    assert model.predict_proba_one({"t": "s"}) == model.predict_proba_one({"t": "p"})
    assert model.predict_proba_one({"t": "s"})["yes"] == pytest.approx(4 / 6)  # p and s are alike
    # p comes with yes 3 times of 5, so q is (2/5)^2 away from it: farther than .3, not than .5.
    for away, told in ((0.3, "no"), (0.5, "yes")):
        near = KNNClassifier(k=1, scale=None, nominal_distance="value-difference")
        near.learn_many([{"t": "p", "x": 9.0}] * 4, ["yes", "yes", "yes", "no"])
        near.learn_many([{"t": "q", "x": 0.0}, {"t": "p", "x": away}], ["yes", "no"])
        assert near.predict_one({"t": "p", "x": 0.0}) == told


@pytest.mark.parametrize("learner", [KNNClassifier, KNNADWINClassifier])
def test_value_differences_help_where_values_are_many(learner):
    rng = np.random.default_rng(5)
    towns, days = rng.integers(0, 200, 3000), rng.integers(0, 7, (3000, 2))
    rows = [
        {"town": f"t{t}", "day": f"d{d}", "other": f"o{o}"}  # of which the last two tell nothing
        for t, (d, o) in zip(towns, days, strict=True)
    ]
    y = (towns % 2 == 0) ^ (rng.random(3000) < 0.05)
    right = {}
    for way in ("overlap", "value-difference"):
        model = learner(nominal_distance=way, scale=None)
        right[way] = (np.array(model.predict_learn_many(rows, y)) == y)[1000:].mean()
    assert right["value-difference"] > right["overlap"] + 0.05


def test_value_differences_without_an_index_and_without_examples():
    rows, _, codes, _ = mixed_stream(4700)
    model = KNNClassifier(window=4500, nominal_distance="value-difference")
    assert model.predict_one(rows[0]) is None
    model.learn_many(rows, codes[:, 0] % 2 == 0)
    held = KNNClassifier(window=4500, nominal_distance="value-difference")
    held.learn_many(rows[200:], codes[200:, 0] % 2 == 0)
    asked = [*rows[:20], {}]
    assert model.predict_many(asked).tolist() == [model.predict_one(x) for x in asked]
    assert model.predict_many(asked).tolist() == held.predict_many(asked).tolist()


def test_value_differences_are_refused_where_they_mean_nothing():
    with pytest.raises(ValueError, match="KNNRegressor: nominal_distance='value-difference' comp"):
        KNNRegressor(nominal_distance="value-difference")
    for metric in ("cosine", largest):
        with pytest.raises(ValueError, match=r"KNNClassifier: .* goes with metric='euclidean'"):
            KNNClassifier(nominal_distance="value-difference", metric=metric)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("ties", ["all", "first"])
def test_the_index_knows_nominal_values(metric, ties):
    rows, numbers, codes, _ = mixed_stream(5600)
    y = np.arange(5600.0) ** 2
    options = {"k": 6, "window": 4500, "metric": metric, "ties": ties}
    model, without = KNNRegressor(**options), KNNRegressor(**options)
    without._model.state.window.drop_index()
    for start, stop in ((0, 4800), (4800, 5050), (5050, 5600)):
        model.learn_many(rows[start:stop], y[start:stop])
        without.learn_many(rows[start:stop], y[start:stop])
        asked = mixed_stream(60, seed=stop)[0]
        asked += [{**x, "town": "never seen"} for x in asked[:10]] + [{"colour": "c1"}, {}]
        told = model.predict_many(asked)
        np.testing.assert_array_equal(told, without.predict_many(asked))
        np.testing.assert_array_equal(told, [model.predict_one(x) for x in asked])
    assert model.memory_bytes > without.memory_bytes + 4500 * 2 * 8
    window, x = oracle.scaled(numbers[-4500:], numbers[7], "minmax")
    d = oracle.mixed(window, codes[-4500:], x, codes[7], metric)
    expected = y[-4500:][oracle.within(d, 6, ties)].mean()
    assert model.predict_one(rows[7]) == pytest.approx(expected)


def test_a_function_sees_texts_as_equal_or_not():
    """Whatever it makes of differences, two texts differ by 0 or 1."""
    seen = []

    def metric(a, b):
        seen.append((a.tolist(), b.tolist()))
        return float(np.abs(a - b).sum())

    model = KNNClassifier(k=1, scale=None, metric=metric)
    model.learn_many([{"x": 1.0, "t": "p"}, {"x": 2.0, "t": "q"}, {"x": 3.0}], ["a", "b", "c"])
    assert model.predict_one({"x": 2.0, "t": "p"}) == "a"
    assert seen == [([2.0, 0.0], [1.0, 0.0]), ([2.0, 0.0], [2.0, 1.0]), ([2.0, 0.0], [3.0, 1.0])]


def test_a_text_that_was_refused_may_be_a_number_next():
    """A refused example leaves no trace: not in the kinds of its features either."""
    model, other = KNNClassifier(k=1), KNNClassifier(k=1)
    for x in ({"a": "text"}, {"b": 1.0, "a": 2.0}):
        with pytest.raises(ValueError, match="overflow"):
            model.learn_one(x, "yes", 1e101)
    for one in (model, other):
        one.learn_many([{"a": 1.0, "b": "p"}, {"a": 2.0, "b": "q"}], ["yes", "no"])
    assert dumps(model) == dumps(other)
    assert model.predict_one({"a": 1.9, "b": "q"}) == "no"


@pytest.mark.parametrize("values", [10, 3000])
def test_memory_does_not_grow_with_the_values_of_a_text(values):
    rng = np.random.default_rng(11)
    x = [{"t": f"v{v}", "u": float(v % 7)} for v in rng.integers(0, values, 4000).tolist()]
    model = KNNClassifier(window=200)
    model.learn_many(x, [one["u"] > 3.0 for one in x])
    assert model._model.state.memory() < 30_000
    assert (model.predict_many(x[-150:]) == [one["u"] > 3.0 for one in x[-150:]]).mean() > 0.95


def test_texts_may_be_features_of_their_own():
    """`one-hot` is the rule of before: two texts differ in two features."""
    model = KNNRegressor(
        k=1, scale=None, weights="distance", nominal_distance="one-hot", ties="first"
    )
    plain = KNNRegressor(k=1, scale=None, weights="distance", ties="first")
    rows = [{"t": "p", "x": 1.0}, {"t": "q", "x": 2.5}, {"x": 4.0}]
    model.learn_many(rows, [1.0, 2.0, 3.0])
    plain.learn_many([{"t=p": 1, "x": 1.0}, {"t=q": 1, "x": 2.5}, {"x": 4.0}], [1.0, 2.0, 3.0])
    for x in ({"t": "p", "x": 2.0}, {"t": "q", "x": 3.9}, {"x": 1.0}):
        hot = {f"t={x['t']}": 1, "x": x["x"]} if "t" in x else x
        assert model.predict_one(x) == plain.predict_one(hot)
    assert loads(dumps(model)).predict_one(rows[1]) == 2.0


@pytest.mark.parametrize("front", [None, StandardScaler])
def test_texts_come_back_from_a_file(front):
    rows, _, _, y = mixed_stream(120)
    knn = KNNClassifier(k=3, window=50, scale="standard", weights="distance")
    model = front() | knn if front else knn
    model.learn_many(rows[:70], y[:70])
    again = loads(dumps(model))
    for one in (model, again):
        one.learn_many(rows[70:], y[70:])
    assert dumps(model) == dumps(again)
    assert model.score_many(rows).tolist() == again.score_many(rows).tolist()


@pytest.mark.parametrize("scale", SCALES)
def test_one_neighbour_returns_the_label_of_a_duplicate(scale):
    X, _, _ = stream(2, 100)
    y = np.arange(100)
    model = KNNClassifier(k=1, window=100, scale=scale)
    model.learn_many(X, y)
    np.testing.assert_array_equal(model.predict_many(X), y)


def test_an_exact_match_dominates_by_distance():
    model = KNNClassifier(k=5, weights="distance")
    model.learn_many([[0.0], [0.1], [0.1], [0.1], [5.0]], ["a", "b", "b", "b", "b"])
    assert model.predict_one([0.0]) == "a"
    assert KNNClassifier(k=5, init=None).predict_one([0.0]) is None


def test_weights_are_votes():
    model = KNNClassifier(k=3)
    model.learn_many([[0.0], [1.0], [2.0]], ["a", "a", "b"], [1.0, 1.0, 3.0])
    assert model.predict_one([0.0]) == "b"
    assert model.predict_proba_one([0.0]) == {"a": 0.4, "b": 0.6}


def test_a_constant_feature_counts_nothing_and_the_query_is_not_in_the_range():
    model = KNNClassifier(k=1)
    model.learn_many([[0.0, 7.0], [1.0, 7.0]], ["a", "b"])
    assert model.predict_one([0.0, 1e6]) == "a"
    assert model.predict_one([1e6, 7.0]) == "b"


def test_late_features_were_zero_before():
    late, early = KNNClassifier(k=1), KNNClassifier(k=1)
    for x, y in (({"a": 1.0}, "p"), ({"a": 2.0, "b": 3.0}, "q"), ({"b": -1.0}, "r")):
        late.learn_one(x, y)
        early.learn_one({"a": 0.0, "b": 0.0, **x}, y)
    rng = np.random.default_rng(0)
    for a, b in rng.normal(size=(50, 2)).tolist():
        assert late.predict_one({"a": a, "b": b}) == early.predict_one({"a": a, "b": b})


@pytest.mark.parametrize("scale", SCALES)
def test_a_long_run_of_the_window_keeps_its_scales(scale):
    """After many turns of the ring, and jumps in size, distances are still those of the window."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1000, 2)) * np.where(np.arange(1000) % 400 < 100, 1e6, 1.0)[:, None]
    model = KNNRegressor(k=3, window=50, scale=scale)
    model.learn_many(X, X[:, 0])
    for x in rng.normal(size=(20, 2)):
        order, _ = oracle.neighbours(X[-50:], x, 3, scale, "euclidean")
        assert model.predict_one(x) == pytest.approx(X[-50:, 0][order].mean(), rel=1e-9)


def test_errors_of_a_metric_are_raised():
    def broken(a, b):
        raise RuntimeError("no distance")

    def negative(a, b):
        return -1.0

    for metric, error in ((broken, RuntimeError), (negative, ValueError)):
        classifier, regressor = KNNClassifier(metric=metric), KNNRegressor(metric=metric)
        for model in (
            classifier,
            regressor,
            StandardScaler() | classifier,
            StandardScaler() | regressor,
        ):
            model.learn_one([1.0], 1)
            with pytest.raises(error):
                model.predict_one([1.0])
            with pytest.raises(error):
                model.predict_many([[1.0]])
            with pytest.raises(error):
                model.predict_learn_many([[1.0]], [1])


class Switched:
    """A metric that can be switched off, and cannot measure 9."""

    works = True

    def __call__(self, a, b):
        if not self.works or 9.0 in a:
            raise RuntimeError("no distance")
        return float(np.abs(a - b).sum())


@pytest.mark.parametrize("front", [None, MinMaxScaler, StandardScaler])
@pytest.mark.parametrize("label", ["a", "c"])
def test_what_the_metric_cannot_measure_is_not_learned(front, label):
    """ADWIN needs the prediction for an example, and there is none without the metric."""
    metric = Switched()
    knn = KNNADWINClassifier(k=1, window=40, scale=None, metric=metric)
    model = knn if front is None else front() | knn
    model.learn_many([{"x": 1.0}, {"x": 2.0}, {"x": 4.0}], ["a", "b", "a"])
    before = pickle.dumps(model._model.snapshot())
    metric.works = False
    for x in ({"x": 3.0}, {"x": 8.0, "new": 1.0}):
        with pytest.raises(RuntimeError, match="no distance"):
            model.learn_one(x, label)
        for many in (model.learn_many, model.predict_learn_many):
            with pytest.raises(RuntimeError, match="no distance") as error:
                many([x], [label])
            assert "row 0: a function" in error.value.__notes__[-1]
    assert pickle.dumps(model._model.snapshot()) == before
    metric.works = True
    assert model.predict_one({"x": 2.1}) in ("a", "b")  # nothing is left of the errors
    model.learn_one({"x": 3.0}, "b")
    assert model.seen == 4


@pytest.mark.parametrize("cls", [KNNClassifier, KNNADWINClassifier, KNNRegressor])
def test_a_block_ends_where_the_metric_fails(cls):
    X, y = [[1.0], [2.0], [3.0], [9.0], [4.0]], [1, 2, 1, 2, 1]
    model, before = (cls(k=1, scale=None, metric=Switched()) for _ in range(2))
    with pytest.raises(RuntimeError, match="no distance") as error:
        model.predict_learn_many(X, y)
    assert error.value.__notes__ == [
        f"{cls.__name__}: row 3: a function that it was given has failed. "
        f"The rows before it were learned."
    ]
    before.learn_many(X[:3], y[:3])
    assert dumps(model) == dumps(before)


def test_functions_are_given_again():
    model = KNNClassifier(k=1, metric=largest)
    model.learn_many([[0.0, 0.0], [1.0, 5.0]], ["a", "b"])
    assert loads(dumps(model), metric=largest).predict_one([1.0, 4.0]) == "b"
    with pytest.raises(ValueError, match="metric"):
        loads(dumps(model))


# -- long windows have an index ---------------------------------------------------------------


def nearest(rows, x, k, scale, metric, ties):
    """Brute force in the order of the features, as the learner adds up: ties are then the same."""
    spread = rows.max(axis=0) - rows.min(axis=0)
    factor = np.ones(rows.shape[1])
    if scale == "minmax":
        factor = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0.0)
    d = np.zeros(len(rows))
    for j in range(rows.shape[1]):
        v = (x[j] - rows[:, j]) * factor[j]
        d += v * v if metric == "euclidean" else np.abs(v)
    return oracle.within(d, k, ties)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("scale", ["minmax", None])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("ties", ["all", "first"])
def test_the_index_of_a_long_window_is_exact(metric, scale, whole, ties):
    """The index is made anew every so often, points leave, scales change; many distances tie."""
    rng = np.random.default_rng(5)
    n, window, k = 6000, 4300, 7
    X = rng.integers(0, 9, (n, 3)).astype(float) if whole else rng.normal(size=(n, 3))
    X[:, 1] *= 50.0
    X[1000, 0] = 30.0  # the range until it leaves
    model = KNNRegressor(k=k, window=window, scale=scale, metric=metric, ties=ties)
    y = np.arange(n) ** 2.0  # the mean tells which they were
    for start in range(4200, n, 150):
        model.learn_many(X[model.seen : start], y[model.seen : start])
        kept = slice(max(0, start - window), start)
        for x in rng.normal(size=(2, 3)) * [2.0, 100.0, 2.0] + 4.0 * whole:
            x = np.round(x) if whole else x
            expected = y[kept][nearest(X[kept], x, k, scale, metric, ties)].mean()
            assert model.predict_one(x) == pytest.approx(expected, rel=1e-12)
    without = KNNRegressor(k=k, window=window, scale=scale, metric=metric, ties=ties)
    without._model.state.window.drop_index()
    without.learn_many(X, y)
    model.learn_many(X[model.seen :], y[model.seen :])
    assert model.memory_bytes > without.memory_bytes + 4000 * 3 * 8
    assert dumps(model) == dumps(without)
    np.testing.assert_array_equal(without.predict_many(X), model.predict_many(X))
    again = loads(dumps(model))
    np.testing.assert_array_equal(again.predict_many(X[:200]), model.predict_many(X[:200]))


def test_an_index_that_saves_nothing_is_not_kept():
    X = np.random.default_rng(6).random((5000, 60))
    model = KNNClassifier(window=5000)
    model.learn_many(X, X[:, 0] > 0.5)
    assert model.memory_bytes < 1.3 * X.nbytes + 60 * 2 * 5000 * 4


def test_a_long_window_that_shrinks():
    rng = np.random.default_rng(7)
    X = rng.random((9000, 2))
    y = (X[:, 0] > 0.5) ^ (np.arange(9000) >= 6000)
    model = KNNADWINClassifier(window=6000)
    model.learn_many(X, y)
    assert 1000 < model.width < 5000
    fixed = KNNClassifier(window=6000)
    fixed.learn_many(X[-model.width :], y[-model.width :])
    np.testing.assert_array_equal(model.predict_many(X[:300]), fixed.predict_many(X[:300]))


# -- few of very many features ----------------------------------------------------------------


def thin_stream(n, seed=13, fresh=4):
    """Mappings that share three features, and bring some that come once, or again later."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        x = {f"{i}.{j}": float(rng.integers(-3, 4)) for j in range(fresh)}
        x |= {f"{i - 7}.1": float(rng.integers(0, 3)), f"t{i % 90}": f"v{rng.integers(3)}"}
        x |= {name: float(rng.integers(-2, 9)) for name in "abc" if rng.random() < 0.97}
        rows.append({key: x[key] for key in rng.permutation(list(x)).tolist()})
    return rows


@pytest.mark.parametrize("scale", ["minmax", None])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("window", [1, 2, 60])
def test_rows_of_few_features_are_compared_as_full_ones(scale, metric, window):
    """Kept as rows or in tiles, bit for bit the same."""
    rows = thin_stream(400)
    y = np.arange(400.0) ** 2
    options = {"k": 3, "window": window, "scale": scale, "metric": metric, "weights": "distance"}
    thin, full = KNNRegressor(**options), KNNRegressor(**options)
    full._model.state.window.keep_tiles()
    for start in range(0, 400, 40):
        block, targets = rows[start : start + 40], y[start : start + 40]
        told = [thin.predict_one(x) for x in block[:9]]
        assert told == [full.predict_one(x) for x in block[:9]]
        assert told == thin.predict_many(block[:9]).tolist()
        thin.learn_many(block, targets)
        for x, target in zip(block, targets.tolist(), strict=True):
            full.learn_one(x, target)
        assert dumps(thin) == dumps(full)
        thin = loads(dumps(thin))
    assert thin._model.state.window.in_rows
    assert not full._model.state.window.in_rows


def test_rows_are_dropped_when_adwin_finds_a_change():
    rows = thin_stream(700, fresh=2)
    y = [(x.get("a", 0.0) > 3.0) == (i < 400) for i, x in enumerate(rows)]
    thin, full = (KNNADWINClassifier(k=3, window=500) for _ in range(2))
    full._model.state.window.keep_tiles()
    for start in range(0, 700, 50):
        for model in (thin, full):
            model.learn_many(rows[start : start + 50], y[start : start + 50])
        assert thin.score_many(rows[:40]).tolist() == full.score_many(rows[:40]).tolist()
    assert dumps(thin) == dumps(full)
    assert thin.width < 480
    assert thin._model.state.window.in_rows


def test_rows_become_tiles_where_examples_are_full():
    rng = np.random.default_rng(14)
    rows = thin_stream(200) + [
        {f"{i}.{j}": float(v) for i in range(200) for j, v in enumerate(rng.random(4) + 1.0)}
        for _ in range(40)
    ]
    model, full = KNNRegressor(window=50), KNNRegressor(window=50)
    full._model.state.window.keep_tiles()
    states = []
    for i, x in enumerate(rows):
        assert model.predict_one(x) == full.predict_one(x)
        model.learn_one(x, float(i))
        full.learn_one(x, float(i))
        states.append(model._model.state.window.in_rows)
    assert (states[0], states[199], states[-1]) == (False, True, False)
    assert dumps(model) == dumps(full)


def test_features_that_left_the_window_give_their_memory_back():
    model = KNNClassifier(window=100)
    held = []
    for start in range(0, 6000, 1000):
        rows = [{f"{start + i}.{j}": 1.0 + j for j in range(10)} for i in range(1000)]
        model.learn_many(rows, [i % 2 for i in range(1000)])
        held.append(model._model.state.memory())
    assert held[-1] < 150 * 60_000  # not 100 examples times 60,000 features
    assert len(dumps(model)) < 60_000 * 40


# -- with ADWIN ------------------------------------------------------------------------------------


def test_the_window_shrinks_with_adwin():
    """Errors before insertion; on a change the oldest leave until it is as short as ADWIN's."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(900, 2))
    y = np.where((X[:, 0] > 0) ^ (np.arange(900) >= 500), "a", "b")
    model, adwin, start = KNNADWINClassifier(k=3, window=400), PlainADWIN(), 0
    for i in range(900):
        guess = model.predict_one(X[i])
        fixed = KNNClassifier(k=3, window=400)
        if i % 50 == 0 and i:
            fixed.learn_many(X[start:i], y[start:i])
            assert fixed.predict_one(X[i]) == guess
        model.learn_one(X[i], y[i])
        start = max(start, i + 1 - 400)
        if guess is not None and adwin.update(float(guess != y[i])):
            start = max(start, i + 1 - len(adwin.items))
        assert model.width == i + 1 - start
    assert model.width < 400


class Counted:
    """A metric that counts its calls."""

    def __init__(self):
        self.calls = 0

    def __call__(self, a, b):
        self.calls += 1
        return float(np.abs(a - b).sum())


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("front", [StandardScaler, MinMaxScaler, None])
def test_adwin_hears_of_the_prediction_before_anything_is_learned(front, asked):
    """Behind a scaler, too, which learns the row before it is remembered; and with one search."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60, 1)) * np.exp(0.2 * np.arange(60))[:, None]  # the scale moves quickly
    y = rng.choice(["a", "b", "c"], 60)
    metric = Counted()
    knn = KNNADWINClassifier(k=3, window=40, scale=None, metric=metric)
    model, errors = (front() | knn if front else knn), []
    for i in range(60):
        guess = model.predict_one(X[i])
        errors += [guess != y[i]] if guess is not None else []
        metric.calls = 0
        if asked:
            model.predict_learn_many(X[i : i + 1], y[i : i + 1])
        else:
            model.learn_one(X[i], y[i])
        assert metric.calls <= min(i, 40) * (1 + (asked and y[i] not in y[:i]))
        assert model._model.export()["adwin"]["total"] == sum(errors)


def test_without_a_change_it_is_the_plain_learner():
    X, y, _ = stream(6, 300)
    y = np.where(X[:, 0] > 0.0, "a", "b")
    plain, adaptive = KNNClassifier(window=100), KNNADWINClassifier(window=100)
    np.testing.assert_array_equal(plain.predict_learn_many(X, y), adaptive.predict_learn_many(X, y))


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="../shared/data is absent")
@pytest.mark.parametrize(("scale", "accuracy"), [("minmax", 0.836), ("standard", 0.855)])
def test_electricity(scale, accuracy):
    import pyarrow.parquet as pq

    frame = pq.read_table(SHARED / "electricity.parquet").to_pandas()
    y = frame.pop("y").astype(str).to_numpy()
    X = frame.astype(float).to_numpy()
    assert (KNNClassifier(scale=scale).predict_learn_many(X, y) == y).mean() >= accuracy


@pytest.mark.parametrize("window", [4_000, 5_000])  # without and with an index
def test_a_spread_too_small_to_divide_by_is_none(window):
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=window), np.where(np.arange(window) % 2, 0.0, 1e-310)]
    model = KNNClassifier(window=window, k=3)
    model.learn_many(X, X[:, 0] > 0.0)
    asked = np.c_[[-2.0, -1.0, 1.0, 2.0], np.zeros(4)]
    assert model.predict_many(asked).tolist() == [False, False, True, True]


def test_a_long_window_of_nothing():
    model = KNNClassifier(window=5_000, k=3)
    model.learn_many([{}] * 4_500, [i % 2 for i in range(4_500)])
    assert model.predict_one({}) in (0, 1)


# -- what others count as ties: MOA all, scikit-learn none ---------------


def test_all_ties_are_moas():
    """Wherever one label has most votes; equal votes go to the first label there."""
    rows, labels = moa.stream("few")
    told = np.array(moa.answers("neighbours"))
    differ = {}
    for ties in ("all", "first"):
        model = KNNClassifier(k=5, window=500, ties=ties, labels=[0, 1, 2])
        shares = np.asarray(model.predict_learn_many(rows, labels, output="proba"))
        second, most = np.sort(shares, axis=1)[:, 1:].T
        clear = most > second + 1e-9
        assert clear.sum() > 3000
        differ[ties] = (shares.argmax(axis=1) != told)[clear].sum()
    assert differ["all"] == 0 < differ["first"]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_first_ties_are_as_many_as_in_scikit_learn(metric):
    """Whichever of the tied ones it takes: shown where they have one label."""
    theirs = pytest.importorskip("sklearn.neighbors")
    rng = np.random.default_rng(3)
    X, asked = rng.integers(0, 5, (100, 3)).astype(float), rng.integers(0, 5, (400, 3)) * 1.0
    y = ((X[:, 0] > 2) ^ (rng.random(100) < 0.15)).astype(int)
    batch = theirs.KNeighborsClassifier(7, algorithm="brute", metric=metric).fit(X, y)
    shares, free = {}, []
    for ties in ("all", "first"):
        model = KNNClassifier(k=7, window=300, scale=None, metric=metric, ties=ties)
        model.learn_many(X, y)
        order = np.argsort(model.labels)
        shares[ties] = np.asarray(model.predict_proba_many(asked))[:, order]
    for x in asked:
        d = oracle.distances(X, x, metric)
        kth = np.sort(d)[6]
        free.append(len(set(y[np.isclose(d, kth)].tolist())) == 1)
    assert sum(free) > 50
    expected = batch.predict_proba(asked)[free]
    np.testing.assert_allclose(shares["first"][free], expected, rtol=1e-12)
    assert not np.allclose(shares["all"][free], expected)
