"""What is checked: how a new one is made, what it is taught, what it is asked, what it holds."""

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..base import MultilabelClassifier, Part, Regressor, Unsupervised
from ..base.registry import public_class
from ..persist.format import holders
from .trace import Leaves, difference, opaque, trace

ROWS = 40
QUESTIONS = ("predict_one", "score_one", "predict_proba_one", "transform_one")
PROBES: list[Any] = [{"f0": 1.0, "f1": -0.5}, {"f2": 3.0, "never": 1.0}, {"f0": 0.25}]
VIEWS = ("seen", "labels")


class Subject(ABC):
    """A class, or an instance that has learned nothing, and what it can be taught."""

    def __init__(self, given: Any) -> None:
        self.given = given
        self.material: list[Any] = []
        self.cls = given if isinstance(given, type) else type(given)
        self.name = public_class(self.cls).__name__

    @property
    def lessons(self) -> list[Any]:
        """What it is taught: copies, as one that is broken may spoil them."""
        return copy.deepcopy(self.material)

    def make(self) -> Any:
        """A new one."""
        if not isinstance(self.given, type):
            clone = getattr(self.given, "clone", None)
            return copy.deepcopy(self.given) if clone is None else clone()
        try:
            return self.given()
        except TypeError as error:
            raise TypeError(
                f"check_learner: {self.name} cannot be made without parameters ({error}); "
                f"give an instance instead of the class."
            ) from error

    def taught(self, *, start: int = 0, stop: int | None = None, to: Any = None) -> Any:
        """A new one (or `to`) after these lessons, one after the other."""
        thing = self.make() if to is None else to
        for lesson in self.lessons[start:stop]:
            self.teach(thing, lesson)
        return thing

    @abstractmethod
    def teach(self, thing: Any, lesson: Any) -> Any:
        """One lesson."""

    @abstractmethod
    def answers(self, thing: Any) -> Any:
        """What it says when it is asked everything."""

    def state(self, thing: Any) -> Leaves:
        """What it holds; where nobody can look into it, what it answers."""
        found = trace(thing)
        return trace(self.answers(thing)) if opaque(found) else found

    def same(self, expected: Any, found: Any, what: str) -> None:
        """Two models must hold, and answer, the same."""
        same_leaves(self.state(expected), self.state(found), f"{what}: another model")
        same_leaves(trace(self.answers(expected)), trace(self.answers(found)), what)

    def unchanged(self, thing: Any, before: Leaves, what: str) -> None:
        """A model must be as it was."""
        same_leaves(before, self.state(thing), f"{what} changed the model")

    def refused(self, thing: Any, verb: str, *args: Any, **options: Any) -> None:
        """A call must be refused with a TypeError or a ValueError, and leave no trace."""
        before = self.state(thing)
        what = written(verb, args, options)
        try:
            getattr(thing, verb)(*args, **options)
        except (TypeError, ValueError):
            pass
        except Exception as error:
            raise AssertionError(
                f"{what} raised {said(error)}; expected a TypeError or a ValueError"
            ) from error
        else:
            raise AssertionError(f"{what} was taken; expected a TypeError or a ValueError")
        self.unchanged(thing, before, f"{what}, which was refused,")


