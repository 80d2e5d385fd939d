import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onstream.linear import CostSensitivePA
from onstream.persist import dumps, loads

from ..oracles.linear import LinearOracle
from ..oracles.passive_aggressive import step
from ..oracles.side_by_side import KINDS, follow, labelled, quick, rows

VARIANTS = ("PA", "PA-I", "PA-II")
MODES = ("prediction", "max-loss")


def dear(y, r):
    """Not symmetric: saying less than the truth costs twice as much."""
    gap = (ord(y) if isinstance(y, str) else y) - (ord(r) if isinstance(r, str) else r)
    return 2.0 * gap if gap > 0 else -float(gap)


class CostOracle(LinearOracle):
    """Spec 2.5 on the rows of all labels; those of two are -w/2 and +w/2."""

    def __init__(self, d, mode, variant, C, cost=dear, **common):
        super().__init__(d, **common)
        self.mode, self.variant, self.C, self.cost = mode, variant, C, cost

    def stepped(self, M, x, right, names, ties, weight):
        scores = M @ x
        roots = np.array(
            [
                0.0 if r == right else np.sqrt(self.cost(names[right], name))
                for r, name in enumerate(names)
            ]
        )
        if self.mode == "prediction":
            best = [r for r in range(len(M)) if scores[r] == scores.max()]
            wrong = ties if ties in best else best[0]
        else:
            wrong = right
            for r in range(len(M)):
                gain = scores[r] - scores[right] + roots[r]
                if r != right and gain > 0.0:
                    current = scores[wrong] - scores[right] + roots[wrong]
                    wrong = r if gain > current else wrong
        if wrong == right:
            return M
        loss = max(0.0, scores[wrong] - scores[right] + roots[wrong])
        tau = step(self.variant, loss, 2.0 * (x @ x), weight * self.C)
        M = M.copy()
        M[right] += tau * x
        M[wrong] -= tau * x
        return M

    def binary(self, x, y, weight):
        if len(self.labels) < 2:
            return
        names = sorted(self.labels, key=self.code)  # the one coded -1 first
        M = np.array([-0.5 * self.W[0], 0.5 * self.W[0]])
        M = self.stepped(M, x, int(y > 0.0), names, 1, weight)  # at a tie +1 is predicted
        self.W[0] = M[1] - M[0]

    def multiclass(self, x, right, weight):
        self.W = self.stepped(self.W, x, right, self.labels, None, weight)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", [["a", "b"], [1, 0, 3], list("abdg")])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_follows_the_formulas(kind, labels, mode, variant):
    stream = labelled(np.random.default_rng(1), 80, 5, labels, noise=1.0, weighted=True)
    for intercept in (True, False):
        params = {"mode": mode, "variant": variant, "C": 0.2, "intercept": intercept}
        model = CostSensitivePA(cost=dear, **params)
        follow(model, CostOracle(5, **params), stream, kind, rel=1e-10)


def test_without_a_cost_every_mistake_costs_one():
    stream = labelled(np.random.default_rng(1), 80, 5, list("abc"), noise=1.0)
    model = CostSensitivePA(C=0.2)
    oracle = CostOracle(5, "prediction", "PA-I", 0.2, cost=lambda y, r: 1.0)
    follow(model, oracle, stream, "dense", rel=1e-10)


@quick
@given(st.integers(0, 10_000), st.sampled_from(MODES), st.sampled_from(VARIANTS))
def test_the_price_is_bounded_by_the_losses(seed, mode, variant):
    """The costs of what is predicted never add up to more than the squared losses."""
    labels = list("abd")
    model = CostSensitivePA(cost=dear, mode=mode, variant=variant, C=0.3, labels=labels)
    price = squares = 0.0
    for x, y, _ in labelled(np.random.default_rng(seed), 60, 4, labels, noise=1.0):
        scores = model.score_one(x)
        said = max(labels, key=scores.__getitem__)
        price += dear(y, said) if said != y else 0.0
        gains = {r: scores[r] - scores[y] + np.sqrt(dear(y, r)) * (r != y) for r in labels}
        squares += max(0.0, max(gains.values()) if mode == "max-loss" else gains[said]) ** 2
        model.learn_one(x, y)
    assert price <= squares + 1e-9


