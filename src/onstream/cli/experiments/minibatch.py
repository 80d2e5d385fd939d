"""Mini-batches: noise, time and latency, by Carta's lecture."""

from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...datasets import noaa_weather
from ...linear import SGDClassifier
from ..lab.drawing import COLOURS, figure, finish
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "How large should a mini-batch be?"
FEATURES, ETA = 20, 0.1
Floats = NDArray[np.float64]


def run(lab: Lab) -> Outcome:
    """The same rate, the same rows; only the batch differs."""
    rows, repeats = lab.pick(30_000, 300_000, 4000), lab.pick(5, 20, 2)
    sizes = lab.pick(
        (1, 4, 16, 64, 256, 1024), (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096), (1, 16, 256)
    )
    table = Table(
        f"Mini-batches of a logistic regression, rate {ETA}; mean of {repeats} runs of {rows:,} "
        "rows",
        [
            "batch",
            "noise of the gradient",
            "spread of the weights",
            "early error %",
            "late error %",
            "after a change %",
            "rain error %",
            "µs per row, ours",
            "µs per row, NumPy",
            "rows to wait",
        ],
        formats=dict.fromkeys(
            (
                "noise of the gradient",
                "spread of the weights",
                "µs per row, ours",
                "µs per row, NumPy",
                "rows to wait",
            ),
            ".3g",
        )
        | dict.fromkeys(
            ("early error %", "late error %", "after a change %", "rain error %"), ".2f"
        ),
    )
    weather, rain = noaa_weather()
    weather = (weather - weather.mean(axis=0)) / weather.std(axis=0)
    for size in lab.each(sizes, lambda b: f"batches of {b:,}"):
        found = [one(lab, size, rows, repeat) for repeat in range(repeats)]
        wet = SGDClassifier(loss="logistic", eta=ETA, batch_size=size).predict_learn_many(
            weather, rain
        )
        means = np.mean([f[0] for f in found], axis=0)
        spread = float(np.mean(np.std([f[1] for f in found], axis=0)))
        table.add(
            size,
            float(means[0]),
            spread,
            *(100 * float(m) for m in means[1:4]),
            100 * float(np.mean(wet != rain)),
            float(means[4]),
            numpy_time(lab, size),
            (size - 1) / 2,
        )
    return Outcome(
        [table],
        drawn(table),
        {
            "data": f"{FEATURES} normal features, labels by a logistic model (‖w‖ = 2); after two "
            "thirds w is turned over; rain: the embedded days of noaa_weather, standardised",
            "learner": f"SGDClassifier(loss='logistic', eta={ETA}, batch_size=b): one step per "
            "batch, "
            "against the mean gradient",
            "rows": f"{rows:,}",
            "repeats": repeats,
            "noise of the gradient": "standard deviation of the mean gradient of a batch at the "
            "true "
            "weights, mean over the features",
            "spread of the weights": "standard deviation over runs, before the change",
            "early, late": "the first 1,000 rows; the last tenth before the change",
            "after a change": "the 1,000 rows after it",
            "µs per row": "predicting and learning blocks of 10,000 rows; NumPy: gradient of a "
            "whole "
            "batch by matrix products",
            "rows to wait": "until a row takes effect, on average: (b - 1) / 2",
            "seed": lab.seed,
        },
        findings(table),
    )


def sigmoid(z: Floats) -> Floats:
    """1 / (1 + e^-z)."""
    return 1.0 / (1.0 + np.exp(-z))


