"""Features: any order, coming and going, 3 and "3", text, missing values."""

from typing import Any

import numpy as np
import pytest

from .table import Case
from .tools import assert_close, by_name, fingerprint, named, some_rows, streams, targets


def learn_all(model: Any, rows: list[Any], y: Any) -> Any:
    for x, target in zip(rows, y.tolist(), strict=True):
        model.learn_one(x, target)
    return model


def test_order_is_irrelevant(case: Case) -> None:
    rng = np.random.default_rng(3)
    for stream in streams(case):
        rows = by_name(stream.X)
        shuffled = [{name: x[name] for name in rng.permutation(list(x)).tolist()} for x in rows]
        a = learn_all(case.make(), rows, stream.y)
        b = learn_all(case.make(), shuffled, stream.y)
        asked = by_name(some_rows())
        assert_close(a.score_many(asked), b.score_many(asked))
        assert_close(a.score_many(asked), a.score_many([dict(reversed(x.items())) for x in asked]))


def test_features_appear_and_vanish(case: Case) -> None:
    """A feature that is not there counts as 0, whether it was known or not (or it is missing)."""
    for stream in streams(case):
        rows = by_name(stream.X)
        full = [{f"f{j}": 0.0 for j in range(stream.X.shape[1])} | x for x in rows]
        a = learn_all(case.make(), rows, stream.y)
        b = learn_all(case.make(), full, stream.y)
        asked = by_name(some_rows())
        if not case.skips_missing:
            assert_close(a.score_many(asked), b.score_many(asked))
        assert np.isfinite(a.score_many([{"unknown": 1.0}, {}, {"f1": 1.0, "unknown": 2.0}])).all()


def test_unknown_features_are_ignored(case: Case) -> None:
    if case.hashed:
        return  # a hashed model knows every feature
    model = named(case)
    x = by_name(some_rows(1))[0]
    assert_close(model.score_one({"new": 5.0, **x, "other": "text"}), model.score_one(x))
    assert model.predict_one({"new": 5.0, **x}) == model.predict_one(x)


def test_whole_numbers_and_their_names_are_the_same(case: Case) -> None:
    keys = [0, 3, -4, 17, 10**17, 10**18, 10**19, -(10**18), 2**63, 10**40]
    rng = np.random.default_rng(1)
    a, b, c = case.make(), case.make(), case.make()
    for i, target in enumerate(targets(case, 60).tolist()):
        values = rng.normal(size=len(keys)).tolist()
        as_int = dict(zip(keys, values, strict=True))
        as_str = dict(zip(map(str, keys), values, strict=True))
        a.learn_one(as_int, target)
        b.learn_one(as_str, target)
        c.learn_one([as_int, as_str][i % 2], target)
        for model in (a, b, c):
            assert_close([model.score_many([as_int])[0]], [model.score_many([as_str])[0]])
            assert_close([model.score_many([as_int])[0]], [a.score_many([as_int])[0]])
    if isinstance(getattr(c, "weights", None), dict) and not case.hashed:
        known = c.weights if 0 in c.weights else next(iter(c.weights.values()))
        assert list(known) == keys


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
def test_texts_that_only_look_like_whole_numbers(unhashed: Case) -> None:
    model = unhashed.make()
    for target in targets(unhashed, 4).tolist():
        model.learn_one({3: 1.0, 0: 1.0}, target)
    nothing = model.score_one({})
    for name in ("03", "+3", " 3", "3.0", "-0", "٣", "3 ", "0x3", "", "-", "³"):
        assert model.score_one({name: 5.0}) == nothing, name


def test_a_feature_given_twice_counts_with_its_sum(case: Case) -> None:
    pairs = [
        ({3: 1.0, "x": 2.0, "3": 0.5}, {3: 1.5, "x": 2.0}),
        ({"3": 1.0, "x": 2.0, 3: 0.5}, {"3": 1.5, "x": 2.0}),
        ({"c": "red", "x": 1.0, "c=red": 2.0}, {"c=red": 3.0, "x": 1.0}),
        ({3: 1.0, "c": "red", "3": 0.5, "c=red": 2.0}, {3: 1.5, "c=red": 3.0}),
    ]
    few = 2 if case.takes_nominal else 4
    if case.takes_nominal and not case.line.numeric:
        few = 0  # numbers are names to it
    for double, single in pairs[:few]:
        twice, once, block = case.make(), case.make(), case.make()
        for target in targets(case, 10).tolist():
            twice.learn_one(double, target)
            once.learn_one(single, target)
            assert fingerprint(twice) == fingerprint(once)
            twice.learn_one({3: 1.0}, target)  # a row between
            once.learn_one({3: 1.0}, target)
            block.learn_many([double, {3: 1.0}], [target, target])
        assert fingerprint(block) == fingerprint(once)
        assert_close([twice.score_many([double])[0]], [twice.score_many([single])[0]])


