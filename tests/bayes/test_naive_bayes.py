"""Naive Bayes: the table of the lecture, batches, any order, merging, unlearning."""

import math
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from onstream import NotMergeable
from onstream.base import DataWarning
from onstream.bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from onstream.features import BagOfWords, FeatureHasher, MinMaxScaler, Select, StandardScaler
from onstream.persist import dumps, loads

SHARED = Path(__file__).parents[3] / "shared" / "data"
LECTURE = [
    (("red", "circle", "big"), "+"),
    (("blue", "triangle", "small"), "+"),
    (("red", "square", "small"), "+"),
    (("red", "triangle", "big"), "-"),
    (("blue", "circle", "small"), "-"),
]
NAMES = ("colour", "shape", "size")


def row(values):
    return dict(zip(NAMES, values, strict=True))


def lecture(cls=CategoricalNB, **params):
    model = cls(**params)
    for values, y in LECTURE:
        model.learn_one(row(values), y)
    return model


# -- the table of the lecture ---------------


@pytest.mark.parametrize("cls", [CategoricalNB, GaussianNB])
@pytest.mark.parametrize(
    ("alpha", "prior", "query", "chance"),
    [
        (0.0, 0.0, ("blue", "triangle", "small"), Fraction(8, 17)),
        (1.0, 0.0, ("blue", "triangle", "small"), Fraction(6, 11)),
        (1.0, 1.0, ("blue", "triangle", "small"), Fraction(16, 31)),
        (0.0, 0.0, ("red", "square", "big"), Fraction(1)),
        (1.0, 0.0, ("red", "square", "big"), Fraction(12, 17)),
    ],
)
def test_the_table_of_the_lecture(cls, alpha, prior, query, chance):
    model = lecture(cls, alpha=alpha, prior_alpha=prior)
    told = model.predict_proba_one(row(query))
    assert told["+"] == pytest.approx(float(chance), rel=1e-14)
    assert sum(told.values()) == pytest.approx(1.0, rel=1e-15)


def test_the_single_chances_of_the_lecture():
    """P(v | label), from the odds of one feature: the prior, 3 to 2, is taken out again."""
    told = {
        1.0: {"red": ("3/5", "1/2"), "blue": ("2/5", "1/2"), "circle": ("1/3", "2/5"),
              "triangle": ("1/3", "2/5"), "square": ("1/3", "1/5"), "small": ("3/5", "1/2")},
        0.0: {"red": ("2/3", "1/2")},
    }  # fmt: skip
    for alpha, chances in told.items():
        model = lecture(alpha=alpha)
        for value, (plus, minus) in chances.items():
            name = next(n for values, _ in LECTURE for n, v in row(values).items() if v == value)
            proba = model.predict_proba_one({name: value})
            odds = Fraction(plus) / Fraction(minus) * Fraction(3, 2)
            assert proba["+"] / proba["-"] == pytest.approx(float(odds), rel=1e-14)
    assert lecture(alpha=0.0).predict_proba_one({"shape": "square"})["-"] == 0.0


def test_the_log_odds_of_the_lecture():
    model = lecture()
    score = model.score_one(row(("blue", "triangle", "small")))
    assert score == pytest.approx(-math.log(1.2), rel=1e-14)  # the second label, "-", is coded +1
    assert abs(score) == pytest.approx(0.182322, abs=1e-6)


def test_smoothing_flips_the_decision():
    query = row(("blue", "triangle", "small"))
    assert lecture(alpha=0.0).predict_one(query) == "-"
    assert lecture(alpha=1.0).predict_one(query) == "+"


def test_declared_values():
    """V of 10 values instead of the 2 that were seen."""
    model = lecture(n_values={"colour": 10})
    proba = model.predict_proba_one({"colour": "red"})
    assert proba["+"] / proba["-"] == pytest.approx(3 / 13 / (2 / 12) * 1.5, rel=1e-14)


def test_values_never_seen_count_zero():
    model = lecture()
    proba = model.predict_proba_one({"colour": "green"})
    assert proba["+"] / proba["-"] == pytest.approx(1 / 5 / (1 / 4) * 1.5, rel=1e-14)


