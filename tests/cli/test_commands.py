"""The subcommands, called as people call them."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import onstream
from onstream.base import learners
from onstream.cli import sources
from onstream.drift import ADWIN
from onstream.stats import Mean

from .calling import call

COMMAND = [sys.executable, "-c", "from onstream.cli.main import main; main()"]


@pytest.fixture
def sea(tmp_path: Path) -> Path:
    """2,000 rows of a generator."""
    path = tmp_path / "sea.csv"
    call("generate", "SEA(function=2, seed=3)", "--rows", 2000, "--out", path)
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_help_shows_every_command_and_examples() -> None:
    told = call("--help").output
    for name in ("demo", "run", "train", "follow", "predict", "models", "inspect", "convert"):
        assert name in told
        if name not in ("demo",):
            assert f"onstream {name}" in call(name, "--help").output
    assert onstream.__version__ in call("--version").output


def test_generate(sea: Path) -> None:
    rows = rows_of(sea)
    assert len(rows) == 2000
    assert list(rows[0]) == ["0", "1", "2", "y"]
    assert {row["y"] for row in rows} == {"0", "1"}


@pytest.mark.parametrize("ending", ["parquet", "arrow", "jsonl", "tsv"])
def test_convert_there_and_back(sea: Path, ending: str) -> None:
    other, back = sea.with_suffix(f".{ending}"), sea.with_name("back.csv")
    call("convert", sea, other, "--target", "y")
    call("convert", other, back, "--target", "y")
    assert rows_of(back) == rows_of(sea)


def test_a_file_that_cannot_be_written_leaves_nothing(sea: Path) -> None:
    rows = sea.read_text().splitlines()
    sea.write_text("\n".join([*rows[:1500], "1,2,oops,0"]) + "\n")
    found = call("convert", sea, sea.with_name("x.parquet"), "--target", "y", code=1)
    assert "oops" in found.output
    assert "1,501" in found.output
    assert sorted(path.name for path in sea.parent.iterdir()) == ["sea.csv"]


def test_train_predict_inspect(sea: Path) -> None:
    model, answers = sea.with_name("m.onstream"), sea.with_name("answers.csv")
    told = call(
        "train", sea, "-t", "y", "-m", "LogisticRegression(eta=0.05)", "-o", model, "--json"
    )
    assert json.loads(told.output)["rows"] == 2000
    loaded = onstream.load(model)
    assert loaded.seen == 2000
    call("predict", model, sea, "-t", "y", "--proba", "--score", "--out", answers, "--quiet")
    rows = rows_of(answers)
    assert len(rows) == 2000
    right = [a["prediction"] == b["y"] for a, b in zip(rows, rows_of(sea), strict=True)]
    assert sum(right) > 1600
    x = {name: float(value) for name, value in rows_of(sea)[7].items() if name != "y"}
    assert float(rows[7]["p(1)"]) == pytest.approx(loaded.predict_proba_one(x)[1], rel=1e-12)
    assert float(rows[7]["score"]) == pytest.approx(loaded.score_one(x), rel=1e-12)
    facts = json.loads(call("inspect", model, "--json").output)
    assert facts["seen"] == 2000
    assert {w["feature"]: w["weight"] for w in facts["weights"]} == loaded.weights
    assert "2,000 examples" in call("inspect", model).output


@pytest.mark.parametrize("name", ["VFDT", "HAT", "CVFDT", "ExtremelyFastDecisionTree"])
def test_inspect_shows_trees(sea: Path, name: str) -> None:
    model = sea.with_name("m.onstream")
    made = getattr(onstream.tree, name)(grace_period=100, delta=0.1)
    rows = rows_of(sea)
    y = [int(row.pop("y")) for row in rows]
    made.learn_many([{f: float(v) for f, v in row.items()} for row in rows], y)
    onstream.save(made, model)
    told = call("inspect", model).output
    assert "root" in told
    assert "└─" in told
    first = next(iter(made.feature_importances))
    assert f"\n{first}  {100 * made.feature_importances[first]:.1f} %" in told
    facts = json.loads(call("inspect", model, "--json").output)
    assert facts["tree"] == made.to_text()
    assert facts["feature_importances"][0]["feature"] == first


def test_a_transformer_alone_is_not_trained(sea: Path) -> None:
    out = sea.with_suffix(".onstream")
    told = call("train", sea, "-t", "y", "-m", "StandardScaler()", "-o", out, code=1)
    assert "StandardScaler learns no targets" in told.output
    assert not out.exists()


def test_training_goes_on(sea: Path) -> None:
    model = sea.with_name("m.onstream")
    call("train", sea, "-t", "y", "-m", "PAClassifier()", "-o", model, "--limit", 1200)
    call("train", sea, "-t", "y", "--from", model, "-o", model, "--skip", 1200)
    whole = sea.with_name("whole.onstream")
    call("train", sea, "-t", "y", "-m", "PAClassifier()", "-o", whole)
    assert model.read_bytes() == whole.read_bytes()
    call("train", sea, "-t", "y", "-m", "PAClassifier()", "-o", model, "--limit", 1200)
    call("train", sea, "--from", model, "-o", model, "--skip", 1200)  # it knows its target
    assert model.read_bytes() == whole.read_bytes()


def test_what_waits_for_its_label_is_saved_too(sea: Path) -> None:
    model = sea.with_name("late.onstream")
    call("run", sea, "-t", "y", "-m", "PAClassifier()", "--delay", 100, "--save", model)
    assert onstream.load(model).seen == len(sea.read_text().splitlines()) - 1


def test_predictions_of_no_rows_have_their_columns(sea: Path) -> None:
    model, empty = sea.with_name("m.onstream"), sea.with_name("empty.csv")
    call("train", sea, "-t", "y", "-m", "PAClassifier()", "-o", model, "-q")
    empty.write_text(sea.read_text().splitlines()[0] + "\n")
    assert call("predict", model, empty, "--score").stdout == "prediction,score\n"


def test_predict_from_standard_input_as_json_lines(sea: Path) -> None:
    model = sea.with_name("m.onstream")
    call("train", sea, "-t", "y", "-m", "PAClassifier()", "-o", model, "-q")
    done = subprocess.run(
        [*COMMAND, "predict", str(model), "-", "--format", "jsonl", "--as", "jsonl"],
        input='{"0": 9, "1": 9}\n{"0": 0.5, "1": 0.5}\n',
        capture_output=True,
        text=True,
        check=True,
    )
    assert [json.loads(line)["prediction"] for line in done.stdout.splitlines()] == [1, 0]
    assert not done.stderr  # features may come and go there


def test_run(sea: Path) -> None:
    models = ["-m", "PAClassifier(C=0.1)", "-m", "Perceptron()"]
    told = json.loads(call("run", sea, "--target", "y", *models, "--json").output)
    assert told["rows"] == 2000
    names = [learner["name"] for learner in told["learners"]]
    assert names == ["PAClassifier", "Perceptron", "no change", "majority"]
    assert [learner["baseline"] for learner in told["learners"]] == [False, False, True, True]
    assert [metric["name"] for metric in told["metrics"]] == ["Accuracy", "Kappa", "KappaT"]
    alone = call("run", sea, "--target", "y", *models, "--json", "--no-baselines").output
    assert len(json.loads(alone)["learners"]) == 2
    for learner in told["learners"][:2]:
        assert learner["values"]["Accuracy"]["cumulative"] > 0.75
    model = onstream.PAClassifier(C=0.1)
    rows = rows_of(sea)
    X = [{name: float(row[name]) for name in "012"} for row in rows]
    y = [int(row["y"]) for row in rows]
    right = model.predict_learn_many(X, y) == y
    first = told["learners"][0]["values"]["Accuracy"]["cumulative"]
    assert first == pytest.approx(right.mean(), abs=1e-12)


def test_run_saves_and_reports(sea: Path) -> None:
    page, folder = sea.with_name("r.html"), sea.with_name("models")
    told = call(
        "run", sea, "-t", "y", "-m", "PAClassifier()", "-m", "Perceptron()", "--metric", "F1",
        "--report", page, "--save", folder,
    )  # fmt: skip
    assert "F1" in told.output
    assert "<html" in page.read_text()
    assert sorted(p.name for p in folder.iterdir()) == [
        "1-PAClassifier.onstream",
        "2-Perceptron.onstream",
    ]
    assert onstream.load(folder / "1-PAClassifier.onstream").seen == 2000


def test_a_generator_is_shuffled_as_a_file_is(tmp_path: Path) -> None:
    def learned(*options: Any) -> dict[Any, float]:
        out = tmp_path / "model"
        call("train", "SEA()", "--limit", 500, "-m", "PAClassifier()", "-o", out, *options)
        weights: dict[Any, float] = onstream.load(out).weights
        return weights

    plain, mixed = learned(), learned("--shuffle", 100)
    assert plain == learned()
    assert mixed != plain
    assert mixed != learned("--shuffle", 100, "--seed", 1)


def test_run_over_a_generator_and_over_numbers() -> None:
    told = call("run", "Friedman()", "--limit", 3000, "-m", "RLS()", "--json").output
    assert json.loads(told)["learners"][0]["values"]["R2"]["cumulative"] > 0.5


def test_lines_that_cannot_be_read(sea: Path) -> None:
    rows = sea.read_text().splitlines()
    sea.write_text("\n".join([*rows[:1500], "1,2,oops,0", *rows[1500:]]) + "\n")
    line = ("run", sea, "-t", "y", "-m", "PAClassifier()")
    assert "1,501" in call(*line, code=1).output
    assert "1 line could not be read" in call(*line, "--on-error", "skip").output
    rejects = sea.with_name("rejects.txt")
    call(*line, "--on-error", rejects)
    assert "oops" in rejects.read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run", "SEA()", "-m", "PAClassifier()"), "--limit"),
        (("run", "SEE()", "-m", "PAClassifier()", "--limit", 9), "Did you mean 'SEA'"),
        (("run", "x.unknown", "-m", "PAClassifier()"), "does not tell its format"),
        (("run", ".", "-m", "PAClassifier()"), ". is a folder; name the files, such as '*.csv'"),
        (("convert", "SEA()", ".", "--limit", 9), ". is a folder; name a file in it"),
        (("convert", "SEA()", "x.xlsx", "--limit", 9), ".vw (vw); else say --to csv"),
        (("generate", "SEA()", "-n", 9, "-o", "x.xlsx"), ".vw (vw); else say --format csv"),
        (("run", "-", "-m", "PAClassifier()"), "--format"),
        (("run", "x.csv", "-m", "PAClassifier()", "--format", "cvs"), "Did you mean 'csv'"),
        (("run", "missing.csv", "-t", "y", "-m", "PAClassifier()"), "missing.csv"),
        (("run", "SEA()", "--limit", 9, "-m", "RLS()", "-m", "PAClassifier()"), "apart"),
        (("run", "SEA()", "--limit", 9, "-m", "RLS()", "--metric", "RMS"), "Did you mean 'RMSE'"),
        (("train", "SEA()", "--limit", 9, "-o", "x"), "--model"),
        (("models", "PAClasifier"), "Did you mean 'PAClassifier'"),
        (("models", "--family", "lin"), "linear"),
        (("inspect", "missing.onstream"), "missing.onstream"),
    ],
)
def test_errors_are_one_sentence(arguments: tuple[Any, ...], told: str) -> None:
    done = call(*arguments, code=1)
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_models_come_from_the_code() -> None:
    told = json.loads(call("models", "--json").output)
    assert set(learners()) <= {line["name"] for line in told}
    assert all(line["summary"] for line in told)
    one = call("models", "PAClassifier").output
    assert "variant='PA-I'" in one
    assert "Crammer" in one


def test_models_know_short_names_and_what_is_no_online_learner() -> None:
    assert "onstream.tree.HoeffdingTreeClassifier (VFDT)" in call("models", "VFDT").output
    assert "Did you mean 'VFDT'" in call("models", "VFTD", code=1).output
    told = {line["name"]: line for line in json.loads(call("models", "--json").output)}
    assert told["HoeffdingAdaptiveTreeClassifier"]["short_names"] == ["HAT"]
    only_fit = {name: line["learns"] for name, line in told.items() if "fit" in line["learns"]}
    assert only_fit == {"BatchTree": "labels, by fit only"}
    assert "BatchTree" in call("models", "--family", "tree").output


def test_train_does_not_go_on_with_a_batch_tree(sea: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.onstream"
    onstream.save(onstream.tree.BatchTree().fit([{"0": 1.0}, {"0": 2.0}], [0, 1]), model)
    told = call("train", sea, "-t", "y", "--from", model, "-o", model, code=1).stderr
    assert "BatchTree is no online learner" in told


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_leaves_a_model_and_figures(tmp_path: Path) -> None:
    model = tmp_path / "m.onstream"
    for patience in (3.0, 15.0, 40.0):  # a busy machine takes its time to start
        process = subprocess.Popen(
            [*COMMAND, "run", "SEA()", "--limit", "2000000000", "-m", "PAClassifier()",
             "--save", str(model), "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        time.sleep(patience)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        if "Interrupted after" in err:
            break
    assert process.returncode == 130
    assert "Interrupted after" in err
    assert "Traceback" not in err
    assert onstream.load(model).seen == json.loads(out)["rows"] > 0


def test_convert_without_a_target_keeps_every_column(tmp_path: Path) -> None:
    source = tmp_path / "b.csv"
    source.write_text("x,y\n1,1\n2,0\n")
    for name in ("b.jsonl", "b.jsonl.gz", "b.csv.gz", "b.csv.zst", "b.parquet"):
        call("convert", source, tmp_path / name)
        rows = [x for x, *_ in sources.open_stream(str(tmp_path / name))]
        assert rows == [{"x": 1.0, "y": 1.0}, {"x": 2.0, "y": 0.0}], name
    assert "--target" in call("convert", source, tmp_path / "b.libsvm", code=1).stderr
    assert "inside" in call("convert", source, tmp_path / "b.parquet.gz", code=1).stderr


def test_types_and_delimiters_can_be_told(tmp_path: Path) -> None:
    source = tmp_path / "late.csv"
    source.write_text("a;y\n" + "".join(f"{i};{i}\n" for i in range(1_100)) + "5;2.5\n")
    told = call("run", source, "-t", "y", "-m", "RLS()", "--delimiter", ";", code=1).stderr
    assert "say so: --types y=float" in told
    call("run", source, "-t", "y", "-m", "RLS()", "--delimiter", ";", "--types", "y=float")
    told = call("run", source, "-t", "y", "-m", "RLS()", "--types", "y=decimal", code=1).stderr
    assert "y=decimal" in told


def test_predict_writes_all_or_nothing(sea: Path, tmp_path: Path) -> None:
    model, new, out = tmp_path / "m.onstream", tmp_path / "new.csv", tmp_path / "out.csv"
    call("train", sea, "-t", "y", "-m", "PAClassifier()", "-o", model)
    new.write_text(sea.read_text() + "too,many,columns,by,far,in,this,line\n")
    out.write_text("old")
    call("predict", model, new, "-t", "y", "--out", out, code=1)
    assert out.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []
    told = call("predict", model, new, "-t", "y", "--out", out, "--on-error", "skip").stderr
    assert "1 line could not be read" in told


def test_inspect_shows_whatever_can_be_saved(sea: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.onstream"
    call("train", sea, "-t", "y", "-m", "KNNClassifier()", "-o", model)
    assert "'uniform'" in call("inspect", model).stdout
    assert "weights" not in json.loads(call("inspect", model, "--json").stdout)
    for thing in (Mean(), ADWIN()):
        for value in (1.0, 2.0):
            thing.update(value)
        onstream.save(thing, model)
        assert type(thing).__name__ in call("inspect", model).stdout
        assert "makes no predictions" in call("predict", model, sea, code=1).stderr


def test_a_folder_that_is_not_there_is_noticed_at_once(sea: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "no" / "m.onstream"
    for command in (("train", "-o"), ("run", "--save"), ("run", "--report")):
        told = call(command[0], sea, "-t", "y", "-m", "RLS()", command[1], nowhere, code=1).stderr
        assert "there is no folder" in told


@pytest.mark.skipif(os.name != "posix", reason="pipes")
@pytest.mark.parametrize("rows", [20, 200_000])  # noticed at the end, and on the way
def test_a_closed_pipe_ends_quietly(tmp_path: Path, rows: int) -> None:
    model, source = tmp_path / "m.onstream", tmp_path / "x.csv"
    made = onstream.PAClassifier()
    made.learn_one({"a": 1.0}, True)
    onstream.save(made, model)
    source.write_text("a\n" + "1\n" * rows)
    for arguments in (("predict", model, source), ("inspect", model), ("models",)):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w") as closed:
            done = subprocess.run(
                [*COMMAND, *map(str, arguments)], stdout=closed, stderr=subprocess.PIPE, text=True
            )
        assert done.stderr == ""
        assert done.returncode == 141  # as of a program that SIGPIPE ends
