"""Memory that is not ours: laid out oddly, or changed by somebody else while it is read."""

import gc
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from onstream.persist import dumps

from .table import Case
from .tools import assert_finite, fingerprint, learned, streams, targets

# -- odd layouts -------------------------------------------------------------------------------


def unaligned(X: np.ndarray) -> np.ndarray:
    raw = np.zeros(X.nbytes + 1, dtype=np.uint8)[1:]
    found = raw.view(np.float64).reshape(X.shape)
    found[...] = X
    assert not found.flags.aligned
    return found


def in_packets(X: np.ndarray) -> np.ndarray:
    """A field of packed records."""
    packets = np.zeros(len(X), dtype=[("kind", "u1"), ("x", "<f8", X.shape[1:])])
    packets["x"] = X
    return packets["x"]


def read_only(X: np.ndarray) -> np.ndarray:
    found = X.copy()
    found.flags.writeable = False
    return found


def backwards(X: np.ndarray) -> np.ndarray:
    return X[..., ::-1].copy()[..., ::-1]


LAYOUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "unaligned": unaligned,
    "packets": in_packets,
    "swapped": lambda X: X.astype(">f8"),
    "swapped and unaligned": lambda X: unaligned(X.byteswap()).view(">f8"),
    "backwards": backwards,
    "strided": lambda X: np.repeat(X, 3, axis=-1)[..., ::3],
    "read-only": read_only,
    "long double": lambda X: X.astype(np.longdouble),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read(learner: Case, layout: str) -> None:
    lay = LAYOUTS[layout]
    X, y = streams(learner, 20)[0]
    model, plain = learner.make(), learner.make()
    for one, form in ((model, lay), (plain, np.array)):
        one.learn_many(form(X), y)
        for i in range(5):
            one.learn_one(form(X[i : i + 1])[0], y[i])
        one.told = [
            one.predict_one(form(X)[3]),
            one.score_one(form(X[4])) if layout != "packets" else one.score_one(form(X)[4]),
            one.predict_many(form(X)).tolist(),
            one.score_many(form(X)).tolist(),
        ]
    assert model.told == plain.told
    del model.told, plain.told
    assert fingerprint(model) == fingerprint(plain)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_transformed(transformer: Any, layout: str) -> None:
    if "BagOfWords" in repr(transformer):
        pytest.skip("it refuses arrays, which have no text")
    lay = LAYOUTS[layout]
    X = np.random.default_rng(0).normal(size=(20, 3))
    model, plain = transformer.clone(), transformer.clone()
    for one, form in ((model, lay), (plain, np.array)):
        one.learn_many(form(X))
        one.learn_one(form(X)[0])
    assert dumps(model) == dumps(plain)
    assert model.transform_one(lay(X)[1]) == plain.transform_one(X[1])
    assert str(model.transform_many(lay(X))) == str(plain.transform_many(X))


def test_a_number_alone_is_no_example(learner: Case) -> None:
    model = learned(learner)
    y = targets(learner, 1)
    before = fingerprint(model)
    for x in (np.array(1.0), np.float64(1.0), 1.0):
        for work in (
            lambda x=x: model.learn_one(x, y[0]),
            lambda x=x: model.predict_one(x),
            lambda x=x: model.learn_many(x, y),
            lambda x=x: model.predict_many(x),
        ):
            with pytest.raises((TypeError, ValueError), match=type(model).__name__):
                work()
    assert fingerprint(model) == before


# -- changed meanwhile -------------------------------------------------------------------------


class Spoiling:
    """Targets that spoil something when they are looked at: X has been opened by then."""

    def __init__(self, y: Any, spoil: Callable[[], None]) -> None:
        self.y, self.spoil = y, spoil

    def __len__(self) -> int:
        return len(self.y)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.spoil()
        return np.asarray(self.y, dtype=dtype)


def blocks_to_spoil(X: np.ndarray) -> Iterator[tuple[Any, Callable[[], None]]]:
    """X in several forms, each with what spoils it."""
    dense = X.copy()
    yield dense, lambda: dense.fill(np.inf)
    strided = np.repeat(X, 2, axis=1)[:, ::2]
    yield strided, lambda: strided.__setitem__(slice(None), np.inf)
    csr = sp.csr_array(X)
    yield csr, lambda: csr.data.fill(np.inf)
    wild = sp.csr_array(X)
    yield wild, lambda: wild.indices.fill(2**31 - 1)
    longer = sp.csr_array(X)
    longer.indptr = longer.indptr.astype(np.int64)
    yield longer, lambda: longer.indptr.fill(2**40)
    first = X[:, 0].copy()
    frame = pd.DataFrame({"n": first, "t": np.where(X[:, 1] > 0.0, "x", "y")}, copy=False)
    yield frame, lambda: first.fill(np.inf)
    rows = [dict(enumerate(row)) for row in X.tolist()]
    yield rows, rows.clear


