"""Pre-training on a block, then the stream: `init` carries everything over."""

import numpy as np
import pytest

from onstream import RLS, LinearRegression, LogisticRegression, PAClassifier, Perceptron
from onstream.persist import dumps

MAKERS = {
    "perceptron": lambda **more: Perceptron(gamma=0.9, alpha=0.5, **more),
    "pa": lambda **more: PAClassifier(C=0.3, **more),
    "logistic": lambda **more: LogisticRegression(schedule="power", l2=0.01, **more),
    "regression": lambda **more: LinearRegression(schedule="power", l2=0.01, **more),
    "rls": lambda **more: RLS(lam=0.5, forgetting=0.99, **more),
}
every_learner = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def data(n, seed, labels=("a", "b")):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, X @ rng.normal(size=4), rng.choice(labels, size=n)


@every_learner
@pytest.mark.parametrize("labels", ["ab", "abc"])
def test_prefit_then_stream_equals_going_on(make, labels):
    going_on = make()
    X, numbers, words = data(50, 0, list(labels))
    going_on.fit(X, words if hasattr(going_on, "labels") else numbers)
    model = make(init=going_on)
    assert dumps(model) == dumps(going_on)
    X, numbers, words = data(50, 1, list(labels))
    for learner in (model, going_on):
        learner.learn_many(X, words if hasattr(learner, "labels") else numbers)
    assert dumps(model) == dumps(going_on)
    assert model.seen == going_on.seen


@every_learner
def test_the_model_started_from_stays_as_it_was(make):
    X, numbers, words = data(50, 2)
    old = make()
    y = words if hasattr(old, "labels") else numbers
    old.learn_many(X, y)
    before = dumps(old)
    make(init=old).learn_many(X, y)
    assert dumps(old) == before


@every_learner
def test_epochs_are_passes_over_shuffled_rows(make):
    X, numbers, words = data(30, 3)
    one, other, unshuffled = make(), make(), make()
    y = words if hasattr(one, "labels") else numbers
    if isinstance(one, Perceptron):
        one.fit(X, y, max_epochs=3, shuffle=True, seed=7)
        other.fit(X, y, max_epochs=3, shuffle=True, seed=7)
        unshuffled.fit(X, y, max_epochs=3)
    else:
        assert one.fit(X, y, epochs=3, seed=7) is one
        other.fit(X, y, epochs=3, seed=7)
        unshuffled.fit(X, y, epochs=3, shuffle=False)
    assert one.seen == 90
    assert dumps(one) == dumps(other)
    assert dumps(one) != dumps(unshuffled)
    loop = make()
    for _ in range(3):
        loop.learn_many(X, y)
    assert loop.weights == unshuffled.weights
