"""`onstream run`: let learners predict, then learn, a whole stream; a table and a report."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from . import options
from .faults import FAULTS, with_the_rest
from .live import Live
from .memory import Memory
from .outputs import check_models, check_outputs
from .pace import CtrlC, pieces
from .paper import paper
from .sources import open_stream, to_learn
from .specs import build, named, parse_model


def run(
    source: options.Source,
    model: Annotated[
        list[str],
        typer.Option("--model", "-m", help="A learner, such as 'PAClassifier(C=0.1)'; repeat it."),
    ],
    target: options.Target = None,
    weight: options.Weight = None,
    types: options.Types = None,
    delimiter: options.Delimiter = None,
    no_header: options.NoHeader = False,
    missing: options.Missing = None,
    drop: options.Drop = None,
    only: options.Only = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Accuracy, RMSE, \"F1(average='macro')\", ...; repeat it."),
    ] = None,
    window: Annotated[int, typer.Option(help="Rows of the sliding estimates.", min=1)] = 1000,
    delay: Annotated[int, typer.Option(help="Labels come so many rows late.", min=0)] = 0,
    limit: options.Limit = None,
    skip: options.Skip = 0,
    shuffle: options.Shuffle = None,
    epochs: options.Epochs = 1,
    seed: options.Seed = 0,
    on_error: options.OnError = "raise",
    format: options.Format = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write the report to this HTML file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--save", help="Save the model to this file (several: to this folder)."),
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Predict each row, then learn it: how good are these learners here.

    \b
    onstream run bids.csv --target won --model 'LogisticRegression()'
    onstream run bids.csv --target won -m 'StandardScaler()|PAClassifier(C=0.1)' -m 'Perceptron()'
    onstream run 'SEA(function=2)' --limit 50000 -m 'PAClassifier()' --report sea.html
    zcat log.vw.gz | onstream run - --format vw -m 'LogisticRegression(hash_bits=18)' --json
    """
    from ..evaluate.prequential import Prequential

    models = [parse_model(text) for text in model]
    course = Prequential(
        titled(models, model),
        chosen_metrics(metric),
        window,
        delay,
        question=f"Which learner suits {source}?",
    )
    stream = open_stream(
        source,
        format=format,
        target=target,
        weight=weight,
        types=types,
        delimiter=delimiter,
        no_header=no_header,
        missing=missing,
        drop=drop,
        only=only,
        limit=limit,
        skip=skip,
        shuffle=shuffle,
        epochs=epochs,
        seed=seed,
        on_error=on_error,
    )
    alone = len(models) == 1
    check_outputs(stream, {"--report": report, "--save": out if alone else None}, on_error)
    if out is not None and (alone or out.exists()):
        check_models("--save", *places(models, out))
    memory = Memory(target)
    course.expect(limit)
    course.first, course.patient = 1, True
    with CtrlC(stream) as ctrl_c, Live("run", stream, limit, quiet=quiet or as_json) as live:
        try:
            for block in pieces(stream, ctrl_c):
                memory.meet(block)
                course.add(*to_learn(block))
                live.advance(len(block[1]), so_far(course) if live.shown else "")
        except FAULTS as error:
            if out is not None and any(contender.learned for contender in course.contenders):
                save_all(models, out, memory)
            tell_stopped(course, out)
            if not course.going():
                raise typer.Exit(1) from None
            raise with_the_rest(error, course.rows if out else 0, out) from None
    if not course.rows:
        if not ctrl_c.pressed:
            raise ValueError(f"onstream: {source}: there were no rows to learn.")
        Console(stderr=True).print(
            "Interrupted before the first row: nothing was learned or written.", style="yellow"
        )
        raise typer.Exit(130)
    result = course.report()
    if out is not None:
        save_all(models, out, memory)
    if report is not None:
        result.to_html(report)
    tell_stopped(course, out)
    tell(result, stream, as_json=as_json, quiet=quiet, report=report, out=out)
    if ctrl_c.pressed:
        Console(stderr=True).print(
            f"Interrupted after {course.rows:,} rows; the figures are those so far.", style="yellow"
        )
        raise typer.Exit(130)
    if len(course.going()) < len(models):
        raise typer.Exit(1)


def titled(models: list[Any], texts: list[str]) -> dict[str, Any]:
    """The models by class, or by the classes of their steps; as typed, if two are the same."""
    from ..evaluate.choices import kind_of, told_apart

    names = told_apart([kind_of(model) for model in models], [text.strip() for text in texts])
    return dict(zip(names, models, strict=True))


def chosen_metrics(texts: list[str] | None) -> Any:
    """Metrics by name, with parameters perhaps: "F1(average='macro')"."""
    if not texts:
        return None
    from .. import evaluate

    base = evaluate.Metric
    known = {
        name: thing
        for name, thing in named(evaluate).items()
        if issubclass(thing, base) and thing is not base
    }
    return [build(text, known, "metric") for text in texts]


def so_far(course: Any) -> str:
    """The first metric of the first learner that goes on, over the present window."""
    contender = course.going()[0]
    metric = contender.track.metrics[0]
    value = contender.track.now()[0][1]
    shown = f"{100 * value:.1f} %" if metric.unit == "%" else f"{value:.4g}"
    return f"{metric.name} {shown}"


def places(models: list[Any], out: Path) -> list[Path]:
    """Where models are saved: one to a file; several to files in a folder."""
    if len(models) == 1:
        return [out]
    return [out / f"{n}-{type(model).__name__}.onstream" for n, model in enumerate(models, 1)]


def save_all(models: list[Any], out: Path, memory: Memory) -> None:
    """Write every model to its place."""
    if len(models) > 1:
        out.mkdir(parents=True, exist_ok=True)
    for model, place in zip(models, places(models, out), strict=True):
        memory.save(model, place)


def tell_stopped(course: Any, out: Path | None) -> None:
    """Say which learners could not go on, why, and how much they have learned."""
    for contender in course.contenders:
        if contender.stopped:
            told = str(with_the_rest(contender.stopped, contender.learned, out))
            Console(stderr=True).print(told, style="red", markup=False, soft_wrap=True)


def tell(
    result: Any, stream: Any, *, as_json: bool, quiet: bool, report: Path | None, out: Path | None
) -> None:
    """Show what came out."""
    console = paper()
    if as_json:
        typer.echo(result.to_json())
        return
    console.print(result.table())
    if quiet:
        return
    if stream.rejected:
        console.print(
            f"{stream.rejected:,} lines could not be read and were left out.", style="yellow"
        )
    if report is not None:
        console.print(f"The report is in {report}.", soft_wrap=True)
    if out is not None:
        console.print(f"Saved to {out}.", soft_wrap=True)