def test_missing_features_are_skipped():
    model = lecture()
    for missing in ({}, {"colour": None}, {"colour": math.nan}, {"other": 3.0}):
        assert model.predict_proba_one(missing)["+"] == pytest.approx(0.6, rel=1e-14)
    for cls in (GaussianNB, CategoricalNB):
        with_gaps, without = lecture(cls), lecture(cls)
        with_gaps.learn_one({"colour": None, "x": math.nan}, "+")
        without.learn_one({}, "+")
        query = row(("red", "circle", "big"))
        assert with_gaps.predict_proba_one(query) == without.predict_proba_one(query)


def test_a_coin_and_a_die_are_beta_and_dirichlet():
    """The worked cases of the docs: odds are those of the posterior chances."""
    flips = {"bent": (1, 1, 0, 1), "fair": (1, 0, 0, 1)}
    coin, die, chance = BernoulliNB(alpha=2.0), CategoricalNB(alpha=2.0), {}
    for label, own in flips.items():
        a = b = 2.0
        for heads in own:
            coin.learn_one({"heads": heads}, label)
            die.learn_one({"side": "heads" if heads else "tails"}, label)
            a, b = a + heads, b + 1 - heads
        chance[label] = a / (a + b)
    for told in (coin.predict_proba_one({"heads": 1}), die.predict_proba_one({"side": "heads"})):
        odds = told["bent"] / told["fair"]
        assert odds == pytest.approx(chance["bent"] / chance["fair"], rel=1e-14)


# -- batches: scikit-learn ---------------


@pytest.fixture(scope="module")
def sklearn_nb():
    return pytest.importorskip("sklearn.naive_bayes")


def data(seed=0, n=300, d=6, k=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    X = rng.normal(size=(n, d)) * rng.lognormal(size=d) + y[:, None] * rng.normal(size=d)
    return X, y


def logs(theirs, X):
    return theirs.predict_joint_log_proba(X)


def ours(model, X):
    """Joints in the order of the labels 0, 1, 2."""
    order = [model.labels.index(y) for y in sorted(model.labels)]
    return model.score_many(X)[:, order]


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_gaussian_is_the_batch(sklearn_nb, offset):
    X, y = data()
    X = X + offset
    model = GaussianNB(variance_floor=0.0)
    model.learn_many(X, y)
    theirs = sklearn_nb.GaussianNB().fit(X, y)
    np.testing.assert_allclose(ours(model, X), logs(theirs, X), rtol=1e-9)
    two = GaussianNB(variance_floor=0.0)
    two.learn_many(X[y < 2], y[y < 2])
    odds = logs(sklearn_nb.GaussianNB().fit(X[y < 2], y[y < 2]), X)
    sign = 1.0 if two.labels[0] == 1 else -1.0  # 0 first: 1 is coded +1 either way
    np.testing.assert_allclose(
        two.score_many(X), odds[:, 1] - odds[:, 0], rtol=1e-9, atol=1e-9 * abs(sign)
    )


@pytest.mark.parametrize("alpha", [1.0, 0.1])
def test_categorical_is_the_batch(sklearn_nb, alpha):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (400, 5)), rng.integers(0, 3, 400)
    model = CategoricalNB(alpha=alpha)
    model.learn_many(X, y)
    theirs = sklearn_nb.CategoricalNB(alpha=alpha).fit(X, y)
    np.testing.assert_allclose(ours(model, X), logs(theirs, X), rtol=1e-12)


@pytest.mark.parametrize("alpha", [1.0, 0.1])
def test_multinomial_is_the_batch(sklearn_nb, alpha):
    rng = np.random.default_rng(2)
    X, y = rng.poisson(1.0, (300, 8)), rng.integers(0, 3, 300)
    model = MultinomialNB(alpha=alpha)
    model.learn_many(X, y)
    theirs = sklearn_nb.MultinomialNB(alpha=alpha).fit(X, y)
    np.testing.assert_allclose(ours(model, X), logs(theirs, X), rtol=1e-12)


