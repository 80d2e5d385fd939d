"""Spaces to start with: learners that follow the label, and learners that remember.

Their order matters: it is that of the first population (each alternative once, as it is written);
see docs/decisions.md#first-population.
"""

from functools import cache
from typing import Any

from ..bayes import GaussianNB
from ..ensemble import AdaptiveRandomForestClassifier
from ..features import StandardScaler
from ..linear import (
    SCW,
    LinearRegression,
    LogisticRegression,
    PAClassifier,
    PARegressor,
)
from ..neighbors import KNNClassifier, KNNRegressor
from ..tree import HoeffdingAdaptiveTreeClassifier, HoeffdingTreeClassifier, HoeffdingTreeRegressor
from .space import LogRange, Vary, templates


@cache
def classifiers() -> list[Any]:
    """Linear learners of several rates, neighbours near and far, naive Bayes, trees, a forest."""
    found: list[Any] = templates(
        [
            Vary(
                StandardScaler() | PAClassifier(),
                C=LogRange(0.01, 10.0),
                variant=["PA-I", "PA-II"],
            ),
            Vary(LogisticRegression(scale="auto"), eta=LogRange(0.01, 1.0)),
            Vary(KNNClassifier(k=1), k=[1, 3, 5], window=LogRange(300, 3000)),
            Vary(KNNClassifier(k=1, window=25), k=[1, 3], window=LogRange(10, 200)),
            AdaptiveRandomForestClassifier(),
            Vary(StandardScaler() | LogisticRegression(eta=1.0), eta=LogRange(0.1, 5.0)),
            GaussianNB(),
            Vary(PAClassifier(scale="auto"), C=LogRange(0.01, 10.0)),
            Vary(StandardScaler() | SCW(), C=LogRange(0.1, 10.0)),
            Vary(
                HoeffdingTreeClassifier(grace_period=50, delta=0.01),
                grace_period=[50, 100, 200],
                delta=LogRange(1e-7, 0.1),
            ),
            Vary(KNNClassifier(k=1, scale="standard"), k=[1, 3, 5], window=LogRange(300, 3000)),
            HoeffdingAdaptiveTreeClassifier(),
        ]
    )
    return found


@cache
def regressors() -> list[Any]:
    """The same of numbers."""
    found: list[Any] = templates(
        [
            Vary(PARegressor(scale="auto"), C=LogRange(0.01, 10.0)),
            Vary(LinearRegression(scale="auto"), eta=LogRange(0.001, 0.1)),
            Vary(KNNRegressor(k=3), k=[1, 3, 5, 10], window=LogRange(300, 3000)),
            Vary(KNNRegressor(k=3, window=25), k=[1, 3], window=LogRange(10, 200)),
            Vary(HoeffdingTreeRegressor(), grace_period=[50, 100, 200], delta=LogRange(1e-7, 0.1)),
            Vary(
                StandardScaler() | PARegressor(C=0.1),
                C=LogRange(0.01, 10.0),
                variant=["PA-I", "PA-II"],
            ),
            Vary(KNNRegressor(k=5, scale="standard"), k=[3, 5, 10], window=LogRange(300, 3000)),
            Vary(HoeffdingTreeRegressor(grace_period=50, delta=0.01), delta=LogRange(1e-7, 0.1)),
            Vary(LinearRegression(scale="auto", eta=0.1), eta=LogRange(0.001, 0.5)),
            Vary(PARegressor(scale="auto", C=0.05), C=LogRange(0.001, 1.0)),
        ]
    )
    return found
