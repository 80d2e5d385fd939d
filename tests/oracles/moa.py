"""What MOA answers on small streams of texts, row after row: `moa.json`, and how it was made.

    python -m tests.oracles.moa

makes it again. It wants Java, and makes MOA's environment of the benchmarks (capymoa 0.15.1).
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).with_name("moa.json")
LEARNERS = {
    "tree, branches": ("trees.HoeffdingTree -l MC", "few"),
    "tree, binary": ("trees.HoeffdingTree -l MC -b", "few"),
    "tree, small leaves": ("trees.HoeffdingTree -l MC", "many"),
    "neighbours": ("lazy.kNN -k 5 -w 500", "few"),
}


def stream(name: str) -> tuple[list[dict[str, str]], list[int]]:
    """Four columns of 2 to 5 values, or one column of 50 and one of 3; three labels, noise."""
    draw = random.Random(1)  # its numbers are the same in every version of Python
    rows, labels = [], []
    for i in range(4000 if name == "few" else 2000):
        if name == "few":
            a, b, c, d = (int(draw.random() * n) for n in (2, 3, 4, 5))
            y = a if b == 0 else c % 3
            x = {"a": f"v{a}", "b": f"v{b}", "c": f"v{c}", "d": f"v{d}"}
        else:
            town, b = i % 50, int(draw.random() * 3)  # all are known at the first split
            y = town % 3
            x = {"town": f"v{town:02}", "b": f"v{b}"}
        if draw.random() < 0.1 if name == "few" else draw.random() < 0.4:
            y = int(draw.random() * 3)
        rows.append(x)
        labels.append(y)
    return rows, labels


def answers(learner: str) -> list[int]:
    """MOA's, from the file."""
    return [int(digit) for digit in json.loads(HERE.read_text(encoding="utf-8"))[learner]]


def ask(archive: str, learner: str, name: str) -> str:
    """A prequential run: what was answered before each example was learned, a digit for each."""
    from benchmarks import moa

    rows, labels = stream(name)
    with tempfile.TemporaryDirectory() as folder:
        arff, told = Path(folder, "rows.arff"), Path(folder, "told.txt")
        moa.write_arff(arff, [np.array([x[k] for x in rows]) for k in rows[0]], np.array(labels))
        task = f"EvaluatePrequential -l ({learner}) -s (ArffFileStream -f {arff} -c -1) -o {told}"
        command = ["java", "-cp", archive, "moa.DoTask", task]
        subprocess.run(command, check=True, capture_output=True)
        pairs = [line.split(",") for line in told.read_text(encoding="utf-8").split()]
    assert [int(label) for _, label in pairs] == labels
    return "".join(answer for answer, _ in pairs)


def main() -> None:
    from benchmarks import environments

    environments.python("moa")
    jar = next((environments.FOLDER / "moa").glob("lib/*/site-packages/capymoa/jar/moa.jar"))
    told = {key: ask(str(jar), *asked) for key, asked in LEARNERS.items()}
    HERE.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
