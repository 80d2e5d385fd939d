"""Rounds, whatever happens to workers: lost, late, taken up again. And what shards may be."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import onstream
from onstream.bayes import GaussianNB
from onstream.cluster import Local, train
from onstream.cluster.shards import Position, Shards, plan
from onstream.evaluate import MAE, ROCAUC, Accuracy
from onstream.features import StandardScaler
from onstream.linear import LogisticRegression, PAClassifier, SGDClassifier
from onstream.persist.format import dumps
from onstream.streams import SEA, read_csv

GENERATOR = np.random.default_rng(2)
X = GENERATOR.normal(size=(1000, 3))
Y = np.where(X @ [1.0, -2.0, 0.5] > 0.1, "yes", "no")


def run(engine, model=None, **options):
    given = {"workers": 4, "mix_every": 60, **options}
    return train(model or LogisticRegression(), (X, Y), engine, **given)


# -- lost and late workers


@pytest.mark.parametrize("fault", ["lost", "forgotten"])
@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB(), SGDClassifier(average=True)])
def test_a_lost_worker_changes_nothing(fault, model):
    metric, again = Accuracy(), Accuracy()
    undisturbed = run("local", model.clone(), metrics=metric)
    engine = Local(**{fault: [(0, 0), (2, 1), (3, 4)]})
    mixes = []
    disturbed = run(engine, model.clone(), metrics=again, on_mix=mixes.append)
    assert dumps(disturbed) == dumps(undisturbed)
    assert disturbed.seen == 1000
    assert again.n == metric.n == 1000
    assert again.value == metric.value
    assert mixes[-1].lost == 3


def test_a_repeated_answer_is_taken_once():
    class Stammering(Local):
        def wait(self, at_least):
            return [item for item in super().wait(at_least) for _ in range(2)]

    assert dumps(run(Stammering())) == dumps(run("local"))


def test_an_answer_of_an_earlier_round_is_not_taken():
    class Echoing(Local):
        before = ()

        def wait(self, at_least):
            found = super().wait(at_least)
            found, self.before = [*self.before, *found], found
            return found

    assert dumps(run(Echoing())) == dumps(run("local"))


def test_a_worker_that_is_lost_again_and_again_ends_the_run():
    class Hopeless(Local):
        def outcome(self, call, mix):
            if call.worker == 1:
                self.lost.add((1, call.sequence))
            return super().outcome(call, mix)

    with pytest.raises(RuntimeError, match="worker 1 was lost 6 times"):
        run(Hopeless())


def test_models_that_are_lost_before_they_meet_are_learned_again():
    class Leaky(Local):
        fetched = 0

        def fetch(self, handle):
            self.fetched += 1
            if self.fetched == 2:
                raise onstream.cluster.WorkerLost("the node went down")
            return super().fetch(handle)

    assert dumps(run(Leaky())) == dumps(run("local"))


def test_a_straggler_does_not_stop_the_round():
    mixes = []
    model = run(Local(late={3: 2}), min_fraction=0.75, on_mix=mixes.append)
    assert [mix.late for mix in mixes[:3]] == [1, 1, 0]
    assert mixes[0].rows == 3 * 60  # without the fourth
    assert model.seen == 1000  # whose rows come in later, and once
    assert (model.predict_many(X) == Y).mean() > 0.95
    waited = []
    run(Local(late={3: 2}), on_mix=waited.append)
    assert {mix.late for mix in waited} == {0}


def test_late_exact_answers_count_once():
    one = GaussianNB()
    one.learn_many(X, Y)
    model = run(Local(late={0: 3, 2: 1}), GaussianNB(), min_fraction=0.5)
    assert model.seen == 1000
    np.testing.assert_allclose(
        model.predict_proba_many(X)[:, [model.labels.index(label) for label in one.labels]],
        one.predict_proba_many(X),
        atol=1e-9,
    )


def test_merging_is_a_tree_of_pairs():
    engine = Local()
    run(engine, workers=8, mix_every=None)
    assert engine.merges == 7


# -- a run that is taken up again


@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB()])
def test_a_run_goes_on_from_its_checkpoint(tmp_path, model):
    file = tmp_path / "run.onstream"
    metric, again = Accuracy(), Accuracy()
    whole = run("local", model.clone(), metrics=metric)

    def stop(mix):
        if mix.round == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run("local", model.clone(), checkpoint=file, on_mix=stop, metrics=Accuracy())
    assert onstream.load(file).seen == 3 * 4 * 60
    rows = []
    resumed = run("local", model.clone(), checkpoint=file, metrics=again, progress=rows.append)
    assert dumps(resumed) == dumps(whole)
    assert (again.n, again.value) == (1000, metric.value)
    assert sum(rows) == 1000
    finished = run("local", model.clone(), checkpoint=file, metrics=Accuracy())
    assert dumps(finished) == dumps(whole)  # nothing is learned again


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    file = tmp_path / "run.onstream"
    run("local", checkpoint=file)
    for model, changes in [
        (LogisticRegression(), {"mix_every": 61}),
        (LogisticRegression(), {"workers": 3}),
        (LogisticRegression(), {"metrics": Accuracy()}),
        (LogisticRegression(), {"epochs": 2}),
        (LogisticRegression(eta=0.2), {}),
        (PAClassifier(), {}),
    ]:
        with pytest.raises(ValueError, match="not written by a run with this model, these shards"):
            run("local", model, checkpoint=file, **changes)
        assert model.seen == 0
    adagrad = SGDClassifier(schedule="adagrad")
    run("local", adagrad.clone(), checkpoint=tmp_path / "other.onstream")
    with pytest.raises(ValueError, match="not written by a run"):
        run("local", adagrad, checkpoint=tmp_path / "other.onstream", weighting="energy")
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b,c\n" + "1,2,3\n2,1,3\n" * 50)
    options = {"engine": "local", "checkpoint": tmp_path / "rows.onstream"}
    train(GaussianNB(), rows, target="c", **options)
    with pytest.raises(ValueError, match="these shards, options, workers"):
        train(GaussianNB(), rows, target="b", **options)
    onstream.save(PAClassifier(), file)
    with pytest.raises(ValueError, match="not written by a run"):
        run("local", checkpoint=file)


# -- shards


@pytest.fixture
def files(tmp_path):
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": Y})
    for k in range(4):
        pq.write_table(table.slice(250 * k, 250), tmp_path / f"part-{k}.parquet", row_group_size=40)
    pq.write_table(table, tmp_path / "all.parquet", row_group_size=100)
    return tmp_path


def test_files_by_pattern(files):
    model = train(LogisticRegression(), str(files / "part-*.parquet"), "local", 4, 60, target="y")
    shards = [files / f"part-{k}.parquet" for k in range(4)]
    listed = train(LogisticRegression(), shards, "local", 4, 60, target="y")
    streams = [onstream.streams.read_parquet(shard, target="y") for shard in shards]
    streamed = train(LogisticRegression(), streams, "local", 4, 60)
    assert dumps(model) == dumps(listed) == dumps(streamed)
    assert model.seen == 1000
    rows = [{"a": a, "b": b, "c": c} for a, b, c in X]
    block = train(LogisticRegression(), (rows, Y), "local", 4, 60)
    assert model.weights == pytest.approx(block.weights, rel=1e-9)


def test_a_file_is_divided_by_row_groups(files):
    parts = plan(str(files / "all.parquet"), 3, {"target": "y"})
    assert [part[0].groups for part in parts] == [(0, 1, 2), (3, 4, 5, 6), (7, 8, 9)]
    assert [part[0].rows for part in parts] == [300, 400, 300]
    whole = train(GaussianNB(), str(files / "all.parquet"), "local", 3, target="y")
    assert whole.seen == 1000


@pytest.mark.parametrize("start", [0, 1, 99, 100, 250, 299, 300])
def test_a_worker_reads_on_from_any_row(files, start):
    shards = Shards(plan(str(files / "all.parquet"), 3, {"target": "y"})[0])
    shards.seek(Position(0, start))
    found = []
    while (block := shards.take(70)) is not None:
        found += block[0].column("a").to_pylist()
    assert found == X[start:300, 0].tolist()
    assert shards.position == Position(1, 0)


def test_frames_functions_and_generators():
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "y": Y})
    assert train(GaussianNB(), table, "local", target="y").seen == 1000
    assert train(GaussianNB(), [lambda: SEA(seed=1).limit(50)] * 2, "local").seen == 100
    assert train(GaussianNB(), [SEA(seed=k).limit(50) for k in range(3)], "local").seen == 150
    assert train(StandardScaler(), (X, None), "local").seen == 1000


@pytest.mark.parametrize("tables", [False, True])
def test_functions_that_open_an_iterator(tables):
    """Rounds end within its blocks, so a worker reads on there."""
    cuts = [(0, 100), (100, 100), (100, 350), (350, 1000)]

    def blocks():
        for a, b in cuts:
            columns = {"0": X[a:b, 0], "1": X[a:b, 1], "2": X[a:b, 2], "y": Y[a:b]}
            yield pa.table(columns) if tables else (X[a:b], Y[a:b])

    options = {"target": "y"} if tables else {}
    one = train(LogisticRegression(), (X, Y), "local", 1, 60)
    engine = Local(lost=[(0, 3), (0, 9)])
    found = train(LogisticRegression(), [blocks], engine, 1, 60, **options)
    assert found.seen == 1000
    np.testing.assert_array_equal(found.score_many(X), one.score_many(X))


def test_an_iterator_of_examples_is_told_what_to_be():
    with pytest.raises(TypeError, match=r"train: .*blocks \(X, y\) or Arrow.*from_iterable"):
        train(PAClassifier(), [lambda: iter([({"a": 1.0}, True)])], "local")


def test_a_function_that_opens_a_file_or_nothing_known(files):
    path = files / "all.parquet"
    assert train(GaussianNB(), [lambda: path], "local", target="y").seen == 1000
    with pytest.raises(TypeError, match=r"^train: a shard is .*; the function gave list\.$"):
        train(PAClassifier(), [lambda: [(X, Y)]], "local")


def test_a_function_of_the_user_that_fails():
    def broken():
        return {}["no such key"]

    with pytest.raises(ValueError, match="train: KeyError: 'no such key'"):
        train(PAClassifier(), [broken], "local")


def test_empty_and_damaged_shards(files):
    empty = pa.table({name: pa.array([], pa.float64()) for name in "abc"})
    pq.write_table(empty.append_column("y", pa.array([], pa.string())), files / "part-9.parquet")
    for workers in (1, 2, 7):
        model = LogisticRegression()
        train(model, str(files / "part-*.parquet"), "local", workers, 37, target="y")
        assert model.seen == 1000
    assert train(PAClassifier(), (X[:0], Y[:0]), "local").seen == 0
    data = (files / "part-1.parquet").read_bytes()
    (files / "part-2.parquet").write_bytes(data[: len(data) // 2])
    model = LogisticRegression()
    with pytest.raises(ValueError, match=r"train: .*part-2\.parquet.* damaged"):
        train(model, str(files / "part-*.parquet"), "local", 2, 37, target="y")
    assert model.seen == 0


def test_rows_of_weight_0_amount_to_nothing():
    for model in (LogisticRegression(), GaussianNB()):
        train(model, (X, Y, np.zeros(1000)), "local", 3, 10)
        assert model.seen == 0


@pytest.mark.parametrize("mix_every", [1, 10**30, None])
def test_extreme_intervals(mix_every):
    model = train(LogisticRegression(), (X[:60], Y[:60]), "local", 7, mix_every)
    assert model.seen == 60


def test_labels_of_two_kinds():
    model = PAClassifier()
    with pytest.raises(TypeError, match=r"train: what workers .* together: .* bool and str"):
        train(model, [(X, Y == "yes"), (X, Y)], "local")
    assert model.seen == 0
    shards = [(X, np.full(1000, name)) for name in ("a", "b", "c")]
    with pytest.raises(ValueError, match=r"train: what workers .* max_labels is 2"):
        train(PAClassifier(max_labels=2), shards, "local", 3)


def test_weights_of_rows(files):
    w = np.where(Y == "yes", 2.0, 0.5)
    one = GaussianNB()
    one.learn_many(X, Y, w)
    model = train(GaussianNB(), (X, Y, w), "local", 3)
    np.testing.assert_allclose(
        sorted(model.predict_proba_many(X).ravel()), sorted(one.predict_proba_many(X).ravel())
    )


def test_bad_rows_say_where_they_are(files, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("a,y\n1,yes\n2,no\nx3,yes\n")
    model = LogisticRegression()
    with pytest.raises(ValueError, match=r"bad\.csv"):
        train(model, [lambda: read_csv(bad, target="y", types={"a": float})], "local")
    assert model.seen == 0
    rows = np.array([[1.0], [np.nan]])
    with pytest.raises(ValueError, match=r"train: shard 1 .* row 1"):
        train(model, [(rows[:1], [True]), (rows, [True, False])], "local")
    assert model.seen == 0


@pytest.mark.parametrize(
    ("shards", "options", "message"),
    [
        ([], {}, "there are no shards"),
        (7, {}, "a shard is"),
        ("nothing-*.parquet", {}, "no such file"),
        ("-", {}, "standard input"),
        (SEA(), {}, "never ends"),
        ((X, Y[:5]), {}, "as many targets as rows"),
        ((X, Y), {"engine": "dask"}, "engine must be one of"),
        ((X, Y), {"workers": 0}, "workers"),
        ((X, Y), {"mix_every": 0}, "mix_every"),
        ((X, Y), {"min_fraction": 0.0}, "min_fraction"),
        ((X, Y), {"metrics": ROCAUC()}, "cannot be gathered"),
        ((X, Y), {"metrics": Accuracy(window=5)}, "cannot be gathered"),
        ((X, Y), {"metrics": [MAE()]}, "MAE judges numbers, but PAClassifier predicts labels"),
        ((X, Y), {"weighting": "energy"}, "weighting='energy' needs"),
        ((X, Y), {"weighting": "luck"}, "weighting must be"),
        (pa.table({"y": Y}), {}, "target="),
    ],
)
def test_what_cannot_be_trained(shards, options, message):
    with pytest.raises((ValueError, TypeError, FileNotFoundError), match=message):
        train(PAClassifier(), shards, **{"engine": "local", **options})


def test_a_scaler_has_nothing_to_judge():
    with pytest.raises(ValueError, match="StandardScaler predicts nothing"):
        train(StandardScaler(), (X, Y), "local", metrics=Accuracy())


def test_a_model_of_somebody_else():
    with pytest.raises(TypeError, match="must be a learner of onstream"):
        train(object(), (X, Y), "local")


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_a_missing_engine_is_one_line(engine):
    package = {"ray": "ray", "spark": "pyspark"}[engine]
    script = (
        f"import sys; sys.modules[{package!r}] = None\n"
        f"import onstream, onstream.cluster\n"
        f"try: onstream.cluster.train(onstream.PAClassifier(), ([[1]], [1]), engine={engine!r})\n"
        f"except ImportError as error: print(error)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    wanted = f"train: engine='{engine}' needs {package}: pip install \"onstream[{engine}]\""
    assert out.stdout.strip() == wanted


def test_importing_onstream_imports_no_engine():
    script = (
        "import sys, onstream, onstream.cluster\n"
        "print(sorted({'ray', 'pyspark', 'pandas'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
