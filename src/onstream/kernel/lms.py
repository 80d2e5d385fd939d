"""Least mean squares with kernels."""

from typing import Any, Literal

from ..base.checks import choice, flag, number, positive, whole
from ._expansion import DropOldest, DropRandom, Expansion, StopWhenFull
from ._learners import LMSState
from .face import KernelRegressor
from .kernels.base import Kernel

SCHEDULES = ("constant", "power", "inverse", "sqrt")
POLICIES = ("oldest", "random", "stop")


class KernelLMS(KernelRegressor):
    """Kernel least mean squares (Kivinen, Smola & Williamson, 2004; Liu et al., 2008).

    Regression by stochastic gradient in the space of the kernel: every example becomes a support
    with the rate times its error as coefficient. Without a budget, memory grows with the stream.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
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
    init : KernelLMS or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        With `init`: count n from 1 again.

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
        kernel: Kernel | None = None,
        eta: float = 0.5,
        schedule: Literal["constant", "power", "inverse", "sqrt"] = "constant",
        power: float = 0.6,
        l2: float = 0.0,
        normalized: bool = False,
        budget: int | None = None,
        policy: Literal["oldest", "random", "stop"] = "oldest",
        seed: int = 0,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_kernel(kernel)
        self.eta = positive(self, "eta", eta, "It is the first learning rate.")
        self.schedule = choice(self, "schedule", schedule, SCHEDULES)
        self.power = positive(self, "power", power)
        self.l2 = number(self, "l2", l2, least=0.0)
        self.normalized = flag(self, "normalized", normalized)
        self._check_budget(budget, required=False)
        self.policy = choice(self, "policy", policy, POLICIES)
        self.seed = whole(self, "seed", seed, least=0, most=2**64 - 1)
        self._begin(init, reset_schedule)

    def _new_state(self) -> LMSState:
        rate = self.schedule, self.eta, self.power, self.l2, self.normalized
        return LMSState(self._expansion(), *rate)

    def _expansion(self) -> Expansion:
        program = self._program()
        if self.budget is None:
            return Expansion(program)
        if self.policy == "oldest":
            return DropOldest(program, self.budget)
        if self.policy == "random":
            return DropRandom(program, self.budget, self.seed)
        return StopWhenFull(program, self.budget)
