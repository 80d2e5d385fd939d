"""Features of two models side by side, matched by name, for merging exported states."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Fields = dict[str, Any]


def all_names(fields: Fields) -> list[str | int]:
    """Names of all features, columns first."""
    return [*range(fields["implicit"]), *fields["features"]]


def same_feature(name: str | int) -> str:
    """What 3 and "3" have in common."""
    return str(name)


def union_of_features(mine: Fields, theirs: Fields) -> tuple[Fields, NDArray[np.intp]]:
    """Feature fields of the union, my ids first, and where their ids go in it."""
    if not mine["features"] and not theirs["features"]:
        implicit = max(mine["implicit"], theirs["implicit"])
        fields: Fields = {"features": [], "implicit": implicit}
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
