"""Kernels, kernel learners, and learning on a budget."""

from ..base.registry import register, register_parts
from .base import Kernel
from .budget_perceptrons import LeastRecentPerceptron, RandomizedPerceptron, Stoptron
from .budgeted_pa import BudgetedPA
from .combine import Normalized, Product, Sum
from .fixed_budget import FixedBudgetPerceptron, TighterBudgetPerceptron
from .forgetron import Forgetron
from .graphs import WeisfeilerLehman
from .lms import KernelLMS
from .mira import KernelMIRA
from .online_gradient import BOGD, FOGD, NOGD
from .passive_aggressive import KernelPA, KernelPARegressor
from .perceptron import KernelPerceptron
from .projectron import Projectron, ProjectronPlusPlus
from .strings import Spectrum, Subsequence
from .trees import SubsetTree, Subtree
from .vectors import RBF, Linear, Polynomial

KERNELS = (
    Linear,
    Polynomial,
    RBF,
    Spectrum,
    Subsequence,
    SubsetTree,
    Subtree,
    WeisfeilerLehman,
    Sum,
    Product,
    Normalized,
)
LEARNERS = (
    KernelPerceptron,
    KernelPA,
    KernelPARegressor,
    KernelLMS,
    KernelMIRA,
    Stoptron,
    RandomizedPerceptron,
    FixedBudgetPerceptron,
    TighterBudgetPerceptron,
    LeastRecentPerceptron,
    Forgetron,
    Projectron,
    ProjectronPlusPlus,
    BudgetedPA,
    BOGD,
    FOGD,
    NOGD,
)

__all__ = [
    "BOGD",
    "FOGD",
    "NOGD",
    "RBF",
    "BudgetedPA",
    "FixedBudgetPerceptron",
    "Forgetron",
    "Kernel",
    "KernelLMS",
    "KernelMIRA",
    "KernelPA",
    "KernelPARegressor",
    "KernelPerceptron",
    "LeastRecentPerceptron",
    "Linear",
    "Normalized",
    "Polynomial",
    "Product",
    "Projectron",
    "ProjectronPlusPlus",
    "RandomizedPerceptron",
    "Spectrum",
    "Stoptron",
    "Subsequence",
    "SubsetTree",
    "Subtree",
    "Sum",
    "TighterBudgetPerceptron",
    "WeisfeilerLehman",
]

register(*LEARNERS)
register_parts(*KERNELS)
