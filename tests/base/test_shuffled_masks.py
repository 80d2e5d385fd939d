"""`fit` shuffles rows before they are checked: a mask must not get lost on the way."""

import numpy as np
import pytest

from onstream.linear import PAClassifier


@pytest.mark.parametrize("masked", ["X", "y"])
def test_masks_are_seen_in_shuffled_rows(masked: str) -> None:
    X, y = np.ma.array(np.eye(3)), np.ma.array([1, 0, 7])
    {"X": X, "y": y}[masked][2] = np.ma.masked
    with pytest.raises(ValueError, match="masked"):
        PAClassifier().fit(X, y)
