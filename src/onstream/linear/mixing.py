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
    """What fraction of all examples each has seen."""
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


def by_label(fields: Exported, labels: list[Any], share: float) -> tuple[Matrix, Matrix]:
    """Weights and intercepts with one column per label of `labels`, or one for two labels.

    Each of two labels gets `share` of a single column.
    """
    weights, bias = fields["scale"] * fields["weights"], fields["bias"]
    own = fields["labels"]
    if len(labels) <= 2:
        same = not own or first_sign(own) * (1 if own[0] == labels[0] else -1) == first_sign(labels)
        return (weights, bias) if same else (-weights, -bias)
    out = np.zeros((len(weights), len(labels)))
    intercepts = np.zeros(len(labels))
    if len(own) <= 2:
        for i, label in enumerate(own):
            part = share * first_sign(own) * (1 if i == 0 else -1)
            out[:, labels.index(label)] = part * weights[:, 0]
            intercepts[labels.index(label)] = part * bias[0]
    else:
        for r, label in enumerate(own):
            out[:, labels.index(label)] = weights[:, r]
            intercepts[labels.index(label)] = bias[r]
    return out, intercepts


def mix_classifiers(who: str, mine: Exported, theirs: Exported, share: float = 0.5) -> Exported:
    """The merged state of two linear classifiers; labels are matched by name."""
    labels, _ = union_of_labels(who, mine, theirs)
    a, b = shares(mine, theirs)
    ours, our_bias = by_label(mine, labels, share)
    other, their_bias = by_label(theirs, labels, share)
    merged = mix(mine, theirs, ours, other, a * our_bias + b * their_bias)
    return {**merged, "labels": labels}


def mix_rows(who: str, mine: Exported, theirs: Exported, *, shared: bool) -> Exported:
    """The merged state of two learners with a row per label, or with one row shared by all."""
    labels, _ = union_of_labels(who, mine, theirs)
    if shared:
        return {**mix_regressors(mine, theirs), "labels": labels}
    placed_rows, k = [], max(1, len(labels))
    for fields in (mine, theirs):
        weights, bias = fields["scale"] * fields["weights"], fields["bias"]
        wide, intercepts = np.zeros((len(weights), k)), np.zeros(k)
        for r, label in enumerate(fields["labels"]):
            wide[:, labels.index(label)] = weights[:, r]
            intercepts[labels.index(label)] = bias[r]
        placed_rows.append((wide, intercepts))
    (ours, our_bias), (other, their_bias) = placed_rows
    a, b = shares(mine, theirs)
    merged = mix(mine, theirs, ours, other, a * our_bias + b * their_bias)
    return {**merged, "labels": labels}
