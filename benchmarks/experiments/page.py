"""docs/experiments.md: one part per experiment, between two comments that name it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "experiments.md"
HEAD = """# Experiments

Published figures beside ours, whatever comes out. Each part is written by the command it names.
"""


def write_part(name: str, text: str, page: Path = PAGE) -> None:
    """Replace the part of this name, or add it."""
    old = page.read_text(encoding="utf-8") if page.exists() else HEAD
    part = f"<!-- {name} -->\n{text.strip()}\n<!-- end of {name} -->"
    pattern = re.compile(rf"<!-- {re.escape(name)} -->.*?<!-- end of {re.escape(name)} -->", re.S)
    known = pattern.search(old) is not None
    new = pattern.sub(lambda _: part, old) if known else f"{old.rstrip()}\n\n{part}\n"
    page.write_text(new, encoding="utf-8")


def write_picture(figure: Any, path: Path) -> None:
    """A figure of Matplotlib as a file beside the pages."""
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path)


def table(head: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """A table of Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
