"""What a learner costs, by a formula: so that a limit on time gives the same members every time.

Microseconds per example, roughly, as measured on one core; only their ratios matter.
"""

from typing import Any

from .space import steps_of

LINEAR = 0.05  # per example, and
PER_WEIGHT = 0.002  # per feature and label
SCALER = 0.01  # per feature
COUNTS = 0.01  # of naive Bayes, per feature and label
TREE = 0.5
PER_TEST = 0.01  # per feature
NEIGHBOURS = 0.0002  # per example of the window and feature


def cost_of(learner: Any, features: int, labels: int) -> float:
    """The time for one example with so many features and labels."""
    *before, last = steps_of(learner)
    return SCALER * features * len(before) + own_cost(last, features, max(1, labels))


def own_cost(learner: Any, features: int, labels: int) -> float:
    """The same of a learner without steps; one derived from ours costs what ours does."""
    ours = next(kind for kind in type(learner).__mro__ if kind.__module__.startswith("onstream."))
    family = ours.__module__.split(".")[1]
    rows = 1 if labels == 2 else labels
    if family == "neighbors":
        return 0.5 + learner.window * (0.0015 + NEIGHBOURS * features)
    if family == "tree":
        return TREE + PER_TEST * features
    if family == "bayes":
        return 0.1 + COUNTS * features * labels
    if family == "ensemble":
        members = getattr(learner, "n_models", 1)
        return members * 2.0 * (TREE + PER_TEST * features)
    return LINEAR + PER_WEIGHT * features * rows
