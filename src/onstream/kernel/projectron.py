"""Projectron and Projectron++."""

from collections.abc import Iterable
from typing import Any

from ..base.checks import number, positive
from ..base.types import Label
from ._one_vs_rest import OneVsRestState
from .budget._projectron import ProjectronMachine
from .face import KernelClassifier
from .kernels.base import Kernel

ETA_HINT = "It is a distance in the space of the kernel; 0.1 is a good start."


class Projectron(KernelClassifier):
    """Projectron (Orabona, Keshet & Caputo, JMLR 10, 2009).

    A perceptron that makes a mistake's example a support only if it is farther than `eta` from
    what the supports can express; otherwise its projection changes their coefficients. The number
    of supports stays finite by itself. More than two labels: one machine per label against the
    rest.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    eta : float >= 0, default 0.1
        How far f may be moved by a projection. Raise it for fewer supports; 0 is the perceptron.
    budget : int or None, default None
        Most supports (of each label's machine): a full one always projects. None: no limit.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : Projectron or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = Projectron(eta=0.5)
    >>> for x in (1.0, -1.0, 1.1, -1.1):
    ...     model.learn_one({"x": x}, x > 0)
    >>> model.predict_one({"x": 3.0})
    True
    """

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        eta: float = 0.1,
        budget: int | None = None,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self.eta = number(self, "eta", eta, least=0.0, hint=ETA_HINT)
        self._check_budget(budget, required=False)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> OneVsRestState:
        return OneVsRestState(self._program(), ProjectronMachine, self.budget, self.eta, False)


class ProjectronPlusPlus(KernelClassifier):
    """Projectron++ (Orabona, Keshet & Caputo, JMLR 10, 2009).

    A `Projectron` that also learns, by projection, from right answers with a margin below 1.
    Usually the most accurate for its size.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    eta : float > 0, default 0.1
        How far f may be moved by a projection. Raise it for fewer supports.
    budget : int or None, default None
        Most supports (of each label's machine): a full one always projects. None: no limit.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : ProjectronPlusPlus or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = ProjectronPlusPlus(eta=0.5)
    >>> for x in (1.0, -1.0, 1.1, -1.1):
    ...     model.learn_one({"x": x}, x > 0)
    >>> model.predict_one({"x": 3.0})
    True
    """

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        eta: float = 0.1,
        budget: int | None = None,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self.eta = positive(self, "eta", eta, ETA_HINT)
        self._check_budget(budget, required=False)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> OneVsRestState:
        return OneVsRestState(self._program(), ProjectronMachine, self.budget, self.eta, True)
