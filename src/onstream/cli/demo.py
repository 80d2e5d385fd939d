"""`onstream demo`: the learners race over real weather and over a stream that changes its mind."""

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import numpy as np
import pyarrow as pa
import typer
from numpy.typing import NDArray
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from ..datasets import noaa_weather
from ..ensemble import AdaptiveRandomForestClassifier, AdaptiveRandomForestRegressor
from ..evaluate import (
    MAE,
    R2,
    ErrorRate,
    Kappa,
    KappaT,
    LastValue,
    MajorityClass,
    Metric,
    Report,
    prequential,
)
from ..evaluate.page import write
from ..evaluate.picture import draw
from ..linear import RLS, LinearRegression, LogisticRegression, PAClassifier, Perceptron
from ..select import EvolvingClassifier, EvolvingRegressor
from ..tree import (
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
    HoeffdingTreeRegressor,
)
from .console import output_console
from .progress import Bar

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Race:
    """Examples in time order, who runs, and what is asked."""

    question: str
    X: Floats
    y: NDArray[Any]
    names: tuple[str, ...]  # of the columns of X
    models: dict[str, Any]
    metrics: list[Metric]
    step: str  # what one example is
    window: int  # examples that the recent figures look back on
    unit: str = ""
    marks: dict[int, str] = field(default_factory=dict)

    def first(self, n: int) -> "Race":
        """Return the first `n` examples as a race of their own."""
        marks = {row: text for row, text in self.marks.items() if row < n}
        return replace(self, X=self.X[:n], y=self.y[:n], marks=marks)

    def run(self, progress: Any = False) -> Report:
        """Let everybody predict each example, then learn it."""
        return prequential(
            self.models,
            (pa.table(dict(zip(self.names, self.X.T, strict=True))), self.y),
            self.metrics,
            self.window,
            progress=progress,
            marks=self.marks,
            question=self.question,
            step=self.step,
            unit=self.unit,
        )


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("demo-report"),
    quick: Annotated[bool, typer.Option("--quick", help="Only the start of each stream.")] = False,
) -> None:
    """Race the learners: predict each example, then learn it; table here, report in a file."""
    console = output_console()
    out.mkdir(parents=True, exist_ok=True)
    races = [rain(), drifting(length=6_000 if quick else 20_000), tomorrow()]
    if quick:
        races = [race.first(6_000) for race in races]

    reports = []
    with Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("examples"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task("", total=sum(len(race.y) for race in races))
        for number, race in enumerate(races, 1):
            bar.update(task, description=f"race {number} of {len(races)}")
            reports.append(race.run(progress=lambda rows: bar.advance(task, rows)))

    for report in reports:
        console.print(report.table())
        console.print()
    try:
        page = write(reports, out / "report.html", title="Which learner suits which stream?")
        draw(reports, metrics=1).savefig(out / "race.png")
    except ImportError:
        console.print('No report: it needs plotly and matplotlib, pip install "onstream\\[plot]".')
    else:
        console.print(f"The errors over time are in {page}.", soft_wrap=True)


def classifiers() -> dict[str, Any]:
    """Return fresh classifiers and the guess they have to beat."""
    return {
        "Perceptron": Perceptron(),
        "PAClassifier C=0.01": PAClassifier(variant="PA-I", C=0.01),
        "LogisticRegression": LogisticRegression(),
        "HoeffdingTree": HoeffdingTreeClassifier(),
        "HAT": HoeffdingAdaptiveTreeClassifier(),
        "AdaptiveRandomForest": AdaptiveRandomForestClassifier(),
        "EvolvingClassifier": EvolvingClassifier(),
        "majority so far": MajorityClass(),
    }


def regressors() -> dict[str, Any]:
    """Return fresh regressors and the guess they have to beat."""
    return {
        "LinearRegression": LinearRegression(),
        "RLS": RLS(),
        "RLS forgetting=0.99": RLS(forgetting=0.99),
        "HoeffdingTree": HoeffdingTreeRegressor(),
        "AdaptiveRandomForest": AdaptiveRandomForestRegressor(),
        "EvolvingRegressor": EvolvingRegressor(),
        "same as today": LastValue(),
    }


def rain() -> Race:
    """Return the weather of each day, and whether that day had rain."""
    weather = noaa_weather()
    return Race(
        question="Does it rain? Daily weather, Bellevue, Nebraska, 1949-1999",
        X=standardised(weather.X),
        y=weather.y,
        names=weather.names,
        models=classifiers(),
        metrics=[ErrorRate(), Kappa(), KappaT()],
        step="day",
        window=730,  # two years: the seasons cancel out
    )


def tomorrow() -> Race:
    """Return the weather of each day, and the mean temperature of the day after."""
    weather = noaa_weather()
    return Race(
        question="How warm is tomorrow? The same weather, mean absolute error",
        X=standardised(weather.X)[:-1],
        y=weather.X[1:, 0],
        names=weather.names,
        models=regressors(),
        metrics=[MAE(), R2()],
        step="day",
        window=730,  # two years: the seasons cancel out
        unit="°F",
    )


def drifting(length: int, seed: int = 0) -> Race:
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
    return Race(
        question="Who recovers from a sudden drift? Generated after SEA; 5 % label noise",
        X=standardised(X),
        y=y.astype(np.int64),
        names=("a", "b", "c"),
        models=classifiers(),
        metrics=[ErrorRate(), Kappa(), KappaT()],
        step="example",
        window=500,
        marks={middle: "the concept changes"},
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
    from .app import app

    app(["demo", *sys.argv[1:]], prog_name="onstream")
