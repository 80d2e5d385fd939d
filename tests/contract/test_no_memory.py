"""A lesson that fails for lack of memory leaves no trace: learned again, it is as if it had not."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from onstream.features import Imputer, MinMaxScaler, StandardScaler
from onstream.linear import LogisticRegression
from onstream.neighbors import KNNADWINClassifier, KNNClassifier

from .table import Case
from .tools import fingerprint, reloaded, targets

_testcapi = pytest.importorskip("_testcapi")

AT = (0, 1, 9)  # lessons of which one allocation fails
KNOWN = (1, 2, 4, 9)  # labels there are when the new one comes
TRIES = 12  # ... this one, counted from the beginning of the lesson


def lessons(case: Case) -> list[tuple[dict[str, Any], Any]]:
    """Rows that bring new features and labels for a while."""
    found = []
    for i, y in enumerate(targets(case, 24).tolist()):
        x: dict[str, Any] = {
            f"f{(3 * i + j) % (4 + i)}": 1.0 + 0.1 * ((7 * i + j) % 9) for j in range(4)
        }
        found.append(({**x, "color": "red" if i % 3 else f"blue{i % 5}"}, y))
    return found


def test_a_lesson_that_fails_leaves_no_trace(case: Case) -> None:
    rows = lessons(case)
    calm = case.make()
    for x, y in rows:
        calm.learn_one(x, y)
    failures = 0
    for at in AT:
        for k in range(TRIES):
            model = case.make()
            for i, (x, y) in enumerate(rows):
                if i == at:
                    _testcapi.set_nomemory(k, k + 1)
                    try:
                        model.learn_one(x, y)
                        continue
                    except MemoryError:
                        failures += 1
                    finally:
                        _testcapi.remove_mem_hooks()
                model.learn_one(x, y)
            assert fingerprint(model) == fingerprint(calm), (at, k)
    assert failures > 0


def test_a_new_label_that_fails_leaves_no_trace(classifier: Case) -> None:
    """Every new label makes room in several places; one of them may fail."""
    rows = [(x, i) for i, (x, _) in enumerate(lessons(classifier)[:10])]
    failures = 0
    for known in KNOWN:
        model = classifier.make()
        for i, (x, _) in enumerate(rows * 2):
            model.learn_one(x, i % known)
        before = fingerprint(model)
        calm = reloaded(model)
        calm.learn_one(*rows[known])
        for k in range(2 * TRIES):
            given = reloaded(model)
            _testcapi.set_nomemory(k, k + 1)
            try:
                given.learn_one(*rows[known])
            except MemoryError:
                failures += 1
                _testcapi.remove_mem_hooks()
                assert fingerprint(given) == before, (known, k)
                assert given.predict_one(rows[0][0]) == model.predict_one(rows[0][0])
                given.learn_one(*rows[known])
            finally:
                _testcapi.remove_mem_hooks()
            assert fingerprint(given) == fingerprint(calm), (known, k)
    assert failures > 0


def assert_same_or_refused(ask: Callable[[], Any], expected: Any) -> int:
    """Ask while one allocation after the other fails; how often that was an error."""
    failures = 0
    for k in range(2 * TRIES):
        _testcapi.set_nomemory(k, k + 1)
        try:
            answer = ask()
        except MemoryError:
            failures += 1
            continue
        finally:
            _testcapi.remove_mem_hooks()
        np.testing.assert_array_equal(answer, expected)
    return failures


def wide_rows(case: Case) -> tuple[list[dict[str, float]], list[Any]]:
    """Rows with more features than fit on the stack."""
    X = np.random.default_rng(3).normal(size=(40, 300))
    return [{f"f{j}": float(v) for j, v in enumerate(x)} for x in X], targets(case, 40).tolist()


def test_an_answer_without_memory_is_no_answer(case: Case) -> None:
    """It is an error, or the right one; never that of another example, such as an empty one."""
    X, y = wide_rows(case)
    model = case.make()
    model.learn_many(X, y)
    one, many = model.score_one(X[0]), model.score_many(X[:5])
    failures = assert_same_or_refused(lambda: model.score_one(X[0]), one)
    failures += assert_same_or_refused(lambda: model.score_many(X[:5]), many)
    assert failures > 0


@pytest.mark.parametrize(
    "model",
    [
        StandardScaler() | LogisticRegression(),
        (StandardScaler() + MinMaxScaler()) | LogisticRegression(),
        Imputer() | KNNClassifier(k=40),
    ],
    ids=repr,
)
def test_a_pipeline_without_memory_gives_no_answer(model: Any) -> None:
    model = model.clone()
    X = np.random.default_rng(3).normal(size=(60, 20))
    rows = [{f"f{j}": float(v) for j, v in enumerate(x)} for x in X]
    model.learn_many(rows, (X[:, 0] > 0.0).tolist())
    one, many = model.score_one(rows[0]), model.score_many(rows[:5])
    assert assert_same_or_refused(lambda: model.score_one(rows[0]), one) > 0
    assert assert_same_or_refused(lambda: model.score_many(rows[:5]), many) > 0


def test_adwin_of_neighbors_forgets_nothing_without_memory() -> None:
    """The example is learned and ADWIN counts its error, or neither."""
    rows = [({"a": float(i % 7)}, i % 2) for i in range(8)]
    calm = KNNADWINClassifier()
    for x, y in rows:
        calm.learn_one(x, y)
    failures = 0
    for k in range(5 * TRIES):
        model = KNNADWINClassifier()
        model.learn_one(*rows[0])
        _testcapi.set_nomemory(k, k + 1)
        try:
            model.learn_one(*rows[1])
        except MemoryError:
            failures += 1
            _testcapi.remove_mem_hooks()
            model.learn_one(*rows[1])
        finally:
            _testcapi.remove_mem_hooks()
        for x, y in rows[2:]:
            model.learn_one(x, y)
        assert fingerprint(model) == fingerprint(calm), k
    assert failures > 0


def test_neighbors_give_back_what_a_failed_lesson_held() -> None:
    """Ranges of features that were not learned after all are freed with the model."""
    wide = {f"f{j}": 1.0 for j in range(100)}

    def fail(k: int) -> bool:
        model = KNNClassifier(window=8)
        _testcapi.set_nomemory(k, k + 1)
        try:
            model.learn_one(wide, 1)
        except MemoryError:
            return True
        finally:
            _testcapi.remove_mem_hooks()
        return False

    tracemalloc.start()
    try:
        fail(0)
        before, _ = tracemalloc.get_traced_memory()
        failures = sum(fail(k) for k in range(500))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert failures > 200
    assert after - before < 50_000
