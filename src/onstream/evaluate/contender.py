"""One learner on its way through a stream: it predicts, is judged, and learns."""

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base import Unsupervised
from .answers import as_column, both, decided, same_whole
from .blocks import single
from .choices import output_for, steps_of, written
from .figures import encodable
from .metric import Metric
from .metrics import ROCAUC, scores_by_label
from .report import Run
from .sums import probability
from .tracking import RANGES, Track

WILD = 1e3  # a prediction so many times the largest target is no prediction any more


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
        self.output = output_for(name, model, metrics)
        if self.output == "proba":
            metrics = [m.clone(output="proba") if type(m) is ROCAUC else m for m in metrics]
        self.track = Track(metrics, window, alpha)
        self.detector = None if detector is None else deepcopy(detector)
        self.started = int(getattr(model, "seen", 0))
        self.alarms: list[int] = []
        self.stopped: Exception | None = None  # why it could not go on
        self.by_one = not hasattr(model, "predict_learn_many") or has_own_verbs(type(model))
        self.rows = self.judged = 0
        self.largest = 0.0  # target so far, of numbers
        self.wildest = 0.0  # prediction so far
        self.diverged: int | None = None  # row of the first prediction far beyond that
        self.taught = False  # has any label arrived yet?
        self.wall = self.cpu = 0.0
        self.waiting: deque[tuple[Any, ...]] = deque()

    def take(
        self,
        X: Any,
        y: Any,
        truth: NDArray[Any],
        w: Any,
        weights: NDArray[np.float64] | None,
        stops: Sequence[int],
        delay: int,
    ) -> None:
        """Predict and learn a block, then judge the predictions."""
        if isinstance(self.model, Unsupervised) and len(truth) and truth.dtype != bool:
            raise TypeError(
                f"prequential: {self.name} answers whether an example is like the others; "
                f"y must be True or False then, got {truth.tolist()[0]!r:.60}."
            )
        before = len(getattr(self.model, "labels", ()))
        by_one = bool(delay) or self.by_one
        wall, cpu = perf_counter(), process_time()
        if by_one:
            said, rows, judged = self.one_by_one(X, truth, weights, delay)
        else:
            answers = self.at_once(X, y, w)
        self.wall += perf_counter() - wall
        self.cpu += process_time() - cpu
        if by_one:
            labels, scores, columns = self.read_rows(said, rows)
            if not judged.all():  # as if these examples had no weight
                weights = np.where(judged, 1.0 if weights is None else weights, 0.0)
        else:
            labels, scores, columns = self.read(answers)
            judged = np.ones(len(truth), dtype=bool)
        if self.answers == "wholes":  # right or not: there may be as many answers as rows
            pairs = zip(truth, labels, strict=True)
            labels = np.array([same_whole(y, answer) for y, answer in pairs], dtype=bool)
            truth = np.ones(len(labels), dtype=bool)
        if self.output == "score" and before < 2 and columns and not by_one:
            # One score says nothing of a label that is not known yet.
            late = np.flatnonzero(truth == columns[1]) if len(columns) > 1 else np.zeros(0)
            alone = int(late[0]) + 1 if late.size else len(truth)
            labels[:alone] = columns[0]
            labels[: 1 - before] = None
        self.track.add(truth, labels, scores, columns, weights, stops)
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

    @property
    def learned(self) -> int:
        """Rows learned here; some of the last block, perhaps, if it has stopped there."""
        return int(getattr(self.model, "seen", 0)) - self.started

    def at_once(self, X: Any, y: Any, w: Any) -> Any:
        """Each row is learned as soon as it was predicted."""
        more: dict[str, Any] = {} if w is None else {"w": w}
        if self.output != "label":
            more["output"] = self.output
        return self.model.predict_learn_many(X, y, **more)

    def one_by_one(
        self, X: Any, truth: NDArray[Any], weights: NDArray[np.float64] | None, delay: int
    ) -> tuple[list[Any], list[dict[Any, float]], NDArray[np.bool_]]:
        """Labels, scores by label, and which rows are judged.

        Each row is learned once `delay` more were predicted. Until the first label arrives, a
        learner that knows nothing is not judged.
        """
        labels: list[Any] = []
        scores: list[dict[Any, float]] = []
        judged = np.ones(len(truth), dtype=bool)
        for i, (x, y) in enumerate(zip(single(X), truth.tolist(), strict=True)):
            answer = self.model.predict_one(x)
            labels.append(answer)
            if self.output != "label":
                scores.append(self.scores_one(x, y))
            if delay and not self.taught and (answer is None or self.knows_nothing()):
                judged[i] = False
            self.waiting.append((x, y) if weights is None else (x, y, weights[i]))
            if len(self.waiting) > delay:
                self.model.learn_one(*self.waiting.popleft())
                self.taught = True
        return labels, scores, judged

    def knows_nothing(self) -> bool:
        """Say whether it never learned anything, if it counts its examples."""
        return getattr(self.model, "seen", None) == 0

    def scores_one(self, x: Any, y: Any) -> dict[Any, float]:
        """Probabilities or scores of one example, by label."""
        if self.output == "proba":
            return scores_by_label(y, self.model.predict_proba_one(x) or {}, probability)
        told = self.model.score_one(x)
        if not isinstance(told, Mapping):
            known = getattr(self.model, "labels", None)
            if known is None:
                raise TypeError(
                    f"prequential: {self.name}: score_one must give a dict from labels to scores, "
                    f"got {told!r:.60}."
                )
            told = dict(zip(known, both(known, np.array([told]))[0].tolist(), strict=True))
        return dict(told)

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
        wall, cpu = perf_counter(), process_time()
        while self.waiting:
            self.model.learn_one(*self.waiting.popleft())
        self.wall += perf_counter() - wall
        self.cpu += process_time() - cpu

    def run(self, first: int = 0) -> Run:
        """What came out; rows are numbered from `first`."""
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
            """Something to go with the figures, which must not be lost if it fails."""
            try:
                return answer()
            except Exception as error:
                told = encodable(f"{type(error).__name__}: {error}")
                remarks.append(f"{what} cannot be told ({told:.120})")
                return otherwise

        model = self.model
        learner = ask("its code", lambda: written(model), type(model).__name__)
        params = ask("its parameters", lambda: told_params(model), {})
        memory = ask("its memory", lambda: int(getattr(model, "memory_bytes", 0)), 0)
        alarms = ask(
            "its alarms",
            lambda: [int(a) - self.started for a in getattr(model, "alarms", ())],
            [],
        )
        picture = ask("what it looks like", lambda: portrait(model), "")
        return Run(
            name=self.name,
            learner=learner,
            params=params,
            baseline=bool(getattr(model, "baseline", False)),
            values={
                metric.name: dict(zip(RANGES, of, strict=True))
                for metric, of in zip(self.track.metrics, values, strict=True)
            },
            curves={
                metric.name: {
                    name: np.array(course) for name, course in zip(RANGES, of, strict=True)
                }
                for metric, of in zip(self.track.metrics, self.track.course, strict=True)
            },
            wall=self.wall,
            cpu=self.cpu,
            memory_bytes=memory,
            alarms=sorted({*self.alarms, *(a for a in alarms if a > 0)}),
            judged=self.judged,
            picture=picture,
            diverged=None if self.diverged is None else self.diverged + first,
            remark="; ".join(remarks),
            stopped=short(self.name, self.stopped),
        )


def has_own_verbs(cls: type) -> bool:
    """Say whether a user derived this class and changed a verb that goes row by row."""
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] == __package__.partition(".")[0]:
            return False
        if "predict_learn_many" in vars(base):
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


def portrait(model: Any) -> str:
    """What the model looks like now, if it can be drawn: the top of a tree."""
    draw = getattr(model, "to_svg", None)
    if draw is None:
        return ""
    try:
        return str(draw(max_depth=3))
    except TypeError:  # it draws something else
        return ""


def told_params(model: Any) -> dict[str, Any]:
    """The parameters as JSON can hold them."""
    return {encodable(str(k)): tell(v) for k, v in getattr(model, "params", {}).items()}


def tell(value: Any) -> Any:
    """A parameter as JSON can hold it."""
    if isinstance(value, str):
        return encodable(value)
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return value
    return encodable(repr(value))
