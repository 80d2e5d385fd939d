"""What a worker does in a round, on whatever engine: a function of its call and of the data alone.

So a call can be repeated, here or elsewhere: it gives the same answer, and the driver takes one
answer per (worker, sequence).
"""

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from ..base.blocks import count_rows
from ..base.errors import in_stream
from ..evaluate import metrics as known_metrics
from ..persist.format import loads
from .mixing import begin, since
from .shards import Position, Shard, Shards
from .travel import metrics_to_bytes

BLOCK = 16_384  # rows learned at once


@dataclass(frozen=True)
class Call:
    """A round of one worker: where it reads on, and how far."""

    worker: int
    sequence: int
    start: Position
    rows: int | None  # None: to the end


@dataclass(frozen=True)
class Answer:
    """What came of a call, without the model."""

    worker: int
    sequence: int
    end: Position
    rows: int = 0
    done: bool = False  # are there no more rows?
    metrics: bytes = b""
    seconds: float = 0.0
    error: tuple[str, str] | None = None  # its class and message: rows that cannot be learned


@dataclass(frozen=True)
class Job:
    """What is the same for all rounds."""

    kind: str  # "exact", "mixing" or "once"
    metrics: list[tuple[str, dict[str, Any]]] = field(default_factory=list)  # class, parameters
    weighting: Any = "rows"


class Worker:
    """Learns the rows of its shards, a round at a time."""

    def __init__(self, job: Job, shards: list[Shard]) -> None:
        self.job, self.shards = job, Shards(shards)
        self.last: tuple[Call, Answer, bytes] | None = None

    def learn(self, call: Call, base: bytes) -> tuple[Answer, bytes]:
        """Learn the rows of a call; a repeated call gets the answer that it got."""
        if self.last is not None and self.last[0] == call:
            return self.last[1], self.last[2]
        self.shards.seek(call.start)
        try:
            answer, learned = self._learn(call, base)
        except Exception as error:  # of the rows, or of a function of the user
            self.shards.seek(Position(-1))
            failure = (type(error).__name__, str(error))
            return Answer(call.worker, call.sequence, call.start, error=failure), b""
        self.last = (call, answer, learned)
        return answer, learned

    def _learn(self, call: Call, base: bytes) -> tuple[Answer, bytes]:
        began = perf_counter()
        learner = begin(base, self.job.kind)
        metrics = [getattr(known_metrics, name)(**params) for name, params in self.job.metrics]
        judged = learner if self.job.kind == "mixing" or not metrics else loads(base)
        rows, done = 0, False
        while call.rows is None or rows < call.rows:
            block = self.shards.take(BLOCK if call.rows is None else min(BLOCK, call.rows - rows))
            if block is None:
                done = True
                break
            X, y, w = (*block, None)[:3]
            try:
                self.learn_block(learner, judged, metrics, X, y, w)
            except (ValueError, TypeError) as error:
                at = self.shards.position.row - (count_rows(X) or 0)
                raise type(error)(f"{self.shards.name}: {in_stream(error, at)}") from None
            rows += count_rows(X) or 0
        learned = since(learner, base, self.job.kind) if rows else b""
        counted = metrics_to_bytes(metrics) if metrics and rows else b""
        answer = Answer(
            call.worker,
            call.sequence,
            self.shards.position,
            rows,
            done,
            counted,
            perf_counter() - began,
        )
        return answer, learned

    @staticmethod
    def learn_block(learner: Any, judged: Any, metrics: list[Any], X: Any, y: Any, w: Any) -> None:
        """Learn a block; if there are metrics, each row is predicted first."""
        if y is None and hasattr(learner, "predict_many"):
            raise ValueError("there is nothing to learn; name the column: target=...")
        if not hasattr(learner, "predict_many"):  # a transformer
            learner.learn_many(X, w)
            return
        if metrics:
            answers = judged.predict_learn_many(X, y, w)
            for metric in metrics:
                metric.update_many(y, answers, w)
        if not metrics or judged is not learner:
            learner.learn_many(X, y, w)
