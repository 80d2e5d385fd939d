"""The rules for learners: what they answer, and when they may change."""

import math
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from ..base import Learner
from ..base.errors import NotMergeable
from .common import same_again
from .subject import LearnerSubject, call, plain, same_answer, true, written
from .trace import trace

MAPPINGS = "mappings"  # the kind of rows that every learner takes
EXTREME = (5e-324, -1e-160, 1e100, -1e160, 1.7976931348623157e308)
MAYBE_MISSING = math.nan  # trees and naive Bayes take it for a gap, others refuse it
TINY = 1e-9
# What Python itself says of operations that nobody has thought of.
OF_PYTHON = (
    "unsupported operand",
    "not supported between",
    "object is not",
    "object does not support",
    "positional argument",
    "unexpected keyword argument",
    "can only concatenate",
    "has no len()",
)


def verbs(subject: LearnerSubject) -> None:
    """What the verbs return, before any example and after."""
    model = subject.make()
    for verb in ("learn_one", "predict_one"):
        true(hasattr(model, verb), f"there is no {verb}")
    x = subject.xs[0]
    said = call(model, "predict_one", x)
    first: Any = 0.0 if subject.numbers else None
    if subject.sets:
        first = set()
    if first is not None or subject.labels:
        right = type(said) is type(first) and said == first
        true(right, f"before any example, predict_one({x!r:.70}): expected {first!r}, got {said!r}")
    known: list[Any] = []
    for i, (x, y) in enumerate(subject.lessons):
        said = subject.teach(model, (x, y))
        true(said is None, f"learn_one returned {said!r:.70}; expected None")
        known.append(y)
        if hasattr(model, "seen"):
            true(model.seen == i + 1, f"seen after {i + 1} examples: got {model.seen!r}")
        said = call(model, "predict_one", x)
        wanted, right = "", True
        if subject.labels:
            wanted, right = "a label that was learned", one_of(known, said)
        elif subject.sets:
            wanted = "a set of labels that were learned"
            right = isinstance(said, set) and said <= set().union(*known)
        elif subject.numbers:
            wanted = "a finite float"
            right = isinstance(said, float) and math.isfinite(said)
        what = f"after {i + 1} examples, predict_one({x!r:.70})"
        true(right, f"{what}: expected {wanted}, got {said!r:.70}")
    if hasattr(model, "memory_bytes"):
        true(model.memory_bytes > 0, f"memory_bytes: got {model.memory_bytes!r}")


def labels(subject: LearnerSubject) -> None:
    """Labels of any kind come at any time; scores and probabilities name those that are known."""
    if not subject.labels or subject.own:
        return
    for some in (["ham", "spam", "eggs"], [7, 1, -3], [False, True]):
        model, met = subject.make(), []
        for i, x in enumerate(subject.xs[:18]):
            y = some[i % 2] if i < 9 else some[i % len(some)]
            subject.teach(model, (x, y))
            if y not in met:
                met.append(y)
            said = call(model, "predict_one", x)
            what = f"predict_one({x!r:.70})"
            true(one_of(met, said), f"{what}: expected one of {met!r}, got {said!r}")
            if hasattr(model, "labels"):
                known, n = model.labels, i + 1
                wanted = f"expected {met!r}, in order of appearance, got {known!r:.70}"
                what = f"labels after {n} example{'s' * (n > 1)}"
                true(isinstance(known, (list, tuple)), f"{what}: {wanted}")
                same_answer(met, list(known), "labels, in order of appearance")
            answers_about(model, met, x)


def one_of(known: list[Any], said: Any) -> bool:
    """Say whether it is a label that is known, and of the same type: True is not 1."""
    return any(type(said) is type(label) and said == label for label in known)


def answers_about(model: Any, met: list[Any], x: Any) -> None:
    """Probabilities sum to 1; where scores have names, each label has one."""
    if hasattr(model, "predict_proba_one"):
        said, what = call(model, "predict_proba_one", x), f"predict_proba_one({x!r:.70})"
        true(names(said) == names(met), f"{what}: expected a dict of {met!r}, got {said!r:.100}")
        fair = all(0.0 <= p <= 1.0 for p in said.values()) and abs(sum(said.values()) - 1.0) < TINY
        true(fair, f"{what}: expected probabilities that sum to 1, got {said!r:.150}")
    if hasattr(model, "score_one"):
        said, what = call(model, "score_one", x), f"score_one({x!r:.70})"
        if isinstance(said, dict):
            true(names(said) == names(met), f"{what}: expected a score of each of {met!r}")
        true(finite(said), f"{what}: expected finite scores, got {said!r:.100}")


