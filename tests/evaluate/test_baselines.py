"""Baselines stand beside the learners without being asked for, and can be turned off."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from onstream import RLS, LinearRegression, LogisticRegression, PAClassifier, Perceptron
from onstream.evaluate import (
    MAE,
    RMSE,
    ROCAUC,
    Accuracy,
    KappaM,
    KappaT,
    LastValue,
    LogLoss,
    MajorityClass,
    MeanValue,
    NoChange,
    Prequential,
    prequential,
)
from onstream.linear import PAMultilabel


def data(n=500, labels=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    return X, (X @ random.normal(size=(3, labels))).argmax(axis=1)


def names(report):
    return [run.name for run in report.runs]


def test_labels():
    X, y = data()
    report = prequential(PAClassifier(), (X, y))
    assert names(report) == ["PAClassifier", "no change", "majority"]
    assert [run.baseline for run in report.runs] == [False, True, True]
    assert [metric["name"] for metric in report.metrics] == ["Accuracy", "Kappa", "KappaT"]
    assert report.value("Accuracy") == report.value("PAClassifier", "Accuracy")
    assert report.value("no change", "Accuracy") == np.mean(y[1:] == y[:-1]) * 499 / 500
    assert report.value("no change", "KappaT") == pytest.approx(0.0, abs=1e-12)
    for shown in (str(report), report.to_json()):
        assert all(name in shown for name in ("no change", "majority", "KappaT"))


def test_majority_is_what_kappa_m_compares_with():
    X, y = data(labels=3)
    report = prequential(PAClassifier(), (X, y), [Accuracy(), KappaM()])
    assert report.value("majority", "KappaM") == pytest.approx(0.0, abs=1e-12)


def test_numbers():
    X, _ = data()
    y = X @ [1.0, 2.0, 3.0] + 50.0
    report = prequential(RLS(), (X, y))
    assert names(report) == ["RLS", "no change", "mean so far"]
    before = np.concatenate([[0.0], y[:-1]])
    means = np.concatenate([[0.0], np.cumsum(y)[:-1] / np.arange(1, len(y))])
    assert report.value("no change", "MAE") == pytest.approx(np.abs(y - before).mean())
    assert report.value("mean so far", "MAE") == pytest.approx(np.abs(y - means).mean())


def test_off():
    X, y = data()
    assert names(prequential(PAClassifier(), (X, y), baselines=False)) == ["PAClassifier"]
    assert len(Prequential(PAClassifier(), baselines=False).contenders) == 1
    with pytest.raises(TypeError, match="baselines"):
        prequential(PAClassifier(), (X, y), baselines="no")


def test_what_is_there_is_not_added_again():
    X, y = data()
    report = prequential({"guess": MajorityClass(), "no change": PAClassifier()}, (X, y))
    assert names(report) == ["guess", "no change", "no change (baseline)"]
    report = prequential([LastValue(), MeanValue()], (X, X[:, 0]), MAE())
    assert names(report) == ["LastValue", "MeanValue"]


def test_learners_learn_the_same_beside_them():
    X, y = data()
    for delay in (0, 7):
        alone = prequential(Perceptron(), (X, y), delay=delay, baselines=False)
        beside = prequential(Perceptron(), (X, y), delay=delay)
        assert alone.runs[0].values == beside.runs[0].values


def test_delay_holds_for_them_too():
    X, y = data()
    report = prequential(PAClassifier(), (X, y), delay=10)
    right = y[11:] == y[:-11]
    judged = report.run("no change").judged
    assert judged == 489
    assert report.value("no change", "Accuracy") == pytest.approx(right.sum() / judged)


def test_metrics_that_need_probabilities():
    X, y = data()
    report = prequential(LogisticRegression(), (X, y), [LogLoss(), ROCAUC()])
    share = np.mean(y)
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert report.value("majority", "LogLoss") == pytest.approx(entropy, abs=0.15)
    assert report.value("no change", "LogLoss") > report.value("majority", "LogLoss")
    assert 0.3 < report.value("no change", "ROCAUC") < 0.7
    late = prequential(LogisticRegression(), (X, y), [LogLoss()], delay=5)
    assert late.value("majority", "LogLoss") == pytest.approx(entropy, abs=0.15)


def test_sets_of_labels():
    rows = [{"a": float(i % 3 == 0), "b": float(i % 2)} for i in range(60)]
    sets = [{"x", "y"} if i % 3 == 0 else {"x"} for i in range(60)]
    report = prequential(PAMultilabel(), (rows, sets))
    assert names(report) == ["PAMultilabel", "no change"]
    right = sum(a == b for a, b in pairwise(sets))
    assert report.value("no change", "Accuracy") == pytest.approx(right / 60)


def test_if_all_learners_fail_the_run_fails():
    X, y = data()
    course = Prequential(PAClassifier())
    course.continue_on_error = True
    X[30, 1] = np.nan
    with pytest.raises(ValueError, match="PAClassifier"):
        course.add(X, y)


def test_weights():
    X, y = data()
    w = np.arange(500.0) % 3
    report = prequential(LogisticRegression(), (X, y, w), [Accuracy(), KappaT()])
    said = MajorityClass().predict_learn_many(X, y, w)
    assert report.value("majority", "Accuracy") == pytest.approx((w * (said == y)).sum() / w.sum())
    y = X[:, 0] + 10.0
    report = prequential(LinearRegression(), (X, y, w), RMSE())
    means = [np.average(y[:i], weights=w[:i]) if w[:i].any() else 0.0 for i in range(500)]
    expected = np.sqrt(np.average((y - means) ** 2, weights=w))
    assert report.value("mean so far", "RMSE") == pytest.approx(expected)


@pytest.mark.parametrize("guess", [MajorityClass, NoChange])
@pytest.mark.parametrize("kinds", [1, 2, 5, 80])
def test_blocks_are_a_loop_of_ones(guess, kinds):
    random = np.random.default_rng(kinds)
    y = random.integers(0, kinds, 700)
    w = random.integers(0, 3, 700).astype(float)
    for weights in (None, w):
        one, many = guess(), guess()
        expected = []
        for i, label in enumerate(y.tolist()):
            expected.append(one.predict_one(None))
            one.learn_one(None, label, 1.0 if weights is None else weights[i])
        said = []
        for part in (slice(0, 1), slice(1, 300), slice(300, 700)):
            piece = None if weights is None else weights[part]
            said += many.predict_learn_many(None, y[part], piece).tolist()
        assert said == expected
        assert one.seen == many.seen == 700
        assert many.predict_proba_one(None) == pytest.approx(one.predict_proba_one(None))


COLUMNS = {
    "ints": [np.array([3, 1, 3]), np.array([1, 1, 2, 2, 2, 1])],
    "bools": [np.array([True, False]), np.array([False, False, True])],
    "bools after ints": [np.array([1, 0, 1]), np.array([True, True, False, False, False])],
    "ints after bools": [np.array([True, False]), np.array([1, 0, 0, 1])],
    "ints after texts": [np.array(["x", "x"], dtype=object), np.array([1, 1, 1, 2])],
    "beyond 64 bits": [np.array([2**70, 1], dtype=object), np.array([1, 2, 2])],
    "small ints": [np.array([1, 2], dtype=np.int8), np.array([300, 300, 300, 1])],
    "one row each": [np.array([1]), np.array([2]), np.array([2]), np.array([1])],
    "no rows": [np.array([1, 2]), np.array([], dtype=np.int64), np.array([2])],
    "floats": [np.array([0.5, 1.0]), np.array([1, 1, 2])],
}


@pytest.mark.parametrize("guess", [MajorityClass, NoChange])
@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("weighted", [False, True])
def test_kinds_of_labels(guess, kind, weighted):
    """Columns that NumPy compares without Python are guessed as their labels one by one are."""
    one, many = guess(), guess()
    for part in COLUMNS[kind]:
        w = np.arange(len(part)) % 2.0 if weighted else None
        expected = []
        for i, label in enumerate(part.tolist()):
            expected.append(one.predict_one(None))
            one.learn_one(None, label, 1.0 if w is None else w[i])
        said = many.predict_learn_many(None, part, w).tolist()
        assert [(type(s), s) for s in said] == [(type(s), s) for s in expected]
    if guess is MajorityClass:  # the other notes labels one by one only
        assert one.labels == many.labels
    del one.labels, many.labels
    assert repr(vars(one)) == repr(vars(many))


def test_majority_against_counting():
    y = np.random.default_rng(3).integers(0, 4, 300).tolist()
    said = MajorityClass().predict_learn_many(None, y).tolist()
    for i in range(1, 300):
        order = list(dict.fromkeys(y[:i]))
        assert said[i] == max(order, key=y[:i].count)  # max takes the first of equals
    assert said[0] is None


def test_frames_and_texts():
    frame = pd.DataFrame({"a": range(20)})
    y = pd.Series(["x", "y"] * 10)
    report = prequential(PAClassifier(), (frame, y))
    assert report.value("no change", "Accuracy") == 0.0
    assert report.value("majority", "Accuracy") == pytest.approx(0.45)
