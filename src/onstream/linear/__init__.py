"""Linear learners."""

from ..base.registry import register
from .delta_rule import LMS, DeltaRule
from .linear_regression import LinearRegression
from .logistic_regression import LogisticRegression
from .pa_regressor import PARegressor
from .passive_aggressive import PAClassifier
from .perceptron import Perceptron
from .rls import RLS
from .shifting_perceptron import ShiftingPerceptron
from .softmax_regression import SoftmaxRegression
from .ultraconservative import MIRA, ExactMulticlassPA, MulticlassPerceptron

__all__ = [
    "LMS",
    "MIRA",
    "RLS",
    "DeltaRule",
    "ExactMulticlassPA",
    "LinearRegression",
    "LogisticRegression",
    "MulticlassPerceptron",
    "PAClassifier",
    "PARegressor",
    "Perceptron",
    "ShiftingPerceptron",
    "SoftmaxRegression",
]

register(RLS, LinearRegression, LogisticRegression, PAClassifier, Perceptron)
register(PARegressor, MulticlassPerceptron, MIRA, ExactMulticlassPA, SoftmaxRegression)
register(LMS, DeltaRule, ShiftingPerceptron)
