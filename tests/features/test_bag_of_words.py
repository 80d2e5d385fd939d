import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from onstream.base import DataWarning
from onstream.base.learner import revive
from onstream.features import BagOfWords, StandardScaler
from onstream.linear import LogisticRegression, PAClassifier
from onstream.persist import dumps, loads
from onstream.persist.format import unpack

TEXTS = [
    "Free offer, free!",
    "the meeting at noon",
    "don't miss: 50 % off",
    "",
    "Straße naïve 日本",
]


def words(text, **params):
    bag = BagOfWords(**params)
    bag.learn_one(text)
    return bag.transform_one(text)


def test_words():
    assert words(TEXTS[0]) == {"Free": 1.0, "offer": 1.0, "free": 1.0}
    assert words(TEXTS[0], fold=True) == {"free": 2.0, "offer": 1.0}
    assert words(TEXTS[0], fold=True, binary=True) == {"free": 1.0, "offer": 1.0}
    assert words(TEXTS[2]) == {"don't": 1.0, "miss": 1.0, "50": 1.0, "off": 1.0}
    assert words(TEXTS[3]) == {}
    assert words(TEXTS[4], fold=True) == {"strasse": 1.0, "naïve": 1.0, "日本": 1.0}
    assert words("a b a b", ngrams=(2, 3)) == {"a b": 2.0, "b a": 1.0, "a b a": 1.0, "b a b": 1.0}


def test_fields():
    x = {"text": "free offer", "length": 10, "kind": "mail"}
    assert words(x) == {"free": 1.0, "offer": 1.0, "length=": 10.0, "kind=mail": 1.0}
    both = words({"subject": "free", "body": "free now"}, on=["subject", "body"])
    assert both == {"subject=free": 1.0, "body=free": 1.0, "body=now": 1.0}


@pytest.mark.parametrize("bits", [None, 10])
def test_every_kind_of_texts(bits):
    y = ["spam", "ham", "spam", "ham", "ham"]
    loop = BagOfWords(hash_bits=bits) | PAClassifier()
    for text, label in zip(TEXTS, y, strict=True):
        loop.learn_one(text, label)
    for X in (
        TEXTS,
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        [{"text": text} for text in TEXTS],
        pd.DataFrame({"text": TEXTS}),
        pa.table({"text": TEXTS}),
    ):
        model = BagOfWords(hash_bits=bits) | PAClassifier()
        model.learn_many(X, y)
        assert dumps(model) == dumps(loop)
        assert model.predict_many(X).tolist() == [loop.predict_one(text) for text in TEXTS]
    again = loads(dumps(loop))
    assert again.score_one("free meeting never") == loop.score_one("free meeting never")


def test_hashed_words_need_no_memory():
    model = BagOfWords(hash_bits=8) | LogisticRegression()
    model.learn_one("first", 1)
    before = model.memory_bytes
    for i in range(2000):
        model.learn_one(f"word{i} other{i}", i % 2)
    assert model.memory_bytes <= before + 300


def test_misuse():
    with pytest.raises(ValueError, match="first step"):
        StandardScaler() | BagOfWords() | PAClassifier()
    for params in (
        {"on": 3},
        {"ngrams": 2},
        {"ngrams": (2, 1)},
        {"fold": 1},
        {"hash_bits": 0},
        {"on": []},
    ):
        with pytest.raises((TypeError, ValueError), match="BagOfWords: "):
            BagOfWords(**params)


def test_the_longest_run_is_not_the_shortest():
    with pytest.raises(ValueError, match=r"\(shortest, longest\), got \(2, 1\)"):
        BagOfWords(ngrams=(2, 1))


@pytest.mark.parametrize(
    ("X", "told"),
    [
        (
            ["a", 5],
            "row 1: X is a list of texts, so each must be a string or None, got 5 of type int",
        ),
        ([b"a b", "a"], r"row 0: .*got b'a b' of type bytes\. Decode it first"),
        ([5, 6], "row 0: X is a list of texts"),
        (["a", {"text": "b"}], "row 1: X is a list of texts"),
        (np.array(["a", 5], dtype=object), "row 1: X is a list of texts"),
        (pd.Series(["a", 5]), "row 1: X is a list of texts"),
        ([None, None], "X holds no text"),
        ("free prize", "X must be many examples: a list of strings.*got one str"),
        (b"free prize", "X must be many examples: a list of strings.*got one bytes"),
        (
            [["a"], ["b"]],
            "X is an array without names of columns, in which BagOfWords finds no text",
        ),
        (np.array([["a"], ["b"]], dtype=object), "X is an array without names of columns"),
        (np.array([["a"], ["b"]]), "X is an array without names of columns"),
        (pl.LazyFrame({"text": ["a", "b"]}), r".*got LazyFrame\. Pass X.collect\(\)"),
    ],
)
def test_rows_that_are_not_texts(X, told):
    model = BagOfWords() | LogisticRegression()
    for call in (lambda: model.learn_many(X, ["spam", "ham"]), lambda: model.predict_many(X)):
        with pytest.raises((TypeError, ValueError), match=f"^Pipeline: {told}"):
            call()
    assert model.seen == 0


