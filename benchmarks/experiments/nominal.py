"""A text column of 10, 1,000 and 100,000 values in every learner: the table of docs/nominal.md.

    python -m benchmarks.experiments.nominal [ROWS]

Rows of two numbers and one text; the label depends on the text (its number is even) and, now and
then, on a number. Predict, then learn, in one call of `predict_learn_many` over an Arrow table;
processor time, and memory as the model counts it. A learner that refuses says so.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from onstream import bayes, kernel, linear, neighbors, tree

from .page import ROOT, table, write_part

VALUES = (10, 1_000, 100_000)
LEARNERS: dict[str, Callable[[], Any]] = {
    "LogisticRegression": linear.LogisticRegression,
    "LogisticRegression(hash_bits=18)": lambda: linear.LogisticRegression(hash_bits=18),
    'LogisticRegression(scale="auto")': lambda: linear.LogisticRegression(scale="auto"),
    "PAClassifier": linear.PAClassifier,
    "AROW": linear.AROW,
    'AROW(covariance="full")': lambda: linear.AROW(covariance="full"),
    "FTRLProximal": linear.FTRLProximal,
    "GaussianNB": bayes.GaussianNB,
    "CategoricalNB": bayes.CategoricalNB,
    "MultinomialNB": bayes.MultinomialNB,
    "BernoulliNB": bayes.BernoulliNB,
    "KNNClassifier": neighbors.KNNClassifier,
    "BudgetedPA": kernel.BudgetedPA,
    "FOGD": kernel.FOGD,
    "HoeffdingTreeClassifier": tree.HoeffdingTreeClassifier,
    'HoeffdingTreeClassifier(nominal_split="binary")': lambda: tree.HoeffdingTreeClassifier(
        nominal_split="binary"
    ),
    "HoeffdingTreeClassifier(max_bytes=1_000_000)": lambda: tree.HoeffdingTreeClassifier(
        max_bytes=1_000_000
    ),
    "HAT": tree.HAT,
    "ExtremelyFastDecisionTree": tree.ExtremelyFastDecisionTree,
    "CVFDT": tree.CVFDT,
}


def stream(values: int, rows: int) -> tuple[pa.Table, np.ndarray]:
    """The table and its labels."""
    rng = np.random.default_rng(values)
    codes = rng.integers(0, values, rows)
    numbers = rng.random((rows, 2))
    y = np.where(numbers[:, 0] > 0.8, numbers[:, 1] > 0.5, codes % 2 == 0)
    columns = {"a": numbers[:, 0], "b": numbers[:, 1], "text": [f"value {c}" for c in codes]}
    return pa.table(columns), y


def cell(make: Callable[[], Any], values: int, rows: int) -> str:
    """Accuracy, time a row, memory."""
    X, y = stream(values, rows)
    model = make()
    begin = time.process_time()
    try:
        told = model.predict_learn_many(X, y)
    except ValueError as error:
        return "refused" if "max_features" in str(error) else f"refused: {error!s:.40}"
    spent = (time.process_time() - begin) / rows
    right = 100 * float(np.mean(told == y))
    return f"{right:.1f} %, {spent * 1e6:.1f} µs, {model.memory_bytes / 1e6:.2f} MB"


def main() -> int:
    warnings.simplefilter("ignore")
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    head = ["learner", *(f"{n:,} values" for n in VALUES)]
    found = [[name, *(cell(make, n, rows) for n in VALUES)] for name, make in LEARNERS.items()]
    text = table(head, found)
    print(text)
    write_part("nominal values", text, ROOT / "docs" / "nominal.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
