"""Sketches by the `datasketches` package, with the interface of the other statistics.

Items are strings or whole numbers (`KLL` takes numbers). The package draws its own random numbers,
so `KLL` and `Reservoir` differ from run to run.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Self, TypeAlias

import msgspec
import numpy as np

from ..base.checks import number, whole
from ..base.errors import NotMergeable
from ..base.part import StatefulPart
from ..core.coerce import coerce_number
from ..core.state_reader import SAFE, StateReader
from . import sketch_numbers

Item: TypeAlias = str | int
EMPTY = "\0the empty string"


def library() -> Any:
    """The package, or how to get it."""
    try:
        import datasketches
    except ImportError:
        raise ImportError(
            'Sketches need the package datasketches: pip install "onstream[sketch]"'
        ) from None
    return datasketches


def one_by_one(who: str, name: str, values: Any) -> Iterable[Any]:
    """The values, unless iterating gives something else: over a frame, its columns."""
    advice = ""
    if isinstance(values, (str, bytes, bytearray, memoryview)):
        advice = " A single item goes to update." if isinstance(values, str) else ""
    elif isinstance(values, Mapping):
        advice = " For items with their weights pass its keys and its values, each as a list."
    elif len(getattr(values, "shape", (0,))) == 2:
        advice = " Choose one column."
    elif hasattr(values, "__iter__") and len(getattr(values, "shape", (0,))) == 1:
        arrow = hasattr(values, "to_pylist")
        return values.to_pylist() if arrow else values
    raise TypeError(
        f"{who}: {name} must be many values, in a list or a 1-D array, "
        f"got a {type(values).__name__}.{advice}"
    )


class SketchState:
    """The package's sketch, and how many items went into it."""

    def __init__(
        self, make: Callable[[], Any], export: Callable[[Any], dict[str, Any]], n: float = 0.0
    ) -> None:
        self.make = make
        self.export_sketch = export
        self.n = n

    @cached_property
    def sketch(self) -> Any:
        """The sketch; it takes its memory when it is first needed."""
        return self.make()

    def export(self) -> dict[str, Any]:
        """Everything that was learned."""
        return {"n": self.n, **(self.export_sketch(self.sketch) if self.n else {})}


class Sketch(StatefulPart):
    """What the sketches share."""

    _state: SketchState

    def _new_state(self) -> SketchState:
        library()
        return SketchState(self._new, self._export)

    @abstractmethod
    def _new(self) -> Any:
        """An empty sketch of the package."""

    @abstractmethod
    def _export(self, sketch: Any) -> dict[str, Any]:
        """What a sketch holds."""

    @abstractmethod
    def _rebuild(self, fields: StateReader, n: float) -> Any:
        """The sketch that holds that; n is the number of its items."""

    def _put(self, item: Any, w: float) -> None:
        self._state.sketch.update(item, w)

    def _coerce(self, item: Any) -> Any:
        if isinstance(item, np.generic):
            item = item.item()
        elif hasattr(item, "as_py"):  # a value of Arrow
            item = item.as_py()
        if type(item) is bool or not isinstance(item, (str, int)):
            raise TypeError(
                f"{type(self).__name__}: an item must be a string or a whole number, "
                f"got {item!r:.80}."
            )
        if isinstance(item, int) and not -(2**63) <= item < 2**63:
            raise ValueError(f"{type(self).__name__}: {item!r:.40} does not fit into 64 bits.")
        if isinstance(item, str) and not item.isascii():
            try:
                item.encode()
            except UnicodeEncodeError:
                raise ValueError(
                    f"{type(self).__name__}: {item!a:.60} is not text: it has half a character."
                ) from None
        return item

    def _weight(self, w: Any) -> float:
        return number(self, "w", w, least=0.0, most=1e100)

    def _total(self, n: float) -> None:
        """Refuse to go beyond this sum of weights, if it is too large for the sketch."""

    def update(self, item: Any, w: float = 1.0) -> None:
        """Take the next item, with importance `w`."""
        item, w = self._coerce(item), self._weight(w)
        if w > 0.0:
            self._total(self._state.n + w)
            self._put(item, w)
            self._state.n += w

    def update_many(self, items: Iterable[Any], w: Iterable[float] | None = None) -> None:
        """Take many items, or none if one of them is refused."""
        who = type(self).__name__
        coerced = [self._coerce(item) for item in one_by_one(who, "items", items)]
        weights = [1.0] * len(coerced)
        if w is not None:
            weights = [self._weight(v) for v in one_by_one(who, "w", w)]
        if len(weights) != len(coerced):
            raise ValueError(
                f"{who}: there are {len(coerced):,} items and {len(weights):,} weights."
            )
        self._total(self._state.n + sum(weights))
        for item, weight in zip(coerced, weights, strict=True):
            if weight > 0.0:
                self._put(item, weight)
                self._state.n += weight

    @property
    def n(self) -> float:
        """How many items were taken: the sum of their weights."""
        return self._state.n

    def merge(self, other: Self) -> None:
        """Absorb a sketch of the same kind and parameters over other items."""
        if type(other) is not type(self) or other != self or other is self:
            raise NotMergeable(f"{self!r} cannot be merged with {other!r:.80}.")
        if not other._state.n:
            return
        self._total(self._state.n + other._state.n)
        self._absorb(other._state.sketch)
        self._state.n += other._state.n

    def _absorb(self, sketch: Any) -> None:
        self._state.sketch.merge(sketch)

    def _restore(self, fields: dict[str, Any]) -> None:
        checked = StateReader(fields)
        n = checked.number("n", 0.0, 1e290)
        state = SketchState(self._new, self._export, n)
        if n:
            state.sketch = self._rebuild(checked, n)
        checked.done()
        object.__setattr__(self, "_state", state)


