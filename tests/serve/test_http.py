"""The service over HTTP: one process for most tests, since starting takes half a second."""

import errno
import gzip
import hashlib
import http.client
import io
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from onstream import LogisticRegression, PAClassifier
from onstream.cli.names import by_name
from onstream.core.number_frames import NumberFrame
from onstream.persist import dumps, loads
from onstream.serve.answers import answers, explanation
from onstream.serve.app import as_problem, encode
from onstream.serve.example import Conflict
from onstream.serve.late_labels import LateLabels
from onstream.serve.learner_text import hashed, members
from onstream.serve.log import StoreError
from onstream.serve.models import Models, Served
from onstream.serve.server import bound, check_admin_token, new_loop, reporter
from onstream.serve.tokens import Bucket, Tokens

from .running import TOKEN, Running


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("store")) as running:
        yield running


COUNT = iter(range(10**6))


@pytest.fixture
def model(service: Running) -> str:
    path = f"/v1/models/m{next(COUNT)}"
    learner = "PAClassifier(C=0.1, hash_bits=12, hash_seed=5)"
    status, facts = service.call("PUT", path, {"learner": learner})
    assert (status, facts["learner"], facts["seq"]) == (201, learner, 0)
    return path


def rows(n: int, seed: int = 1) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    return [
        {"x": {f"f{rng.randrange(9)}": rng.gauss(0, 1) for _ in range(4)},
         "y": rng.randrange(2), "id": f"i{i}", "source": f"s{i % 3}"}
        for i in range(n)
    ]  # fmt: skip


def sum_of(examples: list[dict[str, Any]]) -> str:
    learner = PAClassifier(C=0.1, hash_bits=12, hash_seed=5, max_labels=100)
    for example in examples:
        learner.learn_one(example["x"], example["y"])
    return hashlib.sha256(dumps(learner)).hexdigest()


def arrow(table: pa.Table, **options: Any) -> bytes:
    out = io.BytesIO()
    settings = pa.ipc.IpcWriteOptions(**options)
    with pa.ipc.new_stream(out, table.schema, options=settings) as writer:
        writer.write_table(table)
    return out.getvalue()


@pytest.mark.parametrize(
    ("verb", "sent", "hint"),
    [("learn", {"x": {}, "y": 1}, '{"examples": [{"x": {"feature": 1.0}, "y": "label"}]}'),
     ("predict", {"x": {}}, '{"examples": [{"x": {"feature": 1.0}}]}'),
     ("rollback", {"seq": 3}, '{"to_seq": 500}'), ("replay", "eve", '{"exclude_source": "name"}')],
)  # fmt: skip
def test_what_cannot_be_read_is_shown_how(
    verb: str, sent: Any, hint: str, service: Running, model: str
) -> None:
    status, answer = service.call("POST", f"{model}/{verb}", sent)
    assert status == 422
    assert hint in answer["hint"]


def test_another_method_is_named(service: Running, model: str) -> None:
    for method, path, allowed in (
        ("GET", f"{model}/learn", "POST"), ("POST", model, "DELETE, GET, HEAD, PUT"),
        ("DELETE", "/health/live", "GET, HEAD"),
    ):  # fmt: skip
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        connection.request(method, path)
        answer = connection.getresponse()
        assert (answer.status, answer.headers["Allow"]) == (405, allowed)
        assert f"Use {allowed}" in json.loads(answer.read())["hint"]
        connection.close()


