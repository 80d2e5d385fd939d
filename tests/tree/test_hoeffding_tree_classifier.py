"""VFDT: when it splits, what it splits on, what leaves answer."""

import contextlib
import io
import itertools
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from onstream import NotMergeable
from onstream.tree import CVFDT, HAT, VFDT, HoeffdingTreeClassifier


def bits(n: int, seed: int, features: int = 6) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, (n, features)).astype(float)


def words(X: np.ndarray) -> list[dict[str, str]]:
    return [{f"x{j}": "yes" if v else "no" for j, v in enumerate(row)} for row in X]


def first_split(model: Any, rows: Any, y: Any) -> int | None:
    for i, (x, target) in enumerate(zip(rows, y, strict=True)):
        model.learn_one(x, target)
        if model.n_nodes > 1:
            return i + 1
    return None


def test_alias() -> None:
    assert VFDT is HoeffdingTreeClassifier


@pytest.mark.parametrize("nominal", [True, False])
def test_identical_attributes_split_when_the_bound_falls_below_tau(nominal: bool) -> None:
    """n > ln(1/delta) / (2 tau^2) = 3223.6, so at the attempt of example 3400 (spec 12.2)."""
    same = np.random.default_rng(0).integers(0, 2, 4000)
    rows = words(np.c_[same, same]) if nominal else np.c_[same, same].astype(float)
    assert first_split(VFDT(), rows, same.tolist()) == 3400
    assert first_split(VFDT(tau=0.0), rows, same.tolist()) is None


def test_a_clear_winner_splits_at_the_first_attempt() -> None:
    X = bits(400, 1)
    y = X[:, 2].astype(int).tolist()
    assert first_split(VFDT(), X, y) == 200
    assert first_split(VFDT(grace_period=70), X, y) == 70
    assert first_split(VFDT(max_depth=1), X, y) == 200


def test_the_grace_period_counts_weights() -> None:
    X = bits(400, 1)
    y = X[:, 2].astype(int)
    one = VFDT()
    for i in range(100):
        assert one.n_nodes == 1
        one.learn_one(X[i], y[i], 2.0)
    assert one.n_nodes == 3


def test_a_pure_leaf_never_splits_and_the_counter_is_reset() -> None:
    X = bits(1000, 2)
    model = VFDT()
    model.learn_many(X[:399], [0] * 399)
    assert model.n_nodes == 1
    for i in range(399, 600):  # the attempt at 400 found one other label
        model.learn_one(X[i], int(X[i, 0]))
        assert (model.n_nodes > 1) == (i + 1 >= 600)


@pytest.mark.parametrize("nominal", [True, False])
@pytest.mark.parametrize("concept", ["and", "or"])
def test_noise_free_concepts_are_learned_exactly(concept: str, nominal: bool) -> None:
    X = bits(20_000, 3, 4)
    a, b = X[:, 0] > 0, X[:, 1] > 0
    y = (a & b) if concept == "and" else (a | b)
    model = VFDT(leaf_prediction="mc")
    model.learn_many(words(X) if nominal else X, y)
    every = np.array(list(itertools.product([0.0, 1.0], repeat=4)))
    truth = [bool(f(r[0], r[1])) for f in [min if concept == "and" else max] for r in every]
    assert model.predict_many(words(every) if nominal else every).tolist() == truth
    assert model.n_leaves == 3


def test_leaf_counts_sum_to_the_examples_routed() -> None:
    X = np.random.default_rng(4).normal(size=(5000, 3))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    model = VFDT(delta=0.01, grace_period=50)
    model.learn_many(X, y)
    told = model._outline()
    leaf = told["nodes"][:, 0] < 0
    assert leaf.sum() > 3
    lost = told["node_counts"][~leaf].sum()  # what inner nodes had counted when they split
    assert told["node_counts"].sum() == 5000
    assert told["node_counts"][leaf].sum() == 5000 - lost
    np.testing.assert_array_equal(told["node_counts"].sum(axis=1), told["node_numbers"][:, 2])


