"""docs/decisions.md: an anchor for every decision, and every anchor that code cites is there."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
ANCHORS = re.findall(r'^- <a id="([a-z0-9-]+)"></a>$', TEXT, re.M)


def test_every_decision_has_an_anchor_of_its_own() -> None:
    assert len(ANCHORS) == len(re.findall(r"^- ", TEXT, re.M))
    assert [name for name, times in Counter(ANCHORS).items() if times > 1] == []


def test_lines_are_short() -> None:
    assert [line for line in TEXT.splitlines() if len(line) > 100] == []


def test_anchors_that_are_cited_exist() -> None:
    cited = {}
    for folder in ("src", "tests", "benchmarks", "docs"):
        for path in sorted((ROOT / folder).rglob("*.*")):
            if path.suffix in (".py", ".pyx", ".pxd", ".h", ".md") and path != Path(__file__):
                text = path.read_text(encoding="utf-8")
                for first, more in re.findall(r"decisions\.md(#[\w-]+)((?:, #[\w-]+)*)", text):
                    cited |= {a.strip(" #"): path.name for a in (first, *more.split(",")) if a}
    assert "two-label-encoders" in cited
    assert {name: path for name, path in cited.items() if name not in [*ANCHORS, "anchor"]} == {}
