"""Keyed workers as Ray actors. One that is lost is made anew, from its last snapshot."""

from typing import Any

from ..compat.extras import needed
from .engine import WorkerLost
from .keyed import KeyedWorker
from .ray_engine import first_line


class RayPool:
    """Keyed workers on the Ray cluster that was joined, or on this machine."""

    def __init__(self, template: bytes, paths: list[str], in_memory: int) -> None:
        self.ray = needed("ray", "ray", "KeyedModels: engine='ray'")
        self.made, self.paths = (template, in_memory), paths
        self.began = not self.ray.is_initialized()
        if self.began:
            self.ray.init(include_dashboard=False, log_to_driver=False, logging_level="error")
        self.actors = [self.new_actor(k) for k in range(len(paths))]

    def new_actor(self, worker: int) -> Any:
        """A worker with what its file holds."""
        template, in_memory = self.made
        actor = self.ray.remote(num_cpus=1)(KeyedWorker)
        return actor.remote(template, self.paths[worker], in_memory)

    def ask(self, worker: int, verb: str, *given: Any) -> Any:
        """Call a method of an actor; WorkerLost if it has gone."""
        try:
            return self.ray.get(getattr(self.actors[worker], verb).remote(*given))
        except self.ray.exceptions.RayTaskError:
            raise
        except self.ray.exceptions.RayError as error:
            raise WorkerLost(first_line(error)) from None

    def learn(self, worker: int, call: tuple[str, int, Any]) -> Any:
        """Learn a call."""
        return self.ask(worker, "learn", *call)

    def sources(self, worker: int) -> Any:
        """The last call of each source in the snapshot of a worker."""
        return self.ask(worker, "sources")

    def snapshot(self, worker: int) -> Any:
        """Let a worker write its models."""
        return self.ask(worker, "snapshot")

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
