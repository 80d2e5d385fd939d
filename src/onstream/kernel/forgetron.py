"""The Forgetron: forget slowly, by shrinking, before forgetting wholly."""

from collections.abc import Iterable
from typing import Any, Literal

from ..base.checks import choice, number
from ..base.types import Label
from ._one_vs_rest import OneVsRestState
from .budget._forgetron import BasicForgetron, SelfTunedForgetron, SimpleForgetron
from .face import KernelClassifier
from .kernels.base import Kernel

VARIANTS = ("self-tuned", "basic", "simple")


class Forgetron(KernelClassifier):
    """Forgetron (Dekel, Shalev-Shwartz & Singer, SIAM J. Comput. 37, 2008).

    A perceptron that drops its oldest support when the budget is full, after having shrunk all
    coefficients so far that this does little harm; it has a mistake bound. It assumes
    K(x, x) <= 1: use RBF, or `Normalized`. More than two labels: one machine per label against the
    rest, each with its budget.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    budget : int >= 1, default 100
        Most supports (of each label's machine). More cost time and memory, and mostly help.
    variant : {"self-tuned", "basic", "simple"}, default "self-tuned"
        "self-tuned" shrinks as little as its bound allows, and only when the budget is full;
        "basic" on every mistake, keeping |f| small; "simple" by a constant, the new support not.
    phi : float or None, default None
        Factor of "simple", above 0 and at most 1; lower it to forget faster. None stands for
        (budget + 1) ** (-1 / (2 * (budget + 1))).
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : Forgetron or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

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
        kernel: Kernel | None = None,
        budget: int = 100,
        variant: Literal["self-tuned", "basic", "simple"] = "self-tuned",
        phi: float | None = None,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self._check_budget(budget)
        self.variant = choice(self, "variant", variant, VARIANTS)
        self.phi = None if phi is None else number(self, "phi", phi, above=0.0, most=1.0)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> OneVsRestState:
        assert self.budget is not None
        if self.variant == "simple":
            room = self.budget + 1
            phi = room ** (-1 / (2 * room)) if self.phi is None else self.phi
            return OneVsRestState(self._program(), SimpleForgetron, self.budget, phi)
        machine = SelfTunedForgetron if self.variant == "self-tuned" else BasicForgetron
        return OneVsRestState(self._program(), machine, self.budget)
