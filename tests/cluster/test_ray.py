"""Ray: a head and two nodes on this machine. Few tests, since starting them takes seconds."""

import glob
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from onstream.bayes import GaussianNB
from onstream.cluster import KeyedModels, MemberParallel, train
from onstream.cluster.key_store import StoreError
from onstream.cluster.ray_engine import Ray
from onstream.cluster.ray_keyed import RayPool
from onstream.ensemble import AdaptiveRandomForestClassifier
from onstream.evaluate import Accuracy
from onstream.linear import LogisticRegression, PAClassifier
from onstream.persist.format import dumps
from onstream.select import EvolvingClassifier, LogRange, Vary

from ..tools import package

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # of Ray and what it brings along
    pytest.mark.skipif(sys.version_info >= (3, 14), reason="there is no Ray for this Python yet"),
]

ROWS = 4000
X = np.random.default_rng(6).normal(size=(ROWS, 6))
Y = np.where(X @ [1.0, -2.0, 0.5, 0.0, 1.0, 3.0] > 0.1, "yes", "no")
QUICK = {  # notice a dead node soon
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 300,
    "health_check_failure_threshold": 2,
}


@pytest.fixture
def cluster(monkeypatch):
    ray = package("ray")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": 80_000_000}
    made = Cluster(initialize_head=True, head_node_args={**head, "_system_config": QUICK})
    made.nodes = [add_node(made) for _ in range(2)]
    ray.init(address=made.address, log_to_driver=False, logging_level="error")
    yield made
    ray.shutdown()
    made.shutdown()


def add_node(cluster):
    return cluster.add_node(num_cpus=1, object_store_memory=80_000_000)


@pytest.fixture
def files(tmp_path):
    table = pa.table({**{f"x{i}": X[:, i] for i in range(6)}, "y": Y})
    for k in range(4):
        pq.write_table(table.slice(k * 1000, 1000), tmp_path / f"{k}.parquet", row_group_size=300)
    return str(tmp_path / "*.parquet")


def test_lost_workers(cluster, files, tmp_path):
    check_a_straggler(tmp_path / "go")
    check_keyed_models(files)
    check_members()
    check_a_killed_node(cluster, files)


@pytest.mark.slow
def test_shards(cluster, files):
    check_the_same_as_here(files)
    check_data_of_ray()
    check_a_bad_shard(files)
    check_models_that_do_not_go_together()
    check_a_selection()


def check_the_same_as_here(files):
    options = {"workers": 2, "mix_every": 500, "target": "y"}
    for model in (LogisticRegression(scale="auto"), GaussianNB()):
        here, there = Accuracy(), Accuracy()
        mine = train(model.clone(), files, "local", metrics=here, **options)
        theirs = train(model.clone(), files, "ray", metrics=there, **options)
        assert dumps(theirs) == dumps(mine)
        assert there.n == ROWS
        assert there.value == here.value


def check_data_of_ray():
    import ray

    table = pa.table({"a": X[:, 0], "y": Y})
    data = ray.data.from_arrow([table.slice(0, 1500), table.slice(1500)])
    model = train(GaussianNB(), data, "ray", workers=2, target="y")
    one = GaussianNB()
    one.learn_many(table.select(["a"]), Y)
    assert model.seen == ROWS
    probe = table.select(["a"]).slice(0, 50)
    np.testing.assert_allclose(
        np.sort(model.predict_proba_many(probe)), np.sort(one.predict_proba_many(probe)), atol=1e-9
    )


def check_a_bad_shard(files):
    with pytest.raises(ValueError, match=r"train: .*0\.parquet"):
        train(GaussianNB(), files, "ray", workers=2, target="no such column")


def check_models_that_do_not_go_together():
    with pytest.raises(TypeError, match=r"^train: what workers have learned .* bool and str\.$"):
        train(GaussianNB(), [(X, Y == "yes"), (X, Y)], "ray", workers=2)


def check_a_straggler(go):
    """One of two workers waits for the second mix, which does not wait for it."""

    def late():
        for _ in range(600):  # not for ever: without min_fraction the mix would wait, too
            if go.exists():
                break
            time.sleep(0.1)
        return iter([(X[:500], Y[:500])])

    mixes = []

    def on_mix(mix):
        mixes.append(mix)
        if mix.round == 2:
            go.touch()

    options = {"workers": 2, "mix_every": 100, "min_fraction": 0.5, "on_mix": on_mix}
    accuracy = Accuracy()
    shards = [(X[500:2000], Y[500:2000]), late]
    model = train(LogisticRegression(), shards, "ray", metrics=accuracy, **options)
    assert [(mix.late, mix.rows) for mix in mixes[:2]] == [(1, 100), (1, 200)]
    assert mixes[-1].rows == model.seen == accuracy.n == 2000  # the late rows, too, and once
    assert mixes[-1].lost == 0
    assert (model.predict_many(X) == Y).mean() > 0.95


