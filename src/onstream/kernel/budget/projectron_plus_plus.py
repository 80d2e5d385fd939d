"""Projectron++: a Projectron that also learns from small margins."""

from typing import Unpack

from ...base.checks import positive
from ..base import KernelClassifierOptions
from .projectron import ETA_HINT, Projectron


class ProjectronOptions(KernelClassifierOptions, total=False):
    """Parameters of the Projectron, but for eta."""

    budget: int | None


class ProjectronPlusPlus(Projectron):
    """Projectron++ (Orabona, Keshet & Caputo, JMLR 10, 2009).

    A `Projectron` that also learns, by projection, from right answers with a margin below 1.
    Usually the most accurate for its size. The same in plain NumPy:
    tests/oracles/kernel_learners.py.

    Parameters
    ----------
    eta : float > 0, default 0.1
        How far f may be moved by a projection. Raise it for fewer supports.

    Examples
    --------
    >>> model = ProjectronPlusPlus(eta=0.5)
    >>> for x in (1.0, -1.0, 1.1, -1.1):
    ...     model.learn_one({"x": x}, x > 0)
    >>> model.predict_one({"x": 3.0})
    True
    """

    _plus = True

    def __init__(self, *, eta: float = 0.1, **common: Unpack[ProjectronOptions]) -> None:
        super().__init__(eta=positive(self, "eta", eta, ETA_HINT), **common)
