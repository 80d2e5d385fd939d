"""Requests that are meant to fill the memory or to hold a service up: how long until they end."""

import gzip
import io
import json
import random
import socket
import time
from pathlib import Path
from typing import Any

import pyarrow as pa

from .running import TOKEN, Running

ARROW = "application/vnd.apache.arrow.stream"


def stream(table: pa.Table) -> bytes:
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def bodies() -> dict[str, tuple[bytes, dict[str, str]]]:
    """Bodies of up to 1 MB that stand for much more, by name."""
    packed = gzip.compress(b" " * (900 << 20), 9)
    twice = gzip.compress(b'{"examples": [' + b"[" * (100 << 20), 9)
    index = pa.array([0] * 50_000, pa.int8())
    same = pa.DictionaryArray.from_arrays(index, ["x" * 100_000])
    wide = {"examples": [{"x": {f"f{i}": 1 for i in range(100_000)}, "y": 1}]}
    many = pa.table({"f": pa.nulls(100_000_000), "y": pa.nulls(100_000_000)})
    return {
        "900 MB of spaces in gzip": (packed, {"content_encoding": "gzip"}),
        "100 MB of brackets in gzip": (twice, {"content_encoding": "gzip"}),
        "a million brackets": (b"[" * 1_000_000, {}),
        "brackets in x": (b'{"examples": [{"x": ' + b'{"a":' * 200_000, {}),
        "100,000 features": (json.dumps(wide).encode()[: 1 << 20], {}),
        "a number of a million digits": (b'{"examples": [{"x": {"a": ' + b"9" * 1_000_000, {}),
        "a string that does not end": (b'{"examples": [{"id": "' + b"a" * 1_000_000, {}),
        "escapes": (b'{"examples": [{"id": "' + b"\\u0041" * 170_000 + b'"}]}', {}),
        "an Arrow dictionary of 5 GB": (
            stream(pa.table({"f": same, "y": [1] * 50_000})), {"content_type": ARROW}
        ),
        "Arrow nulls, 10^8": (stream(many), {"content_type": ARROW}),
    }  # fmt: skip


def head(model: str, more: str) -> bytes:
    return (
        f"POST {model}/learn HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n{more}"
    ).encode()


def slow(port: int, text: bytes, n: int) -> list[float]:
    """So many connections that begin a request and send a byte a second: when each is ended."""
    began, ended = time.monotonic(), []
    clients = []
    for _ in range(n):
        client = socket.create_connection(("127.0.0.1", port), timeout=30)
        client.sendall(text)
        client.setblocking(False)
        clients.append(client)
    while clients and time.monotonic() - began < 60:
        time.sleep(0.25)
        for client in list(clients):
            try:
                if random.random() < 0.25:
                    client.send(b"a")
                over = client.recv(4096) is not None
            except BlockingIOError:
                over = False
            except OSError:
                over = True
            if over:
                ended.append(time.monotonic() - began)
                client.close()
                clients.remove(client)
    return ended


def endless(port: int, text: bytes, part: bytes) -> tuple[int, float]:
    """Send a part again and again: how many bytes were taken, and for how long."""
    began, sent = time.monotonic(), 0
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(text)
        try:
            while sent < 1 << 30:
                client.sendall(part)
                sent += len(part)
        except OSError:
            pass
    return sent, time.monotonic() - began


def memory(pid: int) -> dict[str, int]:
    """MB of a process, now and at most."""
    lines = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    return {name: int(lines[name].split()[0]) >> 10 for name in ("VmRSS", "VmHWM")}


def explode(service: Running, model: str, connections: int = 300) -> dict[str, Any]:
    """All of them, one after the other; then whether the model is as it was."""
    before = service.call("GET", model)[1]["state_sha256"]
    pid = service.process.pid
    facts: dict[str, Any] = {"memory before": memory(pid)}
    for name, (body, headers) in bodies().items():
        taken = []
        for _ in range(5):
            began = time.monotonic()
            status, _ = service.raw("POST", f"{model}/learn", body, **headers)
            taken.append(time.monotonic() - began)
        facts[name] = {"status": status, "bytes": len(body), "ms": round(1e3 * min(taken), 1)}
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    for name, text, part in (
        ("endless chunks", head(model, "Transfer-Encoding: chunked\r\n\r\n"), chunk),
        ("endless head", b"GET / HTTP/1.1\r\n", b"a: " + b"b" * 65536 + b"\r\n"),
        ("endless line", b"GET /", b"b" * 65536),
    ):
        sent, seconds = endless(service.port, text, part)
        facts[name] = {"taken, MB": round(sent / 2**20, 1), "seconds": round(seconds, 2)}
    for name, text in (
        ("slow heads", b"GET / HTTP/1.1\r\nHost: "),
        ("slow bodies", head(model, "Content-Length: 1000\r\n\r\n[")),
    ):
        ended = slow(service.port, text, connections)
        facts[name] = {"connections": connections, "ended": len(ended),
                       "latest, s": round(max(ended, default=0.0), 1)}  # fmt: skip
    facts["memory after"] = memory(pid)
    facts["unchanged"] = service.call("GET", model)[1]["state_sha256"] == before
    return facts
