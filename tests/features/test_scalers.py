import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onstream.base import NotMergeable
from onstream.features import FeatureHasher, Imputer, MinMaxScaler, Select, StandardScaler
from onstream.linear import LogisticRegression, PAClassifier
from onstream.persist import dumps, loads


class TestStandardScaler:
    def test_vectors(self):
        scaler = StandardScaler()
        for value in (2, 4, 4, 4, 5, 5, 7, 9):
            scaler.learn_one({"a": value})
        assert scaler.transform_one({"a": 9.0})["a"] == pytest.approx(2.0)
        assert scaler.transform_one({"a": 5.0})["a"] == 0.0
        weighted = StandardScaler()
        weighted.learn_many([{"a": v} for v in (2, 4, 4, 4, 5, 5, 7, 9)], [1, 2, 0, 1, 3, 1, 1, 1])
        z = weighted.transform_one({"a": 5.0 + math.sqrt(3.2)})["a"]
        assert z == pytest.approx(1.0, rel=1e-12)

    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
    def test_is_the_batch_formula(self, values):
        scaler = StandardScaler()
        for n, value in enumerate(values, 1):
            scaler.learn_one({"a": value})
            z = scaler.transform_one({"a": value})["a"]
            assert abs(z) <= math.sqrt(max(0, n - 1)) + 1e-6  # a row that was learned
        spread = np.std(values)
        expected = (values[0] - np.mean(values)) / spread if spread > 1e-6 else None
        if expected is not None:
            assert scaler.transform_one({"a": values[0]})["a"] == pytest.approx(expected, abs=1e-6)

    def test_constant_is_zero_and_offsets_do_not_matter(self):
        scaler = StandardScaler()
        values = 1e9 + np.random.default_rng(0).normal(size=(5000, 1))
        scaler.learn_many(values)
        z = scaler.transform_many(values)
        assert z.mean() == pytest.approx(0.0, abs=1e-4)
        assert z.std() == pytest.approx(1.0, abs=1e-4)
        constant = StandardScaler()
        constant.learn_many(np.full((10, 1), 7.0))
        assert constant.transform_one([8.0]) == {0: 0.0}

    def test_weight_two_is_two_copies(self):
        X = np.random.default_rng(0).normal(size=(50, 2))
        a, b = StandardScaler(), StandardScaler()
        a.learn_many(X, np.full(50, 2.0))
        b.learn_many(np.repeat(X, 2, axis=0))
        assert np.allclose(a.transform_many(X), b.transform_many(X), rtol=1e-12)

    def test_numbers_that_are_too_large_are_refused(self):
        scaler = StandardScaler()
        scaler.learn_one({"a": 1.0, "b": 1e10})
        with pytest.raises(ValueError, match="overflow"):
            scaler.learn_one({"a": 2.0, "b": 1e200})
        assert scaler.seen == 1
        assert scaler.transform_one({"a": 1.0}) == {"a": 0.0}
        assert math.isfinite((StandardScaler() | PAClassifier()).score_one({"a": 1e308}))


