"""Rows that arrive on a pipe: answered and learned at once, and none is lost at Ctrl-C."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

import onstream

COMMAND = "from onstream.cli.main import main; main()"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
PROMPT = 30.0  # seconds that a busy machine may take to answer; without the code it never does
START = 60.0  # seconds that it may take to start a program

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes that can be waited for")


@contextlib.contextmanager
def started(
    *arguments: object, stdin: int = subprocess.PIPE, program: str = COMMAND
) -> Iterator[subprocess.Popen[bytes]]:
    """A program with pipes; killed if it has not ended by itself."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, env=ENVIRONMENT,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def line_from(pipe: IO[bytes] | None, seconds: float) -> bytes:
    """The next line, which must come in time."""
    assert pipe is not None
    line = b""
    end = time.monotonic() + seconds
    while not line.endswith(b"\n"):
        if not select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
            pytest.fail(f"no line within {seconds} s, only {line!r}", pytrace=False)
        letter = pipe.read(1)
        if not letter:
            pytest.fail(f"the program has ended after {line!r}", pytrace=False)
        line += letter
    return line


def say(process: subprocess.Popen[bytes], text: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(text)


LINES = {  # format: what stands first, and rows of label 1 and 0
    "csv": (b"a,b\n", b"1,0\n", b"0,1\n"),
    "jsonl": (b"", b'{"a": 1, "b": 0}\n', b'{"a": 0, "b": 1}\n'),
    "libsvm": (b"", b"0 1:1 2:0\n", b"0 1:0 2:1\n"),
    "vw": (b"", b"0 | a:1 b:0\n", b"0 | a:0 b:1\n"),
}


@pytest.mark.parametrize("format", LINES)
def test_an_answer_comes_while_the_pipe_is_open(tmp_path: Path, format: str) -> None:
    model = onstream.PAClassifier()
    names = (1, 2) if format == "libsvm" else ("a", "b")
    for _ in range(3):
        model.learn_one(dict(zip(names, (1.0, 0.0), strict=True)), 1)
        model.learn_one(dict(zip(names, (0.0, 1.0), strict=True)), 0)
    onstream.save(model, tmp_path / "m.onstream")
    head, one, zero = LINES[format]
    with started("predict", tmp_path / "m.onstream", "-", "--format", format) as process:
        say(process, head + one)
        assert line_from(process.stdout, START) == b"prediction\n"
        assert line_from(process.stdout, PROMPT) == b"1\n"
        for row, answer in ((zero, b"0\n"), (one, b"1\n"), (zero, b"0\n")):
            say(process, row[:2])  # half a line is none
            say(process, row[2:])
            assert line_from(process.stdout, PROMPT) == answer
        assert process.poll() is None
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(START) == 0


@pytest.mark.parametrize(
    ("command", "format"), [("run", "csv"), *(("train", format) for format in LINES)]
)
def test_ctrl_c_learns_every_row_that_has_arrived(
    tmp_path: Path, command: str, format: str
) -> None:
    model, rows = tmp_path / "m.onstream", 1000
    head, one, zero = LINES[format]
    if format == "csv":
        head, one, zero = b"a,b,y\n", b"1,0,1\n", b"0,1,0\n"
    elif format == "jsonl":
        one, zero = b'{"a": 1, "b": 0, "y": 1}\n', b'{"a": 0, "b": 1, "y": 0}\n'
    else:
        one, zero = b"1" + one[1:], b"0" + zero[1:]
    more = ["--target", "y"] if format in ("csv", "jsonl") else []
    to = ["--out"] if command == "train" else ["--save"]
    with started(
        command, "-", "--format", format, *more, "-m", "PAClassifier()", *to, model, "-q"
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        say(process, head + one)
        wait_for_reader(process)
        say(process, zero * 3 + one * (rows - 4) + one[:-2])  # and half a row
        process.send_signal(signal.SIGINT)
        if command == "run":  # who writes is gone, too
            process.stdin.close()
        process.wait(START)
        err = process.stderr.read()
    assert process.returncode == 130, err
    assert b"Interrupted after 1,000 rows" in err
    assert onstream.load(model).seen == rows


def wait_for_reader(process: subprocess.Popen[bytes]) -> None:
    """Until the program has taken what was said: it is at work then, and hears signals."""
    assert process.stdin is not None
    end = time.monotonic() + START
    while time.monotonic() < end and unread(process.stdin.fileno()):
        time.sleep(0.05)
    assert not unread(process.stdin.fileno())
    time.sleep(0.3)


def unread(pipe: int) -> int:
    """Bytes of a pipe that nobody has taken."""
    import fcntl
    import struct
    import termios

    return int(struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0])


def test_ctrl_c_before_the_first_row(tmp_path: Path) -> None:
    with started(
        "train", "-", "--format", "csv", "-t", "y", "-m", "PAClassifier()",
        "-o", tmp_path / "m.onstream",
    ) as process:  # fmt: skip
        say(process, b"a,")
        wait_for_reader(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(START) == 130


def test_limit_ends_without_another_row(tmp_path: Path) -> None:
    model = tmp_path / "m.onstream"
    with started(
        "train", "-", "--format", "csv", "-t", "y", "-m", "PAClassifier()", "-o", model,
        "--limit", 2, "--skip", 1,
    ) as process:  # fmt: skip
        say(process, b"a,y\n1,1\n2,0\n3,1\n")
        assert process.wait(START) == 0
    assert onstream.load(model).seen == 2


def test_a_terminal_types_rows(tmp_path: Path) -> None:
    import pty

    model = onstream.PAClassifier()
    model.learn_one({"a": 1.0}, "yes")
    model.learn_one({"a": -1.0}, "no")
    onstream.save(model, tmp_path / "m.onstream")
    ours, theirs = pty.openpty()
    with started("predict", tmp_path / "m.onstream", "-", "-f", "csv", stdin=theirs) as process:
        os.write(ours, b"a\n1\n")
        assert line_from(process.stdout, START) == b"prediction\n"
        assert line_from(process.stdout, PROMPT) == b"yes\n"
        os.write(ours, b"-1\n")
        assert line_from(process.stdout, PROMPT) == b"no\n"
        os.write(ours, b"\x04")  # Ctrl-D
        assert process.wait(START) == 0
    os.close(ours)
    os.close(theirs)


def test_python_sees_a_row_of_a_pipe_at_once() -> None:
    program = (
        "from onstream.streams import read_csv\n"
        "for x, y in read_csv('-', target='y', limit=3): print(x, y, flush=True)\n"
    )
    with started(program=program) as process:
        say(process, b"a,y\n1,0\n")
        assert line_from(process.stdout, START) == b"{'a': 1.0} 0\n"
        say(process, b"2,1\n")
        assert line_from(process.stdout, PROMPT) == b"{'a': 2.0} 1\n"
        say(process, b"3,1\n")
        assert line_from(process.stdout, PROMPT) == b"{'a': 3.0} 1\n"
        assert process.wait(START) == 0  # the third was the last: nothing is waited for


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere opening a named pipe waits")
def test_a_named_pipe(tmp_path: Path) -> None:
    pipe, model = tmp_path / "rows.csv", tmp_path / "m.onstream"
    os.mkfifo(pipe)
    with started("train", pipe, "-t", "y", "-m", "PAClassifier()", "-o", model) as process:
        handle = os.open(pipe, os.O_WRONLY)  # waits for the reader
        time.sleep(0.3)
        os.write(handle, b"a,y\n1,1\n2,0\n")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.wait(START) == 130
        os.close(handle)
    assert onstream.load(model).seen == 2


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere opening a named pipe waits")
def test_ctrl_c_while_nobody_writes_to_a_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "rows.csv"
    os.mkfifo(pipe)
    program = (
        "import os, signal, threading\n"
        "from onstream.cli.main import main\n"
        "threading.Timer(3.0, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "main()\n"
    )
    out = tmp_path / "m.onstream"
    with started(
        "train", pipe, "-t", "y", "-m", "PAClassifier()", "-o", out, program=program
    ) as process:
        assert process.wait(START) == 130
