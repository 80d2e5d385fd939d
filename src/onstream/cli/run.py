"""`onstream run`: let learners predict, then learn, a whole stream; a table and a report."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ..evaluate.choices import distinct_names
from ..evaluate.prequential import Prequential
from . import options
from .chunks import chunks
from .columns import LearnedColumns
from .console import left_out, output_console, print_line, remark
from .contenders import Contender, usual
from .errors import EXPECTED_ERRORS, with_rows_learned
from .interrupt import CtrlC
from .names import metrics
from .outputs import check_models, check_outputs, check_page
from .parse import build
from .progress import ProgressBar
from .sources import Input, to_learn
from .targets import Targets
from .warnings_ import refuse_unknown_rows


@options.reads()
def run(
    source: options.Source,
    reading: dict[str, Any],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", help="A learner, 'RLS(lam=0.1)', or a saved model; repeat it."
        ),
    ] = None,
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
    no_baselines: Annotated[
        bool, typer.Option("--no-baselines", help="Leave out 'no change' and 'majority'.")
    ] = False,
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
    onstream run bids.csv --target won
    onstream run bids.csv --target won --model 'LogisticRegression()'
    onstream run bids.csv -t won -m 'StandardScaler()|PAClassifier()' -m 'VFDT()'
    onstream run bids.csv -t won -m 'HAT()' -m 'MajorityClass()' --report r.html
    onstream run 'SEA(function=2)' --limit 50000 -m 'PAClassifier()'
    onstream run test.csv -m bids.onstream --test-only
    zcat log.vw.gz | onstream run - -f vw -m 'LogisticRegression(hash_bits=18)'
    """
    data = Input(source, reading)
    if test_only and not model:
        raise ValueError("onstream: --test-only: say which saved model, --model FILE.")
    model = model or usual(data, quiet=quiet)
    contenders = [Contender(text, test_only=test_only) for text in model]
    models = [contender.model for contender in contenders]
    names = distinct_names([c.name for c in contenders], [c.text for c in contenders])
    evaluation = Prequential(
        dict(zip(names, models, strict=True)),
        chosen_metrics(metric),
        window,
        delay,
        question=f"Which learner suits {data.name}?",
        baselines=not no_baselines,
    )
    learned = learned_columns(contenders)
    stream = data.open(learned.target)
    limit, on_error = reading["limit"], reading["on_error"]
    if learned.kinds:  # other columns are nothing to a saved model
        closed = all(contender.file for contender in contenders)
        stream.expect(learned.schema(closed=closed, labelled=True))
    watch = data.watch_columns(learned, *(data.drop or ()))
    refuse_unknown_rows(columns_known=bool(learned.kinds), any_features=data.any_features)
    outputs = {"--report": report, "--save": out if len(models) == 1 else None}
    check_outputs(stream, outputs, on_error, *(contender.file for contender in contenders))
    check_page(report)
    if out is not None:
        check_saving(models, out, test_only=test_only)
    seen = LearnedColumns(reading["target"])
    seen.choose(data.drop, data.only)
    targets = Targets(reading["target"]) if evaluation.answers == "labels" else None
    evaluation.expect(limit)
    evaluation.first_row, evaluation.continue_on_error = 1, True
    bar_options = {"quiet": quiet or as_json, "skipped": reading["skip"]}
    with CtrlC(stream) as ctrl_c, ProgressBar("run", stream, limit, **bar_options) as bar:
        try:
            for block in chunks(stream, ctrl_c):
                watch.check(block[0])
                seen.add(block)
                if targets is not None:
                    targets.add(to_learn(block)[1])
                evaluation.add(*to_learn(block))
                bar.advance(len(block[1]), so_far(evaluation) if bar.shown else "")
        except EXPECTED_ERRORS as error:
            if out is not None and any(contender.learned for contender in evaluation.contenders):
                save_all(contenders, out, seen)
            report_stopped(evaluation, out)
            if not evaluation.learning():
                raise typer.Exit(1) from None
            raise with_rows_learned(error, evaluation.rows if out else 0, out) from None
    data.report_columns()
    if not quiet:
        data.report()
    if not evaluation.rows:
        if not ctrl_c.pressed:
            raise ValueError(f"onstream: {data.name}: there were no rows to learn.")
        remark("Interrupted before the first row: nothing was learned or written.")
        raise typer.Exit(130)
    if targets is not None:
        targets.warn()
    evaluation.finish()
    result = evaluation.report()
    if out is not None:
        save_all(contenders, out, seen)
    if report is not None:
        result.to_html(report)
    report_stopped(evaluation, out)
    show(result, stream, as_json=as_json, quiet=quiet, report=report, out=out)
    if targets is not None and not (quiet or test_only) and (hint := targets.sorted_hint()):
        remark(hint)
    if ctrl_c.pressed:
        remark(f"Interrupted after {evaluation.rows:,} rows; the figures are those so far.")
        raise typer.Exit(130)
    if any(contender.stopped for contender in evaluation.contenders):
        raise typer.Exit(1)


def learned_columns(contenders: list[Contender]) -> LearnedColumns:
    """The columns that the saved models among them have learned, all together."""
    found = LearnedColumns()
    for contender in contenders:
        found.join(contender.columns)
    return found


def chosen_metrics(texts: list[str] | None) -> Any:
    """Metrics by name, perhaps with parameters: "F1(average='macro')"."""
    if not texts:
        return None
    return [build(text, metrics(), "metric") for text in texts]


def so_far(evaluation: Any) -> str:
    """The first metric of the first learner that goes on, over the present window."""
    contender = evaluation.learning()[0]
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


def save_all(contenders: list[Contender], out: Path, seen: LearnedColumns) -> None:
    """Write every model to its place, with the columns that it has met."""
    models = [contender.model for contender in contenders]
    if len(models) > 1:
        out.mkdir(parents=True, exist_ok=True)
    for contender, place in zip(contenders, places(models, out), strict=True):
        columns = contender.columns
        columns.target, columns.target_kind = seen.target, seen.target_kind
        columns.join(seen)
        columns.choose(seen.drop, seen.only)
        columns.save(contender.model, place)


def report_stopped(evaluation: Any, out: Path | None) -> None:
    """Say which learners could not go on, why, and how much they have learned."""
    for contender in evaluation.contenders:
        if contender.stopped:
            remark(str(with_rows_learned(contender.stopped, contender.learned, out)), "red")


def show(
    result: Any, stream: Any, *, as_json: bool, quiet: bool, report: Path | None, out: Path | None
) -> None:
    """Show what came out."""
    if as_json:
        typer.echo(result.to_json())
        return
    output_console().print(result.table())
    if quiet:
        return
    if stream.rejected:
        print_line(left_out(stream, "were left out"), "yellow")
    for line, path in (("The report is in", report), ("Saved to", out)):
        if path is not None:
            print_line(f"{line} {path}.")