def test_text_is_nominal(weighted: Case) -> None:
    """For a linear learner the feature `name=value` with value 1."""
    rng = np.random.default_rng(2)
    words = ["red", "green", "", "a=b", "3", "ü", "日本", "x\0y"]
    text, explicit, block = weighted.make(), weighted.make(), weighted.make()
    rows = [{"c": words[rng.integers(len(words))], "n": float(rng.normal())} for _ in range(60)]
    y = targets(weighted, 60)
    for x, target in zip(rows, y.tolist(), strict=True):
        text.learn_one(x, target)
        explicit.learn_one({f"c={x['c']}": 1.0, "n": x["n"]}, target)
    block.learn_many([dict(x, c=np.str_(x["c"])) for x in rows], y)
    assert fingerprint(text) == fingerprint(explicit)
    assert fingerprint(block) == fingerprint(explicit)
    assert text.score_one({"c": "red"}) == text.score_one({"c=red": 1})
    assert text.score_one({7: "x"}) == text.score_one({"7=x": 1.0})


def test_none_is_missing(case: Case) -> None:
    missing, left_out = case.make(), case.make()
    for target in targets(case, 20).tolist():
        missing.learn_one({"a": 1.0, "b": None, "c": 2.0, "d": None}, target)
        left_out.learn_one({"a": 1.0, "c": 2.0}, target)
        missing.learn_many([{"b": None, "a": 0.5}, {"b": None}], [target] * 2)
        left_out.learn_many([{"a": 0.5}, {}], [target] * 2)
    assert fingerprint(missing) == fingerprint(left_out)
    assert missing.score_one({"a": None, "c": 1.0}) == left_out.score_one({"c": 1.0})


def test_what_is_not_finite_is_refused_by_name(case: Case) -> None:
    for value in (np.inf, -np.inf, 10**400, np.nan, np.float32("nan"))[
        : 3 if case.skips_missing else 5
    ]:
        model = named(case)
        before = fingerprint(model)
        target = targets(case, 1)[0]
        good = {"f1": 1.0}
        for name in ("f1", "new", 3, "naïve 名"):
            bad = {"f0": 1.0, name: value}
            told = f"^{case.name}: .*{name!r}"
            with pytest.raises(ValueError, match=told):
                model.learn_one(bad, target)
            with pytest.raises(ValueError, match=told):
                model.predict_one(bad)
            for verb in (model.learn_many, model.predict_learn_many):
                with pytest.raises(ValueError, match=rf"^{case.name}: .*row 2\b.*{name!r}"):
                    verb([good, good, bad, good], [target] * 4)
            with pytest.raises(ValueError, match=rf"^{case.name}: .*row 1\b.*{name!r}"):
                model.score_many([good, bad])
            assert fingerprint(model) == before


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")  # columns of another name
def test_what_is_not_finite_is_refused_by_column_and_row(case: Case) -> None:
    for value in (np.inf, -np.inf, np.nan)[: 2 if case.skips_missing else 3]:
        import polars as pl
        import scipy.sparse as sp

        model = case.make()
        stream = streams(case, 40)[0]
        model.learn_many(stream.X, stream.y)
        before = fingerprint(model)
        X = stream.X.copy()
        X[17, 3] = value
        frame = {f"f{j}": X[:, j] for j in range(X.shape[1])}
        kinds = [
            X,
            X.astype("f4"),
            np.asfortranarray(X),
            sp.csr_array(X),
            X.tolist(),
            X.astype(object),
        ]
        for bad, name in [*((kind, "3") for kind in kinds), (pl.DataFrame(frame), "f3")]:
            for verb in (model.learn_many, model.predict_learn_many):
                with pytest.raises(ValueError, match=rf"^{case.name}: .*row 17\b.*{name}"):
                    verb(bad, stream.y)
            with pytest.raises(ValueError, match=rf"^{case.name}: .*row 17\b.*{name}"):
                model.predict_many(bad)
            assert fingerprint(model) == before
        with pytest.raises(ValueError, match=rf"^{case.name}: .*3"):
            model.learn_one(X[17], stream.y[0])
        assert fingerprint(model) == before
