import threading

import numpy as np
import pytest

from onstream.base import Classifier, Regressor
from onstream.evaluate import prequential
from onstream.features import (
    FeatureHasher,
    MinMaxScaler,
    Pipeline,
    Select,
    StandardScaler,
    Transformer,
    Union,
)
from onstream.linear import RLS, LogisticRegression, PAClassifier, Perceptron
from onstream.persist import dumps


def data(n=500):
    random = np.random.default_rng(0)
    X = random.normal([0.0, 1000.0], [0.01, 300.0], size=(n, 2))
    return X, (X[:, 0] * 100 + (X[:, 1] - 1000) / 300 > 0).astype(int)


def test_a_pipeline_is_what_its_last_step_is():
    assert isinstance(StandardScaler() | PAClassifier(), Classifier)
    assert not hasattr(StandardScaler() | PAClassifier(), "predict_proba_one")
    assert (StandardScaler() | LogisticRegression()).predict_proba_one({"a": 1}) == {}
    assert isinstance(StandardScaler() | RLS(), Regressor)
    assert isinstance(StandardScaler() | MinMaxScaler(), Transformer)
    for model in (StandardScaler() | RLS(), StandardScaler() | MinMaxScaler()):
        assert isinstance(model, Pipeline)
        assert type(model).__name__ == "Pipeline"