def names(labels: Any) -> list[str] | None:
    """Labels, or those of a dict, in one order; None if these are none."""
    return sorted(map(repr, labels)) if isinstance(labels, (dict, list)) else None


def predictions_change_nothing(subject: LearnerSubject) -> None:
    """Neither what it holds nor what it learns later; new features leave no trace either."""
    asked = [*subject.probes, *([] if subject.own else [{}, {"never": 1.0, "f1": None}])]
    texts = [] if subject.own else [{"text": "word"}]  # some refuse them
    half = len(subject.lessons) // 2
    for model in (subject.make(), subject.taught(stop=half)):
        before = subject.state(model)
        for verb, x in product(subject.questions(model), asked):
            call(model, verb, x)
            subject.unchanged(model, before, written(verb, (x,), {}))
        for verb, x in product(subject.questions(model), texts):
            with suppress(TypeError, ValueError):
                getattr(model, verb)(x)
            subject.unchanged(model, before, written(verb, (x,), {}))
        for verb in ("predict_many", "score_many", "predict_proba_many", "transform_many"):
            if hasattr(model, verb):
                call(model, verb, asked)
                subject.unchanged(model, before, f"{verb} of {len(asked)} rows")
    quiet, curious = subject.make(), subject.make()
    for lesson, same_lesson in zip(subject.lessons, subject.lessons, strict=True):
        subject.teach(quiet, lesson)
        for verb in subject.questions(curious):
            call(curious, verb, asked[-1])
        subject.teach(curious, same_lesson)
    subject.same(quiet, curious, "predictions between the lessons made a difference")


def blocks_equal_loops(subject: LearnerSubject) -> None:
    """`*_many` gives the bits of a loop of `*_one` over the same kind of rows."""
    for kind, (X, rows) in kinds(subject).items():
        loop = subject.make()
        if not hasattr(loop, "learn_many"):
            return
        if kind != MAPPINGS and not taken(subject, X):
            continue
        told = []
        for one, (_, y) in zip(rows, subject.lessons, strict=True):
            told.append(answer(loop, "predict", one))
            learn_row(subject, loop, one, y)
        block, pieces, what = subject.make(), subject.make(), f"learn_many of {kind}"
        call(block, "learn_many", *subject.arguments(X, subject.ys))
        subject.same(loop, block, f"{what} and a loop of learn_one differ")
        for start, stop in ((0, 1), (1, 1), (1, 7), (7, len(rows))):
            call(pieces, "learn_many", *subject.arguments(X[start:stop], subject.ys[start:stop]))
        subject.same(loop, pieces, f"{what} in pieces and a loop of learn_one differ")
        if hasattr(loop, "predict_learn_many"):
            tested, what = subject.make(), f"predict_learn_many of {kind}"
            said = call(tested, "predict_learn_many", *subject.arguments(X, subject.ys))
            same_answer(told, plain(said), f"{what} and a loop of predict_one differ")
            subject.same(loop, tested, f"{what} and a loop of learn_one differ")
        for stem in ("predict", "score", "predict_proba"):
            if hasattr(loop, f"{stem}_many") and hasattr(loop, f"{stem}_one"):
                each = [answer(loop, stem, row) for row in rows]
                said = plain(call(loop, f"{stem}_many", X))
                same_answer(each, said, f"{stem}_many of {kind} and a loop of {stem}_one differ")


def kinds(subject: LearnerSubject) -> dict[str, tuple[Any, list[Any]]]:
    """The examples as blocks of several kinds, each with its rows."""
    examples = subject.xs
    if subject.own:
        return {MAPPINGS: (examples, examples)}
    dense = np.array([[x.get(f"f{j}", 0.0) for j in range(5)] for x in examples])
    table = pa.table({f"f{j}": dense[:, j] for j in range(5)})
    return {
        MAPPINGS: (examples, examples),
        "an array": (dense, list(dense)),
        "an Arrow table": (table, [table[i : i + 1] for i in range(len(examples))]),
    }


def taken(subject: LearnerSubject, X: Any) -> bool:
    """Does it take rows of this kind? If not, it must refuse them without a trace."""
    model = subject.make()
    before = subject.state(model)
    try:
        model.learn_many(*subject.arguments(X, subject.ys))
    except Exception:
        subject.unchanged(model, before, f"learn_many({type(X).__name__}), which was refused,")
        return False
    return True


