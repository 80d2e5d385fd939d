"""Checks of functions that users pass, and of what these return."""

import inspect
import math
from collections.abc import Mapping
from typing import Any

from ..core.coerce import NOT_NUMBERS, coerce_mapping


def check_function(model: Any, name: str, function: Any, arguments: int) -> Any:
    """A function that can be called with this number of arguments."""
    who = type(model).__name__
    if not callable(function):
        raise TypeError(f"{who}: {name} must be a function, got {function!r:.80}.")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some builtins have none
        return function
    try:
        signature.bind(*range(arguments))
    except TypeError:
        many = f"{arguments} argument{'s' * (arguments > 1)}"
        raise TypeError(
            f"{who}: {name} must be a function of {many}, got one that takes {signature}."
        ) from None
    return function


def number_from(who: str, call: str, value: Any) -> float:
    """What a function has returned, as a float; `call` names the call in errors."""
    array = isinstance(value, NOT_NUMBERS) and getattr(value, "ndim", 1) != 0
    if isinstance(value, (str, bytes, complex)) or array or not hasattr(value, "__float__"):
        raise TypeError(f"{who}: {call} must be a number, got {value!r:.60}.")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{who}: {call} is a number too large for a float.") from None
    except (TypeError, ValueError):
        raise TypeError(f"{who}: {call} must be a number, got {value!r:.60}.") from None


def cost_of(who: str, cost: Any, y: Any, r: Any) -> float:
    """The cost of predicting r for y, by the user's function."""
    call = f"cost({y!r:.40}, {r!r:.40})"
    value = cost(y, r)
    price = number_from(who, call, value)
    if not 0.0 <= price < math.inf:
        raise ValueError(f"{who}: {call} must be finite and at least 0, got {value!r:.60}.")
    return price


def value_at(who: str, name: str, value: Any, t: int) -> float:
    """A parameter at time t: a number, or what the user's function of t returns."""
    if not callable(value):
        return float(value)
    call = f"{name}(t={t})"
    number = number_from(who, call, value(t))
    if not math.isfinite(number) or (name == "alpha" and number <= 0.0):
        wanted = "finite and greater than 0" if name == "alpha" else "finite"
        raise ValueError(f"{who}: {call} must be {wanted}, got {number}.")
    return number


def features_of(who: str, features: Any, x: Any, y: Any) -> Any:
    """The user's features of x and y: a mapping."""
    found = features(x, y)
    if not is_mapping(found):
        raise TypeError(
            f"{who}: features({x!r:.40}, {y!r:.40}) must give a mapping from features to values, "
            f"got {found!r:.60} of type {type(found).__name__}."
        )
    return found


def is_mapping(value: Any) -> bool:
    """Say whether this is a mapping, or a row of a data frame."""
    if type(value) is dict or isinstance(value, Mapping):  # first the usual case, which is quick
        return True
    return hasattr(value, "keys") and hasattr(value, "__getitem__") and not isinstance(value, type)


def difference(who: str, a: Any, b: Any) -> dict[Any, float]:
    """The mapping a - b, both read as examples are; equal values are left out."""
    change = finite(who, a)
    for name, value in finite(who, b).items():
        change[name] = change.get(name, 0.0) - value
    return {name: value for name, value in change.items() if value != 0.0}


def finite(who: str, features: Any) -> dict[Any, float]:
    """Features as plain finite numbers."""
    plain: dict[Any, float] = coerce_mapping(
        who, features if isinstance(features, Mapping) else dict(features)
    )
    for name, value in plain.items():
        if not -math.inf < value < math.inf:
            raise ValueError(
                f"{who}: feature {name!r} is {value!r}; values must be finite. "
                f"Leave the feature out, or give None, if it is missing."
            )
    return plain
