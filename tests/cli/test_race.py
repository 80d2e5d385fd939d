import numpy as np
import pytest

from onstream.cli.baselines import LastValue, MajorityClass
from onstream.cli.race import Result, Stream, distance, race, wrong


class Echo:
    """Predicts what it learned last; keeps the order of what it was given."""

    memory_bytes = 1

    def __init__(self):
        self.seen = []

    def predict_learn_many(self, X, y):
        before = [self.seen[-1] if self.seen else None, *y[:-1].tolist()]
        self.seen.extend(y.tolist())
        return np.array(before, dtype=object)


def stream(y, loss=wrong, window=2, drift=None):
    y = np.asarray(y)
    return Stream("t", np.zeros((len(y), 1)), y, loss, "error", "%", "example", window, drift)


def test_losses_do_not_depend_on_the_blocks():
    y = np.random.default_rng(0).integers(0, 2, 50)
    by_one = race({"m": MajorityClass(), "e": Echo()}, stream(y), block=1)
    by_seven = race({"m": MajorityClass(), "e": Echo()}, stream(y), block=7)
    for a, b in zip(by_one, by_seven, strict=True):
        assert a.losses.tolist() == b.losses.tolist()


def test_result_is_complete():
    counts = []
    results = race(
        {"e": Echo(), "m": MajorityClass()}, stream([1, 1, 0]), block=2, progress=counts.append
    )
    assert counts == [2, 2, 1, 1]  # each block, each learner
    echo, majority = results
    assert (echo.name, echo.baseline, echo.memory_bytes) == ("e", False, 1)
    assert echo.losses.tolist() == [1.0, 0.0, 1.0]  # nothing known counts as wrong
    assert echo.mean == pytest.approx(2 / 3)
    assert echo.seconds > 0.0
    assert echo.per_second == pytest.approx(3 / echo.seconds)
    assert majority.baseline


def test_majority_class():
    model = MajorityClass()
    assert model.predict_learn_many(None, np.array([1, 1, 0, 0, 0])).tolist() == [0, 1, 1, 1, 0]
    assert model.predict_learn_many(None, np.array([1, 1])).tolist() == [0, 0]
    assert model.predict_learn_many(None, np.array([1])).tolist() == [1]


def test_last_value():
    model = LastValue()
    assert model.predict_learn_many(None, np.array([3.0, 4.0])).tolist() == [0.0, 3.0]
    assert model.predict_learn_many(None, np.array([5.0])).tolist() == [4.0]


def test_recent_is_a_moving_mean():
    losses = np.array([1.0, 0.0, 0.0, 1.0])
    assert Result("r", False, losses, 1.0, 0).recent(2).tolist() == [0.5, 0.0, 0.5]
    assert Result("r", False, losses, 1.0, 0).recent(4).tolist() == [0.5]


def test_losses():
    assert wrong(np.array([None, 1, 0], dtype=object), np.array([0, 1, 1])).tolist() == [1, 0, 1]
    assert distance(np.array([1.0, 5.0]), np.array([2.0, 3.0])).tolist() == [1.0, 2.0]


def test_first_rows_keep_the_drift_only_if_it_is_in_them():
    whole = stream([0, 1, 0, 1], drift=2)
    assert whole.first(3).y.tolist() == [0, 1, 0]
    assert whole.first(3).drift == 2
    assert whole.first(2).drift is None