class TestVerbs:
    def test_learn_and_facts(self, service: Running, model: str) -> None:
        examples = rows(30)
        status, answer = service.call("POST", f"{model}/learn", {"examples": examples[:20]})
        assert status == 200
        assert answer == {"first_seq": 1, "last_seq": 20, "learned": 20, "duplicates": 0}
        status, answer = service.call("POST", f"{model}/learn", {"examples": examples[10:]})
        assert answer == {"first_seq": 21, "last_seq": 30, "learned": 10, "duplicates": 10}
        status, facts = service.call("GET", model)
        assert (facts["seen"], facts["seq"]) == (30, 30)
        assert facts["state_sha256"] == sum_of(examples)
        assert facts["memory_bytes"] > 0

    def test_predict_names_its_version(self, service: Running, model: str) -> None:
        service.call("POST", f"{model}/learn", {"examples": rows(30)})
        asked = {"examples": [{"x": row["x"]} for row in rows(5)]}
        status, answer = service.call("POST", f"{model}/predict", asked)
        assert (status, answer["version"], len(answer["predictions"])) == (200, 30, 5)

    def test_probabilities(self, service: Running) -> None:
        service.call("PUT", "/v1/models/lr", {"learner": "LogisticRegression(hash_bits=8)"})
        service.call("POST", "/v1/models/lr/learn", {"examples": rows(30)})
        reference = LogisticRegression(hash_bits=8)
        for row in rows(30):
            reference.learn_one(row["x"], row["y"])
        x = rows(1)[0]["x"]
        _, answer = service.call("POST", "/v1/models/lr/predict", {"examples": [{"x": x}] * 2})
        expected = {str(k): v for k, v in reference.predict_proba_one(x).items()}
        assert answer["probabilities"] == [expected] * 2

    def test_labels_come_later(self, service: Running, model: str) -> None:
        examples = rows(10)
        asked = [{"x": row["x"], "id": row["id"]} for row in examples]
        service.call("POST", f"{model}/predict", {"examples": asked})
        labels = [{"id": row["id"], "y": row["y"]} for row in examples]
        status, answer = service.call("POST", f"{model}/label", {"examples": labels})
        assert (status, answer["learned"]) == (200, 10)
        assert service.call("POST", f"{model}/label", {"examples": labels})[1]["duplicates"] == 10
        assert service.call("GET", model)[1]["state_sha256"] == sum_of(examples)
        status, answer = service.call(
            "POST", f"{model}/label", {"examples": [{"id": "nobody", "y": 1}]}
        )
        assert (status, answer["path"]) == (404, "examples")

    def test_rollback_and_replay(self, service: Running, model: str) -> None:
        examples = rows(40)
        service.call("POST", f"{model}/learn", {"examples": examples})
        assert service.call("POST", f"{model}/rollback", {"to_seq": 25})[1]["seq"] == 25
        assert service.call("GET", model)[1]["state_sha256"] == sum_of(examples[:25])
        service.call("POST", f"{model}/learn", {"examples": examples})
        assert (
            service.call("POST", f"{model}/replay", {"exclude_source": "s1"})[1]["excluded"] == 13
        )
        left = [row for row in examples if row["source"] != "s1"]
        assert service.call("GET", model)[1]["state_sha256"] == sum_of(left)
        status, answer = service.call("POST", f"{model}/rollback", {"to_seq": 10**9})
        assert (status, "to_seq" in answer["error"], answer["path"]) == (422, True, "to_seq")

    def test_snapshot_is_a_model(self, service: Running, model: str) -> None:
        service.call("POST", f"{model}/learn", {"examples": rows(20)})
        status, data = service.raw("GET", f"{model}/snapshot")
        assert status == 200
        assert loads(data).seen == 20

    def test_explain(self, service: Running, model: str) -> None:
        service.call("POST", f"{model}/learn", {"examples": rows(20)})
        _, answer = service.call("GET", f"{model}/explain?x=%7B%22f1%22%3A1%7D")
        assert list(answer["contributions"]) == ["f1"]
        assert service.call("GET", f"{model}/explain")[0] == 422
        _, answer = service.call("GET", f"{model}/explain?x=%7B%22%E6%97%A5%22%3A1%7D")
        assert list(answer["contributions"]) == ["日"]
        more = "%2C".join(f"%22f{i}%22%3A1" for i in range(120))
        _, answer = service.call("GET", f"{model}/explain?x=%7B{more}%7D")
        assert (len(answer["contributions"]), answer["left_out"]) == (100, 20)
        for bad in (
            "1",
            "%7B%7D%7D",
            "%FF",
            "%7B%22a%22%3A%7B%7D%7D",
            f"%7B%22{'a' * 257}%22%3A1%7D",
        ):
            assert service.call("GET", f"{model}/explain?x={bad}")[0] == 422

    def test_put_again_and_delete(self, service: Running, model: str) -> None:
        same = {"learner": "PAClassifier(C=0.1, hash_bits=12, hash_seed=5)"}
        assert service.call("PUT", model, same)[0] == 200
        assert service.call("PUT", model, {"learner": "PAClassifier()"})[0] == 409
        assert service.call("DELETE", model)[0] == 200
        assert service.call("GET", model)[0] == 404
        assert service.call("PUT", model, {"learner": "PAClassifier()"})[0] == 201

    def test_lines_and_arrow(self, service: Running, model: str) -> None:
        lines = "\n".join(json.dumps(row) for row in rows(5)).encode()
        status, answer = service.raw(
            "POST", f"{model}/learn", lines, content_type="application/x-ndjson"
        )
        assert (status, json.loads(answer)["learned"]) == (200, 5)
        table = pa.table({"f1": [0.5, None], "f2": [1.0, 2.0], "y": [1, 0], "id": ["a", "b"]})
        kind = "application/vnd.apache.arrow.stream"
        status, answer = service.raw("POST", f"{model}/learn", arrow(table), content_type=kind)
        assert (status, json.loads(answer)["learned"]) == (200, 2)
        expected = [*rows(5), {"x": {"f1": 0.5, "f2": 1.0}, "y": 1}, {"x": {"f2": 2.0}, "y": 0}]
        assert service.call("GET", model)[1]["state_sha256"] == sum_of(expected)
        assert service.raw("POST", f"{model}/learn", b"no arrow", content_type=kind)[0] == 422

    def test_weights(self, service: Running, model: str) -> None:
        examples = [{**row, "w": [1, 0.5, 0, 2.0][i % 4]} for i, row in enumerate(rows(20))]
        learner = PAClassifier(C=0.1, hash_bits=12, hash_seed=5, max_labels=100)
        for row in examples * 2:
            learner.learn_one(row["x"], row["y"], row["w"])
        service.call("POST", f"{model}/learn", {"examples": examples[:10]})
        lines = "\n".join(json.dumps(row) for row in examples[10:]).encode()
        kind = "application/x-ndjson"
        assert service.raw("POST", f"{model}/learn", lines, content_type=kind)[0] == 200
        columns = {name: [row["x"].get(name) for row in examples] for name in sorted(
            {name for row in examples for name in row["x"]})}  # fmt: skip
        table = pa.table({**columns, "y": [row["y"] for row in examples],
                          "w": [float(row["w"]) for row in examples]})  # fmt: skip
        kind = "application/vnd.apache.arrow.stream"
        assert service.raw("POST", f"{model}/learn", arrow(table), content_type=kind)[0] == 200
        facts = service.call("GET", model)[1]
        assert (facts["seen"], facts["seq"]) == (30, 40)
        served = loads(service.raw("GET", f"{model}/snapshot")[1])
        assert served.score_one(rows(1)[0]["x"]) == pytest.approx(
            learner.score_one(rows(1)[0]["x"]), abs=1e-12
        )
        for name in ("predict", "learn"):  # the column is no feature where it is asked, either
            assert service.raw("POST", f"{model}/{name}", arrow(table), content_type=kind)[0] == 200
        bad = pa.table({"a": [1.0, 1.0], "y": [1, 1], "w": [1.0, None]})
        status, answer = service.raw("POST", f"{model}/learn", arrow(bad), content_type=kind)
        assert (status, json.loads(answer)["path"]) == (422, "examples[1].w")

    @pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
    def test_arrow_is_not_unpacked(self, compression: Any, service: Running, model: str) -> None:
        table = pa.table({"f1": pa.array(["a"] * 1000).dictionary_encode(), "y": [1] * 1000})
        data = arrow(table, compression=compression)
        kind = "application/vnd.apache.arrow.stream"
        status, answer = service.raw("POST", f"{model}/learn", data, content_type=kind)
        assert status == (200 if compression is None else 422)
        assert compression is None or b"compressed buffers" in answer

    def test_arrow_that_stands_for_too_much(self, service: Running, model: str) -> None:
        long = pa.DictionaryArray.from_arrays(pa.array([0] * 50_000, pa.int8()), ["x" * 100_000])
        cases = {
            413: [pa.table({"f": long, "y": [1] * 50_000}), pa.table({"f": pa.nulls(2_000_000)})],
            422: [
                pa.table({"f": [[1.0]], "y": [1]}),
                pa.table({"f": [b"bytes"], "y": [1]}),
                pa.table([[1.0], [2.0], [1]], names=["f", "f", "y"]),
            ],
        }
        kind = "application/vnd.apache.arrow.stream"
        for status, tables in cases.items():
            for table in tables:
                got, answer = service.raw("POST", f"{model}/learn", arrow(table), content_type=kind)
                assert got == status, answer
        good = arrow(pa.table({"f": ["abc", "de"], "y": [1, 0]}))
        place = good.index((3).to_bytes(4, "little") + (5).to_bytes(4, "little"))
        bad = good[: place + 4] + (1 << 30).to_bytes(4, "little") + good[place + 8 :]
        status, answer = service.raw("POST", f"{model}/learn", bad, content_type=kind)
        assert status == 422, "an offset far outside of its buffer"
        assert service.call("GET", model)[1]["seen"] == 0

    def test_health_figures_and_document(self, service: Running, model: str) -> None:
        service.call("POST", f"{model}/learn", {"examples": rows(20)})
        assert service.call("GET", "/health/live")[0] == 200
        assert service.call("GET", "/health/ready")[0] == 200
        name = model.rpartition("/")[2]
        text = service.raw("GET", "/metrics")[1].decode()
        assert f'onstream_learned_total{{model="{name}"}} 20.0' in text
        for figure in ("request_seconds_bucket", "accuracy", "drift_alarms", "log_lag", "queue"):
            assert f"onstream_{figure}" in text

    def test_the_document_says_what_is_answered(self, service: Running, model: str) -> None:
        _, document = service.call("GET", "/openapi.json")
        learn = document["paths"]["/v1/models/{name}/learn"]["post"]
        assert "application/x-ndjson" in learn["requestBody"]["content"]
        schemas = document["components"]["schemas"]
        assert schemas["Example"]["properties"]["w"]["minimum"] == 0
        assert "w" not in schemas["Example"]["required"]
        ask = {"examples": [{"x": {"a": 1}, "id": "i"}, {"x": {}}]}
        late = {"examples": [{"id": "i", "y": 1}, {"id": "j", "y": 1}]}
        for name, answer in {
            "Facts": service.call("GET", model),
            "Listed": service.call("GET", "/v1/models"),
            "Predictions": service.call("POST", f"{model}/predict", ask),
            "Labelled": service.call("POST", f"{model}/label", late),
            "Receipt": service.call("POST", f"{model}/learn", {"examples": rows(2)}),
            "RolledBack": service.call("POST", f"{model}/rollback", {"to_seq": 1}),
            "Replayed": service.call("POST", f"{model}/replay", {"exclude_source": "s1"}),
            "Problem": service.call("GET", "/nothing"),
        }.items():
            assert set(answer[1]) - {"rejected"} == set(schemas[name]["properties"]) - {"rejected"}


