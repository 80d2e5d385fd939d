"""Prequential evaluation: predict each example, judge the prediction, then learn it."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base import MultilabelClassifier, Regressor, Unsupervised
from ..base.checks import number, whole
from ..linear import StructuredPA
from .blocks import blocks, length, rows_in, single
from .metrics import MAE, R2, RMSE, ROCAUC, Accuracy, ErrorRate, Kappa, Metric
from .report import Report, Run
from .tracking import RANGES, Track

BLOCK = 16_384  # rows handed to a learner at once
POINTS = 128  # points of a curve, if the length of the stream is known; else up to four times


def prequential(
    models: Any,
    stream: Any,
    metrics: Metric | Sequence[Metric] | None = None,
    window: int = 1000,
    delay: int = 0,
    progress: bool | Callable[[int], object] = False,
    *,
    alpha: float = 0.999,
    detector: Any = None,
    marks: Mapping[int, str] | None = None,
    question: str | None = None,
    step: str = "example",
    unit: str = "",
) -> Report:
    """Let models predict, then learn, every example of a stream, in one pass.

    Parameters
    ----------
    models : learner, list of learners, or dict name to learner
        They go on from the state they are in.
    stream : (X, y), iterable of (x, y), or something with `batches(n)`
        What they predict and learn, in this order. With weights: (X, y, w), (x, y, w).
    metrics : metric or list of metrics, optional
        By default `Accuracy` and `Kappa`, or for regressors `MAE`, `RMSE` and `R2`. Of answers
        that are sets of labels or structures, `Accuracy` (the default) and `ErrorRate` judge
        whether the whole is right.
    window : int > 0, default 1000
        Examples that the sliding estimates look back on; more makes smoother, later curves.
    delay : int >= 0, default 0
        The label of an example is known, and learned, after so many more were predicted. What
        is left is learned at the end.
    progress : bool or callable, default False
        True shows a bar; a callable is told after each block how many rows it had.
    alpha : float in (0, 1], default 0.999
        Factor of the fading estimates; higher remembers longer.
    detector : drift detector, optional
        Watches the errors of each learner (every learner gets its own copy); its alarms are
        marked in the report. Learners that have `alarms` are marked anyway.
    marks : dict row to text, optional
        What is known to have happened in the stream, for the report.
    question : str, optional
        The question that the report answers, for its title.
    step : str, default "example"
        What one example is, such as "day"; labels the axis.
    unit : str, optional
        Unit of a regression target, such as "°F".

    Returns
    -------
    Report
        Curves, final values, times, memory; `table()`, `plot()`, `to_html(path)`, ...

    Examples
    --------
    >>> from onstream import PAClassifier, Perceptron
    >>> from onstream.datasets import noaa_weather
    >>> report = prequential([PAClassifier(C=0.01), Perceptron()], noaa_weather())
    >>> report.value("Perceptron", "Accuracy") > 0.6
    True
    """
    course = Prequential(
        models,
        metrics,
        window,
        delay,
        alpha=alpha,
        detector=detector,
        marks=marks,
        question=question,
        step=step,
        unit=unit,
    )
    rows = rows_in(stream)
    course.expect(rows)
    with told(progress, rows) as advance:
        for X, y, w in blocks(stream, BLOCK):
            course.add(X, y, w)
            advance(length(y))
    return course.report()


class Prequential:
    """The same, fed block by block: `add(X, y, w)`, then `report()`. Parameters: `prequential`."""

    def __init__(
        self,
        models: Any,
        metrics: Metric | Sequence[Metric] | None = None,
        window: int = 1000,
        delay: int = 0,
        *,
        alpha: float = 0.999,
        detector: Any = None,
        marks: Mapping[int, str] | None = None,
        question: str | None = None,
        step: str = "example",
        unit: str = "",
    ) -> None:
        self.window = whole(self, "window", window, least=1)
        self.delay = whole(self, "delay", delay, least=0)
        self.alpha = number(self, "alpha", alpha, above=0.0, most=1.0)
        if not isinstance(marks, Mapping | None):
            raise TypeError(f"prequential: marks are a dict of row to text, got {marks!r:.60}.")
        self.marks = dict(marks or {})
        self.question, self.step, self.unit = question, step, unit
        named = named_models(models)
        self.answers = agreed(named)
        self.metrics = chosen(metrics, self.answers)
        self.contenders = [
            Contender(name, model, self.metrics, self, detector) for name, model in named.items()
        ]
        self.rows = 0
        self.every = 100  # rows from one point of the curves to the next
        self.limit = 4 * POINTS
        self.at: list[int] = []

    def expect(self, rows: int | None) -> None:
        """The stream will have so many rows: choose where the curves have their points."""
        if rows:
            self.every = max(1, -(-rows // POINTS))
            self.limit = 2 * POINTS

    def add(self, X: Any, y: Any, w: Any = None) -> None:
        """Let every learner predict and learn a block of rows."""
        if y is None:
            raise ValueError("prequential: the stream has no targets; name the column: target=...")
        rows = length(y)
        truth = as_column(y)
        weights = None if w is None else np.ascontiguousarray(w, dtype=np.float64)
        first = self.every - self.rows % self.every
        stops = list(range(first, rows + 1, self.every))
        for contender in self.contenders:
            contender.take(X, y, truth, w, weights, stops, self.delay)
        self.at += [self.rows + stop for stop in stops]
        self.rows += rows
        while len(self.at) > self.limit:
            self.at = self.at[1::2]
            self.every *= 2
            for contender in self.contenders:
                contender.track.thin()

    def report(self) -> Report:
        """What came out so far. Labels still on their way are learned first."""
        for contender in self.contenders:
            contender.finish()
            if self.rows and self.rows not in self.at:
                contender.track.note()
        at = self.at if not self.rows or self.rows in self.at else [*self.at, self.rows]
        report = Report(
            question=self.question or question_of(self.contenders, self.metrics),
            rows=self.rows,
            window=self.window,
            alpha=self.alpha,
            delay=self.delay,
            metrics=[
                {
                    "name": metric.name,
                    "what": repr(metric),
                    "unit": metric.unit or (self.unit if metric.name in ("MAE", "RMSE") else ""),
                    "best": metric.best,
                }
                for metric in self.metrics
            ],
            at=np.array(at, dtype=np.int64),
            runs=[contender.run() for contender in self.contenders],
            marks=self.marks,
            step=self.step,
        )
        self.at = at
        return report


class Contender:
    """One learner on its way through the stream."""

    def __init__(
        self, name: str, model: Any, metrics: Sequence[Metric], course: Prequential, detector: Any
    ) -> None:
        self.name, self.model = name, model
        self.answers = course.answers
        self.output = output_for(name, model, metrics)
        if self.output == "proba":
            metrics = [m.clone(output="proba") if isinstance(m, ROCAUC) else m for m in metrics]
        self.track = Track(metrics, course.window, course.alpha)
        self.detector = None if detector is None else deepcopy(detector)
        self.started = int(getattr(model, "seen", 0))
        self.alarms: list[int] = []
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
        )


def portrait(model: Any) -> str:
    """What the model looks like now, if it can be drawn: the top of a tree."""
    try:
        return str(model.to_svg(max_depth=3))
    except (AttributeError, TypeError):  # it cannot, or draws something else
        return ""


# -- what was asked --------------------------------------------------------------------


def named_models(models: Any) -> dict[str, Any]:
    """The models by name; two of a kind are told apart by their parameters."""
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        several = list(models) if isinstance(models, Iterable) else [models]
        kinds = [type(model).__name__ for model in several]
        named = {}
        for model, kind in zip(several, kinds, strict=True):
            name = kind if kinds.count(kind) == 1 else repr(model)
            number = 2
            while name in named:
                name, number = f"{model!r} #{number}", number + 1
            named[name] = model
    if not named:
        raise ValueError("prequential: there is no model to evaluate.")
    for name, model in named.items():
        if isinstance(model, type):
            raise TypeError(f"prequential: {name} is a class; pass a learner: {model.__name__}().")
        if not hasattr(model, "predict_learn_many"):
            raise TypeError(f"prequential: {name} is no learner: {model!r:.80}.")
    if len({id(model) for model in named.values()}) < len(named):
        raise ValueError("prequential: one model is given twice; use clone() for a second one.")
    return named


def agreed(named: Mapping[str, Any]) -> str:
    """What the models predict, all the same: "numbers", "labels" or "wholes"."""
    kinds = {name: answers_of(model) for name, model in named.items()}
    first = next(iter(kinds))
    for name, kind in kinds.items():
        if kind != kinds[first]:
            raise ValueError(
                f"prequential: {first} predicts {TOLD[kinds[first]]}, {name} {TOLD[kind]}; "
                f"evaluate them apart."
            )
    return kinds[first]


TOLD = {"numbers": "numbers", "labels": "labels", "wholes": "sets of labels or structures"}


def answers_of(model: Any) -> str:
    """What a model predicts."""
    if isinstance(model, Regressor) or getattr(model, "task", "") == "numbers":
        return "numbers"
    return "wholes" if isinstance(model, (MultilabelClassifier, StructuredPA)) else "labels"


def same_whole(y: Any, answer: Any) -> bool:
    """Say whether a set of labels, or a structure, is the true one; one label is the set of it."""
    if isinstance(answer, (set, frozenset)) and not isinstance(y, (set, frozenset)):
        y = {y} if isinstance(y, (str, int, np.generic)) else set(y)
    return bool(np.all(answer == y))


def chosen(metrics: Metric | Sequence[Metric] | None, answers: str) -> list[Metric]:
    """The metrics, each of which can judge what the models predict."""
    numeric = answers == "numbers"
    if metrics is None:
        if answers == "wholes":
            return [Accuracy()]
        return [MAE(), RMSE(), R2()] if numeric else [Accuracy(), Kappa()]
    listed: list[Any] = [metrics] if isinstance(metrics, (Metric, type)) else list(metrics)
    listed = [metric() if isinstance(metric, type) else metric for metric in listed]
    for metric in listed:
        if not isinstance(metric, Metric):
            raise TypeError(
                f"prequential: {metric!r:.60} is no metric; pass some of onstream.evaluate, such "
                f"as [Accuracy(), Kappa()]. Rows and targets are one argument: (X, y)."
            )
        if (metric.needs == "number") != numeric:
            judged = "numbers" if metric.needs == "number" else "labels"
            raise ValueError(
                f"prequential: {metric.name} judges {judged}, which these models do not predict."
            )
        if answers == "wholes" and not isinstance(metric, (Accuracy, ErrorRate)):
            raise ValueError(
                f"prequential: {metric.name} judges single labels, these models predict "
                f"{TOLD[answers]}; use Accuracy or ErrorRate, of the whole."
            )
    if not listed:
        raise ValueError("prequential: metrics must not be empty.")
    if len({metric.name for metric in listed}) < len(listed):
        raise ValueError("prequential: one metric is given twice.")
    return listed


def output_for(name: str, model: Any, metrics: Sequence[Metric]) -> str:
    """What to ask the model for."""
    probable = hasattr(model, "predict_proba_one")
    for metric in metrics:
        if metric.needs == "proba" and not probable:
            raise ValueError(
                f"prequential: {metric.name} needs probabilities, which {name} does not have."
            )
        if metric.needs == "score" and not hasattr(model, "score_one"):
            raise ValueError(f"prequential: {metric.name} needs scores, which {name} has not.")
    if any(metric.needs in ("proba", "score") for metric in metrics):
        return "proba" if probable else "score"
    return "label"


def question_of(contenders: Sequence[Contender], metrics: Sequence[Metric]) -> str:
    """The question that any such report answers."""
    metric = metrics[0]
    highest = "highest" if metric.best == "high" else "lowest"
    if len(contenders) == 1:
        return f"How good is {contenders[0].name} at predicting each example before learning it?"
    return f"Which learner has the {highest} {metric.name}, predicting before it learns?"


def tell(value: Any) -> Any:
    """A parameter as JSON can hold it."""
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


# -- what was answered -----------------------------------------------------------------


def as_column(values: Any) -> NDArray[Any]:
    """Labels or numbers as an array; mixed ones stay objects."""
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, (list, tuple)):
        kinds = set(map(type, values))
        if kinds <= {int} or kinds <= {float} or kinds <= {int, float} or kinds <= {bool}:
            return np.asarray(values)
        array = np.empty(len(values), dtype=object)
        for i, value in enumerate(values):  # which may be a sequence itself
            array[i] = value
        return array
    if hasattr(values, "to_numpy"):
        return np.asarray(values.to_numpy())
    return np.asarray(values)


def both(known: list[Any], scores: NDArray[Any]) -> NDArray[np.float64]:
    """Scores of the label coded +1, made scores of every label known (at most two)."""
    if not known:
        return np.zeros((len(scores), 0))
    sign = 1.0 if known[0] is True or known[0] == 1 else -1.0
    return np.column_stack([sign * scores, -sign * scores])[:, : len(known)]


def decided(known: list[Any], scores: NDArray[Any], output: str) -> NDArray[Any]:
    """The label that the scores of each row speak for; None where there were none."""
    labels = np.array([*known, None], dtype=object)
    if not known or not len(scores):
        return np.full(len(scores), None, dtype=object)
    blank = np.isnan(scores).all(axis=1) if output == "score" else ~scores.any(axis=1)
    filled = np.where(np.isnan(scores), -np.inf, scores)
    best = np.argmax(filled, axis=1)
    if len(known) == 2:  # a tie goes to the label coded +1
        positive = 0 if known[0] is True or known[0] == 1 else 1
        best[filled[:, 0] == filled[:, 1]] = positive
    best[blank] = len(known)
    chosen = labels[best]
    return np.asarray(chosen)


class told:
    """Who is told about progress: nobody, a bar in the terminal, or a function."""

    def __init__(self, progress: bool | Callable[[int], object], rows: int | None) -> None:
        self.progress, self.rows = progress, rows
        self.bar: Any = None

    def __enter__(self) -> Callable[[int], object]:
        if callable(self.progress):
            return self.progress
        if not self.progress:
            return lambda rows: None
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self.bar = Progress(
            TextColumn("{task.completed:,.0f} rows"),
            BarColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        task = self.bar.add_task("", total=self.rows)
        self.bar.start()
        return lambda rows: self.bar.advance(task, rows)

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()
