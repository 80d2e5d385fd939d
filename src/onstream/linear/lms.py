"""Regression by the delta rule of Widrow and Hoff."""

from typing import Any, Unpack

from ..base.checks import flag, number, positive
from ._delta_rule import LMSState
from .base import LinearRegressor, LinearRegressorOptions


class LMS(LinearRegressor):
    """Least mean squares: regression by the delta rule (Widrow & Hoff, IRE WESCON, 1960).

    After each example w += eta (y - w.x) x; the normalised form (NLMS) divides eta by |x|^2, so
    that the error on x shrinks by the factor 1 - eta whatever the size of x. With eta=1 that is
    `PARegressor(variant="PA", epsilon=0)`. For falling rates and a penalty see
    `LinearRegression`. The same in plain NumPy: tests/oracles/delta_rule.py.

    Parameters
    ----------
    eta : float > 0, default 0.01
        Learning rate. Raise it for speed; at 2 / |x|^2 (normalised: 2) and beyond it explodes.
    normalized : bool, default False
        Divide eta by c + |x|^2. Set it where examples differ in size.
    c : float >= 0, default 0.0
        Added to |x|^2 by the normalised form. Raise it where some examples are tiny and noisy.
    intercept : bool, default True
        Append a constant 1 to every example (inside |x|^2); its weight is `bias`.

    Examples
    --------
    >>> model = LMS(eta=1.0, normalized=True)
    >>> for _ in range(50):
    ...     for hours in (1.0, 2.0, 3.0):
    ...         model.learn_one({"hours": hours}, 5.0 + 2.0 * hours)
    >>> round(model.predict_one({"hours": 4.0}), 2)
    13.0
    """

    def __init__(
        self,
        *,
        eta: float = 0.01,
        normalized: bool = False,
        c: float = 0.0,
        **common: Unpack[LinearRegressorOptions],
    ) -> None:
        self.eta = positive(self, "eta", eta, "It is the learning rate; try 0.1 or 0.01.")
        self.normalized = flag(self, "normalized", normalized)
        self.c = number(self, "c", c, least=0.0)
        super().__init__(**common)

    def _new_state(self) -> Any:
        return LMSState(self.intercept, self.eta, self.normalized, self.c)