INDEXES = {
    "filtered": pd.Index([7, 3, 5, 2, 11]),
    "named": pd.Index([7, 3, 5, 2, 11], name="id"),
    "texts": pd.Index(list("edcba")),
    "dates": pd.date_range("2026-01-01", periods=5),
    "several": pd.MultiIndex.from_tuples([(i, f"{i}") for i in range(5)], names=["i", None]),
}
LABELS = ["spam", "ham", "spam", "ham", "ham"]


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("bits", [None, 10])
def test_an_index_is_no_feature(index, bits):
    frame = pd.DataFrame({"text": TEXTS, "n": range(5)})
    other = frame.set_index(INDEXES[index])
    plain, model = (BagOfWords(hash_bits=bits) | LogisticRegression() for _ in range(2))
    plain.fit(frame, LABELS)
    model.fit(other, LABELS)
    plain.learn_many(frame, LABELS)
    model.learn_many(other, LABELS)
    assert dumps(model) == dumps(plain)
    assert model.score_many(other).tolist() == plain.score_many(frame).tolist()
    answers = model.predict_learn_many(other, LABELS, output="score")
    assert answers.tolist() == plain.predict_learn_many(frame, LABELS, output="score").tolist()
    bag = BagOfWords(hash_bits=bits)
    bag.learn_many(other)
    assert bag.transform_many(other) == bag.transform_many(frame)


def test_the_text_must_be_where_it_is_looked_for():
    model = BagOfWords() | LogisticRegression()
    with pytest.raises(ValueError, match="finds no feature 'text'; of text there is 'message'"):
        model.learn_one({"message": "free prize", "n": 3}, "spam")
    with pytest.raises(ValueError, match=r"row 0: .*Say on='message'"):
        model.learn_many([{"message": "free prize"}], ["spam"])
    frame = pd.DataFrame({"message": ["free prize"], "n": [1.0]})
    with pytest.raises(ValueError, match="no column 'text'; there are 'message', 'n'"):
        model.learn_many(frame, ["spam"])
    assert model.seen == 0
    model.learn_one({"text": None, "kind": "mail"}, "ham")  # it is missing
    model.learn_one({"text": "free", "kind": "mail"}, "ham")
    model.learn_one({"kind": "mail"}, "ham")  # and may be left out, now that it has come once
    with pytest.raises(ValueError, match="no column 'text'"):
        model.predict_many(frame)
    again = loads(dumps(model))
    again.learn_one({"kind": "mail"}, "ham")


@pytest.mark.parametrize("bits", [None, 10])
def test_a_text_of_another_name_is_told_once(bits):
    model = BagOfWords(hash_bits=bits) | LogisticRegression()
    model.learn_one({"text": "free prize"}, "spam")
    model.learn_one({"n": 1.0}, "ham")  # the text may be missing
    with pytest.warns(
        DataWarning, match="no feature 'text', learned before; of text there is 'message'"
    ):
        model.learn_one({"message": "free prize"}, "spam")
    model.learn_one({"message": "hello"}, "ham")  # once
    block = BagOfWords(hash_bits=bits) | LogisticRegression()
    with pytest.warns(DataWarning, match="'message'"):
        block.learn_many([{"text": "free"}, {"message": "free prize"}], ["spam", "ham"])


@pytest.mark.parametrize("bits", [None, 10])
@pytest.mark.parametrize(
    "X",
    [np.eye(2), np.eye(2).tolist(), sp.csr_array(np.eye(2)), list(np.eye(2)), np.eye(2, dtype="O")],
    ids=["array", "lists", "csr", "arrays", "objects"],
)
def test_an_array_has_no_text(X, bits):
    model = BagOfWords(hash_bits=bits) | LogisticRegression()
    model.learn_one("free", "spam")
    before = dumps(model)
    for call in (
        lambda: model.learn_many(X, ["spam", "ham"]),
        lambda: model.predict_many(X),
        lambda: model.fit(X, ["spam", "ham"]),
        lambda: model.learn_one(np.eye(2)[0], "spam"),
        lambda: model.predict_one([1.0, 0.0]),
    ):
        with pytest.raises(TypeError, match=r"^Pipeline: .*finds no text.*with 'text'"):
            call()
    assert dumps(model) == before
    model.learn_many(X[:0], [])


