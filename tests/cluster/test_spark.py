"""Spark on this machine, local[2]. One test, since starting it takes seconds."""

import os
import socket
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from onstream.bayes import GaussianNB
from onstream.cluster import train
from onstream.evaluate import Accuracy
from onstream.linear import LogisticRegression
from onstream.persist.format import dumps, loads

from ..tools import package, program

pytestmark = pytest.mark.filterwarnings("ignore")  # of Spark and what it brings along

ROWS = 1200
X = np.random.default_rng(7).normal(size=(ROWS, 3))
Y = np.where(X @ [1.0, -2.0, 0.5] > 0.1, "yes", "no")
TABLE = pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "shop": np.arange(ROWS) % 5, "y": Y})


@pytest.fixture
def spark(monkeypatch):
    if "JAVA_HOME" not in os.environ:
        program("java")
    package("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    session = new_session()
    yield session
    session.stop()


def new_session():
    from pyspark.sql import SparkSession

    build = SparkSession.builder.master("local[2]").appName("tests")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.driver.memory": "512m",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # a short run
        "spark.log.level": "ERROR",
    }
    for name, value in settings.items():
        build = build.config(name, value)
    return build.getOrCreate()


def test_spark(spark, tmp_path):
    check_files(tmp_path)
    check_frame(spark, tmp_path)
    check_keyed(spark, tmp_path)
    check_a_master_that_does_not_answer()


def check_files(tmp_path):
    for k in range(2):
        pq.write_table(TABLE.slice(600 * k, 600), tmp_path / f"{k}.parquet", row_group_size=200)
    here, there = Accuracy(), Accuracy()
    options = {"workers": 2, "mix_every": 400, "target": "y"}
    mine = train(
        LogisticRegression(), str(tmp_path / "*.parquet"), "local", metrics=here, **options
    )
    theirs = train(
        LogisticRegression(), str(tmp_path / "*.parquet"), "spark", metrics=there, **options
    )
    assert dumps(theirs) == dumps(mine)
    assert (there.n, there.value) == (ROWS, here.value)


def check_frame(spark, tmp_path):
    frame = spark.read.parquet(str(tmp_path / "0.parquet"), str(tmp_path / "1.parquet"))
    model = train(GaussianNB(), frame.drop("shop"), "spark", workers=2, mix_every=None, target="y")
    one = GaussianNB()
    one.learn_many(TABLE.select(["a", "b", "c"]), Y)
    assert model.seen == ROWS
    probe = TABLE.select(["a", "b", "c"]).slice(0, 50)
    np.testing.assert_allclose(
        np.sort(model.predict_proba_many(probe)), np.sort(one.predict_proba_many(probe)), atol=1e-9
    )


def check_keyed(spark, tmp_path):
    """State across a stop and a restart of Spark: counts are exact."""
    source, sink = tmp_path / "source", tmp_path / "sink"
    source.mkdir()
    latest = {}

    def keep(batch, number):
        for row in batch.collect():
            latest[row.key] = row

    def run(session):
        from onstream.cluster.spark_keyed import keyed_stream

        schema = "a double, b double, c double, shop long, y string"
        stream = session.readStream.schema(schema).parquet(str(source))
        made = keyed_stream(stream, GaussianNB(), "shop", "y", output_models=True)
        query = (
            made.writeStream.outputMode("update")
            .foreachBatch(keep)
            .option("checkpointLocation", str(sink))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()

    pq.write_table(TABLE.slice(0, 500), source / "0.parquet")
    run(spark)
    assert sum(row.seen for row in latest.values()) == 500
    pq.write_table(TABLE.slice(500), source / "1.parquet")
    spark.stop()
    again = new_session()
    run(again)  # a new query, from the checkpoint of the first
    again.stop()
    assert {key: row.seen for key, row in latest.items()} == {str(k): 240 for k in range(5)}
    for shop in range(5):
        own = TABLE.filter(pa.array(np.arange(ROWS) % 5 == shop))
        one = GaussianNB()
        one.learn_many(own.select(["a", "b", "c"]), Y[shop::5])
        model = loads(bytes(latest[str(shop)].model))
        assert model.predict_proba_one({"a": 0.3, "b": 0.1}) == pytest.approx(
            one.predict_proba_one({"a": 0.3, "b": 0.1}), abs=1e-9
        )


def check_a_master_that_does_not_answer():
    from pyspark import SparkContext

    with socket.socket() as taken:  # and nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        for master, told in {
            f"spark://127.0.0.1:{port}": "no Spark master answers at .*: Connection refused. Start",
            "nonsense": "no Spark session could be had from 'nonsense': ",
        }.items():
            SparkContext.setSystemProperty("spark.master", master)
            with pytest.raises(ConnectionError, match=rf"^train: {told}.*$"):
                train(GaussianNB(), (X, Y), "spark")
    SparkContext.setSystemProperty("spark.master", "local[2]")
