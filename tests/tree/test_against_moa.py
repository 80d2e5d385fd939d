"""The options that make MOA's tree, answer by answer: tests/oracles/moa.py."""

from typing import Any

import numpy as np
import pytest

from onstream.tree import VFDT

from ..oracles import moa

MOAS: Any = {"leaf_prediction": "mc", "seed_children": True, "labels": [0, 1, 2]}


def differing(model: Any, learner: str) -> Any:
    """The examples before which the two answer otherwise; before the first, ours has no answer."""
    rows, labels = moa.stream(moa.LEARNERS[learner][1])
    told = model.predict_learn_many(rows, labels)
    assert model.n_nodes > 3
    return np.flatnonzero(np.array(told[1:]) != np.array(moa.answers(learner)[1:])) + 1


@pytest.mark.parametrize("split", ["branches", "binary"])
def test_seeded_children_are_moas(split: str) -> None:
    learner = f"tree, {split}"
    assert not len(differing(VFDT(nominal_split=split, **MOAS), learner))
    empty = VFDT(nominal_split=split, **{**MOAS, "seed_children": False})
    assert len(differing(empty, learner))


def test_ties_that_go_to_the_first_are_moas() -> None:
    for ties, alike in (("first", True), ("parent", False)):
        model = VFDT(ties=ties, **MOAS)
        assert (len(differing(model, "tree, small leaves")) == 0) == alike
