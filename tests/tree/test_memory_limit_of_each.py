"""`max_bytes` of the trees besides VFDT: kept whatever comes, alike after files, one by one and in
blocks, and the trees still learn and adapt."""

import gc
import tracemalloc
from typing import Any

import numpy as np
import pytest

from onstream.persist import dumps, loads
from onstream.tree import CVFDT, EFDT, HAT, HoeffdingTreeRegressor

from ..allocated import traced
from .test_memory_limit import attempt, boxes
from .test_memory_of_names import STREAMS

pytestmark = [
    pytest.mark.usefixtures("young_objects_only"),
    pytest.mark.filterwarnings("ignore::onstream.base.DataWarning"),
]

EAGER: dict[str, Any] = {"delta": 0.3, "grace_period": 25, "tau": 0.2}
SHORT_WINDOW = {"window": 600, "check_every": 100, "test_every": 60, "test_length": 30}
MAKERS: dict[str, Any] = {
    "HAT": lambda limit: HAT(max_bytes=limit, **EAGER),
    "EFDT": lambda limit: EFDT(max_bytes=limit, reevaluate=100, **EAGER),
    "CVFDT": lambda limit: CVFDT(max_bytes=limit, **SHORT_WINDOW, **EAGER),
    "regressor": lambda limit: HoeffdingTreeRegressor(max_bytes=limit, **EAGER),
    "ebst": lambda limit: HoeffdingTreeRegressor(max_bytes=limit, observer="ebst", **EAGER),
}
X, Y = boxes(8_000)
STEPS = np.floor(8 * X[:, 0]) * np.floor(8 * X[:, 1])  # a board for regression


def target(name: str, y: Any) -> Any:
    """Colours are numbers for a regressor."""
    return np.asarray(y, dtype=float).tolist() if name in ("regressor", "ebst") else y


def held(name: str, limit: int, stream: str) -> tuple[int, int]:
    """Bytes that the allocator gets back when a model goes; and the most that it said it had."""
    make, n = STREAMS[stream]
    tracemalloc.start()
    try:
        model, most = MAKERS[name](limit), 0
        for x, y in make(n // 2):
            model.learn_one(x, target(name, y))
            if model.seen % 60 == 0:
                most = max(most, model.memory_bytes)
        del x
        before = traced()
        del model
        return before - traced(), most
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("limit", [30_000, 100_000])
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("name", MAKERS)
def test_the_limit_is_kept_whatever_comes(name: str, stream: str, limit: int) -> None:
    held(name, limit, stream)  # caches of Python are not the model's
    freed, most = held(name, limit, stream)
    assert max(freed, most) <= 1.1 * limit
    assert freed > 0.3 * limit


def run(name: str, limit: int | None) -> tuple[Any, float]:
    """The model, and its share of the free one's job: accuracy, or minus the squared error."""
    model = MAKERS[name](limit)
    if name in ("regressor", "ebst"):
        return model, -float(np.mean((model.predict_learn_many(X, STEPS) - STEPS) ** 2))
    told = np.asarray(model.predict_learn_many(X, Y))
    return model, float(np.mean(told == Y))


@pytest.mark.parametrize("name", MAKERS)
def test_more_memory_more_right(name: str) -> None:
    free, best = run(name, None)
    reached = []
    for limit in (20_000, 80_000):
        model, right = run(name, limit)
        assert model.memory_bytes <= 1.1 * limit < free.memory_bytes
        reached.append(right)
    assert reached[0] < reached[1] <= best + 0.02
    if name not in ("regressor", "ebst"):
        assert reached[1] > 0.3  # six colours


@pytest.mark.parametrize("stream", ["both", "branches"])
@pytest.mark.parametrize("name", MAKERS)
def test_blocks_and_files_make_no_difference(name: str, stream: str) -> None:
    make, n = STREAMS[stream]
    rows, labels = map(list, zip(*make(n // 2), strict=True))
    labels = list(target(name, labels))
    loop, block = (MAKERS[name](40_000) for _ in range(2))
    told: list[Any] = []
    for i, (x, y) in enumerate(zip(rows, labels, strict=True)):
        told.append(loop.predict_one(x))
        loop.learn_one(x, y)
        if i % 500 == 250:
            loop = loads(dumps(loop))
    assert list(block.predict_learn_many(rows, labels)) == told
    assert dumps(block) == dumps(loop)


@pytest.mark.parametrize("name", MAKERS)
def test_arrays_go_on_alike_after_a_file(name: str) -> None:
    model = MAKERS[name](50_000)
    model.learn_many(X[:4000], target(name, Y[:4000]))
    twin = loads(dumps(model))
    for other in (model, twin):
        other.learn_many(X[4000:], target(name, Y[4000:]))
    assert dumps(twin) == dumps(model)


@pytest.mark.parametrize("name", MAKERS)
def test_nothing_changes_where_there_is_room(name: str) -> None:
    """A limit that is far away changes no answer (HAT's windows are shorter: it differs)."""
    if name == "HAT":
        free, roomy = (HAT(max_bytes=limit, drift_delta=1e-9, **EAGER) for limit in (None, 10**8))
    else:
        free, roomy = (MAKERS[name](limit) for limit in (None, 10**8))
    told = [m.predict_learn_many(X, target(name, Y)) for m in (free, roomy)]
    assert list(told[0]) == list(told[1])


@pytest.mark.parametrize("name", ["HAT", "CVFDT"])
def test_a_tree_that_is_full_still_adapts(name: str) -> None:
    """The nodes' part is full; then the colours are others."""
    if name == "HAT":
        model: Any = HAT(max_bytes=40_000, **EAGER)
    else:
        model = CVFDT(max_bytes=80_000, **EAGER, **{**SHORT_WINDOW, "window": 300})
    x = np.random.default_rng(0).random((24_000, 3))
    y = (4 * x[:, 0]).astype(int) % 2 + 2 * (x[:, 1] > 0.5)
    y[12_000:] = (y[12_000:] + 1) % 4
    told = np.asarray(model.predict_learn_many(x, y))
    right = told == y
    assert model.memory_bytes <= 1.1 * model.max_bytes
    assert model.n_switches > 0
    assert right[20_000:].mean() > 0.75


@pytest.mark.parametrize("name", ["HAT", "EFDT", "CVFDT"])
def test_labels_that_the_limit_has_no_room_for_are_refused(name: str) -> None:
    model = MAKERS[name](20_000)
    refused = 0
    for i in range(600):
        before = dumps(model) if refused < 3 else b""
        told = attempt(model, {"a": i % 97 / 97, "b": float(i)}, f"label {i}")
        if told:
            refused += 1
            assert "max_bytes=20,000 has no room for" in told
            assert not before or dumps(model) == before
        assert model.memory_bytes <= 22_000
    assert refused > 100
    kind = type(model)
    with pytest.raises(ValueError, match="with 700 labels the tree would not keep"):
        kind(max_bytes=20_000, labels=[f"label {i}" for i in range(700)])


@pytest.mark.parametrize("kind", [HAT, EFDT, CVFDT, HoeffdingTreeRegressor])
def test_too_little_is_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match="max_bytes must be"):
        kind(max_bytes=9_999)
    gc.collect()