def check_members():
    import ray

    one = AdaptiveRandomForestClassifier(n_models=3, seed=2)
    with MemberParallel(one.clone(), "ray", snapshot_every=900) as spread:
        for start in range(0, 2000, 500):
            part = slice(start, start + 500)
            found = spread.predict_learn_many(X[part], Y[part], output="proba")
            wanted = one.predict_learn_many(X[part], Y[part], output="proba")
            assert found.tobytes() == wanted.tobytes()
            if start == 1000:  # after the snapshot at 1,000 rows
                ray.kill(spread.pool.actors[1])
        assert spread.predict_proba_many(X).tobytes() == one.predict_proba_many(X).tobytes()
        assert dumps(spread.model()) == dumps(one)


def check_a_selection():
    import ray

    space = [PAClassifier(), Vary(LogisticRegression(), eta=LogRange(0.01, 1.0)), GaussianNB()]
    one = EvolvingClassifier(space=space, population=4, interval=300)
    with MemberParallel(one.clone(), "ray", snapshot_every=900) as spread:
        for start in (0, 700, 1400):
            part = slice(start, start + 700)
            wanted = one.predict_learn_many(X[part], Y[part])
            assert spread.predict_learn_many(X[part], Y[part]).tolist() == wanted.tolist()
            if start == 700:  # after the snapshot at 1,400 rows
                spread.learn_many(X[2100:2200], Y[2100:2200])
                one.learn_many(X[2100:2200], Y[2100:2200])
                ray.kill(spread.pool.actors[1])
        assert dumps(spread.model()) == dumps(one)
    assert any(life["kept"] for life in one.history)


def check_keyed_models(files):
    import ray

    with tempfile.TemporaryDirectory() as folder:
        table = pq.read_table(sorted(glob.glob(files))[0])
        table = table.append_column("shop", pa.array(np.arange(1000) % 7)).drop_columns(["y"])
        options = {"workers": 2, "folder": folder, "snapshot_every": 400, "engine": "ray"}
        with KeyedModels(GaussianNB(labels=["no", "yes"]), "shop", **options) as models:
            for start in range(0, 1000, 100):
                models.learn_many(table.slice(start, 100), Y[start : start + 100])
                if start == 500:  # after the snapshot at 400 rows
                    ray.kill(models.pool.actors[0])
                if start == 700:  # other keys learn their rows, and go back
                    bad = pc.if_else(pc.equal(table["shop"], 3), np.inf, table["x0"])
                    with pytest.raises(ValueError, match=r"key 3: GaussianNB: row 3: .* inf"):
                        models.learn_many(table.set_column(0, "x0", bad), Y[:1000])
            found = {key: dumps(models.model(key)) for key in models.keys()}  # noqa: SIM118
            tested = models.predict_learn_many(table, Y[:1000])
            scores = models.score_many(table)
    with KeyedModels(GaussianNB(labels=["no", "yes"]), "shop", workers=2) as here:
        here.learn_many(table, Y[:1000])
        assert found == {key: dumps(here.model(key)) for key in here.keys()}  # noqa: SIM118
        assert tested.tolist() == here.predict_learn_many(table, Y[:1000]).tolist()
        assert scores.tobytes() == here.score_many(table).tobytes()
    assert len(found) == 7


def check_a_killed_node(cluster, files):
    options = {"workers": 2, "mix_every": 200, "target": "y"}
    here, there = Accuracy(), Accuracy()
    undisturbed = train(LogisticRegression(), files, "local", metrics=here, **options)
    rows = []

    def kill(mix):
        if mix.round == 3:
            cluster.remove_node(cluster.nodes[0], allow_graceful=False)
            add_node(cluster)

    disturbed = train(
        LogisticRegression(),
        files,
        Ray(),
        metrics=there,
        on_mix=kill,
        progress=rows.append,
        **options,
    )
    assert dumps(disturbed) == dumps(undisturbed)
    assert sum(rows) == disturbed.seen == there.n == ROWS  # nothing was applied twice
    assert there.value == here.value


def test_the_error_of_an_actors_file_is_its_sentence(monkeypatch):
    """Not the traceback of the actor. No Ray is started."""
    ray = package("ray")
    failed = ray.exceptions.RayTaskError("learn", "Traceback ...", StoreError("the disk is full"))

    def get(handle):
        raise failed.as_instanceof_cause()

    monkeypatch.setattr(ray, "get", get)
    pool = RayPool.__new__(RayPool)
    pool.ray = ray
    with pytest.raises(StoreError, match=r"^the disk is full$"):
        pool.outcome(None)
