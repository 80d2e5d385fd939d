"""Classes that users derive from a learner: they are learners like any other."""

import copy
import dataclasses
import inspect
import pickle
from typing import Any

import numpy as np
import pytest

from onstream.base import Part
from onstream.features import StandardScaler
from onstream.kernel import RBF
from onstream.linear import PAClassifier, PARegressor

ZEROS = np.zeros(2)


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


@pytest.mark.parametrize("verb", ["predict_one", "score_one"])
def test_a_verb_of_another_class(verb: str) -> None:
    for stranger in (PARegressor(), StandardScaler()):
        with pytest.raises(TypeError):
            getattr(PAClassifier, verb)(stranger, {"a": 1.0})
    with pytest.raises(TypeError):
        StandardScaler.transform_one(PARegressor(), {"a": 1.0})


def test_parameters_of_bases_go_by_name() -> None:
    class Scaled(RBF):
        def __init__(self, *, scale: float = 1.0, **options: Any) -> None:
            self.scale = scale
            super().__init__(**options)

    kinds = {p.name: p.kind for p in inspect.signature(Scaled).parameters.values()}
    assert kinds == dict.fromkeys(("scale", "gamma"), inspect.Parameter.KEYWORD_ONLY)
    assert Scaled(gamma=2.0).params == {"scale": 1.0, "gamma": 2.0}


def test_a_docstring_may_say_anything_of_a_default() -> None:
    class Moody(PAClassifier):
        """Mine.

        Parameters
        ----------
        mood : str, default good (no limit)
            How it feels.
        """

        def __init__(self, *, mood: Any = ZEROS, C: float = 0.5, **options: Any) -> None:
            self.mood = mood
            super().__init__(C=C, **options)

    class Strict(PAClassifier):
        """C must be given."""

        def __init__(self, *, C: float, **options: Any) -> None:
            super().__init__(C=C, **options)

    assert "C : float > 0, default 1.0" in Strict.__doc__
    assert "mood : str, default good (no limit)" in Moody.__doc__
    assert "C : float > 0, default 0.5" in Moody.__doc__


def test_a_decorator_may_write_the_constructor() -> None:
    @dataclasses.dataclass(eq=False)
    class Named(Part):
        size: int = 3

    assert Named(4).params == {"size": 4}
    assert str(inspect.signature(Named)) == "(size: int = 3) -> None"


def test_what_predicts_may_ask_for_scores() -> None:
    class Clipped(PARegressor):
        def predict_many(self, X: Any) -> Any:
            return np.clip(self.score_many(X), 0.0, 1.0)

    model = Clipped()
    model.learn_many([[1.0]], [5.0])
    assert model.predict_many([[1.0]]).tolist() == [1.0]
    assert model.score_many([[1.0]])[0] > 0.4
