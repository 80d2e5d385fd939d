"""Who takes a test: the name of its argument says it.

Every learner takes every test with its defaults. Its other variants take the tests marked
`every_variant` at once, the rest with the slow tests (`make test-all`).
"""

import pytest

from .table import TRANSFORMERS, cases

EVERY = cases()
CASES = [case for case in EVERY if not case.line.given]
TAKERS = {
    "anything": [case for case in EVERY if not case.params or case.line.given],
    "case": CASES,  # every learner in every variant
    "learner": [case for case in CASES if not case.params],  # with its defaults
    "classifier": [case for case in CASES if case.classifies],
    "plain_classifier": [case for case in CASES if case.classifies and not case.params],
    "hashed": [case for case in CASES if case.hashed],
    "transformer": TRANSFORMERS,
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for argument, takers in TAKERS.items():
        if argument in metafunc.fixturenames:
            thorough = metafunc.definition.get_closest_marker("every_variant")
            hurry = argument not in ("hashed", "anything", "transformer") and thorough is None
            metafunc.parametrize(
                argument,
                [
                    pytest.param(case, marks=pytest.mark.slow if hurry and case.params else ())
                    for case in takers
                ],
                ids=repr,
            )
