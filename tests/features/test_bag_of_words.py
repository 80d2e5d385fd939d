import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from onstream.features import BagOfWords, StandardScaler
from onstream.linear import LogisticRegression, PAClassifier
from onstream.persist import dumps, loads

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
    assert words(x) == {"free": 1.0, "offer": 1.0, "length": 10.0, "kind=mail": 1.0}
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
    for params in ({"on": 3}, {"ngrams": 2}, {"ngrams": (2, 1)}, {"fold": 1}, {"hash_bits": 0}):
        with pytest.raises((TypeError, ValueError), match="BagOfWords: "):
            BagOfWords(**params)
