"""`learn_many`, `predict_learn_many` and the loop are the same, bit for bit, within a kind."""

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from .streams import Stream, plane, three_labels, two_labels
from .table import Case
from .tools import KINDS, assert_close, by_name, fingerprint, learn_loop, outputs, streams, targets


def assert_scores_equal(model: Any, block: np.ndarray, loop: list[Any]) -> None:
    """Compare what `predict_learn_many` answered with what `score_one` answered in the loop.

    A score of two labels becomes a row of scores when the block brings a third: halves of it or,
    one against the rest, -f and +f; the same for all rows of a learner.
    """
    if block.ndim == 1:
        assert block.tolist() == loop
        return
    shares, known = set(), 0
    for row, score in zip(block, loop, strict=True):
        if isinstance(score, dict):
            expected = list(score.values())
        elif np.isnan(row[0]):  # no label yet
            assert score == 0.0
            expected = []
        else:
            assert model.labels[0] not in (True, 1)  # so labels[0] is -1, labels[1] is +1
            share = -row[0] / score if score else 0.5
            shares |= {share} if score else set()
            expected = [-share * score, share * score][: 1 if np.isnan(row[1]) else 2]
        assert row[: len(expected)].tolist() == expected
        assert np.isnan(row[len(expected) :]).all()
        assert len(expected) >= known  # labels do not vanish
        known = len(expected)
    assert shares in (set(), {0.5}, {1.0})


@pytest.mark.every_variant
def test_block_equals_loop(case: Case) -> None:
    for kind in KINDS:
        for stream in streams(case, 100):
            rows, y = stream.X[44:60], stream.y[44:60]  # the third label comes at 50
            loop, block, tested = case.make(), case.make(), case.make()
            scores = learn_loop(loop, kind, rows, y.tolist())
            X = KINDS[kind](rows)
            block.learn_many(X, y)
            told = tested.predict_learn_many(X, y, output="score")
            assert fingerprint(block) == fingerprint(loop), kind
            assert fingerprint(tested) == fingerprint(loop), kind
            assert_scores_equal(loop, told, scores)


@pytest.mark.every_variant
def test_test_then_train(case: Case) -> None:
    for stream in streams(case, 150):
        for output in outputs(case.make()):
            loop, block = case.make(), case.make()
            expected = []
            for x, y in zip(stream.X, stream.y.tolist(), strict=True):
                if output == "label":
                    expected.append(loop.predict_one(x))
                elif output == "score":
                    expected.append(loop.score_one(x))
                else:
                    expected.append(loop.predict_proba_one(x))
                loop.learn_one(x, y)
            told = block.predict_learn_many(stream.X, stream.y, output=output)
            assert len(told) == len(expected)
            if output == "label":
                assert told.tolist() == expected
            elif output == "score":
                assert_scores_equal(block, told, expected)
            else:
                assert told.shape == (len(expected), len(block.labels))
                for row, probabilities in zip(told, expected, strict=True):
                    assert row[: len(probabilities)].tolist() == list(probabilities.values())
                    assert (row[len(probabilities) :] == 0.0).all()
            assert fingerprint(block) == fingerprint(loop)


def test_features_that_come_and_go(case: Case) -> None:
    for stream in streams(case, 150):
        rows = by_name(stream.X)
        loop, block = case.make(), case.make()
        expected = []
        for x, y in zip(rows, stream.y.tolist(), strict=True):
            expected.append(loop.score_one(x))
            loop.learn_one(x, y)
        told = block.predict_learn_many(rows, stream.y, output="score")
        assert fingerprint(block) == fingerprint(loop)
        assert_scores_equal(block, told, expected)


def test_every_row_brings_a_feature(case: Case) -> None:
    """A row is judged by what the rows before it in the block have taught, features and all."""
    for stream in streams(case, 60):
        rows = [{**x, f"own {i // 2}": 1.0} for i, x in enumerate(by_name(stream.X))]
        loop, block = case.make(), case.make()
        expected = []
        for x, y in zip(rows, stream.y.tolist(), strict=True):
            expected.append(loop.predict_one(x))
            loop.learn_one(x, y)
        assert block.predict_learn_many(rows, stream.y).tolist() == expected
        assert fingerprint(block) == fingerprint(loop)


def test_nominal_and_missing_values(case: Case) -> None:
    rng = np.random.default_rng(4)
    colours = ["red", "green", "blue", None]
    rows = [
        {
            "n": None if rng.random() < 0.2 else float(rng.normal()),
            "c": colours[rng.integers(4)],
            7: 2,
        }
        for _ in range(80)
    ]
    y = targets(case, 80)
    loop, block = case.make(), case.make()
    expected = []
    for x, target in zip(rows, y.tolist(), strict=True):
        expected.append(loop.score_one(x))
        loop.learn_one(x, target)
    told = block.predict_learn_many(rows, y, output="score")
    assert fingerprint(block) == fingerprint(loop)
    assert_scores_equal(block, told, expected)