def test_a_negligible_branch_is_no_split() -> None:
    """1 % of the weight: without the rule ties would split 1 example of 1000 off."""
    n = 4000
    X = np.zeros((n, 1))
    X[::500] = 1.0
    y = np.where(np.arange(n) % 2, "a", "b")
    y[::500] = "c"
    model = VFDT(delta=0.5)
    model.learn_many(X, y)
    assert model.n_nodes == 1
    X[::50] = 1.0
    y[::50] = "c"
    more = VFDT(delta=0.5)
    more.learn_many(X, y)
    assert more.n_nodes > 1


def nominal_tree() -> Any:
    model = VFDT(leaf_prediction="mc", nominal_split="branches")
    rows = [{"c": "red"}, {"c": "blue"}, {"c": "red"}] * 100
    model.learn_many(rows, ["a", "b", "a"] * 100)
    assert model.n_leaves == 2
    return model


def test_an_empty_leaf_answers_with_its_parents_majority() -> None:
    model = nominal_tree()
    told = model._outline()["node_counts"].tolist()
    assert told[0] == [133.0, 67.0]
    assert told[1:] == [[67.0, 0.0], [0.0, 33.0]]
    fresh = VFDT(leaf_prediction="mc")
    fresh.learn_many([{"c": "red"}, {"c": "blue"}, {"c": "red"}] * 66, ["a", "b", "a"] * 66)
    fresh.learn_many([{"c": "red"}, {"c": "blue"}], ["a", "b"])
    assert fresh.n_leaves == 2
    assert fresh.predict_proba_one({"c": "blue"}) == pytest.approx({"a": 133 / 200, "b": 67 / 200})


def test_unseen_values_and_missing_ones() -> None:
    model = nominal_tree()
    before = model.n_nodes
    assert model.predict_one({"c": "green"}) == "a"  # the parent's majority
    assert model.predict_proba_one({"c": "green"})["a"] == pytest.approx(133 / 200)
    assert model.predict_proba_one({}) == {"a": 1.0, "b": 0.0}  # the heaviest branch
    assert model.predict_proba_one({"c": float("nan")}) == {"a": 1.0, "b": 0.0}
    assert model.n_nodes == before
    model.learn_one({"c": "green"}, "z")
    assert model.n_nodes == before + 1
    assert model.predict_one({"c": "green"}) == "z"
    assert model.predict_one({"c": "blue"}) == "b"


def test_numbers_can_be_declared_nominal() -> None:
    rng = np.random.default_rng(5)
    X = rng.integers(0, 8, (3000, 2)).astype(float)
    y = X[:, 0] % 2 == 0
    nominal, numeric = VFDT(nominal=[0], nominal_split="branches"), VFDT()
    nominal.learn_many(X, y)
    numeric.learn_many(X, y)
    assert nominal.n_leaves == 8
    assert (nominal.predict_many(X) == y).all()
    with pytest.raises(TypeError, match=r"^HoeffdingTreeClassifier: nominal"):
        VFDT(nominal="colour")


def test_a_likelihood_of_zero_vetoes_its_label() -> None:
    model = VFDT(leaf_prediction="nb", variance_floor=0)
    for i in range(50):
        model.learn_one({"a": 1.0, "b": float(i)}, "constant")
        model.learn_one({"a": float(i), "b": float(i)}, "varied")
    assert model.predict_proba_one({"a": 2.0, "b": 5.0}) == {"constant": 0.0, "varied": 1.0}
    assert model.predict_one({"a": 1.0, "b": 5.0}) == "constant"


def test_naive_bayes_in_log_space() -> None:
    """400 features far out: every product of densities is 0 in plain arithmetic."""
    rng = np.random.default_rng(6)
    X = np.r_[rng.normal(0.0, 1.0, (90, 400)), rng.normal(0.5, 1.0, (90, 400))]
    y = np.repeat([0, 1], 90)
    model = VFDT(leaf_prediction="nb")
    model.learn_many(X, y)
    proba = model.predict_proba_many(X + 100.0)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    assert (model.predict_many(X) == y).mean() > 0.99


