"""`train` and `run --save` never lose what was learned, nor replace it by nothing."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import onstream

from .calling import call

ROWS = "".join(f"{i % 7},{i % 5},{i % 2}\n" for i in range(300))
MODEL = "PAClassifier()"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """300 rows, and a model that has learned them."""
    source, model = tmp_path / "rows.csv", tmp_path / "m.onstream"
    source.write_text(f"a,b,y\n{ROWS}")
    call("train", source, "-t", "y", "-m", MODEL, "-o", model)
    return source, model


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the first row is waited for."""

    def none(*_: Any) -> Iterator[Any]:
        os.kill(os.getpid(), signal.SIGINT)
        yield from ()

    monkeypatch.setattr("onstream.cli.train.chunks", none)
    monkeypatch.setattr("onstream.cli.run.chunks", none)


@pytest.mark.parametrize("start", ["--model", "--from"])
def test_without_rows_nothing_is_written(files: tuple[Path, Path], start: str) -> None:
    source, model = files
    before = model.read_bytes()
    source.write_text("a,b,y\n")
    begin = (start, MODEL if start == "--model" else model)
    told = call("train", source, "-t", "y", *begin, "-o", model, code=1)
    assert "there were no rows to learn" in told.stderr
    assert model.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("command", [("train", "-o"), ("run", "--save")])
def test_ctrl_c_before_the_first_row_leaves_the_file(
    files: tuple[Path, Path], command: tuple[str, str], interrupted: None
) -> None:
    source, model = files
    before = model.read_bytes()
    line = (command[0], source, "-t", "y", "-m", MODEL, command[1])
    told = call(*line, model, code=130)
    assert "nothing was learned" in told.stderr
    assert told.stdout == ""
    assert model.read_bytes() == before
    call(*line, model.with_name("new"), code=130)
    assert not model.with_name("new").exists()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_before_the_first_row_tells_programs(
    files: tuple[Path, Path], interrupted: None
) -> None:
    source, model = files
    told = call("train", source, "-t", "y", "-m", MODEL, "-o", model, "--json", code=130)
    assert f"{model.name} is as it was" in told.stderr
    assert json.loads(told.stdout)["rows"] == 0
    assert json.loads(told.stdout)["file"] is None


def test_an_earlier_model_is_replaced_and_that_is_said(files: tuple[Path, Path]) -> None:
    source, model = files
    line = ("train", source, "-t", "y", "-o")
    assert "in place of" not in call(*line, model, "--from", model).stdout
    assert "in place of" not in call(*line, model.with_name("new"), "-m", MODEL).stdout
    assert "in place of the earlier model" in call(*line, model, "-m", MODEL).stdout
    assert json.loads(call(*line, model, "-m", MODEL, "--json").stdout)["replaced"] is True


@pytest.mark.parametrize("command", [("train", "-o"), ("run", "--save")])
def test_a_bad_line_saves_what_came_before(
    files: tuple[Path, Path], command: tuple[str, str]
) -> None:
    source, model = files
    whole = onstream.load(model)
    source.write_text(f"a,b,y\n{ROWS}1,oops,0\n{ROWS}")
    out = model.with_name("new")
    line = (command[0], source, "-t", "y", "-m", MODEL, command[1], out)
    told = call(*line, code=1).stderr
    assert "line 302" in told
    assert f"The 300 rows before are learned and saved to {out}." in told
    assert "--on-error skip" in told
    assert onstream.load(out).weights == whole.weights
    call(*line, "--on-error", "skip")
    assert onstream.load(out).seen == 600


def test_a_bad_first_line_saves_nothing(files: tuple[Path, Path]) -> None:
    source, model = files
    before = model.read_bytes()
    source.write_text("a,b,y\n1,2,3,4,5\n" + ROWS)
    told = call("train", source, "-t", "y", "-m", MODEL, "-o", model, code=1).stderr
    assert "learned and saved" not in told
    assert model.read_bytes() == before


def test_a_fault_of_the_learner_is_not_one_of_the_line(files: tuple[Path, Path]) -> None:
    source, model = files
    source.write_text(f"a,b,y\n{ROWS * 4}1,2,7\n")
    out = model.with_name("new")
    given = "PAClassifier(labels=[0, 1], max_labels=2)"
    told = call("train", source, "-t", "y", "-m", given, "-o", out, code=1).stderr
    assert "learned and saved" in told
    assert "--on-error" not in told
    assert onstream.load(out).seen >= 64


def test_two_models_are_too_many(files: tuple[Path, Path], tmp_path: Path) -> None:
    told = call(
        "train", files[0], "-t", "y", "-m", MODEL, "-m", "X()", "-o", tmp_path / "n", code=1
    )
    assert told.stderr.startswith("onstream: train learns one model, and --model is given 2 times")
    assert told.stderr.count("\n") == 1
    assert not (tmp_path / "n").exists()
