"""The sketches keep the promises of their definitions."""

import pickle
import sys
from collections import Counter

import numpy as np
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
    for copy in (pickle.loads(pickle.dumps(sketch)), loads(dumps(sketch))):
        assert copy == sketch
        assert copy.n == 8.0
        if not isinstance(sketch, FrequentItems):  # it writes its items in any order
            assert dumps(copy) == dumps(sketch)
        copy.update(3)
        assert copy.n == 9.0


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
    fields = sketch._state.export()
    broken = np.zeros_like(fields["sketch"])
    for bad in ({**fields, "sketch": broken}, {**fields, "bytes": 3}):
        with pytest.raises(ValueError):
            sketch.clone()._restore(bad)


def test_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasketches", None)
    with pytest.raises(ImportError, match=r'pip install "onstream\[sketch\]"'):
        KLL()
