"""Streams, and the comparison of a learner with its reference after every example."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

KINDS = ("dict", "dense")

quick = settings(deadline=None, max_examples=60)


# -- examples in the form a learner takes ---------------------------------------------------------


def names(d, kind):
    return list(range(d)) if kind == "dense" else [f"x{i}" for i in range(d)]


def form(x, kind):
    """A row as a learner takes it; a mapping leaves out what is 0."""
    x = np.asarray(x, dtype=float)
    if kind == "dense":
        return x
    return {name: float(v) for name, v in zip(names(len(x), kind), x, strict=True) if v != 0.0}


# -- what a learner knows, as arrays --------------------------------------------------------------


def rows(model, d, kind="dense"):
    """Weights of a linear model by its public views: a row per label, the intercept last."""
    weights, bias = model.weights, model.bias
    if not isinstance(bias, dict):
        weights, bias = {None: weights}, {None: bias}
    found = [[weights[y].get(name, 0.0) for name in names(d, kind)] for y in weights]
    if model.intercept:
        for row, y in zip(found, weights, strict=True):
            row.append(bias[y])
    return np.array(found)


def scores(model, x, kind="dense"):
    found = model.score_one(form(x, kind))
    return np.array(list(found.values()) if isinstance(found, dict) else [found])


def covariance(model, d, kind="dense"):
    """P of an RLS model in the order of the features, the intercept last."""
    P = np.eye(d + model.intercept) / model.lam
    order = names(d, kind)
    known = [order.index(name) for name in model.weights]
    at = [d, *known] if model.intercept else known
    P[np.ix_(at, at)] = model.P
    return P


# -- the comparison -------------------------------------------------------------------------------


def follow(model, oracle, stream, kind, rel=1e-12):
    """Learn (x, y, weight) side by side; scores and weights agree at every step.

    Differences are relative to the largest terms that have gone into a number.
    """
    largest = 0.0
    for t, (x, y, weight) in enumerate(stream):
        expected = oracle.scores(x)
        terms = np.sum(np.abs(oracle.extended(x)))
        difference = np.max(np.abs(scores(model, x, kind) - expected))
        assert difference <= rel * largest * terms, f"scores differ by {difference} at step {t}"
        model.learn_one(form(x, kind), y, weight)
        oracle.learn(x, y, weight)
        largest = max(largest, np.max(np.abs(oracle.W)))
        found = rows(model, len(x), kind)
        assert found.shape == oracle.W.shape
        difference = np.max(np.abs(found - oracle.W))
        assert difference <= rel * largest, f"weights differ by {difference} after step {t}"
        assert model.seen == oracle.seen


# -- random streams -------------------------------------------------------------------------------


def sparse_rows(rng, n, d, density=0.7):
    return rng.normal(size=(n, d)) * (rng.random((n, d)) < density)


def labelled(rng, n, d, labels, noise=0.3, weighted=False):
    """A list of (x, y, weight): the label is the best of random linear scores, with noise."""
    X = sparse_rows(rng, n, d)
    truth = rng.normal(size=(d, len(labels)))
    best = np.argmax(X @ truth + noise * rng.normal(size=(n, len(labels))), axis=1)
    return list(zip(X, [labels[r] for r in best], importances(rng, n, weighted), strict=True))


def measured(rng, n, d, noise=0.1, weighted=False):
    """A list of (x, y, weight): a linear function with noise."""
    X = sparse_rows(rng, n, d)
    y = X @ rng.normal(size=d) + 0.5 + noise * rng.normal(size=n)
    return list(zip(X, y.tolist(), importances(rng, n, weighted), strict=True))


def importances(rng, n, weighted):
    choices = [0.0, 0.25, 1.0, 3.0] if weighted else [1.0]
    return rng.choice(choices, size=n).tolist()


# -- hypothesis -----------------------------------------------------------------------------------


def eighths(shape, limit=4):
    """Arrays of multiples of 1/8 up to `limit`: sums of their products are exact."""
    whole = hnp.arrays(np.int64, shape, elements=st.integers(-8 * limit, 8 * limit))
    return whole.map(lambda a: a / 8.0)


@st.composite
def blocks(draw, most_rows=20, most_columns=4, limit=4):
    shape = (draw(st.integers(1, most_rows)), draw(st.integers(1, most_columns)))
    return draw(eighths(shape, limit))


@st.composite
def signed_blocks(draw, **size):
    """X, y with y in {-1, +1}."""
    X = draw(blocks(**size))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=len(X), max_size=len(X)))
    return X, np.array(y)


@st.composite
def separable_blocks(draw, **size):
    """X, y, u with y u.x >= 1 for all rows."""
    X = draw(blocks(**size))
    u = draw(eighths(X.shape[1]))
    margins = X @ u
    kept = margins != 0.0
    X, margins = X[kept], margins[kept]
    if len(X) == 0:
        X, u, margins = np.ones((1, X.shape[1])), np.ones(X.shape[1]), np.array([X.shape[1]])
    return X, np.where(margins > 0.0, 1, -1), u / np.min(np.abs(margins))


@st.composite
def multiclass_blocks(draw, k=4, **size):
    """X, y with y in 0 ... k-1."""
    X = draw(blocks(**size))
    y = draw(st.lists(st.integers(0, k - 1), min_size=len(X), max_size=len(X)))
    return X, np.array(y)
