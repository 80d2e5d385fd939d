"""Parquet, Arrow IPC, data frames and iterables."""

import contextlib
import datetime
import decimal
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from onstream import LogisticRegression
from onstream.streams import SEA, from_iterable, read_frame, read_ipc, read_parquet, tables

TABLE = pa.table(
    {
        "a": [1.5, None, float("nan"), 4.0],
        "b": [1, 2, 3, 4],
        "c": ["x", "y", None, "x"],
        "d": pa.array(["p", "q", "p", "q"]).dictionary_encode(),
        "y": [True, False, True, False],
    }
)
ROWS = [
    ({"a": 1.5, "b": 1, "c": "x", "d": "p"}, True),
    ({"a": None, "b": 2, "c": "y", "d": "q"}, False),
    ({"a": None, "b": 3, "c": None, "d": "p"}, True),
    ({"a": 4.0, "b": 4, "c": "x", "d": "q"}, False),
]


def parquet(path: Path, table: pa.Table) -> None:
    pq.write_table(table, path, row_group_size=3)


def ipc_file(path: Path, table: pa.Table) -> None:
    pyarrow.feather.write_feather(table, path, chunksize=3)


def ipc_stream(path: Path, table: pa.Table) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as out:
        out.write_table(table, max_chunksize=3)


FORMATS = [(parquet, read_parquet), (ipc_file, read_ipc), (ipc_stream, read_ipc)]
formats = pytest.mark.parametrize(("write", "read"), FORMATS, ids=["parquet", "file", "stream"])


@formats
class TestFiles:
    def test_rows(self, tmp_path, write, read) -> None:
        write(tmp_path / "t", TABLE)
        stream = read(tmp_path / "t", target="y")
        assert list(stream) == ROWS
        assert stream.rows == 4
        assert stream.bytes_done == stream.bytes_total > 0

    @pytest.mark.parametrize("n", [1, 2, 3, 100])
    def test_blocks(self, tmp_path, write, read, n: int) -> None:
        write(tmp_path / "t", TABLE)
        blocks = list(read(tmp_path / "t", target="y").batches(n))
        assert [len(y) for _, y in blocks] == [len(ROWS[i : i + n]) for i in range(0, 4, n)]

    def test_options(self, tmp_path, write, read) -> None:
        write(tmp_path / "t", TABLE)
        kept = list(read(tmp_path / "t", target="y", weight="b", only=["c"], skip=1, limit=2))
        assert kept == [({"c": "y"}, False, 2.0), ({"c": None}, True, 3.0)]
        assert list(read(tmp_path / "t", "y", epochs=2)) == ROWS * 2

    def test_several_files(self, tmp_path, write, read) -> None:
        write(tmp_path / "t1", TABLE)
        write(tmp_path / "t2", TABLE)
        assert list(read(tmp_path / "t?", target="y")) == ROWS * 2
        write(tmp_path / "t3", TABLE.drop_columns(["a"]))
        with pytest.raises(ValueError, match=r'columns differ .*t1: "a" is missing here\. .*only'):
            list(read(tmp_path / "t?", target="y"))
        write(tmp_path / "t3", TABLE.set_column(0, "a", [["1", "2", "3", "4"]]))
        with pytest.raises(ValueError, match='t3: column "a" is of type string, but of type'):
            list(read(tmp_path / "t?", target="y"))

    def test_bad_rows(self, tmp_path, write, read) -> None:
        table = pa.table({"a": [1.0, float("inf"), 3.0, 4.0], "y": [1, 2, None, 4]})
        write(tmp_path / "t", table)
        with pytest.raises(ValueError, match='t: row 2, column "a": the number is not finite'):
            list(read(tmp_path / "t", target="y"))
        stream = read(tmp_path / "t", target="y", on_error="skip")
        assert [x["a"] for x, _ in stream] == [1.0, 4.0]
        assert stream.rejected == 2

    def test_columns_that_no_learner_takes(self, tmp_path, write, read) -> None:
        table = pa.table({"when": [datetime.date(2020, 1, 1)], "y": [1]})
        write(tmp_path / "t", table)
        with pytest.raises(ValueError, match=r'column "when" is of type .* drop=\["when"\]'):
            list(read(tmp_path / "t", target="y"))
        assert list(read(tmp_path / "t", target="y", drop="when")) == [({}, 1)]

    @pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
    def test_truncated(self, tmp_path, write, read, share: float) -> None:
        write(tmp_path / "t", pa.table({"a": np.arange(1000.0), "y": np.arange(1000)}))
        data = (tmp_path / "t").read_bytes()
        (tmp_path / "t").write_bytes(data[: int(share * len(data))])
        with pytest.raises(ValueError, match=r"t: row [\d,]+: no (Parquet|Arrow) file, or damaged"):
            list(read(tmp_path / "t", target="y"))
        stream = read(tmp_path / "t", target="y", on_error="skip")
        list(stream)
        assert stream.rejected == 1

    def test_garbage(self, tmp_path, write, read) -> None:
        rng = np.random.default_rng(1)
        words = [f"word {i}" for i in range(300)]
        table = pa.table({"a": np.arange(300.0), "c": words, "y": np.arange(300)})
        write(tmp_path / "t", table)
        data = (tmp_path / "t").read_bytes()
        for _ in range(60):
            broken = np.frombuffer(data, np.uint8).copy()
            at = rng.integers(0, len(broken), 6)
            broken[at] = rng.integers(0, 256, 6)
            (tmp_path / "t").write_bytes(broken.tobytes())
            with contextlib.suppress(ValueError, MemoryError):
                assert len(list(read(tmp_path / "t", target="y"))) <= 300


