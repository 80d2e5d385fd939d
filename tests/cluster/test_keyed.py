"""One model per key: by hash to workers, cold ones on disk, each row learned once."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from onstream.base.blocks import cut_part
from onstream.bayes import GaussianNB
from onstream.cluster import KeyedModels
from onstream.cluster.engine import WorkerLost
from onstream.cluster.key_store import TABLES, StoreError
from onstream.cluster.keyed import BLOCK
from onstream.cluster.keyed_worker import LocalPool
from onstream.cluster.keys import owner
from onstream.cluster.known_rows import RowDigest
from onstream.core.data_warning import DataWarning
from onstream.features import StandardScaler
from onstream.linear import RLS, LogisticRegression, PAClassifier, PAUniclass
from onstream.persist.format import dumps
from onstream.streams import from_iterable

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


@pytest.mark.parametrize(
    "model",
    [PAClassifier(), GaussianNB(), RLS(), PAUniclass(), StandardScaler() | GaussianNB()],
)
@pytest.mark.parametrize("w", [None, np.arange(ROWS) % 3.0])
def test_predictions_before_learning_are_those_of_each_model(model, w):
    y = Y.astype(float) if model.target_kind == "numbers" else Y
    models = KeyedModels(model, "shop", workers=3)
    table = pa.concat_tables([rows()[0]] * 2)  # in parts
    answers = models.predict_learn_many(table, np.tile(y, 2), None if w is None else np.tile(w, 2))
    for shop in range(40):
        one, own = model.clone(), shop == SHOPS
        part = table.drop_columns(["shop"]).filter(pa.array(np.tile(own, 2)))
        weights = () if w is None else (np.tile(w[own], 2),)
        wanted = one.predict_learn_many(part, np.tile(y[own], 2), *weights)
        assert answers[np.tile(own, 2)].tolist() == wanted.tolist()
        assert dumps(models.model(shop)) == dumps(one)
    assert (answers.dtype == np.float64) == (model.target_kind == "numbers")


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (LogisticRegression(labels=[True, False]), Y),
        (GaussianNB(labels=["c", "b", "a"]), np.array(["a", "b", "c"])[np.arange(ROWS) % 3]),
        (StandardScaler() | LogisticRegression(labels=["b", "a"]), np.where(Y, "a", "b")),
        (RLS(), X[:, 0]),
    ],
)
@pytest.mark.parametrize("verb", ["predict_proba_many", "score_many"])
def test_scores_have_the_shape_of_the_model(model, y, verb):
    models = KeyedModels(model, "shop", workers=3)
    if not hasattr(model, verb):
        with pytest.raises(TypeError, match="KeyedModels: RLS has no predict_proba_many"):
            models.predict_proba_many(rows()[0])
        return
    table = rows()[0]
    models.learn_many(table.slice(0, 2000), y[:2000])
    found = getattr(models, verb)(table.slice(2000))
    for shop in range(40):
        own = shop == SHOPS[2000:]
        part = table.slice(2000).drop_columns(["shop"]).filter(pa.array(own))
        np.testing.assert_array_equal(found[own], getattr(models.model(shop), verb)(part))
    assert models.labels == list(getattr(model, "labels", []))
    one = getattr(model, verb)(table.slice(0, 1).drop_columns(["shop"]))
    np.testing.assert_array_equal(getattr(models, verb)([{"shop": "new", "a": 1.0}]), one)
    assert getattr(models, verb)([]).shape == (0, *one.shape[1:])


def test_scores_need_labels_in_one_order():
    models = KeyedModels(LogisticRegression(), "shop")
    models.learn_many(*rows())
    with pytest.raises(ValueError, match=r"predict_proba_many needs labels .* declare them"):
        models.predict_proba_many(rows()[0])
    models = KeyedModels(LogisticRegression(labels=["a", "b"]), "shop")
    models.learn_many([{"shop": k, "x": 1.0} for k in "xyz"], ["a", "c", "b"])
    asked = [{"shop": "x", "x": 1.0}]
    assert models.score_many(asked).shape == (1,)
    with pytest.raises(ValueError, match=r"key 'y' has met .* \['a', 'b', 'c'\], declared were"):
        models.score_many([*asked, {"shop": "y", "x": 1.0}])


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_integer_keys_of_files(kind, tmp_path):
    """Readers give floats; they are the ints that the file has."""
    frame = pd.DataFrame(
        {"shop": [1, 2, 2**40, 2, -3], "x": 1.5, "won": [True, False] * 2 + [True]}
    )
    file = tmp_path / f"day.{kind}"
    if kind == "csv":
        frame.to_csv(file, index=False)
    else:
        frame.to_json(file, orient="records", lines=True)
    with KeyedModels(PAClassifier(), "shop") as models:
        assert models.learn(str(file), target="won") == 5
        assert sorted(models.keys()) == [-3, 1, 2, 2**40]
        assert (
            models.model(2).seen == models.model(2.0).seen == models.model(np.float32(2)).seen == 2
        )
        asked = [{"shop": shop, "x": 1.5} for shop in (1, 1.0, 2, "1")]
        assert models.predict_many(asked).tolist() == [True, True, False, None]


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
        assert again.pool.ask(0, "place", file)[0] == 2 * BLOCK  # in the snapshot
        again.learn(file, target="y")
        assert states(again) == undisturbed
        with pytest.warns(DataWarning, match="nothing was learned"):
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


# -- sources that come again


def write(path, rows, bad=None, label="{}"):
    lines = (f"{'nse'[i % 3]},{'inf' if i == bad else i % 7},{label.format(i % 2)}\n" for i in rows)
    path.write_text("shop,x,won\n" + "".join(lines))
    return str(path)


@pytest.fixture
def shops(tmp_path):
    """A folder of models, each time as a new program sees it."""

    def make(**options):
        return KeyedModels(PAClassifier(), "shop", folder=tmp_path / "models", **options)

    return make


def counts(models):
    return {key: models.model(key).seen for key in models.keys()}  # noqa: SIM118


@pytest.mark.parametrize(("rows", "bad", "before"), [(300, 250, 83), (30_000, 15_000, 5_000)])
def test_a_file_that_was_repaired_is_learned_to_its_end(rows, bad, before, shops, tmp_path):
    file = write(tmp_path / "big.csv", range(rows), bad)
    for _ in range(2):  # until it is repaired
        models = shops()
        with pytest.raises(ValueError, match=f"big.csv: line {bad + 2:,}"):
            models.learn(file, target="won")
        assert counts(models) == {"n": bad // 3 + bad % 3, "s": before, "e": before}
        with pytest.raises(ValueError, match=f"big.csv: line {bad + 2:,}"):
            models.learn(file, target="won")
        models.close()
    write(tmp_path / "big.csv", range(rows))
    with shops() as models:
        new = models.learn(file, target="won")
        assert counts(models) == dict.fromkeys("nse", rows // 3)
        assert new == rows - bad
        wanted = KeyedModels(PAClassifier(), "shop")
        assert wanted.learn(file, target="won") == rows
        assert states(models) == states(wanted)


def test_a_row_that_its_model_refuses_is_the_same_error_until_it_is_repaired(shops):
    a = X[:, 0].copy()
    a[2200] = np.inf

    def source():
        return iter([(TABLE.select(["shop", "b"]).append_column("a", pa.array(a)), Y)] * 2)

    for _ in range(2):
        models = shops()
        for _ in range(2):
            with pytest.raises(ValueError, match=r"source: key .*: PAClassifier: row 2,200: .*inf"):
                models.learn(source)
        assert counts(models) == {}
        models.close()
    a[2200] = X[2200, 0]
    with shops() as models:
        rows = models.learn(source)
        assert sum(counts(models).values()) == rows == 2 * ROWS


def test_a_row_without_a_key_is_named_with_its_file(shops, tmp_path):
    file = tmp_path / "day.csv"
    file.write_text(Path(write(file, range(5000))).read_text() + ",1,1\n")
    with pytest.raises(ValueError, match=r"day.csv: row 5,000: a key must be .* got None"):
        shops().learn(str(file), target="won")


@pytest.mark.parametrize("again", [False, True])
def test_a_file_that_has_grown_gives_its_new_rows(again, shops, tmp_path):
    """To the program that learned it, and to one that is started again."""
    file, models, found = tmp_path / "day.csv", shops(), []
    for rows in (300, 900, 10_001):
        write(file, range(rows))
        found.append(models.learn(str(file), target="won"))
        assert sum(counts(models).values()) == rows
        if again:
            models.close()
            models = shops()
    wanted = KeyedModels(PAClassifier(), "shop")
    wanted.learn(str(file), target="won")
    assert states(models) == states(wanted)
    assert found == [300, 600, 9_101]
    models.close()


def test_a_file_of_parquet_grows_too(shops, tmp_path):
    """It is another file then, with the same rows at its beginning."""
    table = pa.concat_tables([TABLE] * 3).append_column("text", pa.array(["ä", None, "b"] * ROWS))
    with shops() as models:
        for rows, new in ((100, 100), (7000, 6900), (9000, 2000)):
            part = table.slice(0, rows)
            if rows == 7000:
                part = part.set_column(4, "text", part.column("text").dictionary_encode())
            pq.write_table(part, tmp_path / "day.parquet", row_group_size=rows // 3)
            found = models.learn(str(tmp_path / "day.parquet"), target="y")
            assert sum(counts(models).values()) == rows
            assert found == new


CHANGES = {
    "a cell": lambda lines: lines.__setitem__(17, "n,6.5,0\n"),
    "a label": lambda lines: lines.__setitem__(17, lines[17][:-2] + "2\n"),
    "a key": lambda lines: lines.__setitem__(17, "x" + lines[17][1:]),
    "a cell is gone": lambda lines: lines.__setitem__(17, "n,,0\n"),
    "two rows": lambda lines: lines.insert(16, lines.pop(17)),
    "a column": lambda lines: lines.__setitem__(0, "shop,z,won\n"),
    "a row more": lambda lines: lines.insert(17, "n,1,1\n"),
    "a row less": lambda lines: lines.pop(17),
    "the last row": lambda lines: lines.pop(),
    "all rows": lambda lines: lines.__delitem__(slice(1, None)),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("grown", [False, True])
def test_a_file_that_was_replaced_is_an_error(change, again, grown, shops, tmp_path):
    file = tmp_path / "day.csv"
    models = shops()
    models.learn(write(file, range(300)), target="won")
    before = states(models)
    if again:
        models.close()
        models = shops()
    lines = file.read_text().splitlines(keepends=True)
    CHANGES[change](lines)
    file.write_text("".join(lines + ["n,1,1\n"] * 9000 * (grown and len(lines) > 1)))
    with pytest.raises(ValueError, match=r"day.csv: its first 300 rows were learned, but .*name"):
        models.learn(str(file), target="won")
    assert states(models) == before
    models.close()


def test_a_file_that_is_read_with_other_options_is_an_error(shops, tmp_path):
    file = write(tmp_path / "day.csv", range(300))
    with shops() as models:
        models.learn(file, target="won")
        with pytest.raises(ValueError, match="or is read with other options"):
            models.learn(file, target="x")
        with pytest.raises(ValueError, match="there are 100 now"):
            models.learn(file, target="won", limit=100)


def test_nothing_new_is_told(shops, tmp_path, monkeypatch):
    files = [write(tmp_path / f"{name}.csv", range(rows)) for name, rows in (("a", 3), ("b", 6))]
    pattern = str(tmp_path / "*.csv")
    monkeypatch.chdir(tmp_path)
    with shops() as models:
        assert models.learn(files[0], target="won") == 3
        with pytest.warns(DataWarning, match="as all 3 rows of ./a.csv have been") as told:
            assert models.learn("./a.csv", target="won") == 0
        assert told[0].filename == __file__
        assert models.learn(pattern, target="won") == 6
    with shops() as models:
        with pytest.warns(DataWarning, match="as all 9 rows of .*a.csv and 1 more have"):
            assert models.learn(pattern, target="won") == 0
        write(tmp_path / "c.csv", [])
        (tmp_path / "empty").mkdir()
        assert models.learn(write(tmp_path / "empty" / "d.csv", []), target="won") == 0
        assert counts(models) == dict.fromkeys("nse", 3)


def test_sources_without_a_path_are_known_by_their_first_row():
    models = KeyedModels(PAClassifier(), "shop")

    def first(rows):
        return lambda: iter([(TABLE.select(["shop", "a", "b"]).slice(0, rows), Y[:rows])])

    assert models.learn(first(500)) == 500
    assert models.learn(lambda: iter([(rows()[0].slice(1000), Y[1000:])])) == 2000
    with pytest.warns(DataWarning, match="can be given to learn_many"):
        assert models.learn(first(500)) == 0
    assert models.learn(first(1000)) == 500
    assert states(models) == {k: states_of_order(k) for k in range(40)}
    with pytest.raises(ValueError, match=r"its first 1,000 rows .* there are 500 now"):
        models.learn(first(500))
    mapped = [({"shop": "a", "x": 1.0}, True), ({"shop": "a", "x": 2.0}, False)]
    assert models.learn(from_iterable(mapped)) == 2
    assert models.learn(from_iterable([*mapped, ({"shop": "a", "y": None}, True)])) == 1


def states_of_order(shop, parts=((0, 500), (1000, ROWS), (500, 1000))):
    """The model of a shop that learned rows in another order."""
    model = PAClassifier()
    for part in (slice(*part) for part in parts):
        own = shop == SHOPS[part]
        table = TABLE.select(["a", "b"]).slice(part.start, part.stop - part.start)
        if own.any():
            model.learn_many(table.filter(pa.array(own)), Y[part][own])
    return dumps(model)


@pytest.mark.parametrize("again", [False, True])
def test_blocks_and_frames_are_known_as_a_whole(again, shops):
    """By all their rows: others may begin with the same."""
    models = shops()
    row, other = {"shop": "n", "x": 1.0, "y": True}, {"shop": "n", "x": 2.0, "y": False}
    for frame in (pa.Table.from_pylist([row]), pa.Table.from_pylist([row, other])):
        assert models.learn(frame, target="y") == len(frame)
        if again:
            models.close()
            models = shops()
        with pytest.warns(DataWarning, match=rf"nothing .* all {len(frame)} rows of the frame"):
            assert models.learn(frame, target="y") == 0
    assert counts(models) == {"n": 3}
    x = [{"shop": "n", "x": 1.0}, {"shop": "n", "x": 2.0}]
    with pytest.warns(DataWarning, match="nothing was learned"):  # however they are given
        assert models.learn((x, [True, False])) == 0
    with pytest.warns(DataWarning, match=r"left out were 2 rows of shard 1 \(the block\), as they"):
        assert models.learn([(x[:1], [False]), (x, [True, False]), (x[:0], [])]) == 1
    assert counts(models) == {"n": 4}
    models.close()


def test_many_blocks_may_begin_with_the_same_row(shops, monkeypatch):
    """Only so many of them are known again."""
    monkeypatch.setattr("onstream.cluster.key_store.BLOCKS", 20)
    frame = pd.DataFrame(
        {"shop": np.arange(2500) % 3, "x": np.arange(2500) // 50 % 5, "y": Y[:2500]}
    )
    frame["t"] = np.arange(2500)
    models = shops()
    for start in range(0, 2500, 50):
        assert models.learn(frame[start : start + 50], target="y") == 50
        if start == 1200:
            models.close()
            models = shops()
    assert [len(worker.store.places) for worker in models.pool.workers] == [20, 20]
    with pytest.warns(DataWarning, match="nothing"):
        assert models.learn(frame[1500:1550], target="y") == 0
    assert models.learn(frame[1450:1500], target="y") == 50
    models.close()
    with shops() as models:
        assert [len(worker.store.places) for worker in models.pool.workers] == [20, 20]
        assert models.figures().keys == 3


def test_a_frame_with_a_bad_row_teaches_nothing(shops):
    """Once it is mended it is another one, and learned from its first row."""
    frame = pa.concat_tables([TABLE] * 5)
    bad = X[:, 0].tolist() * 5
    bad[3 * BLOCK] = np.inf
    models = shops(snapshot_every=100)
    for _ in range(2):
        block = frame.set_column(1, "a", pa.array(bad)).drop_columns(["y"]), frame["y"]
        with pytest.raises(ValueError, match=r"the block: key .*: PAClassifier: row 12,288: .*inf"):
            models.learn(block)
        assert counts(models) == {}
    no_key = frame.set_column(0, "shop", pa.array([*(SHOPS.tolist() * 5)[1:], None]))
    with pytest.raises(ValueError, match=r"the frame: row 14,999: a key must be .* got None"):
        models.learn(no_key, target="y")
    assert models.learn(frame, target="y") == 5 * ROWS
    models.close()


def test_a_frame_of_which_one_worker_has_no_snapshot(shops, undisturbed):
    models = shops()
    snapshot = models.pool.snapshot
    models.pool.snapshot = lambda k: snapshot(k) if k == 0 else lose()
    models._recover = lambda worker, reason: lose()
    with pytest.raises(WorkerLost):
        models.learn(pa.concat_tables([TABLE] * 5), target="y")
    models._leave()
    with shops() as models:
        assert 0 < models.learn(pa.concat_tables([TABLE] * 5), target="y") < 5 * ROWS
        assert states(models) == undisturbed


def digest(rows, X, y, w=None, step=100):
    """Of these rows in blocks of `step`."""
    found = RowDigest()
    for at in range(0, rows, step):
        parts = [cut_part(part, at, at + step) for part in (X, y, w)]
        found.add([f"i{k % 3}" for k in range(at, min(rows, at + step))], *parts)
    return found.place()


def test_the_digest_of_rows_does_not_depend_on_what_they_come_in():
    """Numbers are floats, what is missing is left out, a cell does not change its neighbours."""
    count = [1, None, 0, 2**60 + 1] * 50
    names = ["a", "ä", None, "b'"] * 50
    floats = [None if v is None else float(v) for v in count]
    y, w = np.arange(200) % 2 == 0, np.arange(200) % 5
    table = pa.table({"n": pa.array(count), "t": names, "z": pa.nulls(200)})
    parts = [table.slice(0, 70), table.slice(70)]
    chunks = pa.concat_tables(parts).set_column(1, "t", table["t"].dictionary_encode())
    mapped = [{"n": n, "t": t, "z": None} for n, t in zip(count, names, strict=True)]
    dense = [{"t": t, "n": n} for n, t in zip(floats, names, strict=True)]
    sparse = [{k: v for k, v in x.items() if v is not None} for x in mapped]
    numpy = [{k: np.array([v]).take(0) if k == "n" else v for k, v in x.items()} for x in sparse]
    frames = [table, chunks, table.drop_columns(["z"]), mapped, dense, sparse, numpy]
    targets = [y, y.tolist(), tuple(y.tolist()), list(y), y.astype(int).tolist(), pa.array(y)]
    wanted = digest(200, table, y, w)
    for X in frames:
        for step in (1, 7, 200):
            assert digest(200, X, y, w.tolist(), step) == wanted
    for labels in targets:
        assert digest(200, table, labels, w.astype(float)) == wanted
    assert digest(200, table, ~y, w) != wanted
    assert digest(200, sparse[:2] + sparse[3:] + sparse[2:3], y, w) != wanted


def test_the_digest_of_odd_values():
    mixed = [{"x": v} for v in (1, "1", 10**400, True, 2.5, np.str_("a"), float("nan"))]
    whole = digest(7, mixed, list("abcdefg"))
    assert whole == digest(7, mixed, np.array(list("abcdefg")), step=2)
    for k, other in enumerate((2, "2", 10**400 + 1, False, 2, "b", 0)):
        changed = [*mixed[:k], {"x": other}, *mixed[k + 1 :]]
        assert digest(7, changed, list("abcdefg")) != whole


def test_rows_of_other_types_are_known():
    """A list of labels or an array, 1 or 1.0, None or nothing: the same rows, learned once."""
    with KeyedModels(RLS(), "shop") as models:
        X = pa.table({"shop": ["a", "b"], "x": [1, 2]})
        assert models.learn((X, [0, 1])) == 2
        for y in (np.array([0, 1]), (0.0, 1.0)):
            with pytest.warns(DataWarning, match="nothing was learned"):
                assert models.learn((X, y)) == 0
        assert models.learn(([{"shop": "c", "x": 1}], [0])) == 1
        for row in ({"shop": "c", "x": 1.0}, {"shop": "c", "x": 1, "z": None}):
            with pytest.warns(DataWarning, match="nothing was learned"):
                assert models.learn(([row], [0])) == 0
        assert counts(models) == {"a": 1, "b": 1, "c": 1}


def test_the_digest_of_a_table_does_not_import_pandas(tmp_path):
    """Which takes longer than to learn a small file."""
    table = pa.table({"x": [1.5, 2.0, None], "n": [1, None, 2], "t": [True, None, False]})
    pq.write_table(table, tmp_path / "day.parquet")
    code = f"""
