"""`fit`: several passes over a block or a stream, from the present state on."""

import inspect
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from .table import Case
from .tools import KINDS, assert_close, fingerprint, learned, some_rows, streams


def passes(case: Case, n: int) -> dict[str, int]:
    """The argument for n passes; the batch perceptron calls it differently."""
    signature = inspect.signature(case.cls.fit).parameters
    return {"epochs": n} if "epochs" in signature else {"max_epochs": n}


def test_it_returns_the_learner(case: Case) -> None:
    model = case.make()
    X, y = streams(case, 50)[-1]
    assert model.fit(X, y, **passes(case, 1)) is model
    assert model.seen == 50


def test_unshuffled_passes_are_passes_of_learn_many(case: Case) -> None:
    for X, y in streams(case, 60):
        model, loop = learned(case), learned(case)
        model.fit(X, y, shuffle=False, **passes(case, 3))
        epochs = (model.seen - loop.seen) // len(y)  # a batch learner may be done earlier
        assert 1 <= epochs <= 3
        for _ in range(epochs):
            loop.learn_many(X, y)
        assert_close(model.score_many(X), loop.score_many(X))
        assert model.seen == loop.seen


def test_shuffled_passes_are_reproducible(case: Case) -> None:
    X, y = streams(case, 80)[-1]
    prints = []
    for seed in (0, 0, 1):
        model = case.make()
        model.fit(X, y, shuffle=True, seed=seed, **passes(case, 2))
        prints.append(fingerprint(model))
    assert prints[0] == prints[1]
    assert prints[0] != prints[2]
    model = case.make()
    model.fit(X, y, shuffle=False, **passes(case, 2))
    assert fingerprint(model) != prints[0]


def test_every_epoch_has_its_own_order(case: Case) -> None:
    X, y = streams(case, 80)[-1]
    once, twice = case.make(), case.make()
    for _ in range(2):
        once.fit(X, y, shuffle=True, seed=3, **passes(case, 1))
    twice.fit(X, y, shuffle=True, seed=3, **passes(case, 2))
    if twice.seen == once.seen and not case.line.any_order:
        assert fingerprint(once) != fingerprint(twice)


def test_weights_go_with_their_rows(case: Case) -> None:
    batch = "epochs" not in passes(case, 1)  # its state says how the last fit ended
    w = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 3.0], 60)
    for X, y in streams(case, 60):
        for shuffle, order in (
            (False, np.arange(60)),
            (True, np.random.default_rng(3).permutation(60)),
        ):
            model, block = case.make(), case.make()
            model.fit(X, y, w=w, shuffle=shuffle, seed=3, **passes(case, 1))
            block.learn_many(X[order], y[order], w[order])
            assert model.seen == block.seen == np.count_nonzero(w)
            assert batch or fingerprint(model) == fingerprint(block)
            np.testing.assert_array_equal(model.score_many(X), block.score_many(X))
    every = case.make().fit(X, y, w=w, seed=3, shuffle=True, **passes(case, 2))
    listed = case.make().fit(X, y, w=w.tolist(), seed=3, shuffle=True, **passes(case, 2))
    assert fingerprint(every) == fingerprint(listed)


def test_wrong_weights(case: Case) -> None:
    X, y = streams(case, 20)[-1]
    model = case.make()
    before = fingerprint(model)
    for shuffle in (False, True):
        for bad in (1.0, np.ones(19), np.ones(21), np.ones((20, 1)), [], "text", {}, iter([1.0])):
            with pytest.raises((TypeError, ValueError), match=rf"^{case.name}: .*\bw\b"):
                model.fit(X, y, w=bad, shuffle=shuffle)
        w = np.ones(20)
        w[13] = -1.0
        with pytest.raises(ValueError, match=rf"^{case.name}: row 13: .*\bw\b"):
            model.fit(X, y, w=w, shuffle=shuffle)
    pairs = list(zip(X, y.tolist(), strict=True))
    for stream in (pairs, iter(pairs)):
        with pytest.raises(TypeError, match=rf"^{case.name}: w is for a block"):
            model.fit(stream, w=np.ones(20), **passes(case, 1))
    assert fingerprint(model) == before


def test_every_kind_of_block(case: Case) -> None:
    asked = some_rows()
    for X, y in streams(case, 60):
        dense = case.make().fit(X, y, shuffle=True, seed=5, **passes(case, 2))
        columns = [y, y.tolist(), pd.Series(y), pa.array(y)]
        for i, make in enumerate(KINDS.values()):
            model = case.make()
            model.fit(make(X), columns[i % 4], shuffle=True, seed=5, **passes(case, 2))
            assert_close(model.score_many(asked), dense.score_many(asked))


