"""Frames with values that no learner can take: told in the words of all refusals."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from onstream import LogisticRegression
from onstream.core.arrow import arrow_table
from onstream.features import BagOfWords, StandardScaler
from onstream.persist import dumps
from onstream.tree import HoeffdingTreeClassifier

MODELS = {
    "linear": LogisticRegression,
    "tree": HoeffdingTreeClassifier,
    "pipeline": lambda: StandardScaler() | LogisticRegression(),
    "text": lambda: BagOfWords(on="t") | LogisticRegression(),
}


def refused(model, frame, told):
    """Learning and predicting are refused, and leave no trace."""
    model.learn_one({"t": "a"}, 0)
    before = dumps(model)
    for call in (lambda: model.learn_many(frame, [0, 1, 0]), lambda: model.predict_many(frame)):
        with pytest.raises(ValueError, match=f"^{type(model).__name__}: {told}") as found:
            call()
        assert type(found.value) is ValueError
    assert dumps(model) == before


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("number", [2**70, -(2**70), 10**5000], ids=["2**70", "less", "huge"])
def test_whole_numbers_beyond_64_bits(name, number):
    frame = pd.DataFrame({"t": ["a", "b", "c"], "c": np.array([1, number, 3], dtype=object)})
    bits = f"{number.bit_length():,}"
    refused(MODELS[name](), frame, f"row 1: column 'c' is a whole number of {bits} bits; .*float")


def broken(kind):
    """Texts of which one is not UTF-8."""
    offsets = np.array([0, 1, 2, 3], dtype=np.int32)
    texts = pa.StringArray.from_buffers(3, pa.py_buffer(offsets), pa.py_buffer(b"a\xffb"))
    if kind == "dictionary":
        return pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), texts)
    return texts


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", ["plain", "dictionary"])
def test_text_that_is_not_utf_8(name, kind):
    frame = pa.table({"n": [1.0, 2.0, 3.0], "t": broken(kind)})
    refused(MODELS[name](), frame, "row 1: column 't' is not UTF-8 text: b'.xff'")


def test_one_column_of_texts_that_is_not_utf_8():
    with pytest.raises(ValueError, match=r"^Pipeline: X is not UTF-8 text: b'.xff'"):
        MODELS["text"]().learn_many(broken("plain"), [0, 1, 0])


def test_text_of_polars_comes_without_views_where_pyarrow_crashes_on_them(monkeypatch):
    frame = pl.DataFrame({"a": ["x", None, "a text that is longer than a view"], "n": [1, 2, 3]})
    usual = arrow_table(frame)
    monkeypatch.setattr("onstream.core.arrow.VIEWS_SINCE", 10**6)
    plain = arrow_table(frame)
    assert not pa.types.is_string_view(plain.schema.field("a").type)
    assert plain.to_pylist() == usual.to_pylist() == frame.to_dicts()
    assert arrow_table(plain) is plain
