"""Several learners at work at the same time, each in a thread: they let go of Python's lock."""

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from ..base import Part
from ..base.learner import is_ours
from ..core.data_warning import DataWarning, held_back, warn_of_data
from .choices import steps_of
from .contender import Contender

FEWEST = 1000  # rows of a block that are worth a thread


def can_run_apart(contender: Contender, delay: int) -> bool:
    """Say whether a learner works without calling Python, the user's or its own."""
    model = contender.model
    if delay or contender.by_one or contender.track.own or contender.baseline:
        return False
    if not is_ours(type(model), "predict_learn_many"):
        return False
    given = [value for step in (model, *steps_of(model)) for value in step.params.values()]
    return not any(callable(value) and not isinstance(value, Part) for value in given)


def refuses_warnings() -> bool:
    """Say whether a `DataWarning` is an error now, which ends a block where it is raised."""
    for action, message, category, module, line in warnings.filters:
        if issubclass(DataWarning, category):
            if action == "error":
                return True
            if not (message or module or line):  # it holds for all: those behind it do not count
                return False
    return False


class Outcome(NamedTuple):
    """What came of it: an error or None, and warnings that are still to be given."""

    error: Exception | None
    messages: list[str]

    def tell(self) -> None:
        """Give the warnings, raise the error."""
        for message in self.messages:
            warn_of_data(message)
        if self.error is not None:
            raise self.error


def act_at_once(
    act: Callable[[Contender], None], contenders: Sequence[Contender], n_jobs: int
) -> list[Outcome]:
    """Let all of them act, `n_jobs` at a time, and wait for the last."""

    def one(contender: Contender) -> Outcome:
        with held_back() as messages:
            try:
                act(contender)
            except Exception as error:
                return Outcome(error, messages)
        return Outcome(None, messages)

    if not contenders:
        return []
    with ThreadPoolExecutor(min(n_jobs, len(contenders))) as pool:
        return list(pool.map(one, contenders))
