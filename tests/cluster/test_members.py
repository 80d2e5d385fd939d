"""Members spread over workers answer as the ensemble on one machine does, in every bit."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from onstream.cluster import MemberParallel
from onstream.cluster.engine import WorkerLost
from onstream.cluster.members import LocalGroups
from onstream.ensemble import (
    AdaptiveRandomForestClassifier,
    LeveragingBagging,
    OnlineBagging,
    StreamingRandomPatchesClassifier,
)
from onstream.features import StandardScaler
from onstream.linear import LMS, LogisticRegression, PAClassifier
from onstream.persist.format import dumps
from onstream.tree import HoeffdingTreeClassifier

ROWS = 1500
GENERATOR = np.random.default_rng(9)
X = GENERATOR.normal(size=(ROWS, 5))
SCORE = X @ [1.0, -2.0, 0.5, 0.0, 3.0] * np.where(np.arange(ROWS) < 700, 1.0, -1.0)  # a drift
TWO = SCORE > 0.1
FOUR = np.array(["a", "b", "c", "d"])[np.digitize(SCORE, [-2.0, 0.0, 2.0])]

ENSEMBLES = [
    (AdaptiveRandomForestClassifier(n_models=5, lam=2.0, warning_delta=0.1, seed=3), TWO),
    (AdaptiveRandomForestClassifier(n_models=3, drift_delta=0.3, warning_delta=0.5), FOUR),
    (StreamingRandomPatchesClassifier(n_models=4), FOUR),
    (OnlineBagging(PAClassifier(), n_models=3), FOUR),
    (OnlineBagging([LogisticRegression(), PAClassifier(C=0.1)], n_models=5), TWO),
    (OnlineBagging(LMS(eta=0.01), n_models=4), SCORE),
    (StandardScaler() | OnlineBagging(HoeffdingTreeClassifier(), n_models=3), FOUR),
]


def blocks(*columns):
    """Blocks of several sizes, one row among them."""
    for start, stop in ((0, 1), (1, 400), (400, 1400), (1400, ROWS)):
        yield tuple(column[start:stop] for column in columns)


def assert_same(found, wanted):
    np.testing.assert_array_equal(found, wanted)
    if wanted.dtype == np.float64:
        assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("workers", [1, 2, 7])
@pytest.mark.parametrize(("ensemble", "y"), ENSEMBLES, ids=lambda v: str(v)[:40])
def test_the_same_bits_as_on_one_machine(ensemble, y, workers):
    one = ensemble.clone()
    with MemberParallel(ensemble, "local", workers, snapshot_every=1000) as spread:
        for part, targets in blocks(X, y):
            assert_same(
                spread.predict_learn_many(part, targets), one.predict_learn_many(part, targets)
            )
        assert_same(spread.predict_many(X), one.predict_many(X))
        if hasattr(one, "predict_proba_many"):
            assert_same(spread.predict_proba_many(X), one.predict_proba_many(X))
            assert spread.labels == one.labels
        assert spread.seen == one.seen == ROWS
        assert dumps(spread.model()) == dumps(one)
    assert ensemble.seen == 0


def test_trees_of_the_test_begin_anew():
    model = AdaptiveRandomForestClassifier(n_models=3, drift_delta=0.3, warning_delta=0.5)
    model.learn_many(X, FOUR)
    assert sum(map(len, model.drifts)) > 0


@pytest.mark.parametrize("output", ["proba", "score"])
def test_labels_that_come_in_the_middle_of_a_block(output):
    y = np.array(["a"] * 40 + ["b"] * 60 + list(FOUR[100:]))
    w = np.where(np.arange(ROWS) % 7, 1.0, 0.0)  # some rows only ask
    one = AdaptiveRandomForestClassifier(n_models=3)
    with MemberParallel(one.clone(), "local", 2) as spread:
        found = spread.predict_learn_many(X, y, w, output=output)
        assert_same(found, one.predict_learn_many(X, y, w, output=output))
        assert dumps(spread.model()) == dumps(one)


def test_frames_with_text_and_new_columns():
    table = pa.table({"a": X[:, 0], "town": np.array(["x", "y", "z"])[np.arange(ROWS) % 3]})
    wider = table.append_column("late", pa.array(X[:, 1]))
    one = AdaptiveRandomForestClassifier(n_models=3)
    with MemberParallel(one.clone(), "local", 3) as spread:
        for part in (table, wider, table):
            assert_same(spread.predict_learn_many(part, TWO), one.predict_learn_many(part, TWO))
        rows = [{"a": 0.5, "town": "new"}, {}]
        assert_same(spread.predict_proba_many(rows), one.predict_proba_many(rows))
        assert len(spread.predict_many([])) == 0
        assert dumps(spread.model()) == dumps(one)


def test_it_goes_on_from_what_was_learned():
    one = AdaptiveRandomForestClassifier(n_models=4)
    one.learn_many(X[:700], FOUR[:700])
    spread = MemberParallel(one, "local", 2)
    assert spread.seen == 700
    spread.learn_many(X[700:], FOUR[700:])
    assert one.seen == 700
    one.learn_many(X[700:], FOUR[700:])
    assert dumps(spread.model()) == dumps(one)
    again = MemberParallel(spread.model(), "local", 3)
    assert_same(again.predict_proba_many(X), one.predict_proba_many(X))


# -- losses


class Failing(LocalGroups):
    """Calls of this number are lost: before they are answered, or after."""

    lost: dict[int, str]
    calls = 0

    def ask(self, worker, verb, *given):
        self.calls += 1
        how = self.lost.pop(self.calls, None)
        if how == "before":
            raise WorkerLost("gone")
        answer = super().ask(worker, verb, *given)
        return WorkerLost("gone") if how == "after" else answer

    def wait(self, asked):
        if isinstance(asked, WorkerLost):
            raise asked
        return asked


@pytest.mark.parametrize("snapshot_every", [300, 10_000])
def test_a_lost_worker_changes_nothing(snapshot_every):
    one = AdaptiveRandomForestClassifier(n_models=5, warning_delta=0.1)
    spread = MemberParallel(one.clone(), "local", 3, snapshot_every=snapshot_every)
    spread.pool.__class__ = Failing
    spread.pool.lost = {2: "before", 5: "after", 6: "before", 13: "after", 14: "before"}
    for start in range(0, ROWS, 250):
        part = slice(start, start + 250)
        assert_same(
            spread.predict_learn_many(X[part], FOUR[part]),
            one.predict_learn_many(X[part], FOUR[part]),
        )
        assert_same(spread.predict_many(X[:50]), one.predict_many(X[:50]))
    assert not spread.pool.lost
    assert dumps(spread.model()) == dumps(one)


def test_a_call_that_comes_twice_is_learned_once():
    class Stammering(LocalGroups):
        def ask(self, worker, verb, *given):
            return [super(Stammering, self).ask(worker, verb, *given) for _ in range(2)][1]

    one = OnlineBagging(PAClassifier(), n_models=2)
    spread = MemberParallel(one.clone(), "local", 2)
    spread.pool.__class__ = Stammering
    for part, targets in blocks(X, FOUR):
        assert_same(spread.predict_learn_many(part, targets), one.predict_learn_many(part, targets))
    assert dumps(spread.model()) == dumps(one)


def test_a_worker_that_is_lost_again_and_again():
    spread = MemberParallel(OnlineBagging(PAClassifier(), n_models=2), "local", 2)
    spread.pool.__class__ = Failing
    spread.pool.lost = dict.fromkeys(range(1, 100), "before")
    with pytest.raises(RuntimeError, match="worker 0 was lost 5 times; the last time: gone"):
        spread.learn_many(X, TWO)
    spread.pool.lost = {}
    assert spread.seen == 0
    spread.learn_many(X, TWO)  # the call that failed has left no trace
    one = OnlineBagging(PAClassifier(), n_models=2)
    one.learn_many(X, TWO)
    assert dumps(spread.model()) == dumps(one)


def test_a_call_that_is_broken_off_leaves_no_trace():
    one = AdaptiveRandomForestClassifier(n_models=4)
    spread = MemberParallel(one.clone(), "local", 2, snapshot_every=600)
    for start in (0, 500):
        spread.learn_many(X[start : start + 500], FOUR[start : start + 500])
    one.learn_many(X[:1000], FOUR[:1000])
    ask = spread.pool.ask

    def interrupted(worker, verb, *given):
        if worker == 1 and verb == "learn":
            spread.pool.ask = ask
            raise KeyboardInterrupt
        return ask(worker, verb, *given)

    spread.pool.ask = interrupted
    with pytest.raises(KeyboardInterrupt):
        spread.learn_many(X[1000:], FOUR[1000:])
    assert_same(spread.predict_proba_many(X), one.predict_proba_many(X))
    spread.learn_many(X[1000:], FOUR[1000:])
    one.learn_many(X[1000:], FOUR[1000:])
    assert dumps(spread.model()) == dumps(one)


# -- what is refused


@pytest.mark.parametrize(
    ("rows", "y", "message"),
    [
        ([[1.0, 2.0, 3.0]], [True], "columns"),
        (X[:2], [True], "rows"),
        (X[:2], [True, "b"], "label"),
        (np.full((1, 5), np.inf), [True], "inf"),
    ],
)
def test_bad_rows_leave_no_trace(rows, y, message):
    one = AdaptiveRandomForestClassifier(n_models=3)
    spread = MemberParallel(one.clone(), "local", 2)
    for learner in (one, spread):
        learner.learn_many(X[:300], TWO[:300])
    with pytest.raises((ValueError, TypeError)) as mine:
        one.learn_many(rows, y)
    with pytest.raises((ValueError, TypeError), match=message) as theirs:
        spread.learn_many(rows, y)
    assert str(theirs.value) == str(mine.value)
    with pytest.raises((ValueError, TypeError)):
        spread.predict_learn_many(rows, y)
    assert dumps(spread.model()) == dumps(one)


def test_too_many_labels_stop_where_they_stop_on_one_machine():
    one = AdaptiveRandomForestClassifier(n_models=3, max_labels=3)
    spread = MemberParallel(one.clone(), "local", 2)
    y = ["a", "b", "c", "a", "d", "a"]
    for learner in (one, spread):
        with pytest.raises(ValueError, match="label"):
            learner.learn_many(X[:6], y)
    assert spread.seen == one.seen
    assert dumps(spread.model()) == dumps(one)


def test_members_that_disagree_take_a_block_back():
    """One machine would learn such a row with those members that can."""
    learners = [LMS(eta=0.01), LMS(eta=1e300)]
    spread = MemberParallel(OnlineBagging(learners, n_models=2, seed=2), "local", 2)
    spread.learn_many(X[:5], np.zeros(5))
    learned = dumps(spread.model())
    for verb in (spread.learn_many, spread.predict_learn_many):
        with pytest.raises(ValueError, match=r"some members could not learn .* overflow"):
            verb(np.full((1, 5), 1e110), [1e30])
        assert dumps(spread.model()) == learned


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (PAClassifier(), {}, "PAClassifier cannot be spread"),
        (LeveragingBagging(n_models=3), {}, "LeveragingBagging cannot be spread"),
        (StandardScaler() | PAClassifier(), {}, "PAClassifier cannot be spread"),
        ("forest", {}, "str cannot be spread"),
        (AdaptiveRandomForestClassifier(), {"engine": "spark"}, "'ray' or 'local'"),
        (AdaptiveRandomForestClassifier(), {"workers": 0}, "workers"),
        (AdaptiveRandomForestClassifier(), {"snapshot_every": 0}, "snapshot_every"),
    ],
)
def test_what_cannot_be_spread(model, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        MemberParallel(model, **{"engine": "local", **options})


def test_a_missing_engine_is_one_line():
    script = (
        "import sys; sys.modules['ray'] = None\n"
        "from onstream.ensemble import OnlineBagging\n"
        "from onstream.cluster import MemberParallel\n"
        "try: MemberParallel(OnlineBagging())\n"
        "except ImportError as error: print(error)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    wanted = "MemberParallel: engine='ray' needs ray: pip install \"onstream[ray]\""
    assert out.stdout.strip() == wanted
