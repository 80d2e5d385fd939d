"""Batch against online learning: gradient descent (Rosasco), support vector machines (Filice)."""

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernel import RBF, BudgetedPA, KernelPA
from ...linear import PAClassifier, SGDRegressor
from ...streams import RandomRBF
from ..lab.drawing import COLOURS, figure, finish, key
from ..lab.generated import rows_of
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "What does batch learning buy, and what does it cost?"
FEATURES, NOISE = 20, 0.5
Floats = NDArray[np.float64]


def run(lab: Lab) -> Outcome:
    """Gradient descent over all rows against one row at a time; then SVM against PA."""
    steps, curves = gradients(lab)
    notes = lab.gaps()
    try:
        import sklearn  # noqa: F401
    except ImportError:
        notes.append(
            "The batch SVMs are those of scikit-learn, which is not installed (pip install "
            '"onstream[compat]"): their rows are left out.'
        )
    svm = machines(lab)
    return Outcome(
        [steps, svm],
        drawn(curves, svm),
        {
            "gradients": f"{FEATURES} normal features with variances from v to v/20, in sum 1, "
            "y = w·x + "
            f"{NOISE} N(0, 1); batch: NumPy, step 1 / largest eigenvalue; online: "
            "SGDRegressor(eta=1.0, schedule='power', average=True), one pass and more",
            "SVM": "RandomRBF(20 centroids, 10 features), standardised; batch: scikit-learn's "
            "LinearSVC(C=1) and SVC(C=1, gamma=0.1); online, one pass: PA-I (C=0.01), kernel PA-I "
            "(C=1, the same kernel), BudgetedPA (budget 200); a test set of 4,000 rows",
            "times": "CPU time of one run, on whatever machine this is",
            "seed": lab.seed,
        },
        findings(steps, svm),
        notes,
    )


