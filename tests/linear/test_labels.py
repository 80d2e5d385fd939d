"""How labels become signs, over the linear classifiers."""

import numpy as np
import pytest

from onstream import LogisticRegression, PAClassifier, Perceptron
from onstream.linear import AROW, SGDClassifier
from onstream.persist import dumps, loads

CLASSIFIERS = (LogisticRegression, PAClassifier, Perceptron)
every_classifier = pytest.mark.parametrize("learner", CLASSIFIERS)


@every_classifier
@pytest.mark.parametrize(
    ("first", "second", "positive"),
    [
        (True, False, True),
        (False, True, True),
        (1, 0, 1),
        (0, 1, 1),
        (1, -1, 1),
        (-1, 1, 1),
        (1, 2, 1),
        (2, 1, 1),
        (2, 3, 3),
        (3, 2, 2),
        ("n", "p", "p"),
        ("p", "n", "n"),
        ("True", "False", "False"),
        ("1", "0", "0"),
        (np.True_, np.False_, True),
        (np.int8(1), np.int8(0), 1),
        (np.uint64(0), np.uint64(1), 1),
        (1.0, 0.0, 1),
        (np.str_("n"), np.str_("p"), "p"),
    ],
)
def test_sign_of_the_labels(learner, first, second, positive):
    """True or 1 first is +1, any other first label is -1, the second takes the other sign."""
    model = learner(intercept=False)
    first_is_positive = bool(first == positive)
    model.learn_one({"a": 1.0}, first)
    assert (model.weights["a"] > 0.0) == first_is_positive
    model.learn_one({"b": 1.0}, second)
    assert (model.weights["b"] > 0.0) == (not first_is_positive)
    assert model.labels == [first, second]
    assert (model.score_one({"a": 1.0}) > 0.0) == first_is_positive
    assert model.predict_one({"a": 1.0}) == first
    assert model.predict_one({"b": 1.0}) == second
    # A score of 0 speaks for +1.
    assert model.score_one({}) == 0.0
    assert model.predict_one({}) == positive
    assert type(model.predict_one({})) is type(positive)
    assert model.predict_many([{}, {"a": 1.0}]).tolist() == [positive, first]


@every_classifier
def test_declared_labels_count_as_seen(learner):
    model = learner(labels=["n", "p"], intercept=False)
    assert model.labels == ["n", "p"]
    assert model.predict_one({"a": 1.0}) is None
    model.learn_one({"a": 1.0}, "p")
    assert model.weights["a"] > 0.0
    assert model.labels == ["n", "p"]
    assert model.predict_one({}) == "p"


@every_classifier
@pytest.mark.parametrize("label", [True, False, 1, 0, -7, "x"])
def test_one_label_predicts_itself(learner, label):
    model = learner(intercept=False)
    assert model.predict_one({"a": 1.0}) is None
    model.learn_one({"a": 1.0}, label)
    for x in ({"a": 1.0}, {"a": -1.0}, {}, {"unknown": 1.0}):
        assert model.predict_one(x) is label or model.predict_one(x) == label
        assert type(model.predict_one(x)) is type(label)
    assert model.labels == [label]


@every_classifier
def test_two_labels_never_promote(learner):
    model = learner()
    rng = np.random.default_rng(0)
    model.learn_many(rng.normal(size=(300, 3)), rng.choice(["a", "b"], size=300))
    assert isinstance(model.score_one(np.ones(3)), float)
    assert isinstance(model.bias, float)


@every_classifier
def test_labels_in_order_of_appearance(learner):
    model = learner()
    for label in ["c", "a", "c", "d", "a", "b"]:
        model.learn_one({label: 1.0}, label)
    assert model.labels == ["c", "a", "d", "b"]
    assert list(model.weights) == list(model.bias) == list(model.score_one({})) == model.labels
    for label in model.labels:
        assert model.predict_one({label: 10.0}) == label


@every_classifier
def test_ties_among_more_labels_go_to_the_first(learner):
    model = learner(labels=["c", "a", "b"], intercept=False)
    model.learn_one({"x": 1.0}, "b")
    assert model.predict_one({}) == "c"
    assert model.predict_one({"x": 1.0}) == "b"


@every_classifier
@pytest.mark.parametrize("order", [["n", "p"], ["p", "n"], [1, 0], [0, 1], [True, False]])
def test_promotion_changes_no_prediction_between_the_old_two(learner, order):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 4))
    y = [order[int(v > 0.0)] for v in X @ rng.normal(size=4) + rng.normal(size=100)]
    model = learner(labels=order)
    model.learn_many(X, y)
    third = "third" if isinstance(order[0], str) else 2
    if isinstance(order[0], bool):
        return  # there is no third bool
    promoted = learner(labels=[third], init=model)
    assert promoted.labels == [*order, third]
    Z = rng.normal(size=(500, 4))
    assert promoted.predict_many(Z).tolist() == model.predict_many(Z).tolist()
    difference = promoted.score_many(Z) @ [-1.0, 1.0, 0.0]
    sign = 1.0 if order[0] != 1 else -1.0
    np.testing.assert_allclose(difference, sign * model.score_many(Z), rtol=1e-12)
    np.testing.assert_array_equal(promoted.score_many(Z)[:, 2], 0.0)


@pytest.mark.parametrize(
    ("learner", "params"),
    [
        (SGDClassifier, {"average": True, "average_from": 1000}),
        (SGDClassifier, {"batch_size": 4}),
        (SGDClassifier, {"schedule": "adagrad", "l1": 0.001, "batch_size": 3}),
        (AROW, {"covariance": "full"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("known", [2, 4, 8])
def test_no_memory_for_a_new_label(learner, params, known):
    """Of several matrices some have grown, then one cannot: all are as before."""
    testcapi = pytest.importorskip("_testcapi")
    rng = np.random.default_rng(known)
    X, failures = rng.normal(size=(30, 6)), 0
    model = learner(**params)
    model.learn_many(X, np.arange(30) % known)
    calm = loads(dumps(model))
    calm.learn_one(X[0], known)
    for k in range(40):
        given = loads(dumps(model))
        testcapi.set_nomemory(k, k + 1)
        try:
            given.learn_one(X[0], known)
        except MemoryError:
            testcapi.remove_mem_hooks()
            failures += 1
            assert dumps(given) == dumps(model)
            assert given.score_many(X).tolist() == model.score_many(X).tolist()
            given.learn_one(X[0], known)
        finally:
            testcapi.remove_mem_hooks()
        assert dumps(given) == dumps(calm), k
    assert failures > 3
