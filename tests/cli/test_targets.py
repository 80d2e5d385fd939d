"""What `run` and `train` say of their targets, and which learners `run` takes by itself."""

import random
from pathlib import Path
from typing import Any

import pytest

from .calling import call

NUMBERS = "different whole numbers"
RUNS = "Labels come in long runs"


def rows(path: Path, targets: list[Any]) -> Path:
    """A file of these targets, and of a column that tells nothing."""
    path.write_text("a,y\n" + "".join(f"{i % 7},{y}\n" for i, y in enumerate(targets)))
    return path


def counts(n: int) -> list[int]:
    """Counts of something that grows, as hires of bicycles."""
    chance = random.Random(1)
    return [int(chance.expovariate(30.0 / (100 + i))) for i in range(n)]


@pytest.mark.parametrize("n", [2_000, 12_000])
@pytest.mark.parametrize("command", ["run", "train"])
def test_a_number_learned_as_labels_is_told_once(command: str, n: int, tmp_path: Path) -> None:
    file = rows(tmp_path / "x.csv", counts(n))
    more = () if command == "run" else ("-o", tmp_path / "m")
    words = (command, file, "-t", "y", "-m", "GaussianNB()", *more)
    told = call(*words).stderr
    assert told.count(NUMBERS) == 1
    assert "Warning: the target 'y' has " in told
    assert "take a regressor such as LinearRegression()" in told
    assert NUMBERS not in call(*words, "--quiet").stderr


@pytest.mark.parametrize("classes", [105, 1_000])
def test_many_labels_among_many_rows_are_not_told(classes: int, tmp_path: Path) -> None:
    chance = random.Random(2)
    file = rows(tmp_path / "x.csv", [chance.randrange(classes) for _ in range(12_000)])
    assert call("run", file, "-t", "y", "-m", "GaussianNB()").stderr == ""


def test_numbers_for_a_regressor_are_not_told(tmp_path: Path) -> None:
    file = rows(tmp_path / "x.csv", counts(6_000))
    assert NUMBERS not in call("run", file, "-t", "y", "-m", "LinearRegression()").stderr


@pytest.mark.parametrize("labels", [("x", "y", "z"), (0, 1, 2), (False, True)])
def test_a_sorted_file_is_told(labels: tuple[Any, ...], tmp_path: Path) -> None:
    targets = [label for label in labels for _ in range(200)]
    file = rows(tmp_path / "x.csv", targets)
    words = ("run", file, "-t", "y", "-m", "PAClassifier()")
    told = call(*words).stderr
    assert told.count(RUNS) == 1
    assert f"--shuffle {len(targets)} " in told
    assert RUNS not in call(*words, "--shuffle", len(targets)).stderr
    assert RUNS not in call(*words, "--quiet").stderr


def test_a_rare_label_is_no_sorted_file(tmp_path: Path) -> None:
    file = rows(tmp_path / "x.csv", [int(i % 300 == 150) for i in range(6_000)])
    assert RUNS not in call("run", file, "-t", "y", "-m", "PAClassifier()").stderr
    few = rows(tmp_path / "few.csv", [0] * 30 + [1] * 30)
    assert RUNS not in call("run", few, "-t", "y", "-m", "PAClassifier()").stderr


@pytest.mark.parametrize(
    ("targets", "learners", "other"),
    [
        (["late", "early"] * 50, ("EvolvingClassifier", "LogisticRegression"), "LinearRegression"),
        ([1.0, 2.0, 3.0] * 40, ("EvolvingClassifier", "LogisticRegression"), "LinearRegression"),
        ([0.5, 2.0, 3.0] * 40, ("EvolvingRegressor", "LinearRegression"), "LogisticRegression"),
        (
            [7 * i % 901 for i in range(900)],
            ("EvolvingRegressor", "LinearRegression"),
            "LogisticRegression",
        ),
    ],
)
def test_learners_without_being_named(
    targets: list[Any], learners: tuple[str, str], other: str, tmp_path: Path
) -> None:
    file = rows(tmp_path / "x.csv", targets)
    done = call("run", file, "-t", "y", "--shuffle", 50)
    lines = done.stdout.splitlines()
    rule = next(i for i, line in enumerate(lines) if line.startswith("───"))  # heads may wrap
    first, second = (line.split()[0] for line in lines[rule + 1 : rule + 3])
    assert (first, second) == learners
    assert f"{first}() and {second}(). If it is " in done.stderr
    assert f"--model '{other}()'" in done.stderr
    assert call("run", file, "-t", "y", "--quiet").stderr == ""
