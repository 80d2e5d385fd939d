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


def placed(matrix: Matrix, places: NDArray[np.intp], rows: int, hashed: bool) -> Matrix:
    """The rows of a matrix at their places in the union."""
    if hashed:
        return matrix
    out = np.zeros((rows, matrix.shape[1]))
    out[places] = matrix
    return out


def mix(mine: Exported, theirs: Exported, ours: Matrix, other: Matrix, bias: Matrix) -> Exported:
    """The merged state from both weight matrices (columns matched) and the mixed intercepts."""
    union, places = union_of_features(mine, theirs)
    hashed = not mine["features"] and not mine["implicit"] and len(ours) > 0
    hashed = hashed and not theirs["features"] and not theirs["implicit"]
    rows = len(ours) if hashed else union["implicit"] + len(union["features"])
    a, b = shares(mine, theirs)
    here = np.arange(len(ours))
    weights = a * placed(ours, here, rows, hashed) + b * placed(other, places, rows, hashed)
    counts = {name: mine[name] + theirs[name] for name in ("seen", "start")}
    return {**mine, **union, **counts, "weights": weights, "bias": bias, "scale": 1.0}


def mix_regressors(mine: Exported, theirs: Exported) -> Exported:
    """The merged state of two linear regressors."""
    a, b = shares(mine, theirs)
    bias = a * mine["bias"] + b * theirs["bias"]
    ours, other = (f["scale"] * f["weights"] for f in (mine, theirs))
    return mix(mine, theirs, ours, other, bias)


def mix_columns(
    mine: Exported,
    theirs: Exported,
    labels: list[Any],
    ours: tuple[Matrix, Matrix],
    other: tuple[Matrix, Matrix],
) -> Exported:
    """The merged state from the weights and intercepts of both, with columns matched."""
    a, b = shares(mine, theirs)
    merged = mix(mine, theirs, ours[0], other[0], a * ours[1] + b * other[1])
    return {**merged, "labels": labels}


def mix_classifiers(who: str, mine: Exported, theirs: Exported, share: float = 0.5) -> Exported:
    """The merged state of two linear classifiers; labels are matched by name."""
    labels, _ = union_of_labels(who, mine, theirs)
    ours, other = (by_label(fields, labels, share) for fields in (mine, theirs))
    return mix_columns(mine, theirs, labels, ours, other)


def by_label(fields: Exported, labels: list[Any], share: float) -> tuple[Matrix, Matrix]:
    """Weights and intercepts with one column per label of `labels`, or one for two labels.

    Each of two labels gets `share` of a single column.
    """
    weights, bias = fields["scale"] * fields["weights"], fields["bias"]
    own = fields["labels"]
    if len(labels) <= 2:
        same = not own or first_sign(own) * (1 if own[0] == labels[0] else -1) == first_sign(labels)
        return (weights, bias) if same else (-weights, -bias)
    if len(own) <= 2:
        parts = [share * first_sign(own) * (1 if i == 0 else -1) for i in range(len(own))]
        weights, bias = weights[:, :1] * parts, bias[:1] * parts
    return columns_of(own, labels, weights, bias)


def mix_rows(who: str, mine: Exported, theirs: Exported, *, shared: bool) -> Exported:
    """The merged state of two learners with a column per label, or with one shared by all."""
    labels, _ = union_of_labels(who, mine, theirs)
    if shared:
        return {**mix_regressors(mine, theirs), "labels": labels}
    ours, other = (
        columns_of(f["labels"], labels, f["scale"] * f["weights"], f["bias"])
        for f in (mine, theirs)
    )
    return mix_columns(mine, theirs, labels, ours, other)


def columns_of(
    own: list[Any], labels: list[Any], weights: Matrix, bias: Matrix
) -> tuple[Matrix, Matrix]:
    """The columns of `own` labels at their places among `labels`, 0 elsewhere; at least one."""
    places = [labels.index(label) for label in own]
    out, intercepts = np.zeros((len(weights), max(1, len(labels)))), np.zeros(max(1, len(labels)))
    out[:, places] = weights[:, : len(own)]
    intercepts[places] = bias[: len(own)]
    return out, intercepts