@pytest.mark.parametrize("alpha", [1.0, 0.1])
def test_bernoulli_is_the_batch(sklearn_nb, alpha):
    rng = np.random.default_rng(3)
    X, y = rng.poisson(0.7, (300, 300)), rng.integers(0, 3, 300)
    model = BernoulliNB(alpha=alpha)
    model.learn_many(X, y)
    theirs = sklearn_nb.BernoulliNB(alpha=alpha).fit(X, y)
    np.testing.assert_allclose(ours(model, X), logs(theirs, X), rtol=1e-12)
    before = model.predict_proba_many(X)
    np.testing.assert_allclose(before.sum(axis=1), 1.0, rtol=1e-14)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB"])
def test_columns_of_arrays_count_though_they_were_never_above_0(sklearn_nb, name, kind):
    """The width of an array is declared: V counts all columns, and an empty one speaks, too."""
    rng = np.random.default_rng(4)
    X, y = rng.poisson(1.0, (200, 9)), rng.integers(0, 3, 200)
    X[:150, [2, 5]] = 0
    X[:, 7] = 0
    asked = np.vstack([X, np.eye(9, dtype=int)])
    cls = {"MultinomialNB": MultinomialNB, "BernoulliNB": BernoulliNB}[name]
    model, one, two = cls(), cls(), cls()
    for start in range(0, 200, 50):
        part = slice(start, start + 50)
        model.learn_many(kind(X[part]), y[part])
        (one if start < 100 else two).learn_many(kind(X[part]), y[part])
        theirs = getattr(sklearn_nb, name)().fit(X[: start + 50], y[: start + 50])
        np.testing.assert_allclose(ours(model, asked), logs(theirs, asked), rtol=1e-12)
    one.merge(two)
    for same in (one, loads(dumps(model))):
        np.testing.assert_allclose(ours(same, asked), logs(theirs, asked), rtol=1e-12)
    model.learn_one({0: 1.0, "new": 2.0}, 1)  # a feature with a name counts once it is above 0
    model.learn_one({"other": 0.0}, 1)
    rows = np.vstack([np.c_[X, np.zeros(200, dtype=int)], [1, *[0] * 8, 2], [0] * 10])
    theirs = getattr(sklearn_nb, name)().fit(rows, [*y, 1, 1])
    np.testing.assert_allclose(
        ours(model, asked), logs(theirs, np.c_[asked, np.zeros(len(asked))]), rtol=1e-12
    )


def test_negative_counts_are_told_once():
    told = r"^MultinomialNB: feature 'b' is -2, and a count is not below 0: .* left out"
    model = MultinomialNB()
    with pytest.warns(DataWarning, match=told):
        model.learn_one({"a": 3.0, "b": -2.0}, "x")
    model.learn_one({"c": -2.0, "d": 1.0}, "y")  # once is enough
    other = MultinomialNB()
    with pytest.warns(DataWarning, match="feature 1 is -1"):
        other.learn_many([[3.0, 0.0], [1.0, -1.0]], ["x", "y"])
    other.learn_many([[3.0, 0.0], [1.0, -1.0]], ["x", "y"])
    with pytest.warns(DataWarning, match="feature 'b' is -2"):
        MultinomialNB().learn_many([{"a": 1.0}, {"b": -2.0}], ["x", "x"])
    scaled = StandardScaler() | MultinomialNB()
    scaled.learn_one({"a": 1.0}, "x")
    with pytest.warns(DataWarning, match=r"^Pipeline: feature 'a' is -1, and a count"):
        scaled.learn_one({"a": -5.0}, "x")
    quiet = BernoulliNB()
    quiet.learn_one({"a": -1.0}, "x")  # not above 0 is absent: that is what it says


