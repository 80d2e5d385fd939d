"""Kernel learners on a budget: Filice's claims about memory, time and shifting concepts."""

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernel import (
    BOGD,
    RBF,
    BudgetedPA,
    FixedBudgetPerceptron,
    Forgetron,
    KernelPA,
    KernelPerceptron,
    LeastRecentPerceptron,
    Projectron,
    RandomizedPerceptron,
    Stoptron,
)
from ...streams import Drift, RandomRBF, Sine
from ..lab.drawing import COLOURS, figure, finish, key
from ..lab.generated import rows_of
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "What does a budget of support vectors cost, and does it help when concepts shift?"
UNBOUNDED = ("KernelPerceptron", "KernelPA")
SHOWN = (
    "KernelPerceptron",
    "KernelPA",
    "Stoptron",
    "RandomizedPerceptron",
    "LeastRecentPerceptron",
    "Forgetron",
    "Projectron",
    "BudgetedPA nearest",
)


def learners(kernel: Any, B: int) -> dict[str, Callable[[], Any]]:
    """Those of the lecture; the first two without a budget."""
    return {
        "KernelPerceptron": lambda: KernelPerceptron(kernel=kernel),
        "KernelPA": lambda: KernelPA(kernel=kernel),
        "Stoptron": lambda: Stoptron(kernel=kernel, budget=B),
        "RandomizedPerceptron": lambda: RandomizedPerceptron(kernel=kernel, budget=B),
        "FixedBudgetPerceptron": lambda: FixedBudgetPerceptron(kernel=kernel, budget=B),
        "LeastRecentPerceptron": lambda: LeastRecentPerceptron(kernel=kernel, budget=B),
        "Forgetron": lambda: Forgetron(kernel=kernel, budget=B),
        "Projectron": lambda: Projectron(kernel=kernel, eta=0.1, budget=B),
        "BudgetedPA simple": lambda: BudgetedPA(kernel=kernel, budget=B),
        "BudgetedPA nearest": lambda: BudgetedPA(kernel=kernel, budget=B, maintenance="nearest"),
        "BOGD": lambda: BOGD(kernel=kernel, budget=B),
    }


def streams(lab: Lab, rows: int, run: int) -> dict[str, tuple[Any, Any, float]]:
    """Rows, labels, gamma; the first stands still."""
    s, half = lab.seed + 10 * run + 1, rows // 2
    swap = Drift(Sine(1, seed=s), Sine(2, seed=s + 1), at=half, width=0)
    return {
        "RandomRBF, still": (*rows_of(RandomRBF(seed=s), rows), 4.0),
        "Sine, labels swapped": (*rows_of(swap, rows), 10.0),
        "RandomRBF, moving": (*rows_of(RandomRBF(speed=0.002, seed=s), rows), 4.0),
    }


def follow(
    model: Any, X: Any, y: Any, parts: int
) -> tuple[NDArray[np.bool_], list[float], list[int]]:
    """Which rows were wrong; microseconds a row and supports, part by part."""
    wrong, times, supports = [], [], []
    for A, b in zip(np.array_split(X, parts), np.array_split(y, parts), strict=True):
        start = process_time()
        wrong.append(model.predict_learn_many(A, b) != b)
        times.append(1e6 * (process_time() - start) / len(b))
        supports.append(len(model.supports))
    return np.concatenate(wrong), times, supports


def run(lab: Lab) -> Outcome:
    """Errors, supports, time; on streams that stand still and streams that do not."""
    rows, B, parts = lab.pick(8000, 20_000, 800), lab.pick(200, 200, 40), lab.pick(16, 20, 8)
    repeats = lab.pick(2, 5, 1)
    table = Table(
        f"Budget {B}, {rows:,} rows, mean of {repeats} runs: error in % of all rows and of the "
        "second half",
        [
            "stream",
            "learner",
            "error %",
            "second half %",
            "supports",
            "µs at first",
            "µs at last",
            "kB",
        ],
        formats=dict.fromkeys(("error %", "second half %", "µs at first", "µs at last"), ".2f")
        | {"kB": ".0f"},
    )
    curves: dict[str, dict[str, Any]] = {}
    data = [streams(lab, rows, i) for i in range(repeats)]
    tasks: list[tuple[str, list[Any]]] = [(name, [d[name] for d in data]) for name in data[0]]
    for loaded in lab.sets(("usenet2", "luxembourg", "banana")):
        few = loaded if loaded.name != "banana" else loaded.shuffled(lab.seed)
        X = few.X / np.maximum(np.abs(few.X).max(axis=0), 1e-12)
        tasks.append((loaded.name, [(X, few.binary(), 1.0)]))
    steps = [(task, learner) for task in tasks for learner in learners(None, B)]
    for (name, sets), learner in lab.each(steps, lambda s: f"{s[0][0]}, {s[1]}"):
        runs = []
        for X, y, gamma in sets:
            model = learners(RBF(gamma=gamma), B)[learner]()
            runs.append((*follow(model, X, y, parts), model.memory_bytes))
        wrong = np.mean([r[0] for r in runs], axis=0)
        times, supports = (
            np.mean([r[1] for r in runs], axis=0),
            np.mean([r[2] for r in runs], axis=0),
        )
        curves.setdefault(name, {})[learner] = (wrong, times, supports)
        half = len(wrong) // 2
        table.add(
            name,
            learner,
            100 * float(wrong.mean()),
            100 * float(wrong[half:].mean()),
            round(float(supports[-1])),
            float(times[1]),
            float(times[-1]),
            float(np.mean([r[3] for r in runs])) / 1e3,
        )
    return Outcome(
        [table],
        drawn(curves, B),
        {
            "budget": B,
            "rows": f"{rows:,}",
            "repeats": repeats,
            "kernel": "RBF, gamma 4 (RandomRBF), 10 (Sine), 1 (real sets)",
            "streams": "RandomRBF(); Sine(1) whose labels are swapped in the middle; "
            "RandomRBF(speed=0.002)",
            "learners": "defaults; Projectron eta=0.1",
            "µs": "CPU time of predicting and learning a row, in the second and in the last of "
            f"{parts} parts",
            "seed": lab.seed,
        },
        findings(table, B),
        lab.gaps(),
    )


