"""Importance weights: logged with the example, replayed to the same bits, and 0 changes nothing."""

import hashlib
import sqlite3
import zlib
from pathlib import Path
from typing import Any

import pytest

from onstream import KNNClassifier, LogisticRegression, PAClassifier, StandardScaler
from onstream.ensemble import AdaptiveRandomForestClassifier
from onstream.persist import dumps
from onstream.serve.receipt import Rejected
from onstream.serve.store import DurableModel
from onstream.tree import HoeffdingTreeClassifier

from .test_store import rows

WEIGHTS = [1.0, 0.25, 0.0, 3.0, 1.0, 1.0, 0.0]


def weighted(n: int) -> list[dict[str, Any]]:
    return [{**row, "w": WEIGHTS[i % len(WEIGHTS)]} for i, row in enumerate(rows(n))]


def sum_of(learner: Any, examples: list[dict[str, Any]]) -> str:
    for example in examples:
        learner.learn_one(example["x"], example["y"], example["w"])
    return hashlib.sha256(dumps(learner)).hexdigest()


def without_last(folder: Path) -> None:
    """Only the log knows what was learned."""
    for path in sorted((folder / "snapshots").iterdir())[1:]:
        path.unlink()


@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
@pytest.mark.parametrize(
    "learner",
    [PAClassifier(C=0.1), LogisticRegression(), StandardScaler() | PAClassifier(),
     HoeffdingTreeClassifier(grace_period=20), KNNClassifier(k=3, window=20),
     AdaptiveRandomForestClassifier(n_models=3, seed=1)],
    ids=lambda learner: type(learner).__name__,
)  # fmt: skip
def test_weights_are_replayed_to_the_same_bits(learner: Any, tmp_path: Path) -> None:
    examples = weighted(200)
    expected = sum_of(learner.clone(), examples)
    with DurableModel(tmp_path, learner.clone()) as model:
        for at in range(0, 200, 40):
            assert model.learn(examples[at : at + 40]).learned == 40
        assert (model.state_sha256, model.seq) == (expected, 200)
        assert model.seen == sum(example["w"] > 0 for example in examples)
        assert model.learn(examples).duplicates == 200, "ids of weight 0 are known, too"
    without_last(tmp_path)
    with DurableModel(tmp_path) as model:
        assert (model.state_sha256, model.seq) == (expected, 200)


def test_they_are_given_as_to_any_learner(tmp_path: Path) -> None:
    X = [{"a": 1.0}, {"b": 1.0}, {"c": 2.0}]
    learner = PAClassifier(C=0.1)
    with DurableModel(tmp_path, learner.clone()) as model:
        model.learn_many(X, ["x", "y", "x"], [0.5, 0, 2])
        model.learn_one(X[1], "y", 0.25, id="i")
        model.learn_one(X[1], "y", w=4)
        learner.learn_many(X, ["x", "y", "x"], [0.5, 0, 2])
        learner.learn_one(X[1], "y", 0.25)
        learner.learn_one(X[1], "y", 4)
        assert model.state_sha256 == hashlib.sha256(dumps(learner)).hexdigest()


def test_a_weight_of_one_is_not_written(tmp_path: Path) -> None:
    """Logs of before have none, and mean 1."""
    with DurableModel(tmp_path, PAClassifier()) as model:
        model.learn([{"x": {"a": 1.0}, "y": 1, "w": float("1")}, {"x": {"a": 1}, "y": 0, "w": 2}])
        body = model.log.db.execute("SELECT body FROM log").fetchone()[0]
        assert body == b'[{"x":{"a":1.0},"y":1},{"x":{"a":1},"y":0,"w":2.0}]'
    without_last(tmp_path)
    before = body.replace(b',"w":2.0', b"")
    db = sqlite3.connect(tmp_path / "log.sqlite3")
    db.execute("UPDATE log SET body = ?, sum = ?", (before, zlib.crc32(before)))
    db.commit()
    db.close()
    learner = PAClassifier()
    learner.learn_many([{"a": 1.0}, {"a": 1}], [1, 0])
    with DurableModel(tmp_path) as model:
        assert model.state_sha256 == hashlib.sha256(dumps(learner)).hexdigest()


@pytest.mark.parametrize(
    ("w", "said"),
    [([1.0], "X has 2 rows, w has 1"), ([1.0, -1.0], "row 1: the weight w must be finite"),
     ([1.0, float("inf")], "row 1: the weight w must"), (["a", "b"], "w must hold numbers"),
     (2.0, "w must be a list or an array"), ([1.0, None], "row 1: the weight w must be a number")],
)  # fmt: skip
def test_what_is_no_weight(w: Any, said: str, tmp_path: Path) -> None:
    with DurableModel(tmp_path, PAClassifier()) as model:
        with pytest.raises((TypeError, ValueError), match=f"^DurableModel: {said}"):
            model.learn_many([{"a": 1}, {"b": 1}], [1, 0], w)
        for one in (-1, float("nan"), "a", None):
            with pytest.raises((TypeError, ValueError), match="the weight w must be"):
                model.learn_one({"a": 1}, 1, one)
        assert model.seq == 0


def test_what_is_refused_beside_weights_of_zero(tmp_path: Path) -> None:
    """The rows of the request are named, though those of weight 0 never reach the learner."""
    with DurableModel(tmp_path, PAClassifier()) as model:
        model.learn_one({"a": 1}, "x")
        with pytest.raises(Rejected) as found:
            model.learn_many([{"a": i} for i in range(5)], ["x", "y", 3, "y", 3], [1, 0, 0, 2, 1])
        assert [one["path"] for one in found.value.receipt.rejected] == ["examples[4]"]
        assert (model.seen, model.seq) == (3, 6)
        state = model.state_sha256
    without_last(tmp_path)
    with DurableModel(tmp_path) as model:
        assert model.state_sha256 == state
