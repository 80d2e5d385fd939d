"""How sharded training scales: a model of its costs, fed with figures measured here.

python -m benchmarks.experiments.cluster_scale [--rows 400000] [--ray [--times 1 8 32 64]]

Measures rows per second of one core (Parquet to LogisticRegression, 30 columns) and what it costs
to send and to merge models of several sizes; predicts speed-up for many workers, and compares the
prediction with 1 and 2 workers here. All in processor time, so that it does not matter who else
uses the machine. With --ray it trains one process, and 1 and 2 workers of Ray, by the clock, on so
many times the rows: to be run on an idle machine of two cores or more.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from onstream import LogisticRegression
from onstream.cluster import Local, train
from onstream.cluster.mixing import begin, next_mix, put_together, since
from onstream.persist.format import dumps
from onstream.streams import read_parquet

COLUMNS = 30
LATENCY = 0.001  # seconds from worker to worker, a call of Ray included
BANDWIDTH = 1.25e9  # bytes per second: 10 Gbit/s
BITS = (8, 12, 16, 20)  # of hashed features: sizes of models


@dataclass
class Costs:
    """Seconds that a round costs beside learning, for one size of models."""

    size: int  # bytes
    begin: float  # a worker reads the mix
    since: float  # and writes what it has learned
    merge: float  # of two
    mix: float  # the driver makes the next one

    def round(self, workers: int) -> float:
        """Of all steps that a round waits for: broadcast and merging are trees."""
        hop = LATENCY + self.size / BANDWIDTH
        levels = math.ceil(math.log2(workers)) if workers > 1 else 0
        return self.begin + self.since + self.mix + (levels + 1) * hop + levels * (self.merge + hop)


def speed_up(workers: int, mix_every: int, rate: float, costs: Costs) -> float:
    """Against one process that just learns."""
    learning = mix_every / rate
    return workers * learning / (learning + costs.round(workers))


def measured(call: Any, repeat: int = 5) -> tuple[float, Any]:
    """Seconds of a call, the least of several, and what came of it."""
    least, out = math.inf, None
    for _ in range(repeat):
        began = time.process_time()
        out = call()
        least = min(least, time.process_time() - began)
    return least, out


class Timed(Local):
    """Workers that take turns, and how long each of them works."""

    def start(self, job: Any, plan: Any) -> None:
        super().start(job, plan)
        self.seconds = [0.0] * len(plan)

    def outcome(self, call: Any, mix: bytes) -> Any:
        began = time.process_time()
        found = super().outcome(call, mix)
        self.seconds[call.worker] += time.process_time() - began
        return found


def seconds_of(files: str, workers: int, every: int, repeat: int = 4) -> float:
    """How long workers with a core each take: the longest of them, and the driver."""
    least = math.inf
    for _ in range(repeat):
        engine = Timed()
        began = time.process_time()
        train(LogisticRegression(), files, engine, workers, every, target="y")
        driver = time.process_time() - began - sum(engine.seconds)
        least = min(least, driver + max(engine.seconds))
    return least


def check_here(files: str, rows: int, alone: float, costs: Costs) -> None:
    """What 1 and 2 workers take, beside the prediction; and when starting them pays."""
    print("\n| mix every | 1 worker | 2 workers | speed-up over one process | predicted |")
    print("|---:|---:|---:|---:|---:|")
    for every in (10_000, 100_000):
        one, two = (seconds_of(files, k, every) for k in (1, 2))
        guess = speed_up(2, every, rows / alone, costs)
        print(f"| {every:,} | {one:.3f} s | {two:.3f} s | {alone / two:.2f}× | {guess:.2f}× |")
    print(f"\none process: {alone:.3f} s for {rows:,} rows; two workers save", end=" ")
    saved = (alone - two) / rows
    print(f"{1e6 * saved:.3f} s in a million rows, so that starting them pays from", end=" ")
    print(", ".join(f"{s / saved:,.0f} rows ({s} s)" for s in (1, 3, 10)))


def costs_of(bits: int) -> Costs:
    """Measure a model of 2**bits weights."""
    rng = np.random.default_rng(0)
    model = LogisticRegression(hash_bits=bits)
    rows = [{f"f{rng.integers(0, 1 << bits)}": 1.0 for _ in range(20)} for _ in range(200)]
    model.learn_many(rows, rng.random(200) > 0.5)
    base = dumps(model)
    reading, learner = measured(lambda: begin(base, "mixing"))
    learner.learn_many(rows, rng.random(200) > 0.5)
    writing, sent = measured(lambda: since(learner, base, "mixing"))
    merging, both = measured(lambda: put_together(sent, sent))
    mixing, _ = measured(lambda: next_mix(base, both, "mixing", 2))
    return Costs(len(base), reading, writing, merging, mixing)


def write_parts(folder: Path, rows: int, parts: int = 4) -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=COLUMNS)
    for k in range(parts):
        X = rng.normal(size=(rows // parts, COLUMNS))
        columns = {f"x{i}": X[:, i] for i in range(COLUMNS)}
        table = pa.table({**columns, "y": X @ truth > 0})
        pq.write_table(table, folder / f"{k}.parquet", row_group_size=16_384)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--times", type=int, nargs="+", default=[1, 8, 32, 64])
    given = parser.parse_args()
    pa.set_cpu_count(1)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_parts(folder, given.rows)
        files = str(folder / "*.parquet")
        if given.ray:
            check_on_ray(sorted(map(str, folder.glob("*.parquet"))), given.rows, given.times)
            return

        def learn() -> None:
            learn_here([files])

        seconds, _ = measured(learn, 5)
        rate = given.rows / seconds
        print(f"one process: {rate:,.0f} rows/s, {COLUMNS} columns of Parquet\n")
        sizes = [costs_of(bits) for bits in BITS]
        print("| model | begin, ms | send, ms | merge two, ms | next mix, ms |")
        print("|---:|---:|---:|---:|---:|")
        for costs in sizes:
            each = (costs.begin, costs.since, costs.merge, costs.mix)
            cells = " | ".join(f"{1e3 * cost:.2f}" for cost in each)
            print(f"| {costs.size / 1e3:,.0f} kB | {cells} |")
        print("\n| model | mix every | 2 | 10 | 100 | 1,000 workers |")
        print("|---:|---:|---:|---:|---:|---:|")
        for costs in sizes:
            for every in (1_000, 10_000, 100_000):
                found = (speed_up(k, every, rate, costs) for k in (2, 10, 100, 1000))
                cells = " | ".join(f"{one:.3g}×" for one in found)
                print(f"| {costs.size / 1e3:,.0f} kB | {every:,} | {cells} |")
        check_here(files, given.rows, seconds, sizes[0])


def learn_here(files: list[str]) -> None:
    """One process, file after file."""
    model = LogisticRegression()
    for file in files:
        for X, y in read_parquet(file, target="y").blocks():
            model.learn_many(X, y)


def clock(call: Any, repeat: int = 3) -> float:
    """Seconds by the clock, the least of several."""
    least = math.inf
    for _ in range(repeat):
        began = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - began)
    return least


def check_on_ray(files: list[str], rows: int, times: list[int]) -> None:
    """One process, and 1 and 2 workers, start of the actors included; the cluster runs already.

    Files are read again and again: they are in the memory of the machine.
    """
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    train(LogisticRegression(), files, "ray", 2, target="y")  # processes that have imported it all
    print("| rows | one process | 1 worker | 2 workers | 2 against 1 | 2 against one process |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for n in times:
        shards = files * n
        alone = clock(lambda shards=shards: learn_here(shards))
        one, two = (
            clock(
                lambda k=k, shards=shards: train(LogisticRegression(), shards, "ray", k, target="y")
            )
            for k in (1, 2)
        )
        print(f"| {n * rows:,} | {alone:.2f} s | {one:.2f} s | {two:.2f} s", end="")
        print(f" | {one / two:.2f}× | {alone / two:.2f}× |", flush=True)
    ray.shutdown()


if __name__ == "__main__":
    main()
