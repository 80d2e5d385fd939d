"""The steps of pipelines, and the parts of unions."""

from typing import Any

from ..base.learner import Learner


def members(learner: Any) -> list[Any]:
    """The steps of a pipeline, or the learner alone."""
    from .pipeline import Pipeline

    return learner.steps if isinstance(learner, Pipeline) else [learner]


def checked_steps(who: str, given: tuple[Any, ...], listed: Any) -> list[Any]:
    """The steps: learners of onstream that have not learned yet, pipelines taken apart."""
    if listed is not None and not isinstance(listed, (list, tuple)):
        raise TypeError(f"{who}: give a list of learners, got {listed!r:.80}.")
    found: list[Any] = []
    for step in [*given, *(listed or ())]:
        if isinstance(step, (list, tuple)):
            sign = "|" if who == "Pipeline" else "+"
            raise TypeError(
                f"{who}: learners and transformers are given one by one, {who}(a, b) or "
                f"a {sign} b, got a {type(step).__name__}."
            )
        if not isinstance(step, Learner):
            raise TypeError(f"{who}: {step!r:.80} is not a learner or transformer of onstream.")
        if step.seen:
            raise ValueError(
                f"{who}: {type(step).__name__} has already learned {step.seen:,} examples; "
                f"give a clone() of it."
            )
        found += members(step) if who == "Pipeline" else [step]
    if not found:
        raise TypeError(f"{who}: there must be at least one step.")
    return found
