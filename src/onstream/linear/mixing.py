"""Merging linear models: the average of their weights, weighted by what each has seen.

Works on exported states. Features and labels are matched by name; one that a model does not know
weighs nothing there.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.union import Exported, union_of_features, union_of_labels
from ..core.coding import first_sign

Matrix = NDArray[np.float64]


def shares(mine: Exported, theirs: Exported) -> tuple[float, float]:
    """The fraction of all examples that each has seen."""
    total = mine["seen"] + theirs["seen"]
    return (mine["seen"] / total, theirs["seen"] / total) if total else (1.0, 0.0)


class Both:
    """Two exported states, their matrices in one common shape.

    A row is a feature of one or both (`slots` of them, if they are hashed), a column a label:
    `columns_of` and `share` say how. Without `labels`, columns stay as they are.
    """

    def __init__(
        self,
        mine: Exported,
        theirs: Exported,
        slots: int,
        labels: list[Any] | None = None,
        share: float | None = None,
    ) -> None:
        self.states, self.labels, self.share = (mine, theirs), labels, share
        self.energy: str | None = None  # the field with squares of gradients that weigh, if any
        self.union, places = union_of_features(mine, theirs)
        named = self.union["implicit"] + len(self.union["features"])
        self.rows = named or slots
        self.places = np.arange(self.rows), places if named else np.arange(slots)

    def aligned(self, which: int, matrix: Matrix, bias: Matrix, signed: bool = True) -> Matrix:
        """A matrix of one of them with the rows and columns of both, the intercepts last."""
        whole = np.vstack([matrix, bias])
        if self.labels is not None:
            own = self.states[which]["labels"]
            whole = columns_of(whole, own, self.labels, self.share, signed)
        out = np.zeros((self.rows + 1, whole.shape[1]))
        out[self.places[which][: len(matrix)]] = whole[:-1]
        out[-1] = whole[-1]
        return out

    def added(self, name: str, signed: bool = True) -> Matrix:
        """The sum of both."""
        return np.asarray(
            sum(
                self.aligned(i, fields[name], fields[f"bias_{name}"], signed)
                for i, fields in enumerate(self.states)
            )
        )

    def mixed(self, matrices: list[Matrix], biases: list[Matrix]) -> Matrix:
        """The average, weighted by what each has seen, or each weight by its `energy`."""
        a, b = shares(*self.states)
        one, other = (self.aligned(i, matrices[i], biases[i]) for i in range(2))
        if self.energy is None:
            return np.asarray(a * one + b * other)
        mine, theirs = (
            self.aligned(i, fields[self.energy], fields[f"bias_{self.energy}"], signed=False)
            for i, fields in enumerate(self.states)
        )
        share = np.divide(mine, mine + theirs, out=np.full_like(mine, a), where=mine + theirs > 0.0)
        return np.asarray(share * one + (1.0 - share) * other)

    def rebased(self, name: str, sign: int, signed: bool = False) -> Exported:
        """Sums of the first with those of the second, or without them; squares are never < 0."""
        one, other = (
            self.aligned(i, fields[name], fields[f"bias_{name}"], signed)
            for i, fields in enumerate(self.states)
        )
        whole = one + sign * other
        return split(whole if signed else np.maximum(whole, 0.0), name)

    def header(self) -> Exported:
        """Everything but the numbers."""
        mine, theirs = self.states
        fields = {**mine, **self.union}
        fields |= {name: mine[name] + theirs[name] for name in ("seen", "start")}
        return fields if self.labels is None else {**fields, "labels": self.labels}

    def mixed_weights(self) -> Exported:
        """The merged state, if weights and intercepts are all that was learned."""
        weights = [fields["scale"] * fields["weights"] for fields in self.states]
        mixed = self.mixed(weights, [fields["bias"] for fields in self.states])
        return {**self.header(), **split(mixed, "weights"), "scale": 1.0}


def split(whole: Matrix, name: str) -> Exported:
    """A matrix and its intercepts as two fields."""
    bias = "bias" if name == "weights" else f"bias_{name}"
    return {name: whole[:-1].copy(), bias: whole[-1].copy()}


def columns_of(
    matrix: Matrix, own: list[Any], labels: list[Any], share: float | None, signed: bool = True
) -> Matrix:
    """The columns of `own` labels at their places among `labels`, 0 elsewhere; at least one.

    Two labels may have a single column, a difference if it is `signed`; among more labels each of
    the two gets `share` of it. With share=None every label has its own column from the first on.
    """
    if share is not None and len(labels) <= 2:
        same = not own or first_sign(own) * (1 if own[0] == labels[0] else -1) == first_sign(labels)
        return matrix if same or not signed else -matrix
    if share is not None and len(own) <= 2:
        signs = (first_sign(own), -first_sign(own)) if signed else (1.0, 1.0)
        matrix = matrix[:, :1] * [share * sign for sign in signs[: len(own)]]
    out = np.zeros((len(matrix), max(1, len(labels))))
    out[:, [labels.index(label) for label in own]] = matrix[:, : len(own)]
    return out


def mix_regressors(mine: Exported, theirs: Exported) -> Exported:
    """The merged state of two linear regressors."""
    return Both(mine, theirs, len(mine["weights"])).mixed_weights()


def mix_classifiers(
    who: str, mine: Exported, theirs: Exported, share: float | None = 0.5
) -> Exported:
    """The merged state of two linear classifiers; labels are matched by name."""
    labels, _ = union_of_labels(who, mine, theirs)
    return Both(mine, theirs, len(mine["weights"]), labels, share).mixed_weights()
