"""Nominal features with very many values: a node keeps those that came to it."""

from typing import Any

import numpy as np
import pytest

from onstream.persist import dumps, loads
from onstream.tree import CVFDT, HAT, VFDT, ExtremelyFastDecisionTree, HoeffdingTreeRegressor
from onstream.tree.arena import reading

TREES = [VFDT, HAT, ExtremelyFastDecisionTree, CVFDT]
OPTIONS = {"grace_period": 50, "delta": 0.1, "tau": 0.3}


def ids(n: int, values: int, seed: int = 0) -> tuple[list[dict[str, Any]], list[int]]:
    """A cut that matters, and an id of very many values."""
    rng = np.random.default_rng(seed)
    rows = [
        {"z": float(z), "id": f"id {i}", "kind": f"kind {i % 5}"}
        for z, i in zip(rng.normal(size=n), rng.integers(0, values, n).tolist(), strict=True)
    ]
    return rows, [int((x["z"] > 0) ^ (x["kind"] == "kind 1")) for x in rows]


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let even few values be written one by one."""
    monkeypatch.setattr(reading, "SMALL", -(10**9))


def test_many_empty_cells_are_not_written() -> None:
    rows, y = ids(3000, 2500)
    model = VFDT(**OPTIONS, nominal_split="branches")
    model.learn_many(rows, y)
    fields = model._snapshot()
    assert "table_values" not in fields
    assert len(fields["value_weights"]) < 0.3 * len(fields["tables"]) * len(fields["values"])


def test_a_leaf_holds_only_the_values_that_came_to_it() -> None:
    rows, y = ids(6000, 4000)
    model = VFDT(**OPTIONS, nominal_split="branches")
    model.learn_many([{**x, "id": "one"} for x in rows[:2000]], y[:2000])
    assert model.n_leaves > 5
    before, leaves = model.memory_bytes, model.n_leaves
    here = max(range(2000), key=lambda i: rows[i]["z"])
    x = {**rows[here], "id": ""}
    for i in range(2000):  # all to one leaf, which is not the place for a test of new values
        model.learn_one({**x, "id": f"id {i}"}, y[here])
    assert model.n_leaves == leaves
    names = 2000 * 200  # what the encoder keeps of each value, at most
    assert model.memory_bytes - before < names + 2000 * 40
    assert model.memory_bytes - before < names + leaves * 2000 * 8


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize("make", TREES)
@pytest.mark.parametrize("split", ["binary", "branches"])
def test_files_hold_the_values_of_each_table(make: Any, split: str) -> None:
    """After loading, learning goes on bit for bit."""
    rows, y = ids(3000, 2500)
    options = {**OPTIONS, "window": 2000} if make is CVFDT else OPTIONS
    model = make(**options, nominal_split=split)
    model.learn_many(rows[:2500], y[:2500])
    fields = model._snapshot()
    assert "table_values" not in fields
    twin = loads(dumps(model))
    assert dumps(twin) == dumps(model)
    assert twin.predict_many(rows[2500:]).tolist() == model.predict_many(rows[2500:]).tolist()
    model.learn_many(rows[2500:], y[2500:])
    for x, label in zip(rows[2500:], y[2500:], strict=True):
        twin.learn_one(x, label)
    assert dumps(twin) == dumps(model)


@pytest.mark.usefixtures("listed")
def test_a_matrix_and_a_list_of_values_are_the_same_tree() -> None:
    rows, y = ids(1500, 1200)
    model = VFDT(**OPTIONS)
    model.learn_many(rows, y)
    fields = model._snapshot()
    matrix = np.zeros((len(fields["tables"]), len(fields["values"])))
    table = np.repeat(np.arange(len(matrix)), fields["table_sizes"])
    matrix[table, fields["value_numbers"]] = fields["value_weights"]
    old = {k: v for k, v in fields.items() if k not in ("table_sizes", "value_numbers")}
    del old["value_weights"]
    twin = VFDT(**OPTIONS)
    twin._restore({**old, "table_values": matrix})
    assert dumps(twin) == dumps(model)


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("value_numbers", lambda v: v[::-1].copy()),
        ("value_weights", lambda v: -v),
        ("table_sizes", lambda v: v + 1),
    ],
)
def test_broken_files_are_refused(field: str, change: Any) -> None:
    rows, y = ids(1500, 1200)
    model = VFDT(**OPTIONS)
    model.learn_many(rows, y)
    fields = model._snapshot()
    with pytest.raises(ValueError):
        VFDT(**OPTIONS)._restore({**fields, field: change(fields[field])})


MIXED = {
    VFDT: {"max_bytes": 15_000},  # leaves drop features, and with them their values
    HAT: {},
    ExtremelyFastDecisionTree: {"reevaluate": 50, "seed_children": True},
    CVFDT: {"window": 300, "check_every": 100, "test_every": 50, "test_length": 20},
    HoeffdingTreeRegressor: {"seed_children": True},
}


def mixed(n: int, values: int, rng: Any) -> tuple[list[dict[str, Any]], list[int]]:
    """Numbers and text with gaps, and now and then a new feature."""
    rows: list[dict[str, Any]] = []
    for _ in range(n):
        x: dict[str, Any] = {f"n{f}": float(rng.normal()) for f in range(4) if rng.random() < 0.8}
        x |= {f"t{f}": f"v{rng.integers(values)}" for f in range(4) if rng.random() < 0.8}
        rows.append(x | ({f"new{rng.integers(20)}": 1.0} if rng.random() < 0.02 else {}))
    told = [(x.get("n0", 0.0) > 0, x.get("t0") == "v1", x.get("t1") == "v2") for x in rows]
    return rows, [int(a ^ b) + int(c) for a, b, c in told]


@pytest.mark.parametrize("make", MIXED)
@pytest.mark.parametrize("split", ["binary", "branches"])
@pytest.mark.parametrize("values", [3, 500])
def test_blocks_loops_and_files_are_one_tree(make: Any, split: str, values: int) -> None:
    rng = np.random.default_rng(values)
    options = {"grace_period": 20, "delta": 0.3, "tau": 0.3, "nominal_split": split, **MIXED[make]}
    block, loop = make(**options), make(**options)
    for _ in range(4):
        rows, y = mixed(300, values, rng)
        block.learn_many(rows, y)
        for x, target in zip(rows, y, strict=True):
            loop.learn_one(x, target)
        assert dumps(block) == dumps(loop)
        loop = loads(dumps(loop))
    assert block.n_nodes > 1
    if make is VFDT:
        assert block.memory_bytes < 1.1 * 15_000
