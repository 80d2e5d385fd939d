"""Sharded training: workers learn their shards, and meet every so many rows."""

import base64
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from ..base.checks import number, whole
from ..base.learner import Learner
from ..evaluate.progress import Progress
from ..persist import load, load_notes, save
from ..persist.format import dumps, loads
from .engine import Engine, WorkerLost, engine_of, tree
from .mixing import Weighting, check_weighting, kind_of, next_mix
from .shards import Position, plan
from .travel import add_metrics, check_metrics, metrics_to_bytes
from .worker import Answer, Call, Job

MIX_EVERY = 100_000  # rows of each worker from one mix to the next
PATIENCE = 5  # times that a worker is lost in the same call before the run is given up
ERRORS: dict[str, type[Exception]] = {
    "TypeError": TypeError,
    "MemoryError": MemoryError,
    "FileNotFoundError": FileNotFoundError,
    "PermissionError": PermissionError,
    "OSError": OSError,
}


@dataclass
class Lane:
    """How far a worker has come."""

    position: Position = field(default_factory=Position)
    sequence: int = 0  # calls that were answered and taken
    done: bool = False
    asked: tuple[Call, Any] | None = None  # what it is working on, and from which mix
    lost: int = 0  # times in a row


@dataclass(frozen=True)
class Mix:
    """A mix of what all workers have learned so far, as `on_mix` gets it."""

    round: int
    rows: int  # that were learned so far
    late: int  # workers whose answer did not arrive in this round
    lost: int  # calls so far that were repeated because a worker was lost
    state: bytes = field(repr=False)  # the model, as `onstream.save` writes it

    @property
    def model(self) -> Any:
        """The model as it is now."""
        return loads(self.state)


def train(
    model: Any,
    shards: Any,
    engine: str | Engine = "ray",
    workers: int = 2,
    mix_every: int | None = MIX_EVERY,
    *,
    epochs: int = 1,
    metrics: Any = None,
    weighting: Weighting = "rows",
    min_fraction: float = 1.0,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[int], object] = False,
    on_mix: Callable[[Mix], object] | None = None,
    **reading: Any,
) -> Any:
    """Train a model on several workers, each of which streams its own shards.

    The model goes on from the state it is in, and is returned. What comes out depends on the
    shards, `workers` and `mix_every` alone, not on the engine or on workers that were lost
    (unless `min_fraction` lets the others go on).

    Parameters
    ----------
    model : learner
        One that can be merged: exact for naive Bayes, RLS, scalers; linear learners are mixed.
    shards : path, pattern, (X, y), stream, frame, or list of these
        Shards are dealt out in turn: worker k reads shards k, k + workers, ... If there are fewer
        files than workers, Parquet files are divided by row groups; a block (X, y) is cut.
        Also a Ray Dataset on Ray, a Spark DataFrame on Spark.
    engine : "ray", "spark", "local" or an engine, default "ray"
        Where workers run; "local" is this process, for tests and simulations.
    workers : int > 0, default 2
        How many; fewer, if there are not as many shards.
    mix_every : int > 0 or None, default 100_000
        Rows that a worker learns between two mixes. Fewer cost more messages, more cost accuracy
        (docs/cluster.md has figures). None: they meet once, at the end.
    epochs : int > 0, default 1
        How often each worker goes over its shards. More help where shards are small: many workers
        with few rows each learn too little in one pass. For learners that are mixed.
    metrics : metric or list of metrics, optional
        Test-then-train over all workers: each row is predicted by its worker before it is learned.
        The metrics that are given are updated.
    weighting : "rows" or "energy", default "rows"
        How much a worker's weights count in the mix: by its rows, or each weight by the squares
        of its gradients (AdaGrad rates and `FTRLProximal`), as Vowpal Wabbit does.
    min_fraction : float in (0, 1], default 1.0
        Share of the workers that a mix waits for; the others come in later. Below 1 the result
        depends on who was in time.
    checkpoint : path, optional
        A model file that is written after each mix. A run that finds its own file there goes on
        from it.
    progress : bool or callable, default False
        True shows one bar for all workers; a callable gets the number of rows of each answer.
    on_mix : callable, optional
        Is called with a `Mix` after each round.
    **reading
        Options of the readers for files and frames, such as `target="won"`.

    Examples
    --------
    >>> from onstream.bayes import GaussianNB
    >>> from onstream.datasets import noaa_weather
    >>> X, rain = noaa_weather()
    >>> model = train(GaussianNB(), (X, rain), engine="local", workers=4)
    >>> model.seen
    18159
    """
    if not isinstance(model, Learner):
        raise TypeError(f"train: model must be a learner of onstream, got {type(model).__name__}.")
    whole("train", "workers", workers, least=1)
    if mix_every is not None:
        whole("train", "mix_every", mix_every, least=max(1, getattr(model, "batch_size", 1)))
    number("train", "min_fraction", min_fraction, above=0.0, most=1.0)
    check_weighting(model, weighting)
    kind = kind_of(model)
    if whole("train", "epochs", epochs, least=1) > 1 and kind != "mixing":
        raise ValueError(
            f"train: epochs={epochs} would count every row of a {type(model).__name__} "
            f"{epochs} times; only learners that are mixed can go over their rows again."
        )
    judges = check_metrics(metrics, model)
    runs_on = engine_of(engine)
    state = dumps(model)  # refuses what cannot travel
    given = runs_on.shards(shards, reading)
    parts = [part * epochs for part in plan(given, workers, reading)]
    run = Training(runs_on, state, kind, len(parts))
    run.mix_every = None if kind == "once" else mix_every
    run.min_fraction, run.metrics, run.on_mix = min_fraction, judges, on_mix
    known = [shard.rows for part in parts for shard in part]
    total = None if None in known else sum(rows for rows in known if rows)
    if checkpoint is not None:
        names = [[shard.name for shard in part] for part in parts]
        options = {name: repr(reading[name]) for name in sorted(reading)}
        about = {"model": repr(model), "shards": names, "reading": options, "weighting": weighting}
        run.keep(checkpoint, about)
    job = Job(kind, [(type(m).__name__, m.params) for m in judges], weighting)
    with Progress(progress, total) as advance:
        advance(run.rows)
        run.advance = advance
        if run.unfinished():
            try:
                runs_on.start(job, parts)
                run.go()
            finally:
                runs_on.close()
    model._restore(loads(run.state)._snapshot())
    return model


