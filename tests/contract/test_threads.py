"""Many threads: predictions are safe while one learns, learners take turns, the GIL is released."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from onstream.persist import dumps

from .streams import plane, three_labels
from .table import Case
from .tools import KINDS, by_name, fingerprint, grows, outputs, reloaded, some_rows, streams


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Let Python switch threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*jobs: Callable[[], None]) -> None:
    """Run jobs at once, each in a thread; raise what one of them raises."""
    errors: list[BaseException] = []
    start = threading.Barrier(len(jobs))

    def run(job: Callable[[], None]) -> None:
        start.wait()
        try:
            job()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60.0)
        assert not thread.is_alive(), "a thread hangs"
    for error in errors:
        raise error


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
        while not done.is_set():
            assert shared.memory_bytes > 0
            assert 0 <= shared.seen <= alone.seen
            for name in ("weights", "bias", "labels"):
                getattr(shared, name, None)
            time.sleep(0.001)

    together(learn, ask_many, ask_one, look)
    assert fingerprint(shared) == fingerprint(alone)


@pytest.mark.usefixtures("eager_threads")
def test_learners_take_turns(learner: Case) -> None:
    """A block is learned as a whole: what comes out is one of the orders."""
    stream = streams(learner, 90)[-1]
    blocks = [(stream.X[i::3], stream.y[i::3]) for i in range(3)]
    possible = set()
    for order in permutations(blocks):
        model = learner.make()
        for X, y in order:
            model.learn_many(X, y)
        possible.add(fingerprint(model))
    for _ in range(30):
        model = learner.make()
        together(*(partial(model.learn_many, X, y) for X, y in blocks))
        assert model.seen == 90
        assert fingerprint(model) in possible


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
def test_nothing_is_lost_while_others_are_merged(learner: Case) -> None:
    if learner.cls.merge_kind is None or learner.params.get("forgetting", 1.0) < 1.0:
        return
    model = learner.make()
    X, y = streams(learner, 200)[0]
    model.learn_many(X, y)
    parts = [learner.make() for _ in range(20)]
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
                time.sleep(0.001)
                model.merge(part)
                taught.append(50)
        finally:
            merging.set()

    taught = [200]
    together(one, many, merge, one)
    assert model.seen == sum(taught)


def test_a_mapping_may_merge_or_is_told(learner: Case) -> None:
    """Its own example is learned by the merged model; inside a block there is no merging."""
    if learner.cls.merge_kind is None or learner.params.get("forgetting", 1.0) < 1.0:
        return
    X, y = streams(learner, 50)[0]
    model, part = learner.make(), learner.make()
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


def ticks_during(job: Callable[[], Any]) -> int:
    """How often another thread got on in the third quarter of a long call.

    By then X has been checked, and rows are being worked on; the ends belong to Python.
    """
    ticks: list[float] = []
    ready, done = threading.Event(), threading.Event()

    def tick() -> None:
        ready.set()
        while not done.is_set():
            ticks.append(time.perf_counter())

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    ready.wait()
    start = time.perf_counter()
    job()
    end = time.perf_counter()
    done.set()
    ticker.join()
    return sum(0.5 < (t - start) / (end - start) < 0.75 for t in ticks)


@pytest.mark.parametrize("verb", ["learn_many", "predict_learn_many", "predict_many", "score_many"])
def test_blocks_release_the_gil(learner: Case, verb: str) -> None:
    """Another thread gets on while one long call runs. If not, it would stand still throughout."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5_000 if grows(learner) else 30_000, 50))
    y = X[:, 0] > 0.0 if learner.takes_labels else X[:, 0]
    for _ in range(10):
        model = learner.make()
        model.learn_many(X[:10], y[:10])
        job = partial(getattr(model, verb), *((X, y) if "learn" in verb else (X,)))
        start = time.perf_counter()
        for _ in range(10):
            if ticks_during(job):
                return
        if time.perf_counter() - start < 5.0:  # a busy machine: the other thread came too late
            X, y = np.concatenate([X, X]), np.concatenate([y, y])
    pytest.fail("the other thread stood still")


def rows_for(seconds: float, learner: Case, row: Any, target: Any) -> int:
    """So many rows that learning them takes about this long; ten blocks at least."""
    model, few = learner.make(), 2_000
    model.learn_many(np.repeat(row, few, axis=0), np.repeat(target[0] == "a", few))
    start = time.perf_counter()
    model.learn_many(np.repeat(row, few, axis=0), np.repeat(target[0] == "a", few))
    taken = time.perf_counter() - start
    return int(min(2_000_000, max(82_000, few * seconds / taken)))


