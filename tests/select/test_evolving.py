"""EvolvingClassifier and EvolvingRegressor, against plain Python and by themselves."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onstream
from onstream.base import NotMergeable
from onstream.bayes import GaussianNB
from onstream.ensemble import AdaptiveRandomForestClassifier
from onstream.features import StandardScaler
from onstream.linear import AROW, LMS, LogisticRegression, PAClassifier
from onstream.neighbors import KNNClassifier, KNNRegressor
from onstream.select import EvolvingClassifier, EvolvingRegressor, LogRange, Vary, plot_history
from onstream.select.plot import kind_of
from onstream.tree import HoeffdingTreeClassifier

from ..oracles.evolution import Evolution

RNG = np.random.default_rng(1)
X = RNG.normal(size=(900, 4))
LINE = np.where((X[:, 0] + X[:, 1] > 0) ^ (np.arange(900) > 450), "a", "b")  # all changes at 450
THREE = np.digitize(X[:, 0] - X[:, 1], [-0.7, 0.7])
NUMBERS = X @ [1.0, -2.0, 0.0, 3.0]
SPACE = [
    Vary(StandardScaler() | PAClassifier(), C=LogRange(0.01, 10.0), variant=["PA-I", "PA-II"]),
    Vary(StandardScaler() | LogisticRegression(), eta=LogRange(0.01, 1.0)),
    Vary(KNNClassifier(), k=[1, 3, 5], window=[20, 200]),
    GaussianNB(),
]
VOTES = ("mixed", "weighted", "majority", "best")


@pytest.mark.parametrize("vote", VOTES)
@pytest.mark.parametrize("y", [LINE, THREE], ids=["two labels", "three"])
def test_the_loop_is_that_of_plain_python(vote: Any, y: Any) -> None:
    labels = list(dict.fromkeys(y.tolist()))
    model = EvolvingClassifier(space=SPACE, population=4, interval=150, vote=vote, labels=labels)
    oracle = Evolution(SPACE, labels, 4, 150, vote)
    for x, label in zip(X[:700], y.tolist(), strict=False):
        expected = oracle.predict_learn_one(x, label)
        if model.seen > 1 and vote in ("mixed", "best"):
            total = sum(expected.values())
            shares = {name: value / total for name, value in expected.items()}
            assert model.predict_proba_one(x) == pytest.approx(shares, abs=1e-7)
        elif model.seen > 1:
            assert model.predict_one(x) == max(labels, key=lambda name: expected[name])
        model.learn_one(x, label)
    mine = {repr(row["learner"].clone()): row["fitness"] for row in model.members}
    assert len(model.history) > 4, "nobody was replaced"
    for member in oracle.members:
        bare = repr(member.learner.clone()).replace(f"labels={labels!r}", "").replace(", )", ")")
        bare = bare.replace("(, ", "(").replace(", ,", ",")
        close = [f for name, f in mine.items() if name == bare]
        assert close, (bare, mine)
        if member.asked:
            assert close[0] == pytest.approx(member.fitness, abs=1e-12)


def test_the_population_keeps_its_size() -> None:
    model = EvolvingClassifier(space=SPACE, population=5, interval=50)
    for start in range(0, 900, 90):
        model.learn_many(X[start : start + 90], LINE[start : start + 90])
        assert len(model.members) == 5
        assert all(row["awake"] for row in model.members)
        assert len(model.history) == 5 + model.seen // 50


def test_a_seed_says_all() -> None:
    runs = [
        EvolvingClassifier(space=SPACE, population=6, interval=100, lam=6.0, seed=s)
        for s in (3, 3, 4)
    ]
    scores = [run.predict_learn_many(X, LINE, output="score") for run in runs]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert runs[0].history == runs[1].history
    assert (scores[0] != scores[2]).any()
    assert [r["change"] for r in runs[0].history] != [r["change"] for r in runs[2].history]


@pytest.mark.parametrize("vote", VOTES)
@pytest.mark.parametrize(
    "learner",
    [
        StandardScaler() | PAClassifier(),
        LogisticRegression(scale="auto"),
        KNNClassifier(k=2),
        HoeffdingTreeClassifier(grace_period=50),
        AdaptiveRandomForestClassifier(n_models=3),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_one_member_that_learns_once_is_the_bare_learner(learner: Any, vote: Any) -> None:
    for interval in (None, 100):  # a lonely member is never replaced
        model = EvolvingClassifier(space=learner, population=1, interval=interval, vote=vote)
        for y in (LINE, THREE):
            mine = model.clone().predict_learn_many(X, y)
            np.testing.assert_array_equal(mine, learner.clone().predict_learn_many(X, y))


def test_one_regressor_is_the_bare_one() -> None:
    for learner in (LMS(eta=0.05), KNNRegressor(k=3)):
        model = EvolvingRegressor(space=learner, population=1)
        np.testing.assert_array_equal(
            model.predict_learn_many(X, NUMBERS), learner.predict_learn_many(X, NUMBERS)
        )


def test_without_an_interval_nobody_is_replaced() -> None:
    model = EvolvingClassifier(space=SPACE, population=4, interval=None)
    model.learn_many(X, LINE)
    assert [row["died"] for row in model.history] == [None] * 4


def planted() -> tuple[Any, Any, Any]:
    """Data on which one configuration of many is good: near neighbours on a fine chessboard."""
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(6000, 2))
    y = (np.floor(X * 8).sum(axis=1) % 2).astype(int)
    space = [
        Vary(
            KNNClassifier(k=51, window=50),
            k=[51, 25, 1],
            window=[50, 100, 2000],
            weights=["uniform", "distance"],
        ),
        Vary(PAClassifier(C=0.01), C=LogRange(1e-4, 1e-2)),
    ]
    return X, y, space


@pytest.mark.parametrize("vote", ["mixed", "majority"])
def test_the_planted_configuration_is_found(vote: Any) -> None:
    X, y, space = planted()
    model = EvolvingClassifier(space=space, population=6, interval=100, vote=vote)
    found = model.predict_learn_many(X, y) == y
    best = model.members[0]["learner"]
    assert best.k == 1
    assert best.window == 2000
    frozen = EvolvingClassifier(space=space, population=6, interval=None, vote=vote)
    assert found[-1000:].mean() > (frozen.predict_learn_many(X, y) == y)[-1000:].mean() + 0.05
    assert found[-1000:].mean() > 0.85


@pytest.mark.parametrize("search", ["evolution", "random", "halving", "bandit", "once", "again"])
def test_blocks_threads_and_examples_give_the_same_bits(search: Any) -> None:
    def made(n_jobs: int) -> EvolvingClassifier:
        return EvolvingClassifier(
            space=SPACE, population=5, interval=70, lam=2.0, search=search, n_jobs=n_jobs
        )

    one = made(1)
    for x, y in zip(X, LINE.tolist(), strict=True):
        one.learn_one(x, y)
    for n_jobs in (1, 2, 4):
        many = made(n_jobs)
        for start in (0, 1, 64, 300, 301, 450):
            end = {0: 1, 1: 64, 64: 300, 300: 301, 301: 450, 450: 900}[start]
            many.learn_many(X[start:end], LINE[start:end])
        assert many.history == one.history
        np.testing.assert_array_equal(many.score_many(X), one.score_many(X))
        assert many.score_one(X[5]) == one.score_one(X[5])


@pytest.mark.parametrize("search", ["evolution", "random", "halving", "bandit", "once", "again"])
def test_saved_and_loaded_it_goes_on(search: Any, tmp_path: Path) -> None:
    model = EvolvingClassifier(space=SPACE, population=5, interval=70, search=search, lam=3.0)
    model.learn_many(X[:500], LINE[:500])
    onstream.save(model, tmp_path / "model")
    other = onstream.load(tmp_path / "model")
    assert list(map(repr, other.members)) == list(map(repr, model.members))
    for each in (model, other):
        each.learn_many(X[500:], LINE[500:])
    np.testing.assert_array_equal(model.score_many(X), other.score_many(X))
    assert other.history == model.history


def test_regression_follows_the_better_half() -> None:
    space = [LMS(eta=1e-6), LMS(eta=0.05), KNNRegressor(k=3)]
    model = EvolvingRegressor(space=space, population=3, interval=None)
    off = model.predict_learn_many(X, NUMBERS)[300:] - NUMBERS[300:]
    alone = LMS(eta=0.05).predict_learn_many(X, NUMBERS)[300:] - NUMBERS[300:]
    mean = EvolvingRegressor(space=space, population=3, interval=None, vote="mean")
    average = mean.predict_learn_many(X, NUMBERS)[300:] - NUMBERS[300:]
    assert (off**2).mean() < 1.1 * (alone**2).mean()
    assert (average**2).mean() > 5.0 * (off**2).mean()
    assert repr(model.members[0]["learner"]) == "LMS(eta=0.05)"


def test_regression_finds_a_rate() -> None:
    space = [Vary(LMS(eta=1e-6), eta=LogRange(1e-6, 0.2))]
    model = EvolvingRegressor(space=space, population=4, interval=50, vote="best")
    model.learn_many(X, NUMBERS * np.where(np.arange(900) // 150 % 2, 1.0, -1.0))  # it turns over
    assert model.members[0]["learner"].eta > 1e-4


def test_a_child_goes_on_with_what_its_parent_learned() -> None:
    space = [Vary(PAClassifier(), C=LogRange(0.1, 10.0))]
    model = EvolvingClassifier(space=space, population=2, interval=200)
    model.learn_many(X[:200], THREE[:200])
    (child,) = [row for row in model.history if row["born"] == 200]
    assert child["kept"]
    assert child["change"] == "/0/C"
    assert child["parent"] in (0, 1)
    members = model._model.readable_state().committee.members
    assert members[0].export()["model"]["seen"] == members[1].export()["model"]["seen"] == 200

    space = [Vary(KNNClassifier(), window=LogRange(100, 1000))]  # another window begins anew
    model = EvolvingClassifier(space=space, population=2, interval=200)
    model.learn_many(X[:200], THREE[:200])
    assert not next(row for row in model.history if row["born"] == 200)["kept"]
    assert sorted(
        member.export()["model"]["seen"]
        for member in model._model.readable_state().committee.members
    ) == [0, 200]


def test_limits_send_the_worst_away() -> None:
    space = [PAClassifier(), AROW(), KNNClassifier(window=900), KNNClassifier(window=800)]
    free = EvolvingClassifier(space=space, population=4, interval=300, search="evolution")
    free.learn_many(X, THREE)
    tight = free.clone(max_bytes=30_000)
    tight.learn_many(X, THREE)
    assert tight.memory_bytes < 50_000 < free.memory_bytes
    assert 1 <= sum(row["awake"] for row in tight.members) < 4
    quick = free.clone(budget="1.5x")
    quick.learn_many(X, THREE)
    again = free.clone(budget=1.5)
    again.learn_many(X, THREE)
    assert sum(row["awake"] for row in quick.members) < 4
    assert quick.history == again.history


class Own(PAClassifier):
    """A learner of a user's script."""

    __module__ = "__main__"


