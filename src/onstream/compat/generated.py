"""Classes of other libraries, generated for a class of learners: one constructor parameter each."""

import inspect
from collections.abc import Callable
from typing import Any

from ..base.checks import meant
from ..base.parameters import parameters
from ..base.registry import public_class
from ..linear.base import Usual

FOLLOWS = "default"  # `scale` of an estimator: "auto", unless a parameter of the rule is given


def generate(
    learner_class: type[Any], bases: tuple[type[Any], ...], more: dict[str, Any], library: str
) -> type[Any]:
    """A class over `bases` that takes the parameters of the learner, and `more` with defaults."""
    name = public_class(learner_class).__name__
    usual = {
        n: FOLLOWS if isinstance(v, Usual) else v for n, v in parameters(learner_class).items()
    }
    return type(
        name,
        bases,
        {
            "__init__": constructor(name, {**usual, **more}),
            "__doc__": (
                f"{name} of onstream as an estimator of {library}.\n\n"
                f"{inspect.getdoc(learner_class) or ''}"
            ),
            "__module__": bases[0].__module__,
            "_learner_class": learner_class,
        },
    )


def as_given(learner_class: type[Any], values: dict[str, Any]) -> dict[str, Any]:
    """Parameters of an estimator for its learner.

    If `scale` is to follow from what else is given, they are those that are not at their defaults.
    """
    usual = parameters(learner_class)
    if values.get("scale") != FOLLOWS:
        return values
    given = {n: v for n, v in values.items() if type(v) is not type(usual[n]) or v != usual[n]}
    given.pop("scale")
    return given


def learner_within(model: Any) -> str:
    """A hint for those who give an estimator of ours where a learner is wanted."""
    if not hasattr(type(model), "_learner_class"):
        return ""
    if hasattr(model, "fit"):
        return " It is an estimator; its learner is `.model_`, once it was fitted."
    return " It is an estimator; its learner is from_river(it)."


def constructor(name: str, known: dict[str, Any]) -> Callable[..., None]:
    """An `__init__` that keeps its parameters as they are, and shows them in its signature."""

    def __init__(self: Any, **given: Any) -> None:
        for wrong in given.keys() - known.keys():
            raise TypeError(
                f"{name}: there is no parameter {wrong!r}.{meant(wrong, list(known))} "
                f"The parameters are {', '.join(known)}."
            )
        for parameter, default in known.items():
            setattr(self, parameter, given.get(parameter, default))

    kind = inspect.Parameter.KEYWORD_ONLY
    shown = [inspect.Parameter(p, kind, default=value) for p, value in known.items()]
    owner = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([owner, *shown])  # type: ignore[attr-defined]
    return __init__
