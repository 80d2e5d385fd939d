"""What is passed in is neither changed nor kept."""

import copy
import gc
import sys
import weakref
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from .table import Case
from .tools import by_name, fingerprint, learned, reloaded, streams


class Row(dict[str, Any]):
    """A dict that can be watched."""


class Array(np.ndarray):
    """An array that can be watched."""


def test_rows_are_neither_changed_nor_kept(case: Case) -> None:
    model = case.make()
    stream = streams(case, 60)[-1]
    for x, y in zip(by_name(stream.X), stream.y, strict=True):
        for row in (dict(x, s="text", m=None), Row(x, s="text", m=None)):
            before, count = dict(row), sys.getrefcount(row)
            model.learn_one(row, y)
            model.predict_one(row)
            model.score_one(row)
            model.learn_many([row], [y])
            assert row == before
            assert list(row) == list(before)
            assert sys.getrefcount(row) == count


@pytest.mark.filterwarnings("ignore:.*learning diverges:onstream.base.DataWarning")
def test_values_are_not_kept(case: Case) -> None:
    model = case.make()
    value, text = 12345.678, "a text that nobody shares".upper()
    counts = sys.getrefcount(value), sys.getrefcount(text)
    for y in streams(case, 5)[0].y:
        model.learn_one({"n": value, "s": text}, y)
        model.learn_many([{"n": value, "s": text}] * 2, [y, y])
        model.predict_one({"n": value, "s": text})
    kept = int(case.takes_nominal)  # a nominal value is known by its text
    assert (sys.getrefcount(value), sys.getrefcount(text)) == (counts[0], counts[1] + kept)


def test_arrays_are_neither_changed_nor_kept(case: Case) -> None:
    stream = streams(case, 60)[-1]
    w = np.linspace(0.0, 2.0, 60)
    for make in (np.array, np.asfortranarray, sp.csr_array, lambda X: X.astype("f4")):
        model = case.make()
        X, y, weights = make(stream.X), stream.y.copy(), w.copy()
        before = copy.deepcopy((X, y, weights))
        counts = [sys.getrefcount(thing) for thing in (X, y, weights)]
        model.learn_many(X, y, weights)
        model.predict_learn_many(X, y, weights)
        model.predict_many(X)
        model.score_many(X)
        assert [sys.getrefcount(thing) for thing in (X, y, weights)] == counts
        for now, then in zip((X, y, weights), before, strict=True):
            if sp.issparse(now):
                now, then = now.toarray(), then.toarray()
            np.testing.assert_array_equal(now, then)


@pytest.mark.usefixtures("young_objects_only")
def test_inputs_may_die_and_change_afterwards(case: Case) -> None:
    stream = streams(case, 60)[-1]
    model, calm = case.make(), case.make()
    calm.learn_many(stream.X, stream.y)
    X, y = stream.X.copy().view(Array), stream.y.astype(object)
    model.learn_many(X, y)
    answers = model.score_many(X)
    expected = answers.copy()
    X[:] = np.nan
    y[:] = "spoiled"
    assert fingerprint(model) == fingerprint(calm)
    np.testing.assert_array_equal(answers, expected)
    watched = weakref.ref(X)
    del X
    gc.collect()
    assert watched() is None
    x = {"a": 1.0, "b": "text"}
    for learner in (model, calm):
        learner.learn_one(dict(x), stream.y[0])
    row = dict(x)
    model.predict_one(row)
    row.clear()
    row["a"] = float("nan")
    assert fingerprint(model) == fingerprint(calm)


def test_frames_are_not_changed(case: Case) -> None:
    stream = streams(case, 30)[-1]
    columns = {f"f{j}": stream.X[:, j] for j in range(3)}
    pandas = pd.DataFrame({**columns, "s": ["x", "y", None] * 10})
    polars = pl.DataFrame({**columns, "s": ["x", "y", None] * 10})
    before = pandas.copy(), polars.clone()
    model = case.make()
    for frame in (pandas, polars):
        model.learn_many(frame, stream.y)
        model.predict_many(frame)
    pd.testing.assert_frame_equal(pandas, before[0])
    assert polars.equals(before[1])


def test_read_only_inputs_are_welcome(case: Case) -> None:
    stream = streams(case, 60)[-1]
    labels = (
        [stream.y]
        if not case.takes_labels
        else [stream.y, (stream.y == "a").astype(int), stream.y == "a"]
    )
    for y in labels:
        plain, model = case.make(), case.make()
        w = np.linspace(0.5, 2.0, 60)
        plain.learn_many(stream.X, y, w)
        frozen = [stream.X.copy(), y.copy(), w.copy()]
        for array in frozen:
            array.flags.writeable = False
        model.learn_many(*frozen)
        model.predict_many(frozen[0])
        model.predict_one(frozen[0][0])
        model.clone().learn_many(frozen[0], frozen[1])
        sparse = sp.csr_array(stream.X)
        for part in (sparse.data, sparse.indices, sparse.indptr):
            part.flags.writeable = False
        model.predict_many(sparse)
        model.clone().learn_many(sparse, frozen[1])
        assert fingerprint(model) == fingerprint(plain)


def test_answers_are_the_callers(case: Case) -> None:
    """To write into them changes neither the model nor later answers."""
    model = learned(case)
    X = streams(case, 10)[0].X
    before = fingerprint(model)
    for verb in ("predict_many", "score_many", "predict_proba_many"):
        if hasattr(model, verb):
            answer = getattr(model, verb)(X)
            expected = answer.tolist()
            answer[:] = answer[:1][::-1]
            assert getattr(model, verb)(X).tolist() == expected
    assert fingerprint(model) == before


def test_the_list_of_labels_is_not_kept(classifier: Case) -> None:
    labels = ["a", "b"]
    model = classifier.make(labels=labels)
    labels.append("c")
    assert model.labels == ["a", "b"]
    assert model.params["labels"] == ["a", "b"]
    model.labels.append("d")
    assert model.labels == ["a", "b"]
    assert reloaded(model).labels == ["a", "b"]