def one(lab: Lab, size: int, rows: int, repeat: int) -> tuple[list[float], Floats]:
    """Noise, errors early, late and after the change, time; the weights before the change."""
    rng = lab.rng(repeat)
    w = lab.rng(99).normal(size=FEATURES)
    w *= 2.0 / np.linalg.norm(w)
    X = rng.normal(size=(rows, FEATURES))
    turn = rows * 2 // 3
    p = sigmoid(np.where(np.arange(rows) < turn, 1.0, -1.0) * (X @ w))
    y = (rng.random(rows) < p).astype(int)
    model = SGDClassifier(loss="logistic", eta=ETA, batch_size=size, labels=[0, 1])
    start = process_time()
    before = model.predict_learn_many(X[:turn], y[:turn]) != y[:turn]
    seconds = process_time() - start
    learned = model.weights
    weights = np.array([learned.get(i, 0.0) for i in range(FEATURES)])
    early = float(before[: min(1000, turn)].mean())
    late = float(before[-max(1, turn // 10) :].mean())
    after = model.predict_learn_many(X[turn:], y[turn:]) != y[turn:]
    gradients = (sigmoid(X @ w) - y)[:turn, None] * X[:turn]
    batches = turn // size
    means = gradients[: batches * size].reshape(batches, size, FEATURES).mean(axis=1)
    noise = float(means.std(axis=0).mean()) if batches > 1 else 0.0
    return [noise, early, late, float(after[:1000].mean()), 1e6 * seconds / turn], weights


def numpy_time(lab: Lab, size: int) -> float:
    """Microseconds a row takes if the gradient of a batch is computed by matrix products."""
    rows = min(lab.pick(20_000, 100_000, 2000), 2000 * size)
    rng = lab.rng(5)
    X, y, w = rng.normal(size=(rows, FEATURES)), rng.integers(0, 2, rows), np.zeros(FEATURES)
    start = process_time()
    for begin in range(0, rows - size + 1, size):
        block = X[begin : begin + size]
        w -= ETA / size * (block.T @ (sigmoid(block @ w) - y[begin : begin + size]))
    return 1e6 * (process_time() - start) / (rows - rows % size)


def findings(table: Table) -> list[Finding]:
    """What the lecture said, and what the table says."""
    sizes = table.column("batch")
    noise, spread = table.column("noise of the gradient"), table.column("spread of the weights")
    early, late, rain = (table.column(f"{name} error %") for name in ("early", "late", "rain"))
    change = table.column("after a change %")
    fast, ours = table.column("µs per row, NumPy"), table.column("µs per row, ours")
    exponent = float(np.polyfit(np.log(sizes), np.log(noise), 1)[0])
    best = sizes[int(np.argmin(early))]
    return [
        Finding(
            "Smaller batches: more noise",
            f"the noise of the gradient falls with b^{exponent:.2f}; the spread of the weights "
            "from "
            f"{spread[0]:.3f} (b = 1) to {min(spread):.4f}",
            -0.65 < exponent < -0.35 and spread[-1] < spread[0],
        ),
        Finding(
            "Too much noise can slow convergence",
            f"error of the first 1,000 rows: b = 1 {early[0]:.1f} %, best {min(early):.1f} % at "
            f"b = {best}; "
            f"late: b = 1 {late[0]:.1f} %, best {min(late):.1f} %",
            early[0] > min(early) + 0.5,
        ),
        Finding(
            "Larger batches cost less time per row where the batch is computed in parallel",
            f"NumPy: {fast[0]:.2g} µs at b = 1, {min(fast):.2g} at best; ours: {ours[0]:.2g} µs, "
            f"{min(ours):.2g} at best",
            fast[0] > 3 * min(fast),
        ),
        Finding(
            "Larger batches wait for data: they follow a change later",
            f"error of the 1,000 rows after a change: {change[0]:.0f} % (b = 1), "
            f"{change[-1]:.0f} % (b = "
            f"{sizes[-1]:,}); rain {rain[0]:.1f} %, {rain[-1]:.1f} %",
            change[-1] > change[0] + 5.0,
        ),
    ]


def drawn(table: Table) -> Any:
    """Noise, error, time by batch size."""
    page, panels = figure(3, width=4.4)
    groups = (
        ("Noise", ("noise of the gradient", "spread of the weights"), "standard deviation", True),
        (
            "Error",
            ("early error %", "late error %", "after a change %", "rain error %"),
            "error, %",
            False,
        ),
        ("Time", ("µs per row, ours", "µs per row, NumPy"), "µs per row", True),
    )
    colour = iter(COLOURS)
    for panel, (title, columns, label, logy) in zip(panels[0], groups, strict=True):
        for name in columns:
            panel.plot(
                table.column("batch"),
                table.column(name),
                marker="o",
                markersize=4,
                color=next(colour),
                label=name,
            )
        finish(panel, title, "rows per batch", label, logx=True, logy=logy)
        panel.legend(frameon=False, fontsize=9)
        if not logy:
            panel.set_ylim(0, 110)
    return page
