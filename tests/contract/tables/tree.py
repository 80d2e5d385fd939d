"""Trees."""

from ..line import Line
from ..streams import plane, two_labels

TABLE = {
    "CVFDT": Line(
        two_labels,
        0.80,
        (
            {
                "window": 150,
                "check_every": 50,
                "test_every": 40,
                "test_length": 20,
                "grace_period": 30,
                "max_bytes": 40_000,
            },
        ),
    ),
    "ExtremelyFastDecisionTree": Line(
        two_labels,
        0.75,
        ({"grace_period": 100, "delta": 1e-4, "reevaluate": 150, "max_bytes": 40_000},),
    ),
    "HoeffdingAdaptiveTreeClassifier": Line(
        two_labels, 0.80, ({"grace_period": 50, "delta": 0.01, "max_bytes": 40_000},)
    ),
    "HoeffdingTreeClassifier": Line(
        two_labels,
        0.80,
        (
            {
                "leaf_prediction": "nb",
                "grace_period": 50,
                "criterion": "gini",
                "delta": 0.01,
                "max_bytes": 20_000,
            },
        ),
    ),
    "HoeffdingTreeRegressor": Line(
        plane,
        0.5,
        (
            {
                "leaf_prediction": "linear",
                "observer": "ebst",
                "grace_period": 40,
                "delta": 0.1,
                "criterion": "sdr",
                "max_bytes": 150_000,
            },
        ),
    ),
}
