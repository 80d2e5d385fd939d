"""How a frame stores its texts is nobody's business: categories are learned as plain texts are."""

import functools
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from onstream.bayes import CategoricalNB
from onstream.features import StandardScaler
from onstream.linear import PAClassifier

from .table import Case
from .tools import fingerprint, targets

SIZES = (5, 100, 200, 40_000)  # pandas numbers them with 8, 8, 16 and 32 bits


@functools.cache
def frames(gaps: bool, rows: int = 60) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The same texts as categories and as objects, among numbers."""
    rng = np.random.default_rng(3)
    coded = pd.DataFrame({f"n{j}": rng.normal(size=rows) for j in range(3)})
    for size in SIZES:
        codes = rng.integers(0, size, rows)
        codes[:2] = 0, size - 1
        codes[5:8] = -1 if gaps else 0
        names = [f"v{i}" for i in range(size)]
        coded[f"of {size}"] = pd.Categorical.from_codes(codes, names)
    texts = {f"of {size}": coded[f"of {size}"].astype(object) for size in SIZES}
    return coded, coded.assign(**texts)


@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "with gaps"])
def test_categories_are_learned_as_texts_are(case: Case, gaps: bool) -> None:
    coded, plain = frames(gaps)
    y = targets(case, len(coded))
    one, other = case.make(), case.make()
    for verb in ("predict_learn_many", "learn_many"):
        answers = [getattr(one, verb)(coded, y), getattr(other, verb)(plain, y)]
        if answers[0] is not None:
            np.testing.assert_array_equal(*answers)
    assert fingerprint(one) == fingerprint(other)
    np.testing.assert_array_equal(one.score_many(coded), other.score_many(plain))
    np.testing.assert_array_equal(one.score_many(plain), other.score_many(coded))


def test_categories_go_through_a_step_as_texts_do(learner: Case) -> None:
    if not (learner.classifies or learner.regresses):
        pytest.skip("it ends no pipeline")
    coded, plain = frames(True)
    y = targets(learner, len(coded))
    one, other = (StandardScaler() | learner.make() for _ in range(2))
    one.learn_many(coded, y)
    other.learn_many(plain, y)
    np.testing.assert_array_equal(one.score_many(coded), other.score_many(plain))


@pytest.mark.parametrize("cls", [PAClassifier, CategoricalNB])
def test_dictionaries_of_several_chunks_are_put_together(cls: Any) -> None:
    chunks = [
        pa.DictionaryArray.from_arrays(
            pa.array(range(100), pa.int8()), [f"{part}{i}" for i in range(100)]
        )
        for part in "abc"
    ]
    coded = pa.table({"c": pa.chunked_array(chunks)})
    plain = pa.table({"c": pa.chunked_array(chunks).cast(pa.string())})
    y = np.arange(300) % 3
    one, other = cls(), cls()
    one.learn_many(coded, y)
    other.learn_many(plain, y)
    assert fingerprint(one) == fingerprint(other)
