"""Dicts, arrays, sparse matrices and data frames say the same; they may be mixed on one model."""

from collections import ChainMap, Counter, OrderedDict, UserDict
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow.compute import run_end_encode

from .table import Case
from .tools import (
    KINDS,
    arrow_in_chunks,
    assert_close,
    columns,
    dicts,
    fingerprint,
    learned,
    some_rows,
    streams,
    target_columns,
    targets,
)

DTYPES = ("f4", "f2", "i1", "i4", "i8", "u1", "u8", ">i4", ">f4", "?", "g")


def test_every_kind_learns_the_same(case: Case) -> None:
    asked = some_rows()
    for stream in streams(case, 100):
        dense = case.make()
        dense.learn_many(stream.X, stream.y)
        answers = dense.score_many(asked)
        for make in KINDS.values():
            model = case.make()
            model.learn_many(make(stream.X), stream.y)
            assert_close(model.score_many(asked), answers)
            assert_close(model.score_many(make(asked)), answers)
            assert model.seen == dense.seen


def test_kinds_can_be_mixed(case: Case) -> None:
    asked = some_rows()
    for stream in streams(case):
        mixed, dense = case.make(), case.make()
        dense.learn_many(stream.X, stream.y)
        cuts = np.array_split(np.arange(len(stream.y)), 3 * len(KINDS))
        for cut, make in zip(cuts, [*KINDS.values()] * 3, strict=True):
            mixed.learn_many(make(stream.X[cut]), stream.y[cut])
        for make in KINDS.values():
            assert_close(mixed.score_many(make(asked)), dense.score_many(asked))
        for row, x in zip(asked, dicts(asked), strict=True):
            assert_close(
                mixed.score_many([x, {str(name): value for name, value in x.items()}]),
                dense.score_many(np.array([row, row])),
            )


def test_every_number_type(case: Case) -> None:
    """What fits a float64 exactly is the same number in any dtype."""
    for dtype in DTYPES:
        asked = some_rows()
        stream = streams(case, 80)[-1]
        whole = np.abs(np.round(4.0 * stream.X)).astype(dtype)
        model, dense, rows = case.make(), case.make(), case.make()
        model.learn_many(whole, stream.y)
        dense.learn_many(whole.astype(np.float64), stream.y)
        for x, y in zip(whole, stream.y, strict=True):
            rows.learn_one(x, y)
        assert fingerprint(model) == fingerprint(dense)
        assert fingerprint(rows) == fingerprint(dense)
        assert model.score_many(whole).tolist() == dense.score_many(whole.astype(float)).tolist()
        if dtype != "g":  # Arrow knows no long double
            framed = case.make()
            framed.learn_many(
                pa.table(columns(whole.astype(np.dtype(dtype).newbyteorder("=")))), stream.y
            )
            assert_close(framed.score_many(asked), dense.score_many(asked))


class Row(UserDict[str, float]):
    """A mapping of the user's own."""


MAPPINGS = [Counter, OrderedDict, Row, MappingProxyType, lambda x: ChainMap({}, x), pd.Series, dict]


def test_any_mapping_is_an_example(case: Case) -> None:
    for make in MAPPINGS:
        stream = streams(case, 30)[0]
        odd, plain, block = case.make(), case.make(), case.make()
        rows = [{f"f{j}": v for j, v in enumerate(x)} for x in stream.X.tolist()]
        for x, y in zip(rows, stream.y, strict=True):
            plain.learn_one(x, y)
            odd.learn_one(make(x), y)
            assert odd.predict_one(make(x)) == plain.predict_one(x)
        block.learn_many([make(x) for x in rows], stream.y)
        assert fingerprint(odd) == fingerprint(plain)
        assert fingerprint(block) == fingerprint(plain)


