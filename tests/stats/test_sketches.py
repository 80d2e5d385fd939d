"""The sketches keep the promises of their definitions."""

import copy
import math
import pickle
import sys
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from onstream.base import NotMergeable
from onstream.persist import dumps, loads
from onstream.stats import KLL, CountMin, FrequentItems, HyperLogLog, Reservoir

pytest.importorskip("datasketches")


@pytest.fixture(params=[CountMin, HyperLogLog, FrequentItems, KLL, Reservoir])
def sketch(request):
    return request.param()


def words(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [f"w{i}" for i in rng.zipf(1.3, n) % 5000]


def test_count_min():
    assert CountMin().shape == (272, 5)
    stream = words(20_000)
    sketch, true = CountMin(), Counter(stream)
    sketch.update_many(stream)
    errors = [sketch.estimate(word) - count for word, count in true.items()]
    assert min(errors) >= 0.0
    assert np.mean(np.array(errors) > 0.01 * len(stream)) <= 0.01
    sketch.update("rare", 2.5)
    assert sketch.estimate("rare") >= 2.5


@pytest.mark.parametrize("distinct", [10, 1000, 100_000])
def test_hyper_log_log(distinct):
    sketch = HyperLogLog(b=12)
    sketch.update_many(range(distinct))
    sketch.update_many(range(min(distinct, 1000)))
    assert sketch.value == pytest.approx(distinct, rel=4 * 1.04 / 64)
    assert distinct > 10 or sketch.value == pytest.approx(10, abs=0.01)


def test_frequent_items():
    stream = words(50_000)
    sketch, true = FrequentItems(b=6), Counter(stream)
    sketch.update_many(stream)
    for word, count in true.items():
        low, high = sketch.bounds(word)
        assert low <= count <= high
    top = {word for word, _, _ in sketch.top(100)}
    heavy = {word for word, count in true.items() if count > sketch.error * len(stream)}
    assert heavy
    assert heavy <= top
    assert FrequentItems().top() == []
    with pytest.raises(ValueError, match="whole"):
        sketch.update("a", 0.5)


def test_kll():
    rng = np.random.default_rng(0)
    v = rng.normal(size=20_000)
    sketch = KLL()
    assert sketch.value is None
    assert sketch.rank(0.0) == 0.0
    sketch.update_many(v)
    for theta in (0.01, 0.25, 0.5, 0.9):
        value = sketch.quantile(theta)
        assert (v <= value).mean() == pytest.approx(theta, abs=2 * sketch.error)
        assert sketch.rank(value) == pytest.approx(theta, abs=2 * sketch.error)
    assert sketch.error < 0.02


def test_reservoir():
    sample = Reservoir(k=50)
    kept = Counter()
    for _ in range(40):
        sample = Reservoir(k=50)
        sample.update_many(range(500))
        assert len(sample.items) == 50
        kept.update(item // 250 for item in sample.items)
    assert kept[0] / 2000 == pytest.approx(0.5, abs=0.06)  # each with probability k / n
    assert isinstance(sample.items[0], int)


def test_merging(sketch):
    a, b, whole = sketch.clone(), sketch.clone(), sketch.clone()
    left, right = list(range(0, 300)), list(range(200, 600))
    a.update_many(left)
    b.update_many(right)
    whole.update_many(left + right)
    a.merge(b)
    assert a.n == whole.n == 700.0
    if isinstance(sketch, (CountMin, FrequentItems)):
        told = CountMin.estimate if isinstance(sketch, CountMin) else FrequentItems.bounds
        assert all(told(a, i) == told(whole, i) for i in range(600))
    elif isinstance(sketch, HyperLogLog):
        assert a.value == pytest.approx(600, rel=0.05)
    elif isinstance(sketch, KLL):
        assert a.value == pytest.approx(np.median(left + right), abs=20)
    else:
        assert Counter(a.items) == Counter(left + right)
    for other in (a, KLL(k=100), 3):
        with pytest.raises(NotMergeable):
            a.merge(other)


def test_copies(sketch):
    sketch.update_many([5, 1, 4, 1, 5, 9, 2, 6])
    for again in (pickle.loads(pickle.dumps(sketch)), loads(dumps(sketch))):
        assert again == sketch
        assert again.n == 8.0
        assert dumps(again) == dumps(sketch)
        again.update(3)
        assert again.n == 9.0


def test_bad_items_change_nothing(sketch):
    sketch.update_many([1, 2, 3])
    before = dumps(sketch)
    for bad in (None, [1], b"x", float("nan"), 2**70 if not isinstance(sketch, KLL) else "x"):
        with pytest.raises((TypeError, ValueError), match=f"^{type(sketch).__name__}: "):
            sketch.update(bad)
        with pytest.raises((TypeError, ValueError), match=f"^{type(sketch).__name__}: "):
            sketch.update_many([1, bad])
    for bad in (-1.0, float("nan"), "x", None):
        with pytest.raises((TypeError, ValueError), match=f"^{type(sketch).__name__}: w must be"):
            sketch.update(1, bad)
    with pytest.raises(ValueError, match="weights"):
        sketch.update_many([1, 2], [1.0])
    sketch.update(1, 0.0)
    assert dumps(sketch) == before
    for bad in ("\ud800", "a\udfff"):
        with pytest.raises((TypeError, ValueError), match=f"^{type(sketch).__name__}: "):
            sketch.update_many([1, bad])
    assert dumps(sketch) == before


def test_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasketches", None)
    with pytest.raises(ImportError, match=r'pip install "onstream\[sketch\]"'):
        KLL()


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 30, 300, 5000])
def test_a_copy_is_the_same_and_goes_on(sketch, n):
    small = {"b": 8} if hasattr(sketch, "b") else {"k": 9} if hasattr(sketch, "k") else {}
    for sketch in (sketch.clone(), sketch.clone(**small)):  # noqa: B020
        sketch.update_many([i * i % 1009 for i in range(n)])
        before = dumps(sketch)
        assert asked(sketch) == asked(sketch)
        assert dumps(sketch) == before  # an answer leaves no trace
        for again in (loads(before), pickle.loads(pickle.dumps(sketch)), copy.deepcopy(sketch)):
            assert dumps(again) == before
            assert asked(again) == asked(sketch)
            again.update_many(range(20))
            again.merge(sketch)
            assert again.n == 2 * n + 20
            assert dumps(loads(dumps(again))) == dumps(again)
        if not isinstance(sketch, (KLL, Reservoir)):  # these draw their own random numbers
            again = loads(before)
            for each in (again, sketch):
                each.update_many(range(-50, 50))
            assert dumps(again) == dumps(sketch)