class LearnerSubject(Subject):
    """A learner of labels, of numbers, of sets of labels or of examples alone."""

    def __init__(self, given: Any, X: Any = None, y: Any = None) -> None:
        super().__init__(given)
        model = self.make()
        self.sets = isinstance(model, MultilabelClassifier)
        numbers = isinstance(model, Regressor) or getattr(model, "task", "") == "numbers"
        self.numbers = numbers or getattr(model, "target_kind", "") == "numbers"
        self.targets = takes(model, "learn_one", "y") and not isinstance(model, Unsupervised)
        structured = getattr(model, "target_kind", "") == "structured"
        self.labels = self.targets and not self.numbers and not structured
        self.weights = takes(model, "learn_one", "w")
        self.own = X is not None
        if self.own:
            examples = list(X)
            targets = [None] * len(examples) if y is None else plain(y)
        else:
            examples, targets = mappings(ROWS), self.some_targets(ROWS)
        self.material = list(zip(examples, targets, strict=True))
        self.probes = [*examples[:2], *([] if self.own else PROBES)]

    def some_targets(self, n: int) -> list[Any]:
        """What is to be learned of `mappings(n)`; the third label comes in the second half."""
        if self.numbers:
            return [sum(x.values()) for x in mappings(n)]
        if not self.targets:
            return [None] * n
        names = ["spam" if x.get("f0", 0.0) > 0.0 else "ham" for x in mappings(n)]
        names = ["eggs" if i >= n // 2 and i % 3 == 0 else name for i, name in enumerate(names)]
        return [{name} for name in names] if self.sets else names

    @property
    def xs(self) -> list[Any]:
        """The examples."""
        return [x for x, _ in self.lessons]

    @property
    def ys(self) -> list[Any]:
        """Their targets."""
        return [y for _, y in self.lessons]

    def arguments(self, x: Any, y: Any) -> tuple[Any, ...]:
        """What `learn_one`, or `learn_many`, takes."""
        return (x, y) if self.targets else (x,)

    def teach(self, thing: Any, lesson: Any) -> Any:
        """Learn one example."""
        return call(thing, "learn_one", *self.arguments(*lesson))

    def questions(self, thing: Any) -> list[str]:
        """The verbs that ask it for one example."""
        return [verb for verb in QUESTIONS if hasattr(thing, verb)]

    def answers(self, thing: Any) -> Any:
        """All answers to all probes, and what it counts."""
        told = {verb: [call(thing, verb, x) for x in self.probes] for verb in self.questions(thing)}
        return {**told, **{view: getattr(thing, view) for view in VIEWS if hasattr(thing, view)}}


class TransformerSubject(LearnerSubject):
    """A transformer: it learns examples without targets, and gives other examples back."""

    def __init__(self, given: Any, X: Any = None) -> None:
        super().__init__(given, X)
        self.targets = self.labels = False


class DetectorSubject(Subject):
    """A drift detector, or a statistic: it takes one value after the other."""

    def __init__(self, given: Any, X: Any = None) -> None:
        super().__init__(given)
        self.own = X is not None
        self.material = (
            [float(i % 5 == 0 or i > 150) for i in range(300)] if X is None else plain(X)
        )

    def teach(self, thing: Any, lesson: Any) -> Any:
        """Take one value."""
        return call(thing, "update", lesson)

    def answers(self, thing: Any) -> Any:
        """Its properties."""
        kind = type(thing)
        names = [n for n in dir(kind) if isinstance(getattr(kind, n), property) and n[0] != "_"]
        return {name: getattr(thing, name) for name in names if name != "memory_bytes"}


def subject_of(given: Any, X: Any = None, y: Any = None) -> Subject:
    """What is to be checked, by the verbs that it has."""
    cls = given if isinstance(given, type) else type(given)
    if hasattr(cls, "transform_one"):
        return TransformerSubject(given, X)
    if hasattr(cls, "learn_one"):
        return LearnerSubject(given, X, y)
    if hasattr(cls, "update"):
        refuse_metrics(cls)
        return DetectorSubject(given, X)
    raise TypeError(
        f"check_learner: {cls.__name__} has neither learn_one, as learners and transformers have, "
        f"nor update, as drift detectors have."
    )


def refuse_metrics(cls: type[Any]) -> None:
    """Refuse what is updated by a truth and a prediction: there are no rules for it here."""
    try:
        _, *given = inspect.signature(cls.update).parameters.values()
    except (TypeError, ValueError):  # it does not say
        return
    needed = [p.name for p in given if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    if len(needed) > 1:
        raise TypeError(
            f"check_learner: {cls.__name__} is a metric: its update takes {' and '.join(needed)}. "
            f"Only learners, transformers, drift detectors and statistics can be checked."
        )


# -- what it is taught -------------------------------------------------------------------------


def mappings(n: int) -> list[Any]:
    """Rows of numbers whose features come and go."""
    rng = np.random.default_rng(0)
    values, there = rng.normal(size=(n, 5)), rng.random((n, 5)) < 0.8
    return [
        {f"f{j}": v for j, (v, here) in enumerate(zip(row, known, strict=True)) if here}
        for row, known in zip(values.tolist(), there.tolist(), strict=True)
    ]


def plain(values: Iterable[Any]) -> list[Any]:
    """A column as a list."""
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def functions_of(params: dict[str, Any]) -> dict[str, Any]:
    """The parameters that no file can hold; parts, such as kernels, can be called and stored."""
    return {n: v for n, v in params.items() if callable(v) and not isinstance(v, Part)}


def offers_files(thing: Any) -> bool:
    """Say whether `onstream.save` takes it."""
    return holders().get(type(thing).__name__) is public_class(type(thing))


def takes(thing: Any, verb: str, parameter: str) -> bool:
    """Say whether a verb has this parameter; compiled code that does not tell is believed to."""
    try:
        return parameter in inspect.signature(getattr(thing, verb)).parameters
    except ValueError:
        return True


# -- what is said of it ------------------------------------------------------------------------


def call(thing: Any, verb: str, *args: Any, **options: Any) -> Any:
    """What a verb answers; an error becomes a failed check, which names the input."""
    try:
        return getattr(thing, verb)(*args, **options)
    except Exception as error:
        raise AssertionError(f"{written(verb, args, options)} raised {said(error)}") from error


def same_answer(expected: Any, found: Any, what: str) -> None:
    """Two answers must be the same, bit for bit."""
    same_leaves(trace(expected), trace(found), what)


def same_leaves(expected: Leaves, found: Leaves, what: str) -> None:
    """The same for what `trace` has found."""
    where = difference(expected, found)
    if where:
        raise AssertionError(f"{what}: {where}")


def true(holds: bool, sentence: str | Callable[[], str]) -> None:
    """Fail with a sentence unless something holds."""
    if not holds:
        raise AssertionError(sentence if isinstance(sentence, str) else sentence())


def written(verb: str, args: tuple[Any, ...], options: dict[str, Any]) -> str:
    """A call as it would be typed, cut where it is long."""
    texts = [f"{a!r:.70}" for a in args] + [f"{n}={v!r:.40}" for n, v in options.items()]
    return f"{verb}({', '.join(texts)})".replace("\n", " ")


def said(error: BaseException) -> str:
    """An error in a message."""
    return f"{type(error).__name__}({str(error)!r:.200})"
