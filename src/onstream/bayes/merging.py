"""Merging naive Bayes models: counts add up, means and variances are those of all examples.

Works on exported states. Features, their values and labels are matched by name.
"""

import numpy as np
from numpy.typing import NDArray

from ..base.errors import NotMergeable
from ..base.union import Exported, Places, all_names, union_of_features, union_of_labels


def common(who: str, mine: Exported, theirs: Exported) -> tuple[Exported, Places, Places]:
    """What all naive Bayes models have; where their features and labels go."""
    features, places = union_of_features(mine, theirs)
    labels, at = union_of_labels(who, mine, theirs)
    counts = np.zeros(len(labels))
    counts[: len(mine["counts"])] = mine["counts"]
    counts[at] += theirs["counts"]
    added = {name: mine[name] + theirs[name] for name in ("seen", "start", "total")}
    return {**mine, **features, **added, "labels": labels, "counts": counts}, places, at


def add_moments(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights, means and sums of squares (the first axis) of two sets of values as one."""
    n = a[0] + b[0]
    share = np.divide(b[0], n, out=np.zeros_like(n), where=n > 0.0)
    apart = b[1] - a[1]
    return np.stack([n, a[1] + apart * share, a[2] + b[2] + apart**2 * (a[0] * share)])


def merge_mixed(who: str, mine: Exported, theirs: Exported) -> Exported:
    """The merged state of two `MixedState`s."""
    merged, places, at = common(who, mine, theirs)
    width = merged["implicit"] + len(merged["features"])
    moments = np.zeros((2, len(merged["labels"]) + 1, 3, width))
    moments[0, : len(mine["moments"]), :, : mine["moments"].shape[2]] = mine["moments"]
    rows = [0, *(at + 1).tolist()]
    for k, row in enumerate(rows):
        moments[1, row][:, places] = theirs["moments"][k]
    merged["moments"] = add_moments(*moments.transpose(0, 2, 1, 3)).transpose(1, 0, 2).copy()

    tables = tables_of(mine, np.arange(width), np.arange(len(mine["labels"])))
    for id, values in tables_of(theirs, places, at).items():
        known = tables.setdefault(id, {})
        for value, counts in values.items():
            known.setdefault(value, {})
            for k, count in counts.items():
                known[value][k] = known[value].get(k, 0.0) + count
    for id in tables:
        if merged["moments"][0, 0, id] > 0.0:
            name = all_names(merged)[id]
            raise NotMergeable(f"{who}: feature {name!r} is a number here and a name there.")
    ids = sorted(tables)
    merged["nominal"] = np.array(ids, dtype=np.int64)
    merged["nominal_counts"] = np.array([len(tables[id]) for id in ids], dtype=np.int64)
    merged["nominal_values"] = [value for id in ids for value in tables[id]]
    table = np.zeros((len(merged["nominal_values"]), len(merged["labels"])))
    counts_of = (counts for id in ids for counts in tables[id].values())
    for row, counts in zip(table, counts_of, strict=True):
        for k, count in counts.items():
            row[k] = count
    merged["table"] = np.column_stack([table.sum(axis=1), table])
    return merged


def tables_of(
    fields: Exported, places: Places, at: Places
) -> dict[int, dict[str, dict[int, float]]]:
    """Feature to value to label to count, by the numbers that features and labels have in all."""
    found: dict[int, dict[str, dict[int, float]]] = {}
    row = 0
    for id, count in zip(fields["nominal"], fields["nominal_counts"], strict=True):
        values = found.setdefault(int(places[id]), {})
        for value in fields["nominal_values"][row : row + count]:
            values[value] = {
                int(at[k]): float(n) for k, n in enumerate(fields["table"][row, 1:]) if n
            }
            row += 1
    return found


def merge_counting(who: str, mine: Exported, theirs: Exported) -> Exported:
    """The merged state of two tables of counts."""
    merged, places, at = common(who, mine, theirs)
    width = merged["implicit"] + len(merged["features"])
    table = np.zeros((width, len(merged["labels"])))
    table[: mine["table"].shape[0], : mine["table"].shape[1]] = mine["table"]
    table[np.ix_(places, at)] += theirs["table"]
    return {**merged, "table": table, "totals": table.sum(axis=1), "sums": table.sum(axis=0)}


def merge_posteriors(mine: Exported, theirs: Exported, lam: float, intercept: bool) -> Exported:
    """The posterior of both: precisions add up, and one prior is taken away."""
    features, places = union_of_features(mine, theirs)
    width = features["implicit"] + len(features["features"]) + intercept
    precision, b = -lam * np.eye(width), np.zeros(width)
    for fields, ids in ((mine, np.arange(len(mine["m"]) - intercept)), (theirs, places)):
        at = np.concatenate([[0], ids + 1]).astype(np.intp) if intercept else ids
        inverse = np.linalg.inv(fields["P"])
        whole = lam * np.eye(width)
        whole[np.ix_(at, at)] = inverse
        precision += whole
        b[at] += inverse @ fields["m"]
    P = np.linalg.inv(0.5 * (precision + precision.T))
    P = 0.5 * (P + P.T)
    added = {name: mine[name] + theirs[name] for name in ("seen", "start")}
    return {**mine, **features, **added, "P": P, "m": P @ b}
