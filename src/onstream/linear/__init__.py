"""Linear learners."""

from ..base.registry import register_family
from .alma import ALMA
from .delta_rule import DeltaRule
from .exact_multiclass_pa import ExactMulticlassPA
from .gradient.fobos import FOBOS
from .gradient.ftrl_proximal import FTRLProximal
from .gradient.linear_regression import LinearRegression
from .gradient.logistic_regression import LogisticRegression
from .gradient.rda import RDA
from .gradient.sgd_classifier import SGDClassifier
from .gradient.sgd_regressor import SGDRegressor
from .gradient.softmax_regression import SoftmaxRegression
from .gradient.truncated_gradient import TruncatedGradient
from .lms import LMS
from .mira import MIRA
from .multiclass_perceptron import MulticlassPerceptron
from .passive_aggressive.cost_sensitive_pa import CostSensitivePA
from .passive_aggressive.pa_classifier import PAClassifier
from .passive_aggressive.pa_multilabel import PAMultilabel
from .passive_aggressive.pa_regressor import PARegressor
from .passive_aggressive.pa_uniclass import PAUniclass
from .passive_aggressive.structured_pa import StructuredPA
from .perceptron import Perceptron
from .rls import RLS
from .second_order.arow import AROW
from .second_order.cw import CW
from .second_order.scw import SCW
from .shifting_perceptron import ShiftingPerceptron

__all__ = [
    "ALMA",
    "AROW",
    "CW",
    "FOBOS",
    "LMS",
    "MIRA",
    "RDA",
    "RLS",
    "SCW",
    "CostSensitivePA",
    "DeltaRule",
    "ExactMulticlassPA",
    "FTRLProximal",
    "LinearRegression",
    "LogisticRegression",
    "MulticlassPerceptron",
    "PAClassifier",
    "PAMultilabel",
    "PARegressor",
    "PAUniclass",
    "Perceptron",
    "SGDClassifier",
    "SGDRegressor",
    "ShiftingPerceptron",
    "SoftmaxRegression",
    "StructuredPA",
    "TruncatedGradient",
]

register_family(globals())
