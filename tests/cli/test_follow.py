"""A file that grows: learned once and whole, whatever happens to it or to us."""

import gzip
import json
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import onstream
from onstream.cli import following, progress
from onstream.persist import dumps, load_notes
from onstream.streams.growing import Growing

from .calling import call
from .test_live import PROMPT, START, line_from, started

HEADS = {"csv": "a,b,y\n", "jsonl": "", "libsvm": "", "vw": ""}


def line(format: str, i: int) -> str:
    a, b, y = i % 7, (i * i) % 5 / 2.0, (i * i) % 7 % 3
    return {
        "csv": f"{a},{b},{y}\n",
        "jsonl": json.dumps({"a": a, "b": b, "y": y}) + "\n",
        "libsvm": f"{y} 1:{a} 2:{b}\n",
        "vw": f"{y} | a:{a} b:{b}\n",
    }[format]


def lines(start: int, stop: int, format: str = "csv") -> str:
    return "".join(line(format, i) for i in range(start, stop))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "f.csv"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "m.onstream"


def add(file: Path, text: str) -> None:
    with file.open("a") as f:
        f.write(text)


def follow(file: Path, out: Path, *more: Any, code: int = 0) -> Any:
    target = [] if file.suffix in (".libsvm", ".vw") else ["-t", "y"]
    return call("follow", file, *target, "-o", out, *more, code=code)


MODEL = ("-m", "PAClassifier()")


def trained(folder: Path, *numbers: int, format: str = "csv") -> bytes:
    """The model that has learned these lines, in one go."""
    whole = folder / f"whole.{format}"
    whole.write_text(HEADS[format] + "".join(line(format, i) for i in numbers))
    target = [] if format in ("libsvm", "vw") else ["-t", "y"]
    call("train", whole, *target, *MODEL, "-o", folder / "whole.onstream")
    return dumps(onstream.load(folder / "whole.onstream"))


@pytest.mark.parametrize("format", HEADS)
def test_it_goes_on_where_it_stopped(tmp_path: Path, out: Path, format: str) -> None:
    file = tmp_path / f"f.{format}"
    file.write_text(HEADS[format] + lines(0, 30, format) + line(format, 30)[:3])  # half a line
    assert "30 rows" in follow(file, out, *MODEL, "--once").stdout
    assert "Nothing new" in follow(file, out, *MODEL, "--once").stdout
    add(file, line(format, 30)[3:] + lines(31, 50, format))
    assert "20 rows" in follow(file, out, "--once").stdout
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(50), format=format)


def acts(monkeypatch: pytest.MonkeyPatch, *script: Callable[[], Any]) -> None:
    """While the file is waited for, these happen, one after the other; then SIGTERM comes."""
    left = [*script, partial(signal.raise_signal, signal.SIGTERM)]
    monkeypatch.setattr(following, "Growing", partial(Growing, pause=lambda seconds: left.pop(0)()))


def test_lines_are_learned_as_they_come(
    tmp_path: Path, file: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(HEADS["csv"] + lines(0, 10))
    seen: list[int] = []

    def more() -> None:
        seen.append(onstream.load(out).seen)  # saved whenever there is nothing to do
        add(file, lines(10 * len(seen), 10 * len(seen) + 10))

    monkeypatch.setattr(following, "SHARE", float("inf"))
    acts(monkeypatch, more, more)
    said = follow(file, out, *MODEL, "--every", 15, code=130)
    assert seen == [10, 20]
    assert "15 rows  Accuracy" in said.stdout
    assert "goes on at line 32" in said.stderr
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(30))


def test_a_file_that_is_replaced(
    tmp_path: Path, file: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(HEADS["csv"] + lines(0, 10))

    def rotate() -> None:
        add(file, lines(10, 12) + line("csv", 12).rstrip())  # the last line has no end
        file.rename(file.with_suffix(".old"))
        file.write_text(HEADS["csv"] + lines(13, 20))

    acts(monkeypatch, rotate)
    said = follow(file, out, *MODEL, code=130)
    assert "f.csv was replaced; it is begun at its first line" in said.stderr
    assert "20 rows" in said.stdout
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(20))


def test_a_file_that_is_cut_short(
    tmp_path: Path, file: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(HEADS["csv"] + lines(0, 10))
    acts(monkeypatch, lambda: file.write_text(HEADS["csv"] + lines(10, 13)))
    said = follow(file, out, *MODEL, code=130)
    assert "f.csv was cut short; it is begun at its first line" in said.stderr
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(13))


