"""The models of `onstream run`: learners as they are typed, saved models, baselines, usual ones."""

from pathlib import Path
from typing import Any

import numpy as np

from ..evaluate.answers import as_column
from ..evaluate.choices import answers_of, kind_of
from ..persist import is_model, load
from .columns import LearnedColumns
from .console import remark
from .names import check_online
from .parse import parse_contender
from .sources import Input, open_stream, to_learn
from .targets import Targets

FIRST = 1000  # rows that tell labels from numbers
FOR_LABELS = ("EvolvingClassifier()", "LogisticRegression()")
FOR_NUMBERS = ("EvolvingRegressor()", "LinearRegression()")


class Contender:
    """One model, what it is called, and the file it comes from, if it was saved."""

    def __init__(self, text: str, *, test_only: bool) -> None:
        self.text = text.strip()
        self.file = saved(self.text)
        if self.file is None and test_only:
            raise ValueError(
                f"onstream: --test-only tests saved models; {self.text!r:.80} has learned nothing. "
                f"Train and save it first: `onstream train`."
            )
        self.model = parse_contender(self.text) if self.file is None else load(self.file)
        if not hasattr(self.model, "learn_one") or not hasattr(self.model, "predict_one"):
            raise ValueError(
                f"onstream: {self.text}: {type(self.model).__name__} makes no predictions."
            )
        if test_only:
            self.model = Frozen(self.model)
        else:
            check_online(self.model)

    @property
    def name(self) -> str:
        """The class of the model, or those of its steps; of a saved one, the file's name."""
        return kind_of(self.model) if self.file is None else self.file.name

    @property
    def columns(self) -> LearnedColumns:
        """The columns that a saved model has learned."""
        return LearnedColumns() if self.file is None else LearnedColumns.of_file(self.file)


class Frozen:
    """A learner that is tested, and learns nothing more."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def __repr__(self) -> str:
        return repr(self.model)

    @property
    def task(self) -> str:
        """What it predicts."""
        return answers_of(self.model)

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn nothing."""

    def predict_learn_many(self, X: Any, y: Any, w: Any = None, output: str = "label") -> Any:
        """Predict, and learn nothing."""
        many = {"label": "predict_many", "proba": "predict_proba_many", "score": "score_many"}
        return getattr(self.model, many[output])(X)


def usual(data: Input, *, quiet: bool) -> list[str]:
    """Learners that suit most data, for who names none: by the targets of the first rows."""
    options = {**data.options, "limit": FIRST, "shuffle": None, "epochs": 1}
    if options["on_error"] != "raise":
        options["on_error"] = "skip"  # they are read again
    stream = open_stream(data.source, **options)
    if stream.live or "-" in stream.files:
        raise ValueError(
            f"onstream: {data.name} cannot be read twice, first to choose learners; say some: "
            f"--model 'EvolvingClassifier()' --model 'LogisticRegression()'."
        )
    y: Any = next((to_learn(block)[1] for block in stream.blocks()), [])
    numeric = are_numbers(y)
    chosen, others = (FOR_NUMBERS, FOR_LABELS) if numeric else (FOR_LABELS, FOR_NUMBERS)
    if not quiet:
        kind, other = ("numbers", "labels") if numeric else ("labels", "numbers")
        remark(
            f"Without --model, these learn, as the target looks like {kind}: "
            f"{' and '.join(chosen)}. If it is {other}: --model '{others[1]}'."
        )
    return list(chosen)


def are_numbers(y: Any) -> bool:
    """Say whether targets are numbers rather than labels: with decimals, or ever new whole ones."""
    column = as_column(y)
    if column.dtype.kind == "f" and bool((column[np.isfinite(column)] % 1.0 != 0.0).any()):
        return True
    targets = Targets(None)
    targets.add(column)
    return targets.numeric


def saved(text: str) -> Path | None:
    """The file of a saved model, if this is one; a class of that name comes first."""
    path = Path(text)
    if text.isidentifier() or text.endswith(")"):
        return None
    if path.is_file():
        if not is_model(path):
            raise ValueError(f"onstream: --model {text} is a file, but no model of onstream.")
        return path
    if text.endswith(".onstream"):
        raise ValueError(f"onstream: --model {text}: there is no such file.")
    return None
