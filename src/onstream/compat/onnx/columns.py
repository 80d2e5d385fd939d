"""What goes in: columns of numbers and of text, as one matrix with a column for each feature.

A missing value is NaN. Text is a number, too: for learners that branch on values (trees, naive
Bayes over names) its code, -1 if it was never learned; for the others each feature `name=value` is
1 or missing.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .graph import DOUBLE, INT64, ML, Graph, onnx

UNSEEN = -1


@dataclass
class Columns:
    """The features of a trained learner, and how they come in."""

    features: list[Any]
    values: dict[int, list[str]] = field(default_factory=dict)  # nominal feature -> its values
    numbers: set[int] = field(default_factory=set)  # nominal features whose values are numbers
    by_value: bool = False  # text comes as features `name=value`

    @classmethod
    def of(cls, learner: Any, fields: dict[str, Any]) -> "Columns":
        """Those of a learner's exported state."""
        found = cls([*range(fields["implicit"]), *fields["features"]])
        found.by_value = "nominal" not in fields
        start, texts = 0, fields.get("nominal_values", [])
        counts = zip(fields.get("nominal", ()), fields.get("nominal_counts", ()), strict=True)
        for feature, count in counts:
            found.values[int(feature)] = texts[start : start + int(count)]
            start += int(count)
        for feature, known in found.values.items():
            if is_categorical(learner, found.features[feature]) and all(map(is_number, known)):
                found.numbers.add(feature)
        return found

    def groups(self, who: str) -> dict[str, list[int]]:
        """Columns of text to their features `name=value`."""
        found: dict[str, list[int]] = {}
        if self.by_value:
            for i, name in enumerate(self.features):
                if isinstance(name, str) and "=" in name:
                    found.setdefault(name.partition("=")[0], []).append(i)
        both = found.keys() & {str(name) for name in self.features}
        if both:
            raise ValueError(
                f"{who}: column {sorted(both)[0]!r:.60} has been numbers in some rows and text in "
                f"others, and an input of ONNX has one type; make it text in all rows and train "
                f"again."
            )
        return found


def is_categorical(learner: Any, name: Any) -> bool:
    """Say whether numbers of this feature are names, to a member of an ensemble at least."""
    inner = [*getattr(learner, "_learners", ()), *list(getattr(learner, "steps", ()))[-1:]]
    if any(is_categorical(one, name) for one in inner):
        return True
    if type(learner).__name__ == "CategoricalNB":
        return True
    listed = getattr(learner, "nominal", None) or getattr(learner, "categorical", None) or ()
    return str(name) in map(str, listed)


def is_number(text: str) -> bool:
    """Say whether a nominal value came, or could have come, as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def declare(graph: Graph, columns: Columns, who: str, single: bool) -> tuple[str, list[Any]]:
    """Declare the inputs; the matrix of all features, and the names of the columns as they come."""
    kind = onnx.TensorProto.FLOAT if single else DOUBLE
    groups = columns.groups(who)
    texts = columns.values.keys() - columns.numbers
    apart = texts.union(*groups.values())
    plain = [i for i in range(len(columns.features)) if i not in apart]
    if all(isinstance(columns.features[i], int) for i in plain):
        plain.sort(key=lambda i: columns.features[i])
    names: list[Any] = [columns.features[i] for i in plain]
    blocks: list[tuple[str, list[int]]] = []  # some columns, and the features that they are
    if not apart:
        whole = as_double(graph, graph.input("X", kind, len(plain)), single)
        if not columns.numbers:
            blocks.append((whole, plain))
        for at, i in enumerate(plain if columns.numbers else ()):
            part = graph.op("Gather", whole, graph.constant([at], np.int64), axis=1)
            blocks.append((part, [i]))
    else:
        for i in plain:
            name = graph.input(str(columns.features[i]), kind, 1)
            blocks.append((as_double(graph, name, single), [i]))
    for at, (part, (i, *_)) in enumerate(blocks):
        if i in columns.numbers:
            blocks[at] = code_of_number(graph, part, columns.values[i], single), [i]
    for i in sorted(texts):
        name = str(columns.features[i])
        names.append(name)
        given = graph.input(name, onnx.TensorProto.STRING, 1)
        blocks.append((code_of_text(graph, given, columns.values[i]), [i]))
    for name, group in groups.items():
        names.append(name)
        given = graph.input(name, onnx.TensorProto.STRING, 1)
        known = [columns.features[i].partition("=")[2] for i in group]
        blocks.append((ones_of_text(graph, given, known), group))
    matrix = blocks[0][0]
    if len(blocks) > 1:
        matrix = graph.op("Concat", *(part for part, _ in blocks), axis=1)
    order = np.argsort([i for _, group in blocks for i in group])
    if (np.diff(order) != 1).any():
        matrix = graph.op("Gather", matrix, graph.constant(order, np.int64), axis=1)
    return matrix, names


def as_double(graph: Graph, value: str, single: bool) -> str:
    """Numbers as they are reckoned with."""
    return graph.op("Cast", value, to=DOUBLE) if single else value


def code_of_text(graph: Graph, value: str, known: list[str]) -> str:
    """The code of a text; an empty one is missing, unless it was learned as a value."""
    codes = list(range(len(known)))
    keys = list(known)
    if "" not in keys:
        keys.append("")
        codes.append(-2)
    code = graph.op(
        "LabelEncoder",
        value,
        domain=ML,
        keys_strings=keys,
        values_int64s=codes,
        default_int64=UNSEEN,
    )
    number = graph.op("Cast", code, to=DOUBLE)
    if len(keys) == len(known):
        return number
    missing = graph.op("Equal", code, graph.constant([-2], np.int64))
    return graph.op("Where", missing, graph.constant(np.nan, np.float64), number)


def ones_of_text(graph: Graph, value: str, known: list[str]) -> str:
    """A column for each known text: 1 where it is, missing elsewhere."""
    number = graph.op(
        "LabelEncoder",
        value,
        domain=ML,
        keys_strings=known,
        values_int64s=list(range(len(known))),
        default_int64=UNSEEN,
    )
    here = graph.op("Equal", number, graph.constant([range(len(known))], np.int64))
    one, gap = graph.constant(1.0, np.float64), graph.constant(np.nan, np.float64)
    return graph.op("Where", here, one, gap)


def code_of_number(graph: Graph, value: str, known: list[str], single: bool) -> str:
    """The code of a number that is a name."""
    numbers = np.array([float(text) for text in known])
    if single:
        numbers = numbers.astype(np.float32).astype(np.float64)
    same = graph.op("Equal", value, graph.constant(numbers.reshape(1, -1)))
    places = graph.constant(np.arange(1.0, len(known) + 1).reshape(-1, 1))
    found = graph.op("MatMul", graph.op("Cast", same, to=DOUBLE), places)
    code = graph.op("Sub", found, graph.constant(1.0, np.float64))
    return graph.op("Where", graph.op("IsNaN", value), value, code)


def code_index(graph: Graph, X: str, feature: int, unseen: int) -> tuple[str, str]:
    """A column of codes as row numbers, shape (rows,): unseen values at `unseen`; and the gaps."""
    column = graph.op("Gather", X, graph.constant(feature, np.int64), axis=1)
    gap = graph.op("IsNaN", column)
    filled = graph.op("Where", gap, graph.constant(float(UNSEEN)), column)
    code = graph.op("Cast", filled, to=INT64)
    negative = graph.op("Less", code, graph.constant(0, np.int64))
    return graph.op("Where", negative, graph.constant(unseen, np.int64), code), gap
