"""A crash at every step of everything that a store can be told, in random order.

A picture of the folder is what a killed process leaves. One is taken before each statement of
SQLite and each file that is written, renamed or removed. Opened again, it must be the state before
what was going on or the one after it, and doing that again must lead to the one after it.
"""

import contextlib
import hashlib
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from onstream import PAClassifier, StandardScaler
from onstream.ensemble import AdaptiveRandomForestClassifier
from onstream.neighbors import KNNClassifier
from onstream.persist import dumps
from onstream.serve.log import Log
from onstream.serve.store import DurableModel
from onstream.tree import HoeffdingTreeClassifier

# The labels of examples are numbers; one with a text is refused by the learner, after the commit.
LEARNERS: dict[str, Callable[[], Any]] = {
    "linear": lambda: PAClassifier(C=0.1),
    "pipeline": lambda: StandardScaler() | PAClassifier(C=0.1),
    "tree": lambda: HoeffdingTreeClassifier(grace_period=5),
    "neighbours": lambda: KNNClassifier(k=3, window=20),
    "forest": lambda: AdaptiveRandomForestClassifier(n_models=2, seed=1),
}
FILES = ("open", "replace", "unlink", "fsync")


class Watched:
    """A connection that says when a statement is about to be run."""

    def __init__(self, db: Any, step: Callable[[], None]) -> None:
        self.db, self.step = db, step

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)

    def execute(self, *statement: Any) -> Any:
        self.step()
        return self.db.execute(*statement)

    def executemany(self, *statement: Any) -> Any:
        self.step()
        return self.db.executemany(*statement)


class WatchedModel(DurableModel):
    step: Callable[[], None] = staticmethod(lambda: None)

    def _new_log(self) -> Log:
        log = super()._new_log()
        log.db = Watched(log.db, lambda: self.step())  # type: ignore[assignment]
        return log


