"""What no file can cause: a process that forks in the middle of a stream, and no memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from onstream.streams import read_csv, read_vw

LINES = {
    "vw": ("1 | a:1 b:2\n", lambda path: read_vw(path)),
    "csv": ("1,2,0\n", lambda path: read_csv(path, target="c", header=["a", "b", "c"])),
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("format", LINES)
def test_a_fork_is_told_and_does_not_hang(tmp_path: Path, format: str) -> None:
    line, read = LINES[format]
    file = tmp_path / f"rows.{format}"
    file.write_text(line * 400_000)
    blocks = read(file).blocks()
    next(blocks)
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - in the child
        import signal

        signal.alarm(20)  # a hang ends it
        told = "nothing"
        try:
            for _ in blocks:
                pass
        except RuntimeError as error:
            told = str(error)
            rows = sum(len(y) for _, y in read(file).limit(1000).batches())  # a new one is fine
            told += f" {rows}"
        os.write(theirs, told.encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        told = pipe.read().decode()
    os.waitpid(child, 0)
    assert "before the process was forked" in told
    assert told.endswith(" 1000")
    assert sum(1 for _ in blocks) >= 1  # the parent reads on


NO_MEMORY = """
import _testcapi, sys
from onstream.streams._libsvm_text import LibsvmText
from onstream.streams._vw_text import VWText
data = bytearray(sys.argv[1].encode().decode("unicode_escape").encode() * 100)
failures = 0
for make in (LibsvmText, VWText):
    for at in range(120):
        parser = make()
        _testcapi.set_nomemory(at, at + 1)  # one allocation fails
        try:
            found = parser.parse(data, len(data), False)
        except MemoryError:
            found = None
        finally:
            _testcapi.remove_mem_hooks()
        if found is None:
            failures += 1
        else:
            block, _, _, rejects = found
            assert len(block) + len(rejects) == 200, (make, at, len(block), len(rejects))
print(failures)
"""


def test_without_memory_no_line_is_lost() -> None:
    pytest.importorskip("_testcapi")
    done = subprocess.run(
        [sys.executable, "-c", NO_MEMORY, "what\\n1 1:2\\n"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
