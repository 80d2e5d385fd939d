"""A cluster that is named and does not answer is an error within seconds, in one line."""

import socket
import sys
import threading
from contextlib import contextmanager, suppress

import pytest

from onstream.bayes import GaussianNB
from onstream.cluster import KeyedModels, MemberParallel, joining, train
from onstream.ensemble import OnlineBagging

from ..cli.calling import call
from ..tools import package

X, Y = [[0.0], [1.0]] * 20, [False, True] * 20
pytestmark = pytest.mark.skipif(sys.version_info >= (3, 14), reason="there is no Ray for it yet")


class Impatient:
    """Stands for Ray: whoever is not told beforehand that nobody answers waits for minutes."""

    def is_initialized(self):
        return False

    def init(self, **options):
        raise AssertionError("it would wait")


@contextmanager
def server(answer):
    """Somebody who listens, and says this to the first who comes."""
    with socket.create_server(("127.0.0.1", 0)) as door:

        def serve():
            line, _ = door.accept()
            with line, suppress(ConnectionError):
                line.recv(100)
                if answer is not None:
                    line.sendall(answer)
                line.recv(100)  # until the other one leaves

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{door.getsockname()[1]}"
        thread.join(30)


@pytest.fixture
def nobody():
    """An address that nobody listens at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


def test_nobody_listens(nobody, monkeypatch):
    package("ray")
    monkeypatch.setenv("RAY_ADDRESS", nobody)
    for who, begin in {
        "train": lambda: train(GaussianNB(), (X, Y), "ray"),
        "KeyedModels": lambda: KeyedModels(GaussianNB(), "shop", engine="ray"),
        "MemberParallel": lambda: MemberParallel(OnlineBagging(GaussianNB()), "ray"),
    }.items():
        with pytest.raises(ConnectionError) as told:
            begin()
        assert str(told.value) == (
            f"{who}: no Ray cluster answers at {nobody!r}, which RAY_ADDRESS names: Connection "
            f"refused. Start one there (ray start --head), or unset RAY_ADDRESS to run on this "
            f"machine."
        )


def test_the_command_says_it_in_one_line(nobody, monkeypatch, tmp_path):
    package("ray")
    monkeypatch.setenv("RAY_ADDRESS", nobody)
    (tmp_path / "rows.csv").write_text("a,y\n" + "1,0\n2,1\n" * 20)
    options = ["-t", "y", "-m", "GaussianNB()", "-o", tmp_path / "m", "--engine", "ray"]
    told = call("train", tmp_path / "rows.csv", *options, code=1).output
    assert told.startswith("train: no Ray cluster answers at ")
    assert told.count("\n") == 1
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("answer", "patience", "reason"),
    [(None, 0.2, "no answer within 0.2 s"), (b"HTTP/1.1 400 Bad\r\n\r\n", 30.0, "is not Ray")],
)
def test_what_listens_is_not_ray(answer, patience, reason, monkeypatch):
    monkeypatch.setattr(joining, "PATIENCE", patience)
    with server(answer) as address:
        monkeypatch.setenv("RAY_ADDRESS", f"ray://{address}")
        with pytest.raises(ConnectionError, match=reason):
            joining.join_ray(Impatient(), "train")


class Dripping:
    """A connection whose bytes come one by one."""

    def __init__(self, answer):
        self.answer = answer

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def sendall(self, sent):
        pass

    def recv(self, most):
        first, self.answer = self.answer[:1], self.answer[1:]
        return first


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"\0\0\x06\x04\0\0\0\0\0", ""),
        (b"HTTP/1.1 400", "what listens there is not Ray"),
        (b"\0\0", "what listens there is not Ray"),
    ],
)
def test_an_answer_in_pieces(answer, reason, monkeypatch):
    monkeypatch.setattr(
        joining.socket, "create_connection", lambda place, patience: Dripping(answer)
    )
    assert joining.silence("127.0.0.1:6379", greeting=True) == reason


@pytest.mark.parametrize("name", ["a" * 70 + ".x", "a..x"])
def test_what_is_no_name_of_a_machine(name, monkeypatch):
    """Python refuses to encode it, with a UnicodeError."""
    monkeypatch.setenv("RAY_ADDRESS", f"{name}:1")
    with pytest.raises(ConnectionError, match="names: this is no name of a machine"):
        joining.join_ray(Impatient(), "train")


def test_a_cluster_that_has_gone_without_ray_stop(nobody, monkeypatch, tmp_path):
    monkeypatch.setenv("RAY_ADDRESS", "auto")
    monkeypatch.setattr(joining.tempfile, "gettempdir", lambda: str(tmp_path))
    assert joining.named_ray() == ("", "", "")
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text(nobody)
    with pytest.raises(ConnectionError, match=r"ray_current_cluster names: .* remove this file"):
        joining.join_ray(Impatient(), "train")


@pytest.mark.parametrize("address", ["http://127.0.0.1:8265", "nonsense", "host:many", "[::1"])
def test_what_is_no_address_is_refused_in_one_line(address, monkeypatch):
    ray = package("ray")
    monkeypatch.setenv("RAY_ADDRESS", address)
    with pytest.raises(ConnectionError, match=r"^train: the Ray .* cannot be joined: .*$"):
        joining.join_ray(ray, "train")


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("spark://one:7077,two:7078", ["spark://one:7077", "spark://two:7078"]),
        ("local[2]", []),
        ("yarn", []),
        ("k8s://https://api:6443", []),
        ("", []),
    ],
)
def test_masters_of_spark(named, found):
    assert joining.masters(named) == found
