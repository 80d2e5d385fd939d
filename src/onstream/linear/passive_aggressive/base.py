"""Options of linear passive-aggressive learners. Variant and C: base/passive_aggressive.py."""

from typing import Any, Literal, TypedDict

from ...base.learner import LearnerOptions
from ...base.passive_aggressive import PAOptions, PassiveAggressive, Variant
from ..base import HashedOptions, LinearClassifierOptions, LinearRegressorOptions, Scaled

MODES = ("prediction", "max-loss")
Mode = Literal["prediction", "max-loss"]  # the wrong answer to move away from


class PAHashedOptions(PAOptions, HashedOptions, LearnerOptions, total=False):
    """Parameters of passive-aggressive learners without intercept."""


class PAClassifierOptions(PAOptions, LinearClassifierOptions, total=False):
    """Parameters of every passive-aggressive classifier."""


class PARegressorOptions(PAOptions, LinearRegressorOptions, total=False):
    """Parameters of every passive-aggressive regressor."""


class VariantOptions(TypedDict, total=False):
    """How far one example may push."""

    variant: Variant


class ScaledPA(PassiveAggressive, Scaled):
    """A passive-aggressive learner whose C, if it is not given, suits the scale of its features."""

    _scaled_C: float  # of scaled features

    def __init__(self, *, C: float | None = None, **common: Any) -> None:
        super().__init__(C=C, **common)  # type: ignore[arg-type]

    def _checked_C(self, C: Any) -> Any:
        return None if C is None else super()._checked_C(C)

    def _aggressiveness(self) -> float:
        """C, or what it is if it is not given."""
        if self.C is not None:
            return self.C
        return 1.0 if self.scale is None else self._scaled_C
