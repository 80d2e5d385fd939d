"""Merging gradient learners: weights are averaged by what each has seen, sums are added."""

import numpy as np

from ...base.union import Exported
from ..mixing import Both, Matrix, split


def merge_descents(both: Both) -> Exported:
    """Of SGD, FOBOS, truncated gradient: both states are tidy, so that scales are 1 or -1."""
    mine, theirs = both.states
    merged = both.mixed_weights()
    if "paid" in mine:
        merged |= {"paid": np.zeros(both.rows), "due": 0.0}
    if "total" in mine:
        n = mine["averaged"] + theirs["averaged"]
        weights = [fields["scale"] * fields["weights"] for fields in both.states]
        biases = [fields["bias"] for fields in both.states]
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
