"""The weight of an example: 0 is no example at all, 1 is the default, bad ones are refused."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from .table import Case
from .tools import KINDS, attempt, by_name, fingerprint, learned, named, reloaded, streams, targets


def test_weight_one_is_the_default(case: Case) -> None:
    for stream in streams(case, 80):
        plain, one, many = case.make(), case.make(), case.make()
        for x, y in zip(stream.X, stream.y.tolist(), strict=True):
            plain.learn_one(x, y)
            one.learn_one(x, y, 1.0)
        many.learn_many(stream.X, stream.y, np.ones(len(stream.y)))
        assert fingerprint(one) == fingerprint(plain)
        assert fingerprint(many) == fingerprint(plain)


def test_weight_zero_changes_nothing(case: Case) -> None:
    for zero in (0, 0.0, -0.0, False, np.float32(0.0), np.int64(0)):
        y = targets(case, 3).tolist()
        label = "never seen" if case.takes_labels else y[0]
        for model in (case.make(), learned(case), named(case), reloaded(named(case))):
            before, seen = fingerprint(model), model.seen
            for x in ({"f1": 1.0}, {"new": 2.0}, {"s": "new text", 99: 1.0}, {}):
                assert model.learn_one(x, label, zero) is None
                model.learn_many([x, x], [label] * 2, [zero] * 2)
                told = model.predict_learn_many([x, x], [label] * 2, [zero] * 2)
                assert told.tolist() == [model.predict_one(x)] * 2
                assert fingerprint(model) == before
            assert model.seen == seen
            assert fingerprint(reloaded(model)) == before


def test_weight_zero_does_not_settle_the_columns(case: Case) -> None:
    model = case.make()
    before = fingerprint(model)
    y = targets(case, 2)
    model.learn_one(np.ones(3), y[0], 0.0)
    model.learn_many(np.ones((2, 4)), y, [0.0, 0.0])
    assert fingerprint(model) == before
    model.learn_many(np.ones((2, 5)), y)


def test_rows_of_weight_zero_are_as_if_left_out(case: Case) -> None:
    rng = np.random.default_rng(1)
    for stream in streams(case, 150):
        w = rng.choice([0.0, 1.0, 2.0], len(stream.y))
        w[:20] = 0.0
        w[70:90] = 0.0  # among them the first "c"
        kept = w > 0.0
        rows = by_name(stream.X)
        some = [x for x, keep in zip(rows, kept, strict=True) if keep]
        all_rows, left_out = case.make(), case.make()
        all_rows.learn_many(rows, stream.y, w)
        left_out.learn_many(some, stream.y[kept], w[kept])
        assert fingerprint(all_rows) == fingerprint(left_out)
        all_rows, left_out = case.make(), case.make()
        all_rows.learn_many(stream.X, stream.y, w)
        left_out.learn_many(stream.X[kept], stream.y[kept], w[kept])
        assert fingerprint(all_rows) == fingerprint(left_out)


BAD = [
    -1.0,
    -1e-300,
    np.nan,
    np.inf,
    -np.inf,
    10**400,
    -1,
    "1",
    None,
    [1.0],
    1j,
    b"1",
    np.array([1.0]),
]


def test_bad_weights_are_refused(case: Case) -> None:
    for bad in BAD:
        label = "new" if case.takes_labels else 0.5
        for model in (case.make(), learned(case)):
            before = fingerprint(model)
            with pytest.raises((TypeError, ValueError), match=f"^{case.name}: .*w") as told:
                model.learn_one({"new": 1.0}, label, bad)
            if isinstance(bad, (int, float)):
                assert told.type is ValueError
            else:
                assert told.type is TypeError
            assert fingerprint(model) == before
            for verb in (model.learn_many, model.predict_learn_many):
                with pytest.raises((TypeError, ValueError), match=f"^{case.name}: .*w"):
                    verb([{"new": 1.0}] * 3, [label] * 3, [1.0, bad, 1.0])
                assert fingerprint(model) == before


def test_a_bad_weight_is_named_by_its_row(case: Case) -> None:
    model = case.make()
    stream = streams(case, 20)[0]
    w = np.ones(20)
    for bad in (-1.0, np.nan, np.inf):
        w[13] = bad
        with pytest.raises(ValueError, match=rf"^{case.name}: .*row 13\b"):
            model.learn_many(stream.X, stream.y, w)
    assert model.seen == 0


def test_as_many_weights_as_rows(case: Case) -> None:
    stream = streams(case, 20)[0]
    for w in (1.0, np.ones(19), np.ones(21), np.ones((20, 1)), [], np.ones(0), "text", {}):
        model = case.make()
        before = fingerprint(model)
        for kind in ("dense", "dicts", "CSR", "arrow"):
            X = KINDS[kind](stream.X)
            for verb in (model.learn_many, model.predict_learn_many):
                with pytest.raises((TypeError, ValueError), match=rf"^{case.name}: .*\bw\b"):
                    verb(X, stream.y, w)
        assert fingerprint(model) == before


def test_columns_of_weights(case: Case) -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    stream = streams(case, 20)[0]
    w = np.arange(20.0) % 3
    plain = case.make()
    plain.learn_many(stream.X, stream.y, w)
    read_only = w.copy()
    read_only.flags.writeable = False
    for column in (
        w.tolist(),
        tuple(w),
        w.astype("i8"),
        w.astype(">f4"),
        np.repeat(w, 2)[::2],
        read_only,
        pd.Series(w),
        pl.Series(w),
        pa.array(w),
        w.astype(object),
    ):
        model = case.make()
        model.learn_many(stream.X, stream.y, column)
        assert fingerprint(model) == fingerprint(plain), type(column)


def growing(rng: np.random.Generator) -> Iterator[tuple[float, float]]:
    """Numbers and their weights, each so heavy that those before vanish in the sum."""
    for exponent in (-12, 6, 24):
        yield 10.0 ** rng.uniform(-4, 4), 10.0 ** rng.uniform(exponent - 1, exponent + 1)


def test_weights_of_any_size_leave_a_model_that_loads(learner: Case) -> None:
    """Where weights differ by 1e16, a sum of squares may not be rounded below 0."""
    rng = np.random.default_rng(9)
    for _ in range(20):
        model = learner.make()
        for v, w in growing(rng):
            attempt(model, "learn_one", {"a": v}, "a" if learner.takes_labels else 1.0 / v, w)
        assert fingerprint(reloaded(model)) == fingerprint(model)


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
def test_weights_of_any_size_leave_a_transformer_that_loads(transformer: Any) -> None:
    rng = np.random.default_rng(9)
    for _ in range(20):
        copy = transformer.clone()
        for v, w in growing(rng):
            copy.learn_one({"a": v}, w)
        assert fingerprint(reloaded(copy)) == fingerprint(copy)