def test_signed_slots_are_no_counts():
    nb = BernoulliNB()  # to which a value below 0 is an absent feature
    for front in (
        FeatureHasher(),
        BagOfWords() | FeatureHasher(hash_bits=4),
        MinMaxScaler() + FeatureHasher(),
    ):
        with pytest.raises(ValueError, match=rf"^Pipeline: {type(nb).__name__} .*signed=False"):
            front | nb
    with pytest.raises(ValueError, match=r"^Pipeline: .*NB .* leave out hash_bits"):
        BagOfWords(hash_bits=8) | nb
    model = FeatureHasher(signed=False, hash_bits=6) | nb
    for i in range(20):
        model.learn_one({f"word {i % 4}": 1.0, f"other {i % 3}": 1.0}, i % 4 < 2)
    assert model.predict_one({"word 0": 1.0})
    assert not model.predict_one({"word 3": 1.0})
    BagOfWords() | nb  # and these are as before
    FeatureHasher() | MinMaxScaler() | nb
    model = FeatureHasher(hash_bits=4) | MultinomialNB()
    with pytest.warns(DataWarning, match="a count is not below 0.* signed=False"):
        model.learn_many([{f"word {i}": 1.0} for i in range(20)], [i % 2 == 0 for i in range(20)])
    assert dumps(loads(dumps(model))) == dumps(model)


def oracle_of_counts(cls, X, y, w, asked, alpha):
    """Joints of all labels, term by term; every column counts."""
    joints = []
    for k in np.unique(y):
        own, weight = X[y == k], w[y == k]
        prior = math.log(weight.sum() / w.sum())
        if cls is MultinomialNB:
            c = weight @ own
            joints.append(prior + asked @ np.log((c + alpha) / (c.sum() + alpha * X.shape[1])))
        else:
            p = (weight @ (own > 0) + alpha) / (weight.sum() + 2 * alpha)
            joints.append(prior + np.where(asked > 0, np.log(p), np.log1p(-p)).sum(axis=1))
    return np.stack(joints, axis=1)


@pytest.mark.parametrize("whole", [True, False], ids=["whole weights", "any weights"])
@pytest.mark.parametrize("alpha", [1.0, 1e-3])
@pytest.mark.parametrize("cls", [MultinomialNB, BernoulliNB])
def test_counts_of_many_labels(cls, alpha, whole):
    """Rare and frequent features, labels that come late; saved models say the same bits."""
    rng = np.random.default_rng(7)
    n, d, k = 900, 90, 21
    X = rng.poisson(rng.uniform(0.05, 2.0, d), (n, d)).astype(float)
    X[:, 0] = 0.0
    X[-1] = 1.0
    y = np.minimum(rng.geometric(0.3, n) - 1, rng.integers(0, k, n))  # label 0 is frequent
    w = rng.integers(1, 3, n).astype(float) if whole else rng.uniform(0.1, 3.0, n)
    model, parts = cls(alpha=alpha), cls(alpha=alpha)
    model.learn_many(X, y, w)
    for i in range(n):
        parts.learn_one(X[i], int(y[i]), w[i])
        if i % 300 == 150:
            parts = loads(dumps(parts))
    asked = np.vstack([X[:40], np.zeros((1, d)), np.ones((1, d))])
    expected = oracle_of_counts(cls, X, y, w, asked, alpha)
    np.testing.assert_allclose(ours(model, asked), expected, rtol=1e-11)
    for same in (parts, loads(dumps(model))):
        np.testing.assert_array_equal(same.score_many(asked), model.score_many(asked))
    sparse = cls(alpha=alpha)
    sparse.learn_many(sp.csr_matrix(X), y, w)
    np.testing.assert_allclose(ours(sparse, sp.csr_matrix(asked)), expected, rtol=1e-11)
    for i in range(600, n):
        model.unlearn_one(X[i], int(y[i]), w[i])
    expected = oracle_of_counts(cls, X[:600], y[:600], w[:600], asked, alpha)
    left = np.isin(sorted(model.labels), y[:600])
    np.testing.assert_allclose(ours(model, asked)[:, left], expected, rtol=1e-9)


