"""Kernel learners."""

from onstream.kernel import RBF, Linear, Normalized, Polynomial, Product, Sum

from ..line import Line
from ..streams import plane, two_labels

MIXED = Sum(Normalized(Polynomial(degree=2)), Product(RBF(gamma=0.2), RBF(gamma=0.1)))

TABLE = {
    "KernelPerceptron": Line(
        two_labels, 0.75, ({"kernel": Linear(), "update": "uniform"}, {"update": "proportional"})
    ),
    "KernelPA": Line(two_labels, 0.8, ({"kernel": MIXED, "variant": "PA-II", "C": 0.5},)),
    "KernelPARegressor": Line(plane, 0.6, ({"kernel": Polynomial(degree=1), "variant": "PA"},)),
    "KernelMIRA": Line(two_labels, 0.65, ({"kernel": Polynomial(), "beta": 0.5},), decisive=False),
    "Stoptron": Line(two_labels, 0.75),
    "RandomizedPerceptron": Line(two_labels, 0.65, ({"budget": 60, "seed": 5},)),
    "LeastRecentPerceptron": Line(two_labels, 0.65, ({"budget": 60},)),
    "FixedBudgetPerceptron": Line(two_labels, 0.65, ({"budget": 60},)),
    "TighterBudgetPerceptron": Line(two_labels, 0.65, ({"budget": 60, "memory": 10},)),
    "Forgetron": Line(
        two_labels,
        0.57,
        ({"budget": 70, "variant": "basic"}, {"budget": 70, "variant": "simple", "phi": 0.95}),
    ),
    "Projectron": Line(two_labels, 0.65, ({"eta": 0.5, "budget": 30},)),
    "ProjectronPlusPlus": Line(two_labels, 0.65, ({"eta": 0.3, "kernel": RBF(gamma=1.0)},)),
    "BudgetedPA": Line(
        two_labels,
        0.65,
        (
            {"budget": 20, "maintenance": "nearest"},
            {"budget": 19, "maintenance": "projection", "kernel": RBF(gamma=1.0)},
        ),  # a narrow kernel: projections onto alike supports magnify what kinds of input round
    ),
    "KernelLMS": Line(
        plane,
        0.55,
        ({"budget": 400, "policy": "random", "schedule": "power", "power": 0.1}, {"budget": 130}),
    ),
    "BOGD": Line(two_labels, 0.65, ({"removal": "uniform", "cap": 2.0, "seed": 3},)),
    "FOGD": Line(two_labels, 0.75, ({"n_components": 50, "gamma": 0.05, "seed": 1},)),
    "NOGD": Line(
        two_labels,
        0.7,
        ({"budget": 30, "rank": 30, "eta": 0.5},),
        quick={"budget": 60, "rank": 40},  # the default takes 100 rows of a decomposition apart
    ),
}
