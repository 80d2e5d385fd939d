"""The union of the features and of the labels of two exported states, for merging."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import NotMergeable

Exported = dict[str, Any]
Places = NDArray[np.intp]  # index in the union of each of their features or labels


def all_names(fields: Exported) -> list[str | int]:
    """Names of all features: array columns first."""
    return [*range(fields["implicit"]), *fields["features"]]


def union_of_features(mine: Exported, theirs: Exported) -> tuple[Exported, Places]:
    """Feature fields of the union, mine first, and the places of theirs in it."""
    if not mine["features"] and not theirs["features"]:
        implicit = max(mine["implicit"], theirs["implicit"])
        fields: Exported = {"features": [], "implicit": implicit}
        places = np.arange(theirs["implicit"])
    else:
        names = all_names(mine)
        known = {str(name): i for i, name in enumerate(names)}  # 3 and "3" are one feature
        places = np.empty(theirs["implicit"] + len(theirs["features"]), dtype=np.intp)
        for i, name in enumerate(all_names(theirs)):
            if str(name) not in known:
                known[str(name)] = len(names)
                names.append(name)
            places[i] = known[str(name)]
        fields = {"features": names[mine["implicit"] :], "implicit": mine["implicit"]}
    fields["columns"] = mine["columns"] if mine["columns"] == theirs["columns"] else -1
    return fields, places


def union_of_labels(who: str, mine: Exported, theirs: Exported) -> tuple[list[Any], Places]:
    """The union of the labels, mine first, and the places of theirs in it."""
    kinds = {type(label) for label in mine["labels"] + theirs["labels"]}
    if len(kinds) > 1:
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise NotMergeable(f"{who}: the labels are of different types here and there: {names}.")
    labels = mine["labels"] + [y for y in theirs["labels"] if y not in mine["labels"]]
    return labels, np.array([labels.index(y) for y in theirs["labels"]], dtype=np.intp)
