"""Trees."""

from ..line import Line
from ..streams import two_labels

TABLE = {
    "HoeffdingTreeClassifier": Line(
        two_labels,
        0.80,
        ({"leaf_prediction": "nb", "grace_period": 50, "criterion": "gini", "delta": 0.01},),
    ),
}
