"""The gate: nobody waits for ever, whatever happens inside."""

import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

from onstream import LogisticRegression, Perceptron
from onstream.persist import dumps


def within(seconds: float, job: Any) -> None:
    thread = threading.Thread(target=job, daemon=True)
    thread.start()
    thread.join(seconds)
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
    within(5.0, lambda: model.learn_many(X, y))
    within(5.0, lambda: model.learn_one({0: 1.0}, 1))
    within(5.0, lambda: model.predict_many(X))
    assert model.seen == 5


def test_functions_of_the_user_may_ask_the_model() -> None:
    """They run while the model is being taught, but not while it is being changed."""
    asked: list[Any] = []
    model: Any = None

    def step(t: float) -> float:
        asked.append(model.predict_one({"a": 1.0}))
        asked.append(model.score_many([{"a": 1.0}]).tolist())
        return 1.0

    model = Perceptron(alpha=step)
    plain = Perceptron(alpha=lambda t: 1.0)
    for learner in (model, plain):
        within(5.0, lambda learner=learner: learner.learn_one({"a": 1.0}, True))
        within(
            5.0, lambda learner=learner: learner.learn_many([{"a": -1.0}] * 3, [False, True, False])
        )
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

    within(5.0, teach)
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

    within(5.0, teach)
    assert errors
    assert model.seen == 0
    within(5.0, lambda: model.learn_one({"a": 1.0}, True))


def test_an_interrupt_stops_a_long_block() -> None:
    """Between blocks; the rows before stay learned, and the model can be used."""
    model = LogisticRegression()
    X = np.random.default_rng(0).normal(size=(200_000, 20))
    y = X[:, 0] > 0.0

    def interrupt() -> None:
        time.sleep(0.05)
        signal.raise_signal(signal.SIGINT)

    for _ in range(50):  # enough to still be at it
        thread = threading.Thread(target=interrupt, daemon=True)
        thread.start()
        try:
            for _ in range(100):
                model.learn_many(X, y)
        except KeyboardInterrupt:
            break
        finally:
            thread.join()
    else:
        pytest.fail("the interrupt never came through")
    seen = model.seen
    assert seen > 0
    within(5.0, lambda: model.learn_many(X[:10], y[:10]))
    assert model.seen == seen + 10
    assert np.isfinite(model.score_many(X[:10])).all()