@pytest.mark.parametrize("bits", [None, 10])
@pytest.mark.parametrize("values", [[1.5, 2.5], [7, 9], [True, False]], ids=str)
def test_numbers_for_a_text_are_told_once(values, bits):
    frame = pd.DataFrame({"text": values, "n": [1.0, 2.0]})
    for first in (None, "free prize"):
        block, loop = (BagOfWords(hash_bits=bits) | LogisticRegression() for _ in range(2))
        if first:
            block.learn_one(first, "spam")
            loop.learn_one(first, "spam")
        with pytest.warns(DataWarning, match=f"^Pipeline: feature 'text' .* number {values[0]}"):
            block.learn_many(frame, ["spam", "ham"])
        block.learn_many(frame, ["spam", "ham"])  # once
        rows = frame.to_dict("records")
        with pytest.warns(DataWarning, match="should be text"):
            loop.learn_one(rows[0], "spam")
        loop.learn_one(rows[1], "ham")
        loop.learn_many(rows, ["spam", "ham"])
        assert dumps(loop) == dumps(block)


def test_a_refused_example_is_not_told():
    model = BagOfWords() | LogisticRegression()
    with pytest.raises(ValueError, match="finite"):
        model.learn_one({"text": 3.0, "n": math.inf}, "spam")
    model.learn_one("free", "ham")
    model.learn_one({"text": None}, "ham")


@pytest.mark.parametrize(
    "column",
    [
        pd.period_range("2020", periods=2, freq="M"),
        pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1], pa.int8())),
    ],
    ids=["period", "bool8"],
)
def test_a_column_that_learners_refuse_is_refused(column):
    texts = {"text": ["a", "b"], "p": column}
    frame = pa.table(texts) if isinstance(column, pa.Array) else pd.DataFrame(texts)
    told = "column 'p' is of type extension.*; a feature must be a number"
    with pytest.raises(TypeError, match=f"^Pipeline: {told}"):
        (BagOfWords() | LogisticRegression()).learn_many(frame, ["spam", "ham"])
    others = frame.drop(columns="text") if isinstance(frame, pd.DataFrame) else frame.select(["p"])
    with pytest.raises(TypeError, match=f"^LogisticRegression: {told}"):
        LogisticRegression().learn_many(others, ["spam", "ham"])


def test_words_and_columns_are_apart():
    x = {"text": "price is low", "price": 900.0}
    assert words(x) == {"price": 1.0, "is": 1.0, "low": 1.0, "price=": 900.0}
    hashed = words(x, hash_bits=16)
    assert sorted(map(abs, hashed.values())) == [1.0, 1.0, 1.0, 900.0]


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_a_column_of_texts_may_be_called_as_a_word(binary, turned):
    x = {"subject": "hi", "text": "the subject is", "is": None}
    x = dict(reversed(x.items())) if turned else x
    found = {"subject=hi": 1.0, "the": 1.0, "subject": 1.0, "is": 1.0}
    assert words(x, binary=binary) == found
    hashed = words(x, binary=binary, hash_bits=16)
    parts = [words({name: value}, on=["t", "b"], hash_bits=16) for name, value in found.items()]
    assert hashed == {slot: value for part in parts for slot, value in part.items()}
    model = BagOfWords(binary=binary) | LogisticRegression()
    model.learn_many(pd.DataFrame([x, x]), ["spam", "ham"])
    assert set(model.members[-1].weights) == set(found)
    assert loads(dumps(model)).score_one(x) == model.score_one(x)


@pytest.mark.parametrize("turned", [False, True])
def test_a_column_may_be_called_as_a_word_of_several_texts(turned):
    x = {"text=x": 7.0, "text": "x x", "body": "z", "body=z": "a", "text=y": None, "n": 2.0}
    x = dict(reversed(x.items())) if turned else x
    found = {"text=x=": 7.0, "text=x": 2.0, "body=z": 1.0, "body=z=a": 1.0, "n": 2.0}
    assert words(x, on=["text", "body"]) == found


def test_columns_that_end_in_the_mark_of_a_column():
    x = {"text": "price", "price": 4.0, "price=": "low"}
    assert words(x) == {"price": 1.0, "price=": 4.0, "price==low": 1.0}


