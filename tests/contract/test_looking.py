"""Whoever looks at a model waits while a block is being written into it, without the GIL."""

import copy
import inspect
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from onstream.features import MinMaxScaler, StandardScaler
from onstream.linear import PAClassifier
from onstream.persist import dumps
from onstream.tree import HoeffdingTreeClassifier

from .steering import Job, asleep, held
from .table import Case
from .tools import learned

# What tells nothing of what was learned.
APART = {
    "params",
    "clone",
    "merge_kind",
    "steps",
    "parts",
    "predict_proba_one",
    "predict_proba_many",
}
NOTHING_THERE = {("FOGD", "supports")}
SPECIAL = ("__reduce__", "_repr_html_")


def looks(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every public property, and every public method that needs no argument."""
    for name in dir(type(model)):
        if (name.startswith("_") and name not in SPECIAL) or name in APART:
            continue
        if (type(model).__name__, name) in NOTHING_THERE:
            continue
        found = inspect.getattr_static(type(model), name)
        if isinstance(found, property):
            yield name, lambda name=name: getattr(model, name)  # type: ignore[misc]
        elif callable(found) and not isinstance(found, type):
            try:
                inspect.signature(getattr(model, name)).bind()
            except TypeError:
                continue
            yield name, lambda name=name: getattr(model, name)()  # type: ignore[misc]
    yield "dumps", lambda: dumps(model)
    yield "pickle", lambda: pickle.dumps(model)
    yield "deepcopy", lambda: copy.deepcopy(model)
    if hasattr(model, "predict_one"):
        yield "predict_one", lambda: model.predict_one({})
        yield "score_one", lambda: model.score_one({})
        yield "predict_many", lambda: model.predict_many([{}])
        yield "score_many", lambda: model.score_many([{}])
    else:
        yield "transform_one", lambda: model.transform_one({})
        yield "transform_many", lambda: model.transform_many([{}])
    for name, argument in (("explain_one", {}), ("predict_distribution", {})):
        if hasattr(model, name):
            yield name, lambda name=name, x=argument: getattr(model, name)(x)  # type: ignore[misc]


def assert_all_wait(model: Any) -> None:
    for name, look in looks(model):
        with held(model):
            job = Job(look)
            waited = asleep(model, [job])
        job.end()
        assert waited, f"{name} does not wait"


def test_whoever_looks_at_a_learner_waits(learner: Case) -> None:
    assert_all_wait(learned(learner))


def test_whoever_looks_at_a_transformer_waits(transformer: Any) -> None:
    model = transformer.clone()
    X = np.random.default_rng(0).normal(size=(20, 3))
    model.learn_many([dict(enumerate(row)) for row in X.tolist()])  # texts have no arrays
    assert_all_wait(model)


def test_whoever_looks_at_a_pipeline_waits() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    for last in (PAClassifier(), HoeffdingTreeClassifier(), MinMaxScaler()):
        model = StandardScaler() | last
        model.learn_many(X, *([] if isinstance(last, MinMaxScaler) else [X[:, 0] > 0.0]))
        assert_all_wait(model)


def test_there_is_something_to_look_at() -> None:
    """The search finds properties and methods."""
    found = {name for name, _ in looks(HoeffdingTreeClassifier())}
    assert {"seen", "memory_bytes", "labels", "n_nodes", "depth", "to_text", "to_dot"} <= found
    assert {"feature_importances", "_repr_html_", "__reduce__", "dumps"} <= found
