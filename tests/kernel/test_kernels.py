"""Kernels: the vectors of the specification, brute force, symmetry, positive Gram matrices."""

import enum
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onstream.kernel import (
    RBF,
    Kernel,
    KernelPerceptron,
    Linear,
    Normalized,
    Polynomial,
    Product,
    Spectrum,
    Subsequence,
    SubsetTree,
    Subtree,
    Sum,
    WeisfeilerLehman,
)
from onstream.persist import dumps, loads

from ..oracles import kernels as brute

DOG = "(S (NP (D the) (N dog)) (VP (V barks)))"
CAT = DOG.replace("dog", "cat")
TRIANGLE = {"nodes": [None] * 3, "edges": [(0, 1), (1, 2), (0, 2)]}
PATH = {"nodes": [None] * 3, "edges": [(0, 1), (1, 2)]}

# -- vectors of the specification -------------------------------------------------------------


def test_vector_kernels() -> None:
    a, b = {"x": 1.0, "y": 2.0}, {"x": 3.0, "z": -1.0}
    assert Linear()(a, b) == 3.0
    assert Polynomial()(a, b) == 16.0
    assert Polynomial(3, 0.5, 2.0)(a, b) == pytest.approx(3.5**3)
    assert RBF(gamma=0.1)(a, b) == pytest.approx(math.exp(-0.1 * (4 + 4 + 1)))
    assert RBF()([1.0, 2.0], [3.0, 2.0]) == pytest.approx(math.exp(-0.5 * 4))
    assert Linear()(np.array([1.0, 2.0]), {"1": 5.0}) == 10.0
    assert Linear()({0: 2.0}, {"0": 5.0}) == 10.0
    assert Linear()({"colour": "red", "n": 2}, {"colour": "red"}) == 1.0


def test_spectrum() -> None:
    kernel = Spectrum(p=2)
    assert kernel("abracadabra", "cadabra") == 9
    assert kernel("abracadabra", "abracadabra") == 16
    assert Spectrum(2)(["to", "be", "or", "not"], ["to", "be", "not", "to", "be"]) == 2
    assert Spectrum(3)("ab", "ab") == 0


def test_subsequence() -> None:
    for lam in (0.5, 0.3, 1.0):
        kernel = Subsequence(n=2, lam=lam)
        assert kernel("cat", "car") == pytest.approx(lam**4, rel=1e-14)
        assert kernel("cat", "cat") == pytest.approx(2 * lam**4 + lam**6, rel=1e-14)
    assert Subsequence()("", "cat") == 0.0


def test_trees() -> None:
    assert SubsetTree(lam=1.0)(DOG, DOG) == 24
    assert SubsetTree(lam=1.0)(DOG, CAT) == 15
    assert Subtree(lam=1.0)(DOG, DOG) == 6
    assert Subtree(lam=1.0)(DOG, CAT) == 3
    assert SubsetTree()(DOG, DOG) == pytest.approx(3.657216, rel=1e-14)
    assert SubsetTree()(DOG, CAT) == pytest.approx(2.89344, rel=1e-14)
    nested = ("S", ("NP", ("D", "the"), ("N", "dog")), ("VP", ("V", "barks")))
    assert SubsetTree()(DOG, nested) == SubsetTree()(DOG, DOG)
    assert SubsetTree()("(A (LEX))", "(A LEX)") == SubsetTree()("(A LEX)", "(A LEX)") == 0.4
    assert SubsetTree()("LEX", "LEX") == 0.0  # a leaf has no production


def test_graphs() -> None:
    for h, values in ((0, (9, 9, 9)), (1, (12, 18, 14)), (2, (12, 27, 19))):
        kernel = WeisfeilerLehman(h=h)
        pairs = ((TRIANGLE, PATH), (TRIANGLE, TRIANGLE), (PATH, PATH))
        assert tuple(kernel(a, b) for a, b in pairs) == values
    ring = {"nodes": 6, "edges": [(i, (i + 1) % 6) for i in range(6)]}
    pair = {"nodes": 6, "edges": [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]}
    assert WeisfeilerLehman(h=3)(ring, pair) == 144