@pytest.mark.parametrize(
    ("learner", "hinted"),
    [
        ("LogisticRegression()", True),
        ("PARegressor(C=0.1)", True),
        ("LogisticRegression(hash_bits=8)", False),
        ("StandardScaler() | LogisticRegression()", False),
        ("MultinomialNB()", False),
        ("VFDT()", False),
    ],
)
def test_a_learner_that_loses_its_scales_says_so(
    service: Running, learner: str, hinted: bool
) -> None:
    path = "/v1/models/scales"
    _, facts = service.call("PUT", path, {"learner": learner})
    assert ("StandardScaler" in (facts["hint"] or "")) == hinted
    assert service.call("GET", path)[1]["hint"] == facts["hint"]
    service.call("DELETE", path)


def test_hashes_are_secret_unless_given(service: Running) -> None:
    sums = set()
    for name in ("one", "two"):
        service.call("PUT", f"/v1/models/{name}", {"learner": "PAClassifier()"})
        service.call("POST", f"/v1/models/{name}/learn", {"examples": rows(5)})
        learner = loads(service.raw("GET", f"/v1/models/{name}/snapshot")[1])
        assert (learner.params["hash_bits"], learner.params["max_labels"]) == (18, 100)
        sums.add(learner.params["hash_seed"])
    assert len(sums) == 2


@pytest.mark.parametrize(
    ("text", "bits"),
    [("PAClassifier()", 18), ("RLS()", 10), ("AROW(covariance='full')", 10),
     ("BayesianLinearRegression()", None), ("HoeffdingTreeClassifier()", None)],
)  # fmt: skip
def test_how_many_slots(text: str, bits: int | None) -> None:
    assert hashed(text).params.get("hash_bits") == bits


def test_declared_labels_may_be_many() -> None:
    learner = hashed(f"LogisticRegression(labels={list(range(400))})")
    assert (len(learner.labels), learner.params["max_labels"]) == (400, 400)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("PAClassifier(C=0.1)", 1),
        ("StandardScaler() | AdaptiveRandomForestClassifier", 11),
        ("AdaptiveRandomForestClassifier(n_models=40) | PAClassifier()", 41),
        ("OnlineBagging(AdaptiveRandomForestClassifier(n_models=30), n_models=20)", 600),
        ("OnlineBagging([AdaptiveRandomForestClassifier(n_models=30), VFDT()], n_models=5)", 155),
        ("StreamingGradientBoostingRegressor(n_models=+200)", 2000),
        ("EvolvingClassifier(population=50)", 50),
        ("(", 1),
    ],
)
def test_how_many_members(text: str, number: int) -> None:
    assert members(text) == number


