from itertools import product
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from onstream import RLS, LinearRegression, LogisticRegression, PAClassifier, Perceptron
from onstream.evaluate import (
    F1,
    MAE,
    R2,
    RMSE,
    ROCAUC,
    Accuracy,
    ErrorRate,
    Kappa,
    KappaM,
    KappaT,
    LastValue,
    LogLoss,
    MajorityClass,
    Prequential,
    prequential,
)
from onstream.linear import PAMultilabel, PAUniclass, StructuredPA


def data(n=3000, labels=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    y = (X @ random.normal(size=(4, labels)) + random.normal(size=(n, labels))).argmax(axis=1)
    return X, y


def test_predicts_before_it_learns():
    """The loop that everybody knows, one example at a time."""
    X, y = data(500, labels=3)
    model, metrics = PAClassifier(), [Accuracy(), Kappa(), KappaT(), KappaM(), F1()]
    for x, label in zip(X, y.tolist(), strict=True):
        prediction = model.predict_one(x)
        for metric in metrics:
            metric.update(label, prediction)
        model.learn_one(x, label)
    report = prequential(PAClassifier(), (X, y), [metric.clone() for metric in metrics])
    for metric in metrics:
        assert report.value("PAClassifier", metric.name) == pytest.approx(metric.value, abs=1e-12)
    assert report.rows == 500


def test_the_first_prediction_knows_nothing():
    report = prequential(PAClassifier(), ([{"a": 1}], ["x"]))
    assert report.value("PAClassifier", "Accuracy") == 0.0


@pytest.mark.parametrize("length_known", [True, False])
def test_ranges_and_curves(length_known):
    X, y = data(4000)
    stream = (X, y) if length_known else iter(list(zip(X, y.tolist(), strict=True)))
    report = prequential(PAClassifier(), stream, [ErrorRate(), KappaT()], window=300, alpha=0.99)
    said = PAClassifier().predict_learn_many(X, y)
    run = report.runs[0]
    assert report.at[-1] == 4000
    assert (np.diff(report.at) > 0).all()
    assert 40 <= len(report.at) <= 512
    for cls in (ErrorRate, KappaT):
        for range_, more in (
            ("cumulative", {}),
            ("window", {"window": 300}),
            ("fading", {"alpha": 0.99}),
        ):
            curve = run.curves[cls.__name__][range_]
            assert len(curve) == len(report.at)
            metric, start = cls(**more), 0
            for stop, value in zip(report.at, curve, strict=True):
                metric.update_many(y[start:stop], said[start:stop])
                start = stop
                assert value == pytest.approx(metric.value, abs=1e-12)
            assert report.value("PAClassifier", cls.__name__, range_) == curve[-1]


def test_a_long_stream_is_thinned():
    X, y = data(150_000)
    course = Prequential(PAClassifier())
    for start in range(0, len(y), 1000):
        course.add(X[start : start + 1000], y[start : start + 1000])
    report = course.report()
    assert 200 < len(report.at) <= 513
    assert set(np.diff(report.at)) <= {400}
    assert len(report.runs[0].curves["Accuracy"]["window"]) == len(report.at)
    said = PAClassifier().predict_learn_many(X, y)
    right = np.cumsum(said == y) / np.arange(1, len(y) + 1)
    assert np.allclose(report.runs[0].curves["Accuracy"]["cumulative"], right[report.at - 1])


class Stream:
    """What a reader offers: blocks of whatever size it likes."""

    def __init__(self, X, y, w=None):
        self.X, self.y, self.w = X, y, w

    def __iter__(self):
        raise AssertionError("blocks are faster")

    def batches(self, n):
        for start in range(0, len(self.y), 700):
            cut = slice(start, start + 700)
            block = (self.X[cut], self.y[cut])
            yield block if self.w is None else (*block, self.w[cut])


def test_every_kind_of_stream():
    X, y = data(2000)
    names = list("abcd")
    frame = pd.DataFrame(X, columns=names)
    rows = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    expected = prequential(PAClassifier(), (X, y)).value("PAClassifier", "Accuracy")
    for stream in (
        (X.tolist(), y.tolist()),
        (sp.csr_matrix(X), y),
        (frame, pd.Series(y)),
        (pl.from_pandas(frame), pl.Series(y)),
        (rows, y),
        zip(rows, y.tolist(), strict=True),
        list(zip(X, y, strict=True)),
        Stream(X, y),
        Stream(X, y, np.ones(len(y))),
        [(x, label, 1.0) for x, label in zip(rows, y.tolist(), strict=True)],
    ):
        report = prequential(PAClassifier(), stream)
        assert report.value("PAClassifier", "Accuracy") == pytest.approx(expected, abs=1e-12)


def test_weights_reach_learner_and_metric():
    X, y = data(2000)
    w = np.random.default_rng(1).choice([0.0, 0.5, 2.0], 2000)
    report = prequential(LogisticRegression(), (X, y, w), [ErrorRate(), LogLoss()], window=100)
    said = LogisticRegression().predict_learn_many(X, y, w)
    metric, recent = ErrorRate(), ErrorRate(window=100)
    for m in (metric, recent):
        m.update_many(y, said, w)
    assert report.value("LogisticRegression", "ErrorRate") == pytest.approx(metric.value, abs=1e-12)
    assert report.value("LogisticRegression", "ErrorRate", "window") == pytest.approx(recent.value)


@pytest.mark.parametrize("labels", [2, 3])
def test_scores_and_probabilities(labels):
    X, y = data(2500, labels)
    names = np.array(["x", "y", "z"])[y]
    models = [LogisticRegression(), LogisticRegression(eta=0.01)]
    report = prequential(models, (X, names), [Accuracy(), LogLoss(), ROCAUC()], window=200)
    for model in models:
        again = model.clone()
        P = again.predict_learn_many(X, names, output="proba")
        loss, area = LogLoss(), ROCAUC(window=200, output="proba")
        loss.update_many(names, P, labels=again.labels)
        area.update_many(names, P, labels=again.labels)
        assert report.value(repr(model), "LogLoss") == pytest.approx(loss.value, abs=1e-12)
        assert report.value(repr(model), "ROCAUC", "window") == pytest.approx(area.value)
        right = Accuracy()
        right.update_many(names, model.clone().predict_learn_many(X, names))
        assert report.value(repr(model), "Accuracy") == pytest.approx(right.value, abs=1e-12)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("delay", [0, 3])
def test_labels_from_scores_are_the_predicted_ones(labels, delay):
    """A learner without probabilities is asked for scores: its labels must stay the same."""
    X, y = data(1500, labels)
    names = np.array(["x", "y", "z"])[y]
    plain = prequential(PAClassifier(), (X, names), Accuracy(), delay=delay)
    scored = prequential(PAClassifier(), (X, names), [Accuracy(), ROCAUC()], delay=delay)
    assert scored.value("PAClassifier", "Accuracy") == plain.value("PAClassifier", "Accuracy")
    assert scored.value("PAClassifier", "ROCAUC") > 0.7


@pytest.mark.parametrize("delay", [1, 7, 10_000])
def test_delay(delay):
    X, y = data(300)
    model, right = PAClassifier(), 0
    for i in range(300):
        if i > delay:
            model.learn_one(X[i - 1 - delay], int(y[i - 1 - delay]))
        right += model.predict_one(X[i]) == y[i]
    late = PAClassifier()
    report = prequential(late, (X, y), delay=delay)
    assert report.value("PAClassifier", "Accuracy") == pytest.approx(right / 300)
    assert late.seen == 300  # the rest was learned in the end
    rows = [dict(enumerate(row)) for row in X.tolist()]
    for kind in (rows, sp.csr_matrix(X), pd.DataFrame(X, columns=list("0123"))):
        again = prequential(PAClassifier(), (kind, y), delay=delay)
        assert again.value("PAClassifier", "Accuracy") == pytest.approx(right / 300)


def test_regression():
    X, _ = data(2000)
    y = X @ [1.0, -2.0, 0.5, 3.0] + 4.0
    report = prequential({"least squares": RLS(), "guess": LastValue()}, (X, y), unit="°F")
    said = RLS().predict_learn_many(X, y)
    for cls in (MAE, RMSE, R2):
        metric = cls()
        metric.update_many(y, said)
        assert report.value("least squares", cls.__name__) == pytest.approx(metric.value, rel=1e-12)
    assert [m["unit"] for m in report.metrics] == ["°F", "°F", ""]
    assert report.run("guess").baseline


def test_many_models_in_one_pass():
    X, y = data(1000)
    pulled = []

    def stream():
        for i in range(1000):
            pulled.append(i)
            yield X[i], int(y[i])

    models = [PAClassifier(), PAClassifier(C=0.1), Perceptron(), MajorityClass()]
    report = prequential(models, stream())
    assert pulled == list(range(1000))
    assert [run.name for run in report.runs] == [
        "PAClassifier()",
        "PAClassifier(C=0.1)",
        "Perceptron",
        "MajorityClass",
    ]
    for run, model in zip(report.runs[:3], models, strict=False):
        alone = prequential(model.clone(), (X, y)).runs[0]
        assert run.values == alone.values
        assert (run.wall > 0, run.cpu >= 0, run.memory_bytes) == (True, True, model.memory_bytes)


class Watchful(PAClassifier):
    """A learner that notices drift."""

    @property
    def alarms(self):
        return [100, 250]


class EveryHundred:
    """A detector without judgement."""

    def __init__(self):
        self.n = 0
        self.wrong = 0.0

    def update_many(self, values):
        found = [i for i in range(len(values)) if (self.n + i + 1) % 100 == 0]
        self.n += len(values)
        self.wrong += values.sum()
        return found


def test_alarms():
    X, y = data(400)
    model = Watchful()
    model.learn_many(X[:50], y[:50])
    report = prequential({"watchful": model, "watched": PAClassifier()}, (X[50:], y[50:]))
    assert report.run("watchful").alarms == [50, 200]
    assert report.run("watched").alarms == []
    detector = EveryHundred()
    report = prequential(PAClassifier(), (X, y), detector=detector)
    assert report.runs[0].alarms == [100, 200, 300, 400]
    assert detector.n == 0  # every learner has its own


def test_progress():
    X, y = data(40_000)
    told = []
    prequential(PAClassifier(), (X, y), progress=told.append)
    assert sum(told) == 40_000
    assert len(told) > 1
    prequential(PAClassifier(), (X[:10], y[:10]), progress=True)


@pytest.mark.parametrize(
    ("models", "stream", "more", "message"),
    [
        ([], ([], []), {}, "no model"),
        (3, ([], []), {}, "no learner"),
        (PAClassifier(), 3, {}, "stream is"),
        (PAClassifier(), ([[1.0]], [1, 2]), {}, "X has 1 rows, y has 2"),
        (PAClassifier(), [3], {}, "item 0"),
        (PAClassifier(), (1, 2, 3, 4), {}, "got 4 items"),
        ([PAClassifier(), RLS()], ([], []), {}, "evaluate them apart"),
        (PAClassifier(), ([], []), {"metrics": [MAE()]}, "MAE judges numbers"),
        (RLS(), ([], []), {"metrics": [Accuracy()]}, "Accuracy judges labels"),
        (PAClassifier(), ([], []), {"metrics": LogLoss()}, "needs probabilities"),
        (PAClassifier(), ([], []), {"metrics": []}, "must not be empty"),
        (PAClassifier(), ([], []), {"metrics": [Accuracy(), Accuracy()]}, "given twice"),
        (PAClassifier(), ([], []), {"metrics": ["Accuracy"]}, "no metric"),
        (PAClassifier(), ([], []), {"window": 0}, "window must be"),
        (PAClassifier(), ([], []), {"delay": -1}, "delay must be"),
        (PAClassifier(), ([], []), {"alpha": 1.5}, "alpha must be"),
        (MajorityClass(), ([], []), {"metrics": ROCAUC()}, "needs scores"),
    ],
)
def test_misuse(models, stream, more, message):
    with pytest.raises((TypeError, ValueError), match=message):
        prequential(models, stream, **more)


def test_the_same_model_twice():
    model = PAClassifier()
    with pytest.raises(ValueError, match="clone"):
        prequential([model, model], ([], []))


def test_an_empty_stream_has_a_report():
    report = prequential(PAClassifier(), (np.zeros((0, 2)), np.zeros(0, dtype=int)))
    assert report.rows == 0
    assert str(report)
    assert report.to_frame().empty


def test_interrupted_runs_can_still_be_reported():
    X, y = data(100)
    course = Prequential(PAClassifier())
    course.add(X[:60], y[:60])
    first = course.report()
    course.add(X[60:], y[60:])
    assert (first.rows, course.report().rows) == (60, 100)


def test_an_overflow_is_told_by_its_row_of_the_stream():
    X, y = np.ones((20_000, 1)), np.ones(20_000)
    X[17_000] = 1e200
    models = [LinearRegression(), RLS()]
    with pytest.raises(ValueError, match=r"^LinearRegression: row 17,000: learning .* overflow"):
        prequential(models, (X, y))
    assert models[0].seen == 17_000


def test_figures_so_far_remain_after_an_error():
    course = Prequential([LinearRegression()])
    course.add(np.ones((99, 1)), np.ones(99))
    with pytest.raises(ValueError, match="row 99: learning"):
        course.add(np.full((9, 1), 1e200), np.ones(9))
    report = course.report()
    assert report.rows == 99
    assert report.value("LinearRegression", "MAE") < 1.0


class TestBaselines:
    def test_majority(self):
        model = MajorityClass()
        said = model.predict_learn_many(None, ["b", "a", "a", "b", "c"])
        assert said.tolist() == [None, "b", "b", "a", "b"]  # even: the earliest
        assert model.predict_one({}) == "b"
        model.learn_one({}, "c", 5.0)
        assert model.predict_one({}) == "c"

    def test_last(self):
        model = LastValue()
        assert model.predict_learn_many(None, np.array([3.0, 4.0])).tolist() == [0.0, 3.0]
        assert model.predict_learn_many(None, np.array([5.0])).tolist() == [4.0]
        model.learn_one({}, 7)
        assert model.predict_one({}) == 7.0


class TestOtherAnswers:
    """Learners of sets, of structures and without targets give a clear result or a clear error."""

    X: ClassVar[list[dict[str, float]]] = [{"a": 1.0}, {"b": 1.0}, {"a": 1.0, "b": 1.0}] * 30
    SETS: ClassVar[list[set[str]]] = [{"p"}, {"q"}, {"p", "q"}] * 30

    @pytest.mark.parametrize("delay", [0, 4])
    def test_sets_of_labels(self, delay: int) -> None:
        report = prequential(PAMultilabel(), (self.X, self.SETS), delay=delay)
        assert list(report.runs[0].values) == ["Accuracy"]
        told = PAMultilabel().predict_learn_many(self.X, self.SETS)
        right = np.mean([a == b for a, b in zip(told, self.SETS, strict=True)])
        if not delay:
            assert report.value("PAMultilabel", "Accuracy") == pytest.approx(right)
        assert report.value("PAMultilabel", "Accuracy", "fading") > 0.5
        with pytest.raises(ValueError, match="Kappa judges single labels"):
            prequential(PAMultilabel(), (self.X, self.SETS), Kappa())
        with pytest.raises(ValueError, match=r"PAMultilabel predicts sets .* Perceptron labels"):
            prequential([PAMultilabel(), Perceptron()], (self.X, self.SETS))

    def test_structures(self) -> None:
        def features(words, tags):
            return {f"{word}/{tag}": 1.0 for word, tag in zip(words, tags, strict=True)}

        def argmax(words, score):
            answers = list(product("NV", repeat=len(words)))
            return max(answers, key=lambda tags: score(features(words, tags)))

        model = StructuredPA(features=features, argmax=argmax)
        words = [["dogs", "bark"], ["cats", "sleep"]] * 20
        report = prequential(model, (words, [("N", "V")] * 40), ErrorRate())
        assert report.value("StructuredPA", "ErrorRate") < 0.2

    def test_examples_alone(self) -> None:
        inside = np.arange(90) % 3 != 1
        report = prequential(PAUniclass(), (self.X, inside))
        assert 0.0 <= report.value("PAUniclass", "Accuracy") <= 1.0
        with pytest.raises(TypeError, match=r"PAUniclass answers whether .* got 'p'"):
            prequential(PAUniclass(), (self.X, ["p"] * 90))
