"""DriftRetraining and DriftRetrainingRegressor against the same by hand."""

from typing import Any

import numpy as np
import pytest

import onstream
from onstream.bayes import CategoricalNB, GaussianNB
from onstream.drift import ADWIN, DDM, HDDM, PageHinkley
from onstream.ensemble import DriftRetraining, DriftRetrainingRegressor, LeveragingBagging
from onstream.linear import LMS, LogisticRegression, PAClassifier
from onstream.neighbors import KNNClassifier
from onstream.streams import STAGGER, Drift
from onstream.tree import HoeffdingTreeClassifier

RNG = np.random.default_rng(5)
X = RNG.normal(size=(800, 3))
Y = np.where((X[:, 0] > 0) ^ (np.arange(800) > 400), "a", "b")


def by_hand(learner: Any, detector: Any) -> tuple[Any, list[int], list[Any]]:
    """The learner in force at the end, where it began anew, and all answers."""
    force, background, drifts, answers = learner.clone(), None, [], []
    for t, (x, y) in enumerate(zip(X, Y.tolist(), strict=True)):
        answers.append(guess := force.predict_one(x))
        if guess is not None:
            if detector.update(float(guess != y)):
                force = background or learner.clone(labels=force.labels)
                background = None
                drifts.append(t)
            elif detector.warning:
                background = background or learner.clone(labels=force.labels)
                background.learn_one(x, y)
            else:
                background = None
        force.learn_one(x, y)
    return force, drifts, answers


@pytest.mark.parametrize("detector", [DDM(), HDDM(), ADWIN()], ids=repr)
@pytest.mark.parametrize("learner", [GaussianNB(), LogisticRegression()], ids=repr)
def test_it_is_what_one_does_by_hand(learner: Any, detector: Any) -> None:
    force, drifts, answers = by_hand(learner, detector.clone())
    assert drifts, "there was no alarm"
    model = DriftRetraining(learner, detector=detector)
    assert model.predict_learn_many(X, Y).tolist() == answers
    assert model.drifts == drifts
    assert model.predict_many(X).tolist() == force.predict_many(X).tolist()


def test_without_an_alarm_it_is_the_bare_learner() -> None:
    model, bare = DriftRetraining(PAClassifier(), detector=DDM()), PAClassifier()
    rows = X[:, :1] * 3.0
    labels = rows[:, 0] > 0
    assert model.predict_learn_many(rows, labels).tolist() == (
        bare.predict_learn_many(rows, labels).tolist()
    )
    assert model.drifts == []


def test_numbers() -> None:
    y = np.where(np.arange(800) < 400, 3.0, -3.0) * X[:, 0]
    model = DriftRetraining(LMS(eta=0.05), detector=PageHinkley(lam=5.0))
    assert type(model) is DriftRetrainingRegressor
    model.learn_many(X, y)
    assert model.drifts
    assert 400 < model.drifts[0] < 450
    with pytest.raises(ValueError, match="any size"):
        DriftRetraining(LMS(), detector=DDM())
    with pytest.raises(TypeError, match="must be a drift detector"):
        DriftRetraining(LMS(), detector=3)


@pytest.mark.parametrize("wrap", [DriftRetraining, LeveragingBagging])
@pytest.mark.parametrize(
    "learner",
    [CategoricalNB(), GaussianNB(), HoeffdingTreeClassifier(grace_period=30), KNNClassifier()],
    ids=repr,
)
def test_members_that_begin_anew_know_the_names_there_are(
    wrap: Any, learner: Any, tmp_path: Any
) -> None:
    """Text values that came before their time, and after a file the same bits go on."""
    stream = list(Drift(STAGGER(1, seed=1), STAGGER(3, seed=2), at=300).limit(700))
    model = wrap(learner)
    for t, (x, y) in enumerate(stream):
        model.learn_one({**x, f"own{t // 100}": f"value{t % 7}"}, y)
        if t == 350:
            onstream.save(model, tmp_path / "m.onstream")
            loaded = onstream.load(tmp_path / "m.onstream")
        elif t > 350:
            loaded.learn_one({**x, f"own{t // 100}": f"value{t % 7}"}, y)
    assert model.drifts if wrap is DriftRetraining else any(model.drifts)
    rows = [x for x, _ in stream[:200]]
    np.testing.assert_array_equal(loaded.score_many(rows), model.score_many(rows))
