"""The features: what becomes of an example, whatever was read before it."""

import random
from collections import Counter, UserDict
from typing import Any

import numpy as np
import pandas as pd
import pytest

from onstream import PAClassifier
from onstream.persist import dumps

from .probe import probe, read, read_rows


def test_mappings() -> None:
    assert read({"a": 1.5, "b": True, "c": 3, "d": None, "e": "x", 7: -2.0}) == {
        "a": 1.5,
        "b": 1.0,
        "c": 3.0,
        "e=x": 1.0,
        7: -2.0,
    }
    assert read({}) == {}
    assert read(Counter("aab")) == {"a": 2.0, "b": 1.0}
    assert read(UserDict({"a": 1.0})) == {"a": 1.0}


def test_arrays() -> None:
    assert read(np.array([1.0, 0.0, -2.0])) == {0: 1.0, 1: 0.0, 2: -2.0}
    assert read([1, True, 2.5]) == {0: 1.0, 1: 1.0, 2: 2.5}
    assert read((1.0,)) == {0: 1.0}
    assert read(np.arange(6.0)[::2]) == {0: 0.0, 1: 2.0, 2: 4.0}
    assert read(np.array([1, 2], dtype=object)) == {0: 1.0, 1: 2.0}


def test_the_first_name_of_a_feature_is_kept() -> None:
    model = probe()
    model.learn_one({"3": 1.0, 4: 1.0}, 1.0)
    model.learn_one({3: 1.0, "4": 1.0, 5: 1.0}, 1.0)
    model.learn_one({"5": 1.0}, 1.0)
    assert list(model.weights) == ["3", 4, 5]


def test_columns_and_names_meet() -> None:
    model = probe()
    model.learn_one({"1": 1.0, "x": 1.0}, 1.0)
    model.learn_one(np.array([0.0, 1.0, 2.0]), 1.0)
    assert list(model.weights) == ["1", "x", 0, 2]
    model = probe()
    model.learn_one(np.ones(3), 1.0)
    model.learn_one({"2": 1.0, 3: 1.0, "4": 1.0}, 1.0)
    assert list(model.weights) == [0, 1, 2, 3, "4"]


def reference(x: dict[Any, Any]) -> dict[str, float]:
    """What a mapping means, by definition."""
    found: dict[str, float] = {}
    for name, value in x.items():
        if value is None:
            continue
        key, number = (
            (f"{name}={value}", 1.0) if isinstance(value, str) else (str(name), float(value))
        )
        found[key] = found.get(key, 0.0) + number
    return found


def random_row(rng: random.Random, keys: list[Any]) -> dict[Any, Any]:
    """Mostly the same keys in the same order, as readers deliver them; sometimes not."""
    chosen = list(keys)
    if rng.random() < 0.4:
        chosen = rng.sample(keys, rng.randrange(len(keys) + 1))
    row: dict[Any, Any] = {}
    for key in chosen:
        if isinstance(key, str) and rng.random() < 0.5:
            key = "".join(key)  # an equal key, but another object
        row[key] = rng.choice([1.0, 2.5, -1, True, None, "u", "v", rng.random()])
    return row


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")  # text after numbers
@pytest.mark.parametrize("bits", [None, 2, 5, 8])
def test_any_sequence_of_rows(bits: int | None) -> None:
    """Remembering the keys of the row before must never show.

    A new model reads each row without any memory; both then learn the same step from zero.
    """
    rng = random.Random(bits or 0)
    keys: list[Any] = ["a", "b", "c", "dd", 0, 1, "1", "2", 2, 3, "a=u", "longer name"]
    keys += ["de", "d\u00e9", "d\u65e5", "12", 12, ""]
    asked = probe(hash_bits=bits, normalized=True)
    asked.learn_one(dict.fromkeys(keys, 1.0), 0.0)  # knows all features; weights stay 0
    for key in keys:
        asked.learn_one({key: "u"}, 0.0)
        asked.learn_one({key: "v"}, 0.0)
    known = list(asked.weights)
    for _ in range(400):
        x = random_row(rng, keys)
        if rng.random() < 0.5:
            asked.predict_one(random_row(rng, keys))
        before = asked.weights
        target = rng.random()
        prediction = asked.predict_one(x)
        fresh = read_once(x, bits)
        asked.learn_one(x, target)
        norm = 1.0 + sum(v * v for v in fresh.values())
        step = (target - prediction) / norm
        after = asked.weights
        for name in set(known) | set(after):
            value = fresh.get(name if bits is not None else str(name), 0.0)
            expected = before.get(name, 0.0) + step * value
            assert after.get(name, 0.0) == pytest.approx(expected, abs=1e-12)


