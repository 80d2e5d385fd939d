"""Published figures, on data that is not part of the project."""

import sys
from pathlib import Path

import numpy as np
import pytest

from onstream.kernel import RBF, KernelPerceptron

DATA = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "load.py").exists(), reason="there is no ../shared/data")
def test_kernel_perceptron_on_a9a() -> None:
    """File order, RBF gamma=0.01, no intercept: 6,887 supports, 78.85 % online accuracy."""
    sys.path.insert(0, str(DATA))
    try:
        from load import load

        X, y = load("a9a", split="train", rows="csr")
    finally:
        sys.path.remove(str(DATA))
    model = KernelPerceptron(kernel=RBF(gamma=0.01))
    told = model.predict_learn_many(X, np.asarray(y).astype(int))
    assert len(model.supports) == 6887
    assert np.mean(told == y) == pytest.approx(0.7885, abs=5e-5)