def asked(sketch):
    """All that a sketch can tell."""
    if isinstance(sketch, CountMin):
        return [sketch.estimate(i) for i in range(50)]
    if isinstance(sketch, FrequentItems):
        return sketch.top(5), sketch.bounds("never"), sketch.error
    if isinstance(sketch, KLL):
        return sketch.quantile(0.3), sketch.rank(7.0), sketch.error
    return sketch.value if isinstance(sketch, HyperLogLog) else sketch.items


def test_a_full_reservoir_goes_on_fairly():
    kept = Counter()
    for _ in range(300):
        sample = Reservoir(k=10)
        sample.update_many(range(50))
        sample = loads(dumps(sample))
        sample.update_many(range(50, 100))
        assert len(sample.items) == 10
        kept.update(item // 50 for item in sample.items)
    assert kept[0] / 3000 == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("cls", [CountMin, HyperLogLog])
def test_the_empty_string_shares_its_name_with_nobody(cls):
    items = ["", "\0the empty string", "\0the empty string\0", "\0", "\0\0", "\0the empty strings"]
    sketch = cls()
    sketch.update_many(items)
    if cls is CountMin:
        assert [sketch.estimate(item) for item in items] == [1.0] * len(items)
    else:
        assert sketch.value == pytest.approx(len(items), abs=0.01)


@pytest.mark.parametrize("cls", [CountMin, HyperLogLog, FrequentItems, Reservoir])
def test_columns_of_arrow_are_items(cls):
    for make in (pa.array, lambda values: pa.chunked_array([values]), pl.Series):
        sketch = cls()
        sketch.update_many(make(["a", "b", "a"]))
        sketch.update(pa.scalar("a"))
        assert sketch.n == 4.0
        if cls is CountMin:
            assert sketch.estimate("a") == 3.0
        with pytest.raises(TypeError, match=f"^{cls.__name__}: an item must be"):
            sketch.update_many(make(["a", None]))


@pytest.mark.parametrize("sketch", [CountMin, HyperLogLog, FrequentItems, Reservoir], indirect=True)
def test_the_empty_string_is_an_item(sketch):
    sketch.update_many(["", "a", ""])
    if isinstance(sketch, CountMin):
        assert sketch.estimate("") == 2.0
    elif isinstance(sketch, HyperLogLog):
        assert round(sketch.value) == 2
    elif isinstance(sketch, FrequentItems):
        assert sketch.top(1) == [("", 2, 2)]
    else:
        assert Counter(sketch.items) == {"": 2, "a": 1}


def test_frequent_items_that_forgot_all_remember_how_many():
    """Seven different items in six places: each loses one, and nothing is left."""
    forgot = FrequentItems(b=3)
    forgot.update_many(range(7))
    assert forgot.top() == []
    assert forgot.bounds(3) == (0, 1)
    again = loads(dumps(forgot))
    assert again.bounds(3) == (0, 1)
    one = FrequentItems(b=3)
    one.update(3)
    one.merge(forgot)
    assert one.bounds(3) == (1, 2)


def test_frequent_items_refuse_weights_beyond_64_bits():
    sketch = FrequentItems()
    sketch.update("a", 2**53)
    with pytest.raises(ValueError, match="add up to more than"):
        sketch.update_many(["a"] * 600, [2**53] * 600)
    assert sketch.bounds("a") == (2**53, 2**53)


def test_broken_numbers_of_a_sketch_are_refused(sketch):
    small = {"b": 8} if hasattr(sketch, "b") else {"k": 9} if hasattr(sketch, "k") else {}
    for n in (3, 300):
        sketch = sketch.clone(**small)
        sketch.update_many(range(n))
        fields = sketch._state.export()
        broken = [{**fields, "more": 1}, {**fields, "n": -1.0}]
        for name, value in fields.items():
            broken.append({k: v for k, v in fields.items() if k != name})
            if isinstance(value, np.ndarray):
                others = [-value - 1, value.astype("f4")]
                if name != "coupons":  # fewer of these are those of fewer items
                    others.append(value[1:])
                broken += [{**fields, name: bad} for bad in others]
            elif isinstance(value, list):
                broken += [{**fields, name: bad} for bad in (value[1:], value + value, [None])]
            elif type(value) is int:
                broken += [{**fields, name: bad} for bad in (-1, 2**70, 1.5)]
        for bad in broken:
            with pytest.raises(ValueError):
                sketch.clone()._restore(bad)
    if isinstance(sketch, KLL):  # levels without values would be beyond the package's arrays
        bad = {**fields, "sizes": np.append(fields["sizes"], np.zeros(20, np.int64))}
        with pytest.raises(ValueError, match="sizes"):
            sketch.clone()._restore(bad)


NOT_MANY = {
    "text": "hello",
    "bytes": b"12",
    "bytearray": bytearray(b"12"),
    "mapping": {1: 2, 3: 4},
    "counter": Counter([1, 1, 2]),
    "pandas": pd.DataFrame({1: [5, 6], 2: [7, 8]}),
    "polars": pl.DataFrame({"id": [5, 6]}),
    "arrow": pa.table({"id": [5, 6]}),
    "array": np.ones((2, 2), dtype=int),
    "no dimension": np.array(3),
    "number": 3,
    "none": None,
}


@pytest.mark.parametrize("kind", NOT_MANY)
def test_what_is_not_many_items_is_refused(sketch, kind):
    sketch.update_many([1, 2])
    before = dumps(sketch)
    many, who = NOT_MANY[kind], type(sketch).__name__
    with pytest.raises(TypeError, match=f"^{who}: items must be many values, .*, got a "):
        sketch.update_many(many)
    if many is not None:
        with pytest.raises(TypeError, match=f"^{who}: w must be many values, .*, got a "):
            sketch.update_many([1, 2], many)
    assert dumps(sketch) == before


def test_every_kind_of_many_items(sketch):
    for many in (
        [1, 2],
        (1, 2),
        {1, 2},
        range(1, 3),
        iter([1, 2]),
        {1: 0, 2: 0}.keys(),
        np.array([1, 2]),
        pd.Series([1, 2]),
        pl.Series([1, 2]),
        [],
    ):
        sketch.update_many(many)
    assert sketch.n == 18.0


@pytest.mark.parametrize("value", [1e301, -1.7e308, math.inf, 10**400])
def test_kll_refuses_what_no_file_can_hold(value):
    sketch = KLL()
    sketch.update_many([1.0, 1e300, -1e300])
    before = dumps(sketch)
    with pytest.raises(ValueError, match=r"^KLL: "):
        sketch.update(value)
    with pytest.raises(ValueError, match=r"^KLL: "):
        sketch.update_many([2.0, value])
    assert dumps(sketch) == before == dumps(loads(before)) == dumps(copy.deepcopy(sketch))
    assert (sketch.rank(-1e305), sketch.rank(1e305)) == (0.0, 1.0)


def test_kll_has_one_zero():
    for zeros in ([-0.0], [-0.0, 0.0, -0.0]):
        sketch = KLL()
        sketch.update_many(zeros)
        for each in (sketch, loads(dumps(sketch))):
            assert math.copysign(1.0, each.value) == math.copysign(1.0, each.quantile(0.0)) == 1.0


@pytest.mark.parametrize("k", [1.5, -1, "3", None])
def test_how_many_frequent_items(k):
    sketch = FrequentItems()
    sketch.update_many(["a", "a", "b"])
    with pytest.raises((TypeError, ValueError), match=r"^FrequentItems: k must be"):
        sketch.top(k)
    assert sketch.top(0) == []
    with pytest.raises(ValueError, match=r"w must be a whole number up to 2\*\*53, got 46116860"):
        sketch.update("a", 2**62)
