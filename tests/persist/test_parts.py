"""Learners and parts as parameters, and states inside states."""

from typing import Any

import numpy as np
import pytest

from onstream import LogisticRegression, PAClassifier
from onstream.base import Part, registry
from onstream.persist.format import CLASS, ModelFileError, from_json, join, split, to_json


class Width(Part):
    def __init__(self, *, of: Any = None, size: float = 1.0) -> None:
        self.of = of
        self.size = size


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.learners()
    monkeypatch.setitem(registry._parts, "Width", Width)


def test_parts_compare_by_their_parameters() -> None:
    assert Width(size=2.0) == Width(size=2.0) != Width()
    assert hash(Width(size=2.0)) == hash(Width(size=2.0))
    assert repr(Width(of=Width(), size=2.0)) == "Width(of=Width(), size=2.0)"
    assert Width() != 3


def test_parameters_of_our_classes_come_back() -> None:
    value = [Width(of=PAClassifier(C=0.5), size=2.0), 3, "x", None]
    back = from_json(to_json("Model", "steps", value))
    assert back[0] == value[0] or repr(back) == repr(value)
    assert type(back[0].of) is PAClassifier
    assert back[0].of.params == PAClassifier(C=0.5).params
    assert back[1:] == [3, "x", None]


def test_what_no_file_can_hold_is_refused() -> None:
    class Own(LogisticRegression):
        pass

    for bad, told in ((Width(of=abs), "function"), (Own(), "Own"), ([abs], "function")):
        with pytest.raises(TypeError, match=told):
            to_json("Model", "step", bad)


def test_broken_parameters_are_refused() -> None:
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    for bad in (
        {CLASS: "Width"},
        {CLASS: "os.system", "params": {}},
        {CLASS: "Width", "params": 3},
    ):
        with pytest.raises(ValueError, match=r"broken|unknown"):
            from_json(bad)
    with pytest.raises(ValueError, match="deeply"):
        from_json(deep)


def test_states_in_states_come_back() -> None:
    fields = {"n": 1, "a": {"w": np.ones(2), "b": {"names": ["x"], "empty": {}}}}
    tensors: dict[str, Any] = {}
    names: list[str] = []
    numbers = split(fields, "", tensors, names)
    assert names == ["a/b/names"]
    assert numbers == {"n": 1, "a": {"b": {"empty": {}}}}
    join(numbers, "a/w", tensors["a/w"])
    assert numbers["a"]["w"].tolist() == [1.0, 1.0]
    for bad, told in (
        ("a/w", "twice"),
        ("z/w", "nowhere"),
        ("n/w", "nowhere"),
        ("a/w/x", "nowhere"),
    ):
        with pytest.raises(ModelFileError, match=told):
            join(numbers, bad, np.ones(1))
