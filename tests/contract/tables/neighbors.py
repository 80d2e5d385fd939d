"""Nearest neighbours."""

from ..line import Line
from ..streams import plane, two_labels

TABLE = {
    "KNNADWINClassifier": Line(two_labels, 0.75, decisive=False),
    "KNNClassifier": Line(
        two_labels,
        0.65,
        (
            {
                "scale": "standard",
                "weights": "distance",
                "window": 300,
                "nominal_distance": "value-difference",
            },
            {"metric": "cosine", "scale": None, "k": 3},
        ),
        decisive=False,
    ),
    "KNNRegressor": Line(plane, 0.5, ({"metric": "manhattan", "scale": None, "window": 150},)),
}
