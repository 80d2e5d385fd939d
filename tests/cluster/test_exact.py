"""Exact merges: over any split into shards the result is that of one pass."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onstream.bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from onstream.cluster import train
from onstream.evaluate import F1, MAE, R2, RMSE, Accuracy, Kappa
from onstream.features import MinMaxScaler, StandardScaler
from onstream.linear import RLS

ROWS = 120
X = np.random.default_rng(3).normal(size=(ROWS, 4)) * [1.0, 5.0, 0.1, 1.0] + [0.0, 3.0, 1.0, 9.0]
LABELS = np.array(["a", "b", "c"])[np.random.default_rng(4).integers(0, 3, ROWS)]
COUNTS = np.random.default_rng(5).integers(0, 4, size=(ROWS, 4)).astype(float)
NUMBERS = X @ [1.0, -2.0, 0.5, 0.1] + 3.0

splits = st.lists(st.integers(0, ROWS), max_size=6).map(lambda cuts: [0, *sorted(cuts), ROWS])


def parts(cuts, *columns):
    ends = itertools.pairwise(cuts)
    return [tuple(column[a:b] for column in columns) for a, b in ends if b > a]


def numbers(value):
    """All numbers of an exported state, in the order of its fields."""
    if isinstance(value, dict):
        return [n for name in sorted(value) for n in numbers(value[name])]
    if isinstance(value, (list, str)) or value is None:
        return []
    return np.ravel(np.asarray(value, dtype=float)).tolist()


@pytest.mark.parametrize(
    ("learner", "rows", "targets"),
    [
        (GaussianNB(), X, LABELS),
        (MultinomialNB(), COUNTS, LABELS),
        (BernoulliNB(), COUNTS, LABELS),
        (CategoricalNB(), COUNTS, LABELS),
        (RLS(lam=0.5), X, NUMBERS),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "clone") else "",
)
@settings(max_examples=12, deadline=None)
@given(cuts=splits, workers=st.integers(1, 4), mix_every=st.sampled_from([None, 7, 50]))
def test_shards_amount_to_one_pass(learner, rows, targets, cuts, workers, mix_every):
    one = learner.clone()
    one.learn_many(rows, targets)
    shards = parts(cuts, rows, targets)
    many = train(learner.clone(), shards, engine="local", workers=workers, mix_every=mix_every)
    assert many.seen == one.seen == ROWS
    if hasattr(one, "predict_proba_many"):  # labels come in another order
        order = [many.labels.index(label) for label in one.labels]
        np.testing.assert_allclose(
            many.predict_proba_many(rows)[:, order], one.predict_proba_many(rows), atol=1e-9
        )
    else:
        np.testing.assert_allclose(many.predict_many(rows), one.predict_many(rows), atol=1e-9)


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler()])
@settings(max_examples=12, deadline=None)
@given(cuts=splits, workers=st.integers(1, 4))
def test_scalers(scaler, cuts, workers):
    one = scaler.clone()
    one.learn_many(X)
    many = train(scaler.clone(), parts(cuts, X, X[:, 0]), "local", workers)
    mine, other = one._snapshot()["stats"], many._snapshot()["stats"]
    np.testing.assert_array_equal(other[:, 0], mine[:, 0])  # counts
    np.testing.assert_allclose(other, mine, rtol=1e-9, atol=1e-9)


@settings(max_examples=12, deadline=None)
@given(cuts=splits, workers=st.integers(1, 4))
def test_metrics_are_merged(cuts, workers):
    shards = parts(cuts, X, LABELS)
    metrics = [Accuracy(), Kappa(), F1(average="macro")]
    train(GaussianNB(), shards, "local", workers, mix_every=None, metrics=metrics)
    expected = [metric.clone() for metric in metrics]
    for k in range(workers):  # each worker predicts with what it has learned itself
        model = GaussianNB()
        for rows, labels in shards[k::workers]:
            answers = model.predict_learn_many(rows, labels)
            for metric in expected:
                metric.update_many(labels, answers)
    assert [m.n for m in metrics] == [ROWS] * 3
    for found, wanted in zip(metrics, expected, strict=True):
        assert found.value == pytest.approx(wanted.value, abs=1e-12)


def test_metrics_of_numbers_and_a_metric_that_has_counted_before():
    metrics = [MAE(), RMSE(), R2()]
    for metric in metrics:
        metric.update(1.0, 2.0)
    train(RLS(), [(X[:60], NUMBERS[:60]), (X[60:], NUMBERS[60:])], "local", metrics=metrics)
    expected = MAE()
    expected.update(1.0, 2.0)
    for part in (slice(60), slice(60, None)):
        expected.update_many(NUMBERS[part], RLS().predict_learn_many(X[part], NUMBERS[part]))
    assert [metric.n for metric in metrics] == [ROWS + 1] * 3
    assert metrics[0].value == pytest.approx(expected.value)


def test_an_exact_learner_is_judged_with_the_mix():
    metric = Accuracy()
    train(GaussianNB(), (X, LABELS), "local", 2, mix_every=20, metrics=metric)
    mix, expected = GaussianNB(), Accuracy()
    for i in range(0, ROWS // 2, 20):
        news = GaussianNB()
        for start in (i, ROWS // 2 + i):
            rows = slice(start, start + 20)
            judged = GaussianNB(init=mix)
            expected.update_many(LABELS[rows], judged.predict_learn_many(X[rows], LABELS[rows]))
            news.learn_many(X[rows], LABELS[rows])
        mix.merge(news)
    assert metric.value == expected.value
    assert metric.n == ROWS


def test_it_goes_on_from_what_the_model_knows():
    model = GaussianNB()
    model.learn_many(X[:40], LABELS[:40])
    train(model, (X[40:], LABELS[40:]), "local", 2, mix_every=15)
    one = GaussianNB()
    one.learn_many(X, LABELS)
    assert model.seen == ROWS
    np.testing.assert_allclose(numbers(model._snapshot()), numbers(one._snapshot()), atol=1e-9)
