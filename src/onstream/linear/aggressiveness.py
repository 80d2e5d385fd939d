"""Parameters that all passive-aggressive learners share."""

from typing import Any

from ..base.checks import choice, positive

VARIANTS = ("PA-I", "PA", "PA-II")


def check_pa(model: Any, variant: str, C: float) -> None:
    """Check and set the variant and its aggressiveness C."""
    model.variant = choice(model, "variant", variant, VARIANTS)
    model.C = positive(model, "C", C, "It caps the step per example; 1.0 is a good start.")
