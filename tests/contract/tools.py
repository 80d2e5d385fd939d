"""What several contract tests need: fingerprints of models, their numbers, and kinds of input."""

import hashlib
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

from onstream.persist import dumps, loads

from .streams import Stream, plane, rows, three_labels, two_labels
from .table import Case, functions_of

# -- models ------------------------------------------------------------------------------------


def fingerprint(model: Any) -> str:
    """Equal for models that are equal bit for bit."""
    return hashlib.sha256(dumps(model)).hexdigest()


def reloaded(model: Any) -> Any:
    """The model, to disk and back."""
    return loads(dumps(model), **functions_of(model.params))


def outputs(model: Any) -> list[str]:
    """What `predict_learn_many` can be asked for."""
    return ["label", "score", *(["proba"] if hasattr(model, "predict_proba_one") else [])]


def streams(case: Case, n: int = 200) -> list[Stream]:
    """Streams that this learner can learn: for labels one with two and one with three."""
    return [two_labels(n), three_labels(n)] if case.takes_labels else [plane(n)]


def targets(case: Case, n: int, seed: int = 5) -> np.ndarray:
    """Targets without any sense."""
    rng = np.random.default_rng(seed)
    return rng.choice(["a", "b", "c"], n) if case.takes_labels else rng.normal(size=n)


def opposites(case: Case) -> tuple[dict[str, float], dict[str, float]]:
    """Two examples that a few lessons tell apart."""
    return ({"x": 1.0}, {"y": 1.0}) if case.line.decisive else ({"x": 2.0}, {"x": -2.0})


def learned(case: Case, n: int = 100, **params: Any) -> Any:
    """A model that knows the features 0, 1, ... as columns, and two labels."""
    model = case.make(**params)
    stream = streams(case, n)[0]
    model.learn_many(stream.X, stream.y)
    return model


def named(case: Case, n: int = 100, **params: Any) -> Any:
    """A model that knows named features only, and two labels."""
    model = case.make(**params)
    stream = streams(case, n)[0]
    for x, y in zip(by_name(stream.X), stream.y.tolist(), strict=True):
        model.learn_one(x, y)
    return model


def by_name(X: np.ndarray) -> list[dict[str, float]]:
    """Rows as mappings, without zeros: features come and go."""
    return [{f"f{j}": v for j, v in enumerate(row) if v} for row in X.tolist()]


def slot_weights(model: Any) -> dict[Any, float]:
    """Slot to a weight there, whatever the label."""
    flat: dict[Any, float] = {}
    for key, value in model.weights.items():
        flat.update(value if isinstance(value, dict) else {key: value})
    return flat


def numbers(thing: Any) -> Iterator[float]:
    """All numbers in nested dicts, lists and arrays."""
    if isinstance(thing, dict):
        for value in thing.values():
            yield from numbers(value)
    elif isinstance(thing, np.ndarray):
        yield from thing.ravel().tolist()
    elif isinstance(thing, (list, tuple)):
        for value in thing:
            yield from numbers(value)
    elif isinstance(thing, float):
        yield thing


def views(model: Any) -> dict[str, Any]:
    """What can be looked at in the model, by name."""
    names = ("weights", "bias", "labels", "params", "seen", "memory_bytes", "merge_kind")
    return {name: getattr(model, name) for name in names if hasattr(model, name)}


def assert_finite(
    model: Any, examples: Iterable[Any] = ({}, {"a": 1.0}, {0: -1.0, 1: 2.0})
) -> None:
    """No weight, score, probability or number of the state may be infinite or NaN."""
    told = [views(model), model._model.export()]
    for x in examples:
        told += [ask(model, x) for ask in (type(model).predict_one, type(model).score_one)]
        if hasattr(model, "predict_proba_one"):
            told.append(model.predict_proba_one(x))
    bad = [v for v in numbers(told) if not math.isfinite(v)]
    assert not bad, f"{model!r} holds or answers {bad[:5]}"


def attempt(model: Any, verb: str, *args: Any, **options: Any) -> str | None:
    """Call a verb. None if it succeeded; the message if it was refused as it should be."""
    try:
        getattr(model, verb)(*args, **options)
    except (TypeError, ValueError) as error:
        message = str(error)
    else:
        return None
    assert message.startswith(f"{type(model).__name__}: "), message
    return message


