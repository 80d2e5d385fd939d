"""What all drift detectors share."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.part import StatefulPart
from ._detector import DetectorBase


class Detector(DetectorBase, StatefulPart):
    """A drift detector: it watches a sequence of numbers and says when they change.

    A learner that is given one as a parameter clones it, and keeps the clone's state as its own.
    """

    watches_errors: ClassVar[bool] = False  # True: values are errors from 0 to 1

    def update_many(self, values: ArrayLike) -> NDArray[np.int64]:
        """Take many values: the indices (from 0) at which a change was found."""
        return self._state.update_many(values)

    @property
    def memory_bytes(self) -> int:
        """Bytes held by what was learned, C buffers included."""
        return int(self._state.memory())
