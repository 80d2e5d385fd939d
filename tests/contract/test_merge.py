"""Merging: features and labels are matched by name, and nothing happens when it is refused."""

from typing import Any

import numpy as np
import pytest

from onstream import NotMergeable

from .table import Case, cases
from .tools import (
    assert_close,
    assert_finite,
    attempt,
    by_name,
    fingerprint,
    learned,
    reloaded,
    some_rows,
    streams,
)


def can_merge(case: Case) -> bool:
    """Most can; with some parameters (forgetting) the order of the data matters."""
    a, b = learned(case), learned(case)
    before = fingerprint(a)
    try:
        a.merge(b)
    except NotMergeable as error:
        told = str(error)
    else:
        assert a.merge_kind in ("exact", "mixing")
        return True
    assert told.startswith(case.name)
    assert len(told) > len(case.name) + 20, "the reason is missing"
    assert fingerprint(a) == before
    return False


def test_merge_kind(case: Case) -> None:
    assert case.make().merge_kind in ("exact", "mixing", None)
    assert can_merge(case) == case.mergeable


def halves(case: Case, named: bool = False) -> tuple[Any, Any, Any]:
    """Two learners of disjoint data, and one of both."""
    X, y = streams(case, 200)[0]
    rows = by_name(X) if named else X
    a, b, both = case.make(), case.make(), case.make()
    a.learn_many(rows[:120], y[:120])
    b.learn_many(rows[120:], y[120:])
    both.learn_many(rows, y)
    return a, b, both


def test_two_halves(mergeable: Case) -> None:
    X = some_rows()
    for named in (False, True):
        a, b, both = halves(mergeable, named)
        asked = by_name(X) if named else X
        one, two = a.score_many(asked), b.score_many(asked)
        other = fingerprint(b)
        assert a.merge(b) is None
        assert a.seen == 200
        assert fingerprint(b) == other
        if a.merge_kind == "exact":
            np.testing.assert_allclose(
                a.score_many(asked), both.score_many(asked), rtol=1e-8, atol=1e-8
            )
        elif not mergeable.takes_targets:
            continue  # its scores are no sums of weights
        else:
            sign = 1.0
            if mergeable.takes_labels and not mergeable.classifies:
                two = two[:, [b.labels.index(label) for label in a.labels]]
            if (
                mergeable.classifies and b.labels != a.labels
            ):  # then the codes are the other way round
                assert b.labels == a.labels[::-1]
                sign = -1.0
            assert_close(a.score_many(asked), 0.6 * one + 0.4 * sign * two)
        assert_finite(a)
        assert fingerprint(reloaded(a)) == fingerprint(a)


def test_a_merged_model_goes_on_learning(mergeable: Case) -> None:
    a, b, _ = halves(mergeable)
    a.merge(b)
    copy = reloaded(a)
    for stream in streams(mergeable, 100):
        for model in (a, copy):
            model.learn_many(stream.X, stream.y)
    assert fingerprint(a) == fingerprint(copy)


def test_an_unlearned_model_adds_nothing(mergeable: Case) -> None:
    X = some_rows()
    a, empty = learned(mergeable), mergeable.make()
    before = a.score_many(X)
    a.merge(empty)
    np.testing.assert_allclose(a.score_many(X), before, rtol=1e-9)
    assert a.seen == 100
    empty.merge(learned(mergeable))
    np.testing.assert_allclose(empty.score_many(X), before, rtol=1e-9)
    assert empty.seen == 100
    if mergeable.takes_labels:
        assert empty.labels == a.labels
    first, second = mergeable.make(), mergeable.make()
    first.merge(second)
    assert first.seen == 0


def test_features_are_matched_by_name(mergeable: Case) -> None:
    X, y = streams(mergeable, 100)[0]
    a, b, backwards = mergeable.make(), mergeable.make(), mergeable.make()
    rows = by_name(X)
    a.learn_many(rows[:50], y[:50])
    other = [{**dict(reversed(x.items())), "only b": 1.0 + i % 3} for i, x in enumerate(rows[50:])]
    b.learn_many(other, y[50:])
    backwards.learn_many(
        [{"only b": x.pop("only b"), **x} for x in (dict(x) for x in other)], y[50:]
    )
    twin = reloaded(a)
    a.merge(b)
    twin.merge(backwards)
    asked = [*by_name(some_rows()), {"only b": 1.0}, {"unknown": 1.0}]
    assert_close(a.score_many(asked), twin.score_many(asked))
    if not mergeable.hashed:
        assert a.score_one({"only b": 1.0}) != a.score_one({})


def test_columns_and_names_are_matched(mergeable: Case) -> None:
    """Column 3 of an array, the feature 3 and the feature "3" are one."""
    X, y = streams(mergeable, 100)[0]
    asked = some_rows()
    merged = []
    for rows in (
        X,
        [dict(enumerate(x)) for x in X.tolist()],
        [{str(i): v for i, v in enumerate(x)} for x in X.tolist()],
    ):
        for others in (
            X,
            [{str(i): v for i, v in reversed(list(enumerate(x)))} for x in X.tolist()],
        ):
            a, b = mergeable.make(), mergeable.make()
            a.learn_many(rows[:50], y[:50])
            b.learn_many(others[50:], y[50:])
            a.merge(b)
            merged.append(a.score_many(asked))
    for scores in merged:
        np.testing.assert_allclose(scores, merged[0], rtol=1e-9, atol=1e-9)


