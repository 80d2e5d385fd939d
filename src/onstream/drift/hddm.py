"""HDDM: a mean that Hoeffding's inequality says has risen."""

from typing import Literal

from ..base.checks import choice, flag, number
from ._error_rate import HDDMState
from .base import Detector

MOST = 1.0 - 1e-9  # of a share below 1


class HDDM(Detector):
    """Detection by Hoeffding's inequality (Frías-Blanco et al., IEEE TKDE 27, 2015).

    The mean of all values is held against the mean up to the point where it was surely lowest.
    Test "A" compares plain means and suits abrupt changes; "W" compares moving averages, which
    weigh the latest values most, and suits gradual ones.

    Parameters
    ----------
    test : {"A", "W"}, default "A"
        Which means to compare.
    alpha_drift : float in (0, 1), default 0.001
        How much chance may fool it; lower it for fewer false alarms and later true ones.
    alpha_warning : float in (0, 1), default 0.005
        The same for warnings; above `alpha_drift`.
    lam : float in (0, 1), default 0.05
        Weight of the latest value in the moving averages of test "W".
    two_sided : bool, default False
        Watch for falling values, too.

    Examples
    --------
    >>> HDDM().update_many([0] * 100 + [1] * 10)
    array([103])
    >>> HDDM(test="W").update_many([0] * 100 + [1] * 20)
    array([114])
    """

    watches_errors = True

    def __init__(
        self,
        *,
        test: Literal["A", "W"] = "A",
        alpha_drift: float = 0.001,
        alpha_warning: float = 0.005,
        lam: float = 0.05,
        two_sided: bool = False,
    ) -> None:
        self.test = choice(self, "test", test, ("A", "W"))
        self.alpha_drift = number(self, "alpha_drift", alpha_drift, above=0.0, most=MOST)
        self.alpha_warning = number(self, "alpha_warning", alpha_warning, above=0.0, most=MOST)
        self.lam = number(self, "lam", lam, above=0.0, most=MOST)
        self.two_sided = flag(self, "two_sided", two_sided)
        super().__init__()

    def _new_state(self) -> HDDMState:
        return HDDMState(self.test, self.alpha_drift, self.alpha_warning, self.lam, self.two_sided)