def test_limits_hold_for_learners_derived_from_ours() -> None:
    both = []
    for kind in (PAClassifier, Own):
        space = [kind(C=c) for c in (0.01, 0.1, 1.0, 10.0)]
        model = EvolvingClassifier(space=space, population=4, interval=300, budget="2x")
        model.learn_many(X, THREE)
        both.append([(row["member"], row["born"], row["awake"]) for row in model.members])
    assert both[0] == both[1]
    assert sum(awake for *_, awake in both[1]) < 4


def test_searches_do_what_they_say() -> None:
    def run(search: Any, y: Any = THREE) -> EvolvingClassifier:
        model = EvolvingClassifier(space=SPACE, population=4, interval=100, search=search)
        model.learn_many(X, y)
        return model

    assert [row["awake"] for row in run("halving").members] == [True, False, False, False]
    once = run("once")
    assert [row["died"] for row in once.history if row["died"]] == [100] * 3
    again = run("again", LINE)
    born = {row["born"] for row in again.history}
    assert min(born - {0}, default=0) in (500, 600)  # after the change at 450
    bandit = run("bandit")
    assert sum(row["awake"] for row in bandit.members) == 1
    seen = [m.export()["model"]["seen"] for m in bandit._model.readable_state().committee.members]
    assert sum(seen) == 900
    assert min(seen) >= 100
    newcomers = [row for row in run("random").history if row["born"]]
    assert len(newcomers) == 9
    assert all(row["parent"] is None for row in newcomers)


