"""Prequential evaluation: predict each example, judge the prediction, then learn it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import thread_time
from typing import Any

import numpy as np

from ..base.blocks import Block
from ..base.checks import flag, number, whole
from ..base.errors import in_stream
from ..core.coerce import unmasked
from .answers import as_column
from .at_once import FEWEST, act_at_once, can_run_apart, refuses_warnings
from .baselines import baselines_for
from .blocks import blocks, length, rows_in
from .choices import agreed, check_detector, chosen, named_models
from .columns import weight_column
from .contender import Contender, from_us
from .figures import encodable
from .metric import Metric
from .progress import Progress
from .report import Report

BLOCK = 16_384  # rows handed to a learner at once
POINTS = 128  # points of a curve, if the length of the stream is known; otherwise up to four times


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
    n_jobs: int = 1,
    baselines: bool = True,
) -> Report:
    """Let models predict, then learn, every example of a stream, in one pass.

    Parameters
    ----------
    models : learner, list of learners, or dict name to learner
        They go on from the state they are in. A learner is anything with `learn_one(x, y)` and
        `predict_one(x)`; one that predicts numbers says so by `task = "numbers"`.
    stream : (X, y), iterable of (x, y), or something with `batches(n)`
        What they predict and learn, in this order. With weights: (X, y, w), (x, y, w); then the
        metrics are weighted by w, too. For unweighted ones, give the answers of
        `predict_learn_many` to a metric without w.
    metrics : metric or list of metrics, optional
        By default `Accuracy`, `Kappa` and `KappaT`, or for regressors `MAE`, `RMSE` and `R2`. Of
        answers that are sets of labels or structures, `Accuracy` (the default) and `ErrorRate`
        judge whether the whole is right.
    window : int > 0, default 1000
        Examples that the sliding estimates look back on; more makes smoother, later curves.
    delay : int >= 0, default 0
        The label of an example is known, and learned, after this many more were predicted. What
        is left is learned at the end. Until the first label arrives, a learner that knows nothing
        is not judged.
    progress : bool or callable, default False
        True shows a bar; a callable is called after each block with its number of rows.
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
    n_jobs : int > 0, default 1
        How many learners work at the same time, each in a thread; as many as there are cores is
        a good choice. The figures are the same bit for bit, but for the times. Learners and
        metrics of your own, and all with a `delay`, take turns as before.
    baselines : bool, default True
        Add what never looks at the features, as "no change" (the label or number before) and
        "majority" (the commonest label so far; for numbers "mean so far"): a learner that does
        not beat both has learned nothing. They come after the learners.

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
    evaluation = Prequential(
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
        n_jobs=n_jobs,
        baselines=baselines,
    )
    rows = rows_in(stream)
    evaluation.expect(rows)
    with Progress(progress, rows) as advance:
        for X, y, w in until_failure(blocks(stream, BLOCK), evaluation.finish):
            evaluation.add(X, y, w)
            advance(length(y))
    evaluation.finish()
    return evaluation.report()


def until_failure(stream: Iterator[Block], finish: Callable[[], None]) -> Iterator[Block]:
    """The blocks of a stream; if it fails on its way, all that came before is learned first."""
    while True:
        try:
            block = next(stream)
        except StopIteration:
            return
        except BaseException:
            finish()
            raise
        yield block


