"""Pickle, deepcopy, save and load keep everything; going on afterwards is the same, bit for bit."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onstream

from .table import Case
from .tools import KINDS, by_name, fingerprint, learned, named, reloaded, some_rows, streams, views

pytestmark = pytest.mark.every_variant

COPIES: list[Callable[[Any], Any]] = [
    reloaded,
    copy.deepcopy,
    copy.copy,
    *(
        lambda model, p=p: pickle.loads(pickle.dumps(model, p))
        for p in (0, 2, pickle.HIGHEST_PROTOCOL)
    ),
]


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
def test_copies_keep_everything(case: Case) -> None:
    X = some_rows()
    for model in (case.make(), learned(case), named(case)):
        before = fingerprint(model)
        for make in COPIES:
            twin = make(model)
            assert type(twin) is case.cls
            assert fingerprint(twin) == before
            one, two = views(model), views(twin)
            one.pop("memory_bytes"), two.pop("memory_bytes")
            assert one == two
            assert repr(twin) == repr(model)
            for asked in (X, by_name(X)):
                assert twin.score_many(asked).tolist() == model.score_many(asked).tolist()
                assert twin.predict_many(asked).tolist() == model.predict_many(asked).tolist()


def test_shallow_copies_share_nothing(case: Case) -> None:
    """Not even those of `copy.copy`; for the others see test_checks."""
    stream = streams(case)[-1]
    model = learned(case)
    twin = copy.copy(model)
    before = fingerprint(twin)
    model.learn_many(stream.X, stream.y)
    model.learn_one({"new": 1.0}, stream.y[0])
    assert fingerprint(twin) == before


def test_going_on_is_the_same(case: Case) -> None:
    """Through files in the middle of a stream: new features, new labels, all kinds of input."""
    for stream in streams(case):
        plain, copied = case.make(), case.make()
        cuts = np.array_split(np.arange(len(stream.y)), len(KINDS))
        for i, (kind, cut) in enumerate(zip(KINDS, cuts, strict=True)):
            for model in (plain, copied):
                model.learn_many(KINDS[kind](stream.X[cut]), stream.y[cut])
                model.learn_one({f"new {i}": 1.0, "s": f"text {i}", 3: 1}, stream.y[i])
            copied = COPIES[i % len(COPIES)](copied)
            assert fingerprint(copied) == fingerprint(plain), kind
        assert copied.score_many(stream.X).tolist() == plain.score_many(stream.X).tolist()


def test_files(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "model.onstream"
    model = learned(case)
    onstream.save(model, path)
    again = onstream.load(str(path), **case.functions)
    assert fingerprint(again) == fingerprint(model)
    assert [p.name for p in tmp_path.iterdir()] == ["model.onstream"]


def test_equal_models_give_equal_bytes(case: Case) -> None:
    """Whatever happened on the way: room in buffers, caches and questions leave no trace."""
    a, b = case.make(), case.make()
    stream = streams(case)[-1]
    rows = by_name(stream.X)
    b.predict_many(stream.X)
    for x, y in zip(rows, stream.y.tolist(), strict=True):
        a.learn_one(x, y)
        b.predict_one({"never": 1.0, **x})
        try:
            b.learn_one({"never again": 1.0, **x, "bad": float("inf")}, y)
        except ValueError:
            b.learn_one(x, y)
    assert fingerprint(a) == fingerprint(b)