def test_max_depth() -> None:
    X = np.random.default_rng(7).normal(size=(20_000, 2))
    y = (np.sin(3 * X[:, 0]) + X[:, 1] > 0).astype(int)
    depths = {}
    for most in (1, 2, None):
        model = VFDT(max_depth=most, grace_period=100)
        model.learn_many(X, y)
        depths[most] = model.depth
    assert depths[1] == 1
    assert depths[2] == 2
    assert depths[None] > 2


def test_seeded_children_know_their_counts() -> None:
    X = bits(200, 8)
    y = X[:, 2].astype(int)
    model = VFDT(seed_children=True, leaf_prediction="mc")
    model.learn_many(X, y)
    told = model._outline()
    zeros = float((y == 0).sum())
    assert sorted(told["node_counts"][1:].tolist()) == [[0.0, 200 - zeros], [zeros, 0.0]]
    assert told["node_numbers"][1:, 4].tolist() == [0.0, 0.0]  # no new examples of the grace period


def test_trees_cannot_be_merged() -> None:
    a, b = VFDT(), VFDT()
    with pytest.raises(NotMergeable, match=r"^HoeffdingTreeClassifier: trees cannot be merged"):
        a.merge(b)


def test_values_beyond_any_square() -> None:
    model = VFDT(grace_period=20)
    for i in range(100):
        model.learn_one({"a": 1e300 if i % 2 else -1e300}, i % 2)
    assert model.predict_one({"a": 1e300}) == 1
    assert model.predict_one({"a": -1e300}) == 0


SAME = """
import hashlib
import numpy as np
from onstream.persist import dumps
from onstream.tree import CVFDT, HAT, VFDT, ExtremelyFastDecisionTree, HoeffdingTreeRegressor

rng = np.random.default_rng(9)
rows = [{"c": str(rng.choice(["x", "y", "z"])), "n": rng.normal(), "m": rng.normal()}
        for _ in range(4000)]
y = ["a" if x["c"] == "x" else "b" if x["n"] > 0 else "d" for x in rows]
for model in (
    VFDT(delta=0.01, grace_period=50), VFDT(max_bytes=12_000, grace_period=50),
    HAT(delta=0.01, drift_delta=0.2), ExtremelyFastDecisionTree(reevaluate=300),
    CVFDT(window=900, grace_period=50, check_every=300, test_every=200, test_length=50),
    HoeffdingTreeRegressor(grace_period=50),
):
    numbers = [x["m"] * (x["n"] > 0) for x in rows]
    model.learn_many(rows, numbers if "Regressor" in repr(model) else y)
    assert model.n_leaves > 2
    print(hashlib.sha256(dumps(model)).hexdigest())
"""


def hashes_here() -> list[str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(SAME, {})
    return out.getvalue().split()


def test_a_fixed_stream_gives_the_same_tree() -> None:
    told = hashes_here()
    assert told == hashes_here()
    assert len(set(told)) == 6


@pytest.mark.slow
def test_a_fixed_stream_gives_the_same_tree_on_every_run() -> None:
    """In a process of its own, whose hashes of strings differ."""
    env = {**os.environ, "PYTHONHASHSEED": "12345"}
    command = [sys.executable, "-c", SAME]
    there = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert there.stdout.split() == hashes_here()


@pytest.mark.parametrize("make", [VFDT, HAT, CVFDT])
def test_a_file_whose_features_are_of_another_kind(make):
    model = make()
    for i in range(50):
        model.learn_one({"number": i / 50, "text": "ab"[i % 2]}, i % 2)
    state = model._model.snapshot()
    for kinds in ([2, 2], [1, 1], [2, 1]):
        with pytest.raises(ValueError, match=r"kind|values"):
            make()._restore({**state, "kinds": np.array(kinds, dtype=state["kinds"].dtype)})
