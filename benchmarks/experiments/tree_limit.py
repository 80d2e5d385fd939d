"""Time and memory per example of a Hoeffding tree under a memory limit, over 10 million examples.

python -m benchmarks.experiments.tree_limit [MILLIONS]
"""

from __future__ import annotations

import sys
import time

import numpy as np

from onstream.streams import RandomRBF
from onstream.tree import VFDT

LIMIT = 200_000


def main(millions: float = 10.0) -> None:
    model = VFDT(max_bytes=LIMIT)
    blocks = RandomRBF(100, features=20, labels=4, seed=1).batches(100_000)
    print("| million examples | µs each | bytes | leaves | active | accuracy, % |")
    print("|---|---|---|---|---|---|")
    spent, hits, done = 0.0, 0, 0
    for X, y in blocks:
        start = time.process_time()
        told = model.predict_learn_many(X, y)
        spent += time.process_time() - start
        hits += int(np.sum(told == y))
        done += len(y)
        if done % 1_000_000 == 0:
            nodes = model._outline()["nodes"]
            active = int(nodes[nodes[:, 0] < 0, 3].sum())
            print(
                f"| {done / 1e6:g} | {spent:.3f} | {model.memory_bytes:,} | {model.n_leaves} | "
                f"{active} | {hits / 1e4:.2f} |",
                flush=True,
            )
            spent, hits = 0.0, 0
        if done >= 1e6 * millions:
            return


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
