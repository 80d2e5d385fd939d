"""Who holds the models of some keys, here or in an actor of Ray: each call is learned once."""

from typing import Any

import numpy as np

from ..base.blocks import take_part
from ..base.errors import renumbered
from ..persist.format import dumps
from .key_store import KeyStore
from .keys import grouped, key_value
from .known_rows import Place

Call = tuple[Any, ...]  # what `KeyedWorker.learn` is given
Refused = tuple[int, str]  # the caller's row, and why
Outcome = tuple[Refused | None, Any]  # the first row that was refused; answers, if asked for
LEARNED = " The rows before it were learned."  # not so if they go back


class KeyedWorker:
    """Learns the rows of its keys; each call once."""

    def __init__(self, template: bytes, path: str, in_memory: int, column: str) -> None:
        self.store = KeyStore(template, path, in_memory, column)

    def learn(
        self,
        sequence: int,
        numbers: Any,
        rows: Any,
        asked: bool = False,
        source: str | None = None,
        place: Place = (0, ""),
    ) -> Outcome:
        """Learn rows (keys, X, y, w), unless this call came before; `asked`: predict each first.

        `numbers` are those by which the caller knows them.
        If a row is refused, other keys may have learned theirs: all workers are to go back.
        """
        if sequence <= self.store.sequence:
            return None, None
        self.store.learned(sequence, source, place)
        keys, X, y, w = rows
        answers: Any = np.empty(len(keys), dtype=object) if asked else None
        refused = []
        for key, own in grouped(keys).items():
            parts = [take_part(part, own) for part in (X, y, w)]
            learner = self.store.get_or_new(key)
            try:
                if asked:
                    answers[own] = learner.predict_learn_many(*parts)
                elif hasattr(learner, "predict_many"):
                    learner.learn_many(*parts)
                else:
                    learner.learn_many(parts[0], parts[2])
            except (ValueError, TypeError) as error:
                refused.append(refusal(key, error, numbers[own]))
        return min(refused, default=None), answers

    def go_back(self) -> None:
        """Forget what came since the last snapshot."""
        self.store.go_back()

    def predict(self, keys: list[str], X: Any) -> Any:
        """A prediction for each row."""
        out: Any = np.empty(len(keys), dtype=object)
        for key, own in grouped(keys).items():
            out[own] = (self.store.get(key) or self.store.template).predict_many(take_part(X, own))
        return out

    def scores(self, verb: str, keys: list[str], X: Any) -> Any:
        """Numbers for each row, in the order of the labels that were declared.

        The key and labels of a model that knows others, if there is one.
        """
        template = self.store.template
        known = getattr(template, "labels", None)
        out: Any = None
        for key, own in grouped(keys).items():
            model = self.store.get(key) or template
            if getattr(model, "labels", None) != known:
                return key, list(model.labels)
            found = getattr(model, verb)(take_part(X, own))
            out = np.empty((len(keys), *found.shape[1:])) if out is None else out
            out[own] = found
        return out

    def state(self, key: str) -> bytes | None:
        """The model of a key as bytes."""
        model = self.store.get(key)
        return None if model is None else dumps(model)

    def keys(self) -> list[str]:
        """All keys."""
        return list(self.store.keys())

    def figures(self) -> dict[str, int]:
        """Counts and bytes."""
        return self.store.figures()

    def progress(self) -> tuple[int, set[str]]:
        """The last call, and the sources of which it is not known how far they are learned."""
        return self.store.sequence, self.store.old_sources

    def place(self, source: str) -> Place:
        """How far a source is learned."""
        return self.store.places.get(source, (0, ""))

    def snapshot(self) -> None:
        """Write what has changed."""
        self.store.snapshot()

    def close(self) -> None:
        """Let go of the file."""
        self.store.close()


def refusal(key: str, error: Exception, numbers: Any) -> Refused:
    """Why rows of a key, which the caller knows by these numbers, cannot be learned."""
    row = getattr(error, "row", None)
    at = int(numbers[row or 0])
    text = str(error) if row is None else renumbered(error, f"{at:,}")
    return at, f"key {key_value(key)!r:.60}: {text.replace(LEARNED, '')}"


class LocalPool:
    """Keyed workers in this process."""

    def __init__(self, paths: list[str], template: bytes, *options: Any) -> None:
        self.paths, self.made = paths, (template, *options)
        self.workers = [self.new_worker(k) for k in range(len(paths))]

    def new_worker(self, worker: int) -> KeyedWorker:
        """A worker with what its file holds."""
        return KeyedWorker(self.made[0], self.paths[worker], *self.made[1:])

    def learn(self, worker: int, call: Call) -> Outcome:
        """Learn a call."""
        return self.workers[worker].learn(*call)

    def send(self, worker: int, call: Call) -> Any:
        """Begin to learn a call: here it is done at once."""
        return self.learn(worker, call)

    def outcome(self, handle: Any) -> Any:
        """What came of it."""
        return handle

    def ask(self, worker: int, verb: str, *given: Any) -> Any:
        """Call a method of a worker."""
        return getattr(self.workers[worker], verb)(*given)

    def snapshot(self, worker: int) -> None:
        """Let a worker write its models."""
        self.ask(worker, "snapshot")

    def restart(self, worker: int) -> None:
        """Begin again from the last snapshot."""
        self.workers[worker].close()
        self.workers[worker] = self.new_worker(worker)

    def close(self) -> None:
        """Let all workers go."""
        for worker in self.workers:
            worker.close()


def pool_of(engine: str, paths: list[str], *made: Any) -> Any:
    """The workers, on this engine: each of `KeyedWorker(template, its path, ...)`."""
    if engine == "local":
        return LocalPool(paths, *made)
    if engine == "ray":
        from .ray_keyed import RayPool

        return RayPool(paths, *made)
    raise ValueError(f"KeyedModels: engine must be 'ray' or 'local', got {engine!r:.60}.")