def gradients(lab: Lab) -> tuple[Table, dict[str, tuple[list[float], list[float]]]]:
    """Excess risk over work, where one unit of work is a pass over the data."""
    rows, passes = lab.pick(20_000, 1_000_000, 2000), 30
    rng = lab.rng(1)
    scale = np.geomspace(1.0, 0.05, FEATURES)
    scale /= scale.sum()
    w = rng.normal(size=FEATURES)
    X = rng.normal(size=(rows, FEATURES)) * np.sqrt(scale)
    y = X @ w + NOISE * rng.normal(size=rows)
    best: Any = np.linalg.lstsq(X, y, rcond=None)[0]

    def risk(v: Floats) -> float:
        return float(np.square(v - w) @ scale)

    table = Table(
        f"Least squares on {rows:,} examples: excess risk and time by passes over the data",
        ["method", "passes", "excess risk", "× all-data solution", "ms"],
        formats={"× all-data solution": ".2f", "ms": ".1f", "passes": "g"},
    )
    curves: dict[str, tuple[list[float], list[float]]] = {}
    floor = risk(best)
    v: Any = np.zeros(FEATURES)
    top = float(np.linalg.eigvalsh(X.T @ X / rows)[-1])
    start, at, risks = process_time(), [0.0], [risk(v)]
    for step in lab.each(range(1, passes + 1), lambda n: f"batch gradient, pass {n}"):
        v = v + X.T @ (y - X @ v) / (rows * top)
        at.append(float(step))
        risks.append(risk(v))
        if step in (1, 3, 10, 30):
            took = 1e3 * (process_time() - start)
            table.add("batch gradient", float(step), risks[-1], risks[-1] / floor, took)
    curves["batch gradient"] = (at, risks)
    model = SGDRegressor(eta=1.0, schedule="power", average=True, intercept=False)
    cuts = np.unique(np.geomspace(max(10, rows // 2000), rows, 20).astype(int))
    at, risks, seconds, done = [], [], 0.0, 0
    for number in lab.each((1, 2, 3), lambda n: f"online gradient, pass {n}"):
        for cut in cuts if number == 1 else [rows]:
            begin = done if number == 1 else 0
            start = process_time()
            model.learn_many(X[begin:cut], y[begin:cut])
            seconds += process_time() - start
            done = cut
            learned = model.weights
            risks.append(risk(np.array([learned[i] for i in range(FEATURES)])))
            at.append(number - 1 + cut / rows)
        if number in (1, 3):
            table.add(
                "online gradient, averaged",
                float(number),
                risks[-1],
                risks[-1] / floor,
                1e3 * seconds,
            )
    curves["online gradient, averaged"] = (at, risks)
    start = process_time()
    np.linalg.lstsq(X, y, rcond=None)
    table.add("solved at once (LAPACK)", 1.0, floor, 1.0, 1e3 * (process_time() - start))
    return table, curves


def machines(lab: Lab) -> Table:
    """Error and time of training, batch and online, for growing data."""
    sizes = lab.pick((1000, 2000, 4000, 8000), (1000, 4000, 16_000, 64_000), (300, 600))
    table = Table(
        "Support vector machines: test error % and seconds of training",
        ["data", "rows", "learner", "kind", "test error %", "seconds", "supports"],
        name="svm",
        formats={"test error %": ".2f", "seconds": ".3g"},
    )
    X, y = rows_of(RandomRBF(20, seed=lab.seed + 1), max(sizes) + 4000)
    tasks = [("RandomRBF", X, y, n) for n in sizes]
    for loaded in lab.sets(("banana", "magic", "spambase")):
        data = loaded.shuffled(lab.seed)
        cut = len(data.y) * 3 // 4
        tasks.append((data.name, data.X, data.binary(), cut))
    for name, A, b, n in lab.each(tasks, lambda t: f"SVM, {t[0]}, {t[3]:,} rows"):
        mean, deviation = A[:n].mean(axis=0), A[:n].std(axis=0)
        Z = (A - mean) / np.where(deviation > 0, deviation, 1.0)
        test = slice(n, n + 4000) if name != "RandomRBF" else slice(max(sizes), max(sizes) + 4000)
        for learner, kind, make in contestants(0.1 if name == "RandomRBF" else 1.0 / Z.shape[1]):
            seconds, error, supports = trained(make, Z[:n], b[:n], Z[test], b[test])
            table.add(name, n, learner, kind, 100 * error, seconds, supports)
    return table


def contestants(gamma: float) -> list[tuple[str, str, Callable[[], Any]]]:
    """Learners: batch ones of scikit-learn, if it is there, and ours."""
    kernel = RBF(gamma=gamma)
    found: list[tuple[str, str, Callable[[], Any]]] = [
        ("PA-I, C=0.01", "online, linear", lambda: PAClassifier(C=0.01)),
        ("kernel PA-I, C=1", "online, kernel", lambda: KernelPA(kernel=kernel, C=1.0)),
        (
            "BudgetedPA, 200",
            "online, kernel",
            lambda: BudgetedPA(kernel=kernel, C=1.0, budget=200, maintenance="nearest"),
        ),
    ]
    try:
        from sklearn.svm import SVC, LinearSVC
    except ImportError:
        return found
    return [
        ("LinearSVC, C=1", "batch, linear", lambda: LinearSVC(C=1.0, max_iter=5000)),
        ("SVC, C=1", "batch, kernel", lambda: SVC(C=1.0, gamma=gamma, cache_size=500)),
        *found,
    ]


def trained(
    make: Callable[[], Any], X: Floats, y: Any, T: Floats, t: Any
) -> tuple[float, float, int | None]:
    """Seconds of training, test error, support vectors."""
    model = make()
    start = process_time()
    if hasattr(model, "learn_many"):
        model.learn_many(X, y)
        seconds, said = process_time() - start, model.predict_many(T)
        supports = len(model.supports) if hasattr(model, "supports") else None
    else:
        model.fit(X, y)
        seconds, said = process_time() - start, model.predict(T)
        supports = int(model.n_support_.sum()) if hasattr(model, "n_support_") else None
    return seconds, float(np.mean(said != t)), supports


def findings(steps: Table, svm: Table) -> list[Finding]:
    """What the lectures said, and what the tables say."""
    online = steps.value("excess risk", method="online gradient, averaged", passes=1.0)
    batch = steps.value("excess risk", method="batch gradient", passes=1.0)
    more = steps.value("excess risk", method="batch gradient", passes=10.0)
    floor = steps.value("× all-data solution", method="online gradient, averaged", passes=1.0)
    found = [
        Finding(
            "For one pass over the data the online gradient gets further than the batch gradient",
            f"excess risk {online:.2g} against {batch:.2g}; batch after 10 passes {more:.2g}; "
            "online is "
            f"at {floor:.1f} times what all data can tell",
            online < batch,
        )
    ]
    largest = max(
        n for d, n in zip(svm.column("data"), svm.column("rows"), strict=True) if d == "RandomRBF"
    )

    def of(column: str, learner: str) -> float:
        return float(svm.value(column, data="RandomRBF", rows=largest, learner=learner))

    if "SVC, C=1" in svm.column("learner"):
        found += [
            Finding(
                "Online training is faster than that of a batch SVM (kernel)",
                f"{largest:,} rows: SVC {of('seconds', 'SVC, C=1'):.2g} s, kernel PA-I "
                f"{of('seconds', 'kernel PA-I, C=1'):.2g} s, with a budget of 200 "
                f"{of('seconds', 'BudgetedPA, 200'):.2g} s",
                of("seconds", "BudgetedPA, 200") < of("seconds", "SVC, C=1"),
            ),
            Finding(
                "One online pass is as accurate as a batch SVM",
                f"test error with a kernel: SVC {of('test error %', 'SVC, C=1'):.1f} %, kernel "
                "PA-I "
                f"{of('test error %', 'kernel PA-I, C=1'):.1f} %, budget of 200 "
                f"{of('test error %', 'BudgetedPA, 200'):.1f} %",
                of("test error %", "kernel PA-I, C=1") < of("test error %", "SVC, C=1") + 0.5,
            ),
        ]
    return found


def drawn(curves: dict[str, tuple[list[float], list[float]]], svm: Table) -> Any:
    """Excess risk by passes; time and error of the machines by rows."""
    page, panels = figure(3, width=4.6)
    left, middle, right = panels[0]
    for i, (name, (at, risks)) in enumerate(curves.items()):
        points = [(a, r) for a, r in zip(at, risks, strict=True) if a > 0]
        left.plot(*zip(*points, strict=True), color=COLOURS[8 + i], marker=".", label=name)
    finish(left, "Least squares", "passes over the data", "excess risk", logx=True, logy=True)
    left.legend(frameon=False, fontsize=9)
    for i, learner in enumerate(dict.fromkeys(svm.column("learner"))):
        rows = [row for row in svm.rows if row[0] == "RandomRBF" and row[2] == learner]
        style = "--" if rows[0][3].startswith("batch") else "-"
        for panel, column in ((middle, 5), (right, 4)):
            panel.plot(
                [r[1] for r in rows],
                [r[column] for r in rows],
                style,
                marker="o",
                markersize=4,
                color=COLOURS[i],
                label=learner,
            )
    finish(middle, "Training time, RandomRBF", "rows", "seconds", logx=True, logy=True)
    finish(right, "Test error, RandomRBF", "rows", "test error, %", logx=True)
    right.set_ylim(bottom=0)
    sizes = sorted({row[1] for row in svm.rows if row[0] == "RandomRBF"})
    for panel in (middle, right):
        panel.set_xticks(sizes, [f"{n:,}" for n in sizes])
        panel.minorticks_off()
    key(page, middle, columns=6)
    return page
