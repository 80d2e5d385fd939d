"""Readers: files of every format, right and damaged, read whole, by blocks, and from pipes.

Whatever the file, a reader gives rows and counts those it leaves out, or refuses the file with a
ValueError that names it; however the rows are asked for, they are the same.
"""

import contextlib
import gzip
import io
import json
import math
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq

from onstream.base import DataWarning
from onstream.base.blocks import examples
from onstream.streams import (
    files,
    read_arff,
    read_csv,
    read_ipc,
    read_jsonl,
    read_libsvm,
    read_parquet,
    read_vw,
)

FEW = 12
NUMBERS = [
    "",
    "1e999",
    "-inf",
    "nan",
    "0x10",
    "1e",
    "--1",
    "1.2.3",
    "9" * 400,
    "+1",
    "1_0",
    "٣",
    "1,5",
]
WORDS = [
    "red",
    "blue",
    "Köln",
    "日本",
    "a b",
    "'",
    "?",
    "NA",
    "null",
    "true",
    "\\",
    "%",
    "#",
    "|",
    ":",
]
JUNK = [
    b'"',
    b",",
    b";",
    b"\t",
    b"\r",
    b"\n",
    b"\0",
    b"\xff",
    b"\xc3",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\\",
]
JUNK += [
    b"'",
    b"%",
    b"#",
    b"|",
    b":",
    b" ",
    b"?",
    b"null",
    b"\n\n",
    b"\r\n",
    b"\xef\xbb\xbf",
    b'""',
    b'"\n',
]


@dataclass
class Case:
    """A file and how to read it."""

    data: bytes
    read: Callable[..., Any]
    lines: Callable[[bytes], int | None] = lambda data: None  # rows that must be accounted for
    steady: bool = True  # types do not depend on what arrives first
    name: str = "data.txt"


def attempt(random: Random) -> None:
    """One file."""
    case = random.choice(
        [csv_case, csv_case, json_case, libsvm_case, vw_case, arff_case, table_case]
    )(random)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        path = Path(folder) / case.name
        packed = case.name == "data.txt" and random.random() < 0.1
        path.write_bytes(gzip.compress(case.data) if packed else case.data)
        check(case, path, random)


def check(case: Case, path: Path, random: Random) -> None:
    """What must hold."""
    kept, rejected, messages, refused = result(
        case.read(path, on_error="skip"), random.choice([1, 7, 1000])
    )
    for message in messages:
        assert message.startswith(f"{path}: "), message
    lines = case.lines(case.data)
    if lines is not None and not refused:
        assert len(kept) + rejected == lines, (len(kept), rejected, lines)
    bad = path.with_name("rejected.txt")
    again = result(case.read(path, on_error=bad), 0)
    assert again == (kept, rejected, messages, refused), differing(again[0], kept)
    if not refused and lines is not None:
        assert bad.read_bytes().count(f"{path}: ".encode()) >= rejected
    strict, none, _, error = result(case.read(path), random.choice([1, 100, 5000]))
    assert none == 0
    if refused or not rejected:
        assert error == refused
    else:
        assert error, "no error though rows were rejected"
    assert strict == kept[: len(strict)], differing(strict, kept)
    if not error:
        assert len(strict) == len(kept)
    if case.steady:
        with mock.patch.object(files.line_blocks, "__defaults__", (random.choice([3, 64, 999]),)):
            pieces = result(case.read(path, on_error="skip"), 50)
        assert pieces[:2] == (kept, rejected), differing(pieces[0], kept)
    stdin = mock.Mock(buffer=io.BytesIO(case.data))
    if case.name == "data.txt":
        with mock.patch.object(sys, "stdin", stdin):
            piped = result(case.read("-", on_error="skip"), 50, "standard input")
        assert piped[:2] == (kept, rejected), differing(piped[0], kept)
    if case.steady and case.name == "data.txt" and random.random() < 0.03:
        through_a_pipe(case, path.with_name("pipe"), kept, rejected, random)


