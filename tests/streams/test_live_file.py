"""Rows out of a pipe are those of the file, however the bytes are cut; and a stop ends the wait."""

import os
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from onstream.streams import Stream, read_csv, read_jsonl, read_libsvm, read_vw

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pipes by name")

ROWS = 3000
TEXTS: dict[str, tuple[Callable[[Any], Stream], bytes]] = {
    "csv": (
        lambda path: read_csv(path, target="y"),
        b"a,b,y\n" + b"".join(b"%d.5,w%d,%d\n" % (i, i % 7, i % 2) for i in range(ROWS)),
    ),
    "jsonl": (
        lambda path: read_jsonl(path, target="y"),
        b"".join(b'{"a": %d.5, "b": "w%d", "y": %d}\n' % (i, i % 7, i % 2) for i in range(ROWS)),
    ),
    "libsvm": (
        lambda path: read_libsvm(path),
        b"".join(b"%d 1:%d.5 %d:1\n" % (i % 2, i, 2 + i % 7) for i in range(ROWS)),
    ),
    "vw": (
        lambda path: read_vw(path),
        b"".join(b"%d |f a:%d.5 w%d\n" % (i % 2, i, i % 7) for i in range(ROWS)),
    ),
}


@pytest.mark.parametrize("format", TEXTS)
@pytest.mark.parametrize("newline", [True, False])
def test_any_pieces_make_the_same_rows(tmp_path: Path, format: str, newline: bool) -> None:
    read, text = TEXTS[format]
    text = text if newline else text[:-1]
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    file.write_bytes(text)
    os.mkfifo(pipe)
    rng = random.Random(f"{format} {newline}")

    def write() -> None:
        with pipe.open("wb", buffering=0) as out:
            at = 0
            while at < len(text):
                size = rng.choice([1, 3, 40, 2000, 20_000])
                out.write(text[at : at + size])
                at += size
                if rng.random() < 0.1:
                    time.sleep(0.012)

    writer = threading.Thread(target=write)
    writer.start()
    stream = read(pipe)
    assert stream.live
    found = list(stream)
    writer.join()
    assert found == list(read(file))
    assert len(found) == stream.rows == ROWS


@pytest.mark.parametrize("format", TEXTS)
def test_halt_gives_whole_rows_and_ends(tmp_path: Path, format: str) -> None:
    read, text = TEXTS[format]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    handle = os.open(pipe, os.O_RDWR)  # nobody waits for the other
    lines = text.splitlines(keepends=True)[:51]
    os.write(handle, b"".join(lines[:-1]))
    stream = read(pipe)
    rows = iter(stream)
    first = next(rows)
    os.write(handle, lines[-1][:-3])  # a piece of the last one
    stream.halt()
    found = [first, *rows]
    os.close(handle)
    assert len(found) == (49 if format == "csv" else 50)


def test_a_file_is_not_live(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(TEXTS["csv"][1])
    stream = read_csv(file, target="y", limit=10)
    assert not stream.live
    stream.halt()  # which is nothing to it
    assert len(list(stream)) == 10