def test_a_file_that_asks_for_more_memory_than_there_is_anywhere_is_damaged(tmp_path) -> None:
    table, path = pa.table({"a": np.arange(1000.0), "y": np.arange(1000)}), tmp_path / "t"
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with (
        pa.OSFile(str(path), "wb") as raw,
        pa.ipc.new_file(raw, table.schema, options=options) as f,
    ):
        f.write_table(table)
    data, length = path.read_bytes(), (8000).to_bytes(8, "little")
    assert length in data
    path.write_bytes(data.replace(length, (2**56).to_bytes(8, "little"), 1))
    with pytest.raises(ValueError, match=r"t: row 1: no Arrow file, or damaged: malloc of size"):
        list(read_ipc(path, target="y"))


@pytest.mark.parametrize("said", ["malloc of size 6400 failed", ""])
def test_memory_that_is_short_is_no_damage(
    tmp_path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    def fails(self, file: str, start: object):
        raise MemoryError(said)
        yield

    ipc_file(tmp_path / "t", TABLE)
    monkeypatch.setattr(tables.IPC, "_batches_of", fails)
    with pytest.raises(MemoryError):
        list(read_ipc(tmp_path / "t", target="y", on_error="skip"))


def test_parquet_not_from_standard_input() -> None:
    with pytest.raises(ValueError, match="standard input"):
        read_parquet("-")


def test_decimals_are_numbers(tmp_path) -> None:
    table = pa.table({"a": [decimal.Decimal("1.25")], "y": [1]})
    parquet(tmp_path / "t", table)
    assert list(read_parquet(tmp_path / "t", target="y")) == [({"a": 1.25}, 1)]


@pytest.mark.parametrize(
    "frame",
    [
        TABLE,
        TABLE.to_pandas(),
        pl.from_arrow(TABLE),
        TABLE.to_pandas().set_index(pd.Index([3, 4, 5, 6], name="key")),
    ],
    ids=["arrow", "pandas", "polars", "index"],
)
def test_frames(frame) -> None:
    stream = read_frame(frame, target="y")
    assert list(stream) == ROWS
    assert list(stream) == ROWS
    assert stream.rows == 4


def test_frame_errors() -> None:
    with pytest.raises(TypeError, match="a data frame is needed"):
        read_frame([1, 2])
    with pytest.raises(ValueError, match='no column "z"'):
        read_frame(TABLE, target="z")
    frame = pa.table({"a": [1.0, float("inf")], "y": [1, 2]})
    with pytest.raises(ValueError, match='the frame: row 2, column "a"'):
        list(read_frame(frame, target="y"))
    stream = read_frame(frame, target="y", on_error="skip")
    assert len(list(stream)) == 1
    assert stream.rejected == 1


def test_the_same_model_from_every_source(tmp_path) -> None:
    X, y = SEA(noise=0.1, seed=1).block(2000)
    table = pa.table({**{f"f{j}": X[:, j] for j in range(3)}, "y": y})
    parquet(tmp_path / "t", table)
    pairs = [
        ({f"f{j}": row[j] for j in range(3)}, int(label)) for row, label in zip(X, y, strict=True)
    ]
    one = LogisticRegression(eta=0.01).fit(read_parquet(tmp_path / "t", target="y"))
    two = LogisticRegression(eta=0.01).fit(read_frame(table, target="y"))
    three = LogisticRegression(eta=0.01).fit(from_iterable(pairs))
    assert one.weights == two.weights
    assert one.weights == pytest.approx(three.weights, rel=1e-9)


class TestIterable:
    def test_pairs(self) -> None:
        rows = [({"a": i}, i % 2) for i in range(10)]
        stream = from_iterable(rows)
        assert list(stream) == rows
        assert list(stream) == rows
        assert [len(y) for _, y in stream.batches(4)] == [4, 4, 2]
        assert list(from_iterable(iter(rows), skip=2, limit=3)) == rows[2:5]
        mixed = list(from_iterable(rows, shuffle=10, seed=1))
        assert mixed != rows
        assert sorted(mixed, key=str) == sorted(rows, key=str)
        assert list(from_iterable(rows, epochs=2)) == rows * 2

    def test_weights(self) -> None:
        rows = [({"a": i}, i % 2, 2.0) for i in range(5)]
        assert list(from_iterable(rows)) == rows
        assert list(from_iterable([{"a": 1, "y": 0, "w": 3}], target="y", weight="w")) == [
            ({"a": 1}, 0, 3)
        ]

    def test_mappings_are_not_changed(self) -> None:
        row = {"a": 1, "y": 0}
        assert list(from_iterable([row], target="y")) == [({"a": 1}, 0)]
        assert row == {"a": 1, "y": 0}

    @pytest.mark.parametrize(
        ("rows", "options", "kind", "message"),
        [
            ([{"a": 1}], {}, TypeError, "row 0 must be"),
            ([({"a": 1}, 1), ({"a": 1}, 1, 2)], {}, TypeError, "some rows are"),
            ([{"a": 1}], {"target": "y"}, ValueError, "row 0 has no 'y'"),
            ([3], {"target": "y"}, TypeError, "row 0 must be a mapping"),
            ("text", {}, TypeError, "an iterable"),
            (3, {}, TypeError, "an iterable"),
            (iter([]), {"epochs": 2}, TypeError, "read once only"),
        ],
    )
    def test_errors(self, rows, options, kind, message) -> None:
        with pytest.raises(kind, match=message):
            list(from_iterable(rows, **options))


FRAME = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "y": ["x", "z", "x", "z"]})
INDEXES = {
    "filtered": FRAME[FRAME.a != 2.0],
    "shuffled": FRAME.loc[[2, 0, 3, 1]],
    "named": FRAME.set_index(pd.Index([5, 3, 4, 9], name="key")),
    "dates": FRAME.set_index(pd.date_range("2020-01-01", periods=4)),
    "two": FRAME.set_index([pd.Index([5, 3, 4, 9], name="k"), pd.Index(list("abca"))]),
    "stored though plain": FRAME,
}


