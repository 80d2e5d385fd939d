"""Why a tree predicts what it predicts."""

from typing import Any, NamedTuple

import numpy as np

from .outline import MOST_LEVELS, Node


class Explanation(NamedTuple):
    """The way of an example through a tree, and what was counted where it ends."""

    prediction: Any
    path: list[str]  # the conditions that the example met, from the root down
    weight: float  # examples counted at the node where it ended
    counts: dict[Any, float]  # classifier: of which label
    model: str = ""  # what answered at that node, if not the majority or the mean of its examples

    def __str__(self) -> str:
        indents = ("  " * min(i, MOST_LEVELS) for i in range(len(self.path)))
        way = "\n".join(indent + step for indent, step in zip(indents, self.path, strict=True))
        by = f" by {self.model}" if self.model else ""
        found = f"{self.prediction!r}{by} ({self.counted()})"
        return f"{way}\n=> {found}" if way else f"=> {found}"

    def counted(self) -> str:
        """The examples at the node, of each label."""
        counts = ", ".join(f"{y}: {n:g}" for y, n in self.counts.items() if n > 0)
        return counts or f"{self.weight:g} examples"


def explain(root: Node, x: Any, prediction: Any) -> Explanation:
    """Follow an example down from the root."""
    values = {str(name): value for name, value in as_mapping(x).items()}
    node, path = root, []
    while node.children:
        taken = node.step(values)
        if taken is None:
            path.append(f"{node.feature} = {values[str(node.feature)]} (never seen here)")
            break
        absent = values.get(str(node.feature)) is None
        path.append(node.test(taken[0]) + (" (missing: the heaviest branch)" if absent else ""))
        node = taken[1]
    model = deciding_model(node, prediction)
    return Explanation(prediction, path, node.weight, dict(node.counts), model)


def as_mapping(x: Any) -> dict[Any, Any]:
    """An example by feature, whatever it came as."""
    if hasattr(x, "keys"):
        return {name: x[name] for name in x.keys()}  # noqa: SIM118
    return dict(enumerate(np.asarray(x).tolist()))


def deciding_model(node: Node, prediction: Any) -> str:
    """What has predicted, if the majority or the mean of the node would have said otherwise."""
    if node.weight <= 0.0:
        return ""
    if not node.counts:
        return "" if prediction == node.mean else "its linear model"
    most = max(node.counts.values())
    return "" if node.counts.get(prediction, 0.0) == most else "naive Bayes"