def same_total(n: float, total: float) -> None:
    """What a sketch holds must add up to what it was given."""
    if not abs(n - total) <= 1e-6 * n:
        raise ValueError(f"the sketch holds {total:g} items, but was given {n:g}")


def never_empty(item: Item) -> Item:
    """The item as the package takes it: it skips empty strings, so these get another name.

    An item of that name gets a longer one, so that no two items share a name.
    """
    if item == "":
        return EMPTY
    if isinstance(item, str) and item[0] == "\0" and item.rstrip("\0") == EMPTY:
        return item + "\0"
    return item


class CountMin(Sketch):
    """How often each item came, never too low (Cormode & Muthukrishnan, 2005).

    The estimate of a count a is at most a + epsilon * n with probability 1 - delta.

    Parameters
    ----------
    epsilon : float in (0, 1), default 0.01
        Largest error as a share of n; memory grows as 1 / epsilon.
    delta : float in (0, 1), default 0.01
        How often the error may be larger.

    Examples
    --------
    >>> counts = CountMin()
    >>> counts.update_many(["a", "b", "a"])
    >>> counts.estimate("a")
    2.0
    """

    def __init__(self, *, epsilon: float = 0.01, delta: float = 0.01) -> None:
        self.epsilon = number(self, "epsilon", epsilon, least=1e-9, most=1.0 - 1e-9)
        self.delta = number(self, "delta", delta, least=1e-50, most=1.0 - 1e-9)
        super().__init__()

    @property
    def shape(self) -> tuple[int, int]:
        """Width and depth of the table of counts."""
        return math.ceil(math.e / self.epsilon), max(1, math.ceil(math.log(1.0 / self.delta)))

    def _new(self) -> Any:
        width, depth = self.shape
        return library().count_min_sketch(depth, width)

    def _export(self, sketch: Any) -> dict[str, Any]:
        return sketch_numbers.export_count_min(sketch, self.shape)

    def _rebuild(self, fields: StateReader, n: float) -> Any:
        sketch = sketch_numbers.count_min(fields, self._new, self.shape)
        same_total(n, sketch.total_weight)
        return sketch

    def _coerce(self, item: Any) -> Any:
        return never_empty(super()._coerce(item))

    def estimate(self, item: Item) -> float:
        """At least as often as this item came, rarely much more."""
        return float(self._state.sketch.get_estimate(self._coerce(item)))


