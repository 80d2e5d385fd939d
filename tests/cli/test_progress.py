"""The progress bar counts what was worked on, not what was read ahead."""

from types import SimpleNamespace
from typing import Any

import pytest

from onstream.cli.progress import ProgressBar


def bar_of(rows: int, done: int, **options: Any) -> ProgressBar:
    """A bar for a stream that has read so many rows and bytes already, of 1,000."""
    stream = SimpleNamespace(rows=rows, bytes_done=done, bytes_total=1000)
    return ProgressBar("run", stream, None, quiet=False, **options)


@pytest.mark.parametrize(("rows", "skipped"), [(100, 0), (150, 50)])
def test_rows_read_ahead_are_not_done(rows: int, skipped: int) -> None:
    bar = bar_of(rows, 1000, skipped=skipped)
    for learned, done in ((0, 0.0), (10, 100.0), (40, 500.0), (50, 1000.0), (50, 1000.0)):
        bar.advance(learned)
        assert bar.bytes_done() == done


def test_a_stream_that_counts_no_rows() -> None:
    bar = ProgressBar("follow", SimpleNamespace(bytes_done=7, bytes_total=9), None, quiet=True)
    bar.advance(3)
    assert bar.bytes_done() == 7.0


def test_the_bar_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes it for a terminal
    bar = bar_of(100, 1000)
    assert bar.shown
    bar.advance(25)
    assert bar.bar.tasks[0].percentage == 25.0
