"""Nominal values behind steps: a learner sees the feature that it would see without them."""

import numpy as np
import pandas as pd
import pytest

from onstream.bayes import GaussianNB
from onstream.features import (
    BagOfWords,
    FeatureHasher,
    Imputer,
    MinMaxScaler,
    RandomFourierFeatures,
    Select,
    StandardScaler,
    Union,
)
from onstream.persist import dumps, loads
from onstream.tree import HoeffdingTreeClassifier

NAMES = ("colour", "shape", "size")

UNCHANGED = [  # steps that leave every row of `stream` as it is
    Select(*NAMES),
    Imputer(),
    Imputer() | Select(*NAMES),
    Union(Select(*NAMES)),
    Union(Union(Imputer()) | Select(*NAMES)),
    Select("colour") + Select("shape", "size"),
]
MAKERS = [
    BagOfWords(on="colour"),
    FeatureHasher(hash_bits=5),
    StandardScaler() | FeatureHasher(hash_bits=4),
    RandomFourierFeatures(n_components=4),
    Union(RandomFourierFeatures(n_components=2), StandardScaler()),
]


def stream(n=160, seed=0, numbers=True):
    """Mappings of text and a number, and what they stand for."""
    random = np.random.default_rng(seed)
    rows, y = [], []
    for _ in range(n):
        row = {
            "colour": str(random.choice(["red", "green", "blue"])),
            "shape": f"s{random.integers(9)}",
        }
        if numbers:
            row["size"] = float(random.normal())
        if random.random() < 0.2:
            del row["shape"]
        rows.append(row)
        y.append(row["colour"] == "green")
    return rows, y


def targets(case, y):
    return [float(value) for value in y] if case.regresses else ["no" if v else "yes" for v in y]


def spoken(model, rows):
    return np.ravel(model.score_many(rows)).tolist()


@pytest.mark.parametrize("steps", UNCHANGED, ids=repr)
def test_steps_that_change_nothing(nominal, steps):
    """The very scores of the learner alone, by block, loop and frame, before and after a file."""
    if nominal.line.draws_features and isinstance(steps, Union):
        pytest.skip("it may draw a feature that one part hides")
    rows, y = stream()
    y = targets(nominal, y)
    plain, block, loop, frame = nominal.make(), *(steps.clone() | nominal.make() for _ in range(3))
    plain.learn_many(rows, y)
    block.learn_many(rows, y)
    for x, target in zip(rows, y, strict=True):
        loop.learn_one(x, target)
    frame.learn_many(pd.DataFrame(rows, columns=NAMES), y)
    assert dumps(block) == dumps(loop) == dumps(frame)
    expected = spoken(plain, rows)
    if hasattr(plain, "population"):  # members of numbers: a sum in another order of features
        expected = pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert spoken(block, rows) == expected
    assert spoken(loads(dumps(block)), rows) == expected
    assert spoken(block.members[-1], rows) == expected


@pytest.mark.parametrize(
    "steps",
    [StandardScaler(), MinMaxScaler(), StandardScaler() | Imputer(), Union(MinMaxScaler())],
    ids=repr,
)
def test_scalers_leave_nominal_values(nominal, steps):
    rows, y = stream(numbers=False)
    y = targets(nominal, y)
    plain, model = nominal.make(), steps.clone() | nominal.make()
    plain.learn_many(rows, y)
    model.learn_many(rows, y)
    assert spoken(model, rows) == spoken(plain, rows)
    assert spoken(loads(dumps(model)), rows) == spoken(plain, rows)


def test_a_feature_that_two_parts_keep_is_nominal_twice(nominal):
    rows, y = stream()
    y = targets(nominal, y)
    model = (Select(*NAMES) + MinMaxScaler()) | nominal.make()
    model.learn_many(rows, y)
    last = model.members[-1]
    assert dumps(loads(dumps(model))) == dumps(model)
    twice = [{**row, **{f"{name}.1": value for name, value in row.items()}} for row in rows]
    scores = spoken(model, [{k: v for k, v in row.items() if k != "size"} for row in rows])
    known = [{k: v for k, v in row.items() if not k.startswith("size")} for row in twice]
    assert spoken(last, known) == scores


@pytest.mark.filterwarnings("ignore:.* takes numbers as nominal values")
@pytest.mark.parametrize("steps", MAKERS, ids=repr)
def test_behind_steps_that_make_features(nominal, steps):
    """There text is name=value, however it comes in; what is learned can be kept."""
    rows, y = stream(60)
    y = targets(nominal, y)
    if "nominal" in nominal.params or "categorical" in nominal.params:
        with pytest.raises(ValueError, match=r"^Pipeline: .* takes numbers as nominal values"):
            steps.clone() | nominal.make()
        return
    block, loop, frame = (steps.clone() | nominal.make() for _ in range(3))
    block.learn_many(rows, y)
    for x, target in zip(rows, y, strict=True):
        loop.learn_one(x, target)
    frame.learn_many(pd.DataFrame(rows, columns=NAMES), y)
    assert dumps(block) == dumps(loop) == dumps(frame)
    assert spoken(loads(dumps(block)), rows) == spoken(block, rows)
    assert spoken(block.members[-1].clone(), [{}]) == spoken(nominal.make(), [{}])


def test_a_refused_value_is_forgotten_in_the_union():
    """Its number is free again, there as at the features."""
    model, other = ((Select("c") + Imputer()) | GaussianNB() for _ in range(2))
    for each in (model, other):
        each.learn_one({"c": "red", "n": 1.0}, "x")
    with pytest.raises(ValueError, match="overflow"):
        model.learn_one({"c": "refused", "m": "new", "n": 1.0}, "y", 1e308)
    for each in (model, other):
        each.learn_one({"c": "blue", "m": "old", "n": 1.0}, "y")
    assert dumps(model) == dumps(other)


def test_the_tree_shows_its_nominal_split():
    rows, y = stream(600)
    model = Union(Select(*NAMES)) | HoeffdingTreeClassifier(grace_period=50)
    model.learn_many(rows, y)
    assert "colour = green" in model.members[-1].to_text()
