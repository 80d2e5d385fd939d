"""Kill a store again and again while it learns; then look what is left.

A child process holds the store and learns what a client sends, in requests of 1 to 8 examples, 5 %
of them sent twice. It is killed by SIGKILL at random moments; the client sends again whatever was
not acknowledged, as clients do. At the end: was everything acknowledged kept, was anything learned
twice, is the state that of a run without interruption?

`python -m tests.serve.kills --kills 200` prints what it found as JSON. `--broken` takes one of two
stores that are wrong on purpose: they must be caught.
"""

import argparse
import hashlib
import json
import os
import random
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

from onstream import PAClassifier
from onstream.persist import dumps
from onstream.serve.log import Log
from onstream.serve.store import DurableModel


class AcknowledgesFirst(DurableModel):
    """Broken: it answers before the commit, which comes with that of the next group."""

    held: list[Any] = []  # noqa: RUF012

    def _write(self, group: list[Any]) -> None:
        for request in group:
            request.future.set_result(None)
        due, self.held = self.held, [type(request)(request.examples) for request in group]
        super()._write(due)


class Forgetful(Log):
    """Broken: no id is known, so nothing is a duplicate."""

    def known(self, ids: Any) -> set[str]:
        self.db.executemany("DELETE FROM ids WHERE id = ?", [(one,) for one in ids])
        return set()


class LearnsTwice(DurableModel):
    def _new_log(self) -> Log:
        return Forgetful(self.path)


STORES = {"": DurableModel, "ack": AcknowledgesFirst, "dedup": LearnsTwice}


def learner() -> PAClassifier:
    return PAClassifier(C=0.1)


def make_requests(seed: int, n: int) -> list[list[dict[str, Any]]]:
    """The same requests for the same seed; each example has an id of its own."""
    rng = random.Random(seed)
    requests, number = [], 0
    for _ in range(n):
        request = []
        for _ in range(rng.randint(1, 8)):
            x = {f"f{rng.randrange(40)}": rng.gauss(0, 1) for _ in range(5)}
            request.append({"x": x, "y": rng.randrange(3), "id": f"example {number}"})
            number += 1
        requests.append(request)
    return requests


def serve(store: type[DurableModel], folder: Path, requests: Any, start: int, out: int) -> None:
    """The child: learn from `start` on, one byte for each acknowledged request."""
    model = store(folder, learner(), snapshot_every=50)
    rng = random.Random(start)
    for request in requests[start:]:
        model.learn(request)
        if rng.random() < 0.05:
            model.learn(request)  # the client did not hear the answer
        os.write(out, b".")
    model.close()


def run(
    kills: int, seed: int, broken: str = "", folder: str = "", spread: float = 0.05
) -> dict[str, Any]:
    """Kill the store so many times; the facts afterwards."""
    rng = random.Random(seed)
    requests = make_requests(seed, 60 * kills + 100)
    path = Path(folder or tempfile.mkdtemp()) / "model"
    done = killed = 0
    while done < len(requests):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                serve(STORES[broken], path, requests, done, writer)
            finally:
                os._exit(0)
        os.close(writer)
        if killed < kills:
            acks = rng.randint(0, 50)
            heard = 0
            while heard < acks and (got := os.read(reader, 1)):
                heard += len(got)
            time.sleep(rng.random() * spread)
            os.kill(child, signal.SIGKILL)
            killed += 1
            done += heard
        while got := os.read(reader, 65536):  # what it said before it died
            done += len(got)
        os.waitpid(child, 0)
        os.close(reader)
    examples = [example for request in requests for example in request]
    whole = learner()
    whole.learn_many([e["x"] for e in examples], [e["y"] for e in examples])
    with DurableModel(path) as model:
        logged = [e.id for _, record in model.log.records() for e in record if e is not None]
        return {
            "kills": killed,
            "examples": len(examples),
            "lost": len({e["id"] for e in examples} - set(logged)),
            "twice": len(logged) - len(set(logged)),
            "seen": model.seen,
            "same_state": model.state_sha256 == hashlib.sha256(dumps(whole)).hexdigest(),
        }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--broken", default="", choices=list(STORES))
    given = parser.parse_args()
    print(json.dumps(run(given.kills, given.seed, given.broken)))  # noqa: T201
