"""What the text of a learner asks for: checked before it is made, then hashed into fixed memory."""

import ast
import contextlib
import inspect
import secrets
import warnings
from math import prod
from typing import Any

from ..cli.names import by_name
from ..cli.parse import parse_model
from ..features import FeatureHasher, Pipeline
from .example import Refused

HASH_BITS = (18, 10)  # 2^18 slots: 2 MB for each label; 2^10 where a matrix has their square
MAX_LABELS = 100
LONGEST_TEXT = 2000  # of a learner
MEMBERS = ("n_models", "bag_size", "population")  # parameters that say of how many learners
MOST_MEMBERS = 1000  # in all; each takes half a millisecond to load, and some 30 kB


def hashed(text: str, most: int | None = None) -> Any:
    """The learner of a text, in a space of fixed size whose hash nobody outside knows."""
    if len(text) > LONGEST_TEXT:
        raise Refused("the text of the learner is too long", "learner", "Up to 2,000 letters.")
    given = keywords(text)
    check_size(text, most)
    try:
        learner = parse_model(text)
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        raise Refused(str(error), "learner", "Write it like PAClassifier(C=0.1).") from None
    if not hasattr(learner, "predict_many"):
        raise Refused(f"{text:.80} predicts nothing", "learner", "Put a learner behind it.")
    steps = list(learner.steps) if isinstance(learner, Pipeline) else [learner]
    last = steps[-1]
    known = inspect.signature(type(last)).parameters
    declared = len(last.params.get("labels") or ())
    labels = (
        {"max_labels": max(MAX_LABELS, declared)} if "max_labels" in set(known) - set(given) else {}
    )
    secret: dict[str, Any] = {"hash_bits": 0, "hash_seed": secrets.randbits(62)}
    explicit = set(given) & set(secret) or any(isinstance(one, FeatureHasher) for one in steps)
    if explicit or "hash_bits" not in known:
        changed = last.clone(**labels) if labels else last
        return changed if len(steps) == 1 else Pipeline(*steps[:-1], changed)
    secret["hash_bits"] = slots(last)
    if len(steps) == 1:
        return last.clone(**labels, **secret)
    return Pipeline(*steps[:-1], FeatureHasher(**secret), last.clone(**labels))


def check_size(text: str, most: int | None) -> None:
    """Refuse what would take too long, or too much memory, to be made at all."""
    asked = [one for call in calls(text) for one in call.keywords if one.arg == "hash_bits"]
    for bits in (literal(one.value) for one in asked):
        if most is not None and isinstance(bits, int) and 0 < bits < 64 and 8 << bits > most:
            raise Refused(
                f"2^{bits} slots have {8 << bits:,} bytes; {most:,} are allowed", "learner",
                "Give it fewer hash_bits, or start the service with more --memory.",
            )  # fmt: skip
    found = members(text)
    if found > MOST_MEMBERS:
        raise Refused(
            f"{text:.80} has {found:,} members; {MOST_MEMBERS:,} are allowed", "learner",
            f"Give it less of {', '.join(MEMBERS)}.",
        )  # fmt: skip


def members(text: str) -> int:
    """How many learners an ensemble keeps, with those of its members; a step is one."""

    def count(node: ast.AST) -> int:
        called = getattr(node, "func", node)
        inner = sum(count(one) for one in ast.iter_child_nodes(node) if one is not called)
        kind = known.get(called.id) if isinstance(called, ast.Name) else None
        if kind is None:
            return inner
        given = {one.arg: literal(one.value) for one in getattr(node, "keywords", ())}
        parameters = inspect.signature(kind).parameters
        sizes = [given.get(one, parameters[one].default) for one in MEMBERS if one in parameters]
        return prod(size for size in sizes if type(size) is int and size > 0) * max(1, inner)

    known = by_name()
    return max(1, sum(count(node) for node in tree(text)))


def slots(learner: Any) -> int:
    """How many bits of hash a learner takes."""
    for bits in HASH_BITS[:-1]:
        with contextlib.suppress(ValueError):
            learner.clone(hash_bits=bits)
            return bits
    return HASH_BITS[-1]


def keywords(text: str) -> dict[str, Any]:
    """The arguments by name anywhere in the text of a learner; what cannot be read has none."""
    return {str(one.arg): literal(one.value) for call in calls(text) for one in call.keywords}


def literal(node: ast.expr) -> Any:
    """The value of an argument, as the parser takes it: +5 is 5; None if it is a call."""
    with contextlib.suppress(TypeError, ValueError):
        return ast.literal_eval(node)
    return None


def calls(text: str) -> list[ast.Call]:
    """The calls anywhere in the text of a learner."""
    return [node for one in tree(text) for node in ast.walk(one) if isinstance(node, ast.Call)]


def tree(text: str) -> list[ast.expr]:
    """The text of a learner as Python reads it; nothing if that is not possible."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return [ast.parse(text.strip(), mode="eval").body]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
