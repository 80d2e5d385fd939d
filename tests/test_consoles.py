"""Commands in the pages on other libraries say what the pages say that they say."""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "docs" / "exporting.md", *sorted((ROOT / "docs" / "migrating").glob("*.md"))]
OURS = ("onstream", "sed", "tail", "printf")
MATCH = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(page: Path) -> Iterator[tuple[str, str]]:
    """Yield each command and what it is said to print."""
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_is_shown(page: Path, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    theirs: set[str] = set()  # files that other programs would have written
    for command, shown in commands(page):
        if command.split()[0] not in OURS or any(name in command for name in theirs):
            theirs |= set(re.findall(r"\S+\.txt", command))
            continue
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=os.environ | {"PATH": path, "COLUMNS": "120"},
            capture_output=True,
            text=True,
            check=False,
        )
        said = f"$ {command}\n{done.stdout}{done.stderr}"
        assert done.returncode == 0, said
        assert doctest.OutputChecker().check_output(shown, done.stdout, MATCH), said


def test_there_are_commands() -> None:
    assert sum(command.startswith("onstream") for p in PAGES for command, _ in commands(p)) >= 9