def test_members_of_all_kinds_read_texts_and_gaps() -> None:
    rows = [{"colour": "red" if v[0] > 0 else "blue", "size": v[1]} for v in X.tolist()]
    y = [row["colour"] == "red" and row["size"] > 0 for row in rows]
    model = EvolvingClassifier(interval=200)
    guesses = model.predict_learn_many(rows, y)
    assert np.mean([a == b for a, b in zip(guesses[300:], y[300:], strict=True)]) > 0.95
    model.learn_one({"size": float("nan")}, False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"space": []}, "at least one alternative"),
        ({"space": [LMS()]}, "must predict labels"),
        ({"space": [3]}, "must be a learner"),
        ({"space": [PAClassifier(hash_bits=4)]}, "FeatureHasher"),
        ({"population": 0}, "population must be from 1"),
        ({"interval": 0}, "interval must be from 1"),
        ({"lam": 0.0}, '"once" learns each example once'),
        ({"vote": "all"}, "vote must be one of"),
        ({"search": "grid"}, "search must be one of"),
        ({"budget": "fast"}, "budget must be a number"),
        ({"budget": 0.5}, "three times"),
        ({"fading": 1.0}, "fading must be"),
    ],
)
def test_mistakes_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        EvolvingClassifier(**options)


def test_populations_do_not_merge() -> None:
    with pytest.raises(NotMergeable, match="let them vote"):
        EvolvingClassifier().merge(EvolvingClassifier())


