"""Linear learners."""

import math
from collections.abc import Callable, Iterable

from ..line import Line
from ..streams import cluster, plane, tags, two_labels


def letters(y: str | int, r: str | int) -> float:
    """A price for calling y r."""
    return 1.0 + abs(len(str(y)) - len(str(r)))


def words(x: Iterable[float], y: str) -> dict[str, float]:
    """Every answer has its own features."""
    return {f"{y} {i}": v for i, v in enumerate([*x, 1.0])}


def loudest(x: Iterable[float], score: Callable[[dict[str, float]], float]) -> str:
    """The best of two answers."""
    return max(("ham", "spam"), key=lambda y: score(words(x, y)))


TABLE = {
    "ALMA": Line(two_labels, 0.80, ({"alpha": 0.5, "B": 0.5},)),
    "CostSensitivePA": Line(
        two_labels,
        0.75,
        ({"mode": "max-loss", "cost": letters, "variant": "PA-II"},),
        decisive=False,
    ),
    "DeltaRule": Line(two_labels, 0.85),
    "ExactMulticlassPA": Line(two_labels, 0.85, ({"C": 1e300},)),
    "LMS": Line(plane, 0.75, ({"normalized": True, "eta": 0.5, "c": 0.1},)),
    "LinearRegression": Line(
        plane,
        0.75,
        ({"normalized": True, "eta": 0.5}, {"schedule": "power", "eta": 0.1, "l2": 1e-3}),
    ),
    "LogisticRegression": Line(
        two_labels, 0.90, ({"schedule": "inverse", "l2": 1e-3}, {"schedule": "sqrt", "eta": 1.0})
    ),
    "MIRA": Line(two_labels, 0.75, ({"beta": 0.5},), decisive=False),
    "MulticlassPerceptron": Line(
        two_labels, 0.80, ({"update": "uniform"}, {"update": "proportional"})
    ),
    "PAClassifier": Line(two_labels, 0.85, ({"variant": "PA"}, {"variant": "PA-II", "C": 0.1})),
    "PAMultilabel": Line(tags, 0.45, ({"variant": "PA", "threshold": 0.1},)),
    "PAUniclass": Line(cluster, 0.8, ({"variant": "PA-II", "max_radius": 2.0},)),
    "PARegressor": Line(
        plane, 0.9, ({"variant": "PA", "epsilon": 0.0}, {"variant": "PA-II", "C": 0.1})
    ),
    "Perceptron": Line(
        two_labels, 0.80, ({"beta": 0.5, "gamma": 0.99, "alpha": 0.7}, {"alpha": math.sqrt})
    ),
    "RLS": Line(plane, 0.95, ({"forgetting": 0.99}, {"joseph": True, "lam": 0.1})),
    "ShiftingPerceptron": Line(two_labels, 0.75, ({"lam": 1.0},), decisive=False),
    "StructuredPA": Line(two_labels, 0.8, given={"features": words, "argmax": loudest}),
    "SoftmaxRegression": Line(two_labels, 0.90, ({"schedule": "inverse", "l2": 1e-3},)),
}
