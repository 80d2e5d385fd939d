"""`Prequential`: looking changes nothing, and what was refused is gone."""

import numpy as np
import pytest

from onstream import HoeffdingTreeClassifier, LinearRegression, LogisticRegression
from onstream.drift import ADWIN
from onstream.evaluate import (
    F1,
    MAE,
    ROCAUC,
    Accuracy,
    LogLoss,
    MajorityClass,
    Metric,
    Prequential,
    prequential,
)
from onstream.features import StandardScaler

A = np.random.default_rng(0).normal(size=(400, 2))
Y = (A[:, 0] > 0).astype(int)


class Last:
    """A learner of somebody else's: the label seen last."""

    def __init__(self):
        self.learned = []

    def learn_one(self, x, y):
        self.learned.append((np.array(x).tolist(), y))

    def predict_one(self, x):
        return self.learned[-1][1] if self.learned else None


def told(report):
    """All figures of a report but the times."""
    curves = {run.name: run.curves for run in report.runs}
    return (
        report.rows,
        report.at.tolist(),
        [(run.name, run.values, run.judged, run.alarms) for run in report.runs],
        {
            (name, metric, range_): np.nan_to_num(values, nan=-1.0).tolist()
            for name, of in curves.items()
            for metric, ranges in of.items()
            for range_, values in ranges.items()
        },
    )


@pytest.mark.parametrize("delay", [0, 100])
def test_a_look_changes_nothing(delay):
    outcomes = []
    for look in (False, True):
        models = {"ours": LogisticRegression(), "mine": Last(), "guess": MajorityClass()}
        course = Prequential(models, Accuracy(), delay=delay, window=50)
        for i in range(0, 400, 40):
            course.add(A[i : i + 40], Y[i : i + 40])
            if look:
                first, second = course.report(), course.report()
                assert told(first) == told(second)
                assert first.at[-1] == i + 40
        assert models["ours"].seen == 400 - delay
        report = course.report()
        course.finish()
        assert told(course.report()) == told(report)  # nothing more was judged
        assert models["ours"].seen == len(models["mine"].learned) == 400
        outcomes.append((told(report), models["ours"].weights, models["mine"].learned))
    assert outcomes[0] == outcomes[1]
    at_once = prequential(LogisticRegression(), (A, Y), Accuracy(), delay=delay)
    assert outcomes[0][0][2][0][1]["Accuracy"]["cumulative"] == at_once.value("Accuracy")


LABELS = {
    "text": (A[:3], ["x"] * 3, None, r"^prequential: row 10: .*one kind, such as [01]; got 'x'"),
    "one text": (
        A[:3],
        [0, 1, "x"],
        None,
        r"^prequential: row 12: .*one kind, such as [01]; got 'x'",
    ),
    "None": (A[:2], [None, 1], None, r"^prequential: row 10: y must be a label, got None"),
    "NaN": (A[:2], [1.0, np.nan], None, r"^prequential: row 11: a label is missing"),
    "fraction": (A[:2], [1, 1.5], None, r"^prequential: row 11: a label must be"),
    "weight": (A[:2], [0, 1], [1.0, -1.0], r"^prequential: row 11: the weight w must be .*-1"),
    "weight text": (A[:2], [0, 1], ["a", "b"], r"^prequential: the weight w must be numbers"),
    "weight nan": (A[:2], [0, 1], [np.nan, 1], r"^prequential: row 10: the weight w must be fin"),
    "weights": (A[:2], [0, 1], [1.0], r"^prequential: y has 2 rows, w has 1"),
    "rows": (A[:3], [0, 1], None, r"^prequential: X has 3 rows, y has 2"),
    "no rows": (None, [0, 1], None, r"^prequential: X must be rows, .* got NoneType"),
    "one label": (A[:1], 1, None, r"^prequential: y must be targets, .* got int"),
}


@pytest.mark.parametrize("delay", [0, 5])
@pytest.mark.parametrize("case", LABELS)
def test_a_refused_block_is_gone(case, delay):
    X, y, w, message = LABELS[case]
    outcomes = []
    for refused in (False, True):
        models = {"mine": Last(), "a": LogisticRegression(), "b": LogisticRegression(eta=0.5)}
        course = Prequential(models, Accuracy(), delay=delay)
        course.add(A[:10], Y[:10])
        if refused:
            with pytest.raises((TypeError, ValueError), match=message):
                course.add(X, y, w)
        course.add(A[10:60], Y[10:60])
        course.finish()
        outcomes.append((told(course.report()), models["a"].weights, models["mine"].learned))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("y", [["a", "b"], [1.0, np.nan], [1.0, None], [np.inf, 1.0]])
