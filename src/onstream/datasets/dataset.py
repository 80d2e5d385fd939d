"""What a data set is: `(X, y)`, and what its columns are called."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Arrays: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64]]


class Dataset(Arrays):
    """The pair `(X, y)` with names.

    It is a tuple of two arrays, so `X, y = data` works and so does everything that takes
    an `(X, y)` pair.

    Attributes
    ----------
    X : float64 array of shape (n, d)
        One example per row, in the order of the stream.
    y : int64 array of shape (n,)
        The target of each row.
    names : tuple of str
        The d feature names, in the order of the columns.
    target : str
        What `y` is.
    """

    names: tuple[str, ...]
    target: str

    def __new__(
        cls, X: NDArray[np.float64], y: NDArray[np.int64], names: tuple[str, ...], target: str
    ) -> "Dataset":
        """Check nothing, hold everything."""
        self = super().__new__(cls, (X, y))
        self.names = names
        self.target = target
        return self

    def __getnewargs__(self) -> tuple[object, ...]:
        """Let pickle and copy rebuild the pair."""
        return (self.X, self.y, self.names, self.target)

    @property
    def X(self) -> NDArray[np.float64]:
        """The examples, one per row."""
        return self[0]

    @property
    def y(self) -> NDArray[np.int64]:
        """The target of each row."""
        return self[1]

    def __repr__(self) -> str:
        """Say what it is without printing the numbers."""
        rows, columns = self.X.shape
        return f"<Dataset of {rows:,} rows: {self.target} from {columns} features>"
