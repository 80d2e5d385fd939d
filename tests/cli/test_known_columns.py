"""A file that is not what the model has learned: a line says so, or an error."""

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import onstream
from onstream.base import DataWarning
from onstream.cli.warnings_ import one_line_warnings, silence_warnings
from onstream.core.data_warning import warn_of_data

from .calling import call

ROWS = [(i % 7, i % 5, "red" if i % 3 else "blue", i % 2) for i in range(60)]


def text(head: str) -> str:
    return f"{head}\n" + "".join(f"{a},{b},{c},{y}\n" for a, b, c, y in ROWS)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "train.csv").write_text(text("price,demand,colour,y"))
    path = tmp_path / "m.onstream"
    call("train", tmp_path / "train.csv", "-t", "y", "-m", "PAClassifier()", "-o", path)
    return path


def commands(model: Path, file: Path) -> list[tuple[Any, ...]]:
    """Everything that shows a file to a saved model."""
    out = model.with_name("out.onstream")
    return [
        ("predict", model, file, "-t", "y"),
        ("train", file, "-t", "y", "--from", model, "-o", out),
        ("run", file, "-m", model),
        ("run", file, "-m", model, "--test-only"),
    ]


def test_lacking_columns_are_named_once(model: Path) -> None:
    file = model.with_name("renamed.csv")
    file.write_text(text("PRICE,demand,Colour,y"))
    for line in commands(model, file):
        told = call(*line).stderr
        assert told.count("Warning") == 1
        assert f'{file}: there is no columns "price", "colour"'.replace("is no", "are no") in told
        assert "which the model has learned" in told
        assert ('new columns: "PRICE", "Colour"' in told) == (line[0] == "train")
        assert len(told.splitlines()) == (2 if line[0] == "train" else 1)
        assert "DataWarning" not in told
        assert call(*line, "-q").stderr == ""


def test_nothing_is_said_of_what_was_dropped_or_is_there(model: Path) -> None:
    file = model.with_name("train.csv")
    for line in commands(model, file):
        assert call(*line).stderr == ""
        assert call(*line, "--drop", "price").stderr == ""


def test_columns_without_any_value_are_named(model: Path) -> None:
    file = model.with_name("new.csv")
    file.write_text("price,demand,colour,y\n1,,red,0\n2,,blue,1\n")
    for line in commands(model, file):
        told = call(*line).stderr
        assert f'{file}: no row has a value in column "demand"' in told
        assert len(told.splitlines()) == 1
    file = model.with_name("new.jsonl")
    rows = '{"price": 1, "COLOUR": "red", "y": 0}\n{"demand": 1, "y": 1}\n'
    file.write_text(rows)
    assert not call("predict", model, file, "-t", "y").stderr  # it may come later
    file.write_text(50 * rows)
    told = call("predict", model, file, "-t", "y").stderr
    assert f'{file}: no row has a value in column "colour"' in told


def test_a_file_without_any_known_column_is_refused(model: Path) -> None:
    file = model.with_name("other.csv")
    file.write_text(text("p,d,c,y"))
    for line in commands(model, file):
        found = call(*line, code=1)
        assert "the model knows none of its columns" in found.stderr
        assert found.stdout == ""
    assert not model.with_name("out.onstream").exists()


