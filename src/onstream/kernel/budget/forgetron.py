"""The Forgetron: forget slowly, by shrinking, before forgetting wholly."""

from typing import Any, Literal, Unpack

from ...base.checks import choice, number
from ._forgetron import BasicForgetron, SelfTunedForgetron, SimpleForgetron
from ._one_vs_rest import OneVsRestState
from .base import Budgeted, BudgetOptions

VARIANTS = ("self-tuned", "basic", "simple")


class Forgetron(Budgeted):
    """Forgetron (Dekel, Shalev-Shwartz & Singer, SIAM J. Comput. 37, 2008).

    A perceptron that drops its oldest support when the budget is full, after having shrunk all
    coefficients so far that this does little harm; it has a mistake bound. It assumes
    K(x, x) <= 1: use RBF, or `Normalized`. More than two labels: one machine per label against the
    rest, each with its budget. The same in plain NumPy: tests/oracles/kernel_learners.py.

    Parameters
    ----------
    variant : {"self-tuned", "basic", "simple"}, default "self-tuned"
        "self-tuned" shrinks as little as its bound allows, and only when the budget is full;
        "basic" on every mistake, keeping |f| small; "simple" by a constant, the new support not.
    phi : float or None, default None
        Factor of "simple", above 0 and at most 1; lower it to forget faster. None stands for
        (budget + 1) ** (-1 / (2 * (budget + 1))).

    Examples
    --------
    >>> model = Forgetron(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> model.predict_one({"x": 3.0})
    True
    """

    def __init__(
        self,
        *,
        variant: Literal["self-tuned", "basic", "simple"] = "self-tuned",
        phi: float | None = None,
        **common: Unpack[BudgetOptions],
    ) -> None:
        self.variant = choice(self, "variant", variant, VARIANTS)
        self.phi = None if phi is None else number(self, "phi", phi, above=0.0, most=1.0)
        super().__init__(**common)

    def _new_state(self) -> Any:
        if self.variant == "simple":
            room = self.budget + 1
            phi = room ** (-1 / (2 * room)) if self.phi is None else self.phi
            return OneVsRestState(self._compiled(), SimpleForgetron, self.budget, phi)
        machine = SelfTunedForgetron if self.variant == "self-tuned" else BasicForgetron
        return OneVsRestState(self._compiled(), machine, self.budget)
