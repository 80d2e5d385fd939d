"""The models of `onstream run`: learners as they are typed, saved models, baselines."""

from pathlib import Path
from typing import Any

from ..evaluate.choices import answers_of, kind_of
from ..persist import is_model, load
from .columns import LearnedColumns
from .names import check_online
from .parse import parse_contender


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