@pytest.mark.parametrize("case", INDEXES)
@pytest.mark.parametrize("format", ["parquet", "ipc", "frame"])
def test_the_index_of_a_frame_is_no_feature(tmp_path, case: str, format: str) -> None:
    frame = INDEXES[case]
    table = pa.Table.from_pandas(frame, preserve_index=True if "stored" in case else None)
    parquet(tmp_path / "t.parquet", table)
    pyarrow.feather.write_feather(table, tmp_path / "t.arrow")

    def read(**options):
        if format == "frame":
            return list(read_frame(table, **options))
        name, read = ("t.parquet", read_parquet) if format == "parquet" else ("t.arrow", read_ipc)
        return list(read(tmp_path / name, **options))

    rows = [({"a": a}, y) for a, y in zip(frame.a, frame.y, strict=True)]
    assert read(target="y") == rows
    assert read(target=-1) == rows  # the last column, not the index
    index = table.column_names[-1]
    assert read(target="y", drop=index) == rows
    if case == "dates":
        with pytest.raises(ValueError, match="is of type timestamp"):
            read(target="y", only=index)
    else:
        assert [x for x, _ in read(target="y", only=index)] == [
            {index: value} for value in table.column(index).to_pylist()
        ]
    with pytest.raises(ValueError, match=rf'the index of a data frame.*only=.*"{index}"'):
        read(target="y", drop="a")


