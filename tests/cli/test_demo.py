import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from onstream.cli import demo
from onstream.cli.main import app
from onstream.datasets import noaa_weather

COMMAND = [sys.executable, "-m", "onstream.cli.demo"]


def test_quick_run(tmp_path):
    result = CliRunner().invoke(app, ["demo", "--quick", "--out", str(tmp_path / "a" / "b")])
    assert result.exit_code == 0, result.output
    for name in (
        "Perceptron",
        "PAClassifier",
        "LogisticRegression",
        "majority so far",
        "RLS",
        "HAT",
        "AdaptiveRandomForest",
        "EvolvingClassifier",
        "EvolvingRegressor",
    ):
        assert name in result.output
    assert "\x1b" not in result.output  # no colours into a pipe
    assert all(len(line) <= 100 for line in result.output.splitlines() if "report" not in line)
    page = (tmp_path / "a" / "b" / "report.html").read_text(encoding="utf-8")
    assert "the concept changes" in page
    assert "Plotly" in page
    assert page.count('class=\\"onstream-tree\\"') == 5  # two trees in two races, one in the third
    assert "dew_point ≤" in page
    picture = tmp_path / "a" / "b" / "race.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 10_000


def test_learners_beat_the_guess():
    for race in (demo.rain(), demo.drifting(6_000), demo.tomorrow()):
        report = race.run()
        metric = report.metrics[0]["name"]
        guesses = [run for run in report.runs if run.baseline]
        assert len(guesses) == 2
        for learner in report.runs[: -len(guesses)]:
            for guess in guesses:
                better = learner.values[metric]["cumulative"] < guess.values[metric]["cumulative"]
                assert better, f"{learner.name}, {guess.name}: {report.question}"


def test_without_plotly(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    result = CliRunner().invoke(app, ["demo", "--quick", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert 'pip install "onstream[plot]"' in result.output
    assert not list(tmp_path.iterdir())


def test_unusable_folder_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(app, ["demo", "--quick", "--out", str(tmp_path / "file" / "x")])
    assert result.exit_code == 1
    assert result.output.endswith("Not a directory.\n")


def test_without_arguments_there_is_help():
    assert "demo" in CliRunner().invoke(app, []).output


def test_as_a_module(tmp_path):
    done = subprocess.run(
        [*COMMAND, "--quick", "--out", str(tmp_path)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert (tmp_path / "report.html").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to one process")
def test_interrupt_is_one_line(tmp_path):
    # A race without end: interrupt it once it has begun.
    script = (
        "import sys\n"
        "from onstream.cli import demo, main\n"
        "def endless(*a, **k):\n"
        "    print('begun', flush=True)\n"
        "    while True: pass\n"
        "demo.prequential = endless\n"
        "main.app(['demo', '--out', sys.argv[1]])\n"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout.readline() == "begun\n"
    time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert (out, err) == ("", "Interrupted.\n")


class TestStandardised:
    def test_looks_only_back(self):
        X = noaa_weather().X[:500]
        whole = demo.standardised(X)
        assert np.array_equal(whole[:200], demo.standardised(X[:200]))

    def test_is_standard_in_the_end(self):
        X = np.random.default_rng(0).normal([5.0, -300.0], [2.0, 1e-3], size=(5_000, 2))
        Z = demo.standardised(X)[1_000:]
        assert np.allclose(Z.mean(axis=0), 0.0, atol=0.1)
        assert np.allclose(Z.std(axis=0), 1.0, atol=0.1)

    def test_constant_column_becomes_zero(self):
        assert not demo.standardised(np.full((10, 1), 7.0)).any()

    def test_outlier_is_limited_and_soon_forgotten(self):
        X = np.random.default_rng(0).normal(size=(2_000, 1))
        spoilt = X.copy()
        spoilt[1_000] = 1e6
        Z = demo.standardised(spoilt)
        assert Z[1_000, 0] == 5.0
        assert np.allclose(Z[1_001:], demo.standardised(X)[1_001:], atol=0.1)


def test_drift_changes_the_rule():
    stream = demo.drifting(20_000)
    assert list(stream.marks) == [10_000]
    raw = np.random.default_rng(0).uniform(0.0, 10.0, size=(20_000, 3))
    old = raw[:, 0] + raw[:, 1] > 8.0
    assert (stream.y == old)[:10_000].mean() == pytest.approx(0.95, abs=0.01)
    assert (stream.y == old)[10_000:].mean() < 0.7
    assert list(stream.first(10_001).marks) == [10_000]
    assert stream.first(10_000).marks == {}
