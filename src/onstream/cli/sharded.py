"""`onstream train --engine`: the files of a source as shards for the workers of an engine."""

from functools import partial
from typing import Any

from .progress import ProgressBar
from .sources import Input, open_stream


def check_options(data: Input, reading: dict[str, Any], every: int | None) -> None:
    """Refuse what has no meaning for files that several workers read."""
    if not data.format or "-" in data.stream.files:
        raise ValueError("onstream: --engine divides files among workers; name files.")
    for name, usual in (("limit", None), ("skip", 0), ("shuffle", None), ("epochs", 1)):
        if reading[name] != usual:
            raise ValueError(f"onstream: --{name} has no meaning with --engine.")
    if every is not None:
        raise ValueError("onstream: --every has no meaning with --engine; say --mix-every.")
    if reading["on_error"] not in ("raise", "skip"):
        raise ValueError("onstream: with --engine, --on-error is raise or skip.")


def train_on(
    engine: str, learner: Any, data: Input, schema: Any, bar: ProgressBar, **options: Any
) -> tuple[Any, int, bool]:
    """The learner after all rows, how many, and whether it was interrupted before the end."""
    from ..cluster import train

    shards: list[Any] = [
        partial(open_shard, file, data.options, schema) for file in data.stream.files
    ]
    reading: dict[str, Any] = {}
    if data.format == "parquet" and schema is None and data.options["on_error"] == "raise":
        shards = list(data.stream.files)  # which can be divided by row groups
        given = {"drop": data.drop, "only": data.only, "weight": data.options["weight"]}
        reading = {name: value for name, value in given.items() if value is not None}
        reading["target"] = data.options["target"]
    last: list[Any] = []

    def note(mix: Any) -> None:
        last[:] = [mix]

    began = learner.seen
    try:
        train(learner, shards, engine, progress=bar.advance, on_mix=note, **options, **reading)
    except RuntimeError as error:
        raise ValueError(f"onstream: {error}") from error
    except KeyboardInterrupt:
        if not last:
            raise
        return last[0].model, last[0].rows, True
    return learner, learner.seen - began, False


def open_shard(file: str, options: dict[str, Any], schema: Any) -> Any:
    """A file as a worker opens it."""
    stream = open_stream(file, **options)
    if schema is not None:
        stream.expect(schema)
    return stream
