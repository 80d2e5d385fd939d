"""Parameters that all passive-aggressive learners share."""

from typing import Any

from ..base.checks import choice, positive

VARIANTS = ("PA-I", "PA", "PA-II")


def check_pa(model: Any, variant: str, C: float) -> None:
    """Check and set the variant and its aggressiveness C."""
    model.variant = choice(model, "variant", variant, VARIANTS)
    model.C = positive(model, "C", C, "It caps the step per example; 1.0 is a good start.")


def check_function(model: Any, name: str, function: Any) -> Any:
    """Something that can be called."""
    if not callable(function):
        raise TypeError(f"{type(model).__name__}: {name} must be a function, got {function!r:.80}.")
    return function


def check_cost(model: Any, cost: Any) -> Any:
    """A function of two labels, or None."""
    return None if cost is None else check_function(model, "cost", cost)


def cost_of(who: str, cost: Any, y: Any, r: Any) -> float:
    """What the user's function says that predicting r for y costs."""
    value = cost(y, r)
    if isinstance(value, (str, bytes, complex)) or not hasattr(value, "__float__"):
        raise TypeError(f"{who}: cost({y!r:.40}, {r!r:.40}) must be a number, got {value!r:.60}.")
    price = float(value)
    if not 0.0 <= price < float("inf"):
        raise ValueError(
            f"{who}: cost({y!r:.40}, {r!r:.40}) must be finite and at least 0, got {value!r:.60}."
        )
    return price