def test_a_learner_may_say_so_too(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of models without notes only the learner knows what it has learned."""
    onstream.save(onstream.load(model), model)
    file = model.with_name("train.csv")

    def doubtful(self: Any, X: Any) -> list[int]:
        warn_of_data("PAClassifier: none of the features 'p', 'd' was learned; learned were 'a'.")
        return [0] * X.num_rows

    monkeypatch.setattr(onstream.PAClassifier, "predict_many", doubtful)
    found = call("predict", model, file, code=1)
    assert "none of the features 'p', 'd' was learned" in found.stderr
    assert found.stdout == ""


def test_warnings_are_a_line_each_and_once(capsys: pytest.CaptureFixture[str]) -> None:
    words = "columns 'id', 'when': nearly every value is new ({} in 9 examples). Leave them out."
    with one_line_warnings():
        for n, who in enumerate(("PAClassifier", "VFDT", "PAClassifier")):
            warn_of_data(f"{who}: {words.format(n)}")
        warn_of_data("VFDT: something else \x1b[2J")
        silence_warnings()
        warn_of_data("VFDT: a third thing")
    told = capsys.readouterr().err.splitlines()
    assert told == [
        f"Warning: PAClassifier: {words.format(0)} On the command line: --drop id,when.",
        r"Warning: VFDT: something else \x1b[2J",
    ]


def test_other_warnings_are_as_they_were() -> None:
    with pytest.warns(RuntimeWarning, match="other"), one_line_warnings():
        warnings.warn("other", RuntimeWarning, stacklevel=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with one_line_warnings():
            warn_of_data("a line")
        with pytest.raises(DataWarning):
            warn_of_data("an error again")


def test_python_says_nothing_of_its_own(model: Path) -> None:
    file = model.with_name("renamed.csv")
    file.write_text(text("PRICE,demand,colour,y"))
    code = "from onstream.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, ("predict", model, file, "-t", "y"))],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f'Warning: {file}: there is no column "price"')


def test_a_row_of_new_words_is_answered_like_the_others(tmp_path: Path) -> None:
    """Lines of a pipe come one by one; in a file they are one block."""
    rows, model = tmp_path / "rows.vw", tmp_path / "m.onstream"
    rows.write_text("1 | a\n-1 | b\n" * 20)
    call("train", rows, "-m", "PAClassifier()", "-o", model)
    text = "| a\n" + "| new words\n" * 15 + "| b\n"
    answers = call("predict", model, "-", "--format", "vw", stdin=text).stdout.split()
    assert len(answers) == 18


DAYS = "".join(f"{i},{i % 7},{i % 5},{i % 2}\n" for i in range(60))


@pytest.mark.parametrize("first", [("--drop", "id"), ("--only", "a,b")])
@pytest.mark.parametrize("by", ["train", "run"])
def test_train_goes_on_without_what_was_left_out(
    tmp_path: Path, first: tuple[str, str], by: str
) -> None:
    file, model = tmp_path / "day.csv", tmp_path / "m.onstream"
    file.write_text(f"id,a,b,y\n{DAYS}")
    save = "--out" if by == "train" else "--save"
    call(by, file, "-t", "y", "-m", "LogisticRegression()", *first, save, model)
    for _ in range(2):  # it remembers for more than a day
        told = call("train", file, "--from", model, "--out", model)
        assert told.stderr == ""
        assert set(onstream.load(model).weights) == {"a", "b"}
    assert set(json.loads(call("inspect", model, "--json").stdout)["columns"]) == {"a", "b"}
    without = tmp_path / "without.csv"  # and need not be there
    without.write_text("a,b,y\n1,2,0\n2,1,1\n")
    assert call("train", without, "--from", model, "--out", model).stderr == ""
    assert call("predict", model, without, "-t", "y").stderr == ""


def test_another_choice_takes_the_place_of_the_first(tmp_path: Path) -> None:
    file, model = tmp_path / "day.csv", tmp_path / "m.onstream"
    file.write_text(f"id,a,b,y\n{DAYS}")
    call("train", file, "-t", "y", "-m", "LogisticRegression()", "--drop", "id,b", "--out", model)
    told = call("train", file, "--from", model, "--drop", "id", "--out", model)
    assert 'new column: "b"' in told.stderr
    assert set(onstream.load(model).weights) == {"a", "b"}
    assert call("train", file, "--from", model, "--out", model).stderr == ""
    assert set(onstream.load(model).weights) == {"a", "b"}


def test_what_json_lines_left_out_stays_so(tmp_path: Path) -> None:
    file, model = tmp_path / "day.jsonl", tmp_path / "m.onstream"
    file.write_text("".join(f'{{"id": {i}, "a": {i % 7}, "y": {i % 2}}}\n' for i in range(60)))
    call("train", file, "-t", "y", "-m", "LogisticRegression()", "--drop", "id", "--out", model)
    call("train", file, "--from", model, "--out", model)
    assert set(onstream.load(model).weights) == {"a"}


def test_new_columns_are_told_in_a_line(model: Path) -> None:
    file = model.with_name("wider.csv")
    head, *lines = text("price,demand,colour,y").splitlines()
    more = "".join(f"{line},{i},{i % 3}\n" for i, line in enumerate(lines))
    file.write_text(f"{head},id,size\n{more}")
    line = ("train", file, "-t", "y", "--from", model, "-o", model.with_name("out.onstream"))
    told = call(*line).stderr
    assert 'new columns: "id", "size"' in told
    assert "--drop" in told
    assert "column 'id': another number in every row" in told
    assert len(told.splitlines()) == 2
    assert call(*line, "-q").stderr == ""
    for quiet_one in commands(model, file):  # who leaves other columns out learns nothing new
        if quiet_one[0] != "train":
            assert call(*quiet_one).stderr == ""
    assert "new columns" in call("run", file, "-m", model, "-m", "PAClassifier()").stderr
