"""Weights of scaled features: shown for features as they came, and merged on one scale.

Works on exported states. Rows of `scales` are those of core/scaling.pxd.
"""

from typing import Any

import numpy as np

from ..base.union import Exported, union_of_features

COUNT, MEAN, SQUARE, OFFSET, FACTOR, DUE, REACH = range(7)
RARE, USUAL, OUTLIER, NOISE, LEAST = 0.2, 0.8, 5.0, 1e-26, 1e-290  # as in core/scaling.pyx


def unscaled(fields: Exported) -> Exported:
    """The state with weights and intercepts of features as they came."""
    if "steps" not in fields:
        return fields
    scales = fields["steps"]["0"]["scales"]
    weights = fields["weights"] * scales[FACTOR][:, np.newaxis]
    return {**fields, "weights": weights, "bias": fields["bias"] - scales[OFFSET] @ weights}


def on_one_scale(mine: Exported, theirs: Exported) -> tuple[Exported, Exported, dict[str, Any]]:
    """Both states with weights for the scales of both together, and the step with these."""
    ours, other = (fields["steps"]["0"]["scales"] for fields in (mine, theirs))
    union, places = union_of_features(mine, theirs)
    hashed = not union["features"] and not union["implicit"] and ours.shape[1] > 0
    width = ours.shape[1] if hashed else union["implicit"] + len(union["features"])
    where = np.arange(ours.shape[1]), np.arange(width) if hashed else places
    spread = []
    for scales, at in zip((ours, other), where, strict=True):
        whole = np.zeros((7, width))
        whole[:, at] = scales
        spread.append(whole)
    counted = sum(fields["steps"]["0"]["counted"] for fields in (mine, theirs))
    centres = bool((ours[OFFSET] != 0.0).any() or (other[OFFSET] != 0.0).any())
    both = merged_scales(spread[0], spread[1], counted, centres)
    first, second = (
        rescaled(fields, scales, both[:, at])
        for fields, scales, at in zip((mine, theirs), (ours, other), where, strict=True)
    )
    seen = mine["steps"]["0"]["seen"] + theirs["steps"]["0"]["seen"]
    step = {"seen": seen, "counted": counted, "next_due": counted + 1.0, "scales": both}
    return first, second, {"0": step}


def merged_scales(a: np.ndarray, b: np.ndarray, counted: float, centres: bool) -> np.ndarray:
    """Counts, means and squares of both; offsets and factors by them, as core/scaling.pyx does."""
    out = np.zeros_like(a)
    count = a[COUNT] + b[COUNT]
    share = np.divide(b[COUNT], count, out=np.zeros_like(count), where=count > 0)
    far = b[MEAN] - a[MEAN]
    out[MEAN] = a[MEAN] + far * share
    out[SQUARE] = a[SQUARE] + b[SQUARE] + far**2 * a[COUNT] * share
    out[COUNT] = np.minimum(count, counted)
    part = out[COUNT] / max(counted, 1.0)
    weight = np.clip((part - RARE) / (USUAL - RARE), 0.0, 1.0) if centres else np.zeros_like(part)
    out[OFFSET] = weight * part * out[MEAN]
    variance = np.divide(out[SQUARE], count, out=np.zeros_like(count), where=count > 0)
    variance[variance <= NOISE * out[MEAN] ** 2] = 0.0
    variance += (out[MEAN] - out[OFFSET]) ** 2
    absent = weight * (1.0 - part)
    squares = part * variance + absent * out[OFFSET] ** 2
    variance = np.divide(squares, part + absent, out=np.zeros_like(count), where=part > 0)
    known = variance > LEAST
    unit = np.power(part, -0.25 * (1.0 - weight), out=np.zeros_like(part), where=part > 0)
    out[FACTOR] = np.divide(unit, np.sqrt(variance), out=np.zeros_like(count), where=known)
    out[REACH] = unit * np.maximum(OUTLIER, 0.25 * np.sqrt(count))
    out[DUE] = np.where(count > 0, count + 1.0, 0.0)  # computed again with the next example
    as_they_came = is_raw(a) | is_raw(b)
    out[OFFSET, as_they_came], out[FACTOR, as_they_came], out[DUE, as_they_came] = 0.0, 1.0, 0.0
    return out


