"""The short way of predictions: the same answers, and whatever is unusual takes the long one."""

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Self

import pytest
import uvicorn
from uvicorn.server import ServerState

from onstream.serve import body
from onstream.serve.answers import answers
from onstream.serve.app import Call
from onstream.serve.connection import Connection
from onstream.serve.gate import Gate
from onstream.serve.learner_text import hashed
from onstream.serve.server import make_service

from .running import TOKEN, Running

HEADERS = [(b"host", b"localhost"), (b"authorization", f"Bearer {TOKEN}".encode())]
ONE = b'{"examples": [{"x": {"a": 1.0, "b": -0.5}}]}'
LEARNED = [{"x": {"a": i % 3, "b": i / 7}, "y": i % 2} for i in range(40)]


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr("onstream.serve.tokens.time.monotonic", lambda: 0.0)  # no rate comes back
    options = {"label_ttl": 60.0, "label_cap": 10}
    service = make_service(tmp_path, "127.0.0.1", lambda _: None, TOKEN, [], 5.0, options)
    served, _ = service.models.create("m", "LogisticRegression()")
    served.model.learn(LEARNED)
    served.pace = 1e-6
    # Measured on a busy machine, a stall would make it a slow model, which is left to others.
    monkeypatch.setattr(served, "note_pace", lambda pace: None)
    yield service
    service.models.close()


def left(service: Any) -> float:
    """What the token may still ask."""
    return float(next(iter(service.tokens.buckets.values())).left)


def test_an_answer_at_once(service: Any) -> None:
    answer = json.loads(service.at_once("m", HEADERS, ONE))
    learner = service.models.by_name["m"].model.learner
    x = {"a": 1.0, "b": -0.5}
    expected = {str(label): p for label, p in learner.predict_proba_one(x).items()}
    assert answer["predictions"] == [learner.predict_one(x)]
    assert answer["probabilities"] == [expected]
    assert answer["version"] == 40
    assert service.models.by_name["m"].predicted == 1
    assert service.figures.requests == {("predict", 200): 1}
    assert left(service) == 4.0


def test_features_are_kept_for_labels(service: Any) -> None:
    assert service.at_once("m", HEADERS, ONE.replace(b"}}]", b'}, "id": "i"}]')) is not None
    assert service.models.by_name["m"].late.kept["i"].x == {"a": 1.0, "b": -0.5}


