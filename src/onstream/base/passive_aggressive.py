"""The parameters of passive-aggressive learning, with weights or with a kernel."""

from typing import Any, Literal, TypedDict

from .checks import choice, positive
from .learner import Learner

VARIANTS = ("PA-I", "PA", "PA-II")
Variant = Literal["PA-I", "PA", "PA-II"]
C_HINT = "It caps the step per example; 1.0 is a good start."


class PAOptions(TypedDict, total=False):
    """Parameters of every passive-aggressive learner."""

    variant: Variant
    C: float


class PassiveAggressive(Learner):
    """A learner that makes the smallest change that mends the present example.

    Parameters
    ----------
    variant : {"PA-I", "PA", "PA-II"}, default "PA-I"
        How far one example may push: "PA" all the way, "PA-I" at most C, "PA-II" softened by C.
        "PA" suits clean data only.
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when labels or targets are noisy.
    """

    def __init__(self, *, variant: Variant = "PA-I", C: float = 1.0, **common: Any) -> None:
        self.variant = choice(self, "variant", variant, VARIANTS)
        self.C = positive(self, "C", C, C_HINT)
        super().__init__(**common)
