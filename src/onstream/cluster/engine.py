"""What an engine must do to train a model in shards, and how one is found by its name."""

from abc import ABC, abstractmethod
from typing import Any

from .shards import Shard
from .worker import Answer, Call, Job

ENGINES = ("ray", "spark", "local")


class WorkerLost(RuntimeError):
    """A worker has gone, with its machine perhaps, before it answered."""


class Engine(ABC):
    """Runs workers somewhere. What they learned stays there, behind a handle, until it is fetched.

    An engine is for one run: `start`, then rounds of `call`, `wait`, `put_together` and `fetch`.
    """

    def shards(self, given: Any, options: dict[str, Any]) -> Any:
        """What the user gave as shards; an engine may turn data of its own into some."""
        return given

    @abstractmethod
    def start(self, job: Job, plan: list[list[Shard]]) -> None:
        """Get ready for as many workers as there are lists of shards."""

    @abstractmethod
    def send(self, mix: bytes) -> Any:
        """Make the current mix available to all workers; the handle goes into calls."""

    @abstractmethod
    def call(self, call: Call, mix: Any) -> None:
        """Let a worker learn a round, from this mix."""

    @abstractmethod
    def wait(self, at_least: int) -> list[tuple[Answer | WorkerLost, int, Any]]:
        """At least so many outcomes of calls: the answer (or what happened), worker and handle."""

    @abstractmethod
    def put_together(self, one: Any, other: Any) -> Any:
        """The handle of what two workers have learned, put together where that is at hand."""

    @abstractmethod
    def fetch(self, handle: Any) -> bytes:
        """What stands behind a handle; WorkerLost if it has gone."""

    @abstractmethod
    def close(self) -> None:
        """Let all workers go."""


def tree(engine: Engine, handles: list[Any]) -> Any:
    """Everything put together, in pairs of neighbours: in this order, by whoever holds it."""
    while len(handles) > 1:
        pairs = [handles[i : i + 2] for i in range(0, len(handles), 2)]
        handles = [engine.put_together(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return handles[0]


def engine_of(name: Any) -> Engine:
    """The engine of this name, or the engine itself."""
    if isinstance(name, Engine):
        return name
    if name == "local":
        from .local import Local

        return Local()
    if name == "ray":
        from .ray_engine import Ray

        return Ray()
    if name == "spark":
        from .spark_engine import Spark

        return Spark()
    raise ValueError(
        f"train: engine must be one of {', '.join(map(repr, ENGINES))}, got {name!r:.60}."
    )
