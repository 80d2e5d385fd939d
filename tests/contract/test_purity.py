"""Prediction changes nothing, and neither does looking."""

import copy
from typing import Any

import numpy as np
import pytest

from .table import Case
from .tools import KINDS, fingerprint, learned, named, some_rows, streams, targets, views

X = some_rows(8)
UNKNOWN = [{f"unknown {i} {j}": 1.0 for j in range(10)} for i in range(500)]


def verbs(model: Any) -> list[str]:
    found = [v for v in dir(model) if v.startswith(("predict_", "score_")) and "learn" not in v]
    found = [v for v in found if hasattr(model, v)]  # some losses have no probabilities
    assert len(found) >= 4
    return found


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
def test_prediction_changes_nothing(case: Case) -> None:
    for model in (learned(case), named(case)):
        before = fingerprint(model)
        for verb in verbs(model):
            ask = getattr(model, verb)
            if verb.endswith("_one"):
                examples = [{"f1": 1.0}, {"new": 2.0, "f2": None}, {"s": "text"}, {}, X[0], {3: 1}]
                for x in examples:
                    ask(x)
                    assert fingerprint(model) == before, f"{verb}({x!r})"
            else:
                for kind, make in KINDS.items():
                    ask(make(X))
                    assert fingerprint(model) == before, f"{verb} of {kind}"


def test_prediction_on_a_new_model_changes_nothing(case: Case) -> None:
    model = case.make()
    before = fingerprint(model)
    for verb in verbs(model):
        for x in [{"new": 1.0}, X[0]] if verb.endswith("_one") else [UNKNOWN[:3], X, X[:, :3]]:
            getattr(model, verb)(x)
    assert fingerprint(model) == before
    model.learn_one(X[0, :3], streams(case)[0].y[0])  # the width of arrays is not settled either


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
def test_prediction_remembers_no_feature(case: Case) -> None:
    model = named(case)
    model.predict_one(UNKNOWN[0])
    model.score_many(UNKNOWN[:2])
    before = model.memory_bytes
    for x in UNKNOWN:
        model.predict_one(x)
    model.score_many(UNKNOWN)
    assert model.memory_bytes == before


def test_a_prediction_between_two_lessons_makes_no_difference(case: Case) -> None:
    quiet, asked = case.make(), case.make()
    pool = [f"f{j}" for j in range(12)]
    rng = np.random.default_rng(0)
    for target in targets(case, 200):
        names = rng.choice(pool, rng.integers(1, 4), replace=False).tolist()
        x = {name: 1.0 + float(rng.random()) for name in names}
        other = dict.fromkeys(rng.choice(pool, len(x), replace=False).tolist(), 1.0)
        for _ in range(2):
            quiet.learn_one(x, target)
            asked.learn_one(x, target)
            asked.score_many([other, {}])
            asked.predict_one({"gap": None, "and": None, "more": None, "gaps": None, **other})
        assert fingerprint(asked) == fingerprint(quiet)


def test_bad_questions_change_nothing(case: Case) -> None:
    model = learned(case)
    before = fingerprint(model)
    for verb in verbs(model):
        ask = getattr(model, verb)
        bad = [{"a": -np.inf}, {"a": np.inf}, {"a": []}, X[0, :3], None, 3.0, "text"]
        for x in bad:
            with pytest.raises((TypeError, ValueError), match=f"^{case.name}: "):
                ask([x] if verb.endswith("_many") and isinstance(x, dict) else x)
            assert fingerprint(model) == before


def test_looking_changes_nothing(case: Case) -> None:
    labels = {"labels": ["ham", "spam"]} if case.takes_labels else {}
    model = learned(case, **labels)
    before, told = fingerprint(model), copy.deepcopy(views(model))
    scribble(views(model))
    assert fingerprint(model) == before
    assert views(model) == told


def scribble(thing: Any) -> None:
    """Spoil everything that can be spoiled."""
    if isinstance(thing, dict):
        for value in thing.values():
            scribble(value)
        thing.clear()
    elif isinstance(thing, list):
        thing.append("mine")
    elif isinstance(thing, np.ndarray) and thing.flags.writeable:
        thing.fill(0)
