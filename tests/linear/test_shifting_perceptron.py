import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onstream.linear import Perceptron, ShiftingPerceptron

from ..oracles import shifting_perceptron as oracle
from ..oracles.side_by_side import KINDS, follow, labelled, quick, rows, signed_blocks


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [["a", "b"], [1, 0, 2], list("abcde")])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lam", [0.5, 10.0])
def test_follows_the_formulas(labels, kind, weighted, lam):
    for intercept in (True, False):
        stream = labelled(np.random.default_rng(1), 80, 5, labels, weighted=weighted)
        model = ShiftingPerceptron(lam=lam, intercept=intercept)
        follow(model, oracle.ShiftingPerceptron(5, lam, intercept=intercept), stream, kind)


def mistakes_only(lam, n):
    """A model that has made n mistakes, each on its own feature."""
    model = ShiftingPerceptron(lam=lam, intercept=False)
    for i in range(n):
        model.learn_one({f"x{i}": 1.0}, True)
    assert model.updates == n
    return model


def test_the_first_mistake_is_taken_whole():
    for lam in (0.1, 1.0, 10.0, 1e6):
        assert mistakes_only(lam, 1).weights == {"x0": 1.0}


def test_vector():
    """lam = 2, three mistakes: 1/6, 1/3, 1/2, oldest first."""
    found = list(mistakes_only(2.0, 3).weights.values())
    np.testing.assert_allclose(found, [1 / 6, 1 / 3, 1 / 2], rtol=1e-15)


@pytest.mark.parametrize("lam", [0.3, 1.0, 10.0, 500.0])
def test_mistakes_share_a_whole(lam):
    found = np.array(list(mistakes_only(lam, 300).weights.values()))
    assert (found >= 0.0).all()
    assert found.sum() == pytest.approx(1.0, rel=1e-12)
    if lam > 1.0:
        assert (np.diff(found) >= 0.0).all()  # the old ones fade


@quick
@given(signed_blocks(), st.sampled_from([0.5, 1.0, 10.0]))
def test_no_longer_than_the_longest_example(block, lam):
    X, y = block
    model = ShiftingPerceptron(lam=lam, intercept=False)
    model.learn_many(X, y)
    longest = np.max(np.linalg.norm(X, axis=1))
    assert np.linalg.norm(rows(model, X.shape[1])) <= longest * (1 + 1e-12)


@pytest.mark.parametrize("labels", [[-1, 1], ["a", "b", "c", "d"]])
@pytest.mark.parametrize("intercept", [True, False])
def test_lam_one_is_the_perceptron(labels, intercept):
    """The same predictions at every step, and w = (perceptron's w) / k."""
    shifting, plain = (
        ShiftingPerceptron(lam=1.0, intercept=intercept),
        Perceptron(intercept=intercept),
    )
    for x, y, _ in labelled(np.random.default_rng(4), 400, 6, labels, noise=1.0):
        assert shifting.predict_one(x) == plain.predict_one(x)
        shifting.learn_one(x, y)
        plain.learn_one(x, y)
        assert shifting.updates == plain.updates
    found = shifting.updates * rows(shifting, 6)
    np.testing.assert_allclose(found, rows(plain, 6), rtol=1e-9, atol=1e-9)


def test_a_larger_lam_forgets_faster():
    """What the older half of 100 mistakes still weighs."""
    old = [
        sum(list(mistakes_only(lam, 100).weights.values())[:50]) for lam in (0.5, 1.0, 3.0, 10.0)
    ]
    assert old == sorted(old, reverse=True)
    assert old[1] == pytest.approx(0.5)
    assert old[3] < 0.01


def test_a_new_schedule_forgets_at_the_next_mistake():
    model = ShiftingPerceptron(init=mistakes_only(2.0, 3), lam=2.0, intercept=False)
    model.reset_schedule()
    assert model.updates == 0
    model.learn_one({"new": 1.0}, True)
    assert model.weights == {"x0": 0.0, "x1": 0.0, "x2": 0.0, "new": 1.0}
