"""Small files that stand for much memory, for numbers that cannot be, or for very deep trees."""

import json
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest

from onstream import LogisticRegression
from onstream.drift import ADWIN, KSWIN, kswin
from onstream.features import FeatureHasher, Select, StandardScaler, _structure
from onstream.kernel import KernelPerceptron, Spectrum, Subsequence, SubsetTree, WeisfeilerLehman
from onstream.persist import dumps, format, load_notes, loads, save
from onstream.persist.format import ModelFileError
from onstream.stats import CountMin, Mean, Variance
from onstream.tree import (
    ExtremelyFastDecisionTree,
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
)

from .forge import Parts, put_together, seal, take_apart, tensor

LITTLE = 20 * 2**20  # bytes
X = np.random.default_rng(0).random((300, 2))
Y = (X[:, 0] * 3).astype(int)
QUICK = {"grace_period": 10, "delta": 0.3, "tau": 0.5}


def refused_cheaply(data: bytes) -> str:
    """What is said of a file; to say it takes little memory."""
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError) as told:
            loads(data)
        assert tracemalloc.get_traced_memory()[1] < LITTLE
    finally:
        tracemalloc.stop()
    assert len(str(told.value)) < 500
    return str(told.value)


def with_object(kernel: Any, x: Any, text: str) -> bytes:
    """A learner whose one support is this text."""
    model = KernelPerceptron(kernel=kernel)
    model.learn_one(x, "a")
    parts = take_apart(dumps(model))
    parts.tensors["supports/objects.bytes"] = tensor(list(text.encode()), "U8")
    parts.tensors["supports/objects.offsets"] = tensor([0, len(text.encode())], "I64")
    return put_together(parts)


GRAPH = {"nodes": ["C"], "edges": []}


@pytest.mark.parametrize(
    ("kernel", "x", "text"),
    [
        (WeisfeilerLehman(2), GRAPH, '{"nodes":1000000000,"edges":[]}'),
        (WeisfeilerLehman(2), GRAPH, '{"nodes":{"a":"C"},"edges":[]}'),
        (Spectrum(2), "abc", "[" * 100_000),
        (Spectrum(2), "abc", "[" * 900 + "]" * 900),
        (SubsetTree(), "(S a)", '["S",' * 400 + '"a"' + "]" * 400),
        (Spectrum(2), "abc", '["a","b"]'),  # stored as "ab"
        (Spectrum(2), "abc", "3"),
    ],
)
def test_objects_are_as_they_are_stored(kernel: Any, x: Any, text: str) -> None:
    refused_cheaply(with_object(kernel, x, text))


def test_long_subsequences_of_short_strings_cost_nothing() -> None:
    kernel = Subsequence(10_000)
    assert kernel("a" * 300, "a" * 300) == 0.0
    assert Subsequence(3)("ab", "abc") == 0.0


def with_numbers(model: Any, **numbers: Any) -> bytes:
    parts = take_apart(dumps(model))
    return put_together(
        Parts({**parts.header, "numbers": {**parts.header["numbers"], **numbers}}, parts.tensors)
    )


def test_many_columns_are_chosen_from_at_once() -> None:
    model = loads(with_numbers(Select(7, "b"), implicit=30_000_000))
    assert model.transform_one({7: 1.0, 8: 2.0}) == {7: 1.0}


UNIONS = [
    StandardScaler() + Select("a"),
    (StandardScaler() + Select("a")) | LogisticRegression(),
    Select("a") + FeatureHasher(hash_bits=4),
]


@pytest.mark.parametrize("model", UNIONS, ids=repr)
def test_a_union_of_many_columns_must_be_in_the_file(model: Any) -> None:
    assert "features" in refused_cheaply(with_numbers(model, implicit=30_000_000))
    parts = take_apart(dumps(Select("a") + FeatureHasher(hash_bits=3)))
    text = json.dumps(parts.header).replace('"hash_bits": 3', '"hash_bits": 30')
    refused_cheaply(put_together(Parts(json.loads(text), parts.tensors)))


def test_a_large_union_is_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (_structure, format):
        monkeypatch.setattr(module, "FEW", 20)
    model = Select("a") + FeatureHasher(hash_bits=5)
    model.learn_one({"a": 1.0})
    data = dumps(model)
    assert dumps(loads(data)) == data
    parts = take_apart(data)
    parts.tensors["order"] = tensor(np.zeros(33), "I64")
    assert "another order" in refused_cheaply(put_together(parts))
    del parts.tensors["order"]
    refused_cheaply(put_together(parts))


def test_parameters_alone_take_no_memory() -> None:
    parts = take_apart(dumps(CountMin()))
    for filled in (False, True):
        sketch = CountMin()
        sketch.update_many(range(10 * filled))
        parts = take_apart(dumps(sketch))
        parts.header["params"]["epsilon"] = 1e-9
        if filled:
            refused_cheaply(put_together(parts))
        else:
            loads(put_together(parts))  # it takes its memory with the first item
    assert KSWIN(stat_size=100_000, window=200_000).params["window"] == 200_000


def test_the_place_of_a_change_is_that_of_the_exact_test() -> None:
    for r in (3, 30, 100, 300):
        for alpha in (0.5, 0.05, 0.005, 1e-4, 1e-9):
            assert kswin.about_critical(r, alpha) == kswin.critical(r, alpha)


def test_notes_that_are_nested_without_end(tmp_path: Any) -> None:
    path = tmp_path / "model"
    save(Mean(), path, notes={"a": "here"})
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    head = json.loads(data[8 : 8 + size])
    head["__metadata__"]["notes"] = '{"a":' + "[" * 50_000
    written = json.dumps(head, separators=(",", ":")).encode()
    path.write_bytes(seal(len(written).to_bytes(8, "little") + written + data[8 + size :]))
    with pytest.raises(ModelFileError, match="notes"):
        load_notes(path)


