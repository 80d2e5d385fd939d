import copy
import math
import pickle
import threading

import numpy as np
import pytest

from onstream.base import Classifier, DataWarning, Learner, NotMergeable, Regressor
from onstream.bayes import CategoricalNB, GaussianNB, MultinomialNB
from onstream.evaluate import prequential
from onstream.features import (
    BagOfWords,
    FeatureHasher,
    Imputer,
    MinMaxScaler,
    Pipeline,
    RandomFourierFeatures,
    Select,
    StandardScaler,
    Transformer,
    Union,
)
from onstream.kernel import RBF, KernelPARegressor, KernelPerceptron
from onstream.linear import (
    AROW,
    CW,
    RLS,
    FTRLProximal,
    LogisticRegression,
    PAClassifier,
    Perceptron,
    SGDClassifier,
    SGDRegressor,
)
from onstream.persist import dumps, loads
from onstream.tree import HoeffdingTreeClassifier


def data(n=500):
    random = np.random.default_rng(0)
    X = random.normal([0.0, 1000.0], [0.01, 300.0], size=(n, 2))
    return X, (X[:, 0] * 100 + (X[:, 1] - 1000) / 300 > 0).astype(int)


def test_a_pipeline_is_what_its_last_step_is():
    assert isinstance(StandardScaler() | PAClassifier(), Classifier)
    assert not hasattr(StandardScaler() | PAClassifier(), "predict_proba_one")
    assert (StandardScaler() | LogisticRegression()).predict_proba_one({"a": 1}) == {}
    assert isinstance(StandardScaler() | RLS(), Regressor)
    assert isinstance(StandardScaler() | MinMaxScaler(), Transformer)
    for model in (StandardScaler() | RLS(), StandardScaler() | MinMaxScaler()):
        assert isinstance(model, Pipeline)
        assert type(model).__name__ == "Pipeline"


