"""Which learners take a test: the name of its argument says it.

Every learner takes every test with its defaults. Its other variants take the tests marked
`every_variant` at once, the rest with the slow tests (`make test-all`); so do learners with a
kernel for tests of very many rows.

A test that does not apply to some learners has an argument of its own here instead of an early
`return`: a learner that is not tested must not count as one that passed.
"""

import pytest

from .table import TRANSFORMERS, cases

EVERY = cases()
CASES = [case for case in EVERY if not case.line.given]
DEFAULTS = [case for case in CASES if case.usual]
TAKERS = {
    "anything": [case for case in EVERY if case.usual or case.line.given],
    "given": [case for case in EVERY if case.line.given],  # made of functions of the user
    "case": CASES,  # every learner in every variant
    "classifier": [case for case in CASES if case.classifies],
    "regressor": [case for case in CASES if case.regresses],
    "predictor": [case for case in CASES if case.classifies or case.regresses],
    "targeted": [case for case in CASES if case.takes_targets],
    "mergeable": [case for case in CASES if case.mergeable],
    "mergeable_classifier": [case for case in CASES if case.mergeable and case.classifies],
    "probabilistic": [case for case in CASES if case.classifies and case.has_probabilities],
    "unsure": [case for case in CASES if case.classifies and not case.has_probabilities],
    "weighted": [case for case in CASES if case.has_weights],
    "nominal": [case for case in CASES if case.takes_nominal],
    "hashed": [case for case in CASES if case.hashed],
    "unhashed": [case for case in CASES if not case.hashed],
    # with their defaults only
    "learner": DEFAULTS,
    "plain_classifier": [case for case in DEFAULTS if case.classifies],
    "plain_regressor": [case for case in DEFAULTS if case.regresses],
    "plain_predictor": [case for case in DEFAULTS if case.classifies or case.regresses],
    "plain_labelled": [case for case in DEFAULTS if case.takes_labels],
    "plain_mergeable": [case for case in DEFAULTS if case.mergeable],
    "plain_mergeable_classifier": [c for c in DEFAULTS if c.mergeable and c.classifies],
    "transformer": TRANSFORMERS,
}

LONG = ("test_threads", "test_sequences")  # many rows: minutes for learners with a kernel


def costly(case: object) -> bool:
    """Does every prediction cost a kernel evaluation per support?"""
    return bool(getattr(case, "has", lambda name: False)("kernel"))


def doubted(case: object) -> list[pytest.MarkDecorator]:
    """A learner of names or counts gets any numbers here, and may warn about them."""
    if getattr(getattr(case, "line", None), "numeric", True):
        return []
    return [pytest.mark.filterwarnings("ignore:.*a count is not below 0")]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for argument, takers in TAKERS.items():
        if argument in metafunc.fixturenames:
            thorough = metafunc.definition.get_closest_marker("every_variant")
            hurry = (
                argument not in ("hashed", "anything", "given", "transformer") and thorough is None
            )
            long = metafunc.module.__name__.endswith(LONG)
            late = [(hurry and not case.usual) or (long and costly(case)) for case in takers]
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
