"""Metrics: random labels, numbers and scores, in any order of update, update_many, merge, copies.

Beside each metric runs a list of the examples it was given; from time to time a new metric is fed
this list, one by one, and must say the same. Values lie in their range.
"""

import copy
import math
import pickle
from random import Random
from typing import Any

import numpy as np

from onstream import evaluate
from onstream.evaluate import ROCAUC, KappaM, KappaT, Metric

FEW = 150
METRICS = [
    cls
    for cls in vars(evaluate).values()
    if isinstance(cls, type) and issubclass(cls, Metric) and cls is not Metric
]
LABELS: list[list[Any]] = [
    [False, True],
    [0, 1],
    [-1, 1],
    [1, 2],
    [0, 1, 2],
    [3],
    list(range(-4, 5)),
    [2**40, -(2**40)],
    [2**70, 0, -(2**70)],
    ["ham", "spam"],
    ["a", "b", "c", ""],
    ["ä", "\U0001f600", "[/x]", "None"],
    ["only"],
    [np.int8(0), np.int8(1)],
    [np.str_("u"), np.str_("v")],
    [np.True_, np.False_],
    [1.0, 0.0],
    [True, 0, np.int64(1), 0.0],  # of equal meaning
]
REFUSED: list[Any] = [None, math.nan, math.inf, 1.5, b"x", [0], {}, object(), 1j, np.ma.masked]
SIZES = (1.0, 1.0, 1e-3, 1e-300, 1e6, 1e12, 1e140, 1e200)


def attempt(random: Random) -> None:
    """One metric and a short life."""
    metric = made(random)
    kind = metric.needs
    labels = random.choice(LABELS)
    size, offset = random.choice(SIZES), random.choice((0.0, 0.0, 1e9, -1e15))
    if "positive" in metric.params and random.random() < 0.3 and metric.average in FREE:
        metric = metric.clone(positive=random.choice(labels))
    single = isinstance(metric, ROCAUC) and len({*labels}) <= 2 and random.random() < 0.3
    fine = random.random() < 0.5  # weights of all sizes

    def example() -> tuple[Any, Any, float]:
        w = random.choice((1.0, 1.0, 0.0, 0.5, 3.0, *((1e-9, 1e9, 0.1) if fine else ())))
        if kind == "number":
            y = random.gauss(0.0, 1.0) * size + offset
            return y, y + random.choice((0.0, random.gauss(0.0, 1.0) * size)), w
        y = random.choice(labels)
        if kind == "label":
            return y, random.choice([*labels, None] if random.random() < 0.1 else labels), w
        if single:
            score = random.random()
            return y, score if metric.params.get("output") == "proba" else 9.0 * score - 4.0, w
        if isinstance(metric, ROCAUC) and metric.output == "score":
            return y, {label: round(random.gauss(0.0, 3.0), 1) for label in labels}, w
        parts = [random.random() for _ in labels]
        chances: dict[Any, float] = {}
        for label, part in zip(labels, parts, strict=True):
            chances[label] = chances.get(label, 0.0) + part / sum(parts)
        return y, chances, w

    given: list[tuple[Any, Any, float]] = []
    for _ in range(random.randint(1, 8)):
        block = [example() for _ in range(random.choice((0, 1, 2, 5, 20)))]
        step = random.random()
        if step < 0.25:
            for one in block:
                metric.update(*one)
        elif step < 0.6:
            columns = [list(column) for column in zip(*block, strict=True)] or [[], [], []]
            if random.random() < 0.5 and kind != "proba" and not isinstance(columns[1:2], dict):
                columns = [as_array(column, kind) for column in columns]
            metric.update_many(*columns)
        elif step < 0.7 and not single and mergeable(metric):
            other = metric.clone()
            for one in block:
                other.update(*one)
            metric.merge(other)
        else:
            metric = random.choice((copy.deepcopy, copied))(metric)
            block = []
        given += block
        if random.random() < 0.3:
            refuse(random, metric, example())
        judge(metric, given, single)


FREE = ("auto", "binary")


