"""Workers as tasks of Spark: a job per round, models as bytes in RDDs, merged in pairs.

Spark has no worker that waits for its next round, so each round is a job that reads on where the
last one stopped: Parquet files by row groups, DataFrames by partition. Spark repeats tasks that
fail; a repeated task gives the same answer.
"""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

from ..compat.extras import needed
from .engine import Engine, WorkerLost
from .joining import new_session
from .mixing import put_together
from .shards import Shard
from .worker import Answer, Call, Job, Worker

KEPT = 8  # workers that a Python process of Spark remembers, with their open files
WORKERS: dict[tuple[str, int], Worker] = {}


class Spark(Engine):
    """Workers on a Spark cluster, that of the current session (or a new one on this machine).

    All workers of a round are waited for, whatever `min_fraction` says: a round is a job.
    """

    def __init__(self) -> None:
        needed("pyspark", "spark", "train: engine='spark'")
        self.calls: list[tuple[Call, Any]] = []
        self.frame: Any = None
        self.began = False
        self.session: Any = None
        self.kept: Any = None  # the round whose models are held

    def join(self) -> Any:
        """The Spark session."""
        if self.session is None:
            from pyspark.sql import SparkSession

            self.session = SparkSession.getActiveSession()
            if self.session is None:
                self.session, self.began = new_session(), True
        return self.session

    def shards(self, given: Any, options: dict[str, Any]) -> Any:
        """The partitions of a Spark DataFrame."""
        if not hasattr(given, "mapInArrow"):
            return given
        if not options.get("target"):
            raise ValueError("train: name the column of the DataFrame to be learned: target=...")
        self.frame = given
        return [partition_of_frame for _ in range(given.rdd.getNumPartitions())]

    def start(self, job: Job, plan: list[list[Shard]]) -> None:
        """Hand out the shards; a DataFrame gets one partition for each worker."""
        context = self.join().sparkContext
        self.run = uuid4().hex
        if self.frame is None:
            self.plan = context.broadcast((job, plan))
            return
        if self.frame.rdd.getNumPartitions() != len(plan):
            self.frame = self.frame.coalesce(len(plan))
        self.frame = self.frame.persist()  # each round reads it again
        self.plan = context.broadcast((job, [[part[0]] for part in plan]))

    def send(self, mix: bytes) -> Any:
        """Put the mix where all executors can get it."""
        return self.join().sparkContext.broadcast(mix)

    def call(self, call: Call, mix: Any) -> None:
        """Note the call: the job begins when all are there."""
        self.calls.append((call, mix))

    def wait(self, at_least: int) -> list[tuple[Answer | WorkerLost, int, Any]]:
        """Run the job of the round; what was learned stays with the executors."""
        calls, self.calls = self.calls, []
        mix, plan, run = calls[0][1], self.plan, self.run
        if self.frame is None:
            context = self.join().sparkContext
            answers = context.parallelize([call for call, _ in calls], len(calls)).map(
                lambda call: learn_files(run, plan.value, call, mix.value)
            )
        else:
            answers = by_partition(self.frame, {call.worker: call for call, _ in calls}, plan, mix)
        if self.kept is not None:
            self.kept.unpersist()
        self.kept = answers.persist()
        found = self.kept.map(lambda pair: pair[0]).collect()
        return [(answer, answer.worker, answer.worker) for answer in found]

    def put_together(self, one: Any, other: Any) -> Any:
        """Note which workers are to be put together, in their order."""
        return (one, other)

    def fetch(self, handle: Any) -> bytes:
        """Merge in pairs of neighbours, level by level, where the models are."""
        order = {worker: i for i, worker in enumerate(leaves(handle))}
        weighting = self.plan.value[0].weighting
        level = self.kept.filter(lambda pair: pair[0].worker in order).map(
            lambda pair: (order[pair[0].worker], pair[1])
        )
        count = len(order)
        while count > 1:
            count = (count + 1) // 2
            pairs = level.map(lambda item: (item[0] // 2, item)).groupByKey(count)
            level = pairs.mapValues(lambda items: merged(items, weighting))
        try:
            return bytes(level.values().collect()[0])
        except Exception:  # models that do not go together: say it here, without Java's words
            own = self.kept.filter(lambda pair: pair[0].worker in order)
            models = dict(own.map(lambda pair: (pair[0].worker, pair[1])).collect())
            for worker in leaves(handle)[1:]:
                put_together(models[leaves(handle)[0]], models[worker], weighting)
            raise

    def close(self) -> None:
        """Let go of what the executors hold; stop Spark, if it was started here."""
        if self.kept is not None:
            self.kept.unpersist()
        if self.frame is not None:
            self.frame.unpersist()
        if self.began:
            self.session.stop()
        self.kept = self.frame = self.session = None
        self.calls, self.began = [], False


def partition_of_frame() -> Iterator[Any]:
    """Stands for a partition, whose batches Spark brings."""
    raise WorkerLost("a partition of a DataFrame is read by Spark")


def learn_files(run: str, given: tuple[Job, Any], call: Call, mix: bytes) -> tuple[Answer, bytes]:
    """A round of a worker that reads files; the process may have them open from the last one."""
    key = (run, call.worker)
    worker = WORKERS.pop(key, None) or Worker(given[0], given[1][call.worker])
    while len(WORKERS) >= KEPT:
        WORKERS.pop(next(iter(WORKERS)))
    WORKERS[key] = worker
    return worker.learn(call, mix)


def by_partition(frame: Any, calls: dict[int, Call], plan: Any, mix: Any) -> Any:
    """The answers of workers that read a partition each, by `mapInArrow`."""
    made = frame.mapInArrow(learn_partition(calls, plan, mix), "answer binary, learned binary")
    return made.rdd.map(lambda row: (answer_of(bytes(row.answer)), bytes(row.learned)))


def learn_partition(calls: dict[int, Call], plan: Any, mix: Any) -> Callable[[Any], Any]:
    """What Spark does with a partition."""

    def learn(batches: Iterator[Any]) -> Iterator[Any]:
        import msgspec
        import pyarrow as pa
        from pyspark import TaskContext

        task = TaskContext.get()
        number = task.partitionId() if task is not None else 0
        call = calls.get(number)
        if call is None:
            return
        job, shards = plan.value
        shard = shards[number][0]
        worker = Worker(job, [Shard(f"partition {number}", lambda: batches, shard.options)])
        answer, learned = worker.learn(call, mix.value)
        row = {"answer": [msgspec.json.encode(answer)], "learned": [learned]}
        yield pa.RecordBatch.from_pydict(row, pa.schema({n: pa.binary() for n in row}))

    return learn


def answer_of(data: bytes) -> Answer:
    """An answer from its JSON."""
    import msgspec

    return msgspec.json.decode(data, type=Answer)


def leaves(handle: Any) -> list[int]:
    """The workers in a tree of pairs, from left to right."""
    return [k for part in handle for k in leaves(part)] if isinstance(handle, tuple) else [handle]


def merged(items: Any, weighting: Any) -> bytes:
    """One or two neighbours as one."""
    parts = [learned for _, learned in sorted(items, key=lambda item: item[0])]
    return parts[0] if len(parts) == 1 else put_together(parts[0], parts[1], weighting)