def test_a_stream_of_pairs(case: Case) -> None:
    X, y = streams(case, 60)[-1]
    loop, model, lazy = case.make(), case.make(), case.make()
    pairs = list(zip(X, y.tolist(), strict=True))
    for x, target in pairs:
        loop.learn_one(x, target)
    model.fit(pairs, **passes(case, 1))
    lazy.fit(iter(pairs), **passes(case, 1))
    assert_close(model.score_many(X), loop.score_many(X))
    assert_close(lazy.score_many(X), loop.score_many(X))
    assert model.seen == lazy.seen == 60
    again = case.make()
    again.fit(pairs, **passes(case, 2))
    assert again.seen in (60, 120)


@pytest.mark.parametrize("bad", [None, 3, ({"a": 1.0},), ({"a": 1.0}, 1, 1.0, 2), "ab", {}])
def test_a_stream_with_something_that_is_no_pair(learner: Case, bad: Any) -> None:
    """It says which row; those before it stay learned."""
    X, y = streams(learner, 5)[-1]
    pairs = [*zip(X, y.tolist(), strict=True), bad]
    model = learner.make()
    if "epochs" not in inspect.signature(learner.cls.fit).parameters:
        pytest.skip("it needs all rows at once")
    with pytest.raises(TypeError, match=rf"^{learner.name}: row 5: .*stream of \(x, y\).*, got "):
        model.fit(iter(pairs))
    assert model.seen == 5


def test_weights_may_stand_third(learner: Case) -> None:
    """`fit(X, y, w)`, as the contract writes it."""
    X, y = streams(learner, 30)[-1]
    w = np.random.default_rng(1).choice([0.5, 1.0, 3.0], 30)
    named, third = learner.make(), learner.make()
    named.fit(X, y, w=w, **passes(learner, 1))
    third.fit(X, y, w, **passes(learner, 1))
    assert fingerprint(named) == fingerprint(third)


@pytest.mark.parametrize("bad", ["no", 0, 1, None])
def test_shuffle_is_true_or_false(learner: Case, bad: Any) -> None:
    X, y = streams(learner, 5)[-1]
    model = learner.make()
    with pytest.raises(TypeError, match=f"^{learner.name}: shuffle must be True or False"):
        model.fit(X, y, shuffle=bad, **passes(learner, 1))
    assert model.seen == 0


def test_an_iterator_cannot_be_read_twice(case: Case) -> None:
    """The second pass would be empty; that must not go unnoticed."""
    X, y = streams(case, 20)[-1]
    model = case.make()
    with pytest.raises((TypeError, ValueError), match=f"^{case.name}: "):
        model.fit(((x, t) for x, t in zip(X, y, strict=True)), **passes(case, 2))


def test_rows_and_targets_must_match(case: Case) -> None:
    X, y = streams(case, 20)[-1]
    model = case.make()
    before = fingerprint(model)
    for make in KINDS.values():
        for rows, targets in ((X[:-1], y), (X, y[:-1]), (X, y[:0]), (X[:0], y)):
            for shuffle in (False, True):
                with pytest.raises(ValueError, match=f"^{case.name}: "):
                    model.fit(make(rows), targets, shuffle=shuffle, **passes(case, 1))
                assert fingerprint(model) == before


@pytest.mark.parametrize("epochs", [0, -1, 1.5, "2", None, True])
def test_bad_numbers_of_passes(learner: Case, epochs: Any) -> None:
    model = learner.make()
    X, y = streams(learner, 5)[-1]
    name = next(iter(passes(learner, 1)))
    with pytest.raises((TypeError, ValueError), match=f"^{learner.name}: {name}"):
        model.fit(X, y, **passes(learner, epochs))
    assert model.seen == 0


def test_names_of_other_libraries(learner: Case) -> None:
    """The error says which parameters there are, and which was probably meant."""
    X, y = streams(learner, 5)[-1]
    with pytest.raises(TypeError, match=rf"^{learner.name}: .*'sample_weight'.*The .* X, y, w, "):
        learner.make().fit(X, y, sample_weight=np.ones(5))
    meant = next(iter(passes(learner, 1)))
    wrong = "epochs" if meant == "max_epochs" else "max_epochs"
    with pytest.raises(TypeError, match=f"^{learner.name}: .*'{wrong}'. Did you mean '{meant}'"):
        learner.make().fit(X, y, **{wrong: 2})


def test_what_is_no_block_and_no_stream(case: Case) -> None:
    model = case.make()
    before = fingerprint(model)
    X, y = streams(case, 5)[-1]
    rows = [[{"a": 1.0}]] if case.takes_targets else []  # a block, but without targets
    for bad in (5, None, [1.0, 2.0], [(1, 2, 3)], "text", *rows):
        with pytest.raises((TypeError, ValueError), match=f"^{case.name}: "):
            model.fit(bad)
    for bad_y in (5, iter(y.tolist()), "text", {1: 2}):
        with pytest.raises((TypeError, ValueError), match=f"^{case.name}: "):
            model.fit(X, bad_y)
    assert fingerprint(model) == before
    assert np.isfinite(model.score_many(X)).all()
