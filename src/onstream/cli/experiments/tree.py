"""Hoeffding trees against the batch tree: VFDT, by the lectures of Davis and Carta."""

from time import process_time
from typing import Any

import numpy as np

from ...streams import Agrawal, RandomTree, Waveform
from ...tree import BatchTree, HoeffdingTreeClassifier
from ..lab.drawing import COLOURS, figure, finish, key
from ..lab.generated import rows_of
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "Does a tree that sees each row once become the batch tree?"
TEST = 5000


def vfdt(**options: Any) -> HoeffdingTreeClassifier:
    """A Hoeffding tree whose leaves answer the majority, as that of the batch tree do."""
    return HoeffdingTreeClassifier(leaf_prediction="mc", **options)


LEARNERS: dict[str, Any] = {
    "batch tree": lambda: BatchTree(min_size=50, max_depth=12),
    "VFDT": vfdt,
    "VFDT, δ = 10^-3": lambda: vfdt(delta=1e-3),
    "VFDT, no ties": lambda: vfdt(tau=0.0),
    "VFDT, naive Bayes leaves": HoeffdingTreeClassifier,
}


def streams(lab: Lab) -> dict[str, Any]:
    """Concepts that are trees, or can be cut into boxes, and one that is neither."""
    return {
        "RandomTree": RandomTree(10, nominal=0, seed=lab.seed + 1),
        "Agrawal 1": Agrawal(1, seed=lab.seed + 1),
        "Waveform": Waveform(seed=lab.seed + 1),
    }


def run(lab: Lab) -> Outcome:
    """Test error, agreement, size and time as the rows grow."""
    sizes = lab.pick((1000, 4000, 16_000, 64_000), (1000, 10_000, 100_000, 1_000_000), (500, 1500))
    batch_at_most = lab.pick(16_000, 100_000, 1500)
    table = Table(
        f"Test error in % ({TEST:,} further rows), nodes, CPU seconds of training",
        [
            "data",
            "rows",
            "learner",
            "test error %",
            "says the same as the batch tree %",
            "nodes",
            "seconds",
        ],
        formats={
            "test error %": ".2f",
            "says the same as the batch tree %": ".1f",
            "seconds": ".3g",
        },
    )
    tasks: list[Any] = []
    for name, stream in streams(lab).items():
        X, y = rows_of(stream, max(sizes) + TEST)
        tasks += [(name, X, y, n) for n in sizes]
    for loaded in lab.sets(("covtype", "electricity", "magic", "letter")):
        data = loaded.shuffled(lab.seed).first(lab.pick(21_000, 105_000, 1500))
        tasks.append((data.name, data.X, data.y, len(data.y) - min(TEST, len(data.y) // 4)))
    for name, X, y, n in lab.each(tasks, lambda t: f"{t[0]}, {t[3]:,} rows"):
        T, t = X[-TEST:], y[-TEST:]
        reference = None
        for learner, make in LEARNERS.items():
            model = make()
            batch = isinstance(model, BatchTree)
            if batch and n > batch_at_most:
                continue
            start = process_time()
            (model.fit if batch else model.learn_many)(X[:n], y[:n])
            seconds, said = process_time() - start, model.predict_many(T)
            if batch:
                reference = said
            same = None if reference is None else 100 * float(np.mean(said == reference))
            table.add(
                name, n, learner, 100 * float(np.mean(said != t)), same, model.n_nodes, seconds
            )
    return Outcome(
        [table],
        drawn(table),
        {
            "streams": "RandomTree(10 numbers), Agrawal(1), Waveform()",
            "batch tree": f"BatchTree(min_size=50, max_depth=12), up to {batch_at_most:,} rows",
            "VFDT": "HoeffdingTreeClassifier(leaf_prediction='mc'): δ = 10^-7, τ = 0.05, grace "
            "period "
            "200; with δ = 10^-3; with τ = 0; with naive Bayes leaves (the default)",
            "test rows": f"{TEST:,}",
            "seed": lab.seed,
        },
        findings(table),
        lab.gaps(),
    )


def findings(table: Table) -> list[Finding]:
    """What the lectures said, and what the table says."""
    names = list(dict.fromkeys(table.column("data")))[:3]
    both = max(row[1] for row in table.rows if row[2] == "batch tree" and row[0] == names[0])
    last = max(row[1] for row in table.rows if row[0] == names[0])
    first = min(row[1] for row in table.rows if row[0] == names[0])

    def of(column: str, name: str, rows: int, learner: str) -> float:
        return float(table.value(column, data=name, rows=rows, learner=learner))

    gap = {
        n: of("test error %", n, both, "VFDT") - of("test error %", n, both, "batch tree")
        for n in names
    }
    late = {
        n: of("test error %", n, last, "VFDT") - of("test error %", n, both, "batch tree")
        for n in names
    }
    same = [
        of("says the same as the batch tree %", n, rows, "VFDT")
        for n in names
        for rows in (first, both)
    ]
    faster = {
        n: of("seconds", n, both, "batch tree") / max(of("seconds", n, both, "VFDT"), 1e-6)
        for n in names
    }
    ties = [of("nodes", n, last, "VFDT, no ties") < of("nodes", n, last, "VFDT") for n in names]
    return [
        Finding(
            "With enough rows VFDT becomes what a batch learner builds",
            f"error of VFDT less that of the batch tree at {both:,} rows: "
            + ", ".join(f"{n} {g:+.1f}" for n, g in gap.items())
            + f" points; after {last:,} rows, against the batch tree of {both:,}: "
            + ", ".join(f"{n} {g:+.1f}" for n, g in late.items()),
            all(g < 1.0 for g in late.values()),
        ),
        Finding(
            "Its answers become those of the batch tree",
            "the same answers, first → last: "
            + ", ".join(
                f"{n} {a:.0f} → {b:.0f} %"
                for n, a, b in zip(names, same[::2], same[1::2], strict=True)
            ),
            all(b > a for a, b in zip(same[::2], same[1::2], strict=True)),
        ),
        Finding(
            "It takes a small constant time per row, and scales better",
            f"training on {both:,} rows, times faster: "
            + ", ".join(f"{n} {f:.0f}×" for n, f in faster.items()),
            min(faster.values()) > 1.0,
        ),
        Finding(
            "Ties: where two attributes are alike, do not waste time deciding between them",
            "nodes with τ = 0.05 and τ = 0: "
            + ", ".join(
                f"{n} {of('nodes', n, last, 'VFDT'):.0f} and "
                f"{of('nodes', n, last, 'VFDT, no ties'):.0f}"
                for n in names
            ),
            any(ties),
        ),
    ]


def drawn(table: Table) -> Any:
    """Test error by rows, one panel per stream; nodes of all."""
    names = list(dict.fromkeys(table.column("data")))[:3]
    page, panels = figure(3, width=4.6)
    for panel, name in zip(panels[0], names, strict=True):
        for i, learner in enumerate(LEARNERS):
            rows = [row for row in table.rows if row[0] == name and row[2] == learner]
            panel.plot(
                [r[1] for r in rows],
                [r[3] for r in rows],
                "--" if i == 0 else "-",
                marker="o",
                markersize=4,
                color=COLOURS[i],
                label=learner,
            )
        finish(panel, name, "rows", "test error, %", logx=True)
        panel.set_ylim(bottom=0)
    key(page, panels[0][0], columns=5)
    return page
