"""One learner on its way through a stream: it predicts, is judged, and learns."""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from copy import deepcopy
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base import Regressor, Unsupervised
from .answers import as_column, both, decided, same_whole
from .blocks import single
from .choices import output_for
from .metrics import ROCAUC, Metric
from .report import Run
from .tracking import RANGES, Track


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
            metrics = [m.clone(output="proba") if isinstance(m, ROCAUC) else m for m in metrics]
        self.track = Track(metrics, window, alpha)
        self.detector = None if detector is None else deepcopy(detector)
        self.started = int(getattr(model, "seen", 0))
        self.alarms: list[int] = []
        self.stopped: Exception | None = None  # why it could not go on
        self.rows = 0
        self.wall = self.cpu = 0.0
        self.waiting: deque[tuple[Any, Any, Any]] = deque()

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
        wall, cpu = perf_counter(), process_time()
        answers = self.delayed(X, truth, weights, delay) if delay else self.at_once(X, y, w)
        self.wall += perf_counter() - wall
        self.cpu += process_time() - cpu
        labels, scores, columns = self.read_late(answers) if delay else self.read(answers)
        if self.answers == "wholes":  # right or not: there may be as many answers as rows
            pairs = zip(truth, labels, strict=True)
            labels = np.array([same_whole(y, answer) for y, answer in pairs], dtype=bool)
            truth = np.ones(len(labels), dtype=bool)
        if self.output == "score" and before < 2 and columns and not delay:
            # One score says nothing of a label that is not known yet.
            late = np.flatnonzero(truth == columns[1]) if len(columns) > 1 else np.zeros(0)
            alone = int(late[0]) + 1 if late.size else len(truth)
            labels[:alone] = columns[0]
            labels[: 1 - before] = None
        self.track.add(truth, labels, scores, columns, weights, stops)
        if self.detector is not None:
            if isinstance(self.model, Regressor) or self.track.metrics[0].needs == "number":
                errors = np.abs(np.asarray(labels) - truth)
            else:
                errors = np.asarray(labels != truth, dtype=np.float64)
            self.alarms += [self.rows + int(i) + 1 for i in self.detector.update_many(errors)]
        self.rows += len(truth)

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

    def delayed(
        self, X: Any, truth: NDArray[Any], weights: NDArray[np.float64] | None, delay: int
    ) -> Any:
        """Labels and scores; each row is learned once `delay` more were predicted."""
        labels, scores = [], []
        for i, (x, y) in enumerate(zip(single(X), truth.tolist(), strict=True)):
            labels.append(self.model.predict_one(x))
            if self.output == "proba":
                scores.append(self.model.predict_proba_one(x))
            elif self.output == "score":
                score = self.model.score_one(x)
                if not isinstance(score, Mapping):
                    known = self.model.labels
                    score = dict(zip(known, both(known, np.array([score]))[0], strict=True))
                scores.append(score)
            self.waiting.append((x, y, 1.0 if weights is None else weights[i]))
            if len(self.waiting) > delay:
                self.model.learn_one(*self.waiting.popleft())
        return labels, scores

    def read(self, answers: Any) -> tuple[Any, Any, list[Any] | None]:
        """Predicted labels, scores, and the labels that the columns of the scores belong to."""
        if self.output == "label":
            return as_column(answers), None, None
        known = list(self.model.labels)
        scores = answers if answers.ndim == 2 else both(known, answers)
        return decided(known, scores, self.output), scores, known

    def read_late(self, answers: Any) -> tuple[Any, Any, list[Any] | None]:
        """The same from what `delayed` found."""
        labels, rows = answers
        if self.output == "label":
            return as_column(labels), None, None
        known = list(self.model.labels)
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

    def run(self) -> Run:
        """What came out."""
        values = self.track.now()
        if self.stopped:  # figures over fewer rows are not those of the others
            values = [[math.nan] * len(of) for of in values]
        alarms = [int(a) - self.started for a in getattr(self.model, "alarms", ())]
        return Run(
            name=self.name,
            learner=repr(self.model),
            params={k: tell(v) for k, v in getattr(self.model, "params", {}).items()},
            baseline=bool(getattr(self.model, "baseline", False)),
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
            memory_bytes=int(getattr(self.model, "memory_bytes", 0)),
            alarms=sorted({*self.alarms, *(a for a in alarms if a > 0)}),
            picture=portrait(self.model),
            stopped=short(self.name, self.stopped),
        )


def short(name: str, error: Exception | None) -> str:
    """Why a learner has stopped: the first sentence, without its name."""
    if error is None:
        return ""
    why = str(error).removeprefix(f"{name}: ").rstrip(".").partition(". ")[0]
    return f"stopped{' at ' if why.startswith('row ') else ': '}{why}"


def portrait(model: Any) -> str:
    """What the model looks like now, if it can be drawn: the top of a tree."""
    try:
        return str(model.to_svg(max_depth=3))
    except (AttributeError, TypeError):  # it cannot, or draws something else
        return ""


def tell(value: Any) -> Any:
    """A parameter as JSON can hold it."""
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)
