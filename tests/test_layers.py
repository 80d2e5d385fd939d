"""import-linter reads only .py files; the same rule for what is written in Cython."""

import configparser
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "onstream"
IMPORT = re.compile(r"^\s*from\s+(\.+[\w.]*|onstream[\w.]*)\s+c?import\s+(.+)", re.MULTILINE)


def layers() -> list[tuple[set[str], bool]]:
    """The lines of the contract from the top: the packages, and whether they may be mixed."""
    config = configparser.ConfigParser()
    config.read(ROOT / ".importlinter")
    lines = config["importlinter:contract:layers"]["layers"].strip().splitlines()
    return [(set(re.findall(r"\w+", line)), "|" not in line) for line in lines]


def imported(text: str, *folders: str) -> set[str]:
    """The packages of onstream that a file in `folders` imports or cimports from."""
    here = ["onstream", *folders]
    found = set()
    for module, names in IMPORT.findall(text):
        dots = len(module) - len(module.lstrip("."))
        path = [*here[: len(here) + 1 - dots], *module.split(".")] if dots else module.split(".")
        path = [part for part in path if part]
        found.update(path[1:2] or re.findall(r"\w+", names)[:1])
    return found


def wrong_way(text: str, *folders: str) -> set[str]:
    """Those of them that stand above the first folder, or beside it without leave."""
    folder = folders[0]
    rank = {name: i for i, (names, _) in enumerate(layers()) for name in names}
    mixed = layers()[rank[folder]][1]
    lowest = rank[folder] if mixed else rank[folder] + 1
    return {p for p in imported(text, *folders) & rank.keys() if p != folder and rank[p] < lowest}


@pytest.mark.parametrize(
    "source",
    sorted(p for p in PACKAGE.rglob("*.p[yx][xd]") if p.parent != PACKAGE),
    ids=lambda p: p.relative_to(PACKAGE).as_posix(),
)
def test_compiled_imports_point_down(source: Path) -> None:
    assert not wrong_way(
        source.read_text(encoding="utf-8"), *source.relative_to(PACKAGE).parts[:-1]
    )


def test_a_wrong_direction_is_seen() -> None:
    text = "from ..base._learner cimport Learner\nfrom .weights cimport dot\nfrom .. import cli\n"
    assert imported(text, "core") == {"base", "core", "cli"}
    assert wrong_way(text, "core") == {"base", "cli"}
    assert wrong_way("from onstream.tree import x", "linear") == {"tree"}
    assert wrong_way("from ...tree.arena cimport x", "linear", "gradient") == {"tree"}
    assert not wrong_way("from ...core.state cimport State", "linear", "gradient")
    assert not wrong_way("from onstream.base import x", "persist")
