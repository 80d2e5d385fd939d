"""A learner that cannot go on: at which row of the stream, and what becomes of the others."""

import json
from pathlib import Path

import numpy as np
import pytest

import onstream

from .calling import call

WILD = "LinearRegression(eta=0.1)"


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Numbers that grow so much in the middle that steps of 0.1 diverge."""
    path = tmp_path / "rows.csv"
    a, b = np.random.default_rng(0).normal(size=(2, 3_000)).round(6)
    a[1_500:] *= 20.0
    lines = [f"{u:.6f},{v:.6f},{u + 2 * v:.6f}" for u, v in zip(a, b, strict=True)]
    path.write_text("\n".join(["a,b,y", *lines]) + "\n")
    return path


@pytest.fixture
def learned(rows: Path) -> int:
    """How many rows can be learned."""
    model = onstream.LinearRegression(eta=0.1)
    with pytest.raises(ValueError, match="overflow"):
        model.fit(onstream.streams.read_csv(rows, target="y"))
    assert 1_500 < model.seen < 2_900
    return model.seen


@pytest.mark.parametrize("command", [("train", "-o"), ("run", "--save")])
def test_the_row_is_one_of_the_stream(
    rows: Path, learned: int, command: tuple[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "m.onstream"
    told = call(command[0], rows, "-t", "y", "-m", WILD, command[1], out, code=1).stderr
    assert f"LinearRegression: row {learned + 1:,}: learning this example would overflow" in told
    assert f"The {learned:,} rows before are learned and saved to {out}." in told
    assert told.count("rows before") == 1
    assert onstream.load(out).seen == learned


def test_what_was_learned_of_the_first_block_is_saved(tmp_path: Path) -> None:
    source, out = tmp_path / "rows.csv", tmp_path / "m.onstream"
    source.write_text("a,y\n" + "1,1\n" * 9 + "1e200,1\n")
    told = call("train", source, "-t", "y", "-m", WILD, "-o", out, code=1).stderr
    assert "row 10: learning" in told
    assert "The 9 rows before are learned and saved" in told
    assert "a (number) -> y" in call("inspect", out).stdout


def test_a_row_that_is_refused_is_one_of_the_stream(tmp_path: Path) -> None:
    source, out = tmp_path / "rows.csv", tmp_path / "m.onstream"
    source.write_text("a,y\n" + "1,1\n2,0\n" * 50 + "1,7\n")
    model = "PAClassifier(labels=[0, 1], max_labels=2)"
    for command in (("train", "-o"), ("run", "--save")):
        told = call(command[0], source, "-t", "y", "-m", model, command[1], out, code=1).stderr
        assert "PAClassifier: row 101: " in told
        assert "The 64 rows before are learned and saved" in told


def test_the_others_go_on(rows: Path, learned: int, tmp_path: Path) -> None:
    folder, page = tmp_path / "models", tmp_path / "r.html"
    line = ("run", rows, "-t", "y", "-m", WILD, "-m", "RLS()")
    found = call(*line, "--save", folder, "--report", page, code=1)
    why = f"row {learned + 1:,}: learning this example would overflow the range of floats"
    assert f"LinearRegression: {why}" in found.stderr
    assert f"The {learned:,} rows before are learned and saved to {folder}." in found.stderr
    assert "stopped at" in found.stdout  # the rest may stand in the next line of the cell
    assert "RLS " in found.stdout
    assert f"stopped at {why}" in page.read_text()
    assert onstream.load(folder / "1-LinearRegression.onstream").seen == learned
    assert onstream.load(folder / "2-RLS.onstream").seen == 3_000
    told = json.loads(call(*line, "--json", code=1).stdout)
    wild, calm = told["learners"][:2]
    assert wild["stopped"] == f"stopped at {why}"
    assert wild["values"]["MAE"]["cumulative"] is None
    curve = wild["curves"]["MAE"]["cumulative"]
    assert len(curve) == len(told["at"]) == len(calm["curves"]["MAE"]["cumulative"])
    assert curve[0] is not None
    assert curve[-1] is None
    assert calm["stopped"] is None
    alone = json.loads(call("run", rows, "-t", "y", "-m", "RLS()", "--json").stdout)
    assert calm["values"] == alone["learners"][0]["values"]


def test_if_all_stop_the_run_ends(rows: Path, learned: int, tmp_path: Path) -> None:
    other = "LinearRegression(eta=0.2)"
    line = ("run", rows, "-t", "y", "-m", WILD, "-m", other, "--save", tmp_path / "models")
    found = call(*line, code=1)
    assert found.stdout == ""
    assert f"{WILD}: row {learned + 1:,}: learning" in found.stderr
    assert f"The {learned:,} rows before are learned" in found.stderr
    assert f"{other}: row " in found.stderr
    assert onstream.load(tmp_path / "models" / "1-LinearRegression.onstream").seen == learned