def made(random: Random) -> Any:
    """A metric of any kind, with any parameters."""
    cls = random.choice(METRICS)
    ranged = random.choice(
        ({}, {"window": random.randint(1, 30)}, {"alpha": random.choice((0.5, 0.9, 0.999, 1.0))})
    )
    more: dict[str, Any] = dict(ranged)
    known = cls().params
    if "average" in known:
        more["average"] = random.choice(("auto", "auto", "binary", "macro", "micro", "weighted"))
    if "output" in known:
        more["output"] = random.choice(("score", "proba"))
    return cls(**more)


def mergeable(metric: Any) -> bool:
    """Is merging the same as going on? Each part has its own commonest label."""
    return not isinstance(metric, KappaM) or metric.window is not None


def copied(metric: Any) -> Any:
    return pickle.loads(pickle.dumps(metric))


def as_array(column: list[Any], kind: str) -> Any:
    """A column as NumPy would have it, if that changes no value."""
    if any(isinstance(value, dict) for value in column):
        return column
    if {type(value) for value in column} <= {str, np.str_} or kind == "number":
        return np.array(column)
    if {type(value) for value in column} == {bool} or {type(value) for value in column} == {float}:
        return np.array(column)
    if {type(value) for value in column} == {int} and all(abs(v) < 2**60 for v in column):
        return np.array(column)
    return column


def refuse(random: Random, metric: Any, good: tuple[Any, Any, float]) -> None:
    """An example that means nothing is refused in every place, and leaves no trace."""
    bad = random.choice(REFUSED)
    y, p, w = good
    where = random.randrange(3)
    if where == 0:
        if metric.needs == "number" and isinstance(bad, float) and math.isfinite(bad):
            return
        y = bad
    elif where == 1:
        if bad is None and metric.needs == "label":
            return
        if bad == 1.5 and (metric.needs == "number" or isinstance(metric, ROCAUC)):
            return
        if isinstance(bad, dict):
            return
        p = bad
    else:
        w = random.choice((-1.0, math.nan, math.inf, "1", [1.0]))
    before = pickle.dumps(metric)
    for block in (False, True):
        try:
            metric.update_many([good[0], y], [good[1], p], [1.0, w]) if block else metric.update(
                y, p, w
            )
        except (TypeError, ValueError) as error:
            assert str(error).startswith(f"{metric.name}: "), error  # noqa: PT017
        else:
            raise AssertionError(f"{metric!r} took {y!r}, {p!r}, {w!r}")
        assert pickle.dumps(metric) == before, (metric, y, p, w)


def judge(metric: Any, given: list[tuple[Any, Any, float]], single: bool) -> None:
    """The same as one fed example by example, and in its range."""
    again = metric.clone()
    for one in given:
        again.update(*one)
    assert metric.n == again.n == sum(w > 0.0 for _, _, w in given)
    value, expected = metric.value, again.value
    assert isinstance(value, float)
    told = (metric.code, value, expected, given)
    if math.isnan(value) or math.isnan(expected):
        assert math.isnan(value) == math.isnan(expected), told
        assert metric.name == "R2", told
    elif metric.name in ("R2", "KappaT", "KappaM"):  # a ratio to what may be next to nothing
        assert value <= 1.0, told
    else:
        assert math.isclose(value, expected, rel_tol=1e-6, abs_tol=1e-9), told
        low = -1.0 if metric.name == "Kappa" else -1e-8
        high = 1.0 + 1e-9 if metric.unit == "%" or metric.name in ("Kappa", "ROCAUC") else math.inf
        assert low <= value <= high, told
    assert alike(metric.title) == alike(again.title), told
    assert repr(metric)
    if metric.window or metric.alpha or single or isinstance(metric, (KappaT, KappaM)):
        return
    turned = metric.clone()
    for one in reversed(given):
        turned.update(*one)
    if metric.name != "R2":
        assert math.isclose(turned.value, expected, rel_tol=1e-6, abs_tol=1e-9), told
    assert alike(turned.title) == alike(again.title), told


def alike(title: str) -> str:
    """A title in which True is 1, as it is among labels."""
    return title.replace("True", "1").replace("False", "0")