@pytest.mark.parametrize("turned", [False, True])
def test_a_model_of_the_first_version_has_one_feature_for_both(turned):
    data = dumps(BagOfWords())
    header, fields = unpack(data)
    del fields["apart"]
    bag = revive(BagOfWords, header.params, fields)
    x = {"price": 4.0, "text": "price is", "is": None}
    x = dict(reversed(x.items())) if turned else x
    bag.learn_one(x)
    assert bag.transform_one(x) == {"price": 5.0, "is": 1.0}


def test_two_bags_in_a_row():
    x = {"subject": "u v", "body": "v V", "n": 2.0}
    both = BagOfWords(on="subject") | BagOfWords(on="body", fold=True) | LogisticRegression()
    both.learn_one(x, "a")
    both.learn_one({}, "b")
    names = {"subject=u", "subject=v", "body=v", "n"}
    assert set(both.members[-1].weights) == names
    model = BagOfWords(on="subject") | BagOfWords(on="body") | LogisticRegression()
    one = BagOfWords(on=["subject", "body"]) | LogisticRegression()
    for m in (model, one):
        m.learn_one(x, "a")
        m.learn_many(pd.DataFrame([x, x]), ["b", "a"])
    assert model.members[-1].weights == one.members[-1].weights
    assert loads(dumps(model)).score_one(x) == model.score_one(x)
    with pytest.raises(TypeError, match="an example is a mapping"):
        model.learn_one("which of them?", "a")
    with pytest.raises(TypeError, match="one column of texts"):
        model.learn_many(["which of them?"], ["a"])
    with pytest.raises(ValueError, match="'text' is taken to words twice"):
        BagOfWords() | BagOfWords() | LogisticRegression()
    for first, second in (({"hash_bits": 8}, {}), ({}, {"hash_bits": 8})):
        with pytest.raises(ValueError, match=r"say on=\['subject', 'body'\]"):
            BagOfWords(on="a", **first) | BagOfWords(on="b", **second) | LogisticRegression()


class Row(dict):
    """A mapping that is no plain dict."""


def test_the_kind_of_mapping_does_not_matter():
    found = {"free": 1.0, "offer": 1.0, "n=": 3.0}
    for x in (
        Row(text="free offer", n=3),
        {"text": "free offer", "n": np.int64(3)},
        {"text": np.str_("free offer"), "n": 3.0},
        pd.Series({"text": "free offer", "n": 3}),
    ):
        assert words(x) == found
        bag = BagOfWords()
        bag.learn_many([x])
        assert bag.transform_many([x]) == [found]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(TEXTS, index=[4, 2, 8, 6, 0]),
        pd.Series(TEXTS, dtype="string"),
        pd.Series(TEXTS, dtype="category"),
        pl.Series(TEXTS),
        pa.array(TEXTS),
        pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
        np.array(TEXTS, dtype=object),
    ],
    ids=lambda column: f"{type(column).__module__} {getattr(column, 'dtype', '')}",
)
@pytest.mark.parametrize("bits", [None, 10])
def test_a_series_is_a_column_of_texts(column, bits):
    plain, model = (BagOfWords(hash_bits=bits) | LogisticRegression() for _ in range(2))
    for m, X in ((plain, TEXTS), (model, column)):
        m.fit(X, LABELS)
        m.learn_many(X, LABELS)
        m.predict_learn_many(X, LABELS)
    assert dumps(model) == dumps(plain)
    for verb in ("predict_many", "score_many", "predict_proba_many"):
        assert getattr(model, verb)(column).tolist() == getattr(plain, verb)(TEXTS).tolist()
    bag = BagOfWords(hash_bits=bits).fit(column)
    assert bag.transform_many(column) == bag.transform_many(TEXTS)


def test_missing_texts_of_a_series():
    for column in (pd.Series(["free", None]), pl.Series(["free", None]), pa.array(["free", None])):
        bag = BagOfWords()
        bag.learn_many(column)
        assert bag.transform_many(column) == [{"free": 1.0}, {}]
    with pytest.raises((TypeError, ValueError), match=r"^BagOfWords: "):
        BagOfWords().learn_many(pd.Series([1.0, 2.0]))


def test_the_text_of_a_row_that_is_refused_never_came():
    """In a block all rows are read before the first is learned."""
    block, loop = (
        BagOfWords(hash_bits=4) | LogisticRegression(labels=["a", "b"], scale=None) for _ in "ab"
    )
    rows = [{"n": 1.0}, {"text": "free", "n": 1e308}]
    with pytest.raises(ValueError, match=r"row 1: .* overflow"):
        block.learn_many(rows, ["a", "b"])
    loop.learn_one(rows[0], "a")
    with pytest.raises(ValueError, match="overflow"):
        loop.learn_one(rows[1], "b")
    assert dumps(block) == dumps(loop)