def test_a_file_that_was_replaced_meanwhile(tmp_path: Path, file: Path, out: Path) -> None:
    file.write_text(HEADS["csv"] + lines(0, 10))
    follow(file, out, *MODEL, "--once")
    add(file, lines(10, 14))
    file.rename(tmp_path / "f.csv.1")
    file.write_text(HEADS["csv"] + lines(14, 20))
    said = follow(file, out, "--once")
    assert "f.csv.1; its last lines come first" in said.stderr
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(20))
    file.write_text(HEADS["csv"] + lines(20, 30))
    assert "is another file than before" in follow(file, out, "--once").stderr
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(30))


def test_the_last_line_of_a_file_that_was_replaced_meanwhile(
    tmp_path: Path, file: Path, out: Path
) -> None:
    """It has no end, and will have none."""
    file.write_text(HEADS["csv"] + lines(0, 10))
    follow(file, out, *MODEL, "--once")
    add(file, lines(10, 14).rstrip())
    file.rename(tmp_path / "f.csv.1")
    file.write_text(HEADS["csv"] + lines(14, 20))
    follow(file, out, "--once")
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(20))


@pytest.mark.parametrize("head", ["", HEADS["csv"]])
def test_a_file_that_was_replaced_before_it_had_rows(
    tmp_path: Path, file: Path, out: Path, head: str
) -> None:
    """What stands before the place, names of columns or nothing, stands in the next file, too."""
    file.write_text(head)
    follow(file, out, *MODEL, "--once")
    file.write_text(HEADS["csv"] + lines(0, 10))
    file.rename(tmp_path / "f.csv.1")
    file.write_text(HEADS["csv"] + lines(10, 20))
    assert "f.csv.1; its last lines come first" in follow(file, out, "--once").stderr
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(20))


def test_an_empty_file_is_replaced(
    tmp_path: Path, file: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.touch()

    def rotate() -> None:
        file.rename(file.with_suffix(".old"))
        file.write_text(HEADS["csv"] + lines(0, 10))

    acts(monkeypatch, rotate)
    assert "f.csv was replaced" in follow(file, out, *MODEL, code=130).stderr
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(10))


def test_a_file_without_its_name(
    tmp_path: Path, file: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two names of log rotation it is read on, and a bar shows how far."""
    file.write_text(HEADS["csv"] + lines(0, 10))
    old = file.with_suffix(".old")

    def rename() -> None:
        file.rename(old)
        add(old, lines(10, 12))

    monkeypatch.setattr(progress, "Console", partial(Console, force_terminal=True, width=120))
    acts(monkeypatch, rename, lambda: file.write_text(HEADS["csv"] + lines(12, 20)))
    follow(file, out, *MODEL, code=130)
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(20))


def test_a_name_of_a_file_that_another_one_had(tmp_path: Path, file: Path, out: Path) -> None:
    """The model stays as it is, though both are in one folder."""
    file.write_text(HEADS["csv"] + lines(0, 10))
    other = tmp_path / "other.csv"
    other.write_text(HEADS["csv"] + lines(10, 13))
    follow(file, out, *MODEL, "--once")
    before = out.read_bytes()
    said = follow(other, out, "--once", code=1)
    assert "m.onstream follows f.csv, not other.csv; name another --out" in said.stderr
    assert out.read_bytes() == before
    assert "Nothing new" in follow(file, out, "--once").stdout


WIDTH = 64  # bytes of a line: a whole number of them fills the room for lines


def test_the_place_is_that_of_the_model(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is killed while it waits has neither skipped a line nor learned one twice."""
    file = tmp_path / "f.libsvm"
    count = (2 << 20) // WIDTH
    file.write_text("".join(f"{i % 2} 1:{i % 7}".ljust(WIDTH - 1) + "\n" for i in range(count)))
    found: list[tuple[int, int]] = []

    def look() -> None:
        found.append((onstream.load(out).seen, load_notes(out)["followed"]["line"]))

    monkeypatch.setattr(following, "SHARE", float("inf"))
    acts(monkeypatch, look)
    follow(file, out, *MODEL, "--quiet", code=130)
    assert found == [(count, count + 1)]


@pytest.mark.parametrize("format", HEADS)
@pytest.mark.parametrize("nothing", ["\n\n", "what?\n"])
def test_lines_without_rows_arrive_alone(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch, format: str, nothing: str
) -> None:
    file = tmp_path / f"f.{format}"
    file.write_text(HEADS[format] + lines(0, 5, format))
    acts(
        monkeypatch,
        partial(add, file, nothing),
        partial(add, file, lines(5, 7, format)),
        partial(add, file, nothing),
    )
    follow(file, out, *MODEL, "--on-error", "skip", code=130)
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(7), format=format)
    assert load_notes(out)["followed"]["offset"] == file.stat().st_size
    add(file, line(format, 7))
    assert "1 rows" in follow(file, out, "--once").stdout


