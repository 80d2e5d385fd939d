"""From two labels to more: nothing that was known is lost, and two labels never promote."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from .table import Case
from .tools import (
    assert_close,
    assert_finite,
    attempt,
    fingerprint,
    learned,
    outputs,
    reloaded,
    some_rows,
    streams,
)

THIRD = "third"


def difference(model: Any, X: np.ndarray, labels: list[Any]) -> np.ndarray:
    """Score of the second label above the first, of a model with more than two."""
    scores = model.score_many(X)
    return scores[:, model.labels.index(labels[1])] - scores[:, model.labels.index(labels[0])]


def asked(case: Case, usual: float, weak: float) -> float:
    """How many answers must be right: fewer of learners that are never sure, and of variants."""
    return usual if case.line.decisive and case.usual else weak


def test_two_labels_never_promote(classifier: Case) -> None:
    model = learned(classifier, 500)
    assert type(model.score_one({})) is float
    assert model.score_many(some_rows(3)).shape == (3,)
    if isinstance(getattr(model, "weights", None), dict):
        assert not any(isinstance(weight, dict) for weight in model.weights.values())
        assert type(model.bias) is float


def test_predictions_between_the_old_two_stay(classifier: Case) -> None:
    """Declaring a third label for a learned model promotes it without any lesson."""
    for labels in (("ham", "spam"), (0, 1), (1, 0), (3, 4)):
        X = some_rows(100)
        stream = streams(classifier, 150)[0]
        y = [labels[int(label == "spam")] for label in stream.y]
        model = classifier.make()
        model.learn_many(stream.X, y)
        assert set(model.labels) == set(labels)
        third = THIRD if isinstance(labels[0], str) else 2
        wider = classifier.make(init=model, labels=[*model.labels, third])
        assert wider.labels == [*model.labels, third]
        first_is_positive = model.labels[0] in (True, 1)
        sign = -1.0 if first_is_positive else 1.0
        before, after = sign * model.score_many(X), difference(wider, X, model.labels)
        if not np.allclose(after, 2.0 * before, rtol=1e-9):  # one-vs-rest has rows -w and +w
            assert_close(after, before)
        between = [model.labels[int(d >= 0.0)] for d in after]
        clear = np.abs(before) > 1e-9
        told = model.predict_many(X)
        assert [b for b, c in zip(between, clear, strict=True) if c] == told[clear].tolist()
        unknown = wider.score_many(X)[:, 2]
        if classifier.params.get("prior_alpha"):  # a declared label has its share of the prior
            assert np.isfinite(unknown).all()
        elif not (unknown < -1e299).all():  # nothing speaks for it, or it was impossible so far
            assert_close(unknown, np.zeros(len(X)))
        if "proba" in outputs(model):
            two, three = model.predict_proba_many(X), wider.predict_proba_many(X)
            assert_close(three[:, 0] * two[:, 1], three[:, 1] * two[:, 0])


def test_the_third_label_is_learned(classifier: Case) -> None:
    stream = streams(classifier)[0]
    model = classifier.make(hash_bits=16) if classifier.hashed else classifier.make()
    model.learn_many(stream.X, stream.y)
    known = list(model.labels)
    for _ in range(30):
        model.learn_one({"new": 3.0}, THIRD)
    assert model.labels == [*known, THIRD]
    if classifier.line.decisive:
        assert model.predict_one({"new": 3.0}) == THIRD
    scores = model.score_one({"new": 3.0})
    assert list(scores) == model.labels
    level = 0.0 if classifier.line.decisive else 1e-9
    assert scores[THIRD] == pytest.approx(max(scores.values()), rel=level, abs=0.0)
    if isinstance(getattr(model, "weights", None), dict):
        assert list(model.weights) == model.labels
        assert list(model.bias) == model.labels
    between = np.array(known)[(difference(model, stream.X, known) >= 0.0).astype(int)]
    if classifier.line.numeric:
        assert (between == stream.y).mean() > asked(classifier, 0.8, 0.6)


def test_rows_before_and_after_the_third_label(classifier: Case) -> None:
    """Promotion in the middle of a block, of a loop, or after a file: always the same."""
    stream = streams(classifier)[1]
    first = int(np.argmax(stream.y == "c"))
    assert first >= 50
    loop, block, saved, late = (classifier.make() for _ in range(4))
    for x, y in zip(stream.X, stream.y.tolist(), strict=True):
        loop.learn_one(x, y)
    block.learn_many(stream.X, stream.y)
    for cut in np.split(np.arange(len(stream.y)), [first - 1, first, first + 1, first + 20]):
        saved = reloaded(saved)
        saved.learn_many(stream.X[cut], stream.y[cut])
    late.learn_many(stream.X[:first], stream.y[:first])
    late = classifier.make(init=late)
    late.learn_many(stream.X[first:], stream.y[first:])
    for other in (block, saved, late):
        assert fingerprint(other) == fingerprint(loop)


def test_declared_labels_learn_too(classifier: Case) -> None:
    for labels in (["a"], ["a", "b"], ["c", "b", "a"], ["a", "b", "c", "d"]):
        stream = streams(classifier)[1]
        loop, block = classifier.make(labels=labels), classifier.make(labels=labels)
        for x, y in zip(stream.X, stream.y.tolist(), strict=True):
            loop.learn_one(x, y)
        told = block.predict_learn_many(stream.X, stream.y)
        assert fingerprint(block) == fingerprint(loop)
        assert loop.labels[: len(labels)] == labels
        assert set(loop.labels) >= {"a", "b", "c"}
        right = np.array([t == y for t, y in zip(told, stream.y, strict=True)])
        if classifier.line.numeric:
            assert right[100:].mean() > asked(classifier, 0.55, 0.45 - 0.05 * classifier.hashed)


def test_a_refused_third_label_does_not_promote(classifier: Case) -> None:
    for x in ({"a": -np.inf}, {"a": np.inf, "new": 1.0}, {"a": [1]}, {("t",): 1.0}):
        model = learned(classifier)
        before = fingerprint(model)
        with pytest.raises((TypeError, ValueError), match=f"^{classifier.name}: "):
            model.learn_one(x, THIRD)
        with pytest.raises((TypeError, ValueError), match=rf"^{classifier.name}: .*row 1\b"):
            model.learn_many([{"fine": 1.0}, x], [THIRD, THIRD])
        with pytest.raises(ValueError, match=f"^{classifier.name}: .*weight"):
            model.learn_one({"a": 1.0}, THIRD, -1.0)
        assert fingerprint(model) == before
        assert type(model.score_one({})) is float
        model.learn_one({"a": 1.0}, model.labels[0])
        assert_finite(model)


def test_an_overflow_with_a_new_label(classifier: Case) -> None:
    for size, n_labels in product((1e150, 1e200, 1e300, 1e308), range(4)):
        model = classifier.make()
        for i in range(n_labels):
            model.learn_one({"a": 1.0, "b": -2.0}, f"label {i}")
        one = {"a": size, "b": size, "new": -size}
        attempts = [
            ("learn_one", one, THIRD),
            ("learn_many", [{"a": size, "b": -size}], [THIRD]),
            ("predict_learn_many", [{"new": size, "b": -size}], [THIRD]),
        ]
        for verb, x, y in attempts:
            before, known = fingerprint(model), list(model.labels)
            if attempt(model, verb, x, y):
                assert fingerprint(model) == before
                assert model.labels == known
            assert_finite(model)
        model.learn_one({"c": 1.0}, THIRD)
        assert model.labels[-1] == THIRD
        assert_finite(model)


def test_an_overflow_in_the_middle_of_a_block(classifier: Case) -> None:
    """The rows before it stay learned, and the error says which it was."""
    for size in (1e200, 1e308):
        block, loop = learned(classifier), learned(classifier)
        rows = [
            {"f": 1.0, "n": "red"},
            {"g": 1.0, "n": "blue", "m": "x"},
            {"h": size, "i": size, "f": -size, "n": "green", "k": "new"},
            {"f": 2.0, "n": "grey", "m": "y"},
        ]
        labels = [THIRD, "ham", "fourth", "spam"]
        refused = attempt(block, "learn_many", rows, labels)
        done = 4
        if refused:
            assert refused.startswith(f"{classifier.name}: row 2")
            done = 2
        loop.learn_many(rows[:done], labels[:done])
        assert fingerprint(block) == fingerprint(loop)
        assert_finite(block)
        assert attempt(block, "learn_many", rows[3:], labels[3:]) is None
