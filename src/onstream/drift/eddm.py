"""EDDM: errors that come closer together."""

from ..base.checks import number, whole
from ._error_rate import EDDMState
from .base import Detector


class EDDM(Detector):
    """Early drift detection method (Baena-García et al., 2006).

    It watches the distance between errors: mean + 2 standard deviations of it, against the largest
    that this has been. Errors that come closer are a change. Finds slow changes, and many that
    are none: on a steady stream of error rate 0.3 it raises an alarm every 400 values.

    Parameters
    ----------
    warm_up : int >= 1, default 30
        Values before it remembers, and errors before it judges.
    warning_level : float in (0, 1], default 0.95
        Share of the largest distance below which a change is likely.
    drift_level : float in (0, 1], default 0.9
        Share below which it is sure; lower it for fewer false alarms.

    Examples
    --------
    >>> EDDM().update_many([0, 0, 0, 0, 1] * 40 + [0, 1] * 100)
    array([317])
    """

    watches_errors = True

    def __init__(
        self, *, warm_up: int = 30, warning_level: float = 0.95, drift_level: float = 0.9
    ) -> None:
        self.warm_up = whole(self, "warm_up", warm_up, least=1, most=2**62)
        self.warning_level = number(self, "warning_level", warning_level, above=0.0, most=1.0)
        self.drift_level = number(self, "drift_level", drift_level, above=0.0, most=1.0)
        super().__init__()

    def _new_state(self) -> EDDMState:
        return EDDMState(self.warm_up, self.warning_level, self.drift_level)
