"""Has a change of structure changed anything for users? Write down all there is, then compare.

    python -m tests.unchanged write before.json      at the commit before
    python -m tests.unchanged compare before.json    now; 1 if something differs

What is written down, each under a name of its own: public names with their signatures; for every
learner and transformer of the contract table, in every variant, over every kind of input, the
SHA-256 of the saved model and of its answers (bit for bit); golden files, loaded and gone on with;
and what is said of inputs that are refused.
"""

import hashlib
import inspect
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np

import onstream
from onstream.linear import LogisticRegression
from onstream.persist import dumps

from .contract.streams import plane
from .contract.table import TRANSFORMERS, cases
from .contract.test_misuse import NO_BLOCKS, NO_EXAMPLES
from .contract.tools import KINDS, by_name, streams, targets
from .golden.make import FOLDER, answers, go_on

ROWS = 120
ADDRESS = re.compile(r"0x[0-9a-f]+")  # of an object, in what is said of it

Facts = Iterator[tuple[str, str]]


def digest(thing: Any) -> str:
    """The same for what is the same bit for bit."""
    if isinstance(thing, bytes):
        return hashlib.sha256(thing).hexdigest()[:16]
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        return digest(str((thing.dtype, thing.shape)).encode() + thing.tobytes())
    if isinstance(thing, np.ndarray):
        return digest(thing.tolist())
    if isinstance(thing, (set, frozenset)):
        return digest(sorted(map(repr, thing)))
    if isinstance(thing, (list, tuple)):
        return digest("".join(map(digest, thing)).encode())
    if isinstance(thing, dict):
        return digest([digest([key, value]) for key, value in thing.items()])
    return digest(ADDRESS.sub("0x", repr(thing)).encode())


def said(act: Callable[..., Any], *args: Any, **options: Any) -> str:
    """What came of a call: the answer's digest, or the error's sentence."""
    try:
        return digest(act(*args, **options))
    except Exception as error:
        return ADDRESS.sub("0x", f"{type(error).__name__}: {error}")


def names() -> Facts:
    """Public names of every package, with the signatures of classes, methods and functions."""
    packages = [m.name for m in iter_modules(onstream.__path__) if not m.name.startswith("_")]
    for package in ["", *sorted(packages)]:
        module = import_module(f"onstream.{package}".rstrip("."))
        for name in sorted(getattr(module, "__all__", ())):
            thing = getattr(module, name)
            yield f"{module.__name__}.{name}", signature_of(thing)
            for method in sorted(dir(thing) if inspect.isclass(thing) else ()):
                if not method.startswith("_") and callable(getattr(thing, method, None)):
                    told = signature_of(getattr(thing, method))
                    yield f"{module.__name__}.{name}.{method}", told


def signature_of(thing: Any) -> str:
    """How it is called, in any order; what it is, if it is not called."""
    try:
        taken = inspect.signature(thing).parameters.values()
        told = [f"{p.name}: {p.kind.description}, {p.default!r}" for p in taken]
        return ADDRESS.sub("0x", "; ".join(sorted(told)))
    except (TypeError, ValueError):
        return type(thing).__name__


def models() -> Facts:
    """Every learner, over every kind of input."""
    for case in cases():
        if case.line.given:
            continue
        for number, (X, y) in enumerate(streams(case, ROWS)):
            for kind, convert in KINDS.items():
                model, rows, at = case.make(), convert(X), f"{case!r} {number} {kind}"
                yield f"{at} before", said(model.predict_learn_many, rows, y, output="score")
                yield f"{at} saved", said(dumps, model)
                yield f"{at} scores", said(model.score_many, rows)
            model = case.make()
            told = [ask_and_learn(model, x, t) for x, t in zip(by_name(X), y.tolist(), strict=True)]
            yield f"{case!r} {number} one by one", digest(told)
            yield f"{case!r} {number} one by one, saved", said(dumps, model)


def ask_and_learn(model: Any, x: Any, y: Any) -> Any:
    """Predict an example, then learn it."""
    told = model.predict_one(x), model.score_one(x)
    model.learn_one(x, y)
    return told


def transformers() -> Facts:
    """Every transformer, alone and before a learner."""
    X, numbers = plane(ROWS)
    y = np.where(numbers > 0.0, "a", "b")
    for transformer in TRANSFORMERS:
        for kind in ("dicts", "dense", "CSR", "pandas"):
            alone, rows, at = transformer.clone(), KINDS[kind](X), f"{transformer!r} {kind}"
            yield f"{at} learned", said(alone.learn_many, rows)
            yield f"{at} saved", said(dumps, alone)
            yield f"{at} made", said(alone.transform_many, rows)
            behind = transformer.clone() | LogisticRegression()
            told = said(behind.predict_learn_many, rows, y, output="score")
            yield f"{at} before a learner", told
            yield f"{at} before a learner, saved", said(dumps, behind)


def golden() -> Facts:
    """Files of long ago."""
    for path in sorted(FOLDER.glob("*.onstream")):
        variant = path.stem.split("-")[1]
        model = onstream.load(path)
        yield f"{path.stem} now", digest(answers(model, variant))
        go_on(model, variant)
        yield f"{path.stem} later", digest(answers(model, variant))
        yield f"{path.stem} saved", digest(dumps(model))


def refusals() -> Facts:
    """What is said of inputs that mean nothing."""
    for case in cases():
        if case.line.given or case.params:
            continue
        y, model = targets(case, 2), case.make()
        for number, bad in enumerate(NO_EXAMPLES):
            yield f"{case!r} learn_one {number}", said(model.learn_one, bad, y[0])
            yield f"{case!r} predict_one {number}", said(model.predict_one, bad)
        for number, bad in enumerate(NO_BLOCKS):
            if hasattr(bad, "__next__"):  # can be read once only
                continue
            yield f"{case!r} learn_many {number}", said(model.learn_many, bad, y)
            yield f"{case!r} predict_many {number}", said(model.predict_many, bad)
        for bad in (None, np.nan, 1j, b"x", object(), [1], "x", 1.5, True):
            told = said(case.make().learn_one, {"a": 1.0}, bad)
            yield f"{case!r} target {type(bad).__name__}", told
        for bad in (None, np.nan, -1.0, "x", 1e308, np.inf):
            yield f"{case!r} weight {bad!r}", said(case.make().learn_one, {"a": 1.0}, y[0], bad)
        for name in sorted(inspect.signature(case.cls).parameters):
            for bad in (None, -1, "no", 1e400, object):
                told = said(case.make, **{name: bad})
                yield f"{case!r} {name}={getattr(bad, '__name__', repr(bad))}", told


def main(what: str, path: str) -> int:
    """Write all facts, or compare them with those of before."""
    warnings.simplefilter("ignore")
    now = {}
    for facts in (names, models, transformers, golden, refusals):
        found = dict(facts())
        sys.stdout.write(f"{facts.__name__}: {len(found):,}\n")
        now |= {f"{facts.__name__}: {name}": told for name, told in found.items()}
    if what == "write":
        Path(path).write_text(json.dumps(now, indent=0), encoding="utf-8")
        return 0
    before = json.loads(Path(path).read_text(encoding="utf-8"))
    different = [name for name in before.keys() | now.keys() if before.get(name) != now.get(name)]
    for name in sorted(different):
        sys.stdout.write(f"{name}\n    before {before.get(name)}\n    now    {now.get(name)}\n")
    sys.stdout.write(f"{len(different):,} of {len(before.keys() | now.keys()):,} differ.\n")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
