"""Vowpal Wabbit: text models of linear learners, in and out.

A text model is what `vw --readable_model` writes: a head, then `slot:weight` for each weight that
is not 0. With `--invert_hash` each line begins with the name of its feature.
"""

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..base import Classifier, DataWarning, Learner
from ..bayes import BayesianLinearRegression
from ..linear.base import LinearClassifier, LinearRegressor
from ..linear.scales import FACTOR
from .generated import learner_within

CONSTANT = 11650396  # the feature that is always 1
VERSION = "9.11.9"  # of the form
KINDS = (LinearClassifier, LinearRegressor, BayesianLinearRegression)
OURS = ("-1", "1")  # label range of classifiers, and once of regressors, in files of ours
UNLIMITED = 3e38  # VW keeps single precision
MARGIN = 0.1  # of the range of targets, beyond which no prediction goes: linear/targets.pxd
# Options that change neither which features there are nor how they are summed up.
HARMLESS = {"--loss_function", "--link", "--l1", "--l2", "--bit_precision", "-b", "--quantile_tau"}

LINE = re.compile(r"(?:(?P<name>.+):)?(?P<slot>\d+):(?P<weight>[^: ]+)(?: .*)?")


def to_vw(model: Learner, *, bits: int = 18) -> str:
    """The weights of a linear learner as a text model of Vowpal Wabbit (`--readable_model`).

    Two labels are +1 and -1 there (+1 is True, 1, or the second one seen); more are classes
    1, 2, … of `--oaa`, in the order of `labels`. `bits` is VW's -b: raise it if two features
    would share a slot. A feature `n^f` is f of namespace n, as `read_vw` names it.

    >>> from onstream import PAClassifier
    >>> model = PAClassifier()
    >>> model.learn_one({"words^free": 1.0}, True)
    >>> print(to_vw(model).splitlines()[-1])
    116060:0.5
    """
    who = f"to_vw: {type(model).__name__}"
    if not isinstance(model, KINDS):
        raise TypeError(
            f"{who} is no linear learner; only those have a text model of Vowpal Wabbit. Of a "
            f"pipeline scale the columns before, and train the learner alone."
            f"{learner_within(model)}"
        )
    if getattr(model, "hash_bits", None) is not None:
        raise ValueError(
            f"{who} has hash_bits, and its hash is not Vowpal Wabbit's; train without hash_bits, "
            f"so that every feature has its name."
        )
    if not 1 <= bits <= 61:
        raise ValueError(f"to_vw: bits must be a whole number from 1 to 61, got {bits!r:.40}.")
    columns = by_column(model)
    weights = [column for column, _ in columns]
    step = stride(len(columns))
    taken: dict[int, Any] = {}
    found: dict[int, float] = {}
    for name in weights[0]:
        slot = slot_of(str(name)) * step & ((1 << bits) - 1)
        note(who, taken, slot, name, bits)
        for i, column in enumerate(weights):
            found[slot + i] = column[name]
    if getattr(model, "intercept", True):
        slot = CONSTANT * step & ((1 << bits) - 1)
        note(who, taken, slot, "Constant", bits)
        for i, (_, bias) in enumerate(columns):
            found[slot + i] = bias
    options = [] if getattr(model, "intercept", True) else ["--noconstant"]
    if len(columns) > 1:
        options.append(f"--oaa {len(columns)}")
    low, high = reach(model)
    head = [
        f"Version {VERSION}",
        "Id onstream",
        f"Min label:{low}",
        f"Max label:{high}",
        f"bits:{bits}",
        "lda:0",
        "0 ngram:",
        "0 skip:",
        f"options: {' '.join(options)}".rstrip(),
        "Checksum: 0",
        ":0",
    ]
    lines = [f"{slot}:{found[slot]:.9g}" for slot in sorted(found) if found[slot] != 0.0]
    return "\n".join([*head, *lines]) + "\n"


def by_column(model: Any) -> list[tuple[dict[Any, float], float]]:
    """Weights and bias of each column; a positive score is for VW's +1."""
    if isinstance(model.bias, dict):
        return [(model.weights[label], model.bias[label]) for label in model.labels]
    return [(model.weights, model.bias)]


