"""A compressed file that is cut short gives every whole line that is left of it, and says so."""

import bz2
import errno
import gzip
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from onstream.streams import read_arff, read_csv, read_jsonl, read_libsvm, read_vw

CUT = "the compressed file is cut short: there is no more of it"
ARFF = "@relation r\n@attribute a numeric\n@attribute y {0,1}\n@data\n"
KINDS: dict[str, tuple[Callable[..., Any], dict[str, str], str, str]] = {
    "csv": (read_csv, {"target": "y"}, "a,y\n", "{a},{y}\n"),
    "jsonl": (read_jsonl, {"target": "y"}, "", '{{"a": {a}, "y": {y}}}\n'),
    "libsvm": (read_libsvm, {}, "", "{y} 1:{a}\n"),
    "vw": (read_vw, {}, "", "{y} | a:{a}\n"),
    "arff": (read_arff, {"target": "y"}, ARFF, "{a},{y}\n"),
}


def lines_of(kind: str, n: int) -> bytes:
    """A file of n rows that cannot be compressed much."""
    _, _, head, line = KINDS[kind]
    numbers = np.random.default_rng(0).integers(1, 10**9, size=n).tolist()
    return (head + "".join(line.format(a=a, y=a % 2) for a in numbers)).encode()


def unzipped(data: bytes) -> bytes:
    """As much of a gzip file as can be had."""
    return zlib.decompressobj(31).decompress(data)


def zst(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


def read_until_error(stream: Any) -> tuple[list[Any], str]:
    """The rows, and the error after them."""
    rows: list[Any] = []

    def taken() -> Iterator[Any]:
        for row in stream:
            rows.append(row)
            yield row

    with pytest.raises(ValueError) as caught:
        list(taken())
    return rows, str(caught.value)


def check(kind: str, path: Any, left: bytes) -> None:
    """All whole lines of what is left come, then the end is told, or counted."""
    read, options, head, _ = KINDS[kind]
    whole = left.count(b"\n")
    count = max(0, whole - head.count("\n"))
    rows, error = read_until_error(read(path, **options))
    assert len(rows) == count
    assert error.startswith(f"{path}: line {whole + 1:,}: the compressed file is cut short")
    stream = read(path, **options, on_error="skip")
    assert len(list(stream)) == count
    assert stream.rejected == 1
    assert stream.messages == [error]
    if count:
        uncompressed = path.with_name(f"whole.{kind}")
        uncompressed.write_bytes(left[: left.rfind(b"\n") + 1])
        same = list(read(uncompressed, **options))
        assert rows == same


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [2_000, 20_000])
def test_gzip(write, kind: str, n: int) -> None:
    whole = gzip.compress(lines_of(kind, n), 1)
    for size in (30, len(whole) // 3, int(0.9 * len(whole)), len(whole) - 8, len(whole) - 1):
        cut = whole[:size]
        check(kind, write(cut, f"data.{kind}.gz"), unzipped(cut))


@pytest.mark.parametrize("kind", KINDS)
def test_bz2_gives_whole_blocks(write, kind: str) -> None:
    data = lines_of(kind, 20_000)
    whole = bz2.compress(data, 1)  # blocks of 100 kB
    cut = whole[: int(0.9 * len(whole))]
    left = bz2.BZ2Decompressor().decompress(cut)
    assert len(left) > 50_000
    check(kind, write(cut, f"data.{kind}.bz2"), left)
    small = bz2.compress(lines_of(kind, 2_000))  # one block: nothing can be had
    check(kind, write(small[:-20], f"data.{kind}.bz2"), b"")


@pytest.mark.parametrize("kind", KINDS)
def test_zstd_gives_whole_frames(write, kind: str) -> None:
    data = lines_of(kind, 2_000)
    ends = [len(data) // 4, len(data) // 2]
    parts = [data[: ends[0]], data[ends[0] : ends[1]], data[ends[1] :]]
    one, two, three = map(zst, parts)
    check(kind, write(one + two + three[:-3], f"data.{kind}.zst"), data[: ends[1]])
    check(kind, write(one[:-3], f"data.{kind}.zst"), b"")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "cp1252"])
