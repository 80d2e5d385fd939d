"""Words of the library: the row as the user counts it, and hints for names of other libraries."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import onstream
from onstream.base import learners
from onstream.features import Select, StandardScaler
from onstream.streams import SEA, Drift, from_iterable

from .table import Case
from .tools import fingerprint, targets


def test_many_rows_are_no_example() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 1.0]})
    model = onstream.LogisticRegression()
    model.learn_many(frame, [0, 1])
    for x in (frame, pl.DataFrame(frame.to_dict("list")), frame.to_numpy()):
        for call in (lambda x=x: model.predict_one(x), lambda x=x: model.learn_one(x, 1)):
            with pytest.raises((TypeError, ValueError), match="go to learn_many or predict_many"):
                call()


def test_a_lazy_frame_is_to_be_collected() -> None:
    for model in (onstream.LogisticRegression(), StandardScaler() | onstream.LogisticRegression()):
        with pytest.raises(TypeError, match=r"got LazyFrame\. Pass X.collect\(\)\.$"):
            model.learn_many(pl.LazyFrame({"a": [1.0, 2.0]}), [0, 1])


def test_fit_names_the_row_as_the_user_counts_it(learner: Case) -> None:
    X = np.random.default_rng(1).normal(size=(60, 3))
    y = targets(learner, 60).tolist()
    bad = X.copy()
    bad[3, 1] = np.inf
    missing = [*y[:3], None, *y[4:]]
    cases: list[Any] = [
        (bad, y),
        (sp.csr_array(bad), y),
        (pd.DataFrame(bad, columns=list("abc")), y),
        (pd.DataFrame(bad, columns=list("abc")).to_dict("records"), y),
        (bad.astype(object), y),
    ]
    if learner.takes_targets:
        cases.append((X, missing))
    for block, column in cases:
        for shuffle in (True, False):
            model = learner.make()
            with pytest.raises((TypeError, ValueError), match=rf"^{learner.name}: row 3:") as told:
                model.fit(block, column, shuffle=shuffle)
            assert told.value.row == 3  # type: ignore[union-attr]
            assert fingerprint(model) == fingerprint(learner.make())
    pairs = list(zip(bad.tolist(), y, strict=True))
    with pytest.raises(ValueError, match=rf"^{learner.name}: row 3:") as told:
        learner.make().fit(pairs)
    assert told.value.row == 3  # type: ignore[attr-defined]


def test_fit_words_what_cannot_be_read(learner: Case) -> None:
    y = targets(learner, 3)
    blocks = {
        "could not be read as a table": pd.DataFrame({"a": [1.0, "x", 2.0]}),
        "X has rows, but no columns": pd.DataFrame(index=range(3)),
        "two columns called 'a'|could not be read": pd.DataFrame(
            np.ones((3, 2)), columns=list("aa")
        ),
    }
    for message, X in blocks.items():
        for verb in ("fit", "learn_many"):
            with pytest.raises((TypeError, ValueError), match=f"^{learner.name}: .*({message})"):
                getattr(learner.make(), verb)(X, y)


def test_fit_takes_what_learn_many_takes(learner: Case) -> None:
    m = sp.csr_array(np.random.default_rng(2).normal(size=(20, 4)))
    duck = SimpleNamespace(shape=m.shape, indptr=m.indptr, indices=m.indices, data=m.data)
    y = targets(learner, 20)
    one, other = learner.make(), learner.make()
    assert fingerprint(one.fit(duck, y)) == fingerprint(other.fit(m, y))
    with pytest.raises(ValueError, match=f"^{learner.name}: seed must be at least 0, got -1"):
        one.fit(m, y, seed=-1)
    with pytest.raises((TypeError, ValueError), match=f"^{learner.name}: output must be"):
        one.predict_learn_many(m, y, output=[])
    with pytest.raises(TypeError, match="Here it is 'w'"):
        one.fit(m, y, sample_weight=np.ones(20))


def test_fit_refuses_a_stream_without_end(learner: Case) -> None:
    for stream in (SEA(), Drift(SEA(1), SEA(3), at=100), SEA().skip(5)):
        with pytest.raises(ValueError, match="a stream without end; fit a part of it"):
            learner.make().fit(stream)


HINTS = {
    "predict": "predict_many",
    "predict_proba": "predict_proba_many",
    "partial_fit": "learn_many",
    "score": "onstream.evaluate",
    "transform": "transform_many",
    "get_params": "params",
    "classes_": "labels",
}


@pytest.mark.parametrize("name", sorted(learners()))
def test_names_of_other_libraries_say_what_to_use(name: str) -> None:
    cls = learners()[name]
    for other, ours in HINTS.items():
        with pytest.raises(AttributeError, match=f"has no '{other}'; use {ours}"):
            getattr(cls, other)
        assert not hasattr(cls, other)


def test_hints_are_not_listed() -> None:
    for model in (onstream.PAClassifier(), StandardScaler() | onstream.PAClassifier()):
        assert not set(HINTS) & set(dir(model))
        with pytest.raises(AttributeError, match="use predict_many"):
            _ = model.predict


def test_attributes_like_a_parameter_are_refused(learner: Case) -> None:
    model = learner.make()
    for name in model.params:
        if len(name) > 3:
            with pytest.raises(AttributeError, match=r"there is no parameter .* Did you mean"):
                setattr(model, f"{name}x", 1)
    model.remark = "kept"
    assert model.remark == "kept"


def test_the_package_says_where_a_name_is() -> None:
    for name, home in (("AROW", "linear"), ("ADWIN", "drift"), ("Accuracy", "evaluate")):
        with pytest.raises(AttributeError, match=f"from onstream.{home} import {name}"):
            getattr(onstream, name)
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        _ = onstream.nothing


def test_a_verb_of_ones_own_needs_its_block() -> None:
    with pytest.raises(TypeError, match="Half: learn_many would not call its learn_one; override"):

        class Half(onstream.PAClassifier):
            def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
                """Learn nothing."""

    class Whole(onstream.PAClassifier):
        def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
            """Learn nothing."""

        def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
            """Learn nothing."""

    Whole().learn_one({}, 1)

    class Louder(Whole):
        def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
            """The block is that of the class above, which may call this."""

    Louder().learn_one({}, 1)


def test_parameters_that_are_no_whole_numbers() -> None:
    for make in (
        lambda: onstream.PAClassifier(max_labels=np.array([3.0])),
        lambda: onstream.tree.HoeffdingTreeClassifier(max_depth=10**30),
        lambda: onstream.tree.HoeffdingTreeRegressor(max_depth=10**30),
        lambda: Select(names=5),
    ):
        with pytest.raises((TypeError, ValueError), match=r"^\w+: (max_|names)\w* must be"):
            make()


def test_fit_names_the_row_of_a_stream() -> None:
    rows = [({"a": math.inf if i == 8199 else 1.0}, 1.0) for i in range(9000)]
    with pytest.raises(ValueError, match="row 8199: ") as caught:
        onstream.linear.RLS().fit(from_iterable(rows))
    assert caught.value.row == 8199


@pytest.mark.parametrize("power", [100, 5000])
def test_a_huge_whole_number_is_told_in_a_few_words(power: int) -> None:
    for make in (
        lambda: onstream.PAClassifier(max_labels=10**power),
        lambda: onstream.PAClassifier(C=-(10**power)),
        lambda: onstream.PAClassifier(hash_bits=-(10**power)),
    ):
        with pytest.raises(ValueError, match=r"^PAClassifier: \w+ must be .*, got") as told:
            make()
        assert len(str(told.value)) < 300
