"""The named models of a store, each with what only a service needs: late labels and figures."""

import contextlib
import errno
import os
import re
import secrets
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..drift import ADWIN
from .example import Conflict, Example, Refused
from .history import begin
from .late_labels import LateLabels
from .learner_text import hashed, keywords
from .log import StoreError, sync_folder
from .store import DurableModel, StoreFull

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
AT_ONCE = 0.02  # seconds of predicting for which everybody else may wait
UNSCALED = (
    "Features are hashed here, so their scales are not learned; where columns differ in size, "
    "write 'StandardScaler() | ' before the learner."
)


class Served:
    """A durable model, what was asked of it, and how well it predicts."""

    def __init__(
        self, name: str, path: Path, text: str, learner: Any, progress: Any, **options: Any
    ) -> None:
        self.name, self.text = name, text
        ttl, cap = options.pop("label_ttl"), options.pop("label_cap")
        self.examples = self.right = self.predicted = self.alarms = self.duplicates = 0
        self.loss = 0.0  # of all, and the mean over a window that follows drift:
        self.detector = ADWIN()
        self.pace: float | None = None  # seconds to predict one row, about
        self.model = DurableModel(path, learner, progress=progress, watch=self.watch, **options)
        self.late = LateLabels(path / "late_labels.json", ttl, cap)

    def watch(self, examples: list[Example], predicted: Any) -> None:
        """Count what was predicted right before it was learned."""
        y = [example.y for example in examples]
        if self.model_is("labels"):
            losses = [float(a != b) for a, b in zip(predicted.tolist(), y, strict=True)]
            self.right += len(y) - int(sum(losses))
        elif self.model_is("numbers"):
            losses = np.abs(np.asarray(predicted, float) - np.asarray(y, float)).tolist()
        else:
            return
        self.examples += len(y)
        self.loss += sum(losses)
        self.alarms += len(self.detector.update_many(losses))

    def is_quick(self, rows: int) -> bool:
        """Say whether everybody else may wait while so many rows are predicted."""
        return self.pace is not None and self.pace * rows < AT_ONCE

    def note_pace(self, pace: float) -> None:
        """Seconds that a row took."""
        self.pace = pace if self.pace is None else 0.9 * self.pace + 0.1 * pace

    def model_is(self, kind: str) -> bool:
        """Say what the learner predicts."""
        model = getattr(self, "model", None)  # while it is replayed, there is none yet
        return model is not None and model.learner.target_kind == kind

    def facts(self) -> dict[str, Any]:
        """What there is to say about the model. The writer asks, or nobody learns any more."""
        model = self.model
        return {
            "name": self.name,
            "learner": self.text,
            "seen": model.seen,
            "seq": model.seq,
            "state_sha256": model.history.state_sum(),
            "memory_bytes": model.learner.memory_bytes,
            "labels": list(getattr(model.learner, "labels", [])),
            "mean_loss": self.loss / self.examples if self.examples else None,
            "recent_loss": self.detector.mean if self.examples else None,
            "accuracy": self.right / self.examples
            if self.examples and self.model_is("labels")
            else None,
            "drift_alarms": self.alarms,
            "rejected": model.refused,
            "pending_labels": self.late.waiting,
            "expired_labels": self.late.expired,
            "unsaved": model.unsaved,
            "failure": model.failure,
            "hint": UNSCALED if self.is_unscaled else None,
        }

    @property
    def is_unscaled(self) -> bool:
        """Say whether the service hashed what a learner would have scaled."""
        given = keywords(self.text)
        learner = self.model.learner
        return (
            "hash_bits" not in given
            and "hash_seed" not in given
            and hasattr(learner, "scale")  # neighbours have one, too, but hash nothing
            and getattr(learner, "hash_bits", None) is not None
        )

    def close(self) -> None:
        """Learn what waits, and leave everything for the next start."""
        self.model.close()
        with contextlib.suppress(OSError):
            self.late.write()