def test_operators():
    a, b, c = StandardScaler(), MinMaxScaler(), PAClassifier()
    assert repr(a | b | c) == repr(a | (b | c)) == repr(Pipeline(a, b, c))
    assert (
        repr(Pipeline(steps=[a, b, c]))
        == "Pipeline(StandardScaler(), MinMaxScaler(), PAClassifier())"
    )
    assert repr(a + b + a) == "Union(StandardScaler(), MinMaxScaler(), StandardScaler())"
    assert isinstance((a + b) | c, Classifier)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pipeline(), "at least one"),
        (lambda: Pipeline(PAClassifier(), StandardScaler()), "must be transformers"),
        (lambda: Pipeline(3), "not a learner"),
        (lambda: Pipeline(steps=3), "a list"),
        (
            lambda: Pipeline([StandardScaler(), PAClassifier()]),
            r"^Pipeline: .* one by one, Pipeline\(a, b\) or a \| b, got a list\.$",
        ),
        (
            lambda: Pipeline(("scale", StandardScaler()), ("learn", PAClassifier())),
            "one by one.* got a tuple",
        ),
        (lambda: Union([StandardScaler()]), r"one by one, Union\(a, b\) or a \+ b, got a list"),
        (lambda: Union(PAClassifier()), "must be a transformer"),
        (lambda: StandardScaler() | PAClassifier(hash_bits=4), "FeatureHasher"),
        (lambda: StandardScaler() | 3, "unsupported operand"),
        (lambda: StandardScaler() + PAClassifier(), "unsupported operand"),
    ],
)
def test_misuse(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_what_has_learned_is_not_taken():
    scaler = StandardScaler()
    scaler.learn_one({"a": 1.0})
    with pytest.raises(ValueError, match="already learned 1"):
        scaler | PAClassifier()


def test_scaling_helps_and_changes_no_template():
    X, y = data(3000)
    scaler, last = StandardScaler(), Perceptron()
    model = scaler | last
    scaled = (model.predict_learn_many(X, y) == y).mean()
    bare = (Perceptron().predict_learn_many(X, y) == y).mean()
    assert scaled > 0.9 > bare
    assert (scaler.seen, last.seen) == (0, 0)
    assert model.clone().seen == 0
    report = prequential([model.clone(), Perceptron()], (X, y))
    assert report.value("Pipeline", "Accuracy") == pytest.approx(scaled)


def test_declared_labels_and_promotion():
    X, _ = data(90)
    model = StandardScaler() | PAClassifier(labels=["x", "y"])
    assert model.labels == ["x", "y"]
    y = ["y", "x", "z"] * 30
    loop = model.clone()
    model.learn_many(X, y)
    for row, label in zip(X, y, strict=True):
        loop.learn_one(row, label)
    assert dumps(model) == dumps(loop)
    assert model.labels == ["x", "y", "z"]


def test_overflow_in_the_learner_is_undone_in_every_step():
    """The row is fine for the scalers, not for the learner."""
    model = (StandardScaler() + (Select("a") | MinMaxScaler())) | RLS(intercept=False)
    for i in range(20):
        model.learn_one({"a": float(i), "b": float(i % 3)}, float(i))
    before = dumps(model)
    with pytest.raises(ValueError, match="Pipeline: learning this example would overflow"):
        model.learn_one({"a": 3.0, "c": 1.0}, 1e308, 1e300)
    assert dumps(model) == before
    model.learn_one({"a": 3.0, "c": 1.0}, 1.0)


def test_merge_mixes():
    X, y = data(1000)
    left, right = (StandardScaler() | LogisticRegression() for _ in range(2))
    left.learn_many(X[:600], y[:600])
    right.learn_many(X[600:], y[600:])
    whole = StandardScaler() | LogisticRegression()
    whole.learn_many(X, y)
    left.merge(right)
    assert left.merge_kind == "mixing"
    assert left.seen == 1000
    assert (left.predict_many(X) == whole.predict_many(X)).mean() > 0.97
    hashed = [FeatureHasher(hash_bits=8) | PAClassifier() for _ in range(2)]
    for model in hashed:
        model.learn_many([{"a": 1}, {"b": 1}], ["x", "y"])
    score = hashed[0].score_one({"a": 1})
    hashed[0].merge(hashed[1])
    assert hashed[0].score_one({"a": 1}) == pytest.approx(score)


def test_threads_predict_while_one_learns():
    X, y = data(20_000)
    model = StandardScaler() | LogisticRegression()
    model.learn_many(X[:100], y[:100])
    bad, done = [], threading.Event()

    def ask():
        while not done.is_set():
            scores = model.score_many(X[:50])
            bad.extend(scores[~np.isfinite(scores)])

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    model.learn_many(X, y)
    done.set()
    for thread in threads:
        thread.join()
    again = StandardScaler() | LogisticRegression()
    again.learn_many(X[:100], y[:100])
    again.learn_many(X, y)
    assert not bad
    assert dumps(model) == dumps(again)


def test_union_names():
    both = StandardScaler() + MinMaxScaler()
    both.learn_many([{"a": 1.0}, {"a": 3.0}])
    assert both.transform_one({"a": 3.0}) == {"a": 1.0, "a.1": 1.0}


def test_members_can_be_looked_at():
    X, y = data()
    model = StandardScaler() | LogisticRegression()
    model.learn_many(X, y)
    last = model.members[-1]
    assert set(last.weights) == {0, 1}
    hashed = FeatureHasher(hash_bits=6) | PAClassifier()
    hashed.learn_many([{"a": 1}, {"b": 1}], ["x", "y"])
    assert len(hashed.members[-1].weights) == 64


def test_members_of_all_kinds():
    X, y = data()
    model = StandardScaler() | MinMaxScaler() | LogisticRegression()
    model.learn_many(X, y)
    scaler, minmax, last = model.members
    z = minmax.transform_one(scaler.transform_one(X[0]))
    assert last.score_one(z) == pytest.approx(model.score_one(X[0]))
    assert (scaler.seen, minmax.seen, last.seen) == (500, 500, 500)


def test_transformers_in_a_row_transform():
    """The first step's features have room, however many the pipeline makes of them."""
    both = Select("a", "c") | StandardScaler()
    rows = [{"a": 1.0, "b": 5.0, "c": 2.0}, {"a": 3.0, "b": 6.0, "c": 4.0}]
    both.learn_many(rows)
    assert both.transform_one(rows[1]) == {"a": 1.0, "c": 1.0}
    assert both.transform_many(rows) == [{"a": -1.0, "c": -1.0}, {"a": 1.0, "c": 1.0}]
