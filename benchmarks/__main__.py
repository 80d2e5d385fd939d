"""The command line of the benchmarks: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import pkgutil
import sys
import tempfile
from datetime import date
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from . import environments, families, harness, machine, page, pictures, results
from .contest import OURS, Row
from .screen import Screen, display

PAGE = environments.ROOT / "docs" / "benchmarks.md"
IMAGES = environments.ROOT / "docs" / "images"
FAMILIES = sorted(module.name for module in pkgutil.iter_modules(families.__path__))


def main() -> int:
    options = arguments()
    if options.page:
        write_page()
        return 0
    source = environments.ROOT / options.data
    if not (source / "load.py").exists():
        print(
            f"benchmarks: no data in {options.data}: it must hold load.py and the data sets. "
            "Name the folder with --data.",
            file=sys.stderr,
        )
        return 2
    try:
        with tempfile.TemporaryDirectory(prefix="onstream-bench-") as folder:
            return run(options, source, Path(folder))
    except KeyboardInterrupt:
        print("benchmarks: interrupted; nothing more was written.", file=sys.stderr)
        return 130
    except (environments.EnvironmentFailed, harness.SideFailed) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure onstream beside its peers and write docs/benchmarks.md.",
    )
    parser.add_argument("--family", choices=FAMILIES, help="only this family (default: all)")
    parser.add_argument("--only", metavar="TEXT", help="only rows named so; print, write nothing")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="default: 7")
    parser.add_argument(
        "--resume", action="store_true", help="skip families measured so with the present sources"
    )
    parser.add_argument("--page", action="store_true", help="measure nothing, write the page anew")
    parser.add_argument("--quick", action="store_true", help="2 short rounds; print, write nothing")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path("../shared/data"),
        metavar="DIR",
        help="folder with load.py, from the project's root (default: ../shared/data)",
    )
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds must be at least 1, got {options.rounds}")
    return options


def run(options: argparse.Namespace, source: Path, folder: Path) -> int:
    """Measure the chosen families; 1 if a row failed."""
    chosen = [options.family] if options.family else FAMILIES
    if options.resume:
        chosen = [f for f in chosen if not results.is_measured(f, command(f, options.rounds))]
        if not chosen:
            print("benchmarks: everything is measured.", file=sys.stderr)
            return 0
    modules = {name: import_module(f"benchmarks.families.{name}") for name in chosen}
    rows = {name: select(module.ROWS, options.only) for name, module in modules.items()}
    lacks = {}
    for name, some in rows.items():
        found = {row.name: [environments.lacking(side.peer) for side in row.sides] for row in some}
        rows[name] = [row for row in some if not any(found[row.name])]
        lacks |= {reason: None for reasons in found.values() for reason in reasons if reason}
    everything = [row for some in rows.values() for row in some]
    if not everything:
        print(f"benchmarks: no row is named like {options.only!r}.", file=sys.stderr)
        return 2

    rounds, least = (2, 0.0) if options.quick else (options.rounds, harness.LEAST)
    imports = [i for module in modules.values() for i in module.IMPORTS if not options.only]
    sides = [side for row in everything for side in row.sides]
    steps = 1 + len(sides) * (1 + rounds) + len(imports) * (1 + rounds)
    with display(steps) as screen:
        for reason in lacks:
            screen.say(reason)
        for peer in dict.fromkeys([environments.DATA, *(one.peer for one in (*sides, *imports))]):
            if not environments.ready(peer):
                screen.say(f"{peer}: installing from PyPI")
                environments.python(peer)
        screen.step("reading data")
        harness.write_data(source, folder, [row.data for row in everything])

        failed = False
        for name, module in modules.items():
            measured = []
            for row in rows[name]:
                measured.append(attempt(name, row, folder, rounds, least, screen))
                failed |= "error" in measured[-1]
            if options.only:
                continue
            found = harness.run_imports(module.IMPORTS, rounds, screen.step)
            for one in found:
                screen.say(page.import_line(one))
            if not options.quick:
                results.save(summary(name, module, rounds, measured, found))
                write_page()
                screen.say(f"{name}: wrote {PAGE.relative_to(environments.ROOT)}")
    return int(failed)


def command(family: str, rounds: int) -> str:
    return f"python -m benchmarks --family {family} --rounds {rounds}"


def write_page() -> None:
    """The page and its pictures, from the results there are."""
    families = results.load_all()
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page.page(families))
    pictures.draw(families, IMAGES)


def select(rows: tuple[Row, ...], text: str | None) -> list[Row]:
    return [row for row in rows if text is None or text.lower() in row.name.lower()]


def attempt(
    family: str, row: Row, folder: Path, rounds: int, least: float, screen: Screen
) -> dict[str, Any]:
    """Measure a row, or note its error: one failing row does not cost the others."""
    try:
        measured = harness.run_row(family, row, folder, rounds, least, screen.step)
    except harness.SideFailed as error:
        screen.say(f"{row.name}: FAILED: {error}")
        return {"name": row.name, "error": str(error)}
    for comparison in results.comparisons(measured):
        screen.say(page.line(comparison))
    return measured


def summary(
    family: str, module: ModuleType, rounds: int, rows: list[dict[str, Any]], imports: list[Any]
) -> dict[str, Any]:
    """Gather everything the page needs to know of one family."""
    versions: dict[str, Any] = {OURS: {}}
    for row in rows:
        for side in row.get("sides", ()):
            versions[side["peer"]] = side.pop("versions")
    return {
        "family": family,
        "title": module.TITLE,
        "date": date.today().isoformat(),
        "command": command(family, rounds),
        "sources": results.sources(),
        "machine": machine.describe(),
        "versions": versions,
        "rows": rows,
        "imports": imports,
    }


if __name__ == "__main__":
    sys.exit(main())
