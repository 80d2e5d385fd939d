"""Any iterable as a stream."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Unpack

from ..base.blocks import Block
from .options import StreamOptions, with_common_options
from .reader import arranged
from .stream import Progress, Stream


@with_common_options
def from_iterable(
    rows: Iterable[Any],
    target: str | None = None,
    *,
    weight: str | None = None,
    **common: Unpack[StreamOptions],
) -> Stream:
    """A stream of anything that yields `(x, y)` or `(x, y, w)`; or mappings that hold the target.

    An iterator can be gone over once; a list, or any object with an `__iter__` of its own, again
    and again.

    Parameters
    ----------
    rows : iterable
        Of pairs, or of mappings if `target` is given.
    target : key of the mappings, default None
        What is to be learned.
    weight : key of the mappings, default None
        How much a row counts.

    Examples
    --------
    >>> list(from_iterable([{"a": 1, "y": "no"}, {"a": 2, "y": "yes"}], target="y"))
    [({'a': 1}, 'no'), ({'a': 2}, 'yes')]
    """
    stream, epochs = Rows(rows, target, weight), common["epochs"]
    if epochs != 1 and iter(rows) is rows:
        raise TypeError(
            f"from_iterable: an iterator can be read once only; for epochs={epochs} pass something "
            f"that can be read again, such as a list."
        )
    return arranged(stream, common)


class Rows(Stream):
    """The stream that `from_iterable` makes."""

    _who = "from_iterable"
    _progress = Progress()

    def __init__(self, source: Iterable[Any], target: str | None, weight: str | None) -> None:
        if isinstance(source, (str, bytes, dict)) or not hasattr(source, "__iter__"):
            raise TypeError(
                f"from_iterable: an iterable of (x, y) is needed, got {type(source).__name__}."
            )
        self.source = source
        self.target = target
        self.weight = weight

    def _batches(self, n: int) -> Iterator[Block]:
        self._progress, count = Progress(), 0
        items = iter(self.source)
        broken: Exception | None = None
        while broken is None:
            rows: list[tuple[Any, ...]] = []
            try:  # what came before an error is not lost
                for item in islice(items, n):
                    rows.append(self._row(count + len(rows), item))
            except Exception as error:
                broken = error
            if not rows:
                break
            count += len(rows)
            self._progress = Progress(count)
            if len({len(row) for row in rows}) > 1:
                raise TypeError(
                    "from_iterable: some rows are (x, y), some (x, y, w); use one of them."
                )
            yield tuple(list(part) for part in zip(*rows, strict=True))
        if broken is not None:
            raise broken

    def _row(self, number: int, item: Any) -> tuple[Any, ...]:
        if self.target is None:
            if not isinstance(item, tuple) or len(item) not in (2, 3):
                raise TypeError(
                    f"from_iterable: row {number} must be (x, y) or (x, y, w), got {item!r:.60}; "
                    f"if it is a mapping, name its target."
                )
            return item
        try:
            x = dict(item)
            y = x.pop(self.target)
            return (x, y) if self.weight is None else (x, y, x.pop(self.weight))
        except KeyError as error:
            raise ValueError(f"from_iterable: row {number} has no {error.args[0]!r}.") from None
        except (TypeError, ValueError):
            raise TypeError(
                f"from_iterable: row {number} must be a mapping, got {item!r:.60}."
            ) from None
