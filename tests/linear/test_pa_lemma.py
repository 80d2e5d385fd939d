"""The lemma behind every passive-aggressive bound, for all tasks (spec 2): for any fixed u,

sum_t tau_t (2 l_t - tau_t q_t - 2 l*_t) <= |u - w_1|^2,

with tau_t as the learner moved, l_t its loss before and l*_t that of u on the same constraint.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onstream.linear import (
    CostSensitivePA,
    PAClassifier,
    PAMultilabel,
    PARegressor,
    PAUniclass,
    StructuredPA,
)

from ..oracles.side_by_side import blocks, quick, rows

variants = st.sampled_from(["PA", "PA-I", "PA-II"])
Cs = st.sampled_from([0.01, 0.1, 0.3, 2.0, 10.0])
LABELS = [0, 1, 2, 3]


def assert_lemma(terms, distance):
    """terms: (tau, loss, q, loss of u)."""
    found = sum(tau * (2.0 * loss - tau * q - 2.0 * star) for tau, loss, q, star in terms)
    size = sum(tau * (2.0 * loss + tau * q + 2.0 * star) for tau, loss, q, star in terms)
    assert found <= distance + 1e-9 * (1.0 + size)


def moved(before, after, direction):
    """How far along `direction` (a row, or one per label) the weights went; nowhere else."""
    change, q = after - before, np.sum(direction**2)
    if q == 0.0:
        assert not change.any()
        return 0.0
    tau = np.sum(change * direction) / q
    tiny = 1e-9 * (1.0 + np.abs(after).max() + np.abs(before).max())
    np.testing.assert_allclose(change, tau * direction, atol=tiny)
    assert tau >= -tiny
    return tau


@quick
@given(blocks(), st.integers(0, 10_000), variants, Cs)
def test_binary(X, seed, variant, C):
    rng, d = np.random.default_rng(seed), X.shape[1]
    u, y = rng.normal(size=d), rng.choice([-1, 1], len(X))
    model = PAClassifier(variant=variant, C=C, intercept=False, labels=[-1, 1])
    terms = []
    for x, label in zip(X, y.tolist(), strict=True):
        loss, before = max(0.0, 1.0 - label * model.score_one(x)), weights(model, d)
        model.learn_one(x, label)
        tau = moved(before, weights(model, d), label * x)
        terms.append((tau, loss, x @ x, max(0.0, 1.0 - label * (u @ x))))
    assert_lemma(terms, u @ u)


def weights(model, d):
    return np.array([model.weights.get(i, 0.0) for i in range(d)])


@quick
@given(blocks(), st.integers(0, 10_000), variants, Cs, st.sampled_from([0.0, 0.1, 1.0]))
def test_regression(X, seed, variant, C, epsilon):
    rng, d = np.random.default_rng(seed), X.shape[1]
    u = rng.normal(size=d)
    y = X @ u + rng.normal(size=len(X))
    model = PARegressor(variant=variant, C=C, epsilon=epsilon, intercept=False)
    terms = []
    for x, target in zip(X, y.tolist(), strict=True):
        error, before = target - model.predict_one(x), weights(model, d)
        model.learn_one(x, target)
        tau = moved(before, weights(model, d), np.sign(error) * x)
        star = max(0.0, abs(target - u @ x) - epsilon)
        terms.append((tau, max(0.0, abs(error) - epsilon), x @ x, star))
    assert_lemma(terms, u @ u)


@quick
@given(blocks(), st.integers(0, 10_000), variants, Cs, st.sampled_from([0.0, 0.3]))
def test_uniclass(X, seed, variant, C, epsilon):
    u = np.random.default_rng(seed).normal(size=X.shape[1])
    model = PAUniclass(variant=variant, C=C, epsilon=epsilon)
    center, terms = np.zeros(X.shape[1]), []
    for x in X:
        away = x - center
        distance = np.linalg.norm(away)
        model.learn_one(x)
        new = np.array([model.center[i] for i in range(X.shape[1])])
        tau = moved(center, new, away / distance) if distance > 0.0 else 0.0
        star = max(0.0, np.linalg.norm(x - u) - epsilon)
        terms.append((tau, max(0.0, distance - epsilon), 1.0, star))
        center = new
    assert_lemma(terms, u @ u)


@quick
@given(blocks(), st.integers(0, 10_000), variants, Cs)
def test_multilabel(X, seed, variant, C):
    rng, d = np.random.default_rng(seed), X.shape[1]
    U = rng.normal(size=(4, d))
    model = PAMultilabel(variant=variant, C=C, intercept=False, labels=LABELS)
    terms = []
    for x in X:
        y = {r for r in LABELS if rng.random() < 0.5}
        scores, before = model.score_one(x), rows(model, d)
        model.learn_one(x, y)
        if not 0 < len(y) < 4:
            np.testing.assert_array_equal(rows(model, d), before)
            continue
        up = min((r for r in LABELS if r in y), key=scores.__getitem__)
        down = max((r for r in LABELS if r not in y), key=scores.__getitem__)
        direction = np.zeros((4, d))
        direction[up], direction[down] = x, -x
        tau = moved(before, rows(model, d), direction)
        loss = max(0.0, 1.0 - (scores[up] - scores[down]))
        terms.append((tau, loss, 2.0 * (x @ x), max(0.0, 1.0 - np.sum(U * direction))))
    assert_lemma(terms, np.sum(U**2))


def price(y, r):
    return float((y - r) ** 2) + (y > r)


@quick
@given(blocks(), st.integers(0, 10_000), variants, Cs, st.sampled_from(["prediction", "max-loss"]))
def test_cost_sensitive(X, seed, variant, C, mode):
    rng, d = np.random.default_rng(seed), X.shape[1]
    U, y = rng.normal(size=(4, d)), rng.integers(0, 4, len(X))
    model = CostSensitivePA(
        cost=price, mode=mode, variant=variant, C=C, intercept=False, labels=LABELS
    )
    terms = []
    for x, label in zip(X, y.tolist(), strict=True):
        scores, before = model.score_one(x), rows(model, d)
        roots = {r: np.sqrt(price(label, r)) if r != label else 0.0 for r in LABELS}
        gains = {r: scores[r] - scores[label] + roots[r] for r in LABELS}
        wrong = max(LABELS, key=(scores if mode == "prediction" else gains).__getitem__)
        model.learn_one(x, label)
        if wrong == label or gains[wrong] <= 0.0:
            np.testing.assert_array_equal(rows(model, d), before)
            continue
        direction = np.zeros((4, d))
        direction[label], direction[wrong] = x, -x
        tau = moved(before, rows(model, d), direction)
        star = max(0.0, roots[wrong] - np.sum(U * direction))
        terms.append((tau, max(0.0, gains[wrong]), 2.0 * (x @ x), star))
    assert_lemma(terms, np.sum(U**2))


def phi(x, y):
    """Features of a sequence of tags: each position's number with its tag, and the changes."""
    found = {}
    for value, tag in zip(x, y, strict=True):
        found[f"tag {tag}"] = found.get(f"tag {tag}", 0.0) + float(value)
    for one, two in pairwise(y):
        found[f"{one} then {two}"] = found.get(f"{one} then {two}", 0.0) + 1.0
    return found


