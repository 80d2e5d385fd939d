"""The examples in the docstrings of the streams are true."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import onstream.streams

MODULES = [
    module.name
    for module in pkgutil.walk_packages(onstream.streams.__path__, "onstream.streams.")
    if not module.ispkg
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


READERS = [name for name in onstream.streams.__all__ if name.startswith(("read_", "from_"))]


@pytest.mark.parametrize("name", READERS)
def test_every_parameter_is_shown(name: str) -> None:
    reader = getattr(onstream.streams, name)
    taken = inspect.signature(reader).parameters
    assert {"skip", "limit", "shuffle", "seed", "epochs"} <= set(taken)
    assert ("on_error" in taken) == name.startswith("read_")
    for parameter in taken:
        assert f"\n{parameter} : " in reader.__doc__
    assert "common" not in taken
    assert doctest.DocTestFinder().find(reader)[0].examples
    with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword argument 'row'$"):
        reader("x.csv", row=1)
