"""What the contract table asks of one learner."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from .streams import Stream


class Line(NamedTuple):
    """What is asked of one learner."""

    stream: Callable[[], Stream]
    score: float
    variants: tuple[dict[str, Any], ...] = ()
    decisive: bool = True  # False: few examples may leave two labels level, or be forgotten
    given: Mapping[str, Any] = MappingProxyType({})  # parameters without a default
    quick: Mapping[str, Any] = MappingProxyType({})  # in place of defaults that take too long
    numeric: bool = True  # False: it learns from names or counts, and little from plain numbers
    draws_features: bool = False  # True: it draws some of the features, hidden ones among them
    any_order: bool = False  # True: the order of the examples leaves no trace
