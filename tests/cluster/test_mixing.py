"""Parameter mixing: rounds send what was learned since the last mix, so nothing counts twice."""

import numpy as np
import pytest

import onstream.linear as linear
from onstream.base.errors import NotMergeable
from onstream.cluster import train
from onstream.cluster.mixing import kind_of, next_mix, put_together, since
from onstream.features import Imputer, MinMaxScaler, Select, StandardScaler
from onstream.persist.format import dumps, loads

ROWS = 900
GENERATOR = np.random.default_rng(8)
X = GENERATOR.normal(size=(ROWS, 5)) * [1.0, 8.0, 0.2, 1.0, 2.0] + [0.0, 3.0, 1.0, -5.0, 0.0]
TRUTH = X @ [1.0, -0.3, 4.0, 0.5, 0.0] + 1.0
TWO = TRUTH > 8.0
THREE = np.array(["low", "mid", "high"])[np.digitize(TRUTH, [-2.0, 2.0])]

LEARNERS = [
    (linear.Perceptron(), TWO),
    (linear.Perceptron(), THREE),
    (linear.ShiftingPerceptron(), TWO),
    (linear.PAClassifier(C=0.1), TWO),
    (linear.PAClassifier(C=0.1), THREE),
    (linear.PARegressor(scale=None), TRUTH),
    (linear.LogisticRegression(scale=None), TWO),
    (linear.LogisticRegression(scale=None), THREE),
    (linear.LogisticRegression(hash_bits=4), THREE),
    (linear.SGDClassifier(average=True), TWO),
    (linear.SGDClassifier(l1=0.001), THREE),
    (linear.SGDClassifier(schedule="adagrad"), THREE),
    (linear.SGDClassifier(batch_size=8), TWO),
    (linear.SGDRegressor(schedule="adagrad"), TRUTH),
    (linear.FOBOS(), TWO),
    (linear.TruncatedGradient(), TWO),
    (linear.FTRLProximal(), TWO),
    (linear.FTRLProximal(l1=0.5), THREE),
    (linear.RDA(l1=0.0), THREE),
    (linear.AROW(), THREE),
    (linear.SCW(), TWO),
    (linear.ALMA(), TWO),
    (linear.LMS(eta=0.001), TRUTH),
    (StandardScaler() | linear.LogisticRegression(), THREE),
    (StandardScaler() | linear.FTRLProximal(), TWO),
    (MinMaxScaler() | linear.PAClassifier(), TWO),
    (Imputer() | linear.AROW(), TWO),
    (Select(0, 2) | linear.PAClassifier(), TWO),
]


@pytest.mark.parametrize(("learner", "y"), LEARNERS, ids=lambda v: str(v)[:60])
def test_rounds_of_one_worker_are_one_pass(learner, y):
    """What is taken away before a mix and added after it leaves everything as it was."""
    one = learner.clone()
    one.learn_many(X, y)
    mixed = train(learner.clone(), (X, y), "local", workers=1, mix_every=100)
    assert mixed.seen == one.seen
    np.testing.assert_allclose(
        scores(mixed, one.labels if hasattr(one, "labels") else None),
        scores(one, None),
        rtol=1e-6,
        atol=1e-8,
    )


def scores(model, labels):
    if not hasattr(model, "score_many"):
        return model.predict_many(X)
    found = model.score_many(X)
    assert labels is None or model.labels == labels
    return found


@pytest.mark.parametrize(
    ("learner", "y", "fields"),
    [
        (linear.SGDClassifier(schedule="adagrad"), TWO, ["squares", "bias_squares"]),
        (linear.FTRLProximal(), TWO, ["n", "bias_n"]),
        (linear.RDA(), TWO, ["t"]),
        (linear.SGDClassifier(average=True), TWO, ["averaged", "total"]),
        (linear.Perceptron(), TWO, ["updates"]),
    ],
)
def test_sums_count_once(learner, y, fields):
    """After a round of two workers a sum is that of the mix plus what each of them added."""
    base = learner.clone()
    base.learn_many(X[:300], y[:300])
    workers = []
    for part in (slice(300, 500), slice(500, 900)):
        worker = loads(dumps(base))
        worker.learn_many(X[part], y[part])
        workers.append(worker)
    start = dumps(base)
    sent = [since(worker, start, "mixing") for worker in workers]
    mix = loads(next_mix(start, put_together(*sent), "mixing"))
    assert mix.seen == 900
    before, after = base._snapshot(), mix._snapshot()
    for name in fields:
        added = [np.asarray(worker._snapshot()[name]) - before[name] for worker in workers]
        if name == "total":  # of averages, weighted by what each has seen
            continue
        np.testing.assert_allclose(after[name], before[name] + sum(added), rtol=1e-9)
    if not hasattr(base, "average") and "weights" in after:
        w = [worker._snapshot()["scale"] * worker._snapshot()["weights"] for worker in workers]
        np.testing.assert_allclose(after["weights"], (200 * w[0] + 400 * w[1]) / 600, rtol=1e-9)


