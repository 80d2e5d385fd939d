"""Rows are checked and learned block by block; nobody may see where a block ends."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from onstream.bayes import GaussianNB
from onstream.linear import MIRA, RLS, LogisticRegression, PAClassifier, Perceptron
from onstream.persist import dumps

BLOCK = 8_192  # rows of at most four columns
ROWS = 2 * BLOCK + 5
BORDERS = (0, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, ROWS - 1)
MAKERS = {
    "small model": LogisticRegression,  # is saved, then X is checked block by block
    "with hashing": lambda: LogisticRegression(hash_bits=18),  # is large: X is checked at once
    "matrix": RLS,
    "sparse updates": Perceptron,
    "lengths": PAClassifier,  # a value in two halves would be shorter
}


def data(columns=4):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(ROWS, columns)) * (rng.random((ROWS, columns)) < 0.6)
    return X, (X[:, 0] > 0.1).astype(int)


@pytest.mark.parametrize("kind", ["array", "csr"])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_value_at_the_border_of_a_block(make, kind, bad):
    X, y = data()
    y = y.astype(float) if make is RLS else y
    model = make()
    model.learn_many(X[:10], y[:10])
    before = dumps(model)
    for row in BORDERS:
        spoiled = X.copy()
        spoiled[row, 2] = bad
        given = sp.csr_array(spoiled) if kind == "csr" else spoiled
        for verb in (model.learn_many, model.predict_learn_many):
            with pytest.raises(ValueError, match=rf"row {row}\b.*\b2\b"):
                verb(given, y)
            assert dumps(model) == before
        with pytest.raises(ValueError, match=rf"row {row}\b.*\b2\b"):
            model.predict_many(given)


def test_what_a_refused_block_has_noticed_is_forgotten():
    """MIRA notices in the first block that its weights have moved; the second block is refused."""
    X = np.zeros((ROWS, 2))
    X[0, 0], X[1:, 1], X[BLOCK + 1, 1] = 1.0, 1.0, np.nan
    model, fresh = (MIRA(beta=0.0, intercept=False, labels=[0, 1]) for _ in range(2))
    with pytest.raises(ValueError, match="finite"):
        model.learn_many(X, np.ones(ROWS, dtype=int))
    for m in (model, fresh):
        m.learn_one([1.0, 0.0], 1)
    assert dumps(model) == dumps(fresh)
    assert model.weights[0] > 0.0


@pytest.mark.parametrize("kind", ["array", "csr"])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_blocks_cannot_be_told_from_single_rows(make, kind):
    X, y = data()
    y = y.astype(float) if make is RLS else y
    if kind == "csr":
        X = sp.csr_array(X)
    whole, pieces = make(), make()
    whole.learn_many(X, y)
    for start, stop in ((0, 1), (1, BLOCK - 1), (BLOCK - 1, BLOCK + 2), (BLOCK + 2, ROWS)):
        pieces.learn_many(X[start:stop], y[start:stop])
    assert dumps(whole) == dumps(pieces)


def tangled(X, row):
    """The same matrix, but the first entry of a row stands at its end, in two halves."""
    m = sp.csr_array(X)
    at, end = m.indptr[row], m.indptr[row + 1]
    indptr = m.indptr.copy()
    indptr[row + 1 :] += 1
    return sp.csr_array(
        (
            np.insert(np.delete(m.data, at), end - 1, [m.data[at] / 2] * 2),
            np.insert(np.delete(m.indices, at), end - 1, [m.indices[at]] * 2),
            indptr,
        ),
        shape=m.shape,
    )


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_tangled_row_at_the_border_of_a_block(make):
    X, y = data()
    X[list(BORDERS), 1] = 0.7  # no row is empty
    y = y.astype(float) if make is RLS else y
    plain = make()
    plain.learn_many(sp.csr_array(X), y)
    before = dumps(plain)
    for row in BORDERS:
        whole, pieces = make(), make()
        given = tangled(X, row)
        predicted = whole.predict_learn_many(given, y, output="score")
        for start, stop in ((0, 7), (7, BLOCK), (BLOCK, ROWS)):
            pieces.learn_many(given[start:stop], y[start:stop])
        assert dumps(whole) == dumps(pieces)
        np.testing.assert_allclose(whole.score_many(X), plain.score_many(X), rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(whole.score_many(given), pieces.score_many(given))
        assert len(predicted) == ROWS
        outside = given.copy()
        outside.indices[given.indptr[row]] = 4
        for verb in (plain.learn_many, plain.predict_learn_many):
            with pytest.raises(ValueError, match="not in its shape"):
                verb(outside, y)
        assert dumps(plain) == before


@pytest.mark.parametrize("index", [np.int32, np.int64, np.uint16])
def test_columns_of_a_sparse_matrix(index):
    """Falling, repeated and missing columns are found wherever they stand."""
    rng = np.random.default_rng(6)
    for _ in range(60):
        n_columns = int(rng.integers(1, 40))
        lengths = rng.integers(0, min(n_columns, 12) + 1, size=rng.integers(1, 12))
        starts = np.concatenate([[0], np.cumsum(lengths)])
        columns = np.concatenate(
            [np.sort(rng.choice(n_columns, n, replace=False)) for n in lengths]
        ).astype(index)
        values = rng.normal(size=len(columns))
        matrix = Csr((len(lengths), n_columns), starts, columns, values)
        y = np.arange(len(lengths)) % 2
        expected = LogisticRegression()
        expected.learn_many(rows_of(matrix), y)
        assert_same_scores(expected, matrix, y)
        if len(columns):
            turned = matrix._replace(
                indices=np.concatenate([columns[a:b][::-1] for a, b in pairwise(starts)]),
                data=np.concatenate([values[a:b][::-1] for a, b in pairwise(starts)]),
            )
            assert_same_scores(expected, turned, y)
            at = int(rng.integers(len(columns)))
            outside = columns.copy()
            outside[at] = n_columns
            with pytest.raises(ValueError, match="not in its shape"):
                LogisticRegression().learn_many(matrix._replace(indices=outside), y)


def test_more_columns_than_32_bits():
    """Only hashing has room for them."""
    columns = np.array([1, 2**33, 5, 2**40 + 3, 5])
    X = Csr((3, 2**41), [0, 2, 3, 5], columns, np.arange(1.0, 6.0))
    y = [True, False, True]
    hashed, by_name = PAClassifier(hash_bits=6), PAClassifier(hash_bits=6)
    hashed.learn_many(X, y)
    by_name.learn_many(rows_of(X), y)
    assert hashed.weights == by_name.weights
    assert hashed.score_many(X).tolist() == by_name.score_many(rows_of(X)).tolist()
    with pytest.raises(ValueError, match=r"row 0: feature 8589934592 is nan"):
        hashed.learn_many(X._replace(data=np.array([1.0, np.nan, 1.0, 1.0, 1.0])), y)
    few = np.array([1, 4, 5, 3, 5])
    for model in (PAClassifier(), GaussianNB()):
        for matrix in (X, X._replace(indices=few)):
            with pytest.raises(ValueError, match=r": X has [\d,]+ columns; .* hash_bits"):
                model.learn_many(matrix, y)
    for model in (PAClassifier(), hashed):
        with pytest.raises(ValueError, match="not in its shape"):
            model.learn_many(X._replace(shape=(3, 2**40)), y)
    assert hashed.weights == by_name.weights


class Csr:
    """Anything with the attributes of a CSR matrix will do."""

    def __init__(self, shape, indptr, indices, data):
        self.shape, self.indptr, self.indices, self.data = shape, indptr, indices, data

    def _replace(self, **changed):
        return Csr(**{**self.__dict__, **changed})


def rows_of(m):
    return [
        {int(c): float(v) for c, v in zip(m.indices[a:b], m.data[a:b], strict=True)}
        for a, b in pairwise(m.indptr)
    ]


def assert_same_scores(expected, matrix, y):
    model = LogisticRegression()
    model.learn_many(matrix, y)
    rows = rows_of(matrix)
    np.testing.assert_allclose(
        model.score_many(rows), expected.score_many(rows), rtol=1e-12, atol=1e-14
    )


def test_no_memory_for_a_block() -> None:
    """Rows of a matrix are copied block by block, and here each block needs more memory than the
    one before. Where there is none, the message says what was learned; the rest can be learned
    then."""
    testcapi = pytest.importorskip("_testcapi")
    rng = np.random.default_rng(0)
    columns = [rng.permutation(64)[: 4 + i // 20] for i in range(1000)]
    starts = np.cumsum([0, *map(len, columns)], dtype=np.int32)
    flat = np.concatenate(columns).astype(np.int32)
    X = sp.csr_array((rng.normal(size=len(flat)), flat, starts), shape=(1000, 64))
    y = rng.integers(2, size=1000)
    calm = LogisticRegression(labels=[0, 1], scale=None)
    calm.learn_many(X, y)
    told = set()
    for k in range(1500):
        model = LogisticRegression(labels=[0, 1], scale=None)
        testcapi.set_nomemory(k, k + 1)
        try:
            model.learn_many(X, y)
            row = 1000
        except MemoryError as error:
            row = int(str(error).split("row ")[1].split(":")[0]) if "row" in str(error) else 0
            told.add(row)
        except SystemError:  # NumPy's own answer, in places
            continue
        finally:
            testcapi.remove_mem_hooks()
        if row == 1000:  # there were not so many requests
            break
        assert model.seen == row
        model.learn_many(X[row:], y[row:])
        assert dumps(model) == dumps(calm), k
    assert len(told) > 2