def test_dear_mistakes_are_kept_further_away():
    model = CostSensitivePA(
        cost=lambda y, r: 9.0 if y == "ill" else 1.0,
        mode="max-loss",
        variant="PA",
        labels=["ill", "well"],
        intercept=False,
    )
    model.learn_one({"x": 1.0}, "ill")
    model.learn_one({"y": 1.0}, "well")
    assert model.score_one({"x": 1.0}) == pytest.approx(-3.0)
    assert model.score_one({"y": 1.0}) == pytest.approx(1.0)


def test_the_cost_is_asked_once_for_every_pair():
    asked = []

    def cost(y, r):
        asked.append((y, r))
        return 1.0

    model = CostSensitivePA(cost=cost)
    for x, y, _ in labelled(np.random.default_rng(2), 60, 3, list("abcd")):
        model.learn_one(x, y)
        model.predict_one(x)
    assert len(asked) == len(set(asked)) == 12
    assert all(y != r for y, r in asked)


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (-1.0, ValueError),
        (np.nan, ValueError),
        (np.inf, ValueError),
        ("1", TypeError),
        (None, TypeError),
    ],
)
def test_bad_costs_are_refused(bad, error):
    model = CostSensitivePA(cost=lambda y, r: bad if "c" in (y, r) else 1.0)
    model.learn_one({"x": 1.0}, "a")
    model.learn_one({"y": 1.0}, "b")
    before = dumps(model)
    with pytest.raises(error, match=r"^CostSensitivePA: .*cost\('c', 'a'\) must be"):
        model.learn_one({"z": 1.0}, "c")
    assert dumps(model) == before
    assert model.labels == ["a", "b"]
    model.learn_one({"z": 1.0}, "b")
    with pytest.raises(TypeError, match="CostSensitivePA: cost must be a function"):
        CostSensitivePA(cost=3.0)


def test_an_error_of_the_cost_comes_through():
    model = CostSensitivePA(cost=lambda y, r: {}[y])
    model.learn_one({"x": 1.0}, "a")
    before = dumps(model)
    with pytest.raises(KeyError):
        model.learn_one({"y": 1.0}, "b")
    with pytest.raises(KeyError):
        model.learn_many([{"y": 1.0}], ["b"])
    assert dumps(model) == before
    model.learn_one({"y": 1.0}, "a")


def test_files_need_the_cost_again():
    model = CostSensitivePA(cost=dear)
    for x, y, _ in labelled(np.random.default_rng(3), 60, 3, list("abcd")):
        model.learn_one(x, y)
    with pytest.raises(ValueError, match="cost"):
        loads(dumps(model))
    twin = loads(dumps(model), cost=dear)
    for x, y, _ in labelled(np.random.default_rng(4), 60, 3, list("abcd")):
        model.learn_one(x, y)
        twin.learn_one(x, y)
    assert dumps(twin) == dumps(model)
    np.testing.assert_array_equal(rows(twin, 3), rows(model, 3))


@pytest.mark.parametrize("bad", [None, "1", -1.0, np.nan, 10**400, np.array([1.0]), 1j])
def test_a_block_says_which_row_the_cost_refuses(bad):
    """The rows before it were learned, as a loop would have done."""
    model, loop = (CostSensitivePA(cost=lambda y, r: bad if "c" in (y, r) else 1.0) for _ in "ml")
    X, y = np.eye(4), ["a", "b", "c", "a"]
    told = r"^CostSensitivePA: row 2: cost\('c', 'a'\) .* The rows before it were learned\.$"
    with pytest.raises((TypeError, ValueError), match=told) as caught:
        model.learn_many(X, y)
    assert caught.value.row == 2
    loop.learn_one(X[0], "a")
    loop.learn_one(X[1], "b")
    assert dumps(model) == dumps(loop)


def test_a_block_says_in_which_row_the_cost_fails():
    model = CostSensitivePA(cost=lambda y, r: {"b": 1.0, "a": 1.0}[y])
    with pytest.raises(KeyError) as caught:
        model.learn_many(np.eye(3), ["a", "b", "c"])
    assert caught.value.__notes__ == [
        "CostSensitivePA: row 2: a function that it was given has failed. "
        "The rows before it were learned."
    ]
    assert model.seen == 2


def test_a_cost_takes_two_labels():
    for wrong in (lambda: 1.0, lambda y: 1.0, lambda y, r, z: 1.0):
        with pytest.raises(TypeError, match=r"^CostSensitivePA: cost must be a function of 2 argu"):
            CostSensitivePA(cost=wrong)
    CostSensitivePA(cost=max)  # a builtin that does not tell
