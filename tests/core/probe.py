"""A learner that shows what the features reads: after one lesson its weights are the example.

Least squares with rate 1 from zero: w = 0 + 1 * x * (1 - 0).
"""

from typing import Any

from onstream import LinearRegression


def probe(**params: Any) -> Any:
    return LinearRegression(eta=1.0, intercept=False, **params)


def read(x: Any, **params: Any) -> dict[Any, float]:
    """The example as the learner sees it."""
    model = probe(**params)
    model.learn_one(x, 1.0)
    return dict(model.weights)


def read_rows(X: Any, n: int, **params: Any) -> list[dict[Any, float]]:
    """Each of n rows as the learner sees it: the others have weight 0."""
    found = []
    for i in range(n):
        model = probe(**params)
        model.learn_many(X, [1.0] * n, [float(i == j) for j in range(n)])
        found.append(dict(model.weights))
    return found
