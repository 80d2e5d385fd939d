"""Kernels, kernel learners, and learning on a budget."""

from ..base.registry import register, register_parts
from .budget_perceptrons import LeastRecentPerceptron, RandomizedPerceptron, Stoptron
from .budgeted_pa import BudgetedPA
from .fixed_budget import FixedBudgetPerceptron, TighterBudgetPerceptron
from .forgetron import Forgetron
from .kernels.base import Kernel
from .kernels.combine import Normalized, Product, Sum
from .kernels.graphs import WeisfeilerLehman
from .kernels.strings import Spectrum, Subsequence
from .kernels.trees import SubsetTree, Subtree
from .kernels.vectors import RBF, Linear, Polynomial
from .lms import KernelLMS
from .mira import KernelMIRA
from .online_gradient import BOGD, FOGD, NOGD
from .passive_aggressive import KernelPA, KernelPARegressor
from .perceptron import KernelPerceptron
from .projectron import Projectron, ProjectronPlusPlus

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
