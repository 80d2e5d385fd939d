"""A selection spread over workers is the one on one machine, in every bit: turns and all."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from onstream.bayes import GaussianNB
from onstream.cluster import MemberParallel
from onstream.cluster.members import LocalGroups
from onstream.core.data_warning import DataWarning
from onstream.ensemble import AdaptiveRandomForestClassifier, OnlineBagging
from onstream.features import StandardScaler
from onstream.linear import LogisticRegression, PAClassifier, PARegressor
from onstream.neighbors import KNNClassifier, KNNRegressor
from onstream.persist.format import dumps
from onstream.select import EvolvingClassifier, EvolvingRegressor, LogRange, Vary
from onstream.tree import HoeffdingTreeClassifier

from .test_members import FOUR, ROWS, SCORE, TWO, Failing, X, assert_same, blocks

LABELS = [
    Vary(StandardScaler() | PAClassifier(), C=LogRange(0.01, 10.0)),
    Vary(KNNClassifier(k=1, window=50), k=[1, 3], window=[20, 100]),
    Vary(LogisticRegression(), eta=LogRange(0.01, 1.0)),
    Vary(HoeffdingTreeClassifier(grace_period=50), delta=LogRange(1e-7, 0.1)),
    GaussianNB(),
    AdaptiveRandomForestClassifier(n_models=2),
]
NUMBERS = [
    Vary(PARegressor(), C=LogRange(0.01, 1.0)),
    Vary(KNNRegressor(k=3, window=50), k=[1, 3]),
    Vary(StandardScaler() | PARegressor(), C=[0.1, 1.0]),
]


def classifier(**options: Any) -> EvolvingClassifier:
    return EvolvingClassifier(**{"space": LABELS, "population": 6, "interval": 130, **options})


CASES = [
    (classifier(), TWO),
    (classifier(vote="weighted", lam=1.5, seed=3), FOUR),
    (classifier(search="random", vote="majority"), FOUR),
    (classifier(search="halving"), TWO),
    (classifier(search="bandit", vote="best"), TWO),
    (classifier(search="again", interval=40), TWO),
    (classifier(interval=None), FOUR),
    (classifier(budget="3x"), FOUR),
    (StandardScaler() | classifier(), FOUR),
    (EvolvingRegressor(space=NUMBERS, population=5, interval=130), SCORE),
]


@pytest.mark.parametrize("workers", [2, 7])
@pytest.mark.parametrize(("selection", "y"), CASES, ids=lambda v: str(v)[-40:])
def test_the_same_bits_as_on_one_machine(selection: Any, y: Any, workers: int) -> None:
    one = selection.clone()
    with MemberParallel(selection, "local", workers, snapshot_every=600) as spread:
        for k, (part, targets) in enumerate(blocks(X, y)):
            if k % 2:
                one.learn_many(part, targets)
                spread.learn_many(part, targets)
            else:
                wanted = one.predict_learn_many(part, targets)
                assert_same(spread.predict_learn_many(part, targets), wanted)
        assert_same(spread.predict_many(X), one.predict_many(X))
        assert spread.seen == one.seen == ROWS
        learned = spread.model()
    assert dumps(learned) == dumps(one)
    last = learned.steps[-1] if hasattr(learned, "steps") else learned
    mine = one.steps[-1] if hasattr(one, "steps") else one
    assert last.history == mine.history


def test_children_of_the_test_go_on_with_what_parents_knew() -> None:
    """And some of them live with another worker."""
    model = classifier()
    model.learn_many(X, TWO)
    kept = [life for life in model.history if life["kept"]]
    assert kept
    assert any(life["parent"] != life["member"] for life in kept)


@pytest.mark.parametrize("output", ["proba", "score"])
def test_labels_and_rows_of_no_weight_amid_a_block(output: str) -> None:
    y = np.array(["a"] * 40 + ["b"] * 60 + list(FOUR[100:]))
    w = np.where(np.arange(ROWS) % 7, 1.5, 0.0)  # some rows only ask
    one = classifier()
    with MemberParallel(one.clone(), "local", 2) as spread:
        found = spread.predict_learn_many(X, y, w, output=output)
        assert_same(found, one.predict_learn_many(X, y, w, output=output))
        assert dumps(spread.model()) == dumps(one)


def test_frames_with_text_and_new_columns() -> None:
    table = pa.table({"a": X[:, 0], "town": np.array(["x", "y", "z"])[np.arange(ROWS) % 3]})
    wider = table.append_column("late", pa.array(X[:, 1]))
    one = classifier()
    with MemberParallel(one.clone(), "local", 3) as spread:
        for part in (table, wider, table):
            assert_same(spread.predict_learn_many(part, TWO), one.predict_learn_many(part, TWO))
        assert dumps(spread.model()) == dumps(one)


@pytest.mark.parametrize("snapshot_every", [300, 10_000])
def test_a_lost_worker_changes_nothing(snapshot_every: int) -> None:
    one = classifier()
    spread = MemberParallel(one.clone(), "local", 3, snapshot_every=snapshot_every)
    spread.pool.__class__ = Failing
    lost = [3, 8, 9, 14, 15, 21, 26, 33, 40]  # calls to learn, to hand over, to become another
    spread.pool.lost = {call: "before" if call % 2 else "after" for call in lost}
    for start in range(0, ROWS, 500):
        part = slice(start, start + 500)
        wanted = one.predict_learn_many(X[part], FOUR[part])
        assert_same(spread.predict_learn_many(X[part], FOUR[part]), wanted)
    assert not spread.pool.lost
    assert dumps(spread.model()) == dumps(one)


@pytest.mark.parametrize(("verb", "time"), [("learn", 4), ("learned_by", 1), ("renew", 2)])
def test_a_call_that_is_broken_off_at_a_turn_leaves_no_trace(verb: str, time: int) -> None:
    one = classifier()
    spread = MemberParallel(one.clone(), "local", 2, snapshot_every=200)
    for learner in (one, spread):
        learner.learn_many(X[:450], FOUR[:450])
    ask, calls = spread.pool.ask, []

    def interrupted(worker: int, called: str, *given: Any) -> Any:
        calls.append(called)
        if calls.count(verb) == time:
            spread.pool.ask = ask
            raise KeyboardInterrupt
        return ask(worker, called, *given)

    spread.pool.ask = interrupted
    with pytest.raises(KeyboardInterrupt):
        spread.learn_many(X[450:1200], FOUR[450:1200])
    assert_same(spread.predict_many(X), one.predict_many(X))
    assert spread.seen == 450
    for learner in (one, spread):
        learner.learn_many(X[450:], FOUR[450:])
    assert dumps(spread.model()) == dumps(one)


def test_a_bad_row_after_a_turn_leaves_no_trace() -> None:
    one = classifier()
    spread = MemberParallel(one.clone(), "local", 2)
    bad = X.copy()
    bad[700, 2] = np.inf
    told = []
    for learner in (one, spread):
        learner.learn_many(X[:300], TWO[:300])
        with pytest.raises(ValueError, match="row 700") as refused:
            learner.learn_many(bad, TWO)
        told.append(str(refused.value))
    assert told[0] == told[1]
    assert spread.seen == 300
    assert_same(spread.predict_many(X), one.predict_many(X))
    assert dumps(spread.model()) == dumps(one)


@pytest.mark.parametrize("verb", ["learn_many", "predict_learn_many"])
@pytest.mark.parametrize("model", [classifier(), OnlineBagging(PAClassifier(), n_models=4)])
def test_a_warning_of_the_members_points_to_this_file(model: Any, verb: str) -> None:
    class Doubtful(LocalGroups):
        def ask(self, worker: int, called: str, *given: Any) -> Any:
            answer = super().ask(worker, called, *given)
            return replace(answer, warnings=["too large"]) if called == "learn" else answer

    spread = MemberParallel(model, "local", 2)
    spread.pool.__class__ = Doubtful
    with pytest.warns(DataWarning, match="too large") as told:
        getattr(spread, verb)(X[:300], TWO[:300])
    assert {item.filename for item in told} == {__file__}


def test_it_goes_on_from_what_was_learned() -> None:
    one = classifier()
    one.learn_many(X[:700], FOUR[:700])
    spread = MemberParallel(one, "local", 2)
    for learner in (spread, one):
        learner.learn_many(X[700:], FOUR[700:])
    assert dumps(spread.model()) == dumps(one)


def test_a_limit_on_memory_is_that_of_one_machine() -> None:
    with pytest.raises(TypeError, match="EvolvingClassifier with max_bytes cannot be spread"):
        MemberParallel(classifier(max_bytes=100_000), "local")
