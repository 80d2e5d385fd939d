"""What the command line says: its own words, what there is, and what else may have been meant."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import onstream
from onstream.cli.main import app
from onstream.cli.models import everything
from onstream.cli.names import baselines, by_name, generators, meant, metrics
from onstream.cli.parse import parse_model

from .calling import call

COMMANDS = get_command(app).commands  # type: ignore[attr-defined]


# -- help


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_fits_80_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    told = call(name, "--help").output
    assert all(len(line) <= 80 for line in told.splitlines())
    assert "…" not in told
    for example in re.findall(r"^ *((?:\w+ .*\| )?onstream .*)$", COMMANDS[name].help, re.M):
        assert example.strip() in told, example  # in one line, to be copied


@pytest.mark.parametrize("width", [80, 200])
def test_the_list_of_models_fits(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = call("models").output.splitlines()
    assert max(map(len, lines)) <= width
    for cls in everything():
        assert any(cls.__name__ in line.split() for line in lines), cls
    assert len(lines) < 4 * len(everything())


def test_a_missing_model_points_to_the_list(tmp_path: Path) -> None:
    told = call("train", "x.csv", "-o", tmp_path / "m", code=1).stderr
    assert "`onstream models` lists the learners" in told
    told = call("run", "-", "-f", "csv", "-t", "y", code=1, stdin="a,y\n1,0\n").stderr
    assert "standard input cannot be read twice" in told
    assert "--model 'EvolvingClassifier()'" in told
    told = call("run", "x.csv", "-t", "y", "--test-only", code=1).stderr
    assert "--test-only: say which saved model" in told


@pytest.mark.parametrize(
    ("option", "told"), [("--report", "HTML file"), ("--shuffle", "so many rows"), ("-m", "RLS")]
)
def test_an_option_without_its_value_says_which(option: str, told: str) -> None:
    words = re.sub(r"[\s│]+", " ", call("run", "x.csv", option, code=2).stderr)
    assert f"Option '{option}' needs a value. It means: " in words
    assert told in words


def test_standard_input_has_a_name() -> None:
    rows = "a,y\n" + "1,0\n2,1\n" * 9
    told = call("run", "-", "-f", "csv", "-t", "y", "-m", "GaussianNB()", stdin=rows).stdout
    assert "Which learner suits standard input?" in told


def test_text_for_a_regressor_names_a_classifier(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("a,y\n1,late\n2,early\n")
    for words in (("run",), ("train", "-o", tmp_path / "m")):
        told = call(*words, file, "-t", "y", "-m", "LinearRegression()", code=1).stderr
        assert "got 'late'. For labels take a classifier such as LogisticRegression()." in told


def test_without_a_target_the_columns_are_listed(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("price,colour\n1,red\n")
    for line in (("run",), ("train", "-o", tmp_path / "m")):
        told = call(*line, file, "-m", "PAClassifier()", code=1).stderr
        assert 'say --target COLUMN. The columns are "price", "colour".' in told


# -- messages of readers


PYTHON = re.compile(r"\w=[\[\"'(]|in types|newlines_in_values|read_csv|on_error|None\b")


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("a,y\n" + "1,1\n" * 1001 + "x,1\n", (), "--types a=str"),
        ("a,y\n" + "1,1\n" * 1001 + "1,1.5\n", (), "--types y=float"),
        ("a,y\n1,1\n", ("--types", "b=str"), "(--types)"),
        ("a,y\n1,1\n", ("--drop", "b"), "(--drop)"),
        ("a,y\n1,1\n", ("--only", "b"), "(--only)"),
        ("a,y\n1,\n", (), "--on-error skip"),
        ("a,y\n1,1\n", ("--delimiter", "::"), "delimiter must be one character"),
        ("a,y\n1,1\n", ("--on-error", "ignore"), "--on-error"),
        ("a,y\n1,1\n", ("--encoding", "klingon"), "encoding"),
        ("a,y\n1,1\n", ("--decimal", ";"), "decimal must be"),
        ('a,b,y\n"x\ny",1,1\n', (), "newlines-in-values"),
    ],
)
def test_messages_use_the_words_of_the_shell(
    tmp_path: Path, text: str, line: tuple[str, ...], told: str
) -> None:
    file = tmp_path / "x.csv"
    file.write_text(text)
    found = call("run", file, "-t", "y", "-m", "PAClassifier()", *line, code=1).stderr
    assert told in found
    assert not PYTHON.search(found.replace(str(tmp_path), "")), found


def test_a_date_is_dropped_by_an_option(tmp_path: Path) -> None:
    import datetime

    import pyarrow as pa
    import pyarrow.parquet as pq

    file = tmp_path / "x.parquet"
    pq.write_table(pa.table({"when": [datetime.datetime(2026, 1, 1)], "a": [1.0], "y": [1]}), file)
    told = call("run", file, "-t", "y", "-m", "PAClassifier()", code=1).stderr
    assert "--drop when" in told
    assert "drop=" not in told


# -- European files


def test_decimal_comma_encoding_and_line_breaks(tmp_path: Path) -> None:
    file, out = tmp_path / "x.csv", tmp_path / "x.jsonl"
    file.write_bytes("ort;temp;y\nKöln;0,5;1\nBonn;1,5;0\n".encode("cp1252") * 1)
    line = ("--decimal", ",", "--encoding", "cp1252", "--delimiter", ";")
    call("convert", file, out, "-t", "y", *line)
    assert [json.loads(row) for row in out.read_text().splitlines()] == [
        {"ort": "Köln", "temp": 0.5, "y": 1}, {"ort": "Bonn", "temp": 1.5, "y": 0},
    ]  # fmt: skip
    model = tmp_path / "m.onstream"
    call("train", file, "-t", "y", *line, "-m", "PAClassifier()", "-o", model)
    call("run", file, "-t", "y", *line, "-m", "PAClassifier()")
    assert len(call("predict", model, file, *line).stdout.splitlines()) == 3
    file.write_text('text,y\n"two\nlines",1\none,0\n')
    call("convert", file, out, "-t", "y", "--newlines-in-values")
    assert json.loads(out.read_text().splitlines()[0]) == {"text": "two\nlines", "y": 1}
    told = call("convert", out, tmp_path / "y.csv", "--decimal", ",", code=1).stderr
    assert "--decimal has no meaning for jsonl files" in told


# -- convert


def test_convert_keeps_whole_numbers(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    file = tmp_path / "x.csv"
    file.write_text("1,2,y\n3,0.5,1\n,2,0\n")
    for ending in ("jsonl", "vw", "libsvm", "parquet"):
        call("convert", file, tmp_path / f"x.{ending}", "-t", "y")
    assert (tmp_path / "x.jsonl").read_text().splitlines()[0] == '{"1":3,"2":0.5,"y":1}'
    assert (tmp_path / "x.vw").read_text().splitlines()[0] == "1 | 1:3 2:0.5"
    assert (tmp_path / "x.libsvm").read_text().splitlines()[0] == "1 1:3 2:0.5"
    table = pq.read_table(tmp_path / "x.parquet")
    assert [str(field.type) for field in table.schema] == ["int64", "double", "int64"]
    assert table.column("1").to_pylist() == [3, None]
    rows = list(onstream.streams.read_csv(file, target="y"))  # a learner still gets floats
    assert type(rows[0][0]["1"]) is float
    file.write_text("a\n" + "1\n" * 1100 + "2.5\n")
    told = call("convert", file, tmp_path / "x.parquet", code=1).stderr
    assert "--types a=float" in told


def test_text_labels_and_vw(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("a,y\n3,spam\n")
    told = call("convert", file, tmp_path / "x.vw", "-t", "y", code=1).stderr
    assert "the label 'spam' is text, and labels of vw files are numbers" in told
    assert ".jsonl" in told
    assert not (tmp_path / "x.vw").exists()


# -- what there is


def test_generators_metrics_and_baselines_are_listed_and_shown() -> None:
    told = {
        (line["module"], line["name"]): line for line in json.loads(call("models", "--json").output)
    }
    for home, known in (
        ("streams", generators()), ("evaluate", metrics()), ("evaluate", baselines()),
    ):  # fmt: skip
        for name in known:
            assert (f"onstream.{home}", name) in told
            assert f"onstream.{home}.{name}" in call("models", name).output
    assert "SEA" in call("models", "--family", "streams").output
    assert "function" in json.loads(call("models", "SEA", "--json").output)["parameters"]


def test_everything_listed_can_be_imported() -> None:
    for cls in everything():
        home = getattr(onstream, cls.__module__.split(".")[1])
        assert getattr(home, cls.__name__) is cls


def test_two_of_one_name_are_both_shown() -> None:
    told = call("models", "Sum").output
    assert "onstream.kernel.Sum" in told
    assert "onstream.stats.Sum" in told
    assert "KernelSum" not in call("models").output
    assert {line["module"] for line in json.loads(call("models", "Sum", "--json").output)} == {
        "onstream.kernel", "onstream.stats",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("RandomForest", "AdaptiveRandomForestRegressor' or 'AdaptiveRandomForestClassifier"),
        ("all", None),
        ("CatBoost", None),
        ("PAClasifier", "PAClassifier"),
        ("RFB", "RBF"),
        ("VFTD", "VFDT"),
        ("logisticregression", "LogisticRegression"),
        ("LogisticRegresion", "LogisticRegression"),
        ("StandartScaler", "StandardScaler"),
        ("KNN", "KNNRegressor' or 'KNNClassifier"),
        ("x", None),
        ("P" * 5000, None),
        ("", None),
    ],
)
def test_suggestions_are_sensible_or_none(name: str, wanted: Any) -> None:
    assert meant(name, by_name()) == (f" Did you mean '{wanted}'?" if wanted else "")


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        ("ARF()", "AdaptiveRandomForestClassifier' or 'AdaptiveRandomForestRegressor"),
        ("SRP()", "StreamingRandomPatchesClassifier"),
        ("SGBT()", "StreamingGradientBoostingClassifier' or 'StreamingGradientBoostingRegressor"),
        ("lr", "LogisticRegression' or 'LinearRegression"),
        ("XGBoost()", "StreamingGradientBoostingClassifier"),
        ("NaiveBayes()", "GaussianNB"),
        ("KNNClassifier(n_neighbors=3)", "k"),
        ("AdaptiveRandomForestClassifier(random_state=3)", "seed"),
        ("AdaptiveRandomForestClassifier(n_estimators=3)", "n_models"),
        ("LogisticRegression(learning_rate=0.1)", "eta"),
        ("StreamingGradientBoostingClassifier(lr=0.1)", "learning_rate"),
    ],
)
def test_names_of_other_libraries(model: str, wanted: str) -> None:
    with pytest.raises(ValueError, match=f"Here it is '{wanted}'"):
        parse_model(model)


@pytest.mark.parametrize("tab", ["\t", r"\t", "tab"])
def test_a_tab_can_be_typed(tmp_path: Path, tab: str) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a\ty\n" + "1\t1\n2\t0\n" * 9)
    told = call("run", file, "-t", "y", "-m", "PAClassifier()", "--delimiter", tab, "--json")
    assert json.loads(told.stdout)["rows"] == 18


def test_files_with_other_columns_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "day1.csv").write_text("Distance,a,y\n1,2,1\n")
    (tmp_path / "day2.csv").write_text("a,b,c,y\n1,2,3,1\n")
    line = ("run", tmp_path / "day*.csv", "-t", "y", "-m", "PAClassifier()")
    told = call(*line, code=1).stderr
    assert '"Distance" is missing here, "b", "c" are only here' in told
    assert "(--only)" in told
    call(*line, "--only", "a")


def test_python_runs_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "onstream", "--version"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stdout == f"onstream {onstream.__version__}\n"


def test_a_traceback_can_be_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n1,0\n2,1\nx,0\n", encoding="utf-8")
    command = ("train", path, "-t", "y", "-m", "PAClassifier()", "-o", tmp_path / "m.onstream")
    command = (*command, "--types", "a=float")
    plain = call(*command, code=1).stderr
    assert "Traceback" not in plain
    monkeypatch.setenv("ONSTREAM_TRACEBACK", "1")
    shown = call(*command, code=1).stderr
    assert "Traceback (most recent call last)" in shown
    assert "reader.py" in shown  # also of the error that the last one replaced
    assert shown.endswith(plain)
    assert "ONSTREAM_TRACEBACK=1" in call("--help").output