def reach(model: Any) -> tuple[str, str]:
    """The least and the greatest answer, as VW cuts them; of a classifier its two labels."""
    if isinstance(model, Classifier):
        return OURS
    targets = model._model.snapshot().get("targets", np.zeros(5))
    if targets[0] == 0.0:
        return repr(-UNLIMITED), repr(UNLIMITED)
    low, high = targets[3:].tolist()
    margin = MARGIN * (high - low)
    return repr(low - margin), repr(high + margin)


def note(who: str, taken: dict[int, Any], slot: int, name: Any, bits: int) -> None:
    """Refuse two features in one slot."""
    if slot in taken:
        raise ValueError(
            f"{who}: features {taken[slot]!r:.60} and {name!r:.60} share slot {slot} of "
            f"2**{bits}; give bits={bits + 4}."
        )
    taken[slot] = name


def from_vw(
    path: str | Path, learner: Learner, *, features: Iterable[str | int] | None = None
) -> Any:
    r"""A copy of `learner`, which must be linear, with the weights of a text model.

    A file written with `--invert_hash` names its features. One of `--readable_model` has only
    numbers of slots: give the names as `features`, `n^f` for f of namespace n. Labels are -1 and
    1, or 1, 2, … of `--oaa`, unless the learner declares others (`labels=[…]`: the first is for
    VW's -1, unless it is True or 1). A regressor answers within the range of labels in the file, as
    VW does, if it has `scale="auto"`; one that cannot says so in a warning.

    >>> from onstream import LogisticRegression
    >>> _ = Path("m.txt").write_text("bits:18\n:0\n116060:1.5\n")
    >>> from_vw("m.txt", LogisticRegression(), features=["Constant"]).bias
    1.5
    """
    if not isinstance(learner, (LinearClassifier, LinearRegressor)):
        raise TypeError(
            f"from_vw: {type(learner).__name__} is no linear learner; give one such as "
            f"LogisticRegression(), SGDClassifier() or SGDRegressor()."
        )
    saved = TextModel.read(Path(path))
    names = saved.names
    if names is None:
        if features is None:
            raise ValueError(
                f"from_vw: {path} has numbers of slots, not names. Give features=[…], the names "
                f"of all features, or write the file with --invert_hash."
            )
        names = named_slots(saved, list(features))
    columns = [{name: 0.0 for name in names if name != "Constant"} for _ in range(saved.columns)]
    bias = np.zeros(saved.columns)
    for name, slot in names.items():
        for i in range(saved.columns):
            weight = saved.weights.get(slot + i, 0.0)
            if name == "Constant":
                bias[i] = weight
            else:
                columns[i][name] = weight
    if isinstance(learner, Classifier):
        return filled(learner, columns, bias, saved.seen)
    return limited(learner, columns, bias, saved)


