"""What holds whatever an example is, also where functions of the user say so (and test_checks)."""

import numpy as np

from .table import Case
from .tools import fingerprint, streams


def test_warm_starts(anything: Case) -> None:
    X, y = streams(anything, 40)[0]
    model = anything.make()
    model.learn_many(X, y)
    assert repr(model).startswith(f"{anything.name}(")
    if anything.has("init"):
        assert fingerprint(anything.make(init=model)) == fingerprint(model)


def test_it_learns(given: Case) -> None:
    """The score of its line, if the other tests of that do not ask it."""
    X, y = given.line.stream()
    told = given.make().predict_learn_many(X, y)
    right = np.mean([a == b for a, b in zip(told[100:], y[100:], strict=True)])
    assert right >= given.line.score