def test_frames_with_text_and_nulls(case: Case) -> None:
    """A row without null may take another way than the block that has some."""
    n = 25
    rng = np.random.default_rng(9)
    table = pa.table(
        {
            "number": [None if rng.random() < 0.3 else float(v) for v in rng.normal(size=n)],
            "colour": rng.choice(["red", "green", None], n).tolist(),
            "whole": [None if i == 20 else i % 3 for i in range(n)],
        }
    )
    y = targets(case, n)
    for make in (lambda part: part, pa.Table.to_pandas, pl.from_arrow):
        loop, block = case.make(), case.make()
        scores = []
        for i in range(n):
            row = make(table.slice(i, 1))
            score = loop.score_many(row)[0]
            scores.append(
                float(score) if score.ndim == 0 else dict(zip(loop.labels, score, strict=True))
            )
            loop.learn_many(row, y[i : i + 1])
        told = block.predict_learn_many(make(table), y, output="score")
        assert fingerprint(block) == fingerprint(loop)
        assert_scores_equal(block, told, scores)


def test_weights(case: Case) -> None:
    rng = np.random.default_rng(8)
    for X, y in streams(case, 120):
        stream = Stream(X[30:80], y[30:80])
        w = rng.choice([0.0, 0.5, 1.0, 2.5], len(stream.y))
        w[:2] = 0.0
        for kind in ("dicts", "dense", "CSR", "polars"):
            loop, block, tested = case.make(), case.make(), case.make()
            scores = learn_loop(loop, kind, stream.X, stream.y.tolist(), w.tolist())
            X = KINDS[kind](stream.X)
            block.learn_many(X, stream.y, w)
            told = tested.predict_learn_many(X, stream.y, w, output="score")
            assert fingerprint(block) == fingerprint(loop), kind
            assert fingerprint(tested) == fingerprint(loop), kind
            assert_scores_equal(loop, told, scores)
            assert loop.seen == (w > 0.0).sum()


def test_many_pieces_equal_one_block(case: Case) -> None:
    for stream in streams(case, 100):
        for kind, make in KINDS.items():
            whole, pieces = case.make(), case.make()
            whole.learn_many(make(stream.X), stream.y)
            for cut in np.split(np.arange(len(stream.y)), [1, 7, 7, 51, 70]):
                pieces.learn_many(make(stream.X[cut]), stream.y[cut])
            assert fingerprint(pieces) == fingerprint(whole), kind


@pytest.mark.parametrize("kind", ["dicts", "dense", "strided", "CSR", "arrow"])
def test_more_rows_than_one_block(learner: Case, kind: str) -> None:
    """A block is 2**15 values: here it takes two, and the third label comes in the last."""
    n = 3_600
    X, y = (two_labels if learner.takes_labels else plane)(n)
    if learner.takes_labels:
        y = np.where(np.arange(n) > 3_400, three_labels(n).y, y)
    loop, block = learner.make(), learner.make()
    pairs = zip(X.tolist(), y.tolist(), strict=True)
    if kind == "dicts":
        for x, target in pairs:
            loop.learn_one(dict(enumerate(x)), target)
    elif kind in ("dense", "strided"):
        for x, target in zip(X, y.tolist(), strict=True):
            loop.learn_one(x, target)
    else:  # one row at a time is tested above; here it is about the seams
        for cut in np.array_split(np.arange(n), 37):
            loop.learn_many(KINDS[kind](X[cut]), y[cut])
    told = block.predict_learn_many(KINDS[kind](X), y)
    assert fingerprint(block) == fingerprint(loop)
    assert len(told) == n
    again = learner.make()
    again.learn_many(KINDS[kind](X), y)
    assert fingerprint(again) == fingerprint(loop)
    assert_close(again.score_many(KINDS[kind](X))[-1], block.score_many(X[-1:])[0])  # two kinds


def test_outputs_that_do_not_exist(case: Case) -> None:
    model = case.make()
    before = fingerprint(model)
    stream: Stream = streams(case, 5)[0]
    wrong = ["Label", "", None, "prob"]
    if not hasattr(model, "predict_proba_one"):
        wrong.append("proba")
    for output in wrong:
        with pytest.raises(ValueError, match=f"^{case.name}: output"):
            model.predict_learn_many(stream.X, stream.y, output=output)
        assert fingerprint(model) == before
