import pickle
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from onstream import evaluate
from onstream.evaluate import (
    F1,
    MAE,
    R2,
    RMSE,
    ROCAUC,
    Accuracy,
    BalancedAccuracy,
    ErrorRate,
    Kappa,
    KappaM,
    KappaT,
    LogLoss,
    Precision,
    Recall,
)

OF_LABELS = [
    Accuracy,
    ErrorRate,
    Kappa,
    KappaT,
    KappaM,
    BalancedAccuracy,
    Precision,
    Recall,
    F1,
]
OF_NUMBERS = [MAE, RMSE, R2]
TRUTH, SAID = list("aaaaabbbcc"), list("aaabbbbacb")

labels = st.integers(0, 3)
weights = st.floats(0.01, 10.0)
label_rows = st.lists(st.tuples(labels, labels, weights), min_size=1, max_size=40)
numbers = st.floats(-1e3, 1e3)
number_rows = st.lists(st.tuples(numbers, numbers, weights), min_size=2, max_size=40)


def fed(metric, rows):
    """The metric after these (y, prediction, w), one by one."""
    for row in rows:
        metric.update(*row)
    return metric


def columns(rows):
    return (np.array(column) for column in zip(*rows, strict=True))


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        (Accuracy(), 0.6),
        (ErrorRate(), 0.4),
        (Kappa(), 0.365079365079),
        (KappaT(), -1 / 3),
        (KappaM(), 1 / 3),
        (BalancedAccuracy(), 0.588888888889),
        (Precision(average="macro"), 0.716666666667),
        (Recall(average="macro"), 0.588888888889),
        (F1(average="macro"), 0.611111111111),
        (Precision(average="weighted"), 0.695),
        (Recall(average="weighted"), 0.6),
        (F1(average="weighted"), 0.616666666667),
        (Precision(average="micro"), 0.6),
    ],
    ids=repr,
)
def test_vectors(metric, value):
    metric.update_many(TRUTH, SAID)
    assert metric.value == pytest.approx(value, abs=1e-12)


def test_log_loss_vector():
    metric = LogLoss()
    for p in (0.9, 0.2, 0.6, 0.0):
        metric.update("a", {"a": p, "b": 1 - p})
    assert metric.value == pytest.approx(9.191100, abs=1e-6)
    metric = LogLoss()
    metric.update("unheard", {"a": 1.0})
    assert metric.value == pytest.approx(-np.log(1e-15))


@pytest.mark.parametrize("more", [{}, {"window": 10}, {"alpha": 1.0}], ids=str)
@pytest.mark.parametrize(
    ("scores", "area"), [((0.1, 0.4, 0.35, 0.8), 0.75), ((0.1, 0.4, 0.4, 0.8), 0.875)]
)
def test_roc_vectors(scores, area, more):
    one = fed(ROCAUC(**more), zip([0, 0, 1, 1], scores, strict=True))
    assert one.value == pytest.approx(area, abs=1e-12)
    many = ROCAUC(output="proba", **more)
    many.update_many([0, 0, 1, 1], np.array([[1 - s, s] for s in scores]), labels=[0, 1])
    assert many.value == pytest.approx(area, abs=1e-12)