def test_a_slow_model_holds_up_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = Models(tmp_path, label_ttl=1.0, label_cap=1)
    began, go_on = threading.Event(), threading.Event()

    def made(text: str, most: int | None) -> Any:
        if "LogisticRegression" in text:
            began.set()
            assert go_on.wait(60)
        return hashed(text, most)

    monkeypatch.setattr("onstream.serve.models.hashed", made)
    answers: dict[str, Any] = {}

    def create(key: str, name: str, text: str) -> threading.Thread:
        def work() -> None:
            answers[key] = models.create(name, text)[1]

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return thread

    threads = [create("slow", "slow", "LogisticRegression()")]
    assert began.wait(60)
    create("other", "other", "PAClassifier()").join(20)
    assert answers == {"other": True}, "it did not wait"
    assert models.delete("other")
    threads.append(create("again", "slow", "LogisticRegression()"))
    assert answers == {"other": True}
    go_on.set()
    for thread in threads:
        thread.join()
    assert answers == {"other": True, "slow": True, "again": False}
    models.close()


NOT_SERVED = {"BatchTree", "StructuredPA"}  # not online; made of functions


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
def test_every_learner_can_be_served(tmp_path: Path) -> None:
    """It learns, answers, explains, and a copy of its store replays to the same bits."""
    names = [name for name, kind in by_name().items() if hasattr(kind, "predict_many")]
    options: dict[str, Any] = {"label_ttl": 1.0, "label_cap": 1}
    for name in sorted(set(names) - NOT_SERVED):
        examples = [
            {"x": row["x"], "y": [row["y"]] if name == "PAMultilabel" else row["y"]}
            for row in rows(60)
        ]
        folder = tmp_path / name
        served = Served(name, folder, name, hashed(f"{name}()"), None, **options)
        assert served.model.learn(examples).rejected == [], name
        learner = served.model.learner
        one, two = (answers(learner, [examples[0]["x"]] * n) for n in (1, 2))
        assert json.loads(encode(one)) == [part and part[:1] for part in json.loads(encode(two))]
        frame = NumberFrame(["f1", "f0", "new"], np.arange(30.0).reshape(10, 3))
        dicts = [dict(zip(frame.names, row, strict=True)) for row in frame.values.tolist()]
        assert answers(learner, frame) == answers(learner, dicts), name
        assert json.loads(encode(explanation(learner, examples[0]["x"])))
        before = served.facts()
        assert json.loads(encode(before))["seen"] == 60
        shutil.copytree(folder, tmp_path / "copy")
        again = Served(name, tmp_path / "copy", name, None, None, **options)
        assert again.facts()["state_sha256"] == before["state_sha256"], name
        again.close()
        served.close()
        shutil.rmtree(tmp_path / "copy")


@pytest.mark.parametrize(
    "name",
    sorted({n for n, kind in by_name().items() if hasattr(kind, "predict_many")} - NOT_SERVED),
)
def test_every_learner_is_put_and_asked(name: str, service: Running) -> None:
    """It begins, learns, answers and describes itself over HTTP."""
    examples = [
        {"x": row["x"], "y": [row["y"]] if name == "PAMultilabel" else row["y"]} for row in rows(20)
    ]
    path = f"/v1/models/m{next(COUNT)}"
    sent = [
        ("PUT", path, {"learner": f"{name}()"}),
        ("POST", f"{path}/learn", {"examples": examples}),
        ("POST", f"{path}/predict", {"examples": [{"x": row["x"]} for row in examples]}),
        ("POST", f"{path}/predict", {"examples": [{"x": examples[0]["x"]}]}),
        ("GET", path, None),
        ("DELETE", path, None),
    ]
    answers = [service.call(*one) for one in sent]
    assert [status for status, _ in answers] == [201, *[200] * 5], answers
    assert answers[4][1]["seen"] == 20


def test_pipelines_are_hashed_too(service: Running) -> None:
    text = "StandardScaler() | PAClassifier(C=0.5)"
    status, facts = service.call("PUT", "/v1/models/pipeline", {"learner": text})
    assert (status, facts["learner"]) == (201, text)
    service.call("POST", "/v1/models/pipeline/learn", {"examples": rows(5)})
    steps = loads(service.raw("GET", "/v1/models/pipeline/snapshot")[1]).steps
    assert [type(step).__name__ for step in steps][1:] == ["FeatureHasher", "PAClassifier"]
    assert steps[1].params["hash_seed"] > 0
    assert (steps[2].params["C"], steps[2].params["max_labels"]) == (0.5, 100)


def test_put_and_delete_at_once(service: Running) -> None:
    """Whatever comes first: no 5xx, and at the end a model that learns, or none."""
    statuses = []

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(12):
            path = "/v1/models/contested"
            verb = rng.choice(["PUT", "DELETE", "GET", "learn"])
            learner = f'{{"learner": "PAClassifier(C={rng.choice([1, 2])}, hash_bits=8)"}}'
            body = {"PUT": learner, "learn": '{"examples": [{"x": {"a": 1}, "y": 1}]}'}.get(verb)
            method, rest = ("POST", "/learn") if verb == "learn" else (verb, "")
            data = None if body is None else body.encode()
            statuses.append(service.raw(method, path + rest, data)[0])

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(statuses) == 72
    assert set(statuses) <= {200, 201, 404, 409}, statuses


