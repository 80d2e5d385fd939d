"""What every public metric keeps; the tests know none by name but for what it judges."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

from onstream import evaluate
from onstream.evaluate import ROCAUC, KappaM, KappaT, LogLoss, Metric

METRICS = [
    cls
    for cls in vars(evaluate).values()
    if isinstance(cls, type) and issubclass(cls, Metric) and cls is not Metric
]
RANGES = [{}, {"window": 7}, {"alpha": 0.9}]


def variants(cls):
    """A metric with its defaults and over each range, and with each average."""
    made = [cls(**ranged) for ranged in RANGES]
    if "average" in made[0].params:
        made += [cls(average=word) for word in ("macro", "micro", "weighted")]
        made += [cls(positive=1)]
    if "output" in made[0].params:
        made += [cls(output="proba", **ranged) for ranged in RANGES]
    return made


EVERY = [metric for cls in METRICS for metric in variants(cls)]


def told(metric):
    """The name of a case."""
    return f"{metric.name}-{metric.params}"


every = pytest.mark.parametrize("metric", EVERY, ids=told)


def proba(metric):
    return metric.needs == "proba" or metric.params.get("output") == "proba"


def pairs(metric, n=40, seed=0, labels=3):
    """What such a metric judges: true values, predictions, weights."""
    random = np.random.default_rng(seed)
    w = random.choice([0.5, 1.0, 3.0], n).tolist()
    if metric.needs == "number":
        y = random.normal(size=n)
        return y.tolist(), (y + random.normal(size=n)).tolist(), w
    y = random.integers(0, labels, n).tolist()
    if metric.needs == "label":
        return y, random.integers(0, labels, n).tolist(), w
    rows = random.dirichlet(np.ones(labels), n).tolist()
    return y, [dict(enumerate(row)) for row in rows], w


def fed(metric, y, p, w=None):
    """A fresh metric after these examples, one by one."""
    metric = metric.clone()
    for i in range(len(y)):
        metric.update(y[i], p[i]) if w is None else metric.update(y[i], p[i], w[i])
    return metric


def state(metric):
    """All that a metric knows."""
    return pickle.dumps(metric)


@every
@pytest.mark.parametrize("labels", [2, 3])
def test_many_is_the_loop(metric, labels):
    y, p, w = pairs(metric, labels=labels)
    half = len(y) // 2
    for weights in (None, w):
        loop = fed(metric, y, p, weights)
        many = metric.clone()
        for part in (slice(0, half), slice(half, None)):
            many.update_many(y[part], p[part], None if weights is None else weights[part])
        assert (many.value, many.n) == (loop.value, loop.n)
    # What came with weights that are no whole numbers goes on in blocks without any.
    loop, many = fed(metric, y, p, w), fed(metric, y, p, w)
    for label, prediction in zip(y, p, strict=True):
        loop.update(label, prediction, 0.1)
        loop.update(label, prediction)
    for label, prediction in zip(y, p, strict=True):
        many.update(label, prediction, 0.1)
        many.update_many([label], [prediction])
    many.update_many(y, p)
    for label, prediction in zip(y, p, strict=True):
        loop.update(label, prediction)
    assert many.value == loop.value


@every
def test_copies_go_on_as_the_original(metric):
    y, p, w = pairs(metric)
    original = fed(metric, y[:25], p[:25], w[:25])
    for copied in (copy.deepcopy(original), pickle.loads(pickle.dumps(original))):
        assert (copied.value, copied.n, copied.params) == (
            original.value,
            original.n,
            original.params,
        )
        copied.update_many(y[25:], p[25:], w[25:])
        assert copied.value == fed(metric, y, p, w).value
    fresh = original.clone()
    assert (fresh.n, fresh.value, fresh.params) == (0, 0.0, original.params)


@every
def test_merged_is_afterwards(metric):
    y, p, w = pairs(metric)
    if isinstance(metric, KappaM) and metric.window is None:
        pytest.skip("the commonest label of each part is its own")
    left, right = fed(metric, y[:15], p[:15], w[:15]), fed(metric, y[15:], p[15:], w[15:])
    before = state(right)
    left.merge(right)
    whole = fed(metric, y, p, w)
    assert left.value == pytest.approx(whole.value, rel=1e-9, abs=1e-12)
    assert left.n == whole.n
    assert state(right) == before
    itself, twice = fed(metric, y, p, w), fed(metric, y + y, p + p, w + w)
    itself.merge(itself)
    assert itself.value == pytest.approx(twice.value, rel=1e-9, abs=1e-12)
    for other in (3, Metric, metric.clone(window=3, alpha=None)):
        with pytest.raises(ValueError, match="cannot be merged"):
            left.merge(other)


@every
@pytest.mark.parametrize("labels", [2, 3])
def test_order_does_not_matter(metric, labels):
    if metric.window or metric.alpha or isinstance(metric, (KappaT, KappaM)):
        pytest.skip("looks at the order")
    y, p, _ = pairs(metric, labels=labels)
    names = ["ham", "spam", "unheard"]
    for text in (False, True):
        if text:
            if metric.needs == "number":
                return
            if "positive" in metric.params and metric.positive is not None:
                metric = metric.clone(positive="ham")
            y = [names[label] for label in y]
            p = [
                {names[r]: s for r, s in row.items()} if isinstance(row, dict) else names[row]
                for row in p
            ]
        value = fed(metric, y, p).value
        for seed in range(5):
            order = np.random.default_rng(seed).permutation(len(y))
            again = fed(metric, [y[i] for i in order], [p[i] for i in order])
            assert again.value == pytest.approx(value, rel=1e-12)


BAD_LABELS = [None, np.nan, 1.5, b"a", [1], object(), np.ma.masked, pd.NA, np.datetime64("NaT")]
BAD_LABELS += ["text", np.timedelta64(1), "\ud800", 1 + 0j]
BAD_NUMBERS = [None, np.nan, np.inf, "1", b"1", [1.0], object(), np.ma.masked, pd.NA, 1j, 10**400]
BAD_SCORES = [None, np.nan, np.inf, "1", [1.0], object(), np.ma.masked]
BAD_SCORES += [{0: np.nan}, {0: "a"}, {0: None}, {b"a": 1.0}, {0: np.inf}]


def bad_pairs(metric):
    """Examples that mean nothing: (y, prediction)."""
    good = {"number": 1.0, "label": 0}.get(metric.needs, {0: 0.5, 1: 0.5})
    if metric.needs == "number":
        return [(y, good) for y in BAD_NUMBERS] + [(good, p) for p in BAD_NUMBERS]
    if metric.needs == "label":
        return [(y, 0) for y in BAD_LABELS] + [(0, p) for p in BAD_LABELS if p is not None]
    found = [(y, good) for y in BAD_LABELS] + [(0, p) for p in BAD_SCORES]
    return found + ([(0, {0: 2.0}), (0, {0: 0.5, 1: -1.0}), (0, 7.0)] if proba(metric) else [])


@every
@pytest.mark.filterwarnings("ignore:Warning. converting a masked element")
def test_a_refused_update_leaves_no_trace(metric):
    y, p, _ = pairs(metric, labels=2)
    known = fed(metric, y, p)
    for used in (metric.clone(), known):
        for bad_y, bad_p in bad_pairs(metric):
            if used.n == 0 and isinstance(bad_y, str) and bad_y.isprintable():
                continue  # the first label may be text
            before = state(used)
            with pytest.raises((TypeError, ValueError), match=f"^{type(metric).__name__}.*: "):
                used.update(bad_y, bad_p)
            assert state(used) == before, (bad_y, bad_p)
            with pytest.raises((TypeError, ValueError), match=f"^{type(metric).__name__}.*: "):
                used.update_many([*y, bad_y], [*p, bad_p])
            assert state(used) == before, (bad_y, bad_p)
    before = state(known)
    for w in (-1.0, np.nan, np.inf, "1", [1.0], np.ma.masked):
        with pytest.raises((TypeError, ValueError)):
            known.update(y[0], p[0], w)
        with pytest.raises((TypeError, ValueError)):
            known.update_many(y, p, [w, *[1.0] * (len(y) - 1)])
    for w in (-1.0, 1.1e100, 1e308):
        wanted = r"the weight w must be from 0 to 1e\+100, got (-1|1.1e\+100|1e\+308)"
        with pytest.raises(ValueError, match=rf": {wanted}"):
            known.update(y[0], p[0], w)
        with pytest.raises(ValueError, match=rf": row 1: {wanted}"):
            known.update_many(y, p, [1.0, w, *[1.0] * (len(y) - 2)])
    for bad in ((y, p[1:]), (y[1:], p), ([y, y], p), (3, p), (y, 3), (None, None), ("ab", "ab")):
        with pytest.raises((TypeError, ValueError), match=f"^{type(metric).__name__}.*: "):
            known.update_many(*bad)
    with pytest.raises((TypeError, ValueError)):
        known.update_many(y, p, [1.0])
    assert state(known) == before


@every
def test_heavy_examples_count_as_light_ones(metric):
    """Sums of the heaviest examples, and their products, stay within the range of floats."""
    metric = metric.clone()
    y, p, _ = pairs(metric, n=700)
    light = fed(metric, y, p).value
    assert fed(metric, y, p, [1e100] * len(y)).value == pytest.approx(light)
    assert fed(metric, y, p, [1e-100] * len(y)).value == pytest.approx(light)
    if metric.alpha is not None:  # what fades does so by growing weights
        fading = metric.clone(alpha=0.5)
        heavy = fed(fading, y, p, [1e100] * len(y))
        assert heavy.value == pytest.approx(fed(fading, y, p).value)
        merged = heavy.clone()
        merged.merge(heavy)
        assert merged.value == pytest.approx(heavy.value)


def test_frames_of_scores_are_told_apart():
    """A column of scores may have any index; a table says what its columns are by `labels`."""
    y, scores = [0, 1, 1, 0], [0.1, 0.7, 0.4, 0.3]
    for cls in (LogLoss, ROCAUC):
        plain, column, table = cls(), cls(), cls()
        plain.update_many(y, scores)
        column.update_many(y, pd.Series(scores, index=[7, 8, 9, 10]))
        assert column.value == plain.value
        dicts = cls()
        dicts.update_many(y, pd.Series([{0: 1 - s, 1: s} for s in scores], index=[7, 8, 9, 10]))
        assert dicts.value == pytest.approx(plain.value)
        frame = pd.DataFrame({0: [1 - s for s in scores], 1: scores})
        with pytest.raises(TypeError, match=rf"^{cls.__name__}: .* a table; .*labels="):
            table.update_many(y, frame)
        with pytest.raises(TypeError, match=rf"^{cls.__name__}: .* a table; .*labels="):
            table.update_many(y, pd.DataFrame({"a": scores}))
        assert table.n == 0
        table.update_many(y, frame, labels=[0, 1])
        assert table.value == pytest.approx(plain.value)


@every
def test_masked_columns_are_refused(metric):
    metric = metric.clone()
    y, p, _ = pairs(metric, labels=2)
    before = state(metric)
    masked = np.ma.array(np.array(y), mask=[i == 4 for i in range(len(y))])
    with pytest.raises(ValueError, match=r"row 4: y is missing \(it is masked\)"):
        metric.update_many(masked, p)
    if metric.needs in ("label", "number"):
        with pytest.raises(ValueError, match=r"row 4: the prediction is missing"):
            metric.update_many(y, np.ma.array(np.array(p), mask=masked.mask))
    with pytest.raises(ValueError, match="row 4: the weight w is missing"):
        metric.update_many(y, p, np.ma.array(np.ones(len(y)), mask=masked.mask))
    assert state(metric) == before
    whole = metric.clone()
    whole.update_many(np.ma.array(np.array(y)), p)  # a mask that hides nothing
    assert whole.value == fed(metric, y, p).value


@every
def test_weight_0_is_nothing(metric):
    metric = metric.clone()
    y, p, _ = pairs(metric, labels=2)
    before = state(metric)
    metric.update(y[0], p[0], 0.0)
    metric.update_many(y, p, np.zeros(len(y)))
    assert state(metric) == before
    some = metric.clone()
    w = [float(i % 2) for i in range(len(y))]
    some.update_many(y, p, w)
    assert some.value == fed(metric, y[1::2], p[1::2]).value


@every
def test_repr_shows_what_it_is(metric):
    assert repr(metric.clone()).startswith(f"{type(metric).__name__}(")
    y, p, _ = pairs(metric, labels=2)
    used = fed(metric, y, p)
    shown = f"{100 * used.value:.1f} %" if metric.unit == "%" else f"{used.value:.3f}"
    assert f": {shown}" in repr(used)
    assert f"after {used.n} examples" in repr(used)
    assert eval(repr(metric.clone()), vars(evaluate)).params == metric.params
