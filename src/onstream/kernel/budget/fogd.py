"""Online gradient descent by random Fourier features."""

from typing import Any, Literal, Unpack

from ...base.checks import choice, positive, whole
from ...base.classifier import LabelledOptions
from .._supports import CompiledKernel
from ..base import KernelClassifier, checked_seed
from ..kernels.vectors import RBF
from ._gradient import FOGDState
from .bogd import ETA_HINT


class FOGD(KernelClassifier):
    """Fourier online gradient descent on the hinge loss (Lu, Hoi, Wang, Zhao & Liu, JMLR 2016).

    A linear learner on cosines and sines of random directions, whose inner products are those of
    the RBF kernel on average (Rahimi & Recht, 2007). It has no supports: time and memory do not
    depend on the stream. The directions of a feature depend on its name and the seed alone. More
    than two labels: one row of weights per label against the rest.

    Parameters
    ----------
    kernel : RBF, "auto" or None, default None
        RBF(gamma=g) is another way to write gamma=g; "auto" and None leave it to gamma.
    n_components : int >= 1, default 400
        Directions. More are more exact, and slower.
    gamma : float > 0 or "median", default "median"
        How fast similarity fades with distance: raise it for finer detail. "median": found from
        the distances of the first 64 examples, as `RBF(gamma="median")` does.
    eta : float > 0, default 0.2
        Step per example. Lower it when labels are noisy.
    seed : int, default 0
        Seed of the directions.

    Examples
    --------
    >>> model = FOGD(gamma=1.0)
    >>> for _ in range(20):
    ...     for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
    ...         model.learn_one({"a": a, "b": b}, a != b)
    >>> model.predict_one({"a": 1, "b": 0})
    True
    """

    def __init__(
        self,
        *,
        kernel: RBF | Literal["auto"] | None = None,
        n_components: int = 400,
        gamma: float | Literal["median"] = "median",
        eta: float = 0.2,
        seed: int = 0,
        **common: Unpack[LabelledOptions],
    ) -> None:
        if kernel not in (None, "auto") and (type(kernel) is not RBF or kernel.gamma is None):
            raise TypeError(f"FOGD: kernel must be an RBF with its gamma, got {kernel!r:.80}.")
        self.n_components = whole(self, "n_components", n_components, least=1, most=2**24)
        self.gamma: float | Literal["median"] = "median"
        if isinstance(gamma, str):
            choice(self, "gamma", gamma, ("median",))
        else:
            self.gamma = positive(self, "gamma", gamma)
        self.eta = positive(self, "eta", eta, ETA_HINT)
        self.seed = checked_seed(self, seed)
        super().__init__(kernel=kernel, **common)

    def _new_state(self) -> Any:
        gamma = self.gamma
        if isinstance(self.kernel, RBF) and self.kernel.gamma is not None:
            gamma = self.kernel.gamma
        if gamma == "median":
            first = CompiledKernel(RBF(gamma="median"), "FOGD")
            return FOGDState(self.n_components, gamma, self.eta, self.seed, first)
        return FOGDState(self.n_components, gamma, self.eta, self.seed)

    @property
    def supports(self) -> list[tuple[Any, Any]]:
        """None: it remembers no examples."""
        return []