def test_bernoulli_without_smoothing():
    """A feature that one label always has, and the other never."""
    model = BernoulliNB(alpha=0.0)
    for _ in range(3):
        model.learn_one({"a": 1.0, "b": 1.0}, "x")
    model.learn_one({"b": 1.0}, "y")
    model.learn_one({"c": 1.0}, "y")
    assert model.predict_proba_one({"a": 1.0, "b": 1.0}) == {"x": 1.0, "y": 0.0}
    assert model.predict_proba_one({"b": 1.0}) == {"x": 0.0, "y": 1.0}
    chance = model.predict_proba_one({"a": 1.0, "c": 1.0})  # impossible for both
    assert all(math.isfinite(v) for v in chance.values())


def test_wide_rows_of_numbers():
    """More than eight features, and variances too small or large to be multiplied."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 21)) * 10.0 ** rng.integers(-40, 40, 21)
    y = rng.integers(0, 2, 200)
    model = GaussianNB(variance_floor=0.0, var_smoothing=1e-100)
    model.learn_many(X, y)
    epsilon = 1e-100 * X.var(axis=0).max()
    expected = []
    for k in (0, 1):
        own = X[y == k]
        var = own.var(axis=0) + epsilon
        log = -0.5 * ((X - own.mean(axis=0)) ** 2 / var + np.log(2 * np.pi * var))
        expected.append(log.sum(axis=1) + math.log((y == k).mean()))
    np.testing.assert_allclose(model.score_many(X), expected[1] - expected[0], rtol=1e-7, atol=1e-7)


def oracle_of_floors(X, y, asked, share):
    """Joints with each variance raised by a share of the feature's variance over all labels."""
    joints = []
    for k in np.unique(y):
        own = X[y == k]
        var = own.var(axis=0) + share * X.var(axis=0)
        there = var > 0.0  # a feature that is constant everywhere says nothing
        log = (asked - own.mean(axis=0))[:, there] ** 2 / var[there] + np.log(
            2 * np.pi * var[there]
        )
        joints.append(math.log((y == k).mean()) - 0.5 * log.sum(axis=1))
    return np.stack(joints, axis=1)


@pytest.mark.parametrize("share", [1e-3, 0.1])
@pytest.mark.parametrize("d", [3, 8, 21])
def test_each_feature_has_a_floor_of_its_own(d, share):
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(200, d)) * 10.0 ** rng.integers(-6, 7, d), rng.integers(0, 3, 200)
    X[y == 1, 0] = 5.0  # constant for one label
    asked = X[:50] + 0.1 * X.std(axis=0)
    expected = oracle_of_floors(X, y, asked, share)
    rows = [dict(enumerate(x)) for x in X.tolist()]
    for kind, told in ((X, asked), (rows, [dict(enumerate(x)) for x in asked.tolist()])):
        model = GaussianNB(variance_floor=share)
        model.learn_many(kind, y)
        np.testing.assert_allclose(ours(model, told), expected, rtol=1e-9)
    units = GaussianNB(variance_floor=share)
    scale = 2.0 ** rng.integers(-20, 20, d)
    units.learn_many(X * scale, y)
    np.testing.assert_array_equal(units.predict_many(asked * scale), model.predict_many(told))


def test_a_feature_that_is_constant_everywhere():
    """It tells nothing among the labels that have it, and speaks for them against others."""
    X, y = np.array([[1.0, 5.0], [2.0, 5.0], [7.0, 5.0], [8.0, 5.0]]), np.array([0, 0, 1, 1])
    model, other = GaussianNB(), GaussianNB()
    model.learn_many(X, y)
    other.learn_many(X[:, :1], y)
    assert model.score_one([3.0, 5.0]) == pytest.approx(other.score_one([3.0]), rel=1e-9)
    for _ in range(3):
        model.learn_one({"seen": 1.0}, 2)
    least = 1e-9 * X[:, 0].var()
    told = model.score_one({"seen": 1.0})
    prior = math.log(3 / 7)
    assert told[2] == pytest.approx(prior - 0.5 * math.log(2 * math.pi * least), rel=1e-9)
    assert told[0] == told[1] == pytest.approx(math.log(2 / 7))