@pytest.mark.parametrize("make", [StandardScaler, MinMaxScaler])
def test_rows_of_arrays_are_mappings(make):
    """Loops over a whole row and those feature by feature: the same bits."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 37)) * 10.0 ** rng.integers(-9, 9, size=37)
    X[:, ::4] += 1e12  # the mean needs more digits
    X[:, 1], X[:, 2], X[:20, 3] = 7.0, 1.0, 0.0
    whole, single = make(), make()
    for start in (0, 1, 2, 10):
        stop = {0: 1, 1: 2, 2: 10, 10: 50}[start]
        weight = rng.uniform(0.5, 2.0, size=stop - start)
        whole.learn_many(X[start:stop], weight)
        for x, w in zip(X[start:stop], weight, strict=True):
            single.learn_one(dict(enumerate(x.tolist())), float(w))
        found = whole.transform_many(X)
        wanted = [single.transform_one(dict(enumerate(x))) for x in X.tolist()]
        assert found.tolist() == [list(x.values()) for x in wanted]
    assert whole._model.export()["stats"].tolist() == single._model.export()["stats"].tolist()
    before = dumps(whole)
    X[5, 35] = 1e305
    with pytest.raises(ValueError, match="overflow"):
        whole.learn_one(X[5])
    assert dumps(whole) == before
    assert np.array_equal(whole.transform_many(X[:5]), found[:5])


def test_min_max():
    scaler = MinMaxScaler()
    scaler.learn_many([{"a": 2.0, "b": 1.0}, {"a": 4.0}, {"a": 10.0}])
    assert scaler.transform_one({"a": 6.0, "b": 5.0}) == {"a": 0.5, "b": 0.0}
    assert scaler.transform_one({"a": 18.0}) == {"a": 2.0}  # not clipped


@pytest.mark.parametrize("make", [StandardScaler, MinMaxScaler, Imputer])
def test_a_refused_feature_leaves_no_mark(make):
    scaler = make()
    with pytest.raises(ValueError, match="overflow"):
        scaler.learn_one({"n": 1e305, "m": 1.0})
    clean = make()
    for each in (scaler, clean):
        each.learn_one({"colour": "red"})
    assert scaler.transform_one({"colour": "red"}) == {"colour=red": 1.0}
    assert dumps(scaler) == dumps(clean)


@pytest.mark.parametrize("make", [StandardScaler, MinMaxScaler])
def test_text_stays_what_it_is(make):
    rows = [{"c": "red" if i % 3 else "blue", "n": float(i)} for i in range(60)]
    scaler = make()
    scaler.learn_many(rows)
    assert scaler.transform_one({"c": "red"}) == {"c=red": 1.0}
    assert loads(dumps(scaler)).transform_one({"c": "red"}) == {"c=red": 1.0}
    other = make()
    other.learn_many([{"c": "green", "n": 3.0}])
    scaler.merge(other)
    assert scaler.transform_one({"c": "green"}) == {"c=green": 1.0}
    frame = make()
    frame.learn_many(pd.DataFrame(rows))
    assert frame.transform_one({"c": "blue"}) == {"c=blue": 1.0}
    scaler.learn_one({"c=red": 3.0})  # after all it is a number
    assert scaler.transform_one({"c=red": 1.0})["c=red"] <= 0.0
    model = make() | LogisticRegression()
    hits = [model.predict_one(x) == x["c"] or model.learn_one(x, x["c"]) for x in rows * 5]
    assert hits[-60:] == [True] * 60


def test_what_leaves_the_range_together_is_not_merged():
    left, right = StandardScaler(), StandardScaler()
    for scaler, value in ((left, 3e149), (right, -3e149)):
        scaler.learn_many([{"a": value}, {"a": 0.5 * value}], [1e1, 1e1])
    before = dumps(left)
    with pytest.raises(NotMergeable, match=r"StandardScaler: .* range of floats"):
        left.merge(right)
    assert dumps(left) == before


class TestImputer:
    def test_mean_and_constant(self):
        for imputer, a in ((Imputer(), 2.0), (Imputer(strategy="constant", value=-1.0), -1.0)):
            imputer.learn_many([{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": None}])
            assert imputer.transform_one({"b": 5.0}) == {"a": a, "b": 5.0}
            assert imputer.transform_one({"a": math.nan, "b": 1.0}) == {"a": a, "b": 1.0}

    def test_text_stays_what_it_is(self):
        for imputer in (Imputer(), Imputer(strategy="constant", value=-1.0)):
            imputer.learn_many([{"a": 1.0, "c": "red"}, {"a": 3.0, "c": "blue"}])
            assert imputer.transform_one({"a": 5.0, "c": "red"}) == {"a": 5.0, "c=red": 1.0}
            assert imputer.transform_one({"a": 5.0}) == {"a": 5.0}
            other = imputer.clone()
            other.learn_one({"c": "green"})
            imputer.merge(other)
            assert imputer.transform_one({"a": 5.0, "c": "red"}) == {"a": 5.0, "c=red": 1.0}
            imputer.learn_many([{"c=red": 3.0}, {"a": 1.0}])  # after all it is a number
            assert "c=red" in loads(dumps(imputer)).transform_one({"a": 5.0})

    def test_fills_nothing_that_has_not_come(self):
        block, loop = ((Select("a", "b") | Imputer()) for _ in range(2))
        rows = [{"a": 1.0, "c": 7.0}, {"b": 2.0, "c": 7.0}]
        block.learn_many(rows)
        for x in rows:
            loop.learn_one(x)
        assert dumps(block) == dumps(loop)
        assert block.transform_one({}) == {"a": 1.0, "b": 2.0}
        hashed = FeatureHasher(hash_bits=4) | Imputer(strategy="constant", value=-1.0)
        hashed.learn_one({"a": 5.0})
        assert list(hashed.transform_one({}).values()) == [-1.0]

    def test_nan_beside_text(self):
        table = pa.table({"a": [1.0, np.nan, 3.0], "b": ["x", None, "x"]})
        imputer = Imputer()
        imputer.learn_many(table)
        assert imputer.transform_many(table)[1]["a"] == 2.0

    def test_arrays_with_nan(self):
        X = np.array([[1.0, np.nan], [3.0, 4.0], [np.nan, np.nan]])
        imputer = Imputer()
        imputer.learn_many(X)
        assert imputer.transform_many(X).tolist() == [[1.0, 4.0], [3.0, 4.0], [2.0, 4.0]]
        model = Imputer() | PAClassifier()
        model.learn_many(X, [0, 1, 0])
        assert model.predict_one([np.nan, 4.0]) in (0, 1)
        with pytest.raises(ValueError, match="finite"):
            (StandardScaler() | PAClassifier()).learn_many(X, [0, 1, 0])


@pytest.mark.parametrize("offset", [1e9, 1e12, -1e12])
def test_large_means_with_little_spread(offset):
    """Against the batch, which first takes the offset away; in one piece, merged, saved."""
    X = np.random.default_rng(0).normal(size=(20_000, 1)) + offset
    exact = X - offset  # without rounding
    expected = (exact - exact.mean()) / exact.std()
    whole, one, two = StandardScaler(), StandardScaler(), StandardScaler()
    whole.learn_many(X)
    one.learn_many(X[:7_000])
    two.learn_many(X[7_000:])
    one.merge(two)
    for scaler in (whole, one, loads(dumps(whole))):
        np.testing.assert_allclose(scaler.transform_many(X), expected, rtol=0.0, atol=1e-9)


def test_files_without_what_rounding_took_from_the_mean_are_read():
    scaler = StandardScaler()
    scaler.learn_many([[1e9], [1e9 + 1.0], [1e9 + 3.0]])
    fields = scaler._model.snapshot()
    del fields["low"]
    old = StandardScaler()
    old._restore(fields)
    assert old.transform_one([1e9 + 1.0])[0] == pytest.approx(-1.0 / 3.0 / np.sqrt(14.0 / 9.0))
    assert "low" not in old._model.snapshot()


def test_merging_a_mean_that_was_far_with_one_that_is_not():
    """What rounding took from a mean is kept only where the mean is far from 0: here no longer."""
    far, near = StandardScaler(), StandardScaler()
    far.learn_many([{"a": 1e9 + v} for v in (1.0, 2.0, 4.0)])
    assert far._model.export()["low"].any()
    near.learn_many([{"b": 1.0, "a": v} for v in (0.0, 1.0, 2.0)])
    far.merge(near)
    again = loads(dumps(far))
    assert again.transform_one({"a": 1.0, "b": 1.0}) == far.transform_one({"a": 1.0, "b": 1.0})
