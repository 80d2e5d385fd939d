"""Learners on strings, trees, graphs and pairs: the same contract, examples of another kind."""

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest

from onstream.kernel import (
    BOGD,
    NOGD,
    RBF,
    BudgetedPA,
    FixedBudgetPerceptron,
    Forgetron,
    KernelLMS,
    KernelMIRA,
    KernelPA,
    KernelPARegressor,
    KernelPerceptron,
    LeastRecentPerceptron,
    Linear,
    Normalized,
    Product,
    Projectron,
    ProjectronPlusPlus,
    RandomizedPerceptron,
    Spectrum,
    Stoptron,
    Subsequence,
    SubsetTree,
    TighterBudgetPerceptron,
    WeisfeilerLehman,
)
from onstream.persist import dumps, loads

CLASSIFIERS: list[Any] = [
    KernelPerceptron,
    KernelPA,
    KernelMIRA,
    Stoptron,
    RandomizedPerceptron,
    LeastRecentPerceptron,
    FixedBudgetPerceptron,
    TighterBudgetPerceptron,
    Forgetron,
    Projectron,
    ProjectronPlusPlus,
    BudgetedPA,
    BOGD,
    NOGD,
]


def words(n: int = 120, seed: int = 0) -> tuple[list[str], list[str]]:
    """Strings over ab, ac or bc."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["ab", "ac", "bc"], n, p=[0.4, 0.4, 0.2]).tolist()
    return ["".join(rng.choice(list(label + "d"), rng.integers(4, 9))) for label in y], y


def make(cls: Any, **params: Any) -> Any:
    budget = {"budget": 10} if "budget" in cls(kernel=None).params else {}
    return cls(kernel=Normalized(Spectrum(p=2)), **{**budget, **params})


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_blocks_files_and_pickles(cls: Any) -> None:
    X, y = words()
    loop, block, saved = make(cls), make(cls), make(cls)
    predicted = []
    for x, target in zip(X, y, strict=True):
        predicted.append(loop.predict_one(x))
        loop.learn_one(x, target)
    answers = block.predict_learn_many(X, y)
    assert list(answers) == predicted
    for cut in range(0, 120, 30):
        saved = loads(dumps(saved))
        saved = pickle.loads(pickle.dumps(saved))
        saved.learn_many(X[cut : cut + 30], y[cut : cut + 30])
    assert dumps(block) == dumps(loop) == dumps(saved)
    right = np.mean([a == b for a, b in zip(predicted[60:], y[60:], strict=True)])
    assert right > 0.5
    scores = loop.score_many(X[:5])
    for row, x in zip(scores, X[:5], strict=True):
        assert dict(zip(loop.labels, row, strict=True)) == loop.score_one(x)
    assert loop.seen == 120
    assert loop.memory_bytes > 0


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_an_explicit_map_gives_the_same(cls: Any) -> None:
    """Spectrum is the linear kernel on counts: both kinds of supports do the same arithmetic."""
    X, y = words()
    two = [label == "ab" for label in y]
    counts = [dict(Counter(x[i : i + 2] for i in range(len(x) - 1))) for x in X]
    budget = {"budget": 10} if "budget" in cls(kernel=None).params else {}
    objects, vectors = cls(kernel=Spectrum(2), **budget), cls(kernel=Linear(), **budget)
    # All features known from the start, so that none is ignored when predicting.
    everything = dict.fromkeys(sorted({name for x in counts for name in x}), 0.0)
    objects.learn_one("", True)
    vectors.learn_one(everything, True)
    predicted = objects.predict_learn_many(X, two, output="score")
    expected = vectors.predict_learn_many(counts, two, output="score")
    np.testing.assert_allclose(predicted, expected, rtol=1e-6, atol=1e-6)


def test_regressors() -> None:
    X, _ = words()
    y = [x.count("a") / len(x) for x in X]
    for cls in (KernelPARegressor, KernelLMS):
        model = cls(kernel=Normalized(Spectrum(1)))
        predicted = model.predict_learn_many(X, y)
        assert np.mean((predicted[60:] - y[60:]) ** 2) < 0.5 * np.var(y[60:])
        assert dumps(loads(dumps(model))) == dumps(model)


def test_trees_and_graphs() -> None:
    trees = ["(S (A x) (B y))", ("S", ("B", "y"), ("A", "x")), "(S (A x) (B z))"]
    model = KernelPA(kernel=Normalized(SubsetTree()))
    for _ in range(3):
        model.learn_many(trees, ["ab", "ba", "ab"])
    assert model.predict_many(trees).tolist() == ["ab", "ba", "ab"]
    assert model.supports[1][0] == ["S", ["B", "y"], ["A", "x"]]
    assert loads(dumps(model)).score_one(trees[0]) == model.score_one(trees[0])

    def ring(n: int) -> dict[str, Any]:
        return {"nodes": n, "edges": [(i, (i + 1) % n) for i in range(n)]}

    def path(n: int) -> dict[str, Any]:
        return {"nodes": n, "edges": [(i, i + 1) for i in range(n - 1)]}

    graphs = [make(n) for n in range(4, 10) for make in (ring, path)]
    forgetron = Forgetron(kernel=Normalized(WeisfeilerLehman(h=2)), budget=4)
    forgetron.fit(graphs, ["ring", "path"] * 6, epochs=5)
    assert np.mean(forgetron.predict_many(graphs) == np.array(["ring", "path"] * 6)) == 1.0
    again = loads(dumps(forgetron))
    assert dumps(again) == dumps(forgetron)
    assert again.supports == forgetron.supports


def test_pairs() -> None:
    kernel = Product(Normalized(Subsequence(2, 0.5)), RBF(gamma=1.0))
    model = KernelPerceptron(kernel=kernel)
    rows = [("spam", {"n": 0.0}), ("spam", {"n": 3.0}), ("eggs", {"n": 0.0}), ("eggs", {"n": 3.0})]
    for _ in range(5):
        model.learn_many(rows, [True, False, False, True])
    assert model.predict_many(rows).tolist() == [True, False, False, True]
    assert dumps(loads(dumps(model))) == dumps(model)


def test_what_is_refused_leaves_no_trace() -> None:
    X, y = words()
    for cls in CLASSIFIERS:
        model = make(cls)
        model.learn_many(X[:40], y[:40])
        before = dumps(model)
        with pytest.raises(TypeError, match=f"^{cls.__name__}: a sequence"):
            model.learn_one({"a": 1.0}, "ab")
        with pytest.raises(TypeError, match=f"^{cls.__name__}: a sequence"):
            model.predict_one(3.0)
        with pytest.raises(TypeError, match=rf"^{cls.__name__}: row 1: a sequence"):
            model.learn_many(["abc", None], ["ab", "new"])
        with pytest.raises(TypeError, match=f"^{cls.__name__}: X must be a list"):
            model.predict_many("abc")
        with pytest.raises(ValueError, match=f"^{cls.__name__}: .*weight"):
            model.learn_one("abc", "new", -1.0)
        with pytest.raises(ValueError, match=f"^{cls.__name__}: X has 1 rows"):
            model.learn_many(["abc"], ["ab"], [1.0, 2.0])
        model.learn_one("abc", "never", 0.0)
        model.learn_many(["abc", "cba"], ["ab", "never"], [0.0, 0.0])
        assert dumps(model) == before


def test_examples_are_neither_kept_nor_changed() -> None:
    graph = {"nodes": ["C", "O"], "edges": [(0, 1)]}
    model = KernelPerceptron(kernel=WeisfeilerLehman(h=1))
    model.learn_one(graph, True)
    before = model.score_one({"nodes": ["C", "O"], "edges": [(0, 1)]})
    graph["nodes"][0] = "N"
    assert model.score_one({"nodes": ["C", "O"], "edges": [(0, 1)]}) == before


@pytest.mark.parametrize(
    ("kernel", "x"),
    [
        (Spectrum(p=2), "\ud800xy"),
        (Spectrum(p=2), ["\ud800x", "ab"]),
        (Subsequence(), "\ud800xy"),
        (Subsequence(), ["\ud800x", "ab"]),
        (SubsetTree(), ("\ud800", "x")),
        (WeisfeilerLehman(), {"nodes": ["\ud800", "x"], "edges": [(0, 1)]}),
    ],
    ids=repr,
)
def test_half_a_character_is_a_token_like_others(kernel: Any, x: Any) -> None:
    assert kernel(x, x) > 0.0
    model = KernelPerceptron(kernel=kernel)
    model.learn_many([x, x], ["a", "b"])
    again = loads(dumps(model))
    assert again.predict_one(x) == model.predict_one(x) == "b"


@pytest.mark.parametrize(
    "nodes",
    [
        np.array(["C", "O"]),
        {"a": np.int64(6), "b": np.int64(8)},
        {"a": 0, "b": 1},
        {"a": 0},
        {"a": 0.5, "b": True},
        [1.0, 2**70],
    ],
    ids=repr,
)
def test_a_saved_graph_keeps_its_labels(nodes: Any) -> None:
    edges = [tuple(nodes)[:2]] if isinstance(nodes, dict) and len(nodes) == 2 else []
    graph = {"nodes": nodes, "edges": edges}
    model = KernelPerceptron(kernel=WeisfeilerLehman())
    model.learn_many([graph, {"nodes": ["N"], "edges": []}], ["p", "q"])
    again = loads(dumps(model))
    assert again.score_one(graph) == model.score_one(graph) != 0.0
    assert again.supports == model.supports