class TestRefused:
    @pytest.mark.parametrize(
        ("status", "path", "body"),
        [
            (
                422,
                "examples[0].x",
                {"examples": [{"x": {f"f{i}": 1 for i in range(1001)}, "y": 1}]},
            ),
            (422, "examples[0].x", {"examples": [{"x": {"f" * 257: 1}, "y": 1}]}),
            (422, "examples[0].x", {"examples": [{"x": {"\u20ac" * 86: 1}, "y": 1}]}),
            (422, "examples[1].id", {"examples": [{"x": {}, "y": 1}, {"x": {}, "y": 1, "id": ""}]}),
            (422, "examples[0]", {"examples": [{"y": 1}]}),
            (422, "examples[0]", {"examples": [{"x": {}, "y": 1, "weight": 2}]}),
            (422, "examples[1].w", {"examples": [{"x": {}, "y": 1}, {"x": {}, "y": 1, "w": -1}]}),
            (422, "examples[0].w", {"examples": [{"x": {}, "y": 1, "w": "a"}]}),
            (422, "examples[0].w", {"examples": [{"x": {}, "y": 1, "w": None}]}),
            (422, "examples", {"examples": []}),
            (422, "", {}),
            (422, "", []),
            (413, "", {"examples": [{"x": {"a": "b" * (1 << 20)}, "y": 1}]}),
        ],
    )
    def test_learn(self, status: int, path: str, body: Any, service: Running, model: str) -> None:
        before = service.call("GET", model)[1]["state_sha256"]
        got, answer = service.call("POST", f"{model}/learn", body)
        assert (got, answer["path"]) == (status, path)
        assert set(answer) == {"error", "path", "hint"}
        assert service.call("GET", model)[1]["state_sha256"] == before

    def test_names_are_measured_in_bytes(self, service: Running, model: str) -> None:
        for name, status in (("\u20ac" * 85, 200), ("\u20ac" * 86, 422), ("\x01" * 256, 200)):
            for escaped in (True, False):
                text = json.dumps({"examples": [{"x": {name: 1}}]}, ensure_ascii=escaped)
                assert service.raw("POST", f"{model}/predict", text.encode())[0] == status

    @pytest.mark.parametrize(
        "body",
        [b"", b"{", b"\xff\xfe", b'{"examples": [{"x": {"a": NaN}, "y": 1}]}', b"[" * 100_000,
         b'{"examples": [{"x": {"a": 1e999}, "y": 1}]}', b'{"examples": ' + b"[" * 50_000],
    )  # fmt: skip
    def test_broken_json(self, body: bytes, service: Running, model: str) -> None:
        status, answer = service.raw("POST", f"{model}/learn", body)
        assert status == 422
        assert set(json.loads(answer)) == {"error", "path", "hint"}

    def test_a_label_of_another_kind(self, service: Running, model: str) -> None:
        service.call("POST", f"{model}/learn", {"examples": rows(3)})
        bad = {"examples": [{"x": {"a": 1}, "y": "text"}]}
        assert service.call("POST", f"{model}/learn", bad)[0] == 422
        some = {"examples": [{"x": {"a": 1}, "y": "text"}, {"x": {"a": 1}, "y": 1}]}
        status, answer = service.call("POST", f"{model}/learn", some)
        assert (status, answer["learned"], answer["rejected"][0]["path"]) == (200, 1, "examples[0]")

    def test_a_truth_is_no_number(self, service: Running) -> None:
        path = f"/v1/models/m{next(COUNT)}"
        service.call("PUT", path, {"learner": "PARegressor()"})
        examples = [{"x": {"a": 1}, "y": 1, "id": "i"}, {"x": {"a": 1}, "y": True}]
        status, answer = service.call("POST", f"{path}/learn", {"examples": examples})
        assert (status, answer["path"]) == (422, "examples[1].y")
        service.call("POST", f"{path}/predict", {"examples": [{"x": {"a": 1}, "id": "i"}]})
        late = {"examples": [{"id": "i", "y": False}]}
        assert service.call("POST", f"{path}/label", late)[0] == 422
        assert service.call("GET", path)[1]["seen"] == 0

    def test_a_row_that_cannot_be_predicted_is_named(self, service: Running) -> None:
        path = f"/v1/models/m{next(COUNT)}"
        service.call("PUT", path, {"learner": "HoeffdingTreeClassifier()"})
        service.call("POST", f"{path}/learn", {"examples": [{"x": {"a": 1}, "y": 1}]})
        good, bad = {"x": {"a": 1}}, {"x": {"a": "text"}}
        for examples, row in (([good, bad], 1), ([bad], 0), ([good] * 300 + [bad], 300)):
            status, answer = service.call("POST", f"{path}/predict", {"examples": examples})
            assert (status, answer["path"]) == (422, f"examples[{row}]"), answer

    def test_the_file_format_of_arrow_is_named(self, service: Running, model: str) -> None:
        out = io.BytesIO()
        table = pa.table({"a": [1.0], "y": [1]})
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
        kind = "application/vnd.apache.arrow.stream"
        status, text = service.raw("POST", f"{model}/learn", out.getvalue(), content_type=kind)
        answer = json.loads(text)
        assert (status, "file format" in answer["error"]) == (422, True)
        assert "new_stream" in answer["hint"]

    def test_bombs(self, service: Running, model: str) -> None:
        bomb = gzip.compress(b" " * (50 << 20))
        assert service.raw("POST", f"{model}/learn", bomb, content_encoding="gzip")[0] == 413
        two = gzip.compress(b'{"examples": []}') + bomb
        assert service.raw("POST", f"{model}/learn", two, content_encoding="gzip")[0] == 422
        good = gzip.compress(json.dumps({"examples": rows(2)}).encode())
        assert service.raw("POST", f"{model}/learn", good, content_encoding="gzip")[0] == 200
        assert service.raw("POST", f"{model}/learn", good[:30], content_encoding="gzip")[0] == 422
        assert service.raw("POST", f"{model}/learn", good, content_encoding="br")[0] == 415

    def test_endless_chunks_are_cut_off(self, service: Running, model: str) -> None:
        with socket.create_connection(("127.0.0.1", service.port), timeout=60) as client:
            head = (
                f"POST {model}/learn HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}"
            )
            client.sendall(f"{head}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
            try:
                for _ in range(1000):
                    client.sendall(chunk)
            except OSError:
                return
        pytest.fail("64 MB were taken")

    def test_endless_headers_are_cut_off(self, service: Running) -> None:
        with socket.create_connection(("127.0.0.1", service.port), timeout=60) as client:
            client.sendall(b"GET / HTTP/1.1\r\n")
            try:
                for _ in range(1000):
                    client.sendall(b"a: " + b"b" * 65536 + b"\r\n")
            except OSError:
                return
        pytest.fail("64 MB were taken")

    def test_a_slow_client_is_cut_off(self, service: Running) -> None:
        with socket.create_connection(("127.0.0.1", service.port), timeout=60) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: ")
            assert client.recv(100) == b"", "closed after 5 seconds"

    def test_paths_and_methods(self, service: Running) -> None:
        assert service.call("GET", "/v1/models/nobody")[0] == 404
        assert service.call("GET", "/nothing")[0] == 404
        assert service.call("PATCH", "/v1/models")[0] == 405
        for name in ("..", "%2e%2e%2fetc", "a" * 65, ".hidden", "a%00b"):
            status, _ = service.call("PUT", f"/v1/models/{name}", {"learner": "PAClassifier()"})
            assert status in (404, 422)

    @pytest.mark.parametrize(
        "text",
        ["", "Nobody()", "__import__('os')", "PAClassifier(C=-1)", "StandardScaler()", "(",
         "PAClassifier(hash_bits=30)", "FeatureHasher(hash_bits=31) | PAClassifier()",
         "FeatureHasher(hash_bits=30) | PAClassifier(hash_bits=8)",
         "AdaptiveRandomForestClassifier(n_models=100000)", "EvolvingClassifier(population=9999)",
         "OnlineBagging(AdaptiveRandomForestClassifier(n_models=99), n_models=99)"],
    )  # fmt: skip
    def test_learners(self, text: str, service: Running) -> None:
        status, answer = service.call("PUT", "/v1/models/bad", {"learner": text})
        assert (status, answer["path"]) == (422, "learner")
        assert service.call("GET", "/v1/models/bad")[0] == 404


class TestTokens:
    def test_scopes(self, service: Running, model: str) -> None:
        learn, ask = f"{model}/learn", f"{model}/predict"
        _, made = service.call("POST", "/v1/tokens", {"name": "p", "scopes": ["predict"]})
        only = {"Authorization": f"Bearer {made['token']}"}
        assert service.call("POST", ask, {"examples": [{"x": {}}]}, **only)[0] == 200
        assert service.call("POST", learn, {"examples": rows(1)}, **only)[0] == 403
        assert service.call("DELETE", model, **only)[0] == 403
        assert service.call("DELETE", "/v1/tokens/p")[0] == 200
        assert service.call("POST", ask, {"examples": [{"x": {}}]}, **only)[0] == 401
        assert made["token"] not in (service.store / "tokens.json").read_text()

    @pytest.mark.parametrize(
        "header", ["", "Bearer", "Bearer wrong", "Basic abc", f"bearer{TOKEN}"]
    )
    def test_without_one(self, header: str, service: Running) -> None:
        status, answer = service.call("GET", "/v1/models", Authorization=header)
        assert (status, answer["path"]) == (401, "authorization")

    def test_nobody_writes_lines_into_the_logs(self, service: Running) -> None:
        forged = {"name": "x\n2026-01-01 admin", "scopes": ["learn"]}
        assert service.call("POST", "/v1/tokens", forged)[1]["path"] == "name"
        text = "PAClassifier(\nC=0.5)"
        assert service.call("PUT", "/v1/models/lines", {"learner": text})[0] == 201
        assert service.call("GET", "/v1/models/lines")[1]["learner"] == text
        last = (service.store / "audit.log").read_text().splitlines()[-1]
        assert last.endswith(r"admin put lines 201 'PAClassifier(\nC=0.5)'")

    def test_other_hosts_are_refused(self, service: Running) -> None:
        assert service.call("GET", "/v1/models", Host="evil.example")[0] == 400

    def test_the_first_start_makes_one_and_shows_it(self, tmp_path: Path) -> None:
        with Running(tmp_path, "--rate", "0.1", token=None) as service:
            service.token = service.said.partition("once): ")[2].split()[0]
            answers = [service.call("GET", "/v1/models") for _ in range(20)]
            assert answers[0][0] == 200
            assert answers[-1][0] == 429, "one in ten seconds is allowed"
            assert set(answers[-1][1]) == {"error", "path", "hint"}

    def test_who_asks_too_often_gets_its_rate(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = 0.0
        monkeypatch.setattr("onstream.serve.tokens.time.monotonic", lambda: now)
        for rate in (0.5, 5.0):
            bucket, let_in = Bucket(rate), []
            for _ in range(1000):  # a hundred a second
                now += 0.01
                let_in.append(bucket.take())
            assert sum(let_in) == pytest.approx(10 * rate + max(1, rate), abs=1.5)

    def test_others_may_not_listen_without_one(self, tmp_path: Path) -> None:
        command = [sys.executable, "-m", "onstream", "serve", "--store", str(tmp_path)]
        done = subprocess.run(
            [*command, "--host", "0.0.0.0"], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 1
        assert "ONSTREAM_ADMIN_TOKEN" in done.stderr

    def test_a_name_that_is_taken_is_refused(self, service: Running) -> None:
        new = {"name": "taken", "scopes": ["predict"]}
        made = service.call("POST", "/v1/tokens", new)[1]
        status, answer = service.call("POST", "/v1/tokens", {**new, "scopes": ["admin"]})
        assert (status, answer["path"], "taken" in answer["error"]) == (409, "name", True)
        first = {"Authorization": f"Bearer {made['token']}"}
        assert service.call("GET", "/v1/models", **first)[0] == 200
        assert service.call("DELETE", "/v1/tokens/taken")[0] == 200
        assert service.call("POST", "/v1/tokens", new)[0] == 201
        service.call("DELETE", "/v1/tokens/taken")

    def test_the_last_admin_stays(self, tmp_path: Path) -> None:
        tokens = Tokens(tmp_path, None, 1.0)
        tokens.make("one", ["admin", "learn"])
        tokens.make("other", ["learn"])
        assert tokens.remove("admin")
        with pytest.raises(Conflict, match="nobody else has the scope admin"):
            tokens.remove("one")
        assert tokens.remove("other")
        assert not tokens.remove("nobody")
        assert [one.name for one in Tokens(tmp_path, None, 1.0).kept] == ["one"]
        assert Tokens(tmp_path, TOKEN, 1.0).remove("one"), "that of the environment is left"
        assert Tokens(tmp_path, TOKEN, 1.0).kept == []

    def test_the_last_admin_stays_over_http(self, tmp_path: Path) -> None:
        with Running(tmp_path, token=None) as service:
            service.token = service.said.partition("once): ")[2].split()[0]
            status, answer = service.call("DELETE", "/v1/tokens/admin")
            assert (status, answer["path"]) == (409, "name")
            assert "ONSTREAM_ADMIN_TOKEN" in answer["hint"]
            assert service.call("GET", "/v1/models")[0] == 200

    @pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
    @pytest.mark.parametrize("token", ["x" * 15, "x" * 16])
    def test_a_short_token(self, host: str, token: str) -> None:
        said: list[str] = []
        if len(token) < 16 and host == "0.0.0.0":
            with pytest.raises(ValueError, match=r"ONSTREAM_ADMIN_TOKEN has 15 characters.*16"):
                check_admin_token(token, host, said.append)
            return
        check_admin_token(token, host, said.append)
        assert ("ONSTREAM_ADMIN_TOKEN has 15 characters" in "".join(said)) == (len(token) < 16)

    def test_a_short_token_is_refused_before_anything_is_made(self, tmp_path: Path) -> None:
        command = [sys.executable, "-m", "onstream", "serve", "--store", str(tmp_path / "store")]
        done = subprocess.run(
            [*command, "--host", "0.0.0.0"], capture_output=True, text=True, timeout=60,
            env={**os.environ, "ONSTREAM_ADMIN_TOKEN": "short"},
        )  # fmt: skip
        assert done.returncode == 1
        assert "16" in done.stderr
        assert "short" not in done.stderr.replace("too short", "")
        assert not (tmp_path / "store").exists()

    def test_a_short_token_is_told_on_loopback(self, tmp_path: Path) -> None:
        with Running(tmp_path, token="short") as service:
            assert "ONSTREAM_ADMIN_TOKEN has 5 characters" in service.said


def test_it_ends_in_order_and_begins_where_it_was(tmp_path: Path) -> None:
    with Running(tmp_path) as service:
        service.call("PUT", "/v1/models/m", {"learner": "PAClassifier()"})
        service.call("POST", "/v1/models/m/learn", {"examples": rows(50)})
        _, before = service.call("GET", "/v1/models/m")
        assert service.stop() == 0
        assert len(list((tmp_path / "models/m/snapshots").iterdir())) == 2
        assert "learn m 200 1-50" in (tmp_path / "audit.log").read_text()
        service.start()
        service.stop(9)
        service.start()
        _, after = service.call("GET", "/v1/models/m")
        assert (after["state_sha256"], after["seq"]) == (before["state_sha256"], 50)
        assert service.call("POST", "/v1/models/m/learn", {"examples": rows(50)})[1]["learned"] == 0


def test_late_labels_end_in_time_and_outlive_a_restart(tmp_path: Path) -> None:
    ask = {"examples": [{"x": row["x"], "id": row["id"]} for row in rows(10)]}
    with Running(tmp_path, "--label-cap", "6") as service:
        service.call("PUT", "/v1/models/m", {"learner": "PAClassifier()"})
        service.call("POST", "/v1/models/m/predict", ask)
        labels = [{"id": "i9", "y": 1}, {"id": "i8", "y": 0}]
        service.call("POST", "/v1/models/m/label", {"examples": labels})
        facts = service.call("GET", "/v1/models/m")[1]
        assert (facts["pending_labels"], facts["expired_labels"]) == (4, 4)
        assert 'expired_labels_total{model="m"} 4.0' in service.raw("GET", "/metrics")[1].decode()
        assert service.stop() == 0
        service.start()
        labels = [{"id": "i7", "y": 1}, {"id": "i9", "y": 1}, {"id": "i1", "y": 1}]
        _, answer = service.call("POST", "/v1/models/m/label", {"examples": labels})
        assert (answer["learned"], answer["duplicates"], answer["unknown"]) == (1, 1, ["i1"])


def test_late_labels_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("onstream.serve.late_labels.time.time", lambda: now)
    late = LateLabels(tmp_path / "late.json", ttl=10.0, cap=100)
    late.keep("a", {"f": 1.0}, 50)
    now += 5
    late.keep("b", {"f": 2.0}, 50)
    late.keep("c", {"f": 3.0}, 50)
    late.learned(["b", "nobody"])
    now += 6
    assert (late.find("a"), late.expired, late.waiting) == (None, 1, 1)
    assert late.kept["b"].x == {"f": 2.0}, "known until its time is over"
    late.write()
    now += 2
    late = LateLabels(tmp_path / "late.json", ttl=10.0, cap=100)
    assert (late.kept["c"].x, late.waiting, late.size) == ({"f": 3.0}, 1, 100)
    assert not (tmp_path / "late.json").exists()
    now += 3
    late.expire()
    assert (late.expired, late.waiting, late.size) == (1, 0, 0), "b was learned"
    late.keep("large", "x", 40 << 20)
    late.keep("larger", "x", 40 << 20)
    assert (list(late.kept), late.expired, late.size) == (["larger"], 2, 40 << 20)
    late.keep("larger", "x", 1)
    assert (late.size, late.waiting) == (1, 1)


def test_a_long_replay_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("onstream.serve.server.time.monotonic", lambda: now)
    said: list[str] = []
    progress = reporter(said.append)
    for seq in range(100, 1100, 100):
        now += 0.5
        progress("m", seq, 1000)
    assert said == ["m: replayed to 500 of 1,000", "m: replayed to 1,000 of 1,000"]


def test_a_model_that_is_full_is_said(tmp_path: Path) -> None:
    with Running(tmp_path, "--memory", "1") as service:
        large = {"learner": "PAClassifier(hash_bits=18)"}
        assert service.call("PUT", "/v1/models/a", large)[0] == 422
        service.call("PUT", "/v1/models/m", {"learner": "StandardScaler() | KNNClassifier()"})
        for start in range(0, 20_000, 100):
            examples = [
                {"x": {f"{i} {k}": 1.0 for k in range(20)}, "y": 1}
                for i in range(start, start + 100)
            ]
            status, answer = service.call("POST", "/v1/models/m/learn", {"examples": examples})
            if status != 200:
                break
        assert (status, "1,048,576 are allowed" in answer["error"]) == (422, True)
        assert service.call("POST", "/v1/models/m/predict", {"examples": [{"x": {}}]})[0] == 200


@pytest.mark.parametrize(
    ("error", "said"),
    [(OSError(errno.ENOSPC, "No space left"), "no room for a model on the disk"),
     (StoreError("the log cannot be opened: database or disk is full"), "no room for a model"),
     (OSError(errno.EIO, "I/O error"), "cannot be written"), (StoreError("odd"), "odd")],
)  # fmt: skip
@pytest.mark.parametrize("broken_part", ["begin", "DurableModel"])
def test_a_model_for_which_there_is_no_room(
    broken_part: str, error: Exception, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    models = Models(tmp_path, label_ttl=1.0, label_cap=1)
    with monkeypatch.context() as broken:
        broken.setattr(f"onstream.serve.models.{broken_part}", fail)
        with pytest.raises((StoreError, OSError)) as found:
            models.create("m", "PAClassifier()")
    problem = as_problem(found.value)
    assert problem.status == 503
    assert said in problem.error
    assert not list((tmp_path / "models").iterdir()), "nothing half made is left"
    assert models.create("m", "PAClassifier()")[1]
    models.close()


def test_a_model_that_is_a_link_is_removed_as_one(tmp_path: Path) -> None:
    options: dict[str, Any] = {"label_ttl": 1.0, "label_cap": 1}
    models = Models(tmp_path / "store", **options)
    models.create("m", "PAClassifier()")
    models.close()
    (tmp_path / "store" / "models" / "m").rename(tmp_path / "elsewhere")
    (tmp_path / "store" / "models" / "m").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "store" / "models" / ".gone-1").symlink_to(tmp_path / "nowhere")
    models = Models(tmp_path / "store", **options)
    assert models.delete("m")
    assert list((tmp_path / "store" / "models").iterdir()) == []
    assert (tmp_path / "elsewhere" / "log.sqlite3").exists()


def test_tokens_that_cannot_be_written_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = Tokens(tmp_path, None, 1.0)
    one = tokens.make("one", ["learn"])
    with monkeypatch.context() as broken:
        broken.setattr("onstream.serve.tokens.os.fsync", lambda _: os.strerror(1 // 0))
        for change in (lambda: tokens.make("two", ["admin"]), lambda: tokens.remove("one")):
            with pytest.raises(ZeroDivisionError):
                change()
    for known in (tokens, Tokens(tmp_path, None, 1.0)):
        found = known.find(f"Bearer {one}".encode())
        assert found is not None
        assert found.scopes == ["learn"]


class TestStores:
    def refused(self, store: Path) -> str:
        command = [sys.executable, "-m", "onstream", "serve", "--store", str(store), "--port", "0"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        return " ".join(done.stderr.split())

    def test_a_second_service_is_kept_out(self, service: Running) -> None:
        assert "another service uses this store" in self.refused(service.store)

    def test_what_is_no_model(self, tmp_path: Path) -> None:
        (tmp_path / "models/m").mkdir(parents=True)
        assert "this is no model" in self.refused(tmp_path)
        (tmp_path / "tokens.json").write_text("{")
        assert "tokens cannot be read" in self.refused(tmp_path)

    def test_what_is_no_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        assert "File exists" in self.refused(tmp_path / "file")


def test_the_fast_loop_is_taken_where_it_is() -> None:
    uvloop = pytest.importorskip("uvloop")
    loop = new_loop()
    assert isinstance(loop, uvloop.Loop)
    loop.close()


def test_a_port_that_is_taken_is_said_before_anything_is_made(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "onstream", "serve", "--store", str(tmp_path / "store")]
        done = subprocess.run(
            [*command, "--port", str(port)], capture_output=True, text=True, timeout=60
        )
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    assert f"onstream: 127.0.0.1:{port} cannot be listened at: Address already in use." in said
    assert "token" not in said
    assert not (tmp_path / "store" / "tokens.json").exists()


def test_names_of_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in bound("localhost", 0):
        assert one.getsockname()[0] in ("127.0.0.1", "::1")
        one.close()

    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr("onstream.serve.server.socket.getaddrinfo", unknown)
    with pytest.raises(ValueError, match=r"nobody:1 cannot be listened at: Name or service"):
        bound("nobody", 1)


def test_it_may_be_ended_while_it_replays(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys, time; from onstream.serve import models, server;"
        "models.Models = lambda *_, **__: (os.kill(os.getpid(), signal.SIGTERM), time.sleep(60));"
        "sys.argv[1:] = ['serve', '--store', 'x']; from onstream.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=50, cwd=tmp_path
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_without_the_extra_it_says_how_to_get_it(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv[1:] = ['serve', '--store', 'x'];"
        "from onstream.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert done.returncode == 1
    assert done.stderr.strip().endswith('pip install "onstream[serve]"')
    assert len(done.stderr.strip().splitlines()) == 1


def test_malformed_requests_change_nothing(service: Running, model: str) -> None:
    from .malformed import attack

    service.call("POST", f"{model}/learn", {"examples": rows(10)})
    before = service.call("GET", model)[1]["state_sha256"]
    statuses = attack(service.port, TOKEN, model, 400, seed=1)
    assert sum(statuses.values()) == 400
    assert all(400 <= status < 500 for status in statuses), statuses
    assert service.call("GET", model)[1]["state_sha256"] == before


def test_bodies_that_stop_are_answered(service: Running, model: str) -> None:
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as client:
        head = f"POST {model}/learn HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}"
        client.sendall(f"{head}\r\nContent-Length: 100\r\n\r\n[".encode())
        assert b"408" in client.recv(100)
