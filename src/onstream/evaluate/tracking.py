"""One learner's metrics while it runs: all examples, the last ones, and with fading memory."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .confusion import Confusion, Names
from .metrics import Metric, scored_rows, true_probability
from .ranking import Ranking
from .sums import Residuals, Surprise

RANGES = ("cumulative", "window", "fading")


class Track:
    """The sums that some metrics need, shared where two need the same, and their course."""

    def __init__(self, metrics: Sequence[Metric], window: int, alpha: float) -> None:
        self.metrics = metrics
        self.names = Names()
        self.guesses = any(getattr(metric._sums, "guesses", False) for metric in metrics)
        self.sums: dict[tuple[Any, ...], Any] = {}  # by kind, window, alpha, output
        self.used: list[list[Any]] = []  # of each metric: the sums of each range
        self.course: list[list[list[float]]] = [[[] for _ in RANGES] for _ in metrics]
        for metric in metrics:
            ranges = ((0, 1.0), (metric.window or window, 1.0), (0, metric.alpha or alpha))
            self.used.append([self._shared(metric, *told) for told in ranges])
        self.longest = max(key[1] for key in self.sums)
        self.past: dict[type, list[Any]] = {}  # what windows still look back on

    def _shared(self, metric: Metric, window: int, alpha: float) -> Any:
        kind = type(metric._sums)
        key = (kind, window, alpha, getattr(metric, "output", None))
        if key not in self.sums:
            if kind is Confusion:  # windows are counted anew where they are asked for
                self.sums[key] = Confusion(0, alpha, self.guesses, self.names)
            else:
                self.sums[key] = metric._new(window if kind is Ranking else 0, alpha)
        return self.sums[key]

    def add(
        self,
        y: Any,
        labels: Any,
        scores: Any,
        columns: list[Any] | None,
        w: NDArray[np.float64] | None,
        stops: Sequence[int],
    ) -> None:
        """Add a block; note the metrics after each of the rows `stops`.

        `labels` are predicted labels or numbers; `scores` are scores or probabilities with
        `columns` naming the labels they belong to, where a metric needs them.
        """
        if w is not None and not w.all():  # rows of weight 0 have not happened
            heavy = w > 0.0
            before = np.concatenate([[0], np.cumsum(heavy)])
            stops = [int(before[stop]) for stop in stops]
            y, labels, w = y[heavy], labels[heavy], w[heavy]
            scores = None if scores is None else scores[heavy]
        rows = len(y)
        told = self._read(y, labels, scores, columns)
        windows = {kind: self._with_past(kind, [*parts, w]) for kind, parts in told.items()}
        jobs = []  # how to add rows, and where from; for windows, how many
        for (kind, window, _, _), sums in self.sums.items():
            if window and kind is not Ranking:  # which keeps its own window
                jobs.append((sums, windows[kind], window))
            else:
                jobs.append((sums, [*told[kind], w], 0))
        start = 0
        for at, stop in enumerate([*stops, rows]):
            for sums, parts, window in jobs:
                if window:
                    end = len(parts[0]) - rows + stop
                    sums.reset()
                    sums.add_columns(*parts, max(0, end - window), end)
                elif stop > start:
                    sums.add_columns(*parts, start, stop)
            start = stop
            if at < len(stops):
                self.note()

    def _read(
        self, y: Any, labels: Any, scores: Any, columns: list[Any] | None
    ) -> dict[type, list[Any]]:
        """What each kind of sums takes of a block."""
        kinds = {key[0] for key in self.sums}
        told: dict[type, list[Any]] = {}
        if Confusion in kinds:
            told[Confusion] = list(self.names.encode(y, labels))
        if Residuals in kinds:
            told[Residuals] = [
                np.ascontiguousarray(y, dtype=np.float64),
                np.ascontiguousarray(labels, dtype=np.float64),
            ]
        if Surprise in kinds or Ranking in kinds:
            known, truth, found = scored_rows(y, scores, columns, proba=False)
            if Surprise in kinds:
                told[Surprise] = [true_probability(known or [], truth, found)]
            if Ranking in kinds:
                told[Ranking] = [columns, truth, found]
        return told

    def _with_past(self, kind: type, parts: list[Any]) -> list[Any]:
        """The same with the rows before, as far as the longest window reaches."""
        if kind is Ranking:
            return parts
        *columns, w = parts
        past = self.past.get(kind)
        if past is None:
            joined = [*columns, w]
        else:
            *old, old_w = past
            joined = [np.concatenate([a, b]) for a, b in zip(old, columns, strict=True)]
            if w is None and old_w is None:
                joined.append(None)
            else:
                a = np.ones(len(old[0])) if old_w is None else old_w
                b = np.ones(len(columns[0])) if w is None else w
                joined.append(np.concatenate([a, b]))
        self.past[kind] = [None if p is None else p[-self.longest :].copy() for p in joined]
        return joined

    def note(self) -> None:
        """Write down the metrics as they are now."""
        for metric, used, course in zip(self.metrics, self.used, self.course, strict=True):
            for sums, values in zip(used, course, strict=True):
                values.append(metric._value(sums))

    def fill(self, points: int) -> None:
        """The learner has stopped: it has no values from here on, up to so many points."""
        for course in self.course:
            for values in course:
                values += [math.nan] * (points - len(values))

    def thin(self) -> None:
        """Keep every second note."""
        self.course = [[values[1::2] for values in course] for course in self.course]

    def now(self) -> list[list[float]]:
        """Each metric in each range."""
        return [
            [metric._value(sums) for sums in used]
            for metric, used in zip(self.metrics, self.used, strict=True)
        ]