def test_a_line_is_left_out_once(file: Path, out: Path) -> None:
    file.write_text(HEADS["csv"] + lines(0, 5))
    follow(file, out, *MODEL, "--once")
    add(file, "1,2\n")
    said = follow(file, out, "--once", "--on-error", "skip").stdout
    assert f"Nothing new, 1 lines left out: {file} is learned up to line 8." in said
    saved = out.read_bytes()
    said = follow(file, out, "--once").stdout
    assert f"Nothing new: {file} is learned up to line 8." in said
    assert out.read_bytes() == saved


def test_names_of_columns_that_fill_a_block(tmp_path: Path, file: Path, out: Path) -> None:
    names = [letter * 120_000 for letter in "cdefghijk"]
    rows = [line("csv", i).rstrip() + "," * len(names) + "\n" for i in range(8)]
    file.write_text(f"a,b,y,{','.join(names)}\n" + "".join(rows[:5]))
    follow(file, out, *MODEL, "--only", "a,b", "--once")
    add(file, "".join(rows[5:]))
    assert "3 rows" in follow(file, out, "--once").stdout
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(8))


def test_a_file_that_is_emptied_and_soon_longer_than_before(
    tmp_path: Path, file: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(HEADS["csv"] + lines(0, 10))
    acts(monkeypatch, lambda: file.write_text(HEADS["csv"] + lines(11, 40)))
    said = follow(file, out, *MODEL, code=130)
    assert "f.csv was cut short; it is begun at its first line" in said.stderr
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(10), *range(11, 40))


def test_a_line_that_cannot_be_read(tmp_path: Path, file: Path, out: Path) -> None:
    file.write_text(HEADS["csv"] + lines(0, 10))
    follow(file, out, *MODEL, "--once")
    before = out.read_bytes()
    add(file, lines(10, 12) + "1,2\n" + lines(12, 14))
    said = follow(file, out, "--once", code=1)
    assert "f.csv: line 14: " in said.stderr
    assert "m.onstream is as it was saved last" in said.stderr
    assert out.read_bytes() == before
    said = follow(file, out, "--once", "--on-error", "skip")
    assert "1 lines left out" in said.stdout
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(14))


def test_a_long_file_that_ends_in_an_error(tmp_path: Path, file: Path, out: Path) -> None:
    """What was saved on the way has learned the lines before its place, and no other."""
    numbers = range(2500)
    wide = [line("csv", i).rstrip() + "," + "x" * 1000 + "\n" for i in numbers]  # 2.5 blocks
    file.write_text("a,b,y,c\n" + "".join(wide) + "1,2\n")
    follow(file, out, *MODEL, "--drop", "c", "--once", "--every", 300, code=1)
    assert load_notes(out)["followed"]["line"] == onstream.load(out).seen + 2
    assert onstream.load(out).seen > 900
    follow(file, out, "--once", "--on-error", "skip")
    assert dumps(onstream.load(out)) == trained(tmp_path, *numbers)


def test_what_comes_before_the_file_is_kept(tmp_path: Path, file: Path, out: Path) -> None:
    """A zip code that was text stays text, though the new lines look like numbers."""
    file.write_text("zip,y\nx1,0\nx2,1\n")
    follow(file, out, *MODEL, "--once")
    add(file, "10,0\n20,1\n")
    follow(file, out, "--once")
    assert set(onstream.load(out).weights) == {"zip=x1", "zip=x2", "zip=10", "zip=20"}


def test_from_now_on_and_from_another_model(tmp_path: Path, file: Path, out: Path) -> None:
    file.write_text(HEADS["csv"] + lines(0, 10))
    follow(file, out, *MODEL, "--once", "--at-end")
    assert onstream.load(out).seen == 0
    add(file, lines(10, 15))
    follow(file, out, "--once")
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(10, 15))
    other = tmp_path / "other.onstream"
    follow(file, other, "--from", out, "--once")
    assert onstream.load(other).seen == 20


