"""A table of text and numbers is learned block by block; the same as mappings, bit for bit."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from onstream.bayes import GaussianNB
from onstream.persist import dumps
from onstream.tree import HAT, VFDT

LEARNERS = [VFDT, HAT, GaussianNB]


def columns(n: int, seed: int = 0) -> dict[str, Any]:
    """Text with ever new values, numbers of several types."""
    rng = np.random.default_rng(seed)
    text = [f"value {rng.integers(3 + i // 200)}" for i in range(n)]
    return {
        "number": rng.normal(size=n),
        "text": text,
        "whole": rng.integers(0, 5, n),
        "yes": rng.random(n) < 0.5,
        "other": [t[::-1] if rng.random() < 0.9 else "x" for t in text],
    }


def rows_of(table: dict[str, Any]) -> list[dict[str, Any]]:
    """The same as mappings."""
    plain = {name: np.asarray(c).tolist() for name, c in table.items()}
    return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]


def labels_of(table: dict[str, Any]) -> list[str]:
    return [
        "ab"[t.endswith("1")] if v > 0 else "c"
        for t, v in zip(table["text"], table["number"], strict=True)
    ]


@pytest.mark.parametrize("make", LEARNERS)
@pytest.mark.parametrize("nominal", [None, ["whole"]])
def test_the_same_as_mappings(make: Any, nominal: Any) -> None:
    params = {} if nominal is None or make is GaussianNB else {"nominal": nominal}
    table, model, twin = columns(3000), make(**params), make(**params)
    for start in range(0, 3000, 1500):  # the second time some values are known
        part = {name: column[start : start + 1500] for name, column in table.items()}
        told = model.predict_learn_many(pa.table(part), labels_of(part))
        wanted = []
        for x, y in zip(rows_of(part), labels_of(part), strict=True):
            wanted.append(twin.predict_one(x))
            twin.learn_one(x, y)
        assert list(told) == wanted
        assert dumps(model) == dumps(twin)
    other = columns(500, seed=1)  # values never seen
    there = model.predict_proba_many(pa.table(other))
    assert there.tolist() == twin.predict_proba_many(rows_of(other)).tolist()


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
@pytest.mark.parametrize("make", LEARNERS)
def test_columns_in_another_order_and_unknown_ones(make: Any) -> None:
    table, other = columns(400), columns(400, seed=2)
    model, twin = make(), make()
    model.learn_many(pa.table(table), labels_of(table))
    twin.learn_many(rows_of(table), labels_of(table))
    turned = {name: other[name] for name in ("yes", "text", "number")}
    turned["new"] = ["never seen"] * 400
    there = model.predict_proba_many(pa.table(turned))
    assert there.tolist() == twin.predict_proba_many(rows_of(turned)).tolist()
    model.learn_many(pa.table(turned), labels_of(other))
    twin.learn_many(rows_of(turned), labels_of(other))
    assert dumps(model) == dumps(twin)


def test_chunks_dictionaries_and_gaps() -> None:
    """Columns in pieces, of categories not in use, and with nulls or NaN, which go another way."""
    table = columns(600)
    whole = VFDT()
    whole.learn_many(rows_of(table), labels_of(table))
    pieces = pa.concat_tables([pa.table(table).slice(0, 250), pa.table(table).slice(250)])
    kinds = pa.array(["never", *sorted(set(table["text"]))])
    coded = pa.DictionaryArray.from_arrays(
        pa.array([kinds.to_pylist().index(t) for t in table["text"]]), kinds
    )
    for X in (pieces, pa.table(table).set_column(1, "text", coded)):
        model = VFDT()
        model.learn_many(X, labels_of(table))
        assert dumps(model) == dumps(whole)
    for gap in (None, float("nan")):
        table["number"] = [gap, *table["number"][1:]]
        model, twin = VFDT(), VFDT()
        model.learn_many(pa.table(table), labels_of({**table, "number": np.ones(600)}))
        rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
        del rows[0]["number"]
        twin.learn_many(rows, labels_of({**table, "number": np.ones(600)}))
        assert dumps(model) == dumps(twin)


def test_what_is_infinite_is_refused() -> None:
    table = columns(5)
    table["number"][3] = np.inf
    model = VFDT()
    with pytest.raises(ValueError, match="row 3: feature 'number' is inf"):
        model.learn_many(pa.table(table), labels_of(table))
    assert model.seen == 0
    assert model._model.export()["features"] == []


def test_it_needs_no_memory_of_its_own() -> None:
    """The table as numbers would be 41 * 8 bytes a row; before, 2.5 KB a row were taken."""
    import tracemalloc

    n = 20_000
    table = pa.table(
        {**{str(i): np.arange(n) % (i + 2) for i in range(40)}, "text": ["a", "b"] * (n // 2)}
    )
    y = np.arange(n) % 2
    VFDT().learn_many(table.slice(0, 10), y[:10])
    tracemalloc.start()
    try:
        VFDT().learn_many(table, y)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
