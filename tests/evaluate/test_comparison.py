"""Several learners on several streams, with several seeds."""

from statistics import fmean, stdev

import numpy as np
import pytest
from rich.console import Console

from onstream import PAClassifier, StandardScaler
from onstream.bayes import GaussianNB
from onstream.evaluate import Accuracy, ErrorRate, compare, prequential
from onstream.kernel import RandomizedPerceptron
from onstream.linear import LinearRegression
from onstream.streams import SEA, STAGGER, Friedman

STREAMS = {"sea": lambda seed: SEA(seed=seed).limit(300), "stagger": STAGGER().limit(300)}


def test_every_run_is_a_prequential_one() -> None:
    models = {"pa": PAClassifier(), "random": StandardScaler() | RandomizedPerceptron(budget=5)}
    found = compare(models, STREAMS, seeds=(3, 4))
    assert found.streams == ["sea", "stagger"]
    assert found.learners[:2] == ["pa", "random"]
    for name, stream in STREAMS.items():
        for i, seed in enumerate((3, 4)):
            alone = prequential(
                {"random": StandardScaler() | RandomizedPerceptron(budget=5, seed=seed)},
                stream(seed) if callable(stream) else stream,
            )
            assert found.values("random", name)[i] == alone.value("random", "Accuracy")
    assert found.value("pa", "sea") == fmean(found.values("pa", "sea"))
    assert found.spread("pa", "sea") == stdev(found.values("pa", "sea")) > 0.0
    assert found.spread("pa", "stagger") == 0.0  # neither the learner nor the stream is drawn
    assert all(model.seen == 0 for model in models.values())


def test_ranks() -> None:
    streams = {"sea": SEA(seed=1).limit(400), "stagger": STAGGER(seed=1).limit(400)}
    models = {"nb": GaussianNB(), "same": GaussianNB(), "pa": PAClassifier()}
    found = compare(models, streams)
    ranks = found.ranks()
    assert set(ranks) == set(models)  # no baselines
    assert sum(ranks.values()) == pytest.approx(6.0)
    assert ranks["nb"] == ranks["same"]
    better = [found.value("nb", name) > found.value("pa", name) for name in streams]
    expected = fmean([1.5 if ahead else 2.5 for ahead in better])
    assert ranks["nb"] == expected
    low_is_best = compare(models, streams, metrics=[ErrorRate(), Accuracy()])
    assert low_is_best.ranks() == ranks


def test_numbers_and_a_table() -> None:
    found = compare(
        [LinearRegression(eta=0.01), StandardScaler() | LinearRegression(eta=0.01)],
        [Friedman(seed=2).limit(200), Friedman(seed=3).limit(200)],
        n_jobs=2,
    )
    assert found.streams == ["Slice 1", "Slice 2"]
    text = str(found)
    assert "mean rank" in text
    assert "MAE" in text
    assert "LinearRegression" in text
    Console(width=40).print(found)  # narrow, too
    assert found.to_dict()["streams"]["Slice 1"][0]["rows"] == 200


def test_seeds_can_be_counted() -> None:
    learner = RandomizedPerceptron(budget=5)
    stream = {"sea": lambda seed: SEA(seed=seed).limit(100)}
    three = compare([learner], stream, seeds=3)
    assert three.seeds == [0, 1, 2]
    assert str(three) == str(compare([learner], stream, seeds=range(3)))
    for wrong, told in ((0, "seeds must be at least 1"), (2.5, "seeds must be a whole number")):
        with pytest.raises((TypeError, ValueError), match=f"compare: {told}, got {wrong}"):
            compare([learner], stream, seeds=wrong)


def test_what_cannot_be_compared() -> None:
    rows = (np.zeros((4, 1)), [0, 1, 0, 1])
    with pytest.raises(TypeError, match="streams must be a dict"):
        compare(PAClassifier(), rows)
    with pytest.raises(TypeError, match="streams must be a dict"):
        compare(PAClassifier(), SEA().limit(5))
    with pytest.raises(ValueError, match="never ends"):
        compare(PAClassifier(), [SEA()])
    with pytest.raises(TypeError, match="only once"):
        compare(PAClassifier(), {"a": iter([({"x": 1.0}, 1)])})
    with pytest.raises(ValueError, match="there is no stream"):
        compare(PAClassifier(), [])
    with pytest.raises(ValueError, match="seeds is empty"):
        compare(PAClassifier(), {"a": rows}, seeds=[])
    found = compare(PAClassifier(), {"a": rows})
    with pytest.raises(KeyError, match="there is no stream 'b'"):
        found.value("PAClassifier", "b")
