"""The gate: nobody waits for ever, whatever happens inside."""

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from onstream import LogisticRegression, PAClassifier, Perceptron
from onstream.core import rwlock
from onstream.linear import CostSensitivePA
from onstream.neighbors import KNNRegressor
from onstream.persist import dumps

PATIENCE = 120.0


def within(job: Callable[[], Any]) -> None:
    thread = threading.Thread(target=job, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "somebody waits for ever"


def test_errors_open_the_gate_again() -> None:
    model = LogisticRegression()
    X, y = np.ones((4, 2)), [0, 1, 0, 1]
    bad = X.copy()
    bad[3, 1] = np.nan
    for _ in range(3):
        with pytest.raises(ValueError, match="row 3"):
            model.learn_many(bad, y)
        with pytest.raises(ValueError, match="row 3"):
            model.predict_many(bad)
        with pytest.raises(ValueError, match="rows"):
            model.learn_many(X, y[:2])
        with pytest.raises(TypeError):
            model.learn_many(X, [0, 1, 0, None])
    within(lambda: model.learn_many(X, y))
    within(lambda: model.learn_one({0: 1.0}, 1))
    within(lambda: model.predict_many(X))
    assert model.seen == 5


def test_functions_of_the_user_may_ask_the_model() -> None:
    """They run while the model is being taught, but not while it is being changed."""
    asked: list[Any] = []
    model: Any = None

    def step(t: float) -> float:
        asked.append(model.predict_one({"a": 1.0}))
        asked.append(model.score_many([{"a": 1.0}]).tolist())
        asked.append(model.seen)
        return 1.0

    model = Perceptron(alpha=step)
    plain = Perceptron(alpha=lambda t: 1.0)
    for learner in (model, plain):
        within(lambda learner=learner: learner.learn_one({"a": 1.0}, True))
        within(lambda learner=learner: learner.learn_many([{"a": -1.0}] * 3, [False, True, False]))
    assert asked
    assert model.seen == plain.seen == 4
    assert model.weights == plain.weights


def test_functions_of_the_user_must_not_teach_the_model() -> None:
    """That would wait for itself; it is refused instead."""
    model: Any = None

    def step(t: float) -> float:
        model.learn_one({"b": 1.0}, False)
        return 1.0

    model = Perceptron(alpha=step)
    before = dumps(model)
    errors: list[BaseException] = []

    def teach() -> None:
        for verb, args in (
            ("learn_one", ({"a": 1.0}, True)),
            ("learn_many", ([{"a": 1.0}], [True])),
        ):
            try:
                getattr(model, verb)(*args)
            except RuntimeError as error:
                errors.append(error)

    within(teach)
    assert len(errors) == 2
    assert all("Perceptron" in str(error) for error in errors)
    assert dumps(model) == before


def test_a_mapping_that_teaches_the_model_while_a_block_is_read() -> None:
    model = Perceptron()

    class Teacher(dict[str, float]):
        def items(self) -> Any:
            model.learn_one({"b": 1.0}, False)
            return super().items()

    errors: list[BaseException] = []

    def teach() -> None:
        try:
            model.learn_many([{"a": 1.0}, Teacher(a=1.0)], [True, False])
        except RuntimeError as error:
            errors.append(error)

    within(teach)
    assert errors
    assert model.seen == 0
    within(lambda: model.learn_one({"a": 1.0}, True))


def test_an_interrupt_stops_a_long_block() -> None:
    """The rows before stay learned, and the model can be used."""
    model: Any = LogisticRegression()
    X = np.random.default_rng(0).normal(size=(200_000, 20))
    y = X[:, 0] > 0.0
    over = threading.Event()

    def interrupt() -> None:
        while not model._model.lock.writing and not over.is_set():
            pass
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        while True:
            model.learn_many(X, y)
    over.set()
    thread.join(PATIENCE)
    seen = model.seen
    assert seen > 0
    within(lambda: model.learn_many(X[:10], y[:10]))
    assert model.seen == seen + 10
    assert np.isfinite(model.score_many(X[:10])).all()


def test_an_interrupt_wakes_those_who_wait() -> None:
    """It comes while a block is predicted, is seen when the lock is released, and takes nothing."""
    model = KNNRegressor(window=4000, scale=None, metric="cosine")
    X = np.random.default_rng(0).normal(size=(4000, 20))
    model.learn_many(X, X[:, 0])
    over = threading.Event()

    def learn() -> None:
        while not over.is_set():
            model.learn_one(X[0], 1.0)

    def interrupt() -> None:
        while not model._model.lock.waiting:
            time.sleep(0.001)
        signal.raise_signal(signal.SIGINT)

    threads = [threading.Thread(target=job, daemon=True) for job in (learn, interrupt)]
    for thread in threads:
        thread.start()
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        while True:
            model.predict_many(X[:100])
    over.set()
    for thread in threads:
        thread.join(30.0)
        assert not thread.is_alive(), "somebody waits for ever"
    assert model._model.lock.waiting == 0
    within(lambda: model.learn_many(X[:2], X[:2, 0]))


# -- forks -----------------------------------------------------------------------------------------


def told_by_child(work: Callable[[], str]) -> str:
    """What a child says that does this work; "" if it dies."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(int(PATIENCE))  # ends it, should it hang
            os.write(into, work().encode())
        except BaseException as error:
            os.write(into, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        told = pipe.read().decode()
    os.waitpid(child, 0)
    return told


def taught() -> Any:
    model = PAClassifier()
    model.learn_many([{"a": 1.0}, {"a": -1.0}], [True, False])
    return model


def use(model: Any) -> str:
    """Every kind of work at the rwlock."""
    model.learn_one({"b": 1.0}, True)
    model.learn_many(np.ones((3, 2)), [True, False, True])
    model.predict_one({"a": 1.0})
    model.predict_many([{"a": 1.0}])
    dumps(model)
    return f"{model.seen} examples, {list(model.weights)}"


class Elsewhere:
    """Another thread that is inside somewhere while this one forks."""

    def __init__(self, stay: Callable[[Callable[[], None]], None]) -> None:
        self.inside, self.leave = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=stay, args=(self.wait,), daemon=True)
        self.thread.start()
        assert self.inside.wait(PATIENCE)

    def wait(self) -> None:
        self.inside.set()
        assert self.leave.wait(PATIENCE)

    def end(self) -> None:
        self.leave.set()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")  # arrays after mappings
class TestForks:
    def test_while_another_thread_reads(self) -> None:
        model = taught()

        def stay(wait: Callable[[], None]) -> None:
            with model._model.reading():
                wait()

        other = Elsewhere(stay)
        told = told_by_child(lambda: use(model))
        other.end()
        assert told == use(model) == "6 examples, ['a', 'b', 0, 1]"

    def test_while_another_thread_is_between_two_blocks(self) -> None:
        """What it has read, but not learned, is not there in the child."""
        model = taught()

        class Slow(dict[str, float]):
            def items(self) -> Any:
                other.wait()
                return super().items()

        def stay(wait: Callable[[], None]) -> None:
            model.learn_many([{"new": 1.0}, Slow(newer=1.0)], [True, False])

        other: Any = Elsewhere.__new__(Elsewhere)
        other.__init__(stay)
        told = told_by_child(lambda: use(model))
        other.end()
        assert told == "6 examples, ['a', 'b', 0, 1]"
        assert list(model.weights) == ["a", "new", "newer"]

    def test_while_others_wait(self) -> None:
        """A thread that wants to learn waits for one that reads; neither is in the child."""
        model = taught()

        def stay(wait: Callable[[], None]) -> None:
            with model._model.reading():
                lesson = threading.Thread(target=model.learn_one, args=({"c": 1.0}, True))
                lesson.start()
                while not model._model.lock.waiting:
                    pass
                wait()
            lesson.join(PATIENCE)

        other = Elsewhere(stay)
        told = told_by_child(lambda: use(model))
        other.end()
        assert told == "6 examples, ['a', 'b', 0, 1]"
        assert model.seen == 3

    def test_a_fork_waits_for_a_block(self) -> None:
        """The child's model is whole."""
        model, inside = taught(), threading.Event()

        def write() -> None:
            with model._model.writing():
                inside.set()
                while not rwlock.forking_now():
                    pass

        thread = threading.Thread(target=write, daemon=True)
        thread.start()
        assert inside.wait(PATIENCE)
        told = told_by_child(lambda: use(model))
        thread.join(PATIENCE)
        assert told == use(model) == "6 examples, ['a', 'b', 0, 1]"

    def test_a_lesson_within_a_lesson_does_not_wait_for_the_fork(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The fork waits for the outer lesson, so the inner one must go on."""
        inner, inside, waited = taught(), threading.Event(), set()

        def nap(seconds: float) -> None:
            waited.add(threading.get_ident())
            time.sleep(seconds)

        def teach_another(y: Any, r: Any) -> float:  # runs within the outer lesson
            if not inside.is_set():
                inside.set()
                while not rwlock.forking_now():
                    pass
                inner.learn_one({"b": 1.0}, True)
            return 1.0

        outer = CostSensitivePA(cost=teach_another)
        outer.learn_one({"a": 1.0}, "x")
        monkeypatch.setattr(rwlock, "PATIENCE", 1.0)
        monkeypatch.setattr(rwlock, "sleep", nap)
        thread = threading.Thread(target=outer.learn_one, args=({"a": -1.0}, "y"), daemon=True)
        thread.start()
        assert inside.wait(PATIENCE)
        told = told_by_child(lambda: str(inner.seen))
        thread.join(PATIENCE)
        assert thread.ident not in waited
        assert told == "3"

    def test_a_block_that_takes_too_long_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rwlock, "PATIENCE", 0.0)
        model = taught()

        def stay(wait: Callable[[], None]) -> None:
            with model._model.writing():
                wait()

        other = Elsewhere(stay)
        for work in (use, dumps, lambda model: model.predict_one({}), lambda model: model.seen):
            told = told_by_child(lambda work=work: str(work(model)))
            assert told.startswith("RuntimeError: PAClassifier: another thread was teaching it"), (
                told
            )
        other.end()
        assert use(model).startswith("6 ")

    def test_inside_a_function_of_the_user(self) -> None:
        """The thread that forks goes on in the child with what it was doing."""
        model: Any = None
        told: list[str] = []

        class Forking(dict[str, float]):
            def items(self) -> Any:
                told.append(told_by_child(lambda: str(model.predict_many([{"a": 1.0}]).tolist())))
                return super().items()

        model = taught()
        model.learn_many([Forking(a=1.0)], [True])
        model.learn_one(Forking(a=1.0), True)
        model.predict_many([Forking(a=1.0)])
        assert told == ["[True]"] * 3
        assert model.seen == 4
