"""Second-order linear learners."""

from ..line import Line
from ..streams import two_labels

TABLE = {
    "AROW": Line(two_labels, 0.90, ({"covariance": "full", "r": 0.3},)),
    "CW": Line(two_labels, 0.85, ({"form": "variance", "a": 2.0},)),
    "SCW": Line(two_labels, 0.88, ({"variant": "II", "C": 0.5, "covariance": "full"},)),
}