def learn_row(subject: LearnerSubject, model: Any, row: Any, y: Any) -> None:
    """Learn one row of a block; that of a table is a table."""
    if isinstance(row, pa.Table):
        call(model, "learn_many", *subject.arguments(row, [y]))
    else:
        subject.teach(model, (row, y))


def answer(model: Any, stem: str, row: Any) -> Any:
    """The answer to one row, as one of a block is written."""
    if isinstance(row, pa.Table):
        return plain(call(model, f"{stem}_many", row))[0]
    said = call(model, f"{stem}_one", row)
    return list(said.values()) if isinstance(said, dict) else said


def empty_rows(subject: LearnerSubject) -> None:
    """An example without features is one like any other; a block without rows is nothing."""
    model = subject.taught(stop=10)
    before = subject.state(model)
    if hasattr(model, "learn_many"):
        call(model, "learn_many", *subject.arguments([], []))
        subject.unchanged(model, before, "learn_many([])")
    for verb in ("predict_many", "score_many", "predict_proba_many"):
        if hasattr(model, verb):
            said = call(model, verb, [])
            true(len(said) == 0, f"{verb}([]): expected no rows, got {said!r:.70}")
    if not subject.own:
        for thing in (subject.make(), model):
            subject.teach(thing, ({}, subject.ys[0]))
            for verb in subject.questions(thing):
                call(thing, verb, {})


def refused_examples_leave_no_trace(subject: LearnerSubject) -> None:
    """Infinite values, what is no example, no target or no weight, alone and in a block."""
    good, target = subject.lessons[0]
    for model in (subject.make(), subject.taught(stop=10)):
        for x in [] if subject.own else bad_examples():
            refuse(subject, model, x, target)
        for y in bad_targets(subject):
            refuse(subject, model, good, y)
        if hasattr(model, "learn_many"):
            before = subject.state(model)
            subject.refused(model, "learn_many", *subject.arguments(good, target))
            if subject.targets:
                subject.refused(model, "learn_many", [good, good], [target])
            subject.unchanged(model, before, "learn_many of rows and targets of other lengths")
    if not subject.own:
        maybe_refused(subject, {"f0": MAYBE_MISSING, "late": 1.0}, target)


def bad_examples() -> list[Any]:
    """What no learner takes."""
    return [
        {"new": math.inf},
        {"f0": 1.0, "new": -math.inf},
        {"new": 1.0, "f0": [1.0]},
        {"new": 10**400},
        None,
        3.0,
    ]


def bad_targets(subject: LearnerSubject) -> list[Any]:
    """What no learner of these targets takes."""
    if not subject.targets:
        return []
    if subject.numbers:
        return [math.nan, math.inf, None, "text"]
    if subject.sets:
        return [None, 0.5]
    return [None, math.nan, 0.5] if subject.labels else []  # a structure may be anything


def refuse(subject: LearnerSubject, model: Any, x: Any, y: Any) -> None:
    """An example must be refused alone, and as the last of a block, which is learned or not."""
    subject.refused(model, "learn_one", *subject.arguments(x, y))
    if hasattr(model, "learn_many"):
        good, target = subject.lessons[1]
        block = subject.arguments([good, good, x], [target, target, y])
        subject.refused(model, "learn_many", *block)
        if hasattr(model, "predict_learn_many"):
            subject.refused(model, "predict_learn_many", *block)


def maybe_refused(subject: LearnerSubject, x: Any, y: Any) -> bool:
    """Learn what some refuse: then there must be no trace, and otherwise only finite answers."""
    model = subject.taught(stop=10)
    before, what = subject.state(model), written("learn_one", subject.arguments(x, y), {})
    try:
        model.learn_one(*subject.arguments(x, y))
    except (TypeError, ValueError):
        subject.unchanged(model, before, f"{what}, which was refused,")
        return True
    except Exception as error:
        raise AssertionError(f"{what} raised {type(error).__name__}: {error}") from error
    for verb in subject.questions(model):
        for probe in subject.probes:
            said = call(model, verb, probe)
            true(finite(said), f"{verb}({probe!r:.70}) after {what}: got {said!r:.70}")
    return False


def numbers_stay_finite(subject: LearnerSubject) -> None:
    """The largest and the smallest numbers are refused without a trace, or answers stay finite."""
    if subject.own:
        return
    for a, b in product(EXTREME, EXTREME):
        y = b if subject.numbers else subject.ys[0]
        maybe_refused(subject, {"f0": a, "f1": b, "new": -a}, y)


