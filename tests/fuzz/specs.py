"""Models as people type them: valid ones, and those that somebody has mangled.

A valid one becomes a model whose repr becomes the same model again; anything else is refused with a
sentence. Nothing is executed, nothing is read or written.
"""

import inspect
import sys
from functools import cache
from random import Random
from typing import Any

from onstream.base import Classifier, Regressor, learners, parts
from onstream.base.parameters import parameters
from onstream.cli.names import baselines, generators, metrics, needs_all_at_once, short_names
from onstream.cli.parse import build, parse_generator, parse_model

FEW = 300
FORBIDDEN = {"exec", "open", "os.system", "subprocess.Popen", "socket.connect", "os.remove"}
SCRAPS = [
    "(", ")", "|", "+", ",", "=", "'", '"', "[", "]", "{", "}", "-", "**", "*", ":", ";", "#", "\\",
    "\n", "\0", "\x1b[2J", "\u202e", "\ud800", "é", "𝒞", "0", "1e999", "9" * 5000, "1_0", "0x",
    "1j", "None", "True", "lambda: 0", "__import__('os')", "().__class__", "f'{1}'", "b'x'", "...",
    "x for x in y", "await x", "yield", "PAClassifier", "PAClassifier()", "Sum", "BatchTree()",
    "MajorityClass()", "SEA()", "C=", "kernel=", "|" * 50, "(" * 300, ")" * 300, "[" * 300,
    "-" * 3000, "not " * 500, "StandardScaler()|" * 60, "1+" * 2000, "a." * 500, "'" * 3,
]  # fmt: skip
NUMBERS = [
    "0", "1", "-1", "2", "0.5", "1e-3", "1e300", "1e999", "-0.0", "10**9", "100", "18", "True",
    "None", "'x'", "'PA-II'", "[]", "[1, 2]", "['a', 'b']", "{'a': 1}", "(1, 2)", str(2**70), "nan",
]  # fmt: skip


@cache
def names() -> dict[str, list[str]]:
    """Names that can be typed, by what they are."""
    known = learners()
    found: dict[str, list[str]] = {"transformer": [], "learner": [], "part": sorted(parts())}
    for name, cls in known.items():
        if needs_all_at_once(cls):
            continue
        which = "transformer" if hasattr(cls, "transform_one") else "learner"
        found[which] += [name, *short_names(cls)]
    return found


def call(random: Random, name: str, cls: Any, depth: int) -> str:
    """A call with some parameters, most of them near their defaults."""
    given = []
    for parameter, default in parameters(cls).items():
        if random.random() < (0.15 if default is not inspect.Parameter.empty else 0.9):
            given.append(f"{parameter}={value(random, default, depth)}")
    random.shuffle(given)
    return f"{name}({', '.join(given)})"


def value(random: Random, default: Any, depth: int) -> str:
    """A value for a parameter."""
    kind = random.random()
    if kind < 0.3 and default is not inspect.Parameter.empty:
        return repr(default)
    if kind < 0.45 and depth < 4:
        return expression(random, depth + 1)
    if kind < 0.75 and isinstance(default, float) and not isinstance(default, bool):
        return repr(random.choice([default / 2, default * 2, random.random()]))
    if kind < 0.75 and isinstance(default, int) and not isinstance(default, bool):
        return repr(random.randrange(1, 100))
    return random.choice(NUMBERS)


def expression(random: Random, depth: int = 0) -> str:
    """A learner, a pipeline, a union, or a part."""
    known = {**parts(), **learners()}
    shorts = {short: cls for cls in learners().values() for short in short_names(cls)}

    def one(which: str) -> str:
        name = random.choice(names()[which])
        return call(random, name, known.get(name) or shorts[name], depth)

    kind = random.random()
    if kind < 0.4:
        return one("learner")
    if kind < 0.75 and depth < 3:
        steps = [one("transformer") for _ in range(random.randrange(1, 4))]
        joint = random.choice([" | ", " | ", "|", " + "])
        first = joint.join(steps)
        first = f"({first})" if "+" in joint else first
        return f"{first} | {one('learner')}"
    return one(random.choice(["part", "transformer", "learner"]))


def mangled(random: Random, text: str) -> str:
    """The text with a few accidents."""
    for _ in range(random.choice([1, 1, 2, 5, 20])):
        at, to = sorted(random.randrange(len(text) + 1) for _ in range(2))
        kind = random.randrange(5)
        if kind == 0:
            text = text[:at] + random.choice(SCRAPS) + text[at:]
        elif kind == 1:
            text = text[:at] + text[to:]
        elif kind == 2:
            text = text[:at] + random.choice(SCRAPS) + text[to:]
        elif kind == 3:
            text = text[:to] + text[at:to] + text[to:]
        else:
            text = (
                text[:at]
                + chr(random.choice([random.randrange(128), random.randrange(0x11000)]))
                + text[at:]
            )
    return text[:20_000]


watching = False


def watch(event: str, details: tuple[Any, ...]) -> None:
    """An audit hook: what a description of a model must never cause."""
    if watching and event in FORBIDDEN:
        first = details[0] if details else None
        if event == "open" and str(first).endswith((".py", ".pyc", ".so")):
            return  # a module that is first needed now
        if event != "exec" or getattr(first, "co_filename", "").startswith("<unknown>"):
            raise AssertionError(f"a description of a model caused {event}{details!r:.200}")


parse_model("PAClassifier()")  # modules are read when they are first needed
sys.addaudithook(watch)


def parsed(parse: Any, text: str) -> Any:
    """What the text stands for; None if it was refused with a sentence."""
    global watching
    watching = True
    try:
        return parse(text)
    except ValueError as error:
        told = str(error)
        assert ": " in told, told
        assert len(told) < 2000, told
        assert "Traceback" not in told
        assert " object at 0x" not in told
        return None
    finally:
        watching = False


def attempt(random: Random) -> None:
    """One description, as it is or mangled."""
    kind = random.random()
    if kind < 0.1:
        known = random.choice([metrics(), generators(), baselines()])
        given = random.choice(["", "function=2", "seed=3", "1", "x=1"])
        text = f"{random.choice(sorted(known))}({given})"
        text = mangled(random, text) if random.random() < 0.5 else text
        parsed(parse_generator, text)
        parsed(lambda text: build(text, metrics(), "metric"), text)
        return
    text = expression(random)
    valid = kind < 0.55
    model = parsed(parse_model, text if valid else mangled(random, text))
    if model is None:
        return
    assert hasattr(model, "learn_one")
    if not isinstance(model, (Classifier, Regressor)) and not hasattr(model, "transform_one"):
        return
    written = repr(model)
    if "<" in written or "..." in written:
        return  # a function has no name to type, and long lists are cut
    again = parsed(parse_model, written)
    assert again is not None, written
    assert type(again) is type(model)
    assert repr(again) == written
