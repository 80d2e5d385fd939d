"""`check_learner`: run the rules of the contract over one learner, transformer or detector."""

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ..base import DataWarning
from . import common, detectors, learners, transformers
from .subject import DetectorSubject, Subject, TransformerSubject, subject_of


def check_learner(
    learner: Any, *, X: Iterable[Any] | None = None, y: Iterable[Any] | None = None
) -> None:
    """Check that a learner, a transformer or a drift detector keeps the contract.

    The first rule that is broken raises an AssertionError, which says which rule, by what input,
    and what was expected. Verbs that are optional are checked if they are there.

    Parameters
    ----------
    learner : a class, or an instance that has learned nothing
        A class is made without parameters.
    X : iterable of examples, default None
        What to teach, at least 20, if the learner does not take mappings of numbers. For a
        detector, values.
    y : iterable of targets, default None
        Their targets.

    Examples
    --------
    >>> from onstream import PAClassifier
    >>> from onstream.testing import check_learner
    >>> check_learner(PAClassifier)
    >>> check_learner(PAClassifier(C=0.1))
    """
    for check in checks(learner, X=X, y=y).values():
        check()


def checks(
    learner: Any, *, X: Iterable[Any] | None = None, y: Iterable[Any] | None = None
) -> dict[str, Callable[[], None]]:
    """The checks that `check_learner` would run, by name: for tests of their own.

    Examples
    --------
    >>> from onstream.drift import ADWIN
    >>> from onstream.testing import checks
    >>> list(checks(ADWIN))[:2]
    ['verbs', 'same_again']
    """
    subject = subject_of(learner, X, y)
    rules: tuple[Callable[[Any], None], ...] = learners.CHECKS
    if isinstance(subject, TransformerSubject):
        rules = transformers.CHECKS
    elif isinstance(subject, DetectorSubject):
        rules = detectors.CHECKS
    return {rule.__name__: partial(run, rule, subject) for rule in (*rules, *common.CHECKS)}


def run(rule: Callable[[Any], None], subject: Subject) -> None:
    """Run one check; what fails says whose it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            rule(subject)
        except AssertionError as error:
            said = f"{subject.name}: {rule.__name__}: {error}."
            raise AssertionError(said) from error.__cause__