def test_a_refused_block_of_numbers_is_gone(y):
    outcomes = []
    for refused in (False, True):
        course = Prequential(LinearRegression(), MAE(), delay=5)
        course.add(A[:10], A[:10, 0])
        if refused:
            with pytest.raises((TypeError, ValueError), match=r"^prequential: row 1[01]: y "):
                course.add(A[:2], y)
        course.add(A, A[:, 0])
        course.finish()
        outcomes.append(told(course.report()))
    assert outcomes[0] == outcomes[1]


def test_labels_of_another_kind_than_the_model_knows():
    model = LogisticRegression()
    model.learn_many(A, np.where(Y, "yes", "no"))
    course = Prequential(model, [LogLoss()], delay=5)
    with pytest.raises(TypeError, match=r"^prequential: row 0: .*one kind, such as '(yes|no)'"):
        course.add(A[:3], Y[:3])
    assert not course.contenders[0].waiting


def test_labels_of_another_kind_than_those_that_wait():
    """Nobody has learned or judged anything yet."""
    models = {"ours": LogisticRegression(), "mine": Last()}
    course = Prequential(models, Accuracy(), delay=20)
    course.add(A[:3], Y[:3])
    with pytest.raises(TypeError, match=r"^prequential: row 3: .*one kind, such as [01]; got 'x'"):
        course.add(A[:3], ["x"] * 3)
    course.add(A[3:], Y[3:])
    course.finish()
    assert models["ours"].seen == len(models["mine"].learned) == 400


def test_what_cannot_be_predicted_waits_for_nothing():
    """Rows before it in the block leave the queue with it; the block can come again, mended."""
    X = A[:4].copy()
    X[2, 1] = np.nan
    model = LogisticRegression()
    course = Prequential(model, Accuracy(), delay=5)
    course.add(A[:10], Y[:10])
    with pytest.raises(ValueError, match=r"^LogisticRegression: row 12: "):
        course.add(X, Y[:4])
    assert course.report().rows == 10
    course.add(A[:4], Y[:4])
    course.finish()
    assert (course.report().rows, model.seen) == (14, 14)


def test_what_cannot_be_learned_is_told_by_its_row():
    """The row is refused when its label arrives, in a later block or at the end."""
    X, y = np.ones((20, 1)), np.ones(20)
    X[3] = X[16] = 1e200
    model = LinearRegression()
    course = Prequential(model, MAE(), delay=8)
    course.add(X[:10], y[:10])
    with pytest.raises(ValueError, match=r"^LinearRegression: row 3: learning .*overflow"):
        course.add(X[10:], y[10:])
    assert course.report().rows == 10
    course.add(X[10:], y[10:])
    with pytest.raises(ValueError, match=r"^LinearRegression: row 16: learning .*overflow"):
        course.finish()
    course.finish()
    assert (course.report().rows, model.seen) == (20, 18)


@pytest.mark.parametrize("delay", [0, 3])
def test_errors_of_others_are_left_alone(delay):
    class Fails(Last):
        def learn_one(self, x, y):
            raise ValueError("mine: broken") from KeyError("why")

    with pytest.raises(ValueError, match=r"^mine: broken$") as caught:
        prequential(Fails(), (A, Y), delay=delay)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_step_of_a_pipeline_is_told_by_its_row():
    X = A[:20].copy()
    X[7, 1] = np.nan
    model = StandardScaler() | LogisticRegression()
    with pytest.raises(ValueError, match=r"^\w+: row 7: feature 1 is nan"):
        prequential(model, (X, Y[:20]), delay=3)


class Stops(Last):
    """It cannot go on at one of its examples."""

    def learn_one(self, x, y):
        if len(self.learned) == 250:
            self.learned.append(None)
            raise KeyboardInterrupt
        super().learn_one(x, y)

    def predict_one(self, x):
        return 0


def test_curves_stay_those_of_all_after_an_interruption():
    course = Prequential({"ours": LogisticRegression(), "stops": Stops()}, Accuracy(), delay=3)
    course.add(A[:200], Y[:200])
    with pytest.raises(KeyboardInterrupt):
        course.add(A[200:], Y[200:])
    report = course.report()
    assert report.rows == 200
    course.add(A[200:300], Y[200:300])
    report = course.report()
    for run in report.runs:
        assert len(run.curves["Accuracy"]["cumulative"]) == len(report.at)
    assert report.to_json()


def test_rows_that_wait_are_copies():
    """Whoever fills one buffer again and again may do so while labels are on their way."""
    model, buffer, row = LogisticRegression(), np.empty((40, 2)), {}
    twin, mappings = LogisticRegression(), LogisticRegression()
    course = Prequential([model, twin], Accuracy(), delay=30)
    other = Prequential(mappings, Accuracy(), delay=30)
    for i in range(0, 400, 40):
        buffer[:] = A[i : i + 40]
        course.add(buffer, Y[i : i + 40])
        buffer[:] = 0.0
    for x, y in zip(A.tolist(), Y.tolist(), strict=True):
        row.update(enumerate(x))
        other.add([row], [y])
    course.finish()
    other.finish()
    plain = LogisticRegression()
    plain.learn_many(A, Y)
    assert model.weights == twin.weights == plain.weights
    assert mappings.weights == plain.weights