class Prequential:
    """The same, fed block by block: `add(X, y, w)`, then `finish()`. Parameters: `prequential`.

    `report()` tells at any time what came out so far, and changes nothing. `finish()` learns the
    labels that a `delay` still holds back.
    """

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
        n_jobs: int = 1,
        baselines: bool = True,
    ) -> None:
        self.window = whole(self, "window", window, least=1)
        self.delay = whole(self, "delay", delay, least=0)
        self.alpha = number(self, "alpha", alpha, above=0.0, most=1.0)
        self.n_jobs = whole(self, "n_jobs", n_jobs, least=1)
        if not isinstance(marks, Mapping | None):
            raise TypeError(f"prequential: marks are a dict of row to text, got {marks!r:.60}.")
        self.marks = {
            whole(self, "a row of marks", row, least=0): encodable(str(text))
            for row, text in (marks or {}).items()
        }
        self.question = None if question is None else encodable(str(question))
        self.step, self.unit = encodable(str(step)), encodable(str(unit))
        named = named_models(models)
        self.answers = agreed(named, metrics)
        check_detector(detector, self.answers)
        self.metrics = chosen(metrics, self.answers)
        self.contenders = [
            Contender(
                name,
                model,
                self.metrics,
                answers=self.answers,
                window=self.window,
                alpha=self.alpha,
                detector=detector,
            )
            for name, model in named.items()
        ]
        added = baselines_for(self.answers, named) if flag(self, "baselines", baselines) else {}
        self.contenders += [
            Contender(
                name,
                model,
                self.metrics,
                answers=self.answers,
                window=self.window,
                alpha=self.alpha,
                detector=None,
            )
            for name, model in added.items()
        ]
        for contender in self.contenders[len(named) :]:
            contender.added = True
        if self.n_jobs > 1:
            for contender in self.contenders:
                contender.clock = thread_time  # not what others do meanwhile
        self.rows = 0
        self.first_row = 0  # number of the first row, in messages
        self.continue_on_error = False  # if one learner fails, do the others go on?
        self.every = 100  # rows from one point of the curves to the next
        self.limit = 4 * POINTS
        self.at: list[int] = []
        self.weighted = False  # have rows come with weights?

    def expect(self, rows: int | None) -> None:
        """Choose the points of the curves for a stream of this many rows; None: not known."""
        if rows:
            self.every = max(1, -(-rows // POINTS))
            self.limit = 2 * POINTS

    def add(self, X: Any, y: Any, w: Any = None) -> None:
        """Let every learner predict and learn a block of rows.

        With w, the metrics are weighted, too, not only what is learned. Targets and weights that
        mean nothing are refused before anybody has learned anything. A block that one learner
        refuses is judged for none; what others have learned of it stays (with `n_jobs` above 1
        that may be all others, also those that come after it).
        """
        if y is None:
            raise ValueError("prequential: the stream has no targets; name the column: target=...")
        rows = length(y, "y", "targets")
        if length(X) != rows:
            raise ValueError(f"prequential: X has {length(X):,} rows, y has {rows:,}.")
        y, weights = self.checked(y, w, rows)
        truth = as_column(y)
        first = self.every - self.rows % self.every
        stops = list(range(first, rows + 1, self.every))
        self.each(lambda contender: contender.check(truth, weights, self.delay))
        known = [contender.begin() for contender in self.contenders]
        learned: list[str] = []

        def take(contender: Contender) -> None:
            contender.take(X, y, truth, weights, stops, self.delay)

        try:
            self.each(take, self.apart(rows), learned)
        except BaseException as error:  # also Ctrl-C: all are judged on the same rows
            for contender, before in zip(self.contenders, known, strict=True):
                contender.take_back(before)
                contender.track.cut(len(self.at))
            if learned:
                error.add_note(
                    f"prequential: this block is judged for no learner; "
                    f"{', '.join(learned)} had already learned from it, which stays."
                )
            raise
        self.weighted = self.weighted or weights is not None
        self.at += [self.rows + stop for stop in stops]
        self.rows += rows
        for contender in self.contenders:
            if contender.stopped:
                contender.track.fill(len(self.at))
        while len(self.at) > self.limit:
            self.at = self.at[1::2]
            self.every *= 2
            for contender in self.contenders:
                contender.track.thin()

    def checked(self, y: Any, w: Any, rows: int) -> tuple[Any, Any]:
        """The targets without a mask, and the weights as an array or None."""
        try:
            if isinstance(y, np.ma.MaskedArray):
                y = unmasked("prequential", y, "y")
            return y, weight_column(w, rows)
        except (ValueError, TypeError) as error:
            named = from_us(error)
            raise type(named)(in_stream(named, self.rows + self.first_row)) from None

    def apart(self, rows: int) -> list[Contender]:
        """Learners that can work on a block at the same time; none if that is no use."""
        if self.n_jobs == 1 or rows < FEWEST or refuses_warnings():
            return []
        found = [contender for contender in self.going() if can_run_apart(contender, self.delay)]
        return found if len(found) > 1 else []

    def each(
        self,
        act: Callable[[Contender], None],
        apart: Sequence[Contender] = (),
        done: list[str] | None = None,
    ) -> None:
        """Let every learner that goes on do something; `apart`: these at the same time, first.

        `done` gets the names of those that could. Warnings and errors come in the order of the
        learners.
        """
        going = self.going()
        outcomes = dict(zip(map(id, apart), act_at_once(act, apart, self.n_jobs), strict=True))
        if done is not None:
            done += [contender.name for contender in apart if outcomes[id(contender)].error is None]
        for contender in going:
            try:
                if id(contender) in outcomes:
                    outcomes[id(contender)].tell()
                else:
                    act(contender)
                    if done is not None:
                        done.append(contender.name)
            except (ValueError, TypeError, MemoryError) as error:
                self.failed(contender, error)

    def titles(self) -> list[str]:
        """What the metrics are called, by the labels they judge; all learners have the same."""
        found = [contender.track.titles() for contender in self.going() or self.contenders]
        return [
            titles[0] if len(set(titles)) == 1 else metric.name
            for metric, *titles in zip(self.metrics, *found, strict=True)
        ]

    def going(self) -> list[Contender]:
        """Those that have not failed."""
        return [contender for contender in self.contenders if not contender.stopped]

    def failed(self, contender: Contender, error: Exception) -> None:
        """One cannot go on, at some row of the stream: an error, unless others are to go on."""
        message = in_stream(error, self.rows + self.first_row)
        if self.continue_on_error:  # named as the user named it: there may be two of a class
            for name in ("prequential", contender.name, type(contender.model).__name__):
                message = message.removeprefix(f"{name}: ")
            message = f"{contender.name}: {message}"
            contender.stopped = error.with_traceback(None)  # which would keep the block
        if message != str(error):
            error.args = (message,)
        if not self.continue_on_error or not self.learning():
            raise error

    def learning(self) -> list[Contender]:
        """Those of the user's that have not failed: without the baselines that were added."""
        return [contender for contender in self.going() if not contender.added]

    def finish(self) -> None:
        """The stream has ended: learn the labels still on their way."""
        self.each(Contender.finish)

    def report(self) -> Report:
        """What came out so far; nothing is changed or learned by looking."""
        at = self.at if not self.rows or self.rows in self.at else [*self.at, self.rows]
        return Report(
            question=self.question or question_of(self.contenders),
            rows=self.rows,
            window=self.window,
            alpha=self.alpha,
            delay=self.delay,
            metrics=[
                {
                    "name": metric.name,
                    "title": title,
                    "what": metric.code,
                    "unit": metric.unit or (self.unit if metric.name in ("MAE", "RMSE") else ""),
                    "best": metric.best,
                }
                for metric, title in zip(self.metrics, self.titles(), strict=True)
            ],
            at=np.array(at, dtype=np.int64),
            runs=[contender.run(len(at), self.first_row) for contender in self.contenders],
            marks=self.marks,
            step=self.step,
            weighted=self.weighted,
        )


def question_of(contenders: Sequence[Contender]) -> str:
    """The question that any such report answers."""
    learners = [contender for contender in contenders if not contender.added]
    if len(learners) == 1:
        return f"How good is {learners[0].name} at predicting each example before learning it?"
    return "Which learner is best at predicting each example before learning it?"
