"""The examples in the docstrings of the streams are true."""

import doctest
import importlib
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
