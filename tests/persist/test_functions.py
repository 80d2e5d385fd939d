"""Functions as parameters: no file holds them; `load` asks for them by name."""

import math
import pickle
from pathlib import Path

import pytest

import onstream
from onstream.persist import dumps, loads
from onstream.persist.format import ModelFileError

from .forge import Parts, put_together, take_apart


def learned(**params: object) -> onstream.Perceptron:
    model = onstream.Perceptron(**params)
    for i in range(5):
        model.learn_one({"a": 1.0, f"b{i}": 2.0}, "xy"[i % 2])
    return model


def test_they_must_be_given_again(tmp_path: Path) -> None:
    path = tmp_path / "model"
    model = learned(alpha=math.sqrt)
    onstream.save(model, path)
    with pytest.raises(ModelFileError, match=r"alpha.*load\(path, alpha=\.\.\.\)"):
        onstream.load(path)
    again = onstream.load(path, alpha=math.sqrt)
    assert again.params == model.params
    for twin in (again, model):
        twin.learn_one({"a": -1.0}, "x")
    assert dumps(again) == dumps(model)


def test_several() -> None:
    model = learned(alpha=math.sqrt, beta=math.log1p)
    for given in (
        {},
        {"alpha": math.sqrt},
        {"beta": math.log1p},
        {"alpha": math.sqrt, "beta": 5.0},
    ):
        with pytest.raises(ModelFileError, match=r"alpha|beta"):
            loads(dumps(model), **given)
    assert loads(dumps(model), alpha=math.sqrt, beta=math.log1p).params == model.params


def test_functions_that_nobody_asked_for() -> None:
    for model in (learned(), learned(alpha=math.sqrt)):
        needed = {"alpha": math.sqrt} if callable(model.alpha) else {}
        for extra in ("beta", "gamma", "metric", "cls", "init"):
            with pytest.raises((ModelFileError, TypeError), match=extra):
                loads(dumps(model), **needed, **{extra: math.sqrt})


def test_a_file_cannot_make_other_parameters_functions() -> None:
    parts = take_apart(dumps(learned()))
    for functions in (
        ["alpha"],
        ["intercept"],
        ["hash_bits"],
        ["no such"],
        ["alpha", "alpha"],
        [5],
        "alpha",
    ):
        header = {**parts.header, "functions": functions}
        data = put_together(Parts(header, parts.tensors))
        with pytest.raises(ModelFileError):
            loads(data)
        with pytest.raises(ModelFileError):
            loads(data, intercept=math.sqrt)


def test_a_number_and_a_function_differ() -> None:
    """The file says whether a parameter was a function; both cannot be."""
    parts = take_apart(dumps(learned(alpha=math.sqrt)))
    header = {**parts.header, "params": {**parts.header["params"], "alpha": 1.0}}
    with pytest.raises(ModelFileError):
        loads(put_together(Parts(header, parts.tensors)), alpha=math.sqrt)


def test_pickle_keeps_functions_that_it_knows() -> None:
    model = learned(alpha=math.sqrt)
    again = pickle.loads(pickle.dumps(model))
    assert again.params == model.params
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(learned(alpha=lambda t: 1.0))


def test_functions_that_fail_change_nothing() -> None:
    def fails(t: float) -> float:
        if t >= 6:
            raise RuntimeError(f"no step for {t}")
        return 1.0

    model = learned(alpha=fails)
    before = dumps(model)
    with pytest.raises(RuntimeError, match="no step for 6"):
        model.learn_one({"new": 1.0}, "z")
    with pytest.raises(RuntimeError, match="no step for 6"):
        model.learn_many([{"new": 1.0}, {"a": 1.0}], ["x", "y"])
    assert dumps(model) == before
    model.learn_one({"new": 1.0}, "z", 0.0)
    model.predict_one({"a": 1.0})


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, 0.0, "1", None, 1j])
def test_functions_that_answer_nonsense(value: object) -> None:
    model = learned(alpha=lambda t: 1.0 if t < 6 else value)
    before = dumps(model)
    with pytest.raises((TypeError, ValueError), match=r"^Perceptron: alpha"):
        model.learn_one({"new": 1.0}, "z")
    assert dumps(model) == before
