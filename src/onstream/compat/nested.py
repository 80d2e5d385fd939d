"""Parameters of learners within learners, by names such as `learner__grace_period`.

In a list of learners each is called by its class in small letters, as `make_pipeline` of
scikit-learn does it: `StandardScaler() | LogisticRegression()` has `logisticregression__eta`.
"""

from collections.abc import Mapping
from typing import Any

from ..base import Learner


def nested(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of the learners among these parameters, and of those within them."""
    found: dict[str, Any] = {}
    for name, value in params.items():
        for place, learner in inside(name, value).items():
            inner = learner.params
            found |= {f"{place}__{n}": v for n, v in {**inner, **nested(inner)}.items()}
    return found


def changed(params: Mapping[str, Any], key: str, new: Any) -> tuple[str, Any] | None:
    """The parameter that holds the learner meant by `key`, with the learner changed."""
    for name, value in params.items():
        for place, learner in inside(name, value).items():
            rest = key.removeprefix(f"{place}__")
            inner = learner.params
            change = (rest, new) if rest in inner else changed(inner, rest, new)
            if rest == key or change is None:
                continue
            other = learner.clone(**dict([change]))
            several = isinstance(value, (list, tuple))
            return name, [other if one is learner else one for one in value] if several else other
    return None


def inside(name: str, value: Any) -> dict[str, Learner]:
    """The learners that a parameter holds, by how they are called."""
    if isinstance(value, Learner):
        return {name: value}
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, Learner) for one in value):
        return {}
    kinds = [type(one).__name__.lower() for one in value]
    numbered = [
        kind if kinds.count(kind) == 1 else f"{kind}-{kinds[: i + 1].count(kind)}"
        for i, kind in enumerate(kinds)
    ]
    before = "" if name == "steps" else f"{name}__"
    return {before + kind: one for kind, one in zip(numbered, value, strict=True)}
