"""Options of linear passive-aggressive learners. Variant and C: base/passive_aggressive.py."""

from typing import Literal

from ...base.learner import LearnerOptions
from ...base.passive_aggressive import PAOptions
from ..base import HashedOptions, LinearClassifierOptions, LinearRegressorOptions

MODES = ("prediction", "max-loss")
Mode = Literal["prediction", "max-loss"]  # the wrong answer to move away from


class PAHashedOptions(PAOptions, HashedOptions, LearnerOptions, total=False):
    """Parameters of passive-aggressive learners without intercept."""


class PAClassifierOptions(PAOptions, LinearClassifierOptions, total=False):
    """Parameters of every passive-aggressive classifier."""


class PARegressorOptions(PAOptions, LinearRegressorOptions, total=False):
    """Parameters of every passive-aggressive regressor."""