def test_a_prediction_may_expire_while_labels_are_looked_up(
    service: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    late, times = service.models.by_name["m"].late, [0.0]
    monkeypatch.setattr("onstream.serve.late_labels.time.time", lambda: times[0])
    late.keep("i", {"a": 1.0}, 50)
    times[0] = 10.0
    late.keep("j", {"a": 2.0}, 50)
    clock = chain([59.0], repeat(61.0))
    monkeypatch.setattr("onstream.serve.late_labels.time.time", lambda: next(clock))

    async def receive() -> Any:
        return {"body": b'{"examples": [{"id": "i", "y": 1}, {"id": "j", "y": 1}]}'}

    call = Call([], "m", b"", receive, service.room)
    status, answer, _ = asyncio.run(service.label(call))
    assert (status, json.loads(answer)["learned"]) == (200, 2)
    assert late.find("i") is None


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (HEADERS, ONE[:-1]),
        (HEADERS, b'{"examples": []}'),
        (HEADERS, b'{"examples": [{"x": {"a": "\xff"}}]}'),
        (HEADERS, ONE.replace(b'"a"', b'"' + b"a" * 257 + b'"')),
        ([*HEADERS, (b"content-encoding", b"gzip")], ONE),
        ([*HEADERS, (b"transfer-encoding", b"chunked")], ONE),
        ([*HEADERS, (b"content-type", b"application/x-ndjson")], b'{"x": {"a": 1}}'),
        (HEADERS[:1], ONE),
        (HEADERS[1:], ONE),
        ([(b"host", b"elsewhere"), *HEADERS[1:]], ONE),
        ([HEADERS[0], (b"authorization", b"Bearer wrong")], ONE),
    ],
)
def test_what_is_wrong_or_unusual_is_left_to_others(
    service: Any, headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    assert service.at_once("m", HEADERS, ONE) is not None
    before = left(service)
    assert service.at_once("m", headers, body) is None
    assert service.at_once("nobody", HEADERS, ONE) is None
    assert left(service) == before, "it will be taken on the long way"
    assert service.figures.requests == {("predict", 200): 1}


def test_what_takes_long_is_left_to_others(service: Any) -> None:
    served = service.models.by_name["m"]
    served.pace = None
    assert service.at_once("m", HEADERS, ONE) is None
    served.pace = 0.015
    assert service.at_once("m", HEADERS, ONE.replace(b"[{", b'[{"x": {}}, {')) is None
    assert service.at_once("m", HEADERS, ONE) is not None
    served.model.state.gate.enter()
    assert service.at_once("m", HEADERS, ONE) is None
    served.model.state.gate.leave()
    assert left(service) == 4.0


def test_a_busy_model_is_left_to_others_at_no_cost(
    service: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The long way reads the body and waits: doing both here, too, would cost the loop twice."""
    state, waited, read = service.models.by_name["m"].model.state, list[float](), list[bytes]()

    class Busy(Gate):
        def enter(self, seconds: float = -1.0) -> bool:
            waited.append(seconds)
            return super().enter(seconds)

    known = body.plain_rows
    monkeypatch.setattr(state, "gate", Busy())
    monkeypatch.setattr(body, "plain_rows", lambda data: (read.append(data), known(data))[1])
    state.gate.enter()
    assert service.at_once("m", HEADERS, ONE) is None
    assert read == []
    state.gate.leave()
    assert service.at_once("m", HEADERS, ONE) is not None
    assert read == [ONE]
    assert set(waited[1:]) == {0.0}


def test_who_asks_too_often_is_told_so(service: Any) -> None:
    assert None not in [service.at_once("m", HEADERS, ONE) for _ in range(5)]
    assert service.at_once("m", HEADERS, ONE) is None


@pytest.mark.parametrize(
    "text",
    ["PAClassifier()", "LogisticRegression()", "SoftmaxRegression()", "PARegressor()",
     "GaussianNB()", "PAMultilabel()", "StandardScaler() | AROW()", "HoeffdingTreeClassifier()"],
)  # fmt: skip
@pytest.mark.parametrize("labels", [[0, 1], ["a", "b", "c"], [True, False]])
def test_one_row_is_answered_as_a_block(text: str, labels: list[Any]) -> None:
    learner = hashed(text)
    X = [{"a": i % 3, "b": i / 7, "c": None} for i in range(30)]
    y = [labels[i % len(labels)] for i in range(30)]
    if "Regressor" in text:
        y = [float(i) for i in range(30)]
    learner.learn_many(X, [[one] for one in y] if "label" in text else y)
    predictions, probabilities = answers(learner, X)
    for i, x in enumerate(X):
        one, sure = answers(learner, [x])
        assert one == predictions[i : i + 1]
        assert type(one[0]) is type(predictions[i])
        assert sure == (probabilities if probabilities is None else probabilities[i : i + 1])


class App:
    """An application that answers at once, and the other way if it must."""

    def __init__(self) -> None:
        self.ways: list[str] = []

    def at_once(self, name: str, headers: Any, data: bytes) -> bytes:
        self.ways.append("short")
        return b"{}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.ways.append("long")
        length = (b"content-length", b"2")
        await send({"type": "http.response.start", "status": 200, "headers": [length]})
        await send({"type": "http.response.body", "body": b"{}"})


class Transport(asyncio.Transport):
    """Keeps what was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written, self.closed = b"", False

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def pause_reading(self) -> None:
        pass

    resume_reading = pause_reading


def connected(app: App, data: bytes, then: Any = None, **options: Any) -> Transport:
    """What becomes of a connection on which this came."""

    async def main() -> Transport:
        config = uvicorn.Config(app, lifespan="off", ws="none", **options)
        config.load()
        connection, transport = Connection(config, ServerState(), {}), Transport()
        connection.connection_made(transport)
        if then is not None:
            then(connection)
        connection.data_received(data)
        await asyncio.sleep(0.1)
        closed = transport.closed
        connection.connection_lost(None)
        transport.closed = closed
        return transport

    return asyncio.run(main())


REQUEST = b"POST /v1/models/m/predict HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"


def test_only_the_first_is_answered_at_once() -> None:
    """Others get their turn before the next; all are answered."""
    app = App()
    assert connected(app, REQUEST * 3).written.count(b"HTTP/1.1 200 OK") == 3
    assert app.ways == ["short", "long", "long"]


def test_who_does_not_read_is_not_answered_at_once() -> None:
    app = App()
    connected(app, REQUEST, lambda connection: connection.pause_writing())
    assert app.ways == ["long"]


@pytest.mark.parametrize("more", [b"", b"GET / HTTP/1.1\r\n"])
def test_a_connection_without_a_next_request_is_closed(
    more: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the time for keeping it; the head of the next one may take as long as any head."""
    monkeypatch.setattr("onstream.serve.connection.PATIENCE", 0.02)
    assert connected(App(), REQUEST + more, timeout_keep_alive=0.01).closed
    assert not connected(App(), REQUEST + more, timeout_keep_alive=60).closed


class Client:
    """Bytes to a service, and its answers in order."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def request(self, verb: str, body: bytes, more: str = "") -> bytes:
        head = (
            f"POST /v1/models/m/{verb} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}"
            f"\r\nContent-Length: {len(body)}\r\n{more}\r\n"
        )
        return head.encode() + body

    def answer(self) -> tuple[int, dict[str, Any]]:
        while b"\r\n\r\n" not in self.rest:
            self.read()
        head, _, rest = self.rest.partition(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length: ")[2].split()[0])
        while len(rest) < size:
            self.read()
            rest = self.rest.partition(b"\r\n\r\n")[2]
        self.rest = rest[size:]
        return int(head.split()[1]), json.loads(rest[:size])

    def read(self) -> None:
        data = self.socket.recv(1 << 16)
        assert data, "the connection ended"
        self.rest += data


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("store")) as running:
        running.call("PUT", "/v1/models/m", {"learner": "LogisticRegression()"})
        running.call("POST", "/v1/models/m/learn", {"examples": LEARNED})
        running.call("POST", "/v1/models/m/predict", json.loads(ONE))  # its pace is known
        yield running


def test_requests_that_come_together_are_answered_in_order(running: Running) -> None:
    lesson = json.dumps({"examples": LEARNED[:1]}).encode()
    with Client(running.port) as client:
        sent = [client.request("predict", ONE), client.request("learn", lesson),
                client.request("predict", ONE), client.request("predict", ONE[:-1]),
                client.request("predict", ONE)]  # fmt: skip
        client.socket.sendall(b"".join(sent))
        got = [client.answer() for _ in sent]
    assert [status for status, _ in got] == [200, 200, 200, 422, 200]
    assert [got[i][1]["version"] - got[0][1]["version"] for i in (0, 2, 4)] == [0, 1, 1]
    assert got[1][1]["learned"] == 1


def test_the_same_answer_however_it_comes(running: Running) -> None:
    """In one piece (the short way), in two, announced, or as the last of its connection."""
    with Client(running.port) as client:
        whole = client.request("predict", ONE)
        client.socket.sendall(whole)
        first = client.answer()
        for place in (5, 60, len(whole) - len(ONE), len(whole) - 1):
            client.socket.sendall(whole[:place])
            time.sleep(0.02)
            client.socket.sendall(whole[place:])
            assert client.answer() == first
        client.socket.sendall(client.request("predict", ONE, "Expect: 100-continue\r\n"))
        while b"100 Continue\r\n\r\n" not in client.rest:
            client.read()
        client.rest = client.rest.partition(b"100 Continue\r\n\r\n")[2]
        assert client.answer() == first
        client.socket.sendall(whole)
        assert client.answer() == first
        client.socket.sendall(client.request("predict", ONE, "Connection: close\r\n"))
        assert client.answer() == first
        assert client.socket.recv(1) == b"", "it was the last one"
    with Client(running.port) as old:
        old.socket.sendall(whole.replace(b"HTTP/1.1", b"HTTP/1.0"))
        assert old.answer() == first
        assert old.socket.recv(1) == b""
