"""Naive Bayes, and linear regression with a posterior."""

from ..base.registry import register_family
from .bayesian_linear_regression import BayesianLinearRegression, Normal
from .bernoulli_nb import BernoulliNB
from .categorical_nb import CategoricalNB
from .gaussian_nb import GaussianNB
from .multinomial_nb import MultinomialNB

__all__ = [
    "BayesianLinearRegression",
    "BernoulliNB",
    "CategoricalNB",
    "GaussianNB",
    "MultinomialNB",
    "Normal",
]

register_family(globals(), bases=("Normal",))  # an answer, which no file holds
