"""What `onstream follow` does with a file that grows: test, train, save, begin again."""

import math
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
import typer

from ..base.blocks import cut, length
from ..evaluate.prequential import Prequential
from ..persist import load, load_notes, save
from ..streams.files import MAGIC, SUFFIXES
from ..streams.growing import Growing, Place
from .columns import LearnedColumns
from .console import print_line, remark
from .contenders import saved
from .errors import EXPECTED_ERRORS, message_of
from .names import check_online
from .outputs import check_models, check_outputs
from .parse import parse_model
from .progress import ProgressBar
from .run import chosen_metrics, so_far
from .sources import Input, to_learn

FORMATS = ("csv", "jsonl", "libsvm", "vw")
NOTE = "followed"  # where the place stands beside the model
SHARE = 0.05  # of the time, at most, goes into saving while lines come slowly


class Following:
    """A model, the file that it learns, and the place up to which it has learned it."""

    show_figures: str | None = "text"

    def __init__(
        self,
        data: Input,
        out: Path,
        every: int,
        window: int,
        metrics: list[str] | None,
        *,
        model: str | None,
        start: Path | None,
        at_end: bool,
        once: bool,
    ) -> None:
        check_source(data)
        self.data, self.out, self.every, self.once = data, out, every, once
        self.place = Place()
        self.begin_with(model, start, at_end=at_end)
        self.evaluation = Prequential({"model": self.model}, chosen_metrics(metrics), window)
        self.rejected = 0
        self.stopped = False
        self.stream: Any = None
        self.growing: Growing | None = None
        self.reached = 0  # the place up to which lines were handed over: soon they are learned
        self.rows_saved, self.saved_at, self.took = 0, monotonic(), 0.0

    def begin_with(self, model: str | None, start: Path | None, *, at_end: bool) -> None:
        """The model of an earlier run and its place; or a new one, or another saved one."""
        out, target = self.out, self.data.options["target"]
        self.name = os.path.basename(self.data.source)
        place = self.place_saved = place_in(out)
        if place is not None:
            if place.name not in ("", self.name):
                raise ValueError(
                    f"onstream: {out} follows {place.name}, not {self.name}; name another --out, "
                    f"or rename the file back."
                )
            self.model, self.learned, self.place = load(out), LearnedColumns.of_file(out), place
            if start is not None or (
                model is not None and repr(parse_model(model)) != repr(self.model)
            ):
                raise ValueError(
                    f"onstream: {out} has followed this file already, as {self.model!r}; leave out "
                    f"--model and --from to go on with it, or name another --out."
                )
        elif model is None and start is None:
            raise ValueError(
                "onstream: say what to begin with: --model 'LEARNER()' or --from FILE. "
                "`onstream models` lists the learners."
            )
        elif model is not None and (start is not None or saved(model)):
            raise ValueError("onstream: --model begins anew, --from goes on; say one of them.")
        else:
            self.model = parse_model(model) if model is not None else load(start)  # type: ignore[arg-type]
            self.learned = LearnedColumns() if start is None else LearnedColumns.of_file(start)
            if at_end:
                self.place = end_of(self.data.source)
        check_online(self.model)
        if not hasattr(self.model, "predict_many"):
            raise ValueError(
                f"onstream: {type(self.model).__name__} learns no targets; put a learner behind "
                f"it: 'StandardScaler() | LogisticRegression()'."
            )
        if target is not None and self.learned.target != target:
            self.learned.target, self.learned.target_kind = target, ""
        self.learned.choose(self.data.drop, self.data.only)
        check_models("--out", out)

    # -- the file ------------------------------------------------------------------------------

    def halt(self) -> None:
        """Learn what was read, and wait for nothing more."""
        self.stopped = True
        if self.growing is not None:
            self.growing.stop.requested = True

    @property
    def bytes_total(self) -> int | None:
        """Bytes of the file, as far as it has grown."""
        return None if self.growing is None else self.growing.size

    @property
    def bytes_done(self) -> int:
        """Bytes of it that are learned."""
        return self.place.offset

    def run(self, bar: ProgressBar) -> None:
        """Follow the file, and those that come in its place."""
        name = self.data.source
        try:
            place = self.place
            # The names of the columns may stand before the place in the next file, too.
            telling = place.line > 2
            older = None if telling and place.within(name) else renamed(name, place)
            if older is not None:
                remark(f"{name} was renamed to {older}; its last lines come first.")
                self.follow(older, bar)
                if self.stopped:
                    return
            if older is not None or not place.within(name):
                remark(f"{name} is another file than before; it is begun at its first line.")
                self.place = Place()
            while not self.follow(name, bar) and not self.stopped:
                how = self.growing.ended if self.growing else ""
                remark(f"{name} was {how}; it is begun at its first line.")
                self.place = Place()
        except EXPECTED_ERRORS as error:
            raise ValueError(
                f"{message_of(error)} {self.out} is as it was saved last."
                if self.out.exists()
                else message_of(error)
            ) from error

    def follow(self, name: str, bar: ProgressBar) -> bool:
        """Learn one file from the place on. True if no other comes after it."""
        growing = self.growing = Growing(name, self.place, once=self.once)
        growing.waiting = self.wait
        if name != self.data.source:
            growing.ended = "renamed"  # its last line is whole, whether it has an end or not
        self.reached = growing.done
        stream = self.stream = self.data.open(self.learned.target)
        check_outputs(stream, {"--out": self.out}, self.data.options["on_error"])
        if self.learned.kinds:
            stream.expect(self.learned.schema(closed=False, labelled=True, goes_on=True))
        if self.data.format == "csv" and not self.data.options["no_header"]:
            growing.begin_with_head()
        try:
            if self.stopped:
                growing.stop.requested = True
            for block in stream.follow(growing):
                if stream.bytes_done != self.reached:  # all blocks before were learned
                    self.arrived(idle=False)
                    self.reached = stream.bytes_done
                self.learned.add(block)
                for part in parts(block, self.every, self.evaluation.rows):
                    self.evaluation.add(*to_learn(part))
                    bar.advance(length(part), so_far(self.evaluation) if bar.shown else "")
                    if self.evaluation.rows % self.every == 0:
                        self.tell()
            self.reached = growing.done
            self.arrived(idle=False)
            if self.unsaved:
                self.save()
        finally:
            self.rejected += stream.rejected
            growing.close()
        return not growing.ended

    def wait(self) -> None:
        """All that was read is learned, also if it was blank or left out."""
        assert self.growing is not None
        self.reached = self.growing.done
        self.arrived(idle=True)

    def arrived(self, *, idle: bool) -> None:
        """All lines before the place that was reached are learned: save, if it is time."""
        assert self.growing is not None
        # Of a file that was renamed, too, the name is the one by which the next run asks for it.
        self.place = replace(self.growing.place(self.reached), name=self.name)
        rows = self.evaluation.rows - self.rows_saved
        rarely = self.took <= SHARE * (monotonic() - self.saved_at)
        if rows >= self.every or (idle and self.unsaved and rarely):
            self.save()

    @property
    def unsaved(self) -> bool:
        """Say whether rows were learned, or lines passed over, since the last save."""
        return self.evaluation.rows > self.rows_saved or self.place != self.place_saved

    def save(self) -> None:
        """Write the model, its columns and its place: all of them, or none."""
        began = monotonic()
        place = msgspec.to_builtins(self.place)
        save(self.model, self.out, notes={**self.learned.notes(), NOTE: place})
        self.saved_at = monotonic()
        self.took, self.rows_saved = self.saved_at - began, self.evaluation.rows
        self.place_saved = self.place

    # -- what is said --------------------------------------------------------------------------

    def tell(self) -> None:
        """A line of figures."""
        if self.show_figures == "json":
            typer.echo(msgspec.json.encode(self.figures()).decode())
        elif self.show_figures == "text":
            print_line(self.sentence())

    def figures(self) -> dict[str, Any]:
        """Rows of this run, the line that comes next, each metric over all rows and the last."""
        model, *baselines = self.evaluation.contenders
        found: dict[str, Any] = {"rows": self.evaluation.rows, "line": self.place.line}
        for contender in (model, *baselines):
            track = contender.track
            found[contender.name] = {
                metric.name: {"all": number(values[0]), "last": number(values[1])}
                for metric, values in zip(track.metrics, track.now(), strict=True)
            }
        return found

    def sentence(self) -> str:
        """The same for the first metric, in a line."""
        rows, window = self.evaluation.rows, self.evaluation.window
        model, *baselines = self.evaluation.contenders
        metric, values = model.track.metrics[0], model.track.now()[0]
        words = [f"{rows:>9,} rows", f"{metric.name} {shown(metric, values[0])}"]
        if rows > window:
            words.append(f"last {window:,} {shown(metric, values[1])}")
        for baseline in baselines:
            words += [f"{baseline.name} {shown(metric, baseline.track.now()[0][0])}"]
        return "  ".join(words)

    def summary(self) -> str:
        """What was learned, and where it is."""
        rows = self.evaluation.rows
        left = f", {self.rejected:,} lines left out" if self.rejected else ""
        if not rows:
            source, line = self.data.source, self.place.line
            return f"Nothing new{left}: {source} is learned up to line {line:,}."
        return f"{self.sentence().strip()}{left}. Saved to {self.out}."


