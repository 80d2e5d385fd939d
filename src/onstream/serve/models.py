"""The named models of a store, each with what only a service needs: late labels and figures."""

import ast
import inspect
import re
import secrets
import shutil
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..cli.parse import parse_model
from ..drift import ADWIN
from .example import Example, Refused
from .store import DurableModel

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
HASH_BITS = 18  # 2^18 slots: 2 MB for each label
MAX_LABELS = 100
LONGEST_TEXT = 2000  # of a learner


class Kept(msgspec.Struct):
    """The features of a prediction, for a label that comes later."""

    x: Any
    expires: float


class Served:
    """A durable model, what was asked of it, and how well it predicts."""

    def __init__(
        self, name: str, path: Path, text: str, learner: Any, progress: Any, **options: Any
    ) -> None:
        self.name, self.text = name, text
        self.ttl, self.cap = options.pop("label_ttl"), options.pop("label_cap")
        self.examples = self.right = self.predicted = self.alarms = self.duplicates = 0
        self.loss = 0.0  # of all, and the mean over a window that follows drift:
        self.detector = ADWIN()
        self.pending: OrderedDict[str, Kept] = OrderedDict()
        self.expired = 0
        self.model = DurableModel(path, learner, progress=progress, watch=self.watch, **options)

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

    def model_is(self, kind: str) -> bool:
        """Say what the learner predicts."""
        model = getattr(self, "model", None)  # while it is replayed, there is none yet
        return model is not None and model.learner.target_kind == kind

    def keep(self, id: str, x: Any) -> None:
        """Keep features until their label comes, or too many others or too much time."""
        now = time.monotonic()
        pending = self.pending
        pending[id] = Kept(x, now + self.ttl)
        pending.move_to_end(id)
        while len(pending) > self.cap or next(iter(pending.values())).expires < now:
            pending.popitem(last=False)
            self.expired += 1

    def features_of(self, id: str) -> Any:
        """The features that were predicted under an id; None: not known, or no longer."""
        kept = self.pending.get(id)
        if kept is None or kept.expires < time.monotonic():
            return None
        return kept.x

    def facts(self) -> dict[str, Any]:
        """What there is to say about the model."""
        model = self.model
        return {
            "name": self.name,
            "learner": self.text,
            "seen": model.seen,
            "seq": model.seq,
            "state_sha256": model.state_sha256,
            "memory_bytes": model.learner.memory_bytes,
            "labels": list(getattr(model.learner, "labels", [])),
            "mean_loss": self.loss / self.examples if self.examples else None,
            "accuracy": self.right / self.examples
            if self.examples and self.model_is("labels")
            else None,
            "drift_alarms": self.alarms,
            "rejected": model.refused,
            "pending_labels": len(self.pending),
            "expired_labels": self.expired,
            "unsaved": model.unsaved,
            "failure": model.failure,
        }


class Models:
    """The models of a store: `DIR/models/NAME`."""

    def __init__(
        self, folder: Path, progress: Callable[[str, int, int], None] | None = None, **options: Any
    ) -> None:
        self.folder, self.options = folder / "models", options
        self.folder.mkdir(parents=True, exist_ok=True)
        self.by_name: dict[str, Served] = {}
        for path in sorted(self.folder.iterdir()):
            if path.name.startswith("."):
                shutil.rmtree(path, ignore_errors=True)  # deleted, or never finished
            elif NAME.fullmatch(path.name):
                text = (path / "learner.txt").read_text(encoding="utf-8")
                self.open(path.name, path, text, None, progress)

    def open(self, name: str, path: Path, text: str, learner: Any, progress: Any = None) -> Served:
        """Open a model that is there, or begin one."""

        def say(seq: int, last: int) -> None:
            progress(name, seq, last)

        told = None if progress is None else say
        self.by_name[name] = Served(name, path, text, learner, told, **self.options)
        return self.by_name[name]

    def create(self, name: str, text: str) -> tuple[Served, bool]:
        """Begin a model; one that is there with the same learner is left as it is."""
        if not NAME.fullmatch(name):
            raise Refused(
                f"{name!r:.80} is no name of a model", "name", "Use up to 64 letters, digits, _ . -"
            )
        text = text.strip()
        if name in self.by_name:
            if self.by_name[name].text != text:
                raise Conflict(
                    f"{name} is a {self.by_name[name].text}", "learner", "DELETE it first."
                )
            return self.by_name[name], False
        learner = hashed(text)
        path = self.folder / name
        scratch = self.folder / f".new-{secrets.token_hex(8)}"
        scratch.mkdir()
        (scratch / "learner.txt").write_text(text, encoding="utf-8")
        DurableModel(scratch, learner).close()
        scratch.rename(path)  # whole, or not there
        return self.open(name, path, text, None), True

    def delete(self, name: str) -> None:
        """Remove a model and all that it has learned."""
        served = self.by_name.pop(name)
        served.model.close()
        gone = self.folder / f".gone-{secrets.token_hex(8)}"
        served.model.path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def close(self) -> None:
        """Learn what waits, write a snapshot of each."""
        for served in self.by_name.values():
            served.model.close()


class Conflict(Refused):
    """Something else has this name."""


def hashed(text: str) -> Any:
    """The learner of a text, in a space of fixed size whose hash nobody outside knows."""
    if len(text) > LONGEST_TEXT:
        raise Refused("the text of the learner is too long", "learner", "Up to 2,000 letters.")
    try:
        learner = parse_model(text)
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        raise Refused(str(error), "learner", "Write it like PAClassifier(C=0.1).") from None
    if not hasattr(learner, "predict_many"):
        raise Refused(f"{text:.80} predicts nothing", "learner", "Put a learner behind it.")
    given = {
        k.arg for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call) for k in n.keywords
    }
    known = inspect.signature(type(learner)).parameters
    ours: dict[str, Any] = {
        "hash_bits": HASH_BITS, "hash_seed": secrets.randbits(62), "max_labels": MAX_LABELS
    }  # fmt: skip
    if given & {"hash_bits", "hash_seed"}:
        ours = {"max_labels": MAX_LABELS}
    changes = {name: value for name, value in ours.items() if name in known and name not in given}
    return learner.clone(**changes) if changes else learner
