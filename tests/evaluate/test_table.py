"""The table in a terminal: every learner can be told, whatever the width and the figures."""

from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from onstream.evaluate.report import Report, Run, shown
from onstream.evaluate.table import seconds, size

NAMES = ["StandardScaler | LogisticRegression", "HoeffdingAdaptiveTreeClassifier", "HAT"]
METRICS = ["Accuracy", "Kappa", "F1", "ROCAUC", "BalancedAccuracy", "LogLoss", "MAE"]


def report(names=NAMES, metrics=METRICS, value=0.8, stopped="", alarms=()):
    ranges = dict.fromkeys(("cumulative", "window", "fading"), value)
    return Report(
        question="Which learner suits electricity.csv?",
        rows=1000, window=1000, alpha=0.999, delay=0,
        metrics=[{"name": m, "title": m, "what": m, "unit": "%", "best": "high"} for m in metrics],
        at=np.array([1000]),
        runs=[
            Run(name, name, {}, False, dict.fromkeys(metrics, ranges), {}, 0.5, 0.5, 14_400_000,
                list(alarms), stopped=stopped)
            for name in names
        ],
    )  # fmt: skip


def lines(of, width):
    page = StringIO()
    Console(file=page, width=width, color_system=None).print(of)
    return page.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("value", [0.8, -1.3e49, float("nan"), float("inf")])
def test_names_stay_readable(width, count, value):
    told = lines(report(metrics=METRICS[:count], value=value, alarms=[1]), width)
    assert all(len(line) <= width for line in told)
    text = "\n".join(told)
    pieces = [word for name in NAMES for word in name.replace("|", " ").split()]
    for word in pieces:  # whole, or folded where it is longer than its column
        assert word[:24] in text
    for metric in METRICS[:count]:
        assert f"{metric}, %" in text
    for word in ("per s", "CPU", "14.4 MB", "alarms", "last 1,000"):
        assert word in text
    assert "…" not in text


def test_one_table_where_there_is_room():
    assert sum(line.startswith("learner ") for line in lines(report(), 200)) == 1
    assert sum(line.startswith("learner ") for line in lines(report(), 80)) > 1
    assert sum("suits" in line for line in lines(report(), 80)) == 1


def test_names_are_neither_markup_nor_commands():
    names = ["[/x]", "[bold]b", "\x1b[2J\x07", "a\nb", "\u202eevil"]
    text = str(report(names, stopped="because [/y] \x1b]0;owned\x07"))
    assert "[/x]" in text
    assert "[bold]b" in text
    assert r"\x1b[2J\x07" in text
    assert r"a\nb" in text
    assert r"\u202eevil" in text
    assert "because [/y] \\x1b]0;owned\\x07" in text
    assert not set(text) & set("\x1b\x07\u202e")


def test_figures_are_readable():
    assert [size(n) for n in (0, 812, 3321, 14_400_000, 999_600, 5 * 10**15)] == [
        "0 B", "812 B", "3.32 kB", "14.4 MB", "1 MB", "5,000 TB",
    ]  # fmt: skip
    assert [seconds(s) for s in (0.0004, 0.13, 12.5, 6000)] == [
        "0.4 ms",
        "130 ms",
        "12.5 s",
        "100 min",
    ]
    mae = {"name": "MAE", "unit": ""}
    assert shown(mae, 5.43568467031628e25) == "5.44e+25"
    assert shown(mae, -1.3e49) == "-1.3e+49"
    assert shown(mae, 123456.7891) == "123456.789"
