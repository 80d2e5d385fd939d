"""Kernels, kernel learners, and learning on a budget."""

from ..base.registry import register_family
from .budget.bogd import BOGD
from .budget.budgeted_pa import BudgetedPA
from .budget.fixed_budget_perceptron import FixedBudgetPerceptron
from .budget.fogd import FOGD
from .budget.forgetron import Forgetron
from .budget.least_recent_perceptron import LeastRecentPerceptron
from .budget.nogd import NOGD
from .budget.projectron import Projectron
from .budget.projectron_plus_plus import ProjectronPlusPlus
from .budget.randomized_perceptron import RandomizedPerceptron
from .budget.stoptron import Stoptron
from .budget.tighter_budget_perceptron import TighterBudgetPerceptron
from .kernel_lms import KernelLMS
from .kernel_mira import KernelMIRA
from .kernel_pa import KernelPA
from .kernel_pa_regressor import KernelPARegressor
from .kernel_perceptron import KernelPerceptron
from .kernels.base import Kernel
from .kernels.combine import Normalized, Product, Sum
from .kernels.graphs import WeisfeilerLehman
from .kernels.strings import Spectrum, Subsequence
from .kernels.trees import SubsetTree, Subtree
from .kernels.vectors import RBF, Linear, Polynomial

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

register_family(globals(), bases=("Kernel",))
