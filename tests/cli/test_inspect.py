"""`inspect`: what stands in a file, for people and in files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import onstream
from onstream.base import Classifier, learners
from onstream.bayes import GaussianNB
from onstream.cli.main import app
from onstream.linear import RLS, PAClassifier, PARegressor
from onstream.select import EvolvingClassifier, EvolvingRegressor


def shown(model: Any, folder: Path, *options: str) -> str:
    """What `inspect` writes of a model."""
    onstream.save(model, folder / "m.onstream")
    found = CliRunner().invoke(app, ["inspect", str(folder / "m.onstream"), *options])
    assert found.exit_code == 0, found.output
    return found.stdout


def line_of(name: str, text: str) -> str:
    """The line that begins with a name."""
    return next(line for line in text.splitlines() if line.startswith(f"{name} "))


@pytest.fixture
def model() -> Any:
    """Words of spam weigh more than 0, those of ham less, one nothing."""
    model = onstream.PAClassifier(labels=["ham", "spam"])
    model.learn_one({"offer": 1.0, "cheap": 0.5, "a": 0.0}, "spam")
    model.learn_one({"meeting": 1.0, "offer": 0.5}, "ham")
    assert model.weights["a"] == 0.0
    assert model.bias != 0.0
    return model


def test_no_line_ends_with_spaces(model: Any, tmp_path: Path) -> None:
    told = shown(onstream.PAClassifier(labels=[f"label {i}" for i in range(40)]), tmp_path)
    assert all(line == line.rstrip() for line in told.splitlines())
    told = shown(model, tmp_path)
    assert "offer" in told
    assert all(line == line.rstrip() for line in told.splitlines())


def test_bars_tell_signs_apart(model: Any, tmp_path: Path) -> None:
    told = shown(model, tmp_path)
    assert set(line_of("offer", told)) & set("█░") == {"█"}
    assert set(line_of("meeting", told)) & set("█░") == {"░"}
    assert line_of("a", told).split() == ["a", "0"]


def test_two_labels_and_the_bias_are_told(model: Any, tmp_path: Path) -> None:
    told = shown(model, tmp_path)
    assert "positive weights speak for 'spam'" in told
    assert line_of("(bias)", told).split() == ["(bias)", f"{model.bias:.6g}"]
    facts = json.loads(shown(model, tmp_path, "--json"))
    assert facts["bias"] == [{"label": None, "bias": model.bias}]
    plain = onstream.PAClassifier(intercept=False)
    plain.learn_one({"offer": 1.0}, True)
    assert "(bias)" not in shown(plain, tmp_path)
    line = onstream.LinearRegression()
    line.learn_one({"x": 1.0}, 2.0)
    assert "(bias)" in shown(line, tmp_path)
    assert "speak for" not in shown(line, tmp_path)


def test_every_label_has_its_bias(tmp_path: Path) -> None:
    model = onstream.PAClassifier()
    for label in "abc" * 3:
        model.learn_one({label: 1.0, "x": 0.5}, label)
    told = shown(model, tmp_path)
    for label in "abc":
        assert f"feature, for '{label}'" in told
        assert f"{model.bias[label]:.6g}" in told
    assert "speak for" not in told


@pytest.mark.parametrize("labels", [["first", "second"], [0, 1], [1, 0], [True, False], [2, 1]])
def test_positive_weights_speak_for_the_label_that_is_told(labels: Any, tmp_path: Path) -> None:
    tried = 0
    for cls in learners().values():
        if not issubclass(cls, Classifier) or not isinstance(getattr(cls, "weights", 0), property):
            continue
        model = cls()
        for _ in range(20):
            model.learn_one({"p": 1.0}, labels[0])
            model.learn_one({"q": 1.0}, labels[1])
        if model.weights.keys() != {"p", "q"}:  # a set of weights for each label
            continue
        assert model.labels == labels
        heavy = "p" if model.weights["p"] > 0 else "q"
        positive = model.predict_one({heavy: 1.0})
        assert positive == labels[heavy == "q"]
        other = labels[labels[0] == positive]
        told = f"positive weights speak for {positive!r}, ░ negative ones for {other!r}"
        assert told in shown(model, tmp_path), cls
        tried += 1
    assert tried > 9


@pytest.mark.parametrize("selection", [EvolvingClassifier, EvolvingRegressor])
def test_the_population_of_a_selection_is_shown(selection: Any, tmp_path: Path) -> None:
    numbers = selection is EvolvingRegressor
    space = [RLS(), PARegressor(C=0.5)] if numbers else [GaussianNB(), PAClassifier()]
    model = selection(space=space, population=2)
    fresh = shown(model, tmp_path)
    assert "2 configurations" in fresh
    model.learn_many([[1.0], [2.0]] * 20, [1, 0] * 20)
    text = shown(model, tmp_path)
    for member in model.members:
        judged = f"{-member['fitness']:.6g}" if numbers else f"{100 * member['fitness']:.1f} %"
        line = next(line for line in text.splitlines() if line.endswith(repr(member["learner"])))
        assert line.strip().split("  ")[0] == judged
    found = json.loads(shown(model, tmp_path, "--json"))["members"]
    assert [row["learner"] for row in found] == [repr(row["learner"]) for row in model.members]
    assert [row["fitness"] for row in found] == [row["fitness"] for row in model.members]


def features_in(told: str) -> list[str]:
    """The first column of the table of weights."""
    lines = told.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("feature"))
    return [line.split()[0] for line in lines[start + 1 : start + 4]]


@pytest.mark.parametrize("name", ["LogisticRegression", "LinearRegression", "SoftmaxRegression"])
def test_features_are_ranked_whatever_their_unit(name: str, tmp_path: Path) -> None:
    model = getattr(onstream.linear, name)()
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 3)) * [1e-3, 1.0, 1e3]
    rare = rng.random(500) < 0.01
    score = X @ [300.0, 1.0, 3e-3] + 0.1 * rare
    rows = [
        {"small": a, "middle": b, "large": c, **({"rare": 1.0} if r else {})}
        for (a, b, c), r in zip(X.tolist(), rare, strict=True)
    ]
    for _ in range(5):
        model.learn_many(rows, score if name == "LinearRegression" else (score > 0).astype(int))
    told = shown(model, tmp_path)
    assert "ranked by weight times the deviation" in told
    assert features_in(told) == ["large", "middle", "small"]  # 3, 1 and 0.3 deviations
    found = json.loads(shown(model, tmp_path, "--json"))["weights"]
    by_name = {line["feature"]: line for line in found}
    for i, feature in enumerate(("small", "middle", "large")):
        assert by_name[feature]["deviation"] == pytest.approx(X[:, i].std(), rel=0.2)  # of a sample
    assert by_name["rare"]["deviation"] == pytest.approx(rare.std(), rel=0.2)  # of a sample


def test_what_weights_are_counted_in(model: Any, tmp_path: Path) -> None:
    assert "weights are in the units of the columns" in shown(model, tmp_path)
    behind = onstream.StandardScaler() | onstream.LogisticRegression()
    rows = [{"a": 1.0, "b": 1e3}, {"a": 2.0, "b": 2e3}, {"a": 0.0, "b": 5e3}]
    behind.learn_many(rows, [0, 1, 0])
    assert "weights are of scaled features, in deviations" in shown(behind, tmp_path)
    between = onstream.features.Imputer() | onstream.LogisticRegression()
    between.learn_many(
        [{"a": 1.0, "b": 1e3}, {"a": 2.0, "b": 2e3}, {"a": 0.0, "b": 5e3}], [0, 1, 0]
    )
    assert "ranked by weight times the deviation" in shown(between, tmp_path)