# -- deep trees -----------------------------------------------------------------------------------

DEEP = 20_000


def chain(model: Any, feature: int = 0, active: int = 0) -> bytes:
    """A tree of very many levels: the right child of each node has children."""
    model.learn_many(X, Y > 0)
    parts = take_apart(dumps(model))
    nodes = np.empty((2 * DEEP + 1, 5), dtype=np.int64)
    nodes[0::2], nodes[1::2] = [feature, 2, -1, active, 0], [-1, 0, -1, active, 0]
    nodes[-1] = [-1, 0, -1, active, 0]
    numbers = np.zeros((len(nodes), 9))
    numbers[:, 0] = 10.0 + np.arange(len(nodes))
    numbers[:, 1:3] = [1.0, 2.0]
    old = {name: parts.tensors[name].array for name in ("table_numbers", "table_values")}
    parts.tensors.update(
        nodes=tensor(nodes, "I64"),
        node_numbers=tensor(numbers),
        node_counts=tensor(np.ones((len(nodes), 2))),
        tables=tensor(np.zeros((0, 2)), "I64"),
        table_numbers=tensor(old["table_numbers"][:0]),
        table_values=tensor(old["table_values"][:0]),
    )
    if "merits" in parts.tensors:
        parts.tensors["merits"] = tensor(np.zeros((len(nodes), 3)))
    return put_together(parts)


def on_a_small_stack(work: Any) -> None:
    """Where recursion would soon come to an end."""
    done = []
    before = threading.stack_size(2**18)
    try:
        thread = threading.Thread(target=lambda: done.append(work()))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert done


def test_memory_is_rationed_in_deep_trees() -> None:
    model = loads(chain(HoeffdingTreeClassifier(**QUICK, max_bytes=20_000)))
    assert model.depth == DEEP
    on_a_small_stack(lambda: model.learn_one(np.array([1e9, 0.5]), True))
    assert model.predict_one(np.array([1e9, 0.5])) in (True, False)


def test_a_deep_tree_is_cut_down() -> None:
    """The root asks of a feature that says nothing; another one says all."""
    model = loads(chain(ExtremelyFastDecisionTree(**QUICK, reevaluate=20), feature=1, active=1))
    assert model.depth == DEEP
    on_a_small_stack(lambda: model.learn_many(X, Y > 0))
    assert model.depth < 100


# -- numbers that cannot be -----------------------------------------------------------------------


def test_shares_of_labels_add_up() -> None:
    model = HoeffdingTreeClassifier(**QUICK, leaf_prediction="mc")
    model.learn_many(X, Y)
    parts = take_apart(dumps(model))
    counts = parts.tensors["node_counts"].array.copy()
    counts[:, 0] *= 5.0
    parts.tensors["node_counts"] = tensor(counts)
    shares = loads(put_together(parts)).predict_proba_one(X[0])
    assert sum(shares.values()) == pytest.approx(1.0)
    parts.tensors["node_counts"] = tensor(0.0 * counts)  # room that was never used is not written
    with pytest.raises(ModelFileError, match="that no node knows"):
        loads(put_together(parts))


def test_spreads_of_any_size_give_scores() -> None:
    model = HoeffdingAdaptiveTreeClassifier(**QUICK, leaf_prediction="nb")
    model.learn_many(X, Y)
    parts = take_apart(dumps(model))
    numbers = parts.tensors["table_numbers"].array
    for seed in range(60):
        rng = np.random.default_rng(seed)
        other = numbers.copy()
        sizes = [1e300, -1e300, 1e-300, 5e-324, 1e154, -1e154]
        other.reshape(-1)[rng.integers(other.size)] = rng.choice(sizes)
        parts.tensors["table_numbers"] = tensor(other)
        try:
            model = loads(put_together(parts))
        except ModelFileError:
            continue
        assert np.isfinite(model.score_many(X)).all()


def test_windows_and_moments_that_cannot_be() -> None:
    window = ADWIN()
    window.update_many(X[:200, 0])
    parts = take_apart(dumps(window))
    for bad in (1e300, 1e120, 5.0):
        buckets = parts.tensors["buckets"].array.copy()
        buckets[0, 0] = [bad, bad]
        changed = {**parts.tensors, "buckets": tensor(buckets)}
        with pytest.raises(ModelFileError, match="bucket"):
            loads(put_together(Parts(parts.header, changed)))
    variance = Variance()
    variance.update_many(X[:7, 0])
    for name, bad in (("mean", 1e200), ("m2", 1e300), ("low", 1e101), ("n", 1e299), ("n", 0.0)):
        with pytest.raises(ModelFileError):
            loads(with_numbers(variance, **{name: bad}))


def test_alternates_of_alternates_without_end() -> None:
    model = HoeffdingAdaptiveTreeClassifier(**QUICK)
    model.learn_many(X[:5], Y[:5])
    parts = take_apart(dumps(model))
    n = 3000
    tensors = dict(parts.tensors)
    for name in ("nodes", "node_numbers", "node_counts", "windows", "window_sums"):
        array = parts.tensors[name].array[:1]
        tensors[name] = tensor(np.repeat(array, n, axis=0), parts.tensors[name].dtype)
    for name in ("window_counts", "window_buckets"):
        array = parts.tensors[name].array
        tensors[name] = tensor(np.concatenate([array] * n))
    tensors["alternate_of"] = tensor(np.arange(n - 1), "I64")
    assert "levels deep" in refused_cheaply(put_together(Parts(parts.header, tensors)))
