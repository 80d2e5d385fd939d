"""Parameters: fixed when the learner is made; clone, repr."""

import inspect
import math
import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import pytest

from onstream.persist import dumps

from .table import Case
from .tools import fingerprint, learned, targets


def test_parameters_are_those_of_the_constructor(case: Case) -> None:
    model = case.make()
    signature = inspect.signature(case.cls).parameters
    names = [name for name in signature if name not in ("init", "reset_schedule")]
    assert list(model.params) == names
    for name, value in model.params.items():
        assert value == case.params.get(name, signature[name].default)
        if name != "labels":
            assert getattr(model, name) == value


def test_parameters_are_fixed(case: Case) -> None:
    for model in (case.make(), learned(case)):
        before, params = fingerprint(model), model.params
        for name in params:
            with pytest.raises(AttributeError):
                setattr(model, name, params[name])
        for view in ("params", "seen", "memory_bytes"):
            with pytest.raises(AttributeError):
                setattr(model, view, 0)
        assert model.params == params
        assert fingerprint(model) == before


def test_clone_with_changes(case: Case) -> None:
    model = learned(case)
    changes: dict[str, Any] = {
        "intercept": not model.params.get("intercept"),
        "hash_bits": 7,
        "hash_seed": 99,
    }
    for name, value in changes.items():
        if case.has(name):
            copy = model.clone(**{name: value})
            assert copy.params == {**model.params, name: value}
            assert copy.seen == 0
    with pytest.raises(TypeError):
        model.clone(no_such_parameter=1)
    warm = model.clone(init=model)
    assert fingerprint(warm) == fingerprint(model)


def test_repr_can_be_typed_in_again(case: Case) -> None:
    for model in (case.make(), learned(case)):
        text = repr(model)
        assert text.startswith(f"{case.name}(")
        if case.functions:
            continue  # a function has no name that could be typed
        family = ".".join(case.cls.__module__.split(".")[:2])
        again = eval(text, {**vars(import_module(family))})
        assert again.params == model.params
        assert fingerprint(again) == fingerprint(case.make())
    assert repr(case.cls()) == f"{case.name}()"
    if case.has("labels"):
        model = case.make(labels=["a", "b"])
        assert "labels=['a', 'b']" in repr(model)


def test_parameters_are_keywords(learner: Case) -> None:
    for name, parameter in inspect.signature(learner.cls).parameters.items():
        wraps = name == "learner"  # what an ensemble is made of may come first, without its name
        assert wraps or parameter.kind is inspect.Parameter.KEYWORD_ONLY, name
        assert parameter.default is not inspect.Parameter.empty, name
    with pytest.raises(TypeError):
        learner.cls(1.0)
    with pytest.raises(TypeError):
        learner.cls(no_such_parameter=1.0)


NO_NUMBERS = (math.nan, math.inf, -math.inf, 10**400, "1", b"1", None, [], 1j, True)


def test_bad_parameters_are_refused_by_name(learner: Case) -> None:
    """No number may be NaN, infinite or text; no flag may be a number; no word is made up."""
    for name, parameter in inspect.signature(learner.cls).parameters.items():
        default = parameter.default
        bad: Sequence[Any] = ()
        if isinstance(default, bool):
            bad = (0, 1, None, "yes")
        elif isinstance(default, (int, float)):
            said = re.search(rf"^ *{name} : .* or infinity", learner.cls.__doc__, re.MULTILINE)
            none = re.search(rf"^ *{name} : .* or None", learner.cls.__doc__, re.MULTILINE)
            allowed = [math.inf] * bool(said) + [None] * bool(none)
            bad = [value for value in NO_NUMBERS if value not in allowed]
        elif isinstance(default, str):
            said = re.search(rf"^ *{name} : .* or None", learner.cls.__doc__, re.MULTILINE)
            bad = ["no such word", "", 0, default.swapcase(), [], *([] if said else [None])]
        for value in bad:
            with pytest.raises((TypeError, ValueError), match=f"^{learner.name}: {name}"):
                learner.make(**{name: value})


def test_learners_of_the_users_own(case: Case) -> None:
    """A subclass works; a file could not say what it is."""

    class Mine(case.cls):
        """Another name."""

    model = Mine(**case.params)
    model.learn_one({"a": 1.0}, targets(case, 1)[0])
    assert model.seen == 1
    assert type(model.clone()) is Mine
    assert repr(model).startswith("Mine(")
    with pytest.raises(TypeError, match="Mine"):
        dumps(model)