@dataclass
class TextModel:
    """What a text model says."""

    bits: int = 18
    columns: int = 1
    all_hashed: bool = False  # --hash all: names that are numbers, too
    seen: int = 1
    id: str = ""
    low: str = ""  # of all answers
    high: str = ""
    weights: dict[int, float] = field(default_factory=dict)
    names: dict[str, int] | None = None  # to the slot of the first column

    @property
    def range(self) -> tuple[float, float] | None:
        """What answers are cut to, if they are."""
        if (self.id, self.low, self.high) == ("onstream", *OURS) or not (self.low and self.high):
            return None
        low, high = float(self.low), float(self.high)
        return (low, high) if low <= high and max(-low, high) < UNLIMITED else None

    @property
    def step(self) -> int:
        """Slots that each feature has."""
        return stride(self.columns)

    @classmethod
    def read(cls, path: Path) -> "TextModel":
        """Parse a file."""
        made = cls()
        in_head = True
        try:
            lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        except UnicodeDecodeError:
            raise ValueError(
                f"from_vw: {path} is no text model of Vowpal Wabbit, but binary. Write one with "
                f"--readable_model or --invert_hash."
            ) from None
        for number, line in enumerate(lines, 1):  # names may hold what splitlines() cuts at
            try:
                if in_head:
                    in_head = not made._head(path, line)
                elif found := LINE.fullmatch(line):
                    made._weight(found["name"], int(found["slot"]), float(found["weight"]))
                elif line.startswith("example_number "):
                    made.seen = max(1, int(line.split()[1]))
                elif made.weights:  # before the first weight there are figures of the training
                    raise ValueError(line)
            except (ValueError, IndexError) as error:
                if str(error).startswith("from_vw"):
                    raise
                raise ValueError(
                    f"from_vw: {path}, line {number}: {line!r:.60} is no line of a text model of "
                    f"Vowpal Wabbit (--readable_model, --invert_hash)."
                ) from None
        if in_head:
            raise ValueError(
                f"from_vw: {path} is no text model of Vowpal Wabbit: it has no line ':0' or ':1' "
                f"after its head. Write one with --readable_model."
            )
        return made

    def _head(self, path: Path, line: str) -> bool:
        """Take a line of the head; True: it was the last."""
        if line.startswith("bits:"):
            self.bits = int(line[5:])
        elif line.startswith("Id "):
            self.id = line[3:].strip()
        elif line.startswith(("Min label:", "Max label:")):
            name, _, value = line.partition(":")
            float(value)
            setattr(self, "low" if name == "Min label" else "high", value.strip())
        elif line.startswith("options:"):
            self._options(path, line[8:].split())
        elif line.startswith(("lda:", "0 ngram:", "0 skip:")) and line.split(":")[1].strip(" 0"):
            raise ValueError(f"from_vw: {path} is no linear model: it has {line!r:.60}.")
        return line in (":0", ":1")

    def _options(self, path: Path, words: Sequence[str]) -> None:
        rest = iter(words)
        for word in rest:
            option, _, value = word.partition("=")
            if option == "--noconstant":
                continue
            if option == "--oaa":
                self.columns = int(value or next(rest, ""))
            elif option == "--hash":
                self.all_hashed = (value or next(rest, "")) == "all"
            elif option in HARMLESS:
                value = value or next(rest, "")
            else:
                raise ValueError(
                    f"from_vw: {path} was trained with {option}, which makes other features or "
                    f"other models; only plain linear models and --oaa can be read."
                )

    def _weight(self, name: str | None, slot: int, weight: float) -> None:
        if not np.isfinite(weight):
            raise ValueError(weight)
        self.weights[slot] = weight
        if name is None:
            return
        known = {} if self.names is None else self.names
        plain, _, column = name.removesuffix("]").rpartition("[")
        if self.columns > 1 and name.endswith("]") and column.isdigit():
            known.setdefault(plain, slot - int(column))
        else:
            known[name] = slot
        self.names = known


def named_slots(saved: TextModel, features: list[Any]) -> dict[str, int]:
    """The slot of every feature; all slots of the file must be among them."""
    mask = (1 << saved.bits) - 1
    found = {"Constant": CONSTANT * saved.step & mask}
    for name in features:
        if str(name) != "Constant":
            found[name] = slot_of(str(name), saved.all_hashed) * saved.step & mask
    covered = {slot + i for slot in found.values() for i in range(saved.columns)}
    left = sorted(slot for slot, weight in saved.weights.items() if weight and slot not in covered)
    if left:
        raise ValueError(
            f"from_vw: {len(left):,} weights, such as that of slot {left[0]}, belong to none of "
            f"the {len(features):,} features given. Name all of them, or write the file with "
            f"--invert_hash."
        )
    return found


def limited(learner: Any, columns: list[dict[Any, float]], bias: Any, saved: TextModel) -> Any:
    """A copy of a regressor with these weights, whose answers stay within the file's range."""
    if saved.range is None:
        return filled(learner, columns, bias, saved.seen)
    low, high = saved.range
    if getattr(learner, "scale", None) is None:
        made = filled(learner, columns, bias, saved.seen)
        warnings.warn(
            f"from_vw: the file's answers are never below {low:g} or above {high:g}, but "
            f"{type(learner).__name__} with scale=None has no such limits. Give one with "
            f"scale='auto', or cut them: np.clip(model.predict_many(X), {low:g}, {high:g}).",
            DataWarning,
            stacklevel=3,
        )
        return made
    plain = filled(learner.clone(scale=None), columns, bias, saved.seen)
    made = learner.clone(scale="auto")
    made.learn_one(dict.fromkeys(columns[0], 0.0), 0.0)
    fields, known = made._model.snapshot(), plain._model.snapshot()
    if "targets" not in fields:
        raise ValueError(
            f"from_vw: {learner!r:.80} keeps more than weights, from which they follow (scales), "
            f"and a text model has none; give scale=None."
        )
    unit = (high - low) / (1.0 + 2.0 * MARGIN)
    # Nothing is known of targets but their range, so they are as if spread evenly over it.
    count, middle, spread = saved.seen, 0.5 * (low + high), unit**2 / 12.0
    targets = [count, middle, count * spread, middle - 0.5 * unit, middle + 0.5 * unit]
    scales = np.zeros_like(fields["steps"]["0"]["scales"])
    scales[FACTOR] = 1.0  # the weights are for features as they come
    step = {"seen": 0, "counted": 0.0, "next_due": 1.0, "scales": scales}
    kept = {name: known[name] for name in ("weights", "bias", "scale", "seen")}
    made._restore({**fields, **kept, "steps": {"0": step}, "targets": np.array(targets)})
    return made


