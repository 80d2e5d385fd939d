"""Every public learner stands in the contract table, and nothing else."""

import pytest

import onstream
from onstream.base import learners

from .table import TABLE, TRANSFORMERS


@pytest.mark.parametrize("name", learners())
def test_every_learner_has_a_line(name: str) -> None:
    assert (name in TABLE) != (name in {type(t).__name__ for t in TRANSFORMERS}), (
        f"{name} is not tested. Add a line to TABLE in tests/contract/tables/<family>.py: "
        f'"{name}": Line(stream, score, variants). A transformer stands in TRANSFORMERS there.'
    )


def test_every_line_has_a_learner() -> None:
    assert set(TABLE) <= set(learners())


def test_learners_at_the_top_are_registered() -> None:
    top = {name: getattr(onstream, name) for name in onstream.__all__}
    classes = {name for name, thing in top.items() if hasattr(thing, "learn_one")}
    assert classes <= set(learners())
