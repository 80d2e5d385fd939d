"""libsvm and VW text files: sparse rows, whose names are hashed once for all models."""

import os
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from typing import Any, TypeAlias, Unpack

import numpy as np

from ..base.blocks import Block
from ..base.checks import flag
from ..core.sparse import SparseBlock
from ._libsvm_text import LibsvmText
from ._sparse_text import SparseText, name_hash
from ._vw_text import VWText
from .files import Lines, PathLike, line_blocks
from .options import ReaderOptions, with_common_options
from .reader import Reader, arranged
from .rejects import Tally, at_line
from .stream import Stream

PARSERS = max(1, min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2))
Parsed: TypeAlias = tuple[SparseBlock, Any, Any, list[Any], int]


@with_common_options
def read_libsvm(
    path: PathLike | list[PathLike],
    *,
    drop: list[int] | int | None = None,
    only: list[int] | int | None = None,
    **common: Unpack[ReaderOptions],
) -> Stream:
    r"""A stream of libsvm (SVMlight) lines: `label index:value index:value ...`.

    Features keep the numbers they have in the file. Labels are ints where all of a block are
    whole, otherwise floats. Comments (`# ...`) and `qid:n` are passed over.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.svm"
    >>> _ = file.write_text("+1 3:0.5 7:1\n-1 1:2\n")
    >>> list(read_libsvm(file))
    [({3: 0.5, 7: 1.0}, 1), ({1: 2.0}, -1)]
    """
    chosen = names("read_libsvm", drop), names("read_libsvm", only)
    return arranged(Libsvm(path, *chosen, common["on_error"]), common)


@with_common_options
def read_vw(
    path: PathLike | list[PathLike],
    *,
    labelled: bool = True,
    weights: bool | None = None,
    drop: list[str] | str | None = None,
    only: list[str] | str | None = None,
    **common: Unpack[ReaderOptions],
) -> Stream:
    r"""A stream of Vowpal Wabbit's text lines: `label importance 'tag|namespace name:value ...`.

    A feature is called `namespace^name`, or `name` where the namespace has no name. Labels are
    numbers, ints where all of a block are whole. Tag and base are passed over.

    Parameters
    ----------
    labelled : bool, default True
        Lines must have a label; False: those that are there are ignored, `y` is None.
    weights : bool, default None
        Whether rows have importance weights; None: if one of the first lines has.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.vw"
    >>> _ = file.write_text("1 |word free offer:2\n-1 |word meeting |n 4:0.5\n")
    >>> list(read_vw(file))
    [({'word^free': 1.0, 'word^offer': 2.0}, 1), ({'word^meeting': 1.0, 'n^4': 0.5}, -1)]
    """
    chosen = names("read_vw", drop), names("read_vw", only)
    return arranged(VW(path, labelled, weights, *chosen, common["on_error"]), common)


