"""Memory does not grow with the file."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

MEGABYTE = 1 << 20

SCRIPT = """
import resource, sys
from onstream import LogisticRegression
from onstream.streams import read_csv, read_libsvm, read_vw
kind, path = sys.argv[1:]
read = {"csv": lambda: read_csv(path, target="y"), "vw": lambda: read_vw(path),
        "libsvm": lambda: read_libsvm(path)}[kind]
LogisticRegression(hash_bits=18).fit(read())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def piece(kind: str) -> bytes:
    """About 100 kB of lines."""
    rng = np.random.default_rng(0)
    if kind == "csv":
        return b"".join(b"%.4f,%.4f,%d\n" % (a, b, a > b) for a, b in rng.normal(size=(6000, 2)))
    lines = []
    for values in rng.normal(size=(500, 20)).round(4).tolist():
        names = rng.integers(0, 10_000, 20).tolist()
        mark, bar = ("x", "|f ") if kind == "vw" else ("", "")
        pairs = " ".join(f"{mark}{i}:{v}" for i, v in zip(names, values, strict=True))
        lines.append(f"{rng.choice([-1, 1])} {bar}{pairs}\n")
    return "".join(lines).encode()


def peak(kind: str, path: Path, size: int) -> float:
    """Megabytes that a pass over a file of so many bytes takes at most."""
    block = piece(kind)
    with path.open("wb") as file:
        if kind == "csv":
            file.write(b"a,b,y\n")
        for _ in range(size // len(block)):
            file.write(block)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, kind, str(path)], check=True, capture_output=True, text=True
    )
    return int(done.stdout) / 1024  # kilobytes on Linux


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere")
class TestMemory:
    def test_a_longer_file_takes_no_more(self, tmp_path: Path) -> None:
        short, long = (peak("vw", tmp_path / "f", n * MEGABYTE) for n in (8, 60))
        assert long < short + 25

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", ["csv", "vw", "libsvm"])
    def test_two_gigabytes_in_300_megabytes(self, tmp_path: Path, kind: str) -> None:
        assert peak(kind, tmp_path / "f", 2 << 30) < 300
