import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from onstream.linear import PAUniclass
from onstream.persist import dumps

from ..oracles.passive_aggressive import step
from ..oracles.side_by_side import KINDS, blocks, eighths, form, names, quick, sparse_rows

VARIANTS = ("PA", "PA-I", "PA-II")
Cs = st.sampled_from([0.01, 0.1, 0.3, 2.0, 10.0])


class Ball:
    """Spec 2.3; with a radius to be learned, in one more dimension."""

    def __init__(self, d, variant="PA-I", C=1.0, epsilon=0.1, max_radius=None):
        self.variant, self.C, self.extra = variant, C, max_radius is not None
        self.size = max_radius if self.extra else epsilon
        self.w = np.append(np.zeros(d), max_radius) if self.extra else np.zeros(d)

    def learn(self, x, weight=1.0):
        y = np.append(x, 0.0) if self.extra else x
        distance = np.linalg.norm(y - self.w)
        tau = step(self.variant, max(0.0, distance - self.size), 1.0, weight * self.C)
        if tau > 0.0:
            self.w = self.w + tau * (y - self.w) / distance
        return tau, distance

    @property
    def radius(self):
        return np.sqrt(self.size**2 - self.w[-1] ** 2) if self.extra else self.size


def center(model, d, kind="dense"):
    return np.array([model.center.get(name, 0.0) for name in names(d, kind)])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("max_radius", [None, 3.0])
def test_follows_the_formulas(variant, kind, max_radius):
    rng = np.random.default_rng(1)
    params = {"variant": variant, "C": 0.3, "epsilon": 0.5, "max_radius": max_radius}
    model, ball = PAUniclass(**params), Ball(5, **params)
    for x in 1.0 + sparse_rows(rng, 100, 5):
        weight = float(rng.choice([0.5, 1.0, 3.0]))
        model.learn_one(form(x, kind), w=weight)
        ball.learn(x, weight)
        np.testing.assert_allclose(center(model, 5, kind), ball.w[:5], rtol=1e-10, atol=1e-12)
        assert model.radius == pytest.approx(ball.radius, rel=1e-7, abs=1e-7)
        expected = ball.radius - np.linalg.norm(x - ball.w[:5])
        assert model.score_one(form(x, kind)) == pytest.approx(expected, abs=1e-7)


@quick
@given(blocks(most_columns=3), eighths(3), st.sampled_from([0.0, 0.5, 2.0]))
def test_pa_projects_on_the_ball(X, x, epsilon):
    model = PAUniclass(variant="PA", epsilon=epsilon)
    model.learn_many(np.resize(X, (len(X), 3)))
    before = center(model, 3)
    outside = np.linalg.norm(x - before) > epsilon
    model.learn_one(x)
    if outside:
        assert np.linalg.norm(x - center(model, 3)) == pytest.approx(epsilon, abs=1e-12)
    else:
        np.testing.assert_array_equal(center(model, 3), before)


def test_inside_nothing_changes():
    model = PAUniclass(epsilon=2.0)
    model.learn_one({"a": 3.0})
    before = model.center
    model.learn_one({"a": 2.0, "b": 1.0})
    assert model.center == {**before, "b": 0.0}
    assert model.seen == 2


@quick
@given(blocks(), st.integers(0, 1000), Cs, st.sampled_from([0.0, 0.5]))
def test_bound(X, seed, C, epsilon):
    """(d) of spec 2.1 with R = 1, for PA-II and any center u."""
    u = np.random.default_rng(seed).normal(size=X.shape[1])
    ball = Ball(X.shape[1], "PA-II", C, epsilon)
    model = PAUniclass(variant="PA-II", C=C, epsilon=epsilon)
    losses = np.maximum(0.0, -model.predict_learn_many(X, output="score"))
    for x in X:
        ball.learn(x)
    theirs = np.maximum(0.0, np.linalg.norm(X - u, axis=1) - epsilon)
    bound = (1.0 + 0.5 / C) * (u @ u + 2.0 * C * np.sum(theirs**2))
    assert np.sum(losses**2) <= bound * (1 + 1e-9)
    np.testing.assert_allclose(center(model, X.shape[1]), ball.w, atol=1e-10)


@quick
@given(blocks(limit=2), st.sampled_from([1.0, 3.0, 20.0]))
@example(X=np.array([[0.25], [0.25]]), B=20.0)
def test_the_radius_grows(X, B):
    """eps_1 = 0; it never falls; its recursion; and PA takes the example in."""
    model, ball = PAUniclass(variant="PA", max_radius=B), Ball(X.shape[1], "PA", max_radius=B)
    assert model.radius == 0.0
    for x in X:
        before = model.radius
        tau, distance = ball.learn(x)
        model.learn_one(x)
        assert before <= model.radius <= B
        grown = B**2 - (1.0 - tau / distance) ** 2 * (B**2 - before**2)
        assert model.radius**2 == pytest.approx(grown, rel=1e-9, abs=1e-9)
        if distance < B * (1.0 - 1e-12):  # inside, and not on the border, where rounding decides
            assert model.radius == before
        assert np.linalg.norm(x - center(model, X.shape[1])) <= model.radius + 1e-6 * B


def test_the_answer_is_whether_it_lies_inside():
    rng = np.random.default_rng(2)
    X = 3.0 + 0.1 * rng.normal(size=(500, 4))
    for model in (PAUniclass(epsilon=0.5, C=0.1), PAUniclass(max_radius=10.0, C=0.1)):
        model.learn_many(X)
        assert model.predict_many(X).mean() > 0.9
        assert not model.predict_many(rng.normal(size=(50, 4)) * 20.0).any()
        assert model.predict_one(X[0]) == (model.score_one(X[0]) >= 0.0)
        assert model.weights == model.center


def test_targets_are_ignored():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 3))
    models = [PAUniclass() for _ in range(6)]
    for x in X:
        models[0].learn_one(x)
        models[1].learn_one(x, "anything")
    models[2].learn_many(X)
    models[3].learn_many(X, np.ones(30))
    models[4].fit(X, shuffle=False)
    models[5].fit(X, np.ones(30), shuffle=False)
    assert len({dumps(model) for model in models}) == 1
    twice = PAUniclass().fit(X, epochs=2, seed=1)
    assert twice.seen == 60


def test_weights_without_targets():
    X, w = np.random.default_rng(3).normal(size=(30, 3)), np.arange(30) % 3
    block, order = PAUniclass(), np.random.default_rng(1).permutation(30)
    block.learn_many(X[order], w=w[order])
    assert dumps(PAUniclass().fit(X, w=w, seed=1)) == dumps(block)
    assert block.seen == 20


def test_merging_takes_the_mean():
    one, two = PAUniclass(max_radius=2.0), PAUniclass(max_radius=2.0)
    one.learn_many([{"a": 5.0}] * 3)
    two.learn_many([{"b": 5.0}])
    a, b, radii = one.center["a"], two.center["b"], (one.radius, two.radius)
    one.merge(two)
    assert one.center == pytest.approx({"a": 0.75 * a, "b": 0.25 * b})
    assert min(radii) <= one.radius <= max(radii)


def test_huge_examples_are_refused_but_answered():
    model = PAUniclass()
    model.learn_one({"a": 1.0})
    before = dumps(model)
    with pytest.raises(ValueError, match=r"^PAUniclass: .*overflow"):
        model.learn_one({"a": 1e200})
    assert dumps(model) == before
    assert model.predict_one({"a": 1e200}) is False
