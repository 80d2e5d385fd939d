"""Online least squares."""

from typing import Any, Unpack

from ...base.checks import flag
from ..base import LinearRegressor, LinearRegressorOptions, Scaled, ScaleOptions
from ._regression import LeastSquaresState
from .base import Regularised, RegularisedOptions


class LinearRegressionOptions(
    RegularisedOptions, ScaleOptions, LinearRegressorOptions, total=False
):
    """Parameters of the bases, but for eta."""


class LinearRegression(Scaled, Regularised, LinearRegressor):
    """Linear regression by stochastic gradient, w += rate * x * (y - w.x) (Widrow & Hoff, 1960).

    One pass costs as much as reading the data. As long as no parameter of the rule is given it
    learns from raw columns of any size (`scale`); with scale=None it converges for rates well
    below 2 / |x|^2: where features differ in size, scale them, or set `normalized`. For the exact
    least-squares solution at a higher price see `RLS`.
    The same in plain NumPy: tests/oracles/linear_regression.py.

    Parameters
    ----------
    eta : float > 0, default 0.01
        First learning rate. Raise it for speed, lower it if the error explodes.
    normalized : bool, default False
        Divide the rate by 1 + |x|^2: no example, however large, can make it diverge (eta < 2).

    Examples
    --------
    >>> model = LinearRegression(eta=0.1)
    >>> for _ in range(200):
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
        **common: Unpack[LinearRegressionOptions],
    ) -> None:
        self.normalized = flag(self, "normalized", normalized)
        super().__init__(eta=eta, **common)

    def _new_state(self) -> Any:
        return LeastSquaresState(
            self.intercept, self.schedule, self.eta, self.power, self.l2, self.normalized,
            relative=self.scale is not None,
        )  # fmt: skip
