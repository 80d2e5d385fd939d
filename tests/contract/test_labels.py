"""Labels: any bool, int or string, revealed by the stream."""

from typing import Any

import numpy as np
import pytest

from .table import Case
from .tools import fingerprint, opposites, outputs, reloaded, some_rows, target_columns

KINDS = {
    "bool": [False, True],
    "int": [3, -7, 0, 2**40],
    "str": ["b", "a", "", "long label", "名"],
}


def learn(model: Any, labels: list[Any]) -> Any:
    """One example for each label, twice."""
    for _ in range(2):
        for i, label in enumerate(labels):
            model.learn_one({i: 1.0}, label)
    return model


def test_labels_in_order_of_appearance(classifier: Case) -> None:
    for labels in KINDS.values():
        for order in (labels, labels[::-1]):
            model = learn(classifier.make(), order)
            assert model.labels == order
            assert [type(label) for label in model.labels] == [type(label) for label in order]
            block = classifier.make()
            block.learn_many([{i: 1.0} for i in range(len(order))] * 2, order * 2)
            assert fingerprint(block) == fingerprint(model)


def test_predictions_have_the_dtype_of_the_labels(classifier: Case) -> None:
    for kind, dtype in (("bool", np.bool_), ("int", np.int64), ("str", np.dtype("U10"))):
        model = learn(classifier.make(), KINDS[kind])
        told = model.predict_many([{0: 1.0}, {1: 1.0}, {}])
        assert told.dtype == dtype
        for x, label in zip([{0: 1.0}, {1: 1.0}, {}], told.tolist(), strict=True):
            one = model.predict_one(x)
            assert one == label
            assert type(one) is type(KINDS[kind][0])
        assert model.predict_many(np.empty((0, 2))).dtype == dtype


def test_before_the_first_label_predictions_are_none(classifier: Case) -> None:
    model = classifier.make()
    told = model.predict_learn_many([{"a": 1.0}] * 3, [True, False, True])
    assert told.dtype == object
    assert told.tolist()[:2] == [None, True]  # with one label seen, that label
    assert model.predict_learn_many([{"a": 1.0}], [True]).dtype == np.bool_


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
def test_one_label_is_always_predicted(classifier: Case) -> None:
    for label in ("only", 5, 1, 0, True, False):
        model = classifier.make()
        model.learn_one({"a": 1.0}, label)
        for x in ({"a": 1.0}, {"a": -9.0}, {"b": 1.0}, {}):
            assert model.predict_one(x) == label
        assert set(model.predict_many(some_rows()).tolist()) == {label}


SCALARS = [
    ([np.bool_(True), np.bool_(False)], [True, False]),
    ([np.int8(1), np.uint64(2**63), np.int64(-5)], [1, 2**63, -5]),
    ([np.str_("x"), np.str_("y")], ["x", "y"]),
    ([2.0, np.float32(3.0), -1.0], [2, 3, -1]),
    ([np.array(4), np.array(5)], [4, 5]),
]


def test_numpy_scalars_become_pythons(classifier: Case) -> None:
    for scalars, plain in SCALARS:
        model = learn(classifier.make(), scalars)
        assert model.labels == plain
        assert [type(label) for label in model.labels] == [type(label) for label in plain]
        assert fingerprint(model) == fingerprint(learn(classifier.make(), plain))
        block = classifier.make()
        block.learn_many([{i: 1.0} for i in range(len(plain))] * 2, scalars * 2)
        assert fingerprint(block) == fingerprint(model)


def test_columns_of_labels(classifier: Case) -> None:
    """A column is a list, an array of any dtype, or a series of any library."""
    numeric = ("i4", ">i8", "f8")
    rows = [{i: 1.0} for i in range(4)]
    for y, dtypes in (
        ([1, 0, 0, 1], numeric),
        ([5, -3, 5, 70_000_000], numeric),
        (["x", "y", "x", "z"], ()),
        ([True, False, False, True], ()),
    ):
        model = classifier.make()
        model.learn_many(rows, y)
        for column in target_columns(y, *dtypes):
            other = classifier.make()
            other.learn_many(rows, column)
            assert fingerprint(other) == fingerprint(model), type(column)


CODES = [
    (True, False, True),
    (False, True, True),
    (1, 0, 1),
    (0, 1, 1),
    (1, 2, 1),
    (2, 1, 1),
    (-1, 1, 1),
    (1, -1, 1),
    (5, 7, 7),
    ("a", "b", "b"),
    ("1", "0", "0"),
    ("True", "x", "x"),
]