class Training:
    """A run: who has learned what, and the mix."""

    def __init__(self, engine: Engine, state: bytes, kind: str, workers: int) -> None:
        self.engine, self.state, self.kind = engine, state, kind
        self.lanes = [Lane() for _ in range(workers)]
        self.mix_every: int | None = None
        self.min_fraction = 1.0
        self.metrics: list[Any] = []
        self.on_mix: Callable[[Mix], object] | None = None
        self.advance: Callable[[int], object] = lambda rows: None
        self.rounds = self.rows = self.lost = 0
        self.path: str | os.PathLike[str] | None = None
        self.about: dict[str, Any] = {}

    def unfinished(self) -> list[int]:
        """Workers that have rows left."""
        return [k for k, lane in enumerate(self.lanes) if not lane.done]

    def go(self) -> None:
        """Round after round, until all rows are learned."""
        while going := self.unfinished():
            mix = self.engine.send(self.state)
            for k in going:
                if self.lanes[k].asked is None:
                    lane = self.lanes[k]
                    self.ask(k, Call(k, lane.sequence, lane.position, self.mix_every), mix)
            arrived = self.collect(ceil(self.min_fraction * len(going) - 1e-9))
            self.take(arrived, late=len(going) - len(arrived))

    def ask(self, worker: int, call: Call, mix: Any) -> None:
        """Give a worker its next round, or the same once more."""
        self.lanes[worker].asked = (call, mix)
        self.engine.call(call, mix)

    def collect(self, wanted: int) -> dict[int, tuple[Answer, Any]]:
        """Answers of at least so many workers; who was lost is asked again, from the same mix."""
        arrived: dict[int, tuple[Answer, Any]] = {}
        while len(arrived) < wanted:
            for answer, worker, handle in self.engine.wait(wanted - len(arrived)):
                lane = self.lanes[worker]
                if isinstance(answer, WorkerLost):
                    self.ask_again(worker, answer)
                elif lane.asked is not None and answer.sequence == lane.sequence:
                    if answer.error is not None:
                        raise told(*answer.error)
                    arrived[worker] = answer, handle
        return arrived

    def ask_again(self, worker: int, reason: WorkerLost) -> None:
        """Repeat the call of a worker that was lost."""
        lane = self.lanes[worker]
        self.lost += 1
        lane.lost += 1
        if lane.lost > PATIENCE:
            raise RuntimeError(
                f"train: worker {worker} was lost {lane.lost} times in the same round; the last "
                f"time: {reason!s:.300}"
            ) from reason
        assert lane.asked is not None
        self.ask(worker, *lane.asked)

    def take(self, arrived: dict[int, tuple[Answer, Any]], late: int) -> None:
        """Put together what was learned in a round; each answer counts once."""
        learned = self.learned(arrived)
        if learned is not None:
            workers = sum(answer.rows > 0 for answer, _ in arrived.values())
            self.state = next_mix(self.state, learned, self.kind, workers)
        for k in sorted(arrived):
            answer, lane = arrived[k][0], self.lanes[k]
            lane.position, lane.done = answer.end, answer.done
            lane.sequence += 1
            lane.asked, lane.lost = None, 0
            self.rows += answer.rows
            if answer.metrics:
                add_metrics(self.metrics, answer.metrics)
            self.advance(answer.rows)
        self.rounds += 1
        if self.path is not None:
            self.write()
        if self.on_mix is not None:
            self.on_mix(Mix(self.rounds, self.rows, late, self.lost, self.state))

    def learned(self, arrived: dict[int, tuple[Answer, Any]]) -> bytes | None:
        """What all of them have learned, in the order of workers; None: there was nothing."""
        while True:
            order = [k for k in sorted(arrived) if arrived[k][0].rows]
            if not order:
                return None
            try:
                return self.engine.fetch(tree(self.engine, [arrived[k][1] for k in order]))
            except WorkerLost as reason:  # with what it had learned: all learn the round again
                for k in order:
                    self.ask_again(k, reason)
                arrived |= self.collect(len(order))
            except (ValueError, TypeError) as error:  # labels of two kinds, say
                raise type(error)(
                    f"train: what workers have learned does not go together: {error}"
                ) from None

    # -- a run that can be taken up again

    def keep(self, path: str | os.PathLike[str], about: dict[str, Any]) -> None:
        """Write a model file after each mix; go on from it, if it is of this run."""
        self.path, self.about = path, about
        if not os.path.exists(path):
            return
        notes = load_notes(path).get("training")
        if not isinstance(notes, dict) or notes.get("run") != self.description():
            raise ValueError(
                f"train: {os.fspath(path)!r} was not written by a run with this model, these "
                f"shards, options, workers, metrics and mix_every; remove it, or name another "
                f"checkpoint."
            )
        self.state = dumps(load(path))
        self.rounds, self.rows = notes["rounds"], notes["rows"]
        for lane, (shard, row, sequence, done) in zip(self.lanes, notes["lanes"], strict=True):
            lane.position, lane.sequence, lane.done = Position(shard, row), sequence, done
        if self.metrics and notes["metrics"]:
            add_metrics(self.metrics, base64.b64decode(notes["metrics"]))

    def description(self) -> dict[str, Any]:
        """What must be the same for a run to be taken up."""
        judges = [metric.code for metric in self.metrics]
        return {**self.about, "mix_every": self.mix_every, "metrics": judges}

    def write(self) -> None:
        """Save the mix, and how far each worker has come."""
        assert self.path is not None
        lanes = [
            [lane.position.shard, lane.position.row, lane.sequence, lane.done]
            for lane in self.lanes
        ]
        counted = base64.b64encode(metrics_to_bytes(self.metrics)).decode() if self.metrics else ""
        notes = {
            "run": self.description(),
            "rounds": self.rounds,
            "rows": self.rows,
            "lanes": lanes,
            "metrics": counted,
        }
        save(loads(self.state), self.path, notes={"training": notes})


def told(name: str, message: str) -> Exception:
    """The error that a worker met with."""
    if name in ("ValueError", *ERRORS):
        return ERRORS.get(name, ValueError)(f"train: {message}")
    return ValueError(f"train: {name}: {message}")