def test_columns_of_arrays_must_stay(mergeable: Case) -> None:
    """Where both have met arrays of one width; rows of names may still be anything."""
    a, b = learned(mergeable), learned(mergeable)
    a.merge(b)
    for model in (a, reloaded(a)):
        for X in (some_rows()[:, :4], np.zeros((2, 11))):
            with pytest.raises(ValueError, match=f"^{mergeable.name}: .*columns"):
                model.predict_many(X)
            with pytest.raises(ValueError, match=f"^{mergeable.name}: .*columns"):
                model.score_one(X[0])
        model.predict_many(some_rows())
        model.predict_one({0: 1.0, "more": 1.0})


def test_labels_are_matched_by_name(mergeable_classifier: Case) -> None:
    """In which order a model met them, and so their signs, must not matter."""
    X, y = streams(mergeable_classifier, 100)[0]
    known, asked = ["ham", "spam"], some_rows()
    for labels in (known, known[::-1]):
        for others in (known, known[::-1]):
            a, b = (
                mergeable_classifier.make(labels=labels),
                mergeable_classifier.make(labels=others),
            )
            a.learn_many(X[:50], y[:50])
            b.learn_many(X[50:], y[50:])
            signs = [1.0 if m.labels == known else -1.0 for m in (a, b)]
            if a.merge_kind == "exact":
                both = mergeable_classifier.make(labels=known)
                both.learn_many(X, y)
                expected = both.score_many(asked)
            else:
                one, two = a.score_many(asked), b.score_many(asked)
                expected = 0.5 * signs[0] * one + 0.5 * signs[1] * two
            a.merge(b)
            assert a.labels == labels
            assert_close(signs[0] * a.score_many(asked), expected)


@pytest.mark.parametrize("ours", [[], ["a"], ["a", "b"], ["b", "a"], ["c", "a", "b"]])
@pytest.mark.parametrize(
    "theirs", [[], ["b"], ["c"], ["b", "c"], ["c", "d"], ["a", "b", "c"], ["d", "b", "a"]]
)
def test_labels_that_only_one_knows(
    plain_mergeable_classifier: Case, ours: list[str], theirs: list[str]
) -> None:
    case = plain_mergeable_classifier
    a, b = case.make(), case.make()
    for model, labels in ((a, ours), (b, theirs)):
        for _ in range(4):
            for label in labels:
                model.learn_one({label: 2.0, "common": 1.0}, label)
    one, two = reloaded(a), reloaded(b)
    a.merge(b)
    union = ours + [label for label in theirs if label not in ours]
    assert a.labels == union
    assert a.seen == one.seen + two.seen
    for model, labels in ((one, ours), (two, theirs)):
        for label in labels:
            if case.line.decisive and len(labels) > 1 and not set(ours) & set(theirs):
                assert a.predict_one({label: 2.0}) == model.predict_one({label: 2.0}) == label
    assert_finite(a)
    assert fingerprint(reloaded(a)) == fingerprint(a)
    a.learn_one({"new": 1.0}, "e")
    assert a.labels == [*union, "e"]


def test_too_many_labels(plain_mergeable_classifier: Case) -> None:
    case = plain_mergeable_classifier
    a, b = case.make(max_labels=3), case.make(max_labels=3)
    a.learn_many([{"x": 1.0}] * 2, ["a", "b"])
    b.learn_many([{"x": 1.0}] * 2, ["c", "d"])
    before = fingerprint(a)
    with pytest.raises((NotMergeable, ValueError), match=f"^{case.name}: .*max_labels"):
        a.merge(b)
    assert fingerprint(a) == before


def test_labels_of_different_kinds(plain_mergeable_classifier: Case) -> None:
    case = plain_mergeable_classifier
    for here, there in (([1, 0], [True, False]), (["1", "0"], [1, 0])):
        a, b = case.make(labels=here), case.make(labels=there)
        a.learn_one({"x": 1.0}, here[0])
        b.learn_one({"x": 1.0}, there[0])
        before = fingerprint(a)
        with pytest.raises(NotMergeable, match=f"^{case.name}: .*label"):
            a.merge(b)
        assert fingerprint(a) == before


def test_what_cannot_be_merged(case: Case) -> None:
    model = learned(case)
    before = fingerprint(model)
    others = [c.make() for c in cases() if c.name != case.name and (c.usual or c.line.given)]
    for other in (*others, model, None, 5, {}, case.cls):
        with pytest.raises(NotMergeable, match=f"^{case.name}"):
            model.merge(other)
        assert fingerprint(model) == before


def test_only_equal_parameters_can_be_merged(plain_mergeable: Case) -> None:
    for params in plain_mergeable.line.variants:
        a, b = learned(plain_mergeable), learned(plain_mergeable.variant(params))
        before = fingerprint(a)
        with pytest.raises(NotMergeable, match=f"^{plain_mergeable.name}: ({'|'.join(params)}) "):
            a.merge(b)
        assert fingerprint(a) == before
    for name, value in (("intercept", False), ("hash_bits", 4), ("hash_seed", 5)):
        if plain_mergeable.has(name):
            a, b = plain_mergeable.make(), plain_mergeable.make(**{name: value})
            with pytest.raises(NotMergeable, match=f"^{plain_mergeable.name}: .*{name}"):
                a.merge(b)


def test_huge_weights(case: Case) -> None:
    """The average of finite numbers is finite; if a merge fails, nothing has happened."""
    a, b = case.make(), case.make()
    y = ["x", "y"] if case.takes_labels else [1e300, -1e300]
    for model, size in ((a, 1e-150), (b, -1e-150)):
        for target in y:
            attempt(model, "learn_one", {"f": size, "g": 1e-5}, target)
    before = fingerprint(a)
    try:
        a.merge(b)
    except (NotMergeable, ValueError) as error:
        told = str(error)
    else:
        assert_finite(a)
        return
    assert told.startswith(case.name)
    assert fingerprint(a) == before
