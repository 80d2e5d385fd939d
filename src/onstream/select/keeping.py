"""What a learner may keep of what it has learned when one of its parameters changes.

A rate, an aggressiveness, a bound on when to split say how it goes on, not what was learned: the
state fits the learner with the other value. All else, a window or a kind of scaling, say, begins
anew.
"""

from typing import Any

from .space import steps_of

TREE = {"delta", "tau", "grace_period", "max_depth"}
GRADIENT = {"eta", "power", "l2"}
STEERING = {  # parameters that a state does not depend on, by the class of the learner
    "ALMA": {"alpha", "B", "C"},
    "AROW": {"r"},
    "CW": {"eta"},
    "SCW": {"C", "eta", "variant"},
    "PAClassifier": {"C", "variant"},
    "PARegressor": {"C", "variant", "epsilon"},
    "Perceptron": {"alpha", "beta"},
    "LMS": {"eta"},
    "DeltaRule": {"eta"},
    "LinearRegression": GRADIENT,
    "LogisticRegression": GRADIENT,
    "SoftmaxRegression": GRADIENT,
    "HoeffdingTreeClassifier": TREE,
    "HoeffdingAdaptiveTreeClassifier": TREE,
    "HoeffdingTreeRegressor": TREE,
    "KNNClassifier": {"k", "weights"},
    "KNNRegressor": {"k", "weights"},
}


def can_keep(before: Any, after: Any) -> bool:
    """Say whether one learner may go on with what the other has learned."""
    old, new = steps_of(before), steps_of(after)
    if [type(step) for step in old] != [type(step) for step in new]:
        return False
    return all(
        changed(a, b) <= STEERING.get(type(a).__name__, set())
        for a, b in zip(old, new, strict=True)
    )


def changed(before: Any, after: Any) -> set[str]:
    """The parameters in which two learners of a class differ."""
    a, b = before.params, after.params
    return {name for name in a if a[name] != b[name]}
