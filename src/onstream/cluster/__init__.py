"""Beyond one machine, on engines that people already run: Ray and Spark.

`train` lets workers learn shards and merges what they learned; `MemberParallel` spreads the members
of an ensemble; `KeyedModels` holds a model for each key. docs/cluster.md says which to choose, and
how to run them on a cluster.
"""

from .engine import Engine, WorkerLost
from .keyed import KeyedModels, KeyFigures
from .local import Local
from .members import MemberParallel
from .training import Mix, train

__all__ = [
    "Engine",
    "KeyFigures",
    "KeyedModels",
    "Local",
    "MemberParallel",
    "Mix",
    "WorkerLost",
    "train",
]
