"""Whatever stands in names, labels and files, no command sends it to the terminal as it is."""

import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import onstream
from onstream.base import DataWarning, learners
from onstream.cli.main import app

from .calling import call

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e[/x][bold]"
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")


def clean(*line: Any, code: int = 0) -> str:
    """What a command writes, all of which may be shown."""
    found = call(*line, code=code)
    text = found.stdout + found.stderr
    assert not FORBIDDEN.search(text), (line, FORBIDDEN.search(text))
    return text


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A file with an evil name, names and labels."""
    name = EVIL.replace("/", "")
    path = tmp_path / f"{name}.csv"
    rows = "".join(f'{i % 5},"{EVIL}{i % 3}","{EVIL}{i % 2}"\n' for i in range(40))
    path.write_text(f'"{EVIL}a","{EVIL}b","{EVIL}y"\n{rows}')
    return path


TARGET = ("-t", f"{EVIL}y")


def test_every_command_is_tried_here() -> None:
    found = set(get_command(app).commands)  # type: ignore[attr-defined]
    assert found == {
        "demo", "run", "train", "predict", "models", "inspect", "generate", "convert",
        "serve", "experiment", "export", "follow",
    }  # fmt: skip


def test_experiment(tmp_path: Path) -> None:
    assert "there is no experiment" in clean("experiment", EVIL, "--out", tmp_path, code=1)
    clean("experiment", "noise", "--out", tmp_path, "--data", tmp_path / EVIL, code=1)
    clean("experiment", "aggressiveness", "--out", tmp_path / EVIL.replace("/", ""))


def test_follow(evil: Path) -> None:
    out = evil.with_suffix(".onstream")
    clean("follow", evil, *TARGET, "-m", "PAClassifier()", "-o", out, "--once")
    clean("follow", evil, "-t", f"{EVIL}x", "-m", "PAClassifier()", "-o", out, "--once", code=1)


def test_run_train_predict_convert(evil: Path) -> None:
    out = evil.with_suffix(".onstream")
    models = ("-m", "PAClassifier()", "-m", "VFDT()")
    told = clean("run", evil, *TARGET, *models)
    assert r"\x1b]0;owned\x07\x1b[2J" in told.replace("\n", "")  # wherever the line is cut
    clean("run", evil, *TARGET, *models, "--save", evil.with_name(f"{EVIL.replace('/', '')}models"))
    clean("run", evil, *TARGET, *models, "--report", evil.with_suffix(".html"))
    told = clean("train", evil, *TARGET, "-m", "PAClassifier()", "-o", out)
    assert "Saved to" in told
    clean("predict", out, evil, "-o", evil.with_name("answers.csv"))
    clean("convert", evil, evil.with_name(f"{EVIL.replace('/', '')}.jsonl"))
    clean("inspect", out)
    clean("export", out, evil.with_name(f"{EVIL.replace('/', '')}.txt"))
    clean("generate", "SEA()", "--rows", 3, "-o", evil.with_name(f"{EVIL.replace('/', '')}g.csv"))
    clean("run", evil, "-m", out)
    clean("run", evil, "-m", out, "-m", out, "--test-only")


@pytest.mark.parametrize("name", sorted(learners()))
def test_inspect_shows_every_learner_safely(name: str, tmp_path: Path) -> None:
    cls = learners()[name]
    try:
        model = cls()
        y: Any = [f"{EVIL}p", f"{EVIL}q"]
        if issubclass(cls, onstream.base.Regressor):
            y = [1.0, 2.0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            for i in range(300):
                x = {f"{EVIL}a": float(i % 2), f"{EVIL}b": f"{EVIL}{i % 2}"}
                if hasattr(model, "predict_one"):
                    model.learn_one(x, y[i % 2])
                else:
                    model.learn_one(x)
        onstream.save(model, tmp_path / "m.onstream")
    except (TypeError, ValueError):
        pytest.skip("it does not learn such rows")
    clean("inspect", tmp_path / "m.onstream")


@pytest.mark.parametrize(
    "line",
    [
        ("run", "FILE", "-m", "PAClassifier()"),
        ("run", "FILE", "-t", "nope", "-m", "PAClassifier()"),
        ("run", "FILE", "-t", EVIL, "-m", "PAClassifier()"),
        ("run", "FILE", *TARGET, "-m", EVIL),
        ("run", "FILE", *TARGET, "-m", f"PAClassifier(variant='{EVIL}')"),
        ("run", "FILE", *TARGET, "-m", "RLS()"),
        ("run", "FILE", *TARGET, "-m", "PAClassifier()", "--metric", EVIL),
        ("run", "FILE", *TARGET, "-m", "PAClassifier()", "--report", f"{EVIL}/x.html"),
        ("run", f"{EVIL}.csv", *TARGET, "-m", "PAClassifier()"),
        ("run", "FILE", "--format", EVIL, "-m", "PAClassifier()"),
        ("train", "FILE", *TARGET, "-m", "PAClassifier()", "--types", EVIL, "-o", "x"),
        ("train", "FILE", *TARGET, "-m", "PAClassifier()", "-o", "FILE"),
        ("predict", "FILE", "FILE"),
        ("inspect", "FILE"),
        ("convert", "FILE", "x.libsvm", *TARGET),
        ("convert", "FILE", "x.vw", *TARGET),
        ("convert", "FILE", EVIL),
        ("export", "FILE", EVIL),
        ("export", "FILE", f"{EVIL}.onnx"),
        ("export", EVIL, "x.onnx"),
        ("serve", "--store", "FILE"),
        ("models", EVIL),
        ("models", "--family", EVIL),
        ("generate", EVIL, "--rows", "3", "-o", "x.csv"),
    ],
)
def test_errors(evil: Path, line: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(evil.parent)
    told = clean(*(str(evil) if word == "FILE" else word for word in line), code=1)
    assert len(told.splitlines()) == 1


def test_options_that_are_not_understood(evil: Path) -> None:
    clean("run", evil, f"--{EVIL}", code=2)
    clean("run", evil, "-m", "PAClassifier()", "--limit", EVIL, code=2)
    clean("inspect", evil, EVIL, code=2)
    clean(EVIL, code=2)
