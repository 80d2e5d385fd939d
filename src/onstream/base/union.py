"""Features and labels of two models side by side, matched by name, for merging exported states."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import NotMergeable

Exported = dict[str, Any]
Places = NDArray[np.intp]  # where their features or labels go in the union


def all_names(fields: Exported) -> list[str | int]:
    """Names of all features, columns first."""
    return [*range(fields["implicit"]), *fields["features"]]


def same_feature(name: str | int) -> str:
    """What 3 and "3" have in common."""
    return str(name)


def union_of_features(mine: Exported, theirs: Exported) -> tuple[Exported, Places]:
    """Feature fields of the union, my ids first, and where their ids go in it."""
    if not mine["features"] and not theirs["features"]:
        implicit = max(mine["implicit"], theirs["implicit"])
        fields: Exported = {"features": [], "implicit": implicit}
        places = np.arange(theirs["implicit"])
    else:
        names = all_names(mine)
        known = {same_feature(name): i for i, name in enumerate(names)}
        places = np.empty(theirs["implicit"] + len(theirs["features"]), dtype=np.intp)
        for i, name in enumerate(all_names(theirs)):
            if same_feature(name) not in known:
                known[same_feature(name)] = len(names)
                names.append(name)
            places[i] = known[same_feature(name)]
        fields = {"features": names[mine["implicit"] :], "implicit": mine["implicit"]}
    fields["columns"] = mine["columns"] if mine["columns"] == theirs["columns"] else -1
    return fields, places


def union_of_labels(who: str, mine: Exported, theirs: Exported) -> tuple[list[Any], Places]:
    """All labels, mine first, and where theirs go."""
    kinds = {type(label) for label in mine["labels"] + theirs["labels"]}
    if len(kinds) > 1:
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise NotMergeable(f"{who}: the labels are of different types here and there: {names}.")
    labels = mine["labels"] + [y for y in theirs["labels"] if y not in mine["labels"]]
    return labels, np.array([labels.index(y) for y in theirs["labels"]], dtype=np.intp)
