"""Kernels of vectors: linear, polynomial, radial basis functions."""

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from ...base.checks import choice, number, positive, whole
from .base import Kernel, Op


class VectorKernel(Kernel):
    """A kernel of mappings from features to numbers, or of arrays."""

    kind = "vector"

    def canonical(self, x: Any) -> dict[str, float]:
        """The example in its one plain form."""
        if isinstance(x, Mapping):
            items = list(x.items())
        elif isinstance(x, (np.ndarray, list, tuple)):
            array = np.asarray(x)
            if array.ndim != 1 or array.dtype.kind not in "fiub":
                raise TypeError(f"a vector must be a mapping or a 1-D array, got {x!r:.80}.")
            items = list(enumerate(array.tolist()))
        else:
            raise TypeError(f"a vector must be a mapping or a 1-D array, got {x!r:.80}.")
        form: dict[str, float] = {}
        for name, given in items:
            if given is None:
                continue
            key, value = (f"{name}={given}", 1.0) if isinstance(given, str) else (str(name), given)
            value = float(value)
            if not math.isfinite(value):
                raise ValueError(f"feature {name!r} is {value}; values must be finite.")
            form[key] = form.get(key, 0.0) + value
        return form

    def prepare(self, form: dict[str, float]) -> dict[str, float]:
        """A canonical form with all that can be computed once."""
        return form


def dot(a: dict[str, float], b: dict[str, float]) -> float:
    """Inner product of two sparse vectors."""
    if len(a) > len(b):
        a, b = b, a
    return float(sum(value * b[name] for name, value in a.items() if name in b))


class Linear(VectorKernel):
    """The inner product x·z."""

    def __init__(self) -> None:
        pass

    def steps(self) -> list[Op]:
        """How to compute it from dot products and distances."""
        return [("linear", 0.0, 0.0, 0, 0)]

    def value(self, a: dict[str, float], b: dict[str, float]) -> float:
        """The kernel of two prepared examples."""
        return dot(a, b)


class Polynomial(VectorKernel):
    """(gamma x·z + coef0) ** degree.

    Parameters
    ----------
    degree : int >= 1, default 2
        Up to how many features act together.
    gamma : float > 0, default 1.0
        Factor of the inner product.
    coef0 : float >= 0, default 1.0
        Raise it to give lower degrees more weight; 0 leaves only the full degree.
    """

    def __init__(self, degree: int = 2, gamma: float = 1.0, coef0: float = 1.0) -> None:
        self.degree = whole(self, "degree", degree, least=1, most=100)
        self.gamma = positive(self, "gamma", gamma)
        self.coef0 = number(self, "coef0", coef0, least=0.0, hint="Below 0 it is no kernel.")

    def steps(self) -> list[Op]:
        """How to compute it from dot products and distances."""
        return [("polynomial", self.gamma, self.coef0, self.degree, 0)]

    def value(self, a: dict[str, float], b: dict[str, float]) -> float:
        """The kernel of two prepared examples."""
        return float((self.gamma * dot(a, b) + self.coef0) ** self.degree)


class RBF(VectorKernel):
    """exp(-gamma |x - z|²).

    Parameters
    ----------
    gamma : float > 0, "median" or None, default None
        How fast similarity fades with distance: raise it for finer detail. None stands for
        1 / d, where a learner takes for d the number of features known with its first support.
        "median": 2 divided by the median of |x - z|² over the pairs of the first 64 examples that
        a learner learns; it is measured anew at 2, 4, 8, ... of them and then stays.
    """

    def __init__(self, gamma: float | Literal["median"] | None = None) -> None:
        self.gamma: float | Literal["median"] | None = None
        if isinstance(gamma, str):
            choice(self, "gamma", gamma, ("median",))
            self.gamma = "median"
        elif gamma is not None:
            self.gamma = positive(self, "gamma", gamma)

    def steps(self) -> list[Op]:
        """How to compute it from dot products and distances."""
        return [("rbf", self.gamma, 0.0, 0, 0)]

    def value(self, a: dict[str, float], b: dict[str, float]) -> float:
        """The kernel of two prepared examples."""
        if self.gamma == "median":
            raise ValueError(
                "gamma='median' is found by a learner from its first examples; give a number to "
                "compare two examples by hand, or within a kernel that is not one of vectors."
            )
        gap = sum((value - b.get(name, 0.0)) ** 2 for name, value in a.items())
        gap += sum(value * value for name, value in b.items() if name not in a)
        gamma = 1.0 / max(1, len(a.keys() | b.keys())) if self.gamma is None else self.gamma
        return math.exp(-gamma * gap)
