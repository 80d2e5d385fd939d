"""DDM: an error rate that rises above its lowest."""

from ..base.checks import number, whole
from ._error_rate import DDMState
from .base import Detector


class DDM(Detector):
    """Drift detection method (Gama et al., SBIA, 2004).

    It remembers when the error rate p was lowest, and how sure that was: s = sqrt(p (1 - p) / n).
    A rate that rises above it by `drift_level` times s is a change. It does not judge before the
    first error, where s is 0; the paper does, and takes the first error of a good learner for a
    change.

    Parameters
    ----------
    warm_up : int >= 1, default 30
        Values before it judges.
    warning_level : float > 0, default 2.0
        Standard deviations that make a change likely.
    drift_level : float > 0, default 3.0
        Standard deviations that make it sure; raise it for fewer false alarms.
    min_errors : int >= 0, default 0
        Errors before it judges; 30 gives fewer false alarms where errors are rare.

    Examples
    --------
    >>> DDM().update_many([0] * 100 + [1] * 10)
    array([102])
    """

    watches_errors = True

    def __init__(
        self,
        *,
        warm_up: int = 30,
        warning_level: float = 2.0,
        drift_level: float = 3.0,
        min_errors: int = 0,
    ) -> None:
        self.warm_up = whole(self, "warm_up", warm_up, least=1, most=2**62)
        self.warning_level = number(self, "warning_level", warning_level, above=0.0)
        self.drift_level = number(self, "drift_level", drift_level, above=0.0)
        self.min_errors = whole(self, "min_errors", min_errors, least=0, most=2**62)
        super().__init__()

    def _new_state(self) -> DDMState:
        return DDMState(self.warm_up, self.warning_level, self.drift_level, self.min_errors)
