"""Parts of streams, other orders, several epochs."""

from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from onstream import streams
from onstream.base.blocks import join
from onstream.streams import SEA, STAGGER, Stream


class Numbers(Stream):
    """Rows 0, 1, ..., n-1, with the number as the only feature and as the label."""

    def __init__(self, n: int) -> None:
        self.n = n

    def _batches(self, n):
        for start in range(0, self.n, n):
            y = np.arange(start, min(self.n, start + n))
            yield y[:, None].astype(float), y


def test_a_stream_without_rows_cannot_be_made() -> None:
    class Forgetful(Stream):
        pass

    with pytest.raises(TypeError, match=r"Forgetful.*_batches"):
        Forgetful()


def labels(stream: Stream, n: int = 7) -> list[int]:
    return [int(y) for block in stream.batches(n) for y in block[1]]


@pytest.mark.parametrize("n", [1, 3, 7, 100])
@pytest.mark.parametrize(
    ("skip", "limit"), [(0, 5), (5, 0), (3, 4), (0, 100), (18, 9), (20, 1), (25, 3)]
)
def test_part(skip: int, limit: int, n: int) -> None:
    stream = Numbers(20).skip(skip).limit(limit)
    assert labels(stream, n) == list(range(20))[skip : skip + limit]
    assert all(len(b[1]) == n for b in list(stream.batches(n))[:-1])
    assert [y for _, y in stream] == labels(stream)


def test_limit_of_an_endless_stream() -> None:
    assert len(list(SEA().limit(2500))) == 2500
    assert len(SEA().skip(10).block(10)[1]) == 10
    X, _ = SEA().skip(10).block(5)
    assert np.array_equal(X, SEA().block(15)[0][10:])


@pytest.mark.parametrize("buffer", [1, 2, 5, 50, 1000])
@pytest.mark.parametrize("rows", [0, 1, 99, 100])
def test_shuffled(buffer: int, rows: int) -> None:
    stream = Numbers(rows).shuffled(buffer, seed=4)
    first = labels(stream)
    assert sorted(first) == list(range(rows))
    assert labels(Numbers(rows).shuffled(buffer, seed=4), 3) == first  # block size does not matter
    if rows > 10 and buffer > 5:
        assert first != list(range(rows))
        assert labels(stream) != first  # another order in the next epoch
        assert labels(Numbers(rows).shuffled(buffer, seed=5)) != first


def test_a_buffer_as_large_as_the_data_shuffles_it_all() -> None:
    """Each row goes everywhere."""
    places = np.array([labels(Numbers(20).shuffled(20, seed=s)) for s in range(3000)])
    share = np.stack([(places == row).mean(axis=0) for row in range(20)])
    assert np.abs(share - 1 / 20).max() < 0.02


def test_no_row_comes_out_before_it_could() -> None:
    order = labels(Numbers(1000).shuffled(100, seed=1))
    for at, row in enumerate(order):
        assert row < at + 150  # buffer and the half that joins it


def test_repeated() -> None:
    assert labels(Numbers(3).repeated(3)) == [0, 1, 2] * 3
    stream = Numbers(50).shuffled(50).repeated(2)
    both = labels(stream)
    assert sorted(both) == sorted(list(range(50)) * 2)
    assert both[:50] != both[50:]


def test_tables_are_shuffled_too() -> None:
    whole = STAGGER(2, seed=1).limit(200)
    rows = list(whole)
    mixed = list(whole.shuffled(50))
    assert sorted(map(str, mixed)) == sorted(map(str, rows))
    assert mixed != rows


def test_block_without_rows() -> None:
    with pytest.raises(ValueError, match="no rows"):
        Numbers(0).block(5)


def test_join_keeps_the_order() -> None:
    blocks = list(islice(SEA().batches(5), 3))
    assert np.array_equal(join(blocks)[0], SEA().block(15)[0])


def test_repeated_counts() -> None:
    stream = SEA().limit(30).repeated(2)
    assert len(list(stream.batches(10))) == 6
    assert stream.rows == 60


@pytest.mark.parametrize("wrong", [0, 1.5, "3"])
def test_bad_epochs(wrong) -> None:
    with pytest.raises((TypeError, ValueError), match="epochs"):
        SEA().repeated(wrong)


def readers(write: Any) -> dict[str, Any]:
    """Every function that makes a stream of rows of the user's, ready to be called."""
    table = pa.table({"a": [1.0, 2.0], "y": [0, 1]})
    folder = write("a,y\n1,0\n2,1\n", "d.csv").parent
    pq.write_table(table, folder / "d.parquet")
    with pa.ipc.new_file(str(folder / "d.arrow"), table.schema) as file:
        file.write_table(table)
    write('{"a": 1, "y": 0}\n', "d.jsonl")
    write("@relation r\n@attribute a numeric\n@data\n1\n", "d.arff")
    write("1 1:2\n", "d.libsvm")
    write("1 | a\n", "d.vw")
    calls = {
        "read_csv": "csv",
        "read_parquet": "parquet",
        "read_ipc": "arrow",
        "read_jsonl": "jsonl",
        "read_arff": "arff",
        "read_libsvm": "libsvm",
        "read_vw": "vw",
    }
    made: dict[str, Any] = {
        name: partial(getattr(streams, name), folder / f"d.{end}") for name, end in calls.items()
    }
    made["read_frame"] = partial(streams.read_frame, table)
    made["from_iterable"] = partial(streams.from_iterable, [({"a": 1.0}, 0)])
    return made


def test_errors_name_the_function_that_was_called(write) -> None:
    wrong = {"skip": -1, "limit": -1, "epochs": 0, "shuffle": 0}
    made = readers(write)
    assert set(made) == {n for n in streams.__all__ if n.startswith("read_")} | {"from_iterable"}
    for name, read in made.items():
        for word, value in wrong.items():
            with pytest.raises(ValueError, match=f"^{name}: {word} must be at least"):
                read(**{word: value})
        with pytest.raises(ValueError, match=f"^{name}: seed must be at least"):
            read(shuffle=10, seed=-1)
        with pytest.raises(TypeError, match=f"^{name}: skip must be a whole number"):
            read(skip="1")
        with pytest.raises(ValueError, match=f"^{name}: limit must be at least"):
            read(skip=1).shuffled().limit(-1)
        with pytest.raises(ValueError, match=f"^{name}: n must be at least"):
            read(limit=1).batches(0)
        if name != "from_iterable":
            with pytest.raises(ValueError, match=f"^{name}: on_error must be"):
                read(on_error="ignore")
    with pytest.raises(ValueError, match=r"^SEA: limit must be at least"):
        streams.SEA().limit(-1)
    for name in made:
        if name not in ("read_frame", "from_iterable"):
            with pytest.raises(FileNotFoundError, match=f"^{name}: no such file"):
                getattr(streams, name)("nowhere/x")