class SparseFile(Reader):
    """Files whose lines are sparse rows."""

    def __init__(self, path: Any, drop: Any, only: Any, on_error: Any) -> None:
        super().__init__(path, on_error)
        self.drop = drop
        self.only = only
        # A hashed learner needs no names. Once they are asked for, they are made while parsing.
        self._naming = drop is not None or only is not None

    def _need_names(self) -> None:
        self._naming = True

    @abstractmethod
    def _parser(self) -> SparseText:
        """What turns text into rows."""

    def _blocks(self, tally: Tally) -> Iterator[Block]:
        spare: list[SparseText] = []  # parsers that are not at work
        stop_early = tally.on_error == "raise"

        def parse(lines: Lines) -> Parsed:
            try:
                parser = spare.pop()
            except IndexError:
                parser = self._parser()
            later = None if self._naming else self._need_names
            X, y, w, rejects = parser.parse(lines.buffer, lines.size, stop_early, later)
            count = parser.lines
            spare.append(parser)
            return X, y, w, rejects, count

        done, known = 0, False
        with ThreadPoolExecutor(PARSERS, "onstream parser") as pool:
            for file in self.files:
                with closing(self._opened(file, tally)) as source:
                    blocks, first = line_blocks(source, numbered=False), source.first_line
                    for lines, parsed in in_order(pool, blocks, parse, known):
                        tally.bytes_done = done + lines.done
                        if parsed is None:
                            tally.reject(at_line(source.name, first), lines.problem, lines.data)
                            first += 1
                            continue
                        X, y, w, rejects, count = parsed
                        if not known and len(X):
                            self._learn_kind(w)
                            spare.clear()
                            known = True
                        yield self._finished(self._chosen(X), y, w)
                        for line, text, why in rejects:
                            tally.reject(at_line(source.name, first + line), why, text)
                        first += count
                done += source.done

    def _learn_kind(self, weights: Any) -> None:
        """The first block is known."""

    def _finished(self, X: SparseBlock, y: Any, w: Any) -> Block:
        return (X, whole_labels(y))

    def _chosen(self, X: SparseBlock) -> SparseBlock:
        """The block with the features that are wanted."""
        # By sorting: NumPy 2.0 may take a table for numbers beyond int64, and fail.
        if self.drop is not None:
            X = X.with_entries(~np.isin(X.hashes, self.drop, kind="sort"))
        if self.only is not None:
            X = X.with_entries(np.isin(X.hashes, self.only, kind="sort"))
        return X


class Libsvm(SparseFile):
    """The stream that `read_libsvm` makes."""

    _who = "read_libsvm"

    def _parser(self) -> SparseText:
        return LibsvmText()


class VW(SparseFile):
    """The stream that `read_vw` makes."""

    _who = "read_vw"

    def __init__(
        self, path: Any, labelled: Any, weights: Any, drop: Any, only: Any, on_error: Any
    ) -> None:
        super().__init__(path, drop, only, on_error)
        self.labelled = flag(self._who, "labelled", labelled)
        self.weights = None if weights is None else flag(self._who, "weights", weights)
        self._weighted = self.weights  # None: not known yet

    def _blocks(self, tally: Tally) -> Iterator[Block]:
        self._weighted = self.weights
        return super()._blocks(tally)

    def _learn_kind(self, weights: Any) -> None:
        if self._weighted is None:
            self._weighted = weights is not None

    def _parser(self) -> SparseText:
        return VWText(self.labelled, self._weighted is not False)

    def _finished(self, X: SparseBlock, y: Any, w: Any) -> Block:
        labels = whole_labels(y) if self.labelled else None
        if not self._weighted:
            return X, labels
        return X, labels, np.ones(len(X)) if w is None else w


def in_order(
    pool: Executor, blocks: Iterator[Lines], parse: Callable[[Lines], Parsed], known: bool
) -> Iterator[tuple[Lines, Parsed | None]]:
    """Blocks of lines and what they were parsed to, some at a time; None for a problem.

    The first one is parsed alone, if it is not `known` yet what the stream is like. Before a
    pause all are finished.
    """
    waiting: deque[tuple[Lines, Future[Parsed] | None]] = deque()
    most = PARSERS if known else 0
    for lines in blocks:
        waiting.append((lines, None if lines.problem else pool.submit(parse, lines)))
        while len(waiting) > (0 if lines.pause else most):
            lines, job = waiting.popleft()
            yield lines, None if job is None else job.result()
            if job is not None:
                most = PARSERS
    while waiting:
        lines, job = waiting.popleft()
        yield lines, None if job is None else job.result()


def whole_labels(y: Any) -> Any:
    """Labels as ints, if all of them are whole."""
    if len(y) and np.abs(y).max() < 2**53:
        whole = y.astype(np.int64)
        if (whole == y).all():
            return whole
    return y


def names(who: str, wanted: Any) -> Any:
    """The hashes of some features."""
    if wanted is None:
        return None
    if isinstance(wanted, (str, int)):
        wanted = [wanted]
    if not all(isinstance(name, (str, int)) for name in wanted):
        raise TypeError(f"{who}: features are strings or ints, got {wanted!r:.80}.")
    return np.array([name_hash(str(name).encode()) for name in wanted], dtype=np.uint64)