import sys
import pyarrow.parquet as pq
from onstream.cluster.known_rows import RowDigest
table = pq.ParquetFile({str(tmp_path / "day.parquet")!r}).read()
RowDigest().add(["sa"] * 3, table, table["t"], None)
assert "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_worker_that_was_stopped_before_its_snapshot(shops, tmp_path):
    """It gets what it lacks, unless the file was replaced: then nobody learns anything."""
    file = tmp_path / "day.csv"
    write(file, range(10_000))
    models = shops()
    snapshot = models.pool.snapshot
    models.pool.snapshot = lambda k: snapshot(k) if k == 0 else lose()
    models._recover = lambda worker, reason: lose()
    with pytest.raises(WorkerLost):
        models.learn(str(file), target="won")
    models._leave()
    lines = file.read_text().splitlines(keepends=True)
    lines[9_000] = "n,6.5,0\n"
    file.write_text("".join(lines))
    with shops() as models:
        some = states(models)
        assert 0 < len(some) < 3
        with pytest.raises(ValueError, match="its first 10,000 rows were learned, but"):
            models.learn(str(file), target="won")
        assert states(models) == some
    write(file, range(12_000))
    with shops() as models:
        models.learn(str(file), target="won")
        assert counts(models) == dict.fromkeys("nse", 4000)


