"""One learner's metrics while it runs: all examples, the last ones, and with fading memory."""

import math
from collections import deque
from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ._confusion import Confusion
from ._label_codes import LabelCodes
from ._ranking import Ranking
from ._sums import LogLossSum, Residuals
from .columns import number_column, true_labels
from .metric import Metric
from .metrics import OfSums, true_probability

RANGES = ("cumulative", "window", "fading")


def is_own(metric: Metric) -> bool:
    """Say whether this is a metric of the user's, known by `update` and `value` alone."""
    return not isinstance(metric, OfSums) or type(metric).__module__ != OfSums.__module__


def copied(sums: Any, shared: LabelCodes, new: LabelCodes) -> Any:
    """A copy of sums; where they number labels by the shared codes, it does by the new ones."""
    make, (*how, fields) = sums.__reduce__()  # much quicker than a deep copy
    if "label_codes" in fields:
        old = fields["label_codes"]
        fields["label_codes"] = new if old is shared else copy(old)
    return make(*how, fields)


class OwnMetric:
    """A metric of the user's own: over all examples, and over the last ones, counted again."""

    def __init__(self, metric: Metric, window: int) -> None:
        self.metric = metric
        self.all = metric.clone()
        self.recent: deque[tuple[Any, ...]] = deque(maxlen=window)

    def add(self, examples: Sequence[tuple[Any, ...]]) -> None:
        """Add examples (y, prediction) or (y, prediction, w)."""
        for example in examples:
            self.all.update(*example)
        self.recent.extend(examples)

    def copy(self) -> Self:
        """The same, to come back to; the examples themselves never change."""
        other = copy(self)
        other.recent = self.recent.copy()
        try:
            other.all = deepcopy(self.all)
        except Exception:  # the user's: it may hold what cannot be copied, and then goes on
            other.all = self.all
        return other

    def values(self) -> list[float]:
        """The metric in each range; how it would fade is not known."""
        recent = self.metric.clone()
        for example in self.recent:
            recent.update(*example)
        return [float(self.all.value), float(recent.value), math.nan]