def test_ways_to_write_a_graph() -> None:
    kernel = WeisfeilerLehman(h=2)
    labelled = {"nodes": ["C", "O", "C"], "edges": [(0, 1), (1, 2)]}
    others: list[Any] = [
        {"nodes": {"a": "C", "b": "O", "c": "C"}, "edges": [("a", "b"), ("c", "b")]},
        {"nodes": [("a", "C"), ("b", "O"), ("c", "C")], "edges": [["b", "a"], ["b", "c"]]},
        {"nodes": ["O", "C", "C"], "edges": [(0, 1, "single"), (2, 0, "double")]},
    ]
    for other in others:
        assert kernel(labelled, other) == kernel(labelled, labelled)
    plain = {"nodes": ["a", "b", "c"], "edges": [("a", "b"), ("b", "c")]}
    assert kernel(plain, PATH) == kernel(PATH, PATH)
    assert kernel({"nodes": [0, 1, 2], "edges": [(0, 1), (1, 2)]}, PATH) == kernel(PATH, PATH)


def test_a_graph_of_networkx_is_taken_as_it_is() -> None:
    class Nodes(dict[Any, Any]):
        pass

    class Graph:
        """What this kernel uses of networkx."""

        nodes = Nodes({7: {"label": "C"}, 8: {"label": "O"}, 9: {"label": "C"}})
        edges = ((7, 8), (8, 9))
        adj = ()

    kernel = WeisfeilerLehman(h=2)
    same = {"nodes": ["C", "O", "C"], "edges": [(0, 1), (1, 2)]}
    assert kernel(Graph(), same) == kernel(same, same)


def test_combinations() -> None:
    a, b = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    one, two = Polynomial(degree=2), RBF(gamma=0.3)
    assert Sum(one, two)(a, b) == pytest.approx(one(a, b) + two(a, b))
    assert Sum(one, two, weights=[2, 0.5])(a, b) == pytest.approx(2 * one(a, b) + 0.5 * two(a, b))
    assert Product(one, two)(a, b) == pytest.approx(one(a, b) * two(a, b))
    normal = Normalized(one)
    assert normal(a, b) == pytest.approx(one(a, b) / math.sqrt(one(a, a) * one(b, b)))
    assert normal(a, a) == pytest.approx(1.0)
    assert Normalized(Linear())([0.0, 0.0], a) == 0.0
    assert Sum([one, two]) == Sum(one, two) != Sum(two, one)


def test_pairs() -> None:
    x, z = ("spam", {"length": 4}), ("spa", {"length": 3})
    strings, numbers = Spectrum(2), RBF(gamma=0.5)
    values = strings(x[0], z[0]), numbers(x[1], z[1])
    assert Product(strings, numbers)(x, z) == pytest.approx(values[0] * values[1])
    assert Sum(strings, numbers)(x, z) == pytest.approx(values[0] + values[1])
    both = Product(RBF(gamma=1.0), RBF(gamma=2.0), pairs=True)
    assert both(([1.0], [2.0]), ([0.0], [0.0])) == pytest.approx(math.exp(-1.0 - 8.0))
    words = Product(Spectrum(1), Spectrum(1))
    assert words(("a", "b"), ("a", "c")) == 0.0
    assert words(["a", "b"], ["a", "c"]) == 1.0


# -- brute force ------------------------------------------------------------------------------

TEXT = st.text("abc", max_size=7)


@given(TEXT, TEXT, st.integers(1, 4))
def test_spectrum_by_brute_force(s: str, t: str, p: int) -> None:
    assert Spectrum(p)(s, t) == brute.spectrum(s, t, p)
    words = [list(map("w{}".format, x)) for x in (s, t)]
    assert Spectrum(p)(*words) == brute.spectrum(s, t, p)