def all_tags(x):
    return [tuple((code >> i) & 1 for i in range(len(x))) for code in range(2 ** len(x))]


def hamming(y, r):
    return float(sum(a != b for a, b in zip(y, r, strict=True)))


def best(x, score):
    return max(all_tags(x), key=lambda y: score(phi(x, y)))


def worst(x, score, y):
    prices = (lambda r: 0.0) if y is None else (lambda r: np.sqrt(hamming(y, r)))
    return max(all_tags(x), key=lambda r: score(phi(x, r)) + prices(r))


@pytest.mark.parametrize("mode", ["prediction", "max-loss"])
@quick
@given(blocks(most_rows=8, most_columns=3), st.integers(0, 10_000), variants, Cs)
def test_structures(mode, X, seed, variant, C):
    rng = np.random.default_rng(seed)
    argmax = best if mode == "prediction" else worst
    model = StructuredPA(features=phi, argmax=argmax, cost=hamming, mode=mode, variant=variant, C=C)
    names = [f"tag {t}" for t in (0, 1)] + [f"{a} then {b}" for a in (0, 1) for b in (0, 1)]
    u = rng.normal(size=len(names))

    def vector(features):
        return np.array([features.get(name, 0.0) for name in names])

    terms = []
    for x in X:
        y = tuple(rng.integers(0, 2, len(x)).tolist())
        w = vector(model.weights)
        score = model._model.value
        wrong = best(x, score) if mode == "prediction" else worst(x, score, y)
        model.learn_one(x, y)
        direction = vector(phi(x, y)) - vector(phi(x, wrong))
        loss = max(0.0, np.sqrt(hamming(y, wrong)) - w @ direction)
        star = max(0.0, np.sqrt(hamming(y, wrong)) - u @ direction)
        if wrong == y or loss == 0.0 or not direction.any():
            continue
        tau = moved(w, vector(model.weights), direction)
        terms.append((tau, loss, direction @ direction, star))
    assert_lemma(terms, u @ u)
