"""Merging gradient learners: weights are averaged by what each has seen, sums are added.

Features and labels are matched by name. Beyond two labels each learns its label against the rest,
so a model of two labels counts as -w and +w there.
"""

from typing import Any

import numpy as np

from ...base.union import Exported, union_of_features, union_of_labels
from ...core.coding import first_sign
from ..mixing import Matrix, placed, shares


class Both:
    """Two exported states, their matrices in one common shape."""

    def __init__(self, who: str, mine: Exported, theirs: Exported, hashed: bool, rows: int) -> None:
        self.states, self.hashed = (mine, theirs), hashed
        self.labels = union_of_labels(who, mine, theirs)[0] if "labels" in mine else None
        self.union, places = union_of_features(mine, theirs)
        self.rows = rows if hashed else self.union["implicit"] + len(self.union["features"])
        self.places = (np.arange(self.rows), places)

    def aligned(self, which: int, matrix: Matrix, bias: Matrix, signed: bool) -> Matrix:
        """A matrix of one of them with the rows and columns of both, the intercepts last."""
        whole = np.vstack([matrix, bias])
        if self.labels is not None:
            whole = by_label(whole, self.states[which]["labels"], self.labels, signed)
        places = self.places[which][: len(matrix)]
        return np.vstack([placed(whole[:-1], places, self.rows, self.hashed), whole[-1:]])

    def added(self, name: str, signed: bool = True) -> Matrix:
        """The sum of both."""
        return np.asarray(
            sum(
                self.aligned(i, fields[name], fields[f"bias_{name}"], signed)
                for i, fields in enumerate(self.states)
            )
        )

    def mixed(self, matrices: list[Matrix], biases: list[Matrix]) -> Matrix:
        """The average, weighted by what each has seen."""
        a, b = shares(*self.states)
        one, other = (
            self.aligned(i, matrix, bias, True)
            for i, (matrix, bias) in enumerate(zip(matrices, biases, strict=True))
        )
        return np.asarray(a * one + b * other)

    def header(self) -> Exported:
        """Everything but the numbers."""
        mine, theirs = self.states
        fields = {**mine, **self.union}
        fields |= {name: mine[name] + theirs[name] for name in ("seen", "start")}
        return fields if self.labels is None else {**fields, "labels": self.labels}


def by_label(matrix: Matrix, own: list[Any], labels: list[Any], signed: bool) -> Matrix:
    """The matrix with one column per label of `labels`, or one for two labels."""
    if len(labels) <= 2:
        same = not own or first_sign(own) * (1 if own[0] == labels[0] else -1) == first_sign(labels)
        return matrix if same or not signed else -matrix
    out = np.zeros((len(matrix), len(labels)))
    for r, label in enumerate(own):
        column = matrix[:, r] if len(own) > 2 else matrix[:, 0]
        turned = signed and len(own) <= 2 and first_sign(own) * (1 if r == 0 else -1) < 0.0
        out[:, labels.index(label)] = -column if turned else column
    return out


def split(whole: Matrix, name: str) -> Exported:
    """A matrix and its intercepts as two fields."""
    bias = "bias" if name == "weights" else f"bias_{name}"
    return {name: whole[:-1].copy(), bias: whole[-1].copy()}


def merge_descents(both: Both) -> Exported:
    """Of SGD, FOBOS, truncated gradient: both states are tidy, so that scales are 1 or -1."""
    mine, theirs = both.states
    weights = [fields["scale"] * fields["weights"] for fields in both.states]
    biases = [fields["bias"] for fields in both.states]
    merged = {**both.header(), **split(both.mixed(weights, biases), "weights"), "scale": 1.0}
    if "paid" in mine:
        merged |= {"paid": np.zeros(both.rows), "due": 0.0}
    if "total" in mine:
        n = mine["averaged"] + theirs["averaged"]
        for i, fields in enumerate(both.states):
            if fields["averaged"]:
                weights[i] = fields["total"] / fields["averaged"]
                biases[i] = fields["bias_total"] / fields["averaged"]
        merged |= split(n * both.mixed(weights, biases), "total")
        merged |= {"mass": 0.0, "averaged": n}
    if "pending" in mine:
        merged |= split(both.added("pending"), "pending")
        merged["waiting"] = mine["waiting"] + theirs["waiting"]
    if "squares" in mine:
        merged |= split(both.added("squares", signed=False), "squares")
    return merged


def merge_ftrl(
    both: Both, mixed: Matrix, alpha: float, beta: float, l1: float, l2: float
) -> Exported:
    """Squares are added; z is what stands for the mixed weights with them."""
    n, z = both.added("n", signed=False), both.added("z")
    penalty = np.append(np.ones(both.rows), 0.0)[:, np.newaxis]  # the intercept is spared
    per_weight = (beta + np.sqrt(n)) / alpha + l2 * penalty
    zero = np.clip(z, -l1 * penalty, l1 * penalty)
    z = np.where(mixed == 0.0, zero, -mixed * per_weight - np.sign(mixed) * l1 * penalty)
    return {**both.header(), **split(z, "z"), **split(n, "n")}


def merge_rda(both: Both, mixed: Matrix, gamma: float, l1: float) -> Exported:
    """Gradients that stand for the mixed weights after all examples of both."""
    t = both.states[0]["t"] + both.states[1]["t"]
    free = t * l1 * np.append(np.ones(both.rows), 0.0)[:, np.newaxis]
    zero = np.clip(both.added("gradients"), -free, free)
    sums = -mixed * gamma * np.sqrt(t) - np.sign(mixed) * free
    return {**both.header(), **split(np.where(mixed == 0.0, zero, sums), "gradients"), "t": t}
