"""What passive-aggressive learners share: the variant and its aggressiveness."""

from typing import Any, Literal, TypedDict

from ...base.checks import choice, positive
from ...base.learner import LearnerOptions
from ..base import Hashed, HashedOptions, LinearClassifierOptions, LinearRegressorOptions

VARIANTS = ("PA-I", "PA", "PA-II")
Variant = Literal["PA-I", "PA", "PA-II"]
MODES = ("prediction", "max-loss")
Mode = Literal["prediction", "max-loss"]  # the wrong answer to move away from


class PAOptions(TypedDict, total=False):
    """Parameters of every passive-aggressive learner."""

    variant: Variant
    C: float


class PAHashedOptions(PAOptions, HashedOptions, LearnerOptions, total=False):
    """Parameters of passive-aggressive learners without intercept."""


class PAClassifierOptions(PAOptions, LinearClassifierOptions, total=False):
    """Parameters of every passive-aggressive classifier."""


class PARegressorOptions(PAOptions, LinearRegressorOptions, total=False):
    """Parameters of every passive-aggressive regressor."""


class PassiveAggressive(Hashed):
    """A learner that makes the smallest change of its weights that mends the present example.

    Parameters
    ----------
    variant : {"PA-I", "PA", "PA-II"}, default "PA-I"
        How far one example may push: "PA" all the way, "PA-I" at most C, "PA-II" softened by C.
        "PA" suits clean data only.
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when labels are noisy.
    """

    def __init__(self, *, variant: Variant = "PA-I", C: float = 1.0, **common: Any) -> None:
        self.variant = choice(self, "variant", variant, VARIANTS)
        self.C = positive(self, "C", C, "It caps the step per example; 1.0 is a good start.")
        super().__init__(**common)