@pytest.mark.parametrize("workers", [1, 2])
def test_weights_of_a_feature_that_did_not_vary_in_a_round_are_the_mean_of_the_workers(workers):
    model = linear.LogisticRegression(scale="auto")
    model.learn_many([{"a": v, "b": v % 3} for v in range(60)], [v > 30 for v in range(60)])
    rows = [{"a": 45.0 + v % 2, "b": 1.0} for v in range(40)]  # b is constant
    truth = [True] * 20 + [False] * 20
    learned = []
    for at in range(0, 40, 40 // workers):
        worker = loads(dumps(model))
        worker.learn_many(rows[at : at + 40 // workers], truth[at : at + 40 // workers])
        learned.append(worker.weights["b"])
    train(model, (rows, truth), "local", workers, mix_every=40)
    assert model.seen == 100
    assert abs(np.mean(learned)) > 0.01
    assert model.weights["b"] == pytest.approx(np.mean(learned), rel=1e-9)


def test_scales_are_those_of_all_rows():
    model = linear.LogisticRegression(scale="auto")
    train(model, (X[:200], TWO[:200]), "local", 4, mix_every=10)
    scales = model._snapshot()["steps"]["0"]["scales"]
    np.testing.assert_allclose(scales[0], 200.0)
    np.testing.assert_allclose(scales[1], X[:200].mean(axis=0), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(scales[2], X[:200].var(axis=0) * 200, rtol=1e-9)


def test_features_and_labels_that_only_some_workers_meet():
    rows = [{"a": 1.0}, {"b": 1.0}, {"a": 1.0, "c": "x"}, {"b": 2.0}]
    labels = ["no", "yes", "no", "maybe"]
    shards = [([row] * 30, [label] * 30) for row, label in zip(rows, labels, strict=True)]
    model = train(linear.PAClassifier(), shards, "local", workers=4, mix_every=5)
    assert sorted(model.labels) == ["maybe", "no", "yes"]
    assert model.seen == 120
    assert model.predict_one({"a": 1.0}) == "no"


def test_energy_weighs_each_weight_by_its_squares():
    parts = []
    for column, sign in ((0, 1.0), (1, -1.0)):
        worker = linear.SGDClassifier(schedule="adagrad", eta=0.5, intercept=False)
        rows = np.zeros((50, 2))
        rows[:, column] = 1.0
        rows[:, 1 - column] = 1e-3
        worker.learn_many(rows, np.full(50, sign > 0))
        parts.append(worker)
    fields = [worker._snapshot() for worker in parts]
    mixed = loads(put_together(*map(dumps, parts), "energy"))._snapshot()
    squares = [f["squares"] for f in fields]
    expected = sum(g * f["weights"] for g, f in zip(squares, fields, strict=True)) / sum(squares)
    np.testing.assert_allclose(mixed["weights"], expected, rtol=1e-9)
    by_rows = loads(put_together(*map(dumps, parts), "rows"))._snapshot()
    assert not np.allclose(mixed["weights"], by_rows["weights"])


def test_kinds():
    from onstream.bayes import GaussianNB
    from onstream.tree import HoeffdingTreeClassifier

    assert kind_of(GaussianNB()) == "exact"
    assert kind_of(linear.LogisticRegression()) == "mixing"
    assert kind_of(StandardScaler() | GaussianNB()) == "once"
    with pytest.raises(NotMergeable, match="cannot be trained in shards"):
        train(HoeffdingTreeClassifier(), (X, TWO), "local")


def test_a_pipeline_that_cannot_be_told_apart_meets_once():
    from onstream.bayes import GaussianNB

    mixes = []
    model = train(
        StandardScaler() | GaussianNB(), (X, TWO), "local", 3, mix_every=10, on_mix=mixes.append
    )
    assert len(mixes) == 1
    assert model.seen == ROWS


def test_many_workers_come_close_to_one():
    one = linear.LogisticRegression(scale="auto")
    one.learn_many(X, TWO)
    many = train(linear.LogisticRegression(scale="auto"), (X, TWO), "local", 8, mix_every=20)
    assert (many.predict_many(X) == TWO).mean() > (one.predict_many(X) == TWO).mean() - 0.01
