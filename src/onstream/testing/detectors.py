"""The rules for what takes one value after the other: drift detectors and statistics."""

import math
from collections.abc import Callable
from typing import Any

from .common import same_again
from .subject import DetectorSubject, call, same_answer, true


def verbs(subject: DetectorSubject) -> None:
    """`update` says whether there was a change (a statistic says nothing)."""
    thing = subject.make()
    for i, value in enumerate(subject.lessons):
        said = subject.teach(thing, value)
        right = said is None or isinstance(said, bool)
        true(right, f"update({value!r}), value {i}: expected True or False, got {said!r:.70}")


def blocks_equal_loops(subject: DetectorSubject) -> None:
    """`update_many` takes and finds what a loop of `update` does."""
    loop, block, values = subject.make(), subject.make(), list(subject.lessons)
    if not hasattr(loop, "update_many"):
        return
    found = [i for i, value in enumerate(values) if subject.teach(loop, value)]
    said = call(block, "update_many", values)
    same_answer(found, [] if said is None else list(map(int, said)), "indices of update_many")
    subject.same(loop, block, "update_many and a loop of update differ")
    before = subject.state(block)
    call(block, "update_many", [])
    subject.unchanged(block, before, "update_many([])")


def looking_changes_nothing(subject: DetectorSubject) -> None:
    """Its properties say the same twice, and change nothing."""
    thing = subject.taught()
    before = subject.state(thing)
    same_answer(subject.answers(thing), subject.answers(thing), "its properties")
    repr(thing)
    subject.unchanged(thing, before, "looking at it")


def refused_values_leave_no_trace(subject: DetectorSubject) -> None:
    """What is no finite number, alone and in a block."""
    bad: list[Any] = [None, [1.0]]
    bad += [] if subject.own else [math.nan, math.inf, -math.inf, "text"]
    for thing in (subject.make(), subject.taught()):
        for value in bad:
            subject.refused(thing, "update", value)
            if hasattr(thing, "update_many"):
                subject.refused(thing, "update_many", [*subject.lessons[:3], value])


CHECKS: tuple[Callable[[DetectorSubject], None], ...] = (
    verbs,
    same_again,
    blocks_equal_loops,
    looking_changes_nothing,
    refused_values_leave_no_trace,
)
