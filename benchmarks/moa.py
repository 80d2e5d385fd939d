"""MOA, which is Java: its jar comes with the package capymoa, the JVM from the system.

Imported in MOA's own environment, so only the standard library, numpy and jpype may appear here.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from .contest import Contestant, Data

ACCURACY, SECONDS = "classifications correct (percent)", "evaluation time (cpu seconds)"


def jar() -> str:
    """Where the package keeps MOA; it is not imported, since it would ask for PyTorch."""
    found = importlib.util.find_spec("capymoa")
    if found is None or found.origin is None:
        raise RuntimeError("MOA: the package capymoa is not installed here.")
    return str(Path(found.origin).parent / "jar" / "moa.jar")


def write_arff(path: Path, columns: list[np.ndarray], y: np.ndarray) -> None:
    """Write rows as MOA reads them: columns of numbers or of text, and the label last."""
    told = [_column(f"a{i}", column) for i, column in enumerate(columns)]
    told.append(_column("class", np.array([f"c{label}" for label in y.tolist()])))
    with path.open("w", encoding="utf-8") as out:
        out.write("@relation r\n" + "".join(head for head, _ in told) + "@data\n")
        out.writelines(",".join(row) + "\n" for row in zip(*(c for _, c in told), strict=True))


def _column(name: str, values: np.ndarray) -> tuple[str, list[str]]:
    if values.dtype.kind in "fiub":
        return f"@attribute {name} numeric\n", [
            repr(v) if v == v else "?" for v in map(float, values)
        ]
    texts = [re.sub(r"[^A-Za-z0-9_.]", "_", str(v)) for v in values]
    return f"@attribute {name} {{{','.join(sorted(set(texts)))}}}\n", texts


def evaluate(archive: str, arff: Path, learner: str, most: float | None = None) -> dict[str, float]:
    """One prequential run in a fresh JVM; what MOA says of it: accuracy in per cent, seconds."""
    task = (
        f"EvaluatePrequential -l {learner} -s (ArffFileStream -f {arff} -c -1) "
        "-e BasicClassificationPerformanceEvaluator -f 100000000 -q 100000000"
    )
    done = subprocess.run(
        ["java", "-Xmx2g", "-cp", archive, "moa.DoTask", task],
        capture_output=True,
        text=True,
        check=False,
        timeout=most,
    )
    lines = [line.split(",") for line in done.stdout.splitlines() if "," in line]
    if done.returncode != 0 or len(lines) < 2:
        raise RuntimeError(f"MOA: {learner}: {' '.join(done.stderr.split()[-30:])}")
    last = dict(zip(lines[0], lines[-1], strict=True))
    return {"accuracy": float(last[ACCURACY]), "seconds": float(last[SECONDS])}


class Moa(Contestant):
    """What both runs of MOA need: the rows in a file."""

    def __init__(self, data: Data, *, learner: str, columns: Any) -> None:
        self.learner, self.n = learner, len(data["y"])
        self.folder = tempfile.TemporaryDirectory(prefix="onstream-moa-")
        self.arff = Path(self.folder.name) / "rows.arff"
        write_arff(self.arff, columns(data), data["y"])

    def scores(self) -> dict[str, float]:
        return {"prequential accuracy": self.accuracy / 100.0}


class Fresh(Moa):
    """A JVM of its own for every run.

    The seconds are MOA's own CPU seconds of the evaluation: the start of the JVM is not in them,
    reading the file is.
    """

    def run(self) -> None:
        told = evaluate(jar(), self.arff, self.learner)
        self.accuracy, self.spent = told["accuracy"], told["seconds"]


class Warm(Moa):
    """One JVM for all runs, its code compiled by two runs before, the rows in its memory.

    The seconds are CPU seconds of the thread that learns: not of compiler and collector.
    """

    def __init__(self, data: Data, **options: Any) -> None:
        super().__init__(data, **options)
        import jpype  # type: ignore[import-not-found]

        jpype.startJVM("-Xmx2g", classpath=[jar()])
        streams = jpype.JPackage("moa.streams")
        file = streams.ArffFileStream(str(self.arff), -1)
        file.prepareForUse()
        samoa = jpype.JPackage("com.yahoo.labs.samoa.instances")
        self.rows = samoa.Instances(file.getHeader(), 0)
        while file.hasMoreInstances():
            self.rows.add(file.nextInstance().getData())
        self.stream = streams.CachedInstancesStream
        self.evaluator = jpype.JPackage("moa.evaluation").BasicClassificationPerformanceEvaluator
        self.loop = jpype.JClass("moa.evaluation.EfficientEvaluationLoops").PrequentialEvaluation
        self.options = jpype.JClass("com.github.javacliparser.ClassOption")
        self.kind = jpype.JClass("moa.classifiers.Classifier")
        for _ in range(2):
            self.setup()
            self.run()

    def setup(self) -> None:
        learner = self.learner.removeprefix("(").removesuffix(")")
        self.tree = self.options.cliStringToObject(learner, self.kind.class_, None)
        self.tree.setModelContext(self.rows_header())
        self.tree.prepareForUse()
        self.judge = self.evaluator()
        self.judge.prepareForUse()
        self.source = self.stream(self.rows)

    def rows_header(self) -> Any:
        return self.stream(self.rows).getHeader()

    def run(self) -> None:
        start = time.thread_time()
        self.loop(self.source, self.tree, self.judge, None, -1, self.n, False, False)
        self.spent = time.thread_time() - start
        self.accuracy = float(self.judge.getPerformanceMeasurements()[1].getValue())
