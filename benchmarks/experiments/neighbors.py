"""Where a window that shrinks gains, and where it costs: the table of docs/neighbors.md.

    python -m benchmarks.experiments.neighbors DATA [docs/neighbors.md]

DATA is the folder of the Parquet files. Prints the table; with a page, puts it between its marks.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from onstream.neighbors import KNNADWINClassifier, KNNClassifier

MARKS = "<!-- table -->", "<!-- end of table -->"
SETS = ("electricity", "noaa_weather", "outdoor", "powersupply", "gas_drift", "luxembourg")


def real(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    import pyarrow.parquet as pq

    frame = pq.read_table(folder / f"{name}.parquet").to_pandas()
    y = frame.pop("y").astype(str).to_numpy()
    for column in frame.columns:
        if frame[column].dtype.kind not in "fiub":  # names as numbers, in the order of the names
            frame[column] = frame[column].astype("category").cat.codes
    return frame.to_numpy(float), y


def abrupt(every: int) -> tuple[np.ndarray, np.ndarray]:
    """A line in the plane that turns by 90 degrees every so often; 5 % of the labels are wrong."""
    rng = np.random.default_rng(every)
    X = rng.random((20_000, 5))
    angle = np.arange(len(X)) // every * (np.pi / 2)
    side = np.cos(angle) * (X[:, 0] - 0.5) + np.sin(angle) * (X[:, 1] - 0.5) > 0.0
    return X, np.where(side ^ (rng.random(len(X)) < 0.05), "a", "b")


def table(folder: Path) -> str:
    streams = {name: real(folder, name) for name in SETS}
    streams |= {f"turning line, every {n:,}": abrupt(n) for n in (500, 2000, 5000)}
    lines = ["| stream | rows | kNN | kNN-ADWIN | gain |", "| --- | --- | --- | --- | --- |"]
    for name, (X, y) in streams.items():
        told = [
            (model.predict_learn_many(X, y) == y).mean()
            for model in (KNNClassifier(), KNNADWINClassifier())
        ]
        gain = told[1] - told[0]
        lines.append(f"| {name} | {len(y):,} | {told[0]:.2%} | {told[1]:.2%} | {gain:+.2%} |")
    return "\n".join(lines)


def main() -> None:
    text = table(Path(sys.argv[1]))
    print(text)
    for name in sys.argv[2:]:
        page = Path(name)
        before, rest = page.read_text(encoding="utf-8").split(MARKS[0])
        _, after = rest.split(MARKS[1])
        page.write_text(f"{before}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
