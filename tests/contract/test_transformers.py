"""Every transformer, alone and before a learner."""

import copy
import math
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from onstream.base import NotMergeable
from onstream.linear import RLS, LogisticRegression, PAClassifier
from onstream.persist import dumps, loads


def rows(n=60, seed=0):
    return np.random.default_rng(seed).normal([1.0, -5.0, 0.0], [1.0, 20.0, 0.1], size=(n, 3))


def mappings(n=60, seed=0):
    """Features come and go."""
    random = np.random.default_rng(seed)
    return [
        {f"f{j}": v for j, v in enumerate(row.tolist()) if random.random() < 0.7 and j <= i / 10}
        for i, row in enumerate(random.normal(3.0, 2.0, size=(n, 6)))
    ]


def labels(n=60, seed=1):
    return np.random.default_rng(seed).choice(["a", "b", "c"], n).tolist()


@pytest.fixture(params=["array", "mappings"])
def X(request, transformer):
    if request.param == "array" and "BagOfWords" in repr(transformer):
        pytest.skip("it refuses arrays, which have no text")
    return rows() if request.param == "array" else mappings()


def test_block_equals_loop(transformer, X):
    many, one = transformer.clone(), transformer.clone()
    w = np.random.default_rng(2).choice([0.0, 0.5, 2.0], len(X))
    many.learn_many(X, w)
    for x, weight in zip(X, w.tolist(), strict=True):
        one.learn_one(x, weight)
    assert dumps(many) == dumps(one) == dumps(transformer.clone().fit(X, w=w))
    assert many.seen == np.count_nonzero(w)
    told = many.transform_many(X)
    for x, found in zip(X, told, strict=True):
        expected = many.transform_one(x)
        if isinstance(found, dict):
            assert found == expected
        else:
            assert {j: v for j, v in enumerate(found.tolist()) if v} == {
                j: v for j, v in expected.items() if v
            }


def test_looking_changes_nothing(transformer, X):
    model = transformer.clone()
    model.learn_many(X)
    before = dumps(model)
    model.transform_one({"never": 1.0, "f0": 2.0})
    if isinstance(X, list):
        model.transform_many([{"never": 1.0}, {}])
    model.transform_many(X)
    model.learn_one(X[0], 0.0)
    assert dumps(model) == before


def test_copies_go_on_the_same(transformer, X):
    model = transformer.clone()
    half = len(X) // 2
    model.learn_many(X[:half])
    copies = [loads(dumps(model)), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    model.learn_many(X[half:])
    for other in copies:
        assert other.params == model.params or repr(other.params) == repr(model.params)
        other.learn_many(X[half:])
        assert dumps(other) == dumps(model)
        assert other.transform_one(X[0]) == model.transform_one(X[0])
    assert model.clone().seen == 0
    assert repr(model.clone()) == repr(model)


def test_what_is_refused_leaves_no_trace(transformer):
    model = transformer.clone()
    model.learn_many(mappings())
    before = dumps(model)
    for x in ({"new": math.inf}, {"f0": 1.0, "new": -math.inf}, 3, {"f0": [1]}):
        with pytest.raises((TypeError, ValueError)):
            model.learn_one(x)
        assert dumps(model) == before
    for w in (-1.0, math.nan):
        with pytest.raises(ValueError, match="weight"):
            model.learn_one({"f0": 1.0}, w)
    with pytest.raises(ValueError, match="row 1"):
        model.learn_many([{"f1": 1.0}, {"late": math.inf}])
    assert dumps(model) == before


def test_merging_is_exact(transformer):
    X = mappings(80)
    whole, left, right = (transformer.clone() for _ in range(3))
    whole.learn_many(X)
    left.learn_many(X[:30])
    right.learn_many(X[30:])
    if transformer.merge_kind is None:
        with pytest.raises(NotMergeable):
            left.merge(right)
        return
    left.merge(right)
    assert left.seen == whole.seen
    if transformer.merge_kind == "mixing":  # each step of a row has seen what its own made
        return
    for x in X:
        assert left.transform_one(x) == pytest.approx(whole.transform_one(x), rel=1e-12, abs=1e-12)


def learner_with(transformer, last):
    return transformer.clone() | last


@pytest.mark.parametrize("last", [LogisticRegression(), PAClassifier(), RLS()], ids=repr)
def test_before_a_learner(transformer, last, X):
    """A pipeline keeps the contract: loops, blocks, copies, predictions before learning."""
    y = labels() if not isinstance(last, RLS) else np.arange(60.0)
    model, loop, plain = (learner_with(transformer, last) for _ in range(3))
    said = model.predict_learn_many(X, y)
    for x, target, guess in zip(X, y, said, strict=True):
        assert loop.predict_one(x) == guess
        loop.learn_one(x, target)
    plain.learn_many(X, y)
    assert dumps(model) == dumps(loop) == dumps(plain)
    assert model.seen == 60
    for other in (loads(dumps(model)), pickle.loads(pickle.dumps(model))):
        other.learn_many(X[:7], y[:7])
        loop = loads(dumps(model))
        loop.learn_many(X[:7], y[:7])
        assert dumps(other) == dumps(loop)
        assert np.array_equal(other.predict_many(X), loop.predict_many(X))
    before = dumps(model)
    model.learn_one(X[0], y[0], 0.0)
    model.score_many(X)
    model.predict_one({"never": 1.0})
    with pytest.raises(ValueError, match=r"^Pipeline: "):
        model.learn_one({"new": math.inf}, y[0])
    assert dumps(model) == before


def test_by_hand(transformer, X):
    """Learn, then transform with the new statistics; predict with those there are."""
    alone, last = transformer.clone(), PAClassifier()
    model = learner_with(transformer, PAClassifier())
    for x, y in zip(X, labels(), strict=True):
        guess = last.predict_one(alone.transform_one(x)) if alone.seen else None
        assert model.predict_one(x) == guess
        alone.learn_one(x)
        last.learn_one(alone.transform_one(x), y)
        model.learn_one(x, y)
    for x in X:
        theirs, ours = last.score_one(alone.transform_one(x)), model.score_one(x)
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12)


def test_what_the_learner_refuses_no_step_has_learned(transformer):
    """An example that overflows the learner must not stay in the statistics."""
    model = learner_with(transformer, RLS())
    for i, x in enumerate(mappings()):
        model.learn_one(x, float(i))
    before = dumps(model)
    try:
        model.learn_one({"f0": 1.0, "brand new": 2.0}, 1e308, 1e300)
    except ValueError:
        assert dumps(model) == before
    else:
        assert model.seen == 61


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
def test_kinds_agree(transformer):
    X, y = rows(), labels()
    named = [dict(enumerate(row)) for row in X.tolist()]
    scores = []
    for kind in (
        X,
        X.tolist(),
        named,
        sp.csr_matrix(X),
        pd.DataFrame(X, columns=list("012")),
    ):
        if "BagOfWords" in repr(transformer) and kind is not named:
            continue  # it refuses what has no text
        model = learner_with(transformer, PAClassifier())
        model.learn_many(kind, y)
        scores.append(model.score_many(kind))
    for other in scores[1:]:
        np.testing.assert_allclose(other, scores[0], rtol=1e-9, atol=1e-12)