class TestAgainstScikitLearn:
    @settings(max_examples=150, deadline=None)
    @given(label_rows)
    def test_labels(self, rows):
        y, p, w = columns(rows)
        for metric, expected in [
            (Accuracy(), sk.accuracy_score(y, p, sample_weight=w)),
            (ErrorRate(), sk.zero_one_loss(y, p, sample_weight=w)),
            (Kappa(), kappa(y, p, w)),
            (BalancedAccuracy(), np.mean(recalls(y, p, w))),
        ]:
            metric.update_many(y, p, w)
            assert metric.value == pytest.approx(expected, rel=1e-12, abs=1e-12), metric
        for average in ("macro", "micro", "weighted"):
            expected = sk.precision_recall_fscore_support(
                y, p, average=average, sample_weight=w, zero_division=0
            )
            for cls, value in zip((Precision, Recall, F1), expected, strict=False):
                metric = fed(cls(average=average), rows)
                assert metric.value == pytest.approx(value, rel=1e-12, abs=1e-12), metric

    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.tuples(st.booleans(), st.booleans(), weights), min_size=1, max_size=30))
    def test_binary(self, rows):
        y, p, w = columns(rows)
        expected = sk.precision_recall_fscore_support(
            y, p, average="binary", sample_weight=w, zero_division=0, pos_label=True
        )
        for cls, value in zip((Precision, Recall, F1), expected, strict=False):
            metric = cls(positive=True)
            metric.update_many(y, p, w)
            assert metric.value == pytest.approx(value, rel=1e-12, abs=1e-12)

    @settings(max_examples=150, deadline=None)
    @given(number_rows)
    def test_numbers(self, rows):
        y, p, w = columns(rows)
        squared = sk.mean_squared_error(y, p, sample_weight=w)
        for cls, expected in (
            (MAE, sk.mean_absolute_error(y, p, sample_weight=w)),
            (RMSE, np.sqrt(squared)),
        ):
            metric = cls()
            metric.update_many(y, p, w)
            assert metric.value == pytest.approx(expected, rel=1e-12, abs=1e-12)
        if np.ptp(y) > 1e-3:
            metric = fed(R2(), rows)
            expected = sk.r2_score(y, p, sample_weight=w)
            assert 1 - metric.value == pytest.approx(1 - expected, rel=1e-12, abs=1e-12)

    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.tuples(st.booleans(), st.floats(0, 1), weights), min_size=2, max_size=30))
    def test_scores(self, rows):
        y, p, w = columns(rows)
        metric = LogLoss()
        metric.update_many(y, np.column_stack([1 - p, p]), w, labels=[False, True])
        clipped = np.maximum(np.where(y, p, 1 - p), 1e-15)
        assert metric.value == pytest.approx(np.average(-np.log(clipped), weights=w), rel=1e-12)
        if 0.01 <= p.min() <= p.max() <= 0.99 and y.any() and not y.all():
            assert metric.value == pytest.approx(sk.log_loss(y, p, sample_weight=w), rel=1e-12)
        if y.any() and not y.all():
            expected = sk.roc_auc_score(y, p, sample_weight=w)
            exact = ROCAUC(window=len(rows))
            exact.update_many(y, np.column_stack([1 - p, p]), w, labels=[False, True])
            assert exact.value == pytest.approx(expected, abs=1e-12)
            for more in ({"output": "proba"}, {}):
                binned = ROCAUC(**more)
                binned.update_many(y, np.column_stack([1 - p, p]), w, labels=[False, True])
                assert abs(binned.value - expected) <= binned.error_bound + 1e-12

    @settings(max_examples=60, deadline=None)
    @given(st.integers(0, 2**32 - 1))
    def test_scores_of_three(self, seed):
        random = np.random.default_rng(seed)
        y = np.concatenate([[0, 1, 2], random.integers(0, 3, 20)])
        P = random.dirichlet(np.ones(3), size=len(y)).round(random.integers(1, 4))
        metric = ROCAUC(window=100, output="proba")
        metric.update_many(y, P, labels=[0, 1, 2])
        each = [sk.roc_auc_score(y == r, P[:, r]) for r in range(3)]
        assert metric.value == pytest.approx(np.mean(each), abs=1e-12)


def kappa(y, p, w):
    """Cohen's; scikit-learn's has no answer where chance is always right."""
    n = w.sum()
    agree = w[y == p].sum() / n
    chance = sum(w[y == r].sum() * w[p == r].sum() for r in {*y.tolist()}) / n**2
    if abs(1 - chance) < 1e-12:
        return 0.0
    assert (agree - chance) / (1 - chance) == pytest.approx(
        sk.cohen_kappa_score(y, p, sample_weight=w), abs=1e-9
    )
    return (agree - chance) / (1 - chance)


def recalls(y, p, w):
    return [w[(y == r) & (p == r)].sum() / w[y == r].sum() for r in np.unique(y)]


