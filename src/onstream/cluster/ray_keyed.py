"""Keyed workers as Ray actors. One that is lost is made anew, from its last snapshot."""

from typing import Any

from ..compat.extras import needed
from .engine import WorkerLost
from .joining import join_ray
from .key_store import StoreError
from .keyed_worker import Call, KeyedWorker
from .ray_engine import first_line


class RayPool:
    """Keyed workers on the Ray cluster that was joined, or on this machine."""

    def __init__(self, paths: list[str], template: bytes, *options: Any) -> None:
        self.ray = needed("ray", "ray", "KeyedModels: engine='ray'")
        self.paths, self.made = paths, (template, *options)
        self.began = join_ray(self.ray, "KeyedModels")
        self.actors = [self.new_actor(k) for k in range(len(paths))]

    def new_actor(self, worker: int) -> Any:
        """A worker with what its file holds."""
        actor = self.ray.remote(num_cpus=1)(KeyedWorker)
        return actor.remote(self.made[0], self.paths[worker], *self.made[1:])

    def ask(self, worker: int, verb: str, *given: Any) -> Any:
        """Call a method of an actor; WorkerLost if it has gone."""
        return self.outcome(getattr(self.actors[worker], verb).remote(*given))

    def send(self, worker: int, call: Call) -> Any:
        """Let an actor learn a call, while others learn theirs."""
        return self.actors[worker].learn.remote(*call)

    def outcome(self, handle: Any) -> Any:
        """The answer of an actor; WorkerLost if it has gone."""
        try:
            return self.ray.get(handle)
        except self.ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, StoreError):
                raise error.cause from None  # a sentence, without the actor's traceback
            raise
        except self.ray.exceptions.RayError as error:
            raise WorkerLost(first_line(error)) from None

    def learn(self, worker: int, call: Call) -> Any:
        """Learn a call."""
        return self.ask(worker, "learn", *call)

    def snapshot(self, worker: int) -> None:
        """Let a worker write its models."""
        self.ask(worker, "snapshot")

    def restart(self, worker: int) -> None:
        """A new actor in place of a lost one."""
        self.ray.kill(self.actors[worker])
        self.actors[worker] = self.new_actor(worker)

    def close(self) -> None:
        """Let all actors go."""
        for actor in self.actors:
            self.ray.kill(actor)
        if self.began:
            self.ray.shutdown()
