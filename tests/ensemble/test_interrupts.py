"""Ctrl-C while an ensemble makes a model: it comes through, and the state is that of whole rows."""

import signal
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest

from onstream.ensemble import (
    AdaptiveRandomForestClassifier,
    ADWINBoosting,
    DriftRetraining,
    LeveragingBagging,
    StreamingGradientBoostingClassifier,
)
from onstream.persist import dumps
from onstream.select import EvolvingClassifier
from onstream.streams import SEA
from onstream.tree import HoeffdingTreeClassifier

ROWS, Y = SEA(1, seed=1).block(3000)
X = np.asarray(ROWS)
Y = np.where(np.arange(3000) < 1500, Y, 1 - Y)  # after the change all answers are wrong
TREE = HoeffdingTreeClassifier(grace_period=50)
TREES = "onstream.tree.hoeffding_tree_classifier.HoeffdingTreeClassifier._new_state"
Make = Callable[[], Any]
MODELS: dict[str, tuple[Make, str]] = {  # and what it calls to make another model
    "forest": (
        lambda: AdaptiveRandomForestClassifier(n_models=2, seed=1),
        "onstream.ensemble.forest.SubspaceTreeState",
    ),
    "forest in threads": (
        lambda: AdaptiveRandomForestClassifier(n_models=2, n_jobs=2, seed=1),
        "onstream.ensemble.forest.SubspaceTreeState",
    ),
    "leveraging": (lambda: LeveragingBagging(TREE, n_models=2, seed=1), TREES),
    "retraining": (lambda: DriftRetraining(TREE), TREES),
    "ADWIN boosting": (lambda: ADWINBoosting(TREE, n_models=2, seed=1), TREES),
    "boosting": (
        lambda: StreamingGradientBoostingClassifier(n_models=3, seed=1),
        "onstream.ensemble.boosting.BoostedTreeState",
    ),
    "selection": (
        lambda: EvolvingClassifier(population=3, interval=100, seed=1),
        "onstream.select.search.mutate",
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_ctrl_c_while_a_model_is_made(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, place = MODELS[name]
    model = make()
    model.learn_many(X[:10], Y[:10])
    interrupted: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(place, interrupting(place, interrupted))
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                learn(model, 10)
        finally:
            signal.signal(signal.SIGINT, before)
    assert interrupted == [place]
    assert model.seen < 3000
    twin = make()
    twin.learn_many(X[: model.seen], Y[: model.seen])
    assert dumps(model) == dumps(twin)
    learn(model, model.seen)  # and goes on
    learn(twin, twin.seen)
    assert dumps(model) == dumps(twin)


def learn(model: Any, start: int) -> None:
    for at in range(start, 3000, 100):
        model.learn_many(X[at : at + 100], Y[at : at + 100])


def interrupting(place: str, interrupted: list[str]) -> Any:
    """What stands at a place, with Ctrl-C in the middle of its first call."""
    called = resolve_name(place)

    def call(*arguments: Any, **options: Any) -> Any:
        if not interrupted:
            interrupted.append(place)
            signal.raise_signal(signal.SIGINT)
        for _ in range(100):  # a signal is handled between steps of Python code
            pass
        return called(*arguments, **options)

    return call
