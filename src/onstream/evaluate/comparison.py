"""Learners on several streams, with several seeds: means, spreads and ranks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from ..base.checks import whole
from .choices import named_models, steps_of
from .figures import figure
from .metric import Metric
from .prequential import prequential
from .report import Report

if TYPE_CHECKING:
    from rich.table import Table


def compare(
    models: Any,
    streams: Any,
    *,
    seeds: Iterable[int] | int | None = None,
    metrics: Metric | Sequence[Metric] | None = None,
    n_jobs: int = 1,
    baselines: bool = True,
    progress: Callable[[str, int | None], object] | None = None,
    **options: Any,
) -> "Comparison":
    """Let copies of some models predict, then learn, each of several streams, with each seed.

    Parameters
    ----------
    models : learner, list of learners, or dict name to learner
        Every run begins with a clone of each, which has learned nothing; they stay as they are.
    streams : dict name to stream, or list of streams
        Each as `prequential` takes it, and readable again and again: `(X, y)`, a generator of
        `onstream.streams` with its `limit`, a reader. A function of the seed may give the stream.
    seeds : iterable of int, or int, optional
        Each stream is run once for each: learners with a `seed` get it, and streams that are
        functions. 3 is range(3). By default one run, with the seeds that learners have.
    metrics : metric or list of metrics, optional
        As for `prequential`; ranks go by the first.
    n_jobs : int > 0, default 1
        How many learners work at the same time; the figures are the same for any.
    baselines : bool, default True
        Add what never looks at the features.
    progress : callable, optional
        Called with the name of the stream and the seed before each run.
    **options
        Further options of `prequential`: window, delay, detector, ...

    Returns
    -------
    Comparison
        `value(learner, stream)`, `spread(learner, stream)`, `ranks()`, `table()`, and all reports.

    Examples
    --------
    >>> from onstream import GaussianNB, PAClassifier
    >>> from onstream.streams import SEA, STAGGER
    >>> streams = {"sea": lambda seed: SEA(seed=seed).limit(500), "stagger": STAGGER().limit(500)}
    >>> result = compare([PAClassifier(), GaussianNB()], streams, seeds=(1, 2))
    >>> result.value("GaussianNB", "sea") > 0.8
    True
    """
    named = named_models(models)
    given = named_streams(streams)
    chosen = chosen_seeds(seeds)
    reports: dict[str, list[Report]] = {}
    for name, stream in given.items():
        reports[name] = []
        for seed in chosen:
            if progress is not None:
                progress(name, seed)
            reports[name].append(
                prequential(
                    {label: begun(model, seed) for label, model in named.items()},
                    opened(stream, seed),
                    metrics,
                    n_jobs=n_jobs,
                    baselines=baselines,
                    question=name,
                    **options,
                )
            )
    return Comparison(reports, [None if seed is None else int(seed) for seed in chosen])


def chosen_seeds(seeds: Any) -> list[int | None]:
    """The seeds of the runs; a number of them is that many."""
    if seeds is None:
        return [None]
    if not isinstance(seeds, Iterable):
        return list(range(whole("compare", "seeds", seeds, least=1)))
    if chosen := list(seeds):
        return chosen
    raise ValueError("compare: seeds is empty; give some, such as seeds=range(5).")


def named_streams(streams: Any) -> dict[str, Any]:
    """The streams by name; those of a list are numbered, or named after their class."""
    if not isinstance(streams, Mapping):
        if isinstance(streams, tuple) or not isinstance(streams, Iterable) or is_stream(streams):
            raise TypeError(
                "compare: streams must be a dict of streams by name, or a list of them; "
                "for a single one see prequential."
            )
        several = list(streams)
        kinds = ["stream" if isinstance(s, tuple) else type(s).__name__ for s in several]
        streams = {
            kind if kinds.count(kind) == 1 else f"{kind} {kinds[: i + 1].count(kind)}": stream
            for i, (kind, stream) in enumerate(zip(kinds, several, strict=True))
        }
    if not streams:
        raise ValueError("compare: there is no stream.")
    for name, stream in streams.items():
        if getattr(stream, "endless", False):
            raise ValueError(f"compare: the stream {name!r} never ends; give its limit(100_000).")
        if hasattr(stream, "__next__"):
            raise TypeError(
                f"compare: the stream {name!r} can be read only once, but every seed reads it "
                f"anew: give a function of the seed that opens it."
            )
    return {str(name): stream for name, stream in streams.items()}


def is_stream(thing: Any) -> bool:
    """Say whether it is one stream, rather than a list of some."""
    return hasattr(thing, "batches")


def begun(model: Any, seed: int | None) -> Any:
    """A model that has learned nothing, with this seed wherever there is one."""
    if not hasattr(model, "clone"):
        from copy import deepcopy

        return deepcopy(model)
    if seed is None:
        return model.clone()
    steps = steps_of(model)
    if steps != [model]:
        return model.clone(steps=[begun(step, seed) for step in steps])
    return model.clone(seed=seed) if "seed" in model.params else model.clone()


def opened(stream: Any, seed: int | None) -> Any:
    """A stream from its beginning."""
    return stream(seed) if callable(stream) and not is_stream(stream) else stream


@dataclass
class Comparison:
    """How learners did on several streams. `str(comparison)` is a table of means and mean ranks."""

    reports: dict[str, list[Report]]  # of each stream, one for each seed
    seeds: list[int | None]

    @property
    def streams(self) -> list[str]:
        """Names of the streams."""
        return list(self.reports)

    @property
    def learners(self) -> list[str]:
        """Names of the learners, baselines after them."""
        names = dict.fromkeys(run.name for all in self.reports.values() for run in all[0].runs)
        return list(names)

    def values(self, learner: str, stream: str, metric: str | None = None) -> list[float]:
        """A learner's final values on a stream, one for each seed, by the first metric."""
        if stream not in self.reports:
            known = ", ".join(self.reports)
            raise KeyError(f"Comparison: there is no stream {stream!r}; there are: {known}.")
        return [
            report.value(learner, metric or report.metrics[0]["name"])
            for report in self.reports[stream]
        ]

    def value(self, learner: str, stream: str, metric: str | None = None) -> float:
        """Their mean."""
        return fmean(self.values(learner, stream, metric))

    def spread(self, learner: str, stream: str, metric: str | None = None) -> float:
        """Their standard deviation over the seeds; 0 of a single one."""
        found = self.values(learner, stream, metric)
        return stdev(found) if len(found) > 1 else 0.0

    def ranks(self, metric: str | None = None) -> dict[str, float]:
        """Mean rank of every learner over all streams; 1 is best, equal means share their ranks.

        Baselines that were added take no part.
        """
        places: dict[str, list[float]] = {}
        for stream, reports in self.reports.items():
            report = reports[0]
            best = {m["name"]: m["best"] for m in report.metrics}
            sign = -1.0 if best[metric or report.metrics[0]["name"]] == "high" else 1.0
            found = {
                run.name: sign * self.value(run.name, stream, metric)
                for run in report.runs
                if not run.added
            }
            for name, own in found.items():
                ahead = sum(other < own for other in found.values())
                level = sum(other == own for other in found.values())
                last = len(found) if own != own else ahead + (level + 1) / 2.0
                places.setdefault(name, []).append(last)
        return {name: fmean(all) for name, all in places.items()}

    def table(self, metric: str | None = None) -> "Table":
        """Learners by streams, for the terminal: means over the seeds; the best are green."""
        from rich import box
        from rich.markup import escape
        from rich.table import Table

        table = Table(box=box.SIMPLE_HEAD)
        table.add_column("learner")
        columns = []
        for stream, reports in self.reports.items():
            told = {m["name"]: m for m in reports[0].metrics}
            about = told[metric or reports[0].metrics[0]["name"]]
            table.add_column(f"{escape(stream)}\n{about['title']}", justify="right")
            columns.append((stream, about))
        table.add_column("mean rank", justify="right")
        ranks = self.ranks(metric)
        for name in self.learners:
            cells = [self._cell(name, stream, about, metric) for stream, about in columns]
            rank = f"{ranks[name]:.2f}" if name in ranks else ""
            table.add_row(escape(name), *cells, rank, style=None if name in ranks else "dim")
        return table

    def _cell(self, name: str, stream: str, about: dict[str, str], metric: str | None) -> str:
        """The mean of a learner on a stream, with its spread if there are several seeds."""
        runs = {run.name: run for run in self.reports[stream][0].runs}
        if name not in runs:
            return ""
        own = self.value(name, stream, metric)
        text = figure(own, about["unit"])
        if len(self.seeds) > 1 and own == own:
            text += f" ±{figure(self.spread(name, stream, metric), about['unit'])}"
        pick = max if about["best"] == "high" else min
        means = [self.value(other, stream, metric) for other in runs]
        best = pick((value for value in means if value == value), default=None)
        return f"[bold green]{text}[/]" if own == best else text

    def __rich__(self) -> "Table":
        return self.table()

    def __str__(self) -> str:
        from io import StringIO

        from rich.console import Console

        page = StringIO()
        Console(file=page, width=100_000, color_system=None).print(self.table())
        return page.getvalue()

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain lists, dicts, numbers and strings."""
        return {
            "seeds": self.seeds,
            "ranks": self.ranks(),
            "streams": {
                name: [report.to_dict() for report in reports]
                for name, reports in self.reports.items()
            },
        }
