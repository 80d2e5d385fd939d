"""A buffer changed between its check and the lesson: what is learned is what was checked."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from onstream import Perceptron
from onstream.persist import dumps


def learned_while(spoil: Callable[[], None], X: Any, y: Any, w: Any = None, **more: Any) -> Any:
    """A model that calls the user's function once for each block, after it was checked."""
    calls = iter([spoil])

    def alpha(t: float) -> float:
        next(calls, lambda: None)()
        return 1.0

    model = Perceptron(alpha=1.0, **more)
    model.learn_one(np.zeros(4), y[0])
    model = Perceptron(alpha=alpha, init=model, **more)
    model.learn_many(X, y, w)
    return model


def rows(n: int = 50) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(n, 4))
    return X, X[:, 0] > 0.0


def nothing() -> None:
    pass


@pytest.mark.parametrize("hash_bits", [None, 12])  # 12: the model is large, so X is checked first
@pytest.mark.parametrize("value", [np.nan, np.inf, 7.0])
def test_an_array(value: float, hash_bits: int | None) -> None:
    X, y = rows()
    calm = learned_while(nothing, X.copy(), y, hash_bits=hash_bits)
    assert dumps(learned_while(lambda: X.fill(value), X, y, hash_bits=hash_bits)) == dumps(calm)


@pytest.mark.parametrize("hash_bits", [None, 12])
@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
@pytest.mark.parametrize("tangled", [False, True])
def test_a_sparse_matrix(part: str, tangled: bool, hash_bits: int | None) -> None:
    X, y = rows()
    M = sp.csr_array(X)
    if tangled:
        M.indices = np.tile(np.array([3, 1, 0, 2], dtype=np.int32), len(X))
    M.indptr = M.indptr.astype(np.int64)
    calm = learned_while(nothing, M.copy(), y, hash_bits=hash_bits)
    spoilt = learned_while(lambda: getattr(M, part).fill(2**31 - 1), M, y, hash_bits=hash_bits)
    assert dumps(spoilt) == dumps(calm)


def test_labels_and_weights() -> None:
    X, y = rows()
    numbers, w = y.astype(np.int64), np.ones(len(y))
    calm = learned_while(nothing, X, numbers.copy(), w.copy())

    def spoil() -> None:
        numbers.fill(9)
        w.fill(np.nan)

    assert dumps(learned_while(spoil, X, numbers, w)) == dumps(calm)


def test_a_block_that_was_good_before_is_refused() -> None:
    """Of a large X the first block is learned, then the rest is spoilt: nothing of it stays."""
    X, y = rows(20_000)
    with pytest.raises(ValueError, match="row 8192: feature 0 is nan"):
        learned_while(lambda: X.fill(np.nan), X, y)


def test_a_block_that_was_checked_before_and_is_bad_now() -> None:
    """All of X was checked, since the model is large: the message says what was learned."""
    X, y = rows(20_000)
    with pytest.raises(ValueError, match=r"X was changed meanwhile\. From row 0 on nothing was"):
        learned_while(lambda: X.fill(np.nan), X, y, hash_bits=18)


def test_a_process_of_one_thread_learns_the_same() -> None:
    """There nobody can change X, so blocks are read where they are; here is another thread."""
    program = """if True:
        import hashlib, threading
        import numpy as np, scipy.sparse as sp
        from onstream import LogisticRegression, Perceptron
        from onstream.persist import dumps

        X = np.random.default_rng(0).normal(size=(9000, 7))
        M = sp.csr_array(X * (X > 0.5))
        tangled = sp.csr_array(M.sum(axis=1).reshape(-1, 1) * np.ones((1, 3)))
        tangled.indices = np.tile(np.array([2, 0, 2], dtype=np.int32), 9000)[: tangled.nnz]

        def told():
            models = [LogisticRegression().fit(rows, X[:, 0] > 0, shuffle=False)
                      for rows in (X, X[::-1], M, tangled)]
            return [hashlib.sha256(dumps(model)).hexdigest() for model in models]

        alone = told()
        over = threading.Event()
        other = threading.Thread(target=over.wait)
        other.start()
        assert told() == alone
        over.set()
    """
    subprocess.run([sys.executable, "-c", program], check=True)
