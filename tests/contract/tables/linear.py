"""Linear learners."""

import math

from ..line import Line
from ..streams import plane, two_labels

TABLE = {
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
    "MIRA": Line(two_labels, 0.75, ({"beta": 0.5},), sure=False),
    "MulticlassPerceptron": Line(
        two_labels, 0.80, ({"update": "uniform"}, {"update": "proportional"})
    ),
    "PAClassifier": Line(two_labels, 0.85, ({"variant": "PA"}, {"variant": "PA-II", "C": 0.1})),
    "PARegressor": Line(
        plane, 0.9, ({"variant": "PA", "epsilon": 0.0}, {"variant": "PA-II", "C": 0.1})
    ),
    "Perceptron": Line(
        two_labels, 0.80, ({"beta": 0.5, "gamma": 0.99, "alpha": 0.7}, {"alpha": math.sqrt})
    ),
    "RLS": Line(plane, 0.95, ({"forgetting": 0.99}, {"joseph": True, "lam": 0.1})),
    "ShiftingPerceptron": Line(two_labels, 0.75, ({"lam": 1.0},), sure=False),
    "SoftmaxRegression": Line(two_labels, 0.90, ({"schedule": "inverse", "l2": 1e-3},)),
}
