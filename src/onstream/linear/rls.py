"""Recursive least squares: the exact ridge solution after every example."""

from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from ..base.checks import flag, number, width_limit
from ..base.errors import NotMergeable
from ..base.union import Exported
from ..core.widths import MOST
from ._rls import RLSState
from .base import LinearRegressor, LinearRegressorOptions
from .mixing import Both

Matrix = NDArray[Any]


class RLS(LinearRegressor):
    """Recursive least squares (Plackett, Biometrika 37, 1950): ridge regression, kept up to date.

    After n examples its weights are those of batch ridge regression on all of them, in whatever
    order they came; no example is stored. Costs O(d^2) time and memory for d features. The
    intercept is one more feature, and regularised like the others. The same in plain NumPy:
    tests/oracles/rls.py.

    Parameters
    ----------
    lam : float > 0, default 1.0
        Ridge penalty; lower it to trust the data sooner.
    forgetting : float from 1e-6 to 1, default 1.0
        Weight of an example after each further one. Below 1 (0.99, say) it follows drift.
    joseph : bool, default False
        Update P in Joseph's form: three times the work, positive whatever the rounding.
    max_features : int >= 1 or None, default 2048
        More features are refused, since P has their square: 32 MB. A text column brings one per
        value. None takes any number, as do hashed features.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, at most 2**13, since memory is their square.

    Examples
    --------
    >>> model = RLS(lam=1e-6)
    >>> for hours in (1.0, 2.0, 3.0):
    ...     model.learn_one({"hours": hours}, 5.0 + 2.0 * hours)
    >>> round(model.predict_one({"hours": 4.0}), 3)
    13.0
    """

    merge_kind = "exact"
    _most_hash_bits = 13
    _added_parameters: ClassVar[dict[str, Any]] = {"max_features": None}

    def __init__(
        self,
        *,
        lam: float = 1.0,
        forgetting: float = 1.0,
        joseph: bool = False,
        max_features: int | None = MOST,
        **common: Unpack[LinearRegressorOptions],
    ) -> None:
        self.lam = number(self, "lam", lam, least=1e-100, most=1e100)
        self.forgetting = number(self, "forgetting", forgetting, least=1e-6, most=1.0)
        self.joseph = flag(self, "joseph", joseph)
        self.max_features = width_limit(self, max_features)
        super().__init__(**common)

    def _new_state(self) -> Any:
        most = 0 if self.hash_bits is not None else self.max_features or 0
        return RLSState(self.intercept, self.lam, self.forgetting, self.joseph, most)

    @property
    def P(self) -> Matrix:
        """The inverse of the regularised covariance sum.

        It is d x d, in the order of `weights`, the intercept first.
        """
        P: Matrix = self._model.snapshot()["P"]
        return P

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        if self.forgetting < 1.0:
            raise NotMergeable(
                f"RLS: with forgetting={self.forgetting} the order of the examples matters, so two "
                f"learners cannot become one. Use forgetting=1.0."
            )
        return merge_exactly(mine, theirs, self.lam, self.intercept)


def merge_exactly(mine: Exported, theirs: Exported, lam: float, intercept: bool) -> Exported:
    """Add up the sufficient statistics: A = A1 + A2 - lam I, b = A1 w1 + A2 w2."""
    both = Both(mine, theirs, len(mine["weights"]))
    size = both.rows + intercept
    A, b = -lam * np.eye(size), np.zeros(size)
    for fields, places in zip(both.states, both.places, strict=True):
        w = fields["weights"][:, 0]
        at = places[: len(w)]
        if intercept:  # it stands first
            at, w = np.concatenate([[0], at + 1]), np.concatenate([fields["bias"], w])
        inverse = inverted(fields["P"])
        whole = lam * np.eye(size)
        whole[np.ix_(at, at)] = inverse
        A += whole
        b[at] += inverse @ w
    P = inverted(0.5 * (A + A.T))
    P = 0.5 * (P + P.T)
    w = P @ b
    return {
        **both.header(),
        "P": P,
        "weights": w[int(intercept) :].reshape(-1, 1),
        "bias": w[:1] if intercept else np.zeros(1),
        "scale": 1.0,
    }


def inverted(P: Matrix) -> Matrix:
    """The inverse of a positive definite matrix."""
    try:
        np.linalg.cholesky(P)
        return np.linalg.inv(P)
    except np.linalg.LinAlgError:
        raise NotMergeable(
            "RLS: P is no longer positive definite, since features differ too much in size; "
            "scale them, or use joseph=True."
        ) from None
