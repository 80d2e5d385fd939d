"""Names that people may type: of learners and parts, generators, metrics and baselines."""

from collections.abc import Iterable
from sys import modules
from typing import Any

from .. import evaluate, streams
from ..base import learners, parts
from ..base.checks import otherwise_called

ELSEWHERE = {  # learners in papers and other libraries, in small letters: those here
    "arf": ("AdaptiveRandomForestClassifier", "AdaptiveRandomForestRegressor"),
    "srp": ("StreamingRandomPatchesClassifier",),
    "sgbt": ("StreamingGradientBoostingClassifier", "StreamingGradientBoostingRegressor"),
    "xgboost": ("StreamingGradientBoostingClassifier", "StreamingGradientBoostingRegressor"),
    "lightgbm": ("StreamingGradientBoostingClassifier", "StreamingGradientBoostingRegressor"),
    "logreg": ("LogisticRegression",),
    "lr": ("LogisticRegression", "LinearRegression"),
    "sgd": ("SGDClassifier", "SGDRegressor"),
    "svm": ("PAClassifier",),
    "ftrl": ("FTRLProximal",),
    "nb": ("GaussianNB",),
    "naivebayes": ("GaussianNB",),
    "automl": ("EvolvingClassifier", "EvolvingRegressor"),
}


def by_name() -> dict[str, type[Any]]:
    """Every learner and part, by all of its names."""
    known = {**parts(), **learners()}
    short = {name: cls for cls in known.values() for name in short_names(cls)}
    return {**short, **known}


def generators() -> dict[str, type[Any]]:
    """Every generator of random streams."""
    return offered(streams.generators)


def metrics() -> dict[str, type[Any]]:
    """Every metric."""
    base = evaluate.Metric
    known = offered(evaluate).items()
    return {name: cls for name, cls in known if issubclass(cls, base) and cls is not base}


def baselines() -> dict[str, type[Any]]:
    """What learners have to beat; not learned from features, never saved."""
    known = offered(evaluate).items()
    return {name: cls for name, cls in known if getattr(cls, "baseline", False)}


def offered(module: Any) -> dict[str, type[Any]]:
    """The classes that a module offers."""
    found = {name: getattr(module, name) for name in module.__all__}
    return {name: thing for name, thing in found.items() if isinstance(thing, type)}


def family(cls: type[Any]) -> str:
    """The package of onstream that exports a class: linear, tree, streams, ..."""
    return cls.__module__.split(".")[1]


def short_names(cls: type[Any]) -> list[str]:
    """Other names by which its family exports a class: VFDT is the HoeffdingTreeClassifier."""
    home = modules.get(f"onstream.{family(cls)}")
    offered = getattr(home, "__all__", ())
    return [name for name in offered if name != cls.__name__ and getattr(home, name) is cls]


def meant(name: str, known: Iterable[str]) -> str:
    """Perhaps something else was meant: with a slip of the fingers, or a part of a name."""
    known, name = list(known), name[:80]
    ours = [repr(other) for other in ELSEWHERE.get(name.lower(), ()) if other in known]
    if told := otherwise_called(name, known) or (ours and f" Here it is {' or '.join(ours)}."):
        return told
    allowed = max(1, len(name) // 4) if len(name) > 2 else 0
    slips = {other: edits(name.lower(), other.lower(), allowed) for other in known}
    if len(name) < 4:  # of so few letters, the first is rarely wrong: 'all' is no 'KLL'
        slips = {other: n for other, n in slips.items() if other[:1].lower() == name[:1].lower()}
    close = min(slips, key=lambda other: slips[other], default=None)
    if close is not None and slips[close] <= allowed:
        return f" Did you mean {close!r}?"
    part = name.lower()
    begun = [other for other in known if len(part) > 2 and other.lower().startswith(part)]
    holding = [other for other in known if len(part) > 5 and part in other.lower()]
    some = " or ".join(map(repr, sorted(begun or holding, key=len)[:2]))
    return f" Did you mean {some}?" if some else ""


def edits(one: str, other: str, most: int) -> int:
    """Letters to insert, leave out, replace, or exchange with the next; more than `most`: many."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, row, last = row, [i], before
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


def needs_all_at_once(cls: type[Any]) -> bool:
    """Say whether it learns, but is registered as a part, not as a learner of streams."""
    return hasattr(cls, "learn_one") and cls in parts().values()


def check_online(model: Any) -> None:
    """Refuse a model of which some step does not learn from a stream."""
    steps = getattr(model, "steps", None)
    for step in steps if isinstance(steps, (list, tuple)) else ():
        check_online(step)
    if needs_all_at_once(type(model)):
        raise ValueError(
            f"onstream: {type(model).__name__} is no online learner: it is built from all rows at "
            f"once, by `fit` in Python. `onstream models` lists those that learn row by row."
        )