def test_the_largest_variance_is_that_of_all_features():
    """Kept up to date by the features of each example, also when the largest one falls."""
    rng = np.random.default_rng(5)
    model = GaussianNB(variance_floor=0.0, var_smoothing=0.1)
    rows = []
    for i in range(60):
        names = rng.choice(6, size=2, replace=False)
        x = {f"f{j}": float(rng.normal() * (100.0 if i < 9 else 1.0)) for j in names}
        rows.append(x)
        model.learn_one(x, i % 2)
        fresh = loads(dumps(model))
        asked = {f"f{j}": 1.0 for j in range(6)}
        assert model.score_one(asked) == fresh.score_one(asked)
    seen = {j: np.array([x[f"f{j}"] for x in rows if f"f{j}" in x]) for j in range(6)}
    epsilon = 0.1 * max(v.var() for v in seen.values())
    joint = {0: math.log(0.5), 1: math.log(0.5)}
    for j in range(6):
        for k in (0, 1):
            own = np.array([x[f"f{j}"] for x in rows[k::2] if f"f{j}" in x])
            v = own.var() + epsilon
            joint[k] -= 0.5 * ((1.0 - own.mean()) ** 2 / v + math.log(2 * math.pi * v))
    assert model.score_one(asked) == pytest.approx(joint[1] - joint[0], rel=1e-9)


