"""No command overwrites what it reads, nor puts a model in the place of something else."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import onstream

from .calling import call

ROWS = "a,y\n" + "".join(f"{i % 7},{i % 2}\n" for i in range(300))
RUN = ("run", "-t", "y", "-m", "PAClassifier()")
TRAIN = ("train", "-t", "y", "-m", "PAClassifier()")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A CSV file."""
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def model(rows: Path) -> Path:
    """A model that has learned them."""
    path = rows.with_name("m.onstream")
    call(*TRAIN, rows, "-o", path)
    return path


def other_names(path: Path) -> list[Path]:
    """The same file by other spellings and links."""
    link, hard = path.with_name("link.csv"), path.with_name("hard.csv")
    link.symlink_to(path)
    os.link(path, hard)
    return [path, Path(os.path.relpath(path)), path.parent / "." / path.name, link, hard]


@pytest.mark.parametrize(
    "line",
    [
        (*RUN, "--on-error"),
        (*RUN, "--save"),
        (*RUN, "--report"),
        (*RUN, "-m", "Perceptron()", "--report"),
        (*TRAIN, "--out"),
        (*TRAIN, "-o", "new.onstream", "--on-error"),
        ("convert",),
        ("convert", "--on-error"),
    ],
)
def test_what_is_read_is_never_overwritten(
    rows: Path, line: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(rows.parent)
    more = ["new.jsonl"] if line == ("convert", "--on-error") else []
    for name in other_names(rows):
        told = call(line[0], rows, *more, *line[1:], name, code=1).stderr
        assert "file that is read" in told
        assert rows.read_text() == ROWS
    assert {path.name for path in rows.parent.iterdir()} == {"rows.csv", "link.csv", "hard.csv"}


def test_standard_input_is_not_overwritten_either(rows: Path) -> None:
    code = "from onstream.cli.main import main; main()"
    line = [sys.executable, "-c", code, *TRAIN, "-", "--format", "csv", "-o", str(rows)]
    with rows.open() as file:
        done = subprocess.run(line, stdin=file, capture_output=True, text=True)
    assert done.returncode == 1
    assert "file that is read" in done.stderr
    assert rows.read_text() == ROWS


def test_one_of_several_files_is_not_overwritten_either(rows: Path) -> None:
    rows.with_name("more.csv").write_text(ROWS)
    told = call(*TRAIN, rows.parent / "*.csv", "-o", rows, "--limit", 9, "--epochs", 2, code=1)
    assert "file that is read" in told.stderr
    assert rows.read_text() == ROWS


def test_a_model_that_is_read_is_not_overwritten(rows: Path, model: Path) -> None:
    before = model.read_bytes()
    for option in ("--out", "--on-error"):
        told = call("predict", model, rows, option, model, code=1).stderr
        assert f"{option} {model} would overwrite the file that is read" in told
    new = model.with_name("new.onstream")
    line = ("train", rows, "-t", "y", "--from", model, "--on-error", model, "--out")
    assert "file that is read" in call(*line, new, code=1).stderr
    assert "--out and --on-error are one file" in call(*line, model, code=1).stderr
    assert model.read_bytes() == before


@pytest.mark.parametrize("line", [(*TRAIN, "--out"), (*RUN, "--save")])
def test_a_model_replaces_nothing_but_models(
    rows: Path, model: Path, line: tuple[str, ...]
) -> None:
    notes = rows.with_name("notes.txt")
    notes.write_text("keep me\n" * 20)
    told = call(line[0], rows, *line[1:], notes, code=1).stderr
    assert f"{line[-1]} {notes} is there already and is no model of onstream" in told
    assert "name another file" in told
    assert notes.read_text() == "keep me\n" * 20
    call(line[0], rows, *line[1:], model)
    notes.write_text("")  # as mktemp leaves it: there is nothing to lose
    assert "in place of" not in call(line[0], rows, *line[1:], notes).stdout
    assert onstream.load(notes).seen == 300


def test_models_in_a_folder_replace_nothing_but_models(rows: Path) -> None:
    line = (*RUN, rows, "-m", "Perceptron()", "--save")
    assert "rows.csv is no folder" in call(*line, rows, code=1).stderr
    folder = rows.with_name("models")
    call(*line, folder)
    call(*line, folder)
    second = folder / "2-Perceptron.onstream"
    second.write_text("something else")
    assert f"{second} is there already" in call(*line, folder, code=1).stderr
    assert second.read_text() == "something else"


def test_a_folder_is_no_file(rows: Path, model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for line in (
        (*TRAIN, rows, "--out"),
        (*RUN, rows, "--save"),
        (*RUN, rows, "--report"),
        (*RUN, rows, "--on-error"),
        ("predict", model, rows, "--out"),
        ("generate", "SEA()", "--rows", 9, "--format", "csv", "--out"),
        ("convert", rows, "--to", "csv"),
    ):
        told = call(*line, folder, code=1).stderr
        assert f"{folder} is a folder; name a file in it" in told
    assert list(folder.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(rows: Path, model: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "no" / "x.csv"
    for line in (
        ("predict", model, rows, "--out"),
        ("generate", "SEA()", "--rows", 9, "--out"),
        ("convert", rows),
        (*RUN, rows, "--on-error"),
    ):
        assert f"there is no folder {tmp_path / 'no'}" in call(*line, nowhere, code=1).stderr


@pytest.mark.skipif(os.name != "posix", reason="devices")
def test_a_device_is_not_replaced(rows: Path) -> None:
    pipe = rows.with_name("pipe")
    os.mkfifo(pipe)
    assert "is a device or a pipe" in call(*TRAIN, rows, "--out", pipe, code=1).stderr
    call(*TRAIN, rows, "-o", rows.with_name("m"), "--on-error", "/dev/null")
