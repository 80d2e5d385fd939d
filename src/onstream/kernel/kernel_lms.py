"""Least mean squares with kernels."""

from typing import Any, Literal, Unpack

from ..base.checks import choice, flag, number, positive
from ._expansion import DropOldest, DropRandom, Expansion, StopWhenFull
from ._learners import LMSState
from .base import KernelRegressor, KernelRegressorOptions, checked_budget, checked_seed

SCHEDULES = ("constant", "power", "inverse", "sqrt")
POLICIES = ("oldest", "random", "stop")


class KernelLMS(KernelRegressor):
    """Kernel least mean squares (Kivinen, Smola & Williamson, 2004; Liu et al., 2008).

    Regression by stochastic gradient in the space of the kernel: every example becomes a support
    with the rate times its error as coefficient. Without a budget, memory grows with the stream.

    Parameters
    ----------
    eta : float > 0, default 0.5
        First learning rate; it converges well below 2 / K(x, x).
    schedule : {"constant", "power", "inverse", "sqrt"}, default "constant"
        How the rate falls with n: eta, eta * n**-power, eta / (1 + eta * l2 * n), eta / sqrt(n).
    power : float > 0, default 0.6
        Exponent of schedule="power"; between 0.5 and 1 it converges.
    l2 : float >= 0, default 0.0
        Decay of schedule="inverse".
    normalized : bool, default False
        Divide the rate by 1 + K(x, x).
    budget : int or None, default None
        Most supports. None: no limit.
    policy : {"oldest", "random", "stop"}, default "oldest"
        What a full budget means: the oldest support goes, or one that is drawn, or learning ends.
    seed : int, default 0
        Seed of the draws.

    Examples
    --------
    >>> from onstream.kernel import RBF
    >>> model = KernelLMS(kernel=RBF(gamma=2.0))
    >>> for _ in range(50):
    ...     for x in (0.0, 0.5, 1.0, 1.5):
    ...         model.learn_one({"x": x}, x * x)
    >>> round(model.predict_one({"x": 1.0}), 1)
    1.0
    """

    def __init__(
        self,
        *,
        eta: float = 0.5,
        schedule: Literal["constant", "power", "inverse", "sqrt"] = "constant",
        power: float = 0.6,
        l2: float = 0.0,
        normalized: bool = False,
        budget: int | None = None,
        policy: Literal["oldest", "random", "stop"] = "oldest",
        seed: int = 0,
        **common: Unpack[KernelRegressorOptions],
    ) -> None:
        self.eta = positive(self, "eta", eta, "It is the first learning rate.")
        self.schedule = choice(self, "schedule", schedule, SCHEDULES)
        self.power = positive(self, "power", power)
        self.l2 = number(self, "l2", l2, least=0.0)
        self.normalized = flag(self, "normalized", normalized)
        self.budget = None if budget is None else checked_budget(self, budget)
        self.policy = choice(self, "policy", policy, POLICIES)
        self.seed = checked_seed(self, seed)
        super().__init__(**common)

    def _new_state(self) -> Any:
        rate = self.schedule, self.eta, self.power, self.l2, self.normalized
        return LMSState(self._expansion(), *rate)

    def _expansion(self) -> Expansion:
        kernel = self._compiled()
        if self.budget is None:
            return Expansion(kernel)
        if self.policy == "oldest":
            return DropOldest(kernel, self.budget)
        if self.policy == "random":
            return DropRandom(kernel, self.budget, self.seed)
        return StopWhenFull(kernel, self.budget)
