"""`onstream demo`: the learners race over real weather and over a stream that changes its mind."""

import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..datasets import noaa_weather
from ..linear import RLS, LinearRegression, LogisticRegression, PAClassifier, Perceptron
from .baselines import LastValue, MajorityClass
from .race import Contender, Floats, Result, Stream, distance, race, wrong
from .report import plot, table


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the picture.")] = Path("demo-report"),
    quick: Annotated[bool, typer.Option("--quick", help="Only the start of each stream.")] = False,
) -> None:
    """Race the learners: predict each example, then learn it; table here, picture in a file."""
    console = Console()
    out.mkdir(parents=True, exist_ok=True)
    lineup: list[tuple[Stream, dict[str, Contender]]] = [
        (rain(), classifiers()),
        (drifting(length=6_000 if quick else 20_000), classifiers()),
        (tomorrow(), regressors()),
    ]
    if quick:
        lineup = [(stream.first(6_000), contenders) for stream, contenders in lineup]

    races: list[tuple[Stream, list[Result]]] = []
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("predictions"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        total = sum(len(stream.y) * len(contenders) for stream, contenders in lineup)
        task = bar.add_task("", total=total)
        for number, (stream, contenders) in enumerate(lineup, 1):
            bar.update(task, description=f"race {number} of {len(lineup)}")
            result = race(contenders, stream, progress=lambda n: bar.advance(task, n))
            races.append((stream, result))

    for stream, results in races:
        console.print(table(stream, results))
        console.print()
    picture = out / "race.png"
    try:
        plot(picture, races)
    except ImportError:
        console.print('No picture: it needs matplotlib, pip install "onstream\\[plot]".')
    else:
        console.print(f"The errors over time are drawn in {picture}.", soft_wrap=True)


def classifiers() -> dict[str, Contender]:
    """Return fresh classifiers and the guess they have to beat."""
    return {
        "Perceptron": Perceptron(),
        "PAClassifier C=0.01": PAClassifier(variant="PA-I", C=0.01),
        "LogisticRegression": LogisticRegression(),
        "majority so far": MajorityClass(),
    }


def regressors() -> dict[str, Contender]:
    """Return fresh regressors and the guess they have to beat."""
    return {
        "LinearRegression": LinearRegression(),
        "RLS": RLS(),
        "RLS forgetting=0.99": RLS(forgetting=0.99),
        "same as today": LastValue(),
    }


def rain() -> Stream:
    """Return the weather of each day, and whether that day had rain."""
    X, y = noaa_weather()
    return Stream(
        title="Does it rain? Daily weather, Bellevue, Nebraska, 1949-1999",
        X=standardised(X),
        y=y,
        loss=wrong,
        measure="error",
        unit="%",
        step="day",
        window=730,  # two years: the seasons cancel out
    )


def tomorrow() -> Stream:
    """Return the weather of each day, and the mean temperature of the day after."""
    X, _ = noaa_weather()
    return Stream(
        title="How warm is tomorrow? The same weather, mean absolute error",
        X=standardised(X)[:-1],
        y=X[1:, 0],
        loss=distance,
        measure="MAE",
        unit="°F",
        step="day",
        window=730,  # two years: the seasons cancel out
    )


def drifting(length: int, seed: int = 0) -> Stream:
    """Return points in a cube whose labels follow another rule from the middle on.

    After SEA (Street & Kim, KDD 2001): three features in [0, 10), the sum of two of them against
    a threshold, 5 % of the labels flipped. There only the threshold moves; here the features
    change too, so that everybody sees the drift.
    """
    random = np.random.default_rng(seed)
    X = random.uniform(0.0, 10.0, size=(length, 3))
    middle = length // 2
    y = np.where(np.arange(length) < middle, X[:, 0] + X[:, 1] > 8.0, X[:, 1] + X[:, 2] > 12.0)
    y ^= random.random(length) < 0.05
    return Stream(
        title="A sudden drift, generated after SEA; 5 % of the labels are noise",
        X=standardised(X),
        y=y.astype(np.int64),
        loss=wrong,
        measure="error",
        unit="%",
        step="example",
        window=500,
        drift=middle,
    )


def standardised(X: Floats, limit: float = 5.0) -> Floats:
    """Scale each row by the mean and deviation of the rows before it: nothing looks ahead.

    What lies more than `limit` deviations out counts as `limit`, for the row and for the
    statistics: one misread pressure would otherwise flatten that column for years.
    """
    Z = np.zeros_like(X)
    mean, squares = X[0].copy(), np.zeros(X.shape[1])
    for n in range(1, len(X)):
        deviation = np.sqrt(squares / n)
        deviation[deviation == 0.0] = 1.0  # constant so far
        Z[n] = np.clip((X[n] - mean) / deviation, -limit, limit)
        step = Z[n] * deviation  # Welford's update, with the limited value
        mean += step / (n + 1)
        squares += step * step * n / (n + 1)
    return Z


if __name__ == "__main__":
    from .main import app

    app(["demo", *sys.argv[1:]], prog_name="onstream")