def test_any_number_is_a_value(case: Case) -> None:
    from decimal import Decimal
    from fractions import Fraction

    plain, odd = case.make(), case.make()
    for target in targets(case, 3).tolist():
        plain.learn_one({"a": 1.0, "b": 2.0, "c": 0.5, "d": 0.0, "e": 3.0}, target)
        odd.learn_one(
            {
                "a": True,
                "b": np.int8(2),
                "c": Fraction(1, 2),
                "d": np.bool_(False),
                "e": Decimal(3),
            },
            target,
        )
    assert fingerprint(odd) == fingerprint(plain)
    array = np.array(3.0)  # without dimensions
    assert odd.score_one({"e": array}) == plain.score_one({"e": np.float32(3.0)})


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
def test_columns_are_matched_by_name(case: Case) -> None:
    stream = streams(case)[0]
    names = [f"f{j}" for j in range(stream.X.shape[1])]
    frame = pd.DataFrame(stream.X, columns=names)
    model = case.make()
    model.learn_many(frame, stream.y)
    expected = model.score_many(frame)
    shuffled = frame[names[::-1]]
    assert_close(model.score_many(shuffled), expected)
    assert_close(model.score_many(pl.DataFrame(shuffled.to_dict("list"))), expected)
    assert_close(model.score_many(shuffled.to_dict("records")), expected)
    wider = frame.assign(new=1.0)[["new", *names]]
    if not case.hashed:
        assert_close(model.score_many(wider), expected)
    if not case.hashed and not case.skips_missing:
        without = frame.drop(columns="f3")
        assert_close(model.score_many(without), model.score_many(frame.assign(f3=0.0)))


def test_names_of_columns_in_frames(case: Case) -> None:
    """An index is no feature; whole numbers as column names are those of arrays."""
    stream = streams(case)[0]
    plain, framed = case.make(), case.make()
    plain.learn_many(pa.table(columns(stream.X)), stream.y)
    frame = pd.DataFrame(stream.X, index=[f"row {i}" for i in range(len(stream.X))])
    frame.index.name = "key"
    framed.learn_many(frame, stream.y)
    assert fingerprint(framed) == fingerprint(plain)
    assert framed.score_many(stream.X).tolist() == plain.score_many(stream.X).tolist()


