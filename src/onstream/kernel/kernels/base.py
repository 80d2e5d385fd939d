"""What every kernel can do: be called on two examples, and serve a learner.

A learner compiles the `steps` of a kernel of vectors. A structured kernel has none: the
learner then keeps objects. `canonical` checks an example and brings it to one plain form that
JSON can hold, `prepare` adds what can be computed once (a histogram, the kernel with itself),
`value` and `row` compare what was prepared.
"""

import hashlib
from abc import ABC, abstractmethod
from typing import Any

from ...base import Part
from ._structures import Histogram, histogram_row

Op = tuple[
    str, float | str | None, float, int, int
]  # its name, gamma or factor, coef0, degree, first


class Kernel(Part, ABC):
    """A similarity: symmetric, and an inner product in some space."""

    kind = ""  # what it is defined on: "vector", "string", "tree", "graph", "pair"

    def __call__(self, a: Any, b: Any) -> float:
        """The kernel of two examples."""
        return self.value(self.prepared(a), self.prepared(b))

    def prepared(self, x: Any) -> Any:
        """The prepared form of an example as the user has it."""
        try:
            return self.prepare(self.canonical(x))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{type(self).__name__}: {error}") from None

    def steps(self) -> list[Op] | None:
        """How to compute it from dot products and distances; None: it is not one of vectors."""
        return None

    @abstractmethod
    def canonical(self, x: Any) -> Any:
        """The example in its one plain form."""

    @abstractmethod
    def prepare(self, form: Any) -> Any:
        """A canonical form with all that can be computed once."""

    @abstractmethod
    def value(self, a: Any, b: Any) -> float:
        """The kernel of two prepared examples."""

    def self_value(self, a: Any) -> float:
        """The kernel of a prepared example with itself."""
        return self.value(a, a)

    def row(self, supports: list[Any], x: Any) -> list[float]:
        """The kernel of many prepared examples with one."""
        return [self.value(support, x) for support in supports]


class HistogramKernel(Kernel):
    """An inner product of explicit counts."""

    @abstractmethod
    def counts(self, form: Any) -> dict[int, float]:
        """How often a canonical form has each feature, named by a hash of 64 bits."""

    def prepare(self, form: Any) -> Histogram:
        """A canonical form with all that can be computed once."""
        return Histogram(self.counts(form))

    def value(self, a: Histogram, b: Histogram) -> float:
        """The kernel of two prepared examples."""
        return histogram_row([a], b)[0]

    def self_value(self, a: Histogram) -> float:
        """The kernel of a prepared example with itself."""
        return a.square

    def row(self, supports: list[Histogram], x: Histogram) -> list[float]:
        """The kernel of many prepared examples with one."""
        return histogram_row(supports, x)


def stable_hash(text: str) -> int:
    """63 bits that depend on the text alone: not on the process, nor on the machine."""
    data = text.encode(errors="surrogatepass")  # half a character is a token like others
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big") >> 1