def test_a_folder_of_an_earlier_version(shops, tmp_path):
    """It says which blocks of a file were learned, not how many rows that is."""
    file = write(tmp_path / "day.csv", range(300))
    shops().close()
    for k in range(2):
        with closing(sqlite3.connect(tmp_path / "models" / f"worker-{k}-of-2.sqlite")) as old:
            old.execute("DROP TABLE places")
            old.execute("INSERT INTO sources VALUES (?, 0)", (file,))
            old.commit()
    with shops() as models:
        with pytest.raises(ValueError, match="an earlier version of onstream has learned it"):
            models.learn(file, target="won")
        assert models.learn(write(tmp_path / "next.csv", range(300)), target="won") == 300


# -- full disks


def allow(models, pages):
    """Let the files have so many pages more than they have; None: as many as they like."""
    for worker in models.pool.workers:
        file = worker.store.file
        used = file.execute("PRAGMA page_count").fetchone()[0]
        file.execute(f"PRAGMA max_page_count = {used + (10**6 if pages is None else pages)}")


def many(first, rows=100):
    return [{"shop": str(k), "x": 1.0 + k % 7} for k in range(first, first + rows)], [True] * rows


@pytest.mark.parametrize("in_memory", [5, 1000])
def test_a_full_disk_is_told_until_there_is_room(in_memory, shops):
    """Rows are learned or not, as the message says; what was learned before stays."""
    options = {"in_memory": in_memory, "workers": 2, "snapshot_every": 300}
    wanted = KeyedModels(PAClassifier(), "shop")
    with shops(**options) as models:
        for learner in (models, wanted):
            learner.learn_many(*many(0))
        allow(models, 4)
        told = ""
        for first in range(100, 2000, 100):
            try:
                models.learn_many(*many(first))
            except StoreError as error:
                told = str(error)
            if "These 100 rows were not learned" not in told:
                wanted.learn_many(*many(first))
            if told:
                break
        assert "disk is full. Its disk must have room" in told
        assert ("All rows that were given are learned" in told) != ("were not learned" in told)
        for use in (models.snapshot, models.figures):
            with pytest.raises(StoreError, match=r"worker-.*sqlite.*is full\."):
                use()
        allow(models, None)
        assert states(models) == states(wanted)
        for learner in (models, wanted):
            learner.learn_many(*many(50))
    with shops() as models:
        assert states(models) == states(wanted)


