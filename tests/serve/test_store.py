"""The promise of a durable model, at small size; `make torture` is the large one."""

import errno
import hashlib
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from onstream import LogisticRegression, PAClassifier
from onstream.persist import dumps
from onstream.serve.example import Example
from onstream.serve.gate import Gate
from onstream.serve.history import History
from onstream.serve.log import Log
from onstream.serve.receipt import Rejected
from onstream.serve.rows import coerce_example
from onstream.serve.store import (
    DurableModel,
    ModelFull,
    Request,
    StoreError,
    StoreFull,
    StoreStopped,
)
from onstream.tree import HoeffdingTreeClassifier


def rows(n: int, seed: int = 3, sources: int = 4) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    return [
        {
            "x": {f"f{rng.randrange(30)}": rng.gauss(0, 1) for _ in range(6)},
            "y": rng.choice(["a", "b", "c"]),
            "id": f"row {i}",
            "source": f"s{rng.randrange(sources)}",
        }
        for i in range(n)
    ]


def sum_of(learner: Any, examples: list[dict[str, Any]]) -> str:
    """The sum of a learner that never stopped."""
    for example in examples:
        learner.learn_one(example["x"], example["y"])
    return hashlib.sha256(dumps(learner)).hexdigest()


def killed(*options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.serve.kills", *options]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=root)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class TestKilled:
    def test_nothing_is_lost_or_learned_twice(self) -> None:
        facts = killed("--kills", "10", "--seed", "1")
        assert facts["kills"] == 10
        assert (facts["lost"], facts["twice"], facts["same_state"]) == (0, 0, True)
        assert facts["seen"] == facts["examples"]

    def test_an_answer_before_the_commit_is_caught(self) -> None:
        facts = killed("--kills", "2", "--seed", "1", "--broken", "ack")
        assert facts["lost"] > 0
        assert not facts["same_state"]

    def test_a_store_that_knows_no_ids_is_caught(self) -> None:
        facts = killed("--kills", "2", "--seed", "1", "--broken", "dedup")
        assert facts["twice"] > 0
        assert not facts["same_state"]


@pytest.mark.parametrize(
    "learner",
    [PAClassifier(C=0.1), LogisticRegression(), HoeffdingTreeClassifier(grace_period=20)],
    ids=lambda learner: type(learner).__name__,
)
def test_stopping_changes_no_bit(learner: Any, tmp_path: Path) -> None:
    examples = rows(300)
    rng = random.Random(5)
    at = 0
    while at < len(examples):
        with DurableModel(tmp_path, learner.clone(), snapshot_every=40) as model:
            for _ in range(3):
                step = rng.randint(1, 30)
                model.learn(examples[at : at + step])
                at += step
    with DurableModel(tmp_path) as model:
        assert model.state_sha256 == sum_of(learner.clone(), examples)
        assert model.seen == model.seq == len(examples)


def test_restart_without_closing_replays_the_log(tmp_path: Path) -> None:
    examples = rows(100)
    model = DurableModel(tmp_path, PAClassifier())
    model.learn(examples)
    (tmp_path / "copy").mkdir()
    for file in tmp_path.glob("log*"):
        (tmp_path / "copy" / file.name).write_bytes(file.read_bytes())
    (tmp_path / "snapshots").rename(tmp_path / "copy" / "snapshots")
    with DurableModel(tmp_path / "copy") as again:
        assert again.state_sha256 == sum_of(PAClassifier(), examples)
    (tmp_path / "snapshots").mkdir()
    model.close()


class TestDuplicates:
    def test_within_a_request_and_between_requests(self, tmp_path: Path) -> None:
        one, two, three = rows(3)
        with DurableModel(tmp_path, PAClassifier()) as model:
            receipt = model.learn([one, one, two])
            assert (receipt.first_seq, receipt.last_seq) == (1, 2)
            assert (receipt.learned, receipt.duplicates) == (2, 1)
            receipt = model.learn([two, three, one])
            assert (receipt.first_seq, receipt.last_seq) == (3, 3)
            assert (receipt.learned, receipt.duplicates) == (1, 2)
            assert model.learn([one]).first_seq is None
            assert model.state_sha256 == sum_of(PAClassifier(), [one, two, three])

    def test_without_an_id_nothing_is_a_duplicate(self, tmp_path: Path) -> None:
        with DurableModel(tmp_path, PAClassifier()) as model:
            model.learn_one({"a": 1}, "x")
            model.learn_one({"a": 1}, "x")
            assert model.seen == 2

    def test_ids_are_known_after_a_restart(self, tmp_path: Path) -> None:
        examples = rows(20)
        with DurableModel(tmp_path, PAClassifier()) as model:
            model.learn(examples)
        with DurableModel(tmp_path) as model:
            assert model.learn(examples).duplicates == 20

    def test_only_the_window_is_known(self, tmp_path: Path) -> None:
        examples = rows(60)
        with DurableModel(tmp_path, PAClassifier(), window=10) as model:
            for example in examples:
                model.learn([example])
                model.snapshot()
            assert model.learn(examples[-10:]).duplicates == 10
            assert model.learn(examples[:5]).learned == 5
            kept = [first for first, _ in model.log.records()]
            assert kept[0] > 40, "old records go"


class TestRefusedByTheLearner:
    def test_one_example_is_an_error_and_not_in_the_log(self, tmp_path: Path) -> None:
        with DurableModel(tmp_path, PAClassifier()) as model:
            model.learn_one({"a": 1}, "x")
            before = model.state_sha256
            with pytest.raises(TypeError, match="feature 'a' must be a number"):
                model.learn_one({"a": object()}, "x")
            with pytest.raises(ValueError, match="labels so far are of type str"):
                model.learn_one({"a": 1}, True, id="again")
            assert model.state_sha256 == before
            assert model.learn_one({"a": 1}, "y", id="again").learned == 1, "its id is free"

    def test_among_others_it_alone_is_left_out(self, tmp_path: Path) -> None:
        examples = rows(10)
        bad = [{**e, "y": 7} if i in (4, 8) else e for i, e in enumerate(examples)]
        good = [e for i, e in enumerate(examples) if i not in (4, 8)]
        with DurableModel(tmp_path, PAClassifier()) as model:
            receipt = model.learn(bad)
            assert receipt.learned == 8
            assert [one["path"] for one in receipt.rejected] == ["examples[4]", "examples[8]"]
            assert model.state_sha256 == sum_of(PAClassifier(), good)
        (tmp_path / "snapshots" / f"{10:020}-000000.onstream").unlink()
        with DurableModel(tmp_path) as model:
            assert model.state_sha256 == sum_of(PAClassifier(), good)

    def test_rows_that_are_refused_are_named(self, tmp_path: Path) -> None:
        X = [{"a": i} for i in range(10)]
        y = ["x" if i % 2 else "y" for i in range(10)]
        bad: list[Any] = [7 if i in (4, 8) else label for i, label in enumerate(y)]
        with DurableModel(tmp_path, PAClassifier()) as model:
            with pytest.raises(Rejected) as found:
                model.learn_many(X, bad)
            said = str(found.value)
            assert said.startswith("DurableModel: 2 of 10 examples were refused")
            assert "row 4: PAClassifier: the labels so far are of type str" in said
            assert "row 8: " in said
            assert "The 8 others are learned: send only the refused ones again." in said
            receipt = found.value.receipt
            assert (receipt.learned, receipt.first_seq, receipt.last_seq) == (8, 1, 10)
            assert model.seen == 8
            with pytest.raises(Rejected, match=r"row 2: .* And 27 more") as found:
                model.learn_many(X * 3, [1] * 30)
            assert found.value.receipt.learned == 0
            assert "Nothing was learned." in str(found.value)
            assert model.learn([{"x": X[0], "y": 1}]).rejected[0]["path"] == "examples[0]"
            with pytest.raises(Rejected, match="PAClassifier: the labels so far") as found:
                model.learn_one(X[0], 1)
            assert found.value.receipt.rejected

    @pytest.mark.parametrize(
        "example",
        [{"x": {"a": float("nan")}, "y": 1}, {"x": {"a" * 300: 1}, "y": 1}, {"x": 1, "y": 1}, 3,
         {"x": {}, "y": float("inf")}, {"x": {}, "y": 1, "id": ""}, {"x": {}, "y": 1, "weight": 2},
         {"x": {}, "y": 1, "w": -1}, {"x": {}, "y": 1, "w": float("nan")},
         {"x": {}, "y": 1, "w": "a"}],
    )  # fmt: skip
    def test_what_no_learner_should_see(self, example: Any, tmp_path: Path) -> None:
        with DurableModel(tmp_path, PAClassifier()) as model:
            with pytest.raises((ValueError, TypeError)):
                model.learn([{"x": {"a": 1}, "y": 1}, example])
            assert model.seen == 0


class TestHistory:
    @pytest.mark.parametrize("to_seq", [0, 1, 37, 100])
    def test_rollback(self, to_seq: int, tmp_path: Path) -> None:
        examples = rows(100)
        expected = sum_of(PAClassifier(), examples[:to_seq])
        with DurableModel(tmp_path, PAClassifier(), snapshot_every=30) as model:
            for at in range(0, 100, 10):
                model.learn(examples[at : at + 10])
            assert model.rollback(to_seq=to_seq) == model.seq == to_seq
            assert model.state_sha256 == expected
        with DurableModel(tmp_path) as model:
            assert (model.seq, model.state_sha256) == (to_seq, expected)
            again = model.learn(examples)
            assert again.learned == 100 - to_seq, "what was taken back may be sent again"
            assert again.first_seq in (None, 101), "numbers are not given twice"
            assert model.state_sha256 == sum_of(PAClassifier(), examples)

    def test_rollback_to_the_future_is_refused(self, tmp_path: Path) -> None:
        with (
            DurableModel(tmp_path, PAClassifier()) as model,
            pytest.raises(ValueError, match="to_seq must be from 0 to 0, got 5"),
        ):
            model.rollback(to_seq=5)

    def test_as_if_a_source_had_never_spoken(self, tmp_path: Path) -> None:
        examples = rows(200)
        others = [e for e in examples if e["source"] != "s2"]
        with DurableModel(tmp_path, PAClassifier(), snapshot_every=30) as model:
            for at in range(0, 200, 7):
                model.learn(examples[at : at + 7])
            assert model.replay(exclude_source="s2") == 200 - len(others)
            assert model.state_sha256 == sum_of(PAClassifier(), others)
            assert model.seq == 201, "a state that never was has a number of its own"
            assert model.replay(exclude_source="nobody") == 0
        with DurableModel(tmp_path) as model:
            assert model.state_sha256 == sum_of(PAClassifier(), others)
            assert model.learn(examples).learned == 0, "the excluded are not learned again"

    def test_what_the_log_no_longer_holds_is_not_pretended(self, tmp_path: Path) -> None:
        examples = [{**e, "source": "early" if i < 3 else "late"} for i, e in enumerate(rows(60))]
        with DurableModel(tmp_path, PAClassifier(), window=5) as model:
            for example in examples:
                model.learn([example])
                model.snapshot()
            before = model.state_sha256
            for source in ("early", "late", "nobody"):
                with pytest.raises(StoreError, match="the log begins with example 56"):
                    model.replay(exclude_source=source)
            sources = model.log.db.execute("SELECT source FROM sources").fetchall()
            assert sources == [("late",)], "old sources go with their records"
            with pytest.raises(StoreError, match="no snapshot"):
                model.rollback(to_seq=10)
            assert model.state_sha256 == before
            assert model.learn_one({"a": 1}, "a").learned == 1


class TestDamage:
    def full(self, folder: Path) -> tuple[list[dict[str, Any]], list[Path]]:
        examples = rows(100)
        with DurableModel(folder, PAClassifier(), snapshot_every=30) as model:
            for at in range(0, 100, 10):
                model.learn(examples[at : at + 10])
        return examples, sorted((folder / "snapshots").iterdir())

    @pytest.mark.parametrize("damage", ["cut", "flip", "empty", "gone"])
    def test_a_damaged_snapshot_costs_only_time(self, damage: str, tmp_path: Path) -> None:
        examples, snapshots = self.full(tmp_path)
        for path in snapshots[-2:]:
            data = path.read_bytes()
            if damage == "gone":
                path.unlink()
                continue
            flipped = data[:200] + bytes([data[200] ^ 1]) + data[201:]
            path.write_bytes({"cut": data[: len(data) // 2], "flip": flipped, "empty": b""}[damage])
        with DurableModel(tmp_path) as model:
            assert model.state_sha256 == sum_of(PAClassifier(), examples)
            assert len(model.damaged) == (0 if damage == "gone" else 2)

    def test_all_snapshots_damaged_is_a_refusal(self, tmp_path: Path) -> None:
        _, snapshots = self.full(tmp_path)
        for path in snapshots:
            path.write_bytes(b"nothing")
        with pytest.raises(StoreError, match="no snapshot can be used"):
            DurableModel(tmp_path)
        for path in snapshots:
            path.unlink()
        with pytest.raises(StoreError, match="snapshots are gone"):
            DurableModel(tmp_path, PAClassifier())

    def test_a_flipped_bit_in_a_record_is_a_refusal(self, tmp_path: Path) -> None:
        _, snapshots = self.full(tmp_path)
        for path in snapshots[1:]:
            path.unlink()
        db = sqlite3.connect(tmp_path / "log.sqlite3")
        db.execute("UPDATE log SET body = replace(body, 'f1', 'f2') WHERE first = 21")
        db.commit()
        db.close()
        with pytest.raises(StoreError, match="record 21 is damaged"):
            DurableModel(tmp_path)

    @pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
    def test_a_torn_log_gives_the_newest_state_or_a_refusal(
        self, part: float, tmp_path: Path
    ) -> None:
        examples, _ = self.full(tmp_path)
        log = tmp_path / "log.sqlite3"
        data = log.read_bytes()
        log.write_bytes(data[: int(part * len(data))])
        try:
            model = DurableModel(tmp_path)
        except StoreError as error:
            assert "log" in str(error)  # noqa: PT017
        else:
            assert model.state_sha256 == sum_of(PAClassifier(), examples)
            model.close()

    @pytest.mark.parametrize("part", [0.0, 0.3, 0.7, 0.99])
    def test_a_torn_write_ahead_log_gives_a_whole_state(self, part: float, tmp_path: Path) -> None:
        examples = rows(60)
        model = DurableModel(tmp_path / "a", PAClassifier())
        sums = [model.state_sha256]
        for example in examples:
            model.learn([example])
            sums.append(model.state_sha256)
        copy = tmp_path / "b"
        copy.mkdir()
        for file in (tmp_path / "a").glob("log*"):
            (copy / file.name).write_bytes(file.read_bytes())
        (copy / "snapshots").mkdir()
        for file in (tmp_path / "a" / "snapshots").iterdir():
            (copy / "snapshots" / file.name).write_bytes(file.read_bytes())
        model.close()
        wal = copy / "log.sqlite3-wal"
        data = wal.read_bytes()
        wal.write_bytes(data[: int(part * len(data))])
        with DurableModel(copy, PAClassifier()) as torn:
            assert torn.state_sha256 == sums[torn.seen]
            assert torn.seen < 60


class FailingDisk:
    """A connection whose commits fail from some moment on."""

    def __init__(self, db: Any, error: str) -> None:
        self.db, self.error, self.asked = db, error, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)

    def execute(self, statement: str, *values: Any) -> Any:
        if statement == "COMMIT":
            self.asked += 1
            raise sqlite3.OperationalError(self.error)
        return self.db.execute(statement, *values)


class TestDisk:
    def test_a_failed_sync_is_never_tried_again(self, tmp_path: Path) -> None:
        examples = rows(20)
        model = DurableModel(tmp_path, PAClassifier())
        model.learn(examples[:10])
        good = model.log.db
        model.log.db = disk = FailingDisk(good, "disk I/O error")  # type: ignore[assignment]
        with pytest.raises(StoreStopped, match="disk I/O error"):
            model.learn(examples[10:])
        with pytest.raises(StoreStopped):
            model.learn(examples[10:])
        assert disk.asked == 1
        assert model.seen == 10
        assert model.predict_one(examples[0]["x"]) in ("a", "b", "c"), "predictions go on"
        model.log.db = good
        model.close()
        with DurableModel(tmp_path) as again:
            assert again.state_sha256 == sum_of(PAClassifier(), examples[:10])

    def test_a_full_disk_refuses_and_goes_on_when_there_is_room(self, tmp_path: Path) -> None:
        examples = rows(20)
        with DurableModel(tmp_path, PAClassifier()) as model:
            model.learn(examples[:10])
            good = model.log.db
            model.log.db = FailingDisk(good, "database or disk is full")  # type: ignore[assignment]
            with pytest.raises(StoreFull, match="full"):
                model.learn(examples[10:])
            model.log.db = good
            assert model.learn(examples).learned == 10
            assert model.state_sha256 == sum_of(PAClassifier(), examples)

    def test_a_second_process_is_kept_out(self, tmp_path: Path) -> None:
        code = f"from onstream.serve import DurableModel; DurableModel({str(tmp_path)!r})"
        with DurableModel(tmp_path, PAClassifier()):
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            assert "another process uses this store" in done.stderr

    def test_who_opens_a_store_twice_is_told_so(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(tmp_path / "m")
        for _ in range(2):
            with DurableModel(tmp_path / "m", PAClassifier()):
                for path in (tmp_path / "m", tmp_path / "link"):
                    with pytest.raises(StoreError, match="this process has opened this store"):
                        DurableModel(path)

    def test_commits_are_synced(self, tmp_path: Path) -> None:
        with DurableModel(tmp_path, PAClassifier()) as model:
            assert model.log.db.execute("PRAGMA synchronous").fetchone() == (2,)
            assert model.log.db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


class TestTheWriterLivesOn:
    """Whatever a request holds, whoever gives it up: those after it are answered."""

    @pytest.mark.parametrize(
        "bad",
        [{"x": {"a": 1}, "y": 1, "id": "\ud800"}, {"x": {"\ud800": 1}, "y": 1},
         {"x": {"a": "\ud800"}, "y": 1}, {"x": {"a": 1}, "y": "\ud800" * 100}],
    )  # fmt: skip
    def test_half_a_character(self, bad: Any, tmp_path: Path) -> None:
        with DurableModel(tmp_path, PAClassifier()) as model:
            with pytest.raises(ValueError, match=r"surrogate|Unicode"):
                model.learn([bad])
            held = threading.Event()
            model._enqueue(Request([], lambda: held.wait(30)))
            futures = [
                model.submit([Example({"a": 1.0}, 1)]),
                model.submit([Example({"\ud800": 1.0}, 1)]),  # past the checks, in one group
                model.submit([Example({"a": 1.0}, 0)]),
            ]
            held.set()
            assert futures[0].result(30).first_seq == 1
            assert isinstance(futures[1].exception(30), ValueError)
            assert futures[2].result(30).first_seq == 2

    def test_a_request_that_was_given_up(self, tmp_path: Path) -> None:
        with DurableModel(tmp_path, PAClassifier()) as model:
            held = threading.Event()
            model._enqueue(Request([], lambda: held.wait(30)))
            one, two = (model.submit([coerce_example(example)]) for example in rows(2))
            assert one.cancel()
            held.set()
            assert two.result(30).learned == 1
            assert not two.cancel()
            assert model.seen == 1

    def test_a_fault_of_its_own_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with DurableModel(tmp_path, PAClassifier()) as model:
            monkeypatch.setattr(model.log, "checkpoint", lambda: 1 / 0)
            assert model.submit([coerce_example(rows(1)[0])]).result(30).learned == 1
            with pytest.raises(StoreStopped, match="division"):
                model.learn(rows(1))


def test_a_rewrite_that_fails_leaves_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = rows(60)
    with DurableModel(tmp_path, PAClassifier()) as model:
        model.learn(examples)
        before = model.state_sha256
        with monkeypatch.context() as broken:
            broken.setattr(History, "replay", lambda self, state: 1 / 0)
            for change in ({"to_seq": 30}, {"exclude_source": "s1"}):
                with pytest.raises(ZeroDivisionError):
                    (model.rollback if "to_seq" in change else model.replay)(**change)  # type: ignore
        assert (model.state_sha256, model.seq) == (before, 60)
        assert model.learn(examples).duplicates == 60
    (tmp_path / "snapshots" / f"{60:020}-000000.onstream").unlink()
    with DurableModel(tmp_path) as model:
        assert (model.state_sha256, model.seq) == (before, 60)


def test_a_learner_that_grew_too_large_predicts_but_learns_no_more(tmp_path: Path) -> None:
    with DurableModel(tmp_path, PAClassifier(), max_memory=200_000) as model:

        def grow() -> None:
            for i in range(100):
                model.learn({"x": {f"{i} {k}": 1.0 for k in range(500)}, "y": 1} for _ in range(99))

        with pytest.raises(ModelFull, match="200,000 are allowed"):
            grow()
        assert model.learner.memory_bytes < 2_000_000
        assert model.predict_one({"0 0": 1.0}) == 1
        seen = model.seen
    with DurableModel(tmp_path) as model:
        assert (model.seen, model.learn_one({"a": 1}, 1).learned) == (seen, 1)


def test_the_gate_goes_to_who_waits() -> None:
    """One thread holds the gate, leaves, and enters again at once: the other comes first."""
    gate, order = Gate(), []

    def wait() -> None:
        with gate:
            order.append("waited")

    for _ in range(20):
        gate.enter()
        thread = threading.Thread(target=wait)
        thread.start()
        while not gate._door.locked():
            time.sleep(0.001)
        gate.leave()
        with gate:
            order.append("again")
        thread.join()
    assert order == ["waited", "again"] * 20


def test_a_busy_gate_is_left_alone() -> None:
    gate = Gate()
    with gate:
        assert not gate.enter(0.001)
    assert gate.enter(0.001)


def test_what_was_in_the_write_ahead_log_is_synced_at_the_start(tmp_path: Path) -> None:
    """It may be there because its sync failed: then only the system's cache has it."""
    model = DurableModel(tmp_path / "a", PAClassifier())
    model.learn(rows(10))
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    model.close()
    assert (tmp_path / "b/log.sqlite3-wal").stat().st_size > 0
    log = Log(tmp_path / "b")
    shutil.copy(tmp_path / "b/log.sqlite3", tmp_path / "database alone")
    log.close()
    db = sqlite3.connect(tmp_path / "database alone")
    assert db.execute("SELECT sum(last - first + 1) FROM log").fetchone() == (10,)
    db.close()


def test_requests_that_wait_share_a_commit(tmp_path: Path) -> None:
    examples = rows(50)
    with DurableModel(tmp_path, PAClassifier()) as model:
        groups: list[int] = []
        write, held = model._write, threading.Event()
        model._write = lambda group: (groups.append(len(group)), write(group))  # type: ignore
        model._enqueue(Request([], lambda: held.wait(30)))
        futures = [model.submit([example]) for example in map(coerce_example, examples)]
        held.set()
        assert [future.result(30).first_seq for future in futures] == list(range(1, 51))
        assert max(groups) == 50


def test_a_full_queue_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onstream.serve.store.QUEUE", 3)
    with DurableModel(tmp_path, PAClassifier()) as model:
        held, began = threading.Event(), threading.Event()
        model._enqueue(Request([], lambda: (began.set(), held.wait(30))))
        assert began.wait(30)
        futures = [model.submit([coerce_example(example)]) for example in rows(3)]
        with pytest.raises(StoreFull, match="too many requests wait"):
            model.submit([coerce_example(rows(4)[3])])
        monkeypatch.setattr("onstream.serve.store.QUEUE", 10)
        with pytest.raises(StoreFull, match="too many requests wait"):
            model.submit([coerce_example(rows(4)[3])], size=1 << 30)
        held.set()
        assert [future.result(30).learned for future in futures] == [1, 1, 1]


def test_a_snapshot_without_room_is_not_tried_again_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room() -> Path:
        raise OSError(errno.ENOSPC, "no room")

    with DurableModel(tmp_path, PAClassifier(), snapshot_every=50) as model:
        with monkeypatch.context() as full:
            full.setattr(model.history, "snapshot", no_room)
            for example in rows(120):
                model.learn([example])
            model.ask(lambda learner: None)
            assert model.lost_snapshots == 2
        for example in rows(160)[120:]:
            model.learn([example])
    assert model.lost_snapshots == 2


def test_predictions_name_their_state(tmp_path: Path) -> None:
    """While one thread learns and rolls back, each answer is that of just the state it names."""
    examples = rows(400)
    answers: dict[int, Any] = {}
    reference = PAClassifier()
    x = examples[0]["x"]
    answers[0] = reference.score_one(x)
    for number, example in enumerate(examples, 1):
        reference.learn_one(example["x"], example["y"])
        answers[number] = reference.score_one(x)
    stop = threading.Event()
    with DurableModel(tmp_path, PAClassifier(), snapshot_every=100) as model:

        def teach() -> None:
            for at in range(0, 400, 20):
                model.learn(examples[at : at + 20])
                if at == 200:
                    model.rollback(to_seq=220)
            stop.set()

        thread = threading.Thread(target=teach)
        thread.start()
        asked = 0
        while not stop.is_set() or not asked:
            score, seq = model.ask(lambda learner: learner.score_one(x))
            assert score == answers[seq]
            asked += 1
        thread.join()
        assert model.seq == 400


def test_what_is_refused_leaves_no_folder(tmp_path: Path) -> None:
    class Unsaved(PAClassifier):
        def __reduce__(self) -> Any:
            raise TypeError("it cannot be saved")

    with pytest.raises(StoreError, match="give a learner"):
        DurableModel(tmp_path / "a" / "b")
    for learner in (3, Unsaved()):
        with pytest.raises((TypeError, ValueError)):
            DurableModel(tmp_path / "a" / "b", learner)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match="give a learner"):
        DurableModel(tmp_path / "empty")
    assert list((tmp_path / "empty").iterdir()) == []


def test_another_learner_is_refused(tmp_path: Path) -> None:
    DurableModel(tmp_path, PAClassifier()).close()
    with pytest.raises(ValueError, match=r"holds a PAClassifier\(\), not a LogisticRegression"):
        DurableModel(tmp_path, LogisticRegression())
    with pytest.raises(StoreError, match="give a learner"):
        DurableModel(tmp_path / "new")