@settings(max_examples=60, deadline=None)
@given(label_rows, st.integers(1, 12), st.integers(0, 40))
def test_ranges_of_labels(rows, window, cut):
    """A window is the metric of its rows; alpha=1 forgets nothing; merged comes afterwards."""
    for cls in OF_LABELS:
        more = {"average": "macro"} if hasattr(cls(), "average") else {}
        by_one = fed(cls(**more), rows)
        blocks = cls(**more)
        blocks.update_many(*columns(rows[:cut])) if rows[:cut] else None
        blocks.update_many(*columns(rows[cut:])) if rows[cut:] else None
        assert blocks.value == by_one.value
        assert fed(cls(alpha=1.0, **more), rows).value == by_one.value
        last = fed(cls(window=window, **more), rows)
        assert last.value == pytest.approx(fed(cls(**more), rows[-window:]).value, abs=1e-12)
        for ranged in ({}, {"window": window}, {"alpha": 0.9}):
            whole = fed(cls(**more, **ranged), rows)
            if cls is KappaM and ranged != {"window": window}:
                continue  # the commonest label of each part is its own
            left = fed(cls(**more, **ranged), rows[:cut])
            left.merge(fed(cls(**more, **ranged), rows[cut:]))
            assert left.value == pytest.approx(whole.value, rel=1e-9, abs=1e-9), (cls, ranged)
            assert left.n == whole.n


@settings(max_examples=60, deadline=None)
@given(number_rows, st.integers(1, 12), st.integers(0, 40))
def test_ranges_of_numbers(rows, window, cut):
    for cls in OF_NUMBERS:
        by_one = fed(cls(), rows)
        blocks = cls()
        blocks.update_many(*columns(rows))
        assert blocks.value == by_one.value
        assert fed(cls(alpha=1.0), rows).value == by_one.value
        assert fed(cls(window=window), rows).value == fed(cls(), rows[-window:]).value
        for ranged in ({}, {"window": window}, {"alpha": 0.9}):
            left = fed(cls(**ranged), rows[:cut])
            left.merge(fed(cls(**ranged), rows[cut:]))
            whole = fed(cls(**ranged), rows)
            if cls is R2 and (
                abs(whole.value) > 1e6 or np.ptp([r[0] for r in rows[-window:]]) < 1e-3
            ):
                continue  # hardly any variance to explain
            assert left.value == pytest.approx(whole.value, rel=1e-7, abs=1e-9), (cls, ranged)


def test_fading_is_the_recursion():
    """S = L + alpha S, N = 1 + alpha N."""
    random = np.random.default_rng(0)
    y, p = random.integers(0, 2, 3000), random.integers(0, 2, 3000)
    for alpha in (0.5, 0.99, 0.999):  # 0.5: the weights must be scaled back now and then
        metric = ErrorRate(alpha=alpha)
        metric.update_many(y, p)
        S = N = 0.0
        for wrong in y != p:
            S, N = wrong + alpha * S, 1 + alpha * N
        assert metric.value == pytest.approx(S / N, rel=1e-10)
        number = MAE(alpha=alpha)
        number.update_many(y.astype(float), p.astype(float))
        assert number.value == pytest.approx(S / N, rel=1e-10)


def test_fading_roc_forgets():
    metric = ROCAUC(alpha=0.9)
    metric.update_many([0, 1] * 200, [1.0, 0.0] * 200)  # the wrong way round
    assert metric.value < 0.1
    metric.update_many([0, 1] * 200, [0.0, 1.0] * 200)
    assert metric.value > 0.99


@pytest.mark.parametrize("ranged", [{}, {"window": 5}, {"alpha": 0.9}], ids=str)
def test_roc_merges(ranged):
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 60).tolist()
    s = (random.normal(size=60) + y).tolist()
    whole = fed(ROCAUC(**ranged), zip(y, s, strict=True))
    left = fed(ROCAUC(**ranged), zip(y[:23], s[:23], strict=True))
    left.merge(fed(ROCAUC(**ranged), zip(y[23:], s[23:], strict=True)))
    assert left.value == pytest.approx(whole.value, abs=1e-12)