@given(TEXT, TEXT, st.integers(1, 4), st.floats(0.1, 1.0))
def test_subsequence_by_brute_force(s: str, t: str, n: int, lam: float) -> None:
    expected = brute.subsequence(s, t, n, lam)
    assert Subsequence(n, lam)(s, t) == pytest.approx(expected, rel=1e-12, abs=0.0)
    words = [list(map("w{}".format, x)) for x in (s, t)]
    assert Subsequence(n, lam)(*words) == pytest.approx(expected, rel=1e-12, abs=0.0)


TREES: Any = st.recursive(
    st.sampled_from("ab"),
    lambda inner: st.tuples(st.sampled_from("ABa"), inner, st.none() | inner).map(
        lambda x: tuple(part for part in x if part is not None)
    ),
    max_leaves=6,
)


@given(TREES, TREES, st.floats(0.1, 1.0))
def test_trees_by_brute_force(s: Any, t: Any, lam: float) -> None:
    for kernel, complete in ((SubsetTree(lam), False), (Subtree(lam), True)):
        expected = brute.tree_kernel(s, t, lam, complete)
        assert kernel(s, t) == pytest.approx(expected, rel=1e-12, abs=0.0)


@st.composite
def graphs(draw: Any) -> Any:
    n = draw(st.integers(1, 6))
    pairs = [(a, b) for a in range(n) for b in range(a)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    nodes = draw(st.lists(st.sampled_from("CO"), min_size=n, max_size=n))
    return {"nodes": nodes, "edges": edges}


@given(graphs(), graphs(), st.integers(0, 3))
def test_graphs_by_brute_force(g: Any, k: Any, h: int) -> None:
    assert WeisfeilerLehman(h)(g, k) == brute.weisfeiler_lehman(g, k, h)


@given(graphs(), st.randoms(use_true_random=False))
def test_the_order_of_nodes_does_not_matter(g: Any, random: Any) -> None:
    order = list(range(len(g["nodes"])))
    random.shuffle(order)
    nodes = [""] * len(order)
    for old, new in enumerate(order):
        nodes[new] = g["nodes"][old]
    other = {"nodes": nodes, "edges": [(order[a], order[b]) for a, b in g["edges"]]}
    kernel = WeisfeilerLehman(h=3)
    assert kernel(g, other) == kernel(g, g) == kernel(other, other)


class Element(enum.StrEnum):
    CARBON = "C"


SIX = np.array([6.0], dtype=np.float32)[0]


@pytest.mark.parametrize(
    ("nodes", "plain"),
    [
        (np.array(["C", "O"]), ["C", "O"]),
        ({"a": np.int64(6), "b": SIX}, {"a": 6, "b": 6}),
        ([np.bool_(True), np.str_("C")], [True, "C"]),
        (np.array([1, 0]), [1, 0]),
        ([Element.CARBON, Element.CARBON], ["C", "C"]),
        (np.int64(2), 2),
    ],
    ids=repr,
)
def test_labels_of_numpy_are_those_of_python(nodes: Any, plain: Any) -> None:
    kernel = WeisfeilerLehman(h=2)
    ends = list(nodes) if isinstance(nodes, dict) else [0, 1]
    own = {"nodes": plain, "edges": [tuple(ends)]}
    for edges in ([tuple(ends)], np.array([ends])):
        theirs = {"nodes": nodes, "edges": edges}
        assert kernel.canonical(theirs) == kernel.canonical(own)
        assert kernel(theirs, own) == kernel(own, own)


# -- positive and symmetric -------------------------------------------------------------------

VECTORS = st.dictionaries(st.sampled_from("abcd"), st.floats(-3.0, 3.0), max_size=4)
KINDS: list[tuple[Kernel, Any]] = [
    (Linear(), VECTORS),
    (Polynomial(3, 0.5, 1.0), VECTORS),
    (RBF(gamma=0.4), VECTORS),
    (Sum(Linear(), RBF(gamma=2.0), weights=[0.5, 2.0]), VECTORS),
    (Product(Polynomial(), RBF(gamma=0.1)), VECTORS),
    (Normalized(Sum(Linear(), Polynomial())), VECTORS),
    (Spectrum(2), TEXT),
    (Subsequence(2, 0.7), TEXT),
    (Normalized(Subsequence(3, 0.5)), TEXT),
    (SubsetTree(0.7), TREES),
    (Subtree(0.7), TREES),
    (WeisfeilerLehman(2), graphs()),
    (Product(Spectrum(1), RBF(gamma=1.0)), st.tuples(TEXT, VECTORS)),
]


@pytest.mark.parametrize(("kernel", "examples"), KINDS, ids=lambda x: repr(x)[:40])
def test_gram_matrices_are_positive(kernel: Kernel, examples: Any) -> None:
    @settings(max_examples=25)
    @given(st.lists(examples, min_size=2, max_size=6))
    def check(xs: list[Any]) -> None:
        gram = np.array([[kernel(a, b) for b in xs] for a in xs])
        np.testing.assert_allclose(gram, gram.T, rtol=1e-12)
        assert np.linalg.eigvalsh(gram).min() >= -1e-8 * max(np.trace(gram), 1e-300)

    check()


# -- parts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [kernel for kernel, _ in KINDS], ids=repr)
def test_kernels_are_values(kernel: Kernel) -> None:
    names = {cls.__name__: cls for cls in Kernel.__subclasses__()}
    import onstream.kernel

    again = eval(repr(kernel), {**names, **vars(onstream.kernel)})
    assert again == kernel
    assert hash(again) == hash(kernel)
    model = KernelPerceptron(kernel=kernel)
    loaded = loads(dumps(model))
    assert loaded.kernel == kernel
    assert loaded.params == model.params


def graph_with_itself(nodes: Any, edges: Any) -> float:
    graph = {"nodes": nodes, "edges": edges}
    return WeisfeilerLehman()(graph, graph)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: RBF(gamma=0.0), "RBF: gamma"),
        (lambda: RBF(gamma=float("nan")), "RBF: gamma"),
        (lambda: Polynomial(degree=0), "Polynomial: degree"),
        (lambda: Polynomial(coef0=-1.0), "Polynomial: coef0"),
        (lambda: Spectrum(p=0), "Spectrum: p"),
        (lambda: Subsequence(lam=1.5), "Subsequence: lam"),
        (lambda: SubsetTree(lam=0.0), "SubsetTree: lam"),
        (lambda: WeisfeilerLehman(h=-1), "WeisfeilerLehman: h"),
        (lambda: Sum(), "Sum: kernels"),
        (lambda: Sum(Linear(), weights=[1, 2]), "Sum: weights"),
        (lambda: Product(Linear(), 3), "Product: kernels"),
        (lambda: Normalized("rbf"), "Normalized: kernel"),
        (lambda: Linear()("text", "text"), "Linear: "),
        (lambda: Linear()({"a": float("inf")}, {}), "Linear: feature 'a'"),
        (lambda: Spectrum()(3.0, "a"), "Spectrum: "),
        (lambda: SubsetTree()("(S (NP", "(S a)"), "SubsetTree: the brackets"),
        (lambda: SubsetTree()("(S ())", "(S a)"), "SubsetTree: the brackets"),
        (lambda: SubsetTree()("(" * 400 + "a" + ")" * 400, "(S a)"), "SubsetTree: a tree may"),
        (lambda: WeisfeilerLehman()({"nodes": 2}, TRIANGLE), "WeisfeilerLehman: a graph must"),
        (
            lambda: WeisfeilerLehman()({"nodes": 2, "edges": [(0, 5)]}, TRIANGLE),
            "WeisfeilerLehman: the edge",
        ),
        *[
            (lambda nodes=nodes, edges=edges: graph_with_itself(nodes, edges), told)
            for nodes, edges, told in (
                (10**12, [], "WeisfeilerLehman: a graph has from 0 to 10,000,000 nodes"),
                (-1, [], "WeisfeilerLehman: a graph has from 0"),
                (2.0, [], "WeisfeilerLehman: the nodes of a graph must be"),
                (True, [], "WeisfeilerLehman: the nodes of a graph must be"),
                (None, [], "WeisfeilerLehman: the nodes of a graph must be"),
                (2, None, "WeisfeilerLehman: the edges of a graph must be"),
                (2, 5, "WeisfeilerLehman: the edges of a graph must be"),
                (2, [5], "WeisfeilerLehman: an edge of a graph must be a pair"),
                (2, [([], 1)], "WeisfeilerLehman: a node or a label of a graph must be"),
                ([{}], [], "WeisfeilerLehman: a node or a label of a graph must be"),
                ({"C", "O"}, [(0, 1)], "WeisfeilerLehman: a set has no order"),
                ([object()], [], "WeisfeilerLehman: the label of a node must be"),
                ({"a": ("C", 1)}, [], "WeisfeilerLehman: the label of a node must be"),
                ({"a": float("nan")}, [], "WeisfeilerLehman: the label of a node must be"),
            )
        ],
        (lambda: Product(Spectrum(), Linear())("abc", "abc"), "Product: expected a tuple"),
    ],
)
def test_mistakes_are_told(make: Any, word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{word}"):
        make()


def test_compiled_rows_are_the_kernel() -> None:
    """The compiled kernel of a learner, over tiles of supports, is the kernel of Python."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5)) * (rng.random((300, 5)) < 0.7)
    for kernel, _ in KINDS[:6]:
        model = KernelPerceptron(kernel=kernel, beta=1e9)  # every example becomes a support
        for n in (*range(1, 41), 127, 128, 129, 160, 255, 256, 257, 300):
            known = model.seen
            model.learn_many(X[known:n], np.where(np.arange(known, n) % 2 == 0, 1, 0))
            x = rng.normal(size=5)
            expected = sum(a * kernel(z, x) for z, a in model.supports)
            assert model.score_one(x) == pytest.approx(expected, rel=1e-11, abs=1e-11)
            sparse = {j: float(v) for j, v in enumerate(x) if j != 2}
            expected = sum(a * kernel(z, sparse) for z, a in model.supports)
            assert model.score_one(sparse) == pytest.approx(expected, rel=1e-11, abs=1e-11)
        assert len(model.supports) == 300


def test_the_vector_exponential() -> None:
    """Within one unit in the last place, over the whole range."""
    x = np.sqrt(np.concatenate([np.linspace(0.0, 3.0, 20_001), np.geomspace(1e-18, 707.9, 20_001)]))
    model = KernelPerceptron(kernel=RBF(gamma=1.0))
    model.learn_one(np.zeros(1), True)
    told = model.score_many(x[:, None])
    exact = np.exp(-(x * x).astype(np.longdouble))
    errors = np.abs(told - exact) / np.spacing(exact.astype(np.float64))
    assert float(errors.max()) <= 1.0
    assert model.score_one([1e3]) == 0.0
    assert model.score_one([0.0]) == 1.0
    assert np.all(np.diff(told[:20_001]) <= 0.0)
    assert np.all(np.diff(told[20_001:]) <= 0.0)


def test_distances_do_not_cancel() -> None:
    """Far from the origin, rows that have every feature are still compared exactly."""
    base = np.full(4, 1e8)
    model = KernelPerceptron(kernel=RBF(gamma=1.0))
    model.learn_one(base, True)
    near = base + np.array([0.25, 0.0, 0.0, 0.5])
    assert model.score_one(near) == pytest.approx(math.exp(-0.3125), rel=1e-15)


def test_tokens_are_not_mixed_up():
    kernel = Spectrum(p=2)
    assert kernel(("a\0b", "c"), ("a", "b\0c")) == 0.0