class Models:
    """The models of a store: `DIR/models/NAME`."""

    def __init__(
        self, folder: Path, progress: Callable[[str, int, int], None] | None = None, **options: Any
    ) -> None:
        self.folder, self.options = folder / "models", options
        self.folder.mkdir(parents=True, exist_ok=True)
        sync_folder(folder)
        self.by_name: dict[str, Served] = {}
        self.changing = threading.Condition()
        self.names: set[str] = set()  # of models that are being made or deleted
        for path in sorted(self.folder.iterdir()):
            if path.name.startswith("."):
                remove(path)  # deleted, or never finished
            elif NAME.fullmatch(path.name) and path.is_dir():
                try:
                    text = (path / "learner.txt").read_text(encoding="utf-8")
                except (OSError, UnicodeDecodeError) as error:
                    raise StoreError(
                        f"{path}: this is no model, or a damaged one: {error}. Put back a copy of "
                        f"the folder, or remove it."
                    ) from None
                self.open(path.name, path, text, progress)

    def open(self, name: str, path: Path, text: str, progress: Any = None) -> Served:
        """Open a model that is there."""

        def say(seq: int, last: int) -> None:
            progress(name, seq, last)

        told = None if progress is None else say
        self.by_name[name] = Served(name, path, text, None, told, **self.options)
        return self.by_name[name]

    def create(self, name: str, text: str) -> tuple[Served, bool]:
        """Begin a model; one that is there with the same learner is left as it is."""
        if not NAME.fullmatch(name):
            raise Refused(
                f"{name!r:.80} is no name of a model", "name", "Use up to 64 letters, digits, _ . -"
            )
        text = text.strip()
        with self.alone(name):
            if name in self.by_name:
                if self.by_name[name].text != text:
                    raise Conflict(
                        f"{name} is a {self.by_name[name].text}", "learner", "DELETE it first."
                    )
                return self.by_name[name], False
            most = self.options.get("max_memory")
            learner = hashed(text, most)
            if most is not None and learner.memory_bytes > most:
                raise Refused(
                    f"a new {text:.80} has {learner.memory_bytes:,} bytes; {most:,} are allowed",
                    "learner",
                    "Make it smaller, or start the service with more --memory.",
                )
            return self.write(name, text, learner), True

    def write(self, name: str, text: str, learner: Any) -> Served:
        """Make the folder of a model, whole or not at all, and open it."""
        path = self.folder / name
        made = self.folder / f".new-{secrets.token_hex(8)}"
        try:
            made.mkdir()
            with open(made / "learner.txt", "x", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            begin(made, learner)
            sync_folder(made)
            made = made.rename(path)
            sync_folder(self.folder)
            return self.open(name, path, text)
        except (OSError, StoreError, sqlite3.Error) as error:
            remove(made)
            if getattr(error, "errno", 0) == errno.ENOSPC or "disk is full" in str(error):
                raise StoreFull("there is no room for a model on the disk") from None
            raise OSError(f"the model cannot be written: {error}") from None

    def delete(self, name: str) -> bool:
        """Remove a model and all that it has learned; False: there is none."""
        with self.alone(name):
            served = self.by_name.pop(name, None)
            if served is None:
                return False
            served.model.close()
            gone = self.folder / f".gone-{secrets.token_hex(8)}"
            served.model.path.rename(gone)
            sync_folder(self.folder)
            remove(gone)
            return True

    @contextlib.contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Nobody else makes or deletes the model of this name; others are made meanwhile."""
        with self.changing:
            self.changing.wait_for(lambda: name not in self.names)
            self.names.add(name)
        try:
            yield
        finally:
            with self.changing:
                self.names.remove(name)
                self.changing.notify_all()

    def close(self) -> None:
        """Learn what waits, write a snapshot of each."""
        for served in self.by_name.values():
            served.close()


def remove(folder: Path) -> None:
    """Remove a folder; of a link, the link alone."""
    if folder.is_symlink():
        folder.unlink()
    else:
        shutil.rmtree(folder, ignore_errors=True)