def is_raw(scales: np.ndarray) -> Any:
    """Features whose weights are for values as they came: between two mixes, see `rebased_scales`.

    A learner computes a factor together with when it is due again.
    """
    return (scales[FACTOR] == 1.0) & (scales[DUE] == 0.0)


def rebased_scales(
    fields: Exported, base: Exported, sign: int, centres: bool
) -> tuple[Exported, Exported]:
    """The state without what `base` has counted (sign -1), its weights for features as they came.

    So weights survive a round in which their feature never varied. Sign 1 goes back: scales are
    those of all that was counted, and weights fit them. `base` comes back on the same scale.
    """
    step, begun = fields["steps"]["0"], base["steps"]["0"]
    own = step["scales"]
    union, places = union_of_features(fields, base)
    hashed = not union["features"] and not union["implicit"]
    before = np.zeros_like(own)
    at = np.arange(begun["scales"].shape[1]) if hashed else places
    before[:, at] = begun["scales"]
    counted = step["counted"] + sign * begun["counted"]
    if sign > 0:
        counts = np.array(own)
        counts[DUE], counts[FACTOR] = 1.0, 0.0  # they are computed
        new = merged_scales(before, counts, counted, centres)
    else:
        new = np.zeros_like(own)
        new[FACTOR] = 1.0
        new[COUNT], new[MEAN], new[SQUARE] = moments_since(own[:3], before[:3])
    out = rescaled(fields, own, new)
    counted = max(counted, 0.0)
    seen = step["seen"] + sign * begun["seen"]
    numbers = {"seen": seen, "counted": counted, "next_due": counted + 1.0}
    out["steps"] = {"0": {**numbers, "scales": new}}
    return out, rescaled(base, begun["scales"], new[:, at])


def moments_since(all_: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Counts, means and squares of the values that came after those of `before`."""
    count = np.maximum(all_[0] - before[0], 0.0)
    some = count > 0.0
    zero = np.zeros_like(count)
    mean = np.divide(all_[0] * all_[1] - before[0] * before[1], count, out=zero.copy(), where=some)
    between = np.divide(before[0] * count, all_[0], out=zero.copy(), where=some)
    square = all_[2] - before[2] - (mean - before[1]) ** 2 * between
    return np.stack([count, mean, np.where(some, np.maximum(square, 0.0), 0.0)])


def rebased_targets(targets: np.ndarray, base: np.ndarray, sign: int) -> np.ndarray:
    """The numbers of targets without those of `base`, or with them; their range is that of all."""
    if sign > 0:
        return np.asarray(merged_targets({"targets": base}, {"targets": targets})["targets"])
    since = moments_since(targets[:3], base[:3])
    return np.concatenate([since, targets[3:]]) if since[0] else np.zeros(5)


def merged_targets(mine: Exported, theirs: Exported) -> dict[str, Any]:
    """Count, mean, squares and range of the targets of both, if they are kept."""
    if "targets" not in mine:
        return {}
    a, b = mine["targets"], theirs["targets"]
    if a[0] == 0.0 or b[0] == 0.0:
        return {"targets": a if b[0] == 0.0 else b}
    count, far = a[0] + b[0], b[1] - a[1]
    square = a[2] + b[2] + far**2 * a[0] * b[0] / count
    mean, low, high = a[1] + far * b[0] / count, min(a[3], b[3]), max(a[4], b[4])
    return {"targets": np.array([count, mean, square, low, high])}


def rescaled(fields: Exported, old: np.ndarray, new: np.ndarray) -> Exported:
    """The state with weights that score the same by other scales."""
    ratio = np.divide(old[FACTOR], new[FACTOR], out=np.zeros(old.shape[1]), where=new[FACTOR] > 0)
    shift = old[FACTOR] * (new[OFFSET] - old[OFFSET])
    out = dict(fields)
    for name, bias in (("weights", "bias"), ("total", "bias_total")):
        if name in fields:
            out[name] = fields[name] * ratio[:, np.newaxis]
            unit = fields["scale"] if name == "weights" else 1.0
            out[bias] = fields[bias] + unit * (shift @ fields[name])
    return out