def test_one_score_becomes_several():
    """A learner that meets a third label goes on with a score for each."""
    metric = ROCAUC()
    metric.update_many(["a", "b", "a", "b"], [-1.0, 1.0, -0.5, 2.0])  # "b" is +1
    assert metric.value == 1.0
    metric.update_many(["c"], np.array([[-1.0, -1.0, 2.0]]), labels=["a", "b", "c"])
    assert metric.value == pytest.approx(1.0)


@pytest.mark.parametrize("cls", [*OF_LABELS, *OF_NUMBERS, LogLoss, ROCAUC])
def test_common(cls):
    row = (1, {1: 0.5}) if cls in (LogLoss,) else (1, 1.0)
    metric = cls()
    assert metric.value == 0.0
    metric.update(*row, 0.0)  # weight 0: nothing happened
    assert (metric.n, metric.value) == (0, 0.0)
    for w in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match=f"^{cls.__name__}: .*weight"):
            metric.update(*row, w)
    with pytest.raises(ValueError, match=r"exclude each other"):
        cls(window=5, alpha=0.5)
    with pytest.raises(ValueError, match="window must be at least 1"):
        cls(window=0)
    with pytest.raises(ValueError, match="alpha must be"):
        cls(alpha=0.0)
    with pytest.raises(ValueError, match="cannot be merged"):
        metric.merge(cls(window=3))
    for ranged in ({}, {"window": 7}, {"alpha": 0.9}):
        metric = cls(**ranged)
        random = np.random.default_rng(0)
        for y, p in random.integers(0, 2, (20, 2)).tolist():
            metric.update(y, {0: 1.0 - p, 1: float(p)} if cls is LogLoss else p)
        copied = pickle.loads(pickle.dumps(metric))
        assert copied.value == metric.value
        for m in (metric, copied):
            m.update(1, {1: 0.3} if cls is LogLoss else 0)
        assert copied.value == metric.value
        assert metric.clone().n == 0
        assert repr(metric.clone()) == metric.code


def test_nothing_predicted_is_wrong():
    metric = Accuracy()
    metric.update_many(["a", "a"], np.array([None, "a"], dtype=object))
    assert metric.value == 0.5
    recall = Recall(average="macro")
    recall.update("a", None)
    recall.update("a", "a")
    assert recall.value == 0.5
    precision = Precision(average="macro")
    precision.update("a", None)
    precision.update("a", "a")
    assert precision.value == 1.0


@pytest.mark.parametrize(
    ("one", "other", "positive"),
    [
        (0, 1, 1),
        (False, True, True),
        ("ham", "spam", "spam"),
        (3, 7, 7),
        (-1, 1, 1),
        (1.0, 0.0, 1),
        (np.str_("b"), "a", "b"),
        (np.int8(1), 2, 2),
    ],
)
def test_positive_label(one, other, positive):
    """True, the larger number, the later text: whichever comes first, is true or is predicted."""
    for a, b in ((one, other), (other, one)):
        metric = Recall()
        metric.update(a, a)
        metric.update(b, a)
        assert metric.title == f"Recall of {positive!r}"
        assert metric.value == (1.0 if positive == a else 0.0)
        assert f"Recall() of {positive!r}: " in repr(metric)


def test_the_order_of_the_stream_does_not_choose_the_label():
    pairs = [("ham", "ham")] * 3 + [("spam", "spam"), ("spam", "ham")]
    for order in (pairs, pairs[::-1]):
        metric = F1()
        metric.update_many(*zip(*order, strict=True))
        assert metric.value == pytest.approx(2 / 3)
        assert repr(metric) == "F1() of 'spam': 66.7 % after 5 examples"


