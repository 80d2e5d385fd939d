"""The pages docs/experiments/<name>.md of `onstream experiment`: figure and results, made anew.

    python -m benchmarks.experiments.lectures [NAME ...] [--data DIR]

Runs the experiments at their default size and replaces what stands between the marks of each page;
what is said about it is written by hand. With --data a second part has the real data sets.
"""

from __future__ import annotations

import argparse
from io import BytesIO
from pathlib import Path

from onstream.cli import experiment
from onstream.cli.lab.lab import Lab

from .page import ROOT, write_part

FOLDER = ROOT / "docs" / "experiments"


def write_small(figure: object, path: Path) -> None:
    """A picture of few colours: lines on white need no more, and the file is a third."""
    from PIL import Image

    page = BytesIO()
    figure.savefig(page, format="png")  # type: ignore[attr-defined]
    picture = Image.open(page).convert("RGB")
    picture.quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*experiment.names(), []], default=[])
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    for name in options.names or experiment.names():
        module = experiment.found(name)
        outcome = module.run(Lab())
        page = FOLDER / f"{name}.md"
        write_part("results", outcome.results(), page)
        write_small(outcome.figure, FOLDER / f"{name}.png")
        if options.data:
            known = {row[0] for table in outcome.tables for row in table.rows}
            outcome = module.run(Lab(data=options.data))
            for table in outcome.tables:
                table.rows = [row for row in table.rows if row[0] not in known]
            parts = [f"**{t.title}**\n\n{t.markdown()}" for t in outcome.tables if t.rows]
            if parts:
                write_part("data sets", "\n\n".join([*parts, *outcome.notes]), page)
        print(name, flush=True)


if __name__ == "__main__":
    main()