def assert_close(a: Any, b: Any) -> None:
    """Equal but for rounding: 1e-12 of the largest number."""
    if isinstance(a, dict):
        assert list(a) == list(b)
        a, b = list(a.values()), list(b.values())
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert a.shape == b.shape
    scale = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0), 1e-300)
    np.testing.assert_allclose(a / scale, b / scale, rtol=0.0, atol=1e-12)


# -- kinds of input ----------------------------------------------------------------------------


def target_columns(y: list[Any], *dtypes: str) -> list[Any]:
    """The same targets in all that can hold them: sequences, arrays, series of any library."""
    read_only = np.array(y)
    read_only.flags.writeable = False
    return [
        y,
        tuple(y),
        read_only,
        *(np.array(y, dtype=dtype) for dtype in ("O", *dtypes)),
        np.repeat(y, 2)[::2],
        pd.Series(y),
        pl.Series(y),
        pa.array(y),
        pa.chunked_array([y[:2], y[2:]]),
    ]


def dicts(X: np.ndarray) -> list[dict[int, float]]:
    return [dict(enumerate(row)) for row in X.tolist()]


def string_dicts(X: np.ndarray) -> list[dict[str, float]]:
    return [{str(j): v for j, v in enumerate(row)} for row in X.tolist()]


def strided(X: np.ndarray) -> np.ndarray:
    wide = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
    wide[::2, 1::3] = X
    return wide[::2, 1::3]


def columns(X: np.ndarray) -> dict[str, np.ndarray]:
    return {str(j): X[:, j] for j in range(X.shape[1])}


def arrow_in_chunks(X: np.ndarray) -> pa.Table:
    half = len(X) // 2
    return pa.concat_tables([pa.table(columns(X[:half])), pa.table(columns(X[half:]))])


KINDS = {
    "dicts": dicts,
    "string dicts": string_dicts,
    "dense": np.ascontiguousarray,
    "lists": np.ndarray.tolist,
    "strided": strided,
    "Fortran order": np.asfortranarray,
    "big-endian": lambda X: X.astype(">f8"),
    "objects": lambda X: X.astype(object),
    "CSR": sp.csr_array,
    "CSR matrix": sp.csr_matrix,
    "CSC": sp.csc_array,
    "pandas": lambda X: pd.DataFrame(columns(X)),
    "polars": lambda X: pl.DataFrame(columns(X)),
    "arrow": lambda X: pa.table(columns(X)),
    "arrow in chunks": arrow_in_chunks,
}


def one_by_one(kind: str, X: np.ndarray) -> Iterator[tuple[bool, Any]]:
    """The rows of X for a loop: (True, example for learn_one) or (False, block of one row)."""
    if kind in ("dicts", "string dicts"):
        for x in KINDS[kind](X):
            yield True, x
    elif kind in ("dense", "lists", "strided", "Fortran order", "big-endian", "objects"):
        block = KINDS[kind](X)
        for i in range(len(X)):
            yield True, block[i]
    else:
        for i in range(len(X)):
            yield False, KINDS[kind](X[i : i + 1])


def learn_loop(model: Any, kind: str, X: np.ndarray, y: Any, w: Any = None) -> list[Any]:
    """Learn row by row; scores before each."""
    told = []
    weights = [1.0] * len(y) if w is None else w
    for (single, x), target, weight in zip(one_by_one(kind, X), y, weights, strict=True):
        if single:
            told.append(model.score_one(x))
            model.learn_one(x, target, weight)
        else:
            score = model.score_many(x)[0]
            told.append(
                score.item() if score.ndim == 0 else dict(zip(model.labels, score, strict=True))
            )
            model.learn_many(x, [target], [weight])
    return told


def some_rows(n: int = 20, seed: int = 11) -> np.ndarray:
    """Rows to ask about."""
    return rows(n, seed)


def grows(case: Case) -> bool:
    """Does its memory grow with every example, so that its time does, too?"""
    model, sizes = case.make(), []
    rng = np.random.default_rng(0)
    for _ in range(2):
        X = rng.normal(size=(300, 50))
        model.learn_many(X, X[:, 0] > 0.0 if case.takes_labels else X[:, 0])
        sizes.append(model.memory_bytes)
    return bool(sizes[1] > 1.5 * sizes[0])
