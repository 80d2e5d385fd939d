"""What is to be evaluated: which models, what they predict, and by which metrics."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..base import MultilabelClassifier, Regressor
from ..linear import StructuredPA
from .metrics import MAE, R2, RMSE, Accuracy, ErrorRate, Kappa, Metric

TOLD = {"numbers": "numbers", "labels": "labels", "wholes": "sets of labels or structures"}


def named_models(models: Any) -> dict[str, Any]:
    """The models by name; two of a kind are told apart by their parameters."""
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        several = list(models) if isinstance(models, Iterable) else [models]
        names = told_apart([type(model).__name__ for model in several], list(map(repr, several)))
        named = dict(zip(names, several, strict=True))
    if not named:
        raise ValueError("prequential: there is no model to evaluate.")
    for name, model in named.items():
        if isinstance(model, type):
            raise TypeError(f"prequential: {name} is a class; pass a learner: {model.__name__}().")
        if not hasattr(model, "predict_learn_many"):
            raise TypeError(f"prequential: {name} is no learner: {model!r:.80}.")
    if len({id(model) for model in named.values()}) < len(named):
        raise ValueError("prequential: one model is given twice; use clone() for a second one.")
    return named


def told_apart(kinds: Sequence[str], texts: Sequence[str]) -> list[str]:
    """A name for each: its kind; its text, if others are of this kind; numbered, if need be."""
    names: list[str] = []
    for kind, text in zip(kinds, texts, strict=True):
        name = kind if kinds.count(kind) == 1 else text
        number = 2
        while name in names:
            name, number = f"{text} #{number}", number + 1
        names.append(name)
    return names


def agreed(named: Mapping[str, Any]) -> str:
    """What the models predict, all the same: "numbers", "labels" or "wholes"."""
    kinds = {name: answers_of(model) for name, model in named.items()}
    first = next(iter(kinds))
    for name, kind in kinds.items():
        if kind != kinds[first]:
            raise ValueError(
                f"prequential: {first} predicts {TOLD[kinds[first]]}, {name} {TOLD[kind]}; "
                f"evaluate them apart."
            )
    return kinds[first]


def answers_of(model: Any) -> str:
    """What a model predicts."""
    if isinstance(model, Regressor) or getattr(model, "task", "") == "numbers":
        return "numbers"
    return "wholes" if isinstance(model, (MultilabelClassifier, StructuredPA)) else "labels"


def chosen(metrics: Metric | Sequence[Metric] | None, answers: str) -> list[Metric]:
    """The metrics, each of which can judge what the models predict."""
    numeric = answers == "numbers"
    if metrics is None:
        if answers == "wholes":
            return [Accuracy()]
        return [MAE(), RMSE(), R2()] if numeric else [Accuracy(), Kappa()]
    listed: list[Any] = [metrics] if isinstance(metrics, (Metric, type)) else list(metrics)
    listed = [metric() if isinstance(metric, type) else metric for metric in listed]
    for metric in listed:
        if not isinstance(metric, Metric):
            raise TypeError(
                f"prequential: {metric!r:.60} is no metric; pass some of onstream.evaluate, such "
                f"as [Accuracy(), Kappa()]. Rows and targets are one argument: (X, y)."
            )
        if (metric.needs == "number") != numeric:
            judged = "numbers" if metric.needs == "number" else "labels"
            raise ValueError(
                f"prequential: {metric.name} judges {judged}, which these models do not predict."
            )
        if answers == "wholes" and not isinstance(metric, (Accuracy, ErrorRate)):
            raise ValueError(
                f"prequential: {metric.name} judges single labels, these models predict "
                f"{TOLD[answers]}; use Accuracy or ErrorRate, of the whole."
            )
    if not listed:
        raise ValueError("prequential: metrics must not be empty.")
    if len({metric.name for metric in listed}) < len(listed):
        raise ValueError("prequential: one metric is given twice.")
    return listed


def output_for(name: str, model: Any, metrics: Sequence[Metric]) -> str:
    """What to ask the model for."""
    probable = hasattr(model, "predict_proba_one")
    for metric in metrics:
        if metric.needs == "proba" and not probable:
            raise ValueError(
                f"prequential: {metric.name} needs probabilities, which {name} does not have."
            )
        if metric.needs == "score" and not hasattr(model, "score_one"):
            raise ValueError(f"prequential: {metric.name} needs scores, which {name} has not.")
    if any(metric.needs in ("proba", "score") for metric in metrics):
        return "proba" if probable else "score"
    return "label"