class Oracle:
    """What should be there: examples by number, ids, and what may be asked."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make
        self.examples: dict[int, dict[str, Any]] = {}
        self.ids: dict[str, int] = {}
        self.next = 1

    def copy(self) -> "Oracle":
        other = Oracle(self.make)
        other.examples, other.ids = dict(self.examples), dict(self.ids)
        other.next = self.next
        return other

    def learn(self, examples: list[dict[str, Any]]) -> int:
        learned = 0
        for example in examples:
            if example["id"] in self.ids:
                continue
            number, self.next = self.next, self.next + 1
            if example["y"] == "text" and example["w"]:  # labels are numbers, as the first one was
                continue
            self.ids[example["id"]] = number
            self.examples[number] = example
            learned += 1
        return learned

    def rollback(self, to_seq: int) -> None:
        self.examples = {n: e for n, e in self.examples.items() if n <= to_seq}
        self.ids = {one: n for one, n in self.ids.items() if n <= to_seq}

    def exclude(self, source: str) -> None:
        self.examples = {n: e for n, e in self.examples.items() if e["source"] != source}

    def sum(self) -> str:
        learner = self.make()
        for _, example in sorted(self.examples.items()):
            learner.learn_one(example["x"], example["y"], example["w"])
        return hashlib.sha256(dumps(learner)).hexdigest()


class Story:
    """A store, the oracle beside it, and pictures of its folder."""

    def __init__(self, folder: Path, make: Callable[[], Any], seed: int, share: float) -> None:
        self.rng, self.folder, self.make, self.share = random.Random(seed), folder, make, share
        every = (5, 1, 1000)[seed % 3]
        self.options: dict[str, Any] = {"snapshot_every": every, "snapshot_seconds": 1e9}
        self.oracle, self.sent, self.pictures = Oracle(make), 0, list[Path]()
        self.model = WatchedModel(folder / "m", make(), **self.options)

    def picture(self) -> None:
        if self.rng.random() < self.share:
            target = self.folder / f"picture {len(self.pictures)}"
            with contextlib.suppress(FileNotFoundError):  # SQLite's own files come and go
                shutil.copytree(self.folder / "m", target)
                self.pictures.append(target)

    @contextlib.contextmanager
    def crashing(self) -> Iterator[None]:
        """Take pictures of what is done here."""
        with pytest.MonkeyPatch.context() as patch:
            for name in FILES:
                known = getattr(os, name)

                def watched(*given: Any, known: Any = known, **more: Any) -> Any:
                    self.picture()
                    return known(*given, **more)

                patch.setattr(f"onstream.persist.files.os.{name}", watched)
            self.model.step = self.picture  # type: ignore[method-assign]
            try:
                yield
            finally:
                self.model.step = lambda: None  # type: ignore[method-assign]

    def examples(self) -> list[dict[str, Any]]:
        found = []
        for _ in range(self.rng.randint(1, 4)):
            number = self.sent
            if self.sent and self.rng.random() < 0.2:
                number = self.rng.randrange(self.sent)  # sent again
            self.sent += number == self.sent
            again = random.Random(number)
            y: Any = "text" if number and again.random() < 0.1 else again.randrange(2)
            x = {f"f{again.randrange(6)}": again.gauss(0, 1) for _ in range(3)}
            source = f"s{again.randrange(3)}"
            w = again.choice([1.0, 1.0, 0.5, 3.0, 0.0])
            found.append({"x": x, "y": y, "w": w, "id": f"i{number}", "source": source})
        return found

    def step(self) -> None:
        """One thing that a store can be told, with a crash at each of its steps."""
        kinds = ["learn"] * 5 + ["rollback", "exclude", "snapshot", "reopen"]
        kind = self.rng.choice(kinds) if self.sent else "learn"
        after = self.oracle.copy()
        work: Callable[[DurableModel], Any]
        if kind == "learn":
            examples = self.examples()
            learned = after.learn(examples)
            work = lambda model: model.learn(examples)  # noqa: E731
        elif kind == "rollback":
            to_seq = self.rng.randrange(self.model.seq + 1)
            after.rollback(to_seq)
            work = lambda model: model.rollback(to_seq=to_seq)  # noqa: E731
        elif kind == "exclude":
            source = f"s{self.rng.randrange(3)}"
            after.exclude(source)
            work = lambda model: model.replay(exclude_source=source)  # noqa: E731
        elif kind == "snapshot":
            work = lambda model: model.snapshot()  # noqa: E731
        else:
            work = lambda model: model.close()  # noqa: E731
        with self.crashing():
            answer = work(self.model)
        if kind == "reopen":
            self.model = WatchedModel(self.folder / "m", **self.options)
        elif kind == "learn":
            assert answer.learned == learned
        after.next = self.model.history.next
        assert self.model.state_sha256 == after.sum()
        sums = {self.oracle.sum(), after.sum()}
        for picture in self.pictures:
            with DurableModel(picture, **self.options) as model:
                assert model.state_sha256 in sums, (kind, picture)
                assert not list((picture / "snapshots").glob("*.tmp")), "what was left goes"
                if kind != "reopen":
                    work(model)
                    assert model.state_sha256 == after.sum(), (kind, picture)
                assert model.seen == sum(one["w"] > 0 for one in after.examples.values())
            shutil.rmtree(picture)
        self.pictures.clear()
        self.oracle = after


def tell(folder: Path, name: str, seed: int, steps: int, share: float) -> None:
    story = Story(folder, LEARNERS[name], seed, share)
    for _ in range(steps):
        story.step()
    story.model.close()


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
@pytest.mark.parametrize("name", LEARNERS)
def test_a_crash_at_any_step(name: str, tmp_path: Path) -> None:
    tell(tmp_path, name, 6, *((18, 0.3) if name == "linear" else (8, 0.2)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", LEARNERS)
def test_a_crash_at_every_step(name: str, seed: int, tmp_path: Path) -> None:
    tell(tmp_path, name, 100 + seed, 30, 1.0)
