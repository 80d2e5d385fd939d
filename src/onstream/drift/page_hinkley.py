"""Page-Hinkley: a sum of deviations that is not expected to grow."""

from typing import Literal

from ..base.checks import choice, number, whole
from ._page_hinkley import PageHinkleyState
from .base import Detector


class PageHinkley(Detector):
    """Page-Hinkley test (Page, Biometrika 41, 1954).

    It sums up how far the values lie above their mean so far, less `delta` each. When the sum has
    risen by `lam` above its lowest, the values have risen. There are no warnings.

    Parameters
    ----------
    warm_up : int >= 1, default 30
        Values before it judges.
    delta : float >= 0, default 0.005
        Rise of the mean that is no change.
    lam : float > 0, default 50.0
        Sum that is a change, in the unit of the values; raise it for fewer false alarms.
    alpha : float in (0, 1], default 0.9999
        What is left of the sum with every further value.
    mode : {"up", "down", "both"}, default "up"
        Whether rising values are a change, falling ones, or both.

    Examples
    --------
    >>> PageHinkley().update_many([0] * 100 + [1] * 100)
    array([166])
    """

    def __init__(
        self,
        *,
        warm_up: int = 30,
        delta: float = 0.005,
        lam: float = 50.0,
        alpha: float = 0.9999,
        mode: Literal["up", "down", "both"] = "up",
    ) -> None:
        self.warm_up = whole(self, "warm_up", warm_up, least=1, most=2**62)
        self.delta = number(self, "delta", delta, least=0.0, most=1e100)
        self.lam = number(self, "lam", lam, above=0.0)
        self.alpha = number(self, "alpha", alpha, above=0.0, most=1.0)
        self.mode = choice(self, "mode", mode, ("up", "down", "both"))
        super().__init__()

    def _new_state(self) -> PageHinkleyState:
        return PageHinkleyState(self.warm_up, self.delta, self.lam, self.alpha, self.mode)
