"""`init`: start from what another model has learned."""

import numpy as np
import pytest

from .table import Case, cases
from .tools import KINDS, fingerprint, learned, some_rows, streams, targets


def test_starting_from_a_model_is_going_on_with_it(case: Case) -> None:
    for kind in ("dicts", "dense", "CSR"):
        for stream in streams(case):
            half = len(stream.y) // 4
            old = case.make()
            old.learn_many(KINDS[kind](stream.X[:half]), stream.y[:half])
            before = fingerprint(old)
            new = case.make(init=old)
            assert new.seen == old.seen
            assert fingerprint(new) == before
            new.learn_many(KINDS[kind](stream.X[half:]), stream.y[half:])
            assert fingerprint(old) == before  # nothing is shared
            old.learn_many(KINDS[kind](stream.X[half:]), stream.y[half:])
            assert fingerprint(new) == fingerprint(old)


def test_a_schedule_can_begin_anew(case: Case) -> None:
    old = learned(case)
    new = case.make(init=old)
    new.reset_schedule()
    X = some_rows()
    np.testing.assert_array_equal(new.score_many(X), old.score_many(X))
    assert new.seen == old.seen
    new.learn_many(X, old.predict_many(X))
    assert np.isfinite(new.score_many(X)).all()
    fresh = case.make()
    fresh.reset_schedule()
    assert fingerprint(fresh) == fingerprint(case.make())


def test_init_is_no_parameter(case: Case) -> None:
    old = learned(case)
    new = case.make(init=old)
    assert "init" not in new.params
    assert new.params == old.params
    assert new.clone().seen == 0


def test_starting_from_an_unlearned_model(case: Case) -> None:
    assert fingerprint(case.make(init=case.make())) == fingerprint(case.make())


def test_labels_declared_besides(classifier: Case) -> None:
    old = learned(classifier)
    more = classifier.make(init=old, labels=["new", *old.labels])
    assert set(more.labels) == {"new", *old.labels}
    assert more.seen == old.seen
    with pytest.raises(ValueError, match=f"^{classifier.name}: .*max_labels"):
        classifier.make(init=more, max_labels=2)


def test_what_cannot_be_a_start(case: Case) -> None:
    others = [c.make() for c in cases() if c.name != case.name and (c.usual or c.line.given)]
    for init in (*others, 5, "model", [], {}, {"seen": 1}, case.cls):
        with pytest.raises((TypeError, ValueError), match=f"^{case.name}: "):
            case.make(init=init)


def test_what_must_agree(case: Case) -> None:
    for name, here, there in (
        ("intercept", True, False),
        ("hash_bits", 5, 6),
        ("hash_bits", None, 5),
    ):
        if case.has(name):
            old = case.make(**{name: there})
            old.learn_one({"a": 1.0}, targets(case, 1)[0])
            with pytest.raises(ValueError, match=f"^{case.name}: .*{name}"):
                case.make(**{name: here}, init=old)
