"""One peer's answers at its defaults, row after row: predict, then learn.

    python benchmarks/experiments/defaults_peer.py PEER KIND < ROWS > ANSWERS

Runs in the environment of the peer, which has no onstream: ROWS are JSON lines [x, y], x a mapping
of numbers (a category is "name=value": 1) and y the number of a label, or a number. The first line
is [features, labels]. Answers are a JSON line per learner: its name, answers (null: none yet).
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

Step = Callable[[dict[str, float], Any], Any]  # answers for x, then learns it


def vw(kind: str, features: list[str], labels: int) -> Iterator[tuple[str, Step]]:
    from vowpalwabbit import Workspace  # type: ignore[import-not-found]

    number = {name: i for i, name in enumerate(features)}
    how = "" if kind == "numbers" else "--loss_function logistic "
    how += "" if kind == "numbers" else f"--oaa {labels}" if labels > 2 else "--binary"
    space = Workspace(f"--quiet {how}")

    def step(x: dict[str, float], y: Any) -> Any:
        row = "| " + " ".join(f"{number[k]}:{v!r}" for k, v in x.items())
        said = space.predict(row)
        target = y if kind == "numbers" else y + 1 if labels > 2 else 2 * y - 1
        space.learn(f"{target} {row}")
        return said if kind == "numbers" else int(said) - 1 if labels > 2 else int(said > 0)

    yield "VW", step


def river(kind: str, features: list[str], labels: int) -> Iterator[tuple[str, Step]]:
    from river import linear_model  # type: ignore[import-not-found]

    names = ["LinearRegression", "PARegressor"]
    if kind == "labels":
        names = ["LogisticRegression"] if labels == 2 else ["SoftmaxRegression"]
    for name in names:
        model = getattr(linear_model, name)()

        def step(x: dict[str, float], y: Any, model: Any = model) -> Any:
            said = model.predict_one(x)
            model.learn_one(x, y)
            return said if said is None else float(said)

        yield f"River {name}", step


def scikit_learn(kind: str, features: list[str], labels: int) -> Iterator[tuple[str, Step]]:
    import numpy as np
    from sklearn.linear_model import SGDClassifier, SGDRegressor  # type: ignore

    number = {name: i for i, name in enumerate(features)}
    model = SGDClassifier() if kind == "labels" else SGDRegressor()
    known = {"classes": np.arange(labels)} if kind == "labels" else {}
    begun = False

    def step(x: dict[str, float], y: Any) -> Any:
        nonlocal begun
        row = np.zeros((1, len(features)))
        for k, v in x.items():
            row[0, number[k]] = v
        said = float(model.predict(row)[0]) if begun else None
        model.partial_fit(row, [y], **known)
        begun = True
        return said

    yield f"scikit-learn {type(model).__name__}", step


def main(peer: str, kind: str) -> None:
    warnings.simplefilter("ignore")
    made = {"vw": vw, "river": river, "scikit-learn": scikit_learn}[peer]
    features, labels = json.loads(sys.stdin.readline())
    rows = [json.loads(line) for line in sys.stdin]
    for name, step in made(kind, features, labels):
        answers: list[Any] = []
        try:
            for x, y in rows:
                said = step(x, y)
                answers.append(said if said is not None and math.isfinite(said) else None)
        except (ValueError, OverflowError):  # it has exploded
            answers = []
        print(json.dumps([name, answers]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
