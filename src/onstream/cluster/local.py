"""The engine without a cluster: all workers in this process, in a fixed order.

It is the reference that other engines are tested against, and simulates clusters of any size:
workers that are late, workers that are lost.
"""

from collections.abc import Collection, Mapping
from typing import Any

from .engine import Engine, WorkerLost
from .mixing import put_together
from .shards import Shard
from .worker import Answer, Call, Job, Worker


class Local(Engine):
    """Workers that take turns in this process.

    Parameters
    ----------
    late : dict worker to rounds, optional
        A simulated straggler: its answers arrive so many rounds after they were asked for.
    lost : collection of (worker, sequence), optional
        Workers that are lost in this call, once, before they answer.
    forgotten : collection of (worker, sequence), optional
        The same, after they have learned: only the answer is lost.
    """

    def __init__(
        self,
        *,
        late: Mapping[int, int] | None = None,
        lost: Collection[tuple[int, int]] = (),
        forgotten: Collection[tuple[int, int]] = (),
    ) -> None:
        self.late = dict(late or {})
        self.lost, self.forgotten = set(lost), set(forgotten)
        self.calls: list[tuple[int, Call, bytes]] = []  # in which round it is answered
        self.round = 0
        self.merges = 0

    def start(self, job: Job, plan: list[list[Shard]]) -> None:
        """Make the workers."""
        self.job, self.plan = job, plan
        self.workers = [Worker(job, shards) for shards in plan]
        self.calls.clear()

    def send(self, mix: bytes) -> Any:
        """Nothing travels here."""
        return mix

    def call(self, call: Call, mix: Any) -> None:
        """Note what a worker has to do."""
        self.calls.append((self.round + self.late.get(call.worker, 0), call, mix))

    def wait(self, at_least: int) -> list[tuple[Answer | WorkerLost, int, Any]]:
        """Everything that is due in this round; more rounds, if that is not enough."""
        found: list[tuple[Answer | WorkerLost, int, Any]] = []
        while True:
            due = [item for item in self.calls if item[0] <= self.round]
            self.calls = [item for item in self.calls if item[0] > self.round]
            found += [self.outcome(call, mix) for _, call, mix in due]
            if len(found) >= at_least or not self.calls:
                self.round += 1
                return found
            self.round = min(item[0] for item in self.calls)

    def outcome(self, call: Call, mix: bytes) -> tuple[Answer | WorkerLost, int, Any]:
        """What comes of a call."""
        key = (call.worker, call.sequence)
        if key in self.lost:
            self.lost.discard(key)
            self.workers[call.worker] = Worker(self.job, self.plan[call.worker])
            return WorkerLost("it was told to be lost"), call.worker, None
        answer, learned = self.workers[call.worker].learn(call, mix)
        if key in self.forgotten:
            self.forgotten.discard(key)
            return WorkerLost("its answer was told to be lost"), call.worker, None
        return answer, call.worker, learned

    def put_together(self, one: Any, other: Any) -> Any:
        """Merge two models."""
        self.merges += 1
        return put_together(one, other, self.job.weighting)

    def fetch(self, handle: Any) -> bytes:
        """It is here."""
        return bytes(handle)

    def close(self) -> None:
        """Forget the workers and their files."""
        self.workers = []