def test_the_binary_code(classifier: Case) -> None:
    """A first label True or 1 is +1, any other first label is -1, the second the other."""
    for first, second, positive in CODES:
        model = classifier.make()
        x, y = opposites(classifier)
        for _ in range(3 if classifier.line.decisive else 30):
            model.learn_one(x, first)
            model.learn_one(y, second)
        at = {first: x, second: y}
        negative = second if positive == first else first
        scores = model.score_one(at[positive]), model.score_one(at[negative])
        if not classifier.line.decisive and min(map(abs, scores)) < 1e-9:
            continue  # level
        assert scores[0] > 0.0 > scores[1]
        assert model.predict_one(at[positive]) == positive
        assert model.predict_one(at[negative]) == negative


def test_a_score_of_zero_is_positive(classifier: Case) -> None:
    for labels, positive in ((["a", "b"], "b"), ([1, 0], 1), ([True, False], True)):
        if not classifier.has("intercept"):
            return
        model = classifier.make(intercept=False, labels=labels)
        model.learn_one({"a": 1.0}, labels[0])
        assert model.score_one({}) == 0.0
        assert model.predict_one({}) == positive
        assert model.predict_many([{}]).tolist() == [positive]


MIXES = [(True, 1), (1, True), (0, False), (1, "1"), ("1", 1), (True, "True"), ("a", False)]


def test_kinds_of_labels_do_not_mix(classifier: Case) -> None:
    for first, second in MIXES:
        model = classifier.make()
        model.learn_one({"a": 1.0}, first)
        before = fingerprint(model)
        with pytest.raises(TypeError, match=f"^{classifier.name}: .*label"):
            model.learn_one({"new": 1.0}, second)
        assert fingerprint(model) == before
        for verb in (model.learn_many, model.predict_learn_many):
            with pytest.raises(TypeError, match=rf"^{classifier.name}: .*row 1\b"):
                verb([{"a": 1.0}, {"new": 1.0}], [first, second])
            assert fingerprint(model) == before
        new = classifier.make()
        with pytest.raises(TypeError, match=rf"^{classifier.name}: .*row 1\b"):
            new.learn_many([{"a": 1.0}, {"b": 1.0}], [first, second])
        assert new.labels == []
        with pytest.raises(TypeError, match=f"^{classifier.name}: "):
            classifier.make(labels=[first, second])


NO_LABELS = [None, 1.5, np.nan, np.inf, 1j, b"x", ["a"], ("a",), {"a"}, np.array([1]), object()]


def test_what_is_no_label(classifier: Case) -> None:
    for label in NO_LABELS:
        for model in (
            classifier.make(),
            learn(classifier.make(), [1, 0]),
            learn(classifier.make(), ["a", "b", "c"]),
        ):
            before = fingerprint(model)
            with pytest.raises((TypeError, ValueError), match=f"^{classifier.name}: .*label"):
                model.learn_one({"new": 1.0}, label)
            assert fingerprint(model) == before
            good = model.labels[0] if model.labels else 1
            with pytest.raises((TypeError, ValueError), match=rf"^{classifier.name}: .*row 1\b"):
                model.learn_many([{"new": 1.0}] * 3, [good, label, good])
            assert fingerprint(model) == before


def test_text_that_is_not_unicode_is_no_label(classifier: Case) -> None:
    model = learn(classifier.make(), ["a", "b"])
    before = fingerprint(model)
    with pytest.raises(ValueError, match=f"^{classifier.name}: .*label"):
        model.learn_one({"a": 1.0}, "\ud800")
    with pytest.raises(ValueError, match=rf"^{classifier.name}: .*row 1\b"):
        model.learn_many([{"a": 1.0}] * 2, ["a", "\ud800"])
    with pytest.raises(ValueError, match=f"^{classifier.name}: "):
        classifier.make(labels=["\ud800"])
    assert fingerprint(model) == before


def test_labels_that_numpy_could_not_hold(classifier: Case) -> None:
    for label in ("x\0", "\0", "a" * 1000, 10**30, -(2**70)):
        other = "other" if isinstance(label, str) else 0
        model = classifier.make()
        x, y = opposites(classifier)
        for _ in range(3 if classifier.line.decisive else 30):
            model.learn_one(x, label)
            model.learn_one(y, other)
        assert model.predict_one(x) == label
        assert model.predict_many([x, y]).tolist() == [label, other]
        assert reloaded(model).labels == [label, other]


