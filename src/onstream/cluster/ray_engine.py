"""Workers as Ray actors. Models travel as bytes from actor to actor; the driver sees the mix alone.

A lost actor is started again by Ray, on another node perhaps, and its call repeated: it reads on
from where the call says. Objects that were lost with a node are made again in the same way.
"""

from functools import partial
from typing import Any

from ..compat.extras import needed
from .engine import Engine, WorkerLost
from .joining import join_ray
from .mixing import put_together
from .shards import Shard
from .worker import Answer, Call, Job, Worker

RESTARTS = 10  # of an actor, and of its calls, before the driver is told


class RayWorker:
    """A `Worker` in a process of its own."""

    def __init__(self, job: Job) -> None:
        import pyarrow as pa

        pa.set_cpu_count(1)  # a worker has one core
        self.job = job
        self.worker: Worker | None = None

    def learn(self, call: Call, mix: bytes, shards: list[Any]) -> tuple[Answer, bytes]:
        """Learn a round; `shards` holds the reference to its shards."""
        if self.worker is None:  # new, or started again
            self.worker = Worker(self.job, fetched(shards[0]))
        return self.worker.learn(call, mix)


class Ray(Engine):
    """Workers on a Ray cluster.

    Joins the cluster that `ray.init` has joined, or that the environment names (RAY_ADDRESS, or
    inside a submitted job); without one, starts Ray on this machine and stops it afterwards.

    Parameters
    ----------
    cpus : float >= 0, default 1
        CPUs of each worker, as Ray counts them.
    resources : dict, optional
        Custom resources that each worker needs, to choose its nodes.
    runtime_env : dict, optional
        Ray's runtime environment of the workers, such as `{"pip": ["onstream"]}`.
    """

    def __init__(
        self,
        *,
        cpus: float = 1,
        resources: dict[str, float] | None = None,
        runtime_env: dict[str, Any] | None = None,
    ) -> None:
        self.ray = needed("ray", "ray", "train: engine='ray'")
        self.options = {"num_cpus": cpus, "resources": resources, "runtime_env": runtime_env}
        self.began = False
        self.actors: list[Any] = []
        self.plan: list[Any] = []
        self.asked: dict[Any, tuple[Call, Any]] = {}  # reference to an answer: call, to the model

    def join(self, who: str = "train") -> None:
        """Join the cluster, or start one here."""
        self.began = join_ray(self.ray, who) or self.began

    def shards(self, given: Any, options: dict[str, Any]) -> Any:
        """The blocks of a Ray Dataset, which stay where they are."""
        if not hasattr(given, "to_arrow_refs"):
            return given
        if not options.get("target"):
            raise ValueError("train: name the column of the Dataset to be learned: target=...")
        return [partial(fetched, reference) for reference in given.to_arrow_refs()]

    def start(self, job: Job, plan: list[list[Shard]]) -> None:
        """Ask for an actor per worker; those that the cluster has no room for come later."""
        self.join()
        self.job, ray = job, self.ray
        actor = ray.remote(**self.options, max_restarts=RESTARTS, max_task_retries=RESTARTS)
        self.actors = [actor(RayWorker).remote(job) for _ in plan]
        self.plan = [ray.put(shards) for shards in plan]  # the driver keeps them for restarts
        merging = {**self.options, "num_cpus": 0}
        self.merge = ray.remote(**merging, max_retries=RESTARTS)(put_together)

    def send(self, mix: bytes) -> Any:
        """Put the mix where all nodes can get it."""
        return self.ray.put(mix)

    def call(self, call: Call, mix: Any) -> None:
        """Call an actor; answer and model come back as two objects."""
        learn = self.actors[call.worker].learn.options(num_returns=2)
        answer, learned = learn.remote(call, mix, [self.plan[call.worker]])
        self.asked[answer] = call, learned

    def wait(self, at_least: int) -> list[tuple[Answer | WorkerLost, int, Any]]:
        """Answers, as they come."""
        ready, _ = self.ray.wait(list(self.asked), num_returns=min(at_least, len(self.asked)))
        found: list[tuple[Answer | WorkerLost, int, Any]] = []
        for reference in ready:
            call, learned = self.asked.pop(reference)
            try:
                found.append((self.ray.get(reference), call.worker, learned))
            except self.ray.exceptions.RayError as error:
                found.append((WorkerLost(first_line(error)), call.worker, None))
        return found

    def put_together(self, one: Any, other: Any) -> Any:
        """Merge two models where one of them is."""
        return self.merge.remote(one, other, self.job.weighting)

    def fetch(self, handle: Any) -> bytes:
        """Get the model of a whole round."""
        try:
            return bytes(self.ray.get(handle))
        except self.ray.exceptions.RayTaskError as error:
            raise error.cause from None  # models that do not go together
        except self.ray.exceptions.RayError as error:
            raise WorkerLost(first_line(error)) from None

    def close(self) -> None:
        """Stop the actors; and Ray, if it was started here."""
        for actor in self.actors:
            self.ray.kill(actor)
        self.actors, self.plan, self.asked = [], [], {}
        if self.began:
            self.ray.shutdown()
            self.began = False


def fetched(reference: Any) -> Any:
    """What stands behind a reference: a block of a Ray Dataset, say."""
    import ray

    return ray.get(reference)


def first_line(error: Exception) -> str:
    """What happened, in short."""
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"