def test_other_encodings(write, encoding: str) -> None:
    text = "a,y\n" + "".join(f"ÿ{i},{i % 2}\n" for i in range(3_000))
    whole = gzip.compress(text.encode(encoding))
    for size in range(len(whole) - 40, len(whole) - 8):
        cut = whole[:size]
        left = unzipped(cut).decode(encoding, errors="ignore")
        path = write(cut, "data.csv.gz")
        stream = read_csv(path, target="y", encoding=encoding, on_error="skip")
        assert len(list(stream)) == left.count("\n") - 1
        assert stream.rejected == 1


def test_several_files(write) -> None:
    whole = gzip.compress(lines_of("csv", 100))
    files = [write(whole[:size], f"{size}.csv.gz") for size in (15, len(whole) - 8)]
    files.append(write("a,y\n1,1\n", "last.csv"))
    stream = read_csv(files, target="y", on_error="skip")
    assert len(list(stream)) == 101
    assert stream.rejected == 2


def test_what_comes_before_damage_is_given(write) -> None:
    path = write(gzip.compress(b"a,y\n1,0\n2,1\n") + b"no gzip", "tail.csv.gz")
    rows, error = read_until_error(read_csv(path, target="y"))
    assert len(rows) == 2
    assert error.startswith(f"{path}: line 4: the compressed data is damaged")


def test_a_file_that_cannot_be_read_any_further_is_not_called_compressed(
    write, monkeypatch
) -> None:
    path = write("a,y\n1,0\n2,1\n")

    class Failing:
        parts = iter([b"a,y\n", b"1,0\n"])

        def read(self, n: int) -> bytes:
            return next(self.parts)

        def readinto(self, room: memoryview) -> int:
            part = next(self.parts, None)
            if part is None:
                raise OSError(errno.EIO, "Input/output error")
            room[: len(part)] = part
            return len(part)

        def fileno(self) -> int:
            raise OSError("it has none")

        def close(self) -> None:
            """Nothing to let go of."""

    monkeypatch.setattr("onstream.streams.files.opened", lambda name: Failing())
    rows, error = read_until_error(read_csv(path, target="y"))
    assert len(rows) == 1
    assert (
        error
        == f"{path}: line 3: the file cannot be read any further ([Errno 5] Input/output error)"
    )


def test_within_a_value_over_several_lines(write) -> None:
    rows = "".join(f'{i},"first\nsecond",{i % 2}\n' for i in range(50))
    open_row = b'"a text\nthat has\nno end'
    path = write(gzip.compress(f"a,b,y\n{rows}50,".encode() + open_row)[:-8], "data.csv.gz")
    options: dict[str, Any] = {"target": "y", "newlines_in_values": True}
    given, error = read_until_error(read_csv(path, **options))
    assert len(given) == 50
    assert error == f"{path}: line 102: {CUT}; the row spans 2 lines"
    stream = read_csv(path, **options, on_error="skip")
    assert list(stream) == given
    assert stream.messages == [error, f"{path}: line 104: {CUT}"]
    head = write(gzip.compress(b'a,"b\nand')[:-8], "head.csv.gz")
    _, error = read_until_error(read_csv(head, **options))
    assert error == f"{head}: line 1: {CUT}"


def test_a_quote_by_mistake_before_the_end(write) -> None:
    rows = "".join(f"{i},b,{i % 2}\n" for i in range(50))
    path = write(gzip.compress(f'a,b,y\n{rows}50,"b,1\n{rows}51'.encode())[:-8], "data.csv.gz")
    stream = read_csv(path, target="y", newlines_in_values=True, on_error="skip")
    assert len(list(stream)) == 100
    assert stream.messages == [
        f"{path}: line 52: a quote is opened here by mistake",
        f"{path}: line 103: {CUT}",
    ]
