"""One model per key: by hash to workers, cold ones on disk, each row learned once."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from onstream.bayes import GaussianNB
from onstream.cluster import KeyedModels
from onstream.cluster.engine import WorkerLost
from onstream.cluster.keyed import BLOCK
from onstream.cluster.keyed_worker import LocalPool
from onstream.cluster.keys import owner
from onstream.features import StandardScaler
from onstream.linear import RLS, PAClassifier
from onstream.persist.format import dumps

ROWS = 3000
GENERATOR = np.random.default_rng(5)
SHOPS = GENERATOR.integers(0, 40, ROWS)
X = GENERATOR.normal(size=(ROWS, 2))
Y = X[:, 0] > 0.0
TABLE = pa.table({"shop": SHOPS, "a": X[:, 0], "b": X[:, 1], "y": Y})


def expected(model, shop):
    """The model of a shop, trained by hand."""
    own = TABLE.filter(pa.array(shop == SHOPS))
    one = model.clone()
    one.learn_many(own.select(["a", "b"]), own.column("y").to_numpy(zero_copy_only=False))
    return one


def rows():
    return TABLE.select(["shop", "a", "b"]), Y


def test_each_key_learns_its_own_rows():
    with KeyedModels(PAClassifier(), "shop", workers=3) as models:
        models.learn_many(*rows())
        assert sorted(models.keys()) == list(range(40))
        for shop in range(40):
            assert dumps(models.model(shop)) == dumps(expected(PAClassifier(), shop))
        assert models.model(99) is None
        answers = models.predict_many(rows()[0])
        assert (answers == Y).mean() > 0.9
        figures = models.figures()
        assert (figures.keys, figures.in_memory, figures.on_disk) == (40, 40, 0)
        assert 100 < figures.memory_per_key < 10_000


def test_cold_models_go_to_disk_and_come_back(tmp_path):
    with KeyedModels(GaussianNB(), "shop", folder=tmp_path, in_memory=3) as models:
        for start in range(0, ROWS, 100):
            part = slice(start, start + 100)
            models.learn_many(rows()[0].slice(start, 100), Y[part])
        figures = models.figures()
        assert figures.keys == 40
        assert figures.in_memory <= 6  # of two workers
        assert figures.evicted > 100
        assert figures.disk_per_key > 100
        for shop in range(40):
            assert dumps(models.model(shop)) == dumps(expected(GaussianNB(), shop))


def test_lists_frames_and_kinds_of_keys():
    models = KeyedModels(RLS(), "who")
    people = ["ada", 1, True, "1"]
    models.learn_many([{"who": who, "x": 1.0} for who in people], [1.0, 2.0, 3.0, 4.0])
    models.learn_many(pd.DataFrame({"who": ["ada"], "x": [1.0]}), [1.0])
    assert sorted(map(repr, models.keys())) == sorted(map(repr, people))
    assert models.model("ada").seen == 2
    assert models.predict_many([{"who": "nobody", "x": 1.0}]).tolist() == [0.0]
    scalers = KeyedModels(StandardScaler(), "who")
    scalers.learn_many([{"who": "ada", "x": 1.0}])
    assert scalers.model("ada").seen == 1


def test_the_worker_of_a_key_is_the_same_everywhere():
    assert [owner(f"s{name}", 7) for name in ("ada", "bob", "eve")] == [0, 5, 3]


# -- losses and restarts


@pytest.fixture
def file(tmp_path):
    table = pa.concat_tables([TABLE] * 5)  # several blocks
    assert table.num_rows > 3 * BLOCK
    pq.write_table(table, tmp_path / "all.parquet", row_group_size=1000)
    return str(tmp_path / "all.parquet")


def states(models):
    return {key: dumps(models.model(key)) for key in models.keys()}  # noqa: SIM118


@pytest.fixture
def undisturbed(file):
    with KeyedModels(PAClassifier(), "shop") as models:
        models.learn(file, target="y")
        yield states(models)


def test_a_lost_worker_goes_on_from_its_snapshot(file, undisturbed, tmp_path):
    folder = tmp_path / "models"
    models = KeyedModels(PAClassifier(), "shop", folder=folder, snapshot_every=BLOCK + 1)
    calls = []

    class Failing(LocalPool):
        def learn(self, worker, call):
            calls.append((worker, call[1]))
            if len(calls) in (2, 5, 6):  # before it has learned, twice in a row
                raise WorkerLost("gone")
            answer = super().learn(worker, call)
            if len(calls) == 9:  # after it has learned
                raise WorkerLost("gone")
            return answer

    models.pool.__class__ = Failing
    models.learn(file, target="y")
    assert len(calls) > 9
    assert states(models) == undisturbed
    models.close()


def test_a_program_that_is_started_again_learns_the_rest(file, undisturbed, tmp_path):
    folder = tmp_path / "models"

    class Stopped(Exception):
        pass

    class Stopping(LocalPool):
        left = 5

        def learn(self, worker, call):
            self.left -= 1
            if self.left == 0:
                raise Stopped
            return super().learn(worker, call)

    options = {"folder": folder, "snapshot_every": BLOCK, "in_memory": 5}
    models = KeyedModels(PAClassifier(), "shop", **options)
    models.pool.__class__ = Stopping
    with pytest.raises(Stopped), models:
        models.learn(file, target="y")
    with KeyedModels(PAClassifier(), "shop", **options) as again:
        assert min(again.done[0].values()) == 1  # two blocks are in the snapshot
        again.learn(file, target="y")
        assert states(again) == undisturbed
        again.learn(file, target="y")  # nothing is learned twice
        assert states(again) == undisturbed
    with pytest.raises(ValueError, match="workers=2"):
        KeyedModels(PAClassifier(), "shop", workers=3, folder=folder)


def test_a_snapshot_that_one_worker_lacks(file, undisturbed, tmp_path):
    options = {"folder": tmp_path / "models", "snapshot_every": 10**9}
    models = KeyedModels(PAClassifier(), "shop", **options)
    shard = models.pool
    shard.snapshot = lambda k: shard.ask(k, "snapshot") if k == 0 else lose()
    models._recover = lambda worker, reason: lose()
    with pytest.raises(WorkerLost):
        models.learn(file, target="y")
    shard.close()  # worker 0 has everything, worker 1 nothing
    with KeyedModels(PAClassifier(), "shop", **options) as again:
        again.learn(file, target="y")
        assert states(again) == undisturbed


def lose():
    raise WorkerLost("gone")


# -- what is refused


def test_a_bad_row_names_its_key_and_the_row_of_the_caller():
    models = KeyedModels(PAClassifier(), "shop")
    rows = [{"shop": "ab"[i % 2], "x": 1.0} for i in range(2 * BLOCK)]
    rows[BLOCK + 251]["x"] = rows[BLOCK + 253]["x"] = np.nan
    rows[BLOCK + 252]["x"] = np.inf
    with pytest.raises(ValueError, match=r"KeyedModels: key 'b': PAClassifier: row 4,347: .*nan"):
        models.learn_many(rows, [True, False] * BLOCK)
    with pytest.raises(ValueError, match=r"key 'b': PAClassifier: row 1: learning") as told:
        models.learn_many([{"shop": shop, "x": 1e300} for shop in "ab"], [True, True], [0.0, 1e300])
    assert "rows before it" not in str(told.value)


def eight(bad=None):
    """A row of each of eight keys."""
    return [{"shop": str(k), "x": np.nan if k == bad else k + 1.0} for k in range(8)]


@pytest.mark.parametrize("folder", [None, "models"])
@pytest.mark.parametrize("in_memory", [2, 100])
@pytest.mark.parametrize("snapshot_every", [1, 20, 10**9])
def test_a_refused_block_teaches_no_key(folder, in_memory, snapshot_every, tmp_path):
    """Whatever worker has the bad row; so trying again teaches no key twice."""
    folder = folder and tmp_path / folder
    options = {"workers": 3, "in_memory": in_memory, "snapshot_every": snapshot_every}
    models = KeyedModels(PAClassifier(), "shop", folder=folder, **options)
    wanted = KeyedModels(PAClassifier(), "shop")
    labels = [True, False] * 4
    for bad in range(8):
        with pytest.raises(ValueError, match=f"key '{bad}': PAClassifier: row {bad}: "):
            models.learn_many(eight(bad), labels)
        assert states(models) == states(wanted)
        for learner in (models, wanted):
            learner.learn_many(eight(), labels)
        assert models.figures().keys == 8
    with pytest.raises(ValueError, match="row 2"):
        models.learn_many(eight(2), labels)
    models.close()  # what was refused is in no snapshot
    if folder:
        with KeyedModels(PAClassifier(), "shop", folder=folder, workers=3) as again:
            assert states(again) == states(wanted)


def test_a_block_is_refused_as_a_whole_however_long():
    """Workers get it in parts."""
    models = KeyedModels(PAClassifier(), "shop", snapshot_every=10)
    rows = [{"shop": str(k % 8), "x": 1.0} for k in range(3 * BLOCK)]
    rows[-1]["x"] = np.nan
    with pytest.raises(ValueError, match="row 12,287"):
        models.learn_many(rows, [True] * len(rows))
    assert list(models.keys()) == []


def test_a_call_that_is_broken_off_leaves_no_trace():
    class Interrupted(LocalPool):
        def learn(self, worker, call):
            answer = super().learn(worker, call)
            if worker == 1:
                self.__class__ = LocalPool
                raise KeyboardInterrupt
            return answer

    models = KeyedModels(PAClassifier(), "shop")
    models.learn_many(eight(), [True] * 8)
    before = states(models)
    models.pool.__class__ = Interrupted
    with pytest.raises(KeyboardInterrupt):
        models.learn_many(eight(), [False] * 8)
    assert states(models) == before


def test_a_worker_is_lost_while_rows_are_refused(tmp_path):
    class Failing(LocalPool):
        def learn(self, worker, call):
            return self.lose_once("learn", super().learn(worker, call))

        def ask(self, worker, verb, *given):
            return self.lose_once(verb, super().ask(worker, verb, *given))

        def lose_once(self, verb, answer):
            if verb in lost:
                lost.remove(verb)
                raise WorkerLost("gone")
            return answer

    lost = ["learn", "go_back"]
    models = KeyedModels(PAClassifier(), "shop", folder=tmp_path)
    models.learn_many(eight(), [True] * 8)
    before = states(models)
    models.pool.__class__ = Failing
    with pytest.raises(ValueError, match="row 3"):
        models.learn_many(eight(3), [False] * 8)
    assert states(models) == before
    assert lost == []


def test_what_was_learned_is_learned_again_once_at_most():
    """However many rows are refused after it."""

    class Counting(LocalPool):
        calls = 0

        def learn(self, worker, call):
            self.calls += 1
            return super().learn(worker, call)

    models = KeyedModels(PAClassifier(), "shop", workers=1)
    models.pool.__class__ = Counting
    for _ in range(10):
        models.learn_many(eight(), [True] * 8)
    for _ in range(10):
        with pytest.raises(ValueError, match="row 3"):
            models.learn_many(eight(3), [True] * 8)
    assert models.pool.calls == 30


def test_refused_rows_are_not_kept_for_ever():
    """They are kept for lost workers, up to the next snapshot."""
    models = KeyedModels(PAClassifier(), "shop", snapshot_every=5)
    for _ in range(20):
        with pytest.raises(ValueError, match="key 'a'"):
            models.learn_many([{"shop": "a", "x": np.nan}], [True])
        assert sum(map(len, models.unsaved)) < 5


def test_a_worker_that_is_lost_with_its_models_is_an_error():
    """Without a folder there is nothing that it could go on from."""
    models = KeyedModels(PAClassifier(), "shop", snapshot_every=20)
    lose = []

    class Failing(LocalPool):
        def learn(self, worker, call):
            if lose:
                lose.pop()
                raise WorkerLost("gone")
            return super().learn(worker, call)

    models.pool.__class__ = Failing
    block = [{"shop": str(k), "x": 1.0} for k in range(10)], [True] * 10
    models.learn_many(*block)
    lose.append(True)
    models.learn_many(*block)  # nothing was let go of yet: all is learned again
    assert [models.model(str(k)).seen for k in range(10)] == [2] * 10
    lose.append(True)
    with pytest.raises(RuntimeError, match="with a folder it would go on from its snapshot"):
        models.learn_many(*block)


def test_columns_of_other_lengths():
    models = KeyedModels(PAClassifier(), "shop")
    with pytest.raises(ValueError, match="KeyedModels: X has 3000 rows, y has 5"):
        models.learn_many(rows()[0], Y[:5])
    with pytest.raises(ValueError, match="KeyedModels: X has 3000 rows, w has 4"):
        models.learn_many(*rows(), np.ones(4))
    assert list(models.keys()) == []


def test_the_folder_of_something_else(tmp_path, monkeypatch):
    def made(model=None, key="shop"):
        return KeyedModels(model or PAClassifier(), key, folder=tmp_path)

    with made() as models:
        models.learn_many(*rows())
        monkeypatch.setattr("onstream.cluster.key_store.PATIENCE", 0.0)
        with pytest.raises(ValueError, match=r"worker-0-of-2\.sqlite.*another program uses it"):
            made()
    models.close()  # once more changes nothing
    with pytest.raises(ValueError, match=r"model .* is PAClassifier\(\), not GaussianNB\(\)"):
        made(GaussianNB())
    with pytest.raises(ValueError, match=r"PAClassifier\(\), not PAClassifier\(C=0.1\)"):
        made(PAClassifier(C=0.1))
    with pytest.raises(ValueError, match=r"key .* is 'shop', not 'a'"):
        made(key="a")
    with made() as models:
        assert models.model(7).seen == (SHOPS == 7).sum()
    uses = [lambda: models.learn_many(*rows()), lambda: models.model(7), lambda: models.learn([])]
    for use in uses:
        with pytest.raises(ValueError, match="KeyedModels: it is closed"):
            use()
    (tmp_path / "worker-1-of-2.sqlite").write_text("junk" * 1000)
    with pytest.raises(ValueError, match=r"worker-1-of-2\.sqlite.* not a database"):
        made()


def test_no_such_file():
    with pytest.raises(FileNotFoundError, match="KeyedModels: no such file"):
        KeyedModels(PAClassifier(), "shop").learn("/nothing-*.parquet", target="y")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([{"x": 1.0}], "a row has no key 'shop'"),
        (pa.table({"x": [1.0]}), "no column 'shop'"),
        (np.ones((1, 2)), "a frame or a list of dicts"),
        ([{"shop": 1.5}], "a key must be"),
        ([{"shop": None}], "a key must be"),
        ([{"shop": "\ud800"}], "not valid Unicode"),
    ],
)
def test_rows_without_a_key(X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        KeyedModels(PAClassifier(), "shop").learn_many(X, [True])


def test_what_keyed_models_refuse():
    model = PAClassifier()
    model.learn_one({"a": 1}, True)
    with pytest.raises(ValueError, match="already learned 1"):
        KeyedModels(model, "shop")
    with pytest.raises(TypeError, match="must be a learner"):
        KeyedModels("PAClassifier", "shop")
    with pytest.raises(ValueError, match="'ray' or 'local'"):
        KeyedModels(PAClassifier(), "shop", engine="spark")
