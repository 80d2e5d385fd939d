"""Online gradient descent with kernels, in bounded memory: BOGD, NOGD, FOGD."""

from collections.abc import Iterable
from typing import Any, Literal

from ..base.checks import choice, number, positive, whole
from ..base.types import Label
from ..core.classifier import ClassifierModel
from ._one_vs_rest import OneVsRestState
from .budget._gradient import BOGDMachine, FOGDState, NOGDMachine
from .face import KernelClassifier
from .kernels.base import Kernel
from .kernels.vectors import RBF

ETA_HINT = "It is the step per example."


class BOGD(KernelClassifier):
    """Budgeted online gradient descent on the hinge loss (Zhao, Wang, Wu, Jin & Hoi, ICML 2012).

    Every example with a loss becomes a support with coefficient eta. When the budget is full, one
    that is drawn makes room, and the others are enlarged so that f stays the same on average. More
    than two labels: one machine per label against the rest, each with its budget.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    budget : int >= 1, default 100
        Most supports (of each label's machine). More cost time and memory, and mostly help.
    eta : float > 0, default 0.5
        Step per example. Lower it when labels are noisy.
    lam : float >= 0, default 0.01
        Regularisation: every round all coefficients are multiplied by 1 - eta * lam.
    removal : {"nonuniform", "uniform"}, default "nonuniform"
        Who goes: supports with small coefficients sooner (BOGD++), or any.
    cap : float or None, default None
        No coefficient may pass cap * eta. None: no limit.
    seed : int, default 0
        Seed of the draws.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : BOGD or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = BOGD(budget=2)
    >>> for x in (1.0, -1.0, 2.0, -2.0):
    ...     model.learn_one({"x": x}, x > 0)
    >>> len(model.supports)
    2
    """

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        budget: int = 100,
        eta: float = 0.5,
        lam: float = 0.01,
        removal: Literal["nonuniform", "uniform"] = "nonuniform",
        cap: float | None = None,
        seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self._check_budget(budget)
        self.eta = positive(self, "eta", eta, ETA_HINT)
        self.lam = number(self, "lam", lam, least=0.0)
        if self.eta * self.lam >= 1.0:
            raise ValueError(
                f"BOGD: lam must be below 1 / eta = {1.0 / self.eta:g}, got {self.lam:g}: "
                f"coefficients would change their sign every round."
            )
        self.removal = choice(self, "removal", removal, ("nonuniform", "uniform"))
        self.cap = None if cap is None else positive(self, "cap", cap)
        self.seed = whole(self, "seed", seed, least=0, most=2**64 - 1)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> OneVsRestState:
        arguments = self.budget, self.eta, self.lam, self.removal, self.cap, self.seed
        return OneVsRestState(self._program(), BOGDMachine, *arguments)


class NOGD(KernelClassifier):
    """Nyström online gradient descent on the hinge loss (Lu, Hoi, Wang, Zhao & Liu, JMLR 2016).

    Kernel gradient descent until the budget is full; from then on a linear learner in the space of
    the leading eigenvectors of the supports, which stay as they are. More than two labels: one
    machine per label against the rest.

    Parameters
    ----------
    kernel : kernel or None, default None
        The similarity of examples; None: RBF(gamma=0.1), for about ten features of size one.
    budget : int >= 1, default 100
        Supports (of each label's machine). More describe the data better.
    rank : int >= 1, default 20
        Eigenvectors in use, at most the budget. More are more exact, and slower.
    eta : float > 0, default 0.2
        Step per example. Lower it when labels are noisy.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : NOGD or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = NOGD(budget=2)
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
        rank: int = 20,
        eta: float = 0.2,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        self._check_common(kernel, max_labels)
        self._check_budget(budget)
        self.rank = whole(self, "rank", rank, least=1, most=2**31 - 1)
        self.eta = positive(self, "eta", eta, ETA_HINT)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> OneVsRestState:
        return OneVsRestState(self._program(), NOGDMachine, self.budget, self.rank, self.eta)


class FOGD(KernelClassifier):
    """Fourier online gradient descent on the hinge loss (Lu, Hoi, Wang, Zhao & Liu, JMLR 2016).

    A linear learner on cosines and sines of random directions, whose inner products are those of
    the RBF kernel on average (Rahimi & Recht, 2007). It has no supports: time and memory do not
    depend on the stream. The directions of a feature depend on its name and the seed alone. More
    than two labels: one row of weights per label against the rest.

    Parameters
    ----------
    kernel : RBF or None, default None
        RBF(gamma=g) is another way to write gamma=g.
    n_components : int >= 1, default 400
        Directions. More are more exact, and slower.
    gamma : float > 0, default 0.1
        How fast similarity fades with distance: raise it for finer detail.
    eta : float > 0, default 0.2
        Step per example. Lower it when labels are noisy.
    seed : int, default 0
        Seed of the directions.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : FOGD or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = FOGD(gamma=1.0)
    >>> for _ in range(20):
    ...     for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
    ...         model.learn_one({"a": a, "b": b}, a != b)
    >>> model.predict_one({"a": 1, "b": 0})
    True
    """

    _model_class = ClassifierModel  # of vectors only

    def __init__(
        self,
        *,
        kernel: RBF | None = None,
        n_components: int = 400,
        gamma: float = 0.1,
        eta: float = 0.2,
        seed: int = 0,
        labels: Iterable[Label] | None = None,
        max_labels: int = 10_000,
        init: Any = None,
        reset_schedule: bool = False,
    ) -> None:
        if kernel is not None and (type(kernel) is not RBF or kernel.gamma is None):
            raise TypeError(f"FOGD: kernel must be an RBF with its gamma, got {kernel!r:.80}.")
        self._check_common(kernel, max_labels)
        self.n_components = whole(self, "n_components", n_components, least=1, most=2**24)
        self.gamma = positive(self, "gamma", gamma)
        self.eta = positive(self, "eta", eta, ETA_HINT)
        self.seed = whole(self, "seed", seed, least=0, most=2**64 - 1)
        self._begin(labels, init, reset_schedule)

    def _new_state(self) -> FOGDState:
        gamma = self.gamma
        if isinstance(self.kernel, RBF) and self.kernel.gamma is not None:
            gamma = self.kernel.gamma
        return FOGDState(self.n_components, gamma, self.eta, self.seed)

    @property
    def supports(self) -> list[tuple[Any, Any]]:
        """None: it remembers no examples."""
        return []
