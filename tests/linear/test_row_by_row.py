"""Learners that call the user's functions row by row: threads, forks, what the functions say."""

import os
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from onstream.linear import PAMultilabel, StructuredPA
from onstream.persist import dumps

from ..contract.steering import PATIENCE, Job
from ..core.test_rwlock import told_by_child

REFUSED = 0.5  # no label, and of a cost that is refused


class Stop:
    """Where the user's function meets the word "stop", it waits until it may go on."""

    def __init__(self):
        self.inside, self.go = threading.Event(), threading.Event()

    def wait(self, x):
        if x == "stop" and not self.inside.is_set():
            self.inside.set()
            assert self.go.wait(PATIENCE)


class Watched:
    """A lock that tells when somebody wants it."""

    def __init__(self, lock):
        self.lock, self.wanted = lock, threading.Event()

    def __enter__(self):
        self.wanted.set()
        return self.lock.__enter__()

    def __exit__(self, *error):
        return self.lock.__exit__(*error)

    def __getattr__(self, name):
        return getattr(self.lock, name)


def structured(stop=None, **more):
    def features(x, y):
        return {f"{x}/{y}": 1.0}

    def argmax(x, score):
        if stop is not None:
            stop.wait(x)
        return max("ab", key=lambda y: score(features(x, y)))

    def cost(y, r):
        return -1.0 if y is REFUSED else 1.0

    return StructuredPA(**{"features": features, "argmax": argmax, "cost": cost, **more})


def multilabel(stop=None, **more):
    def features(x, label):
        if stop is not None:
            stop.wait(x)
        return {f"{x}/{label}": 1.0}

    return PAMultilabel(**{"features": features, **more})


MAKERS = {"StructuredPA": structured, "PAMultilabel": multilabel}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def watched(model):
    """An event: another thread wants to teach this model from now on."""
    model._model.turn = Watched(model._model.turn)
    return model._model.turn.wanted


# -- threads ---------------------------------------------------------------------------------------


def test_a_refused_block_takes_nothing_back_of_others(make):
    stop = Stop()
    model = make(stop)
    model.learn_one("first", "b")
    block = Job(lambda: model.learn_many(["u", "stop", "w"], ["b", "b", REFUSED]))
    assert stop.inside.wait(PATIENCE)
    wanted = watched(model)
    lesson = Job(lambda: model.learn_one("second", "b"))
    assert wanted.wait(PATIENCE)
    assert model.seen == 2  # the first row of the block; the lesson waits
    model.predict_one("first")  # a prediction does not
    stop.go.set()
    with pytest.raises(ValueError, match="row 2: "):
        block.end()
    lesson.end()
    alone = model.clone()
    for x in ("first", "second"):
        alone.learn_one(x, "b")
    assert dumps(model) == dumps(alone)


def test_a_refused_block_takes_no_merge_back(make):
    stop = Stop()
    model = make(stop)
    other = model.clone()
    other.learn_many(["x", "y"], ["b", "b"])
    block = Job(lambda: model.learn_many(["u", "stop", "w"], ["b", "b", REFUSED]))
    assert stop.inside.wait(PATIENCE)
    wanted = watched(model)
    merge = Job(lambda: model.merge(other))
    assert wanted.wait(PATIENCE)
    stop.go.set()
    with pytest.raises(ValueError, match="row 2: "):
        block.end()
    merge.end()
    assert dumps(model) == dumps(other)


def test_who_predicts_sees_no_empty_model_while_a_block_is_taken_back(make):
    """The old state is in its place until the new one is complete."""
    model = make()
    model.learn_many(["x", "x", "y"], ["b", "a", "b"])
    inner, seen = model._model, []
    original = inner.fill

    def fill(parts, fields):
        seen.append((model.seen, dumps(model)))
        return original(parts, fields)

    before = dumps(model)
    inner.fill = fill
    inner.take_back(inner.snapshot())
    assert seen == [(3, before)]
    assert dumps(model) == before


