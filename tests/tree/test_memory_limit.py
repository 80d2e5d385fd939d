"""`max_bytes` is kept, by the allocator's own figure, and accuracy goes down gently."""

import gc
import tracemalloc
from typing import Any

import numpy as np
import pytest

from onstream.persist import dumps, loads
from onstream.tree import VFDT


def boxes(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A board of 8 x 8 fields in six colours, and eight features of noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 10))
    colours = rng.integers(0, 6, (8, 8))
    return X, colours[(8 * X[:, 0]).astype(int), (8 * X[:, 1]).astype(int)]


X, Y = boxes(40_000)
NOISE = {f"noise {i}": 1.0 for i in range(20)}


def run(limit: int | None) -> tuple[Any, float, int]:
    """Model, prequential accuracy, most bytes held at the end of any block."""
    gc.collect()
    tracemalloc.start()
    try:
        before, most = tracemalloc.get_traced_memory()[0], 0
        model = VFDT(max_bytes=limit, delta=0.3, grace_period=25, tau=0.2)
        hits = 0
        for start in range(0, len(Y), 500):
            told = model.predict_learn_many(X[start : start + 500], Y[start : start + 500])
            hits += sum(a == b for a, b in zip(told, Y[start : start + 500], strict=True))
            del told
            most = max(most, tracemalloc.get_traced_memory()[0] - before)
        return model, hits / len(Y), most
    finally:
        tracemalloc.stop()


def test_the_limit_is_kept() -> None:
    run(30_000)  # imports and caches of Python are not the model's
    free, accuracy, most = run(None)
    assert free.memory_bytes == pytest.approx(most, rel=0.1)
    assert most > 100_000
    reached = []
    for share in (0.6, 0.3, 0.15):
        limit = int(share * most)
        model, accuracy_then, held = run(limit)
        assert held <= 1.1 * limit
        assert model.memory_bytes <= 1.1 * limit
        assert model.memory_bytes > 0.5 * limit
        told = model._outline()["nodes"]
        leaves = told[told[:, 0] < 0]
        assert leaves[:, 3].sum() < len(leaves)
        reached.append(accuracy_then)
    assert reached[0] > accuracy - 0.1  # gently
    assert reached[2] > 0.25
    assert accuracy >= reached[0] >= reached[1] >= reached[2]


def test_the_least_promising_go_first() -> None:
    model, _, _ = run(150_000)
    told = model._outline()
    leaf = told["nodes"][:, 0] < 0
    active = told["nodes"][:, 3] == 1
    counts = told["node_counts"]
    promise = counts.sum(axis=1) - counts.max(axis=1)
    assert promise[leaf & active].mean() > promise[leaf & ~active].mean()


def test_a_leaf_comes_back_when_its_promise_rises() -> None:
    """Six leaves, room for about two. The other three become the ones that err."""
    rng = np.random.default_rng(1)
    where = rng.integers(0, 6, 40_000)
    rows = [{"where": f"leaf {i}", **NOISE} for i in range(6)]
    model = VFDT(max_bytes=24_000, leaf_prediction="mc", nominal_split="branches")

    def labels(mixed: set[int], n: slice) -> list[int]:
        told = np.where(np.isin(where[n], list(mixed)), rng.integers(0, 6, len(where[n])), where[n])
        return [int(y) for y in told]

    def active() -> set[int]:
        told = model._outline()["nodes"]
        assert len(told) == 7
        return {int(code) for code in told[1:][told[1:, 3] == 1][:, 2]}

    def learn(mixed: set[int], n: slice) -> None:
        model.learn_many([rows[i] for i in where[n]], labels(mixed, n))

    learn(set(), slice(0, 400))  # a question is asked
    codes = [int(v.split()[1]) for v in model._model.export()["nominal_values"]]
    first, second = set(codes[:3]), set(codes[3:])
    learn(first, slice(400, 10_400))
    assert active() <= {codes.index(i) for i in first}
    assert active()
    learn(second, slice(10_400, 40_000))
    assert active() <= {codes.index(i) for i in second}
    assert active()
    told = model._outline()
    back = told["nodes"][:, 3] == 1
    assert (told["node_numbers"][back, 8] > 0).all()  # what came while they had no tables


