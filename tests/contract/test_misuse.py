"""Common mistakes give a sentence that begins with the learner's name, and change nothing."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from .table import Case
from .tools import attempt, fingerprint, learned, streams, targets

X, _ = np.random.default_rng(0).normal(size=(5, 10)), None


class OldFrame:
    """A frame of before the Arrow stream: as an array its columns would lose their names."""

    columns = ("a", "b")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.ones((2, 2))


NO_BLOCKS: list[Any] = [
    (row for row in X),
    iter(X.tolist()),
    map(dict, []),
    {"a": 1.0},
    {"a": [1.0, 2.0]},
    5,
    None,
    "text",
    b"bytes",
    X[0],
    np.zeros((2, 3, 4)),
    np.array(3.0),
    [1.0, 2.0],
    [[1.0], [1.0, 2.0]],
    [[1.0, 2.0], {"a": 1.0}],
    [{"a": 1.0}, [1.0, 2.0]],
    [{"a": 1.0}, None],
    [{"a": 1.0}, 5],
    {1, 2},
    object(),
    pd.Series([1.0, 2.0]),
    pl.Series([1.0, 2.0]),
    pa.array([1.0, 2.0]),
    pa.chunked_array([[1.0, 2.0]]),
    pd.DataFrame({"a": [1, "x"]}),
    pd.DataFrame({"a": [[1], [2]]}),
    pl.DataFrame({"a": [[1], [2]]}),
    pa.table({"a": [b"x", b"y"]}),
    pa.table([[1.0], [2.0]], names=["a", "a"]),
    pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}),
    np.array([["a", "b"]]),
    np.array([[b"a", b"b"]]),
    np.array([["2020-01-01"]], dtype="M8[D]"),
    np.array([[5]], dtype="m8[s]"),
    np.zeros((2, 2), dtype=complex),
    np.zeros(2, dtype=[("a", "f8")]),
    np.array([[None, 1.0]], dtype=object),
    np.array([["x", 1.0]], dtype=object),
    np.array([[1j, 1.0]], dtype=object),
    np.array([[[1.0], 1.0]], dtype=object),
    OldFrame(),
]


def test_what_is_no_block_of_rows(learner: Case) -> None:
    for model in (learner.make(), learned(learner)):
        before = fingerprint(model)
        for bad in NO_BLOCKS:
            for verb in ("learn_many", "predict_learn_many"):
                with pytest.raises((TypeError, ValueError), match=f"^{learner.name}: "):
                    getattr(model, verb)(bad, targets(learner, 2))
            for verb in ("predict_many", "score_many"):
                with pytest.raises((TypeError, ValueError), match=f"^{learner.name}: "):
                    getattr(model, verb)(bad)
            assert fingerprint(model) == before


def test_one_column_is_no_block_of_rows(learner: Case) -> None:
    frame = pd.DataFrame({"size": [1.0, 2.0]})
    for column in (frame["size"], pl.from_pandas(frame)["size"], pa.chunked_array([[1.0, 2.0]])):
        wanted = f"^{learner.name}: X is one column, a .*(Series|Array)"
        with pytest.raises(TypeError, match=wanted) as told:
            learner.make().learn_many(column, targets(learner, 2))
        assert hasattr(column, "name") == ("df[['size']]" in str(told.value))
    learner.make().learn_many(frame[["size"]], targets(learner, 2))


NO_EXAMPLES: list[Any] = [
    None,
    5,
    "text",
    b"bytes",
    {1, 2},
    object(),
    dict,
    X,
    np.array(1.0),
    np.array(["a"]),
    np.zeros(2, dtype=complex),
    np.array(["2020-01-01"], dtype="M8[D]"),
    [[1.0], [2.0]],
    [None],
    ["a"],
    [1.0, [2.0]],
    (x for x in [1.0]),
    {"a": [1.0]},
    {"a": {}},
    {"a": b"bytes"},
    {"a": 1j},
    {"a": np.complex128(1j)},
    {"a": np.bytes_(b"3")},
    {"a": np.array([1.0])},
    {"a": object()},
    {"a": np.datetime64("2020-01-01")},
    {"a": np.timedelta64(1, "s")},
    {1.5: 1.0},
    {True: 1.0},
    {None: 1.0},
    {("a", "b"): 1.0},
    {b"a": 1.0},
    {np.float64(1.0): 1.0},
    {frozenset(): 1.0},
]


def test_what_is_no_example(learner: Case) -> None:
    for model in (learner.make(), learned(learner)):
        before = fingerprint(model)
        for bad in NO_EXAMPLES:
            with pytest.raises((TypeError, ValueError), match=f"^{learner.name}: "):
                model.learn_one(bad, targets(learner, 1)[0])
            for verb in ("predict_one", "score_one"):
                with pytest.raises((TypeError, ValueError), match=f"^{learner.name}: "):
                    getattr(model, verb)(bad)
            assert fingerprint(model) == before


def test_as_many_targets_as_rows(targeted: Case) -> None:
    rows, y = streams(targeted, 20)[0]
    model = targeted.make()
    before = fingerprint(model)
    for targets_, X_ in ((y[:-1], rows), (y, rows[:-1]), ([], rows), (y, rows[:0]), (y[:1], rows)):
        for verb in (model.learn_many, model.predict_learn_many):
            with pytest.raises(ValueError, match=rf"^{targeted.name}: X has [\d,]+ rows, y has"):
                verb(X_, targets_)
        assert fingerprint(model) == before


def test_what_is_no_column_of_targets(targeted: Case) -> None:
    rows, y = streams(targeted, 4)[0]
    model = targeted.make()
    before = fingerprint(model)
    bad: list[Any] = [
        5,
        None,
        "text",
        iter(y.tolist()),
        (t for t in y.tolist()),
        {1: 2},
        y.reshape(2, 2),
        [None] * 4,
        np.array(["2020-01-01"] * 4, dtype="M8[ns]"),
        np.array(["2020-01-01"] * 4, dtype="M8[D]"),
        np.array([1] * 4, dtype="m8[ns]"),
        np.array([b"x"] * 4),
        np.ones(4, dtype=complex),
        [1j] * 4,
        pd.to_datetime(["2020-01-01"] * 4),
        pa.array([None, None, None, None]),
    ]
    if targeted.classifies or targeted.regresses:  # else these are sets of labels
        bad += [y.reshape(-1, 1), [[1], [1, 2], [1], [2]]]
    for y_ in bad:
        for verb in (model.learn_many, model.predict_learn_many):
            with pytest.raises((TypeError, ValueError), match=f"^{targeted.name}: "):
                verb(rows, y_)
        assert fingerprint(model) == before


def test_what_a_column_of_targets_is(predictor: Case) -> None:
    rows, y = streams(predictor, 4)[0]
    for bad, told in (
        (None, "None"),
        (set(y.tolist()), "set"),
        ({1: 2}, "dict"),
        (5, "int"),
        (iter(y.tolist()), r"list_iterator\. Make a list of it: list\(y\)"),
        ((t for t in y.tolist()), r"generator\. Make a list of it: list\(y\)"),
    ):
        wanted = rf"^{predictor.name}: y must be a list or an array .* got {told}\.$"
        with pytest.raises(TypeError, match=wanted):
            predictor.make().learn_many(rows, bad)


def test_missing_targets(targeted: Case) -> None:
    """Such rows are to be left out; a regressor would not help."""
    rows, y = streams(targeted, 4)[0]
    model = targeted.make()
    before = fingerprint(model)
    numbers = y if targeted.regresses else np.array([1, 0, 1, 0])
    gap = [*numbers[:2].tolist(), None, numbers[3].item()]
    columns: list[Any] = [pl.Series(gap), pd.Series(gap), pd.Series(gap).convert_dtypes()]
    columns.append(np.ma.array(numbers, mask=[False, False, True, False]))
    if targeted.classifies or targeted.regresses:  # else a column of Arrow holds no sets
        columns.append(pa.array(gap))
    for missing in (None, np.nan, np.float32("nan"), pd.NA, pd.NaT):
        with pytest.raises(
            (TypeError, ValueError), match=rf"^{targeted.name}: the .* is missing \("
        ):
            model.learn_one({"new": 1.0}, missing)
        column = y.astype(object)
        column[2] = missing
        columns += [column, column.tolist(), pd.Series(column)]
    for bad in columns:
        with pytest.raises(
            (TypeError, ValueError), match=rf"^{targeted.name}: row 2: .* is missing"
        ):
            model.learn_many(rows, bad)
    assert fingerprint(model) == before


def test_values_that_are_not_finite_in_a_table(learner: Case) -> None:
    """The sentence is the same, whatever stands in the other columns."""
    y = targets(learner, 3)
    for bad in (np.nan, np.inf, -np.inf):
        alone = pa.table({"a": [1.0, bad, 2.0]})
        mixed = alone.append_column("text", [["x", None, "y"]]).append_column("gap", [[1, None, 2]])
        told = attempt(learner.make(), "learn_many", alone, y)
        assert attempt(learner.make(), "learn_many", mixed, y) == told
        if not np.isnan(bad):
            assert told.startswith(f"{learner.name}: row 1: feature 'a' is {bad}; ")


def test_a_missing_target_in_an_encoded_column(predictor: Case) -> None:
    """NumPy gets the last value in its place."""
    y = targets(predictor, 3).tolist()
    encoded = pa.array([y[0], None, y[2]]).dictionary_encode()
    model = predictor.make()
    before = fingerprint(model)
    pieces = [encoded[:2], encoded[2:]]
    for column in (encoded, pa.chunked_array([encoded]), pa.chunked_array(pieces)):
        for verb in (model.learn_many, model.predict_learn_many):
            with pytest.raises((TypeError, ValueError), match=f"^{predictor.name}: row 1: "):
                verb(X[:3], column)
    assert fingerprint(model) == before


def test_what_is_no_target(learner: Case) -> None:
    if not learner.regresses:
        return  # see test_labels
    for model in (learner.make(), learned(learner)):
        before = fingerprint(model)
        for bad in (None, "1", b"1", [1.0], np.array([1.0]), 1j, np.complex128(1j), {}, object()):
            with pytest.raises(TypeError, match=f"^{learner.name}: .*y"):
                model.learn_one({"new": 1.0}, bad)
            with pytest.raises(TypeError, match=rf"^{learner.name}: "):
                model.learn_many([{"new": 1.0}] * 2, [1.0, bad])
        for bad in (np.nan, np.inf, -np.inf, 10**400):
            with pytest.raises(ValueError, match=f"^{learner.name}: .*y"):
                model.learn_one({"new": 1.0}, bad)
            with pytest.raises(ValueError, match=rf"^{learner.name}: .*row 1\b"):
                model.learn_many([{"new": 1.0}] * 2, [1.0, bad])
        assert fingerprint(model) == before


def test_masked_values(learner: Case) -> None:
    """They are refused, and named; a mask that masks nothing does no harm."""
    rows, y, w = X[:3], targets(learner, 3), np.array([1.0, 2.0, 1.0])
    mask = np.zeros(rows.shape, dtype=bool)
    model, plain = learned(learner), learned(learner)
    for verb in ("learn_many", "predict_learn_many"):
        getattr(plain, verb)(rows, y, w)
        getattr(model, verb)(np.ma.array(rows, mask=mask), np.ma.array(y), np.ma.array(w))
    plain.learn_one(rows[0], y[0])
    model.learn_one(np.ma.array(rows[0]), y[0])
    before = fingerprint(model)
    assert before == fingerprint(plain)
    mask[1, 4] = True
    masked = np.ma.array(rows, mask=mask)
    told = f"^{learner.name}: row 1: feature 4 is masked"
    for bad in (masked, list(masked), masked.astype("f4"), masked.astype(object)):
        for verb in ("learn_many", "predict_learn_many"):
            with pytest.raises(ValueError, match=told):
                getattr(model, verb)(bad, y)
        for verb in ("predict_many", "score_many"):
            with pytest.raises(ValueError, match=told):
                getattr(model, verb)(bad)
    for x, name in ((masked[1], "4"), ({"a": 1.0, "b": np.ma.masked}, "'b'")):
        told = f"^{learner.name}: feature {name} is masked"
        for verb, more in (("learn_one", [y[0]]), ("predict_one", []), ("score_one", [])):
            with pytest.raises(ValueError, match=told):
                getattr(model, verb)(x, *more)
    with pytest.raises(ValueError, match=f"^{learner.name}: row 1: w is missing .it is masked"):
        model.learn_many(rows, y, np.ma.array(w, mask=mask[:, 4]))
    if learner.classifies or learner.regresses:
        column = np.ma.array(y, mask=mask[:, 4])
        for bad in (column, list(column)):
            with pytest.raises(
                (TypeError, ValueError), match=f"^{learner.name}: row 1: .* is missing"
            ):
                model.learn_many(rows, bad)
        with pytest.raises((TypeError, ValueError), match=f"^{learner.name}: .* is missing"):
            model.learn_one(rows[0], column[1])
    assert fingerprint(model) == before