@pytest.mark.parametrize("floor", [1e-3, 0.0])
@pytest.mark.parametrize("d", [1, 7, 8, 9, 16, 21])
def test_arrays_and_mappings_give_the_same_bits(d, floor):
    """Whole rows of arrays have loops of their own."""
    rng = np.random.default_rng(d)
    X = rng.normal(size=(60, d)) * 10.0 ** rng.integers(-3, 3, d)
    X[40:, 0] *= 1e20  # now a variance is too large to be multiplied
    y = rng.integers(0, 3, 60)
    array, mappings = (GaussianNB(variance_floor=floor) for _ in range(2))
    rows = [dict(enumerate(x)) for x in X.tolist()]
    told = (
        array.predict_learn_many(X, y, output="score"),
        mappings.predict_learn_many(rows, y, output="score"),
    )
    np.testing.assert_array_equal(*told)
    with_gap = X[:1].copy()
    with_gap[0, d // 2] = np.nan
    left_out = {j: v for j, v in rows[0].items() if j != d // 2}
    np.testing.assert_allclose(array.score_many(with_gap)[0], mappings.score_many([left_out])[0])


# -- any order, any chunks, merging, unlearning ---------------

values = st.fixed_dictionaries(
    {},
    optional={
        "n": st.integers(-400, 400).map(lambda i: i / 4),
        "m": st.integers(0, 5),
        "c": st.sampled_from(["red", "blue", "green"]),
        "d": st.sampled_from(["x", "y"]),
    },
)
examples = st.lists(
    st.tuples(values, st.sampled_from(["a", "b", "c"]), st.sampled_from([1.0, 2.0, 0.5])),
    min_size=1,
    max_size=30,
)
NEGATIVES = pytest.mark.filterwarnings("ignore:.*a count is not below 0")
MODELS = [
    GaussianNB(),
    GaussianNB(variance_floor=0.0),
    CategoricalNB(),
    pytest.param(MultinomialNB(), marks=NEGATIVES),
    BernoulliNB(),
]
each = pytest.mark.parametrize("model", MODELS, ids=repr)


def state(model):
    """What was learned, by names: the same for any order."""
    fields = model._model.export()
    labels = fields["labels"]
    features = [*range(fields["implicit"]), *fields["features"]]
    told = {("label", y): n for y, n in zip(labels, fields["counts"], strict=True)}
    if "moments" in fields:
        for k, y in enumerate(["all", *labels]):
            for j, name in enumerate(features):
                if fields["moments"][k, 0, j]:
                    for i, what in enumerate(("n", "mean", "m2")):
                        told[(what, y, name)] = fields["moments"][k, i, j]
        at = 0
        for id, count in zip(fields["nominal"], fields["nominal_counts"], strict=True):
            for value in fields["nominal_values"][at : at + count]:
                for k, y in enumerate(["all", *labels]):
                    if fields["table"][at, k]:
                        told[("count", y, features[id], value)] = fields["table"][at, k]
                at += 1
    else:
        for j, name in enumerate(features):
            for k, y in enumerate(labels):
                if fields["table"][j, k]:
                    told[("count", y, name)] = fields["table"][j, k]
    return {key: value for key, value in told.items() if value}


def assert_same(a, b, exact=True):
    one, two = state(a), state(b)
    moments = {key for key in {**one, **two} if key[0] in ("mean", "m2")}
    if exact:
        counts = {key: v for key, v in one.items() if key not in moments}
        assert counts == {key: v for key, v in two.items() if key not in moments}
    for key in {**one, **two}:
        wide = 1e-9 if key[0] != "m2" else 1e-5
        assert one.get(key, 0.0) == pytest.approx(two.get(key, 0.0), rel=1e-9, abs=wide), key


def learned(model, rows):
    model = model.clone()
    for x, y, w in rows:
        model.learn_one(x, y, w)
    return model


@each
@given(examples, st.randoms())
def test_any_order_gives_the_same_state(model, rows, random):
    other = list(rows)
    random.shuffle(other)
    assert_same(learned(model, rows), learned(model, other))


@each
@given(examples, st.integers(0, 30))
def test_any_chunks_give_the_same_bits(model, rows, at):
    whole, parts = model.clone(), model.clone()
    for target, part in ((whole, rows), (parts, rows[:at]), (parts, rows[at:])):
        if part:
            X, y, w = zip(*part, strict=True)
            target.learn_many(list(X), list(y), list(w))
    assert dumps(whole) == dumps(parts) == dumps(learned(model, rows))


@each
@given(examples, st.integers(0, 30))
def test_merging_is_learning_all(model, rows, at):
    whole, one, two = learned(model, rows), learned(model, rows[:at]), learned(model, rows[at:])
    one.merge(two)
    assert one.seen == whole.seen
    assert_same(one, whole)
    for x, _, _ in rows[:5]:
        a, b = one.predict_proba_one(x), whole.predict_proba_one(x)
        assert a == pytest.approx(b, rel=1e-6, abs=1e-9)


@each
@given(examples, examples)
def test_unlearning_takes_back(model, rows, more):
    there, back = learned(model, rows), learned(model, rows + more)
    for x, y, w in reversed(more):
        back.unlearn_one(x, y, w)
    assert back.seen == there.seen
    assert_same(there, back)


@each
def test_what_was_never_learned_cannot_be_unlearned(model):
    model = model.clone()
    with pytest.raises(ValueError, match="never learned"):
        model.unlearn_one({"c": "red"}, "a")
    model.learn_one({"c": "red", "n": 2}, "a")
    before = dumps(model)
    for x, y, w in (
        ({"c": "red"}, "a", 2.0),
        ({"c": "red"}, "b", 1.0),
        ({"c": "blue"}, "a", 1.0),
        ({"c": "red", "n": 2, "never": 1.0}, "a", 1.0),
        ({"c": "red", "n": 2, "never": "told"}, "a", 1.0),
    ):
        with pytest.raises(ValueError, match="never learned"):
            model.unlearn_one(x, y, w)
    model.unlearn_one({"c": "red"}, "a", 0.0)
    with pytest.raises(ValueError, match="weight"):
        model.unlearn_one({"c": "red"}, "a", -1.0)
    assert dumps(model) == before


@pytest.mark.parametrize("model", [GaussianNB(), CategoricalNB(), BernoulliNB()], ids=repr)
@pytest.mark.parametrize("value", [1.0, "red"])
def test_no_feature_is_in_more_examples_than_there_are(model, value):
    model = model.clone()
    for y in "xy" * 5:
        model.learn_one({"a": value}, y)
    model.learn_one({}, "x")
    model.unlearn_one({}, "x")
    before = dumps(model)
    for x in ({}, {"never": 1.0}, {"a": None}):
        with pytest.raises(ValueError, match="never learned"):
            model.unlearn_one(x, "x")
    assert dumps(model) == before
    for _ in range(5):
        model.unlearn_one({"a": value}, "x")
    assert model.seen == 5


@each
def test_a_feature_that_says_nothing_may_be_unknown(model):
    model = model.clone()
    model.learn_many([{"a": 1.0}, {"a": 2.0, "b": 1.0}], ["x", "x"])
    model.unlearn_one({"a": 2.0, "b": 1.0, "never": None}, "x")
    assert model.seen == 1
    if isinstance(model, (BernoulliNB, MultinomialNB)):
        model.unlearn_one({"a": 1.0, "never": 0.0}, "x")
        assert model.seen == 0


@each
def test_unlearning_rows_of_arrays(model):
    model = model.clone()
    X = [[1.0, 2.0], [2.0, 2.0], [1.0, 3.0]]
    model.learn_many(X, ["x", "y", "x"])
    with pytest.raises(ValueError, match="2 columns"):
        model.unlearn_one([1.0, 2.0, 3.0], "x")
    for x, y in zip(X, ["x", "y", "x"], strict=True):
        model.unlearn_one(np.array(x), y)
    assert model.seen == 0


def test_a_number_here_and_a_name_there_cannot_be_merged():
    one, two = GaussianNB(), GaussianNB()
    one.learn_one({"a": 1.0}, "x")
    two.learn_one({"a": "red"}, "x")
    with pytest.raises(NotMergeable, match="'a'"):
        one.merge(two)


def test_numbers_that_are_names():
    plain, named = GaussianNB(), GaussianNB(categorical=["month"])
    for month in range(1, 13):
        for model in (plain, named):
            for _ in range(3):
                model.learn_one({"month": month}, month % 2 == 0)
    right = sum(named.predict_one({"month": m}) == (m % 2 == 0) for m in range(1, 13))
    wrong = sum(plain.predict_one({"month": m}) == (m % 2 == 0) for m in range(1, 13))
    assert right == 12
    assert wrong < 9


def test_frames_of_numbers_and_names():
    pa = pytest.importorskip("pyarrow")
    rows = [row(values) | {"n": float(i)} for i, (values, _) in enumerate(LECTURE)]
    table = pa.Table.from_pylist(rows)
    y = [label for _, label in LECTURE]
    one, many = GaussianNB(), GaussianNB()
    one.learn_many(rows, y)
    many.learn_many(table, y)
    np.testing.assert_allclose(many.predict_proba_many(table), one.predict_proba_many(rows))


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="../shared/data is absent")
def test_electricity():
    import pyarrow.parquet as pq

    frame = pq.read_table(SHARED / "electricity.parquet").to_pandas()
    y = frame.pop("y").astype(str).to_numpy()
    assert (GaussianNB().predict_learn_many(frame.astype(float).to_numpy(), y) == y).mean() >= 0.728


def test_columns_that_are_not_selected_do_not_count():
    X = np.random.default_rng(0).poisson(1.0, size=(50, 6)).astype(float)
    X[:, 3:] = 0.0
    y = (X[:, 0] > 0).tolist()
    asked = {}
    for kind in ("array", "dicts"):
        model = Select(0, 1) | MultinomialNB()
        rows = X if kind == "array" else [dict(enumerate(row)) for row in X.tolist()]
        model.learn_many(rows, y)
        asked[kind] = model.predict_proba_one({0: 1.0, 1: 2.0})
    assert asked["array"] == pytest.approx(asked["dicts"], rel=1e-12)


def test_negative_counts_made_errors_are_told_of_their_own_example():
    model = MultinomialNB()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        with pytest.raises(DataWarning):
            model.learn_one({"a": -1.0}, "x")
        model.learn_one({"a": 1.0}, "x")


def test_a_sparse_matrix_of_one_number():
    model = GaussianNB()
    for value, label in ((1.0, "low"), (5.0, "high"), (1.1, "low"), (5.1, "high")):
        model.learn_many(sp.csr_array([[value]]), [label])
    assert model.predict_many(sp.csr_array([[5.0]])).tolist() == ["high"]
    assert model.predict_many(sp.csr_array([[1.0]])).tolist() == ["low"]
