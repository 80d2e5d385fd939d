"""Every learner, transformer, detector and statistic passes what `onstream.testing` asks of all.

A rule that is checked there is not written down here again; the other modules go on from it: more
kinds of input, more labels, more rows.
"""

from typing import Any

import pytest

from onstream.base import parts
from onstream.drift import ADWIN, HDDM, KSWIN, PageHinkley
from onstream.stats import Quantile
from onstream.stats.sketches import Sketch
from onstream.testing import check_learner

from .table import Case
from .tools import streams

DETECTORS = [
    *(c() for c in parts().values() if hasattr(c, "update_many") and not issubclass(c, Sketch)),
    ADWIN(rigorous=True),
    HDDM(test="W", two_sided=True),
    KSWIN(window=40, stat_size=10),
    PageHinkley(mode="both", lam=5.0),
    Quantile(method="sgd"),
]


def test_learners(case: Case) -> None:
    check_learner(case.make())


def test_learners_of_what_the_user_says(given: Case) -> None:
    X, y = streams(given, 40)[0]
    check_learner(given.make(), X=X, y=y)


def test_transformers(transformer: Any) -> None:
    check_learner(transformer)


@pytest.mark.parametrize("detector", DETECTORS, ids=repr)
def test_detectors_and_statistics(detector: Any) -> None:
    check_learner(detector)
