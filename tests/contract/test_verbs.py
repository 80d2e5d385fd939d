"""The verbs of the contract: what they return, before any data and after."""

import numpy as np

from .table import Case
from .tools import fingerprint, learned, some_rows, streams, targets


def test_before_any_data(case: Case) -> None:
    model = case.make()
    empty = fingerprint(model)
    X = some_rows(3)
    assert model.seen == 0
    if case.classifies or case.regresses:
        assert model.score_one({"a": 1.0}) == 0.0
        assert type(model.score_one({})) is float
        np.testing.assert_array_equal(model.score_many(X), np.zeros(3))
    if case.classifies:
        assert model.labels == []
        assert model.predict_one({"a": 1.0}) is None
        assert model.predict_many(X).dtype == object
        assert model.predict_many(X).tolist() == [None] * 3
    elif case.takes_labels:
        assert model.labels == []
        assert model.score_one({}) == {}
        assert model.predict_one({"a": 1.0}) == set()
        assert model.predict_many(X).tolist() == [set()] * 3
        assert model.score_many(X).shape == (3, 0)
    elif not case.takes_targets:
        assert type(model.score_one({"a": 1.0})) is float
        assert type(model.predict_one({"a": 1.0})) is bool
        assert model.predict_many(X).dtype == bool
    else:
        assert model.predict_one({"a": 1.0}) == 0.0
        np.testing.assert_array_equal(model.predict_many(X), np.zeros(3))
    if hasattr(model, "predict_proba_one"):
        assert model.predict_proba_one({"a": 1.0}) == {}
        assert model.predict_proba_many(X).shape == (3, 0)
    assert fingerprint(model) == empty


def test_nothing_is_learned_of_no_rows(case: Case) -> None:
    for model in (case.make(), learned(case)):
        before = fingerprint(model)
        for X in (np.empty((0, 10)), [], np.empty((0, 4))):
            assert model.learn_many(X, []) is None
            assert len(model.predict_learn_many(X, [])) == 0
            assert len(model.predict_many(X)) == 0
            assert len(model.score_many(X)) == 0
        assert fingerprint(model) == before


def test_learning_returns_none_and_counts(case: Case) -> None:
    model = case.make()
    y = targets(case, 4)
    assert model.learn_one({"a": 1.0}, y[0]) is None
    assert model.seen == 1
    assert model.learn_many([{"a": 1.0}, {"b": 2.0}], y[1:3]) is None
    assert model.seen == 3
    model.predict_learn_many([{"b": 1.0}], y[3:])
    assert model.seen == 4


def test_an_empty_example_is_an_example(case: Case) -> None:
    model = case.make()
    model.learn_one({}, targets(case, 1)[0])
    assert model.seen == 1
    model.learn_many([{}, {}], targets(case, 2))
    assert model.seen == 3
    assert np.isfinite(model.score_many([{}, {"new": 1.0}])).all()


def test_answers_of_one_and_many_agree(case: Case) -> None:
    for stream in streams(case):
        model = case.make()
        model.learn_many(stream.X, stream.y)
        X = some_rows()
        one = [model.predict_one(x) for x in X]
        many = model.predict_many(X)
        assert many.shape == (len(X),)
        assert many.tolist() == one
        if not case.takes_targets:
            assert many.dtype == bool
            assert [model.score_one(x) for x in X] == model.score_many(X).tolist()
            continue
        if case.regresses:
            assert many.dtype == np.float64
            assert all(type(prediction) is float for prediction in one)
            assert model.score_many(X).tolist() == one
            assert [model.score_one(x) for x in X] == one
            continue
        scores = model.score_many(X)
        assert scores.dtype == np.float64
        if case.classifies and len(model.labels) == 2:
            assert scores.tolist() == [model.score_one(x) for x in X]
        else:
            assert scores.shape == (len(X), len(model.labels))
            for x, row in zip(X, scores, strict=True):
                assert model.score_one(x) == dict(zip(model.labels, row.tolist(), strict=True))
        told = set(one) if case.classifies else set().union(*one)
        assert told <= set(model.labels)


def test_the_label_is_the_one_with_the_best_score(classifier: Case) -> None:
    """Or one of the best, where votes are level."""
    for stream in streams(classifier):
        model = classifier.make()
        model.learn_many(stream.X, stream.y)
        X = some_rows(50)
        scores, chosen = model.score_many(X), model.predict_many(X)
        if scores.ndim == 2:
            picked = scores[np.arange(len(X)), [model.labels.index(y) for y in chosen.tolist()]]
            assert picked.tolist() == scores.max(axis=1).tolist()
        else:  # neither "spam", "ham", "a" nor "b" is True or 1, so the second label is +1
            clear = scores != 0.0
            best = [model.labels[int(score >= 0.0)] for score in scores[clear]]
            assert chosen[clear].tolist() == best


def test_no_probabilities_at_all(unsure: Case) -> None:
    assert not hasattr(unsure.make(), "predict_proba_many")


def test_probabilities(probabilistic: Case) -> None:
    model = probabilistic.make()
    model.learn_one({"a": 1.0}, "x")
    assert model.predict_proba_one({"b": 1.0}) == {"x": 1.0}
    for stream in streams(probabilistic):
        model = probabilistic.make()
        model.learn_many(stream.X, stream.y)
        X = np.concatenate([some_rows(50), 1e6 * some_rows(5)])
        many = model.predict_proba_many(X)
        assert many.shape == (len(X), len(model.labels))
        np.testing.assert_allclose(many.sum(axis=1), 1.0, rtol=1e-12)
        assert (many >= 0.0).all()
        for x, row, label in zip(X, many, model.predict_many(X), strict=True):
            one = model.predict_proba_one(x)
            assert list(one) == model.labels
            assert list(one.values()) == row.tolist()
            assert one[label] == max(one.values())