def filled(learner: Any, columns: list[dict[Any, float]], bias: Any, seen: int) -> Any:
    """A copy of the learner with these weights."""
    who = f"from_vw: {type(learner).__name__}"
    k = len(columns)
    if getattr(learner, "scale", None) is not None and "scale" not in learner._given:
        learner = learner.clone(scale=None)  # the weights are for features as they come
    made = learner.clone()
    if isinstance(learner, Classifier):
        wanted = learner.params.get("labels") or ([-1, 1] if k == 1 else list(range(1, k + 1)))
        if len(wanted) != max(2, k):
            raise ValueError(
                f"{who} declares {len(wanted)} labels, but the file is for {max(2, k)}."
            )
        made = learner.clone(labels=wanted)
        made.learn_one(dict.fromkeys(columns[0], 0.0), wanted[0])
    elif k > 1:
        raise ValueError(f"{who} is a regressor, but the file has {k} classes (--oaa).")
    else:
        made.learn_one(dict.fromkeys(columns[0], 0.0), 0.0)
    fields = made._model.snapshot()
    names = list(columns[0])
    if [*range(fields["implicit"]), *fields["features"]] != names or "weights" not in fields:
        raise ValueError(f"{who} cannot take weights; use LogisticRegression() or SGDClassifier().")
    matrix = np.array([list(column.values()) for column in columns], dtype=np.float64).T
    if not getattr(made, "intercept", True) and bias.any():
        raise ValueError(f"{who} has intercept=False, but the file has a constant; leave it out.")
    state = {"weights": matrix.reshape(len(names), k), "bias": np.asarray(bias, dtype=np.float64)}
    made._restore({**fields, **state, "scale": 1.0, "seen": seen})
    kept = by_column(made)
    for (weights, constant), column, own in zip(kept, columns, bias.tolist(), strict=True):
        if weights != column or constant != own:
            raise ValueError(
                f"{who} keeps more than weights, from which they follow (sums, averages, scales), "
                f"and a text model has none; use LogisticRegression(), PAClassifier(), "
                f"SGDClassifier() or SGDRegressor()."
            )
    return made


# -- Vowpal Wabbit's hash --------------------------------------------------------------------------


def stride(columns: int) -> int:
    """Slots for each feature: as many as columns, rounded up to a power of two."""
    return 1 << (columns - 1).bit_length()


def slot_of(name: str, all_hashed: bool = False) -> int:
    """The slot of a feature before it is cut to its bits; `n^f` is f in namespace n."""
    if name == "Constant":
        return CONSTANT
    space, _, feature = name.rpartition("^")
    return hashed(feature, hashed(space, 0, all_hashed) if space else 0, all_hashed)


def hashed(text: str, seed: int, all_hashed: bool = False) -> int:
    """A number is itself, above the seed; other text is hashed."""
    if text.isascii() and text.isdigit() and not all_hashed:
        return int(text) + seed
    return murmur(text.encode(), seed & 0xFFFFFFFF)


def murmur(key: bytes, seed: int) -> int:
    """MurmurHash3 for 32 bits (Appleby, 2011)."""
    h = seed
    for at in range(0, len(key) & ~3, 4):
        h ^= scrambled(int.from_bytes(key[at : at + 4], "little"))
        h = (rotated(h, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    if tail := key[len(key) & ~3 :]:
        h ^= scrambled(int.from_bytes(tail, "little"))
    h ^= len(key)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        h = ((h ^ (h >> shift)) * factor) & 0xFFFFFFFF
    return h ^ (h >> 16)


def scrambled(block: int) -> int:
    """Four bytes, mixed."""
    return rotated((block * 0xCC9E2D51) & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF


def rotated(x: int, by: int) -> int:
    """32 bits, rotated to the left."""
    return ((x << by) | (x >> (32 - by))) & 0xFFFFFFFF
