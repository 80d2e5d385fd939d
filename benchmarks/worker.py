"""One side of a row in its own process: prepare once, then one repetition per line of input.

``python -m benchmarks.worker FAMILY ROW SIDE DATA`` answers on standard output in JSON lines:
first what it is and how well it learned, then for every number of seconds read from standard
input the time per run, runs being repeated until they have lasted that long.
"""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import statistics
import sys
import time
import traceback
from contextlib import suppress
from importlib import import_module, metadata
from typing import Any, TextIO

from . import data, memory
from .contest import OURS, Contestant, Data, Side
from .environments import PEERS


def main(family: str, row: str, side: str, folder: str) -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the harness's; we end with our input
    answers = _private_stdout()
    try:
        rows = {row.name: row for row in import_module(f"benchmarks.families.{family}").ROWS}
        contestant, about = introduce(rows[row].sides[int(side)], data.read(folder, rows[row].data))
        _answer(answers, about)
        for line in sys.stdin:
            _answer(answers, repetition(contestant, float(line)))
    except Exception as error:
        traceback.print_exc()
        _answer(answers, {"error": f"{type(error).__name__}: {error}"})
        return 1
    return 0


def introduce(side: Side, arrays: Data) -> tuple[Contestant, dict[str, Any]]:
    """Build the contestant and run it once, unmeasured in time: a warm-up that gives the rest."""
    contestant = side.build(arrays)
    contestant.setup()
    before = memory.reset_peak()
    contestant.run()
    peak = memory.peak()
    return contestant, {
        "n": contestant.n,
        "peak_bytes": peak,
        "extra_bytes": peak - before,
        "model_bytes": memory.model_bytes(contestant.model),
        "scores": contestant.scores(),
        "versions": versions(side.peer),
    }


def repetition(contestant: Contestant, least: float) -> dict[str, float]:
    """Median wall and processor seconds of the runs that fill ``least`` seconds, 20 at most."""
    wall: list[float] = []
    processor: list[float] = []
    while not wall or (sum(wall) < least and len(wall) < 20):
        contestant.setup()
        gc.collect()
        gc.disable()  # as timeit does: nobody pays for another's garbage
        start, start_processor = time.perf_counter(), time.process_time()
        contestant.run()
        spent = contestant.spent
        wall.append(time.perf_counter() - start if spent is None else spent)
        processor.append(time.process_time() - start_processor if spent is None else spent)
        gc.enable()
    return {"seconds": statistics.median(wall), "processor": statistics.median(processor)}


def versions(peer: str) -> dict[str, str]:
    """Versions of Python, of the peer's own packages and of what they require."""
    own = (
        [OURS] if peer == OURS else [re.split(r"[^\w.-]", r)[0] for r in PEERS[peer] if r[0] != "-"]
    )
    found = {"Python": sys.version.split()[0]}
    for package in own:
        found[package] = metadata.version(package)
        for requirement in metadata.requires(package) or ():
            name = re.split(r"[^\w.-]", requirement)[0]
            if "extra ==" not in requirement:
                with suppress(metadata.PackageNotFoundError):  # for another system or Python
                    found[name] = metadata.version(name)
    return found


def _private_stdout() -> TextIO:
    """Keep the real standard output; whatever a library prints goes to standard error instead."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def _answer(answers: TextIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message) + "\n")
    answers.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