def test_it_goes_on_alike_after_a_file() -> None:
    model = VFDT(max_bytes=60_000, delta=0.3, grace_period=25, tau=0.2)
    model.learn_many(X[:15_000], Y[:15_000])
    twin = loads(dumps(model))
    for other in (model, twin):
        other.learn_many(X[15_000:], Y[15_000:])
    assert dumps(twin) == dumps(model)


def test_one_by_one_is_the_same() -> None:
    block, loop = (VFDT(max_bytes=30_000, delta=0.3, grace_period=25, tau=0.2) for _ in range(2))
    block.learn_many(X[:4000], Y[:4000])
    for x, y in zip(X[:4000], Y[:4000], strict=True):
        loop.learn_one(x, y)
    assert dumps(block) == dumps(loop)


def many_labels(n: int) -> list[tuple[dict[str, float], str]]:
    """Ever more labels, each known by `b`."""
    return [({"a": i % 97 / 97, "b": float(i % 700)}, f"label {i % 700}") for i in range(n)]


def attempt(model: Any, x: Any, y: Any) -> str:
    """Learn it; or why not."""
    try:
        model.learn_one(x, y)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("limit", [15_000, 60_000])
def test_labels_that_the_limit_has_no_room_for_are_refused(limit: int) -> None:
    model = VFDT(max_bytes=limit, grace_period=20, delta=0.5, tau=0.5)
    full = 0
    for x, y in many_labels(3_000):
        before = dumps(model) if full < 20 else b""
        refused = attempt(model, x, y)
        if refused:
            number = f"label {y!r} would be number {len(model.labels) + 1}, "
            assert refused.startswith(f"HoeffdingTreeClassifier: {number}")
            assert f"max_bytes={limit:,} has no room for" in refused
            full += 1
            if full < 20:
                assert dumps(model) == before
        assert model.memory_bytes <= 1.1 * limit
    assert full > 100
    assert len(model.labels) > 20
    assert model.predict_one({"a": 0.5, "b": 7.0}) in model.labels
    again = loads(dumps(model))
    with pytest.raises(ValueError, match="max_bytes"):
        again.learn_one({"a": 0.5}, "one more")


def test_blocks_and_declared_labels_that_the_limit_has_no_room_for() -> None:
    rows, labels = map(list, zip(*many_labels(700), strict=True))
    model = VFDT(max_bytes=15_000)
    before = dumps(model)
    with pytest.raises(ValueError, match=r"^HoeffdingTreeClassifier: with 700 labels .* max_bytes"):
        model.learn_many(rows, labels)
    assert dumps(model) == before
    with pytest.raises(ValueError, match=r"^HoeffdingTreeClassifier: with 700 labels .* max_bytes"):
        VFDT(max_bytes=15_000, labels=sorted(set(labels)))


def test_a_block_in_which_the_tree_grows_until_there_is_no_room_for_a_label() -> None:
    """It fits when the block begins, but nodes that come first need the memory, too."""
    block, loop = (VFDT(max_bytes=12_000, grace_period=20, delta=0.9, tau=0.9) for _ in range(2))
    X = np.random.default_rng(0).random((2_000, 2))
    y = [int(8 * x[0]) % 2 for x in X] + list(range(2, 26))
    X = np.vstack([X, X[:24]])
    with pytest.raises(ValueError, match=r"row 20\d\d: label \d+ would .* rows before it were"):
        block.learn_many(X, y)
    refused = (attempt(loop, x, label) for x, label in zip(X, y, strict=True))
    assert "HoeffdingTreeClassifier: label" in next(told for told in refused if told)
    assert dumps(block) == dumps(loop)
