"""Every experiment runs, small, and writes what it promises; at its own size it finds the same."""

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

from onstream.cli import experiment
from onstream.cli.lab.folder import load
from onstream.cli.lab.generated import best_line, two_gaussians
from onstream.cli.lab.lab import Lab
from onstream.cli.lab.outcome import Table

from .calling import call

ROOT = Path(__file__).parents[2]
NAMES = experiment.names()


def test_all_are_there():
    promised = (
        "noise aggressiveness multiclass budget averaging minibatch calibration drift hashing cash"
    )
    assert set(promised.split()) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_small(name, tmp_path):
    module = experiment.found(name)
    assert module.QUESTION.endswith("?")
    steps = []
    lab = Lab(size="tiny", progress=lambda done, total, what: steps.append((done, total)))
    outcome = module.run(lab)
    assert steps
    assert all(0 <= done <= total for done, total in steps)
    files = {file.name for file in outcome.write(tmp_path, name, module.QUESTION, "command")}
    assert {f"{name}.csv", f"{name}.png", f"{name}.svg", f"{name}.md"} <= files
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    page = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    for finding in outcome.findings:
        assert finding.claim in page
    assert "seed" in outcome.parameters
    table = outcome.tables[0]
    with (tmp_path / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == list(table.columns)
    assert len(rows) == len(table.rows) + 1
    assert len(table.rows) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_page(name):
    page = (ROOT / "docs" / "experiments" / f"{name}.md").read_text(encoding="utf-8")
    assert experiment.found(name).QUESTION in page
    assert f"onstream experiment {name}" in page
    assert f"({name}.png)" in page
    assert "**Verdict.**" in page
    assert (ROOT / "docs" / "experiments" / f"{name}.png").stat().st_size < 100_000
    assert f"experiments/{name}.md" in (ROOT / "docs" / "experiments.md").read_text("utf-8")


def test_the_command(tmp_path):
    out = tmp_path / "a" / "b"
    told = call("experiment", "aggressiveness", "--out", out).output
    assert "How aggressive should PA-I and PA-II be?" in told
    assert "holds: With noise in the data, C should be small" in told
    assert {p.name for p in out.iterdir()} == {
        "aggressiveness.csv",
        "aggressiveness-time.csv",
        "aggressiveness.md",
        "aggressiveness.png",
        "aggressiveness.svg",
    }
    again = call("experiment", "aggressiveness", "--out", tmp_path / "again", "--quiet").output
    assert "Written to" not in again
    first, second = ((f / "aggressiveness.csv").read_text() for f in (out, tmp_path / "again"))
    assert first == second  # the same seed


def test_without_a_name_they_are_listed(tmp_path):
    lines = call("experiment").output.splitlines()
    assert [line.split()[0] for line in lines] == NAMES
    assert all(line.endswith("?") for line in lines)
    told = call("experiment", "noise", code=1).output
    assert "onstream experiment noise --out noise" in told


def test_another_seed_gives_other_data():
    run = experiment.found("aggressiveness").run
    assert run(Lab(size="tiny")).table().rows != run(Lab(size="tiny", seed=1)).table().rows


def test_misuse(tmp_path, monkeypatch):
    assert "there are: aggressiveness" in call("experiment", "x", "--out", tmp_path, code=1).output
    told = call("experiment", "linear", "--out", tmp_path, "--data", tmp_path / "no", code=1).output
    assert "there is no such folder" in told
    with pytest.raises(ValueError, match="none of spambase"):
        list(Lab(data=tmp_path).sets(("spambase", "magic")))
    (tmp_path / "file").write_text("")
    told = call("experiment", "noise", "--out", tmp_path / "file" / "x", code=1).output
    assert told.endswith("Not a directory.\n")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    told = call("experiment", "noise", "--out", tmp_path / "x", code=1).output
    assert told == (
        'onstream: the figure of an experiment needs matplotlib: pip install "onstream[plot]".\n'
    )
    assert not (tmp_path / "x").exists()


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    outcome = experiment.found("batch").run(Lab(size="tiny"))
    assert 'pip install "onstream[compat]"' in outcome.notes[0]
    assert not any("SVC" in learner for learner in outcome.table("svm").column("learner"))


def test_real_sets(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    columns = {"a": y + random.normal(size=200), "b": random.normal(size=200), "_key": y, "y": y}
    for name in ("spambase", "magic"):
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    outcome = experiment.found("noise").run(Lab(size="tiny", data=tmp_path))
    assert [row[0] for row in outcome.table("real").rows] == ["spambase"] * 4 + ["magic"] * 4
    assert "svmguide1, phoneme" in outcome.notes[0]


def test_folder(tmp_path):
    import bz2

    import pyarrow as pa
    import pyarrow.parquet as pq

    np.savez(
        tmp_path / "i.npz",
        X_train=np.zeros((3, 2, 2)),
        y_train=[1, 2, 3],
        X_test=np.ones((1, 2, 2)),
        y_test=[4],
    )
    images = load(tmp_path, "i")
    assert images.X.shape == (4, 4)
    assert images.y.tolist() == [1, 2, 3, 4]
    assert images.train == 3
    split = pa.table({"text": ["p", "q", "r"], "y": [0, 1, 1], "split": ["test", "train", "train"]})
    pq.write_table(split, tmp_path / "t.parquet")
    texts = load(tmp_path, "t")
    assert texts.X == ["q", "r", "p"]
    assert (texts.y.tolist(), texts.train) == ([1, 1, 0], 2)
    for part, text in (("train", "+1 1:0.5 7:2\n-1 2:1\n"), ("test", "1 3:1\n")):
        (tmp_path / f"s.{part}.svm.bz2").write_bytes(bz2.compress(text.encode()))
    sparse = load(tmp_path, "s")
    assert sparse.X == [{"1": 0.5, "7": 2.0}, {"2": 1.0}, {"3": 1.0}]
    assert (sparse.binary().tolist(), sparse.train) == ([1, 0, 1], 2)
    with pytest.raises(FileNotFoundError):
        load(tmp_path, "none")


def test_best_line_is_that_of_brute_force():
    rng = np.random.default_rng(1)
    X, y = two_gaussians(rng, 60, noise=0.5, flips=0.1)
    fewest = 60
    for angle in np.pi * np.arange(180) / 180:
        at = X[:, :2] @ [np.cos(angle), np.sin(angle)]
        for cut in [-np.inf, *at]:
            wrong = int(np.sum(np.where(at > cut, 1, -1) != y))
            fewest = min(fewest, wrong, 60 - wrong)
    assert best_line(X, y, 180) == pytest.approx(fewest / 60)


def test_a_table_refuses_a_row_that_does_not_fit():
    table = Table("t", ["a", "b"])
    with pytest.raises(ValueError, match="1 cells"):
        table.add(1)
    table.add(1, 2.0)
    assert table.value("b", a=1) == 2.0
    with pytest.raises(KeyError):
        table.value("b", a=2)
    assert table.markdown() == "| a | b |\n| --- | --- |\n| 1 | 2 |"


@pytest.mark.slow
class TestNumbers:
    """What spec section 14 and the pages say, loosely."""

    def test_noise(self):
        outcome = experiment.found("noise").run(Lab())
        table = outcome.table()
        for noise, level in (("instances", 2.0), ("labels", 0.2)):
            pa, one = (table.value(v, noise=noise, level=level) for v in ("PA", "PA-I"))
            assert pa - one > 0.08
        assert all(best < min(row[3:6]) for row in table.rows for best in [row[2]])
        assert outcome.finding("High noise").holds

    def test_aggressiveness(self):
        outcome = experiment.found("aggressiveness").run(Lab())
        assert all(finding.holds for finding in outcome.findings)

    def test_multiclass(self):
        outcome = experiment.found("multiclass").run(Lab())
        assert outcome.finding("PA beats").holds
        assert outcome.finding("as its paper has it").holds is False
        assert outcome.finding("with a margin").holds

    def test_budget(self):
        outcome = experiment.found("budget").run(Lab())
        assert outcome.finding("Memory is bounded").holds
        assert outcome.finding("On shifting concepts").holds

    def test_averaging(self):
        outcome = experiment.found("averaging").run(Lab())
        assert [finding.holds for finding in outcome.findings] == [True, True, True, False]

    def test_batch(self):
        outcome = experiment.found("batch").run(Lab())
        assert outcome.finding("For one pass").holds

    def test_minibatch(self):
        outcome = experiment.found("minibatch").run(Lab())
        for words in ("more noise", "slow convergence", "follow a change"):
            assert outcome.finding(words).holds

    def test_calibration(self):
        outcome = experiment.found("calibration").run(Lab())
        assert [finding.holds for finding in outcome.findings] == [True, False, True]

    def test_drift(self):
        outcome = experiment.found("drift").run(Lab())
        assert [finding.holds for finding in outcome.findings] == [True, True, False, True, True]

    def test_cash(self):
        outcome = experiment.found("cash").run(Lab())
        assert outcome.finding("first portion").holds
        assert outcome.finding("as good as the best single").holds
        assert outcome.finding("Pre-training").holds

    def test_hashing(self):
        outcome = experiment.found("hashing").run(Lab())
        assert all(finding.holds is not False for finding in outcome.findings)

    def test_linear(self):
        outcome = experiment.found("linear").run(Lab())
        assert outcome.finding("vary greatly").holds
        assert outcome.finding("hyperplane").holds

    def test_tree(self):
        outcome = experiment.found("tree").run(Lab())
        assert outcome.finding("Its answers become").holds
        assert outcome.finding("With enough rows").holds is False  # at this size