def test_positive_that_is_given():
    metric = F1(positive="b")
    metric.update_many(list("abcab"), list("abcbb"))  # of three labels, too
    assert metric.value == pytest.approx(0.8)
    assert (metric.name, metric.title) == ("F1 of 'b'", "F1 of 'b'")
    assert F1(positive=np.int64(1)).name == "F1 of 1"
    with pytest.raises(ValueError, match="leave out average='macro'"):
        F1(positive="b", average="macro")
    with pytest.raises(TypeError, match=r"F1: positive: a label must be .* got 1.5"):
        F1(positive=1.5)
    with pytest.raises(TypeError, match=r"labels are of one kind, such as 'b'; got 1"):
        F1(positive="b").update(1, 1)


def test_a_label_that_was_only_predicted_makes_no_third():
    metric = F1()
    metric.update_many(list("abab"), list("abcb"))
    assert metric.title == "F1 of 'b'"
    assert metric.value == 1.0
    metric.update("c", "c")
    assert metric.title == "F1 (macro)"


def test_one_number_is_the_probability_of_1():
    metric = LogLoss()
    metric.update(True, 0.25)
    metric.update(0, 0.75)
    assert metric.value == pytest.approx(-np.log(0.25))
    for update in (lambda: metric.update("a", 0.5), lambda: metric.update_many(["a"], [0.5])):
        with pytest.raises(ValueError, match="for 'a' give a dict"):
            update()


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e12, 1e15, -1e15])
@pytest.mark.parametrize("first", [False, True])
def test_r2_far_from_zero(offset, first):
    """Against exact arithmetic; also if the first target is nowhere near the others."""
    random = np.random.default_rng(0)
    y = np.round(random.normal(size=500) * 16) / 8 + offset
    if first:
        y[0] = 0.25
    p = y + np.round(random.normal(size=500) * 4) / 8
    exact_y, exact_p = [Fraction(v) for v in y], [Fraction(v) for v in p]
    mean = sum(exact_y) / len(y)
    squared = sum((a - b) ** 2 for a, b in zip(exact_y, exact_p, strict=True))
    spread = sum((a - mean) ** 2 for a in exact_y)
    one, left, right = fed(R2(), zip(y, p, strict=True)), R2(), R2()
    left.update_many(y[:77], p[:77])
    right.update_many(y[77:], p[77:])
    left.merge(right)
    for metric in (one, left):
        assert 1 - metric.value == pytest.approx(float(squared / spread), rel=1e-9, abs=1e-15)


def test_kappa_t_of_a_stream_that_never_changes():
    """What faded away leaves no rounding behind."""
    metric = KappaT(alpha=0.5)
    metric.update_many(["a", "b"] + ["a"] * 3000, ["b", "b"] + ["a", "b"] * 1500)
    assert np.isfinite(metric.value)
    assert metric.value <= 1.0


def test_refused_blocks_change_nothing():
    metric = MAE()
    metric.update(1.0, 2.0)
    for y, p in [([1.0, np.nan], [1.0, 1.0]), ([1.0], [1.0, 2.0]), (["a"], [1.0])]:
        with pytest.raises((ValueError, TypeError), match=r"^MAE: "):
            metric.update_many(y, p)
    assert (metric.n, metric.value) == (1, 1.0)
    with pytest.raises(ValueError, match="row 1"):
        metric.update_many([1.0, np.inf], [1.0, 1.0])


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint64, bool, np.float32, object, "U1"], ids=lambda d: str(d)
)
def test_label_dtypes(dtype):
    y, p = np.array([0, 1, 1, 0]).astype(dtype), np.array([0, 1, 0, 0]).astype(dtype)
    metric = Accuracy()
    metric.update_many(y, p)
    metric.update_many([int(float(v)) if dtype != "U1" else v for v in y.tolist()], p)
    assert metric.value == 0.75
    assert metric._sums.matrix().shape == (2, 2)


def test_many_labels():
    random = np.random.default_rng(0)
    y, p = random.integers(-500, 500, 5000), random.integers(-500, 500, 5000)
    p[::2] = y[::2]
    metric = F1(average="macro")
    metric.update_many(y, p)
    expected = sk.f1_score(y, p, average="macro", zero_division=0)
    assert metric.value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("more", [{}, {"window": 700}, {"alpha": 0.99}], ids=str)