def test_a_file_that_is_learned_while_the_disk_fills_up(shops, file, undisturbed):
    models = shops(snapshot_every=BLOCK)
    allow(models, 0)
    for _ in range(2):
        with pytest.raises(StoreError, match="disk is full"):
            models.learn(file, target="y")
    allow(models, None)
    assert models.learn(file, target="y") > 0
    assert states(models) == undisturbed
    models.close()


def test_questions_that_push_models_to_a_full_disk(shops):
    models, wanted = shops(in_memory=60), KeyedModels(PAClassifier(), "shop")
    larger = {f"f{k}": 1.0 for k in range(300)}
    for learner in (models, wanted):
        learner.learn_many(*many(0, 1000))
    models.snapshot()
    for learner in (models, wanted):
        learner.learn_many([{**x, **larger} for x in many(0)[0]], [False] * 100)
    allow(models, 0)
    with pytest.raises(StoreError, match="disk is full"):
        models.predict_many(many(500, 500)[0])
    allow(models, None)
    assert states(models) == states(wanted)


def test_a_folder_can_be_opened_again_after_a_snapshot_that_failed(shops):
    models = shops()
    models.learn_many(*many(0))
    models.snapshot()
    models.learn_many(*many(100, 2000))
    allow(models, 0)
    with pytest.raises(StoreError, match="disk is full"):
        models.close()
    with shops() as models:
        assert models.figures().keys == 100  # as at the last snapshot
        models.learn_many(*many(100, 2000))
    with shops() as models:
        assert models.figures().keys == 2100


