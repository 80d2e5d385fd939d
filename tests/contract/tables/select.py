"""Online model selection."""

from onstream.bayes import GaussianNB
from onstream.features import StandardScaler
from onstream.linear import LogisticRegression, PAClassifier
from onstream.linear.lms import LMS
from onstream.select import LogRange, Vary

from ..line import Line
from ..streams import plane, two_labels

SPACE = [
    Vary(StandardScaler() | PAClassifier(), C=LogRange(0.01, 1.0)),
    Vary(LogisticRegression(), eta=[0.1, 0.3]),
    GaussianNB(),
]

TABLE = {
    "EvolvingClassifier": Line(
        two_labels,
        0.80,
        ({"space": SPACE, "population": 4, "interval": 20, "lam": 2.0, "n_jobs": 2},),
        draws_features=True,
        quick={"population": 3},
    ),
    "EvolvingRegressor": Line(
        plane,
        0.5,
        (
            {
                "space": [Vary(LMS(eta=0.1), eta=LogRange(0.01, 0.2))],
                "population": 3,
                "interval": 30,
            },
        ),
        quick={"population": 3},
    ),
}
