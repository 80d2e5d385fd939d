"""Reading a saved state with suspicion."""

import math
from typing import Any

import numpy as np
import pytest

from onstream.core.state_reader import StateReader


def test_whole_numbers() -> None:
    assert StateReader({"n": 5}).integer("n", 0) == 5
    for bad in (-1, 6, 1.0, "1", None, True, 2**70, [1]):
        with pytest.raises(ValueError, match="n is"):
            StateReader({"n": bad}).integer("n", 0, 5)


def test_arrays() -> None:
    good = np.ones((2, 3))
    assert StateReader({"a": good}).array("a", (2, 3)) is good
    bad: list[Any] = [
        np.ones((3, 2)),
        np.ones(6),
        np.ones((2, 3), dtype="f4"),
        np.ones((2, 3), dtype=int),
        np.full((2, 3), np.nan),
        np.full((2, 3), np.inf),
        [[1.0] * 3] * 2,
        None,
        5.0,
    ]
    for value in bad:
        with pytest.raises(ValueError, match="a "):
            StateReader({"a": value}).array("a", (2, 3))


def test_flags() -> None:
    for good in (True, False, None):
        assert StateReader({"f": good}).flag("f") is good
    for bad in (0, 1, "true", 1.0):
        with pytest.raises(ValueError, match="f is"):
            StateReader({"f": bad}).flag("f")


def test_names() -> None:
    assert StateReader({"n": ["a", 1]}).names("n", (str, int)) == ["a", 1]
    for bad in (("a",), "a", ["a", None], [1.5], None, [True]):
        with pytest.raises(ValueError, match="n "):
            StateReader({"n": bad}).names("n", (str, int))


def test_missing_and_left_over() -> None:
    fields = StateReader({"a": 1, "b": 2})
    with pytest.raises(ValueError, match="c is missing"):
        fields.integer("c", 0)
    fields.integer("a", 0)
    with pytest.raises(ValueError, match="unexpected field 'b'"):
        fields.done()
    with pytest.raises(ValueError, match="a is missing"):
        fields.integer("a", 0)  # once only
    fields.integer("b", 0)
    fields.done()


def test_the_callers_dict_is_not_changed() -> None:
    given = {"a": 1}
    StateReader(given).integer("a", 0)
    assert given == {"a": 1}
    assert math.isfinite(given["a"])


def test_integer_arrays() -> None:
    good = np.arange(6).reshape(2, 3)
    assert StateReader({"a": good}).integers("a", (2, -1), 0, 5) is good
    for bad in (good.astype("i4"), good.ravel(), good + 1, good - 1, [0], None):
        with pytest.raises(ValueError, match="a "):
            StateReader({"a": bad}).integers("a", (2, -1), 0, 5)


def test_states_inside_states() -> None:
    child = StateReader({"inner": {"n": 1, "more": 2}}).child("inner")
    assert child.integer("n", 0) == 1
    with pytest.raises(ValueError, match="more"):
        child.done()
    for bad in (None, 3, [1]):
        with pytest.raises(ValueError, match="inner is"):
            StateReader({"inner": bad}).child("inner")


def test_words() -> None:
    assert StateReader({"w": "a"}).text("w", ("a", "b")) == "a"
    for bad in ("c", None, 3):
        with pytest.raises(ValueError, match="w is"):
            StateReader({"w": bad}).text("w", ("a", "b"))