class HyperLogLog(Sketch):
    """How many different items there were (Flajolet et al., 2007).

    The standard error is about 1.04 / sqrt(2**b) of the count; small counts are nearly exact.
    Weights do not matter, unless they are 0.

    Parameters
    ----------
    b : int from 7 to 21, default 12
        2**b registers; one more halves the squared error and doubles the memory.

    Examples
    --------
    >>> distinct = HyperLogLog()
    >>> distinct.update_many(["a", "b", "a"])
    >>> round(distinct.value)
    2
    """

    def __init__(self, *, b: int = 12) -> None:
        self.b = whole(self, "b", b, least=7, most=21)
        super().__init__()

    def _new(self) -> Any:
        return library().hll_sketch(self.b, library().tgt_hll_type.HLL_8)

    def _export(self, sketch: Any) -> dict[str, Any]:
        return sketch_numbers.export_hyper_log_log(sketch)

    def _rebuild(self, fields: StateReader, n: float) -> Any:
        return sketch_numbers.hyper_log_log(fields, self._new, self.b)

    def _coerce(self, item: Any) -> Any:
        return never_empty(super()._coerce(item))

    def _put(self, item: Any, w: float) -> None:
        self._state.sketch.update(item)

    def _absorb(self, sketch: Any) -> None:
        union = library().hll_union(self.b)
        union.update(self._state.sketch)
        union.update(sketch)
        self._state.sketch = union.get_result(library().tgt_hll_type.HLL_8)

    @property
    def value(self) -> float:
        """About how many different items there were."""
        return float(self._state.sketch.get_estimate())


class FrequentItems(Sketch):
    """The items that come most often (Misra & Gries, 1982, as of Anderson et al., 2017).

    With m = 0.75 * 2**b counters kept, no count is off by more than n / m * 2.7 or so
    (`error`); an item above that is never lost. Weights are whole numbers.

    Parameters
    ----------
    b : int from 3 to 26, default 10
        2**b places for counters; one more halves the error.

    Examples
    --------
    >>> frequent = FrequentItems()
    >>> frequent.update_many(["a", "b", "a", 7])
    >>> frequent.top(1)
    [('a', 2, 2)]
    """

    def __init__(self, *, b: int = 10) -> None:
        self.b = whole(self, "b", b, least=3, most=26)
        super().__init__()

    def _new(self) -> Any:
        return library().frequent_strings_sketch(self.b)

    def _export(self, sketch: Any) -> dict[str, Any]:
        kind = library().frequent_items_error_type.NO_FALSE_NEGATIVES
        return sketch_numbers.export_frequent_items(sketch, kind)

    def _rebuild(self, fields: StateReader, n: float) -> Any:
        sketch = sketch_numbers.frequent_items(fields, self._new, self.b)
        same_total(n, sketch.total_weight)
        return sketch

    def _coerce(self, item: Any) -> Any:
        return msgspec.json.encode(super()._coerce(item)).decode()

    def _weight(self, w: Any) -> float:
        weight = super()._weight(w)
        if weight != int(weight) or weight > 2**53:
            raise ValueError(f"FrequentItems: w must be a whole number up to 2**53, got {w!r:.40}.")
        return weight

    def _total(self, n: float) -> None:
        most = sketch_numbers.MOST
        if n > most:
            raise ValueError(f"FrequentItems: the weights add up to more than {most:,}.")

    def _put(self, item: Any, w: float) -> None:
        self._state.sketch.update(item, int(w))

    def _absorb(self, sketch: Any) -> None:
        if sketch.num_active_items:
            self._state.sketch.merge(sketch)
            return
        # It has forgotten all its items, and the package takes it for one that had none.
        fields = self._export(self._state.sketch)
        fields["total"] += int(sketch.total_weight)
        fields["offset"] += int(sketch.get_upper_bound(""))
        self._state.sketch = sketch_numbers.frequent_items(StateReader(fields), self._new, self.b)

    def bounds(self, item: Item) -> tuple[int, int]:
        """How often the item came: at least and at most."""
        text = self._coerce(item)
        sketch = self._state.sketch
        return int(sketch.get_lower_bound(text)), int(sketch.get_upper_bound(text))

    @property
    def error(self) -> float:
        """How far apart the bounds can be, as a share of n."""
        return float(self._state.sketch.epsilon)

    def top(self, k: int = 10) -> list[tuple[Item, int, int]]:
        """The k most frequent items, each with the least and the largest count it can have."""
        k = whole(self, "k", k, least=0)
        kind = library().frequent_items_error_type.NO_FALSE_NEGATIVES
        rows = self._state.sketch.get_frequent_items(kind)
        found = [(msgspec.json.decode(row[0]), int(row[2]), int(row[3])) for row in rows]
        return sorted(found, key=lambda row: (-row[2], str(row[0])))[:k]