def result(stream: Any, n: int, source: str = "") -> tuple[list[Any], int, list[str], str]:
    """All rows (by blocks of n, or one by one), the rejected, and the error, if there was one."""
    rows: list[Any] = []
    error = ""
    try:
        if n:
            for block in stream.batches(n):
                rows += examples(block)
        else:
            rows += stream
    except ValueError as raised:
        if type(raised) is not ValueError:  # somebody else's
            raise
        error = str(raised)
    assert error.startswith(source or stream.files[0]) if error else stream.rows == len(rows), error
    return [plain(row) for row in rows], stream.rejected, stream.messages, error


def plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row without the features that it does not have."""
    x, *rest = row
    return ({name: value for name, value in x.items() if value is not None}, *rest)


def differing(rows: list[Any], others: list[Any]) -> str:
    """Where two lists of rows part."""
    for i, (row, other) in enumerate(zip(rows, others, strict=False)):
        if row != other:
            return f"row {i}: {row} is not {other}"
    return f"{len(rows)} rows, not {len(others)}"


def through_a_pipe(case: Case, pipe: Path, kept: Any, rejected: int, random: Random) -> None:
    """The same rows come out of a named pipe, however it is fed."""
    os.mkfifo(pipe)
    cuts = sorted(random.randrange(len(case.data) + 1) for _ in range(3))

    def feed() -> None:
        with pipe.open("wb", buffering=0) as file:
            for start, stop in zip([0, *cuts], [*cuts, len(case.data)], strict=True):
                file.write(case.data[start:stop])

    writer = threading.Thread(target=feed, daemon=True)
    stream = case.read(pipe, on_error="skip")
    writer.start()
    try:
        read = result(stream, 0)
    finally:
        writer.join(10)
    if not read[3]:
        assert read[:2] == (kept, rejected), differing(read[0], kept)


# -- damage


def damaged(lines: list[bytes], random: Random) -> list[bytes]:
    """Some lines with something wrong."""
    made = []
    share = random.choice([0.0, 0.02, 0.3])
    for line in lines:
        made.append(mutated(line, random) if random.random() < share else line)
        if random.random() < share / 4:
            made.append(random.choice([b"", b" ", b"\t", b"\r", line, b"null", b"[]", b'"']))
    return made


def mutated(line: bytes, random: Random) -> bytes:
    """One of them."""
    at = random.randrange(len(line) + 1)
    kind = random.randrange(7)
    if kind == 0:
        return line[:at]
    if kind == 1:
        return line[at:]
    if kind == 2:
        return line[:at] + random.choice(JUNK) + line[at:]
    if kind == 3:
        return line[:at] + random.randbytes(random.randrange(1, 8)) + line[at + 1 :]
    if kind == 4:
        return line[:at] + line[at : at + 1] * random.choice([2, 100, 5000]) + line[at:]
    if kind == 5:
        return line[:at] + random.choice(NUMBERS).encode() + line[at:]
    return line + random.choice([b"", b" ", b",", b" null"]) + line


def whole(data: bytes, random: Random) -> bytes:
    """A file, sometimes damaged at any place."""
    kind = random.randrange(12)
    at = random.randrange(len(data) + 1)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + random.choice(JUNK) + data[at:]
    if kind == 2:
        return b"\xef\xbb\xbf" + data
    if kind == 3:
        return data.removesuffix(b"\n")
    if kind == 4:
        return data[:at] + random.randbytes(20) + data[at:]
    return data


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a file, without a mark at its beginning."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return lines if lines[-1] else lines[:-1]


# -- formats


def number(random: Random) -> float:
    """Any number."""
    return random.choice(
        [
            float(random.randrange(10)),
            random.gauss(0, 1),
            random.gauss(0, 1e6),
            10.0 ** random.randrange(-300, 300),
        ]
    )


def csv_case(random: Random) -> Case:
    """CSV with any delimiter, quotes, line ends, encoding and types."""
    delimiter = random.choice(",,,;\t|")
    decimal = random.choice(".....,")
    encoding = random.choice(["utf-8"] * 6 + ["latin-1", "cp1252", "utf-16"])
    end = random.choice(["\n", "\n", "\r\n"])
    spanning = random.random() < 0.25
    kinds = [
        random.choice(["float", "int", "bool", "text", "date"]) for _ in range(random.randrange(6))
    ]
    kinds.append(random.choice(["float", "int", "text"]))
    names = [f"c{j}" for j in range(len(kinds))]

    def value(kind: str) -> str:
        if random.random() < 0.05:
            return random.choice(["", "?", "NA"])
        if kind == "float":
            text = repr(number(random)).replace(".", decimal)
        elif kind == "int":
            text = str(random.randrange(-5, 1000))
        elif kind == "bool":
            text = random.choice(["true", "false"])
        elif kind == "date":
            text = f"2020-01-{random.randrange(10, 30)}"
        else:
            text = random.choice(WORDS).encode(encoding, "ignore").decode(encoding)
            if random.random() < 0.2:
                text += random.choice([delimiter, '"', "\r", "\n" if spanning else "x"])
        if any(mark in text for mark in (delimiter, '"', "\r", "\n")) or random.random() < 0.05:
            text = '"' + text.replace('"', '""') + '"'
        return text

    rows = [delimiter.join(map(value, kinds)) for _ in range(random.randrange(1, 400))]
    header = random.choice([True, True, True, False, names])
    if header is True:
        rows.insert(0, delimiter.join(names))
    lines = damaged([row.encode(encoding.replace("utf-16", "utf-16-le")) for row in rows], random)
    data = end.encode(encoding.replace("utf-16", "utf-16-le")).join(lines)
    data = whole(data, random)
    if encoding == "utf-16":
        data = b"\xff\xfe" + data
    types = {"float": float, "int": float, "bool": bool, "text": str, "date": str}
    shown = names if header is not False else [str(j) for j in range(len(names))]
    steady = random.random() < 0.5
    options: dict[str, Any] = {
        "target": random.choice([None, -1]),
        "delimiter": delimiter,
        "decimal": decimal,
        "encoding": encoding,
        "header": header,
        "newlines_in_values": spanning,
        "types": {n: types[k] for n, k in zip(shown, kinds, strict=True)} if steady else None,
    }

    def count(data: bytes) -> int | None:
        if spanning:
            return None
        text = (
            data
            if encoding == "utf-8"
            else data.decode(encoding, "onstream.invalid").encode("utf-8", "surrogatepass")
        )
        blanks = " \t\r".replace(delimiter, "").encode()
        lines = lines_of(text)
        while lines and not lines[0].strip(blanks):
            del lines[0]
        head = lines[0] if lines else b""
        if header is True:
            del lines[:1]
        width = len(names) if header == names else head.count(delimiter.encode()) + 1
        if b'"' in head:
            return None
        return sum(1 for line in lines if line.strip(blanks if width > 1 else b"\r"))

    return Case(
        data, lambda path, **o: read_csv(path, **options, **o), count, steady and not spanning
    )


def json_case(random: Random) -> Case:
    """Objects with keys that come and go, among them what is none."""
    keys = [f"k{j}" for j in range(random.choice([1, 3, 8, 60]))]
    labels: list[Any] = random.choice([[0, 1], [0.5, 1.5], ["x", "z"], [True, False]])

    def line() -> bytes:
        row: dict[str, Any] = {"y": random.choice(labels)}
        for key in keys:
            if random.random() < 0.7:
                kind = int(key[1:]) % 4
                row[key] = [
                    number(random),
                    random.choice(WORDS),
                    random.random() < 0.5,
                    "2020-01-01",
                ][kind]
                if random.random() < 0.03:
                    row[key] = random.choice(
                        [None, math.nan, math.inf, [1], {"a": 1}, "text", 3, True]
                    )
        text = json.dumps(row, ensure_ascii=random.random() < 0.5).encode()
        if random.random() < 0.003:
            deep = random.choice([10, 70, 3000, 100_000])
            text = b'{"k0": ' + random.choice([b"[", b'{"a":']) * deep + b"1"
            text += b"]" * deep if random.random() < 0.5 else b""
        return text

    lines = damaged([line() for _ in range(random.randrange(1, 300))], random)
    data = whole(b"\n".join(lines) + b"\n", random)
    options = {"target": random.choice(["y", None]), "drop": random.choice([None, keys[0]])}
    return Case(
        data,
        lambda path, **o: read_jsonl(path, **options, **o),
        lambda data: sum(1 for line in lines_of(data) if line.strip(b" \t\r")),
        steady=False,
    )


def sparse_lines(data: bytes, comment: bytes) -> int:
    """Lines that are neither blank nor a comment."""
    found = 0
    for line in lines_of(data):
        bare = line.strip(b" \t\r")
        if comment and bare.startswith(comment):
            try:
                line.decode()
                continue
            except UnicodeDecodeError:
                pass
        found += bool(bare)
    return found


def libsvm_case(random: Random) -> Case:
    """`label index:value ...`, with comments and qid."""

    def line() -> bytes:
        text = random.choice(["+1", "-1", "0", "2.5"])
        text += random.choice([" qid:3", "", "", ""])
        for j in sorted(random.sample(range(1000), random.randrange(9))):
            text += f" {j}:{number(random)!r}"
        return (text + random.choice(["", "", "", " # note", "  "])).encode()

    lines = damaged([line() for _ in range(random.randrange(1, 400))], random)
    data = whole(b"\n".join(lines) + b"\n", random)
    return Case(
        data, lambda path, **o: read_libsvm(path, **o), lambda data: sparse_lines(data, b"#")
    )


def vw_case(random: Random) -> Case:
    """Labels, importance, tags, namespaces with scale, names and values."""

    def line() -> bytes:
        text = random.choice(["1", "-1", "0.5", "1 2.0", "1 0.5 'tag"])
        for space in random.sample(["", "a", "b:2", "Köln"], random.randrange(1, 4)):
            text += f" |{space}"
            for _ in range(random.randrange(5)):
                name = random.choice(["x", "y", "日本", "a^b", "7"])
                text += " " + name + random.choice(["", f":{number(random)!r}"])
        return text.encode()

    lines = damaged([line() for _ in range(random.randrange(1, 400))], random)
    data = whole(b"\n".join(lines) + b"\n", random)
    options = {"labelled": random.random() < 0.8, "weights": True}
    return Case(
        data, lambda path, **o: read_vw(path, **options, **o), lambda data: sparse_lines(data, b"")
    )


def arff_case(random: Random) -> Case:
    """Numeric, nominal and string attributes, dense or sparse."""
    kinds = [
        random.choice(["numeric", "{red, 'dark blue', \"x\"}", "string", "real"]) for _ in range(3)
    ]
    kinds.append(random.choice(["{0, 1}", "numeric"]))
    head = [
        "@relation r",
        "% note",
        *(f"@attribute c{j} {kind}" for j, kind in enumerate(kinds)),
        "@data",
    ]
    sparse = random.random() < 0.4

    def value(kind: str) -> str:
        if random.random() < 0.05:
            return "?"
        if kind in ("numeric", "real"):
            return repr(number(random))
        if kind == "string":
            return random.choice(["'some text'", "word", '"a, b"', "'it\\'s'"])
        return random.choice(["0", "1"] if kind == "{0, 1}" else ["red", "'dark blue'", "x"])

    def line() -> bytes:
        if sparse:
            cells = [f"{j} {value(kind)}" for j, kind in enumerate(kinds) if random.random() < 0.7]
            return ("{" + ", ".join(cells) + "}").encode()
        return ", ".join(map(value, kinds)).encode()

    lines = damaged([line() for _ in range(random.randrange(1, 300))], random)
    top = [text.encode() for text in head]
    if random.random() < 0.1:
        top = damaged(top, random)
    body = whole(b"\n".join(lines) + b"\n", random).removeprefix(b"\xef\xbb\xbf")
    data = b"\n".join(top) + b"\n" + body

    def count(data: bytes) -> int | None:
        found = lines_of(data)
        if found[: len(head)] != [text.encode() for text in head]:
            return None
        return sparse_lines(b"\n".join(found[len(head) :]), b"%")

    return Case(data, lambda path, **o: read_arff(path, target=-1, **o), count)


def table_case(random: Random) -> Case:
    """Parquet and Arrow files of frames with odd types and indexes, some of them damaged."""
    n = random.randrange(1, 400)
    seed = np.random.default_rng(random.randrange(2**32))

    def column() -> Any:
        numbers = seed.normal(size=n)
        if random.random() < 0.2:
            numbers[seed.random(n) < 0.1] = random.choice([np.nan, np.inf, -np.inf, 1e308])
        words = pa.array(seed.choice(WORDS, n).tolist())
        made = random.choice(
            [
                lambda: pa.array(numbers),
                lambda: pa.array(numbers.clip(-1e4, 1e4).astype(np.float16)),
                lambda: pa.array(
                    numbers.clip(-1e30, 1e30).astype(np.float32), mask=seed.random(n) < 0.1
                ),
                lambda: pa.array(seed.integers(-(2**62), 2**62, n), mask=seed.random(n) < 0.05),
                lambda: pa.array(seed.integers(0, 2**63, n).astype(np.uint64)),
                lambda: pa.array(seed.random(n) < 0.5),
                lambda: pa.array(numbers).dictionary_encode(),
                lambda: words,
                lambda: words.cast(pa.large_string()),
                lambda: words.dictionary_encode(),
                lambda: pa.nulls(n),
                lambda: pa.array(numbers.clip(-99, 99).round(2)).cast(
                    pa.decimal128(10, 2), safe=False
                ),
                lambda: pa.array(seed.integers(0, 9999, n), pa.int32()).cast(pa.date32()),
                lambda: pa.array([[1]] * n),
                lambda: words.cast(pa.binary()),
            ]
        )
        return made()

    names = [f"c{j}" for j in range(random.randrange(1, 6))]
    table = pa.table({name: column() for name in names})
    if random.random() < 0.5:
        index = random.choice(
            [
                pd.Index(seed.permutation(n), name=random.choice([None, "key"])),
                pd.date_range("2020-01-01", periods=n),
                pd.Index([f"r{i}" for i in range(n)]),
            ]
        )
        with contextlib.suppress(pa.ArrowException, ValueError):  # pandas cannot hold all of it
            table = pa.Table.from_pandas(table.to_pandas().set_index(index))
    out = io.BytesIO()
    parquet = random.random() < 0.6
    if parquet:
        try:
            pq.write_table(table, out, row_group_size=random.choice([7, 100, 1000]))
        except pa.ArrowException:
            return table_case(random)
    else:
        pf.write_feather(table, out, compression=random.choice(["uncompressed", "lz4", "zstd"]))
    data = out.getvalue()
    hurt = random.random() < 0.4
    if hurt:
        broken = bytearray(data)
        for _ in range(random.choice([1, 3, 20])):
            broken[random.randrange(len(broken))] = random.randrange(256)
        data = bytes(broken)[: random.choice([len(data), len(data), random.randrange(len(data))])]
    weight = random.choice([None, None, names[0]])
    target = random.choice([None, names[-1], -1])
    if weight is not None and len(names) == 1:
        target = None
    read = read_parquet if parquet else read_ipc
    options = {"target": target, "weight": weight}
    if target == -1:
        options["weight"] = None
    return Case(
        data,
        lambda path, **o: read(path, **options, **o),
        lambda data: None if hurt else n,
        steady=False,
        name="data.bin",
    )