class Track:
    """The sums that some metrics need, shared where two need the same, and their curves."""

    def __init__(self, metrics: Sequence[Metric], window: int, alpha: float) -> None:
        self.metrics = metrics
        self.label_codes = LabelCodes()
        self.guesses = any(getattr(metric, "guesses", False) for metric in metrics)
        self.sums: dict[tuple[Any, ...], Any] = {}  # by kind, window, alpha, output
        self.used: list[Any] = []  # per metric: the sums of each range, or an OwnMetric
        self.rows = 0  # that were judged
        self.curves: list[list[list[float]]] = [[[] for _ in RANGES] for _ in metrics]
        for metric in metrics:
            if is_own(metric):
                self.used.append(OwnMetric(metric, window))
                continue
            assert isinstance(metric, OfSums)
            ranges = ((0, 1.0), (metric.window or window, 1.0), (0, metric.alpha or alpha))
            self.used.append([self._shared(metric, *range_) for range_ in ranges])
            if getattr(metric, "positive", None) is not None:
                self.label_codes.expect(metric.positive)  # type: ignore[attr-defined]
        self.longest = max((key[1] for key in self.sums), default=0)
        self.past: dict[type, list[Any]] = {}  # what windows still look back on

    def _shared(self, metric: OfSums, window: int, alpha: float) -> Any:
        kind = type(metric._sums)
        key = (kind, window, alpha, getattr(metric, "output", None))
        if key not in self.sums:
            if kind is Confusion:  # windows are counted again where they are asked for
                self.sums[key] = Confusion(0, alpha, self.guesses, self.label_codes)
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
        examples = {id(own): self._examples(own, y, labels, scores, columns, w) for own in self.own}
        parts_of = self._read(y, labels, scores, columns)
        windows = {kind: self._with_past(kind, [*parts, w]) for kind, parts in parts_of.items()}
        jobs = []  # how to add rows, and where from; for windows, how many
        for (kind, window, _, _), sums in self.sums.items():
            if window and kind is not Ranking:  # which keeps its own window
                jobs.append((sums, windows[kind], window))
            else:
                jobs.append((sums, [*parts_of[kind], w], 0))
        start = 0
        for at, stop in enumerate([*stops, rows]):
            for sums, parts, window in jobs:
                if window:
                    end = len(parts[0]) - rows + stop
                    sums.reset()
                    sums.add_columns(*parts, max(0, end - window), end)
                elif stop > start:
                    sums.add_columns(*parts, start, stop)
            for own in self.own:
                own.add(examples[id(own)][start:stop])
            self.rows += stop - start
            start = stop
            if at < len(stops):
                self.note()

    @property
    def own(self) -> list[OwnMetric]:
        """The metrics that are the user's own."""
        return [used for used in self.used if isinstance(used, OwnMetric)]

    def _examples(
        self, own: OwnMetric, y: Any, labels: Any, scores: Any, columns: list[Any] | None, w: Any
    ) -> list[tuple[Any, ...]]:
        """A block as a metric of the user's own takes it, one by one."""
        if own.metric.needs in ("proba", "score"):
            known = columns or []
            said: list[Any] = [
                {label: s for label, s in zip(known, row, strict=True) if s == s}
                for row in np.asarray(scores).tolist()
            ]
        else:
            said = np.asarray(labels).tolist()
        rows = zip(np.asarray(y).tolist(), said, *([] if w is None else [w.tolist()]), strict=True)
        return list(rows)

    def _read(
        self, y: Any, labels: Any, scores: Any, columns: list[Any] | None
    ) -> dict[type, list[Any]]:
        """What each kind of sums takes of a block."""
        kinds = {key[0] for key in self.sums}
        parts: dict[type, list[Any]] = {}
        if Confusion in kinds:
            parts[Confusion] = list(self.label_codes.encode(y, labels))
        if Residuals in kinds:
            parts[Residuals] = [number_column(y, "y"), number_column(labels, "the prediction")]
        if LogLossSum in kinds or Ranking in kinds:
            truth = true_labels(y)
            if LogLossSum in kinds:
                parts[LogLossSum] = [true_probability(columns or [], truth, scores)]
            if Ranking in kinds:
                parts[Ranking] = [columns, truth, scores]
        return parts

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
        for now, curves in zip(self.now(), self.curves, strict=True):
            for value, values in zip(now, curves, strict=True):
                values.append(value)

    def copy(self) -> Self:
        """The same, to come back to if a block is refused; notes are shared, see `cut`."""
        other = copy(self)
        other.past = self.past.copy()  # whose columns are replaced, never changed
        other.label_codes = copy(self.label_codes)
        codes = self.label_codes, other.label_codes
        other.sums = {key: copied(sums, *codes) for key, sums in self.sums.items()}
        new = {id(old): other.sums[key] for key, old in self.sums.items()}
        other.used = [
            used.copy() if isinstance(used, OwnMetric) else [new[id(sums)] for sums in used]
            for used in self.used
        ]
        return other

    def cut(self, points: int) -> None:
        """Forget the notes after the first `points`."""
        self.curves = [[values[:points] for values in curves] for curves in self.curves]

    def fill(self, points: int) -> None:
        """The learner has stopped: it has no values from here on, up to `points`."""
        for curves in self.curves:
            for values in curves:
                values += [math.nan] * (points - len(values))

    def thin(self) -> None:
        """Keep every second note."""
        self.curves = [[values[1::2] for values in curves] for curves in self.curves]

    def now(self) -> list[list[float]]:
        """Each metric in each range; NaN before anything was judged."""
        if not self.rows:
            return [[math.nan] * len(RANGES) for _ in self.metrics]
        return [
            used.values() if isinstance(used, OwnMetric) else [metric._value(sums) for sums in used]  # type: ignore[attr-defined]
            for metric, used in zip(self.metrics, self.used, strict=True)
        ]

    def titles(self) -> list[str]:
        """What each metric is called now: which label it judges."""
        return [
            used.all.title if isinstance(used, OwnMetric) else metric._title(used[0])  # type: ignore[attr-defined]
            for metric, used in zip(self.metrics, self.used, strict=True)
        ]