def test_figures_as_json(file: Path, out: Path) -> None:
    file.write_text(HEADS["csv"] + lines(0, 25))
    told = follow(file, out, *MODEL, "--once", "--json", "--every", 10).stdout.splitlines()
    found = [json.loads(one) for one in told]
    assert [one["rows"] for one in found] == [10, 20]
    assert 0.0 <= found[1]["model"]["Accuracy"]["last"] <= 1.0
    assert set(found[1]) == {"rows", "line", "model", "no change", "majority"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-", "-o", "m", "-m", "RLS()"], "`onstream train -` learns it"),
        (["none.csv", "-o", "m", "-m", "RLS()"], "none.csv: there is no such file"),
        (["f.csv", "-o", "m"], "say what to begin with"),
        (["f.csv", "-o", "m", "-m", "RLS()", "--from", "x"], "say one of them"),
        (["f.parquet", "-o", "m", "-m", "RLS()"], "only files of lines grow"),
        (["f.csv.gz", "-o", "m", "-m", "RLS()"], "not compressed"),
        (["packed.csv", "-o", "m", "-m", "RLS()"], "packed.csv is compressed"),
        (["d.csv", "-f", "csv", "-o", "m", "-m", "RLS()"], "d.csv: that is no file"),
        (["f.csv", "-o", "m", "-m", "RLS()", "--encoding", "utf-16"], "cannot be followed"),
        (["f.csv", "-o", "m", "-m", "RLS()", "--on-error", "r.txt"], "--on-error raise or skip"),
        (["f.csv", "-o", "m", "-m", "StandardScaler()"], "learns no targets"),
        (["f.csv", "-o", "t.onstream", "-m", "RLS()"], "has followed no file"),
    ],
)
def test_errors_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("f.csv", "f.parquet", "f.csv.gz"):
        Path(name).write_text("a,y\n1,2\n")
    Path("packed.csv").write_bytes(gzip.compress(b"a,y\n1,2\n"))
    Path("d.csv").mkdir()
    onstream.save(onstream.RLS(), "t.onstream")
    said = call("follow", *arguments, "-t", "y", code=1)
    assert sentence in said.stderr
    assert said.stderr.count("\n") == 1


def test_another_model_than_the_one_that_has_followed(file: Path, out: Path) -> None:
    file.write_text(HEADS["csv"] + lines(0, 3))
    follow(file, out, *MODEL, "--once")
    said = follow(file, out, "-m", "Perceptron()", "--once", code=1)
    assert "has followed this file already, as PAClassifier()" in said.stderr


def test_it_is_ended_before_it_begins(
    tmp_path: Path, file: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal is not lost, and the lines that were not read are learned later."""
    file.write_text(HEADS["csv"] + lines(0, 10))
    follow(file, out, *MODEL, "--once")
    add(file, lines(10, 14))
    file.rename(tmp_path / "f.csv.1")
    file.write_text(HEADS["csv"] + lines(14, 20))

    class Ended(Growing):
        def begin_with_head(self) -> None:
            signal.raise_signal(signal.SIGTERM)
            super().begin_with_head()

    def wait(seconds: float) -> None:
        raise AssertionError("it waits, though it was ended")

    with monkeypatch.context() as patch:
        patch.setattr(following, "Growing", partial(Ended, pause=wait))
        said = follow(file, out, code=130)
    assert "goes on at line 12" in said.stderr
    assert onstream.load(out).seen == 10
    follow(file, out, "--once")
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(20))


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_process_that_is_ended(tmp_path: Path, file: Path, out: Path) -> None:
    file.write_text(HEADS["csv"] + lines(0, 10))
    arguments = ("follow", file, "-t", "y", "-o", out, *MODEL, "--every", "5")
    with started(*arguments) as process:
        assert b"5 rows" in line_from(process.stdout, START)
        assert b"10 rows" in line_from(process.stdout, PROMPT)
        add(file, lines(10, 15))
        assert b"15 rows" in line_from(process.stdout, PROMPT)
        process.send_signal(signal.SIGINT)
        assert process.wait(START) == 130
    assert dumps(onstream.load(out)) == trained(tmp_path, *range(15))
