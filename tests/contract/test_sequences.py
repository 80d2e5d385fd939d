"""Long sequences of anything: the model stays finite, saves and loads, and equals its shadow.

The shadow takes the same lessons one by one; it is never saved, copied or asked, and no bad
input reaches it.
"""

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from .table import Case
from .tools import assert_finite, attempt, fingerprint, reloaded

pytestmark = pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")  # names at random

values = st.one_of(
    st.floats(-5.0, 5.0),
    st.sampled_from([0.0, 1, True, None, "red", "blue", 1e-300, 1e100, -1e200, 1.7e308]),
)
rows = st.dictionaries(st.sampled_from(["a", "b", "c", "d", "e", 0, 1, "1", 2]), values, max_size=5)
bad_rows = st.sampled_from(
    [
        {"a": -math.inf},
        {"new": 1.0, "b": math.inf},
        {"a": []},
        {(): 1.0},
        None,
        "x",
        {"\ud800": 1.0},
    ]
)
weights = st.sampled_from([1.0, 1.0, 1.0, 0.0, 0.5, 3.0])
bad_weights = st.sampled_from([-1.0, math.nan, math.inf, "1", None, 10**400])
labels = st.sampled_from(["x", "y", "x", "y", "z", "u"])
targets = st.floats(-10.0, 10.0)


class Life(RuleBasedStateMachine):
    """Everything that can happen to a model."""

    case: Case

    @initialize()
    def begin(self) -> None:
        self.model, self.shadow = self.case.make(), self.case.make()
        self.target = labels if self.case.takes_labels else targets

    def learn(self, x: Any, y: Any, w: float) -> bool:
        """Teach the shadow; the same must happen to the model."""
        return attempt(self.shadow, "learn_one", x, y, w) is None

    @rule(x=rows, data=st.data(), w=weights)
    def learn_one(self, x: Any, data: st.DataObject, w: float) -> None:
        y = data.draw(self.target)
        accepted = self.learn(x, y, w)
        assert (attempt(self.model, "learn_one", x, y, w) is None) == accepted

    @rule(block=st.lists(st.tuples(rows, weights), max_size=4), data=st.data())
    def learn_many(self, block: list[Any], data: st.DataObject) -> None:
        X = [x for x, _ in block]
        w = [w for _, w in block]
        y = [data.draw(self.target) for _ in block]
        verb = data.draw(st.sampled_from(["learn_many", "predict_learn_many"]))
        accepted, seen, before = True, self.model.seen, copy.deepcopy(self.shadow)
        for lesson in zip(X, y, w, strict=True):
            accepted = accepted and self.learn(*lesson)
        assert (attempt(self.model, verb, X, y, w) is None) == accepted
        if self.model.seen == seen:  # a bad value: then nothing of the block was learned
            self.shadow = before

    @rule(x=st.lists(st.floats(-5.0, 5.0), min_size=3, max_size=3), data=st.data())
    def learn_array(self, x: list[float], data: st.DataObject) -> None:
        y = data.draw(self.target)
        accepted = self.learn(np.array(x), y, 1.0)
        assert (attempt(self.model, "learn_many", np.array([x]), [y]) is None) == accepted

    @rule(x=st.one_of(rows, bad_rows))
    def ask(self, x: Any) -> None:
        for verb in ("predict_one", "score_one"):
            attempt(self.model, verb, x)
        attempt(self.model, "score_many", [x, {}])

    @rule(x=bad_rows, data=st.data())
    def teach_nonsense(self, x: Any, data: st.DataObject) -> None:
        y = data.draw(self.target)
        assert attempt(self.model, "learn_one", x, y)
        assert attempt(self.model, "learn_many", [{"a": 1.0}, x], [y, y])
        assert attempt(self.model, "learn_one", {"new": 1.0}, y, data.draw(bad_weights))
        if self.case.takes_targets:
            assert attempt(self.model, "learn_one", {"new": 1.0}, b"no label")
            assert attempt(self.model, "learn_many", [{"new": 1.0}] * 2, [y])
        assert attempt(self.model, "merge", self.model)

    @rule(how=st.sampled_from([reloaded, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]))
    def copy(self, how: Any) -> None:
        self.model = how(self.model)

    @rule()
    def start_from_itself(self) -> None:
        self.model = self.case.make(init=self.model)

    @rule()
    def clone(self) -> None:
        clone = self.model.clone()
        assert clone.seen == 0
        clone.learn_one({"only the clone": 1.0}, "v" if self.case.takes_labels else 1.0)

    @rule(data=st.data(), block=st.lists(rows, max_size=3))
    def merge(self, data: st.DataObject, block: list[Any]) -> None:
        other = self.case.make()
        for x in block:
            attempt(other, "learn_one", x, data.draw(self.target))
        before = fingerprint(self.model)
        merged = attempt(self.model, "merge", other)
        assert attempt(self.shadow, "merge", other) == merged
        if merged:
            assert fingerprint(self.model) == before

    @invariant()
    def nothing_is_broken(self) -> None:
        if hasattr(self, "model"):
            assert_finite(self.model)
            print_ = fingerprint(self.model)
            assert fingerprint(reloaded(self.model)) == print_
            assert fingerprint(self.shadow) == print_


def test_a_long_life(case: Case) -> None:
    quick = settings(
        max_examples=max(8, settings().max_examples // 4),
        stateful_step_count=25,
        phases=set(Phase) - {Phase.shrink},  # it takes minutes
    )
    run_state_machine_as_test(type("Life", (Life,), {"case": case}), settings=quick)
