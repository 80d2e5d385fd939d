"""Bayesian learners."""

from ..line import Line
from ..streams import named_values, plane, two_labels, word_counts

TABLE = {
    "BayesianLinearRegression": Line(plane, 0.95, ({"lam": 0.1, "noise": 0.01},)),
    "BernoulliNB": Line(word_counts, 0.75, ({"alpha": 0.1},), numeric=False, any_order=True),
    "CategoricalNB": Line(
        named_values,
        0.80,
        ({"alpha": 0.1, "prior_alpha": 1.0},),
        decisive=False,
        numeric=False,
        any_order=True,
    ),
    "GaussianNB": Line(
        two_labels,
        0.85,
        (
            {"categorical": [0, 1], "variance_floor": 0.01},
            {"variance_floor": 0.0, "var_smoothing": 1e-3},
        ),
        decisive=False,
    ),
    "MultinomialNB": Line(
        word_counts,
        0.80,
        ({"alpha": 0.1, "prior_alpha": 1.0},),
        numeric=False,
        any_order=True,
    ),
}
