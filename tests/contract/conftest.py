"""Who takes a test: the name of its argument says it."""

import pytest

from .table import cases

CASES = cases()
TAKERS = {
    "case": CASES,  # every learner in every variant
    "learner": [case for case in CASES if not case.params],  # with its defaults
    "classifier": [case for case in CASES if case.classifies],
    "plain_classifier": [case for case in CASES if case.classifies and not case.params],
    "hashed": [case for case in CASES if case.hashed],
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for argument, takers in TAKERS.items():
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, takers, ids=repr)
