"""A few cases of every fuzzer; `make fuzz` runs many."""

from importlib import import_module

import pytest
from tests.fuzz.running import case, fuzzers


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
@pytest.mark.parametrize("name", fuzzers())
def test_a_few_cases(name):
    fuzzer = import_module(f"tests.fuzz.{name}")
    for i in range(getattr(fuzzer, "FEW", 100)):
        try:
            fuzzer.attempt(case(0, name, i))
        except BaseException as error:
            error.add_note(f"case {i} of python -m tests.fuzz {name}")
            raise