class KLL(Sketch):
    """Quantiles with a guarantee (Karnin, Lang & Liberty, FOCS, 2016).

    The rank of an answer is off by at most `error` * n with probability 0.99. Weights do not
    matter, unless they are 0.

    Parameters
    ----------
    k : int from 8 to 65535, default 200
        Size; the error falls as 1 / k. 200 gives 1.65 %.

    Examples
    --------
    >>> sketch = KLL()
    >>> sketch.update_many(range(101))
    >>> sketch.quantile(0.5)
    50.0
    """

    def __init__(self, *, k: int = 200) -> None:
        self.k = whole(self, "k", k, least=8, most=65535)
        super().__init__()

    def _new(self) -> Any:
        return library().kll_doubles_sketch(self.k)

    def _export(self, sketch: Any) -> dict[str, Any]:
        return sketch_numbers.export_kll(sketch)

    def _rebuild(self, fields: StateReader, n: float) -> Any:
        return sketch_numbers.kll(fields, self._new, self.k)

    def _coerce(self, item: Any) -> float:
        value = coerce_number("KLL", item)
        if not abs(value) <= SAFE:
            raise ValueError(f"KLL: a value must be from {-SAFE:g} to {SAFE:g}, got {value!r}.")
        return value + 0.0  # not -0.0

    def _put(self, item: Any, w: float) -> None:
        self._state.sketch.update(item)

    @property
    def error(self) -> float:
        """How far the rank of an answer may be off, as a share of n."""
        return float(self._state.sketch.normalized_rank_error(False))

    def quantile(self, theta: float) -> float | None:
        """The value that a share `theta` of the values does not exceed; None before any."""
        number(self, "theta", theta, least=0.0, most=1.0)
        if self._state.sketch.is_empty():
            return None
        return float(self._state.sketch.get_quantile(theta, True))

    @property
    def value(self) -> float | None:
        """The median."""
        return self.quantile(0.5)

    def rank(self, value: float) -> float:
        """The share of values that do not exceed this one."""
        value = coerce_number("KLL", value)
        if not math.isfinite(value):
            raise ValueError(f"KLL: a value must be finite, got {value!r}.")
        if self._state.sketch.is_empty():
            return 0.0
        return float(self._state.sketch.get_rank(value, True))


class Reservoir(Sketch):
    """A fair sample of k items (Vitter, 1985; with weights, Cohen et al., 2011).

    Each of n items is in it with probability k / n; a heavier one more often.

    Parameters
    ----------
    k : int >= 1, default 1000
        Items it keeps.

    Examples
    --------
    >>> sample = Reservoir(k=2)
    >>> sample.update_many(["a", "b"])
    >>> sorted(sample.items)
    ['a', 'b']
    """

    def __init__(self, *, k: int = 1000) -> None:
        self.k = whole(self, "k", k, least=1, most=2**30)
        super().__init__()

    def _new(self) -> Any:
        return library().var_opt_sketch(self.k)

    def _export(self, sketch: Any) -> dict[str, Any]:
        return sketch_numbers.export_reservoir(sketch)

    def _rebuild(self, fields: StateReader, n: float) -> Any:
        sketch = sketch_numbers.reservoir(fields, self._new, self.k)
        same_total(n, sum(weight for _, weight in sketch))
        return sketch

    def _coerce(self, item: Any) -> Any:
        return msgspec.json.encode(super()._coerce(item)).decode()

    def _absorb(self, sketch: Any) -> None:
        union = library().var_opt_union(self.k)
        union.update(self._state.sketch)
        union.update(sketch)
        self._state.sketch = union.get_result()

    @property
    def items(self) -> list[Item]:
        """The sample."""
        return [msgspec.json.decode(item) for item, _ in self._state.sketch]
