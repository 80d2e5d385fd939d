"""KSWIN: compare the distribution of the latest values with that of those before."""

from math import comb, exp, lgamma

from ..base.checks import number, whole
from ._kswin import KSWINState
from .base import Detector

EXACT = 500  # values compared, up to which the test is in whole numbers


class KSWIN(Detector):
    """Kolmogorov-Smirnov windowing (Raab et al., Neurocomputing 416, 2020).

    At every value the latest `stat_size` of the window are compared with as many drawn from the
    rest of it, by the exact two-sample test. It sees any change of the distribution, not only of
    the mean. One test per value makes many tests: at the default, one false alarm in about 730
    values. To act on its alarms take alpha=1e-4. There are no warnings.

    Parameters
    ----------
    alpha : float in (0, 1), default 0.005
        Largest chance of such a difference in one test; lower it for fewer false alarms.
    window : int >= 2 * stat_size, default 100
        Values it remembers; after a change only the latest `stat_size` stay.
    stat_size : int >= 2, default 30
        Values that are compared; raise it to see smaller differences, later.
    seed : int, default 0
        Seed of the drawing.

    Examples
    --------
    >>> KSWIN(alpha=1e-4).update_many([i % 7 for i in range(200)] + [i % 7 + 5 for i in range(50)])
    array([221])
    """

    def __init__(
        self, *, alpha: float = 0.005, window: int = 100, stat_size: int = 30, seed: int = 0
    ) -> None:
        self.alpha = number(self, "alpha", alpha, above=0.0, most=1.0 - 1e-9)
        self.stat_size = whole(self, "stat_size", stat_size, least=2, most=100_000)
        self.window = whole(self, "window", window, least=2 * self.stat_size, most=10_000_000)
        self.seed = whole(self, "seed", seed, least=0, most=2**64 - 1)
        super().__init__()

    def _new_state(self) -> KSWINState:
        least = critical(self.stat_size, self.alpha)
        return KSWINState(self.window, self.stat_size, least, self.seed)


def critical(r: int, alpha: float) -> int:
    """The smallest k for which two samples of r values differ by k / r with chance <= alpha.

    p(k) = 2 sum over j >= 1 of (-1)^(j+1) C(2r, r - jk) / C(2r, r), in whole numbers; r + 1 if
    there is no such k. For long samples, where whole numbers would take minutes, in floats.
    """
    if r > EXACT:
        return about_critical(r, alpha)
    whole_numbers = float(alpha).as_integer_ratio()
    for k in range(1, r + 1):
        ways = 2 * sum((-1) ** (j + 1) * comb(2 * r, r - j * k) for j in range(1, r // k + 1))
        if ways * whole_numbers[1] <= whole_numbers[0] * comb(2 * r, r):
            return k
    return r + 1


def about_critical(r: int, alpha: float) -> int:
    """The same by logarithms. p(k) falls with k, so bisection finds it."""
    middle = 2.0 * lgamma(r + 1.0)
    low, high = 1, r + 1
    while low < high:
        k = (low + high) // 2
        p, j = 0.0, 1
        while j * k <= r:
            term = exp(middle - lgamma(r - j * k + 1.0) - lgamma(r + j * k + 1.0))
            p += 2.0 * term if j % 2 else -2.0 * term
            if term < 1e-20:
                break
            j += 1
        if p <= alpha:
            high = k
        else:
            low = k + 1
    return low