@pytest.mark.parametrize("statement", ["COMMIT", "INSERT OR REPLACE INTO places"])
def test_a_snapshot_that_fails_forgets_nothing(statement, shops, tmp_path):
    """Also if SQLite did not roll back itself."""
    file = write(tmp_path / "day.csv", range(300))
    models = shops()
    store = models.pool.workers[1].store
    store.file = FailingOnce(store.file, statement)
    with pytest.raises(StoreError, match="disk I/O error"):
        models.learn(file, target="won")
    models.close()
    with shops() as models:
        assert counts(models) == dict.fromkeys("nse", 100)
        with pytest.warns(DataWarning, match="all 300 rows"):
            assert models.learn(file, target="won") == 0


class FailingOnce:
    """A connection whose statement fails the first time."""

    def __init__(self, file, statement):
        self.file, self.statement = file, statement

    def execute(self, statement, *values):
        if self.statement and statement.startswith(self.statement):
            self.statement = ""
            raise sqlite3.OperationalError("disk I/O error")
        return self.file.execute(statement, *values)

    def __getattr__(self, name):
        return getattr(self.file, name)


def test_a_snapshot_that_is_broken_off(shops):
    class Interrupted(LocalPool):
        def snapshot(self, worker):
            super().snapshot(worker)
            self.__class__ = LocalPool
            raise KeyboardInterrupt

    models = shops()
    models.learn_many(eight(), [True] * 8)
    before = states(models)
    models.pool.__class__ = Interrupted
    with pytest.raises(KeyboardInterrupt):
        models.snapshot()
    assert states(models) == before
    models.close()
    with shops() as models:
        assert states(models) == before


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


