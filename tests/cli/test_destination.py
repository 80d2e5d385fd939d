"""Where answers go: files, links, standard output, devices and pipes; nothing is destroyed."""

import gc
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import onstream
from onstream.cli.destination import Sink
from onstream.cli.writers import packed

from .calling import call
from .test_outputs import ROWS, RUN, TRAIN

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links, devices")

WRITERS: dict[str, Callable[[Path, Path, Any], tuple[Any, ...]]] = {  # rows, model, out
    "generate": lambda rows, model, out: (
        "generate", "SEA()", "--rows", 3, "--format", "csv", "--out", out,
    ),
    "convert": lambda rows, model, out: ("convert", rows, out, "--to", "csv"),
    "predict": lambda rows, model, out: ("predict", model, rows, "--out", out),
}  # fmt: skip
SAVERS: dict[str, Callable[[Path, Any], tuple[Any, ...]]] = {
    "train --out": lambda rows, out: (*TRAIN, rows, "--out", out),
    "follow --out": lambda rows, out: ("follow", *TRAIN[1:], rows, "--out", out, "--once"),
    "run --save": lambda rows, out: (*RUN, rows, "--save", out),
    "run --report": lambda rows, out: (*RUN, rows, "--report", out),
}
HEADS = {"generate": "0,1,2,y", "convert": "a,y", "predict": "prediction"}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def model(rows: Path) -> Path:
    path = rows.with_name("m.onstream")
    call(*TRAIN, rows, "-o", path)
    return path


