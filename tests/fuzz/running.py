"""Run fuzzers: `python -m tests.fuzz [NAME ...] [--seconds 60] [--cases N] [--seed 0] [--first I]`.

Each fuzzer works in a process of its own, which says what it is about to do, so that a crash or a
hang is named by its case, too. To see one again: `--first I --cases 1`, with the same seed.
"""

import argparse
import faulthandler
import multiprocessing
import sys
import time
import traceback
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from random import Random
from typing import Any

from rich.console import Console

from . import __path__ as folder

PATIENCE = 300.0  # seconds for one case, before it counts as a hang


def fuzzers() -> list[str]:
    """The names of all fuzzers."""
    names = [m.name for m in iter_modules(folder) if not m.name.startswith(("__", "test_"))]
    return [n for n in names if hasattr(import_module(f"{__package__}.{n}"), "attempt")]


def case(seed: int, name: str, i: int) -> Random:
    """The generator of one case."""
    return Random(f"{seed} {name} {i}")


def work(name: str, seed: int, first: int, cases: int, until: float, at: Any) -> None:
    """Do case after case; `at` holds the present one."""
    faulthandler.enable()
    attempt = import_module(f"{__package__}.{name}").attempt
    for i in range(first, first + cases):
        if time.time() > until:
            return
        at.value = i
        try:
            attempt(case(seed, name, i))
        except BaseException:
            traceback.print_exc()
            sys.exit(1)
    at.value = first + cases


def watched(process: Any, at: Any) -> Iterator[int]:
    """The present case, again and again while the process works; ended if it hangs."""
    seen, since = -1, time.time()
    while process.is_alive():
        process.join(0.5)
        if at.value != seen:
            seen, since = at.value, time.time()
        elif time.time() - since > PATIENCE:
            process.kill()
            process.join()
        yield at.value


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(fuzzers())}")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each fuzzer")
    parser.add_argument("--cases", type=int, default=10**9, help="at the most, for each fuzzer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    asked = parser.parse_args()
    console = Console(stderr=True)
    failed = 0
    for name in asked.names or fuzzers():
        context = multiprocessing.get_context("spawn")
        at = context.Value("q", asked.first)
        start = time.time()
        rest = (name, asked.seed, asked.first, asked.cases, start + asked.seconds, at)
        process = context.Process(target=work, args=rest)
        process.start()
        with console.status(f"{name} ...") as status:
            for i in watched(process, at):
                status.update(f"{name}: case {i:,}, {time.time() - start:,.0f} s")
        told = f"{name}: {at.value - asked.first:,} cases in {time.time() - start:,.0f} s"
        if process.exitcode:
            failed += 1
            console.print(
                f"[red]{told}, then case {at.value} failed (exit {process.exitcode})[/]. Again: "
                f"python -m tests.fuzz {name} --seed {asked.seed} --first {at.value} --cases 1"
            )
        else:
            console.print(f"[green]{told}, no fault[/]")
    return int(failed > 0)