def test_lives_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    model = EvolvingClassifier(space=SPACE, population=4, interval=100)
    model.learn_many(X, LINE)
    plot_history(model, tmp_path / "lives.png")
    assert (tmp_path / "lives.png").stat().st_size > 5000
    assert (
        kind_of("Pipeline(StandardScaler(), PAClassifier(C=0.1, variant='PA-I'))") == "PAClassifier"
    )
    assert kind_of("KNNClassifier(k=1, window=25)") == "KNNClassifier"


def test_schedules_begin_anew_in_every_member() -> None:
    model = EvolvingClassifier(space=SPACE, population=4).fit(X[:300], LINE[:300], epochs=2)
    model.reset_schedule()
    members = model._model.readable_state().committee.members
    assert [member.export()["model"]["start"] for member in members] == [600] * 4


def test_a_warm_population_is_ahead() -> None:
    X = np.random.default_rng(4).uniform(size=(1500, 2))
    y = (np.floor(X * 4).sum(axis=1) % 2).astype(int)
    options: dict[str, Any] = {"space": SPACE[2:], "population": 2}
    warm = EvolvingClassifier(**options).fit(X[:1000], y[:1000], epochs=3)
    started = EvolvingClassifier(**options, init=warm)
    cold = EvolvingClassifier(**options)
    told = [m.predict_learn_many(X[1000:], y[1000:]) == y[1000:] for m in (warm, started, cold)]
    np.testing.assert_array_equal(told[0], told[1])
    assert told[0].mean() > told[2].mean() + 0.1


def test_a_turn_within_a_block_that_brings_features() -> None:
    """A child has what its parent learned of features that the block has brought."""
    rows = [{f"f{i // 40}": 1.0, "x": v} for i, v in enumerate(X[:400, 0].tolist())]
    y = (3.0 * X[:400, 0]).tolist()
    space = [Vary(LMS(eta=0.1), eta=LogRange(0.05, 0.2))]
    block = EvolvingRegressor(space=space, population=3, interval=30)
    told = block.predict_learn_many(rows, y)
    loop = block.clone()
    for row, target, expected in zip(rows, y, told.tolist(), strict=True):
        assert loop.predict_one(row) == expected
        loop.learn_one(row, target)
    assert any(life["kept"] for life in block.history)


@pytest.mark.parametrize(
    ("space", "words"),
    [
        (Vary(KNNClassifier(), metric=["euclidean", lambda a, b: 0.0]), "calls functions of yours"),
        ([GaussianNB(), Vary(PAClassifier(), hash_bits=[None, [3, 4]])], "FeatureHasher"),
        ([StandardScaler() | PAClassifier(labels=["a", "b"])], "declare labels of"),
    ],
)
def test_choices_that_no_member_can_be_are_refused(space: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        EvolvingClassifier(space=space)


@pytest.mark.parametrize("search", ["evolution", "random", "again"])
def test_choices_that_do_not_go_together_are_skipped(search: Any, tmp_path: Path) -> None:
    """The draw stands in the history; the search goes on with other draws, from a file as well."""
    forest = AdaptiveRandomForestClassifier(n_models=1, max_bytes=60_000)
    space = Vary(forest, n_models=[1, 2, 5])  # five trees want 125,000 bytes
    made = {"space": space, "population": 3, "interval": 20, "seed": 1, "search": search}
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = rng.integers(0, 2, 600)
    for seed in range(30):  # five trees are no member at first
        with suppress(ValueError):
            model = EvolvingClassifier(**{**made, "seed": seed})
            break
    model.learn_many(X[:300], y[:300])
    onstream.save(model, tmp_path / "model.onstream")
    other = onstream.load(tmp_path / "model.onstream")
    for each in (model, other):
        each.learn_many(X[300:], y[300:])
    skipped = [life for life in model.history if life["learner"].startswith("cannot be made: ")]
    assert "max_bytes" in skipped[0]["learner"]
    assert skipped[0]["died"] == skipped[0]["born"]
    alive = sum(life["died"] is None for life in model.history)
    assert alive == (1 if search == "again" else 3)
    assert len({life["member"] for life in model.history}) == len(model.history)
    assert other.history == model.history
