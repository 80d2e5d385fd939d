"""Who takes a test: the name of its argument says it.

Every learner takes every test with its defaults. Its other variants take the tests marked
`every_variant` at once, the rest with the slow tests (`make test-all`); so do learners with a
kernel for tests of very many rows.
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
    "nominal": [case for case in CASES if case.takes_nominal],
    "hashed": [case for case in CASES if case.hashed],
    "transformer": TRANSFORMERS,
}

LONG = ("test_threads", "test_sequences")  # many rows, so a matter of minutes for some


def costly(case: object) -> bool:
    """Does every prediction cost a kernel evaluation per support?"""
    return bool(getattr(case, "has", lambda name: False)("kernel"))


def doubted(case: object) -> list[pytest.MarkDecorator]:
    """Who learns from names or counts gets any numbers here, and may warn that they are none."""
    if getattr(getattr(case, "line", None), "numeric", True):
        return []
    return [pytest.mark.filterwarnings("ignore:.*a count is not below 0")]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for argument, takers in TAKERS.items():
        if argument in metafunc.fixturenames:
            thorough = metafunc.definition.get_closest_marker("every_variant")
            hurry = argument not in ("hashed", "anything", "transformer") and thorough is None
            long = metafunc.module.__name__.endswith(LONG)
            late = [(hurry and bool(case.params)) or (long and costly(case)) for case in takers]
            metafunc.parametrize(
                argument,
                [
                    pytest.param(
                        case, marks=[*doubted(case), *([pytest.mark.slow] if slow else [])]
                    )
                    for case, slow in zip(takers, late, strict=True)
                ],
                ids=repr,
            )