def test_the_schedule_can_be_reset(make):
    model = make()
    model.learn_many(["x", "y"], ["b", "b"])
    before = model.predict_one("x")
    model.reset_schedule()
    assert (model.seen, model.predict_one("x")) == (2, before)
    assert dumps(model.clone(init=model)) == dumps(model)


def test_functions_may_ask_and_teach_the_model():
    model = None

    def argmax(x, score):
        if x == "outer":
            assert model.seen == 0
            model.predict_one("other")
            model.learn_one("inner", "b")
        return "a"

    model = structured(argmax=argmax)
    job = Job(lambda: model.learn_one("outer", "b"))
    job.end()
    assert model.seen == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
class TestForks:
    def test_while_another_thread_learns(self, make):
        """The child has the rows that were learned, and can be taught."""
        stop = Stop()
        model = make(stop)
        block = Job(lambda: model.learn_many(["u", "stop", "w"], ["b"] * 3))
        assert stop.inside.wait(PATIENCE)

        def work():
            model.learn_one("v", "b")
            model.learn_many(["v"], ["b"])
            model.predict_one("v")
            other = model.clone()
            other.learn_one("v", "b")
            model.merge(other)
            dumps(model)
            return str(model.seen)

        told = told_by_child(work)
        stop.go.set()
        block.end()
        assert told == "4"
        assert model.seen == 3

    def test_inside_a_function_of_the_user(self, make):
        told = []
        model = None

        class Forking(str):
            def __format__(self, spec):
                if not told:
                    told.append("")
                    told[0] = told_by_child(lambda: (model.learn_one("v", "b"), str(model.seen))[1])
                return str(self)

        model = make()
        model.learn_one(Forking("u"), "b")
        assert told == ["1"]
        assert model.seen == 1


# -- what the functions say ------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["1", "text", None, True, np.float32(1.0), np.array(1.0), 1])
def test_values_mean_what_they_mean_in_an_example(make, value):
    """Scored and learned alike: a text is the feature name=value, None is missing."""
    model = make(features=lambda x, y: {f"{x}/{y}": value}, **wrong_first(make))
    for _ in range(5):
        model.learn_one("x", "b")
        model.learn_one("x", "a")
    model.learn_one("x", "b")
    if value is None:
        assert model.weights == {}
        return
    told = f"={value}" if isinstance(value, str) else ""
    assert sorted(model.weights) == [f"x/a{told}", f"x/b{told}"]
    assert model.weights[f"x/b{told}"] > model.weights[f"x/a{told}"]


def wrong_first(make):
    """Functions with which every lesson is about "a" against "b"."""
    if make is structured:
        return {"argmax": lambda x, score: max("ab", key=lambda y: score({f"{x}/{y}": 1.0}))}
    return {"labels": ["a", "b"]}


@pytest.mark.parametrize(
    "value",
    [1j, 10**400, pd.NA, b"1", [1.0], np.array([1.0]), float("nan"), float("inf"), object()],
    ids=lambda value: f"{value!r:.12}",
)
def test_values_that_are_refused(make, value):
    model = make(features=lambda x, y: {f"{x}/{y}": value}, **told_a(make))
    before = dumps(model)
    with pytest.raises((TypeError, ValueError), match=r"^\w+: feature 'x/[ab]' "):
        model.learn_one("x", "b")
    with pytest.raises((TypeError, ValueError), match=r"^\w+: row 0: feature 'x/[ab]' "):
        model.learn_many(["x"], ["b"])
    assert dumps(model) == before


def told_a(make):
    return {"argmax": lambda x, score: "a"} if make is structured else {"labels": ["a", "b"]}


@pytest.mark.parametrize(
    "said",
    [None, 3, [], [("a", 1.0)], "ab", np.array([1.0, 2.0])],
    ids=lambda said: f"{said!r:.12}",
)
def test_features_must_be_a_mapping(make, said):
    model = make(features=lambda x, y: said, **told_a(make))
    wanted = r"features\('x', '[ab]'\) must give a mapping from features to values, got "
    with pytest.raises(TypeError, match=rf"^\w+: {wanted}"):
        model.learn_one("x", "b")
    assert model.seen == 0


