"""Members that cannot learn: refused in blocks as alone, and answered all the same."""

from typing import Any

import numpy as np
import pytest

from onstream.ensemble import (
    AdaptiveRandomForestRegressor,
    OnlineBagging,
    OnlineBaggingRegressor,
)
from onstream.linear import LMS, PAClassifier
from onstream.neighbors import KNNClassifier
from onstream.persist import dumps
from onstream.select import EvolvingRegressor

X = np.random.default_rng(0).normal(size=(60, 3))
Y = X.sum(axis=1)
REGRESSORS = [
    AdaptiveRandomForestRegressor(n_models=3, seed=1),
    OnlineBaggingRegressor(LMS(), n_models=10, seed=1),
    EvolvingRegressor(space=[LMS(), LMS(eta=0.1)], population=2),
]


@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize("learner", REGRESSORS, ids=lambda learner: type(learner).__name__)
def test_a_target_that_nobody_can_learn_is_refused_in_a_block(learner: Any, rows: int) -> None:
    block, targets = X[:rows].copy(), Y[:rows].copy()
    block[-1], targets[-1] = 1e60, 1e300
    loop = learner.clone()
    for x, y in zip([*X[:50], *block[:-1]], [*Y[:50], *targets[:-1]], strict=True):
        loop.learn_one(x, float(y))
    with pytest.raises(ValueError, match="overflow"):
        loop.learn_one(block[-1], 1e300)
    for verb in ("learn_many", "predict_learn_many"):
        model = learner.clone()
        model.learn_many(X[:50], Y[:50])
        with pytest.raises(ValueError, match="overflow"):
            getattr(model, verb)(block, targets)
        assert dumps(model) == dumps(loop)


@pytest.mark.filterwarnings("ignore:.*members could not learn")
@pytest.mark.parametrize("learner", REGRESSORS[:2], ids=lambda learner: type(learner).__name__)
def test_a_member_without_memory_votes_all_the_same(learner: Any) -> None:
    memory = pytest.importorskip("_testcapi")
    model = learner.clone()
    model.learn_many(X[:50], Y[:50])
    expected = model.predict_many(X[50:51])[0]
    failed = 0
    for k in range(60):
        given = model.clone()
        given._restore(model._snapshot())
        answers = np.empty(1)
        memory.set_nomemory(k, k + 1)
        try:
            answers = given.predict_learn_many(X[50:51], Y[50:51])
        except MemoryError:
            failed += 1
            continue
        finally:
            memory.remove_mem_hooks()
        assert answers[0] == expected, k
    assert failed > 0


@pytest.mark.filterwarnings("ignore:.*members could not learn")
@pytest.mark.parametrize("order", [1, -1])
def test_what_one_member_can_learn_is_learned_wherever_it_stands(order: int) -> None:
    """The distance to 1e130 overflows, its product with a weight does not."""
    members = [PAClassifier(), KNNClassifier()][::order]
    model = OnlineBagging(members, seed=3)
    for x in (1.0, 2.0, -1.0, -2.0, 3.0, -3.0):
        model.learn_one({"x": x}, x > 0.0)
    with pytest.raises(ValueError, match="overflow"):
        OnlineBagging([KNNClassifier()] * 2, seed=3).fit([{"x": 1.0}], [True]).learn_one(
            {"x": 1e130}, True
        )
    seen = model.seen
    model.learn_one({"x": 1e130}, True)
    assert model.seen == seen + 1
