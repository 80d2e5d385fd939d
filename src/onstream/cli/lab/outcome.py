"""What comes out of an experiment: tables, a figure, what was claimed and what was seen."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table as RichTable


@dataclass
class Table:
    """Named columns; cells are numbers or text, and None where there is none."""

    title: str
    columns: Sequence[str]
    rows: list[list[Any]] = field(default_factory=list)
    name: str = ""  # part of the file's name, if an experiment has several tables
    formats: dict[str, str] = field(default_factory=dict)  # of columns; otherwise 4 digits

    def add(self, *cells: Any) -> None:
        """One more row."""
        if len(cells) != len(self.columns):
            raise ValueError(f"Table {self.title}: {len(cells)} cells, {len(self.columns)} columns")
        self.rows.append(list(cells))

    def column(self, name: str) -> list[Any]:
        """The cells of one column."""
        at = list(self.columns).index(name)
        return [row[at] for row in self.rows]

    def value(self, column: str, **where: Any) -> Any:
        """The cell of the one row that has these values in other columns."""
        names = [name.replace(" ", "_") for name in self.columns]
        found = [
            row
            for row in self.rows
            if all(row[names.index(name)] == value for name, value in where.items())
        ]
        if len(found) != 1:
            raise KeyError(f"Table {self.title}: {len(found)} rows have {where}")
        return found[0][list(self.columns).index(column)]

    def shown(self) -> Iterator[list[str]]:
        """The rows as text."""
        for row in self.rows:
            yield [
                cell_text(cell, self.formats.get(name, ".4g"))
                for name, cell in zip(self.columns, row, strict=True)
            ]

    def markdown(self) -> str:
        """The table as Markdown."""
        lines = [list(self.columns), ["---"] * len(self.columns), *self.shown()]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def rich(self) -> RichTable:
        """The table for a terminal."""
        out = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for i, name in enumerate(self.columns):
            texts = any(isinstance(row[i], str) for row in self.rows)
            out.add_column(escape(name), justify="left" if texts else "right")
        for row in self.shown():
            out.add_row(*map(escape, row))
        return out

    def write(self, path: Path) -> None:
        """Write the cells, unrounded, as CSV."""
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)


def cell_text(cell: Any, form: str) -> str:
    """A cell for the eye."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    return format(cell, form) if isinstance(cell, float) else str(cell)


@dataclass
class Finding:
    """A claim, what was seen of it, and whether that bears it out; None: it cannot be told."""

    claim: str
    seen: str
    holds: bool | None

    @property
    def verdict(self) -> str:
        """The same in a word."""
        return {True: "holds", False: "does not hold", None: "not told"}[self.holds]


@dataclass
class Outcome:
    """All that an experiment found."""

    tables: list[Table]
    figure: Any  # of Matplotlib
    parameters: dict[str, Any]
    findings: list[Finding]
    notes: list[str] = field(default_factory=list)

    def finding(self, words: str) -> Finding:
        """The one whose claim has these words in it."""
        found = [finding for finding in self.findings if words in finding.claim]
        if len(found) != 1:
            raise KeyError(f"{len(found)} claims have the words {words!r}")
        return found[0]

    def table(self, name: str = "") -> Table:
        """The table of this name."""
        return next(table for table in self.tables if table.name == name)

    def markdown(self, name: str, question: str, command: str) -> str:
        """Everything as a page of Markdown."""
        return "\n\n".join(
            [f"# {question}", f"`{command}`", f"![{question}]({name}.png)", self.results()]
        )

    def results(self) -> str:
        """Verdicts, tables and parameters."""
        parts = [
            "| claim | seen | verdict |\n| --- | --- | --- |\n"
            + "\n".join(f"| {f.claim} | {f.seen} | {f.verdict} |" for f in self.findings)
        ]
        for table in self.tables:
            parts += [f"**{table.title}**", table.markdown()]
        parts += self.notes
        parts.append(
            "**Parameters.** "
            + "; ".join(f"{name}: {value}" for name, value in self.parameters.items())
            + "."
        )
        return "\n\n".join(parts) + "\n"

    def write(self, folder: Path, name: str, question: str, command: str) -> list[Path]:
        """Write tables, figure and page; the files."""
        files = []
        for table in self.tables:
            files.append(folder / (f"{name}-{table.name}.csv" if table.name else f"{name}.csv"))
            table.write(files[-1])
        for kind in ("png", "svg"):
            files.append(folder / f"{name}.{kind}")
            self.figure.savefig(files[-1], metadata={"Date": None} if kind == "svg" else None)
        files.append(folder / f"{name}.md")
        files[-1].write_text(self.markdown(name, question, command), encoding="utf-8")
        return files
