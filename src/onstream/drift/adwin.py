"""ADWIN: a window that is cut where its older part differs from its newer one."""

from ..base.checks import flag, number
from ._adwin import ADWINState
from .base import Detector


class ADWIN(Detector):
    """Adaptive windowing (Bifet & Gavaldà, SIAM Data Mining, 2007).

    It keeps as long a window of the latest values as shows no change of the mean: whenever two
    parts of the window differ by more than chance allows, the older values are dropped. The
    window is an exponential histogram, so memory and work grow with the logarithm of its length.
    A check is made at every 32nd value. There are no warnings. The same in plain Python:
    tests/oracles/adwin.py.

    Parameters
    ----------
    delta : float in (0, 1), default 0.002
        How much chance may fool it; lower it for fewer false alarms and later true ones.
    rigorous : bool, default False
        Cut by Hoeffding's bound, for values in [0, 1], which proves that the chance of a false
        alarm is at most delta in each check. It finds changes later.

    Examples
    --------
    >>> detector = ADWIN()
    >>> detector.update_many([0, 1] * 200 + [1] * 200)
    array([447, 479, 511])
    >>> detector.width, round(detector.mean, 3)
    (216, 0.963)
    """

    def __init__(self, *, delta: float = 0.002, rigorous: bool = False) -> None:
        self.delta = number(self, "delta", delta, above=0.0, most=1.0 - 1e-9)
        self.rigorous = flag(self, "rigorous", rigorous)
        super().__init__()

    def _new_state(self) -> ADWINState:
        return ADWINState(self.delta, self.rigorous)

    @property
    def width(self) -> int:
        """How many values the window holds."""
        return int(self._state.width)

    @property
    def mean(self) -> float:
        """Their mean; 0.0 before any."""
        return float(self._state.mean)

    @property
    def variance(self) -> float:
        """Their variance (divided by n); 0.0 before any."""
        return float(self._state.variance)