def test_half_precision(tmp_path) -> None:
    half = pa.array(np.array([1.5, np.nan, np.inf, 2.0], np.float16))
    parquet(tmp_path / "t", pa.table({"a": half, "y": ["x", "z", "x", "z"]}))
    stream = read_parquet(tmp_path / "t", target="y", on_error="skip")
    assert list(stream) == [({"a": 1.5}, "x"), ({"a": None}, "z"), ({"a": 2.0}, "z")]
    assert stream.rejected == 1
    parquet(tmp_path / "t", pa.table({"a": ["x", "z", "x", "z"], "y": half}))
    assert [y for _, y in read_parquet(tmp_path / "t", target="y", on_error="skip")] == [1.5, 2.0]


def test_large_weights(tmp_path) -> None:
    parquet(tmp_path / "t", pa.table({"a": [1.0, 2.0], "w": [2**60, 3], "y": ["x", "z"]}))
    stream = read_parquet(tmp_path / "t", target="y", weight="w")
    assert [w for _, _, w in stream] == [2.0**60, 3.0]


def test_categories_of_numbers(tmp_path) -> None:
    column = pa.array([1.5, float("inf"), None]).dictionary_encode()
    stream = read_frame(pa.table({"a": column, "y": [1, 2, 3]}), target="y", on_error="skip")
    assert list(stream) == [({"a": 1.5}, 1), ({"a": None}, 3)]


def test_whole_targets_stay_whole_beside_missing_ones() -> None:
    frame = pa.table({"a": [1.0, 2.0, 3.0], "y": [2**60 + 1, None, 3]})
    stream = read_frame(frame, target="y", on_error="skip")
    assert [y for _, y in stream] == [2**60 + 1, 3]
    [(_, y)] = stream.batches(10)
    assert y.dtype == np.int64


@pytest.mark.parametrize("shuffle", [None, 3])
def test_rows_without_features_are_rows(tmp_path, shuffle) -> None:
    frame = pa.table({"y": [1, None, 3, 4], "w": [1.0, 1.0, -1.0, 2.0]})
    options = {"target": "y", "weight": "w", "on_error": "skip", "shuffle": shuffle}
    parquet(tmp_path / "t", frame)
    for n in (1, 2, 10):
        stream = read_parquet([tmp_path / "t"] * 2, **options)
        assert sum(len(y) for _, y, _ in stream.batches(n)) == 4
        assert (stream.rows, stream.rejected) == (4, 4)
    assert sorted(w for *_, w in stream) == [1.0, 1.0, 2.0, 2.0]


