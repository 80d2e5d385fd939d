import threading
import warnings
from itertools import product
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from onstream import RLS, LinearRegression, LogisticRegression, PAClassifier, Perceptron
from onstream.base import DataWarning
from onstream.bayes import GaussianNB, MultinomialNB
from onstream.drift import DDM, EDDM, HDDM
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
    Metric,
    Prequential,
    Recall,
    prequential,
)
from onstream.features import StandardScaler
from onstream.linear import PAMultilabel, PAUniclass, StructuredPA
from onstream.neighbors import KNNADWINClassifier, KNNClassifier
from onstream.tree import HoeffdingTreeClassifier


def data(n=3000, labels=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    y = (X @ random.normal(size=(4, labels)) + random.normal(size=(n, labels))).argmax(axis=1)
    return X, y


class SameAgain:
    """Somebody else's learner, without scores."""

    def learn_one(self, x, y):
        self.y = y

    def predict_one(self, x):
        return getattr(self, "y", None)


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
    """Judged from the first answer that could know something."""
    X, y = data(300)
    model, right, judged = PAClassifier(), 0, 0
    for i in range(300):
        if i > delay:
            model.learn_one(X[i - 1 - delay], int(y[i - 1 - delay]))
            right += model.predict_one(X[i]) == y[i]
            judged += 1
    late = PAClassifier()
    report = prequential(late, (X, y), delay=delay)
    expected = right / judged if judged else np.nan  # nothing to judge
    assert report.value("Accuracy") == pytest.approx(expected, nan_ok=True)
    assert report.runs[0].judged == judged == max(0, 300 - delay - 1)
    assert late.seen == 300  # the rest was learned in the end
    assert "not judged" in report.settings()["label delay"]
    rows = [dict(enumerate(row)) for row in X.tolist()]
    for kind in (rows, sp.csr_matrix(X), pd.DataFrame(X, columns=list("0123"))):
        again = prequential(PAClassifier(), (kind, y), delay=delay)
        assert again.value("Accuracy") == pytest.approx(expected, nan_ok=True)


def test_delay_and_learners_that_know_something():
    """Who has learned before is judged from the first row, also if no label ever arrives."""
    X, y = data(300)
    model = PAClassifier()
    model.learn_many(X, y)
    right = float((model.predict_many(X) == y).mean())
    report = prequential({"old": model, "new": PAClassifier()}, (X, y), delay=10_000)
    assert (report.run("old").judged, report.run("new").judged) == (300, 0)
    assert report.value("old", "Accuracy") == pytest.approx(right)
    assert np.isnan(report.value("new", "Accuracy"))
    assert np.isnan(report.run("new").curves["Accuracy"]["cumulative"]).all()
    assert "-" in str(report)


def test_delay_of_numbers():
    X, _ = data(300)
    y = X @ [1.0, -2.0, 0.5, 3.0] + 100.0
    report = prequential({"rls": RLS(), "last": LastValue()}, (X, y), MAE(), delay=50)
    assert [run.judged for run in report.runs] == [249, 249, 249]
    assert report.value("last", "MAE") < 10.0  # the first answers, 0.0, would make it 20


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
    report = prequential(models, stream(), baselines=False)
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
        (LogisticRegression, ([], []), {}, r"LogisticRegression is a class; make one: LogisticReg"),
        ([Perceptron], ([], []), {}, r"Perceptron is a class; make one: Perceptron\(\)"),
        ("Perceptron()", ([], []), {}, "no learner"),
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
        (PAClassifier(), "rows.csv", {}, "got str. Of a file: onstream.streams.read_csv"),
        (PAClassifier(), Path("rows.csv"), {}, "Path. Of a file: onstream.streams.read_csv"),
        (PAClassifier(), ([], []), {"window": 0}, "window must be"),
        (PAClassifier(), ([], []), {"delay": -1}, "delay must be"),
        (PAClassifier(), ([], []), {"alpha": 1.5}, "alpha must be"),
        (SameAgain(), ([], []), {"metrics": ROCAUC()}, "needs scores"),
        (Perceptron(), ([], []), {"baselines": "no"}, "baselines"),
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


class Mine:
    """A learner of somebody else's: the label seen last."""

    def learn_one(self, x, y):
        self.y = y

    def predict_one(self, x):
        return getattr(self, "y", None)


class TestOtherPeoplesLearners:
    @pytest.mark.parametrize("delay", [0, 5])
    def test_labels(self, delay):
        X, y = data(400)
        for rows in (X, pd.DataFrame(X, columns=list("abcd")), sp.csr_matrix(X), X.tolist()):
            report = prequential({"mine": Mine(), "pa": PAClassifier()}, (rows, y), delay=delay)
            right = float((y[delay + 1 :] == y[: -delay - 1]).mean())
            judged = report.run("mine").judged
            assert report.value("mine", "Accuracy") == pytest.approx(right * (399 - delay) / judged)
        alone = prequential(Mine(), (X, y), baselines=False)
        assert [run.name for run in alone.runs] == ["Mine"]
        assert "Mine" in str(alone)
        assert alone.to_json()

    def test_weights_reach_it_or_are_refused(self):
        class Weighs(Mine):
            total = 0.0

            def learn_one(self, x, y, w):
                self.total += w

        X, y = data(50)
        model = Weighs()
        prequential(model, (X, y, np.full(50, 0.5)))
        assert model.total == 25.0
        with pytest.raises(TypeError, match="learn_one"):
            prequential(Mine(), (X, y, np.full(50, 0.5)))

    def test_numbers(self):
        class Numbers(Mine):
            task = "numbers"

            def predict_one(self, x):
                return getattr(self, "y", 0.0)

        X, _ = data(200)
        y = X[:, 0] + 3.0
        expected = prequential(LastValue(), (X, y)).value("MAE")
        assert prequential(Numbers(), (X, y)).value("MAE") == pytest.approx(expected)
        assert list(prequential([Numbers(), RLS()], (X, y)).run("RLS").values) == [
            "MAE",
            "RMSE",
            "R2",
        ]
        # One that does not say what it predicts: what the metrics judge, or the others predict.
        Numbers.task = None
        del Numbers.task
        assert prequential(Numbers(), (X, y), [MAE()]).value("MAE") == pytest.approx(expected)
        assert prequential([Numbers(), RLS()], (X, y)).value("Numbers", "MAE") == pytest.approx(
            expected
        )

    def test_probabilities_and_scores(self):
        class Chances(Mine):
            def predict_proba_one(self, x):
                return {0: 0.25, 1: 0.75} if hasattr(self, "y") else {}

        X, y = data(100)
        report = prequential(Chances(), (X, y), [LogLoss(), ROCAUC(), Accuracy()])
        losses = -np.log(np.where(y == 1, 0.75, 0.25))
        losses[0] = -np.log(1e-15)
        assert report.value("LogLoss") == pytest.approx(losses.mean())
        assert report.value("ROCAUC") == pytest.approx(0.5, abs=0.05)

    @pytest.mark.parametrize("answer", [np.nan, "text", 1.5, [1]])
    def test_answers_that_mean_nothing_are_refused(self, answer):
        class Odd(Mine):
            def predict_one(self, x):
                return answer

        X, y = data(10)
        with pytest.raises((TypeError, ValueError), match="row 0"):
            prequential(Odd(), (X, y))

    def test_a_verb_that_was_changed_is_used(self):
        class Never(PAClassifier):
            def learn_one(self, x, y, w=1.0):
                pass

            def learn_many(self, X, y, w=None):
                pass

        X, y = data(50)
        model = Never()
        report = prequential(model, (X, y))
        assert (model.seen, report.value("Accuracy")) == (0, 0.0)


class Geo(Metric):
    """A metric of somebody else's: the geometric mean of two recalls."""

    unit = "%"

    def __init__(self, *, smooth=0.0):
        self.smooth = smooth
        self.hits, self.all = {}, {}

    def update(self, y, prediction, w=1.0):
        self.all[y] = self.all.get(y, self.smooth) + w
        self.hits[y] = self.hits.get(y, 0.0) + w * (y == prediction)

    @property
    def value(self):
        return float(np.prod([self.hits[y] / self.all[y] for y in self.all]) ** 0.5)


class TestOtherPeoplesMetrics:
    def test_labels(self):
        X, y = data(3000)
        report = prequential([PAClassifier(), Perceptron()], (X, y), [Geo(smooth=1.0), Accuracy()])
        for cls in (PAClassifier, Perceptron):
            said = cls().predict_learn_many(X, y)
            for range_, rows in (("cumulative", slice(None)), ("window", slice(-1000, None))):
                metric = Geo(smooth=1.0)
                metric.update_many(y[rows].tolist(), said[rows].tolist())
                assert report.value(cls.__name__, "Geo", range_) == pytest.approx(metric.value)
            assert np.isnan(report.value(cls.__name__, "Geo", "fading"))
        assert "Geo, %" in str(report)
        assert "Geo(smooth=1.0)" in report.settings()["metrics"]
        assert report.to_json()
        assert report.plot()

    def test_of_a_metric_of_ours_with_another_value(self):
        class Half(Accuracy):
            @property
            def value(self):
                return super().value / 2

        X, y = data(500)
        report = prequential(PAClassifier(), (X, y), [Half(), Accuracy()])
        assert report.value("Half") == pytest.approx(report.value("Accuracy") / 2)

    def test_numbers_and_chances(self):
        class Worst(Metric):
            needs = "number"
            best = "low"
            worst = 0.0

            def update(self, y, prediction, w=1.0):
                self.worst = max(self.worst, abs(y - prediction))

            @property
            def value(self):
                return self.worst

        class Sure(Metric):
            needs = "proba"

            def __init__(self):
                self.sums = []

            def update(self, y, prediction, w=1.0):
                self.sums.append(max(prediction.values(), default=0.0) * w)

            @property
            def value(self):
                return float(np.mean(self.sums))

        X, y = data(300)
        numbers = X @ [1.0, 2.0, 3.0, 4.0]
        report = prequential(RLS(), (X, numbers), [Worst(), MAE()])
        assert report.value("Worst") == np.abs(RLS().predict_learn_many(X, numbers) - numbers).max()
        report = prequential(LogisticRegression(), (X, y, np.ones(300)), [Sure()])
        P = LogisticRegression().predict_learn_many(X, y, output="proba")
        assert report.value("Sure") == pytest.approx(P.max(axis=1).mean())

    def test_what_is_missing_is_told(self):
        class Half(Metric):
            def update(self, y, prediction, w=1.0):
                pass

        with pytest.raises(TypeError, match="value"):
            Half()

        class Lost(Geo):
            def __init__(self, *, base=2.0):
                super().__init__()

        with pytest.raises(TypeError, match=r"Lost: keep the parameter base .*self.base = base"):
            prequential(PAClassifier(), ([[1.0]], [1]), Lost())


class Wild:
    """Its answers are a hundred times the last one."""

    task = "numbers"
    normalized, eta = False, 0.1

    def __init__(self):
        self.answer = 1.0

    def predict_one(self, x):
        return self.answer

    def learn_one(self, x, y):
        self.answer = min(100.0 * self.answer, 1e200)


def test_a_learner_that_diverged_is_told():
    X, _ = data(300)
    y = X[:, 0]
    report = prequential({"wild": Wild(), "tame": RLS()}, (X, y), unit="m")
    told = report.run("wild").remark
    assert told.startswith("diverged at row 2: it predicted more than 1,000 times the largest")
    assert told.endswith("try normalized=True or a smaller eta")
    assert f"wild: {told}." in " ".join(str(report).split())
    assert told in report.to_json()
    assert not report.run("tame").remark
    course = Prequential({"wild": Wild()})
    course.first_row = 1
    course.add(X[:1], y[:1])
    course.add(X[1:], y[1:])
    assert course.report().runs[0].remark.startswith("diverged at row 3:")


class Broken(PAClassifier):
    """A learner that can do everything but tell of itself."""

    def __repr__(self):
        raise RecursionError("too deep to write")

    @property
    def memory_bytes(self):
        raise MemoryError("too large to count")

    @property
    def params(self):
        raise KeyError("params")

    @property
    def alarms(self):
        raise ValueError("alarms")

    def to_svg(self, **options):
        raise RecursionError("too deep to draw")


def test_what_was_measured_is_never_lost():
    X, y = data(200)
    report = prequential([Broken(), Perceptron()], (X, y))
    expected = prequential(PAClassifier(), (X, y)).value("Accuracy")
    assert report.value("Broken", "Accuracy") == expected
    told = report.run("Broken").remark
    for word in ("too deep to write", "too deep to draw", "too large", "params", "alarms"):
        assert word in told
    assert "too deep to draw" in " ".join(str(report).split())
    assert "too deep to draw" in report.to_json()


def test_masked_targets_are_refused():
    X, y = data(20)
    masked = np.ma.array(y, mask=np.arange(20) == 7)
    with pytest.raises(ValueError, match=r"row 7: y is missing \(it is masked\)"):
        prequential(MajorityClass(), (X, masked))


class TestPositiveLabel:
    def test_two_of_a_kind(self):
        X, y = data(500)
        report = prequential(PAClassifier(), (X, y), [F1(positive=0), F1(positive=1), F1()])
        said = PAClassifier().predict_learn_many(X, y)
        for label in (0, 1):
            metric = F1(positive=label)
            metric.update_many(y, said)
            assert report.value(f"F1 of {label}") == pytest.approx(metric.value)
        assert report.value("F1") == report.value("F1 of 1")
        assert "F1 of 0, %" in str(report)

    def test_the_label_is_told_everywhere(self):
        X, y = data(300)
        spam = np.where(y == 1, "spam", "ham")
        for order in (np.arange(300), np.argsort(spam), np.argsort(spam)[::-1]):
            report = prequential(PAClassifier(), (X[order], spam[order]), [F1(), Recall()])
            assert [m["title"] for m in report.metrics] == ["F1 of 'spam'", "Recall of 'spam'"]
            assert "F1 of 'spam', %" in str(report)
            assert "F1 of 'spam'" in report.to_json()
            assert "F1 of 'spam', %" in report.plot().axes[0].get_ylabel()
            assert report.value("F1 of 'spam'") == report.value("F1")
        X, y = data(300, labels=3)
        report = prequential(PAClassifier(), (X, y), [F1()])
        assert report.metrics[0]["title"] == "F1 (macro)"


def test_names_are_those_of_the_command_line():
    X, y = data(100)
    report = prequential(StandardScaler() | LogisticRegression(), (X, y))
    assert report.value("StandardScaler | LogisticRegression", "Accuracy") == report.value(
        "Accuracy"
    )
    models = [StandardScaler() | LogisticRegression(eta=eta) for eta in (0.3, 0.2)]
    assert [run.name for run in prequential(models, (X, y), baselines=False).runs] == [
        "StandardScaler() | LogisticRegression(eta=0.3)",
        "StandardScaler() | LogisticRegression(eta=0.2)",
    ]
    one = prequential(StandardScaler() | LogisticRegression(), (X, y), window=20)
    name = "StandardScaler | LogisticRegression"
    assert one.value("Accuracy", "window") == one.value(name, "Accuracy", "window")
    with pytest.raises(KeyError, match=r"whose Accuracy\? Say value\(learner, metric\)"):
        prequential(models, (X, y)).value("Accuracy")


def test_a_small_first_target_is_no_divergence():
    X, _ = data(300)
    model = RLS()
    model.learn_many(X, X[:, 0] + 3.0)
    y = X[:, 0] + 3.0
    y[0] = 0.0001
    assert not prequential(model, (X, y)).runs[0].remark


@pytest.mark.parametrize("detector", [DDM(), EDDM(), HDDM()], ids=repr)
def test_a_detector_of_right_and_wrong_is_none_for_numbers(detector):
    told = rf"^prequential: {type(detector).__name__} watches errors from 0 to 1"
    with pytest.raises(ValueError, match=told):
        Prequential(RLS(), detector=detector)
    X, y = data(100)
    prequential(PAClassifier(), (X, y), detector=detector)


@pytest.mark.parametrize("delay", [0, 5])
def test_what_came_before_a_stream_failed_is_learned(delay):
    def failing():
        yield from zip(X[:30], y[:30], strict=True)
        raise OSError("gone")

    X, y = data(30)
    model = PAClassifier()
    with pytest.raises(OSError, match="gone"):
        prequential(model, failing(), delay=delay)
    assert model.seen == 30


@pytest.mark.parametrize("delay", [0, 3])
def test_targets_of_arrow(delay):
    X, y = data(60)
    words = ["yes" if label else "no" for label in y]
    sets = [["yes"] if label else ["no", "never"] for label in y]
    for model, targets, kind in (
        (PAClassifier(), words, pa.array(words)),
        (PAClassifier(), [w == "yes" for w in words], pa.array([w == "yes" for w in words])),
        (PAMultilabel(), sets, pa.array(sets)),
        (PAMultilabel(), sets, pa.chunked_array([sets[:20], sets[20:]])),
    ):
        plain = prequential(model.clone(), (X, targets), delay=delay)
        assert prequential(model.clone(), (X, kind), delay=delay).value("Accuracy") == plain.value(
            "Accuracy"
        )


def contest(n):
    return {
        "tree": HoeffdingTreeClassifier(grace_period=100),
        "bayes": GaussianNB(),
        "own": SameAgain(),
        "knn": StandardScaler() | KNNClassifier(window=100),
        "adwin": KNNADWINClassifier(window=100),
        "logistic": LogisticRegression(),
    } | {f"perceptron {i}": Perceptron() for i in range(n)}


class SameAgain:
    """A learner of the user's own, one example at a time."""

    last = None

    def predict_one(self, x):
        return self.last

    def learn_one(self, x, y):
        self.last = y


@pytest.mark.filterwarnings("default::onstream.base.DataWarning")
@pytest.mark.parametrize("n_jobs", [2, 5])
@pytest.mark.parametrize("metrics", [None, [ROCAUC(), LogLoss()]], ids=str)
def test_learners_at_the_same_time(n_jobs, metrics):
    """The figures are those of one after the other, bit for bit."""
    X, y = data(20_000, labels=3)
    reports = []
    for jobs in (1, n_jobs):
        models = contest(3)
        if metrics:
            models = {name: models[name] for name in ("tree", "bayes", "logistic")}
        reports.append(
            prequential(models, (X, y), metrics, detector=None if metrics else DDM(), n_jobs=jobs)
        )
    for one, other in zip(*(report.runs for report in reports), strict=True):
        assert one.values == other.values
        assert one.alarms == other.alarms
        assert one.curves.keys() == other.curves.keys()
        for name, ranges in one.curves.items():
            for range_, curve in ranges.items():
                np.testing.assert_array_equal(curve, other.curves[name][range_])


@pytest.mark.filterwarnings("default::onstream.base.DataWarning")
def test_learners_at_the_same_time_work_in_threads():
    X, y = data(3000)
    seen = set()

    class Spy(PAClassifier):
        """Whose verb is the library's, but which tells the thread."""

        @property
        def labels(self):
            seen.add(threading.get_ident())
            return super().labels

    prequential({"a": Spy(), "b": Spy()}, (X, y), n_jobs=2)
    assert seen - {threading.get_ident()}
    seen.clear()
    prequential({"a": Spy(), "b": Spy()}, (X, y), n_jobs=2, delay=1)  # which takes turns
    assert seen <= {threading.get_ident()}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_warnings_and_errors_in_the_order_of_the_learners(n_jobs):
    X, y = data(2000)
    X = np.abs(X)
    X[5, 0] = -1.0
    models = {name: MultinomialNB(alpha=a) for name, a in (("a", 1.0), ("b", 2.0), ("c", 3.0))}
    with pytest.warns(DataWarning, match="a count is not below 0") as told:
        prequential(models, (X, y), n_jobs=n_jobs)
    assert len(told) == 3
    assert {warning.filename for warning in told} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        fresh = {name: model.clone() for name, model in models.items()}
        with pytest.raises(DataWarning):
            prequential(fresh, (X, y), n_jobs=n_jobs)
        assert fresh["c"].seen == 0
    X[7, 1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        models = {"tree": HoeffdingTreeClassifier(), "pa": PAClassifier(), "last": Perceptron()}
        with pytest.raises(ValueError, match=r"^PAClassifier: row 7") as raised:
            prequential(models, (X, y), n_jobs=n_jobs)
    assert "tree had already learned" in raised.value.__notes__[0]
