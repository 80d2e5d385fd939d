"""A file that grows, read from a place: no line is skipped, none is taken for another."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from onstream.streams import files, read_jsonl, read_libsvm
from onstream.streams.growing import Growing, Place


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "f.txt"


def add(file: Path, text: str) -> None:
    with file.open("a") as f:
        f.write(text)


def acting(file: Path, *script: Callable[[], Any]) -> Growing:
    """While the file is waited for, these happen, one after the other; then it is stopped."""
    left = list(script)

    def pause(seconds: float) -> None:
        if left:
            left.pop(0)()
        else:
            growing.stop.requested = True

    growing = Growing(str(file), Place(), pause=pause)
    return growing


def pieces(growing: Growing, room: int = 1000) -> list[bytes]:
    """What is given, piece by piece."""
    view, found = memoryview(bytearray(room)), []
    while got := growing.into(view):
        found.append(bytes(view[:got]))
    growing.close()
    return found


def test_before_it_waits_all_rows_are_handed_over(file: Path) -> None:
    """Also if the lines fill the room for them to the last byte."""
    lines = files.CHUNK // 64 * 2
    file.write_text("".join(f"{i % 2} 1:{i % 7} 2:{i % 5}".ljust(63) + "\n" for i in range(lines)))
    rows, seen = 0, []
    growing = acting(file)
    growing.waiting = lambda: seen.append((rows, growing.place(growing.done).line))
    for X, _ in read_libsvm(file).follow(growing):
        rows += len(X)
    assert seen[0] == (lines, lines + 1)


@pytest.mark.parametrize("before", ["old", "a line that is the same\n" * 100 + "old"])
def test_a_file_that_is_emptied_and_soon_longer_than_before(file: Path, before: str) -> None:
    """The first bytes may be alike, as the names of columns are."""
    first, last = before[:-3], before[-3:]
    file.write_text(first + "".join(f"{last}{i}\n" for i in range(5)))
    again = partial(file.write_text, first + "".join(f"new{i}\n" for i in range(9)))
    growing = acting(file, again)
    assert b"".join(pieces(growing, 1 << 16)).endswith(b"old4\n")
    assert growing.ended == "cut short"
    assert not growing.place(growing.done).within(str(file))


def test_it_is_emptied_while_there_is_more_to_read(file: Path) -> None:
    file.write_text("".join(f"old{i}\n" for i in range(100)))
    growing, room = Growing(str(file), Place()), memoryview(bytearray(100))
    assert growing.into(room)
    file.write_text("".join(f"new{i}\n" for i in range(100)))
    assert growing.into(room) == 0
    assert growing.ended == "cut short"
    growing.close()


def test_a_head_that_is_longer_than_the_room(file: Path) -> None:
    file.write_text("name" * 100 + "\n1\n")
    place = Growing(str(file), Place(), once=True)
    pieces(place, 500)
    add(file, "2\n")
    growing = Growing(str(file), place.place(place.done), once=True)
    growing.begin_with_head()
    assert b"".join(pieces(growing, 64)) == b"name" * 100 + b"\n2\n"


def test_a_part_of_a_long_line_is_no_place(file: Path) -> None:
    """It is handed over piece by piece; who stops there begins again at its first byte."""
    file.write_text("short\n" + "x" * 300)
    growing = Growing(str(file), Place(), once=True)
    assert b"".join(pieces(growing, 100)) == b"short\n" + b"x" * 99 * 3
    assert growing.done == 6
    assert growing.cut_off()
    add(file, "\n")
    growing = Growing(str(file), growing.place(6), once=True)
    assert b"".join(pieces(growing, 100)) == b"x" * 300 + b"\n"
    assert not growing.cut_off()


def test_half_of_a_long_line_is_no_row(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files.line_blocks, "__defaults__", (100,))
    file.write_text('{"y": 1}\n{"y": 2}' + " " * 300)
    growing = Growing(str(file), Place(), once=True)
    assert sum(len(y) for _, y in read_jsonl(file, target="y").follow(growing)) == 1


@pytest.mark.parametrize("n", [98, 99, 100, 198, 250])
def test_the_last_line_of_a_file_that_was_renamed(file: Path, n: int) -> None:
    file.write_text("short\n" + "x" * n)

    def rename() -> None:
        file.rename(file.with_suffix(".old"))
        file.write_text("new\n")

    growing = acting(file, rename)
    assert b"".join(pieces(growing, 100)) == b"short\n" + b"x" * n
    assert growing.ended == "replaced"
    assert growing.done == 6 + n
    assert not growing.cut_off()


def test_after_a_line_that_is_too_long_others_are_read(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its end may be all that has come so far."""
    monkeypatch.setattr(files, "LONGEST", 300)
    monkeypatch.setattr(files.line_blocks, "__defaults__", (100,))
    file.write_text("0 1:1\n" + "x" * 500 + "\n")
    growing = acting(file, lambda: add(file, "0 1:2\n"))
    stream = read_libsvm(file, on_error="skip")
    assert sum(len(y) for _, y in stream.follow(growing)) == 2
    assert stream.rejected == 1
    assert growing.place(growing.done).line == 4


def test_the_same_where_a_line_ends_with_what_is_read_at_a_time(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LONGEST", 300)
    monkeypatch.setattr(files.line_blocks, "__defaults__", (100,))
    file.write_text("0 1:1\n" + "x" * 493 + "\n0 1:2\n")
    assert len(list(read_libsvm(file, on_error="skip"))) == 2
