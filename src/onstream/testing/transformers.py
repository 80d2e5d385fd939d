"""The rules for transformers: what comes out, and when they may change."""

from collections.abc import Callable, Mapping

from .common import same_again
from .learners import (
    bad_examples,
    empty_rows,
    inputs_stay_the_users,
    merging,
    predictions_change_nothing,
    weights,
)
from .subject import TransformerSubject, call, same_answer, true


def verbs(subject: TransformerSubject) -> None:
    """What the verbs return, before any example and after."""
    model = subject.make()
    call(model, "transform_one", subject.xs[0])
    for x, y in subject.lessons:
        said = subject.teach(model, (x, y))
        true(said is None, f"learn_one returned {said!r:.70}; expected None")
        said = call(model, "transform_one", x)
        right = isinstance(said, Mapping)
        true(right, f"transform_one({x!r:.70}): expected a mapping, got {said!r:.70}")


def blocks_equal_loops(subject: TransformerSubject) -> None:
    """`*_many` gives the bits of a loop of `*_one`."""
    loop = subject.taught()
    if not hasattr(loop, "learn_many"):
        return
    block, pieces = subject.make(), subject.make()
    call(block, "learn_many", subject.xs)
    subject.same(loop, block, "learn_many of mappings and a loop of learn_one differ")
    for start, stop in ((0, 1), (1, 1), (1, 7), (7, len(subject.xs))):
        call(pieces, "learn_many", subject.xs[start:stop])
    subject.same(loop, pieces, "learn_many in pieces and a loop of learn_one differ")
    if hasattr(loop, "transform_many"):
        each = [call(loop, "transform_one", x) for x in subject.xs]
        said = list(call(loop, "transform_many", subject.xs))
        same_answer(each, said, "transform_many and a loop of transform_one differ")


def refused_examples_leave_no_trace(subject: TransformerSubject) -> None:
    """Infinite values and what is no example, alone and in a block."""
    for model in (subject.make(), subject.taught(stop=10)):
        for x in [] if subject.own else bad_examples():
            subject.refused(model, "learn_one", x)
            if hasattr(model, "learn_many"):
                subject.refused(model, "learn_many", [*subject.xs[:2], x])


CHECKS: tuple[Callable[[TransformerSubject], None], ...] = (
    verbs,
    same_again,
    predictions_change_nothing,
    inputs_stay_the_users,
    blocks_equal_loops,
    empty_rows,
    refused_examples_leave_no_trace,
    weights,
    merging,
)
