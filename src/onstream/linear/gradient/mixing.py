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


def rebased_descent(both: Both, sign: int) -> Exported:
    """The sums of the first state without those of the second, from which it began, or with them.

    A mini-batch that waited there has been taken by all who began there, or still waits here.
    """
    fields, base = both.states
    out: Exported = {}
    if "total" in fields:
        n = fields["averaged"] + sign * base["averaged"]
        out |= {"averaged": n, **both.rebased("total", sign, signed=True)}
    if "pending" in fields and sign < 0 and fields["seen"] - base["seen"] < fields["waiting"]:
        out |= both.rebased("pending", sign, signed=True)
        out["waiting"] = fields["waiting"] - base["waiting"]
    if "squares" in fields:
        out |= both.rebased("squares", sign)
    return out


def merge_ftrl(
    both: Both, mixed: Matrix, alpha: float, beta: float, l1: float, l2: float
) -> Exported:
    """Squares are added; z is what stands for the mixed weights with them."""
    n = both.added("n", signed=False)
    z = ftrl_sums(mixed, both.added("z"), n, alpha, beta, l1, l2)
    return {**both.header(), **split(z, "z"), **split(n, "n")}


def ftrl_sums(
    mixed: Matrix, z: Matrix, n: Matrix, alpha: float, beta: float, l1: float, l2: float
) -> Matrix:
    """The z that stands for these weights with squares n; those that are 0 stay near `z`."""
    penalty = np.append(np.ones(len(n) - 1), 0.0)[:, np.newaxis]  # the intercept is spared
    per_weight = (beta + np.sqrt(n)) / alpha + l2 * penalty
    zero = np.clip(z, -l1 * penalty, l1 * penalty)
    return np.where(mixed == 0.0, zero, -mixed * per_weight - np.sign(mixed) * l1 * penalty)


def merge_rda(both: Both, mixed: Matrix, gamma: float, l1: float) -> Exported:
    """Gradients that stand for the mixed weights after all examples of both."""
    t = both.states[0]["t"] + both.states[1]["t"]
    sums = rda_sums(mixed, both.added("gradients"), t, gamma, l1)
    return {**both.header(), **split(sums, "gradients"), "t": t}


def rda_sums(mixed: Matrix, gradients: Matrix, t: float, gamma: float, l1: float) -> Matrix:
    """The gradients that stand for these weights after t examples."""
    free = t * l1 * np.append(np.ones(len(mixed) - 1), 0.0)[:, np.newaxis]
    zero = np.clip(gradients, -free, free)
    return np.where(mixed == 0.0, zero, -mixed * gamma * np.sqrt(t) - np.sign(mixed) * free)
