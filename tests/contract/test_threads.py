"""Many threads: predictions are safe while one learns, learners take turns, the GIL is released."""

import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from onstream.persist import dumps

from .steering import BLOCK, PATIENCE, Job, Reader, asleep, blocks, together
from .table import Case
from .tools import KINDS, by_name, fingerprint, outputs, reloaded, some_rows, streams


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Let Python switch threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def lazy_threads() -> Iterator[None]:
    """Let Python switch threads only where the GIL is given away."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e4)
    yield
    sys.setswitchinterval(before)


def lessons(case: Case) -> list[tuple[str, Any, Any]]:
    """Blocks and single examples; new features, and in the middle a third label."""
    stream = streams(case, 400)[-1]
    steps: list[tuple[str, Any, Any]] = []
    for i, cut in enumerate(np.array_split(np.arange(400), 40)):
        X, y = stream.X[cut], stream.y[cut]
        kind = ["dicts", "dense", "CSR", "arrow"][i % 4]
        steps.append(("learn_many", KINDS[kind](X), y))
        steps.append(("predict_learn_many", by_name(X), y))
        steps += [
            ("learn_one", {f"new {i} {j}": v, "s": "x"}, y[j]) for j, v in enumerate(X[:3, 0])
        ]
    return steps


@pytest.mark.usefixtures("eager_threads")
def test_predictions_while_another_thread_learns(case: Case) -> None:
    steps = lessons(case)
    alone, shared = case.make(), case.make()
    for verb, x, y in steps:
        getattr(alone, verb)(x, y)
    done = threading.Event()
    X = some_rows()
    rows = [*by_name(X), {"new 3 1": 1.0, "s": "x"}, {}]

    def learn() -> None:
        try:
            for verb, x, y in steps:
                getattr(shared, verb)(x, y)
        finally:
            done.set()

    def ask_many() -> None:
        while not done.is_set():
            for asked in (X, rows, KINDS["CSR"](X)):
                assert np.isfinite(shared.score_many(asked)).all()
                assert len(shared.predict_many(asked)) == len(X if asked is not rows else rows)
                if "proba" in outputs(shared):
                    total = shared.predict_proba_many(asked).sum(axis=1)
                    assert ((np.abs(total - 1.0) < 1e-9) | (total == 0.0)).all()

    def ask_one() -> None:
        while not done.is_set():
            for x in rows:
                score = shared.score_one(x)
                scores = score.values() if isinstance(score, dict) else [score]
                assert all(np.isfinite(v) for v in scores)
                shared.predict_one(x)
                if "proba" in outputs(shared):
                    told = shared.predict_proba_one(x)
                    assert not told or abs(sum(told.values()) - 1.0) < 1e-9

    def look() -> None:
        while not done.wait(0.001):
            assert shared.memory_bytes > 0
            assert 0 <= shared.seen <= alone.seen
            for name in ("weights", "bias", "labels"):
                getattr(shared, name, None)

    together(learn, ask_many, ask_one, look)
    assert fingerprint(shared) == fingerprint(alone)


@pytest.mark.usefixtures("eager_threads")
def test_learners_take_turns(learner: Case) -> None:
    """A block is learned as a whole: what comes out is one of the orders."""
    stream = streams(learner, 90)[-1]
    parts = [(stream.X[i::3], stream.y[i::3]) for i in range(3)]
    possible = set()
    for order in permutations(parts):
        model = learner.make()
        for X, y in order:
            model.learn_many(X, y)
        possible.add(fingerprint(model))
    for _ in range(10):
        model = learner.make()
        together(*(partial(model.learn_many, X, y) for X, y in parts))
        assert model.seen == 90
        assert fingerprint(model) in possible


def test_a_learner_waits_for_another(learner: Case) -> None:
    """Whoever comes between two blocks of a `learn_many` waits for its end."""
    X, y = blocks(learner.takes_labels)
    model, alone = learner.make(), learner.make()
    reader = Reader(model.learn_many, X, y)
    stops = reader.stops()
    assert next(stops) == 0
    waiting = [
        Job(partial(model.learn_one, X[0], y[0])),
        Job(partial(model.learn_many, X[:1], y[:1])),
    ]
    assert asleep(model, waiting)
    for _ in stops:
        assert model._model.lock.waiting >= 2
    for job in (reader.job, *waiting):
        job.end()
    for rows in (slice(None), slice(1), slice(1)):
        alone.learn_many(X[rows], y[rows])
    assert fingerprint(model) == fingerprint(alone)


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")  # arrays after mappings
@pytest.mark.usefixtures("eager_threads")
def test_nothing_is_lost_among_many_learners(learner: Case) -> None:
    model = learner.make()
    stream = streams(learner, 200)[-1]
    rows = by_name(stream.X)

    def one() -> None:
        for x, y in zip(rows, stream.y, strict=True):
            model.learn_one(x, y)

    def many() -> None:
        for cut in np.array_split(np.arange(200), 40):
            model.learn_many(stream.X[cut], stream.y[cut])

    def predict_and_learn() -> None:
        for i in range(0, 200, 5):
            model.predict_learn_many(rows[i : i + 5], stream.y[i : i + 5])

    together(one, one, many, predict_and_learn, many)
    assert model.seen == 1000
    assert np.isfinite(model.score_many(rows)).all()
    assert fingerprint(reloaded(model)) == fingerprint(model)


@pytest.mark.usefixtures("eager_threads")
def test_nothing_is_lost_while_others_are_merged(plain_mergeable: Case) -> None:
    model = plain_mergeable.make()
    X, y = streams(plain_mergeable, 200)[0]
    model.learn_many(X, y)
    parts = [plain_mergeable.make() for _ in range(20)]
    for part in parts:
        part.learn_many(X[:50], y[:50])
    merging = threading.Event()

    def one() -> None:
        while not merging.is_set():
            for i in range(200):
                model.learn_one(X[i], y[i])
                taught.append(1)

    def many() -> None:
        while not merging.is_set():
            for cut in np.array_split(np.arange(200), 20):
                model.learn_many(X[cut], y[cut])
                taught.append(len(cut))

    def merge() -> None:
        try:
            for part in parts:
                model.merge(part)
                taught.append(50)
        finally:
            merging.set()

    taught = [200]
    together(one, many, merge, one)
    assert model.seen == sum(taught)


def test_who_waits_while_others_are_merged_goes_on_with_the_successor(
    plain_mergeable: Case,
) -> None:
    """Two that wait to learn, and two that wait to read, when a merge comes: all of them get on."""
    X, y = streams(plain_mergeable, 50)[0]
    part = plain_mergeable.make()
    part.learn_many(X, y)
    for _ in range(20):
        model = plain_mergeable.make()
        model.learn_many(X, y)
        with model._model.reading():
            lessons = [Job(partial(model.learn_one, X[0], y[0])) for _ in range(2)]
            assert asleep(model, lessons)
            looks = [Job(model._model.snapshot) for _ in range(2)]  # asked before the merge
            assert asleep(model, lessons + looks)
            merge = Job(partial(model.merge, part))
            assert asleep(model, [*lessons, merge])
        for job in (*lessons, *looks, merge):
            job.end()
        assert model.seen == 102


def test_a_mapping_may_merge_or_is_told(plain_mergeable: Case) -> None:
    """Its own example is learned by the merged model; inside a block there is no merging."""
    X, y = streams(plain_mergeable, 50)[0]
    model, part = plain_mergeable.make(), plain_mergeable.make()
    for one in (model, part):
        one.learn_many(X, y)

    class Meddler(dict[str, float]):
        def items(self) -> Any:
            model.merge(part)
            return super().items()

    model.learn_one(Meddler(a=1.0), y[0])
    assert model.seen == 101
    with pytest.raises(RuntimeError, match="learning just now"):
        model.learn_many([Meddler(a=1.0)], [y[0]])
    assert model.seen == 101


@pytest.mark.usefixtures("lazy_threads")
@pytest.mark.parametrize("verb", ["learn_many", "predict_learn_many", "predict_many", "score_many"])
def test_blocks_release_the_gil(learner: Case, verb: str) -> None:
    """Another thread gets on inside a call, though Python itself never switches threads.

    There are so few rows that NumPy, which gives the GIL away for 500 numbers, keeps it.
    """
    X, y = blocks(learner.takes_labels, 2)
    model = learner.make()
    model.learn_many(X[:10], y[:10])
    inside, got_on, over = False, threading.Event(), threading.Event()

    def watch() -> None:
        while not over.is_set():
            if inside:
                got_on.set()
            time.sleep(1e-5)

    watcher = Job(watch)
    end = time.monotonic() + PATIENCE
    while not got_on.is_set() and time.monotonic() < end:
        inside = True
        getattr(model, verb)(*((X, y) if "learn" in verb else (X,)))
        inside = False
    over.set()
    watcher.end()
    assert got_on.is_set(), "the other thread stood still"


def test_a_prediction_waits_for_one_block_at_most(learner: Case) -> None:
    """While rows are learned, others come in between, and see what was learned so far."""
    X, y = blocks(learner.takes_labels)
    model = learner.make()
    model.learn_many(X[:2], y[:2])
    reader = Reader(model.learn_many, X, y)
    found = set()
    for _ in reader.stops():
        model.predict_one(X[0])
        model.score_many(X[:2])
        found.add(model.seen)
    reader.job.end()
    assert {2 + i * BLOCK for i in range(4)} <= found
    assert model.seen == 2 + len(X)


def test_a_block_of_predictions_sees_one_state(learner: Case) -> None:
    """The same row many times has one score, though somebody wants to teach meanwhile."""
    X, y = blocks(learner.takes_labels, 3)
    same = np.tile(X[0] + 1.0, (len(X), 1))
    model = learner.make()
    model.learn_many(X[:50], y[:50])
    reader = Reader(model.score_many, same)
    stops = reader.stops()
    assert next(stops) == 0
    assert next(stops) == BLOCK
    jobs = [
        Job(partial(model.learn_one, X[50], y[50])),
        Job(partial(model.learn_many, X[51:60], y[51:60])),
    ]
    assert asleep(model, jobs)
    told = reader.end()
    assert (told == told[0]).all()
    for job in jobs:
        job.end()
    assert model.seen == 60


def test_a_snapshot_while_learning_is_a_whole_state(learner: Case) -> None:
    """What is saved during `learn_many` is the state after some row, not half a row."""
    X, y = blocks(learner.takes_labels)
    model, expected = learner.make(), learner.make()
    for one in (model, expected):
        one.learn_many(X[:2], y[:2])
    reader = Reader(model.learn_many, X, y)
    taken = dict((model.seen, dumps(model)) for _ in reader.stops())  # noqa: C402
    reader.job.end()
    assert {2 + i * BLOCK for i in range(4)} <= set(taken)
    for seen, data in sorted(taken.items()):
        rows = slice(expected.seen - 2, seen - 2)
        expected.learn_many(X[rows], y[rows])
        assert dumps(expected) == data


@pytest.mark.usefixtures("eager_threads")
def test_an_error_in_one_thread_does_not_block_the_others(case: Case) -> None:
    model = case.make()
    stream = streams(case, 60)[0]
    bad = stream.X.copy()
    bad[30, 3] = np.inf

    def fail() -> None:
        for _ in range(20):
            with pytest.raises(ValueError, match="row 30"):
                model.learn_many(bad, stream.y)
            with pytest.raises(ValueError, match="row 30"):
                model.predict_many(bad)
            with pytest.raises(ValueError, match="3"):
                model.learn_one(bad[30], stream.y[30])

    def work() -> None:
        for _ in range(20):
            model.learn_many(stream.X, stream.y)
            model.predict_many(stream.X)

    together(fail, work, fail, work)
    assert model.seen == 2 * 20 * 60


def test_one_lesson_does_not_starve_behind_predictions(learner: Case) -> None:
    """Blocks of predictions that come later let a lesson pass."""
    X, y = blocks(learner.takes_labels, 2)
    model = learner.make()
    model.learn_many(X[:50], y[:50])
    reader = Reader(model.predict_many, X)
    next(reader.stops())
    lesson = Job(partial(model.learn_one, X[50], y[50]))
    assert asleep(model, [lesson])
    later = Job(partial(model.predict_many, X[:5]))
    assert asleep(model, [lesson, later])
    reader.go.release()
    reader.end()
    lesson.end()
    later.end()
    assert model.seen == 51


def test_a_mapping_cannot_teach_who_reads_it(learner: Case) -> None:
    X, y = streams(learner, 50)[0]
    model = learner.make()
    model.learn_many(X, y)

    class Meddler(dict[str, float]):
        def items(self) -> Any:
            model.learn_one(X[0], y[0])
            return super().items()

    with pytest.raises(RuntimeError, match="predicting just now"):
        model.predict_many([Meddler(a=1.0)])
    model.learn_one(X[0], y[0])  # and nothing is stuck
    assert model.seen == 51
