"""A real terminal: the bar, a narrow window, Ctrl-C, and no colours in a pipe."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..tools import program

ONSTREAM = f"{sys.executable} -c 'from onstream.cli.main import main; main()'"


class Terminal:
    """A tmux session of its own."""

    def __init__(self, tmux: str, socket: Path, width: int) -> None:
        self.tmux = [tmux, "-S", str(socket), "-f", os.devnull]
        self.call("new-session", "-d", "-x", str(width), "-y", "30", "sh")

    def call(self, *arguments: str) -> str:
        # pytest imports readline, which puts COLUMNS into the environment of all that it starts.
        env = {
            name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")
        }
        line = [*self.tmux, *arguments]
        return subprocess.run(line, capture_output=True, text=True, check=True, env=env).stdout

    def type(self, line: str) -> None:
        self.call("send-keys", "-l", line)
        self.call("send-keys", "Enter")

    def screen(self, *, colours: bool = False) -> str:
        return self.call("capture-pane", "-p", "-J", *(["-e"] if colours else []))

    def wait(self, seen: Callable[[str], object], seconds: float = 40.0) -> str:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if seen(screen := self.screen()):
                return screen
            time.sleep(0.05)
        pytest.fail(f"not seen in time; the screen is:\n{self.screen()}", pytrace=False)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[[int], Terminal]]:
    tmux = program("tmux")
    opened: list[Terminal] = []

    def open_one(width: int) -> Terminal:
        opened.append(Terminal(tmux, tmp_path / f"s{len(opened)}", width))
        return opened[-1]

    yield open_one
    for one in opened:
        one.call("kill-server")


@pytest.mark.parametrize("width", [100, 80, 60])
def test_a_bar_and_ctrl_c(terminal: Callable[[int], Terminal], tmp_path: Path, width: int) -> None:
    model = tmp_path / "m.onstream"
    screen = terminal(width)
    words = '"SEA()" --limit 500000000 -m "PAClassifier()"'
    screen.type(f'clear; {ONSTREAM} run {words} --save {model}; echo "code $?"')
    told = screen.wait(lambda text: re.search(r"[\d.]+M rows, Accuracy", text))
    bar = next(line for line in told.splitlines() if "rows, " in line)
    assert bar.startswith("run ")
    assert len(bar.rstrip()) <= width
    if width >= 80:
        screen.wait(lambda text: re.search(r"/s.* \d+:\d\d:\d\d$", text, re.MULTILINE))  # left
    screen.call("send-keys", "C-c")
    told = screen.wait(lambda text: "code 130" in text)
    assert "Interrupted after" in told
    assert "PAClassifier" in told
    assert "Traceback" not in told
    assert "rows, Acc" not in told  # the bar is gone
    assert model.exists()


def test_colours_in_a_terminal_only(terminal: Callable[[int], Terminal], tmp_path: Path) -> None:
    screen = terminal(100)
    piped = tmp_path / "out.txt"
    words = '"SEA()" --limit 3000 -m "PAClassifier()" -m "Perceptron()"'
    screen.type(f"clear; {ONSTREAM} run {words} > {piped} 2>&1; echo done")
    screen.wait(lambda text: re.search(r"^done", text, re.MULTILINE))
    assert "PAClassifier" in piped.read_text()
    assert "\x1b" not in piped.read_text()
    screen.type(f"clear; {ONSTREAM} run {words}; echo finished")  # "done" may still stand there
    screen.wait(lambda text: re.search(r"^finished", text, re.MULTILINE))
    assert "\x1b[" in screen.screen(colours=True)
