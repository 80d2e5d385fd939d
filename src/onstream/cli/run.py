"""`onstream run`: let learners predict, then learn, a whole stream; a table and a report."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ..base.printable import printable
from . import options
from .contenders import Contender
from .doubts import refuse_strangers
from .faults import FAULTS, with_the_rest
from .live import Live
from .memory import MANY_ROWS, Memory
from .names import metrics
from .outputs import check_models, check_outputs, check_page
from .pace import CtrlC, pieces
from .paper import left_out, paper, remark, warn_of_most
from .sources import columns, has_any_features, has_target, open_stream, to_learn
from .specs import build


@options.reads()
def run(
    source: options.Source,
    model: Annotated[
        list[str],
        typer.Option(
            "--model", "-m", help="A learner, 'RLS(lam=0.1)', or a saved model; repeat it."
        ),
    ],
    reading: dict[str, Any],
    test_only: Annotated[
        bool,
        typer.Option("--test-only", help="Only predict: saved models learn nothing more."),
    ] = False,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Accuracy, RMSE, 'F1(positive=1)', ...; repeat it."),
    ] = None,
    window: Annotated[int, typer.Option(help="Rows of the sliding estimates.", min=1)] = 1000,
    delay: Annotated[int, typer.Option(help="Labels come so many rows late.", min=0)] = 0,
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

    A saved model goes on from what it has learned, in a copy: its file stays.

    \b
    onstream run bids.csv --target won --model 'LogisticRegression()'
    onstream run bids.csv -t won -m 'StandardScaler()|PAClassifier()' -m 'VFDT()'
    onstream run bids.csv -t won -m 'HAT()' -m 'MajorityClass()' --report r.html
    onstream run 'SEA(function=2)' --limit 50000 -m 'PAClassifier()'
    onstream run test.csv -m bids.onstream --test-only
    zcat log.vw.gz | onstream run - -f vw -m 'LogisticRegression(hash_bits=18)'
    """
    from ..evaluate.choices import told_apart
    from ..evaluate.prequential import Prequential

    contenders = [Contender(text, test_only=test_only) for text in model]
    models = [contender.model for contender in contenders]
    names = told_apart([c.name for c in contenders], [c.text for c in contenders])
    course = Prequential(
        dict(zip(names, models, strict=True)),
        chosen_metrics(metric),
        window,
        delay,
        question=f"Which learner suits {source}?",
    )
    memory = remembered(contenders)
    if reading["target"] is None and has_target(source, reading["format"]):
        reading["target"] = memory.target  # as it was learned
    stream = open_stream(source, **reading)
    limit, on_error = reading["limit"], reading["on_error"]
    if memory.kinds:  # other columns are nothing to a saved model
        closed = all(contender.file for contender in contenders)
        stream.expect(memory.expected(closed=closed, labelled=True))
    watch = memory.watch(source, columns(reading["drop"]))
    loose = has_any_features(source, reading["format"])
    refuse_strangers(lacking_is_told=bool(memory.kinds), only_told=loose)
    alone = len(models) == 1
    outputs = {"--report": report, "--save": out if alone else None}
    check_outputs(stream, outputs, on_error, *(contender.file for contender in contenders))
    check_page(report)
    if out is not None:
        check_saving(models, out, test_only=test_only)
    met = Memory(reading["target"])
    met.choose(columns(reading["drop"]), columns(reading["only"]))
    course.expect(limit)
    course.first, course.patient = 1, True
    with CtrlC(stream) as ctrl_c, Live("run", stream, limit, quiet=quiet or as_json) as live:
        try:
            for block in pieces(stream, ctrl_c):
                watch.see(block[0])
                met.meet(block)
                course.add(*to_learn(block))
                live.advance(len(block[1]), so_far(course) if live.shown else "")
        except FAULTS as error:
            if out is not None and any(contender.learned for contender in course.contenders):
                save_all(contenders, out, met)
            tell_stopped(course, out)
            if not course.going():
                raise typer.Exit(1) from None
            raise with_the_rest(error, course.rows if out else 0, out) from None
    watch.end(MANY_ROWS if loose else 0)
    if not quiet and not loose:
        watch.tell_new()
    if not quiet:
        warn_of_most(stream)
    if not course.rows:
        if not ctrl_c.pressed:
            raise ValueError(f"onstream: {source}: there were no rows to learn.")
        remark("Interrupted before the first row: nothing was learned or written.")
        raise typer.Exit(130)
    course.finish()
    result = course.report()
    if out is not None:
        save_all(contenders, out, met)
    if report is not None:
        result.to_html(report)
    tell_stopped(course, out)
    tell(result, stream, as_json=as_json, quiet=quiet, report=report, out=out)
    if ctrl_c.pressed:
        remark(f"Interrupted after {course.rows:,} rows; the figures are those so far.")
        raise typer.Exit(130)
    if len(course.going()) < len(models):
        raise typer.Exit(1)


def remembered(contenders: list[Contender]) -> Memory:
    """What the saved models among them remember, all together."""
    memory = Memory()
    for contender in contenders:
        memory.join(contender.memory)
    return memory


def chosen_metrics(texts: list[str] | None) -> Any:
    """Metrics by name, with parameters perhaps: "F1(average='macro')"."""
    if not texts:
        return None
    return [build(text, metrics(), "metric") for text in texts]


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


def check_saving(models: list[Any], out: Path, *, test_only: bool) -> None:
    """Refuse to save what cannot be saved, or where something else is."""
    if test_only:
        raise ValueError("onstream: --test-only learns nothing, so there is nothing to --save.")
    for model in models:
        if getattr(model, "baseline", False):
            raise ValueError(
                f"onstream: {type(model).__name__} is a baseline, which cannot be saved; leave "
                f"out --save or the baseline."
            )
    if len(models) == 1 or out.exists():
        check_models("--save", *places(models, out))


def save_all(contenders: list[Contender], out: Path, met: Memory) -> None:
    """Write every model to its place, with the columns that it has met."""
    models = [contender.model for contender in contenders]
    if len(models) > 1:
        out.mkdir(parents=True, exist_ok=True)
    for contender, place in zip(contenders, places(models, out), strict=True):
        memory = contender.memory
        memory.target, memory.target_kind = met.target, met.target_kind
        memory.join(met)
        memory.choose(met.drop, met.only)
        memory.save(contender.model, place)


def tell_stopped(course: Any, out: Path | None) -> None:
    """Say which learners could not go on, why, and how much they have learned."""
    for contender in course.contenders:
        if contender.stopped:
            told = str(with_the_rest(contender.stopped, contender.learned, out))
            remark(told, "red")


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
        told = printable(left_out(stream, "were left out"))
        console.print(told, style="yellow", markup=False, soft_wrap=True)
    for line, path in (("The report is in", report), ("Saved to", out)):
        if path is not None:
            console.print(printable(f"{line} {path}."), markup=False, soft_wrap=True)