def test_rows_lost_to_damage_are_counted(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("onstream.streams.tables.BATCH", 1000)
    path = tmp_path / "t"
    table = pa.table({"a": [f"word {i}" for i in range(9000)], "y": np.arange(9000)})
    options = {"compression": "none", "use_dictionary": False, "data_page_size": 1000}
    pq.write_table(table, path, write_batch_size=100, **options)
    data = bytearray(path.read_bytes())
    at = data.find(b"word 7990")
    data[at - 4 : at] = b"\xff\xff\xff\x7f"
    path.write_bytes(data)
    stream = read_parquet(path, target="y", on_error="skip")
    rows = len(list(stream))
    assert 0 < rows < 9000
    assert rows + stream.rejected == 9000
    assert "t: row" in stream.messages[0]


def test_frames_that_arrow_cannot_hold() -> None:
    for frame in (
        pd.DataFrame({"a": [1, "x", {}], "y": [1, 2, 3]}),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
    ):
        with pytest.raises(ValueError, match="read_frame: the frame cannot be read"):
            read_frame(frame)


def test_a_damaged_length_takes_no_memory(tmp_path) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"\xff\xff\xff\xff" + (2**31 - 8).to_bytes(4, "little") + b"x" * 1000)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="t: row 1: no Arrow file, or damaged"):
            list(read_ipc(path))
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def test_a_frame_with_text_that_is_none() -> None:
    offsets = np.array([0, 1, 2, 3], dtype=np.int32)
    texts = pa.StringArray.from_buffers(3, pa.py_buffer(offsets), pa.py_buffer(b"a\xffb"))
    frame = pa.table({"t": texts, "y": [0, 1, 0]})
    for target in ("y", "t"):
        with pytest.raises(ValueError, match=r"the frame: row 1: .*3 rows are damaged.*UTF8"):
            list(read_frame(frame, target=target))
    stream = read_frame(frame, target="y", on_error="skip")
    assert list(stream) == []
    assert stream.rejected == 3
    assert [x for x, _ in read_frame(frame, only=["y"])] == [{"y": 0}, {"y": 1}, {"y": 0}]


@pytest.mark.parametrize("values", [[1, "one"], ["one", 1.5], [None, True, "one"]])
@pytest.mark.parametrize("times", [1, 200])
def test_a_column_of_text_and_numbers_says_what_to_do(values: list, times: int) -> None:
    frame = pd.DataFrame({"ok": "x", "m": pd.Series(values * times, dtype=object)})
    wanted = r"column 'm' holds text \('one'\) and .*df\['m'\]\.astype\(str\), or numbers by"
    unread = "X could not be read as a table"
    with pytest.raises(TypeError, match=f"^LogisticRegression: {unread}: {wanted}"):
        LogisticRegression().learn_many(frame, [0] * len(frame))
    with pytest.raises(ValueError, match=f"^read_frame: the frame cannot be read: {wanted}"):
        read_frame(frame)


@pytest.mark.parametrize("reader", [read_parquet, read_ipc])
def test_columns_of_one_name_can_be_left_out(tmp_path: Path, reader) -> None:
    columns = [pa.array([1.0]), pa.array([2.0]), pa.array([3.0]), pa.array([4])]
    table = pa.table(columns, names=["a", "b", "a", "y"])
    path = tmp_path / "twice"
    if reader is read_parquet:
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    for options in ({"drop": ["a"]}, {"only": ["b"]}):
        assert list(reader(path, target="y", **options)) == [({"b": 2.0}, 4)]
        assert list(read_frame(table, target="y", **options)) == [({"b": 2.0}, 4)]
    with pytest.raises(ValueError, match=r'two columns called "a".*drop=\["a"\]'):
        list(reader(path, target="y"))
    with pytest.raises(ValueError, match=r'two columns called "a".*drop=\["a"\]'):
        read_frame(table, target="y")
