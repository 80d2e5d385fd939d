"""Make the golden files of the present format: models as they are saved today, and what they say.

    python -m tests.golden.make

Files that exist are never touched: they are what users have on disk. A new learner gets its files
by running this once; a new format gets a folder of its own, and the old one stays.
"""

import contextlib
import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np

import onstream
from onstream.base import learners
from onstream.persist.format import FORMAT

FOLDER = Path(__file__).parent / f"format{FORMAT}"
VARIANTS: dict[str, dict[str, Any]] = {
    "named": {},
    "columns": {},
    "many": {},
    "hashed": {"hash_bits": 4, "hash_seed": 7},
    "bare": {"intercept": False},
    "new": {},
}
NAMED = [
    {"a": 1.0, "b": -0.5, "colour": "red"},
    {"b": 2.0, "naïve 名": 0.25, 7: 1.0},
    {"a": -1.5, "colour": "blue", "": 3.0},
    {"b": 0.125, "7": -1.0, "colour": "red"},
]
COLUMNS = np.array([[1.0, -0.5, 0.0], [0.25, 2.0, -1.0], [-1.5, 0.0, 3.0], [0.5, 0.125, -0.25]])


def make(cls: Any, variant: str, params: dict[str, Any]) -> Any:
    """A model of some history."""
    model = cls(**params)
    labels: list[Any] = (
        ["spam", "ham", "ham", "spam"] if hasattr(cls, "labels") else [1.5, -2.0, 0.25, 3.0]
    )
    if variant == "new":
        return model
    if variant == "columns":
        model.learn_many(COLUMNS, [3, 1, 1, 3] if hasattr(cls, "labels") else labels)
        return model
    model.learn_many(NAMED, labels, [1.0, 2.0, 0.5, 1.0])
    if variant == "many":
        model.learn_many(
            NAMED, ["ham", "third", "spam", "fourth"] if hasattr(cls, "labels") else labels
        )
    return model


def answers(model: Any, variant: str) -> dict[str, Any]:
    """What the model says, in JSON's terms."""
    X: Any = COLUMNS if variant == "columns" else NAMED
    told = {
        "repr": repr(model),
        "seen": model.seen,
        "predict": [sorted(p) if isinstance(p, set) else p for p in model.predict_many(X).tolist()],
        "score": model.score_many(X).tolist(),
    }
    if hasattr(model, "labels"):
        told["labels"] = model.labels
    if hasattr(model, "predict_proba_many"):
        told["proba"] = model.predict_proba_many(X).tolist()
    return told


def go_on(model: Any, variant: str) -> None:
    """Some more lessons."""
    if variant == "columns":
        model.learn_many(
            COLUMNS[::-1], [3, 1, 3, 2] if hasattr(model, "labels") else [1.0, 2.0, 3.0, 4.0]
        )
    else:
        y = ["ham", "spam", "new", "ham"] if hasattr(model, "labels") else [1.0, 2.0, 3.0, 4.0]
        model.learn_many(NAMED[::-1], y)


def variants(cls: Any) -> list[str]:
    """Those whose parameters the learner has; none, if it needs functions of the user."""
    found: list[str] = []
    if not hasattr(cls, "predict_many"):  # a transformer, or a pipeline
        return found
    for variant, params in VARIANTS.items():
        with contextlib.suppress(TypeError):
            inspect.signature(cls).bind(**params)
            found.append(variant)
    return found


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, cls in learners().items():
        for variant in variants(cls):
            params = VARIANTS[variant]
            path = FOLDER / f"{name}-{variant}.onstream"
            if path.exists() or path.with_suffix(".json").exists():
                continue
            model = make(cls, variant, params)
            onstream.save(model, path)
            before = answers(model, variant)
            go_on(model, variant)
            expected = {"now": before, "later": answers(model, variant)}
            text = json.dumps(expected, indent=1, ensure_ascii=False)
            path.with_suffix(".json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
