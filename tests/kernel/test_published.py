"""Published figures, on data that is not part of the project."""

import sys
from pathlib import Path

import numpy as np
import pytest

from onstream.kernel import (
    RBF,
    Forgetron,
    KernelPA,
    KernelPerceptron,
    Projectron,
    ProjectronPlusPlus,
    RandomizedPerceptron,
)

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
    predicted = model.predict_learn_many(X, np.asarray(y).astype(int))
    assert len(model.supports) == 6887
    assert np.mean(predicted == y) == pytest.approx(0.7885, abs=5e-5)


def test_the_order_of_dogma() -> None:
    """Two Gaussians, 10 % of labels flipped, RBF gamma 1, 106 supports, 10,000 points.

    PA-I and Projectron++ clearly before Projectron and the perceptron, those before the Forgetron
    and the randomised perceptron.
    """
    kernel, B, n = RBF(gamma=1.0), 106, 10_000
    models = {
        "PA-I": KernelPA(kernel=kernel, C=0.1),
        "Projectron++": ProjectronPlusPlus(kernel=kernel, eta=0.1, budget=B),
        "Projectron": Projectron(kernel=kernel, eta=0.1, budget=B),
        "perceptron": KernelPerceptron(kernel=kernel),
        "Forgetron": Forgetron(kernel=kernel, budget=B),
        "RBP": RandomizedPerceptron(kernel=kernel, budget=B),
    }
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 2)) + np.where(y[:, None] == 1, 1.5, -1.5) * [1.0, 0.0]
    y = np.where(rng.random(n) < 0.1, 1 - y, y)
    error = {name: np.mean(m.predict_learn_many(X, y) != y) for name, m in models.items()}
    first = max(error["PA-I"], error["Projectron++"])
    second = error["Projectron"], error["perceptron"]
    assert first < min(second) - 0.03
    assert max(second) < min(error["Forgetron"], error["RBP"])
