"""Memory that fails in the middle of an example: it is refused, and nothing else happens.

Every learner goes through a stream in which one allocation of one `learn_one` fails, learns that
example again, and goes on. It must end with the same bytes as one that never failed. In processes
of their own (failing_memory.py): a block that is too short shows only by a crash.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from onstream.kernel import NOGD, RBF
from onstream.persist import dumps

PROGRAM = Path(__file__).with_name("failing_memory.py")


@pytest.mark.parametrize("kind", ["vectors", "strings"])
def test_an_example_without_memory_leaves_no_trace(kind: str) -> None:
    pytest.importorskip("_testcapi")
    done = subprocess.run([sys.executable, PROGRAM, kind], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 500


@pytest.mark.parametrize("labels", [2, 3])
def test_features_that_are_not_found_refuse_the_example(
    labels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = [i % labels for i in range(60)]

    def fails(gram: np.ndarray) -> None:
        raise np.linalg.LinAlgError("no convergence")

    never = NOGD(kernel=RBF(gamma=4.0), budget=12)
    model = NOGD(kernel=RBF(gamma=4.0), budget=12)
    refused = 0
    for x, target in zip(X, y, strict=True):
        before = dumps(model)
        with monkeypatch.context() as patch:
            patch.setattr(np.linalg, "eigh", fails)
            try:
                model.learn_one(x, target)
            except ValueError:
                refused += 1
                assert dumps(model) == before
        if dumps(model) == before:
            model.learn_one(x, target)
        never.learn_one(x, target)
        assert dumps(model) == dumps(never)
    assert refused == labels - 1  # of three machines the first two were one, and are full together
