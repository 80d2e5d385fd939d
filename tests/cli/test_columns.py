"""What the command line knows of columns: types that a model remembers, ids, headers, codes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import onstream
from onstream.persist import load_notes

from .calling import call
from .test_commands import rows_of

HOUSES = "zip,rooms,big,price\n" + "".join(
    f"{zip},{rooms},{str(rooms > 2).lower()},{price}\n"
    for zip, rooms, price in [("1234", 2, "low"), ("x99", 5, "high"), ("1234", 1, "low")] * 10
)


@pytest.fixture
def houses(tmp_path: Path) -> Path:
    """A model that has learned a zip code as text."""
    (tmp_path / "houses.csv").write_text(HOUSES)
    model = tmp_path / "houses.onstream"
    call("train", tmp_path / "houses.csv", "-t", "price", "-m", "PAClassifier()", "-o", model)
    return model


def predictions(model: Path, text: str, *more: object, ending: str = "csv") -> list[str]:
    new, out = model.with_name(f"new.{ending}"), model.with_name("answers.csv")
    new.write_text(text)
    call("predict", model, new, "--score", "--out", out, "-q", *more)
    return [row["score"] for row in rows_of(out)]


def test_types_are_those_of_training(houses: Path) -> None:
    loaded = onstream.load(houses)
    assert loaded.weights["zip=1234"] != 0.0
    x = {"zip": "1234", "rooms": 2.0, "big": False}
    wanted = [loaded.score_one(x), loaded.score_one({**x, "zip": "99"})]
    found = predictions(houses, "zip,rooms,big\n1234,2,false\n99,2,false\n")
    assert [float(score) for score in found] == pytest.approx(wanted, rel=1e-15)
    assert load_notes(houses) == {
        "columns": [["zip", "text"], ["rooms", "number"], ["big", "bool"]],
        "target": ["price", "text"],
    }


def test_other_columns_are_left_out(houses: Path) -> None:
    text = "zip,rooms,big\n1234,2,false\n"
    more = "price,day,zip,rooms,big\nlow,monday,1234,2,false\n"
    assert predictions(houses, text) == predictions(houses, more)
    mixed = "day,rooms\n" + "1,2\n" * 1000 + "monday,2\n"  # days would be numbers, then text
    assert len(predictions(houses, mixed)) == 1001


def test_a_number_where_text_was_learned(houses: Path) -> None:
    new = houses.with_name("new.csv")
    new.write_text("zip,rooms,big\n1234,many,false\n")
    told = call("predict", houses, new, code=1).stderr
    assert "line 2, column \"rooms\": 'many' is not a number" in told
    new = houses.with_name("new.jsonl")
    new.write_text('{"zip": "01234", "rooms": 2}\n{"zip": 1234, "rooms": 2}\n')
    assert 'line 2, column "zip": 1234 is not text' in call("predict", houses, new, code=1).stderr
    table = houses.with_name("new.parquet")
    call("convert", houses.with_name("houses.csv"), table, "--types", "rooms=str")
    told = call("predict", houses, table, code=1).stderr
    assert 'column "rooms" is of type string; the model has learned numbers' in told


@pytest.mark.parametrize(
    ("ending", "text"), [("csv", "a,b\n1,2\n"), ("jsonl", '{"a": 1, "b": 2}\n')]
)
def test_a_file_of_unknown_columns_is_refused(houses: Path, ending: str, text: str) -> None:
    new = houses.with_name(f"new.{ending}")
    new.write_text(text)
    found = call("predict", houses, new, code=1)
    assert 'the model knows none of its columns ("a", "b")' in found.stderr
    assert 'it has learned "zip", "rooms", "big"' in found.stderr
    assert found.stdout == ""


def test_json_rows_may_lack_keys(houses: Path) -> None:
    loaded = onstream.load(houses)
    found = predictions(houses, '{"rooms": 2}\n{}\n{"zip": "x99"}\n', ending="jsonl")
    wanted = [loaded.score_one(x) for x in ({"rooms": 2.0}, {}, {"zip": "x99"})]
    assert [float(score) for score in found] == pytest.approx(wanted, rel=1e-15)


def test_training_goes_on_with_the_same_types(houses: Path) -> None:
    more = houses.with_name("more.csv")
    more.write_text("zip,rooms,big,garden,price\n1234,2,false,3,low\n77,9,true,2,high\n")
    call("train", more, "-t", "price", "--from", houses, "-o", houses)
    weights = onstream.load(houses).weights
    assert "zip=77" in weights
    assert "zip" not in weights
    assert load_notes(houses)["columns"][-1] == ["garden", "number"]


def test_what_was_missing_or_whole_is_guessed_anew(tmp_path: Path) -> None:
    first, second, model = tmp_path / "1.csv", tmp_path / "2.csv", tmp_path / "m.onstream"
    first.write_text("a,b,y\n1,,3\n2,,4\n")
    second.write_text("a,b,y\n1,red,3\n2,blue,4.5\n")
    call("train", first, "-t", "y", "-m", "PARegressor()", "-o", model)
    assert load_notes(model)["columns"] == [["a", "number"]]
    call("train", second, "-t", "y", "--from", model, "-o", model)
    assert load_notes(model)["columns"] == [["a", "number"], ["b", "text"]]
    assert onstream.load(model).seen == 4


def test_models_of_a_run_remember_too(houses: Path) -> None:
    out = houses.with_name("run.onstream")
    source = houses.with_name("houses.csv")
    call("run", source, "-t", "price", "-m", "PAClassifier()", "--save", out, "-q")
    assert out.read_bytes() == houses.read_bytes()


def test_inspect_shows_the_columns(houses: Path) -> None:
    told = call("inspect", houses).stdout
    assert "zip (text), rooms (number), big (bool) -> price" in told
    facts = json.loads(call("inspect", houses, "--json").stdout)
    assert facts["columns"] == {"zip": "text", "rooms": "number", "big": "bool"}
    assert facts["target"] == "price"


def test_a_model_without_notes_still_predicts(houses: Path) -> None:
    onstream.save(onstream.load(houses), houses)
    assert load_notes(houses) == {}
    assert len(predictions(houses, "rooms,b\n1,2\n")) == 1


def test_notes_do_not_change_the_model(houses: Path) -> None:
    bare = houses.with_name("bare.onstream")
    onstream.save(onstream.load(houses), bare)
    onstream.save(onstream.load(bare), bare, notes=load_notes(houses))
    assert bare.read_bytes() == houses.read_bytes()


def test_ids_are_copied_and_no_features(houses: Path) -> None:
    plain = predictions(houses, "zip,rooms,big\n1234,2,false\n99,2,false\n")
    new, out = houses.with_name("new.csv"), houses.with_name("answers.csv")
    new.write_text("id,zip,rooms,big,who\n007,1234,2,false,Ann\n1e3,99,2,false,\n")
    call("predict", houses, new, "--id", "id", "--id", "who", "--score", "-o", out)
    rows = rows_of(out)
    assert list(rows[0]) == ["id", "who", "prediction", "score"]
    assert [(row["id"], row["who"]) for row in rows] == [("007", "Ann"), ("1e3", "")]
    assert [row["score"] for row in rows] == plain
    told = call("predict", houses, new, "--id", "idd", code=1).stderr
    assert 'no column "idd" (--id). Did you mean "id"?' in told


def test_ids_of_other_formats(houses: Path) -> None:
    new = houses.with_name("new.jsonl")
    new.write_text('{"id": 7, "zip": "1234"}\n{"id": 8, "rooms": 2}\n')
    out = call("predict", houses, new, "--id", "id", "--as", "jsonl").stdout
    assert [json.loads(line)["id"] for line in out.splitlines()] == [7, 8]
    table = houses.with_name("new.parquet")
    call("convert", new, table)
    out = call("predict", houses, table, "--id", "id", "--as", "jsonl").stdout
    assert [json.loads(line)["id"] for line in out.splitlines()] == [7, 8]
    vw = houses.with_name("new.vw")
    vw.write_text("1 | a\n")
    assert (
        "--id needs a source with columns"
        in call("predict", houses, vw, "--id", "a", code=1).stderr
    )


def test_no_header_and_missing(tmp_path: Path) -> None:
    source, model = tmp_path / "plain.csv", tmp_path / "m.onstream"
    source.write_text("1,-999,a\n2,5,b\n" * 10)
    call(
        "train", source, "--no-header", "--missing", "-999", "-t", "2",
        "-m", "GaussianNB()", "-o", model,
    )  # fmt: skip
    other = onstream.bayes.GaussianNB()
    for _ in range(10):
        other.learn_one({"0": 1.0, "1": None}, "a")
        other.learn_one({"0": 2.0, "1": 5.0}, "b")
    x = {"0": 1.5, "1": 4.0}
    assert onstream.load(model).predict_proba_one(x) == other.predict_proba_one(x)
    told = call("run", "x.vw", "--no-header", "-m", "RLS()", code=1).stderr
    assert "--no-header has no meaning for vw files" in told


def test_codes_keep_their_zeros(tmp_path: Path) -> None:
    source, back = tmp_path / "codes.csv", tmp_path / "back.csv"
    text = "code,n,f,y\n" + "1234,0,0.5,1\n" * 20 + "01234,10,0.25,0\n"
    source.write_text(text)
    call("convert", source, tmp_path / "codes.parquet")
    call("convert", tmp_path / "codes.parquet", back)
    assert [row["code"] for row in rows_of(back)] == ["1234"] * 20 + ["01234"]
    rows = [x for x, _ in onstream.streams.read_csv(source, target="y")]
    assert rows[-1] == {"code": "01234", "n": 10.0, "f": 0.25}


def test_a_missing_target_says_what_to_do(tmp_path: Path) -> None:
    source = tmp_path / "gap.csv"
    source.write_text("a,y\n1,0\n2,\n")
    line = ("run", source, "-t", "y", "-m", "PAClassifier()")
    told = call(*line, code=1).stderr
    assert 'gap.csv: line 3, column "y": the target is missing' in told
    assert "--on-error skip" in told
    call(*line, "--on-error", "skip")


def test_vw_lines_without_a_label(tmp_path: Path) -> None:
    source, model = tmp_path / "a.vw", tmp_path / "m.onstream"
    source.write_text("1 | a\n-1 | b\n")
    call("train", source, "-m", "PAClassifier()", "-o", model)
    source.write_text("| a\n| b\n1 | b\n")
    assert call("predict", model, source).stdout.split() == ["prediction", "1", "-1", "-1"]
    told = call("predict", model, "SEA()", "--limit", 5, code=1).output
    assert "none of the features 0, 1, 2 was learned" in told
    told = call("train", source, "-m", "PAClassifier()", "-o", model, code=1).stderr
    assert "line 1: there is no label; give it one" in told
    assert "--on-error skip" in told


def test_metrics_take_parameters(houses: Path) -> None:
    source = houses.with_name("houses.csv")
    line = ("run", source, "-t", "price", "-m", "PAClassifier()", "--json")
    told = json.loads(call(*line, "--metric", "F1(average='macro')", "--metric", "Kappa").stdout)
    assert list(told["learners"][0]["values"]) == ["F1 (macro)", "Kappa"]
    told = call(*line, "--metric", "F1(avrage='macro')", code=1).stderr
    assert "Did you mean 'average'?" in told
    assert "onstream" in call(*line, "--metric", "__import__('os')", code=1).stderr


def test_pipelines_show_what_the_last_step_shows(houses: Path) -> None:
    source, model = houses.with_name("houses.csv"), houses.with_name("p.onstream")
    call(
        "train", source, "-t", "price", "-m", "StandardScaler() | LogisticRegression()",
        "-o", model,
    )  # fmt: skip
    last = onstream.load(model).members[-1]
    facts = json.loads(call("inspect", model, "--json").stdout)
    assert facts["weights"]
    assert {w["feature"]: w["weight"] for w in facts["weights"]} == last.weights
    told = call("inspect", model).stdout
    assert "step 1" in told
    assert "StandardScaler()" in told
    assert "zip=1234" in told
    spec = "StandardScaler() | HoeffdingTreeClassifier(grace_period=100, delta=0.1)"
    call("train", source, "-t", "price", "-m", spec, "-o", model)
    assert "root" in call("inspect", model).stdout  # nominal values behind a scaler
    call("train", "SEA()", "--limit", 3000, "-m", spec, "-o", model)
    told = call("inspect", model).stdout
    tree = onstream.load(model).members[-1]
    assert tree.n_nodes > 1
    assert "└─" in told
    assert f"n nodes {tree.n_nodes}" in " ".join(told.split())
    assert json.loads(call("inspect", model, "--json").stdout)["tree"] == tree.to_text()


def test_an_id_of_a_pipe_is_no_feature(houses: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from onstream.cli.main import main; main()",
         "predict", str(houses), "-", "-f", "csv", "--id", "zip", "--score"],
        input="zip,rooms,big\n1234,2,true\n", capture_output=True, text=True,
    )  # fmt: skip
    head, row = done.stdout.splitlines()
    assert head == "zip,prediction,score"
    zip, _, score = row.split(",")
    assert zip == "1234"
    loaded = onstream.load(houses)
    assert float(score) == pytest.approx(loaded.score_one({"rooms": 2.0, "big": True}), rel=1e-12)
    assert float(score) != pytest.approx(
        loaded.score_one({"zip": "1234", "rooms": 2.0, "big": True}), rel=1e-6
    )


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_an_id_is_never_overwritten_by_an_answer(tmp_path: Path, form: str) -> None:
    rows, model, out = tmp_path / "s.csv", tmp_path / "s.onstream", tmp_path / "out"
    rows.write_text("a,b,y\n" + "1,2,yes\n3,1,no\n" * 5)
    call("train", rows, "-t", "y", "-m", "LogisticRegression()", "-o", model)
    new = tmp_path / "new.csv"
    head = "score,p(yes),p(no),prediction,a,b\n"
    for text in (head, head + "77,88,99,55,1,2\n"):
        new.write_text(text)
        for name, flag in (
            ("score", "--score"),
            ("p(yes)", "--proba"),
            ("p(no)", "--proba"),
            ("prediction", "--quiet"),
        ):
            arguments = ["predict", model, new, "--id", name, flag, "--as", form, "-o", out]
            told = call(*arguments, code=1).stderr
            assert f"--id {name}: the answers have a column of this name" in " ".join(told.split())
            assert not out.exists()
    call("predict", model, new, "--id", "score", "--proba", "--as", form, "-o", out)
    assert "77" in out.read_text()
