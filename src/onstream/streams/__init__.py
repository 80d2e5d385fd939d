"""Where examples come from: files, data frames, iterables, and generators with known truth.

A stream is an iterable of `(x, y)` that also offers `batches(n)`, blocks for `learn_many`.
"""

from .arff_files import read_arff
from .csv_files import read_csv
from .generators import (
    LED,
    SEA,
    STAGGER,
    Agrawal,
    Drift,
    Friedman,
    Hyperplane,
    RandomRBF,
    RandomTree,
    Sine,
    Waveform,
)
from .iterables import from_iterable
from .json_lines import read_jsonl
from .sparse_files import read_libsvm, read_vw
from .stream import Stream
from .tables import read_frame, read_ipc, read_parquet

__all__ = [
    "LED",
    "SEA",
    "STAGGER",
    "Agrawal",
    "Drift",
    "Friedman",
    "Hyperplane",
    "RandomRBF",
    "RandomTree",
    "Sine",
    "Stream",
    "Waveform",
    "from_iterable",
    "read_arff",
    "read_csv",
    "read_frame",
    "read_ipc",
    "read_jsonl",
    "read_libsvm",
    "read_parquet",
    "read_vw",
]
