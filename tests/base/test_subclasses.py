"""Classes that users derive from a learner: they are learners like any other."""

import copy
import pickle
from typing import Any

import pytest

from onstream.linear import PAClassifier


class Open(PAClassifier):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)


class Extended(PAClassifier):
    def __init__(self, *, note: str = "none", **options: Any) -> None:
        super().__init__(**options)
        self.note = note


class Forgetful(PAClassifier):
    def __init__(self, *, strength: float = 1.0) -> None:
        super().__init__(C=strength)


class Unmade(PAClassifier):
    def __init__(self) -> None:
        pass


def pickled(model: Any) -> Any:
    return pickle.loads(pickle.dumps(model))


def test_options_handed_on_are_parameters() -> None:
    model = Open(C=2.0)
    assert model.params == PAClassifier(C=2.0).params
    assert repr(model) == "Open(C=2.0)"
    assert model.clone(variant="PA").variant == "PA"


def test_a_parameter_may_be_set_after_the_others() -> None:
    model = Extended(note="mine", C=0.5)
    assert model.params == {**PAClassifier(C=0.5).params, "note": "mine"}
    with pytest.raises(AttributeError, match="note is fixed"):
        model.note = "yours"
    with pytest.raises(AttributeError, match="C is fixed"):
        model.C = 2.0


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_copies_keep_what_was_noted(copied: Any) -> None:
    model = Extended(note="mine")
    model.learn_one({"a": 1.0}, "x")
    model.learn_one({"a": -1.0}, "y")
    model.tag = ["kept"]
    twin = copied(model)
    assert type(twin) is Extended
    assert (twin.note, twin.tag, twin.weights) == ("mine", ["kept"], model.weights)
    twin.learn_one({"b": 1.0}, "x")
    assert model.seen == 2


def test_a_parameter_that_is_not_kept_is_named() -> None:
    with pytest.raises(AttributeError, match=r"Forgetful: .* set self\.strength"):
        repr(Forgetful(strength=2.0))


def test_a_learner_that_was_never_made() -> None:
    for verb in ("learn_one", "learn_many"):
        with pytest.raises((TypeError, AttributeError)):
            getattr(Unmade(), verb)({"a": 1.0}, True)
    with pytest.raises(TypeError, match=r"Unmade: its __init__"):
        Unmade().predict_one({"a": 1.0})
    with pytest.raises(TypeError):
        PAClassifier.predict_one(42, {"a": 1.0})  # type: ignore[arg-type]