def findings(table: Table, B: int) -> list[Finding]:
    """What the lecture said, and what the table says."""
    names = [n for n in dict.fromkeys(table.column("learner")) if n not in UNBOUNDED]
    still, _, moving = dict.fromkeys(
        table.column("stream")[: 3 * len(dict.fromkeys(table.column("learner")))]
    )

    def of(column: str, stream: str, learner: str) -> float:
        return float(table.value(column, stream=stream, learner=learner))

    most = max(row[4] for row in table.rows if row[1] in names)
    free = max(row[4] for row in table.rows if row[1] in UNBOUNDED)
    plain = of("second half %", moving, "KernelPerceptron"), of("second half %", moving, "KernelPA")
    best = min(names, key=lambda n: of("second half %", moving, n))
    better = [n for n in names if of("second half %", moving, n) < plain[0]]
    kept = {n: of("error %", still, n) for n in names}
    least = min(of("error %", still, n) for n in UNBOUNDED)
    stop = of("second half %", moving, "Stoptron")
    rest = [of("second half %", moving, n) for n in names if n != "Stoptron"]
    growth = of("µs at last", still, "KernelPerceptron") / of(
        "µs at first", still, "KernelPerceptron"
    )
    flat = of("µs at last", still, "LeastRecentPerceptron") / of(
        "µs at first", still, "LeastRecentPerceptron"
    )
    return [
        Finding(
            "Memory is bounded by B support vectors",
            f"at most {most:,} with a budget of {B:,}; without, up to {free:,}",
            most <= B < free,
        ),
        Finding(
            "The curse of kernelization: without a budget time per row grows",
            f"still stream: {growth:.1f} times from the first to the last part; with a budget "
            f"(least recent) {flat:.1f} times",
            None,
        ),
        Finding(
            "On shifting concepts budgets can outperform the same learner without one",
            f"{moving}, second half: best with a budget {best} "
            f"{of('second half %', moving, best):.1f} %, KernelPerceptron {plain[0]:.1f} %, "
            f"KernelPA {plain[1]:.1f} %; {len(better)} of {len(names)} beat KernelPerceptron",
            of("second half %", moving, best) < min(plain),
        ),
        Finding(
            "Stoptron, which stops learning, is the baseline that others beat when concepts shift",
            f"{moving}, second half: Stoptron {stop:.1f} %, others {min(rest):.1f} to "
            f"{max(rest):.1f} %",
            stop > max(rest),
        ),
        Finding(
            "On a stream that stands still a budget costs accuracy",
            f"without a budget {least:.1f} %, with one {min(kept.values()):.1f} "
            f"({min(kept, key=lambda n: kept[n])}) to {max(kept.values()):.1f} %",
            min(kept.values()) > least,
        ),
    ]


def drawn(curves: dict[str, dict[str, Any]], B: int) -> Any:
    """Errors over the latest rows on three streams; supports and time on the first."""
    page, grid = figure(3, 2, width=4.8, height=3.4)
    panels = [list(grid.ravel())]
    grid[1][2].set_axis_off()
    names = list(curves)[:3]
    for panel, name in zip(panels[0], names, strict=False):
        for i, learner in enumerate(SHOWN):
            wrong = curves[name][learner][0]
            window = max(1, len(wrong) // 16)
            sums = np.concatenate([[0.0], np.cumsum(wrong)])
            path = 100 * (sums[window:] - sums[:-window]) / window
            step = max(1, len(path) // 150)
            panel.plot(
                np.arange(window, len(wrong) + 1)[::step],
                path[::step],
                color=COLOURS[i],
                linestyle="--" if learner in UNBOUNDED else "-",
                label=learner,
            )
        finish(panel, name, "rows", f"error, % of the latest {window:,}")
        panel.set_ylim(bottom=0)
    for panel, part, label, title in (
        (panels[0][3], 2, "support vectors", "Memory"),
        (panels[0][4], 1, "µs per row", "Time"),
    ):
        for i, learner in enumerate(SHOWN):
            values = curves[names[0]][learner][part]
            at = np.arange(1, len(values) + 1) * len(curves[names[0]][learner][0]) / len(values)
            panel.plot(
                at,
                values,
                color=COLOURS[i],
                linestyle="--" if learner in UNBOUNDED else "-",
                label=learner,
            )
        finish(panel, f"{title}, {names[0]}", "rows", label, logy=True)
    panels[0][3].axhline(B, color="black", linestyle=":")
    key(page, panels[0][0], columns=4)
    return page
