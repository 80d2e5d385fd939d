"""`onstream experiment`: put a claim of the lectures to the test; a figure, tables, a verdict."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from . import experiments, options
from .console import output_console, print_line
from .lab.drawing import check_matplotlib
from .lab.lab import Lab
from .lab.outcome import Outcome
from .progress import Bar


def names() -> list[str]:
    """All experiments: one is a module of the package `experiments`, and nothing more."""
    return sorted(module.name for module in iter_modules(experiments.__path__))


def found(name: str) -> Any:
    """The module of an experiment."""
    if name not in names():
        raise ValueError(
            f"onstream: there is no experiment {name!r:.60}; there are: {', '.join(names())}."
        )
    return import_module(f"{experiments.__name__}.{name}")


def list_all() -> None:
    """A line for each experiment: its name, and what it asks."""
    widest = max(map(len, names()))
    for name in names():
        print_line(f"{name:{widest}}  {found(name).QUESTION}")


def experiment(
    name: Annotated[
        str | None, typer.Argument(help=f"One of {', '.join(names())}; without it they are listed.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the figure and the tables.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="The size of the paper; takes minutes.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Folder of real data sets: NAME.parquet, .npz, .svm.bz2."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 0,
    quiet: options.Quiet = False,
) -> None:
    """Put a claim of the lectures to the test: a figure, tables, a verdict.

    Embedded or generated data; with --data real sets, too. Same seed, same figures (but for times).

    \b
    onstream experiment
    onstream experiment noise --out noise
    onstream experiment multiclass --out digits --data ~/datasets --full
    """
    if name is None:
        list_all()
        return
    module = found(name)
    if out is None:
        raise ValueError(
            f"onstream: say where the figure and the tables go: "
            f"onstream experiment {name} --out {name}."
        )
    check_matplotlib()
    if data is not None and not data.is_dir():
        raise ValueError(f"onstream: --data {data}: there is no such folder.")
    out.mkdir(parents=True, exist_ok=True)
    start = perf_counter()
    with Shown(name, quiet=quiet) as bar:
        outcome = module.run(
            Lab(size="full" if full else "default", seed=seed, data=data, progress=bar)
        )
    took = perf_counter() - start
    words = [f"onstream experiment {name}", *(["--full"] if full else [])]
    words += [*([f"--seed {seed}"] if seed else []), *(["--data DIR"] if data else []), "--out DIR"]
    files = outcome.write(out, name, module.QUESTION, " ".join(words))
    show(module.QUESTION, outcome)
    if not quiet:
        print_line(f"{took:.1f} s. Written to {out}: {', '.join(file.name for file in files)}.")


def show(question: str, outcome: Outcome) -> None:
    """Tables and verdicts on the console."""
    console = output_console()
    print_line(question, "bold")
    for table in outcome.tables:
        console.print()
        print_line(table.title)
        console.print(table.rich())
    console.print()
    for finding in outcome.findings:
        style = {True: "green", False: "red", None: "yellow"}[finding.holds]
        print_line(f"{finding.verdict}: {finding.claim}", style)
        print_line(f"    {finding.seen}")
    for note in outcome.notes:
        print_line(note)


class Shown:
    """A progress bar on standard error, of steps that are named; nothing where that is no use."""

    def __init__(self, name: str, *, quiet: bool) -> None:
        console = Console(stderr=True)
        self.name = name
        self.bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[what]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self.task = self.bar.add_task(name, total=None, what="")

    def __enter__(self) -> "Shown":
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def __call__(self, done: int, total: int, what: str) -> None:
        """Show how far it is."""
        self.bar.update(self.task, completed=done, total=total, what=what)