def test_declared_labels(classifier: Case) -> None:
    model = classifier.make(labels=["c", "a", "b"])
    assert model.labels == ["c", "a", "b"]
    assert model.params["labels"] == ["c", "a", "b"]
    assert model.predict_one({"x": 1.0}) is None
    assert model.score_one({"x": 1.0}) == {"c": 0.0, "a": 0.0, "b": 0.0}
    assert model.score_many([{"x": 1.0}]).shape == (1, 3)
    if "proba" in outputs(model):
        assert model.predict_proba_one({}) == pytest.approx({"c": 1 / 3, "a": 1 / 3, "b": 1 / 3})
    model.learn_one({"x": 1.0}, "b")
    assert model.predict_one({"x": 1.0}) == "b"
    model.learn_one({"y": 1.0}, "new")  # others may come
    assert model.labels == ["c", "a", "b", "new"]
    assert model.params["labels"] == ["c", "a", "b"]
    assert model.clone().labels == ["c", "a", "b"]
    assert reloaded(model).labels == model.labels
    assert reloaded(model).params == model.params


def test_declared_labels_settle_the_code(classifier: Case) -> None:
    model, plain = classifier.make(labels=[1, 0]), classifier.make()
    x = dict(zip((1, 0), opposites(classifier), strict=True))
    for label in (1, 0, 0, 1, 0):
        for learner in (model, plain):
            learner.learn_one(x[label], label)
    level = 0.0 if classifier.line.decisive else 1e-9
    assert model.score_one(x[0]) < level
    assert plain.score_one(x[0]) < level
    if classifier.line.decisive:  # else it may learn nothing before it knows two labels
        assert model.score_one(x[0]) == plain.score_one(x[0])
    other = classifier.make(labels=[0, 1])
    for label in (0, 1, 0, 1):
        other.learn_one(x[label], label)
    assert other.score_one(x[1]) > -level
    assert other.labels == [0, 1]


def test_labels_can_be_declared_by_any_iterable(plain_classifier: Case) -> None:
    for labels in (
        np.array(["a", "b"]),
        ("a", "b"),
        iter("ab"),
        {"a": 1, "b": 2},
        [np.str_("a"), "b"],
    ):
        model = plain_classifier.make(labels=labels)
        assert model.labels == ["a", "b"]
        assert model.params["labels"] == ["a", "b"]
        assert all(type(label) is str for label in model.params["labels"])
        assert reloaded(model).params == model.params
        assert model.clone().labels == ["a", "b"]


def test_whole_numbers_declared_by_an_array(plain_classifier: Case) -> None:
    model = plain_classifier.make(labels=np.array([2, 1]))
    assert model.labels == [2, 1]
    assert all(type(label) is int for label in [*model.labels, *model.params["labels"]])
    assert fingerprint(reloaded(model)) == fingerprint(model)


def test_what_cannot_be_declared(plain_classifier: Case) -> None:
    for labels in (["a", "a"], [1, 1.0], "ab", [None], [1.5], 5, [["a"]], b"ab"):
        with pytest.raises((TypeError, ValueError), match=f"^{plain_classifier.name}: "):
            plain_classifier.make(labels=labels)


def test_max_labels(classifier: Case) -> None:
    model = learn(classifier.make(max_labels=3), ["a", "b", "c"])
    before = fingerprint(model)
    with pytest.raises(ValueError, match=f"^{classifier.name}: .*'d'.*max_labels"):
        model.learn_one({"new": 1.0}, "d")
    assert fingerprint(model) == before
    for verb in (model.learn_many, model.predict_learn_many):
        with pytest.raises(ValueError, match=rf"^{classifier.name}: .*row 1\b.*max_labels"):
            verb([{"new": 1.0}] * 3, ["a", "d", "b"])
        with pytest.raises(ValueError, match=rf"^{classifier.name}: .*row 1\b.*max_labels"):
            verb(np.zeros((2, 3)), np.array(["a", "d"]))
        assert fingerprint(model) == before
    with pytest.raises(ValueError, match=f"^{classifier.name}: .*max_labels"):
        classifier.make(max_labels=2, labels=["a", "b", "c"])
    numbers = classifier.make(max_labels=2)
    with pytest.raises(ValueError, match=rf"^{classifier.name}: .*row 2\b.*max_labels"):
        numbers.learn_many(np.zeros((3, 1)), np.array([1, 2, 3]))
    assert numbers.seen == 0
    assert numbers.labels == []


def test_many_labels(plain_classifier: Case) -> None:
    n = 300
    model, block = plain_classifier.make(), plain_classifier.make()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3 * n, 5))
    y = np.concatenate([np.arange(n), rng.integers(0, n, 2 * n)])
    for x, label in zip(X, y.tolist(), strict=True):
        model.learn_one(x, label)
    block.learn_many(X, y)
    assert model.labels == list(range(n))
    assert fingerprint(block) == fingerprint(model)
    assert model.score_many(X[:2]).shape == (2, n)
