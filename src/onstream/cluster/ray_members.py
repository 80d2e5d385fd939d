"""Groups of members as Ray actors."""

from typing import Any

from .engine import WorkerLost
from .member_group import MemberGroup
from .ray_engine import Ray, first_line


class RayGroups:
    """Groups of members on the Ray cluster that was joined, or on this machine."""

    def __init__(self, engine: Ray, spread: Any) -> None:
        self.engine, self.ray, self.spread = engine, engine.ray, spread
        engine.join("MemberParallel")
        self.actors = [self._new(k) for k in range(spread.workers)]

    def _new(self, worker: int) -> Any:
        """A group with what the last snapshot of its members says."""
        spread, actor = self.spread, self.ray.remote(**self.engine.options)(MemberGroup)
        state = self.ray.put(spread.states[worker])
        return actor.remote(spread.template, *spread._group(worker), state)

    def put(self, given: Any) -> Any:
        """Rows where all workers can get them, once for each node."""
        return self.ray.put(given)

    def get(self, given: Any) -> Any:
        """These rows."""
        return self.ray.get(given)

    def ask(self, worker: int, verb: str, *given: Any) -> Any:
        """Call a group; it works while others are called."""
        return getattr(self.actors[worker], verb).remote(*given)

    def wait(self, asked: Any) -> Any:
        """Its answer; WorkerLost if it has gone."""
        try:
            return self.ray.get(asked)
        except self.ray.exceptions.RayTaskError:
            raise  # a fault of the group
        except self.ray.exceptions.RayError as error:
            raise WorkerLost(first_line(error)) from None

    def restart(self, worker: int) -> None:
        """A new actor in place of this one."""
        self.ray.kill(self.actors[worker])
        self.actors[worker] = self._new(worker)

    def close(self) -> None:
        """Let all actors go; and Ray, if it was started here."""
        for actor in self.actors:
            self.ray.kill(actor)
        self.actors = []
        self.engine.close()
