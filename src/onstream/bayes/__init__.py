"""Naive Bayes, and linear regression with a posterior."""

from ..base.registry import register
from .counting import BernoulliNB, MultinomialNB
from .distribution import Normal
from .mixed import CategoricalNB, GaussianNB
from .regression import BayesianLinearRegression

__all__ = [
    "BayesianLinearRegression",
    "BernoulliNB",
    "CategoricalNB",
    "GaussianNB",
    "MultinomialNB",
    "Normal",
]

register(BayesianLinearRegression, BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB)
