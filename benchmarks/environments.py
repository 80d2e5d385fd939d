"""The peers: each in a virtual environment of its own, made from PyPI on demand and reused."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .contest import OURS

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv-bench"

PEERS = {
    "river": ("river==0.26.1",),
    "vw": ("vowpalwabbit==9.11.9", "numpy"),
    "moa": ("--no-deps", "capymoa==0.15.1", "jpype1==1.7.1", "numpy", "packaging"),  # for its jar
    "frames": ("scikit-learn==1.9.1", "river==0.26.1", "pandas"),  # those who take data frames
    "service": (
        "fastapi==0.163.0",
        "uvicorn==0.54.0",
        "uvloop==0.23.0",
        "httptools==0.9.0",
        "river==0.26.1",
    ),
    "scikit-learn": ("scikit-learn==1.9.1",),  # numpy, the other baseline, comes with it
}
DATA = "data"  # not a peer: reads the data sets, so that nobody else needs pandas
_REQUIREMENTS = PEERS | {DATA: ("numpy", "pandas", "pyarrow", "scipy")}

_ONE_THREAD = dict.fromkeys(
    (
        "BLIS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    ),
    "1",
)


class EnvironmentFailed(Exception):
    """A peer could not be installed."""


def variables() -> dict[str, str]:
    """Environment variables of every measured process: one BLAS thread, one hash seed."""
    return os.environ | _ONE_THREAD | {"PYTHONHASHSEED": "0"}


def lacking(peer: str) -> str | None:
    """Say what this machine lacks for a peer; pip cannot install it."""
    if peer == "moa" and shutil.which("java") is None:
        return "moa: no java on this machine, so its rows are left out."
    return None


def ready(peer: str) -> bool:
    """Whether the environment exists and was made from the present requirement."""
    stamp = FOLDER / peer / "requirement.txt"
    return peer == OURS or (stamp.exists() and stamp.read_text() == _wanted(peer))


def python(peer: str) -> str:
    """Find the interpreter of a peer, making its environment if missing or outdated."""
    if peer == OURS:
        return sys.executable
    interpreter = FOLDER / peer / "bin" / "python"
    if not ready(peer):
        shutil.rmtree(FOLDER / peer, ignore_errors=True)
        _run(peer, sys.executable, "-m", "venv", str(FOLDER / peer))
        _run(peer, str(interpreter), "-m", "pip", "install", "-q", *_REQUIREMENTS[peer])
        (FOLDER / peer / "requirement.txt").write_text(_wanted(peer))  # last: all went well
    return str(interpreter)


def _wanted(peer: str) -> str:
    version = f"python {sys.version_info.major}.{sys.version_info.minor}"
    return "\n".join((version, *_REQUIREMENTS[peer], ""))


def _run(peer: str, *command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        wanted = " ".join(_REQUIREMENTS[peer])
        raise EnvironmentFailed(f"{peer}: could not install {wanted}: {' '.join(last)}")
