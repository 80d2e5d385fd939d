"""One learner on its way through a stream: it predicts, is judged, and learns."""

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from inspect import signature
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base import Learner, Unsupervised
from ..base.learner import is_ours
from ..core.coding import too_many_labels
from ..core.coerce import row_error
from ._label_codes import LabelCodes
from .answers import as_column, both, decided, same_structure
from .blocks import own, single
from .choices import output_for, steps_of, written
from .columns import number_column, plain_label, probability
from .figures import encodable
from .metric import Metric
from .metrics import ROCAUC, scores_by_label
from .report import Run
from .tracking import RANGES, Track

FIGURES = ("rows", "judged", "largest", "wildest", "diverged", "wall", "cpu")
WILD = 1e3  # largest targets that a prediction may be: docs/decisions.md#divergence


class Contender:
    """One learner on its way through the stream."""

    def __init__(
        self,
        name: str,
        model: Any,
        metrics: Sequence[Metric],
        *,
        answers: str,
        window: int,
        alpha: float,
        detector: Any,
    ) -> None:
        self.name, self.model = name, model
        self.answers = answers
        self.baseline = bool(getattr(model, "baseline", False))
        self.added = False  # a baseline that nobody asked for
        self.output = output_for(name, model, metrics)
        if self.output == "proba":
            metrics = [m.clone(output="proba") if type(m) is ROCAUC else m for m in metrics]
        self.track = Track(metrics, window, alpha)
        self.detector = None if detector is None else deepcopy(detector)
        self.started = int(getattr(model, "seen", 0))
        self.alarms: list[int] = []
        self.refused: list[tuple[int, int]] = []  # rows learned before and after each block refused
        self.stopped: Exception | None = None  # why it could not go on
        self.by_one = not hasattr(model, "predict_learn_many") or has_own_verbs(type(model))
        self.rows = self.judged = 0
        self.largest = 0.0  # target so far, of numbers
        self.wildest = 0.0  # prediction so far
        self.diverged: int | None = None  # row of the first prediction far beyond that
        self.taught = False  # has any label arrived yet?
        self.wall = self.cpu = 0.0
        self.clock: Callable[[], float] = process_time
        self.waiting: deque[tuple[Any, ...]] = deque()
        self.fresh = 0  # rows of the block at hand that have come to `waiting`
        self.before = 0  # rows learned before it

    def begin(self) -> dict[str, Any]:
        """Start a block; return what `take_back` needs: docs/decisions.md#judged-blocks."""
        self.fresh = 0
        self.before = self.learned
        return {
            **{name: getattr(self, name) for name in FIGURES},
            "track": self.track.copy(),
            "detector": deepcopy(self.detector),
            "alarms": self.alarms.copy(),
        }

    def take_back(self, known: dict[str, Any]) -> None:
        """The block was refused: it is not judged, and nothing more of it is learned."""
        vars(self).update(known)
        if self.learned > self.before:
            self.refused.append((self.before, self.learned))
        for _ in range(min(self.fresh, len(self.waiting))):
            self.waiting.pop()

    def check(self, truth: NDArray[Any], weights: NDArray[np.float64] | None, delay: int) -> None:
        """Refuse a block that this learner cannot learn, before any learner has learned from it.

        A learner that takes whole blocks checks them itself, except for what is checked here.
        """
        if isinstance(self.model, Unsupervised) and len(truth) and truth.dtype != bool:
            raise TypeError(
                f"prequential: {self.name} answers whether an example is like the others; "
                f"y must be True or False then, got {truth.tolist()[0]!r:.60}."
            )
        if not (delay or self.by_one):
            return
        if not isinstance(self.model, Learner):
            self.check_verb(() if weights is None else (1.0,))
        try:
            if self.answers == "numbers":
                number_column(truth, "y")
            elif self.answers == "labels":
                self.track.label_codes.check(truth)
                codes = LabelCodes()
                label = self.known_label()
                if label is not None:
                    codes.expect(label)
                codes.check(truth[:1])  # all are of one kind
                self.check_number_of_labels(truth)
        except (TypeError, ValueError) as error:
            silent = not isinstance(self.model, Learner) and not hasattr(self.model, "task")
            if silent and self.answers == "labels" and truth.dtype.kind == "f":
                error.args = (
                    f"{error} If {self.name} predicts numbers, say so: metrics=[MAE()], or give it "
                    f'task = "numbers" (from_river(model) does).',
                )
            raise from_us(error) from None

    def check_number_of_labels(self, truth: NDArray[Any]) -> None:
        """Refuse more labels than the learner can have, counting those that still wait."""
        most = getattr(steps_of(self.model)[-1], "max_labels", None)
        learned = getattr(self.model, "labels", None)
        if not isinstance(self.model, Learner) or most is None or learned is None:
            return
        if len(learned) + len(self.waiting) + len(truth) <= most:
            return
        known = {*learned, *(plain_label(example[1]) for example in self.waiting)}
        for row, label in enumerate(map(plain_label, truth.tolist())):
            known.add(label)
            if len(known) > most:
                message = too_many_labels(f"{label!r:.80}", len(known), most)
                raise row_error(ValueError, self.name, row, f"{message}.")

    def known_label(self) -> Any:
        """A label that a learner of ours has learned, or else one that waits; None if none does."""
        learned = getattr(self.model, "labels", None) if isinstance(self.model, Learner) else None
        if learned:
            return learned[0]
        return self.waiting[0][1] if self.waiting else None

    def check_verb(self, weight: tuple[float, ...]) -> None:
        """Refuse a learner whose `learn_one` cannot be called with what the stream has."""
        try:
            called = signature(self.model.learn_one)
        except (TypeError, ValueError):  # it does not say
            return
        try:
            called.bind(None, None, *weight)
        except TypeError as error:
            having, verb = ("weights", "x, y, w") if weight else ("no weights", "x, y")
            raise TypeError(
                f"prequential: {self.name}: the stream has {having}, so learn_one({verb}) is "
                f"called; it is learn_one{called}: {error}."
            ) from None

    def take(
        self,
        X: Any,
        y: Any,
        truth: NDArray[Any],
        weights: NDArray[np.float64] | None,
        stops: Sequence[int],
        delay: int,
    ) -> None:
        """Predict and learn a block, then judge the predictions."""
        before = len(getattr(self.model, "labels", ()))
        by_one = bool(delay) or self.by_one
        wall, cpu = perf_counter(), self.clock()
        if by_one:
            said, rows, judged = self.one_by_one(X, truth, weights, delay)
        else:
            answers = self.at_once(X, y, weights)
        self.wall += perf_counter() - wall
        self.cpu += self.clock() - cpu
        if by_one:
            labels, scores, columns = self.read_rows(said, rows)
            if not judged.all():  # as if these examples had no weight
                weights = np.where(judged, 1.0 if weights is None else weights, 0.0)
        else:
            labels, scores, columns = self.read(answers)
            judged = np.ones(len(truth), dtype=bool)
        if self.answers == "structured":  # right or not: there may be as many answers as rows
            pairs = zip(truth, labels, strict=True)
            labels = np.array([same_structure(y, answer) for y, answer in pairs], dtype=bool)
            truth = np.ones(len(labels), dtype=bool)
        if self.output == "score" and before < 2 and columns and not by_one:
            # One score says nothing of a label that is not known yet.
            late = np.flatnonzero(truth == columns[1]) if len(columns) > 1 else np.zeros(0)
            alone = int(late[0]) + 1 if late.size else len(truth)
            labels[:alone] = columns[0]
            labels[: 1 - before] = None
        try:
            self.track.add(truth, labels, scores, columns, weights, stops)
        except (TypeError, ValueError) as error:  # its answers mean nothing
            raise from_us(error, self.name) from error
        if judged.any():
            self.watch(truth, labels, np.flatnonzero(judged))
        self.rows += len(truth)
        self.judged += int(judged.sum())

    def watch(self, truth: NDArray[Any], labels: Any, rows: NDArray[np.intp]) -> None:
        """Look at the errors in these rows for drift and divergence."""
        truth, labels = truth[rows], np.asarray(labels)[rows]
        if self.answers == "numbers":
            truth, said = truth.astype(np.float64), labels.astype(np.float64)
            largest = np.maximum.accumulate(np.maximum(np.abs(truth), self.largest))
            self.largest = float(largest[-1])
            wild = (np.abs(said) > WILD * largest) & (largest > 0.0)
            self.wildest = max(self.wildest, float(np.abs(said).max()))
            if self.diverged is None and wild.any():
                self.diverged = self.rows + int(rows[np.argmax(wild)])
            if self.detector is not None:
                errors = np.abs(said - truth)
        elif self.detector is not None:
            errors = np.asarray(labels != truth, dtype=np.float64)
        if self.detector is not None:
            found = self.detector.update_many(errors)
            self.alarms += [self.rows + int(rows[int(i)]) + 1 for i in found]

    def row_of(self, learned: int) -> int:
        """The row of the stream that was learned as number `learned`; 0: of a block refused."""
        row = learned
        for first, last in self.refused:
            if first < learned <= last:
                return 0
            if learned > last:
                row -= last - first
        return row

    @property
    def learned(self) -> int:
        """Rows learned here; some of the last block, perhaps, if it has stopped there."""
        return int(getattr(self.model, "seen", 0)) - self.started

    def at_once(self, X: Any, y: Any, w: Any) -> Any:
        """Each row is learned as soon as it was predicted."""
        more: dict[str, Any] = {} if w is None else {"w": w}
        if self.output != "label":
            more["output"] = self.output
        if not is_ours(type(self.model), "predict_learn_many"):
            X = list(map(own, X)) if isinstance(X, list) else own(X)
        return self.model.predict_learn_many(X, y, **more)

    def one_by_one(
        self, X: Any, truth: NDArray[Any], weights: NDArray[np.float64] | None, delay: int
    ) -> tuple[list[Any], list[dict[Any, float]], NDArray[np.bool_]]:
        """Labels, scores by label, and which rows are judged.

        Each row is learned once `delay` more were predicted. Until the first label arrives, a
        learner that knows nothing is not judged: docs/decisions.md#delay-before-the-first-label
        """
        labels: list[Any] = []
        scores: list[dict[Any, float]] = []
        judged = np.ones(len(truth), dtype=bool)
        targets = map(own, truth) if truth.dtype == object else truth.tolist()
        waiting, row = self.waiting, 0
        try:
            for i, (x, y) in enumerate(zip(single(X), targets, strict=True)):
                row = i
                answer = self.model.predict_one(x)
                labels.append(answer)
                if self.output != "label":
                    scores.append(self.scores_one(x, y, i))
                if delay and not self.taught and (answer is None or self.knows_nothing()):
                    judged[i] = False
                waiting.append((x, y) if weights is None else (x, y, weights[i]))
                self.fresh = i + 1
                if len(waiting) > delay:
                    row = i + 1 - len(waiting)  # below 0: of a block before
                    self.model.learn_one(*waiting.popleft())
                    self.taught = True
        except (TypeError, ValueError) as error:
            located = self.at_row(error, row)
            if located is None:
                raise
            raise located from None
        return labels, scores, judged

    def at_row(self, error: Exception, row: int) -> Exception | None:
        """The same error of a learner of ours, saying its row; None if it is the user's own."""
        who, _, text = str(error).partition(": ")
        ours = {type(step).__name__ for step in (self.model, *steps_of(self.model))}
        plain = type(error) in (TypeError, ValueError) and not hasattr(error, "row")
        if not (plain and who in ours and isinstance(self.model, Learner)):
            return None
        return row_error(type(error), who, row, text)

    def knows_nothing(self) -> bool:
        """Say whether it never learned anything, if it counts its examples."""
        return getattr(self.model, "seen", None) == 0

    def scores_one(self, x: Any, y: Any, row: int) -> dict[Any, float]:
        """Probabilities or scores of one example, by label."""
        if self.output == "proba":
            probabilities = self.model.predict_proba_one(x) or {}
            try:
                return scores_by_label(y, probabilities, probability)
            except (TypeError, ValueError) as error:
                raise from_us(row_error(type(error), "", row, str(error)), self.name) from None
        scores = self.model.score_one(x)
        if not isinstance(scores, Mapping):
            known = getattr(self.model, "labels", None)
            if known is None:
                raise TypeError(
                    f"prequential: {self.name}: score_one must give a dict from labels to scores, "
                    f"got {scores!r:.60}."
                )
            scores = dict(zip(known, both(known, np.array([scores]))[0].tolist(), strict=True))
        return dict(scores)

    def read(self, answers: Any) -> tuple[Any, Any, list[Any] | None]:
        """Predicted labels, scores, and the labels that the columns of the scores belong to."""
        if self.output == "label":
            return as_column(answers), None, None
        known = list(self.model.labels)
        scores = answers if answers.ndim == 2 else both(known, answers)
        return decided(known, scores, self.output), scores, known

    def read_rows(
        self, labels: list[Any], rows: list[dict[Any, float]]
    ) -> tuple[Any, Any, list[Any] | None]:
        """The same from what `one_by_one` found."""
        if self.output == "label":
            return as_column(labels), None, None
        known = list(
            getattr(self.model, "labels", None) or dict.fromkeys(n for r in rows for n in r)
        )
        absent = 0.0 if self.output == "proba" else np.nan
        scores = np.array([[row.get(name, absent) for name in known] for row in rows])
        return as_column(labels), scores.reshape(len(rows), len(known)), known

    def finish(self) -> None:
        """Learn the labels that are still on their way."""
        wall, cpu = perf_counter(), self.clock()
        while self.waiting:
            row = -len(self.waiting)
            try:
                self.model.learn_one(*self.waiting.popleft())
            except (TypeError, ValueError) as error:
                located = self.at_row(error, row)
                if located is None:
                    raise
                raise located from None
        self.wall += perf_counter() - wall
        self.cpu += self.clock() - cpu

    def run(self, points: int, first: int = 0) -> Run:
        """The results; curves have `points` points, and rows are numbered from `first`."""
        values = self.track.now()
        if self.stopped:  # figures over fewer rows are not those of the others
            values = [[math.nan] * len(of) for of in values]
        remarks: list[str] = []
        if self.diverged is not None and not self.wildest <= WILD * self.largest:
            remarks.append(
                f"diverged at row {self.diverged + first:,}: it predicted more than {WILD:,.0f} "
                f"times the largest target; try {advice(self.model)}"
            )

        def ask(what: str, answer: Callable[[], Any], otherwise: Any) -> Any:
            """Something to go with the figures, which must not be lost if this fails."""
            try:
                return answer()
            except Exception as error:
                reason = encodable(f"{type(error).__name__}: {error}")
                remarks.append(f"{what} cannot be told ({reason:.120})")
                return otherwise

        model = self.model
        learner = ask("its code", lambda: written(model), type(model).__name__)
        params = ask("its parameters", lambda: json_params(model), {})
        memory = ask("its memory", lambda: int(getattr(model, "memory_bytes", 0)), 0)
        alarms = ask(
            "its alarms",
            lambda: [self.row_of(int(a) - self.started) for a in getattr(model, "alarms", ())],
            [],
        )
        renewed = ask(
            "when its members began anew",
            lambda: [
                [self.row_of(int(t) + 1 - self.started) for t in marks]
                for marks in by_member(getattr(model, "drifts", ()))
            ],
            [],
        )
        picture = ask("what it looks like", lambda: portrait(model), "")
        return Run(
            name=self.name,
            learner=learner,
            params=params,
            baseline=self.baseline,
            added=self.added,
            values={
                metric.name: dict(zip(RANGES, of, strict=True))
                for metric, of in zip(self.track.metrics, values, strict=True)
            },
            curves={
                metric.name: {
                    name: np.array([*curve, *[value] * (points - len(curve))])
                    for name, curve, value in zip(RANGES, of, now, strict=True)
                }
                for metric, of, now in zip(
                    self.track.metrics, self.track.curves, values, strict=True
                )
            },
            wall=self.wall,
            cpu=self.cpu,
            memory_bytes=memory,
            alarms=sorted({*self.alarms, *(a for a in alarms if a > 0)}),
            renewed=[[row for row in rows if row > 0] for rows in renewed],
            judged=self.judged,
            picture=picture,
            diverged=None if self.diverged is None else self.diverged + first,
            remark="; ".join(remarks),
            stopped=short(self.name, self.stopped),
        )