def test_operators():
    a, b, c = StandardScaler(), MinMaxScaler(), PAClassifier()
    assert repr(a | b | c) == repr(a | (b | c)) == repr(Pipeline(a, b, c))
    assert (
        repr(Pipeline(steps=[a, b, c]))
        == "Pipeline(StandardScaler(), MinMaxScaler(), PAClassifier())"
    )
    assert repr(a + b + a) == "Union(StandardScaler(), MinMaxScaler(), StandardScaler())"
    assert isinstance((a + b) | c, Classifier)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pipeline(), "at least one"),
        (lambda: Pipeline(PAClassifier(), StandardScaler()), "must be transformers"),
        (lambda: Pipeline(3), "not a learner"),
        (lambda: Pipeline(steps=3), "a list"),
        (
            lambda: Pipeline([StandardScaler(), PAClassifier()]),
            r"^Pipeline: .* one by one, Pipeline\(a, b\) or a \| b, got a list\.$",
        ),
        (
            lambda: Pipeline(("scale", StandardScaler()), ("learn", PAClassifier())),
            "one by one.* got a tuple",
        ),
        (lambda: Union([StandardScaler()]), r"one by one, Union\(a, b\) or a \+ b, got a list"),
        (lambda: Union(PAClassifier()), "must be a transformer"),
        (lambda: StandardScaler() | PAClassifier(hash_bits=4), "FeatureHasher"),
        (lambda: StandardScaler() | BagOfWords(), "BagOfWords: it must be the first step"),
        (
            lambda: BagOfWords() | GaussianNB(categorical=["a"]),
            "Pipeline: GaussianNB takes numbers as nominal",
        ),
        (
            lambda: FeatureHasher() | HoeffdingTreeClassifier(nominal=["a"]),
            "Pipeline: HoeffdingTreeClassifier takes numbers as nominal",
        ),
        (lambda: FeatureHasher(hash_bits=23) | Union(MinMaxScaler()), "hash to fewer slots"),
        (lambda: Union(FeatureHasher(hash_bits=31)), "2,147,483,648 features .* fewer slots"),
        (lambda: StandardScaler() | 3, "unsupported operand"),
        (lambda: StandardScaler() | Own(), "Own is no learner of onstream.*transform_one"),
        (lambda: StandardScaler() + PAClassifier(), "unsupported operand"),
    ],
)
def test_misuse(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


class Own:
    """A learner of a user."""

    def learn_one(self, x, y):
        """Learn nothing."""

    def predict_one(self, x):
        """Know nothing."""


def test_what_has_learned_is_not_taken():
    scaler = StandardScaler()
    scaler.learn_one({"a": 1.0})
    with pytest.raises(ValueError, match="already learned 1"):
        scaler | PAClassifier()


def test_scaling_helps_and_changes_no_template():
    X, y = data(3000)
    scaler, last = StandardScaler(), Perceptron()
    model = scaler | last
    scaled = (model.predict_learn_many(X, y) == y).mean()
    bare = (Perceptron().predict_learn_many(X, y) == y).mean()
    assert scaled > 0.9 > bare
    assert (scaler.seen, last.seen) == (0, 0)
    assert model.clone().seen == 0
    report = prequential([model.clone(), Perceptron()], (X, y))
    assert report.value("StandardScaler | Perceptron", "Accuracy") == pytest.approx(scaled)


@pytest.mark.parametrize(
    ("step", "join"),
    [
        (Select("a", "b"), "|"),
        (Select("a", "b"), "+"),
        (BagOfWords(on=["a", "b"], ngrams=(1, 2)), "|"),
        (Select("a", "b") + StandardScaler(), "|"),
        ((Select("a", "b") | StandardScaler()) + MinMaxScaler(), "|"),
        (Select("a", "b") | (Select("a", "b") + MinMaxScaler()), "|"),
        (Select("a", "b") | StandardScaler(), "+"),
    ],
    ids=str,
)
def test_a_pipeline_or_union_shares_no_list_with_its_parts(step, join):
    last = PAClassifier(labels=["x", "y"]) if join == "|" else MinMaxScaler()
    model = step | last if join == "|" else step + last
    before = repr(model), dumps(model)
    for part in (step, last):
        change_lists(part)
    assert (repr(model), dumps(model)) == before
    assert repr(model.clone()) == before[0]


def change_lists(value):
    """Append to every list that can be reached from a learner."""
    if isinstance(value, list):
        for item in value:
            change_lists(item)
        if all(isinstance(item, str) for item in value):
            value.append("c")
    elif isinstance(value, Learner):
        for own in vars(value).values():
            change_lists(own)


def test_declared_labels_and_promotion():
    X, _ = data(90)
    model = StandardScaler() | PAClassifier(labels=["x", "y"])
    assert model.labels == ["x", "y"]
    y = ["y", "x", "z"] * 30
    loop = model.clone()
    model.learn_many(X, y)
    for row, label in zip(X, y, strict=True):
        loop.learn_one(row, label)
    assert dumps(model) == dumps(loop)
    assert model.labels == ["x", "y", "z"]


def test_overflow_in_the_learner_is_undone_in_every_step():
    """The row is fine for the scalers, not for the learner."""
    model = (StandardScaler() + (Select("a") | MinMaxScaler())) | RLS(intercept=False)
    for i in range(20):
        model.learn_one({"a": float(i), "b": float(i % 3)}, float(i))
    before = dumps(model)
    with pytest.raises(ValueError, match="Pipeline: learning this example would overflow"):
        model.learn_one({"a": 3.0, "c": 1.0}, 1e308, 1e300)
    assert dumps(model) == before
    model.learn_one({"a": 3.0, "c": 1.0}, 1.0)


def test_merge_mixes():
    X, y = data(1000)
    left, right = (StandardScaler() | LogisticRegression() for _ in range(2))
    left.learn_many(X[:600], y[:600])
    right.learn_many(X[600:], y[600:])
    whole = StandardScaler() | LogisticRegression()
    whole.learn_many(X, y)
    left.merge(right)
    assert left.merge_kind == "mixing"
    assert left.seen == 1000
    assert (left.predict_many(X) == whole.predict_many(X)).mean() > 0.97
    hashed = [FeatureHasher(hash_bits=8) | PAClassifier() for _ in range(2)]
    for model in hashed:
        model.learn_many([{"a": 1}, {"b": 1}], ["x", "y"])
    score = hashed[0].score_one({"a": 1})
    hashed[0].merge(hashed[1])
    assert hashed[0].score_one({"a": 1}) == pytest.approx(score)


def test_threads_predict_while_one_learns():
    X, y = data(20_000)
    model = StandardScaler() | LogisticRegression()
    model.learn_many(X[:100], y[:100])
    bad, done = [], threading.Event()

    def ask():
        while not done.is_set():
            scores = model.score_many(X[:50])
            bad.extend(scores[~np.isfinite(scores)])

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    model.learn_many(X, y)
    done.set()
    for thread in threads:
        thread.join()
    again = StandardScaler() | LogisticRegression()
    again.learn_many(X[:100], y[:100])
    again.learn_many(X, y)
    assert not bad
    assert dumps(model) == dumps(again)


def test_union_names():
    both = StandardScaler() + MinMaxScaler()
    both.learn_many([{"a": 1.0}, {"a": 3.0}])
    assert both.transform_one({"a": 3.0}) == {"a": 1.0, "a.1": 1.0}


def test_members_can_be_looked_at():
    X, y = data()
    model = StandardScaler() | LogisticRegression()
    model.learn_many(X, y)
    last = model.members[-1]
    assert set(last.weights) == {0, 1}
    hashed = FeatureHasher(hash_bits=6) | PAClassifier()
    hashed.learn_many([{"a": 1}, {"b": 1}], ["x", "y"])
    assert len(hashed.members[-1].weights) == 64


def test_members_of_all_kinds():
    X, y = data()
    model = StandardScaler() | MinMaxScaler() | LogisticRegression()
    model.learn_many(X, y)
    scaler, minmax, last = model.members
    z = minmax.transform_one(scaler.transform_one(X[0]))
    assert last.score_one(z) == pytest.approx(model.score_one(X[0]))
    assert (scaler.seen, minmax.seen, last.seen) == (500, 500, 500)


def test_transformers_in_a_row_transform():
    """The first step's features have room, however many the pipeline makes of them."""
    both = Select("a", "c") | StandardScaler()
    rows = [{"a": 1.0, "b": 5.0, "c": 2.0}, {"a": 3.0, "b": 6.0, "c": 4.0}]
    both.learn_many(rows)
    assert both.transform_one(rows[1]) == {"a": 1.0, "c": 1.0}
    assert both.transform_many(rows) == [{"a": -1.0, "c": -1.0}, {"a": 1.0, "c": 1.0}]


def test_what_makes_features_may_end_in_a_union():
    """The last step is wired to what the others make."""
    steps = BagOfWords(on="text") | (StandardScaler() + MinMaxScaler())
    for text in ("to be or not", "to be to be"):
        steps.learn_one({"text": text})
    assert steps.transform_one({"text": "to be to"}) == {
        "to": 1.0,
        "be": -1.0,
        "to.1": 1.0,
        "be.1": 0.0,
    }
    hashed, by_hand = StandardScaler() | FeatureHasher(hash_bits=4), StandardScaler()
    for i in range(5):
        for each in (hashed, by_hand):
            each.learn_one({"a": 1.0 * i, "b": 2.0 * i * i})
    expected = FeatureHasher(hash_bits=4).transform_one(by_hand.transform_one({"a": 1.0, "b": 3.0}))
    assert hashed.transform_one({"a": 1.0, "b": 3.0}) == expected


@pytest.mark.parametrize(
    "part",
    [
        Select("a", "b") | RandomFourierFeatures(n_components=2),
        Select("a", "b") | FeatureHasher(hash_bits=2),
        Select("b") | (Select("a") + MinMaxScaler()),
    ],
    ids=repr,
)
def test_a_part_of_a_union_may_select_and_then_make(part):
    union, alone = part + StandardScaler(), part.clone()
    for each in (union, alone):
        each.learn_many([{"a": 1.0, "b": 2.0, "c": 3.0}, {"b": 5.0, "c": 4.0}])
    made, expected = (
        union.transform_one({"a": 2.0, "b": 1.0}),
        alone.transform_one({"a": 2.0, "b": 1.0}),
    )
    assert list(made.values())[: len(expected)] == list(expected.values())


@pytest.mark.parametrize(
    "model",
    [
        FeatureHasher(hash_bits=4) | (StandardScaler() + MinMaxScaler()) | PAClassifier(),
        RandomFourierFeatures(n_components=2) | Union(Union(Imputer())) | GaussianNB(),
        BagOfWords(hash_bits=4) | (Imputer() + MinMaxScaler()),
        StandardScaler() | LogisticRegression(labels=["x", "y"]),
    ],
    ids=repr,
)
def test_a_new_pipeline_can_be_copied_and_a_look_leaves_no_trace(model):
    before = dumps(model)
    for copied in (loads(before), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert dumps(copied) == before
    assert dumps(model.clone()) == before
    look = model.transform_one if isinstance(model, Transformer) else model.predict_one
    look({"a": 1.0})
    assert dumps(model) == before


@pytest.mark.parametrize(
    "steps",
    [
        BagOfWords(on="t"),
        FeatureHasher(hash_bits=5),
        RandomFourierFeatures(n_components=4),
        StandardScaler() + MinMaxScaler(),
    ],
    ids=repr,
)
def test_naive_bayes_behind_made_features_can_be_kept(steps):
    model = steps | GaussianNB()
    rows = [{"t": "to be", "n": 1.0}, {"t": "or not", "n": 3.0}, {"n": 2.0}, {"t": "to", "n": 0.0}]
    model.learn_many(rows, list("abab"))
    expected = model.predict_proba_many(rows).tolist()
    for copied in (loads(dumps(model)), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert copied.predict_proba_many(rows).tolist() == expected
    assert model.members[-1].seen == 4


LEARNERS = [
    RLS(),
    CW(),
    AROW(covariance="full"),
    SGDClassifier(),
    SGDRegressor(),
    FTRLProximal(),
    MultinomialNB(),
    GaussianNB(),
    LogisticRegression(),
    PAClassifier(),
]


@pytest.mark.parametrize("last", LEARNERS, ids=repr)
@pytest.mark.parametrize(
    "steps",
    [
        FeatureHasher(hash_bits=3, signed=False),
        StandardScaler() | RandomFourierFeatures(n_components=3) | MinMaxScaler(),
        BagOfWords(on="t", hash_bits=3) | Select(*range(5)) | Imputer(),
        BagOfWords(on="t"),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:.*a count is not below 0")
def test_merging_behind_steps_that_make_features(steps, last):
    left, right, both = (steps.clone() | last.clone() for _ in range(3))
    rows = [{"a": 1.0, "b": 1.0}, {"b": 2.0, "t": "to be"}, {"c": 3.0}, {"a": 1.0, "d": 4.0}]
    y = [1.0, 2.0, 1.0, 2.0] if isinstance(last, Regressor) else ["x", "y", "x", "y"]
    left.learn_many(rows[:2], y[:2])
    right.learn_many(rows[2:], y[2:])
    both.learn_many(rows, y)
    left.merge(right)
    assert left.merge_kind == "mixing"
    assert left.seen == both.seen == 4
    assert all(math.isfinite(value) for value in np.ravel(left.score_many(rows)))
    assert dumps(loads(dumps(left))) == dumps(left)
    if isinstance(last, (MultinomialNB, RLS)) and repr(steps).startswith("FeatureHasher"):
        assert left.score_many(rows) == pytest.approx(
            both.score_many(rows)
        )  # no step has statistics


def test_a_union_cannot_be_merged():
    left, right = ((StandardScaler() + MinMaxScaler()) | PAClassifier() for _ in range(2))
    assert left.merge_kind is None
    with pytest.raises(NotMergeable, match="Union cannot be merged"):
        left.merge(right)


@pytest.mark.parametrize(
    "steps",
    [StandardScaler() + MinMaxScaler(), BagOfWords(on="t"), Union(Union(MinMaxScaler()))],
    ids=repr,
)
@pytest.mark.parametrize(
    "last", [KernelPARegressor(kernel=RBF()), KernelPerceptron(kernel=RBF())], ids=repr
)
def test_the_width_of_the_first_example_is_that_of_the_loop(steps, last):
    """RBF() takes 1 / width for gamma."""
    block, loop = (steps.clone() | last.clone() for _ in range(2))
    rows = [{"a": 1.0, "t": "to be"}, {"b": 2.0, "c": 1.0}, {"a": 3.0, "d": 1.0, "t": "or not to"}]
    y = [1.0, 2.0, 3.0] if isinstance(last, Regressor) else list("xyx")
    block.learn_many(rows, y)
    for x, target in zip(rows, y, strict=True):
        loop.learn_one(x, target)
    assert dumps(block) == dumps(loop)


def test_a_union_gives_no_feature_a_name_that_was_refused():
    both = StandardScaler() + MinMaxScaler()
    with pytest.raises(ValueError, match="overflow"):
        both.learn_one({"refused": 1e305})
    for a in (1.0, 3.0):
        both.learn_one({"a": a})
    assert both.transform_one({"a": 3.0}) == {"a": 1.0, "a.1": 1.0}


def test_what_is_missing_for_one_part_is_missing_behind_the_union():
    """The imputer lets NaN in, and fills it; the scaler beside it leaves it out."""
    X = np.array([[1.0, 2.0], [math.nan, 4.0], [3.0, 6.0]])
    union = Imputer() + StandardScaler()
    union.learn_many(X)
    assert union.transform_many(X)[1] == {0: 2.0, 1: 4.0, "1.1": 0.0}
    model = (Imputer() + StandardScaler()) | PAClassifier()
    model.learn_many(X, [0, 1, 0])
    assert np.isfinite(model.score_many(X)).all()


def test_nan_may_pass_scalers_on_its_way_to_the_imputer():
    X = np.array([[1.0, 2.0], [math.nan, 4.0], [3.0, 6.0]])
    for model in (
        Select(0, 1) | Imputer() | PAClassifier(),
        StandardScaler() | Imputer() | PAClassifier(),
    ):
        model.learn_many(X, [0, 1, 0])
        assert np.isfinite(model.score_many(X)).all()
    with pytest.raises(ValueError, match="finite"):
        (FeatureHasher(hash_bits=3) | Imputer() | PAClassifier()).learn_many(X, [0, 1, 0])


def test_sums_of_hashed_values_stay_finite():
    model = StandardScaler() | FeatureHasher(hash_bits=1, signed=False)
    model.learn_many([{"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 2.0, "b": 2.0, "c": 2.0}])
    told = model.transform_one({"a": 1.7e308, "b": 1.7e308, "c": 1.7e308})
    assert all(map(math.isfinite, told.values()))


@pytest.mark.parametrize("step", [BagOfWords(on="t"), FeatureHasher(hash_bits=6)], ids=repr)
def test_names_behind_steps_that_make_numbers_are_told(step):
    """Its numbers are not names, so it models them as GaussianNB does, and says so once."""
    model = step | CategoricalNB()
    rows, y = [{"t": "to be"}, {"t": "or not"}, {"t": "to be or"}], ["x", "y", "x"]
    with pytest.warns(DataWarning, match="modelled as by GaussianNB") as told:
        model.learn_many(rows, y)
    assert len(told) == 1
    model.learn_many(rows, y)
    assert dumps(loads(dumps(model))) == dumps(copy.deepcopy(model)) == dumps(model)