def test_hundreds_of_labels(more):
    """Only the cells in use are added up: the same as all of them, by scikit-learn."""
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 300, 2000), rng.integers(0, 300, 2000)
    p[::2] = y[::2]
    w = rng.uniform(0.5, 2.0, 2000)
    part = slice(-more["window"], None) if "window" in more else slice(None)
    weight = w * more.get("alpha", 1.0) ** np.arange(2000)[::-1]
    told = {"y_true": y[part], "y_pred": p[part]}
    expected = {
        Accuracy: sk.accuracy_score(**told, sample_weight=weight[part]),
        Kappa: sk.cohen_kappa_score(y[part], p[part], sample_weight=weight[part]),
        F1: sk.f1_score(**told, sample_weight=weight[part], average="macro"),
    }
    for cls, value in expected.items():
        whole, pieces, first = cls(**more), cls(**more), cls(**more)
        whole.update_many(y, p, w)
        assert whole.value == pytest.approx(value, rel=1e-9)
        for i in range(2000):
            pieces.update(int(y[i]), int(p[i]), w[i])
        assert pieces.value == whole.value
        first.update_many(y[:900], p[:900], w[:900])
        other = cls(**more)
        other.update_many(y[900:], p[900:], w[900:])
        first.merge(other)
        assert first.value == pytest.approx(value, rel=1e-9)
        assert pickle.loads(pickle.dumps(whole)).value == whole.value


def test_all_metrics_are_tested():
    metrics = {
        cls
        for name, cls in vars(evaluate).items()
        if isinstance(cls, type) and issubclass(cls, evaluate.Metric) and name != "Metric"
    }
    assert metrics == {*OF_LABELS, *OF_NUMBERS, LogLoss, ROCAUC}


@pytest.mark.parametrize("cls", [MAE, RMSE, R2])
@pytest.mark.parametrize("size", [1.0, 1e70, 1e120])
def test_fading_does_not_overflow_before_the_errors_do(cls, size):
    """The weight of the newest example grows while older ones fade; the sums must not."""
    rng = Random(3)
    pairs = [(size * rng.gauss(0.0, 1.0), size * rng.gauss(0.0, 1.0)) for _ in range(600)]
    large = fed(cls(alpha=0.5), pairs).value
    small = fed(cls(alpha=0.5), [(y / size, p / size) for y, p in pairs]).value
    assert large == pytest.approx(small if cls is R2 else small * size, rel=1e-9)
    merged, rest = fed(cls(alpha=0.5), pairs[:550]), fed(cls(alpha=0.5), pairs[550:])
    merged.merge(rest)
    assert merged.value == pytest.approx(large, rel=1e-9)


@pytest.mark.parametrize("cls", [KappaT, KappaM, Accuracy, Kappa, BalancedAccuracy])
def test_a_window_is_the_metric_of_its_examples_alone(cls):
    """Also where two labels are equally common: labels that have left have no say."""
    if cls is KappaM:
        metric = fed(KappaM(window=3), [("a", "a"), ("b", "a"), ("a", "a"), ("a", "a")])
        assert metric.value == pytest.approx(2 / 3)
    rng = Random(4)
    pairs = [(rng.choice("abc"), rng.choice([*"abcd", None])) for _ in range(300)]
    for window in (2, 3, 4, 7):
        metric = cls(window=window)
        for i, pair in enumerate(pairs):
            metric.update(*pair)
            last = pairs[max(0, i + 1 - window) : i + 1]
            assert metric.value == pytest.approx(fed(cls(), last).value, abs=1e-12)
            if i == 150:
                metric = pickle.loads(pickle.dumps(metric))
    truth = [y for y, _ in pairs]
    report = evaluate.prequential(Constant(), ([[0.0]] * 300, truth), cls(), window=7)
    alone = fed(cls(), [(y, "a") for y in truth[-7:]])
    assert report.value(cls.__name__, "window") == pytest.approx(alone.value, abs=1e-12)