def from_us(error: Exception, name: str = "") -> Exception:
    """An error about targets, weights or answers (of this learner), naming `prequential`."""
    if type(error) not in (TypeError, ValueError) or str(error).startswith("prequential: "):
        return error
    named = type(error)(f"prequential: {f'{name}: ' if name else ''}{error}")
    if hasattr(error, "row"):
        named.row = error.row  # type: ignore[attr-defined]
    return named


def has_own_verbs(cls: type) -> bool:
    """Say whether a user derived this class and changed a verb that goes row by row."""
    for base in cls.__mro__:
        if base.__module__.startswith("onstream.") or "predict_learn_many" in vars(base):
            return False
        if "learn_one" in vars(base) or "predict_one" in vars(base):
            return True
    return False


def advice(model: Any) -> str:
    """What helps a learner of numbers that diverges."""
    learner = steps_of(model)[-1]
    ways = ["normalized=True"] if getattr(learner, "normalized", None) is False else []
    ways += ["a smaller eta"] if hasattr(learner, "eta") else []
    return " or ".join(ways) or "scaled features, or smaller steps"


def short(name: str, error: Exception | None) -> str:
    """Why a learner has stopped: the first sentence, without its name."""
    if error is None:
        return ""
    why = str(error).removeprefix(f"{name}: ").rstrip(".").partition(". ")[0]
    return f"stopped{' at ' if why.startswith('row ') else ': '}{why}"


def by_member(drifts: Any) -> list[Any]:
    """When each member began anew; a learner that retrains has one."""
    several = all(isinstance(marks, (list, tuple)) for marks in drifts)
    return list(drifts) if several else [drifts]


def portrait(model: Any) -> str:
    """What the model looks like now, if it can be drawn: the top of a tree."""
    draw = getattr(model, "to_svg", None)
    if draw is None:
        return ""
    try:
        return str(draw(max_depth=3))
    except TypeError:  # it draws something else
        return ""


def json_params(model: Any) -> dict[str, Any]:
    """The parameters as JSON can hold them."""
    return {encodable(str(k)): json_value(v) for k, v in getattr(model, "params", {}).items()}


def json_value(value: Any) -> Any:
    """A parameter as JSON can hold it."""
    if isinstance(value, str):
        return encodable(value)
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return value
    return encodable(repr(value))
