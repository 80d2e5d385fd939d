"""A learner and the number of the last example that it has learned: they change together."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from .example import Example
from .gate import Gate

SLICE = 0.0005  # seconds for which learning may keep a prediction waiting, about
REFUSALS = (ValueError, TypeError, OverflowError)
Watch = Callable[[list[Example], Any], None]


class LiveState:
    """What is asked while it learns. `watch` is shown what was predicted before it was learned."""

    def __init__(self, learner: Any, seq: int, watch: Watch | None = None) -> None:
        self.learner, self.seq, self.watch = learner, seq, watch
        self.gate = Gate()
        self.refused = 0
        self._rows = 1  # learned at a time

    def ask(self, question: Callable[[Any], Any]) -> tuple[Any, int]:
        """An answer of the learner, and the number of the last example that it had learned."""
        with self.gate:
            return question(self.learner), self.seq

    def ask_soon(self, question: Callable[[Any], Any], seconds: float) -> tuple[Any, int] | None:
        """The same, or None if the model is busy for longer."""
        if not self.gate.enter(seconds):
            return None
        try:
            return question(self.learner), self.seq
        finally:
            self.gate.leave()

    def learn(self, examples: list[Any], numbers: Sequence[int]) -> list[tuple[int, str]]:
        """Learn examples, slice by slice; which the learner refused, and why."""
        refused: list[tuple[int, str]] = []
        start = 0
        while start < len(examples):
            end = min(len(examples), start + self._rows)
            some = examples[start:end]
            began = time.perf_counter()
            with self.gate:
                refused += [(start + row, why) for row, why in self._learn_slice(some)]
                self.seq = numbers[end - 1]
            took = (time.perf_counter() - began) / len(some)
            self._rows = max(1, min(1024, int(SLICE / max(took, 1e-9))))
            start = end
        self.refused += len(refused)
        return refused

    def _learn_slice(self, examples: list[Example]) -> list[tuple[int, str]]:
        """One by one where the learner refuses one: the others are learned as if it never came."""
        learner = self.learner
        rows = [row for row, one in enumerate(examples) if one.w > 0.0]  # 0: not even seen
        if not rows:
            return []
        some = examples if len(rows) == len(examples) else [examples[row] for row in rows]
        X, y, w = [one.x for one in some], [one.y for one in some], [one.w for one in some]
        block = (X, y) if set(w) == {1.0} else (X, y, w)
        before = learner.seen
        try:
            if self.watch is None or not hasattr(learner, "predict_learn_many"):
                learner.learn_many(*block)
            else:
                self.watch(some, learner.predict_learn_many(*block))
            return []
        except REFUSALS:
            done = learner.seen - before
        refused: list[tuple[int, str]] = []
        for i in range(done, len(some)):
            try:
                learner.learn_one(X[i], y[i], w[i])
            except REFUSALS as error:
                refused.append((rows[i], str(error)))
        return refused