def read_once(x: dict[Any, Any], bits: int | None) -> dict[Any, float]:
    if bits is None:
        return reference(x)
    from .test_hashing import slot_and_sign

    found: dict[int, float] = {}
    for name, value in reference(x).items():
        slot, sign = slot_and_sign(name, bits)
        found[slot] = found.get(slot, 0.0) + sign * value
    return found


def test_keys_that_die_are_not_confused_with_new_ones() -> None:
    """A new string may get the address of a dead one; the features must hold on to its keys."""
    model = probe()
    model.learn_one({f"name {i}": 1.0 for i in range(50)}, 0.0)
    for start in range(0, 50, 5):
        row = {f"name {i}": float(i) for i in range(start, start + 5)}
        model.predict_one(row)
        del row
        fresh = {f"name {i}": float(i) for i in range(49, 44, -1)}
        again = probe(init=model)
        model.learn_one(fresh, 1.0)
        again.learn_one(fresh, 1.0)
        assert dumps(model) == dumps(again)


def test_a_refused_row_leaves_no_feature() -> None:
    model = probe()
    model.learn_one({"a": 1.0}, 1.0)
    before = dumps(model)
    for bad in (
        {"new": 1.0, "b": float("nan")},
        {"new": 1.0, "b": []},
        {"new": 1.0, (): 1.0},
        {"new": 1.0, "b": 1e308, "c": 1e308},
    ):
        with pytest.raises((TypeError, ValueError)):
            model.learn_one(bad, 1.0)
        with pytest.raises((TypeError, ValueError)):
            model.learn_many([{"other": 1.0}, bad], [0.0, 1.0])
        if "c" not in bad:
            assert dumps(model) == before
            assert list(model.weights) == ["a"]
    model.learn_one({"b": 1.0}, 1.0)
    assert "new" not in model.weights


def test_columns_on_probation() -> None:
    model = probe()
    with pytest.raises(ValueError, match="feature 1"):
        model.learn_one(np.array([1.0, np.nan]), 1.0)
    model.learn_one(np.ones(4), 1.0)
    assert list(model.weights) == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="expected 4 columns"):
        model.learn_one(np.ones(5), 1.0)
    with pytest.raises(ValueError, match="expected 4 columns"):
        model.predict_one(np.ones(3))


class Meddler:
    """A number that uses the model while it is being read."""

    def __init__(self, model: Any, verb: str) -> None:
        self.model, self.verb = model, verb

    def __float__(self) -> float:
        if self.verb == "learn":
            self.model.learn_one({"meddled": 1.0}, 0.5)
        else:
            self.model.predict_one({"a": 1.0})
            self.model.score_many([{"a": 1.0}])
        return 2.0


def test_user_code_may_use_the_model() -> None:
    for verb in ("learn", "predict"):
        model, plain = probe(), probe()
        x = {"a": 1.0, "b": Meddler(model, verb), "c": 3.0}
        model.learn_one(x, 1.0)
        if verb == "learn":
            plain.learn_one({"meddled": 1.0}, 0.5)
        plain.learn_one({"a": 1.0, "b": 2.0, "c": 3.0}, 1.0)
        assert dumps(model) == dumps(plain)
    model = probe()
    model.learn_many([{"a": 1.0}, {"b": Meddler(model, "predict")}], [1.0, 1.0])
    assert model.seen == 2
    assert model.predict_one({"b": Meddler(model, "predict")}) == model.predict_one({"b": 2.0})


def test_a_mapping_that_changes_itself() -> None:
    class Growing(dict[str, float]):
        def items(self) -> Any:
            self["more"] = 1.0
            return list(super().items())

    assert read(Growing(a=1.0)) == {"a": 1.0, "more": 1.0}


def test_rows_of_every_kind() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import scipy.sparse as sp

    X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, -1.0]])
    dense = [{0: 1.0, 1: 0.0, 2: 2.0}, {0: 0.0, 1: 3.0, 2: -1.0}]
    assert read_rows(X, 2) == dense
    assert read_rows(np.asfortranarray(X), 2) == dense
    assert read_rows(X.astype("f4"), 2) == dense
    assert read_rows(sp.csr_array(X), 2) == dense
    names = {"a": [1.0, 0.0], "b": [0.0, 3.0], "c": [2.0, -1.0]}
    named = [{"a": 1.0, "b": 0.0, "c": 2.0}, {"a": 0.0, "b": 3.0, "c": -1.0}]
    for frame in (pd.DataFrame(names), pl.DataFrame(names), pa.table(names)):
        assert read_rows(frame, 2) == named
    mixed = {"n": [1.5, None], "s": [None, "x"], "b": [True, False]}
    expected = [{"n": 1.5, "b": 1.0}, {"s=x": 1.0, "b": 0.0}]
    for frame in (pl.DataFrame(mixed), pa.table(mixed), pa.table(mixed).to_pandas()):
        assert read_rows(frame, 2) == expected


