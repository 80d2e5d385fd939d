"""Bayesian learners."""

from ..line import Line
from ..streams import named_values, plane, two_labels

TABLE = {
    "BayesianLinearRegression": Line(plane, 0.95, ({"lam": 0.1, "noise": 0.01},)),
    "BernoulliNB": Line(two_labels, 0.70, ({"alpha": 0.1},)),
    "CategoricalNB": Line(named_values, 0.80, ({"alpha": 0.1, "prior_alpha": 1.0},)),
    "GaussianNB": Line(two_labels, 0.85, ({"categorical": [0, 1], "var_smoothing": 1e-3},)),
    "MultinomialNB": Line(two_labels, 0.70, ({"alpha": 0.1, "prior_alpha": 1.0},)),
}
