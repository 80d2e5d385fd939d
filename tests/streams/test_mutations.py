"""Mutated lines: no crash, no hang; each one a row, a line-numbered error or a counted skip."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from onstream.streams import Stream, read_arff, read_csv, read_jsonl, read_libsvm, read_vw

NUMBERS = [b"", b"1e999", b"-inf", b"nan", b"0x10", b"1e", b"--1", b"1.2.3", b"9" * 400, b"\xff"]


def csv_line(rng: np.random.Generator) -> bytes:
    a, b = rng.normal(size=2)
    return b"%.4f,%s,%.3f,%d" % (a, rng.choice([b"red", b"blue"]), b, rng.integers(0, 2))


def json_line(rng: np.random.Generator) -> bytes:
    row = {
        "a": float(rng.normal()),
        "c": str(rng.choice(["red", "blue"])),
        "y": int(rng.integers(2)),
    }
    return json.dumps(row).encode()


def svm_line(rng: np.random.Generator) -> bytes:
    entries = b" ".join(b"%d:%.3f" % (i, v) for i, v in enumerate(rng.normal(size=4)))
    return b"%d %s" % (rng.choice([-1, 1]), entries)


def vw_line(rng: np.random.Generator) -> bytes:
    return b"%d |word %s offer:%.3f |n x:%d" % (
        rng.choice([-1, 1]),
        rng.choice([b"red", b"blue"]),
        rng.normal(),
        rng.integers(0, 9),
    )


def arff_line(rng: np.random.Generator) -> bytes:
    return b"%.3f,%s,'some text',%d" % (
        rng.normal(),
        rng.choice([b"red", b"blue", b"?"]),
        rng.integers(0, 2),
    )


def sparse_arff_line(rng: np.random.Generator) -> bytes:
    return b"{0 %.3f, 1 blue, 3 1}" % rng.normal()


def mutated(line: bytes, rng: np.random.Generator) -> bytes:
    """A line with something wrong, most of the time."""
    kind = rng.integers(0, 9)
    at = int(rng.integers(0, len(line) + 1))
    if kind == 0:
        line = line[:at]
    elif kind == 1:
        line = line[:at] + rng.bytes(int(rng.integers(1, 20))) + line[at:]
    elif kind == 2:
        line = rng.bytes(int(rng.integers(1, 60)))
    elif kind == 3:
        line = line + line
    elif kind == 4:
        parts = re.split(rb"([,:\s])", line)
        parts[int(rng.integers(0, len(parts)))] = NUMBERS[int(rng.integers(0, len(NUMBERS)))]
        line = b"".join(parts)
    elif kind == 5:
        line = line[:at] + line[at : at + 1] * int(rng.integers(2, 3000)) + line[at:]
    elif kind == 6:
        line = (
            line[:at]
            + bytes(rng.choice(list(b'",:{}[]\\\t |#%?=\0\xc3\xff'), 2).tolist())
            + line[at:]
        )
    elif kind == 7:
        line = line[at:]
    return line.replace(b"\n", b" ")


HEADER = b"""@relation r
@attribute a numeric
@attribute c {red, blue}
@attribute t string
@attribute y {0, 1}
@data
"""
FORMATS: dict[str, tuple[bytes, Callable[..., bytes], Callable[..., Stream]]] = {
    "csv": (b"a,c,b,y\n", csv_line, lambda path, **o: read_csv(path, target="y", **o)),
    "libsvm": (b"", svm_line, lambda path, **o: read_libsvm(path, **o)),
    "vw": (b"", vw_line, lambda path, **o: read_vw(path, **o)),
    "arff": (HEADER, arff_line, lambda path, **o: read_arff(path, target="y", **o)),
    "sparse arff": (HEADER, sparse_arff_line, lambda path, **o: read_arff(path, target="y", **o)),
    "jsonl": (b"", json_line, lambda path, **o: read_jsonl(path, target="y", **o)),
}


def check(name: str, path: Path, n: int, seed: int) -> None:
    header, make, read = FORMATS[name]
    rng = np.random.default_rng(seed)
    good = [make(rng) for _ in range(1000)]  # the types are found out from these
    bad = [mutated(make(rng), rng) for _ in range(n)]
    path.write_bytes(header + b"\n".join(good + bad) + b"\n")
    rejects = path.with_suffix(".rejected")
    stream = read(path, on_error=rejects)
    rows = 0
    for X, y, *_ in stream.batches(4096):
        rows += len(y)
        assert len(y) == (X.num_rows if hasattr(X, "num_rows") else len(X))
    lines = sum(1 for line in good + bad if line.strip(b" \t\r") and not blank(name, line))
    assert rows == stream.rows
    assert rows + stream.rejected == lines
    assert rows >= 1000
    if n >= 1000:
        assert stream.rejected > 0.2 * n
    assert rejects.read_bytes().count(b"\n") == stream.rejected
    numbers = [line_number(path, message) for message in stream.messages]
    with pytest.raises(ValueError, match="line") as caught:
        for _ in read(path).batches(4096):
            pass
    assert line_number(path, str(caught.value)) <= min(numbers)


def line_number(path: Path, message: str) -> int:
    found = re.match(rf"{re.escape(str(path))}: line ([\d,]+)", message)
    assert found, message
    return int(found[1].replace(",", ""))


def blank(name: str, line: bytes) -> bool:
    """Comments are no rows."""
    marks = {"arff": b"%", "sparse arff": b"%", "libsvm": b"#"}
    if name not in marks or not line.strip(b" \t\r").startswith(marks[name]):
        return False
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("name", FORMATS)
def test_mutated_lines(tmp_path: Path, name: str) -> None:
    check(name, tmp_path / "lines.txt", 10_000 // len(FORMATS), 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", FORMATS)
def test_a_million_mutated_lines(tmp_path: Path, name: str, seed: int) -> None:
    check(name, tmp_path / "lines.txt", 100_000 // len(FORMATS), 2 + seed)
