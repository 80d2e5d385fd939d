"""A service in a process of its own, on a port that is free, and a client for it."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

TOKEN = "the token of the tests"


class Running:
    """`onstream serve` on a folder; `call` asks it."""

    def __init__(self, store: Path, *options: str, token: str | None = TOKEN) -> None:
        self.store, self.options, self.token = store, options, token
        self.start()

    def start(self) -> None:
        environment = {**os.environ, "ONSTREAM_ADMIN_TOKEN": self.token or ""}
        command = [sys.executable, "-m", "onstream", "serve", "--store", str(self.store)]
        self.process = subprocess.Popen(
            [*command, "--port", "0", *self.options],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=environment,
            text=True,
        )
        self.said = ""
        while "http://" not in self.said:
            assert self.process.stderr is not None
            line = self.process.stderr.readline()
            assert line, f"it ended: {self.said}"
            self.said += line
        found = re.search(r"http://.*:(\d+)", self.said)
        assert found
        self.port = int(found[1])

    def raw(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, bytes]:
        """Status and body; underscores in the names of headers are dashes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {"Authorization": f"Bearer {self.token}"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """The same with JSON."""
        data = None if body is None else json.dumps(body).encode()
        status, answer = self.raw(method, path, data, **headers)
        return status, json.loads(answer)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it; the exit code."""
        self.process.send_signal(number)
        self.process.communicate(timeout=60)
        return self.process.returncode

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.stop(signal.SIGKILL)