def in_shell(
    line: tuple[Any, ...], redirection: str, folder: Path
) -> "subprocess.CompletedProcess[str]":
    code = "from onstream.cli.main import main; main()"
    return subprocess.run(
        ["sh", "-c", f'"$0" -c "$@" {redirection}', sys.executable, code, *map(str, line)],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip


def own_stdout(folder: Path) -> None:
    """A link like /dev/stdout, which a fault would destroy for everybody on this machine."""
    (folder / "stdout").symlink_to("/proc/self/fd/1")


def test_every_way_to_write_a_file_is_tried_here() -> None:
    from typer.main import get_command

    from onstream.cli.main import app

    found = set()
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        for parameter in command.params:
            if parameter.name in ("out", "report"):
                found.add(f"{name} {parameter.opts[0]}")
    assert found == {
        "demo --out", "run --save", "run --report", "train --out", "follow --out",
        "predict --out",
        "generate --out", "convert out", "experiment --out", "export out",
    }  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_a_dash_is_standard_output(
    name: str, rows: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(rows.parent)
    found = call(*WRITERS[name](rows, model, "-"))
    assert found.stdout.splitlines()[0].replace('"', "") == HEADS[name]
    assert len(found.stdout.splitlines()) == (4 if name == "generate" else 301)
    assert not (rows.parent / "-").exists()


def test_standard_output_has_no_name(rows: Path) -> None:
    for line in (("generate", "SEA()", "--rows", 3, "--out", "-"), ("convert", rows, "-")):
        told = call(*line, code=1).stderr
        assert "standard output has no name; say what it is: --" in told
    assert "--to csv" in told


@pytest.mark.parametrize("name", SAVERS)
def test_no_model_and_no_page_goes_to_standard_output(
    name: str, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(rows.parent)
    told = call(*SAVERS[name](rows, "-"), code=1).stderr
    assert f"{name.split()[1]} - is standard output; name a file" in told
    assert not (rows.parent / "-").exists()
    own_stdout(rows.parent)
    done = in_shell(SAVERS[name](rows, "stdout"), "> kept.txt", rows.parent)
    assert done.returncode == 1
    assert "name a file" in done.stderr
    assert (rows.parent / "kept.txt").read_text() == ""


@pytest.mark.parametrize(
    ("name", "device"),
    [
        *((name, "-") for name in WRITERS),
        ("generate", "stdout"),
        ("convert", "/dev/fd/1"),
        ("predict", "/proc/self/fd/1"),
    ],
)
def test_standard_output_by_any_name(name: str, device: str, rows: Path, model: Path) -> None:
    own_stdout(rows.parent)
    kept = rows.with_name("kept.txt")
    kept.write_text("first line\n")
    done = in_shell(WRITERS[name](rows, model, device), ">> kept.txt", rows.parent)
    assert done.returncode == 0, done.stderr
    first, head, *others = kept.read_text().splitlines()  # nothing was replaced or written over
    assert first == "first line"
    assert head.replace('"', "") == HEADS[name]
    assert len(others) == (3 if name == "generate" else 300)
    if name != "predict":
        assert f"rows in {device}" in done.stderr  # a remark is no row


@pytest.mark.parametrize("name", WRITERS)
def test_the_source_is_not_standard_output(name: str, rows: Path, model: Path) -> None:
    if name == "generate":
        pytest.skip("it reads nothing")
    done = in_shell(WRITERS[name](rows, model, "-"), ">> rows.csv", rows.parent)
    assert done.returncode == 1
    assert "file that is read" in done.stderr
    assert rows.read_text() == ROWS


@pytest.mark.parametrize("name", [*WRITERS, *SAVERS])
def test_links_are_followed(name: str, rows: Path, model: Path) -> None:
    folder = rows.parent / "elsewhere"
    folder.mkdir()
    ending = "html" if name == "run --report" else "csv"
    link, second = rows.with_name(f"link.{ending}"), rows.with_name(f"second.{ending}")
    link.symlink_to(second)
    second.symlink_to(folder / "real")
    for old in (False, True):  # a link to nothing yet, then to a file
        if name in WRITERS:
            call(*WRITERS[name](rows, model, link))
        else:
            call(*SAVERS[name](rows, link))
        assert link.is_symlink()
        assert second.is_symlink()
        assert (folder / "real").stat().st_size > 0
        if old:
            assert stat.S_IMODE((folder / "real").stat().st_mode) == 0o600  # permissions stay
        (folder / "real").chmod(0o600)
    assert [path.name for path in folder.iterdir()] == ["real"]


@pytest.mark.parametrize("name", WRITERS)
def test_a_named_pipe_is_written_through(name: str, rows: Path, model: Path) -> None:
    pipe = rows.with_name("pipe")
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    call(*WRITERS[name](rows, model, pipe))
    reader.join(timeout=120)
    assert not reader.is_alive()
    assert got[0].splitlines()[0].replace('"', "") == HEADS[name]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", [*WRITERS, *SAVERS])
def test_devices_stay_devices(name: str, rows: Path, model: Path) -> None:
    null = rows.with_name("null.html")
    try:
        os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        null.write_bytes(b"")
    except OSError:
        pytest.skip("no right to make a device")
    link = rows.with_name("link.html")
    link.symlink_to(null)
    for path in (null, link):
        if name in WRITERS:
            call(*WRITERS[name](rows, model, path))
        else:
            told = call(*SAVERS[name](rows, path), code=1).stderr
            assert "is a device or a pipe; name a file" in told
        assert stat.S_ISCHR(null.stat().st_mode)
    assert link.is_symlink()


def test_a_reader_that_leaves_ends_it_quietly(rows: Path, model: Path) -> None:
    line = ("generate", "SEA()", "--rows", 2_000_000, "-f", "csv", "-o", "-")
    done = in_shell(line, "| head -n 2", rows.parent)
    assert done.stdout.splitlines()[0].replace('"', "") == "0,1,2,y"
    assert done.stderr == ""


def test_compressed_and_binary_formats_go_through_a_pipe(tmp_path: Path) -> None:
    for format, name in (("parquet", "x.parquet"), ("ipc", "x.arrow")):
        line = ("generate", "SEA()", "--rows", 30, "-f", format, "-o", "-", "-q")
        done = in_shell(line, f"| cat > {name}", tmp_path)
        assert done.stderr == ""
        stream = getattr(onstream.streams, f"read_{format}")(tmp_path / name, target="y")
        assert len(list(stream)) == 30


def test_a_report_is_a_page(rows: Path) -> None:
    told = call(*RUN, rows, "--report", rows.with_name("r.pdf"), code=1).stderr
    assert "--report writes a web page" in told
    assert "r.html" in told
    assert not rows.with_name("r.pdf").exists()
    call(*RUN, rows, "--report", rows.with_name("r"))
    call(*RUN, rows, "--report", rows.with_name("R.HTM"))


def test_arrow_may_write_to_a_closed_file_after_an_interrupt(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with (tmp_path / "rows.csv").open("wb") as file:
        stream = packed(Sink(file), None)
        stream.write(b"a,y")
    del stream  # nobody has closed it
    gc.collect()
    assert capfd.readouterr().err == ""
