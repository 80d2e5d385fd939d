"""Lines that could not be read: which one is the first, and what if most of them were not."""

from pathlib import Path

import pytest

from .calling import call


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    """Texts over several lines, read line by line."""
    path = tmp_path / "letters.csv"
    path.write_text("text,y\n" + "".join(f'"a\nb\nb\nc{i}",{i % 2}\nd,{i % 2}\n' for i in range(9)))
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file, path = tmp_path / "good.csv", tmp_path / "m.onstream"
    file.write_text("text,y\na,1\nb,0\n")
    call("train", file, "-t", "y", "-m", "PAClassifier()", "-o", path)
    return path


def test_most_lines_left_out_are_a_warning(letters: Path, model: Path, tmp_path: Path) -> None:
    for line in (
        ("run", letters, "-t", "y", "-m", "PAClassifier()"),
        ("run", letters, "-t", "y", "-m", "PAClassifier()", "--json"),
        ("train", letters, "-t", "y", "-m", "PAClassifier()", "-o", tmp_path / "n.onstream"),
        ("predict", model, letters, "-t", "y"),
        ("convert", letters, tmp_path / "out.jsonl"),
    ):
        told = call(*line, "--on-error", "skip").stderr
        assert "Warning: 27 of 45 lines were left out" in told
        assert f"{letters}: line 2: a quote is never closed" in told
        assert "say --newlines-in-values." in told
        assert call(*line, "--on-error", "skip", "-q").stderr == ""


def test_the_most_helpful_reason_is_told(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text('a,y\n1,2,3\n1,2,3\n"x,1\n1,1\n')
    told = call("run", file, "-t", "y", "-m", "PAClassifier()", "--on-error", "skip")
    assert "3 of 4 lines were left out" in told.stderr
    assert f"{file}: line 4" in told.stderr
    assert "--newlines-in-values" in told.stderr
    assert f"The first: {file}: line 2" in told.stdout


def test_no_row_at_all_tells_why(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a,y\n1,2,3\n1,2,3\n")
    for line in (("run",), ("train", "-o", tmp_path / "m.onstream")):
        told = call(
            *line, file, "-t", "y", "-m", "PAClassifier()", "--on-error", "skip", code=1
        ).stderr
        assert "2 of 2 lines were left out" in told
        assert "2 columns are expected, there are 3" in told


def test_a_few_lines_left_out_are_no_warning(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a,y\n1,2,3\n1,1\n1,0\n")
    told = call("run", file, "-t", "y", "-m", "PAClassifier()", "--on-error", "skip")
    assert told.stderr == ""
    assert "1 line could not be read" in told.stdout