class Constant:
    """A learner that always says a."""

    def learn_one(self, x, y):
        pass

    def predict_one(self, x):
        return "a"


@pytest.mark.parametrize(("cls", "value"), [(RMSE, np.inf), (R2, -np.inf)])
def test_errors_too_large_stay_so_however_much_is_merged_later(cls, value):
    metric, rest = fed(cls(alpha=0.5), [(1e100, -1e200)]), cls(alpha=0.5)
    rest.update_many(np.arange(3000.0), np.zeros(3000))
    metric.merge(rest)
    assert metric.value == value


PLAIN = {
    "bools": ([True, False, True, False, False], [0.9, 0.2, 0.4, 0.4, 0.0], 1.0),
    "false first": ([False, True, True, False], [0.9, 0.2, 0.4, 0.4], 1.0),
    "ints": ([0, 1, 1, 0], [0.1, 1.0, 0.25, 0.75], 1.0),
    "bools after ints": ([0, 1, True, False], [0.1, 1.0, 0.25, 0.75], 1.0),
    "whole probabilities": ([0, 1, 1, 0, 0], [0, 1, 0.5, 1, 0.25], 1.0),
    "of NumPy": (list(np.array([0, 1, 1])), list(np.array([0.5, 0.25, 1.0])), 1.0),
    "weights": ([0, 1, 1, 0], [0.1, 1.0, 0.25, 0.75], 2.5),
    "whole weights": ([0, 1, 1, 0], [0.1, 1.0, 0.25, 0.75], 3),
    "no weight": ([0, 1, 1, 0], [0.1, 1.0, 0.25, 0.75], 0.0),
    "a little too large": ([0, 1, 1], [0.1, 0.2, 1.0 + 1e-10], 1.0),
    "too large": ([0, 1, 1], [0.1, 0.2, 1.5], 1.0),
    "below 0": ([0, 1, 1], [0.1, 0.2, -0.5], 1.0),
    "NaN": ([0, 1, 1], [0.1, 0.2, np.nan], 1.0),
    "infinite": ([0, 1, 1], [0.1, 0.2, np.inf], 1.0),
    "another number": ([0, 1, 2], [0.1, 0.2, 0.3], 1.0),
    "texts": (["b", "a", "b", "a"], [0.1, 0.2, 0.3, 0.4], 1.0),
    "other labels": ([5, 3, 5, 3], [0.1, 0.2, 0.3, 0.4], 1.0),
    "a third": ([5, 3, 5, 4], [0.1, 0.2, 0.3, 0.4], 1.0),
    "no label": ([0, 1, None], [0.1, 0.2, 0.3], 1.0),
    "negative weight": ([0, 1, 1], [0.1, 0.2, 0.3], -1.0),
}


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize(
    "make",
    [
        LogLoss,
        lambda: LogLoss(alpha=0.9),
        lambda: LogLoss(window=2),
        ROCAUC,
        lambda: ROCAUC(output="proba"),
        lambda: ROCAUC(alpha=0.9),
        lambda: ROCAUC(window=3, output="proba"),
    ],
)
def test_plain_examples_one_by_one(kind, make):
    """The way of the usual example, which is short, tells and refuses what the way of rows does."""
    one, many = make(), make()
    labels, told, w = PLAIN[kind]
    for y, p in zip(labels, told, strict=True):
        refused = [
            refusal(one.update, y, p, w),
            refusal(many.update_many, [y], [p], [w]),
        ]
        assert refused[0] == refused[1]
        assert one.value == many.value
        assert one.n == many.n
        assert state(one) == state(many)


def refusal(add, *example):
    """The type of the error with which it is refused, or None."""
    try:
        add(*example)
    except (TypeError, ValueError) as error:
        return type(error)
    return None


def state(metric):
    """All sums of a metric, to compare."""
    fields = metric._sums.export()
    codes, _ = fields.pop("label_codes", None), fields.pop("tail", None)
    sums = {name: np.array(numbers).tolist() for name, numbers in fields.items()}
    return sums, codes and (codes.labels, codes.true_labels())
