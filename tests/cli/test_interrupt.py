"""Ctrl-C while a command is only being loaded: one sentence, exit code 130, no traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


def pressed(module: str, *words: object) -> subprocess.CompletedProcess[str]:
    """Run the command; Ctrl-C is pressed when it imports a module."""
    script = (
        "import os, signal, sys\n"
        "from onstream.cli.main import main\n"
        "class Presser:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}:\n"
        "            sys.meta_path.remove(self)\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Presser())\n"
        "main()\n"
    )
    line = [sys.executable, "-c", script, *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    "module",
    [
        "onstream.cli.demo",  # the commands themselves
        "onstream.streams.csv_files",
        "onstream.kernel.kernel_pa",  # by the command, when it looks for a learner
        "onstream.evaluate.table",  # when all rows are learned
    ],
)
def test_ctrl_c_while_something_is_imported(module: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a,y\n" + "1,0\n2,1\n" * 20)
    done = pressed(module, "run", file, "-t", "y", "-m", "LogisticRegression()")
    assert (done.returncode, done.stderr) == (130, "Interrupted.\n")


def test_a_handler_of_somebody_else_stays() -> None:
    script = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"  # as nohup does
        "from onstream.cli.main import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN\n"
    )
    line = [sys.executable, "-c", script, "--version"]
    assert subprocess.run(line, capture_output=True, timeout=120).returncode == 0
