"""Ensembles."""

from onstream.drift import ADWIN, KSWIN
from onstream.linear import LogisticRegression
from onstream.tree import HoeffdingTreeClassifier

from ..line import Line
from ..streams import plane, two_labels

FEW = {"n_models": 3}

TABLE = {
    "ADWINBoosting": Line(
        two_labels,
        0.75,
        ({"learner": HoeffdingTreeClassifier(grace_period=50), "n_models": 3, "delta": 0.9},),
        decisive=False,
        quick=FEW,
    ),
    "AdaptiveRandomForestClassifier": Line(
        two_labels,
        0.68,  # 0.70 before its bound counted what a split foresaw, which many labels gain by
        ({"n_models": 5, "lam": 2.0, "warning_delta": 0.1, "drift_delta": 0.05},),
        decisive=False,
        draws_features=True,
    ),
    "AdaptiveRandomForestRegressor": Line(
        plane,
        0.5,
        ({"n_models": 3, "lam": 2.0, "drift_delta": 0.05, "aggregation": "mean"},),
        draws_features=True,
        quick=FEW,
    ),
    "DriftRetraining": Line(
        two_labels, 0.80, ({"learner": LogisticRegression(eta=0.3), "detector": ADWIN(delta=0.5)},)
    ),
    "DriftRetrainingRegressor": Line(plane, 0.5, ({"detector": KSWIN(alpha=1e-9)},)),
    "LeveragingBagging": Line(
        two_labels,
        0.80,
        ({"learner": HoeffdingTreeClassifier(grace_period=50), "n_models": 3, "delta": 0.9},),
        quick=FEW,
    ),
    "OnlineBagging": Line(
        two_labels,
        0.80,
        ({"learner": LogisticRegression(eta=0.3), "n_models": 3, "n_jobs": 2},),
        quick=FEW,
    ),
    "OnlineBaggingRegressor": Line(plane, 0.5, quick=FEW),
    "StreamingGradientBoostingClassifier": Line(
        two_labels,
        0.6,
        ({"learning_rate": 0.2, "subspace": 1.0, "n_jobs": 2},),
        decisive=False,
        quick=FEW,
        draws_features=True,
    ),
    "StreamingGradientBoostingRegressor": Line(
        plane,
        0.5,
        ({"bag_size": 1, "subspace": 1.0},),
        quick={"n_models": 3, "bag_size": 2},
        draws_features=True,
    ),
    "StreamingRandomPatchesClassifier": Line(
        two_labels,
        0.6,
        ({"n_models": 3, "subspace": 1.0},),
        decisive=False,
        draws_features=True,
    ),
}
