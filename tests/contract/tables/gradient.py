"""Linear learners by gradients."""

from ..line import Line
from ..streams import plane, two_labels

TABLE = {
    "FOBOS": Line(two_labels, 0.90, ({"l1": 0.01, "l2": 0.01, "schedule": "sqrt", "eta": 0.5},)),
    "FTRLProximal": Line(two_labels, 0.88, ({"loss": "hinge", "l1": 0.05, "l2": 0.1},)),
    "RDA": Line(two_labels, 0.88, ({"loss": "hinge", "gamma": 2.0, "l1": 0.01},)),
    "SGDClassifier": Line(
        two_labels,
        0.85,
        (
            {"loss": "logistic", "average": True, "l1": 1e-3, "l2": 1e-3, "schedule": "sqrt"},
            {"schedule": "adagrad", "eta": 0.5, "l1": 1e-3, "l2": 1e-3},
        ),
    ),
    "SGDRegressor": Line(
        plane,
        0.75,
        (
            {"loss": "huber", "eta": 0.5, "schedule": "power", "average": True, "l2": 1e-4},
            {"eta": 0.2, "batch_size": 4, "radius": 5.0, "l1": 1e-3},
            {"loss": "absolute", "schedule": "adagrad", "eta": 0.2, "average": True},
        ),
    ),
    "TruncatedGradient": Line(two_labels, 0.90, ({"theta": 1.0, "period": 3, "l1": 0.01},)),
}
