"""The named models of a store, each with what only a service needs: late labels and figures."""

import ast
import contextlib
import errno
import inspect
import os
import re
import secrets
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..cli.parse import parse_model
from ..drift import ADWIN
from ..features import FeatureHasher, Pipeline
from .example import Conflict, Example, Refused
from .late_labels import LateLabels
from .log import StoreError, sync_folder
from .store import DurableModel, StoreFull

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
HASH_BITS = (18, 10)  # 2^18 slots: 2 MB for each label; 2^10 where a matrix has their square
MAX_LABELS = 100
AT_ONCE = 0.02  # seconds of predicting for which everybody else may wait
LONGEST_TEXT = 2000  # of a learner
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
        self.changing = threading.Lock()  # one model is made or deleted at a time
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
        with self.changing:
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
                    "Give it fewer hash_bits, or start the service with more --memory.",
                )
            path = self.folder / name
            scratch = self.folder / f".new-{secrets.token_hex(8)}"
            try:
                scratch.mkdir()
                with open(scratch / "learner.txt", "x", encoding="utf-8") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                DurableModel(scratch, learner).close()
                sync_folder(scratch)
                scratch.rename(path)  # whole, or not there
                sync_folder(self.folder)
            except (OSError, StoreError) as error:
                remove(scratch)
                if getattr(error, "errno", 0) == errno.ENOSPC or "disk is full" in str(error):
                    raise StoreFull("there is no room for a model on the disk") from None
                raise OSError(f"the model cannot be written: {error}") from None
            return self.open(name, path, text), True

    def delete(self, name: str) -> bool:
        """Remove a model and all that it has learned; False: there is none."""
        with self.changing:
            served = self.by_name.pop(name, None)
            if served is None:
                return False
            served.model.close()
            gone = self.folder / f".gone-{secrets.token_hex(8)}"
            served.model.path.rename(gone)
            sync_folder(self.folder)
            remove(gone)
            return True

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


def hashed(text: str, most: int | None = None) -> Any:
    """The learner of a text, in a space of fixed size whose hash nobody outside knows."""
    if len(text) > LONGEST_TEXT:
        raise Refused("the text of the learner is too long", "learner", "Up to 2,000 letters.")
    given = keywords(text)
    bits = given.get("hash_bits")
    if most is not None and isinstance(bits, int) and 0 < bits < 64 and 8 << bits > most:
        raise Refused(
            f"2^{bits} slots have {8 << bits:,} bytes; {most:,} are allowed", "learner",
            "Give it fewer hash_bits, or start the service with more --memory.",
        )  # fmt: skip
    try:
        learner = parse_model(text)
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        raise Refused(str(error), "learner", "Write it like PAClassifier(C=0.1).") from None
    if not hasattr(learner, "predict_many"):
        raise Refused(f"{text:.80} predicts nothing", "learner", "Put a learner behind it.")
    steps = list(learner.steps) if isinstance(learner, Pipeline) else [learner]
    last = steps[-1]
    known = inspect.signature(type(last)).parameters
    labels = {"max_labels": MAX_LABELS} if {"max_labels"} <= set(known) - set(given) else {}
    secret: dict[str, Any] = {"hash_bits": 0, "hash_seed": secrets.randbits(62)}
    explicit = set(given) & set(secret) or any(isinstance(one, FeatureHasher) for one in steps)
    if explicit or "hash_bits" not in known:
        changed = last.clone(**labels) if labels else last
        return changed if len(steps) == 1 else Pipeline(*steps[:-1], changed)
    secret["hash_bits"] = slots(last)
    if len(steps) == 1:
        return last.clone(**labels, **secret)
    return Pipeline(*steps[:-1], FeatureHasher(**secret), last.clone(**labels))


def slots(learner: Any) -> int:
    """How many bits of hash a learner takes."""
    for bits in HASH_BITS[:-1]:
        with contextlib.suppress(ValueError):
            learner.clone(hash_bits=bits)
            return bits
    return HASH_BITS[-1]


def keywords(text: str) -> dict[str, Any]:
    """The arguments by name anywhere in the text of a learner; what cannot be read has none."""
    try:
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {
        str(one.arg): getattr(one.value, "value", None) for call in calls for one in call.keywords
    }
