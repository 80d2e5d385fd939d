"""Docstrings: every parameter with its default, a reference, an example that is true."""

import ast
import inspect
import re

import onstream

from ..docstrings import check_examples
from .table import Case


def documented(cls: type) -> dict[str, str]:
    """Parameter to what the docstring says of it, from the section of that name."""
    text = inspect.getdoc(cls) or ""
    found = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", text, re.S | re.M)
    assert found, "there is no section Parameters"
    entries = re.findall(r"^(\w+) : ([^\n]*)\n((?:    [^\n]*\n?)*)", found[1], re.M)
    return {name: f"{kind}\n{description}" for name, kind, description in entries}


def test_parameters_and_defaults(anything: Case) -> None:
    told = documented(anything.cls)
    signature = inspect.signature(anything.cls).parameters
    assert list(told) == list(signature), "the same parameters in the same order"
    for name, parameter in signature.items():
        kind, description = told[name].split("\n", 1)
        assert len(description.split()) >= 3, f"{name}: what does it do?"
        if name in anything.line.given:
            continue
        found = re.search(r", default (.+)$", kind)
        assert found, f"{name}: the default is missing"
        assert ast.literal_eval(found[1]) == parameter.default, name


def test_first_line_and_reference(anything: Case) -> None:
    text = inspect.getdoc(anything.cls) or ""
    first = text.split("\n\n")[0]
    assert first.endswith("."), "the first paragraph is no sentence"
    assert first.count("\n") <= 1, "the first paragraph has more than two lines"
    assert re.search(r"\b(19|20)\d\d\b", text.split("Parameters")[0]), "no reference with a year"


def test_examples_are_true(anything: Case) -> None:
    text = inspect.getdoc(anything.cls) or ""
    assert re.search(r"^Examples\n-+\n", text, re.M), "there is no section Examples"
    check_examples(anything.cls, **{name: getattr(onstream, name) for name in onstream.__all__})


def test_verbs_are_described(anything: Case) -> None:
    for name in dir(anything.cls):
        thing = inspect.getattr_static(anything.cls, name)
        if not name.startswith("_") and (callable(thing) or isinstance(thing, property)):
            assert inspect.getdoc(getattr(anything.cls, name)), f"{name} has no docstring"


VERBS = {
    "learn_one": ["x", "y", "w"],
    "predict_one": ["x"],
    "score_one": ["x"],
    "learn_many": ["X", "y", "w"],
    "predict_many": ["X"],
    "score_many": ["X"],
    "predict_learn_many": ["X", "y", "w", "output"],
    "merge": ["other"],
}


def test_verbs_have_the_signatures_of_the_contract(anything: Case) -> None:
    for verb, arguments in VERBS.items():
        signature = inspect.signature(getattr(anything.cls, verb)).parameters
        assert list(signature)[1:] == arguments, verb
    learn = inspect.signature(anything.cls.learn_one).parameters
    assert learn["w"].default == 1.0
    many = inspect.signature(anything.cls.predict_learn_many).parameters
    assert many["w"].default is None
    assert many["output"].default == "label"
