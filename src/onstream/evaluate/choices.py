"""What is to be evaluated: which models, what they predict, and by which metrics."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..base import Learner
from .figures import encodable
from .metric import Metric
from .metrics import MAE, R2, RMSE, Accuracy, ErrorRate, Kappa, KappaT

WORDS = {"numbers": "numbers", "labels": "labels", "structured": "sets of labels or structures"}


def named_models(models: Any) -> dict[str, Any]:
    """The models by name; two of a class are named with their parameters."""
    if isinstance(models, Mapping):
        named = {encodable(str(name)): model for name, model in models.items()}
    else:
        alone = isinstance(models, (str, type)) or not isinstance(models, Iterable)
        several = [models] if alone else list(models)
        names = distinct_names(list(map(kind_of, several)), list(map(text_of, several)))
        named = dict(zip(names, several, strict=True))
    if not named:
        raise ValueError("prequential: there is no model to evaluate.")
    for name, model in named.items():
        if isinstance(model, type):
            raise TypeError(
                f"prequential: {model.__name__} is a class; make one: {model.__name__}()."
            )
        if not hasattr(model, "predict_learn_many"):
            absent = [verb for verb in ("learn_one", "predict_one") if not hasattr(model, verb)]
            if absent:
                raise TypeError(
                    f"prequential: {name} is no learner: {model!r:.80} has no {absent[0]}."
                )
    if len({id(model) for model in named.values()}) < len(named):
        raise ValueError("prequential: one model is given twice; use clone() for a second one.")
    return named


def check_detector(detector: Any, answers: str) -> None:
    """Refuse what cannot watch the errors of such answers."""
    if isinstance(detector, type):
        name = detector.__name__
        raise TypeError(f"prequential: detector={name} is a class; make one: {name}().")
    if detector is not None and not hasattr(detector, "update_many"):
        raise TypeError(
            f"prequential: {detector!r:.60} is no drift detector: it has no update_many. "
            f"onstream.drift has some, such as ADWIN()."
        )
    if answers == "numbers" and getattr(detector, "watches_errors", False):
        raise ValueError(
            f"prequential: {type(detector).__name__} watches errors from 0 to 1, right or wrong; "
            f"those of a regressor can be larger. Use another, such as ADWIN() or PageHinkley()."
        )


def steps_of(model: Any) -> list[Any]:
    """The steps of a pipeline, with a model of another library behind them; or the model itself."""
    steps, last = getattr(model, "steps", None), getattr(model, "last", None)
    if not isinstance(steps, (list, tuple)) or not steps:
        return [model]
    return [*steps] if last is None else [*steps, last]


def kind_of(model: Any) -> str:
    """The class of a model; of a pipeline, those of its steps."""
    steps = steps_of(model)
    if steps == [model]:
        return model.__name__ if isinstance(model, type) else type(model).__name__
    return " | ".join(map(kind_of, steps))


def written(model: Any) -> str:
    """A model as it is written in code; a pipeline with its bars."""
    return encodable(" | ".join(map(repr, steps_of(model))))


def text_of(model: Any) -> str:
    """The same, or its class, if it cannot be written."""
    try:
        return written(model)
    except Exception:
        return kind_of(model)


def distinct_names(kinds: Sequence[str], texts: Sequence[str]) -> list[str]:
    """A name for each: its kind; its text, if others are of this kind; numbered, if need be."""
    names: list[str] = []
    for kind, text in zip(kinds, texts, strict=True):
        name = kind if kinds.count(kind) == 1 else text
        number = 2
        while name in names:
            name, number = f"{text} #{number}", number + 1
        names.append(name)
    return names


def agreed(named: Mapping[str, Any], metrics: Any) -> str:
    """What the models predict, all the same: "numbers", "labels" or "structured".

    A learner of the user's that does not say so (`task = "numbers"`) predicts what the
    others do, or what the metrics judge; otherwise labels.
    """
    kinds = {name: answers_of(model) for name, model in named.items()}
    known = {name: kind for name, kind in kinds.items() if kind}
    if not known:
        listed = metrics if isinstance(metrics, (list, tuple)) else [metrics]
        numeric = any(getattr(metric, "needs", "") == "number" for metric in listed)
        return "numbers" if numeric else "labels"
    first = next(iter(known))
    for name, kind in known.items():
        if kind != kinds[first]:
            raise ValueError(
                f"prequential: {first} predicts {WORDS[kinds[first]]}, {name} {WORDS[kind]}; "
                f"evaluate them apart."
            )
    return known[first]


def answers_of(model: Any) -> str:
    """What a model predicts; "" if it does not say so."""
    if getattr(model, "task", "") == "numbers":
        return "numbers"
    if isinstance(model, Learner):
        return model.target_kind
    if is_regressor_of_river(model):
        return "numbers"
    return "labels" if hasattr(model, "task") else ""


def is_regressor_of_river(model: Any) -> bool:
    """Say whether it is a regressor of River, or a pipeline of theirs that ends in one."""
    while isinstance(getattr(model, "steps", None), dict) and model.steps:
        model = [*model.steps.values()][-1]
    return any(kind.__module__ == "river.base.regressor" for kind in type(model).__mro__)


def chosen(metrics: Metric | Sequence[Metric] | None, answers: str) -> list[Metric]:
    """The metrics, each of which can judge what the models predict."""
    numeric = answers == "numbers"
    if metrics is None:
        if answers == "structured":
            return [Accuracy()]
        return [MAE(), RMSE(), R2()] if numeric else [Accuracy(), Kappa(), KappaT()]
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
        if answers == "structured" and not isinstance(metric, (Accuracy, ErrorRate)):
            raise ValueError(
                f"prequential: {metric.name} judges single labels, these models predict "
                f"{WORDS[answers]}; use Accuracy or ErrorRate, of the whole."
            )
    if not listed:
        raise ValueError("prequential: metrics must not be empty.")
    if len({metric.name for metric in listed}) < len(listed):
        raise ValueError(
            "prequential: one metric is given twice. Every metric comes over all examples, "
            "over the last `window`, and fading."
        )
    return listed


def output_for(name: str, model: Any, metrics: Sequence[Metric]) -> str:
    """Which output the metrics need of the model: "label", "score" or "proba"."""
    probable = hasattr(model, "predict_proba_one")
    for metric in metrics:
        if metric.needs == "proba" and not probable:
            raise ValueError(
                f"prequential: {metric.name} needs probabilities, which {name} does not have."
            )
        if metric.needs == "score" and not (probable or hasattr(model, "score_one")):
            raise ValueError(f"prequential: {metric.name} needs scores, which {name} has not.")
    if any(metric.needs in ("proba", "score") for metric in metrics):
        return "proba" if probable else "score"
    return "label"
