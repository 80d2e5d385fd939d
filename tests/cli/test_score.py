"""Saved models in a `run`, on their way or only tested; baselines."""

import csv
import json
from pathlib import Path

import pytest

import onstream

from .calling import call


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A file to train from, one to test with, and a model that has learned the first."""
    first, test, model = (tmp_path / name for name in ("train.csv", "test.csv", "m.onstream"))
    call("generate", "SEA(seed=1)", "--rows", 800, "-o", first)
    call("generate", "SEA(seed=2)", "--rows", 300, "-o", test)
    call("train", first, "-t", "y", "-m", "LogisticRegression()", "-o", model)
    return first, test, model


def value(told: str, metric: str = "Accuracy", which: int = 0) -> float:
    return float(json.loads(told)["learners"][which]["values"][metric]["cumulative"])


def test_a_saved_model_is_only_tested(files: tuple[Path, Path, Path]) -> None:
    _, test, model = files
    before = model.read_bytes()
    told = call("run", test, "-m", model, "--test-only", "--json", "--metric", "Accuracy").stdout
    with test.open() as file:
        rows = list(csv.DictReader(file))
    loaded = onstream.load(model)
    right = [loaded.predict_one({k: float(row[k]) for k in "012"}) == int(row["y"]) for row in rows]
    assert value(told) == pytest.approx(sum(right) / len(right), abs=1e-12)
    assert json.loads(told)["learners"][0]["name"] == "m.onstream"
    assert model.read_bytes() == before


def test_a_saved_model_goes_on_in_a_copy(files: tuple[Path, Path, Path]) -> None:
    _, test, model = files
    before = model.read_bytes()
    out = model.with_name("more.onstream")
    told = call("run", test, "-m", model, "--json", "--save", out).stdout
    assert model.read_bytes() == before
    assert onstream.load(out).seen == 1100
    both = model.with_name("both.onstream")
    call("train", test, "-t", "y", "--from", model, "-o", both)
    assert out.read_bytes() == both.read_bytes()
    fresh = call("run", test, "-t", "y", "-m", "LogisticRegression()", "--json").stdout
    assert value(told) > value(fresh)


def test_saved_models_beside_others(files: tuple[Path, Path, Path]) -> None:
    _, test, model = files
    told = call("run", test, "-m", model, "-m", model, "-m", "VFDT()", "-m", "MajorityClass()")
    for name in ("m.onstream", "HoeffdingTreeClassifier", "MajorityClass"):
        assert name in told.stdout
    told = call("run", test, "-m", model, "-m", "VFDT()", "--test-only", code=1)
    assert "--test-only tests saved models; 'VFDT()' has learned nothing" in told.stderr


@pytest.mark.parametrize("metric", ["Accuracy", "ROCAUC", "LogLoss", "Kappa"])
def test_every_kind_of_answer_is_tested(files: tuple[Path, Path, Path], metric: str) -> None:
    _, test, model = files
    line = ("run", test, "-m", model, "--test-only", "--json", "--metric", metric)
    at_once = value(call(*line).stdout, metric)
    assert value(call(*line, "--delay", 1).stdout, metric) == pytest.approx(at_once, rel=1e-9)


def test_numbers_are_tested_too(tmp_path: Path) -> None:
    model, file = tmp_path / "m.onstream", tmp_path / "x.csv"
    file.write_text("a,y\n" + "".join(f"{i % 9},{2 * (i % 9)}.5\n" for i in range(200)))
    call("train", file, "-t", "y", "-m", "RLS()", "-o", model)
    told = call("run", file, "-m", model, "-m", model, "--test-only", "--json").stdout
    assert value(told, "MAE") < 0.1
    told = call("run", file, "-t", "y", "-m", "RLS()", "-m", "LastValue()", "--json").stdout
    assert json.loads(told)["learners"][1]["baseline"] is True


def test_columns_are_read_as_they_were_learned(tmp_path: Path) -> None:
    """Labels 1 and 2 that were text stay text; an id that was not learned is left out."""
    first, test, model = (tmp_path / name for name in ("1.csv", "2.csv", "m.onstream"))
    first.write_text("zip,y\n" + "1,1\n2,2\n" * 30)
    test.write_text("id,zip,y\n" + "7,1,1\n8,2,2\n" * 30)
    types = ("--types", "zip=str,y=str")
    call("train", first, "-t", "y", *types, "-m", "PAClassifier()", "-o", model)
    assert value(call("run", test, "-m", model, "--test-only", "--json").stdout) == 1.0
    out = tmp_path / "o.onstream"
    call("run", test, "-m", model, "--save", out)
    assert set(onstream.load(out).weights) == {"zip=1", "zip=2"}


def test_what_is_refused(files: tuple[Path, Path, Path]) -> None:
    first, test, model = files
    line = ("run", test, "-t", "y")
    out = model.with_name("x.onstream")
    told = call(*line, "-m", model, "--test-only", "--save", out, code=1).stderr
    assert "--test-only learns nothing" in told
    assert "no such file" in call(*line, "-m", "nope.onstream", code=1).stderr
    assert "is a file, but no model of onstream" in call(*line, "-m", first, code=1).stderr
    told = call(*line, "-m", "VFDT()", "-m", "MajorityClass()", "--save", out, code=1).stderr
    assert "MajorityClass is a baseline, which cannot be saved" in told
    told = call("train", test, "-t", "y", "-m", "MajorityClass()", "-o", out, code=1).stderr
    assert "MajorityClass() is a baseline" in told
    told = call(*line, "-m", model, "--save", model, code=1).stderr
    assert "file that is read" in told
    told = call("train", test, "-t", "y", "-m", model, "-o", out, code=1).stderr
    assert "--from" in told
    assert not out.exists()