def shown(metric: Any, value: float) -> str:
    """A figure as a reader wants it."""
    if math.isnan(value):
        return "-"
    return f"{100 * value:.1f} %" if metric.unit == "%" else f"{value:.4g}"


def number(value: float) -> float | None:
    """A figure for JSON, which knows no NaN."""
    return value if math.isfinite(value) else None


def parts(block: tuple[Any, ...], every: int, rows: int) -> Iterator[tuple[Any, ...]]:
    """Pieces of a block that end where the rows are a multiple of `every`."""
    start, stop = 0, length(block)
    while start < stop:
        end = min(stop, start + every - (rows + start) % every)
        yield cut(block, start, end)
        start = end


def check_source(data: Input) -> None:
    """Refuse what does not grow line by line."""
    source = data.source
    if source == "-":
        raise ValueError(
            "onstream: standard input has no place to come back to; `onstream train -` learns it "
            "as it comes, `onstream run -` shows how well."
        )
    if data.format not in FORMATS or Path(source).suffix.lower() in SUFFIXES:
        raise ValueError(
            f"onstream: only files of lines grow: {', '.join(FORMATS)}, not compressed."
        )
    if not Path(source).is_file():
        what = "that is no file" if Path(source).exists() else "there is no such file yet"
        raise ValueError(f"onstream: {source}: {what}; name one of lines, it may be empty.")
    with open(source, "rb") as file:
        if file.read(4).startswith(tuple(MAGIC)):
            raise ValueError(f"onstream: {source} is compressed; only files of lines grow.")
    encoding = data.options["encoding"]
    if encoding and "\n".encode(encoding) != b"\n":
        raise ValueError(f"onstream: {source}: lines of {encoding} cannot be followed.")
    if data.options["on_error"] not in ("raise", "skip"):
        raise ValueError("onstream: a file that is followed takes --on-error raise or skip.")


def place_in(out: Path) -> Place | None:
    """The place that stands beside a model; None if there is no such file, or no place in it."""
    if not out.is_file() or not out.stat().st_size:
        return None
    note = load_notes(out).get(NOTE)
    if note is None:
        raise ValueError(
            f"onstream: {out} is a model that has followed no file; begin with it by --from {out} "
            f"and another --out."
        )
    try:
        return msgspec.convert(note, Place)
    except msgspec.ValidationError:
        raise ValueError(f"onstream: {out}: the place in the file is damaged.") from None


def end_of(source: str) -> Place:
    """The place after the last whole line."""
    growing = Growing(source, Place(), once=True)
    room = memoryview(bytearray(1 << 20))
    while growing.into(room):
        pass
    place = growing.place(growing.done)
    growing.close()
    return place


def renamed(source: str, place: Place) -> str | None:
    """The file of the same folder that had this name before, and has the place in it."""
    if not place.file:  # none was read yet
        return None
    folder = os.path.dirname(source)
    with os.scandir(folder or os.curdir) as entries:
        for entry in entries:
            if entry.is_file() and entry.inode() == place.file and place.within(entry.path):
                same = os.path.samefile(entry.path, source)
                return None if same else os.path.join(folder, entry.name)
    return None
