"""Runs the rows of a family: all sides alive at once, asked in turn, one at a time."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from . import environments
from .contest import Import, Row

LEAST = 0.2  # seconds a repetition lasts at least; shorter runs are repeated and their median taken
Step = Callable[[str], None]


class SideFailed(Exception):
    """A side raised or died; the message says which and why."""


class Worker:
    """The process of one side, and the conversation with it."""

    def __init__(self, family: str, row: Row, side: int, data: Path) -> None:
        self.name = row.sides[side].name
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115, closed by __exit__
        arguments = (family, row.name, str(side), str(data))
        self._process = subprocess.Popen(
            [environments.python(row.sides[side].peer), "-m", "benchmarks.worker", *arguments],
            cwd=environments.ROOT,
            env=environments.variables(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()  # it ends, and ends what it has started
        try:
            self._process.wait(timeout=3 if kind is None else 1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()

    def listen(self) -> dict[str, Any]:
        """Its next answer."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {"error": f"died: {self._last_words()}"}
        if "error" in answer:
            raise SideFailed(f"{self.name}: {answer['error']}")
        return dict(answer)

    def repeat(self, least: float) -> dict[str, Any]:
        """One repetition."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it died; what we hear then says so
            self._process.stdin.write(f"{least}\n")
            self._process.stdin.flush()
        return self.listen()

    def _last_words(self) -> str:
        code = self._process.wait()
        self._errors.seek(0)
        return f"exit code {code}: {' '.join(self._errors.read().split()[-20:])}"


def write_data(source: Path, target: Path, names: Iterable[str]) -> None:
    """Read the named data sets of ``source`` in the data environment, as arrays in ``target``."""
    arguments = (str(source.resolve()), str(target), *sorted(set(names)))
    done = subprocess.run(
        [environments.python(environments.DATA), "-m", "benchmarks.data", *arguments],
        cwd=environments.ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise SideFailed(f"data: {done.stderr.strip().splitlines()[-1]}")


def run_row(
    family: str, row: Row, data: Path, rounds: int, least: float, step: Step
) -> dict[str, Any]:
    """Measure every side of the row in every round; ours comes first."""
    targets = (None, *(rival.target for rival in row.rivals))
    workers: list[Worker] = []
    sides: list[dict[str, Any]] = []
    with ExitStack() as stack:
        for i, side in enumerate(row.sides):  # one after the other: no warm-up beside another
            step(f"{row.name}: preparing {side.name}")
            workers.append(stack.enter_context(Worker(family, row, i, data)))
            about: dict[str, Any] = {"peer": side.peer, "name": side.name, "target": targets[i]}
            sides.append(about | workers[i].listen() | {"seconds": [], "processor": []})
        for turn in range(rounds):
            order = range(len(workers))
            for i in order if turn % 2 == 0 else reversed(order):
                step(f"{row.name}: round {turn + 1} of {rounds}, {workers[i].name}")
                for key, value in workers[i].repeat(least).items():
                    sides[i][key].append(value)
    return {"name": row.name, "data": row.data, "sides": sides}


def run_imports(imports: Iterable[Import], rounds: int, step: Step) -> list[dict[str, Any]]:
    """Seconds of each import in a fresh interpreter, less those of an interpreter doing nothing."""
    found: list[dict[str, Any]] = [
        {"peer": i.peer, "statement": i.statement, "limit": i.limit, "seconds": []} for i in imports
    ]
    for turn in range(-1, rounds):  # turn -1 warms the caches up
        for one in found:
            step(one["statement"])
            bare, full = _start(one["peer"], "pass"), _start(one["peer"], one["statement"])
            if turn >= 0:
                one["seconds"].append(full - bare)
    return found


def _start(peer: str, code: str) -> float:
    command = [environments.python(peer), "-c", code]
    start = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=environments.ROOT,
        env=environments.variables(),
        check=False,
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise SideFailed(f"{peer}: {code}: {done.stderr.strip().splitlines()[-1]}")
    return seconds
