"""Checks of parameters: each returns the value, or raises an error that says what to do."""

import difflib
import math
import operator
from collections.abc import Iterable
from typing import Any

OTHER_NAMES = {  # of parameters in other libraries: those here, of which a learner has one at most
    "sample_weight": ("w",),
    "weights": ("w",),
    "weight": ("w",),
    "n_iter": ("epochs",),
    "n_estimators": ("n_models",),
    "n_trees": ("n_models",),
    "n_neighbors": ("k",),
    "random_state": ("seed",),
    "learning_rate": ("eta", "learning_rate"),
    "lr": ("eta", "learning_rate"),
    "eta0": ("eta",),
    "split_confidence": ("delta",),
    "tie_threshold": ("tau",),
    "window_size": ("window",),
}


def name_of(owner: object) -> str:
    """The name in front of an error message: a string, or the class of an object."""
    return owner if isinstance(owner, str) else type(owner).__name__


def _shown(value: Any) -> str:
    """A value for a message. Huge ints are described: Python refuses to print all their digits."""
    if isinstance(value, int):
        bits = value.bit_length()
        return f"{value:,}" if bits <= 256 else f"a whole number of {bits:,} bits"
    return f"{value!r:.80}"


def number(
    owner: object,
    name: str,
    value: Any,
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    most: float = math.inf,
    hint: str = "",
) -> float:
    """A finite number with value > above, value >= least and value <= most."""
    advice = f" {hint}" if hint else ""
    if isinstance(value, (bool, str, bytes)):
        raise TypeError(f"{name_of(owner)}: {name} must be a number, got {value!r}.{advice}")
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name_of(owner)}: {name} must be a number, got {value!r:.80}.{advice}"
        ) from None
    except OverflowError:
        result = math.inf
    bounds = []
    if above > -math.inf:
        bounds.append(f"greater than {above:g}")
    if least > -math.inf:
        bounds.append(f"at least {least:g}")
    if most < math.inf:
        bounds.append(f"at most {most:g}")
    if not math.isfinite(result) or not (result > above and least <= result <= most):
        if not math.isfinite(result) and len(bounds) < 2:
            bounds.insert(0, "finite")
        wanted = " and ".join(bounds)
        raise ValueError(f"{name_of(owner)}: {name} must be {wanted}, got {_shown(value)}.{advice}")
    return result


def positive(owner: object, name: str, value: Any, hint: str = "") -> float:
    """A finite number greater than 0."""
    return number(owner, name, value, above=0.0, hint=hint)


def whole(owner: object, name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """An int with least <= value <= most."""
    try:
        result = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        result = None
    if result is None:
        raise TypeError(f"{name_of(owner)}: {name} must be a whole number, got {value!r:.80}.")
    if result < least or (most is not None and result > most):
        wanted = f"at least {least:,}" if most is None else f"from {least:,} to {most:,}"
        raise ValueError(f"{name_of(owner)}: {name} must be {wanted}, got {_shown(result)}.")
    return result


def width_limit(owner: object, value: Any) -> int | None:
    """`max_features` of a learner: an int, or None for no limit."""
    return None if value is None else whole(owner, "max_features", value, least=1, most=2**31 - 1)


def flag(owner: object, name: str, value: Any) -> bool:
    """True or False; 0, 1 and the like are refused."""
    if value is not True and value is not False:
        raise TypeError(f"{name_of(owner)}: {name} must be True or False, got {value!r:.80}.")
    return bool(value)


def choice(owner: object, name: str, value: Any, options: Iterable[str]) -> str:
    """One of the words in `options`."""
    known = list(options)
    if not isinstance(value, str) or value not in known:
        words = ", ".join(repr(word) for word in known)
        raise ValueError(
            f"{name_of(owner)}: {name} must be one of {words}, got {value!r:.80}."
            f"{nearest(value, known)}"
        )
    return value


def nearest(name: Any, known: Iterable[str], cutoff: float = 0.6) -> str:
    """A suggestion for a misspelt name, as a sentence; empty if nothing is close."""
    lowered = {other.lower(): other for other in known}
    close = difflib.get_close_matches(str(name)[:80].lower(), lowered, n=1, cutoff=cutoff)
    return f" Did you mean {lowered[close[0]]!r}?" if close else ""


def meant(name: str, known: list[str]) -> str:
    """The same for a parameter, which may have another name in other libraries."""
    return otherwise_called(name, known) or nearest(name, known)


def otherwise_called(name: str, known: Iterable[str]) -> str:
    """What a parameter of another library is called here, as a sentence; empty if it is not."""
    ours = [other for other in OTHER_NAMES.get(name, ()) if other in known]
    return f" Here it is {ours[0]!r}." if ours else ""