def test_a_row_of_a_frame_is_a_mapping(make):
    model = make(features=lambda x, y: pd.Series({f"{x}/{y}": 1.0}), **told_a(make))
    model.learn_one("x", "b")
    assert model.weights == {"x/b": 0.5, "x/a": -0.5}


def test_the_score_takes_mappings():
    for said in (None, 3, [1.0]):
        model = structured(argmax=lambda x, score, said=said: score(said))
        with pytest.raises(TypeError, match=r"^StructuredPA: score takes a mapping from features"):
            model.predict_one("x")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ([np.array([1, 2])], [np.array([1, 3])]),
        ((np.array([1]), "a"), (np.array([1]), "b")),
        ({"a": np.array([1, 2])}, {"a": np.array([1, 2, 3])}),
        (pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, 3]})),
        (pd.Series([1, 2]), pd.Series([1, 2, 3])),
        (pl.DataFrame({"a": [1, 2]}), pl.DataFrame({"a": [1, 3]})),
        (pa.table({"a": [1, 2]}), pa.table({"a": [1, 3]})),
        (np.array([1, 2]), [1, 3]),
        ([1, 2], np.array([1, 3])),
    ],
)
def test_answers_of_any_kind_are_compared(right, wrong):
    model = structured(features=lambda x, y: {f"{y!r}": 1.0}, argmax=lambda x, score: right)
    model.learn_one("x", right)
    assert model.weights == {}
    model.learn_one("x", wrong)
    assert len(model.weights) == 2


def test_answers_that_cannot_be_compared():
    class Odd:
        def __eq__(self, other):
            raise TypeError("not me")

        __hash__ = None

    model = structured(argmax=lambda x, score: Odd())
    with pytest.raises(TypeError, match=r"^StructuredPA: .*Odd.*cannot be compared"):
        model.learn_one("x", "b")


@pytest.mark.parametrize("bad", [None, 3, "text", b"text", {"a": 1}, {"a", "b"}, np.array(1)])
def test_what_is_no_block(make, bad):
    model = make(labels=["a", "b"]) if make is multilabel else make()
    for verb in (model.predict_many, model.score_many):
        with pytest.raises(TypeError, match=r"^\w+: X must be a list or an array with one example"):
            verb(bad)
    for verb in (model.learn_many, model.predict_learn_many):
        with pytest.raises(TypeError, match=r"^\w+: X must be a list or an array with one example"):
            verb(bad, ["a"])
        with pytest.raises(TypeError, match=r"^\w+: y must (be a list|hold a set)"):
            verb(["x"], bad)
    for w in (1.0, "text", [[1.0]], {}):
        with pytest.raises((TypeError, ValueError), match=r"^\w+: w must"):
            model.learn_many(["x"], ["a"], w)
    assert model.seen == 0


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_rows_of_a_frame_are_mappings(make, kind):
    columns = {"size": [1.0, 2.0], "word": ["u", None]}

    def features(x, y):
        return {f"{name}/{y}": value for name, value in x.items()}

    more = {"features": features, **told_a(make)}
    block, loop = make(**more), make(**more)
    rows = [{"size": 1.0, "word": "u"}, {"size": 2.0, "word": None}]
    block.learn_many(kind(columns), ["b", "b"])
    for x in rows:
        loop.learn_one(x, "b")
    assert dumps(block) == dumps(loop)
    assert block.predict_many(kind(columns)).tolist() == [block.predict_one(x) for x in rows]
    fitted = make(**more).fit(kind(columns), ["b", "b"], shuffle=False)
    assert dumps(fitted) == dumps(loop)


def test_functions_of_the_wrong_number_of_arguments():
    with pytest.raises(TypeError, match=r"^StructuredPA: features must be a function of 2 argum"):
        structured(features=lambda x: {})
    with pytest.raises(TypeError, match=r"^StructuredPA: argmax must be a function of 3 argum"):
        structured(mode="max-loss")
    with pytest.raises(TypeError, match=r"^PAMultilabel: features must be a function of 2 argum"):
        multilabel(features=lambda x: {})