def test_repeated_columns_of_a_sparse_row_add_up() -> None:
    import scipy.sparse as sp

    X = sp.csr_array(
        (np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2)
    )
    assert read_rows(X, 1) == [{0: 4.0, 1: 3.0}] or read_rows(X, 1) == [{1: 3.0, 0: 4.0}]


def test_arrow_types() -> None:
    import datetime
    from decimal import Decimal

    import pyarrow as pa

    good = [
        pa.array([1, 2], pa.int8()),
        pa.array([1, 2], pa.uint64()),
        pa.array(np.array([1.0, 2.0], dtype=np.float16)),
        pa.array([1.0, 2.0], pa.float32()),
        pa.array([Decimal(1), Decimal(2)], pa.decimal128(5, 2)),
        pa.array([Decimal(1), Decimal(2)], pa.decimal256(50, 2)),
    ]
    for column in good:
        assert read_rows(pa.table({"a": column}), 2) == [{"a": 1.0}, {"a": 2.0}], column.type
    assert read_rows(pa.table({"a": pa.array([True, False])}), 2) == [{"a": 1.0}, {"a": 0.0}]
    for kind in (
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.uint8(), pa.large_string()),
    ):
        column = pa.array(["x", None]).cast(kind)
        assert read_rows(pa.table({"a": column}), 2) == [{"a=x": 1.0}, {}], kind
    nothing = pa.DictionaryArray.from_arrays([0, 0], pa.nulls(1))  # pyarrow's is_valid crashes
    seen = pa.DictionaryArray.from_arrays([0, 1], pa.array(["x", None], pa.string_view()))
    runs = pa.RunEndEncodedArray.from_arrays([1, 2], seen)
    for column, first in ((nothing, {}), (seen, {"a=x": 1.0}), (runs, {"a=x": 1.0})):
        assert read_rows(pa.table({"a": column}), 2) == [first, {}], column.type
    bad = {
        "one of these": [
            pa.array([b"x", b"y"]),
            pa.array([b"x", b"y"], pa.binary_view()),
            pa.array([b"x", b"y"]).dictionary_encode(),
            pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8())),
        ],
        "each of its parts a column": [
            pa.array([[1], [2]]),
            pa.array([[1, 2], [3, 4]], pa.list_(pa.int8(), 2)),
            pa.array([{"x": 1}, {"x": 2}]),
            pa.array([[("x", 1)], []], pa.map_(pa.string(), pa.int64())),
        ],
        "numbers of it": [
            pa.array([datetime.date(2020, 1, 1)] * 2),
            pa.array([datetime.datetime(2020, 1, 1)] * 2),
            pa.array([datetime.datetime(2020, 1, 1)] * 2).dictionary_encode(),
            pa.array([datetime.timedelta(1)] * 2),
        ],
    }
    for what_to_do, columns in bad.items():
        for column in columns:
            told = rf"^LinearRegression: column 'a' is of type .* {what_to_do}.*drop the column\."
            with pytest.raises(TypeError, match=told):
                read_rows(pa.table({"a": column}), 2)


def test_two_columns_of_one_name() -> None:
    import pyarrow as pa

    for column in ([2.0], ["x"], [None]):
        table = pa.table([[1.0], [3.0], column], names=["a", "b", "a"])
        with pytest.raises(ValueError, match=r"^LinearRegression: X has two columns called 'a'"):
            read_rows(table, 1)


def test_error_messages() -> None:
    model = PAClassifier()
    with pytest.raises(ValueError, match=r"^PAClassifier: feature 'a' is nan; .*missing\.$"):
        model.learn_one({"a": float("nan")}, True)
    with pytest.raises(ValueError, match=r"^PAClassifier: feature 'a' is a number too large"):
        model.learn_one({"a": 10**400}, True)
    with pytest.raises(
        TypeError, match=r"^PAClassifier: feature 'a' must be .* got \[\] of type list"
    ):
        model.learn_one({"a": []}, True)
    with pytest.raises(
        TypeError, match=r"^PAClassifier: a feature's name must be .*1\.5 of type float"
    ):
        model.learn_one({1.5: 1.0}, True)
    with pytest.raises(
        TypeError,
        match=r"^PAClassifier: feature 'a' must be .* got <NA> .* None if it is missing\.$",
    ):
        model.learn_one({"a": pd.NA}, True)
    X = np.zeros((20, 5))
    X[17, 3] = np.inf
    with pytest.raises(ValueError, match=r"^PAClassifier: row 17: feature 3 is inf"):
        model.learn_many(X, [True] * 20)
    with pytest.raises(TypeError, match=r"^PAClassifier: .*list"):
        model.learn_many(iter([]), [])