def test_a_block_that_is_refused_after_it_was_predicted():
    models = KeyedModels(PAClassifier(), "shop")
    models.learn_many(eight(), [True] * 8)
    before = states(models)
    with pytest.raises(ValueError, match="row 5"):
        models.predict_learn_many(eight(5), [False] * 8)
    assert states(models) == before
    with pytest.raises(TypeError, match="StandardScaler has no predict_learn_many"):
        KeyedModels(StandardScaler(), "shop").predict_learn_many(eight(), [True] * 8)


def test_predictions_of_a_worker_that_is_lost(tmp_path):
    class Failing(LocalPool):
        def learn(self, worker, call):
            super().learn(worker, call)
            self.__class__ = LocalPool
            raise WorkerLost("gone")

    models, wanted = KeyedModels(PAClassifier(), "shop"), KeyedModels(PAClassifier(), "shop")
    for k in range(3):
        models.pool.__class__ = Failing
        found = models.predict_learn_many(eight(), [k != 1] * 8)
        assert found.tolist() == wanted.predict_learn_many(eight(), [k != 1] * 8).tolist()
    assert states(models) == states(wanted)


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
        ([{"x": 1.0}], "row 0: there is no key 'shop'"),
        (pa.table({"x": [1.0]}), "no column 'shop'"),
        (np.ones((1, 2)), "a frame or a list of dicts"),
        ([{"shop": "a"}, {"shop": 1.5}], "row 1: a key must be"),
        ([{"shop": None}], "row 0: a key must be .* got None\\."),
        (pa.table({"shop": [1.0, 2.5]}), "row 1: .* got 2.5, which has a fraction; read the"),
        (pa.table({"shop": [1.0, None]}), "row 1: a key must be .* got None\\."),
        (pa.table({"shop": [2.0**53]}), "got 9007199254740992.0, which floats cannot tell apart"),
        ([{"shop": float("nan")}], "got nan\\."),
        ([{"shop": "\ud800"}], "not valid Unicode"),
    ],
)
def test_rows_without_a_key(X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        KeyedModels(PAClassifier(), "shop").learn_many(X, [True] * len(X))


def test_what_keyed_models_refuse():
    model = PAClassifier()
    model.learn_one({"a": 1}, True)
    with pytest.raises(ValueError, match="already learned 1"):
        KeyedModels(model, "shop")
    with pytest.raises(TypeError, match="must be a learner"):
        KeyedModels("PAClassifier", "shop")
    with pytest.raises(ValueError, match="'ray' or 'local'"):
        KeyedModels(PAClassifier(), "shop", engine="spark")


@pytest.mark.parametrize("tables", [0, 2])
def test_a_folder_that_was_hardly_begun_is_begun_again(tables: int, tmp_path: Path) -> None:
    """Killed between opening the file and making its tables."""
    with closing(sqlite3.connect(tmp_path / "worker-0-of-2.sqlite")) as file:
        for statement in TABLES.split(";")[:tables]:
            file.execute(statement)
    with KeyedModels(GaussianNB(), key="k", folder=str(tmp_path)) as models:
        models.learn_many([{"k": "a", "x": 1.0}], ["u"])
    with KeyedModels(GaussianNB(), key="k", folder=str(tmp_path)) as models:
        assert models.model("a").seen == 1