class Fails(Last):
    """It cannot learn one of its examples."""

    def __init__(self, at, error):
        super().__init__()
        self.at, self.error = at, error

    def learn_one(self, x, y):
        if len(self.learned) == self.at:
            self.at = -1
            raise self.error
        super().learn_one(x, y)


class Picky(Metric):
    """A metric of the user's that breaks once."""

    broken = False

    def __init__(self):
        self.n = 0

    def update(self, y, prediction, w=1.0):
        if self.n == 150 and not Picky.broken:
            Picky.broken = True
            raise ZeroDivisionError("mine")
        self.n += 1

    @property
    def value(self):
        return float(self.n)


def second(case):
    """Learners of which the second fails in the second block, and the metrics."""
    if case == "missing":
        return HoeffdingTreeClassifier(), LogisticRegression(), Accuracy(), ValueError
    if case == "own":
        error = RuntimeError("mine: broken")
        return LogisticRegression(), Fails(150, error), Accuracy(), RuntimeError
    return LogisticRegression(), Fails(150, KeyboardInterrupt()), F1(), KeyboardInterrupt


@pytest.mark.parametrize("detector", [None, ADWIN()], ids=["", "detector"])
@pytest.mark.parametrize("delay", [0, 5])
@pytest.mark.parametrize("case", ["missing", "own", "Ctrl-C"])
def test_a_block_is_judged_for_all_learners_or_for_none(case, delay, detector):
    """What the first has learned of it stays, but nothing more of it is learned later."""
    first, other, metrics, kind = second(case)
    models = {"first": first, "second": other}
    course = Prequential(
        models, metrics, delay=delay, window=70, detector=detector, baselines=False
    )
    course.add(A[:100], Y[:100])
    before = told(course.report())
    X = A[100:200].copy()
    if case == "missing":
        X[50, 1] = np.nan
    with pytest.raises(kind) as caught:
        course.add(X, Y[100:200])
    note = "prequential: this block is judged for no learner; first had already learned from it"
    assert caught.value.__notes__[0].startswith(note)
    assert told(course.report()) == before
    assert not any(len(c.waiting) > delay for c in course.contenders)
    seen = first.seen
    assert len(course.contenders[0].waiting) == 0
    course.add(A[200:300], Y[200:300])
    course.finish()
    assert first.seen == seen + 100  # not the rows that were refused
    report = course.report()
    assert report.rows == 200
    assert [run.judged for run in report.runs] == [before[2][0][2] + 100] * 2
    for run in report.runs:
        for curves in run.curves.values():
            assert len(curves["window"]) == len(report.at)


def test_a_metric_that_breaks_takes_the_block_with_it():
    Picky.broken = False
    models = [LogisticRegression(), LogisticRegression(eta=0.5)]
    course = Prequential(models, [Picky(), ROCAUC(), F1(), LogLoss()], window=70, baselines=False)
    course.add(A[:100], Y[:100])
    before = told(course.report())
    with pytest.raises(ZeroDivisionError, match="mine"):
        course.add(A[100:200], Y[100:200])
    assert told(course.report()) == before
    course.add(A[200:300], Y[200:300])
    report = course.report()
    assert [run.values["Picky"]["cumulative"] for run in report.runs] == [200.0, 200.0]


@pytest.mark.parametrize("pipeline", [False, True])
def test_labels_too_many_are_refused_before_they_wait(pipeline):
    model = HoeffdingTreeClassifier(max_labels=3)
    course = Prequential({"m": StandardScaler() | model if pipeline else model}, delay=5)
    with pytest.raises(
        ValueError, match=r"^prequential: m: row 3: label .d. would be number 4, max"
    ):
        course.add(A[:6], list("abcdef"))
    course.add(A[:2], list("ab"))
    with pytest.raises(ValueError, match=r"^prequential: m: row 4: label 'd' would be number 4"):
        course.add(A[:3], list("acd"))
    for _ in range(5):
        course.add(A[:6], list("abcabc"))
    course.finish()
    assert course.report().rows == 32


class Alarmed(Last):
    """It cries at some of its examples."""

    alarms = (40, 150, 230, 500)
    seen = 0

    def learn_one(self, x, y):
        self.seen += 1


def test_alarms_are_told_by_their_row_after_a_refused_block():
    """Of 300 examples learned, 100 were of a block that counts for nobody."""
    models = {"cries": Alarmed(), "fails": Fails(199, RuntimeError("mine"))}
    course = Prequential(models, Accuracy())
    course.add(A[:100], Y[:100])
    with pytest.raises(RuntimeError, match="mine"):
        course.add(A[100:200], Y[100:200])
    course.add(A[200:300], Y[200:300])
    assert models["cries"].seen == 300
    assert course.report().runs[0].alarms == [40, 130, 400]