def test_a_prediction_waits_for_one_block_at_most(learner: Case) -> None:
    """While rows are learned, predictions come in between, and see what was learned so far."""
    row, target = (three_labels if learner.takes_labels else plane)(1)
    n = rows_for(0.3, learner, row, target)  # of the same row, which takes no memory
    X, y = np.broadcast_to(row[0], (n, row.shape[1])), np.broadcast_to(target[0] == "a", n)
    model = learner.make()
    model.learn_many(X[:2], [True, False])
    answers: list[int] = []
    ready, done = threading.Event(), threading.Event()

    def ask() -> None:
        while not done.is_set():
            model.predict_one(row[0])
            model.score_many(row)
            answers.append(model.seen)
            ready.set()

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    ready.wait()
    model.learn_many(X, y)
    done.set()
    thread.join(timeout=60.0)
    between = {seen for seen in answers if 2 < seen < n + 2}
    assert len(between) >= 5, f"{len(between)} predictions came in between"
    assert model.seen == n + 2


@pytest.mark.usefixtures("eager_threads")
def test_a_block_of_predictions_sees_one_state(learner: Case) -> None:
    """The same row many times has one score, though the model changes all the time."""
    X, y = streams(learner, 200)[0]
    same = np.ascontiguousarray(np.broadcast_to(X[0] + 1.0, (500, X.shape[1])))
    model = learner.make()
    model.learn_many(X, y)
    scores: set[float] = set()
    done = threading.Event()

    def learn() -> None:
        targets = np.random.default_rng(0).permutation(y)
        while not done.is_set():
            for i in range(190):
                model.learn_one(X[i], targets[i])
                model.learn_many(X[i : i + 5], targets[i : i + 5])

    def ask() -> None:
        try:
            end = time.monotonic() + 2.0
            while len(scores) <= 5 and time.monotonic() < end:
                told = model.score_many(same)
                assert (told == told[0]).all()
                scores.add(float(told.flat[0]))
        finally:
            done.set()

    together(learn, ask)
    if len(scores) == 1:  # it did change, unless it has stopped learning for good
        before = model.score_many(X)
        model.learn_many(X, y)
        np.testing.assert_array_equal(model.score_many(X), before)


@pytest.mark.usefixtures("eager_threads")
def test_a_snapshot_while_learning_is_a_whole_state(learner: Case) -> None:
    """What is saved during `learn_many` is the state after some row, not half a row."""
    few = (three_labels if learner.takes_labels else plane)(1)
    n = min(200_000, rows_for(0.1, learner, *few))
    X, y = (three_labels if learner.takes_labels else plane)(n)
    model = learner.make()
    model.learn_many(X[:100], y[:100])
    taken: list[bytes] = []
    ready, done = threading.Event(), threading.Event()

    def save() -> None:
        while not done.is_set():
            data = dumps(model)
            if not taken or data != taken[-1]:
                taken.append(data)
            ready.set()
            time.sleep(0.002)

    thread = threading.Thread(target=save, daemon=True)
    thread.start()
    ready.wait()
    model.learn_many(X[100:], y[100:])
    done.set()
    thread.join(timeout=60.0)
    middle = [data for data in taken if 100 < reloaded_bytes(learner, data).seen < n]
    assert middle, "no snapshot came in between"
    expected = learner.make()
    for data in middle[:: max(1, len(middle) // 3)]:
        seen = reloaded_bytes(learner, data).seen
        expected.learn_many(X[expected.seen : seen], y[expected.seen : seen])
        if len(model._state.snapshot().get("nominal_values", ())):
            # The door may know nominal values of rows to come; nothing is learned of them yet.
            twin = reloaded_bytes(learner, data)
            np.testing.assert_array_equal(twin.score_many(X[:500]), expected.score_many(X[:500]))
        else:
            assert dumps(expected) == data


def reloaded_bytes(case: Case, data: bytes) -> Any:
    from onstream.persist import loads

    return loads(data, **case.functions)


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
    """Threads that do nothing but predict blocks let a lesson pass."""
    X, y = streams(learner, 200)[0]
    block = np.tile(X, (2, 1))
    model = learner.make()
    model.learn_many(X, y)
    taught = threading.Event()

    def ask() -> None:
        while not taught.wait(0):
            model.predict_many(block)

    def learn() -> None:
        try:
            for i in range(20):
                model.learn_one(X[i], y[i])
        finally:
            taught.set()

    together(ask, ask, ask, learn)
    assert model.seen == 220


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