def test_text_and_null_in_frames(case: Case) -> None:
    rng = np.random.default_rng(6)
    n = 60
    table = pa.table(
        {
            "number": pa.array(
                [None if i % 7 == 0 else float(v) for i, v in enumerate(rng.normal(size=n))]
            ),
            "colour": pa.array(rng.choice(["red", "green", "", None], n).tolist()),
            "yes": pa.array([None, True, False] * (n // 3)),
            "coded": pa.array(rng.choice(["x", "y"], n).tolist()).dictionary_encode(),
            "nothing": pa.nulls(n),
        }
    )
    y = targets(case, n)
    by_rows, model = case.make(), case.make()
    by_rows.learn_many(table.to_pylist(), y)
    model.learn_many(table, y)
    asked = table.to_pylist()[:20]
    assert_close(model.score_many(asked), by_rows.score_many(asked))
    assert_close(model.score_many(table), by_rows.score_many(table.to_pylist()))
    if isinstance(getattr(model, "weights", None), dict) and not case.hashed:
        known = model.weights if "yes" in model.weights else next(iter(model.weights.values()))
        assert {
            "number",
            "yes",
            "coded=x",
            "coded=y",
            "colour=",
            "colour=red",
            "colour=green",
        } == set(known)
    for frame in (
        table.to_pandas(),
        pl.from_arrow(table.drop_columns("nothing")),
        table.to_batches()[0],
    ):
        other = case.make()
        other.learn_many(frame, y)
        assert_close(other.score_many(asked), by_rows.score_many(asked))


def null_in_dictionary(column: pa.Array) -> pa.Array:
    """Dictionary encoding, where null is one of the values."""
    return column.dictionary_encode(null_encoding="encode")


def in_two_dictionaries(column: pa.Array) -> pa.ChunkedArray:
    return pa.chunked_array([column[:20].dictionary_encode(), column[20:].dictionary_encode()])


ENCODINGS = [pa.Array.dictionary_encode, null_in_dictionary, in_two_dictionaries, run_end_encode]


def test_encoded_columns(case: Case) -> None:
    """They say what the same columns say without an encoding; a category may be a number."""
    rng = np.random.default_rng(3)
    n, y = 60, targets(case, 60)
    for gap in ([], [None]):
        number = rng.choice([2.5, -1.0, *gap], n).tolist()
        whole, yes = rng.choice([3, 1, *gap], n).tolist(), rng.choice([True, False], n).tolist()
        text = rng.choice(["red", "", *gap], n).tolist()
        lists = {"number": number, "whole": whole, "yes": yes, "text": text}
        table = pa.table(lists)
        plain = case.make()
        plain.learn_many(table, y)
        frames = [pa.table({k: f(pa.array(v)) for k, v in lists.items()}) for f in ENCODINGS]
        frames.append(pd.DataFrame({name: pd.Categorical(v) for name, v in lists.items()}))
        for frame in frames:
            model = case.make()
            model.learn_many(frame, y)
            assert_close(model.score_many(table), plain.score_many(table))
            assert_close(model.score_many(frame), plain.score_many(table))
        fitted = case.make().fit(frames[3], y)
        assert_close(fitted.score_many(table), case.make().fit(table, y).score_many(table))


class Stream:
    """Somebody else's data frame: only the interface."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(schema)


def test_anything_that_speaks_arrow(case: Case) -> None:
    stream = streams(case, 60)[0]
    table = arrow_in_chunks(stream.X)
    plain = case.make()
    plain.learn_many(table, stream.y)
    for make in (Stream, pa.Table.to_reader, lambda table: table.combine_chunks().to_batches()[0]):
        model = case.make()
        model.learn_many(make(table), stream.y)
        assert fingerprint(model) == fingerprint(plain)
        assert model.score_many(make(table)).tolist() == plain.score_many(table).tolist()


def test_columns_of_targets(regressor: Case) -> None:
    """What holds the targets does not matter (for labels see test_labels)."""
    rows = streams(regressor, 6)[0].X
    y = [1, -2, 0, 3, 3, -1]
    plain = regressor.make()
    plain.learn_many(rows, np.array(y, dtype=float))
    for column in target_columns(y, ">i2", "f4", "f8"):
        model = regressor.make()
        model.learn_many(rows, column)
        assert fingerprint(model) == fingerprint(plain), type(column)


def test_columns_of_arrays_must_stay(case: Case) -> None:
    model = learned(case)
    before = fingerprint(model)
    wrong = [some_rows()[:, :4], np.zeros((2, 11)), np.zeros((2, 0))]
    for X in wrong:
        for verb in (model.learn_many, model.predict_learn_many):
            with pytest.raises(ValueError, match=f"^{case.name}: .*columns"):
                verb(X, targets(case, len(X)))
        with pytest.raises(ValueError, match=f"^{case.name}: .*columns"):
            model.predict_many(X)
        with pytest.raises(ValueError, match=f"^{case.name}: .*columns"):
            model.learn_one(X[0], targets(case, 1)[0])
        assert fingerprint(model) == before
    model.learn_one({0: 1.0, "more": 1.0}, targets(case, 1)[0])
    model.learn_many(some_rows(3), targets(case, 3))


def test_widths_of_sparse_matrices_may_differ(case: Case) -> None:
    if case.takes_nominal and not case.line.numeric:
        pytest.skip("numbers are names to it, also 0")
    stream = streams(case)[0]
    narrow = KINDS["CSR"](stream.X[:, :6])
    wide = KINDS["CSR"](stream.X)
    model, rows = case.make(), case.make()
    for X in (narrow, wide, narrow):
        model.learn_many(X, stream.y)
        rows.learn_many(
            dicts(X.toarray())
            if case.skips_missing  # what a sparse matrix leaves out is 0, not missing
            else [dict(zip(r.indices.tolist(), r.data.tolist(), strict=True)) for r in X],
            stream.y,
        )
    assert_close(model.score_many(wide), rows.score_many(stream.X))