def test_what_is_spoilt_while_it_is_learned_is_refused_or_not_seen(plain_predictor: Case) -> None:
    X, y = streams(plain_predictor, 40)[0]
    for form, _ in blocks_to_spoil(X):
        calm = plain_predictor.make()
        calm.learn_many(form, y)
        for block, spoil in blocks_to_spoil(X):
            if type(block) is not type(form):
                continue
            model = plain_predictor.make()
            before = dumps(model)
            try:
                model.learn_many(block, Spoiling(y, spoil))
            except ValueError as error:
                assert str(error).startswith(type(model).__name__)  # noqa: PT017
                assert dumps(model) == before
            else:
                assert model.seen == 40
                assert_finite(model)


def test_targets_and_weights_are_ours(plain_regressor: Case) -> None:
    """What is learned of them was checked, whoever changes them meanwhile."""
    X, y = streams(plain_regressor, 40)[0]
    model, calm = plain_regressor.make(), plain_regressor.make()
    w = np.ones(40)
    calm.learn_many(X, y, w)
    model.learn_many(X, Spoiling(y.copy(), lambda: w.fill(np.nan)), w)
    assert fingerprint(model) == fingerprint(calm)


# -- rows that are read twice ------------------------------------------------------------------

TWICE: list[list[dict[Any, Any]]] = [
    [{0: 1.5, "0": 2.0, "d": np.float64(1.0)}],
    [{"b": 1.0}, {"a": 2.0, 7: 1, "7": 2, "c": np.float64(3.0)}, {"a": 1.0}],
    [{0: "x", "t": "y", "d": np.float32(1.0)}, {"0": "z", "t": "y"}],
    [{"new": 1.0, "t": "v", "d": np.int64(1)}, {"new": 2.0, "t": "w"}],
]


@pytest.mark.parametrize("rows", TWICE)
def test_a_row_that_is_read_twice_is_learned_as_alone(learner: Case, rows: list[Any]) -> None:
    y = targets(learner, len(rows))
    block, loop = learner.make(), learner.make()
    failed = []
    for work in (
        lambda: block.learn_many(rows, y),
        lambda: [loop.learn_one(x, t) for x, t in zip(rows, y, strict=True)],
    ):
        try:
            work()
            failed.append(False)
        except (TypeError, ValueError):
            failed.append(True)
    assert failed[0] == failed[1]
    if not failed[0]:
        assert dumps(block) == dumps(loop)


# -- garbage collection inside a verb ------------------------------------------------------------


class Meddler:
    """A cycle whose finaliser changes a row."""

    def __init__(self, change: Callable[[], Any]) -> None:
        self.change, self.me = change, self

    def __del__(self) -> None:
        self.change()


@pytest.mark.usefixtures("young_objects_only")
@pytest.mark.parametrize("how", ["more", "none", "others"])
def test_a_row_that_a_finaliser_changes_is_refused_or_learned(learner: Case, how: str) -> None:
    model = learned(learner)
    y = targets(learner, 40)
    threshold = gc.get_threshold()
    gc.collect()
    try:
        for i in range(40):
            gc.disable()
            row: dict[str, Any] = {f"k{(i * 7 + j) % 50}": 1.0 for j in range(6)}
            row |= {f"t{i}": "w", f"u{i}": 1.0}

            def change(row: dict[str, Any] = row) -> None:
                if how == "more":
                    row.update({f"n{j}": math.inf for j in range(300)})
                else:
                    row.clear()
                    if how == "others":
                        row.update({f"o{j}": 1.0 for j in range(8)})

            Meddler(change)
            seen = model.seen
            gc.set_threshold(1)
            gc.enable()
            try:
                model.learn_one(row, y[i])
            except (RuntimeError, ValueError):
                assert model.seen == seen
            gc.set_threshold(*threshold)
    finally:
        gc.set_threshold(*threshold)
        gc.enable()
    assert_finite(model)
    assert dumps(model)
