"""Linear learners."""

from ..base.registry import register
from .linear_regression import LinearRegression
from .logistic_regression import LogisticRegression
from .passive_aggressive import PAClassifier
from .perceptron import Perceptron
from .rls import RLS

__all__ = ["RLS", "LinearRegression", "LogisticRegression", "PAClassifier", "Perceptron"]

register(RLS, LinearRegression, LogisticRegression, PAClassifier, Perceptron)
