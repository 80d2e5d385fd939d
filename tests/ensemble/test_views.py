"""What can be seen of an ensemble: single trees, importances, votes, drift marks in reports."""

from typing import Any

import numpy as np
import pytest

from onstream.bayes import GaussianNB
from onstream.ensemble import (
    AdaptiveRandomForestClassifier,
    AdaptiveRandomForestRegressor,
    DriftRetraining,
    LeveragingBagging,
    OnlineBagging,
    StreamingGradientBoostingClassifier,
    StreamingRandomPatchesClassifier,
)
from onstream.evaluate import prequential
from onstream.features import StandardScaler
from onstream.linear import PAClassifier
from onstream.streams import SEA, Agrawal, Drift, Friedman
from onstream.tree import HoeffdingTreeClassifier

from ..oracles.ensembles import draws

X, Y = Drift(SEA(1, seed=1), SEA(3, seed=2), at=1500).block(3000)
CHANGED, TRUTH = Drift(Agrawal(1, seed=1), Agrawal(4, seed=2), at=2000).block(4000)
ROWS = np.asarray(X)


@pytest.mark.parametrize(
    "ensemble",
    [
        AdaptiveRandomForestClassifier(n_models=4),
        StreamingRandomPatchesClassifier(n_models=4, subspace=1.0),
        LeveragingBagging(HoeffdingTreeClassifier(grace_period=50), n_models=4),
    ],
    ids=lambda model: type(model).__name__,
)
def test_votes_add_up_to_the_prediction(ensemble: Any) -> None:
    model = ensemble.clone()
    model.learn_many(ROWS, Y)
    for x in ROWS[:40]:
        told = model.explain_one(x)
        total = {y: sum(member.vote[y] for member in told.members) for y in model.labels}
        share = {y: total[y] / sum(total.values()) for y in total}
        assert model.predict_proba_one(x) == pytest.approx(share, abs=1e-12)
        assert told.prediction == model.predict_one(x)
        assert all(member.way is not None for member in told.members)
    assert len(str(told).splitlines()) == 5
    assert repr(told.prediction) in str(told)


def test_trees_look_as_they_would_alone() -> None:
    tree = HoeffdingTreeClassifier(grace_period=50, delta=0.1)
    bag = OnlineBagging(tree, n_models=3)
    bag.learn_many(ROWS, Y)
    assert len(bag.trees) == 3
    for i, view in enumerate(bag.trees):
        alone = tree.clone()
        for x, y, k in zip(ROWS, Y.tolist(), draws(0, i, 1.0, len(ROWS)), strict=True):
            if k:
                alone.learn_one(x, y, k)
        assert view.to_text() == alone.to_text()
        assert view.feature_importances == alone.feature_importances
        assert view.n_leaves >= 2
        assert view.depth < view.n_nodes
        assert view.to_text().count("\n") + 1 >= view.n_leaves
        assert "<svg" in view.to_svg()
        assert "<svg" in view.to_html()
        assert view.to_dot().startswith("digraph")
    assert repr(bag.trees[1]) == "OnlineBagging.trees[1]"


def test_importances_are_the_mean_of_the_trees() -> None:
    model = AdaptiveRandomForestClassifier(n_models=6)
    model.learn_many(ROWS, Y)
    shares = [tree.feature_importances for tree in model.trees]
    grown = [share for share in shares if share]
    for feature, found in model.feature_importances.items():
        mean = sum(share.get(feature, 0.0) for share in grown) / len(grown)
        assert found == pytest.approx(mean, abs=1e-12)
    assert sum(model.feature_importances.values()) == pytest.approx(1.0)
    assert min(model.feature_importances, key=model.feature_importances.__getitem__) == 2


def test_a_regressor_tells_the_numbers_of_its_trees() -> None:
    rows, targets = Friedman(seed=1).block(1500)
    model = AdaptiveRandomForestRegressor(n_models=5)
    assert [member.vote for member in model.explain_one({}).members] == [None] * 5
    model.learn_many(rows, targets)
    x = np.asarray(rows)[3]
    told = model.explain_one(x)
    assert np.median([member.vote for member in told.members]) == pytest.approx(told.prediction)
    assert f"{told.members[0].vote:.6g}" in str(told)


def test_members_of_other_kinds_have_votes_but_no_way() -> None:
    model = OnlineBagging([HoeffdingTreeClassifier(), StandardScaler() | PAClassifier()])
    assert [str(member) for member in model.explain_one({"a": 1.0}).members] == [
        "no vote since it is one leaf",
        "no vote",
    ]
    model.learn_many(ROWS[:200], Y[:200])
    told = model.explain_one(ROWS[0])
    assert told.members[1].way is None
    assert sorted(told.members[1].vote.values()) == [0.0, 1.0]
    assert len(model.trees) == 1


def test_the_trees_of_chains_are_all_there() -> None:
    model = StreamingGradientBoostingClassifier(n_models=4, seed=1, learning_rate=0.1)
    model.learn_many(ROWS, Y)
    assert len(model.trees) == 4
    assert repr(model.trees[3]) == "StreamingGradientBoostingClassifier.trees[3]"
    shares = [tree.feature_importances for tree in model.trees]
    assert any(share != shares[0] for share in shares)
    assert set(model.feature_importances) == set().union(*shares)
    assert [member.way for member in model.explain_one(ROWS[0]).members] == [None]
    model.learn_many(ROWS, np.arange(len(ROWS)) % 3)
    assert len(model.trees) == 12


def test_trees_are_numbered_by_their_place() -> None:
    model = OnlineBagging([GaussianNB(), HoeffdingTreeClassifier()])
    assert [repr(tree) for tree in model.trees] == ["OnlineBagging.trees[0]"]


def test_a_report_shows_where_members_began_anew(tmp_path: Any) -> None:
    forest = AdaptiveRandomForestClassifier(n_models=5, seed=1)
    retrained = DriftRetraining(HoeffdingTreeClassifier())
    forest.learn_many(CHANGED[:200], TRUTH[:200])  # what it did before is no part of the report
    rest = CHANGED[200:], TRUTH[200:]
    report = prequential({"forest": forest, "retrained": retrained}, rest, window=200)
    renewed = report.run("forest").renewed
    assert renewed == [[t + 1 - 200 for t in marks] for marks in forest.drifts]
    assert sum(map(len, renewed)) > 0
    assert report.run("retrained").renewed == [[t + 1 for t in retrained.drifts]]
    assert report.run("majority").renewed == []
    told = {learner["name"]: learner["members_renewed"] for learner in report.to_dict()["learners"]}
    assert told["forest"] == renewed
    ticks = [line for line in report.plot().axes[0].lines if line.get_marker() == "|"]
    assert [list(line.get_xdata()) for line in ticks[:5]] == renewed
