"""The service beside FastAPI with a River model: processor time that the server has per example.

What a request costs the client is not counted. Ours has each lesson on disk before it answers; the
rival (`tests/serve/rival.py`) keeps nothing. Linux only: the clock is that of /proc.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..contest import OURS, Contestant, Data, Import, Rival, Row, Side

TITLE = "Service"
FEATURES = 10


class Asked(Contestant):
    """Requests over one connection, `rows` examples in each."""

    def __init__(self, data: Data, *, verb: str, rows: int) -> None:
        self.requests = 300 if rows == 1 else 30
        self.n = self.requests * rows
        X = np.random.default_rng(0).normal(size=(rows, FEATURES))
        examples: list[Any] = [
            {"x": {f"f{i}": v for i, v in enumerate(x)}, "y": int(x[0] > 0)} for x in X.tolist()
        ]
        lesson = json.dumps({"examples": examples})
        if verb == "predict":
            examples = [{"x": one["x"]} for one in examples]
        self.path, self.body = f"/v1/models/m/{verb}", json.dumps({"examples": examples})
        self.start()
        self.ask("/v1/models/m/learn", lesson)

    def start(self) -> None:
        """Start the server, which ends with this object."""
        from tests.serve.running import TOKEN, Running

        self.folder = tempfile.TemporaryDirectory(prefix="onstream-bench-")
        self.server: Any = Running(Path(self.folder.name), "--rate", "1000000")
        self.server.call("PUT", "/v1/models/m", {"learner": "PAClassifier()"})
        self.pid, self.token = self.server.process.pid, TOKEN
        self.connect(self.server.port)

    def setup(self) -> None:
        """A connection of this run: servers close those that were idle."""
        self.connection.close()

    def connect(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, path: str, body: str) -> None:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        self.connection.request("POST", path, body, headers)
        answer = self.connection.getresponse()
        said = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {said[:200]!r}")

    def run(self) -> None:
        before = processor_time(self.pid)
        for _ in range(self.requests):
            self.ask(self.path, self.body)
        self.spent = processor_time(self.pid) - before

    def __del__(self) -> None:
        with suppress(AttributeError, ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


class Rivals(Asked):
    """FastAPI and River."""

    def start(self) -> None:
        from tests.serve.running import TOKEN

        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.server = subprocess.Popen([sys.executable, "-m", "tests.serve.rival", str(port)])
        self.pid, self.token = self.server.pid, TOKEN
        for _ in range(300):
            time.sleep(0.1)
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                self.connect(port)
                return
        raise RuntimeError("the rival did not start")


def processor_time(pid: int) -> float:
    """Seconds that a process has had so far, in nanoseconds of its threads."""
    total = 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # it has just ended
            total += int((thread / "schedstat").read_text().split()[0])
    return total / 1e9


ROWS = tuple(
    Row(
        f"{verb} {rows}",
        "normal20",
        Side(OURS, "onstream serve, PAClassifier", partial(Asked, verb=verb, rows=rows)),
        (
            Rival(
                Side(
                    "service", "FastAPI, River PAClassifier", partial(Rivals, verb=verb, rows=rows)
                )
            ),
        ),
    )
    for verb in ("predict", "learn")
    for rows in (1, 100)
)

IMPORTS: tuple[Import, ...] = ()
