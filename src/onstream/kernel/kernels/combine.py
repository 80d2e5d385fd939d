"""Kernels made of kernels: sums, products, and kernels of length one."""

import math
from typing import Any

from ...base.checks import number
from ._structures import normal_row
from .base import Kernel, Op


class Combination(Kernel):
    """Several kernels, on one example or each on its own part of it."""

    kernels: tuple[Kernel, ...]
    pairs: bool | None

    def _take(self, given: tuple[Any, ...], kernels: Any, pairs: bool | None) -> None:
        name = type(self).__name__
        if len(given) == 1 and isinstance(given[0], (list, tuple)):
            given = tuple(given[0])
        found = given or tuple(kernels)
        if not found or not all(isinstance(kernel, Kernel) for kernel in found):
            raise TypeError(f"{name}: kernels must be one or more kernels, got {found!r:.80}.")
        if pairs not in (None, True, False):
            raise TypeError(f"{name}: pairs must be True, False or None, got {pairs!r:.80}.")
        self.kernels, self.pairs = found, pairs
        kinds = {kernel.kind for kernel in found}
        self.kind = kinds.pop() if len(kinds) == 1 and not pairs else "pair"

    @property
    def params(self) -> dict[str, Any]:
        """The parameters, by name."""
        return {**super().params, "kernels": list(self.kernels)}

    def __repr__(self) -> str:
        shown = [repr(kernel) for kernel in self.kernels]
        shown += [f"{n}={v!r}" for n, v in self.params.items() if n != "kernels" and v is not None]
        return f"{type(self).__name__}({', '.join(shown)})"

    def _paired(self, x: Any) -> bool:
        """Say whether x is a tuple with one part for each kernel."""
        if self.pairs is not None or self.kind == "pair":
            return self.pairs is not False
        right = isinstance(x, tuple) and len(x) == len(self.kernels) and self.kind != "tree"
        return right and not any(isinstance(part, (int, float)) for part in x)

    def canonical(self, x: Any) -> Any:
        """The example in its one plain form."""
        if is_pair(x):  # as it stands in a file
            x = tuple(x["pair"])
        if self._paired(x):
            if not isinstance(x, (tuple, list)) or len(x) != len(self.kernels):
                raise TypeError(f"expected a tuple of {len(self.kernels)} parts, got {x!r:.80}.")
            parts = [k.canonical(part) for k, part in zip(self.kernels, x, strict=True)]
            return {"pair": parts}
        return self.kernels[0].canonical(x)

    def prepare(self, form: Any) -> Any:
        """A canonical form with all that can be computed once."""
        if is_pair(form):
            return [k.prepare(part) for k, part in zip(self.kernels, form["pair"], strict=True)]
        return [k.prepare(form) for k in self.kernels]

    def _joined(self, op: str, weights: list[float] | None) -> list[Op] | None:
        """The operations of every kernel, each followed by its weight, joined by `op`."""
        found: list[Op] = []
        for i, kernel in enumerate(self.kernels):
            inner = kernel.steps()
            if inner is None or self.pairs or self.kind != "vector":
                return None
            found += shifted(inner, len(found))
            if weights is not None:
                found.append(("scale", weights[i], 0.0, 0, 0))
            if i:
                found.append((op, 0.0, 0.0, 0, 0))
        return found

    def values(self, a: Any, b: Any) -> list[float]:
        """What each kernel says."""
        return [k.value(x, z) for k, x, z in zip(self.kernels, a, b, strict=True)]


class Sum(Combination):
    """The (weighted) sum of kernels: similar in one way or another.

    Parameters
    ----------
    kernels : kernels
        Given one after the other, `Sum(a, b)`. All see the same example; if it is a tuple with
        one part per kernel, each sees its part.
    weights : list of float >= 0 or None, default None
        A factor for each; None: all 1.
    pairs : bool or None, default None
        True: examples are tuples of parts; False: they are not; None: see for yourself.
    """

    _name_in_files = "KernelSum"  # there is a statistic called Sum, too

    def __init__(
        self, *given: Kernel, kernels: Any = (), weights: Any = None, pairs: bool | None = None
    ) -> None:
        self._take(given, kernels, pairs)
        self.weights = None
        if weights is not None:
            if len(weights) != len(self.kernels):
                raise ValueError(
                    f"Sum: weights must be {len(self.kernels)} numbers, got {weights!r:.80}."
                )
            self.weights = [number(self, "weights", weight, least=0.0) for weight in weights]

    def steps(self) -> list[Op] | None:
        """How to compute it from dot products and distances."""
        return self._joined("add", self.weights)

    def value(self, a: Any, b: Any) -> float:
        """The kernel of two prepared examples."""
        values = self.values(a, b)
        if self.weights is None:
            return sum(values)
        return sum(w * v for w, v in zip(self.weights, values, strict=True))


class Product(Combination):
    """The product of kernels: similar in every way.

    Parameters
    ----------
    kernels : kernels
        Given one after the other, `Product(a, b)`. All see the same example; if it is a tuple
        with one part per kernel, each sees its part.
    pairs : bool or None, default None
        True: examples are tuples of parts; False: they are not; None: see for yourself.
    """

    def __init__(self, *given: Kernel, kernels: Any = (), pairs: bool | None = None) -> None:
        self._take(given, kernels, pairs)

    def steps(self) -> list[Op] | None:
        """How to compute it from dot products and distances."""
        return self._joined("multiply", None)

    def value(self, a: Any, b: Any) -> float:
        """The kernel of two prepared examples."""
        return math.prod(self.values(a, b))


class Normalized(Kernel):
    """K(x, z) / sqrt(K(x, x) K(z, z)): every example has length one, or zero.

    Parameters
    ----------
    kernel : kernel
        The kernel to be normalised.
    """

    def __init__(self, kernel: Kernel) -> None:
        if not isinstance(kernel, Kernel):
            raise TypeError(f"Normalized: kernel must be a kernel, got {kernel!r:.80}.")
        self.kernel = kernel
        self.kind = kernel.kind

    def __repr__(self) -> str:
        return f"Normalized({self.kernel!r})"

    def steps(self) -> list[Op] | None:
        """How to compute it from dot products and distances."""
        inner = self.kernel.steps()
        return None if inner is None else [*inner, ("normalize", 0.0, 0.0, 0, 0)]

    def canonical(self, x: Any) -> Any:
        """The example in its one plain form."""
        return self.kernel.canonical(x)

    def prepare(self, form: Any) -> Any:
        """A canonical form with all that can be computed once."""
        prepared = self.kernel.prepare(form)
        return prepared, self.kernel.self_value(prepared)

    def value(self, a: Any, b: Any) -> float:
        """The kernel of two prepared examples."""
        return normal_row([self.kernel.value(a[0], b[0])], [a[1]], b[1])[0]

    def self_value(self, a: Any) -> float:
        """The kernel of a prepared example with itself."""
        return 1.0 if a[1] > 0.0 else 0.0

    def row(self, supports: list[Any], x: Any) -> list[float]:
        """The kernel of many prepared examples with one."""
        values = self.kernel.row([support[0] for support in supports], x[0])
        return normal_row(values, [support[1] for support in supports], x[1])


def is_pair(form: Any) -> bool:
    """Say whether this is the canonical form of a tuple of parts."""
    return isinstance(form, dict) and list(form) == ["pair"] and isinstance(form["pair"], list)


def shifted(ops: list[Op], by: int) -> list[Op]:
    """The same operations, where `by` others come before them."""
    return [(op, g, c, d, start + by if op == "normalize" else 0) for op, g, c, d, start in ops]
