"""`onstream train --engine`: the same model as `onstream.cluster.train` makes."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import onstream
from onstream.cli.main import app
from onstream.cluster import train
from onstream.persist import load_notes
from onstream.persist.format import dumps

X = np.random.default_rng(1).normal(size=(600, 2))
TABLE = pa.table({"id": range(600), "a": X[:, 0], "b": X[:, 1], "won": X[:, 0] > 0})


@pytest.fixture
def files(tmp_path):
    for k in range(3):
        part = TABLE.slice(200 * k, 200)
        pq.write_table(part, tmp_path / f"part-{k}.parquet", row_group_size=50)
        pyarrow.csv.write_csv(part, tmp_path / f"part-{k}.csv")
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, ["train", *map(str, words)])


def test_parquet_parts(files):
    out = files / "model.onstream"
    shards = str(files / "part-*.parquet")
    words = ["-t", "won", "-m", "AROW()", "-o", out, "--drop", "id", "--engine", "local"]
    done = run(shards, *words, "--workers", 2, "--mix-every", 50)
    assert done.exit_code == 0, done.output
    assert "learned 600 rows" in done.output
    expected = train(onstream.linear.AROW(), shards, "local", 2, 50, target="won", drop=["id"])
    assert dumps(onstream.load(out)) == dumps(expected)
    assert load_notes(out)["target"] == ["won", "bool"]


def test_csv_parts_and_going_on(files):
    out = files / "model.onstream"
    words = ["-o", out, "--engine", "local", "--json"]
    first = run(files / "part-0.csv", "-t", "won", "-m", "GaussianNB()", "--drop", "id", *words)
    assert json.loads(first.stdout)["rows"] == 200
    second = run(files / "part-[12].csv", "--from", out, *words)
    assert second.exit_code == 0, second.output
    assert json.loads(second.stdout)["rows"] == 400
    model = onstream.load(out)
    assert model.seen == 600
    one = onstream.bayes.GaussianNB()
    one.learn_many(TABLE.select(["a", "b"]), X[:, 0] > 0)
    assert model.predict_proba_one({"a": 0.1, "b": 0.2}) == pytest.approx(
        one.predict_proba_one({"a": 0.1, "b": 0.2}), abs=1e-9
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--limit", "5"], "--limit has no meaning with --engine"),
        (["--skip", "5"], "--skip has no meaning"),
        (["--every", "5"], "--every has no meaning"),
        (["--engine", "dask"], "engine must be one of"),
        (["-m", "HoeffdingTreeClassifier()"], "cannot be trained in shards"),
    ],
)
def test_what_is_refused(files, words, message):
    model = [] if "-m" in words else ["-m", "AROW()"]
    usual = ["-t", "won", *model, "-o", files / "m", "--engine", "local"]
    done = run(files / "part-*.parquet", *usual, *words)
    assert done.exit_code == 1
    assert message in " ".join(done.output.split())
    assert not (files / "m").exists()


def test_a_generator_is_no_file(files):
    words = ["-m", "AROW()", "-o", files / "m", "--engine", "local", "--limit", "10"]
    done = run("SEA()", *words)
    assert "name files" in done.output