def finite(said: Any) -> bool:
    """Say whether all numbers of an answer are finite."""
    if isinstance(said, dict):
        return all(map(finite, said.values()))
    return not isinstance(said, float) or math.isfinite(said)


def inputs_stay_the_users(subject: LearnerSubject) -> None:
    """An example is neither changed nor kept: what its owner does to it later changes nothing."""
    free, spied = subject.make(), subject.make()
    for x, y in subject.lessons:
        subject.teach(free, (x, y))
    for x, y in subject.lessons:
        before = trace(x)
        subject.teach(spied, (x, y))
        for verb in subject.questions(spied):
            call(spied, verb, x)
        same_answer(before, trace(x), f"the example after learn_one({x!r:.70})")
        if isinstance(x, dict) and not subject.own:
            x.clear()
            x["spoiled"] = 1e9
    subject.same(free, spied, "an example that was changed after it had been learned")


def weights(subject: LearnerSubject) -> None:
    """A block weighs as a loop does; of weight 0 an example is none, below 0 it is refused."""
    if not subject.weights:
        return
    model = subject.taught(stop=10)
    before, (x, y) = subject.state(model), subject.lessons[11]
    call(model, "learn_one", *subject.arguments(x, y), w=0.0)
    subject.unchanged(model, before, "learn_one(..., w=0.0)")
    if hasattr(model, "learn_many"):
        rows = subject.lessons[11:14]
        block = subject.arguments([x for x, _ in rows], [y for _, y in rows])
        call(model, "learn_many", *block, w=[0.0] * 3)
        subject.unchanged(model, before, "learn_many(..., w=[0.0, 0.0, 0.0])")
        block_weighs_as_loop(subject)
    for w in (-1.0, math.nan, math.inf, "1", None):
        subject.refused(model, "learn_one", *subject.arguments(x, y), w=w)
        if hasattr(model, "learn_many"):
            subject.refused(model, "learn_many", *block, w=[1.0, 1.0, w])


def block_weighs_as_loop(subject: LearnerSubject) -> None:
    """The weights of a block are those of its rows."""
    loop, whole = subject.make(), subject.make()
    each = [0.5 + i % 4 for i in range(len(subject.lessons))]
    for (x, y), w in zip(subject.lessons, each, strict=True):
        call(loop, "learn_one", *subject.arguments(x, y), w=w)
    call(whole, "learn_many", *subject.arguments(subject.xs, subject.ys), w=each)
    subject.same(loop, whole, "learn_many(X, y, w) and a loop of learn_one(x, y, w) differ")


def merging(subject: LearnerSubject) -> None:
    """A merge counts both and leaves the other as it was; what cannot be merged stays as it was."""
    model, other = subject.taught(stop=20), subject.taught(start=20)
    if not hasattr(model, "merge"):
        return
    before, theirs = subject.state(model), subject.state(other)
    try:
        model.merge(other)
    except TypeError as error:
        said_why(model, error)
        subject.unchanged(model, before, "merge(other), which was refused,")
    except Exception as error:
        raise AssertionError(f"merge(other) raised {type(error).__name__}: {error}") from error
    else:
        if hasattr(model, "seen"):
            both = len(subject.lessons)
            true(model.seen == both, f"seen after a merge: expected {both}, got {model.seen!r}")
    subject.unchanged(other, theirs, "merge(other), of the other one,")
    for wrong in (model, object(), None):
        subject.refused(model, "merge", wrong)


def said_why(model: Any, error: TypeError) -> None:
    """A refusal to merge must be meant: NotMergeable, or of a class of its own its own words."""
    what = f"merge(other) raised {type(error).__name__}: {error}"
    if isinstance(model, Learner):
        wanted = "expected NotMergeable, which says why it cannot be merged"
        true(isinstance(error, NotMergeable), f"{what}; {wanted}")
    by_accident = not str(error) or any(words in str(error) for words in OF_PYTHON)
    true(not by_accident, f"{what}; expected a merge, or an error that says why there is none")


CHECKS: tuple[Callable[[LearnerSubject], None], ...] = (
    verbs,
    labels,
    same_again,
    predictions_change_nothing,
    inputs_stay_the_users,
    blocks_equal_loops,
    empty_rows,
    refused_examples_leave_no_trace,
    weights,
    numbers_stay_finite,
    merging,
)
